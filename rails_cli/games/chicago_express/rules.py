"""The rules of Chicago Express, in the order of the rule sheet (RULES.md); ids in comments are those of the sheet.

`apply` answers the pending question and puts the next one. A question whose only answer would be `pass` is not put: the
rules pass for the player (CE-22).
"""

from collections.abc import Sequence
from operator import eq
from typing import Any, Literal, assert_never

from protocol.chicago_express import (
    ActionChosen,
    ActionLost,
    Build,
    Built,
    ChicagoReached,
    Choose,
    DetroitMoved,
    Develop,
    Developed,
    DialsReset,
    DividendPaid,
    EndReason,
    Entry,
    Event,
    GameEnded,
    Offer,
    Options,
    ShareOffered,
    ShareSold,
    ShareUnsold,
    WabashOpened,
)
from protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed
from protocol.log import Seed
from rails_cli.core.auction import next_bidder
from rails_cli.core.hexgrid import numbers_in
from rails_cli.core.luck import below, seeded
from rails_cli.core.money import BANK, open_accounts, pay, per_share, per_share_once_sold, ranks_of
from rails_cli.games.chicago_express.board import ACTIONS, DEVELOP, EXPAND, NOWHERE, Board
from rails_cli.games.chicago_express.network import hex_value, place_locomotive
from rails_cli.games.chicago_express.questions import (
    ANY_COMPANY,
    NOBODY,
    BidOrPass,
    DevelopHex,
    Expand,
    OfferShare,
    PickDial,
)
from rails_cli.games.chicago_express.state import State
from rails_cli.games.game import ImpossibleEvents

PASS = Pass()

Events = list[Event] | None
Occasion = Literal["opening", "auction", "wabash"]


def legal_actions(state: State, board: Board) -> list[Entry]:
    """Every answer to the pending question, in board order, the mildest last."""
    question = state.pending
    if question is None:
        return []
    if type(question) is BidOrPass:
        return legal_bids(state, board, question)
    if type(question) is PickDial:
        return legal_dials(state, board, question)
    if type(question) is Expand:
        return legal_builds(state, board, question)
    if type(question) is DevelopHex:
        return legal_developments(state, board, question)
    if type(question) is OfferShare:
        return legal_offers(state, board, question)
    assert_never(question)


def apply(state: State, board: Board, action: Any, events: Events = None) -> None:
    """Plays a legal action for the seat that is asked; trusts its caller and changes the state."""
    question = state.pending
    assert question is not None
    if type(question) is BidOrPass:
        on_bid(state, board, question, action, events)
    elif type(question) is PickDial:
        on_choose(state, board, question, action, events)
    elif type(question) is Expand:
        on_build(state, board, question, action, events)
    elif type(question) is DevelopHex:
        on_develop(state, board, question, action, events)
    elif type(question) is OfferShare:
        on_offer(state, board, question, action, events)
    else:
        assert_never(question)


# Components and set-up: CE-1 to CE-7


def setup(board: Board, players: int, options: Options, seed: Seed, events: Events = None) -> State:
    """The position before the first opening auction."""
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


def preload_chance(state: State, board: Board, events: Sequence[Event]) -> None:
    """Nothing is left to chance after the set-up."""


def set_up_for(board: Board, players: int, options: Options, first: int, events: Events) -> State:
    companies = board.companies
    state = State()
    state.options = options
    state.seats = players
    state.turn = NOBODY
    state.money = open_accounts([board.cash[players]] * players, companies)  # CE-1
    state.held = [0] * (companies * players)
    state.sold = [0] * companies
    state.income = [0] * companies
    state.left = board.locomotives[:]
    state.track = [0] * companies
    state.developed = 0
    state.houses = board.houses
    state.scales = [0] * len(board.scale_hexes)
    state.dials = [0] * len(ACTIONS)
    state.red = 0
    state.stands = bytearray(len(board.hex_ids))
    state.occupied = 0
    state.sites = [0] * companies
    state.builds = [[]] * companies
    state.memo = None
    for company in board.opening:
        place_locomotive(state, board, company, board.start[company])  # CE-2
    start_auction(state, board, board.opening[0], first, "opening", events)
    return state


