"""The games of a tournament with links to their logs and replays."""

from collections.abc import Mapping, Sequence

import msgspec

from rails_cli.report.findings import Findings
from rails_cli.report.markup import (
    NONE,
    Cell,
    Html,
    counted,
    details,
    element,
    joined,
    link,
    paragraph,
    section,
    table,
    with_code,
)
from rails_cli.report.selection import ALL_GAMES
from rails_cli.report.wording import setting_words
from rails_cli.tournament.forfeits import is_valid
from rails_cli.tournament.store import Listed
from rails_cli.tournament.words import listed

MOST_LISTED = 1000
MOST_FAULT_WORDS = 50


class Links(msgspec.Struct, frozen=True):
    """By game the files that belong to it, as seen from the page."""

    logs: Mapping[str, str]
    replays: Mapping[str, str]


def games_section(found: Findings, links: Links) -> Html:
    if not found.games:
        return Html("")
    shown = found.games[:MOST_LISTED]
    pieces = [paragraph(with_code(_replay_words(found, links)))]
    if links.replays:
        pieces.append(_replays(found, links))
    pieces += [paragraph(with_code(_listed_words(found, shown))), _table(found, shown, links), *_fault_words(found)]
    return section("games", "Games", *pieces)


def _replay_words(found: Findings, links: Links) -> str:
    if not any(game.played.log for game in found.games):
        return "This tournament kept no logs, so its games cannot be replayed."
    if not links.replays:
        return "No replays were written beside this page; `rails-cli replay` steps through a log."
    number = counted(len(links.replays), "game")
    if all(chosen.why == ALL_GAMES for chosen in found.chosen):
        return f"{number} can be replayed, step by step on the board:"
    return (
        f"Of {counted(len(found.games), 'game')}, {len(links.replays):,} can be replayed here, step by step on the "
        "board. Chosen in turn, for each kind of game: those with the most faults, the closest, the most one-sided, "
        "the longest, the greatest surprises by the ratings, and the first of the schedule."
    )


def _replays(found: Findings, links: Links) -> Html:
    rows: list[list[Cell]] = []
    for chosen in found.chosen:
        game = chosen.game
        if game.id in links.replays:
            why = NONE if chosen.why == ALL_GAMES else chosen.why
            rows.append([link(game.id, links.replays[game.id]), why, *_told(game)])
    heads = ["Replay", "Chosen as", "Game", "Players by seat: rank and score", "Actions"]
    return table("Replays", heads, rows, texts=(1, 2, 3))


def _listed_words(found: Findings, shown: Sequence[Listed]) -> str:
    if len(shown) == len(found.games):
        return "All games in the order of the schedule:"
    return (
        f"The first {len(shown):,} of {len(found.games):,} games in the order of the schedule; `rails-cli tournament "
        "games` lists all of them:"
    )


def _table(found: Findings, shown: Sequence[Listed], links: Links) -> Html:
    rows: list[list[Cell]] = []
    for game in shown:
        log = links.logs.get(game.id)
        rows.append(
            [game.id, game.group.stage or NONE, *_told(game), _remarks(game), NONE if log is None else link("log", log)]
        )
    heads = ["Id", "Stage", "Game", "Players by seat: rank and score", "Actions", "Remarks", "Log"]
    return element("div", table("Games", heads, rows, texts=(1, 2, 3, 5, 6)), class_="long")


def _told(game: Listed) -> list[Cell]:
    played = game.played
    players = ", ".join(
        f"{name} {rank}. (${score:,})"
        for name, rank, score in zip(played.seating, played.ranks, played.scores, strict=True)
    )
    return [setting_words(played.setting), players if is_valid(played) else ", ".join(played.seating), played.actions]


def _remarks(game: Listed) -> str:
    played = game.played
    words = []
    if not is_valid(played):
        words.append(f"void: {played.reason}")
    elif played.is_tainted:
        words.append("tainted")
    if played.absent:
        words.append(f"without {listed([played.seating[seat] for seat in played.absent])}")
    if any(played.faults):
        words.append(counted(sum(played.faults), "fault"))
    if game.group.surplus:
        words.append("beyond the end")
    return ", ".join(words) or NONE


def _fault_words(found: Findings) -> list[Html]:
    """The first so many faults in words."""
    told = [(game.id, words) for game in found.games for words in found.fault_words.get(game.id, [])]
    if not told:
        return []
    rows: list[list[Cell]] = [[game, words] for game, words in told[:MOST_FAULT_WORDS]]
    first = f"The first {MOST_FAULT_WORDS} of {len(told):,} faults" if len(told) > MOST_FAULT_WORDS else "All faults"
    return [details(f"{first} in words", joined([table("Faults", ["Game", "What"], rows, texts=(1,))]))]
