"""One decision of a person: shows the question, helps, and reads until there is an answer."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from rails_cli.asking.choices import Choice, choices_of, command_of, place
from rails_cli.asking.hints import hint
from rails_cli.asking.names import Names, company_in, hex_in
from rails_cli.asking.previews import preview_of, preview_of_steps
from rails_cli.asking.questions import Question, question_of
from rails_cli.asking.reasons import why
from rails_cli.asking.rulebook import cited, found
from rails_cli.asking.situation import Situation
from rails_cli.games.game import IllegalAction, check_listed
from rails_cli.render import teller_of
from rails_cli.render.boards import largest, legend
from rails_cli.terminal.page import Face, Left, Page, Suggestion
from rails_cli.terminal.reading import Unclear, read

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
  what 3, what R2    what a choice would do, what a place is worth
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

COMMANDS = ("help", "?", "why", "what", "hint", "map", "log", "scores", "rule", "undo", "send", "quit")
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


class Undo(Exception):
    """The person takes the last decision back."""


class Send(Exception):
    """The person wants what was collected to be sent."""


class Helper(Protocol):
    """Explains things when they first matter."""

    def welcome(self, game: str) -> list[str]:
        """What to read before anything else."""

    def before(self, situation: Situation, events: Sequence[Any]) -> tuple[list[str], list[str]]:
        """What to read before a question, and a word beside it."""


class Dialogue:
    """What persons say at one keyboard. Steps of a line that are still to be played are kept for their seat."""

    def __init__(
        self,
        face: Face,
        *,
        undo_refused: Callable[[int], str | None],
        helper: Helper | None = None,
        is_collecting: bool = False,
    ) -> None:
        """`is_collecting` is for a table where steps are sent together."""
        self.face = face
        self.undo_refused = undo_refused
        self.is_collecting = is_collecting
        self.helper = helper
        self.later: list[Any] = []
        self.rest = ""
        self.pending_seat: int | None = None

    def forget(self) -> None:
        self.later, self.rest = [], ""

    def decide(self, situation: Situation, page: Page) -> Any:
        """The action for the open question; raises Undo, Send, Left or Interrupted."""
        if self.pending_seat != situation.seat:
            self.forget()
        self.pending_seat = situation.seat
        ready = self._ready(situation)
        if ready is not None:
            return ready
        return self._asked(situation, page)

    def _ready(self, situation: Situation) -> Any:
        """The next step of the line before, if it still fits."""
        if not self.later:
            return None
        action = self.later.pop(0)
        try:
            check_listed(situation.legal, action)
        except IllegalAction:
            self.forget()
            return None
        return action

    def _asked(self, situation: Situation, page: Page) -> Any:
        choices = choices_of(situation)
        question = question_of(situation)
        page.question, page.choices, page.message = question.asks, choices, []
        page.complete = lambda text: completions(situation, choices, text)
        page.foresee = lambda text: foreseen(situation, choices, text)
        if self.helper is not None:
            lesson, word = self.helper.before(situation, page.events)
            if lesson:
                prompt, page.prompt = page.prompt, "press enter> "
                page.overlay = lesson
                self.face.ask(page)
                page.overlay, page.prompt = None, prompt
            page.message = word
        line, self.rest = self.rest, ""
        while True:
            line = line or self.face.ask(page)
            page.overlay, page.message = None, []
            try:
                action = self._heard(line, situation, page, question, choices)
            except Unclear as unclear:
                action = None
                page.message = [str(unclear)]
            if action is not None:
                return action
            line = ""

    def _heard(
        self, line: str, situation: Situation, page: Page, question: Question, choices: list[Choice]
    ) -> Any | None:
        """The action that a line means; None if it was a wish, and has been granted."""
        words = line.split()
        if not words:
            return None
        if words[0].startswith("?") and words[0] != "?":
            words = ["?", words[0][1:], *words[1:]]
        command = ALIASES.get(words[0].lower(), words[0].lower())
        match command:
            case "help":
                page.overlay = HELP.splitlines()
            case "?":
                rules = found(situation.game, " ".join(words[1:])) if len(words) > 1 else []
                page.overlay = rules or explained(situation.game, question)
            case "why":
                page.message = [why(situation, words[1:])]
            case "what":
                page.message = _what(situation, choices, words[1:])
            case "hint":
                page.message = hint(situation, choices)
            case "map":
                page.overlay = _map(situation, page, words[1:])
            case "log":
                page.overlay, page.overlay_at_end = list(page.story), True
            case "scores":
                page.overlay = teller_of(situation.game).position(page.view, page.names).splitlines()
            case "rule":
                wanted = " ".join(words[1:])
                page.overlay = found(situation.game, wanted) if wanted else None
                if not page.overlay:
                    page.overlay, page.message = None, [f"No rule has {wanted!r}. Try: rule 31, rule auction."]
            case "undo":
                refused = self.undo_refused(situation.seat)
                if refused is None:
                    self.forget()
                    raise Undo
                page.message = [refused]
            case "send":
                if page.plan:
                    raise Send
                kept = "No step waits to be sent." if self.is_collecting else "Here every step counts at once."
                page.message = [kept]
            case "quit":
                raise Left("quit")
            case _:
                steps = read(line, situation, choices)
                self.later, self.rest = steps.actions[1:], steps.rest
                return steps.actions[0]
        return None


def explained(game: str, question: Question) -> list[str]:
    """A question with its explanation and its rules."""
    return [question.asks, "", question.explained, "", *cited(game, question.rules)]


def _what(situation: Situation, choices: list[Choice], words: list[str]) -> list[str]:
    """What a choice would do, or what a place is like."""
    if words and words[0].isdecimal() and 1 <= int(words[0]) <= len(choices):
        choice = choices[int(words[0]) - 1]
        return [f"{choice.command}: {choice.preview.words or 'nothing changes at once'}."]
    if situation.game != "last_spike" and words and len(words) < 3:
        spot = hex_in(Names(situation), [word for word in words if company_in(Names(situation), word) is None] or words)
        if spot is not None:
            return _about_hex(situation, spot)
    try:
        steps = read(" ".join(words), situation, choices)
    except Unclear as unclear:
        return [str(unclear)]
    commands = "; ".join(command_of(action) for action in steps.actions)
    return [f"{commands}: {preview_of_steps(situation, steps.actions).words or 'nothing changes at once'}."]


def foreseen(situation: Situation, choices: list[Choice], text: str) -> str:
    """What a line would do; empty if it is no answer, or not yet."""
    words = text.split()
    if not words or ALIASES.get(words[0].lower(), words[0].lower()) in COMMANDS:
        return ""
    try:
        steps = read(text, situation, choices)
    except Unclear:
        return ""
    preview = preview_of_steps(situation, steps.actions).words
    if words[0].isdecimal():
        return f"{command_of(steps.actions[0])}{': ' if preview else ''}{preview}"
    return preview


def _about_hex(situation: Situation, spot: str) -> list[str]:
    hex_ = next(entry for entry in situation.wire_board["hexes"] if entry["id"] == spot)
    there = [company.id for company in situation.view.companies if spot in company.track]
    told = [f"{place(situation.wire_board, spot)}: {hex_['terrain']}"]
    if "cost" in hex_:
        told.append(f"costs {hex_['cost'] or 0} for each locomotive there")
        told.append(f"income {value(situation, hex_)}")
        if hex_["develop"]:
            told.append(f"develops by {hex_['develop']}")
    else:
        terrain = situation.wire_board["terrain"][hex_["terrain"]]
        per = f" + {terrain['per_piece']} for each piece there" if terrain["per_piece"] else ""
        told.append(f"costs {terrain['base']}{per}")
        if hex_["full"]:
            told.append(f"income {hex_['full']} alone, {hex_['shared']} shared")
    told.append("developed" if spot in situation.view.developed else "not developed")
    told.append(f"there: {', '.join(there)}" if there else "nobody there")
    fitting = [entry for entry in situation.legal if getattr(entry, "hex", None) == spot]
    lines = [", ".join(told) + "."]
    lines += [f"{command_of(entry)}: {preview_of(situation, entry).words}." for entry in fitting]
    return lines


def value(situation: Situation | Page, hex_: Any) -> int:
    """What a locomotive in a hex is worth now."""
    view = situation.view
    scale = next((scale.value for scale in getattr(view, "scales", ()) if scale.hex == hex_["id"]), None)
    if scale is not None:
        return int(scale)
    return int((hex_["income"] or 0) + ((hex_["develop"] or 0) if hex_["id"] in view.developed else 0))


def _map(situation: Situation, page: Page, words: list[str]) -> Any:
    """The map as large as there is room for, with numbers in it, or with the network of one company marked."""
    what = words[0].lower() if words else ""
    if what.startswith(("cost", "inc")):
        return _numbers(page, is_cost=what.startswith("cost"))
    named = company_in(Names(situation), what) if what and situation.game != "last_spike" else None
    if what and named is None:
        raise Unclear(f"No map of {words[0]!r}. Try: map, map costs, map income, or map with the name of a company.")
    track = [] if named is None else next(company.track for company in page.view.companies if company.id == named)
    told = (
        legend(page.view)
        if named is None
        else f"Highlighted: the network of {named}: {', '.join(track) or 'nothing yet'}."
    )

    def drawn(width: int, height: int) -> list[Any]:
        marked = page.marked if named is None else frozenset(track)
        lines: list[Any] = list(largest(page.wire_board, page.view, width, height - 3, marked))
        return [*lines, "", told]

    return drawn


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
            number = (spot["shared"] if there else spot["full"]) or 0
        hexes.append({**spot, "name": str(number) if number else None})
    empty = [msgspec.structs.replace(company, track=[]) for company in page.view.companies]
    view = msgspec.structs.replace(page.view, companies=empty)
    word = "what building there costs now" if is_cost else "what one more company would earn there"

    def drawn(width: int, height: int) -> list[Any]:
        lines: list[Any] = list(largest({**board, "hexes": hexes}, view, width, height - 2))
        return [*lines, "", f"Numbers: {word}."]

    return drawn


def completions(situation: Situation, choices: list[Choice], text: str) -> Iterator[Suggestion]:
    """Ways to go on with what is typed: the commands of the choices, then those to look and ask."""
    typed = text.rpartition(";")[2].lstrip()
    start = -len(typed)
    seen: set[str] = set()
    for choice in choices:
        command = choice.command
        if command.lower().startswith(typed.lower()) and command not in seen:
            seen.add(command)
            yield Suggestion(command, start, choice.preview.words)
    if situation.trial is not None and ";" not in text and " " in typed:
        yield from _longer(choices, typed, start)
    if typed == text:
        for word in COMMANDS:
            if word.startswith(typed.lower()) and word not in seen:
                yield Suggestion(word, start, "")


def _longer(choices: list[Choice], typed: str, start: int) -> Iterator[Suggestion]:
    """`build R2` for `build NYC R2`, where only one company can."""
    places: dict[str, list[Choice]] = {}
    for choice in choices:
        if choice.entry.__struct_config__.tag == "build":
            places.setdefault(choice.entry.hex, []).append(choice)
    for spot, those in places.items():
        command = f"build {spot}"
        if len(those) == 1 and command.lower().startswith(typed.lower()):
            yield Suggestion(command, start, those[0].preview.words)