# Opening auctions, and bidding in all auctions: CE-10 to CE-15, CE-32


def start_auction(state: State, board: Board, company: int, first: int, occasion: Occasion, events: Events) -> None:
    is_opening = occasion == "opening"
    minimum = board.opening_bid[company] if is_opening else minimum_bid(state, company)
    if events is not None:
        events.append(ShareOffered(first, board.company_ids[company], minimum, occasion))
    everybody = (1 << state.seats) - 1
    ask_bidder(state, board, BidOrPass(company, first, is_opening, NOBODY, minimum, first, everybody), events)


def ask_bidder(state: State, board: Board, question: BidOrPass, events: Events) -> None:
    """Puts the question, unless it came back to the leader (CE-11, CE-14) or the bidder cannot pay (CE-12, CE-22)."""
    if question.seat == question.leader:
        sell_share(state, board, question, question.leader, question.minimum - 1, events)
    elif state.money[question.seat] >= question.minimum:
        state.pending = question
    else:
        pass_bidder(state, board, question, events, forced=True)


def legal_bids(state: State, board: Board, question: BidOrPass) -> list[Entry]:
    return [BidRange(question.minimum, state.money[question.seat]), PASS]


def on_bid(state: State, board: Board, question: BidOrPass, action: Bid | Pass, events: Events) -> None:
    if type(action) is not Bid:
        pass_bidder(state, board, question, events, forced=False)
        return
    if events is not None:
        events.append(BidMade(question.seat, action.amount))
    ask_next_bidder(state, board, question, question.seat, action.amount + 1, question.still_in, events)


def pass_bidder(state: State, board: Board, question: BidOrPass, events: Events, *, forced: bool) -> None:
    """The bidder is out of this auction (CE-11)."""
    if events is not None:
        events.append(Passed(question.seat, forced))
    still_in = question.still_in & ~(1 << question.seat)
    if still_in:
        ask_next_bidder(state, board, question, question.leader, question.minimum, still_in, events)
    elif question.is_opening:
        sell_share(state, board, question, question.first, 0, events)  # CE-13
    else:
        if events is not None:
            events.append(ShareUnsold(board.company_ids[question.company]))  # CE-32
        finish_action(state, board, events)


def ask_next_bidder(
    state: State, board: Board, last: BidOrPass, leader: int, minimum: int, still_in: int, events: Events
) -> None:
    seat = next_bidder(still_in, last.seat, state.seats)
    following = BidOrPass(last.company, last.first, last.is_opening, leader, minimum, seat, still_in)
    ask_bidder(state, board, following, events)


def sell_share(state: State, board: Board, auction: BidOrPass, seat: int, price: int, events: Events) -> None:
    company = auction.company
    pay(state.money, seat, state.seats + company, price)
    state.held[company * state.seats + seat] += 1
    state.sold[company] += 1
    if events is not None:
        sold = state.sold[company]
        earned = per_share(state.income[company], sold)
        events.append(ShareSold(seat, board.company_ids[company], price, sold, earned))
    if not auction.is_opening:
        finish_action(state, board, events)
    elif company != board.opening[-1]:
        following = board.opening[board.opening.index(company) + 1]
        start_auction(state, board, following, seat, "opening", events)  # CE-10
    else:
        first_company = board.opening[0] * state.seats
        begin_turn(state, state.held.index(1, first_company) - first_company)  # CE-15


# A turn: CE-20 to CE-22


def begin_turn(state: State, seat: int) -> None:
    state.turn = seat
    state.pending = PickDial(seat)


def legal_dials(state: State, board: Board, question: PickDial) -> list[Entry]:
    return board.choices[state.red][:]


