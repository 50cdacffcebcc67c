"""The rules of Chicago Express in the order of RULES.md. Comments contain the ids of the rules.

Actions are numbers (see `moves.py`). `apply_move` answers the pending question and sets the next question. If a pass is
the only legal answer, the rules pass automatically and do not ask (CE-22).
"""

from collections.abc import Sequence
from functools import lru_cache
from operator import eq, mul
from typing import Any, Final, Literal

from rails_cli.games.chicago_express.board import ACTIONS, CHOOSE_FROM, DEVELOP, EXPAND, NOWHERE, PASS, PLAYERS, Board
from rails_cli.games.chicago_express.network import close_development, hex_value, place_locomotive
from rails_cli.games.chicago_express.questions import (
    ANY_COMPANY,
    NOBODY,
    BidOrPass,
    DevelopHex,
    Expand,
    OfferShare,
    PickDial,
)
from rails_cli.games.chicago_express.state import State, derive, developments_of
from rails_cli.games.game import ImpossibleEvents
from rails_cli.games.shared.auction import legal_bids, next_bidder, outcome
from rails_cli.games.shared.hexgrid import few_numbers_in
from rails_cli.games.shared.luck import below, seeded
from rails_cli.games.shared.money import BANK, open_accounts, pay, per_share, per_share_once_sold
from rails_cli.protocol.chicago_express import (
    ActionChosen,
    ActionLost,
    Built,
    ChicagoReached,
    DetroitMoved,
    Developed,
    DialsReset,
    DividendPaid,
    EndReason,
    Event,
    GameEnded,
    Options,
    ShareOffered,
    ShareSold,
    ShareUnsold,
    WabashOpened,
)
from rails_cli.protocol.common import BidMade, FirstPlayer, Passed
from rails_cli.protocol.log import Seed

RULES_VERSION: Final = 3
"""Version number of the rules, stored in logs.

Only a major version of the program changes it. Between major versions, a change of the rules is an option of the game.
"""

PICK_DIAL: Final = [PickDial(seat) for seat in range(max(PLAYERS))]
OFFER_SHARE: Final = [OfferShare(seat) for seat in range(max(PLAYERS))]
DEVELOP_HEX: Final = [DevelopHex(seat) for seat in range(max(PLAYERS))]

Events = list[Event] | None
Occasion = Literal["opening", "auction", "wabash"]


def legal_moves(state: State, board: Board) -> list[int]:
    """Return the legal answers to the pending question as numbers, a pass last. Return an empty list after the end."""
    question: Any = state.pending
    kind = type(question)
    if kind is PickDial:
        return board.choices[state.red][:]
    if kind is Expand:
        return legal_builds(state, board, question)
    if kind is BidOrPass:
        return legal_bids(board.ready_bids, question.minimum, state.money[question.seat], PASS)
    if kind is DevelopHex:
        return [*state.developments, PASS]
    if kind is OfferShare:
        return legal_offers(state, board)
    return []


def apply_move(state: State, board: Board, move: int, events: Events = None) -> None:
    """Play a legal move for the seat to move, without validation, and change `state`. Append the events to `events`."""
    question: Any = state.pending
    kind = type(question)
    if kind is PickDial:
        on_choose(state, board, move, events)
    elif kind is Expand:
        on_build(state, board, question, move, events)
    elif kind is BidOrPass:
        on_bid(state, board, question, move, events)
    elif kind is DevelopHex:
        on_develop(state, board, move, events)
    else:
        assert kind is OfferShare
        on_offer(state, board, move, events)


# Components and set-up: CE-1 to CE-7


def setup(board: Board, players: int, options: Options, seed: Seed, events: Events = None) -> State:
    """Return the position at the start of the first opening auction."""
    first = 0  # CE-5
    if options.first_player == "drawn":  # CE-7
        first, _ = below(seeded(seed), players)
        if events is not None:
            events.append(FirstPlayer(first))
    return set_up_for(board, players, options, first, events)


def setup_from_events(board: Board, players: int, options: Options, events: Sequence[Event]) -> State:
    drawn = [event.seat for event in events if type(event) is FirstPlayer]
    if len(drawn) != (options.first_player == "drawn") or any(seat not in range(players) for seat in drawn):
        raise ImpossibleEvents(f"the set-up draws {drawn or 'nobody'} as first player of {players}")
    return set_up_for(board, players, options, drawn[0] if drawn else 0, None)


