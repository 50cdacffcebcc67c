"""Measure the speed of functions that run alternately, and print median and range of the speed of each.

The default clock is CPU time.
"""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

REPETITIONS = 7


class Rate(NamedTuple):
    """Measured speed: units of work per second, one value for each repetition."""

    values: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def interleaved(
    contenders: dict[str, Callable[[], int]],
    repetitions: int = REPETITIONS,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, Rate]:
    """Run the functions in `contenders` alternately and measure them. Return the speed of each by name.

    Each function does some work and returns the amount of work, for example the number of positions. The speed is this
    amount divided by the time on `clock`.
    """
    for contender in contenders.values():
        contender()
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repetitions):
        for name, contender in contenders.items():
            started = clock()
            done = contender()
            rates[name].append(done / (clock() - started))
    return {name: Rate(values) for name, values in rates.items()}


def ratio(rate: Rate, yardstick: Rate) -> tuple[float, float, float]:
    """Divide `rate` by `yardstick` for each repetition. Return median, minimum and maximum of these quotients."""
    ratios = sorted(ours / theirs for ours, theirs in zip(rate.values, yardstick.values, strict=True))
    return statistics.median(ratios), ratios[0], ratios[-1]


def show(
    title: str,
    rates: dict[str, Rate],
    yardstick: str,
    *,
    at_least: float | dict[str, float] | None = None,
    at_least_a_second: float | dict[str, float] | None = None,
) -> None:
    """Print one line for each name in `rates`: its speed, and the ratio to the speed of the reference `yardstick`.

    Both are printed as median and range. `at_least` is the required ratio, and `at_least_a_second` the required speed.
    Each of them is one number for all names, or a dictionary with a number for each name.
    """
    print(f"\n{title}")
    for name, rate in rates.items():
        line = f"  {name:<28} {rate.median:>12,.0f}/s ({min(rate.values):,.0f}..{max(rate.values):,.0f})"
        if name != yardstick:
            middle, low, high = ratio(rate, rates[yardstick])
            line += f"   {middle:6.2f}x ({low:.2f}..{high:.2f})"
            goal_x = at_least.get(name) if isinstance(at_least, dict) else at_least
            if goal_x is not None:
                line += f"   goal: at least {goal_x:.2g}x: {'met' if middle >= goal_x else 'MISSED'}"
            goal_s = at_least_a_second.get(name) if isinstance(at_least_a_second, dict) else at_least_a_second
            if goal_s is not None:
                line += f"   goal: at least {goal_s:,.0f}/s: {'met' if rate.median >= goal_s else 'MISSED'}"
        else:
            line += "   yardstick"
        print(line)
