"""Where the money comes from and goes to in Chicago Express."""

from collections.abc import Iterator

from protocol.chicago_express import DividendPaid, Event, ShareSold
from rails_cli.games.face import Flow


def flows(event: Event) -> Iterator[Flow]:
    match event:
        case ShareSold():
            yield Flow(event.seat, "shares", -event.price)
        case DividendPaid():
            yield from (Flow(seat, "dividends", paid, event.company) for seat, paid in enumerate(event.payouts))
