"""The rules of American Rails, in the order of the rule sheet (RULES.md): set-up, opening, phases, actions, end.

`legal_actions` lists the answers to the open question; `apply` trusts its caller and plays one of them.
"""

from collections.abc import Sequence
from typing import Any, Literal, assert_never

from protocol.american_rails import (
    Build,
    Built,
    Choose,
    CompanyRemoved,
    Develop,
    Developed,
    Entry,
    Event,
    Found,
    Founded,
    Fund,
    Funded,
    GameEnded,
    MoneyTaken,
    NumberTaken,
    Offer,
    Options,
    PlayersPaid,
    ShareOffered,
    ShareRemoved,
    ShareSold,
    SpaceTaken,
    Take,
    TurnOrderSet,
    YearAdvanced,
)
from protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed
from protocol.log import Seed
from rails_cli.core.auction import is_only, next_bidder
from rails_cli.core.hexgrid import mask_of, numbers_in
from rails_cli.core.luck import below, seeded, shuffle
from rails_cli.core.money import BANK, pay
from rails_cli.games.american_rails.board import FULL, MOST_COST, Board
from rails_cli.games.american_rails.end import met_conditions, pay_dividend
from rails_cli.games.american_rails.income import change_income, occupied, place_cube
from rails_cli.games.american_rails.questions import (
    NOBODY,
    BidOrPass,
    ChooseSpace,
    Expand,
    Nominate,
    PickCity,
    PickShare,
    PickSource,
    PickTreasury,
    PlaceFirstCube,
)
from rails_cli.games.american_rails.state import FREE, MARKER, State, new_state, owned_companies
from rails_cli.games.game import ImpossibleEvents

Events = list[Event] | None

PASS = Pass()


def legal_actions(state: State, board: Board) -> list[Entry]:
    """Every legal answer to the open question, the mildest last; none when the game has ended."""
    question = state.pending
    if question is None:
        return []
    if type(question) is Expand:
        return legal_expansions(state, board, question)
    if type(question) is BidOrPass:
        return legal_bids(state, board, question)
    if type(question) is ChooseSpace:
        return legal_spaces(state, board, question)
    if type(question) is PickSource:
        return legal_sources(state, board, question)
    if type(question) is PickShare:
        return legal_shares(state, board, question)
    if type(question) is PickTreasury:
        return legal_funds(state, board, question)
    if type(question) is PickCity:
        return legal_developments(state, board, question)
    if type(question) is PlaceFirstCube:
        return legal_starts(state, board, question)
    if type(question) is Nominate:
        return legal_lots(state, board, question)
    assert_never(question)


def apply(state: State, board: Board, action: Any, events: Events = None) -> None:
    """Plays a legal action."""
    question = state.pending
    assert question is not None
    if type(question) is Expand:
        on_expand(state, board, question, action, events)
    elif type(question) is BidOrPass:
        on_bid(state, board, question, action, events)
    elif type(question) is ChooseSpace:
        on_choose(state, board, question, action, events)
    elif type(question) is PickSource:
        on_take(state, board, question, action, events)
    elif type(question) is PickShare:
        on_auction(state, board, question, action, events)
    elif type(question) is PickTreasury:
        on_fund(state, board, question, action, events)
    elif type(question) is PickCity:
        on_develop(state, board, question, action, events)
    elif type(question) is PlaceFirstCube:
        on_found(state, board, question, action, events)
    elif type(question) is Nominate:
        on_nominate(state, board, question, action, events)
    else:
        assert_never(question)


def pass_by_force(seat: int, events: Events) -> None:
    """AR-23: where passing is the only answer the rules pass, and say so."""
    if events is not None:
        events.append(Passed(seat, True))


# Components and set-up: AR-1 to AR-6


