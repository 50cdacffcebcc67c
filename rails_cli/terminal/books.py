"""Companies, players, the running auction, and how near the end is: as short lines, wide or narrow."""

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from rich.text import Text

from protocol import american_rails, chicago_express, last_spike
from rails_cli.games.railways.previews import due
from rails_cli.render import ledger
from rails_cli.render.boards import SEAT_STYLES, letters, styles
from rails_cli.terminal.page import Page

HEADING = "dim"
WIDE = 34
SPACE_NAMES = {
    "pass": "Pass",
    "develop": "Develop",
    "fund": "Fund 5",
    "take": "Take 2",
    "expand3": "Expand 3",
    "auction": "Auction",
    "expand4": "Expand 4",
}


def stage(page: Page) -> list[Text]:
    """Dials, or the year with its action track, or the mix."""
    view = page.view
    match view:
        case chicago_express.View():
            dials = Text()
            for dial in view.dials:
                is_red = dial.moved >= dial.red_at
                dials.append(f"{dial.action} ", HEADING)
                dials.append(f"{dial.moved}/{dial.red_at}{'!' if is_red else ''} ", "bold red" if is_red else "")
            worth = ", ".join(f"{(scale.name or scale.hex)[:3]} {scale.value}" for scale in view.scales)
            return [dials, Text.assemble(("worth ", HEADING), worth)]
        case american_rails.View():
            return _track(page, view)
    lines = [Text.assemble(("mix ", HEADING), _pieces(view.mix))]
    if view.last_spikes:
        lines.append(Text.assemble(("last spike now ", HEADING), (" ".join(view.last_spikes), "bold")))
    return lines


def _track(page: Page, view: american_rails.View) -> list[Text]:
    if view.is_opening:
        left = ", ".join(view.opening_lots) or "none"
        return [Text.assemble(("opening auctions, to come: ", HEADING), left)]
    order = Text.assemble((f"{view.year}, phase {view.phase}, order ", HEADING))
    for seat in view.order:
        order.append(f"{seat} ", _seat(seat))
    column = view.columns[view.phase - 1] if view.columns else {}
    track = Text.assemble(("spaces ", HEADING))
    for space, name in SPACE_NAMES.items():
        taken = column.get(space)  # type: ignore[call-overload]
        if taken is None:
            track.append(f"{name.replace(' ', '')} ", "dim")
        else:
            track.append(f"{name.replace(' ', '')}:").append(f"{taken} ", _seat(taken))
    return [order, track]


def end(view: Any, board: Any) -> str:
    """How near each end condition is."""
    match view:
        case chicago_express.View():
            short = {
                "locomotives_out": "no locos",
                "shares_out": "no shares",
                "houses_out": "houses",
                "detroit_full": "Detroit",
            }
            told = [
                f"{short[c.reason]} {c.now}{'>' if c.reason == 'houses_out' else '/'}{c.limit}{'!' if c.is_met else ''}"
                for c in view.end_conditions
            ]
        case american_rails.View():
            told = [
                f"years left {view.end.years_left}",
                f"shares left {view.end.shares_left}",
                f"low supplies {view.end.low_supplies}/{view.end.low_supplies_needed}",
            ]
        case _:
            told = [f"the line lacks {_pieces(missing_for_line(board, view))}"]
            told += [f"{sum(not player.bankrupt for player in view.players)} players solvent"]
    return f"end: {', '.join(told)}"


def _pieces(count: int) -> str:
    return f"{count} piece{'' if count == 1 else 's'}"


def missing_for_line(board: Any, view: last_spike.View) -> int:
    """The fewest pieces that still have to be laid for a line from start to end."""
    missing = {route.id: len(route.missing) for route in view.routes}
    ways = [(0, str(board["start_city"]))]
    seen: set[str] = set()
    while ways:
        pieces, city = heappop(ways)
        if city == board["end_city"]:
            return pieces
        if city in seen:
            continue
        seen.add(city)
        for route in board["routes"]:
            if city in (route["from"], route["to"]):
                other = route["to"] if city == route["from"] else route["from"]
                heappush(ways, (pieces + missing[route["id"]], other))
    return 0


