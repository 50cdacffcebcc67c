"""Conversion of a view of American Rails to a position. The position is exact because nothing is hidden."""

from collections.abc import Callable

from rails_cli.games.american_rails.board import PLAYERS, Board
from rails_cli.games.american_rails.questions import (
    BidOrPass,
    ChooseSpace,
    Expand,
    Nominate,
    PickCity,
    PickShare,
    PickSource,
    PickTreasury,
    PlaceFirstCube,
    Question,
)
from rails_cli.games.american_rails.state import FREE, State, keep_caches
from rails_cli.games.shared.auction import NOBODY
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.games.view_checks import (
    MOST_MONEY,
    check_amounts,
    check_auction,
    check_once,
    check_seats,
    with_value_errors,
)
from rails_cli.protocol.american_rails import View
from rails_cli.protocol.log import Seed

PLAIN_QUESTIONS: dict[str, Callable[[int], Question]] = {
    "nominate": Nominate,
    "choose": ChooseSpace,
    "develop": PickCity,
    "fund": PickTreasury,
    "auction": PickShare,
}
"""Types of the questions that have no field except the seat. The keys are values of `asks`, the field of a question in
a view that names the kind of question.
"""


@with_value_errors
def imagine(view: View, board: Board, seed: Seed) -> State:
    """Return the position that a view describes. `seed` is not used. Raise ValueError if no position has this view."""
    _check(view, board)
    state = State()
    state.options = view.options
    state.pending = _question(view, board)
    state.absent = mask_of(number for number, company in enumerate(view.companies) if not company.in_play)
    state.banker = view.banker
    state.cubes = [company.cubes_left for company in view.companies]
    state.developed = _mask(view.developed, board)
    state.held = bytearray(player.shares[company] for player in view.players for company in board.company_ids)
    state.income = [company.income for company in view.companies]
    state.lots = mask_of(board.company_number[company] for company in view.opening_lots)
    accounts = [*(player.cash for player in view.players), *(company.treasury for company in view.companies)]
    state.money = [*accounts, -sum(accounts)]  # the bank's balance is the negative sum of all others
    state.order = view.order
    state.phase = view.phase - 1
    state.seats = len(view.players)
    state.supply = [company.shares_left for company in view.companies]
    state.taken = bytearray(column.get(space, FREE) for column in view.columns for space in board.spaces)
    state.track = [_mask(company.track, board) for company in view.companies]
    moved = len(view.columns[view.phase - 1])
    state.turn = moved - 1 if moved and type(state.pending) is not ChooseSpace else moved
    state.year = board.file.years.index(view.year)
    keep_caches(state, board)
    return state


def _check(view: View, board: Board) -> None:
    """Raise ValueError if the view contains numbers that the board does not allow."""
    auction, question, companies = view.auction, view.question, view.companies
    in_auction = () if auction is None else (auction.leader, *auction.still_in)
    takers = [seat for column in view.columns for seat in column.values()]
    check_seats(view, PLAYERS, (view.banker, *view.order, *in_auction, *takers))
    if [company.id for company in companies] != board.company_ids:
        raise ValueError("these are not the companies of the board")
    check_amounts("cash", (player.cash for player in view.players))
    check_amounts("treasury", (company.treasury for company in companies))
    check_amounts("income", (company.income for company in companies), least=-MOST_MONEY)
    for company, cubes, most in zip(companies, board.cubes, board.shares, strict=True):
        check_amounts("cubes", (company.cubes_left,), cubes if company.in_play else 0)
        shares = [player.shares[company.id] for player in view.players]
        check_amounts("shares", (*shares, company.shares_left, sum(shares) + company.shares_left), most)
        check_once("track", company.track)
    check_once("development markers", view.developed)
    check_amounts("development markers", (len(view.developed),), board.markers)
    check_amounts("phase", (view.phase,), board.file.phases, least=1)
    if len(view.columns) != board.file.phases:
        raise ValueError(f"a year has {board.file.phases} phases, not {len(view.columns)}")
    if len(set(view.order)) < len(view.order) or not (view.is_opening or len(view.order) == len(view.players)):
        raise ValueError("everybody has one place in the turn order")
    check_amounts("turn", (len(view.columns[view.phase - 1]),), len(view.players))
    check_auction(view, "bid")
    if question is None:
        return
    if not view.is_opening:  # a seat takes a space before it acts
        taken = len(view.columns[view.phase - 1])
        check_amounts("turn", (taken if question.asks == "choose" else taken - 1,), len(view.players) - 1)
    if question.asks in ("take", "expand"):
        check_amounts("cubes", (question.cubes or 0,), max(board.expansions), least=int(question.asks == "expand"))
    if question.asks == "found" and question.company is None:
        raise ValueError("which company is founded is missing")


def _mask(places: list[str], board: Board) -> int:
    return mask_of(board.hex_number[place] for place in places)


def _question(view: View, board: Board) -> Question | None:
    asked = view.question
    if asked is None:
        return None
    if view.auction is not None:
        auction = view.auction
        leader = NOBODY if auction.leader is None else auction.leader
        company = board.company_number[auction.company]
        return BidOrPass(company, leader, auction.minimum, auction.is_opening, asked.seat, mask_of(auction.still_in))
    if asked.asks == "found":
        assert asked.company is not None
        return PlaceFirstCube(board.company_number[asked.company], view.is_opening, asked.seat)
    if asked.asks == "take" or asked.asks == "expand":
        cubes = asked.cubes or 0
        return PickSource(cubes, asked.seat) if asked.asks == "take" else Expand(cubes, asked.seat)
    return PLAIN_QUESTIONS[asked.asks](asked.seat)