def setup(board: Board, seats: int, options: Options, seed: Seed, events: Events = None) -> State:
    """AR-3: chance draws companies out, as many as the board says for this number of players; AR-6: then the banker."""
    order, luck = shuffle(range(board.companies), seeded(seed))
    removed = order[: board.rules_for[seats].companies_removed]
    if events is not None:
        events.extend(CompanyRemoved(board.company_ids[company]) for company in removed)
    banker = 0  # AR-5
    if options.first_player == "drawn":
        banker, _ = below(luck, seats)
        if events is not None:
            events.append(FirstPlayer(banker))
    return new_state(board, seats, options, mask_of(removed), banker)


def setup_from_events(board: Board, seats: int, options: Options, events: Sequence[Event]) -> State:
    removed = [event.company for event in events if type(event) is CompanyRemoved]
    expected = board.rules_for[seats].companies_removed
    if len(set(removed)) != expected or any(company not in board.company_number for company in removed):
        found = removed or "no company"
        raise ImpossibleEvents(f"the set-up removes {found}; expected {expected} of {board.company_ids}")
    drawn = [event.seat for event in events if type(event) is FirstPlayer]
    if len(drawn) != (options.first_player == "drawn") or any(seat not in range(seats) for seat in drawn):
        raise ImpossibleEvents(f"the set-up draws {drawn or 'nobody'} as first player of {seats}")
    absent = mask_of(board.company_number[company] for company in removed)
    return new_state(board, seats, options, absent, drawn[0] if drawn else 0)


def preload_chance(state: State, board: Board, events: Sequence[Event]) -> None:
    """Nothing is left to chance after the set-up."""


# Opening auctions: AR-10 to AR-14


def legal_lots(state: State, board: Board, question: Nominate) -> list[Entry]:
    return [board.offer[company] for company in numbers_in(state.lots)]


def on_nominate(state: State, board: Board, question: Nominate, action: Offer, events: Events) -> None:
    company = board.company_number[action.company]
    state.lots ^= 1 << company
    open_auction(state, board, question.seat, company, True, events)


def open_auction(state: State, board: Board, seat: int, company: int, opening: bool, events: Events) -> None:
    minimum = board.file.minimum_bid
    if events is not None:
        occasion: Literal["opening", "auction"] = "opening" if opening else "auction"
        events.append(ShareOffered(seat, board.company_ids[company], minimum, occasion))
    everybody = (1 << state.seats) - 1
    go_on_bidding(state, board, company, NOBODY, minimum, opening, seat - 1, everybody, events)


def go_on_bidding(
    state: State,
    board: Board,
    company: int,
    leader: int,
    minimum: int,
    opening: bool,
    last: int,
    still_in: int,
    events: Events,
) -> None:
    """Asks the next player after `last`, passing for those who cannot bid (AR-23), until the share is won or left."""
    while still_in:
        if leader != NOBODY and is_only(still_in, leader):
            sell(state, board, company, leader, minimum - 1, opening, events)
            return
        last = next_bidder(still_in, last, state.seats)
        if state.money[last] >= minimum:
            state.pending = BidOrPass(company, leader, minimum, opening, last, still_in)
            return
        pass_by_force(last, events)
        still_in ^= 1 << last
    remove_share(state, board, company, last, opening, events)


def legal_bids(state: State, board: Board, question: BidOrPass) -> list[Entry]:
    return [BidRange(question.minimum, state.money[question.seat]), PASS]


def on_bid(state: State, board: Board, question: BidOrPass, action: Bid | Pass, events: Events) -> None:
    seat = question.seat
    leader, minimum, still_in = question.leader, question.minimum, question.still_in
    if type(action) is Bid:
        leader, minimum = seat, action.amount + 1
        if events is not None:
            events.append(BidMade(seat, action.amount))
    else:
        still_in ^= 1 << seat
        if events is not None:
            events.append(Passed(seat))
    go_on_bidding(state, board, question.company, leader, minimum, question.opening, seat, still_in, events)


