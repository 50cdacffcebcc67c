"""What an action of Chicago Express would do."""

from collections.abc import Sequence
from typing import Any

from protocol.chicago_express import ActionChosen, Build, Choose, Offer, View
from rails_cli.games.chicago_express.face.narrate import red_dials
from rails_cli.games.decision import Decision, Lookahead, Preview, change
from rails_cli.games.railways import previews


def preview(decision: Decision, lookahead: Lookahead, actions: Sequence[Any]) -> Preview:
    return previews.preview(decision, lookahead, actions, shares="shares_sold", first=_first, last=_last)


def _first(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    match action:
        case Choose():
            return _dial(decision.view, events)
        case Offer():
            return [f"from ${previews.company_in(decision.view, action.company).minimum_bid}"]
    return []


def _dial(before: View, events: Sequence[Any]) -> list[str]:
    chosen = next(event for event in events if type(event) is ActionChosen)
    dial = next(dial for dial in before.dials if dial.action == chosen.action)
    notes = [f"dial {change(dial.moved, chosen.dial)} of {dial.red_at}"]
    if chosen.is_red:
        is_due = red_dials(before) and not previews.payments(events)
        notes.append("turns red" + (", then the dividend" if is_due else ""))
    return notes


def _last(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    is_arriving = isinstance(action, Build) and action.hex == decision.wire_board["chicago"]
    return ["reaches Chicago"] if is_arriving else []
