"""The rules of The Last Spike in the order of RULES.md: set-up, a turn, selling and bankruptcy, the end."""

from bisect import insort
from collections.abc import Sequence
from typing import Any, Final

from rails_cli.games.game import ImpossibleEvents
from rails_cli.games.last_spike.board import PLAYERS, Board
from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece, SellFor
from rails_cli.games.last_spike.state import NO_PIECE, State, cost_of, derive, joined_to, top_of
from rails_cli.games.shared.auction import is_only, next_bidder
from rails_cli.games.shared.hexgrid import numbers_in
from rails_cli.games.shared.luck import below, seeded, shuffle
from rails_cli.games.shared.money import BANK, open_accounts, pay, ranks_of
from rails_cli.protocol.common import Pass, Passed
from rails_cli.protocol.last_spike import (
    Buy,
    Dealt,
    Drew,
    EndReason,
    Entry,
    Event,
    GameEnded,
    LastSpikeDriven,
    Mixed,
    Options,
    PieceChosen,
    PiecePlayed,
    Play,
    PropertyBought,
    PropertySold,
    PropertyTaken,
    RouteCompleted,
    RoutePaid,
    WentBankrupt,
)
from rails_cli.protocol.log import Seed

Events = list[Event] | None

RULES_VERSION: Final = 3
"""Version number of the rules, stored in logs.

Only a major version of the program changes it. Between major versions, a change of the rules is an option of the game.
"""

PLAY_PIECE: Final = [PlayPiece(seat) for seat in range(max(PLAYERS))]
BUY_OR_PASS: Final = [BuyOrPass(seat) for seat in range(max(PLAYERS))]
PASS: Final = Pass()
PASSED: Final = [Passed(seat) for seat in range(max(PLAYERS))]
FORCED_TO_PASS: Final = [Passed(seat, forced=True) for seat in range(max(PLAYERS))]


def legal_moves(state: State, board: Board) -> list[int]:
    """Return all legal moves, with the most cautious move last.

    - Sales are sorted from the most to the least expensive.
    - Pieces that touch no city and no laid piece come before other pieces. Each group is sorted from the most to the
      least expensive.
    - Purchases are followed by the pass.
    """
    question: Any = state.pending
    kind = type(question)
    if kind is PlayPiece:
        return legal_plays(state, board, question.seat)
    if kind is BuyOrPass:
        return legal_purchases(state, board, question.seat)
    if kind is SellFor:
        return legal_sales(state, board, question.seat)
    return []


def legal_actions(state: State, board: Board) -> list[Entry]:
    """Return all legal actions with their costs, in the order of `legal_moves`."""
    question = state.pending
    if question is None:
        return []
    kind = type(question)
    if kind is PlayPiece:
        touching, play, play_apart = state.touching, board.play, board.play_apart
        pieces = legal_plays(state, board, question.seat)
        return [play[piece] if touching[piece] else play_apart[piece] for piece in pieces]
    if kind is BuyOrPass:
        buy, tops, first = board.buy, state.tops, board.first_buy
        moves = legal_purchases(state, board, question.seat)
        moves.pop()
        entries: list[Entry] = [buy[tops[move - first]] for move in moves]
        entries.append(PASS)
        return entries
    return [board.sell[move - board.first_sale] for move in legal_sales(state, board, question.seat)]


def apply_move(state: State, board: Board, move: int) -> None:
    """Play a legal move for the seat to move, without validation and events, and change `state`."""
    question = state.pending
    assert question is not None
    if move < board.first_buy:
        on_play(state, board, question.seat, move, None)
    elif type(question) is SellFor:
        on_sell(state, board, question, move, None)
    else:
        on_buy(state, board, question.seat, move, None)


def apply(state: State, board: Board, action: Any, events: Events = None) -> None:
    """Play a legal action for the seat to move, without validation, and change `state`.

    Append the resulting events to `events` if a list is given.
    """
    question = state.pending
    assert question is not None
    kind = type(action)
    if kind is Play:
        on_play(state, board, question.seat, board.piece_number[action.piece], events)
    elif kind is Buy:
        on_buy(state, board, question.seat, board.first_buy + board.city_number[action.city], events)
    elif type(question) is SellFor:
        on_sell(state, board, question, board.first_sale + board.property_number[action.property], events)
    else:
        on_buy(state, board, question.seat, board.to_pass, events)


