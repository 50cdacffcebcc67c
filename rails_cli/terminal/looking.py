"""Pages that a person can open at any time: the map, all events, tables of the position, and the list of commands."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rails_cli.games.faces.canvas import SIZES
from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.phrases import listed
from rails_cli.games.shared.text import wrap
from rails_cli.study.playback.text_blocks import drawn as draw
from rails_cli.study.playback.text_blocks import largest_size
from rails_cli.terminal.frame import Frame
from rails_cli.terminal.reading import Unclear

HELP_WIDTH = 100
"""Maximum width of the help, in columns."""
KEY_WIDTH = 20
"""Width, in columns, of the commands in the help, including the spaces around them."""
Entry = tuple[str, str]
"""A row of the help: a command or key and its meaning, or an empty text and a paragraph."""

PLAYING_HELP: tuple[Entry, ...] = (
    ("", "Answer with the number of a choice, or in words; put several steps in one line with ; between them:"),
    ("", "{answers}"),
    ("", "If any step of a line cannot be played, none of them is."),
    ("", ""),
    ("", "To look and ask:"),
    ("?", "explain the question, the signs on the screen, and the rules behind the question"),
    ("{why}", "why something is not allowed, or the reasons for a choice"),
    ("{what}", "what a choice would do and is worth, or what a place is; {answer}? works, too"),
    ("hint", "what a strong player would do, and what that is worth"),
    ("+ or yes", "play what a hint or the game proposes; in the full screen, + alone is enough"),
    ("map", "the map alone; {maps}"),
    ("log", "everything that happened"),
    ("scores", "all tables"),
    ("{rule}", "a rule by number or by a word in it"),
    ("undo", "back to your last decision, if no other person has moved since; saved when you decide again"),
    ("quit", "leave; the game is saved, and you are told how to resume it"),
    ("", ""),
    ("", "At a server's table:"),
    ("send", "send the steps collected so far"),
    (
        "undo",
        "take back the last unsent step; if there is none, ask the others whether you may take back your last move",
    ),
    ("say hello", "talk to the others; say alone lists phrases"),
    ("mute NAME", "hide what somebody says there; unmute NAME shows it again"),
    ("", ""),
    (
        "",
        "If a move of the game begins with the same word as a command, it is played. /say and /undo are the commands.",
    ),
    ("", ""),
    ("", "{headings}"),
    ("", ""),
    ("", "Keys: tab completes, up and down recall earlier lines, page up and page down scroll."),
)
WATCHING_HELP: tuple[Entry, ...] = (
    ("", "You are watching. While the line below is empty, these keys work:"),
    ("space", "pause, and continue"),
    ("+ and -", "faster and slower"),
    ("enter", "continue at once; while the game is paused, one step"),
    ("q", "leave"),
    ("", ""),
    ("", "Type a word and press enter:"),
    ("map", "the map alone; {maps}"),
    ("log", "everything that happened"),
    ("scores", "all tables"),
    ("help", "this list"),
    ("", "{headings}"),
    ("", ""),
    ("", "Page up and page down scroll. The game waits while you look at a page, unless it is played on a server."),
)

ALIASES = {
    "h": "help",
    "rules": "rule",
    "score": "scores",
    "exit": "quit",
    "q": "quit",
    "explain": "?",
    "history": "log",
    "info": "what",
    "legend": "?",
}
COMMAND = "/"
"""Prefix that marks a line as a command. It is needed only if the command is also a verb of the game."""
LOOKS = ("map", "log", "scores", "help")
EXPLANATIONS = ("?", "why", "what", "rule")
"""Commands about the open question. Typed while a hint is computed, they take effect when the hint is there."""
MISREAD = "not understood while you wait; try map, log, scores, help or quit"


class LookUp(NamedTuple):
    """A page that is shown instead of the game. `overlay` is the content, as in `Frame`.

    If `is_at_end`, the end of the page is shown first.
    """

    overlay: Any
    is_at_end: bool = False


def command_in(line: str) -> str:
    """Return the first word of a typed line in lower case, without the prefix COMMAND.

    If the word is an alias, return the command that the alias stands for.
    """
    word = next(iter(line.lower().split()), "").removeprefix(COMMAND)
    return ALIASES.get(word, word)


def requested_page(frame: Frame, line: str) -> LookUp | None:
    """Return the page that a typed line requests, or None if the line requests no page. Raise Unclear for an unknown
    map.
    """
    command = command_in(line)
    if command not in LOOKS:
        return None
    if frame.face is None:
        return LookUp(["The game has not started."])
    if command == "help":
        return LookUp(_help(frame.face, WATCHING_HELP if frame.is_watching else PLAYING_HELP))
    if command == "map":
        return LookUp(_map(frame, frame.face, line.split()[1:]))
    if command == "log":
        return LookUp([line.text for line in frame.story], is_at_end=True)
    return LookUp(frame.face.position_text(frame.wire_board, frame.view, frame.names).splitlines())


def choice_numbers(frame: Frame) -> dict[str, str]:
    """Return a dictionary from a place on the map to the numbers of the choices there, separated by slashes."""
    numbers: dict[str, list[str]] = {}
    for number, choice in enumerate(frame.choices, 1):
        for place in frame.game_face.places(frame.wire_board, choice.action):
            numbers.setdefault(place, []).append(str(number))
    return {place: "/".join(found) for place, found in numbers.items()}


def shared_places(frame: Frame) -> list[str]:
    """Return a phrase that explains the numbers of several choices in one place. Empty if no place has several."""
    shared = next((label.split("/") for label in choice_numbers(frame).values() if "/" in label), None)
    return [f"{'/'.join(shared)} or {shared[0]}+: choices {listed(shared)}"] if shared is not None else []


def legend_lines(frame: Frame) -> list[str]:
    """Return sentences that explain the signs on the map and the tables beside the map. Empty if both are missing."""
    signs = "; ".join(filter(None, (frame.game_face.legend(frame.view), *shared_places(frame))))
    return [line for line in (f"Map: {signs}." if signs else "", _headings(frame.game_face)) if line]


def _headings(face: Face) -> str:
    return f"Beside the map, {face.headings}." if face.headings else ""


def _help(face: Face, entries: Sequence[Entry]) -> Callable[[int, int], list[Any]]:
    """Return an overlay that explains commands and keys, with examples from the game.

    `entries` are the rows of the help. The overlay is a function that returns lines for a width and a height.
    """
    examples = face.vocabulary.examples
    thing = examples.things[0]
    values = {
        "answers": examples.answers,
        "why": f"why 1, why {thing}",
        "what": f"what 3, what {thing}",
        "answer": examples.answer,
        "maps": examples.maps,
        "rule": f"rule {examples.rules[0]}",
        "headings": _headings(face),
    }

    def drawn(width: int, height: int) -> list[Any]:
        room = min(width, HELP_WIDTH)
        lines: list[Any] = []
        for command, words in entries:
            key, meaning = command.format(**values), words.format(**values)
            if not key:
                for line in meaning.split("\n"):
                    lines += wrap(line, room, subsequent_indent="  " if line.startswith(" ") else "") or [""]
                continue
            head = f"  {key}".ljust(KEY_WIDTH) + " "
            lines += wrap(meaning, room, initial_indent=head, subsequent_indent=" " * (KEY_WIDTH + 1))
        return lines

    return drawn


def _map(frame: Frame, face: Face, words: list[str]) -> Any:
    """Return an overlay with the map that `words` name, such as costs, income or a network.

    Without `words`, the overlay has the plain map. Raise Unclear if the words name no map.
    """
    board, view, marked, legend = frame.wire_board, frame.view, frame.marked, face.legend(frame.view)
    if not face.draw(board, view, SIZES[-1], ()):  # a game without a map
        return face.position_text(board, view, frame.names).splitlines()
    room = 3
    if words:
        numbers, network = face.numbers(board, view, words[0].lower()), face.network(board, view, words[0])
        if isinstance(numbers, list):
            return numbers
        if numbers is not None:
            board, view, legend = numbers
            marked, room = frozenset(), 2
        elif network is not None:
            marked, legend = network
        else:
            maps = face.vocabulary.examples.maps
            raise Unclear(f"No map of {words[0]!r}. Try: map, {maps}.")

    def drawn(width: int, height: int) -> list[Any]:
        size = largest_size(face, board, view, width, height - room)
        lines = draw(face, board, view, size, marked, width)
        text = "\n".join(line.plain for line in lines)
        known = face.abbreviations(board, size).items() if board is frame.wire_board else ()
        names = ", ".join(f"{short} {name}" for short, name in known if name not in text)
        return [*lines, "", legend, *([f"Names: {names}."] if names else [])]

    return drawn
