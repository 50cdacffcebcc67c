"""Random positions of The Last Spike that one seat's view allows.

All distributions of hidden pieces that the view allows are equally likely. Hidden cash is estimated from public
information.

A view reveals these facts about a hidden hand:

- The number of pieces is known.
- If the seat sells properties to pay for a chosen piece, the chosen piece is known.
- If that piece touches no city and no laid piece under the option `only_if_forced`, the seat cannot pay for any
  touching piece in its hand.
- If the seat is asked to play a piece, it can pay for at least one piece.
"""

from typing import NamedTuple

from rails_cli.games.last_spike.board import PLAYERS, Board
from rails_cli.games.last_spike.questions import PlayPiece, Question, SellFor
from rails_cli.games.last_spike.rules import BUY_OR_PASS, PLAY_PIECE, empty_table, resale_value
from rails_cli.games.last_spike.state import NO_PIECE, State, cost_of, derive
from rails_cli.games.shared.hexgrid import mask_of, numbers_in
from rails_cli.games.shared.luck import below, derived_seed, seeded, shuffle
from rails_cli.games.shared.money import BANK, pay
from rails_cli.games.view_checks import check_amounts, check_once, check_seats, with_value_errors
from rails_cli.protocol.last_spike import Player, View
from rails_cli.protocol.log import Seed


class Seen(NamedTuple):
    """The position that a view describes, without the hidden pieces and hidden cash."""

    view: View
    state: State
    unseen: list[int]
    """The pieces that the view does not show."""


@with_value_errors
def imagine(view: View, board: Board, seed: Seed) -> State:
    """Return a random position consistent with the view. Raise ValueError if no position has this view."""
    seen: Seen | None = board.seen
    if seen is None or seen.view is not view:  # a search imagines many positions of one view
        seen = board.seen = _seen(view, board)
    state = seen.state.copy()
    state.luck = seeded(derived_seed(seed, "imagined"))
    for player in view.players:
        if player.cash is None:
            cash = _guessed_cash(state, board, view, player)
            pay(state.money, player.seat, BANK, state.money[player.seat] - cash)
    _deal(state, board, view, seen.unseen)
    return state


def _seen(view: View, board: Board) -> Seen:
    _check(view, board)
    state = empty_table(board, len(view.players), view.options)
    state.pending = _question(view, board)
    state.ended = view.end_reasons[0] if view.end_reasons else None
    state.laid = mask_of(board.piece_number[piece] for route in view.routes for piece in route.laid)
    state.pile = mask_of(board.property_number[lot] for city in view.cities for lot in city.pile)
    for player in view.players:
        state.held[player.seat] = mask_of(board.property_number[lot] for lot in player.properties)
        if player.bankrupt:
            state.solvent ^= 1 << player.seat
        if player.cash is not None:
            pay(state.money, player.seat, BANK, state.money[player.seat] - player.cash)
    derive(state, board)
    unseen = (1 << len(board.piece_ids)) - 1 ^ state.laid
    for player in view.players:
        if player.hand is not None:
            state.hands[player.seat] = sorted(board.piece_number[piece] for piece in player.hand)
            unseen &= ~mask_of(state.hands[player.seat])
    if view.set_aside_piece is not None:
        state.aside = board.piece_number[view.set_aside_piece]
        unseen &= ~board.bit[state.aside]
    return Seen(view, state, numbers_in(unseen))


def _check(view: View, board: Board) -> None:
    """Raise ValueError if the board does not allow a number in the view, or if a piece or property occurs twice."""
    players, question = view.players, view.question
    check_seats(view, PLAYERS, ())
    for player in players:
        check_amounts("money", (player.cash, player.resale, player.property_total))
        check_amounts("pieces", (player.pieces,), len(board.piece_ids))
        if player.hand is not None and len(player.hand) != player.pieces:
            raise ValueError(f"seat {player.seat} has {player.pieces} pieces and shows {len(player.hand)}")
    if len(view.cities) != len(board.city_ids) or any(len(city.pays) != len(players) for city in view.cities):
        raise ValueError("these are not the cities of the board")
    check_amounts("payment", (amount for city in view.cities for amount in city.pays))
    hands = [piece for player in players for piece in player.hand or ()]
    aside = [] if view.set_aside_piece is None else [view.set_aside_piece]
    check_once("pieces", [*hands, *aside, *(piece for route in view.routes for piece in route.laid)])
    piles = [lot for city in view.cities for lot in city.pile]
    check_once("properties", [*piles, *(lot for player in players for lot in player.properties)])
    if question is None:
        return
    asked = players[question.seat]
    if asked.bankrupt or sum(not player.bankrupt for player in players) < 2:
        raise ValueError("a game continues while two players are solvent, and one of them is to move")
    check_amounts("pieces", (asked.pieces,), len(board.piece_ids), least=int(question.asks != "buy"))
    if question.asks == "sell":
        if question.piece is None or question.cost is None:
            raise ValueError("what is to be paid is missing")
        check_amounts("cost", (question.cost,))
        if asked.hand is not None and question.piece not in asked.hand:
            raise ValueError(f"seat {question.seat} has no piece {question.piece!r} to play")


