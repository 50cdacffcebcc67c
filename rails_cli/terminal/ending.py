"""How a game ended and how it came about: the final table and where each player's money came from."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rails_cli.render import teller_of

INCOME = "dividends"


def final_lines(
    game: str, names: Sequence[str], scores: Sequence[int], ranks: Sequence[int], events: Sequence[Any]
) -> list[str]:
    """The table, who won and why the game ended, and how it came about."""
    seats = sorted(range(len(names)), key=lambda seat: ranks[seat])
    width = max(8, *(len(name) for name in names))
    sources = money_by_source(game, len(names), events)
    columns = list(dict.fromkeys(source for seat in seats for source in sources[seat]))
    rooms = [max(len(column), 7) + 2 for column in columns]
    lines = [
        f"   {'':<{width}}{'cash':>9}" + "".join(f"{name:>{room}}" for name, room in zip(columns, rooms, strict=True))
    ]
    for seat in seats:
        row = "".join(f"{_signed(sources[seat][name]):>{room}}" for name, room in zip(columns, rooms, strict=True))
        lines.append(f"{ranks[seat]:>2} {names[seat]:<{width}}{f'${scores[seat]:,}':>9}{row}")
    winners = [names[seat] for seat in seats if ranks[seat] == 1]
    told = [f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}.", "", *lines, ""]
    ended = next((event for event in reversed(events) if event.__struct_config__.tag == "game_ended"), None)
    if ended is not None:
        told.append(teller_of(game).tell(ended, names))
    return told + _story(game, names, seats, events)


def _signed(amount: int) -> str:
    return f"{amount:+,}" if amount else "-"


def money_by_source(game: str, seats: int, events: Sequence[Any]) -> list[Counter[str]]:
    """Where each seat's money came from and went to, by seat."""
    flows: list[Counter[str]] = [Counter() for _ in range(seats)]
    for event in events:
        match event.__struct_config__.tag:
            case "share_sold":
                flows[event.seat]["shares"] -= event.price
            case "dividend_paid":
                for seat, amount in enumerate(event.payouts):
                    flows[seat][INCOME] += amount
            case "money_taken":
                flows[event.seat]["taken"] += event.amount
            case "players_paid":
                for seat, amount in enumerate(event.payments):
                    flows[seat]["taken"] -= amount
            case "piece_played":
                flows[event.seat]["track"] -= event.cost
            case "property_bought":
                flows[event.seat]["property"] -= event.cost
            case "property_sold":
                flows[event.seat]["property"] += event.gain
            case "route_paid":
                for seat, amount in enumerate(event.amounts):
                    flows[seat]["routes"] += amount
            case "last_spike_driven":
                flows[event.seat]["spike"] += event.bonus
    return flows


def _story(game: str, names: Sequence[str], seats: Sequence[int], events: Sequence[Any]) -> list[str]:
    """What brought each player most."""
    brought: list[Counter[str]] = [Counter() for _ in names]
    times: Counter[str] = Counter()
    spike = None
    for event in events:
        tag = event.__struct_config__.tag
        if tag == "dividend_paid":
            for seat, amount in enumerate(event.payouts):
                brought[seat][event.company] += amount
            times[event.company] += 1
        elif tag == "route_paid":
            for seat, amount in enumerate(event.amounts):
                brought[seat][event.city] += amount
        elif tag == "last_spike_driven":
            spike = f"{names[event.seat]} drove the last spike with {event.piece}."
    lines = [spike] if spike else []
    for seat in seats:
        best = [(source, amount) for source, amount in brought[seat].most_common(3) if amount]
        if best:
            told = ", ".join(f"${amount:,} from {source}" for source, amount in best)
            lines.append(f"{names[seat]} was paid {told}.")
        else:
            lines.append(f"{names[seat]} was paid nothing.")
    return lines
