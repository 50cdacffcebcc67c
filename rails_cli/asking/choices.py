"""The numbered choices of a question: each with its words, the command that means it, and what it would do."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from protocol.common import Bid, BidRange
from rails_cli.asking.previews import Preview, preview_of
from rails_cli.asking.situation import Situation

SPACES = {
    "pass": "Pass (do nothing)",
    "develop": "Develop a city",
    "fund": "Fund a company with $5",
    "take": "Take $2",
    "expand3": "Expand: up to 3 cubes",
    "auction": "Auction a share",
    "expand4": "Expand: up to 4 cubes",
    "expand": "Expand a company: up to 3 locomotives",
}


class Choice(NamedTuple):
    """One answer. `entry` is that of the legal list, `action` what is played."""

    entry: Any
    action: Any
    command: str
    words: str
    preview: Preview


def choices_of(situation: Situation) -> list[Choice]:
    """All answers, the more promising places first; where the order tells something, as the rules have it."""
    if situation.trial is not None:
        situation.trial.prepare([_answer(entry) for entry in situation.legal])
    choices = [_choice(situation, entry) for entry in situation.legal]
    kinds = {choice.entry.__struct_config__.tag for choice in choices}
    if kinds & {"build", "develop", "play", "sell", "buy", "found"}:
        choices.sort(key=lambda choice: (_is_pass(choice.entry), -choice.preview.gain))
    return choices


def _choice(situation: Situation, entry: Any) -> Choice:
    return Choice(entry, _answer(entry), command_of(entry), words_of(situation, entry), preview_of(situation, entry))


def _answer(entry: Any) -> Any:
    return Bid(entry.min) if type(entry) is BidRange else entry


def _is_pass(entry: Any) -> bool:
    return str(entry.__struct_config__.tag) == "pass"


def command_of(entry: Any) -> str:
    """The command that means an action or an entry."""
    match entry.__struct_config__.tag:
        case "bid":
            return f"bid {entry.min if type(entry) is BidRange else entry.amount}"
        case "choose":
            return f"choose {entry.action}"
        case "build":
            return f"build {entry.company} {entry.hex}"
        case "offer" | "fund":
            return f"{entry.__struct_config__.tag} {entry.company}"
        case "develop" | "found":
            return f"{entry.__struct_config__.tag} {entry.hex}"
        case "take":
            return f"take {entry.source}"
        case "play":
            return f"play {entry.piece}"
        case "sell":
            return f"sell {entry.property}"
        case "buy":
            return f"buy {entry.city}"
    return "pass"


def words_of(situation: Situation, entry: Any) -> str:
    """An entry in plain words."""
    board = situation.wire_board
    match entry.__struct_config__.tag:
        case "bid":
            return f"bid ${entry.min if type(entry) is BidRange else entry.amount}"
        case "choose":
            return SPACES[entry.action]
        case "build":
            return f"{entry.company} to {place(board, entry.hex)}"
        case "develop":
            return f"develop {place(board, entry.hex)}"
        case "found":
            return f"start in {place(board, entry.hex)}"
        case "offer":
            return f"offer {entry.company}"
        case "fund":
            return f"fund {entry.company}"
        case "take":
            return "take $2 from the bank" if entry.source == "bank" else "make the others pay"
        case "play":
            return f"lay {entry.piece} ({_route(board, entry.piece)})"
        case "sell":
            return f"sell {entry.property}"
        case "buy":
            return f"buy in {_city(board, entry.city)}"
    return "pass"


def place(board: Mapping[str, Any], spot: str) -> str:
    name = next((place["name"] for place in board["hexes"] if place["id"] == spot), None)
    return f"{spot} {name}" if name else spot


def _route(board: Mapping[str, Any], piece: str) -> str:
    route = next(r for r in board["routes"] if any(p["id"] == piece for p in r["pieces"]))
    return f"{_city(board, route['from'])} to {_city(board, route['to'])}"


def _city(board: Mapping[str, Any], city: str) -> str:
    return str(next(entry["name"] for entry in board["cities"] if entry["id"] == city))


def numbered(choices: Sequence[Choice]) -> list[str]:
    """One line for each choice."""
    width = len(str(len(choices)))
    return [
        f"{number:>{width}} {choice.words}{': ' + choice.preview.words if choice.preview.notes else ''}"
        for number, choice in enumerate(choices, 1)
    ]