def set_up_for(board: Board, players: int, options: Options, first: int, events: Events) -> State:
    state = before_auctions(board, players, options).copy()
    start_auction(state, board, board.opening[0], first, "opening", events)
    return state


@lru_cache(maxsize=64)
def before_auctions(board: Board, players: int, options: Options) -> State:
    """Return the cached position before the first auction. Callers must copy it."""
    companies = board.companies
    state = State()
    state.pending = None
    state.options = options
    state.seats = players
    state.turn = NOBODY
    state.money = open_accounts([board.cash[players]] * players, companies)  # CE-1
    state.held = [0] * (companies * players)
    state.income = [0] * companies
    state.left = board.locomotives[:]
    state.track = [0] * companies
    state.developed = 0
    state.houses = board.houses
    state.scales = [0] * len(board.scale_hexes)
    state.dials = [0] * len(ACTIONS)
    derive(state, board)
    for company in board.opening:
        place_locomotive(state, board, company, board.start[company])  # CE-2
    return state


# Opening auctions, and bidding in all auctions: CE-10 to CE-15, CE-32


def start_auction(state: State, board: Board, company: int, first: int, occasion: Occasion, events: Events) -> None:
    is_opening = occasion == "opening"
    minimum = board.opening_bid[company] if is_opening else minimum_bid(state.income[company], state.sold[company])
    if events is not None:
        events.append(ShareOffered(first, board.company_ids[company], minimum, occasion))
    ask_bidder(state, board, company, first, is_opening, NOBODY, minimum, first, (1 << state.seats) - 1, events)


def ask_bidder(
    state: State,
    board: Board,
    company: int,
    first: int,
    is_opening: bool,
    leader: int,
    minimum: int,
    seat: int,
    still_in: int,
    events: Events,
) -> None:
    """Ask `seat` for a bid, or the next seat that can pay `minimum` (CE-11, CE-12, CE-14, CE-22).

    Seats that cannot pay pass automatically. End the auction if it is the turn of `leader` again, or if no seat can
    bid. `first` is the seat that was asked first. `leader` is the seat with the highest bid, or NOBODY. `still_in` is
    the mask of seats that have not passed.
    """
    while seat != leader:
        if state.money[seat] >= minimum:
            state.pending = BidOrPass(company, first, is_opening, leader, minimum, seat, still_in)
            return
        if events is not None:
            events.append(Passed(seat, True))
        still_in ^= 1 << seat
        if not still_in:
            close_auction(state, board, company, first, is_opening, events)
            return
        seat = next_bidder(still_in, seat, state.seats)
    sell_share(state, board, company, is_opening, leader, minimum - 1, events)


def on_bid(state: State, board: Board, auction: BidOrPass, move: int, events: Events) -> None:
    seat, still_in = auction.seat, auction.still_in
    if move != PASS:
        leader, minimum = seat, move - board.bids_at + 1
        if events is not None:
            events.append(BidMade(seat, minimum - 1))
    else:
        leader, minimum = auction.leader, auction.minimum
        if events is not None:
            events.append(Passed(seat))
        still_in ^= 1 << seat  # CE-11
        if not still_in:
            close_auction(state, board, auction.company, auction.first, auction.is_opening, events)
            return
    seat = next_bidder(still_in, seat, state.seats)
    company, first = auction.company, auction.first
    ask_bidder(state, board, company, first, auction.is_opening, leader, minimum, seat, still_in, events)


def close_auction(state: State, board: Board, company: int, first: int, is_opening: bool, events: Events) -> None:
    """End an auction in which no seat has bid. An opening share then goes to the seat `first` for $0 (CE-13)."""
    if is_opening:
        sell_share(state, board, company, is_opening, first, 0, events)  # CE-13
    else:
        if events is not None:
            events.append(ShareUnsold(board.company_ids[company]))  # CE-32
        finish_action(state, board, events)


def auction_outcome(auction: BidOrPass, limits: Sequence[int]) -> tuple[int, int]:
    """Return the buyer and the price of the auctioned share if each seat bids up to its limit.

    If no seat bids, the buyer of an opening share is the seat that was asked first, for $0 (CE-13). For any other
    share, the buyer is then NOBODY.
    """
    seat, price = outcome(limits, auction.still_in, auction.leader, auction.minimum)
    return (auction.first, 0) if seat == NOBODY and auction.is_opening else (seat, price)  # CE-13


