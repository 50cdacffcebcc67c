"""Tests of the rules of The Last Spike. Test names contain the id of a rule or worked example of the rule sheet.

The module is long because each rule and each worked example has a test.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import rails_cli.games.last_spike
from rails_cli.games import standard_board
from rails_cli.games.game import ALL_SEATS, PUBLIC, IllegalAction, ImpossibleEvents, play
from rails_cli.games.last_spike import GAME
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece
from rails_cli.games.last_spike.state import State, derive
from rails_cli.protocol.common import Bid, Pass, Passed
from rails_cli.protocol.last_spike import (
    Action,
    Buy,
    Dealt,
    Drew,
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
    Sell,
    View,
    WentBankrupt,
)

BOARD: Board = standard_board("last_spike")
BOARD_FILE = Path(rails_cli.games.last_spike.__file__).with_name("board.json")


def position(
    *,
    players: int = 3,
    seat: int = 0,
    laid: str = "",
    hands: Sequence[str] = (),
    cash: Sequence[int] = (),
    properties: Sequence[str] = (),
    mix: str | None = None,
    bankrupt: Sequence[int] = (),
    buying: bool = False,
    non_adjacent: Any = "only_if_forced",
    cash_option: Any = "open",
) -> State:
    """Return a position in which `seat` must play a piece. With `buying`, the seat may buy a property instead.

    - `laid`: the pieces on the board.
    - `hands` and `properties`: for each seat, a string of ids.
    - `cash`: by seat, 20,000 for seats without a value.
    - `mix`: the draw pile, whose last piece is drawn next (default: all remaining pieces).
    - `bankrupt`: the bankrupt seats.

    Each city has a free property. If a laid piece touches the city, this property has left the pile. It is out of the
    game unless a seat holds it.
    """
    state = GAME.setup(BOARD, players, Options(non_adjacent, cash_option), 1, None)
    number = BOARD.piece_number
    state.pending = BuyOrPass(seat) if buying else PlayPiece(seat)
    state.laid = sum(1 << number[piece] for piece in piece_ids(laid))
    state.hands = [sorted(number[piece] for piece in hand.split()) for hand in filled(hands, players, "")]
    state.held = [lots(names) for names in filled(properties, players, "")]
    touched = {city for piece, city in CITY_OF.items() if state.laid >> number[piece] & 1}
    state.pile = lots(" ".join(BOARD.property_ids)) & ~sum(state.held) & ~lots(" ".join(f"{city}0" for city in touched))
    state.aside = -1
    placed = [piece for hand in state.hands for piece in hand]
    state.mix = [piece for piece in range(len(BOARD.piece_ids)) if piece not in placed and not state.laid >> piece & 1]
    if mix is not None:
        state.mix = [number[piece] for piece in mix.split()]
    accounts = filled(cash, players, 20_000)
    for gone in bankrupt:
        state.solvent ^= 1 << gone
        accounts[gone] = 0
    state.money = [*accounts, -sum(accounts)]
    derive(state, BOARD)
    return state


def piece_ids(laid: str) -> list[str]:
    """Return the piece ids in `laid`. A single letter stands for all pieces of a route."""
    return [
        piece for word in laid.split() for piece in ([f"{word}{n}" for n in range(1, 5)] if len(word) == 1 else [word])
    ]


def filled(given: Sequence[Any], players: int, default: Any) -> list[Any]:
    """Return `given` extended to one value per player, with `default` for the missing values."""
    return [*given, *([default] * (players - len(given)))]


def lots(names: str) -> int:
    """Return a bitmask of the properties with the ids in `names`, separated by spaces. Bit N is property number N."""
    return sum(1 << BOARD.property_number[name] for name in names.split())


CITY_OF = {
    piece["id"]: city
    for route in BOARD.wire["routes"]
    for piece, city in ((route["pieces"][0], route["from"]), (route["pieces"][-1], route["to"]))
}


def play_action(state: State, action: Action, events: list[Event] | None = None) -> State:
    """Play `action` for the seat to move, and return the new position. Append the events to `events` if given."""
    assert state.pending is not None
    return play(GAME, BOARD, state, state.pending.seat, action, events)


def events_of(state: State, action: Action) -> list[Event]:
    """Play `action` for the seat to move, and return its events."""
    events: list[Event] = []
    play_action(state, action, events)
    return events


def legal(state: State) -> list[Any]:
    return GAME.legal_actions(state, BOARD)


def playable(state: State) -> dict[str, int]:
    """Return the pieces that may be played, with their costs."""
    entries = legal(state)
    assert all(type(entry) is Play for entry in entries)
    return {entry.piece: entry.cost for entry in entries}


def buyable(state: State) -> dict[str, int]:
    """Return the cities where a property may be bought, with the price."""
    entries = legal(state)
    assert entries[-1] == Pass()
    return {entry.city: entry.cost for entry in entries[:-1]}


def sellable(state: State) -> dict[str, int]:
    """Return the properties that may be sold, with the dollars that the bank pays for each."""
    entries = legal(state)
    assert all(type(entry) is Sell for entry in entries)
    return {entry.property: entry.gain for entry in entries}


def is_refused(state: State, action: Any) -> bool:
    """Assert that `action` is illegal for the seat to move, and return True."""
    before = GAME.dump(state)
    with pytest.raises(IllegalAction):
        play_action(state, action)
    assert GAME.dump(state) == before
    return True


def view_of(state: State, observer: int = PUBLIC) -> View:
    view = GAME.view(state, BOARD, observer)
    assert isinstance(view, View)
    return view


def cash_of(state: State, seat: int) -> int:
    cash = view_of(state, ALL_SEATS).players[seat].cash
    assert cash is not None
    return cash


def asked(state: State) -> tuple[int, str]:
    """Return the seat to move and the kind of the question that it must answer."""
    question = view_of(state).question
    assert question is not None
    return question.seat, question.asks


# Components and set-up


def test_ls_1_player_counts_starting_cash_and_unlimited_bank() -> None:
    assert GAME.players == (2, 3, 4, 5, 6)
    for players, cash in ((2, 60_000), (3, 50_000), (4, 40_000), (5, 35_000), (6, 30_000)):
        state = GAME.setup(BOARD, players, Options(), 1, None)
        assert [player.cash for player in view_of(state).players] == [cash] * players
    owner = position(laid="A1 A2 A3 B1", hands=["A4"], cash=[900_000_000], properties=["STL0 STL1 STL2 STL3 STL4"])
    assert cash_of(play_action(owner, Play("A4")), 0) == 900_000_000 - 2_000 + 50_000 + 6_000, "the bank is unlimited"


def test_ls_2_cities_routes_pieces_and_properties() -> None:
    assert len(BOARD.city_ids) == 9
    assert len(BOARD.route_ids) == 12
    assert [len(along) for along in BOARD.route_pieces] == [4] * 12
    assert len(set(BOARD.piece_ids)) == 48
    assert all(cost > 0 for cost in BOARD.cost)
    for city in BOARD.wire["cities"]:
        prices = [lot["price"] for lot in city["properties"]]
        assert len(prices) == 5
        assert prices[0] == 0 < prices[1] < prices[2] < prices[3] < prices[4]
    omaha = view_of(position(laid="C1", properties=["OMA0"])).cities[1]
    assert omaha.pile == ["OMA1", "OMA2", "OMA3", "OMA4"], "the cheapest property is on top"
    assert (omaha.for_sale, omaha.price) == ("OMA1", 3_000)


def test_ls_3_the_lowest_draw_starts_and_each_player_has_four_pieces() -> None:
    starters = set()
    for seed in range(40):
        events: list[Any] = []
        state = GAME.setup(BOARD, 4, Options(), seed, events)
        [deal] = events
        assert isinstance(deal, Dealt)
        assert deal.draws is not None
        assert len(set(deal.draws)) == 4
        assert deal.draws[deal.first] == min(deal.draws), "the lowest draw starts, by letter and then by number"
        assert asked(state) == (deal.first, "play")
        starters.add(deal.first)
        hands = [hand for hand in deal.hands if hand is not None]
        assert [len(hand) for hand in hands] == [4, 4, 4, 4]
        in_mix = [BOARD.piece_ids[piece] for piece in state.mix]
        assert sorted([*in_mix, *(piece for hand in hands for piece in hand)]) == sorted(BOARD.piece_ids)
        for observer in range(4):
            view = view_of(state, observer)
            assert [player.hand for player in view.players] == [
                hand if seat == observer else None for seat, hand in enumerate(hands)
            ]
            assert [player.pieces for player in view.players] == [4, 4, 4, 4]
    assert starters == {0, 1, 2, 3}


def test_ls_3_the_order_of_draws_does_not_depend_on_the_board_file() -> None:
    file = json.loads(BOARD_FILE.read_bytes())
    file["routes"].reverse()
    reversed_board = GAME.read_board(json.dumps(file).encode())
    assert reversed_board.in_place == BOARD.in_place == sorted(BOARD.piece_ids)
    for seed in range(20):
        events: list[Any] = []
        GAME.setup(reversed_board, 4, Options(), seed, events)
        assert events[0].draws[events[0].first] == min(events[0].draws)
    file["routes"][-1]["pieces"][1]["id"] = "A10"  # route A, which is last in the reversed file
    assert GAME.read_board(json.dumps(file).encode()).in_place[:4] == ["A1", "A3", "A4", "A10"]


def test_ls_3_a_recorded_deal_with_a_wrong_number_of_pieces_is_refused() -> None:
    for players in (2, 3):
        events: list[Any] = []
        GAME.setup(BOARD, players, Options(), 1, events)
        [deal] = events
        dealt = {deal.set_aside, *(piece for hand in deal.hands for piece in hand)}
        spare = next(piece for piece in BOARD.piece_ids if piece not in dealt)
        assert GAME.setup_from_events(BOARD, players, Options(), [deal])
        for hands, aside in (
            ([deal.hands[0][1:], *deal.hands[1:]], deal.set_aside),
            ([*deal.hands[:-1], [*deal.hands[-1], spare]], deal.set_aside),
            (deal.hands, spare if deal.set_aside is None else None),
        ):
            with pytest.raises(ImpossibleEvents, match="wrong number of pieces"):
                GAME.setup_from_events(BOARD, players, Options(), [Dealt(deal.first, hands, aside, deal.draws)])


@pytest.mark.parametrize("first", [-1, 3])
def test_ls_3_a_recorded_deal_with_an_unknown_first_player_is_refused(first: int) -> None:
    events: list[Any] = []
    GAME.setup(BOARD, 3, Options(), 1, events)
    [deal] = events
    with pytest.raises(ImpossibleEvents, match="not one for 3 players"):
        GAME.setup_from_events(BOARD, 3, Options(), [Dealt(first, deal.hands, deal.set_aside, deal.draws)])


def test_ls_4_with_two_players_a_hidden_piece_is_set_aside() -> None:
    events: list[Any] = []
    state = GAME.setup(BOARD, 2, Options(), 5, events)
    aside = events[0].set_aside
    assert aside in BOARD.piece_ids
    assert aside not in [piece for hand in events[0].hands for piece in hand]
    for observer in (0, 1, PUBLIC, ALL_SEATS):
        assert (view_of(state, observer).set_aside, view_of(state, observer).set_aside_piece) == (1, None), (
            "no seat sees which piece is set aside"
        )
        assert GAME.redact(events[0], observer, Options()).set_aside is None
    while state.pending is not None:
        state = play_action(state, legal(state)[0], events)
    assert aside not in [event.piece for event in events if isinstance(event, Drew)]
    assert aside not in [event.piece for event in events if isinstance(event, PiecePlayed)]
    assert view_of(state).set_aside_piece == aside
    for players in (3, 4, 5, 6):
        state = GAME.setup(BOARD, players, Options(), 5, events)
        assert view_of(state).set_aside == 0


# A turn


def test_ls_10_a_turn_is_playing_buying_and_drawing() -> None:
    state = position(laid="A1 A2 A3 D1", hands=["A4 B1", "C1"], properties=["OMA0"], mix="F1 E1")
    assert is_refused(state, Pass()), "a piece must be played"
    assert is_refused(state, Buy("OMA")), "a piece must be played before buying"
    events: list[Event] = []
    state = play_action(state, Play("A4"), events)
    assert [type(event) for event in events] == [PiecePlayed, RouteCompleted, RoutePaid, RoutePaid]
    assert asked(state) == (0, "buy")
    assert is_refused(state, Play("B1")), "only one piece is played in a turn"
    events = []
    state = play_action(state, Buy("OMA"), events)
    assert events == [PropertyBought(0, "OMA1", "OMA", 3_000), Drew(seat=0, piece="E1")]
    assert asked(state) == (1, "play")
    first = position(hands=["A4 B1", "C1"], mix="E1")
    assert [type(event) for event in events_of(first, Play("A4"))] == [PiecePlayed, PropertyTaken, Drew]


def test_ls_11_a_piece_that_touches_nothing_costs_double_and_must_be_forced() -> None:
    state = position(hands=["A1 A4 V1 V4"])
    assert playable(state) == {"A1": 2_000, "A4": 2_000, "V1": 5_000, "V4": 4_000}, (
        "end pieces touch their city and have the normal cost"
    )
    assert playable(position(laid="A1", hands=["A2"])) == {"A2": 1_000}
    assert playable(position(laid="A3", hands=["A2"])) == {"A2": 1_000}
    assert playable(position(laid="A2", hands=["A3"])) == {"A3": 3_000}
    assert playable(position(laid="A4", hands=["A3"])) == {"A3": 3_000}
    assert playable(position(laid="A4 B1 B3 C2", hands=["A2"])) == {"A2": 2_000}, (
        "only neighbours on the same route count"
    )
    assert playable(play_action(position(hands=["A4", "A3"]), Play("A4"))) == {"A3": 3_000}, (
        "a neighbour just laid counts"
    )
    paid = events_of(position(hands=["A2"]), Play("A2"))[0]
    assert paid == PiecePlayed(0, "A2", "A", 2_000, touching=False)
    # a piece that touches nothing may be played only if the player cannot pay for any piece that touches
    assert playable(position(hands=["A1 B2"])) == {"A1": 2_000}
    assert playable(position(hands=["V1 A2"], cash=[4_000])) == {"A2": 2_000}
    assert playable(position(hands=["V1 A2"], cash=[4_000], properties=["OMA1"])) == {"V1": 5_000}, (
        "V1 can be paid after a sale, so A2 is not allowed"
    )
    assert playable(position(hands=["V1 A2 X2"], cash=[3_000])) == {"A2": 2_000}, "X2 cannot be paid"
    assert playable(position(hands=["X2"], cash=[1_000], properties=["OMA2"])) == {"X2": 4_000}, (
        "it can be paid after a sale"
    )
    free_choice = position(hands=["A1 B2 W2"], cash=[6_000], non_adjacent="free_choice")
    assert playable(free_choice) == {"A1": 2_000, "B2": 6_000}
    assert cash_of(play_action(free_choice, Play("B2")), 0) == 0


def test_ls_11_the_view_lists_the_pieces_that_touch() -> None:
    ends = {piece for route in BOARD.wire["routes"] for piece in (f"{route['id']}1", f"{route['id']}4")}
    assert set(view_of(position()).touching) == ends
    touching = view_of(position(laid="A4 B2")).touching
    assert set(touching) == ends - {"A4"} | {"A3", "B3"}
    assert touching[:5] == ["A1", "A3", "B1", "B3", "B4"], "sorted by route, without duplicates"


def test_ls_12_a_piece_is_paid_before_it_earns() -> None:
    state = position(laid="V1 V2 V4", hands=["V3 A4"], cash=[2_000], properties=["DEN0"])
    assert playable(state) == {"A4": 2_000}, "the payment for completing V cannot be used for V3"
    state = position(laid="V1 V2 V4", hands=["V3"], cash=[3_000], properties=["DEN0"])
    events: list[Event] = []
    after = play_action(state, Play("V3"), events)
    assert [type(event) for event in events[:3]] == [PiecePlayed, RouteCompleted, RoutePaid]
    assert cash_of(after, 0) == 5_000
    assert after.money[-1] == state.money[-1] + 3_000 - 5_000, "the cost goes to the bank"


def test_ls_13_the_first_piece_at_a_city_takes_its_free_property() -> None:
    state = position(laid="A1 A2 A3", hands=["A4", "C1"], properties=["STL0"])
    events: list[Event] = []
    after = play_action(state, Play("A4"), events)
    assert PropertyTaken(0, "OMA0", "OMA") in events
    assert events.index(PropertyTaken(0, "OMA0", "OMA")) < events.index(RoutePaid("A", "OMA", [6_000, 0, 0]))
    assert cash_of(after, 0) == 20_000 - 2_000 + 10_000 + 6_000, (
        "the free property is paid for the route that the same piece completes"
    )
    assert asked(after) == (1, "play"), "a player that took a free property cannot buy in the same turn"
    events = []
    later = play_action(after, Play("C1"), events)
    assert not [event for event in events if isinstance(event, PropertyTaken)]
    assert asked(later) == (1, "buy")
    middle = play_action(position(laid="A4", hands=["A3"]), Play("A3"))
    assert view_of(middle).players[0].properties == [], "a middle piece touches no city"


def test_ls_14_a_complete_route_pays_the_owners_at_both_ends() -> None:
    properties = ["DOD0 DEN1 DEN2", "DEN0 DOD1 DOD2 DOD3", "OMA1 OMA2"]
    state = position(players=4, laid="E1 E2 E4", hands=["E3"], properties=properties)
    events: list[Event] = []
    after = play_action(state, Play("E3"), events)
    assert RoutePaid("E", "DOD", [7_000, 21_000, 0, 0]) in events
    assert RoutePaid("E", "DEN", [10_000, 5_000, 0, 0]) in events
    assert [cash_of(after, seat) for seat in range(4)] == [35_000, 46_000, 20_000, 20_000]
    assert after.money[-1] == state.money[-1] + 2_000 - 43_000
    unfinished = position(laid="E1 E2", hands=["E3"], properties=["DOD0 DEN1"])
    assert cash_of(play_action(unfinished, Play("E3")), 0) == 18_000, "a route pays only when all four pieces are laid"


def test_ls_15_one_property_may_be_bought_at_the_top_price_of_a_pile() -> None:
    state = position(laid="A1 A4 B1", hands=["", "C1"], properties=["OMA0", "OMA1"], cash=[5_000], buying=True)
    assert buyable(state) == {"STL": 5_000, "OMA": 5_000}, "the cheapest of the cities whose free property is taken"
    assert legal(state)[-1] == Pass()
    after = play_action(state, Buy("OMA"))
    assert view_of(after).players[0].properties == ["OMA0", "OMA2"]
    assert cash_of(after, 0) == 0
    assert after.money[-1] == state.money[-1] + 5_000
    assert asked(after) == (1, "play"), "only one property may be bought in a turn"
    assert buyable(position(laid="A1 A4", cash=[4_000], buying=True)) == {"OMA": 3_000}, (
        "St. Louis costs more than the cash"
    )
    none_left = position(laid="A4 D1", properties=["OMA1 OMA2 OMA3 OMA4"], buying=True)
    assert "OMA" not in buyable(none_left)
    finished_city = position(laid="A B D1", buying=True)
    assert buyable(finished_city)["STL"] == 5_000, "a city with only complete routes still sells"
    received = play_action(position(laid="E1 E2 E4", hands=["E3"], cash=[2_000], properties=["DEN0"]), Play("E3"))
    assert buyable(received) == {"DOD": 3_000, "DEN": 3_000}, "money received in this turn may be spent"
    seller = play_action(position(laid="E1 E4", hands=["E3"], properties=["DEN4"], cash=[0]), Play("E3"))
    assert buyable(play_action(seller, Sell("DEN4"))) == {"DOD": 3_000, "DEN": 3_000}, (
        "buying is allowed after a sale in the same turn"
    )


def test_ls_16_a_piece_is_drawn_at_the_end_of_a_turn() -> None:
    state = position(laid="A4", hands=["A3 B1", "C1"], mix="E1 F1", cash=[3_000])
    events: list[Event] = []
    after = play_action(state, Play("A3"), events)
    assert events[-1] == Drew(seat=0, piece="F1")
    assert view_of(after, 0).players[0].hand == ["B1", "F1"]
    assert view_of(after).mix == 1
    empty = position(laid="A4", hands=["A3 B1", "C1"], mix="", cash=[3_000])
    events = []
    after = play_action(empty, Play("A3"), events)
    assert not [event for event in events if isinstance(event, Drew)]
    assert view_of(after, 0).players[0].hand == ["B1"]
    assert asked(after) == (1, "play"), "the game continues without a draw"


def test_ls_17_a_player_without_pieces_draws_before_playing() -> None:
    state = position(laid="A4", hands=["A3", ""], mix="F2 E1 F1", cash=[3_000, 9_000])
    events: list[Event] = []
    after = play_action(state, Play("A3"), events)
    assert events[-2:] == [Drew(seat=0, piece="F1"), Drew(seat=1, piece="E1")]
    assert asked(after) == (1, "play")
    assert playable(after) == {"E1": 1_000}
    taken = position(laid="A4 E4 F1", hands=["A3", ""], mix="F2 E1 C2", cash=[3_000, 9_000])
    bought = play_action(play_action(play_action(taken, Play("A3")), Play("E1")), Buy("DEN"))
    assert view_of(bought, 1).players[1].hand == ["F2"], "the player buys and draws as usual"
    poor = position(laid="A4", hands=["A3", ""], mix="E2 W1 F1", cash=[3_000, 3_000])
    events = []
    play_action(poor, Play("A3"), events)
    assert WentBankrupt(1, 3_000, ["W1"], [], []) in events
    nothing = position(laid="A4 E1", hands=["A3 B1", "", "C1"], mix="", cash=[3_000, 9_000])
    events = []
    after = play_action(nothing, Play("A3"), events)
    assert events[-1] == Passed(1, forced=True)
    assert asked(after) == (2, "play"), "a seat without pieces passes and cannot buy"
    assert not view_of(after).players[1].bankrupt


def test_ls_18_turns_are_clockwise_and_impossible_purchases_are_not_asked() -> None:
    state = position(players=4, seat=3, hands=["", "B1", "C1", "D1"], bankrupt=[0], mix="E1 F1")
    assert [type(event) for event in events_of(state, Play("D1"))] == [PiecePlayed, PropertyTaken, Drew]
    assert asked(play_action(state, Play("D1"))) == (1, "play"), "bankrupt players are skipped"
    assert asked(play_action(play_action(state, Play("D1")), Play("B1"))) == (2, "play")
    poor = position(laid="A4", hands=["A3", "C1"], cash=[5_999])
    events: list[Event] = []
    after = play_action(poor, Play("A3"), events)
    assert Passed(0, forced=True) in events, "nothing can be bought, so nothing is asked"
    assert asked(after) == (1, "play")
    assert legal(after) == [Play("C1", 3_000)], "a question with one legal answer is asked"
    assert asked(play_action(position(laid="A4", hands=["A3"], cash=[6_000]), Play("A3"))) == (0, "buy")
    one_sale = play_action(position(laid="A4", hands=["A3"], cash=[1_000], properties=["DEN1"]), Play("A3"))
    assert legal(one_sale) == [Sell("DEN1", 2_000)]


# Selling and bankruptcy


def test_ls_20_properties_are_sold_for_half_to_pay_for_a_piece() -> None:
    gains = {lot: gain for lot, gain in zip(BOARD.property_ids, BOARD.gain, strict=True) if gain}
    halves = {"LAR1": 1_000, "OMA1": 2_000, "LAR2": 2_000, "STL1": 3_000, "LAR3": 3_000, "STL2": 4_000}
    assert {lot: gains[lot] for lot in halves} == halves, "half of the price, rounded up to the next 1,000"
    state = position(laid="V4 D1", hands=["V3 A1"], cash=[0], properties=["OMA1 OMA4 DEN1 DEN2", "OMA2"])
    assert is_refused(state, Sell("OMA4")), "selling is allowed only to pay for a chosen piece"
    events: list[Event] = []
    state = play_action(state, Play("V3"), events)
    assert events == [PieceChosen(0, "V3", 3_000)]
    assert asked(state) == (0, "sell")
    assert sellable(state) == {"OMA4": 5_000, "DEN2": 3_000, "OMA1": 2_000, "DEN1": 2_000}
    assert is_refused(state, Play("A1")), "the chosen piece cannot be changed"
    assert is_refused(state, Pass())
    state = play_action(state, Sell("OMA1"))
    assert asked(state) == (0, "sell"), "sales go on while cash is short"
    assert cash_of(state, 0) == 2_000
    assert view_of(state).cities[1].pile == ["OMA1", "OMA3"], "a sold property returns to the pile in price order"
    assert view_of(state).cities[1].for_sale == "OMA1"
    events = []
    after = play_action(state, Sell("DEN1"), events)
    assert events[:2] == [PropertySold(0, "DEN1", "DEN", 2_000), PiecePlayed(0, "V3", "V", 3_000, touching=True)]
    assert cash_of(after, 0) == 1_000
    assert view_of(after).players[0].properties == ["OMA4", "DEN2"]
    enough = play_action(
        play_action(position(laid="V4", hands=["V3"], cash=[0], properties=["OMA1 OMA4"]), Play("V3")), Sell("OMA4")
    )
    assert asked(enough)[1] != "sell", "no more is sold than needed"
    assert view_of(enough).players[0].properties == ["OMA1"]
    exact = position(laid="V4", hands=["V3"], cash=[1_000], properties=["OMA1 DEN1"])
    events = []
    after = play_action(play_action(exact, Play("V3")), Sell("DEN1"), events)
    assert PiecePlayed(0, "V3", "V", 3_000, touching=True) in events, "cash equal to the cost is enough"
    assert view_of(after).players[0].properties == ["OMA1"]


def test_ls_21_free_properties_and_those_of_finished_cities_cannot_be_sold() -> None:
    held = "STL0 STL1 OMA0 OMA1"
    state = play_action(position(laid="A B V4", hands=["V3"], cash=[1_000], properties=[held, "OMA2"]), Play("V3"))
    assert sellable(state) == {"OMA1": 2_000}, (
        "no free ones, none in cities with only complete routes, none of other players"
    )
    one_open = play_action(position(laid="A B1 B2 B3 V4", hands=["V3"], cash=[1_000], properties=[held]), Play("V3"))
    assert sellable(one_open) == {"STL1": 3_000, "OMA1": 2_000}, "St. Louis still has an incomplete route"
    closing = position(laid="A B1 B2 B3", hands=["B4", "V3"], properties=["", held])
    assert view_of(closing).players[1].resale == 5_000
    assert view_of(play_action(closing, Play("B4"))).players[1].resale == 2_000, (
        "St. Louis properties cannot be sold after its last route is complete"
    )
    broke = position(laid="A B V4", hands=["V3 V1"], cash=[2_000], properties=["STL4 OMA0"])
    assert legal(broke) == [], "properties that cannot be sold do not help to pay"
    tags = {kind.__struct_config__.tag for kind in (Play, Sell, Buy, Pass)}
    assert tags == {"play", "sell", "buy", "pass"}, "there are no actions for trades or loans"
    assert is_refused(one_open, Bid(1_000))


def test_ls_22_a_player_may_choose_a_piece_that_needs_a_sale() -> None:
    state = position(laid="V4", hands=["V3 A1"], cash=[2_000], properties=["DEN1"])
    assert playable(state) == {"V3": 3_000, "A1": 2_000}
    state = play_action(state, Play("V3"))
    assert asked(state) == (0, "sell")
    assert cash_of(play_action(state, Sell("DEN1")), 0) == 1_000


def test_ls_23_a_player_that_cannot_pay_for_any_piece_is_bankrupt() -> None:
    state = position(
        laid="A4 B",
        hands=["A3", "V1 Y3", "C1"],
        cash=[3_000, 4_000],
        properties=["", "OMA0 STL1 DOD2", "OMA1"],
        mix="E1 F2",
    )
    events: list[Event] = []
    after = play_action(state, Play("A3"), events)
    assert asked(after) == (1, "play"), "seat 1 can pay for a piece by selling properties"
    assert playable(after) == {"V1": 5_000}
    state.money[1] = 0
    state.held[1] = lots("OMA0 STL1")
    state.pile |= lots("DOD2")
    derive(state, BOARD)
    events = []
    after = play_action(state, Play("A3"), events)
    assert events[2:] == [Drew(seat=0, piece="F2"), WentBankrupt(1, 0, ["V1", "Y3"], ["STL1"], ["OMA0"]), Mixed(3)]
    assert asked(after) == (2, "play")
    view = view_of(after, ALL_SEATS)
    assert view.players[1].bankrupt
    assert (view.players[1].cash, view.players[1].hand, view.players[1].properties) == (0, [], [])
    assert sorted(BOARD.piece_ids[piece] for piece in after.mix) == ["E1", "V1", "Y3"], "the hand returns to the mix"
    assert view.cities[0].pile == ["STL1", "STL2", "STL3", "STL4"], "bought properties return to the pile"
    assert view.cities[1].pile == ["OMA2", "OMA3", "OMA4"], "the free one has left the game"
    assert view.cities[1].free_taken, "properties of this city can still be bought"
    assert not view.has_ended
    penniless = position(laid="A4", hands=["A3", "W1", "C1"], cash=[3_000, 0], mix="")
    penniless.hands[1] = []  # the same holdings as after a bankruptcy, so only `solvent` differs
    assert not view_of(penniless, 0).players[1].bankrupt
    penniless.solvent ^= 1 << 1
    assert view_of(penniless, 0).players[1].bankrupt
    with_cash = position(laid="A4", hands=["A3", "W1", "C1"], cash=[3_000, 3_999], mix="")
    assert play_action(with_cash, Play("A3")).money[:2] == [0, 0], "the cash of a bankrupt player goes to the bank"
    apart = position(laid="A4", hands=["A3", "W1 D2", "C1"], cash=[3_000, 2_000])
    assert playable(play_action(apart, Play("A3"))) == {"D2": 2_000}, (
        "a player that can pay double cost for a piece is not bankrupt"
    )
    last = position(players=2, laid="A4", hands=["A3", "W1"], cash=[3_000, 0], mix="")
    events = []
    after = play_action(last, Play("A3"), events)
    assert after.pending is None
    assert events[-1] == GameEnded(["last_solvent"])
    assert GAME.end_reasons(after, BOARD) == ["last_solvent"]
    assert GAME.scores(after) == [0, 0]
    assert GAME.ranks(after, BOARD) == [1, 2], "the last solvent player wins with any amount of cash"


def poor_board(cash: int) -> Board:
    file = json.loads(BOARD_FILE.read_bytes())
    file["starting_cash"]["by_players"] = dict.fromkeys(file["starting_cash"]["by_players"], cash)
    return GAME.read_board(json.dumps(file).encode())


@pytest.mark.parametrize("players", GAME.players)
def test_ls_23_the_first_player_can_go_bankrupt(players: int) -> None:
    board = poor_board(3_000)
    went_first = 0
    for seed in range(60):
        events: list[Any] = []
        state = GAME.setup(board, players, Options(), seed, events)
        deal = events[0]
        assert isinstance(deal, Dealt)
        gone = [event.seat for event in events if isinstance(event, WentBankrupt)]
        assert gone == [(deal.first + number) % players for number in range(len(gone))], (
            "players go bankrupt clockwise from the first player"
        )
        went_first += bool(gone)
        restored = GAME.setup_from_events(board, players, Options(), events)
        assert (restored.pending, restored.solvent, restored.money) == (state.pending, state.solvent, state.money)
        assert (restored.hands, sorted(restored.mix)) == (state.hands, sorted(state.mix))
        while state.pending is not None:
            actions = GAME.legal_actions(state, board)
            assert actions, f"seed {seed}: asked, but nothing can be played"
            GAME.apply(state, board, actions[seed % len(actions)], None)
        assert GAME.end_reasons(state, board)
        assert 1 in GAME.ranks(state, board)
    assert went_first, "no first player went bankrupt"


def test_ls_23_the_last_player_wins_if_nobody_can_play() -> None:
    events: list[Any] = []
    state = GAME.setup(poor_board(0), 4, Options(), 1, events)
    first = events[0].first
    assert [event.seat for event in events if isinstance(event, WentBankrupt)] == [
        (first + number) % 4 for number in range(3)
    ]
    assert events[-1] == GameEnded(["last_solvent"])
    assert state.pending is None
    assert GAME.ranks(state, BOARD)[(first + 3) % 4] == 1


def test_ls_23_pieces_of_a_bankrupt_player_are_mixed_again() -> None:
    """Pieces of a bankrupt player are mixed with the others, not put on top or at the bottom."""
    drawn = set()
    for luck in range(40):
        state = position(laid="A4", hands=["A3", "V1 Y3", "C1"], cash=[3_000, 0], mix="E1 F2 F3")
        state.luck = luck
        after = play_action(state, Play("A3"))
        drawn.add(BOARD.piece_ids[after.mix[-1]])
    assert drawn == {"E1", "F2", "V1", "Y3"}


# The last spike and the end


LINE_BUT_Y4 = "B E V Y1 Y2 Y3"


def test_ls_30_completing_the_line_pays_a_bonus_and_ends_the_game() -> None:
    state = position(laid=LINE_BUT_Y4, hands=["Y4", "A1"], cash=[5_000], properties=["OGD1", "OGD0"], mix="A2")
    assert view_of(state).last_spikes == ["Y4"]
    events: list[Event] = []
    after = play_action(state, Play("Y4"), events)
    assert events == [
        PiecePlayed(0, "Y4", "Y", 5_000, touching=True),
        PropertyTaken(0, "SAC0", "SAC"),
        RouteCompleted(0, "Y", ["OGD", "SAC"]),
        LastSpikeDriven(0, "Y4", 20_000),
        RoutePaid("Y", "OGD", [7_000, 7_000, 0]),
        RoutePaid("Y", "SAC", [10_000, 0, 0]),
        GameEnded(["last_spike"]),
    ]
    assert GAME.scores(after) == [37_000, 27_000, 20_000]
    assert after.pending is None, "nothing is bought after the last spike"
    assert len(after.mix) == 1, "no piece is drawn after the last spike"
    assert legal(after) == []
    assert view_of(after).end_reasons == GAME.end_reasons(after, BOARD) == ["last_spike"]
    poor = position(laid=LINE_BUT_Y4, hands=["Y4 A1"], cash=[4_999])
    assert playable(poor) == {"A1": 2_000}, "the bonus does not pay for the piece"
    broken = position(laid="B E V1 V2 V4 Y1 Y2 Y3", hands=["Y4", "V3"])
    assert view_of(broken).last_spikes == []
    after = play_action(broken, Play("Y4"))
    assert after.pending is not None, "the line must be continuous"
    assert view_of(after).last_spikes == ["V3"]
    after = play_action(after, Play("V3"))
    assert after.pending is None, "any piece of the line can be the last spike"
    assert view_of(position(laid="A B C D E F1", hands=["A1"])).end_reasons == [], (
        "routes that do not reach Sacramento do not end the game"
    )


def test_ls_30_the_start_city_does_not_depend_on_the_order_of_the_board_file() -> None:
    file = json.loads(BOARD_FILE.read_bytes())
    file["cities"].reverse()
    reversed_board = GAME.read_board(json.dumps(file).encode())
    assert reversed_board.city_ids[reversed_board.start] == BOARD.city_ids[BOARD.start]
    state = GAME.setup(reversed_board, 3, Options(), 1, None)
    assert state.from_start == 1 << reversed_board.start


def ended_with(cash: Sequence[int], properties: Sequence[str]) -> State:
    """Return the position after the end of a game. The seats have the amounts `cash` and the given properties.

    `properties` has a string for each seat: the ids of its properties, separated by spaces. Properties of Ogden and
    Sacramento are not accepted.
    """
    before = [cash[0] - 15_000, *cash[1:]]
    state = position(players=len(cash), laid=f"{LINE_BUT_Y4} Z4", hands=["Y4"], cash=before, properties=properties)
    after = play_action(state, Play("Y4"))
    assert GAME.scores(after) == list(cash)
    return after


def test_ls_31_most_cash_wins_and_property_prices_break_ties() -> None:
    assert GAME.ranks(ended_with([50_000, 40_000, 60_000], ["STL1 STL2", "STL3 STL4", ""]), BOARD) == [2, 3, 1]
    tied = ended_with([50_000, 50_000, 60_000], ["LAR0 LAR1 LAR2", "OMA3", ""])
    assert GAME.ranks(tied, BOARD) == [3, 2, 1], "property prices break the tie: 7,000 beats 6,000"
    shared = ended_with([50_000, 50_000, 20_000], ["DEN2 DEN1", "LAR4", ""])
    assert GAME.ranks(shared, BOARD) == [1, 1, 3], "players with equal property prices share the win"


def test_ls_32_hands_and_optionally_cash_are_hidden() -> None:
    held = ["OMA0 OMA1", "DEN1", ""]
    for option in ("open", "hidden"):
        state = position(laid="A4", hands=["A3 B1", "C1"], cash=[1_000, 7_000], properties=held, cash_option=option)
        for observer in (0, 1, 2, PUBLIC):
            view = view_of(state, observer)
            assert [player.hand is not None for player in view.players] == [seat == observer for seat in range(3)]
            assert [player.properties for player in view.players] == [["OMA0", "OMA1"], ["DEN1"], []]
            shown = [player.cash for player in view.players]
            if option == "open":
                assert shown == [1_000, 7_000, 20_000]
            else:
                assert shown == [cash if seat == observer else None for seat, cash in enumerate([1_000, 7_000, 20_000])]
        assert [player.cash for player in view_of(state, ALL_SEATS).players] == [1_000, 7_000, 20_000]
        short = [view_of(play_action(state, Play("A3")), observer).question for observer in (0, 1, PUBLIC)]
        assert [question.short for question in short if question] == [
            2_000,
            *([2_000, 2_000] if option == "open" else [None, None]),
        ]
    hidden, shown_cash = Options(cash="hidden"), Options()
    gone = WentBankrupt(1, 3_000, ["W1"], [], ["OMA0"])
    assert GAME.redact(gone, 1, hidden) == gone
    assert GAME.redact(gone, 0, hidden) == WentBankrupt(1, None, None, [], ["OMA0"])
    assert GAME.redact(gone, 0, shown_cash) == WentBankrupt(1, 3_000, None, [], ["OMA0"])
    assert GAME.redact(Drew(seat=1, piece="A1"), 0, shown_cash) == Drew(seat=1, piece=None)
    assert GAME.redact(Drew(seat=1, piece="A1"), 1, shown_cash) == Drew(seat=1, piece="A1")
    assert GAME.redact(Passed(1, forced=True), 0, hidden) == GAME.redact(Passed(1), 0, hidden)
    assert GAME.redact(Passed(1, forced=True), 0, shown_cash) == Passed(1, forced=True)
    ended = play_action(position(laid=LINE_BUT_Y4, hands=["Y4", "C1"], cash_option="hidden"), Play("Y4"))
    final = view_of(ended, 2)
    assert [player.cash for player in final.players] == GAME.scores(ended), "all cash is shown at the end"
    assert [player.hand for player in final.players] == [[], ["C1"], []]


def test_ls_32_all_other_events_are_public() -> None:
    completed = position(laid=LINE_BUT_Y4, hands=["Y4", "A1"], properties=["OGD1 OGD0"])
    bought = position(hands=["A1"], laid="A4", buying=True)
    sold = play_action(position(hands=["V1"], cash=[4_000], properties=["OMA1"]), Play("V1"))
    chosen = events_of(position(hands=["V1"], cash=[4_000], properties=["OMA1"]), Play("V1"))
    free = events_of(position(hands=["A4 B1"], mix="C1"), Play("A4"))
    events = [
        *events_of(completed, Play("Y4")),
        *events_of(bought, Buy("OMA")),
        *events_of(sold, Sell("OMA1")),
        *chosen,
        *free,
    ]
    public = [event for event in events if type(event) not in (Drew, Passed)]
    kinds = {GameEnded, LastSpikeDriven, PieceChosen, PiecePlayed, PropertyBought, PropertySold, PropertyTaken}
    assert {type(event) for event in public} >= {*kinds, RouteCompleted, RoutePaid}
    for observer in (0, 1, PUBLIC):
        assert [GAME.redact(event, observer, Options(cash="hidden")) for event in public] == public


# Worked examples


def test_ls_x1_nearest_to_a1_starts() -> None:
    for seed in range(20):
        events: list[Event] = []
        GAME.setup(BOARD, 2, Options(), seed, events)
        dealt = events[0]
        assert isinstance(dealt, Dealt)
        assert dealt.draws is not None
        one, other = ((piece[0], int(piece[1:])) for piece in dealt.draws)
        assert dealt.first == (0 if one < other else 1)


def test_ls_x2_cost_of_a_touching_a3() -> None:
    state = position(laid="A4", hands=["A3"], cash=[10_000])
    assert playable(state) == {"A3": 3_000}
    assert cash_of(play_action(state, Play("A3")), 0) == 7_000


def test_ls_x3_cost_of_an_a3_that_touches_nothing() -> None:
    assert playable(position(hands=["A3"])) == {"A3": 6_000}
    assert playable(position(laid="A1", hands=["A3"])) == {"A3": 6_000}


@pytest.mark.parametrize("piece", ["A4", "D1", "C1"])
def test_ls_x4_any_end_piece_at_omaha_takes_its_free_property(piece: str) -> None:
    assert PropertyTaken(0, "OMA0", "OMA") in events_of(position(hands=[piece]), Play(piece))


def test_ls_x5_free_property_taken_before() -> None:
    state = position(laid="A4", hands=["C1"], properties=["", "OMA0"])
    after = play_action(state, Play("C1"))
    assert view_of(after).players[0].properties == []
    assert view_of(after).players[1].properties == ["OMA0"]


def test_ls_x6_no_purchase_after_a_free_property() -> None:
    state = play_action(position(laid="B1", hands=["C1", "A1"]), Play("C1"))
    with pytest.raises(IllegalAction):
        play(GAME, BOARD, state, 0, Buy("STL"))
    with pytest.raises(IllegalAction):
        play(GAME, BOARD, state, 0, Buy("OMA"))


def test_ls_x7_no_purchase_before_the_free_property() -> None:
    state = position(laid="A1", buying=True)
    assert is_refused(state, Buy("OMA"))
    assert play_action(state, Buy("STL"))


def test_ls_x8_payment_for_a_complete_route() -> None:
    state = position(laid="E1 E2 E4", hands=["", "E3"], seat=1, cash=[0], properties=["DEN1 DEN2 DOD0"])
    events = events_of(state, Play("E3"))
    assert RoutePaid("E", "DEN", [10_000, 0, 0]) in events
    assert RoutePaid("E", "DOD", [7_000, 0, 0]) in events
    assert cash_of(play_action(state, Play("E3")), 0) == 17_000


def test_ls_x9_a_property_is_sold_for_half_its_price() -> None:
    state = play_action(position(laid="W4", hands=["W3"], cash=[1_500], properties=["OMA2"]), Play("W3"))
    assert legal(state) == [Sell("OMA2", 3_000)]
    assert PropertySold(0, "OMA2", "OMA", 3_000) in events_of(state, Sell("OMA2"))


def test_ls_x10_properties_that_cannot_be_sold() -> None:
    state = position(laid="A B V4", hands=["V3"], cash=[0], properties=["OMA0 OMA2 STL2", "STL0"])
    state = play_action(state, Play("V3"))
    assert is_refused(state, Sell("STL2"))
    assert is_refused(state, Sell("OMA0"))
    assert is_refused(state, Sell("STL0"))
    assert play_action(state, Sell("OMA2"))


def test_ls_x11_either_of_two_pieces_may_be_the_last_spike() -> None:
    state = position(laid="A B E F X Y V1 V2 V4 Z1 Z2 Z4", hands=["V3 Z3"], cash=[5_000])
    assert view_of(state).last_spikes == ["V3", "Z3"]
    after = play_action(state, Play("V3"))
    assert GAME.end_reasons(after, BOARD) == ["last_spike"]
    assert view_of(after).last_spikes == [], "no piece can be the last spike after the end"
    assert cash_of(after, 0) == 22_000
    assert GAME.end_reasons(play_action(state, Play("Z3")), BOARD) == ["last_spike"]


def test_ls_x12_a_piece_that_is_too_expensive_is_refused() -> None:
    state = position(laid="V2", hands=["V3 A1"], cash=[2_000])
    assert is_refused(state, Play("V3"))
    assert play_action(state, Play("A1"))


def test_ls_x13_selling_a_property_to_pay_for_v3() -> None:
    state = position(laid="V2", hands=["V3"], cash=[0], properties=["OMA2", "OMA0"])
    after = play_action(play_action(state, Play("V3")), Sell("OMA2"))
    assert "V3" in view_of(after).routes[7].laid
    assert cash_of(after, 0) == 0


def test_ls_x14_property_prices_break_a_tie() -> None:
    cash = [80_000, 90_000, 90_000]
    properties = ["STL1 STL2 STL3 STL4 DEN4 YUM4", "OMA2 OMA3", "DOD1 DOD2 DEN3"]
    after = ended_with(cash, properties)
    assert [player.property_total for player in view_of(after).players] == [50_000, 12_000, 15_000]
    assert GAME.ranks(after, BOARD) == [3, 2, 1]


def test_ls_x15_playable_pieces() -> None:
    state = position(laid="A4", hands=["A3 B2 C1"], cash=[60_000])
    assert playable(state) == {"A3": 3_000, "C1": 3_000}
    free_choice = position(laid="A4", hands=["A3 B2 C1"], cash=[60_000], non_adjacent="free_choice")
    assert playable(free_choice) == {"A3": 3_000, "B2": 6_000, "C1": 3_000}


@pytest.mark.parametrize(("players", "mix", "aside"), [(2, 39, 1), (3, 36, 0), (6, 24, 0)])
def test_ls_x16_size_of_the_mix_after_the_deal(players: int, mix: int, aside: int) -> None:
    view = view_of(GAME.setup(BOARD, players, Options(), 9, None))
    assert (view.mix, view.set_aside) == (mix, aside)


# Imagined positions: random positions that agree with the view of a seat (LS-32)


def imagined(state: State, seat: int) -> list[State]:
    view = GAME.view(state, BOARD, seat)
    positions = [GAME.imagine(view, BOARD, seed) for seed in range(40)]
    assert all(GAME.view(position, BOARD, seat) == view for position in positions)
    assert len({tuple(map(tuple, position.hands)) for position in positions}) > 20
    return positions


@pytest.mark.parametrize("cash_option", ["open", "hidden"])
def test_ls_23_an_imagined_player_to_move_can_pay_for_a_piece(cash_option: Any) -> None:
    state = position(hands=("A1 B2 U1 V1", "F1", "C1 D2 E3 Y4"), cash=(30_000, 1_000), seat=1, cash_option=cash_option)
    for other in imagined(state, 0):
        assert GAME.moves.legal(other, BOARD)
        assert legal(other)


@pytest.mark.parametrize("non_adjacent", ["only_if_forced", "free_choice"])
@pytest.mark.parametrize("cash_option", ["open", "hidden"])
def test_ls_20_an_imagined_seller_has_the_chosen_piece(cash_option: Any, non_adjacent: Any) -> None:
    """A position imagined from a view agrees with what a player has chosen before.

    Seat 1 sells properties to pay for D2, a piece that touches no laid piece. So seat 1 holds D2 in every position
    imagined from the view of seat 0. With the option `only_if_forced` (LS-11), this choice also shows that seat 1 could
    not pay for any of its pieces that touch a laid piece. The imagined positions must agree with that, too.
    """
    state = position(
        laid="A4",
        hands=("A1 C2 U1 V1", "D2 V2 W2"),
        cash=(30_000, 0),
        properties=("", "OMA1 OMA2"),
        seat=1,
        cash_option=cash_option,
        non_adjacent=non_adjacent,
    )
    state = play_action(state, Play("D2"))
    chosen = BOARD.piece_number["D2"]
    touching_pieces = 0
    for other in imagined(state, 0):
        assert chosen in other.hands[1]
        assert 0 <= other.money[1] < 2 * BOARD.cost[chosen] <= other.money[1] + 5_000
        payable = [
            piece for piece in other.hands[1] if other.touching[piece] and BOARD.cost[piece] <= other.money[1] + 5_000
        ]
        touching_pieces += len(payable)
        assert legal(other) == legal(state)
    assert bool(touching_pieces) == (non_adjacent == "free_choice")


def test_ls_32_hidden_cash_is_imagined_in_whole_thousands() -> None:
    state = position(
        laid="A4", hands=("A1 A2", "B1 B2"), cash=(9_000, 12_000, 50_000), buying=True, seat=1, cash_option="hidden"
    )
    positions = imagined(state, 0)
    assert {other.money[0] for other in positions} == {9_000}
    for seat in (1, 2):
        assert len({other.money[seat] for other in positions}) > 5
    for other in positions:
        assert not any(amount % 1_000 for amount in other.money)
        assert other.money[1] >= 3_000, "with less cash the seat would not be asked to buy"
        assert sum(other.money) == 0


def test_ls_4_imagined_pieces_outside_hands_are_in_the_mix_or_set_aside() -> None:
    """If a view shows all hands, an imagined position has all other pieces in the mix (draw pile) or set aside."""
    state = GAME.setup(BOARD, 2, Options(), 3, None)
    view = GAME.view(state, BOARD, ALL_SEATS)
    pieces = {tuple(sorted([*other.mix, other.aside])) for other in (GAME.imagine(view, BOARD, 1),)}
    assert pieces == {tuple(sorted([*state.mix, state.aside]))}
    assert GAME.imagine(view, BOARD, 1).hands == state.hands
