"""The rules of American Rails in the order of RULES.md: set-up, opening, phases, actions, end.

`legal_moves` lists the answers to the pending question as numbers, called moves. `apply_move` plays a move without
validation. `moves.py` explains the numbers.
"""

from collections.abc import Sequence
from itertools import compress
from typing import Any, Final, Literal

from rails_cli.games.american_rails.board import CHOOSE_FROM, PASS, PLAYERS, Board
from rails_cli.games.american_rails.end import met_conditions, pay_dividends
from rails_cli.games.american_rails.income import change_income, place_cube, put_piece
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
)
from rails_cli.games.american_rails.state import FREE, MARKER, State, before_auctions
from rails_cli.games.game import ImpossibleEvents
from rails_cli.games.shared.auction import NOBODY, legal_bids, next_bidder
from rails_cli.games.shared.hexgrid import few_numbers_in, mask_of
from rails_cli.games.shared.luck import below, seeded, shuffle
from rails_cli.games.shared.money import BANK, pay
from rails_cli.protocol.american_rails import (
    Built,
    CompanyRemoved,
    Developed,
    Event,
    Founded,
    Funded,
    GameEnded,
    MoneyTaken,
    NumberTaken,
    Options,
    PlayersPaid,
    ShareOffered,
    ShareRemoved,
    ShareSold,
    SpaceTaken,
    TurnOrderSet,
    YearAdvanced,
)
from rails_cli.protocol.common import BidMade, FirstPlayer, Passed
from rails_cli.protocol.log import Seed

Events = list[Event] | None

RULES_VERSION: Final = 2
"""Version number of the rules, stored in logs.

Only a major version of the program changes it. Between major versions, a change of the rules is an option of the game.
"""

# The questions as constants: compiled code looks up an imported name at each use, which makes it 10% slower.
CHOOSING: Final = ChooseSpace
EXPANDING: Final = Expand
BIDDING: Final = BidOrPass
TAKING: Final = PickSource
OFFERING: Final = PickShare
FUNDING: Final = PickTreasury
DEVELOPING: Final = PickCity
FOUNDING: Final = PlaceFirstCube
NOMINATING: Final = Nominate

CHOOSE_SPACE: Final = [ChooseSpace(seat) for seat in range(max(PLAYERS))]
PICK_TREASURY: Final = [PickTreasury(seat) for seat in range(max(PLAYERS))]
PICK_SHARE: Final = [PickShare(seat) for seat in range(max(PLAYERS))]
PICK_CITY: Final = [PickCity(seat) for seat in range(max(PLAYERS))]
FREE_SPACE: Final = bytes([FREE])


def legal_moves(state: State, board: Board) -> list[int]:
    """Return all legal answers to the pending question as numbers, a pass last. Return an empty list after the end."""
    question: Any = state.pending
    kind = type(question)
    if kind is CHOOSING:
        return board.choices[state.free][:]
    if kind is EXPANDING:
        return legal_builds(state, board, question.seat)
    if kind is BIDDING:
        return legal_bids(board.ready_bids, question.minimum, state.money[question.seat], PASS)
    if kind is TAKING:
        return legal_sources(state, board, question)
    if kind is OFFERING:
        return [*compress(board.offers, state.supply), PASS]
    if kind is FUNDING:
        return [*board.funds[state.absent], PASS]  # AR-24
    if kind is DEVELOPING:
        return [*state.develops, PASS]
    if kind is FOUNDING:
        return state.starts[:]
    if kind is NOMINATING:
        return [board.offers_at + company for company in few_numbers_in(state.lots)]
    return []


def apply_move(state: State, board: Board, move: int, events: Events = None) -> None:
    """Play a legal move for the seat to move, without validation, and change `state`. Append the events to `events`."""
    question: Any = state.pending
    kind = type(question)
    if kind is CHOOSING:
        on_choose(state, board, question, move, events)
    elif kind is EXPANDING:
        on_expand(state, board, question, move, events)
    elif kind is BIDDING:
        on_bid(state, board, question, move, events)
    elif kind is TAKING:
        on_take(state, board, question, move, events)
    elif kind is OFFERING:
        on_auction(state, board, question, move, events)
    elif kind is FUNDING:
        on_fund(state, board, question, move, events)
    elif kind is DEVELOPING:
        on_develop(state, board, question, move, events)
    elif kind is FOUNDING:
        on_found(state, board, question, move, events)
    else:
        assert kind is NOMINATING
        on_nominate(state, board, question, move, events)


