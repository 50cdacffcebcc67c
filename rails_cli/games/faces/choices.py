"""The numbered choices of a decision, with previews, a bot's hint, and reasons why other actions are illegal."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rails_cli.games.decision import Advice, Decision, Preview
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.faces.vocabulary import MOST_DIGITS, plain, whole_number
from rails_cli.games.game import entry_phrase, pass_entry, without_info_fields
from rails_cli.protocol.common import Bid, BidRange, Pass

MOST_RANKED = 3
MOST_ALLOWED = 4
"""Maximum number of allowed commands that an answer to the user's question `why` lists."""


class Choice(NamedTuple):
    """One numbered choice of a decision. `entry` is an item of the list of legal actions.

    `action` is played if the choice is taken. `command` is the text that a user types for the action, and `words` is a
    description in plain English.
    """

    entry: Any
    action: Any
    command: str
    words: str
    preview: Preview


def choices_of(decision: Decision) -> list[Choice]:
    """Return all choices of a decision with their previews.

    If the `Verb` of any choice has `is_ranked` set, choices are sorted by estimated gain, with the pass last. Otherwise
    they have the order of the list of legal actions.
    """
    decision.lookahead.prepare([_answer(entry) for entry in decision.legal])
    choices = [
        Choice(entry, _answer(entry), command_of(entry), words_of(decision, entry), preview_of(decision, [entry]))
        for entry in decision.legal
    ]
    verbs = map(decision.face.vocabulary.verb_of, decision.legal)
    if any(verb is not None and verb.is_ranked for verb in verbs):
        choices.sort(key=lambda choice: (type(choice.entry) is Pass, -choice.preview.gain))
    return choices


def _answer(entry: Any) -> Any:
    return Bid(entry.min) if type(entry) is BidRange else entry


def command_of(entry: Any) -> str:
    """Return the command that a user types for an action.

    `entry` is an action or an entry of the list of legal actions.
    """
    return entry_phrase(without_info_fields(_answer(entry)))


def described_command(decision: Decision, action: Any) -> str:
    """Return an action in words. If the words do not name the place that the action affects, the command is added."""
    command = decision.face.with_place_name(decision.wire_board, action, command_of(action))
    if not decision.face.places(decision.wire_board, action):
        words = words_of(decision, action)
        return words[:1].lower() + words[1:]
    instruction = decision.face.instruction_for(decision.wire_board, action)
    has_names = set(command.split()[1:]) <= set(instruction.split())
    return instruction if has_names else f"{instruction} ({command})"


def words_of(decision: Decision, entry: Any) -> str:
    """Return `entry`, an entry of the list of legal actions, in plain English."""
    answer = _answer(entry)
    if type(answer) is Bid:
        return f"bid ${answer.amount}"
    return decision.face.pass_words(decision) if type(answer) is Pass else decision.face.words(decision, entry)


def preview_of(decision: Decision, actions: Sequence[Any]) -> Preview:
    """Return the combined effect of `actions`, played one after another."""
    return decision.face.preview(decision, decision.lookahead, [_answer(action) for action in actions])


def entry_preview(entry: Any) -> Preview:
    """Return a preview with only the fields `cost` and `gain` of `entry`, an entry of the list of legal actions."""
    cost = getattr(entry, "cost", None)
    gain = getattr(entry, "gain", None)
    notes = [f"costs {dollars(cost)}"] if cost is not None else []
    notes += [f"brings {dollars(gain)}"] if gain is not None else []
    return Preview(notes, -(cost or 0))


def numbered(choices: Sequence[Choice]) -> list[str]:
    width = len(str(len(choices)))
    return [
        f"{number:>{width}} {choice.words}{': ' + choice.preview.words if choice.preview.notes else ''}"
        for number, choice in enumerate(choices, 1)
    ]


ABBREVIATIONS = {" → ": "→", " -> ": "->", "costs $": "$"}


