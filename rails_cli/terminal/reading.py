"""Parsing of typed lines into actions. If one step of a line is invalid, no step of the line is played."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

import msgspec

from rails_cli.games.decision import Decision
from rails_cli.games.faces.choices import Choice, command_of, no_such_choice, why
from rails_cli.games.faces.vocabulary import Names, Verb, looked_up, plain, taken_from, whole_number, words_in
from rails_cli.games.game import pass_entry, without_info_fields
from rails_cli.protocol.common import Bid, BidRange

PASSES = ("pass", "stop", "done")
BEFORE_PLACES = ("to", "in")
"""Words before locations in commands. A person may leave out these words."""


class Unclear(Exception):
    """Raised if a typed line cannot be played. The text says what is wrong and what is expected."""


def read(line: str, decision: Decision, choices: Sequence[Choice]) -> list[Any]:
    """Return the actions that a typed line means. Raise Unclear if any step of the line cannot be played.

    `choices` are the numbered choices of the decision.
    """
    parts = [needed(part.split()) for part in re.split(r"[;,](?![^(]*\))", line) if part.strip()]
    if not parts:
        raise Unclear("Choose a number or type a command; ? explains, help lists the commands.")
    actions: list[Any] = []
    now: Decision | None = decision
    for part in parts:
        words = part
        said: dict[str, Any] = {}
        if len(part) == 1 and len(part[0]) == 1 and not part[0].isdecimal():
            is_letter = part[0].isalpha()
            raise Unclear(
                f"{part[0]!r} alone is too short; type a whole word." if is_letter else f"I don't know {part[0]!r}."
            )
        while words:
            if now is None:
                last = command_of(actions[-1])
                raise Unclear(f"After `{last}` others move first. Type the rest later.")
            reader = _Reader(now, choices if now is decision else (), said)
            if words is not part and reader.cannot_begin(words):
                raise Unclear(f"I don't recognise {words[0]!r}.")
            action, used = reader.first(words)
            actions.append(action)
            said |= msgspec.structs.asdict(without_info_fields(action))
            words = words[used:]
            now = now.after(action)
    return actions


def needed(words: Sequence[str]) -> list[str]:
    """Return the words of a command without the optional words in BEFORE_PLACES."""
    return [word for at, word in enumerate(words) if not at or word.lower() not in BEFORE_PLACES]


def names_at(decision: Decision) -> dict[str, Names]:
    """Return, for each field of actions, a mapping from the words that a person may type to values of the field.

    The words come from the vocabulary of the game, or else from the list of legal actions.
    """
    vocabulary = decision.face.vocabulary
    given = vocabulary.names(decision.wire_board, decision.view)
    tables: dict[str, dict[str, str]] = {field: {} for verb in vocabulary.verbs for field in verb.fields}
    for entry in decision.legal:
        verb = vocabulary.verb_of(entry)
        for field in () if verb is None else verb.fields:
            if field not in given:
                value = str(getattr(entry, field))
                tables[field][plain(value)] = value
    return {**tables, **given}


def _kind(entry: Any) -> str:
    return str(entry.__struct_config__.tag)


class _Reader:
    """A parser of one step of a typed line. The step answers `decision`."""

    def __init__(self, decision: Decision, choices: Sequence[Choice], said: Mapping[str, Any]) -> None:
        vocabulary = decision.face.vocabulary
        self.decision = decision
        self.legal = decision.legal
        self.choices = choices
        self.said = said
        self.verbs = vocabulary.verbs
        self.words = {word: verb for verb in vocabulary.verbs for word in (verb.kind, *verb.also)}
        self.common = ("bid", *PASSES) if Bid in get_args(decision.game.action_type) else PASSES
        self.given = vocabulary.names(decision.wire_board, decision.view)
        self.names = names_at(decision)
        kinds = {_kind(entry) for entry in decision.legal}
        self.asked = [verb for verb in vocabulary.verbs if verb.kind in kinds]
        self.menu = next((verb for verb in self.asked if verb.is_menu), None)
        self.bids = next((entry for entry in decision.legal if type(entry) is BidRange), None)

    def cannot_begin(self, words: Sequence[str]) -> bool:
        """Return whether `words` cannot begin a step, because they start with no command, number or known name."""
        word = plain(words[0])
        is_word = word in (*self.common, *self.words) or self._is_on_a_menu(word)
        return not is_word and whole_number(words[0]) is None and self._implied(words) is None

    def _is_on_a_menu(self, word: str) -> bool:
        return any(word in self.names[verb.fields[0]] for verb in self.verbs if verb.is_menu)

    def first(self, words: Sequence[str]) -> tuple[Any, int]:
        """Return the action of the first step in `words`, and the number of words used.

        Raise Unclear if this step cannot be played.
        """
        word = plain(words[0])
        number = whole_number(words[0])
        if number is not None and not self._is_description(words):
            return self._numbered(words, number)
        if self.menu is not None and word not in PASSES:
            chosen = self._chosen(self.menu, words)
            if chosen is not None:
                return chosen
        if word in PASSES:
            entry = pass_entry(self.decision.legal)
            if entry is None:
                raise Unclear(f"You cannot pass here. {self._possible()}")
            return entry, 1
        if word == "bid" and word in self.common:
            return self._bid(words)
        verb = self.words.get(word)
        if verb is None:
            if self._is_on_a_menu(word):
                raise Unclear(self._other_question(word))
            implied = self._implied(words)
            if implied is None:
                raise Unclear(self._unknown(words[0]))
            return self._target(implied, words, 0)
        if verb not in self.asked:
            if self.menu is not None:
                return self._leading_to(self.menu, verb), 0
            raise Unclear(self._other_question(verb.kind))
        return self._target(verb, words, 1)

    def _numbered(self, words: Sequence[str], number: int) -> tuple[Any, int]:
        bids = self.bids
        is_bid = bids is not None and bids.min <= number <= bids.max
        is_choice = 1 <= number <= len(self.choices) and not words[0].startswith("$")
        is_same = is_bid and is_choice and self.choices[number - 1].action == Bid(number)
        if bids is not None and not is_same and (is_bid or not is_choice):
            if not is_bid:
                raise Unclear(why(self.decision, [words[0]]))
            if not is_choice:
                raise Unclear(f"To bid ${number}, type: bid {number}.")
            command = self.choices[number - 1].command
            raise Unclear(f"Did you mean a bid of ${number} or choice {number}? Type: bid {number}, or {command}.")
        if not self.choices:
            raise Unclear("Only the first step of a line can be a number; name the others.")
        if not is_choice:
            raise Unclear(no_such_choice(words[0], len(self.choices)))
        return self.choices[number - 1].action, 1

    def _chosen(self, menu: Verb, words: Sequence[str]) -> tuple[Any, int] | None:
        """Return the legal action that `words` name, and the number of words used. The verb of the action is `menu`.

        Return None if `words` do not name an action of this verb. Raise Unclear if the named action is not legal now.
        """
        field = menu.fields[0]
        skip = 1 if self.words.get(plain(words[0])) is menu else 0
        if len(words) == skip:
            raise Unclear(f"{menu.kind.capitalize()} what? {self._possible()}")
        name, used = plain(words[skip]), skip + 1
        offered = {getattr(entry, field): entry for entry in self.legal if _kind(entry) == menu.kind}
        two = plain("".join(words[skip : skip + 2]))
        if two != name and two in self.names[field]:
            name, used = two, used + 1
        if name in offered:
            return offered[name], used
        alike = [offer for offer in offered if offer.startswith(name)] if len(name) > 2 or skip else []
        if len(alike) == 1:
            return offered[alike[0]], used
        if alike:
            raise Unclear(f"Which one: {' or '.join(alike)}?")
        if skip or name in self.names[field]:
            raise Unclear(why(self.decision, [name]))
        return None

    def _bid(self, words: Sequence[str]) -> tuple[Any, int]:
        bids = self.bids
        if bids is None:
            raise Unclear(self._other_question("bid"))
        amount = whole_number(words[1]) if len(words) > 1 else None
        if amount is None:
            example = min(bids.min + 1, bids.max)
            raise Unclear(f"Bid a whole amount from ${bids.min} to ${bids.max}, e.g. bid {example}.")
        if not bids.min <= amount <= bids.max:
            raise Unclear(why(self.decision, ["bid", str(amount)]))
        return Bid(amount), 2

    def _leading_to(self, menu: Verb, verb: Verb) -> Any:
        """Return the only legal action with the verb `menu` after which an action with `verb` is possible.

        Raise Unclear if there is no such action, or more than one.
        """
        lookahead = self.decision.lookahead
        leading = []
        lookahead.prepare(self.legal)
        for entry in self.legal:
            after, _ = lookahead.after(entry)
            if after.asked == lookahead.seat and any(_kind(one) == verb.kind for one in after.legal):
                leading.append(entry)
        if len(leading) == 1:
            return leading[0]
        if leading:
            names = [getattr(entry, menu.fields[0]) for entry in leading]
            raise Unclear(f"First choose the space: {', '.join(names)}.")
        raise Unclear(self._other_question(verb.kind))

    def _implied(self, words: Sequence[str]) -> Verb | None:
        """Return the first verb that accepts the name with which `words` begin. None if no verb accepts the name."""
        for verb in self.asked:
            table = {word: name for field in verb.fields for word, name in self.names[field].items()}
            if not verb.is_menu and taken_from(table, words) is not None:
                return verb
        return None

    def _is_description(self, words: Sequence[str]) -> bool:
        """Return whether `words` begin with the description of a location on the map, such as 2 SSE of Syracuse."""
        found = (taken_from(self.names[field], words) for verb in self.asked for field in verb.required)
        return any(one is not None and one[1] > 1 for one in found)

    def _target(self, verb: Verb, words: Sequence[str], used: int) -> tuple[Any, int]:
        """Return the legal action of `verb` that `words` name, and the number of words used, including the verb.

        `words` are the verb, if typed, and the values of its fields. `used` is 1 if the verb was typed, otherwise 0.
        Raise Unclear if no legal action, or more than one, matches.
        """
        if verb.fields and len(words) <= used:
            raise Unclear(f"{verb.kind.capitalize()} what? {self._possible()}")
        rest = words[used:]
        first = self._optional(verb, rest)
        named: dict[str, str] = {} if first is None else {verb.optional: first}
        at = len(named)
        for field in verb.required:
            if at == len(rest):
                said = " ".join(named.values())
                raise Unclear(verb.where.format(said) or f"{verb.kind.capitalize()} {said} and what?")
            found = taken_from(self.names[field], rest[at:])
            number = whole_number(rest[at])
            if found is None and number is not None and self._is_number(verb, field):
                found = str(number), 1
            if found is None:
                typed = " ".join([verb.kind, *named.values(), *rest[at:]])
                raise Unclear(self._no_such(rest[at:], self.names[field], "" if field in self.given else typed))
            named[field] = found[0]
            at += found[1]
        return self._fitting(verb, named), used + at

    def _optional(self, verb: Verb, words: Sequence[str]) -> str | None:
        """Return the value of the optional field of `verb` if the first of `words` is such a value, else None."""
        if not verb.optional:
            return None
        following = taken_from(self.names[verb.required[0]], words)
        is_whole_name = following is not None and (following[1] > 1 or len(words) == 1)
        return None if is_whole_name else looked_up(self.names[verb.optional], words[0])

    def _fitting(self, verb: Verb, named: Mapping[str, str]) -> Any:
        fitting = [
            entry
            for entry in self.legal
            if _kind(entry) == verb.kind and all(str(getattr(entry, field)) == name for field, name in named.items())
        ]
        if verb.optional and verb.optional not in named:
            same = [entry for entry in fitting if getattr(entry, verb.optional) == self.said.get(verb.optional)]
            fitting = same or fitting
        if not fitting:
            if any(field not in self.given or self._is_number(verb, field) for field in named):
                raise Unclear(self._other_question(" ".join([verb.kind, *named.values()])))
            raise Unclear(why(self.decision, list(named.values())))
        if len(fitting) > 1:
            able = " or ".join(str(getattr(entry, verb.optional)) for entry in fitting)
            which = verb.which.format(named[verb.fields[-1]])
            raise Unclear(f"{which}: {able}? Say: {command_of(fitting[0])}.")
        return fitting[0]

    def _is_number(self, verb: Verb, field: str) -> bool:
        return any(_kind(entry) == verb.kind and type(getattr(entry, field)) is int for entry in self.legal)

    # Error messages

    def _possible(self) -> str:
        face, board = self.decision.face, self.decision.wire_board
        commands = list(dict.fromkeys(face.with_place_name(board, entry, command_of(entry)) for entry in self.legal))
        more = f" and {len(commands) - 4} more" if len(commands) > 5 else ""
        return f"Possible: {', '.join(commands if not more else commands[:4])}{more}."

    def _other_question(self, verb: str) -> str:
        return f"`{verb}` is not possible here. {self._possible()}"

    def _no_such(self, words: Sequence[str], table: Names, command: str) -> str:
        """Return an error message for `words`, which do not begin with a name in `table`.

        If `table` has all names of the game, `command` is empty. If it has only the names in legal actions, `command`
        is the typed command. Then the message may say that this command is not possible now.
        """
        known, whole = words_in(table), " ".join(words)
        close = get_close_matches(plain(whole), known, 1) or get_close_matches(plain(words[0]), known, 1)
        if command and not close:
            return self._other_question(command)
        called = self.decision.face.vocabulary.called
        meant = f" Did you mean {called(self.decision.wire_board, table[close[0]])}?" if close else ""
        return f"I don't recognise {(whole if 'of' in words else words[0])!r}.{meant}"

    def _unknown(self, word: str) -> str:
        if word.lower() == "save":
            return "Your game is saved after every move."
        known = [*self.common, *self.words, "hint", "help", "map", "scores", "why", "undo", "quit", "log"]
        close = get_close_matches(word.lower(), known, 1)
        meant = f" Did you mean {close[0]}?" if close else f" {self._possible()}"
        return f"I don't understand {word!r}.{meant}"
