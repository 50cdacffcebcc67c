"""From a typed line to actions. A line is played as a whole or not at all, so that a slip costs no move."""

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

from protocol.common import Bid, BidRange, Pass
from rails_cli.asking.choices import Choice, command_of
from rails_cli.asking.names import MOST_DIGITS, Names, company_in, plain, taken_from, whole_number
from rails_cli.asking.reasons import why
from rails_cli.asking.situation import Situation

VERBS = {
    "bid": "bid",
    "pass": "pass",
    "stop": "pass",
    "done": "pass",
    "choose": "choose",
    "offer": "offer",
    "nominate": "offer",
    "build": "build",
    "develop": "develop",
    "found": "found",
    "start": "found",
    "fund": "fund",
    "take": "take",
    "play": "play",
    "lay": "play",
    "sell": "sell",
    "buy": "buy",
}
ACTION_WORDS = ("auction", "expand", "expand3", "expand4")
BY_COMPANY = ("offer", "fund")
BY_HEX = ("develop", "found")


class Unclear(Exception):
    """A line that cannot be played; the text says what is wrong and what would do."""


class Steps(NamedTuple):
    """Actions to be played one after another, and what is still to be read when the next question has come."""

    actions: list[Any]
    rest: str


def read(line: str, situation: Situation, choices: Sequence[Choice]) -> Steps:
    """The actions that a line means; raises Unclear if any part of it cannot be played."""
    parts = [part.split() for part in re.split("[;,]", line) if part.strip()]
    if not parts:
        raise Unclear("Choose a number or type a command; ? explains, help lists the commands.")
    actions: list[Any] = []
    now: Situation | None = situation
    for number, part in enumerate(parts):
        words, company = part, None
        if len(part) == 1 and len(part[0]) == 1 and not part[0].isdecimal():
            raise Unclear(f"{part[0]!r} alone is too short to be played; say it in a word. Nothing was played.")
        while words:
            if now is None:
                last = command_of(actions[-1])
                raise Unclear(f"After `{last}` others are asked first: nothing was played. Say the rest later.")
            reader = _Reader(now, choices if now is situation else (), company)
            if words is not part and reader.knows_no(words):
                raise Unclear(f"I know no {words[0]!r} here. Nothing was played.")
            action, used = reader.first(words)
            actions.append(action)
            company = getattr(action, "company", company)
            words = words[used:]
            if situation.trial is None:
                later = [" ".join(words), *(" ".join(more) for more in parts[number + 1 :])]
                return Steps(actions, "; ".join(text for text in later if text))
            now = _next(now, action)
    return Steps(actions, "")


def _next(now: Situation, action: Any) -> Situation | None:
    assert now.trial is not None
    trial, _ = now.trial.after(action)
    if trial.asked != now.seat or trial.is_by_chance:
        return None
    return replace(now, trial=trial, view=trial.view, legal=trial.legal)


