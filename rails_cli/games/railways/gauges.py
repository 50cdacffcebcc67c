"""Dials of a board, drawn as gauges. A gauge has one step for each step of its dial. The last step is red."""

from collections.abc import Iterator, Mapping
from math import cos, pi, sin
from typing import NamedTuple

from rails_cli.games.faces.svg import SvgMark, element, number, text_mark

RADIUS = 25
PITCH = 82
"""Distance in SVG units between the centres of two gauges."""
ABOVE, BELOW = RADIUS + 8, RADIUS + 26
"""Extent of a gauge above and below its centre, in SVG units. The name is below the gauge."""
MOST_STEPS = 12
"""Maximum number of steps that a gauge shows.

For a longer dial, the gauge has only two parts: the last step, and all others.
"""
_ARC = RADIUS - 4
_NEEDLE = RADIUS - 9


class Dial(NamedTuple):
    """Position of a dial that has moved `moved` of its `steps` steps."""

    moved: int
    steps: int


class Gauges:
    """Gauges side by side. `x` and `y` are the centre of the first gauge. `steps` maps dial names to step counts."""

    def __init__(self, x: float, y: float, steps: Mapping[str, int]) -> None:
        self.y = y
        self.x = {name: x + PITCH * place for place, name in enumerate(steps)}
        self.steps = steps

    def drawn(self) -> str:
        return "".join(self._face(name) for name in self.steps)

    def _face(self, name: str) -> str:
        x, y = number(self.x[name]), number(self.y)
        drawn = element("circle", {"class": "dial", "cx": x, "cy": y, "r": str(RADIUS + 5)})
        drawn += element("circle", {"class": "dial-ring", "cx": x, "cy": y, "r": number(RADIUS + 2.2)})
        drawn += element("circle", {"class": "hub", "cx": x, "cy": y, "r": "3.4"})
        count = _shown_steps(self.steps[name])
        for step in range(count):
            drawn += element("path", {"class": f"{_look(step, count)} to-come", "d": self._arc(name, step, count)})
        label = {"class": "dial-name", "x": x, "y": number(self.y + RADIUS + 20)}
        return drawn + element("text", label, name.capitalize())

    def _point(self, name: str, radius: float, share: float) -> str:
        """Return the coordinates of a point above the centre of a gauge.

        It lies on a half circle with `radius` around the centre. `share` is the position on the half circle, from 0
        (left) to 1 (right).
        """
        angle = pi * (1 + share)
        return f"{number(self.x[name] + radius * cos(angle))} {number(self.y + radius * sin(angle))}"

    def _arc(self, name: str, step: int, count: int) -> str:
        start, end = ((step + part) / count for part in (0.1, 0.9))
        return f"M{self._point(name, _ARC, start)}A{_ARC} {_ARC} 0 0 1 {self._point(name, _ARC, end)}"

    def marks(self, dials: Mapping[str, Dial]) -> Iterator[SvgMark]:
        for name, (moved, steps) in dials.items():
            count = _shown_steps(steps)
            for step in range(moved if count == steps else moved // steps + (moved > 0)):
                yield _path(_look(step, count), self._arc(name, step, count))
            share = max(moved - 0.5, 0) / steps
            yield _path("needle", f"M{number(self.x[name])} {number(self.y)}L{self._point(name, _NEEDLE, share)}")
            yield text_mark("values", "dial-count", self.x[name], self.y + 17, f"{moved}/{steps}")


def _shown_steps(steps: int) -> int:
    return steps if steps <= MOST_STEPS else 2


def _look(step: int, count: int) -> str:
    return "dial-step red-step" if step == count - 1 else "dial-step"


def _path(look: str, drawn: str) -> SvgMark:
    return SvgMark("values", "path", (("class", look), ("d", drawn)))
