"""What an action of American Rails would do."""

from collections.abc import Sequence
from typing import Any

from protocol.american_rails import LinkMade, PlayersPaid
from rails_cli.games.decision import Decision, Lookahead, Preview
from rails_cli.games.railways import previews


def preview(decision: Decision, lookahead: Lookahead, actions: Sequence[Any]) -> Preview:
    return previews.preview(decision, lookahead, actions, shares="shares_held", last=_last)


def _last(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    notes = []
    for event in events:
        if isinstance(event, PlayersPaid):
            amounts = {amount for payer, amount in enumerate(event.payments) if payer != decision.seat}
            each = f"${amounts.pop()} each" if len(amounts) == 1 else f"${sum(event.payments)} in all"
            notes.append(f"the others pay {each}")
    return [*notes, "links two of the bonus cities"] if any(isinstance(event, LinkMade) for event in events) else notes
