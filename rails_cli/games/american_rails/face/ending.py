"""Where the money comes from and goes to in American Rails."""

from collections.abc import Iterator

from protocol.american_rails import DividendPaid, Event, MoneyTaken, PlayersPaid, ShareSold
from rails_cli.games.face import Flow


def flows(event: Event) -> Iterator[Flow]:
    match event:
        case ShareSold():
            yield Flow(event.seat, "shares", -event.price)
        case DividendPaid():
            yield from (Flow(seat, "dividends", paid, event.company) for seat, paid in enumerate(event.payouts))
        case MoneyTaken():
            yield Flow(event.seat, "taken", event.amount)
        case PlayersPaid():
            yield from (Flow(seat, "taken", -payment) for seat, payment in enumerate(event.payments))
