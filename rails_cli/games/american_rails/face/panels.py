"""Positions of American Rails as text tables, and as panels beside the map."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from rails_cli.games.american_rails.face.words import QUESTIONS, SPACES, ended_because
from rails_cli.games.faces.canvas import HEADING, Line, seat_style
from rails_cli.games.faces.panels import ENDED, asked_to
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.railways import panels
from rails_cli.games.railways.companies import Stock
from rails_cli.games.shared.text import wrap
from rails_cli.protocol.american_rails import View

WIDTH = 80
NAME_WIDTH = 14


def position(view: View, players: Sequence[str]) -> str:
    """Return a position as text tables that are at most 80 characters wide."""
    lines = [*_headline(view, players), ""]
    lines += _players(view, players)
    lines += ["", *_companies(view), ""]
    lines += _tracks(view)
    lines += ["", *_columns(view, players), *_end(view)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _headline(view: View, players: Sequence[str]) -> list[str]:
    question = view.question
    if question is None:
        return wrap(f"{view.year}: over, as {ended_because(view.end_reasons)}.", WIDTH)
    when = "Opening" if view.is_opening else f"{view.year}, phase {view.phase}"
    about = f" ({question.company})" if question.company else ""
    cubes = f", up to {count_phrase(question.cubes, 'cube')}" if question.cubes else ""
    return wrap(f"{when}: {_short(players[question.seat])} is to {QUESTIONS[question.asks]}{about}{cubes}.", WIDTH)


def _players(view: View, players: Sequence[str]) -> Iterator[str]:
    yield f"{'Player':<{NAME_WIDTH + 4}}{'Cash':>5}{'Due':>5}  Shares"
    for player in view.players:
        to_move = ">" if view.question is not None and view.question.seat == player.seat else " "
        shares = ", ".join(f"{company} {count}" for company, count in player.shares.items() if count) or "-"
        head = (
            f"{to_move} {player.seat + 1} {_short(players[player.seat]):<{NAME_WIDTH}}{player.cash:>5}{player.due:>5}  "
        )
        yield from wrap(shares, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _companies(view: View) -> Iterator[str]:
    yield _row("Company", "Treasury", "Income", "Dividend", "Held", "Left", "Cubes", "Links")
    for company in view.companies:
        money = (company.treasury, company.income, company.dividend)
        pieces = (company.shares_held, company.shares_left, company.cubes_left, company.links)
        if company.in_play:
            yield _row(_short(company.id), *money, *pieces)
        else:
            yield f"{_short(company.id):<{NAME_WIDTH}} not in play"


def _row(name: str, *cells: str | int) -> str:
    return f"{name:<{NAME_WIDTH}}" + "".join(f"{cell:>9}" for cell in cells)


def _tracks(view: View) -> Iterator[str]:
    for company in view.companies:
        if company.track:
            yield from _wrapped(_short(company.id), " ".join(company.track))
    yield from _wrapped(f"Developed ({count_phrase(view.markers_left, 'marker')} left)", " ".join(view.developed))


def _wrapped(head: str, words: str) -> list[str]:
    return wrap(f"{head}: {words or '-'}", WIDTH, subsequent_indent="  ")


def _columns(view: View, players: Sequence[str]) -> Iterator[str]:
    if view.auction is not None:
        auction = view.auction
        bid = "no bid yet" if auction.leader is None else f"{_short(players[auction.leader])} bids ${auction.bid}"
        yield from _wrapped(f"Auction of {auction.company}", f"{bid}; the next bid is at least ${auction.minimum}")
        yield from _wrapped("Still in", ", ".join(_short(players[seat]) for seat in auction.still_in))
    if view.opening_lots:
        yield from _wrapped("Still to be auctioned", ", ".join(view.opening_lots))
    yield from _wrapped("Order", ", ".join(_short(players[seat]) for seat in view.order))
    for phase, column in enumerate(view.columns, 1):
        taken = [f"{SPACES[space].name} {_short(players[seat])}" for space, seat in column.items()]
        yield from _wrapped(f"Phase {phase}", ", ".join(taken))


def _end(view: View) -> list[str]:
    end = view.end
    return wrap(
        f"End: {count_phrase(dividends_left(view), 'dividend')} to come, "
        f"{count_phrase(end.shares_left, 'share')} in supply, "
        f"{end.low_supplies} of {end.low_supplies_needed} supplies at {end.low_means} pieces or fewer.",
        WIDTH,
    )


def dividends_left(view: View) -> int:
    """Return how many dividends can still be paid: one for this year and one for each later year.

    If a condition for an early end is met (AR-51), this year's dividend is the last.
    """
    if view.has_ended:
        return 0
    return 1 if _is_sold_out(view) or _is_low(view) else view.end.years_left + 1


def _is_sold_out(view: View) -> bool:
    return view.end.shares_left == 0


def _is_low(view: View) -> bool:
    return view.end.low_supplies >= view.end.low_supplies_needed


def _short(name: str) -> str:
    return name if len(name) <= NAME_WIDTH - 1 else name[: NAME_WIDTH - 2] + "."


# Beside the map


def stage(view: View) -> list[Line]:
    """Return text lines about the current stage of the game.

    During the opening, the lines list the shares still to be auctioned. After the opening, they show the turn order and
    the seats on the spaces of the column.
    """
    if view.is_opening:
        return [[("still to be auctioned: ", HEADING), (", ".join(view.opening_lots) or "none", "")]]
    order = [(f"{view.year}, phase {view.phase}, order ", HEADING)]
    order += [(f"{seat + 1} ", seat_style(seat)) for seat in view.order]
    column = view.columns[view.phase - 1] if view.columns else {}
    track = [("spaces ", HEADING)]
    for space, (name, *_) in SPACES.items():
        taken = column.get(space)
        short = name.replace(" ", "")
        track += [(f"{short} ", "dim")] if taken is None else [(f"{short}:", ""), (f"{taken + 1} ", seat_style(taken))]
    return [order, track]


def end(board: Mapping[str, Any], view: View) -> str:
    """Return a text about how close the game is to its end. A condition that is met is marked with `!`."""
    near = view.end
    return (
        f"Ends: dividends left {dividends_left(view)}, shares left {near.shares_left}{'!' * _is_sold_out(view)}, "
        f"low supplies {near.low_supplies}/{near.low_supplies_needed}{'!' * _is_low(view)}"
    )


def asked(view: View, names: Sequence[str]) -> list[Line]:
    when = "Opening auctions" if view.is_opening else f"Year {view.year}, phase {view.phase}"
    if not view.is_opening and not view.has_ended:
        when += f" (order {' '.join(str(seat + 1) for seat in view.order)})"
    question = view.question
    line = ENDED if question is None else asked_to(names[question.seat], QUESTIONS[question.asks])
    return [[(when, "")], [*line, *panels.standing(view, names)]]


def companies(board: Mapping[str, Any], view: View, width: int) -> list[Line]:
    return panels.company_lines(board, view, _stocks(view), pieces="cube", absent="not in play")


players = partial(panels.shareholder_lines, dividends_left=dividends_left)


def auction(view: View, names: Sequence[str], width: int) -> list[Line]:
    return panels.auction_lines(view, _stocks(view), names, width)


def _stocks(view: View) -> list[Stock]:
    return [Stock(company.in_play, company.shares_held, company.cubes_left) for company in view.companies]
