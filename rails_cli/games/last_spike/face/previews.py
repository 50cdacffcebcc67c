"""What an action of The Last Spike would do, as far as its player can foresee it."""

from collections.abc import Sequence
from typing import Any

from protocol.last_spike import (
    LastSpikeDriven,
    PieceChosen,
    PiecePlayed,
    PropertyBought,
    PropertySold,
    PropertyTaken,
    RouteCompleted,
    RoutePaid,
    Sell,
)
from rails_cli.games.decision import Decision, Lookahead, Preview, change
from rails_cli.games.last_spike.face.prompts import city_of

SALE = 10_000
FREE_PROPERTY = 6_000
"""What these count for when the better choices are put first."""


def preview(decision: Decision, lookahead: Lookahead, actions: Sequence[Any]) -> Preview:
    notes: list[str] = []
    gain = 0.0
    for number, action in enumerate(actions):
        if lookahead.is_by_chance:
            break
        now = decision.at(lookahead) if number else decision
        lookahead, events = lookahead.after(action)
        step = _step(now, now.listed(action), events)
        notes += step.notes
        gain += step.gain
    return Preview(notes, gain)


def _step(decision: Decision, action: Any, events: Sequence[Any]) -> Preview:
    seat, board = decision.seat, decision.wire_board
    notes = []
    gain = 0
    cost = getattr(action, "cost", None)
    if cost is not None:
        notes.append(f"costs {cost:,}")
        gain -= cost
    for event in events:
        match event:
            case PieceChosen():
                notes.append("you must sell properties for it")
                gain -= SALE
            case PiecePlayed():
                if isinstance(action, Sell):
                    notes.append(f"then {event.piece} is laid for {event.cost:,}")
                if not event.touching:
                    notes.append("touches nothing: double")
            case PropertyTaken():
                notes.append(f"free property in {city_of(board, event.city)['name']}")
                gain += FREE_PROPERTY
            case RouteCompleted():
                notes.append(f"completes route {event.route}")
            case RoutePaid():
                name = city_of(board, event.city)["name"]
                mine = event.amounts[seat]
                others = sum(event.amounts) - mine
                notes += [f"{name} pays you {mine:,}"] if mine else []
                notes += [f"others {others:,} in {name}"] if others else []
                gain += mine - others
            case LastSpikeDriven():
                notes.append(f"the last spike: {event.bonus:,} for you, and the game ends")
                gain += event.bonus
            case PropertySold():
                notes.append(f"brings {event.gain:,}")
                gain += event.gain
            case PropertyBought():
                city = next(city for city in decision.view.cities if city.id == event.city)
                pays = [0, *city_of(board, event.city)["payout"]]
                held = city.properties[seat]
                notes.append(f"a route pays you {change(pays[held], pays[held + 1])}, {city.routes_left} to come")
                gain += (pays[held + 1] - pays[held]) * city.routes_left
    return Preview(notes, gain)