def abbreviated(text: str, shorter: Mapping[str, str]) -> str:
    """Return `text` with words abbreviated. ABBREVIATIONS and `shorter` are mappings from words to abbreviations."""
    for long, short in (*ABBREVIATIONS.items(), *shorter.items()):
        text = text.replace(long, short)
    return text


def abbreviated_sentence(text: str, shorter: Mapping[str, str]) -> str:
    """Return a sentence with words abbreviated as by `abbreviated`, but with no word left out."""
    return abbreviated(text, {long: short for long, short in shorter.items() if short})


def group_of(decision: Decision, entry: Any) -> str:
    """Return the name of the group to which the legal action `entry` belongs.

    It is the value of the action's first field, such as a company.
    """
    verb = decision.face.vocabulary.verb_of(entry)
    return str(getattr(entry, verb.fields[0])) if verb is not None and len(verb.fields) > 1 else ""


# Why an action is illegal


def why(decision: Decision, words: Sequence[str]) -> str:
    """Return a sentence that explains why the choice named by `words` is illegal, or says that the choice is legal."""
    number = whole_number(words[0]) if len(words) == 1 else None
    if number is not None and not any(type(entry) is BidRange for entry in decision.legal):
        choices = choices_of(decision)
        if 1 <= number <= len(choices):
            return f"That is allowed: {choices[number - 1].command}."
        return no_such_choice(words[0], len(choices))
    if list(words) == ["pass"]:
        return "That is allowed: pass." if pass_entry(decision.legal) is not None else "You cannot pass here."
    text = " ".join(words)
    vocabulary = decision.face.vocabulary
    things = vocabulary.examples.things
    if not text:
        return f"Why what? Try: why 1, why {things[0]}."
    known = decision.face.why(decision, words)
    if known:
        return known
    commands = list(dict.fromkeys(map(command_of, decision.legal)))
    allowed = [command for command in commands if plain(text) in map(plain, (command, *command.split()))]
    if allowed:
        return f"That is allowed: {', '.join(allowed[:MOST_ALLOWED])}."
    if not vocabulary.names(decision.wire_board, decision.view):  # then only words in the legal list are known
        return f"{text!r} is not possible now. Possible: {', '.join(commands[:MOST_ALLOWED])}."
    return f"I don't recognise {text!r}. Try: {', '.join(f'why {thing}' for thing in things)}."


def no_such_choice(word: str, choices: int) -> str:
    shown = word if len(word) <= MOST_DIGITS else f"{word[:MOST_DIGITS]}..."
    return f"There is no choice {shown}; choose {f'1 to {choices}' if choices > 1 else '1, the only one'}."


# Hints


def hint(decision: Decision, choices: Sequence[Choice]) -> list[str]:
    """Return text lines with an action that a bot suggests: its command, its effect, and the bot's estimates."""
    advice = _advice(decision)
    if advice is None:
        return ["No hint: this table uses a board that is not known here."]
    lines = [f"The bot suggests: {described_command(decision, advice.action)}"]
    preview = next((choice.preview.effect for choice in choices if choice.action == advice.action), "")
    if preview and type(advice.action) is not Pass:
        lines.append(f"Effect: {preview}.")
    return lines + advice.numbers


def suggestion(decision: Decision) -> Any:
    """Return the action that a built-in player suggests, or None if no built-in player can advise."""
    advice = _advice(decision)
    return None if advice is None else advice.action


def _advice(decision: Decision) -> Advice | None:
    return None if decision.board is None else decision.face.advice(decision)


def ranked(worth: Mapping[Any, float], what: str) -> str:
    """Return a text line with the highest values of `worth`, a mapping from choices to estimated values in dollars.

    At most MOST_RANKED choices are listed. `what` is a phrase in the line that explains the values.
    """
    best = sorted(worth.items(), key=lambda pair: -pair[1])[:MOST_RANKED]
    shown = ", ".join(
        f"{name} {dollars(round(value)) if value >= 0 else '-' + dollars(round(-value))}" for name, value in best
    )
    return f"Its estimates, {what}: {shown}."
