"""Where the money comes from and goes to in The Last Spike."""

from collections.abc import Iterator

from protocol.last_spike import (
    Event,
    LastSpikeDriven,
    PiecePlayed,
    PropertyBought,
    PropertySold,
    RoutePaid,
    WentBankrupt,
)
from rails_cli.games.face import Flow


def flows(event: Event) -> Iterator[Flow]:
    match event:
        case PiecePlayed():
            yield Flow(event.seat, "track", -event.cost)
        case PropertyBought():
            yield Flow(event.seat, "property", -event.cost)
        case PropertySold():
            yield Flow(event.seat, "property", event.gain)
        case RoutePaid():
            yield from (Flow(seat, "routes", amount, event.city) for seat, amount in enumerate(event.amounts))
        case LastSpikeDriven():
            yield Flow(event.seat, "spike", event.bonus)
        case WentBankrupt():
            yield Flow(event.seat, "bankrupt", -(event.cash or 0))