# Components and set-up: LS-1 to LS-4


def setup(board: Board, players: int, options: Options, seed: Seed, events: Events) -> State:
    state = empty_table(board, players, options)
    state.luck = seeded(seed)
    draws = draw_for_first(state, players)
    first = draws.index(min(draws, key=board.place.__getitem__))
    state.mix, state.luck = shuffle(range(len(board.piece_ids)), state.luck)
    for seat in range(players):
        state.hands[seat] = sorted(state.mix[-board.hand_size :])
        del state.mix[-board.hand_size :]
    if board.set_aside[players]:  # LS-4
        state.aside = state.mix.pop()
    if events is not None:
        events.append(
            Dealt(
                first,
                [piece_names(board, hand) for hand in state.hands],
                None if state.aside == NO_PIECE else board.piece_ids[state.aside],
                [board.piece_ids[piece] for piece in draws],
            )
        )
    begin_next_turn(state, board, (first - 1) % players, events)
    return state


def empty_table(board: Board, players: int, options: Options) -> State:
    """Return the state before the deal, with all pieces undrawn."""
    state = State()
    state.pending = None
    state.money = open_accounts([board.cash[players]] * players, 0)  # LS-1
    state.hands = [[] for _ in range(players)]
    state.held = [0] * players
    state.solvent = (1 << players) - 1
    state.laid = 0
    state.pile = board.free | board.bought
    state.mix = list(range(len(board.piece_ids)))
    state.aside = NO_PIECE
    state.luck = 0
    state.logged_draws = []
    state.options = options
    state.ended = None
    derive(state, board)
    return state


def draw_for_first(state: State, players: int) -> list[int]:
    """Return a random piece for each player, to decide who starts (LS-3). The pieces stay undrawn."""
    pieces = state.mix.copy()
    draws = []
    for _ in range(players):
        chosen, state.luck = below(state.luck, len(pieces))
        draws.append(pieces.pop(chosen))
    return draws


def take_logged_draw(state: State) -> int:
    """Draw and return the first piece of `state.logged_draws`.

    Raise ImpossibleEvents if the piece was already drawn.
    """
    piece = state.logged_draws.pop(0)
    if piece not in state.mix:
        raise ImpossibleEvents("a piece is drawn that is not in the mix")
    state.mix.remove(piece)
    return piece


def setup_from_events(board: Board, players: int, options: Options, events: Sequence[Event]) -> State:
    """Return the state after the deal in `events`. Raise ImpossibleEvents if the rules do not allow this deal."""
    deals = [event for event in events if type(event) is Dealt]
    if len(deals) != 1:
        raise ImpossibleEvents(f"expected one dealt event, got {len(deals)}")
    deal = deals[0]
    hands = [piece_numbers(board, hand) for hand in deal.hands]
    aside = [] if deal.set_aside is None else piece_numbers(board, [deal.set_aside])
    dealt = [piece for hand in hands for piece in hand] + aside
    if len(hands) != players or not 0 <= deal.first < players:
        raise ImpossibleEvents(f"the dealt event is not one for {players} players")
    if any(len(hand) != board.hand_size for hand in hands) or len(aside) != board.set_aside[players]:
        raise ImpossibleEvents("the dealt event has a wrong number of pieces")
    if len(dealt) != len(set(dealt)):
        raise ImpossibleEvents("the dealt event has a piece twice")
    state = empty_table(board, players, options)
    state.hands = [sorted(hand) for hand in hands]
    state.aside = aside[0] if aside else NO_PIECE
    left = [piece for piece in range(len(board.piece_ids)) if piece not in dealt]
    state.mix, state.luck = shuffle(left, seeded(0))
    begin_next_turn(state, board, (deal.first - 1) % players, None)
    return state


def preload_chance(state: State, board: Board, events: Sequence[Event]) -> None:
    """Store the pieces that an action draws, taken from its events. The next call of `apply` draws these pieces."""
    state.logged_draws = piece_numbers(board, [event.piece for event in events if type(event) is Drew])


def piece_numbers(board: Board, ids: Sequence[str | None] | None) -> list[int]:
    """Return the numbers of the pieces with the given ids. Raise ImpossibleEvents if an id is missing or unknown."""
    numbers = []
    for id in [None] if ids is None else ids:
        if id not in board.piece_number:
            raise ImpossibleEvents("a piece is missing" if id is None else f"unknown piece {id}")
        numbers.append(board.piece_number[id])
    return numbers


