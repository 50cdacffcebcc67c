"""The section of a report that lists the games with their logs and replays, and has filters for the list."""

from collections.abc import Mapping, Sequence

import msgspec

from rails_cli.games import load_face
from rails_cli.games.faces.phrases import count_phrase, ordinal
from rails_cli.tournament.rating.forfeits import is_valid
from rails_cli.tournament.report.findings import Findings
from rails_cli.tournament.report.markup import (
    NONE,
    Cell,
    Html,
    details,
    element,
    joined,
    link,
    paragraph,
    section,
    table,
    with_code,
)
from rails_cli.tournament.report.selection import ALL_GAMES
from rails_cli.tournament.report.wording import setting_words
from rails_cli.tournament.results.store import Listed
from rails_cli.tournament.words import listed

MOST_LISTED = 1000
"""Maximum number of games in the list of all games."""
MOST_FAULT_WORDS = 50
"""Maximum number of faults that are described."""

RESULTS = {"": "any result", "won": "won", "lost": "not won", "last": "came last"}
REMARKS = {"": "all games", "faults": "with faults", "tainted": "tainted", "void": "void", "copy": "copies"}


class Links(msgspec.Struct, frozen=True):
    """Mappings from the id of a game to the path of its log or replay page, relative to the report page."""

    logs: Mapping[str, str]
    replays: Mapping[str, str]


def games_section(found: Findings, links: Links) -> Html:
    if not found.games:
        return Html("")
    shown = found.games[:MOST_LISTED]
    pieces = [paragraph(with_code(_replay_words(found, links)))]
    if links.replays:
        pieces.append(_replays(found, links))
    listing = [paragraph(with_code(_listed_words(found, shown))), _filters(found), _table(found, shown, links)]
    pieces.append(element("div", joined([*listing, *_fault_words(found)]), class_="listing"))
    on_paper = "The list of games and the details of each entrant are on the page this was printed from."
    return section("games", "Games", *pieces, paragraph(on_paper, class_="paper"))


def where(game: Listed) -> str:
    """Return the position of a game in the schedule as text, such as `group 3, game 1`."""
    return f"group {game.group.number + 1}, game {game.played.number + 1}"


def players_words(game: Listed) -> str:
    """Return the players with their results in seat order, such as `1st greedy $353, 2nd busy $20, easy absent`."""
    played = game.played
    if not is_valid(played):
        return ", ".join(played.seating)
    face = load_face(played.setting.game)
    seats = enumerate(zip(played.seating, played.ranks, played.scores, strict=True))
    return ", ".join(
        f"{name} absent"
        if seat in played.absent
        else f"{ordinal(rank)} {name} {face.score_text(score).replace('-', '−')}"
        for seat, (name, rank, score) in seats
    )


def opened(game: Listed, words: str, links: Links) -> str | Html:
    """Return `words` as a link to the replay page of a game, or else to its log.

    Return `words` as plain text if the game has neither.
    """
    target = links.replays.get(game.id) or links.logs.get(game.id)
    return words if target is None else link(words, target)


def remarks(game: Listed, found: Findings) -> str:
    played = game.played
    words = []
    if not is_valid(played):
        words.append(f"void: {played.reason}")
    elif played.is_tainted:
        words.append("tainted")
    if played.absent:
        words.append(f"without {listed([played.seating[seat] for seat in played.absent])}")
    if any(played.faults):
        words.append(count_phrase(sum(played.faults), "fault"))
    if game.group.surplus:
        words.append("after the end")
    elif played.group in found.copied:
        words.append("copy")
    return ", ".join(words) or NONE


def _replay_words(found: Findings, links: Links) -> str:
    if not any(game.played.log for game in found.games):
        return "This tournament kept no logs, so its games cannot be replayed."
    if not links.replays:
        return "No replays were written next to this page; `rails-cli replay` steps through a log."
    number = count_phrase(len(links.replays), "game")
    if all(chosen.why == ALL_GAMES for chosen in found.chosen):
        return f"{number} can be replayed, step by step on the board:"
    return (
        f"Of {count_phrase(len(found.games), 'game')}, {len(links.replays):,} can be replayed here, step by step on "
        "the board. Chosen in turn, for each kind of game: those with the most faults, the closest, the most "
        "one-sided, the longest, the greatest surprises by the ratings, and the first played."
    )


