"""The end of a game in words: the final table, and the sources of the money of each player."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from rails_cli.games.faces.canvas import GREEN
from rails_cli.games.faces.interface import Face, money_by_source
from rails_cli.games.faces.panels import shortened
from rails_cli.games.faces.phrases import DOLLARS
from rails_cli.games.game import WireBoard

WIDTH = 79
"""Maximum width of the tables, in columns."""
NAME_WIDTH = 12
"""Width of the column with names."""
NONE = "-"


def final_lines(
    face: Face,
    board: WireBoard,
    names: Sequence[str],
    scores: Sequence[int],
    ranks: Sequence[int],
    events: Sequence[Any],
) -> list[str]:
    """Return lines about the result: winners, final table, why the game ended, and sources of the money.

    `face` has the texts of the game. `names`, `scores` and `ranks` are in the order of the seats. `events` are all
    events of the game.
    """
    seats = sorted(range(len(names)), key=lambda seat: ranks[seat])
    width = max(8, *(len(name) for name in names))
    sources = money_by_source(face, len(names), events)
    stages = cash_by_stage(face, scores, events)
    for seat in seats if face.transfers else ():
        sources[seat] = Counter({"start": stages[0][seat], **sources[seat]})
    columns = list(dict.fromkeys(source for seat in seats for source in sources[seat]))
    rooms = [max(len(column), 7) + 2 for column in columns]
    lines = [
        f"   {'':<{width}}{'cash' if face.unit == DOLLARS else 'score':>9}"
        + "".join(f"{name:>{room}}" for name, room in zip(columns, rooms, strict=True))
    ]
    for seat in seats:
        row = "".join(f"{_signed(sources[seat][name]):>{room}}" for name, room in zip(columns, rooms, strict=True))
        lines.append(f"{ranks[seat]:>2} {names[seat]:<{width}}{face.score_text(scores[seat]):>9}{row}")
    winners = [names[seat] for seat in seats if ranks[seat] == 1]
    result = [f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}.", "", *lines, ""]
    result += [face.tell(board, event, names) for event in events if type(event) in face.finale]
    if not face.transfers:
        return result
    heads = ["start", *(str(number) for number in range(1, len(stages) - 1)), "end"]
    result += ["", *_payer_lines(face, board, names, seats, events)]
    return result + _table(f"Cash{{}} after each {face.stage_name}:", heads, names, seats, stages, WIDTH)


def shortly(lines: Sequence[str]) -> list[str]:
    """Return the first part of `lines`: the winners and the final table. `lines` are the result of `final_lines`."""
    ends = [number for number, line in enumerate(lines) if not line]
    return list(lines[: ends[1]]) if len(ends) > 1 else list(lines)


def styled(lines: Sequence[str]) -> list[Text]:
    return [Text(line, style_of(number, line), no_wrap=line.startswith(" ")) for number, line in enumerate(lines)]


def style_of(number: int, line: str) -> str:
    if number == 0:
        return "bold"
    if line.startswith(" 1 "):
        return f"bold {GREEN}"
    return "dim" if line.startswith("   ") or line.endswith(":") else ""


def _signed(amount: int) -> str:
    return f"{amount:+,}" if amount else NONE


def cash_by_stage(face: Face, scores: Sequence[int], events: Sequence[Any]) -> list[list[int]]:
    """Return the cash of all seats, in dollars, at several times of the game.

    There is one list for the start, one for the end of each stage, and one for the end of the game. A stage is a part
    of the game such as a year. Payments to seats directly after the end of a stage belong to the stage. `scores` is the
    cash at the end of the game.
    """
    total = [sum(flow.values()) for flow in money_by_source(face, len(scores), events)]
    cash = [score - flow for score, flow in zip(scores, total, strict=True)]
    stages = [list(cash)]
    has_just_ended = False
    for event in events:
        flows = list(face.flows(event))
        for flow in flows:
            cash[flow.seat] += flow.amount
        if type(event) in face.stages:
            stages.append(list(cash))
            has_just_ended = True
        elif has_just_ended:
            has_just_ended = bool(flows) and all(flow.amount >= 0 for flow in flows)
            if has_just_ended:
                stages[-1] = list(cash)
    return [*stages, list(cash)]


def course_so_far(
    face: Face, names: Sequence[str], cash: Sequence[int | None], events: Sequence[Any], width: int
) -> list[str]:
    """Return a table of the book value of each player, after each stage of the game and now.

    The book value is cash plus shares at the last price. `cash` is the cash now, by seat. Return an empty list before
    the end of the first stage, or if cash is hidden.
    """
    known = [amount for amount in cash if amount is not None]
    ends = [at for at, event in enumerate(events) if type(event) in face.stages]
    if len(known) < len(cash) or not ends:
        return []
    _, *stages = cash_by_stage(face, known, events)
    sales = [one for one in face.auctions(enumerate([event] for event in events)) if one.end is not None]
    for stage, end in zip(stages, [*ends, len(events)], strict=True):
        sold = [one for one in sales if one.end is not None and one.end <= end and one.buyer is not None]
        prices = {one.company: one.price or 0 for one in sold}
        for one in sold:
            stage[one.buyer or 0] += prices[one.company]
    heads = [*(str(number) for number in range(1, len(stages))), "now"]
    what = "Book value" if sales else "Cash"
    return _table(f"{what}{{}} after each {face.stage_name}:", heads, names, range(len(names)), stages, width)


COURSE_HEAD = 2
"""Number of lines above the first player in a table of `course_so_far`."""


def _table(
    title: str,
    heads: list[str],
    names: Sequence[str],
    rows: Sequence[int],
    columns: list[list[int]],
    width: int,
    nothing: str = "0",
) -> list[str]:
    """Return a table of amounts in dollars as lines. `names` has the first cell of each row.

    `rows` has the indices of the rows to show, in `names` and in each list of `columns`. `heads` are the headings of
    the columns. If `width` is too small, some columns just before the last column are left out. The heading `start` is
    replaced by `0` if it is too long. `nothing` is shown for an amount of 0.
    """
    unit = 1000 if max(map(max, columns)) >= 1000 else 1
    room = max(len(f"{amount // unit:,}") for column in columns for amount in column) + 2
    most = max((width - NAME_WIDTH) // room, 2)
    if len(columns) > most:
        heads, columns = [*heads[: most - 1], heads[-1]], [*columns[: most - 1], columns[-1]]
    wide = max(room, 6, *(len(head) + 1 for head in heads))
    room = wide if len(columns) * wide + NAME_WIDTH <= width else room
    lines = [" " * NAME_WIDTH + "".join(f"{head if len(head) < room else '0':>{room}}" for head in heads)]
    for row in rows:
        cells = [f"{column[row] // unit:,}" if column[row] else nothing for column in columns]
        lines.append(f"{shortened(names[row], NAME_WIDTH - 1):<{NAME_WIDTH}}" + "".join(f"{c:>{room}}" for c in cells))
    return [title.format(" in thousands" if unit > 1 else ""), *lines]


def _payer_lines(
    face: Face, board: WireBoard, names: Sequence[str], seats: Sequence[int], events: Sequence[Any]
) -> list[str]:
    """Return a table of the dollars that each payer, such as a company, paid to each player.

    `seats` has the seats in the order of the columns. Return an empty list if the events name no payer.
    """
    received: list[Counter[str]] = [Counter() for _ in names]
    for event in events:
        for flow in face.flows(event):
            if flow.payer and flow.amount:
                received[flow.seat][flow.payer] += flow.amount
    payers = [payer for payer, _ in sum(received, Counter()).most_common()]
    if not payers:
        return []
    room = (WIDTH - NAME_WIDTH) // len(names) - 1
    heads = [shortened(names[seat], room) for seat in seats]
    rows = [*(face.payer_name(board, payer) for payer in payers), "total"]
    columns = [[*(received[seat][payer] for payer in payers), received[seat].total()] for seat in seats]
    return [*_table("Received{} from:", heads, rows, range(len(rows)), columns, WIDTH, NONE), ""]
