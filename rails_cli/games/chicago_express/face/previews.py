"""What an action of Chicago Express would do."""

from collections.abc import Sequence
from typing import Any

from protocol.chicago_express import Build, Choose, Offer
from rails_cli.games.decision import Decision, Lookahead, Preview
from rails_cli.games.railways import previews


def preview(decision: Decision, lookahead: Lookahead, actions: Sequence[Any]) -> Preview:
    return previews.preview(decision, lookahead, actions, shares="shares_sold", first=_first, last=_last)


def _first(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    match action:
        case Choose():
            return _dial(decision.view, action.action, is_paid=bool(previews.payments(events)))
        case Offer():
            return [f"from ${previews.company_in(decision.view, action.company).minimum_bid}"]
    return []


def _dial(before: Any, action: str, *, is_paid: bool) -> list[str]:
    dial = next(dial for dial in before.dials if dial.action == action)
    notes = [f"dial {dial.moved} → {dial.moved + 1} of {dial.red_at}"]
    if dial.moved + 1 == dial.red_at:
        reds = sum(other.moved >= other.red_at for other in before.dials)
        notes.append("turns red" + (", then the dividend" if reds and not is_paid else ""))
    return notes


def _last(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    is_arriving = isinstance(action, Build) and action.hex == decision.wire_board["chicago"]
    return ["reaches Chicago"] if is_arriving else []
