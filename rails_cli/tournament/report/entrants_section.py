"""The section of a report about each entrant: results, worst defeats, faults with stderr, thinking time and games."""

from collections import Counter
from collections.abc import Sequence

from rails_cli.games.faces.phrases import count_phrase, ordinal
from rails_cli.games.shared.text import printable
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.programs.failures import ask_command
from rails_cli.tournament.plan.plan import limits_of
from rails_cli.tournament.rating.forfeits import is_valid, without_absent
from rails_cli.tournament.rating.standings import Standing
from rails_cli.tournament.report.findings import Findings
from rails_cli.tournament.report.games_section import Links, opened, players_words, remarks, where
from rails_cli.tournament.report.markup import (
    NONE,
    Cell,
    Html,
    details,
    element,
    joined,
    paragraph,
    section,
    table,
)
from rails_cli.tournament.report.wording import setting_words
from rails_cli.tournament.results.group_results import GameFault
from rails_cli.tournament.results.store import Listed
from rails_cli.tournament.words import between, listed, marked, signed, with_ends

MOST_GAMES = 100
"""Maximum number of games of an entrant in its list."""
MOST_LOSSES = 5
"""Maximum number of games of an entrant in the list of its worst losses."""
MOST_FAULTS = 10
"""Maximum number of faults of an entrant in its list."""


def name_of_section(number: int) -> str:
    return f"entrant-{number}"


def named(name: str, found: Findings, lost_seats: int = 0) -> Html:
    """Return a link to the section of the entrant `name`, with a mark for faults and a mark for `lost_seats`."""
    number = found.everybody.index(name) + 1
    words_of_name = marked(name, lost_seats)
    shown = f"{words_of_name} (left)" if name in found.left else words_of_name
    words = element("a", shown, href=f"#{name_of_section(number)}")
    faults = sum(found.faults.get(name, Counter()).values())
    if not faults:
        return words
    return Html(f"{words.text} {element('span', 'faulty', class_='faulty').text}")


def interval_words(row: Standing, found: Findings) -> str:
    """Return the interval of an entrant's rating as text, or `fixed` for the anchor, which always has rating 0."""
    return "fixed" if row.name == found.anchor else between(row.rating.low, row.rating.high)


def entrants_section(found: Findings, links: Links) -> Html:
    if not found.games:
        return Html("")
    rows = {row.name: row for row in found.standings.tables[0].standings}
    pieces = [_entrant(number, name, rows.get(name), found, links) for number, name in enumerate(found.everybody, 1)]
    index = Html(" · ".join(named(name, found).text for name in found.everybody))
    return section("entrants", "Entrants", element("p", index), *pieces)


def _entrant(number: int, name: str, row: Standing | None, found: Findings, links: Links) -> Html:
    games = [game for game in found.games if name in game.played.seating]
    return section(
        name_of_section(number),
        name,
        paragraph(_did(name, row, found)),
        *_losses(name, games, links),
        *_faults(name, found),
        *_games(name, games, found, links),
        is_inner=True,
    )


def _did(name: str, row: Standing | None, found: Findings) -> str:
    spec = next((entrant.spec for entrant in found.plan.entrants if entrant.name == name), "")
    what = f" It runs {spec}." if spec else ""
    if any(one.name == name for one in found.standings.tables[0].unrated):
        return f"It has no rating, because no game compares it with others.{what}"
    if row is None:
        return f"None of its games counts.{what}"
    rating = f"rating {signed(row.rating.rating)} ({interval_words(row, found)})"
    won = f"{count_phrase(row.games, 'game')} counted, {with_ends(row.win_share, '.0%')} won"
    copies = f", and {row.copies:,} {'copy' if row.copies == 1 else 'copies'} of others" if row.copies else ""
    time = (
        ""
        if spec.startswith(BUILTIN)
        else f"; {row.ms_per_game.mean:,.0f} ms per game, {row.ms_per_action:.2f} an action"
    )
    return f"{ordinal(row.place).capitalize()} by rating: {rating}; {won}{copies}{time}.{what}"