def sell_share(
    state: State, board: Board, company: int, is_opening: bool, seat: int, price: int, events: Events
) -> None:
    hand_over_share(state.money, state.held, state.sold, company, seat, price)
    if company not in state.owned[seat]:
        state.owned = state.owned[:]
        state.owned[seat] = tuple(sorted((*state.owned[seat], company)))
    if events is not None:
        sold = state.sold[company]
        earned = per_share(state.income[company], sold)
        events.append(ShareSold(seat, board.company_ids[company], price, sold, earned))
    if not is_opening:
        finish_action(state, board, events)
    elif company != board.opening[-1]:
        following = board.opening[board.opening.index(company) + 1]
        start_auction(state, board, following, seat, "opening", events)  # CE-10
    else:
        first_company = board.opening[0] * state.seats
        begin_turn(state, state.held.index(1, first_company) - first_company)  # CE-15


def hand_over_share(money: list[int], held: list[int], sold: list[int], company: int, seat: int, price: int) -> None:
    """Transfer a share to the buyer `seat`, who pays `price` to the company's treasury."""
    seats = len(held) // len(sold)
    pay(money, seat, seats + company, price)
    held[company * seats + seat] += 1
    sold[company] += 1


# A turn: CE-20 to CE-22


def begin_turn(state: State, seat: int) -> None:
    state.turn = seat
    state.pending = PICK_DIAL[seat]


def on_choose(state: State, board: Board, move: int, events: Events) -> None:
    chosen = move - CHOOSE_FROM
    moved = state.dials[chosen] + 1
    state.dials[chosen] = moved
    if moved == board.red_at[chosen]:
        state.red |= 1 << chosen
    if events is not None:
        events.append(ActionChosen(state.turn, ACTIONS[chosen], moved, moved == board.red_at[chosen]))
    if IS_DIVIDEND_DUE[state.red] and state.options.dividend_timing == "before_action":  # CE-60
        reasons = hold_dividend_phase(state, board, events)
        if reasons:
            if events is not None:
                events.append(ActionLost(state.turn, ACTIONS[chosen]))
            end_game(state, reasons, events)
            return
    ask_action(state, board, chosen, events)


def ask_action(state: State, board: Board, chosen: int, events: Events) -> None:
    """Ask how the chosen action (AUCTION, EXPAND or DEVELOP) is carried out. If that is impossible, pass (CE-22)."""
    seat = state.turn
    if chosen == EXPAND:
        if may_build(state, board, state.owned[seat]):
            state.pending = Expand(ANY_COMPANY, False, board.expand_max, seat)
            return
    elif chosen == DEVELOP:
        if state.developments:
            state.pending = DEVELOP_HEX[seat]
            return
    else:
        for company, track in enumerate(state.track):
            if may_offer(board, company, track, state.sold[company]):
                state.pending = OFFER_SHARE[seat]
                return
    pass_action(state, board, events, forced=True)


def pass_action(state: State, board: Board, events: Events, *, forced: bool) -> None:
    """Decline the chosen action and end the turn. `forced` says whether the pass was the only legal answer."""
    if events is not None:
        events.append(Passed(state.turn, forced))
    finish_action(state, board, events)


def finish_action(state: State, board: Board, events: Events) -> None:
    """End the turn.

    Pay dividends of all companies if they are due, then continue with the next player (CE-21, CE-74).
    """
    if IS_DIVIDEND_DUE[state.red]:
        reasons = hold_dividend_phase(state, board, events)
        if reasons:
            end_game(state, reasons, events)
            return
    seat = state.turn + 1
    begin_turn(state, seat if seat < state.seats else 0)


# Auction: CE-30 to CE-32


def minimum_bid(income: int, sold: int) -> int:
    """Return the lowest bid for a share of a company with the income `income` and `sold` sold shares."""
    return per_share_once_sold(income, sold)  # CE-31


def may_offer(board: Board, company: int, track: int, sold: int) -> bool:
    """Return whether a share of a company may be auctioned.

    `sold` is the number of the company's sold shares. `track` is the mask of hexes with the company's locomotives.
    """
    return sold < board.shares[company] and track != 0  # CE-30


def legal_offers(state: State, board: Board) -> list[int]:
    legal = [
        board.offers_at + company
        for company, track in enumerate(state.track)
        if may_offer(board, company, track, state.sold[company])
    ]
    legal.append(PASS)
    return legal


def on_offer(state: State, board: Board, move: int, events: Events) -> None:
    if move == PASS:
        pass_action(state, board, events, forced=False)
        return
    start_auction(state, board, move - board.offers_at, state.turn, "auction", events)


# Expand: CE-40 to CE-46