def sell(state: State, board: Board, company: int, seat: int, price: int, opening: bool, events: Events) -> None:
    """AR-12, AR-33: the winner pays the treasury and takes the share; a company's first cube comes next."""
    treasury = state.seats + company
    pay(state.money, seat, treasury, price)
    state.supply[company] -= 1
    change_holding(state, board, seat, company, 1)
    if events is not None:
        left = state.supply[company]
        events.append(ShareSold(seat, board.company_ids[company], price, state.money[treasury], left))
    if state.track[company]:
        next_turn(state, board, events)
    elif board.cities & ~occupied(state):
        state.pending = PlaceFirstCube(company, opening, seat)
    else:
        remove_company(state, board, company, seat, events)
        next_turn(state, board, events)


def change_holding(state: State, board: Board, seat: int, company: int, change: int) -> None:
    state.held = state.held[:]
    state.held[seat * board.companies + company] += change
    state.owned = [*state.owned[:seat], owned_companies(state, board, seat), *state.owned[seat + 1 :]]


def remove_share(state: State, board: Board, company: int, last: int, opening: bool, events: Events) -> None:
    """AR-13, AR-33: nobody bid, and `last` was the last to pass."""
    state.supply[company] -= 1
    if events is not None:
        events.append(ShareRemoved(board.company_ids[company], 1, "no_bid", state.supply[company]))
    if opening:
        next_lot(state, board, last, events)
    else:
        next_turn(state, board, events)


def legal_starts(state: State, board: Board, question: PlaceFirstCube) -> list[Entry]:
    return [entry for city, entry in board.found if not state.stands[city]]


def on_found(state: State, board: Board, question: PlaceFirstCube, action: Found, events: Events) -> None:
    """AR-12, AR-34: free of charge; the income becomes the full value of the city."""
    company, seat = question.company, question.seat
    city = board.hex_number[action.hex]
    state.beyond[company] ^= board.bit[city]
    state.frontier[company] = [city]
    place_cube(state, board, company, city, None)
    if events is not None:
        events.append(Founded(seat, board.company_ids[company], action.hex, board.names[city], state.income[company]))
    if question.opening:
        if seat not in state.order:
            take_number(state, seat, events)
        next_lot(state, board, seat, events)
    else:
        next_turn(state, board, events)


def take_number(state: State, seat: int, events: Events) -> None:
    state.order = [*state.order, seat]
    if events is not None:
        events.append(NumberTaken(seat, len(state.order)))


def next_lot(state: State, board: Board, nominator: int, events: Events) -> None:
    """AR-14: exactly one share of each company is put up; then the years begin."""
    if state.lots:
        state.pending = Nominate(nominator)
        return
    for place in range(state.seats):
        seat = (state.banker + place) % state.seats
        if seat not in state.order:
            take_number(state, seat, events)
    begin_phase(state, board, events)


# Action phases: AR-20 to AR-24


def begin_phase(state: State, board: Board, events: Events) -> None:
    state.turn = 0
    state.free = (1 << board.height) - 1
    state.pending = ChooseSpace(state.order[0])
    if events is not None:
        events.append(TurnOrderSet(board.file.years[state.year], state.phase + 1, state.order[:]))


def legal_spaces(state: State, board: Board, question: ChooseSpace) -> list[Entry]:
    """From the bottom of the column to the top: `pass` last, or else the free space nearest to it."""
    return board.choose[state.free][:]


def on_choose(state: State, board: Board, question: ChooseSpace, action: Choose, events: Events) -> None:
    """AR-20: a space may be taken though its action is impossible."""
    seat, chosen = question.seat, action.action
    space = board.space_number[chosen]
    state.taken[state.phase * board.height + space] = seat
    state.free ^= 1 << space
    if events is not None:
        events.append(SpaceTaken(seat, chosen))
    if chosen == "expand3" or chosen == "expand4":
        go_on_expanding(state, board, seat, board.expansion[chosen], events)
    elif chosen == "fund":
        state.pending = PickTreasury(seat)
    elif chosen == "take":
        state.pending = PickSource(board.expansion["take"] if board.rules_for[state.seats].take_may_expand else 0, seat)
    elif chosen == "auction" and any(state.supply):
        state.pending = PickShare(seat)
    elif chosen == "develop" and may_develop(state, board):
        state.pending = PickCity(seat)
    else:
        if chosen != "pass":
            pass_by_force(seat, events)
        next_turn(state, board, events)