def on_choose(state: State, board: Board, question: PickDial, action: Choose, events: Events) -> None:
    chosen = ACTIONS.index(action.action)
    moved = state.dials[chosen] + 1
    state.dials[chosen] = moved
    if moved == board.red_at[chosen]:
        state.red |= 1 << chosen
    if events is not None:
        events.append(ActionChosen(state.turn, action.action, moved, moved == board.red_at[chosen]))
    if state.options.dividend_timing == "before_action" and is_dividend_due(state.red.bit_count()):  # CE-60
        reasons = hold_dividend_phase(state, board, events)
        if reasons:
            if events is not None:
                events.append(ActionLost(state.turn, action.action))
            end_game(state, reasons, events)
            return
    ask_action(state, board, chosen, events)


def ask_action(state: State, board: Board, chosen: int, events: Events) -> None:
    """Asks for the details of the chosen action, if it can be carried out (CE-22)."""
    seat = state.turn
    if chosen == EXPAND:
        if may_build_any(state, board, seat):
            state.pending = Expand(company=ANY_COMPANY, has_reached_chicago=False, left=board.expand_max, seat=seat)
            return
    elif chosen == DEVELOP:
        if developable(state, board):
            state.pending = DevelopHex(seat)
            return
    else:
        for company in range(board.companies):
            if may_offer(state, board, company):
                state.pending = OfferShare(seat)
                return
    pass_action(state, board, events, forced=True)


def pass_action(state: State, board: Board, events: Events, *, forced: bool) -> None:
    """The action is given up."""
    if events is not None:
        events.append(Passed(state.turn, forced))
    finish_action(state, board, events)


def finish_action(state: State, board: Board, events: Events) -> None:
    """The action of the turn is fully carried out: the dividend if it is due, then the next player (CE-21, CE-74)."""
    if is_dividend_due(state.red.bit_count()):
        reasons = hold_dividend_phase(state, board, events)
        if reasons:
            end_game(state, reasons, events)
            return
    seat = state.turn + 1
    begin_turn(state, seat if seat < state.seats else 0)


# Auction: CE-30 to CE-32


def minimum_bid(state: State, company: int) -> int:
    return per_share_once_sold(state.income[company], state.sold[company])  # CE-31


def may_offer(state: State, board: Board, company: int) -> bool:
    return state.sold[company] < board.shares[company] and state.track[company] != 0  # CE-30


def legal_offers(state: State, board: Board, question: OfferShare) -> list[Entry]:
    return [*(board.offer[company] for company in range(board.companies) if may_offer(state, board, company)), PASS]


def on_offer(state: State, board: Board, question: OfferShare, action: Offer | Pass, events: Events) -> None:
    if type(action) is not Offer:
        pass_action(state, board, events, forced=False)
        return
    start_auction(state, board, board.company_number[action.company], state.turn, "auction", events)


# Expand: CE-40 to CE-46


def may_build(state: State, company: int) -> bool:
    if state.left[company]:
        treasury = state.money[state.seats + company]
        for entry in state.builds[company]:
            if (entry.cost or 0) <= treasury:
                return True
    return False


def may_build_any(state: State, board: Board, seat: int) -> bool:
    for company in range(board.companies):
        if state.held[company * state.seats + seat] and may_build(state, company):
            return True
    return False


def legal_builds(state: State, board: Board, question: Expand) -> list[Entry]:
    """The first build may be for any company of which the player holds a share, the others are for the same (CE-40)."""
    legal: list[Entry] = []
    if question.company != ANY_COMPANY:
        legal += builds_of(state, board, question.company)
    else:
        for company in range(board.companies):
            if state.held[company * state.seats + question.seat]:
                legal += builds_of(state, board, company)
    legal.append(PASS)
    return legal


def builds_of(state: State, board: Board, company: int) -> list[Build]:
    """What the company has the locomotives and the money for (CE-40, CE-43)."""
    if not state.left[company]:
        return []
    treasury = state.money[state.seats + company]
    builds = state.builds[company]
    if treasury >= board.dearest:
        return builds
    return [entry for entry in builds if (entry.cost or 0) <= treasury]