def pass_by_force(seat: int, events: Events) -> None:
    """Append the event of an automatic pass to `events`.

    A seat passes automatically if it has no other legal answer (AR-23).
    """
    if events is not None:
        events.append(Passed(seat, True))


# Components and set-up: AR-1 to AR-6


def setup(board: Board, seats: int, options: Options, seed: Seed, events: Events = None) -> State:
    """Return the initial state.

    Some companies are removed at random (AR-3). If an option says so, the banker is also chosen at random (AR-6). The
    banker is the seat that chooses the first opening share.
    """
    order, luck = shuffle(range(board.companies), seeded(seed))
    removed = order[: board.rules_for[seats].companies_removed]
    if events is not None:
        events.extend(CompanyRemoved(board.company_ids[company]) for company in removed)
    banker = 0  # AR-5
    if options.first_player == "drawn":
        banker, _ = below(luck, seats)
        if events is not None:
            events.append(FirstPlayer(banker))
    return before_auctions(board, seats, options, mask_of(removed), banker).copy()


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
    return before_auctions(board, seats, options, absent, drawn[0] if drawn else 0).copy()


# Opening auctions: AR-10 to AR-14


def on_nominate(state: State, board: Board, question: Nominate, move: int, events: Events) -> None:
    company = move - board.offers_at
    state.lots ^= 1 << company
    open_auction(state, board, question.seat, company, True, events)


def open_auction(state: State, board: Board, seat: int, company: int, opening: bool, events: Events) -> None:
    minimum = board.minimum_bid
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
    """Continue an auction: ask the next bidder clockwise after the seat `last`, or end the auction.

    Seats that cannot bid `minimum` pass automatically (AR-23). `leader` is the seat with the highest bid, or NOBODY.
    `still_in` is the mask of seats that have not passed. `opening` is true for an opening share.
    """
    decided = 0 if leader == NOBODY else 1 << leader
    while still_in != decided:
        last = next_bidder(still_in, last, state.seats)
        if state.money[last] >= minimum:
            state.pending = BidOrPass(company, leader, minimum, opening, last, still_in)
            return
        pass_by_force(last, events)
        still_in ^= 1 << last
    if leader == NOBODY:
        remove_share(state, board, company, last, opening, events)
    else:
        sell(state, board, company, leader, minimum - 1, opening, events)


def on_bid(state: State, board: Board, question: BidOrPass, move: int, events: Events) -> None:
    seat = question.seat
    leader, minimum, still_in = question.leader, question.minimum, question.still_in
    if move != PASS:
        amount = move - board.bids_at
        leader, minimum = seat, amount + 1
        if events is not None:
            events.append(BidMade(seat, amount))
    else:
        still_in ^= 1 << seat
        if events is not None:
            events.append(Passed(seat))
    go_on_bidding(state, board, question.company, leader, minimum, question.opening, seat, still_in, events)


def sell(state: State, board: Board, company: int, seat: int, price: int, opening: bool, events: Events) -> None:
    """Sell a share to `seat`, which pays `price` to the company's treasury.

    If the company has no cube yet, ask the seat to place the company's first cube (AR-12, AR-33). `opening` says
    whether the share is an opening share.
    """
    treasury = state.seats + company
    pay(state.money, seat, treasury, price)
    state.supply[company] -= 1
    change_holding(state, board, seat, company, 1)
    if events is not None:
        left = state.supply[company]
        events.append(ShareSold(seat, board.company_ids[company], price, state.money[treasury], left))
    if state.track[company]:
        next_turn(state, board, events)
    elif state.starts:
        state.pending = PlaceFirstCube(company, opening, seat)
    else:
        remove_company(state, board, company, seat, events)
        next_turn(state, board, events)


def change_holding(state: State, board: Board, seat: int, company: int, change: int) -> None:
    state.held = state.held[:]
    place = seat * board.companies + company
    state.held[place] += change
    owned = state.owned[seat]
    if bool(state.held[place]) != (company in owned):
        state.owned = state.owned[:]
        if change > 0:
            state.owned[seat] = tuple(sorted((*owned, company)))
        else:
            state.owned[seat] = tuple(other for other in owned if other != company)


def remove_share(state: State, board: Board, company: int, last: int, opening: bool, events: Events) -> None:
    """Remove an auctioned share from the game, because nobody bid for it (AR-13, AR-33).

    `last` is the seat that passed last.
    """
    state.supply[company] -= 1
    if events is not None:
        events.append(ShareRemoved(board.company_ids[company], 1, "no_bid", state.supply[company]))
    if opening:
        next_lot(state, board, last, events)
    else:
        next_turn(state, board, events)