def _replays(found: Findings, links: Links) -> Html:
    rows: list[list[Cell]] = []
    for chosen in found.chosen:
        game = chosen.game
        if game.id in links.replays:
            why = NONE if chosen.why == ALL_GAMES else chosen.why
            players = link(players_words(game), links.replays[game.id])
            rows.append([where(game), players, why, setting_words(game.played.setting), game.played.actions])
    heads = ["Replay", "Players by seat: rank and score", "Why shown", "Game", "Actions"]
    return table("Replays", heads, rows, texts=(1, 2, 3))


def _listed_words(found: Findings, shown: Sequence[Listed]) -> str:
    if len(shown) == len(found.games):
        return "All games in the order of the schedule:"
    return (
        f"The first {len(shown):,} of {len(found.games):,} games in the order of the schedule; `rails-cli tournament "
        "games` lists all of them:"
    )


def _filters(found: Findings) -> Html:
    """Return the controls that filter the table of games.

    The controls are hidden until the page's script shows them.
    """
    entrants = {"": "everybody"} | {str(number): name for number, name in enumerate(found.everybody, 1)}
    chosen = [
        element("label", f"{title} ", _choice(name, choices))
        for title, name, choices in (
            ("Entrant", "entrant", entrants),
            ("Result", "result", RESULTS),
            ("Faults", "remark", REMARKS),
        )
    ]
    count = element("output", class_="quiet")
    return element("form", *chosen, count, class_="filters", hidden="", autocomplete="off")


def _choice(name: str, choices: Mapping[str, str]) -> Html:
    return element("select", *[element("option", words, value=value) for value, words in choices.items()], name=name)


def _table(found: Findings, shown: Sequence[Listed], links: Links) -> Html:
    numbers = {name: str(number) for number, name in enumerate(found.everybody, 1)}
    rows: list[list[Cell]] = []
    marks: list[dict[str, str]] = []
    for game in shown:
        log = links.logs.get(game.id)
        players = opened(game, players_words(game), links) if game.id in links.replays else players_words(game)
        cells: list[Cell] = [setting_words(game.played.setting), game.played.actions, remarks(game, found)]
        logged = NONE if log is None else link("log", log)
        rows.append([where(game), game.group.stage or NONE, players, *cells, logged])
        marks.append(_marks(game, found, numbers))
    heads = ["Which", "Stage", "Players by seat: rank and score", "Game", "Actions", "Remarks", "Log"]
    return element("div", table("Games", heads, rows, texts=(1, 2, 3, 5, 6), marks=marks), class_="long")


def _marks(game: Listed, found: Findings, numbers: Mapping[str, str]) -> dict[str, str]:
    """Return the HTML attributes of a row of the table of games. The filters use them to select rows.

    `numbers` maps the name of an entrant to a number, which replaces the name in the attributes.
    """
    played = game.played
    came = ["won" if rank == 1 else "last" if rank == max(played.ranks) else "lost" for rank in played.ranks]
    remarked = {
        "faults": any(played.faults),
        "tainted": played.is_tainted and is_valid(played),
        "void": not is_valid(played),
        "copy": played.group in found.copied,
    }
    return {
        "data_came": " ".join(
            f"{numbers[name]}-{'absent' if seat in played.absent else result if is_valid(played) else 'void'}"
            for seat, (name, result) in enumerate(zip(played.seating, came, strict=True))
        ),
        "data_remarks": " ".join(name for name, is_so in remarked.items() if is_so),
    }


def _fault_words(found: Findings) -> list[Html]:
    """Return a table that describes the first `MOST_FAULT_WORDS` faults, or an empty list if there are no faults."""
    faults = [(where(game), str(fault)) for game in found.games for fault in found.game_faults.get(game.id, [])]
    if not faults:
        return []
    rows: list[list[Cell]] = [[game, words] for game, words in faults[:MOST_FAULT_WORDS]]
    first = (
        f"The first {MOST_FAULT_WORDS} of {len(faults):,} faults" if len(faults) > MOST_FAULT_WORDS else "All faults"
    )
    return [details(f"{first} in words", joined([table("Faults", ["Game", "What"], rows, texts=(1,))]))]