# A turn: LS-10 to LS-18


def begin_next_turn(state: State, board: Board, seat: int, events: Events) -> None:
    """Begin the turn of the next player who can play a piece, clockwise after `seat` (LS-18).

    Players who cannot play a piece are skipped. With an empty hand they pass, otherwise they go bankrupt (LS-23). On
    some boards, even the first player of the game goes bankrupt at once.
    """
    seats = len(state.hands)
    left_out = 0
    while True:
        seat += 1
        if seat == seats:
            seat = 0
        hand = state.hands[seat]
        if not hand:
            if not state.solvent >> seat & 1:
                continue
            if state.mix:  # LS-17
                draw(state, board, seat, events)
        if hand:
            if state.money[seat] >= board.cost_apart[hand[-1]] or affordable_plays(state, board, seat):
                state.pending = PLAY_PIECE[seat]
                return
            go_bankrupt(state, board, seat, events)
            if state.ended:
                return
        elif events is not None:
            events.append(FORCED_TO_PASS[seat])
        left_out += 1
        assert left_out < seats * (seats + 1), "all but one may go bankrupt, and all may pass between two who do"


def legal_plays(state: State, board: Board, seat: int) -> list[int]:
    """Return the pieces that the seat may play (LS-11).

    The seat must be able to pay for the piece with its cash and the sale of its properties. The piece must touch a city
    or a laid piece. This does not apply if the seat can pay for no such piece, or if the option `non_adjacent` allows
    other pieces.
    """
    hand, purse, touching = state.hands[seat], state.money[seat], state.touching
    if purse < board.cost[hand[0]]:
        purse += resale_value(state, board, seat)
        hand = [piece for piece in hand if board.cost[piece] <= purse]
    plays = []
    for piece in hand:
        if touching[piece]:
            plays.append(piece)
    if not plays or state.options.non_adjacent == "free_choice":
        return affordable_plays(state, board, seat)
    return plays


def affordable_plays(state: State, board: Board, seat: int) -> list[int]:
    """Return the pieces in hand that the seat can pay for with its cash and the sale of its properties.

    Pieces that touch a city or a laid piece come last.
    """
    hand, purse, touching = state.hands[seat], state.money[seat], state.touching
    cost, cost_apart = board.cost, board.cost_apart
    if purse < cost_apart[hand[0]]:
        purse += resale_value(state, board, seat)
    apart = []
    plays = []
    for piece in hand:
        if touching[piece]:
            if cost[piece] <= purse:
                plays.append(piece)
        elif cost_apart[piece] <= purse:
            apart.append(piece)
    return apart + plays if apart else plays


def on_play(state: State, board: Board, seat: int, piece: int, events: Events) -> None:
    cost = cost_of(state, board, piece)
    if state.money[seat] >= cost:
        lay_piece(state, board, seat, piece, cost, events)
        return
    state.pending = SellFor(cost, piece, seat)  # LS-20
    if events is not None:
        events.append(PieceChosen(seat, board.piece_ids[piece], cost))


def lay_piece(state: State, board: Board, seat: int, piece: int, cost: int, events: Events) -> None:
    pay(state.money, seat, BANK, cost)  # LS-12: before the piece earns anything
    if events is not None:
        route = board.route_ids[board.piece_route[piece]]
        events.append(PiecePlayed(seat, board.piece_ids[piece], route, cost, state.touching[piece]))
    state.hands[seat].remove(piece)
    state.laid = laid = state.laid | board.bit[piece]
    for neighbour in board.neighbours[piece]:
        state.touching[neighbour] = True
    free = state.pile & board.piece_free[piece]
    if free:
        take_free_property(state, board, seat, free, events)
    with_piece = board.with_piece[piece]
    if laid & with_piece == with_piece:
        complete_route(state, board, seat, piece, events)
        if state.pending is None:
            return
    if free:  # LS-13: no purchase this turn
        end_turn(state, board, seat, events)
    else:
        offer_purchase(state, board, seat, events)