def give_up(state: State, board: Board, seat: int, events: Events) -> None:
    """The player does not use the action, or stops expanding."""
    if events is not None:
        events.append(Passed(seat))
    next_turn(state, board, events)


def next_turn(state: State, board: Board, events: Events) -> None:
    turn = state.turn + 1
    if turn < state.seats:
        state.turn = turn
        state.pending = ChooseSpace(state.order[turn])
    elif state.phase + 1 < board.file.phases:
        state.order = order_of_column(state, board)
        state.phase += 1
        begin_phase(state, board, events)
    else:
        end_year(state, board, events)


def order_of_column(state: State, board: Board) -> list[int]:
    """AR-21: the players of the current column, from its top to its bottom."""
    first = state.phase * board.height
    return [seat for seat in list(state.taken[first : first + board.height]) if seat != FREE]


# Develop: AR-30


def may_develop(state: State, board: Board) -> bool:
    """Whether there is a marker, and a city for it."""
    has_marker = state.developed.bit_count() < board.file.markers
    return has_marker and bool(board.developable & occupied(state) & ~state.developed)


def legal_developments(state: State, board: Board, question: PickCity) -> list[Entry]:
    entries: list[Entry] = [entry for city, entry in board.develop if 0 < state.stands[city] < MARKER]
    entries.append(PASS)
    return entries


def on_develop(state: State, board: Board, question: PickCity, action: Develop | Pass, events: Events) -> None:
    seat = question.seat
    if type(action) is not Develop:
        give_up(state, board, seat, events)
        return
    city = board.hex_number[action.hex]
    companies = numbers_in(state.stands[city])
    state.developed |= board.bit[city]
    state.stands[city] |= MARKER
    if events is not None:
        left = board.file.markers - state.developed.bit_count()
        events.append(Developed(seat, action.hex, board.names[city], left))
    rise = board.file.development.full if len(companies) == 1 else board.file.development.shared  # AR-40
    for company in companies:
        change_income(state, board, company, city, rise, events)
    state.cost[city] = board.costs[city][state.stands[city].bit_count()]
    next_turn(state, board, events)


# Fund: AR-31


def legal_funds(state: State, board: Board, question: PickTreasury) -> list[Entry]:
    entries: list[Entry] = [*board.fund, PASS]
    for company in reversed(numbers_in(state.absent)):  # AR-24
        del entries[company]
    return entries


def on_fund(state: State, board: Board, question: PickTreasury, action: Fund | Pass, events: Events) -> None:
    if type(action) is not Fund:
        give_up(state, board, question.seat, events)
        return
    treasury = state.seats + board.company_number[action.company]
    pay(state.money, BANK, treasury, board.file.fund)
    if events is not None:
        events.append(Funded(question.seat, action.company, board.file.fund, state.money[treasury]))
    next_turn(state, board, events)


# Take, or expand instead: AR-32


def legal_sources(state: State, board: Board, question: PickSource) -> list[Entry]:
    entries = board.take[:]
    if question.cubes:
        entries += legal_builds(state, board, question.seat)
    entries.append(PASS)
    return entries


def on_take(state: State, board: Board, question: PickSource, action: Take | Build | Pass, events: Events) -> None:
    seat = question.seat
    if not isinstance(action, Take):
        on_expand(state, board, question, action, events)
        return
    if action.source == "bank":
        pay(state.money, BANK, seat, board.file.take)
        if events is not None:
            events.append(MoneyTaken(seat, board.file.take))
    else:
        take_from_players(state, board, seat, events)
    next_turn(state, board, events)