def on_found(state: State, board: Board, question: PlaceFirstCube, move: int, events: Events) -> None:
    """Place a company's first cube for free. The company's income becomes the full value of the city (AR-12, AR-34)."""
    company, seat = question.company, question.seat
    city = move - board.founds_at
    state.closed[city] |= 1 << company
    state.sites[company] = [board.builds[company][city]]
    place_cube(state, board, company, city, None)
    if events is not None:
        place, name = board.hex_ids[city], board.names[city]
        events.append(Founded(seat, board.company_ids[company], place, name, state.income[company]))
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
    """Ask the seat `nominator` for the next opening share. If none is left, start the first year (AR-14)."""
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
    state.pending = CHOOSE_SPACE[state.order[0]]
    if events is not None:
        events.append(TurnOrderSet(board.file.years[state.year], state.phase + 1, state.order[:]))


def on_choose(state: State, board: Board, question: ChooseSpace, move: int, events: Events) -> None:
    """Take a space of the column and start the action of the space (AR-20).

    If the action is impossible, end the turn.
    """
    seat, space = question.seat, move - CHOOSE_FROM
    state.taken[state.phase * board.height + space] = seat
    state.free ^= 1 << space
    if events is not None:
        events.append(SpaceTaken(seat, board.spaces[space]))
    cubes, chosen = board.expansions[space], board.spaces[space]
    if cubes:
        go_on_expanding(state, board, seat, cubes, events)
    elif chosen == "fund":
        state.pending = PICK_TREASURY[seat]
    elif chosen == "take":
        state.pending = PickSource(board.take_cubes[state.seats], seat)
    elif chosen == "auction" and any(state.supply):
        state.pending = PICK_SHARE[seat]
    elif chosen == "develop" and may_develop(state, board):
        state.pending = PICK_CITY[seat]
    else:
        if chosen != "pass":
            pass_by_force(seat, events)
        next_turn(state, board, events)


def give_up(state: State, board: Board, seat: int, events: Events) -> None:
    """End the turn of a seat that declines its action or does not place more cubes."""
    if events is not None:
        events.append(Passed(seat))
    next_turn(state, board, events)


def next_turn(state: State, board: Board, events: Events) -> None:
    turn = state.turn + 1
    if turn < state.seats:
        state.turn = turn
        state.pending = CHOOSE_SPACE[state.order[turn]]
    elif state.phase + 1 < board.phases:
        state.order = order_of_column(state, board)
        state.phase += 1
        begin_phase(state, board, events)
    else:
        end_year(state, board, events)


def order_of_column(state: State, board: Board) -> list[int]:
    """Return the seats in the current column, ordered from the top space to the bottom space (AR-21)."""
    first = state.phase * board.height
    return list(state.taken[first : first + board.height].replace(FREE_SPACE, b""))


# Develop: AR-30


def may_develop(state: State, board: Board) -> bool:
    """Return whether a development marker is left and a city can be developed."""
    return bool(state.develops) and state.developed.bit_count() < board.markers


def on_develop(state: State, board: Board, question: PickCity, move: int, events: Events) -> None:
    seat = question.seat
    if move == PASS:
        give_up(state, board, seat, events)
        return
    city = move - board.develops_at
    companies = few_numbers_in(state.stands[city])
    state.developed |= board.bit[city]
    state.develops = state.develops[:]
    state.develops.remove(move)
    put_piece(state, board, city, MARKER)
    if events is not None:
        left = board.markers - state.developed.bit_count()
        events.append(Developed(seat, board.hex_ids[city], board.names[city], left))
    rise = board.file.development.full if len(companies) == 1 else board.file.development.shared  # AR-40
    for company in companies:
        change_income(state, board, company, city, rise, events)
    next_turn(state, board, events)


# Fund: AR-31


def on_fund(state: State, board: Board, question: PickTreasury, move: int, events: Events) -> None:
    if move == PASS:
        give_up(state, board, question.seat, events)
        return
    company = move - board.funds_at
    treasury = state.seats + company
    pay(state.money, BANK, treasury, board.fund)
    if events is not None:
        events.append(Funded(question.seat, board.company_ids[company], board.fund, state.money[treasury]))
    next_turn(state, board, events)


