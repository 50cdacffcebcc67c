"""How a game ended and how it came about: the final table and where each player's money came from."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from rails_cli.render import teller_of

INCOME = "dividends"
STAGES = frozenset({"dials_reset", "year_advanced", "route_completed"})
"""Events at which it is worth looking at the purses."""
WIDTH = 79
NAME_WIDTH = 12


def final_lines(
    game: str, names: Sequence[str], scores: Sequence[int], ranks: Sequence[int], events: Sequence[Any]
) -> list[str]:
    """The table, who won and why the game ended, and how it came about."""
    seats = sorted(range(len(names)), key=lambda seat: ranks[seat])
    width = max(8, *(len(name) for name in names))
    sources = money_by_source(len(names), events)
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
    return told + _story(names, seats, events) + _course(names, seats, scores, events)


def styled(lines: Sequence[str]) -> list[Text]:
    """The same lines for a screen: the winners stand out, headings step back."""
    return [Text(line, style_of(number, line), no_wrap=line.startswith(" ")) for number, line in enumerate(lines)]


def style_of(number: int, line: str) -> str:
    if number == 0:
        return "bold green"
    if line.startswith(" 1 "):
        return "bold"
    return "dim" if line.startswith("   ") or line.endswith(":") else ""


def _signed(amount: int) -> str:
    return f"{amount:+,}" if amount else "-"


def money_by_source(seats: int, events: Sequence[Any]) -> list[Counter[str]]:
    """Where each seat's money came from and went to, by seat."""
    flows: list[Counter[str]] = [Counter() for _ in range(seats)]
    for event in events:
        for seat, source, amount in _flows(event):
            flows[seat][source] += amount
    return flows


def _flows(event: Any) -> Iterator[tuple[int, str, int]]:
    """What an event gave to and took from each seat."""
    match event.__struct_config__.tag:
        case "share_sold":
            yield event.seat, "shares", -event.price
        case "dividend_paid":
            yield from ((seat, INCOME, amount) for seat, amount in enumerate(event.payouts))
        case "money_taken":
            yield event.seat, "taken", event.amount
        case "players_paid":
            yield from ((seat, "taken", -amount) for seat, amount in enumerate(event.payments))
        case "piece_played":
            yield event.seat, "track", -event.cost
        case "property_bought":
            yield event.seat, "property", -event.cost
        case "property_sold":
            yield event.seat, "property", event.gain
        case "route_paid":
            yield from ((seat, "routes", amount) for seat, amount in enumerate(event.amounts))
        case "last_spike_driven":
            yield event.seat, "spike", event.bonus
        case "went_bankrupt":
            yield event.seat, "bankrupt", -(event.cash or 0)


def cash_by_stage(scores: Sequence[int], events: Sequence[Any]) -> list[list[int]]:
    """The cash of each seat at the start, at each stage of the game, and at the end: by stage, then by seat."""
    total = [sum(flow.values()) for flow in money_by_source(len(scores), events)]
    cash = [score - flow for score, flow in zip(scores, total, strict=True)]
    stages = [list(cash)]
    for event in events:
        for seat, _, amount in _flows(event):
            cash[seat] += amount
        if event.__struct_config__.tag in STAGES:
            stages.append(list(cash))
    return [*stages, list(cash)]


def _course(names: Sequence[str], seats: Sequence[int], scores: Sequence[int], events: Sequence[Any]) -> list[str]:
    """How the cash went: a row for each player, a column for each stage."""
    stages = cash_by_stage(scores, events)
    unit = 1000 if max(scores, default=0) >= 1000 else 1
    room = max(len(f"{amount // unit:,}") for stage in stages for amount in stage) + 2
    most = (WIDTH - NAME_WIDTH) // room
    if len(stages) > most:
        stages = [*stages[: most - 1], stages[-1]]
    heads = ["start", *(str(number) for number in range(1, len(stages) - 1)), "end"]
    room = max(room, 6) if len(stages) * 6 + NAME_WIDTH <= WIDTH else room
    title = f"Cash{' in thousands' if unit > 1 else ''} after each {_stage_name(events)}:"
    lines = ["", title, " " * NAME_WIDTH + "".join(f"{head[: room - 1]:>{room}}" for head in heads)]
    for seat in seats:
        row = "".join(f"{stage[seat] // unit:>{room},}" for stage in stages)
        lines.append(f"{names[seat][: NAME_WIDTH - 1]:<{NAME_WIDTH}}{row}")
    return lines


def _stage_name(events: Sequence[Any]) -> str:
    tags = {event.__struct_config__.tag for event in events}
    return "completed route" if "piece_played" in tags else "year" if "turn_order_set" in tags else "dividend"


def _story(names: Sequence[str], seats: Sequence[int], events: Sequence[Any]) -> list[str]:
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
