"""Tests of the rules of American Rails. Test names contain the id of a rule or worked example of the rule sheet.

The module is long because each rule and each worked example has a test.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from rails_cli.games import standard_board
from rails_cli.games.american_rails import GAME
from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.moves import expansion
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
from rails_cli.games.american_rails.state import State, before_auctions, keep_caches
from rails_cli.games.game import PUBLIC, IllegalAction, ImpossibleEvents
from rails_cli.games.game import play as play_one
from rails_cli.games.moves import action_of, number_of
from rails_cli.games.shared.hexgrid import mask_of, numbers_in
from rails_cli.protocol.american_rails import (
    Build,
    Built,
    Choose,
    CompanyRemoved,
    Develop,
    Developed,
    DividendPaid,
    Event,
    Found,
    Founded,
    Fund,
    Funded,
    GameEnded,
    IncomeChanged,
    LinkMade,
    MoneyTaken,
    NumberTaken,
    Offer,
    Options,
    PlayersPaid,
    ShareOffered,
    ShareRemoved,
    ShareSold,
    SpaceName,
    SpaceTaken,
    Take,
    TurnOrderSet,
    View,
    YearAdvanced,
)
from rails_cli.protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed

BOARD: Board = standard_board("american_rails")
COMPANIES = ("American", "National", "Continental", "Majestic", "Liberty", "Republic")
SPACES: tuple[SpaceName, ...] = ("pass", "develop", "fund", "take", "expand3", "auction", "expand4")
CITIES = [entry.id for entry in BOARD.hexes if entry.terrain == "city"]
NOT_DEVELOPABLE = ("D16", "F13", "E15", "B18", "B02")  # New York, Baltimore, Philadelphia, Boston, Chicago


def hexes(words: str) -> int:
    """Return a bitmask of the hexes with the ids in `words`, separated by spaces. Bit N is hex number N."""
    return mask_of(BOARD.hex_number[word] for word in words.split())


def position(
    pending: Any,
    seats: int = 4,
    *,
    absent: str = "",
    cash: Sequence[int] = (),
    treasury: dict[str, int] | None = None,
    shares: Sequence[str] = (),
    supply: dict[str, int] | None = None,
    cubes: dict[str, int] | None = None,
    track: dict[str, str] | None = None,
    income: dict[str, int] | None = None,
    developed: str = "",
    lots: str = "",
    year: int = 1851,
    order: Sequence[int] | None = None,
    columns: Sequence[dict[str, int]] = ({},),
) -> State:
    """Return a position in which `pending` is the open question.

    A value that is not given as an argument is that at the start of a game.

    - `absent`: the companies that are not in play.
    - `shares`: for each seat, a string with the companies whose shares it holds.
    - `lots`: the companies whose opening shares are not auctioned yet.
    - `columns`: for each phase of the year up to the present one, the action spaces taken and the seats that took them.
    - `income`: by company, by default the income of its cities.
    """
    removed = mask_of(COMPANIES.index(company) for company in absent.split())
    state = before_auctions(BOARD, seats, Options(), removed, 0).copy()
    state.pending = pending
    state.lots = mask_of(COMPANIES.index(company) for company in lots.split())
    state.year = year - 1851
    state.order = list(range(seats) if order is None else order)
    state.phase = len(columns) - 1
    for phase, column in enumerate(columns):
        for space, seat in column.items():
            state.taken[phase * len(SPACES) + SPACES.index(space)] = seat
    state.turn = len(columns[-1]) - (not isinstance(pending, ChooseSpace) and bool(columns[-1]))
    state.held = state.held[:]
    for seat, held in enumerate(shares):
        for company in held.split():
            state.held[seat * len(COMPANIES) + COMPANIES.index(company)] += 1
            state.supply[COMPANIES.index(company)] -= 1
    for company, places in (track or {}).items():
        state.track[COMPANIES.index(company)] = hexes(places)
        state.cubes[COMPANIES.index(company)] -= len(places.split())
    state.developed = hexes(developed)
    for number in range(len(COMPANIES)):
        state.income[number] = city_income(state, number)
    for values, given in ((state.supply, supply), (state.cubes, cubes), (state.income, income)):
        for company, value in (given or {}).items():
            values[COMPANIES.index(company)] = value
    accounts = list(cash or state.money[:seats])
    accounts += [(treasury or {}).get(company, 0) for company in COMPANIES]
    state.money = [*accounts, -sum(accounts)]
    keep_caches(state, BOARD)
    return state


def city_income(state: State, company: int) -> int:
    """Return the income of a company from cities, without links."""
    income = 0
    for place in numbers_in(state.track[company]):
        entry = BOARD.hexes[place]
        alone = sum(track >> place & 1 for track in state.track) == 1
        marker = state.developed >> place & 1
        income += (entry.full or 0) + 2 * marker if alone else (entry.shared or 0) + marker
    return income


def start(seats: int, seed: int = 0, events: list[Event] | None = None) -> State:
    return GAME.setup(BOARD, seats, Options(), seed, events)


def legal(state: State) -> list[Any]:
    return GAME.legal_actions(state, BOARD)


def view(state: State) -> View:
    seen: View = GAME.view(state, BOARD, PUBLIC)
    return seen


def play(state: State, *moves: tuple[int, Any], events: list[Event] | None = None) -> State:
    """Play pairs of a seat and an action, and check that each action is legal.

    Append the events to `events` if given.
    """
    for seat, action in moves:
        state = play_one(GAME, BOARD, state, seat, action, events)
    return state


def play_with_events(state: State, *moves: tuple[int, Any]) -> tuple[State, list[Event]]:
    """Play pairs of a seat and an action. Return the new position and the events."""
    events: list[Event] = []
    return play(state, *moves, events=events), events


def assert_refused(state: State, seat: int, action: Any, match: str | None = None) -> None:
    with pytest.raises(IllegalAction, match=match):
        play(state, (seat, action))


def cash(state: State) -> list[int]:
    return [player.cash for player in view(state).players]


def company(state: State, name: str) -> Any:
    return next(entry for entry in view(state).companies if entry.id == name)


def builds(state: State) -> list[tuple[str, str, int | None]]:
    """Return the company, hex and cost of each legal build."""
    return [(entry.company, entry.hex, entry.cost) for entry in legal(state) if type(entry) is Build]


def events_of_type(kind: type, events: list[Event]) -> list[Any]:
    return [event for event in events if type(event) is kind]


# Components and set-up


def test_ar_1_player_counts_starting_cash_and_unlimited_bank() -> None:
    assert GAME.players == (3, 4, 5)
    for seats, each in ((3, 50), (4, 50), (5, 40)):
        state = start(seats)
        assert cash(state) == [each] * seats
        for observer in range(seats):
            seen = GAME.view(state, BOARD, observer)
            assert seen.seat == observer
            assert [player.cash for player in seen.players] == [each] * seats, "every seat sees all cash"
    # the bank is unlimited
    state = position(
        ChooseSpace(2), 3, absent="Liberty", shares=("American", "", ""), track={"American": "A11"},
        income={"American": 1_000_000}, columns=({}, {}, {"pass": 0, "develop": 1}),
    )  # fmt: skip
    assert cash(play(state, (2, Choose("fund")), (2, Pass())))[0] == 1_000_050


def test_ar_2_companies_have_cubes_and_shares() -> None:
    state = start(4)
    table = [(entry.id, entry.cubes_left, entry.shares_left, entry.income) for entry in view(state).companies]
    assert table == [
        ("American", 30, 5, 0),
        ("National", 28, 4, 0),
        ("Continental", 25, 3, 0),
        ("Majestic", 21, 4, 0),
        ("Liberty", 18, 2, 0),
        ("Republic", 16, 3, 0),
    ]
    assert [entry.colour for entry in BOARD.company_files] == ["white", "grey", "green", "yellow", "red", "blue"]
    assert [entry.cubes for entry in BOARD.company_files] == [31, 29, 26, 22, 19, 17]


def test_ar_3_with_three_players_a_random_company_is_removed() -> None:
    drawn = []
    for seed in range(60):
        events: list[Event] = []
        state = start(3, seed, events)
        assert len(events) == 1
        assert type(events[0]) is CompanyRemoved
        name = events[0].company
        drawn.append(name)
        out = company(state, name)
        assert (out.in_play, out.shares_left, out.cubes_left) == (False, 0, 0)
        assert [entry.id for entry in view(state).companies if entry.in_play] == [c for c in COMPANIES if c != name]
        assert Offer(name) not in legal(state)
        restored = GAME.setup_from_events(BOARD, 3, Options(), events)
        assert GAME.dump(restored) == GAME.dump(state)
    assert set(drawn) == set(COMPANIES), "each company is removed with some seed"
    for seats in (4, 5):
        events = []
        state = start(seats, 1, events)
        assert events == []
        assert all(entry.in_play for entry in view(state).companies)
    with pytest.raises(ImpossibleEvents):
        GAME.setup_from_events(BOARD, 3, Options(), [])
    with pytest.raises(ImpossibleEvents):
        GAME.setup_from_events(BOARD, 3, Options(), [CompanyRemoved("Union")])


def test_ar_4_a_year_has_three_phases_and_a_dividend() -> None:
    state = start(5)
    assert view(state).markers_left == 12
    assert view(state).year == 1851
    assert view(state).end.years_left == 6
    assert BOARD.file.years == [1851, 1852, 1853, 1854, 1855, 1856, 1857]
    assert len(view(state).columns) == 3
    state = position(ChooseSpace(0), 3, absent="Liberty", shares=("National",), track={"National": "A11"})
    dividends = []
    for _ in range(3):
        for _ in range(3):
            seat = state.pending.seat  # type: ignore[union-attr]
            state, events = play_with_events(state, (seat, legal(state)[-1]))
            if type(state.pending) is not ChooseSpace:
                state, events = play_with_events(state, (state.pending.seat, Pass()))  # type: ignore[union-attr]
            dividends += [len(events_of_type(DividendPaid, events))]
    assert dividends == [0] * 8 + [1], "there is one dividend, after three phases of three turns"
    assert view(state).year == 1852


def test_ar_5_the_banker_is_seat_0() -> None:
    for seats in (3, 4, 5):
        state = start(seats)
        assert state.pending == Nominate(0)
        state = play(state, (0, legal(state)[0]), (0, Bid(10)))
        assert state.pending.seat == 1, "the next seat clockwise bids"  # type: ignore[union-attr]


def test_ar_6_the_banker_may_be_drawn_at_random() -> None:
    drawn = Options(first_player="drawn")
    bankers = []
    for seed in range(60):
        events: list[Event] = []
        state = GAME.setup(BOARD, 3, drawn, seed, events)
        default: list[Event] = []
        start(3, seed, default)
        assert events[:-1] == default, "the option does not change which company is removed"
        last_event = events[-1]
        assert type(last_event) is FirstPlayer
        assert state.pending == Nominate(last_event.seat)
        assert GAME.dump(GAME.setup_from_events(BOARD, 3, drawn, events)) == GAME.dump(state)
        bankers.append(last_event.seat)
    assert all(bankers.count(seat) >= 10 for seat in range(3)), "each seat is drawn about equally often"
    state = GAME.setup_from_events(BOARD, 4, drawn, [FirstPlayer(2)])
    assert_refused(state, 0, Offer("American"), "seat 2 is")
    assert play(state, (2, Offer("American"))).pending.seat == 2, "the banker bids first"  # type: ignore[union-attr]
    for options, impossible_events in ((drawn, []), (drawn, [FirstPlayer(4)]), (Options(), [FirstPlayer(1)])):
        with pytest.raises(ImpossibleEvents):
            GAME.setup_from_events(BOARD, 4, options, impossible_events)


# Opening auctions


def test_ar_10_bids_rise_clockwise_and_a_pass_is_final() -> None:
    state = start(4)
    assert legal(state) == [Offer(name) for name in COMPANIES]
    assert_refused(state, 0, Pass())
    assert_refused(state, 1, Offer("American"), "seat 0 is")
    state, events = play_with_events(state, (0, Offer("Liberty")))
    assert events == [ShareOffered(0, "Liberty", 10, "opening")]
    assert legal(state) == [BidRange(10, 50), Pass()], "the nominating seat bids first, at least 10, or passes"
    assert_refused(state, 0, Bid(9), "below the minimum 10")
    assert_refused(state, 0, Bid(51), "above your cash 50")
    state = play(state, (0, Bid(10)), (1, Bid(12)), (2, Pass()), (3, Bid(13)))
    assert state.pending.seat == 0, "bidding goes on clockwise"  # type: ignore[union-attr]
    assert legal(state) == [BidRange(14, 50), Pass()]
    auction = view(state).auction
    assert auction is not None
    assert (auction.bid, auction.leader, auction.minimum, auction.still_in) == (13, 3, 14, [0, 1, 3])
    state = play(state, (0, Pass()), (1, Bid(20)))
    assert state.pending.seat == 3, "seats 2 and 0 have passed and are out"  # type: ignore[union-attr]
    state, events = play_with_events(state, (3, Pass()))
    assert events_of_type(ShareSold, events) == [ShareSold(1, "Liberty", 20, 20, 1)], (
        "seat 1 wins without being asked again"
    )
    assert state.pending == PlaceFirstCube(4, True, 1)

    # a player who cannot make a legal bid passes without being asked
    state = position(Nominate(0), lots="Liberty", order=(), cash=(30, 9, 10, 40))
    state, events = play_with_events(state, (0, Offer("Liberty")), (0, Bid(10)))
    assert events[1:] == [BidMade(0, 10), Passed(1, True), Passed(2, True)]
    assert legal(state) == [BidRange(11, 40), Pass()]
    state = position(Nominate(0), lots="Liberty", order=(), cash=(30, 9, 11, 40))
    state = play(state, (0, Offer("Liberty")), (0, Bid(10)))
    assert legal(state) == [BidRange(11, 11), Pass()], "a seat with exactly the minimum is asked"
    # such a player may be the last to pass, and then nominates
    state = position(Nominate(0), lots="Liberty National", order=(), cash=(30, 40, 40, 9))
    state, events = play_with_events(state, (0, Offer("Liberty")), (0, Pass()), (1, Pass()), (2, Pass()))
    assert Passed(3, True) in events
    assert state.pending == Nominate(3)


def test_ar_11_the_last_seat_may_bid_after_all_others_passed() -> None:
    state = play(start(4), (0, Offer("Liberty")), (0, Pass()), (1, Pass()), (2, Pass()))
    assert legal(state) == [BidRange(10, 50), Pass()]
    bought, events = play_with_events(state, (3, Bid(10)))
    assert events[0] == BidMade(3, 10)
    assert events[1] == ShareSold(3, "Liberty", 10, 10, 1)
    unsold, events = play_with_events(state, (3, Pass()))
    assert events[-1] == ShareRemoved("Liberty", 1, "no_bid", 1)
    assert company(unsold, "Liberty").shares_removed == 1
    assert company(bought, "Liberty").shares_held == 1


def test_ar_12_the_winner_pays_places_a_cube_takes_a_number_and_nominates() -> None:
    state = play(start(3, seed=1), (0, legal(start(3, seed=1))[0]))
    name = view(state).auction.company  # type: ignore[union-attr]
    state = play(state, (0, Bid(14)), (1, Pass()), (2, Pass()))
    assert cash(state) == [36, 50, 50]
    assert company(state, name).treasury == 14
    assert view(state).players[0].shares == {**dict.fromkeys(COMPANIES, 0), name: 1}
    assert legal(state) == [Found(city) for city in CITIES]
    assert_refused(state, 0, Pass())
    assert_refused(state, 0, Found("A12"))
    cubes = company(state, name).cubes_left
    state, events = play_with_events(state, (0, Found("D16")))
    assert events[0] == Founded(0, name, "D16", "New York", 8)
    assert (company(state, name).treasury, company(state, name).income) == (14, 8), (
        "the first cube is free and earns the full value of the city"
    )
    assert company(state, name).cubes_left == cubes - 1
    assert company(state, name).track == ["D16"]
    assert events[1] == NumberTaken(0, 1)
    assert view(state).order == [0]
    assert state.pending == Nominate(0), "the winner nominates next"

    # a second company starts in another city, and its buyer gets no second turn order number
    second = view(state).opening_lots[0]
    state = play(state, (0, Offer(second)), (0, Bid(10)), (1, Pass()), (2, Pass()))
    assert Found("D16") not in legal(state)
    state, events = play_with_events(state, (0, Found("A11")))
    assert events_of_type(NumberTaken, events) == []
    assert view(state).order == [0]
    state = play(state, (0, Offer(view(state).opening_lots[0])), (0, Pass()), (1, Pass()), (2, Bid(10)))
    state, events = play_with_events(state, (2, Found("A14")))
    assert events_of_type(NumberTaken, events) == [NumberTaken(2, 2)]
    assert state.pending == Nominate(2)


def test_ar_13_a_share_without_a_bid_leaves_the_game() -> None:
    state = play(start(4), (0, Offer("Liberty")), (0, Pass()), (1, Pass()), (2, Pass()))
    state, events = play_with_events(state, (3, Pass()))
    assert events_of_type(ShareRemoved, events) == [ShareRemoved("Liberty", 1, "no_bid", 1)]
    assert state.pending == Nominate(3), "the last to pass nominates"
    assert (company(state, "Liberty").shares_left, company(state, "Liberty").shares_removed) == (1, 1)
    assert Offer("Liberty") not in legal(state), "only one share of each company is auctioned in the opening"
    assert view(state).order == []
    # the company may start later with its remaining shares
    state = position(PickShare(0), supply={"Liberty": 1}, columns=({"auction": 0},))
    assert Offer("Liberty") in legal(state)
    state = play(state, (0, Offer("Liberty")), (0, Bid(10)), (1, Pass()), (2, Pass()), (3, Pass()), (0, Found("A11")))
    assert company(state, "Liberty").track == ["A11"]


def test_ar_14_after_one_share_of_each_company_the_remaining_numbers_are_taken() -> None:
    state = start(4)
    for lots_left in range(6, 0, -1):
        assert len(view(state).opening_lots) == lots_left == len(legal(state))
        seat = state.pending.seat  # type: ignore[union-attr]
        state = play(state, (seat, legal(state)[0]))
        events: list[Event] = []
        while type(state.pending) is BidOrPass:
            bidder = state.pending.seat
            bids = bidder == 2 and state.pending.leader < 0 and lots_left == 6
            state, events = play_with_events(state, (bidder, Bid(10) if bids else Pass()))
        if type(state.pending) is PlaceFirstCube:
            state = play(state, (2, Found("A11")))
    assert [entry.shares_left for entry in view(state).companies] == [4, 3, 2, 3, 1, 2]
    assert events_of_type(NumberTaken, events) == [NumberTaken(0, 2), NumberTaken(1, 3), NumberTaken(3, 4)], (
        "seats without a number get the next ones, clockwise from the banker"
    )
    assert events_of_type(TurnOrderSet, events) == [TurnOrderSet(1851, 1, [2, 0, 1, 3])]
    assert state.pending == ChooseSpace(2)


# Action phases


def test_ar_20_each_space_is_taken_once_in_a_phase() -> None:
    state = position(ChooseSpace(2), order=(2, 0, 1, 3), shares=("", "", "American"), track={"American": "A11"})
    everything = [Choose(space) for space in ("expand4", "auction", "expand3", "take", "fund", "develop", "pass")]
    assert legal(state) == everything, "spaces from the bottom to the top of the column, so that pass is last"
    assert_refused(state, 0, Choose("pass"), "seat 2 is")
    passed, events = play_with_events(state, (2, Choose("pass")))
    assert events == [SpaceTaken(2, "pass")]
    assert passed.pending == ChooseSpace(0)
    assert_refused(passed, 0, Choose("pass"))
    assert legal(passed) == everything[:-1], "the space Pass also holds only one player"

    # the action is carried out or given up before the next turn, and the space stays taken
    chosen = play(state, (2, Choose("fund")))
    assert chosen.pending == PickTreasury(2)
    given_up, events = play_with_events(chosen, (2, Pass()))
    assert events == [Passed(2)]
    assert given_up.pending == ChooseSpace(0)
    assert_refused(given_up, 0, Choose("fund"))
    assert view(given_up).columns[0] == {"fund": 2}

    funded = position(
        ChooseSpace(2),
        order=(2, 0, 1, 3),
        shares=("", "", "American"),
        track={"American": "A11"},
        treasury={"American": 9},
    )
    for choice in everything[:-1]:
        chosen = play(funded, (2, choice))
        assert chosen.pending != ChooseSpace(0), f"{choice}: no question was asked"
        given_up = play(chosen, (2, Pass()))
        assert view(given_up).columns[0] == {choice.action: 2}
        assert_refused(given_up, 0, choice)

    # a space may be taken even if its action is impossible
    for space in ("expand3", "expand4"):
        after, events = play_with_events(play(state, (2, Choose("pass"))), (0, Choose(space)))
        assert events == [SpaceTaken(0, space), Passed(0, True)]
        assert after.pending == ChooseSpace(1)
    empty = position(ChooseSpace(0))
    after, events = play_with_events(empty, (0, Choose("develop")))
    assert events == [SpaceTaken(0, "develop"), Passed(0, True)]
    # the questions of the other spaces
    for space, question, cubes in (
        *(("take", PickSource(2, 2), 2), ("auction", PickShare(2), None), ("develop", PickCity(2), None)),
    ):
        chosen = play(state, (2, Choose(space)))  # type: ignore[arg-type]
        assert chosen.pending == question
        assert view(chosen).question.cubes == cubes  # type: ignore[union-attr]
    # a space is free again in the next phase
    state = position(ChooseSpace(3), columns=({"fund": 0, "take": 1, "develop": 2},))
    state = play(state, (3, Choose("pass")))
    assert legal(state) == everything


def test_ar_21_spaces_give_the_order_of_the_next_phase() -> None:
    column = {"expand4": 0, "fund": 1, "pass": 2}
    state, events = play_with_events(position(ChooseSpace(3), columns=(column,)), (3, Choose("take")), (3, Pass()))
    assert events[-1] == TurnOrderSet(1851, 2, [2, 1, 3, 0])
    assert view(state).order == [2, 1, 3, 0]
    assert state.pending == ChooseSpace(2)
    for seat in (2, 1, 3):
        state = play(state, (seat, legal(state)[-1]))
        while type(state.pending) is not ChooseSpace:
            state = play(state, (seat, Pass()))
    assert state.pending == ChooseSpace(0)
    # the third column gives the next year's order
    third = {"auction": 2, "develop": 3, "expand3": 1}
    state = position(ChooseSpace(0), order=(2, 1, 3, 0), columns=({}, {}, third))
    state, events = play_with_events(state, (0, Choose("pass")))
    assert events == [SpaceTaken(0, "pass"), YearAdvanced(1852), TurnOrderSet(1852, 1, [0, 3, 1, 2])]
    assert state.pending == ChooseSpace(0)
    assert view(state).columns == [{}, {}, {}]


def test_ar_22_actions_are_carried_out_completely_or_not_at_all() -> None:
    """Fund, Take and Develop are carried out completely or not at all. An expansion may stop after any cube."""
    state = position(PickTreasury(0), columns=({"fund": 0},))
    assert legal(state) == [*(Fund(name) for name in COMPANIES), Pass()]
    assert company(play(state, (0, Fund("Liberty"))), "Liberty").treasury == 5
    assert all(entry.treasury == 0 for entry in view(play(state, (0, Pass()))).companies)
    held = {"shares": ("American",), "treasury": {"American": 50}, "track": {"American": "A11"}}
    state = position(Expand(3, 0), columns=({"expand3": 0},), **held)  # type: ignore[arg-type]
    for placed in range(4):
        stopped = play(state, (0, Pass())) if placed < 3 else state
        assert stopped.pending == ChooseSpace(1)
        assert company(stopped, "American").cubes_left == 29 - placed
        if placed < 3:
            state = play(state, (0, legal(state)[0]))


def test_ar_23_a_question_with_pass_only_is_not_asked() -> None:
    column = {"develop": 0}
    base: dict[str, Any] = {"columns": (column,), "order": (0, 1, 2, 3)}
    # a chosen action that is impossible
    no_shares = dict.fromkeys(COMPANIES, 0)
    state, events = play_with_events(position(ChooseSpace(1), supply=no_shares, **base), (1, Choose("auction")))
    assert events == [SpaceTaken(1, "auction"), Passed(1, True)]
    assert state.pending == ChooseSpace(2)
    state = position(ChooseSpace(1), track={"American": "B02"}, order=(1, 0, 2, 3))
    state, events = play_with_events(state, (1, Choose("develop")))
    assert events == [SpaceTaken(1, "develop"), Passed(1, True)], "Chicago cannot be developed"
    # an expansion that cannot continue
    state = position(
        Expand(3, 0), shares=("American",), treasury={"American": 3}, track={"American": "A12"},
        columns=({"expand3": 0},),
    )  # fmt: skip
    state, events = play_with_events(state, (0, Build("American", "A13")))
    assert events[1:] == [Passed(0, True)]
    assert state.pending == ChooseSpace(1)
    # after the last cube there is no forced pass
    state = position(
        Expand(1, 0), shares=("American",), treasury={"American": 9}, track={"American": "A12"},
        columns=({"expand3": 0},),
    )  # fmt: skip
    assert events_of_type(Passed, play_with_events(state, (0, Build("American", "A13")))[1]) == []
    # every other question is asked, even if only one answer is legal
    state = position(Nominate(0), lots="Liberty", order=())
    assert legal(state) == [Offer("Liberty")]
    filled = [city for city in CITIES if city != "A11"]
    state = position(PlaceFirstCube(4, False, 0), track={"American": " ".join(filled)}, shares=("Liberty",),
                     columns=({"auction": 0},))  # fmt: skip
    assert legal(state) == [Found("A11")]


def test_ar_24_a_removed_company_cannot_be_chosen() -> None:
    state = position(PickTreasury(0), 3, absent="National", columns=({"fund": 0},), track={"American": "A11"})
    assert legal(state) == [*(Fund(name) for name in COMPANIES if name != "National"), Pass()]
    assert [entry.in_play for entry in view(state).companies] == [True, False, True, True, True, True]
    assert_refused(state, 0, Fund("National"))


# Actions


def test_ar_30_develop_marks_an_occupied_city() -> None:
    closed = "D16 F13 E15 B18 B02"
    state = position(
        PickCity(1), track={"American": f"A11 A14 A12 {closed}", "National": "F06"}, shares=("American National",),
        developed="A14", columns=({"develop": 1},), order=(1, 0, 2, 3),
    )  # fmt: skip
    assert legal(state) == [Develop("A11"), Develop("F06"), Pass()], (
        "a cube of any company is enough, and no share is needed"
    )
    assert_refused(state, 1, Develop("A14"))
    assert_refused(state, 1, Develop("A12"))
    assert_refused(state, 1, Develop("A16"))
    after, events = play_with_events(state, (1, Develop("A11")))
    assert events[0] == Developed(1, "A11", "Buffalo", 10)
    assert view(after).developed == ["A11", "A14"]
    assert view(after).markers_left == 10
    assert after.pending == ChooseSpace(0)
    # without markers in the supply the action is passed automatically
    twelve = "A11 A14 A16 B06 C01 C05 C09 D10 D13 E05 E08 F06"
    state = position(ChooseSpace(0), track={"American": twelve + " G01"}, developed=twelve)
    after, events = play_with_events(state, (0, Choose("develop")))
    assert events[-1] == Passed(0, True)
    eleven = twelve.removesuffix(" F06")
    state = position(ChooseSpace(0), track={"American": twelve}, developed=eleven)
    assert legal(play(state, (0, Choose("develop")))) == [Develop("F06"), Pass()]


def test_ar_31_fund_pays_five_into_any_treasury() -> None:
    state = position(PickTreasury(0), 3, absent="Republic", shares=("American",), track={"American": "A11"},
                     treasury={"Liberty": 3}, columns=({"fund": 0},))  # fmt: skip
    for name in COMPANIES[:-1]:
        assert Fund(name) in legal(state), "the company need not be owned or on the map"
    after, events = play_with_events(state, (0, Fund("Liberty")))
    assert events == [Funded(0, "Liberty", 5, 8)]
    assert company(after, "Liberty").treasury == 8
    assert cash(after) == [50, 50, 50]
    assert after.money[-1] == state.money[-1] - 5
    assert after.pending == ChooseSpace(1)


def test_ar_32_take_gains_cash_charges_players_or_places_two_cubes() -> None:
    base: dict[str, Any] = {"columns": ({"take": 1},), "order": (1, 0, 2, 3), "cash": (9, 8, 1, 0)}
    state = position(PickSource(2, 1), **base)
    assert legal(state) == [Take("bank"), Take("players"), Pass()]
    after, events = play_with_events(state, (1, Take("bank")))
    assert events == [MoneyTaken(1, 2)]
    assert cash(after) == [9, 10, 1, 0]
    after, events = play_with_events(state, (1, Take("players")))
    assert events == [PlayersPaid(1, [2, 0, 1, 0])]
    assert cash(after) == [7, 8, 0, 0], "the other players pay the bank"
    assert sum(after.money) == 0
    assert after.pending == ChooseSpace(0)
    state = position(PickSource(2, 1), **{**base, "cash": (0, 8, 0, 0)})
    assert cash(play(state, (1, Take("players")))) == [0, 8, 0, 0], "allowed even if the other players have no cash"

    rich: dict[str, Any] = {
        "shares": ("", "American"), "treasury": {"American": 20}, "track": {"American": "A12"}, **base,
    }  # fmt: skip
    state = position(PickSource(2, 1), **rich)
    assert [type(entry) for entry in legal(state)] == [Take, Take, *[Build] * len(builds(state)), Pass]
    assert ("American", "A11", 2) in builds(state)
    state = play(state, (1, Build("American", "A11")))
    assert state.pending == Expand(1, 1), "Take allows two cubes, so one is left"
    assert_refused(state, 1, Take("bank"))
    state = play(state, (1, Build("American", "A13")))
    assert state.pending == ChooseSpace(0)
    for seats, may_expand in ((3, False), (4, True), (5, True)):
        state = position(
            ChooseSpace(0), seats, absent="Liberty" if seats == 3 else "", shares=("American",),
            treasury={"American": 20}, track={"American": "A12"},
        )  # fmt: skip
        asked = play(state, (0, Choose("take")))
        assert bool(builds(asked)) is may_expand
        assert view(asked).question.cubes == (2 if may_expand else None)  # type: ignore[union-attr]


def test_ar_33_auction_sells_a_share_from_the_supply() -> None:
    track = {"American": "A11", "National": "A14"}
    base: dict[str, Any] = {
        "track": track, "shares": ("American", "National", "", ""), "cash": (30, 30, 30, 30),
        "columns": ({"auction": 1},), "order": (1, 3, 0, 2),
    }  # fmt: skip
    state = position(PickShare(1), supply={"American": 0}, **base)
    assert legal(state) == [*(Offer(name) for name in COMPANIES[1:]), Pass()], "every company with shares in the supply"
    assert play(state, (1, Pass())).pending == ChooseSpace(3), "the action may be given up before a share is nominated"
    state, events = play_with_events(state, (1, Offer("National")))
    assert events == [ShareOffered(1, "National", 10, "auction")]
    assert legal(state) == [BidRange(10, 30), Pass()], "the player bids first, at least 10"
    assert_refused(state, 1, Offer("Liberty"))
    state = play(state, (1, Pass()))
    assert type(state.pending) is BidOrPass, "the auction goes on after its nominator has passed"
    state = play(state, (2, Bid(12)), (3, Pass()))
    state, events = play_with_events(state, (0, Pass()))
    assert events_of_type(ShareSold, events) == [ShareSold(2, "National", 12, 12, 2)]
    assert company(state, "National").treasury == 12
    assert view(state).players[2].shares == {**dict.fromkeys(COMPANIES, 0), "National": 1}
    assert state.pending == ChooseSpace(3), "the next turn follows that of the nominator, not of the buyer"
    # without a bid the share leaves the game
    state = play(position(PickShare(1), **base), (1, Offer("American")), (1, Pass()), (2, Pass()), (3, Pass()))
    state, events = play_with_events(state, (0, Pass()))
    assert events == [Passed(0), ShareRemoved("American", 1, "no_bid", 3)]
    assert company(state, "American").shares_removed == 1
    assert state.pending == ChooseSpace(3)


def test_ar_34_a_company_may_start_in_an_empty_city_after_the_opening() -> None:
    base: dict[str, Any] = {"cash": (30, 30, 30, 30), "columns": ({"auction": 0},), "supply": {"Republic": 2}}
    others = ((1, Pass()), (2, Bid(11)), (3, Pass()), (0, Pass()))
    state = position(PickShare(0), track={"American": "A11 A12"}, **base)
    state = play(state, (0, Offer("Republic")), (0, Bid(10)), *others)
    assert state.pending == PlaceFirstCube(5, False, 2), "the buyer places the first cube"
    assert legal(state) == [Found(city) for city in CITIES if city != "A11"]
    state = play(state, (2, Found("B02")))
    republic = company(state, "Republic")
    assert (republic.track, republic.income, republic.treasury, republic.cubes_left) == (["B02"], 7, 11, 15)
    assert view(state).order == [0, 1, 2, 3], "the turn order does not change"
    assert state.pending == ChooseSpace(1)
    # no empty city is left
    state = position(PickShare(0), track={"American": " ".join(CITIES)}, cubes={"American": 0}, **base)
    state = play(state, (0, Offer("Republic")), (0, Bid(10)), *others[:-1])
    state, events = play_with_events(state, (0, Pass()))
    assert events == [Passed(0), ShareSold(2, "Republic", 11, 11, 1), ShareRemoved("Republic", 2, "no_city", 0, 2)]
    republic = company(state, "Republic")
    assert (republic.shares_left, republic.shares_held, republic.shares_removed) == (0, 0, 3)
    assert republic.treasury == 11
    assert cash(state) == [30, 30, 19, 30], "the price is not paid back"
    assert view(state).players[2].shares == dict.fromkeys(COMPANIES, 0)
    assert state.pending == ChooseSpace(1)
    # a company that is already on the map places no first cube
    state = position(PickShare(0), track={"Republic": "A11"}, **base)
    state = play(state, (0, Offer("Republic")), (0, Bid(10)), *others)
    assert state.pending == ChooseSpace(1)


def test_ar_35_expand_places_cubes_of_companies_held() -> None:
    base: dict[str, Any] = {
        "shares": ("American Majestic", "National"), "columns": ({"expand4": 0},),
        "treasury": {"American": 20, "National": 20, "Majestic": 4},
        "track": {"American": "A12", "National": "C01", "Majestic": "G01"},
    }  # fmt: skip
    state = position(ChooseSpace(0), **{**base, "columns": ({},)})
    for space, cubes in (("expand3", 3), ("expand4", 4)):
        asked = play(state, (0, Choose(space)))  # type: ignore[arg-type]
        assert asked.pending == Expand(cubes, 0)
        assert view(asked).question.cubes == cubes  # type: ignore[union-attr]
    state = position(Expand(4, 0), **base)
    assert [(name, place) for name, place, _ in builds(state)] == [
        ("American", "A11"), ("American", "A13"), ("American", "B11"), ("American", "B12"),
        ("Majestic", "F00"), ("Majestic", "F01"), ("Majestic", "G02"), ("Majestic", "H00"), ("Majestic", "H01"),
    ]  # fmt: skip
    assert legal(state)[-1] == Pass()
    assert_refused(state, 0, Build("National", "D00"))
    assert_refused(state, 0, Build("American", "A14"))
    state, events = play_with_events(state, (0, Build("American", "A13")))
    assert events == [Built(0, "American", "A13", None, 3, 17, 0)]
    assert ("American", "A14", 2) in builds(state), "a cube placed in this action counts as track"
    assert company(state, "American").treasury == 17
    assert state.money[-1] == position(Expand(4, 0), **base).money[-1] + 3
    state = play(state, (0, Build("Majestic", "H01")), (0, Build("American", "A14")))
    assert ("Majestic", "G02", 2) in builds(state), "Majestic can still pay for G02"
    assert company(state, "Majestic").treasury == 2
    state = play(state, (0, Build("Majestic", "G02")))
    assert state.pending == ChooseSpace(1), "the action ends after four cubes"
    # a company without cubes in its supply cannot build
    state = position(Expand(4, 0), cubes={"American": 0}, **base)
    assert {name for name, _, _ in builds(state)} == {"Majestic"}
    state = position(Expand(4, 0), cubes={"American": 1}, **base)
    state = play(state, (0, Build("American", "A13")))
    assert {name for name, _, _ in builds(state)} == {"Majestic"}


def test_ar_36_cost_of_a_cube_by_terrain_and_pieces_in_the_hex() -> None:
    def cost(name: str, place: str, state: State) -> int | None:
        return next((cost for builder, hex_id, cost in builds(state) if (builder, hex_id) == (name, place)), None)

    base: dict[str, Any] = {
        "shares": (" ".join(COMPANIES),), "treasury": dict.fromkeys(COMPANIES, 100), "columns": ({"expand3": 0},),
    }  # fmt: skip
    # F06 Cincinnati and its neighbours E06, E07, F05 (plain) and F07, G06 (forest)
    state = position(Expand(3, 0), track={"American": "E06"}, **base)
    assert cost("American", "F06", state) == 2
    assert cost("American", "E07", state) == 2
    state = position(Expand(3, 0), track={"American": "E06", "National": "F06 E07"}, **base)
    assert cost("American", "F06", state) == 4
    assert cost("American", "E07", state) == 4
    state = position(Expand(3, 0), track={"American": "E06", "National": "F06 E07"}, developed="F06", **base)
    assert cost("American", "F06", state) == 6
    three = {"American": "E06", "National": "F06 E07", "Majestic": "F06 E07", "Liberty": "F06 E07"}
    state = position(Expand(3, 0), track=three, developed="F06", **base)
    assert cost("American", "F06", state) == 10
    assert cost("American", "E07", state) == 8
    # never two cubes of one company in a hex
    assert cost("National", "F06", state) is None
    assert cost("American", "E06", state) is None
    # forests and mountains hold one cube
    state = position(Expand(3, 0), track={"American": "C15", "National": "B14"}, **base)
    assert cost("American", "C16", state) == 3
    assert cost("American", "B15", state) == cost("American", "C14", state) == 5
    assert cost("American", "B14", state) is None
    state = position(Expand(3, 0), track={"American": "C15", "National": "B14 B15"}, **base)
    assert cost("American", "B15", state) is None
    # a hex becomes full during the action
    state = play(
        position(Expand(3, 0), track={"American": "C15", "National": "B14"}, **base), (0, Build("National", "B15"))
    )
    assert cost("American", "B15", state) is None
    # developing a city makes its next cube more expensive
    state = position(PickCity(0), track={"American": "E06", "National": "F06"}, **base)
    state = play(state, (0, Develop("F06")), (1, Choose("pass")), (2, Choose("fund")), (2, Pass()))
    state.pending = Expand(3, 0)
    assert cost("American", "F06", state) == 6


# Income


def test_ar_40_cities_earn_less_when_shared_and_more_when_developed() -> None:
    base: dict[str, Any] = {
        "shares": ("American National",), "treasury": {"American": 50, "National": 50}, "columns": ({"expand3": 0},),
    }  # fmt: skip
    # Cincinnati (F06) earns 4 alone and 2 shared
    for developed, alone, shared in (("", 4, 2), ("F06", 6, 3)):
        track = {"American": "E06", "National": "F06"}
        state = position(Expand(3, 0), track=track, developed=developed, **base)
        assert company(state, "National").income == alone
        state, events = play_with_events(state, (0, Build("American", "F06")))
        assert company(state, "American").income == company(state, "National").income == shared
        assert events[0] == Built(
            0, "American", "F06", "Cincinnati", 6 if developed else 4, 44 if developed else 46, shared
        )
        assert events[1] == IncomeChanged("National", "F06", "Cincinnati", shared - alone, shared)
    state = position(Expand(3, 0), track={"American": "E06"}, **base)
    state, events = play_with_events(state, (0, Build("American", "F06")))
    assert company(state, "American").income == 4
    assert events_of_type(IncomeChanged, events) == []
    state = play(state, (0, Build("American", "E07")))
    assert company(state, "American").income == 4, "plains earn nothing"
    # development
    for track, before, after in (
        ({"American": "F06"}, (4, 0), (6, 0)),
        ({"American": "F06", "National": "F06"}, (2, 2), (3, 3)),
    ):
        state = position(PickCity(0), track=track, **{**base, "columns": ({"develop": 0},)})
        assert (company(state, "American").income, company(state, "National").income) == before
        state = play(state, (0, Develop("F06")))
        assert (company(state, "American").income, company(state, "National").income) == after


def test_ar_41_each_pair_of_link_cities_earns_ten() -> None:
    base: dict[str, Any] = {
        "shares": ("American",), "treasury": {"American": 90}, "columns": ({"expand4": 0},),
    }  # fmt: skip
    chicago, new_york, atlanta = "B02", "D16", "M06"
    assert BOARD.names[BOARD.hex_number[atlanta]] == "Atlanta"
    for reached, standing in ((chicago, new_york), (new_york, atlanta), (atlanta, chicago)):
        beside = next(iter(BOARD.hex_list(BOARD.near[BOARD.hex_number[reached]])))
        state = position(Expand(4, 0), track={"American": f"{standing} {beside}"}, **base)
        before = company(state, "American").income
        state, events = play_with_events(state, (0, Build("American", reached)))
        value = BOARD.full[BOARD.hex_number[reached]]
        assert company(state, "American").income == before + value + 10
        assert events_of_type(Built, events)[0].income == before + value
        names = [BOARD.names[BOARD.hex_number[city]] for city in (standing, reached)]
        assert events_of_type(LinkMade, events) == [
            LinkMade("American", [standing, reached], names, 10, before + value + 10)
        ]
        assert company(state, "American").links == 1
    # the third city makes two links, which earn 20
    beside = next(iter(BOARD.hex_list(BOARD.near[BOARD.hex_number[atlanta]])))
    state = position(
        Expand(4, 0), track={"American": f"{chicago} {new_york} {beside}"}, income={"American": 25}, **base
    )
    state, events = play_with_events(state, (0, Build("American", atlanta)))
    assert company(state, "American").income == 25 + BOARD.full[BOARD.hex_number[atlanta]] + 20
    assert len(events_of_type(LinkMade, events)) == 2
    # one link city alone earns no bonus, whether started in or reached
    state = position(PlaceFirstCube(0, False, 0), shares=("American",), columns=({"auction": 0},))
    state, events = play_with_events(state, (0, Found(chicago)))
    assert company(state, "American").income == 7
    assert events_of_type(LinkMade, events) == []
    beside = next(iter(BOARD.hex_list(BOARD.near[BOARD.hex_number[chicago]])))
    state = position(Expand(4, 0), track={"American": beside}, **base)
    assert company(play(state, (0, Build("American", chicago))), "American").income == 7
    # developing does not change the bonus of links
    state = position(
        PickCity(0), track={"American": f"{chicago} {atlanta}"}, income={"American": 30}, columns=({"develop": 0},),
        shares=("American",),
    )  # fmt: skip
    assert company(play(state, (0, Develop(atlanta))), "American").income == 32


def test_ar_42_income_has_no_limit() -> None:
    state = position(
        Expand(4, 0), shares=("American",), treasury={"American": 90}, track={"American": "E06"},
        income={"American": 123_456}, columns=({"expand4": 0},),
    )  # fmt: skip
    assert company(play(state, (0, Build("American", "F06"))), "American").income == 123_460


# Dividend and end

LAST_TURN: tuple[dict[str, int], ...] = (
    {"fund": 0, "take": 1, "develop": 2, "pass": 3},
    {"fund": 0, "take": 1, "develop": 2, "pass": 3},
    {"fund": 0, "take": 1, "develop": 2},
)


def last_turn(**given: Any) -> State:
    """Return a position in which seat 3 of 4 takes the last turn of a year. `given` are arguments of `position`."""
    return position(ChooseSpace(3), **{"columns": LAST_TURN, **given})


def end_year(state: State) -> tuple[State, list[Event]]:
    """Let the last player of a year take the space Pass. Return the new position and the events."""
    return play_with_events(state, (state.pending.seat, Choose("pass")))  # type: ignore[union-attr]


def test_ar_50_dividends_are_rounded_up_for_each_share() -> None:
    state = last_turn(
        shares=("American American", "American National", "", "Liberty"),
        track={"American": "A11", "National": "A14", "Liberty": "A16"},
        income={"American": 13, "National": 0, "Liberty": 3},
        treasury={"American": 7},
        supply={"American": 1, "Republic": 1},
    )
    assert [player.due for player in view(state).players] == [10, 5, 0, 3]
    assert company(state, "American").dividend == 5
    state, events = end_year(state)
    assert events_of_type(DividendPaid, events) == [
        DividendPaid("American", 13, 5, [10, 5, 0, 0]),
        DividendPaid("Liberty", 3, 3, [0, 0, 0, 3]),
    ], "rounded up for each share, counting only shares that players hold"
    assert cash(state) == [60, 55, 50, 53]
    assert company(state, "American").treasury == 7, "the bank pays the dividend"
    assert sum(state.money) == 0


def test_ar_51_the_game_ends_after_a_dividend_for_three_reasons() -> None:
    def reasons(**given: Any) -> list[str]:
        """Return the reasons why a game ends after the last turn of a year. `given` are arguments of `position`."""
        state, events = end_year(last_turn(**given))
        ended = events_of_type(GameEnded, events)
        assert (state.pending is None) == bool(ended)
        if not ended:
            assert GAME.end_reasons(state, BOARD) == []
            return []
        assert legal(state) == []
        assert view(state).end_reasons == ended[0].reasons == GAME.end_reasons(state, BOARD)
        return list(ended[0].reasons)

    assert reasons() == []
    assert reasons(year=1856) == []
    assert reasons(year=1857) == ["last_year"]
    nothing = dict.fromkeys(COMPANIES, 0)
    assert reasons(supply=nothing) == ["no_shares"]
    for company in COMPANIES:
        assert reasons(supply={**nothing, company: 1}) == [], f"a share of {company} is left"
    low = {"American": 2, "National": 1, "Continental": 0, "Majestic": 2}
    assert reasons(cubes=low) == ["low_supplies"]
    assert reasons(cubes={**low, "Majestic": 3}) == []
    ten = "A11 A14 A16 B06 C01 C05 C09 D10 D13 E05"
    markers = {"track": {"Republic": ten}, "developed": ten}
    assert reasons(cubes={**low, "Majestic": 3}, **markers) == ["low_supplies"], "two markers left"
    nine = ten.removesuffix(" E05")
    assert reasons(cubes={**low, "Majestic": 3}, track={"Republic": ten}, developed=nine) == []
    assert reasons(cubes=low, supply=nothing, year=1857) == ["last_year", "no_shares", "low_supplies"]
    # with three players three low supplies end the game, and a removed company does not count
    three: dict[str, Any] = {
        "seats": 3, "absent": "Liberty", "order": (0, 1, 2),
        "columns": ({}, {}, {"fund": 0, "take": 1}),
    }  # fmt: skip
    state = position(ChooseSpace(2), cubes={"American": 2, "National": 1}, **three)
    assert view(state).end.low_supplies == 2
    assert events_of_type(GameEnded, end_year(state)[1]) == []
    state = position(ChooseSpace(2), cubes={"American": 2, "National": 1, "Majestic": 2}, **three)
    assert events_of_type(GameEnded, end_year(state)[1]) == [GameEnded(["low_supplies"])]


def test_ar_52_the_year_advances_unless_the_game_ends() -> None:
    state, events = end_year(last_turn(order=(0, 1, 2, 3)))
    assert (view(state).year, view(state).phase) == (1852, 1)
    assert view(state).columns == [{}, {}, {}]
    assert view(state).order == [3, 2, 0, 1]
    assert YearAdvanced(1852) in events
    state, events = end_year(last_turn(order=(0, 1, 2, 3), year=1857))
    assert (view(state).year, view(state).phase) == (1857, 3)
    assert view(state).columns == [*LAST_TURN[:2], {**LAST_TURN[2], "pass": 3}]
    assert view(state).order == [0, 1, 2, 3]
    assert events_of_type(YearAdvanced, events) == []
    assert view(state).has_ended


def test_ar_53_most_cash_wins() -> None:
    state, _ = end_year(last_turn(cash=(30, 70, 70, 10), year=1857))
    assert GAME.scores(state) == [30, 70, 70, 10]
    assert GAME.ranks(state, BOARD) == [3, 1, 1, 4], "ties share the win"
    state, _ = end_year(last_turn(cash=(80, 70, 70, 10), year=1857, treasury={"American": 500}))
    assert GAME.ranks(state, BOARD) == [1, 2, 2, 4]


# Worked examples


def test_ar_x1_dividend_of_three_shares() -> None:
    state = last_turn(
        shares=("Majestic Majestic", "Majestic"), track={"Majestic": "A11"}, income={"Majestic": 19},
        treasury={"Majestic": 6},
    )  # fmt: skip
    state, events = end_year(state)
    assert events_of_type(DividendPaid, events) == [DividendPaid("Majestic", 19, 7, [14, 7, 0, 0])]
    assert cash(state) == [64, 57, 50, 50]
    assert company(state, "Majestic").treasury == 6


def test_ar_x2_cost_with_a_cube_and_a_marker() -> None:
    state = position(
        Expand(3, 0), shares=("American",), treasury={"American": 6}, developed="F06",
        track={"Continental": "F06", "American": "F05"}, columns=({"expand3": 0},),
    )  # fmt: skip
    state, events = play_with_events(state, (0, Build("American", "F06", 6)))
    assert events_of_type(Built, events)[0].cost == 6
    assert company(state, "American").treasury == 0


def test_ar_x3_income_alone_in_a_developed_city() -> None:
    state = position(PickCity(0), track={"National": "A11"}, columns=({"develop": 0},))
    assert company(play(state, (0, Develop("A11"))), "National").income == 6


def test_ar_x4_income_when_a_second_company_enters_buffalo() -> None:
    state = position(
        Expand(3, 0), shares=("Liberty",), treasury={"Liberty": 9}, developed="A11",
        track={"National": "A11", "Liberty": "A12"}, columns=({"expand3": 0},),
    )  # fmt: skip
    assert company(state, "National").income == 6
    state = play(state, (0, Build("Liberty", "A11")))
    assert company(state, "Liberty").income == 4
    assert company(state, "National").income == 4


def test_ar_x5_two_companies_in_one_expansion() -> None:
    state = position(
        ChooseSpace(0), shares=("Republic Majestic",), treasury={"Republic": 4, "Majestic": 4},
        track={"Republic": "G01", "Majestic": "C01 D01 E01"},
    )  # fmt: skip
    moves = (Build("Republic", "F01"), Build("Republic", "H01"), Build("Majestic", "F01"))
    state, events = play_with_events(state, (0, Choose("expand3")), *((0, move) for move in moves))
    assert [event.cost for event in events_of_type(Built, events)] == [2, 2, 4]
    assert company(state, "Republic").treasury == company(state, "Majestic").treasury == 0
    assert state.pending == ChooseSpace(1)


RICK, MIKE, MARY = 0, 1, 2


def example_position(columns: Sequence[dict[str, int]], order: Sequence[int]) -> State:
    """Return the position of the worked examples. The players are Rick, Mike and Mary.

    `columns` has a dictionary for each phase of the year so far, from each taken action space to the seat on it.
    `order` is the turn order of the current phase.
    """
    return position(
        ChooseSpace(order[0]), 3, absent="Liberty", order=order, columns=columns,
        shares=("Majestic", "Republic", "Continental"),
        track={"Majestic": "C01", "Republic": "G01", "Continental": "F06"},
        treasury={"Majestic": 20, "Republic": 20, "Continental": 20},
    )  # fmt: skip


def take_turn(state: State, seat: int, space: SpaceName) -> State:
    """Let `seat` take the action space `space`. Answer all questions that follow with a pass."""
    state = play(state, (seat, Choose(space)))
    while type(state.pending) is not ChooseSpace:
        state = play(state, (state.pending.seat, Pass()))  # type: ignore[union-attr]
    return state


PHASE_1 = {"expand3": RICK, "develop": MIKE, "pass": MARY}
PHASE_2 = {"develop": MARY, "auction": MIKE, "fund": RICK}


def test_ar_x6_a_taken_space_is_refused_and_spaces_give_the_order_of_phase_2() -> None:
    state = example_position(({},), (RICK, MIKE, MARY))
    state = take_turn(take_turn(state, RICK, "expand3"), MIKE, "develop")
    assert_refused(state, MARY, Choose("develop"))
    state = take_turn(state, MARY, "pass")
    assert (view(state).phase, view(state).order) == (2, [MARY, MIKE, RICK])
    assert view(state).columns[0] == PHASE_1


def test_ar_x7_the_order_of_phase_3() -> None:
    state = example_position((PHASE_1, {}), (MARY, MIKE, RICK))
    state = take_turn(take_turn(take_turn(state, MARY, "develop"), MIKE, "auction"), RICK, "fund")
    assert (view(state).phase, view(state).order) == (3, [MARY, RICK, MIKE])


def test_ar_x8_the_order_of_the_next_year() -> None:
    state = example_position((PHASE_1, PHASE_2, {}), (MARY, RICK, MIKE))
    state = take_turn(take_turn(take_turn(state, MARY, "fund"), RICK, "take"), MIKE, "expand4")
    assert (view(state).year, view(state).phase, view(state).order) == (1852, 1, [MARY, RICK, MIKE])


def test_ar_x9_develop_cincinnati() -> None:
    state = position(PickCity(0), track={"Continental": "F06"}, columns=({"develop": 0},))
    assert company(state, "Continental").income == 4
    state = play(state, (0, Develop("F06")))
    assert company(state, "Continental").income == 6
    assert view(state).markers_left == 11


@pytest.mark.parametrize("city", NOT_DEVELOPABLE)
def test_ar_x10_some_cities_cannot_be_developed(city: str) -> None:
    state = position(PickCity(0), track={"American": f"A11 {' '.join(NOT_DEVELOPABLE)}"}, columns=({"develop": 0},))
    assert_refused(state, 0, Develop(city))


def test_ar_x11_three_links() -> None:
    atlanta = next(entry.id for entry in BOARD.hexes if entry.name == "Atlanta")
    state = position(
        Expand(4, 0), shares=("American",), treasury={"American": 50}, columns=({"expand4": 0},),
        track={"American": f"B02 D15 {BOARD.hex_list(BOARD.near[BOARD.hex_number[atlanta]])[0]}"},
    )  # fmt: skip
    incomes = [company(state, "American").income]
    for place in ("D16", atlanta):
        state = play(state, (0, Build("American", place)))
        incomes.append(company(state, "American").income)
    city_values = 7, 8, BOARD.full[BOARD.hex_number[atlanta]]
    assert incomes == [7, 7 + 8 + 10, sum(city_values) + 10 + 20]
    assert company(state, "American").links == 3


def test_ar_x12_develop_a_shared_city() -> None:
    state = position(PickCity(0), track={"American": "F06", "Liberty": "F06"}, columns=({"develop": 0},))
    assert company(state, "American").income == company(state, "Liberty").income == 2
    state, events = play_with_events(state, (0, Develop("F06")))
    assert company(state, "American").income == company(state, "Liberty").income == 3
    assert [event.change for event in events_of_type(IncomeChanged, events)] == [1, 1]


@pytest.mark.parametrize(("developed", "gain"), [("", 2), ("F06", 3)])
def test_ar_x13_a_third_company_does_not_change_the_income_of_the_others(developed: str, gain: int) -> None:
    state = position(
        Expand(3, 0), shares=("Republic",), treasury={"Republic": 20}, developed=developed, columns=({"expand3": 0},),
        track={"American": "F06", "Liberty": "F06", "Republic": "F05"},
    )  # fmt: skip
    others = company(state, "American").income
    state, events = play_with_events(state, (0, Build("Republic", "F06")))
    assert company(state, "Republic").income == gain
    assert company(state, "American").income == company(state, "Liberty").income == others
    assert events_of_type(IncomeChanged, events) == []


def test_ar_x14_a_build_above_the_treasury_is_refused() -> None:
    base: dict[str, Any] = {
        "shares": ("American",), "columns": ({"expand3": 0},), "track": {"American": "F05", "National": "E06"},
    }  # fmt: skip
    state = position(Expand(3, 0), treasury={"American": 3}, **base)
    assert_refused(state, 0, Build("American", "E06"))
    assert ("American", "G06", 3) in builds(state)
    play(position(Expand(3, 0), treasury={"American": 4}, **base), (0, Build("American", "E06")))


def test_ar_x15_all_pass_in_the_opening() -> None:
    state = play(start(3, seed=4))
    lot = legal(state)[0]
    state = play(state, (0, lot), (0, Pass()), (1, Pass()), (2, Pass()))
    assert company(state, lot.company).shares_removed == 1
    assert state.pending == Nominate(2)


def test_ar_x16_seats_without_an_opening_share_follow_clockwise_in_the_order() -> None:
    state = position(Nominate(3), 5, lots="Liberty", order=(3, 1), cash=(40, 9, 9, 40, 9))
    state = play(state, (3, Offer("Liberty")), (3, Bid(10)), (0, Pass()), (3, Found("A11")))
    assert view(state).order == [3, 1, 0, 2, 4]


def test_ar_x17_take_allows_no_cubes_with_three_players() -> None:
    state = position(
        ChooseSpace(0), 3, absent="Liberty", shares=("American",), treasury={"American": 30}, track={"American": "A11"}
    )
    state = play(state, (0, Choose("take")))
    assert legal(state) == [Take("bank"), Take("players"), Pass()]
    assert_refused(state, 0, Build("American", "A12"))


def test_ar_x18_four_low_supplies_end_a_game_of_four_players() -> None:
    ten = "A11 A14 A16 B06 C01 C05 C09 D10 D13 E05"
    given: dict[str, Any] = {
        "cubes": {"American": 2, "National": 1, "Continental": 0, "Republic": 6}, "track": {"Republic": ten},
        "developed": ten,
    }  # fmt: skip
    state, _ = end_year(last_turn(**given))
    assert GAME.end_reasons(state, BOARD) == ["low_supplies"]
    columns = tuple({**column, "expand3": 4} for column in LAST_TURN)
    state, _ = end_year(position(ChooseSpace(3), 5, order=(0, 1, 2, 4, 3), columns=columns, **given))
    assert state.pending is not None
    assert (view(state).end.low_supplies, view(state).end.low_supplies_needed) == (4, 5)


def test_ar_x19_a_bid_must_be_higher() -> None:
    state = play(start(4), (0, Offer("American")), (0, Bid(14)))
    assert_refused(state, 1, Bid(14), "bid 14 is below the minimum 15")
    assert play(state, (1, Bid(15))).pending.seat == 2  # type: ignore[union-attr]


def test_ar_x20_a_player_without_a_share_cannot_build() -> None:
    state = position(
        Expand(3, 0), shares=("American", "Liberty"), treasury={"American": 9, "Liberty": 9},
        track={"American": "A11", "Liberty": "C01"}, columns=({"expand3": 0},),
    )  # fmt: skip
    assert_refused(state, 0, Build("Liberty", "C02"))


@pytest.mark.parametrize(("year", "ends"), [(1856, False), (1857, True)])
def test_ar_x21_the_game_ends_after_1857(year: int, ends: bool) -> None:
    state, events = end_year(last_turn(year=year))
    assert (state.pending is None) is ends
    assert events_of_type(GameEnded, events) == ([GameEnded(["last_year"])] if ends else [])
    assert view(state).year == 1857


def test_ar_x22_players_with_too_little_cash_pay_what_they_have() -> None:
    state = position(PickSource(2, 2), cash=(5, 1, 20, 2), columns=({"take": 2},), order=(2, 0, 1, 3))
    bank = state.money[-1]
    state, events = play_with_events(state, (2, Take("players")))
    assert events[0] == PlayersPaid(2, [2, 1, 0, 2])
    assert cash(state) == [3, 0, 20, 0]
    assert state.money[-1] == bank + 5


def test_ar_x23_turn_order_with_a_drawn_banker() -> None:
    state = GAME.setup_from_events(BOARD, 5, Options(first_player="drawn"), [FirstPlayer(3)])
    assert state.pending == Nominate(3)
    state = play(
        state,
        (3, Offer("American")),
        (3, Pass()),
        (4, Pass()),
        (0, Pass()),
        (1, Bid(10)),
        (2, Pass()),
        (1, Found("A11")),
    )
    while state.lots or not isinstance(state.pending, ChooseSpace):
        assert state.pending is not None
        state = play(state, (state.pending.seat, legal(state)[0] if isinstance(state.pending, Nominate) else Pass()))
    assert view(state).order == [1, 3, 4, 0, 2]


# Runs of moves for searches


@pytest.mark.parametrize(
    ("pending", "moves", "ends_with"),
    [
        (ChooseSpace(0), [Choose("take"), Build("Liberty", "A12"), Build("Liberty", "A13")], []),
        (ChooseSpace(0), [Choose("expand3"), Build("Liberty", "A12")], [Pass()]),
        (Expand(1, 0), [Build("Liberty", "A12")], []),
        (Expand(3, 0), [], [Pass()]),
    ],
)
def test_an_expansion_is_a_run_of_moves_that_ends_with_a_pass_if_needed(
    pending: Any, moves: list[Any], ends_with: list[Any]
) -> None:
    """`expansion` returns the moves of a whole expansion. Its last move is a pass if more cubes could be placed."""
    column = {} if type(pending) is ChooseSpace else {"expand3": 0}
    state = position(pending, shares=("Liberty",), track={"Liberty": "A11"}, treasury={"Liberty": 20}, columns=[column])
    run = expansion(state, BOARD, tuple(number_of(GAME.moves, BOARD, action) for action in moves))
    assert [action_of(GAME.moves, BOARD, move) for move in run] == [*moves, *ends_with]
    for move in run:
        assert move in GAME.moves.legal(state, BOARD)
        GAME.moves.apply(state, BOARD, move)
    assert type(state.pending) is ChooseSpace