def may_build(state: State, board: Board, companies: tuple[int, ...]) -> bool:
    """Return whether one of `companies` has a locomotive left and can pay for a hex in which it may build."""
    cost = state.cost
    for company in companies:
        if state.left[company]:
            treasury, first = state.money[state.seats + company], board.builds_from[company]
            for move in state.builds[company]:
                if cost[move - first] <= treasury:
                    return True
    return False


def legal_builds(state: State, board: Board, question: Expand) -> list[int]:
    """Return the legal builds of an expansion and the pass.

    The first locomotive may belong to any company in which the player holds a share. Later locomotives must belong to
    the same company (CE-40).
    """
    legal: list[int] = []
    if question.company != ANY_COMPANY:
        legal += builds_of(state, board, question.company)
    else:
        for company in state.owned[question.seat]:
            legal += builds_of(state, board, company)
    legal.append(PASS)
    return legal


def builds_of(state: State, board: Board, company: int) -> list[int]:
    """Return the moves that place a locomotive of a company and that its treasury can pay for (CE-40, CE-43)."""
    treasury = state.money[state.seats + company]
    builds = state.builds[company]
    if not state.left[company]:
        return []
    if treasury >= state.dearest:
        return builds
    cost, first = state.cost, board.builds_from[company]
    return [move for move in builds if cost[move - first] <= treasury]


def on_build(state: State, board: Board, question: Expand, move: int, events: Events) -> None:
    if move == PASS:
        if events is not None:
            events.append(Passed(question.seat))
        finish_expansion(state, board, question.company, question.has_reached_chicago, events)
        return
    company, place = board.company_of[move], board.place_of[move]
    treasury = state.seats + company
    cost = state.cost[place]  # CE-43
    pay(state.money, treasury, BANK, cost)
    place_locomotive(state, board, company, place)
    if events is not None:
        names = board.company_ids[company], board.hex_ids[place], board.hex_names[place]
        numbers = cost, state.money[treasury], state.income[company], state.left[company]
        events.append(Built(question.seat, *names, *numbers))
    if place == board.chicago and state.options.chicago_phase == "at_once":  # CE-46
        hold_chicago_phase(state, board, company, events)
        return
    has_reached_chicago = question.has_reached_chicago or place == board.chicago
    left = question.left - 1
    if left:
        if may_build(state, board, (company,)):
            state.pending = Expand(company, has_reached_chicago, left, question.seat)
            return
        if events is not None:
            events.append(Passed(question.seat, True))  # CE-22
    finish_expansion(state, board, company, has_reached_chicago, events)


def finish_expansion(state: State, board: Board, company: int, has_reached_chicago: bool, events: Events) -> None:
    """End an expansion. If the company has reached Chicago, start the Chicago phase, otherwise end the turn (CE-45)."""
    if has_reached_chicago:
        hold_chicago_phase(state, board, company, events)
    else:
        finish_action(state, board, events)


# Develop: CE-50 to CE-54


def on_develop(state: State, board: Board, move: int, events: Events) -> None:
    if move == PASS:
        pass_action(state, board, events, forced=False)
        return
    place = move - board.develops_at
    scale = board.scale_of[place]
    if scale == NOWHERE:
        state.developed |= board.bits[place]
        state.houses -= 1
        gained = board.develop[place]
        close_development(state, board, place)
        if not state.houses:
            state.developments = developments_of(state, board)
    else:
        gained = move_scale(state, board, scale)
        if state.scales[scale] + 1 == len(board.scale_values[scale]):
            close_development(state, board, place)
    cash = board.develop_cash[place]
    there = few_numbers_in(state.stands[place])
    for company in there:
        state.income[company] += gained
        pay(state.money, BANK, state.seats + company, cash)  # CE-52
    if events is not None:
        value = hex_value(state, board, place)
        incomes = {board.company_ids[company]: state.income[company] for company in there} if gained else {}
        received = {board.company_ids[company]: cash for company in there} if cash else {}
        hex_id, name = board.hex_ids[place], board.hex_names[place]
        events.append(Developed(state.turn, hex_id, name, value, state.houses, incomes, received))
    finish_action(state, board, events)


def move_scale(state: State, board: Board, scale: int) -> int:
    """Move the marker of a scale one step. Return the increase of the scale's value in dollars."""
    values = board.scale_values[scale]
    step = state.scales[scale] + 1
    state.scales[scale] = step
    return values[step] - values[step - 1]


# Dividend phase: CE-60 to CE-62


def is_dividend_due(red_dials: int) -> bool:
    return red_dials >= 2


