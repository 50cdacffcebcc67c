"""Questions to players as data for a web page: their answers, previews of planned actions, hints and reasons."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rails_cli.games.decision import Decision, Lookahead, action_of
from rails_cli.games.faces.choices import (
    Choice,
    abbreviated,
    choices_of,
    command_of,
    group_of,
    preview_of,
    why,
    words_of,
)
from rails_cli.games.faces.phrases import dollars, with_capital
from rails_cli.games.game import IllegalAction, without_info_fields
from rails_cli.games.rulebook import cited
from rails_cli.games.shared.text import printable
from rails_cli.protocol.common import BidRange
from rails_cli.protocol.live_view import ChoiceShown, QuestionShown
from rails_cli.study.analysis.hints import Hint, hint_with_steps, worth

MOST_STEPS = 30
"""Maximum number of actions that a client may try out before it answers."""
LONGEST_WHY = 100
"""Maximum number of characters of the name that a client sends to ask why a thing cannot be chosen."""


def question_shown(decision: Decision, request: int) -> QuestionShown:
    asked = decision.face.prompt(decision)
    return QuestionShown(
        request,
        asked.asks,
        asked.explained,
        cited(decision.game.name, asked.rules),
        [_choice(decision, choice) for choice in choices_of(decision)],
        decision.face.barred(decision),
        decision.view.question.asks in decision.face.repeated_passes,
    )


def _choice(decision: Decision, choice: Choice) -> ChoiceShown:
    entry = choice.entry
    is_bid = type(entry) is BidRange
    badge = decision.face.badge(decision.wire_board, entry)
    shorter, group = decision.face.shorter, printable(group_of(decision, entry))
    short = abbreviated(printable(choice.words), shorter)
    return ChoiceShown(
        words=with_capital(printable(choice.words)),
        command=choice.command,
        preview=choice.preview.words,
        places=[printable(place) for place in decision.face.places(decision.wire_board, entry)],
        action=without_info_fields(choice.action),
        more=not is_bid and _is_same_turn(decision, decision.lookahead.after(choice.action)[0]),
        min=entry.min if is_bid else None,
        max=entry.max if is_bid else None,
        group=group,
        short=with_capital(short.removeprefix(f"{group} ").removeprefix("to ") if group else short),
        short_preview=abbreviated(choice.preview.words, shorter),
        act=_act(decision, choice),
        paint=badge.paint,
        price=badge.price,
        tile=decision.face.tile(decision, entry),
    )


def _act(decision: Decision, choice: Choice) -> str:
    """Return the text of the button for an answer: the answer in a few words, and its price if it has one."""
    words, cost = printable(choice.words).partition(" (")[0], getattr(choice.entry, "cost", None)
    verb = decision.face.vocabulary.verb_of(choice.entry)
    if verb is not None and group_of(decision, choice.entry):  # the words begin with the name of the group
        words = f"{verb.kind} {words}"
    return with_capital(f"{words} for {dollars(cost)}" if cost else words)


def _is_same_turn(decision: Decision, ahead: Lookahead) -> bool:
    """Return whether the seat of `decision` is to move in the position `ahead`, and still in the same turn."""
    return ahead.asked == decision.seat and ahead.view.question.asks not in decision.face.new_turn


# Previews


class PlannedPath(NamedTuple):
    """The result of consecutive actions that one seat considers, as far as the seat can predict the result.

    `start` is the question before the actions, and `now` the question after them. `entries` are the actions as entries
    of the lists of legal actions. `words` has a text for each action, and `events` are the effects that the seat sees.
    """

    start: Decision
    now: Decision
    known: Decision
    """The last question whose position the seat can predict, before chance or hidden information matters."""
    entries: list[Any]
    words: list[str]
    events: list[Any]

    @property
    def is_done(self) -> bool:
        """Whether the actions complete the turn."""
        return bool(self.entries) and not _is_same_turn(self.now, self.now.lookahead)

    @property
    def total(self) -> list[str]:
        """Texts about the combined effect of the actions."""
        return preview_of(self.start, self.entries).notes if self.entries else []


def path_of(start: Decision, options: Any, steps: Sequence[Any]) -> PlannedPath:
    """Return the result of playing the actions `steps`, beginning at the question `start`.

    `options` are the options of the game. If an action is not legal, raise IllegalAction with the number of this
    action.
    """
    game, seat = start.game, start.seat
    now = known = start
    found = PlannedPath(start, start, start, [], [], [])
    for number, step in enumerate(steps, 1):
        try:
            if now.lookahead.asked != seat:
                raise IllegalAction("nobody can know whether you are to move then")
            action = action_of(game, now.legal, step)
        except IllegalAction as error:
            raise IllegalAction(f"step {number}: {error}") from None
        entry = now.listed(action)
        found.words.append(with_capital(printable(words_of(now, entry))))
        found.entries.append(entry)
        after, happened = now.lookahead.after(action)
        found.events.extend(game.redact(event, seat, options) for event in happened)
        if after.is_by_chance:
            now = replace(now, lookahead=after, legal=[])
        else:
            now = known = now.at(after)
    return found._replace(now=now, known=known)


# Help


def hint_words(
    start: Decision, options: Any, steps: Sequence[Any]
) -> tuple[list[str], str | None, list[Any], int | None]:
    """Return a hint: sentences, the command of the first suggested action, all suggested actions, and a bid limit.

    The command is None if no action is suggested. The bid limit is None unless the hint is to bid up to a limit. If the
    actions `steps` complete the turn, the sentences are about their value, and no action is suggested. Otherwise the
    hint suggests how to continue after `steps`. `options` are the options of the game. Raise IllegalAction if a step is
    not legal.
    """
    path = path_of(start, options, steps)
    if path.is_done:
        found = Hint(worth(start, path.entries), [])
    else:
        found = hint_with_steps(path.now, choices_of(path.now))
    command = command_of(found.steps[0]) if found.steps else None
    actions = [without_info_fields(step) for step in found.steps]
    return [printable(line) for line in found.lines], command, actions, found.limit


def why_words(start: Decision, options: Any, steps: Sequence[Any], words: str) -> tuple[list[str], list[Any]]:
    """Return why the thing named by `words` cannot be chosen now, and a list of actions after which it can be chosen.

    "Now" is after the actions `steps`, beginning at the question `start`. The list has the actions of a plan of the
    game, such as a route to a place. The whole plan can be played in this turn. The list is empty if there is no such
    plan. `options` are the options of the game. Raise IllegalAction if a step is not legal.
    """
    now = path_of(start, options, steps).now
    named = words[:LONGEST_WHY].split()
    return [printable(why(now, named))], _plan_for(now, named)


def _plan_for(decision: Decision, named: Sequence[str]) -> list[Any]:
    """Return the actions of the first legal plan for the thing that the words `named` name.

    Return an empty list if there is no such plan.
    """
    verbs = dict.fromkeys(verb.kind for verb in map(decision.face.vocabulary.verb_of, decision.legal) if verb)
    for way in (way for verb in verbs for way in decision.face.ways(decision, [verb, *named])):
        now: Decision | None = decision
        actions = []
        for command in way.commands:
            entry = None if now is None else next((one for one in now.legal if command_of(one) == command), None)
            if now is None or entry is None:
                break
            actions.append(without_info_fields(entry))
            now = now.after(entry)
        if len(actions) == len(way.commands):
            return actions
    return []
