"""The dialogue about a decision: show the question, help on request, and read lines until a line is an answer."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.faces.choices import Choice, choices_of, described_command, preview_of, why
from rails_cli.games.faces.phrases import count_phrase, dollars, gerund, listed
from rails_cli.games.faces.vocabulary import plain, taken_from, whole_number
from rails_cli.games.game import IllegalAction, check_listed
from rails_cli.games.rulebook import cited, found
from rails_cli.protocol.common import Pass
from rails_cli.study.analysis.hints import WHOLE_MOVE, SuggestedMove, hint_with_steps, reasons, suggest_move, worth
from rails_cli.terminal.bid_limits import BidLimits, bid_range, limit_in, other_bids
from rails_cli.terminal.frame import Display, Frame, Proposal, Quit, Suggestion
from rails_cli.terminal.lessons import Lessons, LessonText
from rails_cli.terminal.looking import COMMAND, LookUp, command_in, legend_lines, requested_page
from rails_cli.terminal.reading import Unclear, names_at, needed, read

COMMANDS = ("help", "?", "why", "what", "hint", "map", "log", "scores", "rule", "undo", "send", "quit")
ACCEPT = "+"
YES = ("y", "yes", ACCEPT)
NO = "no"
NOTHING_PLAYED = "Nothing was played."
OFFER = f"Type {ACCEPT} to"
MOST_NAMED = 4
"""Maximum number of choices that the command `why` lists."""


class Undo(Exception):
    """Raised when a person enters the command to take back the last decision."""


class Send(Exception):
    """Raised when a person enters the command to send the collected steps to the server."""


class Dialogue:
    """The dialogue with the people at one keyboard, in which they make decisions. A step is one action of the game."""

    def __init__(
        self,
        display: Display,
        *,
        undo_refused: Callable[[int], str | None] = lambda seat: None,
        helper: Lessons | None = None,
        is_collecting: bool = False,
    ) -> None:
        """Create a dialogue. With `is_collecting`, steps are collected and sent to a server together.

        `undo_refused` returns why a seat may not take back its last decision, or None if the seat may do so. `helper`
        gives lessons. It is None for a game without lessons.
        """
        self.display = display
        self.undo_refused = undo_refused
        self.is_collecting = is_collecting
        self.helper = helper
        self.later: list[Any] = []
        """Steps of the last typed line or proposal that are not yet played."""
        self.limits = BidLimits()
        self.proposed: list[Any] = []
        """Steps that the dialogue proposes to the person. They are played if the next typed line is `yes`."""
        self.proposed_limit: int | None = None
        """Highest bid in dollars if the proposed step begins a series of automatic bids, otherwise None."""
        self.pending_seat: int | None = None
        """The seat of the last decision. The steps in `later` belong to this seat."""

    def forget(self) -> None:
        self.later = []
        self.limits.forget()

    def decide(self, decision: Decision, frame: Frame, note: str = "") -> Any:
        """Ask the person for a decision and return the action. `frame` is the screen to show, with the line `note`.

        The person is not asked if a step of the last typed line remains, or if an automatic bid is possible. If the
        person does not answer, raise Undo, Send, Quit or Interrupted.
        """
        if self.pending_seat != decision.seat:
            self.later = []
        self.pending_seat = decision.seat
        if self.later:
            action = self.later.pop(0)
            try:
                check_listed(decision.legal, action)
                return action
            except IllegalAction:
                self.forget()
        bid, message = self.limits.continue_bidding(decision, frame.events)
        return self._asked(decision, frame, [note, *message] if note else message) if bid is None else bid

    def _asked(self, decision: Decision, frame: Frame, message: list[str]) -> Any:
        choices = choices_of(decision)
        prompt = decision.face.prompt(decision)
        frame.question, frame.choices, frame.message = prompt.asks, choices, message
        frame.other_bids = other_bids(decision)
        frame.is_action = lambda text: is_action(decision, text)
        frame.complete = lambda text: completions(decision, choices, text)
        frame.foresee = lambda text: predicted_effect(decision, choices, text)
        frame.propose = lambda text: typed_position(decision, choices, text)
        suggested: SuggestedMove | None = None
        if self.helper is not None:
            suggested = suggest_move(decision)
            lesson = self.helper.before(decision, frame.events)
            if lesson is not None:
                self.teach(frame, lesson)
        self._suggest(decision, frame, suggested, message)
        while True:
            line = self.display.ask(frame)
            frame.overlay = None
            if not line:  # an empty line closes an overlay, and the message stays
                if not frame.message:
                    self._suggest(decision, frame, suggested, message)
                continue
            proposed, limit = self.proposed, self.proposed_limit
            try:
                look = requested_page(frame, line) if command_at(decision, line) else None
                if look is not None:
                    frame.overlay, frame.overlay_at_end = look
                    continue
                said, frame.message = frame.message, []
                action = self._interpret(line, decision, frame, prompt, choices)
            except Unclear as unclear:
                frame.message = [str(unclear)]
                self._keep_proposal(decision, frame, proposed, limit)
                continue
            if action is not None:
                return action
            self._keep_behind_page(decision, frame, said, proposed, limit)

    def _propose(self, decision: Decision, frame: Frame, steps: Sequence[Any], limit: int | None = None) -> None:
        """Propose `steps`, which the person can play with one key, and show them on the map.

        If `steps` is empty, remove the proposal. `limit` is the highest bid in dollars if `steps` begins a series of
        automatic bids, otherwise None.
        """
        self.proposed, self.proposed_limit = list(steps), limit
        frame.proposal = position_after(decision, steps)
        frame.keys = {ACCEPT: "yes"} if steps else {}

    def _offer(self, decision: Decision, ending: str = "") -> str:
        """Return a sentence with the key that plays the proposed steps. `ending` is the last part of the sentence."""
        return f"{OFFER} {steps_phrase(decision, self.proposed, self.proposed_limit)}{ending}."

    def _keep_behind_page(
        self, decision: Decision, frame: Frame, said: list[str], steps: Sequence[Any], limit: int | None
    ) -> None:
        """If a page is open, keep the message `said` and the proposal of `steps` for the time after the page.

        `limit` is that of `_propose`.
        """
        if frame.overlay is not None:
            frame.message = said
            self._propose(decision, frame, steps, limit)

    def _keep_proposal(self, decision: Decision, frame: Frame, steps: Sequence[Any], limit: int | None) -> None:
        """Propose `steps`, and insert a sentence about them at the start of the message in `frame`.

        Do nothing if there are no steps. `limit` is the highest bid in dollars if `steps` begins a series of automatic
        bids, otherwise None.
        """
        if steps:
            self._propose(decision, frame, steps, limit)
            frame.message = [self._offer(decision), *frame.message]

    def _suggest(self, decision: Decision, frame: Frame, suggested: SuggestedMove | None, message: list[str]) -> None:
        """Show the lines `message`. If `suggested` is not None, also propose this move."""
        frame.message = list(message)
        self._propose(decision, frame, [])
        if suggested is not None:
            self._propose(decision, frame, suggested.steps, suggested.limit)
            why = [sentence for sentence in suggested.why if not sentence.startswith(WHOLE_MOVE)]
            frame.message += [self._offer(decision, ", which may be a good move"), *filter(None, [" ".join(why)])]

    def teach(self, frame: Frame, lesson: LessonText) -> None:
        """Show a lesson until the person presses enter. Meanwhile, the person can open the map and the rules."""
        usual, frame.prompt = frame.prompt, "press enter> "
        frame.lesson, frame.rules = lesson.lines, lesson.rules
        while line := self.display.ask(frame):
            if command_in(line) == "quit":
                raise Quit("quit")
            look: LookUp | None = None
            with suppress(Unclear):
                look = requested_page(frame, line)
            if look is None and command_in(line) in ("?", "rule"):
                look = LookUp(frame.rules or ["No rule applies here."])
            if look is None:
                break
            frame.overlay, frame.overlay_at_end = look
            self.display.ask(frame)
            frame.overlay, frame.overlay_at_end = None, False
        frame.lesson, frame.rules, frame.prompt = [], [], usual

    def _interpret(
        self, line: str, decision: Decision, frame: Frame, prompt: Prompt, choices: list[Choice]
    ) -> Any | None:
        """Return the first action of a typed line. Store the further actions of the line in `later`.

        For a command such as `help`, change `frame` and return None. Raise Quit for the command `quit`. For `undo` and
        `send`, raise Undo and Send if this is possible now. Raise Unclear for a line that has no meaning. `choices` are
        the numbered choices of the decision.
        """
        command = command_at(decision, line)
        if line.startswith(COMMAND) and command not in COMMANDS:
            raise Unclear(f"There is no command {line.split()[0]!r} here; help lists the commands.")
        line = line.removeprefix(COMMAND)
        words = line.split()
        if words[0].startswith("?") and words[0] != "?":
            words = ["?", words[0][1:], *words[1:]]
        proposed, limit = self.proposed, self.proposed_limit
        self._propose(decision, frame, [])
        is_said = proposed and limit is None and plain(line) in steps_in_plain_words(decision, proposed)
        if line.lower() in YES or is_said:
            if not proposed:
                raise Unclear("Nothing is proposed. hint suggests a move.")
            if limit is not None:
                return self.limits.begin(decision, frame.events, limit)
            action, *self.later = proposed
            return action
        if proposed and line.lower() == NO:
            frame.message = [NOTHING_PLAYED]
            return None
        if line.endswith("?") and command not in COMMANDS:
            command, words = "what", ["what", *line.rstrip("? ").split()]
        match command:
            case "?":
                if words[1:]:
                    self._find_rule(decision, frame, " ".join(words[1:]))
                else:
                    rules = cited(decision.game.name, prompt.rules)
                    parts = ([prompt.asks], [prompt.explained], legend_lines(frame), rules)
                    frame.overlay = [line for part in parts for line in (*part, "")][:-1]
            case "why":
                frame.message = arguments_for(decision, choices, words[1:]) or [why(decision, words[1:])]
                self._keep_proposal(decision, frame, proposed, limit)
            case "what":
                frame.message = explain_choice(decision, choices, words[1:])
                self._keep_proposal(decision, frame, proposed, limit)
            case "hint":
                frame.message, steps, limit = hint_with_steps(decision, choices)
                self._propose(decision, frame, steps, limit)
                if steps:
                    who = frame.message[0].partition(" suggests: ")[0]
                    more = [line for line in frame.message[1:] if not line.startswith(WHOLE_MOVE)]
                    frame.message = [self._offer(decision, f", as {who[:1].lower()}{who[1:]} suggests"), *more]
            case "rule":
                self._find_rule(decision, frame, " ".join(words[1:]))
            case "undo":
                refused = self.undo_refused(decision.seat)
                if refused is None:
                    self.forget()
                    raise Undo
                frame.message = [refused]
            case "send":
                if frame.plan:
                    raise Send
                unsent = "There are no steps to send." if self.is_collecting else "Here every step is played at once."
                frame.message = [unsent]
            case "quit":
                raise Quit("quit")
            case _:
                most = limit_in(line, decision)
                if most is not None:
                    return self.limits.begin(decision, frame.events, most)
                spoken = choice_in_words(decision, choices, line)
                if spoken is not None:
                    return spoken
                try:
                    action, *self.later = read(line, decision, choices)
                except Unclear as unclear:
                    steps, frame.message = proposal(decision, words)
                    self._propose(decision, frame, steps)
                    if not frame.message:
                        raise Unclear(f"{unclear} {NOTHING_PLAYED}") from None
                    return None
                return action
        return None

    def _find_rule(self, decision: Decision, frame: Frame, wanted: str) -> None:
        number, word = decision.face.vocabulary.examples.rules
        frame.overlay = found(decision.game.name, wanted) or None if wanted else None
        if frame.overlay is None:
            wrong = f"No rule mentions {wanted!r}." if wanted else "Which rule?"
            frame.message = [f"{wrong} Try: rule {number}, rule {word}."]


def command_at(decision: Decision, line: str) -> str:
    """Return the command that a typed line begins with, such as `help`.

    Return an empty text if the line begins with the verb of a legal action, because actions have precedence over
    commands. A line with the prefix COMMAND is always a command.
    """
    return "" if is_action(decision, line) else command_in(line)


def is_action(decision: Decision, line: str) -> bool:
    """Return whether a typed line begins with the verb of a legal action.

    If the verb needs further words, return False for a line that has only the verb.
    """
    words = line.split()
    verbs = {verb for verb in map(decision.face.vocabulary.verb_of, decision.legal) if verb is not None}
    return (
        bool(words)
        and not line.startswith(COMMAND)
        and any(plain(words[0]) in (verb.kind, *verb.also) and (len(words) > 1 or not verb.fields) for verb in verbs)
    )


def explain_choice(decision: Decision, choices: list[Choice], words: list[str]) -> list[str]:
    """Return lines about the choice or the location that `words` name.

    For a choice, the lines describe its effect and value. For a location, they describe the location. If `words` name
    neither, return an error message.
    """
    if not words:
        return [f"Which choice or place? Try: what 1, what {decision.face.vocabulary.examples.things[0]}."]
    number = whole_number(words[0]) if len(words) == 1 else None
    if number is not None and 1 <= number <= len(choices):
        choice = choices[number - 1]
        return [
            f"{described_command(decision, choice.action)}: {choice.preview.words or 'no immediate change'}.",
            *worth(decision, [choice.action]),
        ]
    verbs = {verb.kind for verb in decision.face.vocabulary.verbs}
    is_place = 0 < len(words) < 3 or ("of" in words and words[0].lower() not in verbs)
    spot = decision.face.describe(decision, words) if is_place else None
    if spot is not None:
        there = [entry for entry in decision.legal if spot.id in decision.face.places(decision.wire_board, entry)]
        return [
            spot.about,
            *(f"{described_command(decision, entry)}: {preview_of(decision, [entry]).words}." for entry in there),
        ]
    try:
        steps = read(" ".join(words), decision, choices)
    except Unclear as unclear:
        return [str(unclear)]
    commands = decision.face.steps_in_words(decision.wire_board, steps)
    done = preview_of(decision, steps).words or "no immediate change"
    return [f"{commands}: {done}.", *worth(decision, steps)]


def proposal(decision: Decision, words: list[str]) -> tuple[list[Any], list[str]]:
    """Return the steps of a plan, such as a route on the map, and lines about the plan.

    `words` are the name of the plan, as typed by the person. Only steps that can be played now are returned. If several
    plans match, there are no steps, and the lines list the plans. If no plan matches, both lists are empty.
    """
    ways = decision.face.ways(decision, needed(words))
    if not ways:
        return [], []
    if len(ways) > 1:
        return [], ["Within reach:" if len(words) == 1 else "Which of these?", *(way.words for way in ways)]
    (way,) = ways
    steps, played = _playable(decision, way.commands)
    later = f" Later: {count_phrase(len(way.commands) - played, 'more step')}." if played < len(way.commands) else ""
    if not steps:
        return [], [f"{way.words}.", "Nothing of that can be built now."]
    preview = preview_of(decision, steps).words
    now = f"{OFFER} {steps_phrase(decision, steps)} now{': ' if preview else ''}{preview}."
    return steps, [f"{way.words}.", f"{now}{later}"]


def _playable(decision: Decision, commands: list[str]) -> tuple[list[Any], int]:
    """Return the actions of the first `commands`, up to the last command that can be played now.

    Also return the number of these commands.
    """
    beginnings: list[tuple[list[Any], Decision | None]] = [([], decision)]
    if any(verb is not None and verb.is_menu for verb in map(decision.face.vocabulary.verb_of, decision.legal)):
        beginnings = [([entry], decision.after(entry)) for entry in reversed(decision.legal)]
    for count in range(len(commands), 0, -1):
        for first, now in beginnings:
            if now is not None:
                with suppress(Unclear):
                    return [*first, *read("; ".join(commands[:count]), now, ())], count
    return [], 0


def arguments_for(decision: Decision, choices: list[Choice], words: list[str]) -> list[str]:
    """Return arguments for and against a choice: its costs, effects and value, and which players profit.

    `words` name the choice by number, as `pass`, or by a thing that the choice affects. If several choices affect the
    thing, return a list of these choices. Return an empty list if `words` do not name a choice.
    """
    numbers = named_choices(decision, choices, words)
    if len(numbers) > 1:
        listed_ones = [f"{at} {choices[at - 1].words}: {choices[at - 1].preview.words}" for at in numbers[:MOST_NAMED]]
        more = len(numbers) - MOST_NAMED
        rest = [f"and {count_phrase(more, 'more choice')}"] if more > 0 else []
        head = f"{' '.join(words)} is possible in {len(numbers)} ways. For reasons, type why {numbers[0]}."
        return [head, *listed_ones, *rest]
    if not numbers:
        return []
    choice = choices[numbers[0] - 1]
    effect = f"{described_command(decision, choice.action)}: {choice.preview.words or 'nothing changes at once'}."
    return [effect, *reasons(decision, [choice.action]), *worth(decision, [choice.action])]


def named_choices(decision: Decision, choices: list[Choice], words: list[str]) -> list[int]:
    """Return the numbers of the choices that `words` name, counted from 1.

    `words` are the number of a choice, `pass`, or the names of things that choices affect.
    """
    number, bids = whole_number(words[0]) if len(words) == 1 else None, bid_range(decision)
    if words == ["pass"]:
        return [at for at, choice in enumerate(choices, 1) if type(choice.action) is Pass]
    if number is not None:
        is_bid = bids is not None and bids.min <= number <= bids.max
        return [number] if 1 <= number <= len(choices) and not is_bid else []
    tables = names_at(decision)
    verbs = decision.face.vocabulary.verb_of
    things = needed(
        [word for word in words if plain(word) not in {verb.kind for verb in decision.face.vocabulary.verbs}]
    )
    wanted: dict[str, str] = {}
    while things:
        found = next(
            ((field, *taken) for field, table in tables.items() if (taken := taken_from(table, things)) is not None),
            None,
        )
        if found is None:
            return []
        wanted[found[0]] = found[1]
        things = things[found[2] :]
    return [
        at
        for at, choice in enumerate(choices, 1)
        if wanted
        and (verb := verbs(choice.entry)) is not None
        and all(field in verb.fields and getattr(choice.entry, field) == value for field, value in wanted.items())
    ]


def choice_in_words(decision: Decision, choices: list[Choice], line: str) -> Any | None:
    """Return the action of the choice that `line` describes in the same words as the list of choices or a hint.

    Return None if `line` does not describe a choice in this way.
    """
    said = plain(line)
    if len(line.split()) < 2:
        return None
    for choice in choices:
        instruction = decision.face.instruction_for(decision.wire_board, choice.action)
        if said in map(plain, (choice.words, instruction, described_command(decision, choice.action))):
            return choice.action
    return None


def steps_phrase(decision: Decision, steps: Sequence[Any], limit: int | None = None) -> str:
    """Return `steps` as instructions. `limit` is the highest bid in dollars if `steps` begin automatic bids."""
    if limit is not None:
        return f"bid up to {dollars(limit)}"
    if len(steps) == 1:
        return described_command(decision, steps[0])
    parts = decision.face.instructions
    return decision.face.steps_in_words(decision.wire_board, steps) if parts is None else listed(parts(decision, steps))


def steps_in_plain_words(decision: Decision, steps: Sequence[Any]) -> set[str]:
    """Return all texts that describe `steps`, in a normalized form that can be compared with typed lines."""
    face = decision.face
    phrases = {face.steps_in_words(decision.wire_board, steps), described_command(decision, steps[0])}
    if face.instructions is not None:
        parts = face.instructions(decision, steps)
        phrases |= {listed(parts), listed([*map(gerund, parts)])}
    return {plain(words) for words in phrases}


def position_after(decision: Decision, steps: Sequence[Any]) -> Proposal | None:
    """Return the predicted position after `steps`, and the places that `steps` affect.

    Return None if `steps` affect no places on the map.
    """
    places = [place for step in steps for place in decision.face.places(decision.wire_board, step)]
    if not places:
        return None
    ahead, view = decision.lookahead, decision.view
    for step in steps:
        ahead, _ = ahead.after(step)
        if ahead.is_by_chance:
            break
        view = ahead.view
    return Proposal(view, frozenset(places))


def typed_position(decision: Decision, choices: list[Choice], text: str) -> Proposal | None:
    """Return the position after the typed `text`. Return None if `text` is incomplete or does not change the map."""
    words = text.split()
    if not words or command_at(decision, text) in COMMANDS:
        return None
    try:
        return position_after(decision, read(text, decision, choices))
    except Unclear:
        return None


def predicted_effect(decision: Decision, choices: list[Choice], text: str) -> str:
    """Return a description of the effect of the typed `text`, or an empty text if `text` is not a complete answer."""
    words = text.split()
    if not words or command_at(decision, text) in COMMANDS:
        return ""
    try:
        most = limit_in(text, decision)
        steps = read(text, decision, choices) if most is None else []
    except Unclear:
        return ""
    if most is not None:
        return f"bids as little as it takes, and no more than {dollars(most)}"
    preview = preview_of(decision, steps).words
    if whole_number(words[0]) is not None:
        return f"{decision.face.steps_in_words(decision.wire_board, steps)}{': ' if preview else ''}{preview}"
    return preview


def completions(decision: Decision, choices: list[Choice], text: str) -> Iterator[Suggestion]:
    """Yield completions of the typed `text`: first the commands of the choices, then commands such as `help`."""
    typed = text.rpartition(";")[2].lstrip()
    start = -len(typed)
    seen: set[str] = set()
    for choice in choices:
        named = decision.face.with_place_name(decision.wire_board, choice.entry, choice.command)
        forms = (named, choice.command)
        command = next((form for form in forms if form.lower().startswith(typed.lower())), None)
        if command is not None and command not in seen:
            seen.add(command)
            yield Suggestion(command, start, choice.preview.words)
    if bid_range(decision) is not None and "bid up to ".startswith(typed.lower()):
        yield Suggestion("bid up to ", start, "step by step, for you")
    if ";" not in text and " " in typed:
        yield from _shorter(decision, choices, typed, start)
    if typed == text:
        for word in COMMANDS:
            if word.startswith(typed.lower()) and word not in seen:
                yield Suggestion(word, start, "")


def _shorter(decision: Decision, choices: list[Choice], typed: str, start: int) -> Iterator[Suggestion]:
    """Yield completions of `typed` that leave out the optional word of a command and still name a single choice.

    `start` is the value of `Suggestion.start` for all completions.
    """
    short: dict[str, list[Choice]] = {}
    for choice in choices:
        verb = decision.face.vocabulary.verb_of(choice.entry)
        if verb is not None and verb.optional:
            command = " ".join([verb.kind, *(str(getattr(choice.entry, field)) for field in verb.required)])
            short.setdefault(command, []).append(choice)
    for command, those in short.items():
        if len(those) == 1 and command.lower().startswith(typed.lower()):
            yield Suggestion(command, start, those[0].preview.words)
