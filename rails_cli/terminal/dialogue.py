"""One decision of a person: shows the question, helps, and reads until there is an answer."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from rails_cli.asking.choices import Choice, choices_of, command_of, place
from rails_cli.asking.hints import hint
from rails_cli.asking.names import Names, company_in, hex_in, whole_number
from rails_cli.asking.previews import preview_of, preview_of_steps
from rails_cli.asking.questions import Question, question_of
from rails_cli.asking.reasons import why
from rails_cli.asking.rulebook import cited, found
from rails_cli.asking.situation import Situation
from rails_cli.games.game import IllegalAction, check_listed
from rails_cli.terminal.looking import command_in, earned, looked, value
from rails_cli.terminal.page import Display, Left, Page, Suggestion
from rails_cli.terminal.reading import Unclear, read

COMMANDS = ("help", "?", "why", "what", "hint", "map", "log", "scores", "rule", "undo", "send", "quit")


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
        face: Display,
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
        look = looked(page, line)
        if look is not None:
            page.overlay, page.overlay_at_end = look
            return None
        command = command_in(words[0])
        if line.endswith("?") and command not in COMMANDS:
            command, words = "what", ["what", *line.rstrip("? ").split()]
        match command:
            case "?":
                self._explain(situation, page, question, " ".join(words[1:]))
            case "why":
                page.message = [why(situation, words[1:])]
            case "what":
                page.message = _what(situation, choices, words[1:])
            case "hint":
                page.message = hint(situation, choices)
            case "rule":
                self._find_rule(situation, page, " ".join(words[1:]))
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

    def _explain(self, situation: Situation, page: Page, question: Question, wanted: str) -> None:
        """The question, or the rules about something."""
        if wanted:
            self._find_rule(situation, page, wanted)
        else:
            page.overlay = explained(situation.game, question)

    def _find_rule(self, situation: Situation, page: Page, wanted: str) -> None:
        if not wanted:
            page.message = ["Which rule? Try: rule 31, rule auction."]
            return
        page.overlay = found(situation.game, wanted) or None
        if page.overlay is None:
            page.message = [f"No rule has {wanted!r}. Try: rule 31, rule auction."]


def explained(game: str, question: Question) -> list[str]:
    """A question with its explanation and its rules."""
    return [question.asks, "", question.explained, "", *cited(game, question.rules)]


def _what(situation: Situation, choices: list[Choice], words: list[str]) -> list[str]:
    """What a choice would do, or what a place is like."""
    number = whole_number(words[0]) if words else None
    if number is not None and 1 <= number <= len(choices):
        choice = choices[number - 1]
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
    if not words or command_in(words[0]) in COMMANDS:
        return ""
    try:
        steps = read(text, situation, choices)
    except Unclear:
        return ""
    preview = preview_of_steps(situation, steps.actions).words
    if whole_number(words[0]) is not None:
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
            alone, shared = earned(situation, hex_)
            told.append(f"income {alone} alone, {shared} shared")
    told.append("developed" if spot in situation.view.developed else "not developed")
    told.append(f"there: {', '.join(there)}" if there else "nobody there")
    fitting = [entry for entry in situation.legal if getattr(entry, "hex", None) == spot]
    lines = [", ".join(told) + "."]
    lines += [f"{command_of(entry)}: {preview_of(situation, entry).words}." for entry in fitting]
    return lines


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