def take_from_players(state: State, board: Board, taker: int, events: Events) -> None:
    """Every other player pays the bank, or what he has if that is less."""
    payments = [0 if seat == taker else min(board.file.take, state.money[seat]) for seat in range(state.seats)]
    for seat, payment in enumerate(payments):
        pay(state.money, seat, BANK, payment)
    if events is not None:
        events.append(PlayersPaid(taker, payments))


# Auction: AR-33, AR-34; the bidding is that of the opening


def legal_shares(state: State, board: Board, question: PickShare) -> list[Entry]:
    entries: list[Entry] = [entry for entry, left in zip(board.offer, state.supply, strict=True) if left]
    entries.append(PASS)
    return entries


def on_auction(state: State, board: Board, question: PickShare, action: Offer | Pass, events: Events) -> None:
    if type(action) is not Offer:
        give_up(state, board, question.seat, events)
        return
    open_auction(state, board, question.seat, board.company_number[action.company], False, events)


def remove_company(state: State, board: Board, company: int, buyer: int, events: Events) -> None:
    """AR-34: no city is left to start in; all shares leave the game, the one just bought too."""
    shares = state.supply[company] + 1
    state.supply[company] = 0
    change_holding(state, board, buyer, company, -1)
    if events is not None:
        events.append(ShareRemoved(board.company_ids[company], shares, "no_city", 0, buyer))


# Expand: AR-35, AR-36


def go_on_expanding(state: State, board: Board, seat: int, cubes: int, events: Events) -> None:
    """Asks for the next cube; the turn is over after the last, or where none can be placed."""
    if cubes and may_build(state, seat):
        state.pending = Expand(cubes, seat)
        return
    if cubes:
        pass_by_force(seat, events)
    next_turn(state, board, events)


def may_build(state: State, seat: int) -> bool:
    cost, money, seats = state.cost, state.money, state.seats
    for company in state.owned[seat]:
        treasury = money[seats + company]
        for place in state.frontier[company]:
            if cost[place] <= treasury and cost[place] != FULL:
                return True
    return False


def legal_builds(state: State, board: Board, seat: int) -> list[Entry]:
    entries: list[Entry] = []
    cost, money, seats = state.cost, state.money, state.seats
    for company in state.owned[seat]:
        treasury = money[seats + company]
        purse = treasury if treasury < MOST_COST else MOST_COST  # always below FULL
        build = board.build[company]
        for place in state.frontier[company]:
            price = cost[place]
            if price <= purse:
                entries.append(build[place][price])
    return entries


def legal_expansions(state: State, board: Board, question: Expand) -> list[Entry]:
    entries = legal_builds(state, board, question.seat)
    entries.append(PASS)
    return entries


def on_expand(state: State, board: Board, question: Expand | PickSource, action: Build | Pass, events: Events) -> None:
    seat = question.seat
    if type(action) is not Build:
        give_up(state, board, seat, events)
        return
    company = board.company_number[action.company]
    place = board.hex_number[action.hex]
    treasury = state.seats + company
    cost = state.cost[place]
    pay(state.money, treasury, BANK, cost)
    if events is None:
        place_cube(state, board, company, place, None)
    else:
        before = len(events)
        income = place_cube(state, board, company, place, events)
        name = board.names[place] or None
        built = Built(seat, action.company, action.hex, name, cost, state.money[treasury], income)
        events.insert(before, built)
    go_on_expanding(state, board, seat, question.cubes - 1, events)


# Cubes on the map and income, AR-40 to AR-42: income.py


# Dividend and end: AR-50 to AR-53; their amounts and conditions: end.py


def end_year(state: State, board: Board, events: Events) -> None:
    for company in range(board.companies):
        pay_dividend(state, board, company, events)
    reasons = met_conditions(state, board)
    if reasons:
        state.pending = None
        if events is not None:
            events.append(GameEnded(reasons))
        return
    state.order = order_of_column(state, board)
    state.year += 1  # AR-52
    state.phase = 0
    state.taken = bytearray([FREE]) * len(state.taken)
    if events is not None:
        events.append(YearAdvanced(board.file.years[state.year]))
    begin_phase(state, board, events)