class _Reader:
    """Reads one step at one question."""

    def __init__(self, situation: Situation, choices: Sequence[Choice], company: str | None) -> None:
        self.situation = situation
        self.legal = situation.legal
        self.choices = choices
        self.company = company
        self.kinds = {entry.__struct_config__.tag for entry in situation.legal}
        self.names = Names(situation)

    def knows_no(self, words: Sequence[str]) -> bool:
        """Whether words that follow a step name nothing at all."""
        is_word = plain(words[0]) in (*VERBS, *ACTION_WORDS) or whole_number(words[0]) is not None
        return not is_word and self._implied(words) is None

    def first(self, words: Sequence[str]) -> tuple[Any, int]:
        """The action that the first words mean, and how many words these are."""
        word = plain(words[0])
        number = whole_number(words[0])
        if number is not None:
            return self._numbered(words, number)
        if "choose" in self.kinds and word != "pass":
            chosen = self._chosen(words)
            if chosen is not None:
                return chosen
        verb = VERBS.get(word)
        if verb is None:
            if word in ACTION_WORDS:
                raise Unclear(self._other_question(word))
            verb = self._implied(words)
            if verb is None:
                raise Unclear(self._unknown(words[0]))
            return self._target(verb, words, 0)
        if verb == "pass":
            return self._passing(words)
        if verb == "bid":
            return self._bid(words)
        if verb not in self.kinds:
            if "choose" in self.kinds and self.situation.trial is not None:
                return self._space_for(verb), 0
            raise Unclear(self._other_question(verb))
        return self._target(verb, words, 1)

    def _numbered(self, words: Sequence[str], number: int) -> tuple[Any, int]:
        bids = next((entry for entry in self.legal if type(entry) is BidRange), None)
        is_bid = bids is not None and bids.min <= number <= bids.max
        is_choice = 1 <= number <= len(self.choices) and not words[0].startswith("$")
        is_same = is_bid and is_choice and self.choices[number - 1].action == Bid(number)
        if bids is not None and not is_same and (is_bid or not is_choice):
            meant = f" or choice {number} ({self.choices[number - 1].command})" if is_choice else ""
            if is_bid:
                raise Unclear(f"To bid ${number}{meant}, say it in words: bid {number}{', pass' if is_choice else ''}.")
            raise Unclear(why(self.situation, [words[0]]))
        if not self.choices:
            raise Unclear("Only the first step of a line can be a number; name the others.")
        if not is_choice:
            shown = words[0] if len(words[0]) <= MOST_DIGITS else f"{words[0][:MOST_DIGITS]}..."
            raise Unclear(f"There is no choice {shown}; there are 1 to {len(self.choices)}.")
        return self.choices[number - 1].action, 1

    def _chosen(self, words: Sequence[str]) -> tuple[Any, int] | None:
        """An action or space chosen by its name, with or without `choose`."""
        skip = 1 if plain(words[0]) == "choose" else 0
        if len(words) == skip:
            raise Unclear(f"Choose what? {self._possible()}")
        name = plain(words[skip])
        used = skip + 1
        spaces = {entry.action: entry for entry in self.legal if entry.__struct_config__.tag == "choose"}
        if name == "expand" and len(words) > used and words[used] in ("3", "4"):
            name, used = f"expand{words[used]}", used + 1
        if name in spaces:
            return spaces[name], used
        alike = [space for space in spaces if space.startswith(name)] if len(name) > 2 or skip else []
        if len(alike) == 1:
            return spaces[alike[0]], used
        if alike:
            raise Unclear(f"Which one: {' or '.join(alike)}?")
        if skip or name in ("auction", "expand", "develop", "expand3", "expand4"):
            raise Unclear(why(self.situation, [name.rstrip("34")]))
        return None

    def _passing(self, words: Sequence[str]) -> tuple[Any, int]:
        for entry in self.legal:
            if type(entry) is Pass or getattr(entry, "action", None) == "pass":
                return entry, 1
        raise Unclear(f"You cannot pass here. {self._possible()}")

    def _bid(self, words: Sequence[str]) -> tuple[Any, int]:
        bids = next((entry for entry in self.legal if type(entry) is BidRange), None)
        if bids is None:
            raise Unclear(self._other_question("bid"))
        amount = whole_number(words[1]) if len(words) > 1 else None
        if amount is None:
            raise Unclear(f"Bid how much? Say: bid {bids.min}, up to bid {bids.max}.")
        if not bids.min <= amount <= bids.max:
            raise Unclear(why(self.situation, ["bid", str(amount)]))
        return Bid(amount), 2

    def _space_for(self, verb: str) -> Any:
        """The action to choose first, if only one of them leads to what is wanted."""
        trial = self.situation.trial
        assert trial is not None
        leading = []
        trial.prepare(self.legal)
        for entry in self.legal:
            after, _ = trial.after(entry)
            if after.asked == trial.seat and any(e.__struct_config__.tag == verb for e in after.legal):
                leading.append(entry)
        if len(leading) == 1:
            return leading[0]
        if leading:
            raise Unclear(f"First choose the space: {', '.join(entry.action for entry in leading)}.")
        raise Unclear(self._other_question(verb))

    def _implied(self, words: Sequence[str]) -> str | None:
        """What is meant by a company, a place or a piece alone."""
        order = ("build", "develop", "found", "offer", "fund", "play", "sell", "buy", "take")
        tables = {
            "build": {**self.names.companies, **self.names.hexes},
            "develop": self.names.hexes,
            "found": self.names.hexes,
            "offer": self.names.companies,
            "fund": self.names.companies,
            "play": self.names.pieces,
            "sell": self.names.properties,
            "buy": self.names.cities,
            "take": {"bank": "bank", "players": "players"},
        }
        for kind in order:
            if kind in self.kinds and taken_from(tables[kind], words) is not None:
                return kind
        return None

    def _target(self, verb: str, words: Sequence[str], used: int) -> tuple[Any, int]:
        if len(words) <= used:
            raise Unclear(f"{verb.capitalize()} what? {self._possible()}")
        rest = words[used:]
        if verb == "build":
            action, more = self._build(rest)
        elif verb in BY_COMPANY:
            action, more = self._named(verb, "company", self.names.companies, rest)
        elif verb in BY_HEX:
            action, more = self._named(verb, "hex", self.names.hexes, rest)
        elif verb == "take":
            action, more = self._named(
                verb, "source", {"bank": "bank", "players": "players", "others": "players"}, rest
            )
        elif verb == "play":
            action, more = self._named(verb, "piece", self.names.pieces, rest)
        elif verb == "sell":
            action, more = self._named(verb, "property", self.names.properties, rest)
        else:
            action, more = self._named(verb, "city", self.names.cities, rest)
        return action, used + more

    def _named(self, verb: str, field: str, table: dict[str, str], words: Sequence[str]) -> tuple[Any, int]:
        found = taken_from(table, words)
        if found is None:
            raise Unclear(self._no_such(words[0], table))
        name, used = found
        for entry in self.legal:
            if entry.__struct_config__.tag == verb and getattr(entry, field) == name:
                return entry, used
        raise Unclear(why(self.situation, words[:used]))

    def _build(self, words: Sequence[str]) -> tuple[Any, int]:
        company = company_in(self.names, words[0])
        skip = 0
        place = taken_from(self.names.hexes, words)
        is_place = place is not None and place[1] > 1
        if company is not None and not is_place and (len(words) > 1 or place is None):
            skip = 1
        else:
            company = None
        if len(words) == skip:
            raise Unclear(f"Build {company} where? Say: build {company} and a place.")
        found = taken_from(self.names.hexes, words[skip:])
        if found is None:
            raise Unclear(self._no_such(words[skip], self.names.hexes))
        spot, used = found
        fitting = [e for e in self.legal if e.__struct_config__.tag == "build" and e.hex == spot]
        builders = [entry.company for entry in fitting]
        wanted = company or (self.company if self.company in builders else None)
        if wanted is not None:
            fitting = [entry for entry in fitting if entry.company == wanted]
        if not fitting:
            raise Unclear(why(self.situation, [*([company] if company else []), spot]))
        if len(fitting) > 1:
            raise Unclear(f"Which company builds in {spot}: {' or '.join(builders)}? Say: {command_of(fitting[0])}.")
        return fitting[0], skip + used

    # What is wrong

    def _possible(self) -> str:
        commands = list(dict.fromkeys(command_of(entry) for entry in self.legal))
        more = f" and {len(commands) - 4} more" if len(commands) > 5 else ""
        return f"Possible: {', '.join(commands if not more else commands[:4])}{more}."

    def _other_question(self, verb: str) -> str:
        return f"`{verb}` does not answer this question. {self._possible()}"

    def _no_such(self, word: str, table: dict[str, str]) -> str:
        close = get_close_matches(plain(word), table, 1)
        meant = f" Did you mean {table[close[0]]}?" if close else ""
        return f"I know no {word!r} here.{meant} Nothing was played."

    def _unknown(self, word: str) -> str:
        known = [*VERBS, "hint", "help", "map", "scores", "why", "undo", "quit", "log"]
        close = get_close_matches(word.lower(), known, 1)
        meant = f" Did you mean {close[0]}?" if close else f" {self._possible()}"
        return f"I do not understand {word!r}.{meant} Nothing was played."