def on_build(state: State, board: Board, question: Expand, action: Build | Pass, events: Events) -> None:
    if type(action) is not Build:
        if events is not None:
            events.append(Passed(question.seat))
        finish_expansion(state, board, question, events)
        return
    company = board.company_number[action.company]
    place = board.hex_number[action.hex]
    treasury = state.seats + company
    cost = board.costs[place][state.stands[place].bit_count()]
    assert cost is not None
    pay(state.money, treasury, BANK, cost)
    place_locomotive(state, board, company, place)
    if events is not None:
        events.append(
            Built(
                question.seat,
                action.company,
                action.hex,
                board.hex_names[place],
                cost,
                state.money[treasury],
                state.income[company],
                state.left[company],
            )
        )
    if place == board.chicago and state.options.chicago_phase == "at_once":  # CE-46
        hold_chicago_phase(state, board, company, events)
        return
    following = Expand(
        company=company,
        has_reached_chicago=question.has_reached_chicago or place == board.chicago,
        left=question.left - 1,
        seat=question.seat,
    )
    continue_expansion(state, board, following, events)


def continue_expansion(state: State, board: Board, question: Expand, events: Events) -> None:
    """Asks for the next locomotive, if there may be one (CE-22)."""
    if question.left and may_build(state, question.company):
        state.pending = question
        return
    if question.left and events is not None:
        events.append(Passed(question.seat, True))
    finish_expansion(state, board, question, events)


def finish_expansion(state: State, board: Board, question: Expand, events: Events) -> None:
    """An expansion is one unit: Chicago counts when it is finished (CE-45)."""
    if question.has_reached_chicago:
        hold_chicago_phase(state, board, question.company, events)
    else:
        finish_action(state, board, events)


# Develop: CE-50 to CE-54


def developable(state: State, board: Board) -> int:
    """The hexes with a locomotive that may be developed (CE-50)."""
    hexes = state.occupied & board.house_hexes & ~state.developed if state.houses else 0  # CE-51, CE-52
    for scale, bit, last_step in board.player_scales:
        if state.occupied & bit and state.scales[scale] < last_step:  # CE-53
            hexes |= bit
    return hexes


def legal_developments(state: State, board: Board, question: DevelopHex) -> list[Entry]:
    legal: list[Entry] = [board.develop_entries[place] for place in numbers_in(developable(state, board))]
    legal.append(PASS)
    return legal


def on_develop(state: State, board: Board, question: DevelopHex, action: Develop | Pass, events: Events) -> None:
    if type(action) is not Develop:
        pass_action(state, board, events, forced=False)
        return
    place = board.hex_number[action.hex]
    scale = board.scale_of[place]
    if scale == NOWHERE:
        state.developed |= 1 << place
        state.houses -= 1
        gained = board.develop[place]
    else:
        gained = move_scale(state, board, scale)
    cash = board.develop_cash[place]
    there = companies_in(state, place)
    for company in there:
        state.income[company] += gained
        pay(state.money, BANK, state.seats + company, cash)  # CE-52
    if events is not None:
        events.append(
            Developed(
                state.turn,
                action.hex,
                board.hex_names[place],
                hex_value(state, board, place),
                state.houses,
                {board.company_ids[company]: state.income[company] for company in there} if gained else {},
                {board.company_ids[company]: cash for company in there} if cash else {},
            )
        )
    finish_action(state, board, events)


def move_scale(state: State, board: Board, scale: int) -> int:
    """Moves a marker one step; by how much the value rises."""
    values = board.scale_values[scale]
    step = state.scales[scale] + 1
    state.scales[scale] = step
    return values[step] - values[step - 1]


def companies_in(state: State, place: int) -> list[int]:
    return numbers_in(state.stands[place])


# Dividend phase: CE-60 to CE-62


def is_dividend_due(red_dials: int) -> bool:
    return red_dials >= 2