def _question(view: View, board: Board) -> Question | None:
    asked = view.question
    if asked is None:
        return None
    if asked.asks == "play":
        return PLAY_PIECE[asked.seat]
    if asked.asks == "buy":
        return BUY_OR_PASS[asked.seat]
    assert asked.piece is not None
    assert asked.cost is not None
    return SellFor(asked.cost, board.piece_number[asked.piece], asked.seat)


# Pieces


def _deal(state: State, board: Board, view: View, unseen: list[int]) -> None:
    """Distribute the unseen pieces at random among the hidden hands, the piece set aside, and the undrawn pieces."""
    question = state.pending
    pieces, state.luck = shuffle(unseen, state.luck)
    if question is not None and view.players[question.seat].hand is None:
        pieces = _deal_to_asked(state, board, question, pieces, view.players[question.seat].pieces)
    for player in view.players:
        missing = player.pieces - len(state.hands[player.seat])
        if missing:
            state.hands[player.seat] = sorted([pieces.pop() for _ in range(missing)])
    if view.set_aside and state.aside == NO_PIECE:
        state.aside = pieces.pop()
    if len(pieces) != view.mix:
        raise ValueError("the pieces of this view are not those of the board")
    state.mix = pieces


def _deal_to_asked(state: State, board: Board, question: Question, pieces: list[int], count: int) -> list[int]:
    """Deal `count` of the pieces `pieces` to the seat to move.

    Its hand must fit the pending question. Return the remaining pieces.
    """
    seat = question.seat
    purse = state.money[seat] + resale_value(state, board, seat)
    if type(question) is SellFor:
        chosen = question.piece
        if chosen not in pieces:
            raise ValueError("the piece to be played is somewhere else")
        is_by_need = not state.touching[chosen] and state.options.non_adjacent == "only_if_forced"
        others = [piece for piece in pieces if piece != chosen]
        if is_by_need:  # LS-11
            others = [piece for piece in others if board.cost[piece] > purse or not state.touching[piece]]
        hand = [chosen, *others[: count - 1]]
    elif type(question) is PlayPiece:
        payable = {piece for piece in pieces if cost_of(state, board, piece) <= purse}
        if not payable:
            raise ValueError(f"no piece that seat {seat} may hold can be paid for in this view")
        while payable.isdisjoint(pieces[:count]):  # LS-23: the seat would be bankrupt
            pieces, state.luck = shuffle(pieces, state.luck)
        hand = pieces[:count]
    else:
        hand = pieces[:count]
    state.hands[seat] = sorted(hand)
    return [piece for piece in pieces if piece not in hand]


# Hidden cash


def _guessed_cash(state: State, board: Board, view: View, player: Player) -> int:
    """Return a random amount for the hidden cash of a player.

    It is at least what the pending question requires, and usually at most twice the result of `_likely_cash`.
    """
    if player.bankrupt:
        return 0
    least, most = _bounds(state, board, view, player)
    likely = max(least, min(most, 2 * _likely_cash(state, board, view, player)))
    units, state.luck = below(state.luck, (likely - least) // board.unit + 1)
    return least + units * board.unit


def _bounds(state: State, board: Board, view: View, player: Player) -> tuple[int, int]:
    """Return the smallest and the largest cash of a player that the pending question allows."""
    question = state.pending
    if question is None or question.seat != player.seat:
        return 0, board.price[board.nothing]
    if type(question) is SellFor:
        return max(0, question.cost - player.resale), question.cost - board.unit
    if type(question) is PlayPiece:
        seen = mask_of(board.piece_number[piece] for other in view.players for piece in other.hand or [])
        costs = [cost_of(state, board, piece) for piece, bit in enumerate(board.bit) if not (state.laid | seen) & bit]
        return max(0, min(costs) - player.resale), board.price[board.nothing]
    return min(board.price[top] for top in state.tops), board.price[board.nothing]


def _likely_cash(state: State, board: Board, view: View, player: Player) -> int:
    """Return the likely cash of a player:

    - the starting cash
    - minus the prices of the player's properties
    - minus an equal share of the cost of all laid pieces
    - plus half of the payments that the player's properties would earn for all complete routes

    Only half is added, because the player may have held fewer properties at the time.
    """
    seats = len(view.players)
    track = sum(cost for cost, bit in zip(board.cost, board.bit, strict=True) if state.laid & bit)
    paid = 0
    for route, ends in enumerate(board.route_ends):
        if state.complete >> route & 1:
            paid += sum(view.cities[city].pays[player.seat] for city in ends)
    return max(0, board.cash[seats] - player.property_total - track // seats + paid // 2)
