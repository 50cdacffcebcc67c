"""The charts of a report, drawn with Altair and vl-convert. The SVG is deterministic and has only allowed elements."""

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

from rails_cli.tournament.rating.estimates import Estimate
from rails_cli.tournament.rating.rating_types import Rating, SeatEffect
from rails_cli.tournament.rating.standings import PairResult, SeatRecord, Standing
from rails_cli.tournament.report.colours import AMOUNTS, FAINT, GRID, INK, ON_STRONG, SERIES, STEPS, light
from rails_cli.tournament.report.findings import RatingPoint

EXTRA = "rails-cli[report]"
MOST_SERIES = 8
"""Maximum number of entrants in a chart of the rating history."""
MOST_BANDS = 6
"""Maximum number of entrants with shaded intervals in the rating history. More bands would hide each other."""
WIDTH = 310
"""Width of the plotting area in pixels. With its labels, a chart fits on a phone."""
HEIGHT = 190
"""Height of a chart, in pixels."""
LABEL = 110
"""Maximum width of a label with the name of an entrant, in pixels."""
PHONE = 440
"""Maximum width in pixels of a chart that shrinks on a narrow screen. A wider chart scrolls instead."""
ENLARGED = 1.2
"""Scale factor of a chart if the page is wide enough."""

Box = tuple[float, float, float, float]

_FONT = "system-ui, Segoe UI, Roboto, DejaVu Sans, Helvetica, Arial, sans-serif"
_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"svg", "g", "path", "line", "rect", "text", "tspan", "defs", "clipPath", "circle"}
_ATTRIBUTES = {
    *("viewBox", "width", "height", "transform", "d", "x", "y", "x1", "y1", "x2", "y2", "r", "cx", "cy", "dx", "dy"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-miterlimit", "stroke-opacity", "fill-opacity"),
    *("opacity", "text-anchor", "font-size", "font-weight", "font-style", "clip-path", "id", "display", "stroke-cap"),
}
_DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3], [3, 1])
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_STEP_ENDS = (0.1, 0.2, 0.3, 0.45, 0.55, 0.7, 0.8, 0.9)
_LABELLED_CELLS = 12  # most rows of a heat map that have space for numbers