def take_free_property(state: State, board: Board, seat: int, free: int, events: Events) -> None:
    """Give the free property with the mask `free` to `seat`, which laid the first piece beside the city (LS-13)."""
    taken = free.bit_length() - 1
    city = board.property_city[taken]
    state.pile ^= free
    state.held[seat] |= free
    if offer_next_property(state, board, city, taken):
        insort(state.offers, board.first_buy + city)
    if events is not None:
        events.append(PropertyTaken(seat, board.property_ids[taken], board.city_ids[city]))


def complete_route(state: State, board: Board, seat: int, piece: int, events: Events) -> None:
    route = board.piece_route[piece]
    cities = board.route_ends[route]
    state.complete |= 1 << route
    if events is not None:
        events.append(RouteCompleted(seat, board.route_ids[route], [board.city_ids[city] for city in cities]))
    for city in cities:
        routes = board.city_routes[city]
        if state.complete & routes == routes:
            state.sellable &= ~board.city_properties[city]  # LS-21
    both = board.route_cities[route]
    if 0 != state.from_start & both != both:
        state.from_start = joined_to(board, state.from_start, state.complete)
    is_last_spike = bool(state.from_start >> board.end & 1)
    if is_last_spike:  # LS-30
        pay(state.money, BANK, seat, board.bonus)
        if events is not None:
            events.append(LastSpikeDriven(seat, board.piece_ids[piece], board.bonus))
    pay_owners(state, board, route, events)
    if is_last_spike:
        end_game(state, "last_spike", events)


def pay_owners(state: State, board: Board, route: int, events: Events) -> None:
    """Pay every player for a complete route, according to the player's properties in its two cities (LS-14)."""
    one, other = board.route_ends[route]
    properties, of_other = board.city_properties[one], board.city_properties[other]
    payout, others_payout = board.payout[one], board.payout[other]
    for seat, held in enumerate(state.held):
        if held:
            amount = payout[(held & properties).bit_count()] + others_payout[(held & of_other).bit_count()]
            pay(state.money, BANK, seat, amount)
    if events is not None:
        for city in (one, other):
            amounts = [board.payout[city][(held & board.city_properties[city]).bit_count()] for held in state.held]
            events.append(RoutePaid(board.route_ids[route], board.city_ids[city], amounts))


def offer_purchase(state: State, board: Board, seat: int, events: Events) -> None:
    """Ask the seat which property it buys. A seat that cannot afford any property passes automatically (LS-18)."""
    cash, price = state.money[seat], board.price
    for top in state.tops:
        if price[top] <= cash:
            state.pending = BUY_OR_PASS[seat]
            return
    if events is not None:
        events.append(FORCED_TO_PASS[seat])
    end_turn(state, board, seat, events)


def legal_purchases(state: State, board: Board, seat: int) -> list[int]:
    """Return the purchases that the seat can afford, and the pass (LS-15)."""
    cash = state.money[seat]
    if cash >= board.dearest:
        return state.offers[:]
    price, buy_move = board.price, board.buy_move
    legal = []
    for top in state.tops:
        if price[top] <= cash:
            legal.append(buy_move[top])
    legal.append(board.to_pass)
    return legal


def on_buy(state: State, board: Board, seat: int, move: int, events: Events) -> None:
    if move == board.to_pass:
        if events is not None:
            events.append(PASSED[seat])
        end_turn(state, board, seat, events)
        return
    city = move - board.first_buy
    bought = state.tops[city]
    cost = board.price[bought]
    pay(state.money, seat, BANK, cost)
    lot = 1 << bought
    state.pile ^= lot
    state.held[seat] |= lot
    if not offer_next_property(state, board, city, bought):
        state.offers.remove(move)
    if events is not None:
        events.append(PropertyBought(seat, board.property_ids[bought], board.city_ids[city], cost))
    end_turn(state, board, seat, events)


def offer_next_property(state: State, board: Board, city: int, taken: int) -> bool:
    """Put the next property of a city up for sale.

    It is the next more expensive unsold property after `taken`. Return whether there is such a property.
    """
    pile = state.pile
    lot = board.next_lot[taken]
    while lot != board.nothing and not pile >> lot & 1:
        lot = board.next_lot[lot]
    state.tops[city] = lot
    return lot != board.nothing


def end_turn(state: State, board: Board, seat: int, events: Events) -> None:
    if state.mix:  # LS-16
        draw(state, board, seat, events)
    begin_next_turn(state, board, seat, events)