def companies(page: Page, width: int) -> list[Text]:
    """A line for each company, or two where there is little room."""
    lines = ledger.companies(page.wire_board, page.view)
    if not lines or width >= WIDE:
        return lines
    letter_of, style_of = letters(page.view), styles(page.wire_board)
    narrow = [Text("company cash/earn", HEADING)]
    for company in page.view.companies:
        is_there = company.is_open if hasattr(company, "is_open") else company.in_play
        letter = (letter_of[company.id], style_of[company.id])
        if not is_there:
            narrow.append(Text.assemble(letter, (f" {company.id[:9]} -", "dim")))
            continue
        sold = company.shares_sold if hasattr(company, "shares_sold") else company.shares_held
        narrow.append(Text.assemble(letter, f" {company.id[:8]} ${company.treasury}/{company.income}"))
        narrow.append(Text(f"   each {company.dividend}, {sold}/{sold + company.shares_left}", "dim"))
    return narrow


def players(page: Page, width: int) -> list[Text]:
    """A line for each player, or two where there is little room; `>` stands before the one who is asked.

    While an auction is on, it tells the bids in place of what each player is due.
    """
    view, asked = page.view, ledger.asked_seat(page.view)
    is_spike = isinstance(view, last_spike.View)
    is_wide = width >= WIDE
    room = 10 if is_wide else width - 11
    said = _bidding(page)
    rows = []
    for player in view.players:
        seat = player.seat
        cash = "hidden" if player.cash is None else f"${player.cash:,}"
        if is_spike:
            more = Text(f"{player.property_total:>7,}")
        else:
            word, style = said.get(seat, (str(due(view, seat)), ""))
            more = Text(f"{word:>5}", style)
        row = Text.assemble(
            (">" if seat == asked else " ", "bold"),
            (f"{seat} ", _seat(seat)),
            (f"{page.names[seat][:room]:<{room}}", "bold" if seat in (asked, page.seer) else ""),
            f"{cash:>8}" if is_spike or not is_wide else f"{cash:>6}",
        )
        held = _hand(player) if is_spike else _shares(page, player)
        if is_wide:
            rows.append(row.append_text(more).append(" ").append_text(held))
        else:
            rows += [row, Text("  ").append_text(more if said else Text()).append(" ").append_text(held)]
    if not is_wide:
        return [Text("players", HEADING), *rows]
    if is_spike:
        heading = f"{'cash':>8}  worth hand"
    else:
        heading = f"{'cash':>6}{'bid' if said else 'due':>5} shares"
    return [Text(f"   {'player':<{room}}{heading}", HEADING), *rows]


def _bidding(page: Page) -> dict[int, tuple[str, str]]:
    """What each player says in the running auction; `<` marks the bid to beat."""
    running = getattr(page.view, "auction", None)
    if running is None:
        return {}
    made = bids(page.events)
    asked = ledger.asked_seat(page.view)
    said = {}
    for player in page.view.players:
        seat = player.seat
        if seat not in running.still_in:
            said[seat] = ("out", "dim")
        elif seat == running.leader:
            said[seat] = (f"{running.bid}<", "bold")
        elif seat in made:
            said[seat] = (f"{made[seat]} ", "")
        else:
            said[seat] = ("? " if seat == asked else "- ", "")
    return said


def _seat(seat: int) -> str:
    return SEAT_STYLES[seat % len(SEAT_STYLES)]


def _shares(page: Page, player: Any) -> Text:
    letter_of, style_of = letters(page.view), styles(page.wire_board)
    line = Text()
    for company, count in player.shares.items():
        if count:
            line.append(letter_of[company], style_of[company]).append(f"{count} ")
    return line


def _hand(player: Any) -> Text:
    if player.bankrupt:
        return Text("bankrupt")
    return Text(f"{player.pieces} pieces", "dim") if player.hand is None else Text(" ".join(player.hand), "bold")


def auction(page: Page, width: int) -> list[Text]:
    """The running auction: what is sold, and who leads."""
    running = getattr(page.view, "auction", None)
    if running is None:
        return []
    company = next(company for company in page.view.companies if company.id == running.company)
    sold = company.shares_sold if hasattr(company, "shares_sold") else company.shares_held
    after = -(-company.income // (sold + 1)) if company.income else 0
    earns = f"; it earns ${company.income}, that would be ${after} a share" if after and width > 2 * WIDE else ""
    leads = "no bid yet" if running.leader is None else f"${running.bid} by {page.names[running.leader]}"
    return [Text.assemble(("AUCTION ", "bold"), f"{running.company}, share {sold + 1}: {leads}{earns}")]


def bids(events: Sequence[Any]) -> dict[int, int]:
    """What each seat has bid since the last share was put up."""
    said: dict[int, int] = {}
    for event in reversed(events):
        tag = event.__struct_config__.tag
        if tag == "share_offered":
            break
        if tag == "bid_made":
            said.setdefault(event.seat, event.amount)
    return said
