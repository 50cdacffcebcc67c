"""The page about a tuning: the values of the parameters after each iteration, as charts and as a table."""

from collections.abc import Sequence

from rails_cli.tournament.plan.bot_parameters import Parameter, value_words
from rails_cli.tournament.report.charts import Charts, can_draw
from rails_cli.tournament.report.markup import (
    Cell,
    Html,
    details,
    figure,
    joined,
    paragraph,
    section,
    side_by_side,
    table,
)
from rails_cli.tournament.report.page import filled_page, uncharted
from rails_cli.tournament.run.tuning import Iteration, Tuning


def tuning_page(tuning: Tuning, verdict: str) -> str:
    """Return the HTML of the page about `tuning`.

    `verdict` is the result of the comparison of the tuned with the untuned bot. It is empty if there is no result yet.
    """
    charts = Charts() if can_draw() else None
    done = tuning.state.done
    games = sum(one.games for one in done)
    words = f"{len(done):,} of {tuning.table.iterations:,} iterations, {games:,} games, seed {tuning.state.seed}."
    rows = list(zip(tuning.parameters, tuning.defaults, tuning.values, strict=True))
    limits = [[one.name, *map(value_words, (one.min, one.max, one.step, old, new))] for one, old, new in rows]
    heads = ["Parameter", "Min", "Max", "Step", "Untuned", "Tuned"]
    figures = [_chart(number, one, tuning, charts) for number, one in enumerate(tuning.parameters)]
    names = [one.name for one in tuning.parameters]
    course: list[list[Cell]] = [
        [number, f"{one.difference:+.3f}", one.games, one.faults, *map(value_words, tuning.values_at(one.shares))]
        for number, one in enumerate(done, 1)
    ]
    iterations = table("Iterations", ["Iteration", "Plus - minus", "Games", "Faults", *names], course)
    what = "The line is the value after each iteration. Bars show the two values that were compared."
    main = [
        paragraph(words),
        *([paragraph(verdict)] if verdict else []),
        *uncharted(charts),
        section(
            "parameters",
            "Parameters",
            table("Ranges and values", heads, limits),
            paragraph(what),
            side_by_side(*figures),
        ),
        section("iterations", "Iterations", details("All iterations as a table", iterations)),
    ]
    return filled_page(f"{tuning.name}: tuning", tuning.name, "parameters", joined(main))


def _chart(number: int, one: Parameter, tuning: Tuning, charts: Charts | None) -> Html:
    """Return the chart of the parameter `one`, whose index is `number`.

    Return empty HTML if `charts` is None or if there is no iteration yet.
    """
    rows = _rows(number, one, tuning.state.done)
    first, last = value_words(one.default), value_words(tuning.values[number])
    drawn = None if charts is None or len(rows) < 2 else charts.values(rows, one.min, one.max)
    return figure(one.name, f"from {first} to {last}", f"{first} before tuning, {last} now.", drawn)


def _rows(number: int, one: Parameter, done: Sequence[Iteration]) -> list[dict[str, float]]:
    start = {"iteration": 0.0, "value": one.default, "plus": one.default, "minus": one.default}
    return [start] + [
        {
            "iteration": float(index),
            "value": one.min + round(had.shares[number], 6) * (one.max - one.min),
            "plus": had.plus[number],
            "minus": had.minus[number],
        }
        for index, had in enumerate(done, 1)
    ]