# Take, or expand instead: AR-32


def legal_sources(state: State, board: Board, question: PickSource) -> list[int]:
    legal = [board.takes_at, board.takes_at + 1]
    if question.cubes:
        legal += legal_builds(state, board, question.seat)
    else:
        legal.append(PASS)
    return legal


def on_take(state: State, board: Board, question: PickSource, move: int, events: Events) -> None:
    seat = question.seat
    if move == PASS or move >= board.builds_at:
        on_expand(state, board, question, move, events)
        return
    if move == board.takes_at:
        pay(state.money, BANK, seat, board.take)
        if events is not None:
            events.append(MoneyTaken(seat, board.take))
    else:
        take_from_players(state, board, seat, events)
    next_turn(state, board, events)


def take_from_players(state: State, board: Board, taker: int, events: Events) -> None:
    """Make every player except `taker` pay `board.take` dollars to the bank. A player with less cash pays all cash."""
    payments = [0 if seat == taker else min(board.take, state.money[seat]) for seat in range(state.seats)]
    for seat, payment in enumerate(payments):
        pay(state.money, seat, BANK, payment)
    if events is not None:
        events.append(PlayersPaid(taker, payments))


# Auction: AR-33, AR-34. Bidding works as in the opening.


def on_auction(state: State, board: Board, question: PickShare, move: int, events: Events) -> None:
    if move == PASS:
        give_up(state, board, question.seat, events)
        return
    open_auction(state, board, question.seat, move - board.offers_at, False, events)


def remove_company(state: State, board: Board, company: int, buyer: int, events: Events) -> None:
    """Remove all shares of a company from the game, because no city is left in which it could start (AR-34).

    The share that the seat `buyer` has just bought is also removed.
    """
    shares = state.supply[company] + 1
    state.supply[company] = 0
    change_holding(state, board, buyer, company, -1)
    if events is not None:
        events.append(ShareRemoved(board.company_ids[company], shares, "no_city", 0, buyer))


# Expand: AR-35, AR-36


def go_on_expanding(state: State, board: Board, seat: int, cubes: int, events: Events) -> None:
    """Ask for the next of up to `cubes` cubes, or end the turn if no cube can be placed."""
    if cubes and may_build(state, board, seat):
        state.pending = board.expand[cubes][seat]
        return
    if cubes:
        pass_by_force(seat, events)
    next_turn(state, board, events)


def may_build(state: State, board: Board, seat: int) -> bool:
    cost = state.cost
    for company in state.owned[seat]:
        treasury, first = state.money[state.seats + company], board.builds_from[company]
        for site in state.sites[company]:
            if cost[site - first] <= treasury:
                return True
    return False


def legal_builds(state: State, board: Board, seat: int) -> list[int]:
    """Return the moves that place a cube of a company in which the seat holds shares, and the pass."""
    legal: list[int] = []
    for company in state.owned[seat]:
        treasury = state.money[state.seats + company]
        if treasury >= state.dearest:
            legal += state.sites[company]
        else:
            cost, first = state.cost, board.builds_from[company]
            legal += [site for site in state.sites[company] if cost[site - first] <= treasury]
    legal.append(PASS)
    return legal


def on_expand(state: State, board: Board, question: Expand | PickSource, move: int, events: Events) -> None:
    seat = question.seat
    if move == PASS:
        give_up(state, board, seat, events)
        return
    company, place = board.company_of[move], board.place_of[move]
    if events is None:
        build(state, board, company, place, None)
    else:
        before, cost = len(events), state.cost[place]
        income = build(state, board, company, place, events)
        treasury = state.money[state.seats + company]
        name = board.names[place] or None
        company_id, hex_id = board.company_ids[company], board.hex_ids[place]
        events.insert(before, Built(seat, company_id, hex_id, name, cost, treasury, income))
    go_on_expanding(state, board, seat, question.cubes - 1, events)


def build(state: State, board: Board, company: int, place: int, events: Events) -> int:
    """Place a cube in the hex `place`, paid from the company's treasury.

    The pending question is ignored. Return the company's new income, without link bonuses for this cube.
    """
    pay(state.money, state.seats + company, BANK, state.cost[place])
    return place_cube(state, board, company, place, events)


# Cubes on the map and income, AR-40 to AR-42: income.py


# Dividend and end: AR-50 to AR-53. Amounts and conditions: end.py


def end_year(state: State, board: Board, events: Events) -> None:
    pay_dividends(state, board, events)
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