def can_draw() -> bool:
    """Return whether the packages altair and vl-convert are installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


class Charts:
    """The charts of one page, drawn as SVG. Element ids are unique on the page. Use this class only if `can_draw()`."""

    def __init__(self) -> None:
        import altair

        self.alt: Any = altair
        self.drawn = 0

    def ratings(self, standings: Sequence[Standing]) -> str:
        """Draw the rating of each entrant with its interval, best first.

        An arrow replaces an unknown end of an interval.
        """
        alt = self.alt
        low, high = rating_range(standings)
        rows = [
            {
                "name": one.name,
                "rating": one.rating.rating if low <= one.rating.rating <= high else None,
                "left": low if one.rating.low is None else None,
                "right": high if one.rating.high is None else None,
                **_interval(one.rating, low, high),
            }
            for one in standings
        ]
        base = self._named(rows)
        scale = alt.Scale(domain=[low, high], nice=False, zero=False)
        rule = base.mark_rule(strokeWidth=3, color=light(SERIES[0]), opacity=0.55, clip=True).encode(
            x=alt.X("low:Q", scale=scale, axis=alt.Axis(tickCount=6, labelOverlap=True), title="rating"), x2="high:Q"
        )
        point = (
            base.transform_filter("isValid(datum.rating)")
            .mark_circle(size=46, color=light(SERIES[0]), opacity=1)
            .encode(x=alt.X("rating:Q", scale=scale))
        )
        arrows = [
            base.transform_filter(f"isValid(datum.{side})")
            .mark_point(shape=f"triangle-{side}", size=50, filled=True, color=light(SERIES[0]), opacity=1)
            .encode(x=alt.X(f"{side}:Q", scale=scale))
            for side in ("left", "right")
        ]
        return self._draw(alt.layer(rule, point, *arrows), height={"step": _row(len(rows))})

    def pairs(self, names: Sequence[str], pairings: Sequence[PairResult]) -> str:
        """Draw a heat map: share of games in which the entrant of a row finished ahead of the entrant of a column."""
        shares = [(one.first, one.second, one.ahead.mean) for one in pairings]
        ways = [way for first, second, share in shares for way in ((first, second, share), (second, first, 1 - share))]
        cells = [_cell(row, column, share, f"{100 * share:.0f}") for row, column, share in ways]
        if len(names) > _LABELLED_CELLS:
            return self._heat_map(cells, names, names, STEPS, _STEP_ENDS, None, 13, 13)
        strong = "datum.share < 0.2 || datum.share >= 0.8"
        return self._heat_map(cells, names, names, STEPS, _STEP_ENDS, strong, 34, 22)

    def course(self, course: Sequence[RatingPoint], standings: Sequence[Standing]) -> str:
        """Draw the rating history of the first `MOST_SERIES` entrants in `standings`."""
        alt = self.alt
        shown = list(standings[:MOST_SERIES])
        names = [standing.name for standing in shown]
        low, high = rating_range(shown, 1.6)
        rows = [
            {"name": name, "groups": station.groups, "rating": one.rating, "low": one.low, "high": one.high}
            for station in course
            for name in names
            if (one := station.ratings.get(name)) is not None
        ]
        colour = alt.Scale(domain=names, range=[light(name) for name in SERIES[: len(names)]])
        dashes = alt.Scale(domain=names, range=[list(dash) for dash in _DASHES[: len(names)]])
        symbol = {"symbolType": "stroke", "symbolSize": 260, "symbolOpacity": 1, "symbolStrokeWidth": 2}
        legend = alt.Legend(orient="bottom", title=None, columns=2, labelLimit=130, **symbol)
        first, last = course[0].groups, course[-1].groups
        base = self._chart(rows).encode(
            x=alt.X(
                "groups:Q",
                title="seed groups played",
                scale=alt.Scale(domain=[first, max(last, first + 1)], nice=False),
                axis=alt.Axis(values=round_numbers(first, last), format=",d"),
            )
        )
        scale = alt.Scale(domain=[low, high], nice=False, zero=False)
        bounded = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        painted = alt.Color("name:N", scale=colour, legend=legend, sort=names)
        band = bounded.mark_area(opacity=0.12, clip=True).encode(
            y=alt.Y("low:Q", title="rating", scale=scale), y2="high:Q", color=painted
        )
        line = base.mark_line(strokeWidth=2, clip=True).encode(
            y=alt.Y("rating:Q", title="rating", scale=scale),
            color=painted,
            strokeDash=alt.StrokeDash("name:N", scale=dashes, legend=legend, sort=names),
        )
        return self._draw(alt.layer(band, line) if len(names) <= MOST_BANDS else line, height=HEIGHT)

    def values(self, rows: Sequence[Mapping[str, float]], low: float, high: float) -> str:
        """Draw the values of a parameter over the iterations of a tuning.

        `low` and `high` are the limits of the parameter. A row has the keys `iteration`, `value`, and `plus` and
        `minus`, the values that the iteration compared.
        """
        alt = self.alt
        last = int(rows[-1]["iteration"])
        scale = alt.Scale(domain=[low, high], nice=False, zero=False)
        base = self._chart(rows).encode(
            x=alt.X(
                "iteration:Q",
                title="iteration",
                scale=alt.Scale(domain=[0, last], nice=False),
                axis=alt.Axis(values=round_numbers(0, last), format=",d"),
            )
        )
        tried = base.mark_rule(strokeWidth=2, color=light(SERIES[0]), opacity=0.2).encode(
            y=alt.Y("minus:Q", title="value", scale=scale), y2="plus:Q"
        )
        line = base.mark_line(strokeWidth=2, color=light(SERIES[0])).encode(
            y=alt.Y("value:Q", title="value", scale=scale)
        )
        return self._draw(tried + line)

    def seats(self, records: Sequence[SeatRecord]) -> str:
        """Draw the advantage in rating points of each seat of a setting."""
        alt = self.alt
        rows: list[dict[str, Any]] = [
            {
                "name": f"seat {record.seat + 1}",
                "effect": effect.effect,
                **_interval(effect, effect.effect, effect.effect),
            }
            for record in records
            if (effect := record.effect) is not None
        ]
        reach = max(10.0, *(abs(row[end]) for row in rows for end in ("low", "high"))) * 1.08
        scale = alt.Scale(domain=[-reach, reach], nice=False)
        base = self._named(rows)
        zero = self._chart([{"zero": 0}]).mark_rule(color=light(FAINT), strokeDash=[3, 3])
        chart = alt.layer(
            zero.encode(x=alt.X("zero:Q", scale=scale, title="rating points")),
            base.mark_rule(strokeWidth=3, color=light(SERIES[2]), opacity=0.55).encode(
                x=alt.X("low:Q", scale=scale), x2="high:Q"
            ),
            base.mark_circle(size=46, color=light(SERIES[2]), opacity=1).encode(x=alt.X("effect:Q", scale=scale)),
        )
        return self._draw(chart, height={"step": 24})

    def returns(self, standings: Sequence[Standing]) -> str:
        """Return an SVG chart with one point per entrant: money paid for shares, and money that the shares returned.

        Above the dashed line, shares returned more than they cost.
        """
        alt = self.alt
        points = [(one.name, one.economy["paid"].mean, one.economy["returned"].mean) for one in standings]
        most_paid = max([10.0, *(paid for _, paid, _ in points)]) * 1.15
        most_returned = max([10.0, *(returned for _, _, returned in points)]) * 1.15
        wide, high = alt.Scale(domain=[0, most_paid], nice=False), alt.Scale(domain=[0, most_returned], nice=False)
        spots = [
            (name, WIDTH * paid / most_paid, HEIGHT * (1 - returned / most_returned)) for name, paid, returned in points
        ]
        rows = [
            {"name": name, "paid": paid, "returned": returned, **place}
            for (name, paid, returned), place in zip(points, placed_labels(spots), strict=True)
        ]
        least = min(most_paid, most_returned)
        even = self._chart([{"a": 0}, {"a": least}]).mark_line(color=light(FAINT), strokeDash=[4, 4], strokeWidth=1)
        axis = alt.Axis(format="$,d", tickCount=4)
        base = self._chart(rows).encode(
            x=alt.X("paid:Q", scale=wide, axis=axis, title="paid per game"),
            y=alt.Y("returned:Q", scale=high, axis=axis, title="returned per game"),
        )
        labels = [
            base.transform_filter(f"datum.label == {number}").mark_text(
                align=row["align"], dx=row["dx"], dy=row["dy"], fontSize=10, color=light(INK), limit=LABEL
            )
            for number, row in enumerate(rows[:MOST_SERIES])
        ]
        return self._draw(
            alt.layer(
                even.encode(x=alt.X("a:Q", scale=wide), y=alt.Y("a:Q", scale=high)),
                base.mark_circle(size=60, color=light(SERIES[0]), opacity=0.85),
                *[label.encode(text="name:N") for label in labels],
            ),
            height=HEIGHT,
        )

    def bars(self, standings: Sequence[Standing], figure: str, title: str) -> str:
        """Draw the economic figure named `figure` of each entrant, with its interval."""
        alt = self.alt
        found = [(one.name, one.economy[figure]) for one in standings]
        rows = [{"name": name, "mean": one.mean, **_interval(one, one.mean, one.mean)} for name, one in found]
        base = self._named(rows)
        chart = alt.layer(
            base.mark_bar(color=light(SERIES[2]), opacity=0.75, height={"band": 0.6}).encode(
                x=alt.X("mean:Q", title=title, axis=alt.Axis(tickCount=5))
            ),
            base.mark_rule(color=light(INK), strokeWidth=1.5).encode(x="low:Q", x2="high:Q"),
        )
        return self._draw(chart, height={"step": _row(len(rows))})

    def holdings(self, standings: Sequence[Standing], companies: Sequence[str]) -> str:
        """Draw a heat map of the mean number of shares of each company that each entrant held at the end of a game."""
        names = [standing.name for standing in standings]
        means = {
            (one.name, company): one.economy[f"held.{company}"].mean
            for one in standings
            for company in companies
            if f"held.{company}" in one.economy
        }
        most = max([0.1, *means.values()])
        cells = [_cell(name, company, mean / most, f"{mean:.1f}") for (name, company), mean in means.items()]
        ends = [number / len(AMOUNTS) for number in range(1, len(AMOUNTS))]
        return self._heat_map(cells, names, companies, AMOUNTS, ends, f"datum.share >= {ends[3]}", 30, 22)

    def _heat_map(
        self,
        cells: Sequence[Mapping[str, Any]],
        rows: Sequence[str],
        columns: Sequence[str],
        colours: Sequence[str],
        ends: Sequence[float],
        strong: str | None,
        width: int,
        height: int,
    ) -> str:
        """Draw `cells`, made by `_cell`, as a heat map.

        - `colours` are the colours of cells, and `ends` are the thresholds between them.
        - `width` and `height` are the least size of a cell in pixels. With few columns, cells are wider.
        - `strong` is a Vega expression for cells with a strong colour, whose text is light. None means that cells have
          no text.
        """
        alt = self.alt
        angle = 0 if max(map(len, columns)) <= 4 else -50
        base = self._chart(cells).encode(
            x=alt.X(
                "column:N",
                sort=None,
                scale=alt.Scale(domain=list(columns), paddingInner=0.04, paddingOuter=0),
                axis=alt.Axis(orient="top", title=None, labelAngle=angle, labelLimit=105, domain=False, ticks=False),
            ),
            y=_names(alt, rows, paddingInner=0.04, paddingOuter=0),
        )
        scale = alt.Scale(type="threshold", domain=list(ends), range=[light(colour) for colour in colours])
        chart = base.mark_rect().encode(color=alt.Color("share:Q", scale=scale, legend=None))
        if strong is not None:
            ink = alt.condition(strong, alt.value(light(ON_STRONG)), alt.value(light(INK)))
            chart += base.mark_text(fontSize=10).encode(text="words:N", color=ink)
        return self._draw(chart, width={"step": max(width, WIDTH / len(columns))}, height={"step": height})

    def _chart(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        return self.alt.Chart(self.alt.Data(values=rows))

    def _named(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        """Return a chart of `rows` in which the vertical axis shows the value of the key `name` of each row."""
        return self._chart(rows).encode(y=_names(self.alt, [row["name"] for row in rows]))

    def _draw(self, chart: Any, width: Any = WIDTH, height: Any = HEIGHT) -> str:
        import vl_convert

        spec = chart.to_dict(validate=False)  # validation takes longer than drawing
        spec |= {"width": width, "height": height, "background": "transparent", "config": _config()}
        self.drawn += 1
        return sanitized_svg(vl_convert.vegalite_to_svg(spec), f"chart-{self.drawn}")


def rating_range(standings: Sequence[Standing], room: float = 1.0) -> tuple[float, float]:
    """Return the lowest and highest value of a rating axis that shows the ratings and their intervals.

    Ratings far outside the other values are left out. `room` is a factor for the width of the margins.
    """
    ratings = [standing.rating for standing in standings]
    ends = [end for rating in ratings for end in (rating.low, rating.high) if end is not None]
    ends += [rating.rating for rating in ratings if (rating.low is None) == (rating.high is None)]
    low, high = min(ends, default=-100.0), max(ends, default=100.0)
    reach = max(100.0, high - low)
    near = [rating.rating for rating in ratings if low - reach <= rating.rating <= high + reach]
    low, high = min([low, *near]), max([high, *near])
    margin = max(20.0, (high - low) * 0.06) * room
    return low - margin, high + margin


def round_numbers(first: int, last: int) -> list[int]:
    """Return a few round numbers from `first` to `last`, as labels of an axis."""
    step = next(
        factor * 10**power for power in range(12) for factor in (1, 2, 5) if (last - first) <= 6 * factor * 10**power
    )
    return list(range(-(-first // step) * step, last + 1, step))


def placed_labels(points: Sequence[tuple[str, float, float]]) -> list[dict[str, Any]]:
    """Place the label of each point (name, x, y) so that labels do not overlap. Return one dict for each point.

    `label` is the index of the point, `align` the alignment of the text, and `dx` and `dy` the offset in pixels.
    """
    taken: list[Box] = [(x - 4, y - 4, x + 4, y + 4) for _, x, y in points]
    places: list[dict[str, Any]] = []
    tries = [(side, dy) for step in range(20) for side in (1, -1) for dy in dict.fromkeys((-6 * step, 6 * step))]
    for number, (name, x, y) in enumerate(points):
        width = min(LABEL, 6 * len(name) + 2)
        boxes = {(side, dy): _label_box(x, y + dy, side, width) for side, dy in tries}
        side, dy = next((place for place, box in boxes.items() if _is_free(box, taken)), tries[0])
        taken.append(boxes[side, dy])
        places.append({"label": number, "align": "left" if side > 0 else "right", "dx": 7 * side, "dy": dy})
    return places


def _label_box(x: float, y: float, side: int, width: int) -> Box:
    left = x + 7 if side > 0 else x - 7 - width
    return left, y - 6, left + width, y + 6


def _is_free(box: Box, taken: Sequence[Box]) -> bool:
    left, top, right, bottom = box
    if left < 0 or right > WIDTH + 30 or top < 0 or bottom > HEIGHT:
        return False
    return not any(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken)


def sanitized_svg(svg: str, name: str) -> str:
    """Return the SVG reduced to known elements and attributes, with ids that start with `name`.

    Raise AssertionError for an unknown element.
    """
    root = ElementTree.fromstring(svg)
    clips: dict[str, str] = {}
    for element in root.iter():
        old = element.get("id")
        if old is not None:
            clips[old] = f"{name}-{len(clips)}"
    for element in root.iter():
        tag = element.tag.removeprefix(_SVG)
        if tag not in _ELEMENTS:
            raise AssertionError(f"a chart has an element {tag}")
        for key, value in list(element.attrib.items()):
            if key not in _ATTRIBUTES:
                del element.attrib[key]
            elif key == "id":
                element.set(key, clips[value])
            elif key == "clip-path":
                element.set(key, f"url(#{clips[value.removeprefix('url(#').removesuffix(')')]})")
            else:
                element.set(key, _NUMBER.sub(lambda found: f"{float(found[0]):.2f}", value))
    _prune(root)
    width = float(root.get("width", "0"))
    root.set("width", f"{width * ENLARGED:.0f}")
    del root.attrib["height"]
    root.set("aria-hidden", "true")
    root.set("class", "drawn wide" if width > PHONE else "drawn")
    ElementTree.register_namespace("", _SVG[1:-1])
    return ElementTree.tostring(root, encoding="unicode").replace(f' xmlns="{_SVG[1:-1]}"', "")


def _prune(element: ElementTree.Element) -> None:
    """Remove invisible elements inside `element`."""
    for inner in list(element):
        _prune(inner)
        tag = inner.tag.removeprefix(_SVG)
        is_empty = (
            inner.get("fill") == "transparent"
            or (tag == "g" and not len(inner))
            or (tag == "path" and inner.get("d", "") in ("", "M0,0h0v0h0Z"))
        )
        if is_empty or inner.get("display") == "none":
            element.remove(inner)


def _cell(row: str, column: str, share: float, words: str) -> dict[str, Any]:
    return {"name": row, "column": column, "share": share, "words": words}


def _interval(found: Rating | SeatEffect | Estimate, low: float, high: float) -> dict[str, float]:
    """Return a dict with the ends `low` and `high` of the interval of `found`.

    An end of the interval may be None. Then the dict gets the argument `low` or `high` instead.
    """
    return {"low": low if found.low is None else found.low, "high": high if found.high is None else found.high}


def _row(count: int) -> int:
    return 24 if count <= 12 else 16


def _names(alt: Any, names: Sequence[str], **scale: Any) -> Any:
    return alt.Y(
        "name:N",
        sort=None,
        scale=alt.Scale(domain=list(names), **scale),
        axis=alt.Axis(title=None, labelLimit=105, domain=False, ticks=False, labelPadding=6),
    )


def _config() -> Mapping[str, Any]:
    labels = {"labelColor": light(INK), "labelFontSize": 11}
    titles = {"titleColor": light(FAINT), "titleFontWeight": "normal", "titleFontSize": 11}
    lines = {"gridColor": light(GRID), "domainColor": light(FAINT), "tickColor": light(FAINT)}
    axis = {**labels, **titles, **lines}
    return {"font": _FONT, "axis": axis, "legend": labels, "view": {"stroke": None}, "padding": 3, "aria": False}