IS_DIVIDEND_DUE: Final = [is_dividend_due(red.bit_count()) for red in range(1 << len(ACTIONS))]


def hold_dividend_phase(state: State, board: Board, events: Events) -> list[EndReason]:
    """Pay the dividends of all companies and return the conditions that end the game.

    If no condition is met, reset the dials and move Detroit's marker.
    """
    pay_dividends(state, board, range(board.companies), "general", events)
    reasons = end_conditions_met(state, board)
    if not reasons:
        state.dials = [0] * len(ACTIONS)  # CE-62
        state.red = 0
        if events is not None:
            events.append(DialsReset())
        move_detroit(state, board, events)
    return reasons


def pay_dividends(
    state: State, board: Board, payers: range, occasion: Literal["general", "chicago"], events: Events
) -> None:
    """Pay the dividends of the companies in the range `payers` to their shareholders (CE-61)."""
    seats, held = state.seats, state.held
    earned = [per_share(state.income[company], state.sold[company]) for company in payers]
    first, end = payers.start * seats, payers.stop * seats
    for seat in range(seats):
        pay(state.money, BANK, seat, sum(map(mul, held[first + seat : end : seats], earned)))
    if events is not None:
        for company, each in zip(payers, earned, strict=True):
            if state.sold[company]:
                payouts = [each * shares for shares in held[company * seats : (company + 1) * seats]]
                events.append(DividendPaid(board.company_ids[company], occasion, state.income[company], each, payouts))


def move_detroit(state: State, board: Board, events: Events) -> None:
    scale = board.detroit
    if state.scales[scale] + 1 == len(board.scale_values[scale]):
        return
    gained = move_scale(state, board, scale)
    place = board.scale_hexes[scale]
    there = few_numbers_in(state.stands[place])
    for company in there:
        state.income[company] += gained
    if events is not None:
        incomes = {board.company_ids[company]: state.income[company] for company in there}
        events.append(DetroitMoved(board.hex_ids[place], hex_value(state, board, place), incomes))


# Chicago phase: CE-70 to CE-74


def hold_chicago_phase(state: State, board: Board, company: int, events: Events) -> None:
    if events is not None:
        events.append(ChicagoReached(state.turn, board.company_ids[company]))
    pay_dividends(state, board, range(company, company + 1), "chicago", events)
    if state.track[board.wabash]:
        finish_action(state, board, events)
    else:
        wabash = board.wabash
        home = board.start[wabash]
        place_locomotive(state, board, wabash, home)  # CE-71
        if events is not None:
            name, income, left = board.company_ids[wabash], state.income[wabash], state.left[wabash]
            events.append(WabashOpened(name, board.hex_ids[home], income, left))
        start_auction(state, board, wabash, state.turn, "wabash", events)  # CE-72


# End: CE-80, CE-81


def end_conditions_met(state: State, board: Board) -> list[EndReason]:
    conditions = end_conditions(board, state.left, state.sold, state.houses, state.scales[board.detroit])
    return [reason for reason, _, _, is_met in conditions if is_met]


def end_conditions(
    board: Board, left: Sequence[int], sold: Sequence[int], houses: int, detroit: int
) -> list[tuple[EndReason, int, int, bool]]:
    """Return each end condition of CE-80 as a tuple: name, current value, limit, and whether the condition is met.

    `left` and `sold` have the locomotives left and the shares sold of each company. `houses` is the number of houses
    left, and `detroit` is the step of Detroit's scale.
    """
    end = board.end
    locomotives_out, locomotives_limit = left.count(0), end.companies_without_locomotives
    shares_out, shares_limit = sum(map(eq, sold, board.shares)), end.companies_without_shares
    value = board.scale_values[board.detroit][detroit]
    return [
        ("locomotives_out", locomotives_out, locomotives_limit, locomotives_out >= locomotives_limit),
        ("shares_out", shares_out, shares_limit, shares_out >= shares_limit),
        ("houses_out", houses, end.houses_left_at_most, houses <= end.houses_left_at_most),
        ("detroit_full", value, end.detroit_at, value >= end.detroit_at),
    ]


def end_game(state: State, reasons: list[EndReason], events: Events) -> None:
    state.pending = None
    if events is not None:
        events.append(GameEnded(reasons))


def end_reasons(state: State, board: Board) -> list[str]:
    return [] if state.pending is not None else [*end_conditions_met(state, board)]


def scores(state: State) -> list[int]:
    return state.money[: state.seats]