def _losses(name: str, games: Sequence[Listed], links: Links) -> list[Html]:
    """Return a list with a table of the worst losses of the entrant `name`.

    These are the games in which its score was furthest behind that of the winner, as a part of the winner's score. If
    the entrant has not lost a game, the list has a sentence instead. It is empty if no game has a result.
    """
    lost = sorted(
        (_deficit(name, game), number)
        for number, game in enumerate(games)
        if _has_result(name, game) and not game.group.surplus and _best_rank(name, game) > 1
    )
    rows: list[list[Cell]] = []
    for deficit, number in lost[:MOST_LOSSES]:
        game = games[number]
        behind = (f"{-deficit:.0%}", -deficit)
        rows.append([where(game), opened(game, players_words(game), links), setting_words(game.played.setting), behind])
    if not rows:
        return [paragraph("It has not lost a game.")] if any(_has_result(name, game) for game in games) else []
    heads = ["Which", "Players by seat: rank and score", "Game", "Behind the winner"]
    return [table(f"Worst losses of {name}", heads, rows, texts=(1, 2))]


def _has_result(name: str, game: Listed) -> bool:
    return is_valid(game.played) and name in without_absent(game.played).seating


def _best_rank(name: str, game: Listed) -> int:
    return min(rank for who, rank in zip(game.played.seating, game.played.ranks, strict=True) if who == name)


def _deficit(name: str, game: Listed) -> float:
    """Return the score of the entrant `name` minus the winner's score, as a fraction of the winner's score."""
    played = game.played
    own = max(score for who, score in zip(played.seating, played.scores, strict=True) if who == name)
    best = max(score for rank, score in zip(played.ranks, played.scores, strict=True) if rank == 1)
    return (own - best) / max(1, abs(best))


def _faults(name: str, found: Findings) -> list[Html]:
    codes = found.faults.get(name)
    if not codes:
        return []
    kinds = ", ".join(f"{number:,} {code}" for code, number in sorted(codes.items()))
    faults = [
        (game, fault) for game in found.games for fault in found.game_faults.get(game.id, []) if fault.entrant == name
    ]
    shown = {faults[-1][1].stderr} if faults else set()  # the last one is shown below the table
    rows: list[list[Cell]] = [[where(game), _fault(fault, shown)] for game, fault in faults[:MOST_FAULTS]]
    first = f"The first {MOST_FAULTS} of " if len(faults) > MOST_FAULTS else ""
    pieces = [
        paragraph(f"Faults: {kinds}.", class_="note"),
        details(
            f"{first}{count_phrase(len(faults), 'fault')}",
            table(f"Faults of {name}", ["Game", "What"], rows, texts=(1,)),
        ),
    ]
    if not faults:
        return pieces
    game, fault = faults[-1]
    if fault.stderr:
        words = f"The end of its stderr at the last of them, in game {game.id}:"
        pieces.append(joined([paragraph(words), _stderr(fault)]))
    entrant = {entrant.name: entrant for entrant in found.plan.entrants}.get(name)
    if game.played.log is not None and fault.action and entrant is not None:
        ask = ask_command(f"RESULTS/{game.played.log}", fault.action, entrant.spec, limits=limits_of(entrant))
        set_up = f", with {listed(sorted(entrant.environment))} set as in the plan" if entrant.environment else ""
        words = (
            f"To ask it the same question again, in the folder it was run in{set_up}, with the path of the "
            "results in place of RESULTS:"
        )
        pieces.append(joined([paragraph(words), element("pre", printable(ask))]))
    return pieces


def _fault(fault: GameFault, shown: set[str]) -> Cell:
    """Return a table cell about a fault, with the last lines of stderr that are stored with it.

    `shown` has lines that the page shows already. These are left out. New lines are added to `shown`.
    """
    words = str(fault).removeprefix(f"{fault.entrant} ")
    if fault.stderr in {"", *shown}:
        return words
    shown.add(fault.stderr)
    return joined([element("span", words), _stderr(fault)])


def _stderr(fault: GameFault) -> Html:
    return element("pre", "\n".join(map(printable, fault.stderr.splitlines())))


def _games(name: str, games: Sequence[Listed], found: Findings, links: Links) -> list[Html]:
    rows: list[list[Cell]] = []
    for game in games[:MOST_GAMES]:
        rank: Cell = (ordinal(_best_rank(name, game)), _best_rank(name, game)) if _has_result(name, game) else NONE
        players = opened(game, players_words(game), links)
        rows.append([where(game), rank, players, setting_words(game.played.setting), remarks(game, found)])
    first = f"The first {MOST_GAMES} of its {len(games):,} games" if len(games) > MOST_GAMES else "All its games"
    heads = ["Which", "Rank", "Players by seat: rank and score", "Game", "Remarks"]
    return [details(first, table(f"Games of {name}", heads, rows, texts=(2, 3, 4)))] if rows else []
