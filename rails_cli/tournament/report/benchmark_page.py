"""The page about a benchmark: the rating of the agent in each game, next to the built-in players."""

from html import escape

from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.benchmark.result import BenchmarkResult, Cost, GameResult
from rails_cli.tournament.report import colours
from rails_cli.tournament.report.markup import (
    NONE,
    Cell,
    Html,
    figure,
    joined,
    paragraph,
    section,
    side_by_side,
    table,
)
from rails_cli.tournament.report.page import filled_page
from rails_cli.tournament.words import between, signed

WIDTH, HEIGHT = 480, 118
MARGIN = 52
"""Width of the margins at the left and right of the chart, in SVG units."""
_LANES = 3
"""Number of text lines for the names of the levels. Neighbouring names are on different lines and do not overlap."""


def benchmark_page(found: BenchmarkResult) -> str:
    heads = ["Game", "Rating", "95% interval", "Place among the levels", "Games", "Wins", "Mean rank", "Faults"]
    rows: list[list[Cell]] = [
        [
            one.title,
            _points(one.rating),
            between(one.low, one.high, "+,.0f"),
            one.place or NONE,
            one.games,
            (f"{one.wins:.0%}", one.wins),
            (f"{one.mean_rank:.2f}", one.mean_rank),
            one.faults,
        ]
        for one in found.results.values()
    ]
    main = [
        paragraph(
            f"{count_phrase(found.games, 'game')}; {found.ending}. Openings {found.openings}, levels {found.levels}, "
            f"rails-cli {found.version}. Clock {found.clock}, sandbox {found.sandbox}."
        ),
        paragraph(Html(f"Command: <code>{escape(found.command)}</code>")),
        section(
            "ratings",
            "Ratings",
            table("Rating in each game", heads, rows, texts=(2, 3)),
            side_by_side(*_figures(found)),
        ),
        section("players", "By number of players", table("Ratings by number of players", *_by_players(found))),
        section("cost", "Faults and cost", *_cost(found)),
        section("method", "Method", *map(paragraph, _method(found).splitlines())),
    ]
    return filled_page(f"{found.name}: benchmark", found.name, "ratings", joined(main))


def _points(rating: float | None) -> Cell:
    return NONE if rating is None else (signed(rating, "+,.0f"), rating)


def _by_players(found: BenchmarkResult) -> tuple[list[str], list[list[Cell]]]:
    heads = ["Game", "Players", "Rating", "Standard error", "Games", "Openings"]
    rows: list[list[Cell]] = [
        [game.title, players, _points(one.rating), (f"{one.error:.0f}", one.error), one.games, one.groups]
        for game in found.results.values()
        for players, one in game.by_players.items()
    ]
    return heads, rows


def _cost(found: BenchmarkResult) -> list[Html]:
    heads = ["Game", "Answers", "Time per answer", "Tokens", "Tokens per answer", "Faults", "Lost seats"]
    rows = [_cost_row(one.title, one.cost, one.faults, one.lost_seats) for one in found.results.values()]
    faults = sum(one.faults for one in found.results.values())
    lost = sum(one.lost_seats for one in found.results.values())
    codes = ", ".join(f"{code}: {count:,}" for code, count in found.faults.items())
    return [
        table("Faults and cost in each game", heads, [*rows, _cost_row("All games", found.cost, faults, lost)]),
        paragraph(f"Faults by code: {codes}." if codes else "There were no faults."),
        *([] if found.cost.warning is None else [paragraph(found.cost.warning)]),
    ]


def _cost_row(name: str, cost: Cost, faults: int, lost: int) -> list[Cell]:
    ms, tokens, each = cost.ms_per_answer, cost.tokens, cost.tokens_per_answer
    return [
        name,
        cost.answers,
        NONE if ms is None else (f"{ms / 1000:,.3f} s", ms),
        NONE if tokens is None else tokens,
        NONE if each is None else (f"{each:,.0f}", each),
        faults,
        lost,
    ]


def _method(found: BenchmarkResult) -> str:
    """Return the explanation of the method, one paragraph in each line."""
    return (
        "The agent plays built-in players with fixed ratings, at tables of three and four, from published openings. "
        "Each opening is played in every rotation of the seats. The opponents are those nearest in rating so "
        "far, and slow ones are chosen less often.\n"
        "A lead of 400 points means odds of ten to one of finishing ahead, and 100 points mean 64%. The level medium "
        "is 0. The rating in a game is the mean of the ratings with three and with four players.\n"
        f"The ratings of the built-in players are taken as exact. Their source is {found.source}. The rating in a game "
        f"is known when half of the interval is at most {found.half_width:g} points.\n"
        "The openings are public, so a bot could be trained on them. In a game with hidden hands, the "
        "deal also depends on the opponents."
    )


def _figures(found: BenchmarkResult) -> list[Html]:
    return [
        figure(one.title, "", f"{signed(one.rating, '+.0f')}, {one.place}.", _ladder(one))
        for one in found.results.values()
        if one.rating is not None
    ]


def _ladder(one: GameResult) -> str:
    """Return an SVG image of the levels (built-in players) on a scale, with the agent's rating and its interval."""
    assert one.rating is not None
    assert one.low is not None
    assert one.high is not None
    shown = [*one.levels.values(), one.rating, max(one.low, one.rating - 400), min(one.high, one.rating + 400)]
    least, most = min(shown), max(shown)

    def x(points: float) -> float:
        part = (min(most, max(least, points)) - least) / (most - least)
        return round(MARGIN + part * (WIDTH - 2 * MARGIN), 1)

    ink, faint, here = (colours.light(name) for name in (colours.INK, colours.FAINT, colours.HERE))
    y = 40
    parts = [f'<line x1="{x(least)}" y1="{y}" x2="{x(most)}" y2="{y}" stroke="{faint}"/>']
    for number, (level, points) in enumerate(one.levels.items()):
        low = y + 24 + 17 * (number % _LANES)
        parts.append(f'<line x1="{x(points)}" y1="{y - 5}" x2="{x(points)}" y2="{low - 13}" stroke="{faint}"/>')
        words = f"{escape(level)} {signed(points, '+.0f')}"
        parts.append(f'<text x="{x(points)}" y="{low}" text-anchor="middle" fill="{ink}">{words}</text>')
    parts.append(f'<line x1="{x(one.low)}" y1="{y}" x2="{x(one.high)}" y2="{y}" stroke="{here}" stroke-width="7"/>')
    parts.append(f'<circle cx="{x(one.rating)}" cy="{y}" r="7" fill="{here}"/>')
    words = f"{signed(one.rating, '+.0f')} ({between(one.low, one.high, '+.0f')})"
    parts.append(
        f'<text x="{x(one.rating)}" y="{y - 16}" text-anchor="middle" font-weight="bold" fill="{here}">{words}</text>'
    )
    inner = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ladder" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'font-family="sans-serif" font-size="13">{inner}</svg>'
    )