def hold_dividend_phase(state: State, board: Board, events: Events) -> list[EndReason]:
    """Pays, then resets the dials and moves Detroit, unless there are reasons to end the game."""
    for company in range(board.companies):
        pay_dividend(state, board, company, "general", events)
    reasons = end_conditions_met(state, board)
    if not reasons:
        state.dials = [0] * len(ACTIONS)  # CE-62
        state.red = 0
        if events is not None:
            events.append(DialsReset())
        move_detroit(state, board, events)
    return reasons


def pay_dividend(
    state: State, board: Board, company: int, occasion: Literal["general", "chicago"], events: Events
) -> None:
    sold = state.sold[company]
    if not sold:
        return
    earned = per_share(state.income[company], sold)  # CE-61
    first = company * state.seats
    payouts = [earned * shares for shares in state.held[first : first + state.seats]]
    for seat, payout in enumerate(payouts):
        pay(state.money, BANK, seat, payout)
    if events is not None:
        events.append(DividendPaid(board.company_ids[company], occasion, state.income[company], earned, payouts))


def move_detroit(state: State, board: Board, events: Events) -> None:
    scale = board.detroit
    if state.scales[scale] + 1 == len(board.scale_values[scale]):
        return
    gained = move_scale(state, board, scale)
    place = board.scale_hexes[scale]
    there = companies_in(state, place)
    for company in there:
        state.income[company] += gained
    if events is not None:
        incomes = {board.company_ids[company]: state.income[company] for company in there}
        events.append(DetroitMoved(board.hex_ids[place], hex_value(state, board, place), incomes))


# Chicago phase: CE-70 to CE-74


def hold_chicago_phase(state: State, board: Board, company: int, events: Events) -> None:
    if events is not None:
        events.append(ChicagoReached(state.turn, board.company_ids[company]))
    pay_dividend(state, board, company, "chicago", events)
    if state.track[board.wabash]:
        finish_action(state, board, events)
    else:
        open_wabash(state, board, events)
        start_auction(state, board, board.wabash, state.turn, "wabash", events)  # CE-72


def open_wabash(state: State, board: Board, events: Events) -> None:
    wabash = board.wabash
    place_locomotive(state, board, wabash, board.start[wabash])  # CE-71
    if events is not None:
        home = board.hex_ids[board.start[wabash]]
        events.append(WabashOpened(board.company_ids[wabash], home, state.income[wabash], state.left[wabash]))


# End: CE-80, CE-81


def end_conditions_met(state: State, board: Board) -> list[EndReason]:
    return [reason for reason, _, _, is_met in end_conditions(state, board) if is_met]


def end_conditions(state: State, board: Board) -> list[tuple[EndReason, int, int, bool]]:
    """Each condition of CE-80: its name, where it stands, its limit, and whether it is met."""
    end = board.end
    locomotives_limit, shares_limit = end.companies_without_locomotives, end.companies_without_shares
    houses_limit = end.houses_left_at_most
    locomotives_out = state.left.count(0)
    shares_out = sum(map(eq, state.sold, board.shares))
    detroit = board.scale_values[board.detroit][state.scales[board.detroit]]
    return [
        ("locomotives_out", locomotives_out, locomotives_limit, locomotives_out >= locomotives_limit),
        ("shares_out", shares_out, shares_limit, shares_out >= shares_limit),
        ("houses_out", state.houses, houses_limit, state.houses <= houses_limit),
        ("detroit_full", detroit, end.detroit_at, detroit >= end.detroit_at),
    ]


def end_game(state: State, reasons: list[EndReason], events: Events) -> None:
    state.pending = None
    if events is not None:
        events.append(GameEnded(reasons))


def end_reasons(state: State, board: Board) -> list[str]:
    """Why the game ended; nothing while it runs."""
    return [] if state.pending is not None else [*end_conditions_met(state, board)]


def scores(state: State) -> list[int]:
    return state.money[: state.seats]


def ranks(state: State, board: Board) -> list[int]:
    return ranks_of(scores(state))  # CE-81
