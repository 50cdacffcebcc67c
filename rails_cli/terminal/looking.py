"""What can be looked at whether or not a question is open: the map, the log, the tables, the commands."""

from typing import Any, NamedTuple

import msgspec

from rails_cli.asking.names import Names, company_in
from rails_cli.asking.situation import Situation
from rails_cli.playback.text_blocks import largest
from rails_cli.terminal.page import Page
from rails_cli.terminal.reading import Unclear

HELP = """\
Answer with the number of a choice, or in words; several steps go in one line, with ; between them:
  bid 12             pass               choose expand (or just: expand)
  build R2 Q3        build NYC R2       develop Wheeling       offer PRR
  expand NYC R2 Q3; pass                fund Liberty           take bank
  play A3            buy Omaha          sell OMA2
A line that cannot be played as a whole is not played at all.

To look and ask:
  ?                  what is asked, and the rules behind it
  why R2             why something is not allowed
  what 3, what R2    what a choice would do, what a place is worth; build R2? asks, too
  hint               what the greedy bot would do, and its numbers
  map                the map alone; map costs, map income: with numbers; map PRR: one company
  log                everything that happened
  scores             all tables
  rule 31            a rule by number or by a word in it
  undo               back to your last decision (where no other person has decided since;
                     at a server's table: of the steps that were not sent yet)
  send               at a server's table: send the steps collected so far
  quit               leave; the game is saved, and how to carry it on is told
Keys: tab completes, up and down go through what you typed before, page up and page down scroll."""

ALIASES = {
    "h": "help",
    "rules": "rule",
    "score": "scores",
    "exit": "quit",
    "q": "quit",
    "explain": "?",
    "history": "log",
    "info": "what",
}
LOOKS = ("map", "log", "scores", "help")


class Look(NamedTuple):
    """What takes the place of the page, and whether its end is to be seen first."""

    overlay: Any
    is_at_end: bool = False


def command_in(line: str) -> str:
    """The first word of a line, as the commands are called."""
    word = next(iter(line.lower().split()), "")
    return ALIASES.get(word, word)


def looked(page: Page, line: str) -> Look | None:
    """What a line asks to see; None if it is no such wish. Raises Unclear for a map that there is not."""
    command = command_in(line)
    if command == "help":
        return Look(HELP.splitlines())
    if command not in LOOKS:
        return None
    if page.view is None:
        return Look(["The game has not begun."])
    if command == "map":
        return Look(_map(page, line.split()[1:]))
    if command == "log":
        return Look(list(page.story), is_at_end=True)
    return Look(page.game_face.position(page.view, page.names).splitlines())


def earned(situation: Situation | Page, hex_: Any) -> tuple[int, int]:
    """What a cube of American Rails earns in a hex now: alone there, and with others."""
    more = situation.wire_board["development"] if hex_["id"] in situation.view.developed else {"full": 0, "shared": 0}
    return int((hex_["full"] or 0) + more["full"]), int((hex_["shared"] or 0) + more["shared"])


def value(situation: Situation | Page, hex_: Any) -> int:
    """What a locomotive in a hex is worth now."""
    view = situation.view
    scale = next((scale.value for scale in getattr(view, "scales", ()) if scale.hex == hex_["id"]), None)
    if scale is not None:
        return int(scale)
    return int((hex_["income"] or 0) + ((hex_["develop"] or 0) if hex_["id"] in view.developed else 0))


def _map(page: Page, words: list[str]) -> Any:
    """The map as large as there is room for, with numbers in it, or with the network of one company marked."""
    what = words[0].lower() if words else ""
    if what.startswith(("cost", "inc")):
        return _numbers(page, is_cost=what.startswith("cost"))
    named = company_in(Names(_situation(page)), what) if what and page.game != "last_spike" else None
    if what and named is None:
        raise Unclear(f"No map of {words[0]!r}. Try: map, map costs, map income, or map with the name of a company.")
    track = [] if named is None else next(company.track for company in page.view.companies if company.id == named)
    told = (
        page.game_face.legend(page.view)
        if named is None
        else f"Highlighted: the network of {named}: {', '.join(track) or 'nothing yet'}."
    )

    def drawn(width: int, height: int) -> list[Any]:
        marked = page.marked if named is None else frozenset(track)
        lines: list[Any] = list(largest(page.game_face, page.wire_board, page.view, width, height - 3, marked))
        return [*lines, "", told]

    return drawn


def _situation(page: Page) -> Situation:
    """A page as a position in which nothing is asked."""
    return Situation(page.game, page.title, page.wire_board, None, page.names, page.seer or 0, page.view, [], None)


def _numbers(page: Page, *, is_cost: bool) -> Any:
    board = page.wire_board
    if "routes" in board:
        return [
            f"{route['id']} {route['from']}-{route['to']}: "
            + ", ".join(f"{piece['id']} {piece['cost']:,}" for piece in route["pieces"])
            for route in board["routes"]
        ]
    hexes = []
    for spot in board["hexes"]:
        there = sum(spot["id"] in company.track for company in page.view.companies)
        if "cost" in spot:
            number = (spot["cost"] or 0) * (there + 1) if is_cost else value(page, spot)
        elif is_cost:
            terrain = board["terrain"][spot["terrain"]]
            number = terrain["base"] + terrain["per_piece"] * (there + (spot["id"] in page.view.developed))
        else:
            number = earned(page, spot)[1 if there else 0]
        hexes.append({**spot, "name": str(number) if number else None})
    empty = [msgspec.structs.replace(company, track=[]) for company in page.view.companies]
    view = msgspec.structs.replace(page.view, companies=empty)
    word = "what building there costs now" if is_cost else "what one more company would earn there"

    def drawn(width: int, height: int) -> list[Any]:
        lines: list[Any] = list(largest(page.game_face, {**board, "hexes": hexes}, view, width, height - 2))
        return [*lines, "", f"Numbers: {word}."]

    return drawn