def draw(state: State, board: Board, seat: int, events: Events) -> None:
    piece = take_logged_draw(state) if state.logged_draws else state.mix.pop()
    insort(state.hands[seat], piece)
    if events is not None:
        events.append(board.drew[seat][piece])


# Selling and bankruptcy: LS-20 to LS-23


def resale_value(state: State, board: Board, seat: int) -> int:
    """Return the total resale price in dollars of all properties that the seat can sell."""
    value = 0
    lots = state.held[seat] & state.sellable
    while lots:
        lowest = lots & -lots
        lots ^= lowest
        value += board.gain[lowest.bit_length() - 1]
    return value


def legal_sales(state: State, board: Board, seat: int) -> list[int]:
    """Return the moves that sell a property of the seat (LS-21).

    Free properties and properties of cities without an incomplete route cannot be sold.
    """
    lots = numbers_in(state.held[seat] & state.sellable)
    lots.sort(key=board.gain.__getitem__, reverse=True)
    return [board.first_sale + lot for lot in lots]


def on_sell(state: State, board: Board, question: SellFor, move: int, events: Events) -> None:
    seat = question.seat
    sold = move - board.first_sale
    city = board.property_city[sold]
    pay(state.money, BANK, seat, board.gain[sold])
    return_to_pile(state, board, seat, 1 << sold)
    if events is not None:
        events.append(PropertySold(seat, board.property_ids[sold], board.city_ids[city], board.gain[sold]))
    if state.money[seat] >= question.cost:
        lay_piece(state, board, seat, question.piece, question.cost, events)


def return_to_pile(state: State, board: Board, seat: int, lots: int) -> None:
    """Return the properties in the mask `lots` from a seat to the piles of their cities.

    A pile has the unsold properties of a city.
    """
    state.held[seat] ^= lots
    state.pile |= lots
    for lot in numbers_in(lots):
        city = board.property_city[lot]
        if state.tops[city] == board.nothing:
            insort(state.offers, board.first_buy + city)
        state.tops[city] = top_of(board, state.pile, city)


def go_bankrupt(state: State, board: Board, seat: int, events: Events) -> None:
    """Remove a bankrupt seat from the game (LS-23).

    Its cash goes to the bank, its pieces to the mix of undrawn pieces, and its bought properties to the piles of unsold
    properties. Its free properties leave the game.
    """
    cash = state.money[seat]
    hand = state.hands[seat]
    bought = state.held[seat] & board.bought
    free = state.held[seat] & board.free
    pay(state.money, seat, BANK, cash)
    state.hands[seat] = []
    state.mix, state.luck = shuffle(state.mix + hand, state.luck)
    return_to_pile(state, board, seat, bought)
    state.held[seat] = 0
    state.solvent ^= 1 << seat
    if events is not None:
        returned = [board.property_ids[lot] for lot in numbers_in(bought)]
        removed = [board.property_ids[lot] for lot in numbers_in(free)]
        events.append(WentBankrupt(seat, cash, piece_names(board, hand), returned, removed))
        events.append(Mixed(len(state.mix)))
    if is_only(state.solvent, next_bidder(state.solvent, seat, len(state.hands))):
        end_game(state, "last_solvent", events)


# The last spike and the end: LS-30 to LS-32


def end_game(state: State, reason: EndReason, events: Events) -> None:
    state.pending = None
    state.ended = reason
    if events is not None:
        events.append(GameEnded([reason]))


def end_reasons(state: State, board: Board) -> list[str]:
    return [state.ended] if state.ended else []


def scores(state: State) -> list[int]:
    return state.money[:BANK]


def ranks(state: State, board: Board) -> list[int]:
    """Return the rank of each seat by cash, then by price of properties. Bankrupt players come last (LS-31)."""
    prices = [sum(board.price[lot] for lot in numbers_in(held)) for held in state.held]
    solvent = [state.solvent >> seat & 1 for seat in range(len(state.hands))]
    return ranks_of(list(zip(solvent, scores(state), prices, strict=True)))


def piece_names(board: Board, pieces: Sequence[int]) -> list[str]:
    """Return the ids of pieces, sorted by letter, then number."""
    return [board.in_place[place] for place in sorted([board.place[piece] for piece in pieces])]
