"""Consistency checks of American Rails positions, and actions that must be refused in them."""

from functools import cache, lru_cache, reduce
from itertools import chain, combinations
from operator import or_
from typing import NamedTuple

from rails_cli.games.american_rails import GAME
from rails_cli.games.american_rails.board import FULL, Board
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
from rails_cli.games.american_rails.state import FREE, MARKER, State
from rails_cli.games.shared.hexgrid import STEPS, numbers_in
from rails_cli.protocol.american_rails import Action, Build, Choose, Develop, Found, Fund, Offer, Take
from rails_cli.protocol.common import Bid, Pass
from tests.games.audits import equal_scores_share_a_rank

SINGLE_CUBE_TERRAIN = ("forest", "mountain")  # terrain that holds one cube
audit_ranks = equal_scores_share_a_rank


def audit(state: State, board: Board) -> None:
    """Assert that `state` is consistent: no money or pieces lost or added, and all derived values correct."""
    cubes = _cubes(state, board)
    _audit_money(state, board)
    _audit_shares(state, board)
    _audit_track(state, board, cubes)
    _audit_income(state, board, cubes)
    _audit_columns(state, board)
    _audit_derived(state, board, cubes)
    _audit_question(state, board)


def check_caches(state: State, board: Board) -> None:
    """Assert that the cached values of `state` equal those of a copy and of a position loaded from its dump.

    Unlike `audit`, this check is also valid on boards other than the standard board.
    """
    assert GAME.view(state, board, 0) == GAME.view(state.copy(), board, 0), "a cached part of the view is out of date"
    again = GAME.load(GAME.dump(state), board)
    for name in ("cost", "stands", "sites", "closed", "starts", "develops", "owned", "free"):
        assert getattr(again, name) == getattr(state, name), name


def _audit_money(state: State, board: Board) -> None:
    assert sum(state.money) == 0
    assert len(state.money) == state.seats + len(board.company_files) + 1
    assert min(state.money[:-1]) >= 0


def _audit_shares(state: State, board: Board) -> None:
    companies = len(board.company_files)
    assert len(state.held) == state.seats * companies
    for company, entry in enumerate(board.company_files):
        held = sum(state.held[seat * companies + company] for seat in range(state.seats))
        assert state.supply[company] >= 0
        assert held + state.supply[company] <= entry.shares, "more shares than the company has"
        if state.absent >> company & 1:
            assert held == state.supply[company] == state.cubes[company] == state.track[company] == 0
            assert not state.lots >> company & 1
        question = state.pending
        is_starting = type(question) is PlaceFirstCube and question.company == company
        assert not held or is_starting or state.track[company], (
            "a player holds a share of a company that has not started"
        )
        if state.lots >> company & 1:
            assert not held
            assert state.supply[company] == entry.shares
    removed = board.rules_for[state.seats].companies_removed
    assert state.absent.bit_count() == removed


@cache
def _neighbours(board: Board) -> list[list[int]]:
    """Return a list of the adjacent hexes of each hex, computed from the coordinates in the board file."""
    number_at = {(entry.q, entry.r): number for number, entry in enumerate(board.hexes)}
    around = [[(entry.q + dq, entry.r + dr) for dq, dr in STEPS] for entry in board.hexes]
    return [sorted(number_at[place] for place in places if place in number_at) for places in around]


class Network(NamedTuple):
    """The track of one company.

    `places` holds the numbers of its hexes. `is_joined` is true if these hexes are connected. `beside` holds the
    numbers of the adjacent hexes.
    """

    places: list[int]
    is_joined: bool
    beside: list[int]


@lru_cache(maxsize=1000)
def _network(board: Board, track: int) -> Network:
    neighbours = _neighbours(board)
    places = set(numbers_in(track))
    joined = {min(places)} if places else set()
    waiting = sorted(joined)
    while waiting:
        found = places.intersection(neighbours[waiting.pop()]) - joined
        joined |= found
        waiting.extend(sorted(found))
    beside = {other for place in places for other in neighbours[place]} - places
    return Network(sorted(places), joined == places, sorted(beside))


def _cubes(state: State, board: Board) -> list[int]:
    cubes = [0] * len(board.hexes)
    for track in state.track:
        for place in _network(board, track).places:
            cubes[place] += 1
    return cubes


def _audit_track(state: State, board: Board, cubes: list[int]) -> None:
    for company, entry in enumerate(board.company_files):
        network = _network(board, state.track[company])
        places = network.places
        if not state.absent >> company & 1:
            assert len(places) + state.cubes[company] + 1 == entry.cubes, (
                "cubes on the map, in the supply and on the income track"
            )
        assert state.cubes[company] >= 0
        if places:
            assert network.is_joined, "the network is not connected"
            assert any(board.hexes[place].terrain == "city" for place in places)
    assert all(cubes[place] <= 1 for place in _single_cube_places(board))
    for place in numbers_in(state.developed):
        assert board.hexes[place].terrain == "city"
        assert board.hexes[place].developable
        assert cubes[place]
    assert state.developed.bit_count() <= board.file.markers


def _audit_income(state: State, board: Board, cubes: list[int]) -> None:
    for company in range(len(board.company_files)):
        expected = 0
        links = 0
        for place in _network(board, state.track[company]).places:
            entry = board.hexes[place]
            if entry.terrain != "city":
                continue
            assert entry.full is not None
            assert entry.shared is not None
            is_alone = cubes[place] == 1
            is_developed = state.developed >> place & 1
            expected += entry.full + 2 * is_developed if is_alone else entry.shared + is_developed
            links += entry.name in ("Chicago", "New York", "Atlanta")
        expected += 10 * len(list(combinations(range(links), 2)))
        assert state.income[company] == expected


def _audit_columns(state: State, board: Board) -> None:
    height = len(board.file.spaces)
    for phase in range(board.file.phases):
        seats = [seat for seat in state.taken[phase * height : (phase + 1) * height] if seat != FREE]
        assert len(set(seats)) == len(seats), "a player has taken two spaces of a column"
        if phase < state.phase:
            assert sorted(seats) == list(range(state.seats))
        if phase > state.phase:
            assert not seats
        if phase == state.phase and phase > 0:
            before = state.taken[(phase - 1) * height : phase * height]
            assert state.order == [seat for seat in before if seat != FREE]
    assert len(set(state.order)) == len(state.order)
    if not _is_opening(state):
        assert sorted(state.order) == list(range(state.seats))
    assert 0 <= state.year < len(board.file.years)


def _audit_derived(state: State, board: Board, cubes: list[int]) -> None:
    """Assert that the values cached in `state` equal newly computed ones.

    `cubes` is the number of cubes on each hex.
    """
    costs = _costs(state, board, cubes)
    assert list(state.cost) == [FULL if cost is None else cost for cost in costs]
    stands = [0] * len(board.hexes)
    full = [place for place, cost in enumerate(costs) if cost is None]
    closed_to: dict[int, list[int]] = {}
    for place, companies_out in enumerate(state.closed):
        closed_to.setdefault(companies_out, []).append(place)
    for company, track in enumerate(state.track):
        network = _network(board, track)
        sites = [place for place in network.beside if costs[place] is not None] if state.cubes[company] else []
        assert state.sites[company] == [board.builds_from[company] + place for place in sites]
        closed = [places for companies_out, places in closed_to.items() if companies_out >> company & 1]
        assert sorted(chain(*closed)) == sorted({*network.places, *network.beside, *full})
        for place in network.places:
            stands[place] += 1 << company
    for place in numbers_in(state.developed):
        stands[place] += MARKER
    assert list(state.stands) == stands
    cities = [place for place, entry in enumerate(board.hexes) if entry.developable and 0 < stands[place] < MARKER]
    starts = [place for place, entry in enumerate(board.hexes) if entry.terrain == "city" and not stands[place]]
    assert state.starts == [board.founds_at + place for place in starts]
    assert state.develops == [board.develops_at + place for place in cities]
    companies = len(board.company_files)
    for seat in range(state.seats):
        held = [company for company in range(companies) if state.held[seat * companies + company]]
        assert list(state.owned[seat]) == held
    height = len(board.file.spaces)
    column = state.taken[state.phase * height : (state.phase + 1) * height]
    assert state.free == sum(1 << space for space, seat in enumerate(column) if seat == FREE)


@cache
def _single_cube_places(board: Board) -> list[int]:
    return [place for place, entry in enumerate(board.hexes) if entry.terrain in SINGLE_CUBE_TERRAIN]


@cache
def _empty_costs(board: Board) -> list[int]:
    return [{"city": 2, "plain": 2, "forest": 3, "mountain": 5}[entry.terrain] for entry in board.hexes]


def _costs(state: State, board: Board, cubes: list[int]) -> list[int | None]:
    """Return for each hex the cost in dollars of one more cube (rule AR-36), or None if the hex is full.

    `cubes` has the number of cubes in each hex.
    """
    costs: list[int | None] = [*_empty_costs(board)]
    for place in {place for track in state.track for place in _network(board, track).places}:
        is_single_cube = board.hexes[place].terrain in SINGLE_CUBE_TERRAIN
        costs[place] = None if is_single_cube else 2 + 2 * (cubes[place] + (state.developed >> place & 1))
    return costs


def _is_opening(state: State) -> bool:
    question = state.pending
    return bool(state.lots) or (isinstance(question, BidOrPass | PlaceFirstCube) and question.opening)


def _audit_question(state: State, board: Board) -> None:
    question = state.pending
    if question is None:
        return
    assert 0 <= question.seat < state.seats
    if isinstance(question, BidOrPass):
        assert question.still_in >> question.seat & 1
        assert question.seat != question.leader
        assert question.minimum <= state.money[question.seat]
        assert question.leader < 0 or question.still_in >> question.leader & 1
        assert question.leader < 0 or state.money[question.leader] >= question.minimum - 1
        assert not question.opening or not state.track[question.company]
    elif isinstance(question, PlaceFirstCube):
        assert not state.track[question.company]
    elif not isinstance(question, Nominate):
        assert question.seat == state.order[state.turn]
    if isinstance(question, Expand):
        assert _legal_builds(state, board, question.seat), "the seat is asked to build, but no cube can be placed"


def _legal_builds(state: State, board: Board, seat: int) -> set[tuple[int, int]]:
    """Return pairs of company and hex, one for each cube that `seat` may place."""
    costs = _costs(state, board, _cubes(state, board))
    neighbours = _neighbours(board)
    legal = set()
    companies = len(board.company_files)
    for company in range(companies):
        if not state.held[seat * companies + company] or not state.cubes[company]:
            continue
        track = set(numbers_in(state.track[company]))
        frontier = {beside for place in track for beside in neighbours[place]} - track
        for place in frontier:
            cost = costs[place]
            if cost is not None and cost <= state.money[state.seats + company]:
                legal.add((company, place))
    return legal


def near_misses(state: State, board: Board) -> list[tuple[int, Action]]:
    """Return pairs of a seat and an action. Each action must be refused if this seat plays it in `state`."""
    question = state.pending
    if question is None:
        return [(0, Pass()), (0, Choose("pass"))]
    seat = question.seat
    legal_answer = _legal_answer(state, board)
    return [
        *((seat, answer) for answer in _wrong_answers(state, board, seat)),
        *((other, legal_answer) for other in range(-1, state.seats + 1) if other != seat),
    ]


def _legal_answer(state: State, board: Board) -> Action:
    question = state.pending
    if isinstance(question, BidOrPass):
        return Bid(question.minimum)
    if isinstance(question, Nominate):
        return Offer(board.company_ids[numbers_in(state.lots)[0]])
    if isinstance(question, ChooseSpace):
        return Choose(next(space for number, space in enumerate(board.spaces) if state.free >> number & 1))
    if isinstance(question, PlaceFirstCube):
        empty = [place for place in numbers_in(board.cities) if not any(track >> place & 1 for track in state.track)]
        return Found(board.hex_ids[empty[0]])
    return Pass()


def _wrong_answers(state: State, board: Board, seat: int) -> list[Action]:
    """Return illegal actions of every type for `seat`, the seat to move."""
    question = state.pending
    wrong: list[Action] = [
        Offer("Union"),
        Offer(""),
        Fund("Union"),
        Develop("Z99"),
        Found("Z99"),
        Build("Union", board.hex_ids[0]),
        Build(board.company_ids[0], "Z99"),
    ]
    if isinstance(question, BidOrPass):
        wrong += [Bid(question.minimum - 1), Bid(state.money[seat] + 1), Bid(-1), Bid(0)]
    else:
        wrong += [Bid(10), Bid(board.file.minimum_bid), Bid(0)]
    if isinstance(question, Nominate | PlaceFirstCube | ChooseSpace):
        wrong.append(Pass())
    for number, space in enumerate(board.spaces):
        if not isinstance(question, ChooseSpace) or not state.free >> number & 1:
            wrong.append(Choose(space))
    if not isinstance(question, PickSource):
        wrong += [Take("bank"), Take("players")]
    return wrong + _wrong_companies(state, board) + _wrong_cities(state, board) + _wrong_builds(state, board, seat)


def _wrong_companies(state: State, board: Board) -> list[Action]:
    question = state.pending
    wrong: list[Action] = []
    for company, name in enumerate(board.company_ids):
        is_lot = isinstance(question, Nominate) and state.lots >> company & 1
        is_share = isinstance(question, PickShare) and state.supply[company] > 0
        if not is_lot and not is_share:
            wrong.append(Offer(name))
        if not isinstance(question, PickTreasury) or state.absent >> company & 1:
            wrong.append(Fund(name))
    return wrong


@cache
def _cities_and_other_hexes(board: Board) -> list[int]:
    """Return all cities, and every ninth hex of any kind."""
    return [place for place, entry in enumerate(board.hexes) if entry.terrain == "city" or place % 9 == 0]


def _wrong_cities(state: State, board: Board) -> list[Action]:
    question = state.pending
    occupied = reduce(or_, state.track)
    wrong: list[Action] = []
    for place in _cities_and_other_hexes(board):
        entry = board.hexes[place]
        is_city = entry.terrain == "city"
        is_occupied = occupied >> place & 1
        if not (type(question) is PlaceFirstCube and is_city and not is_occupied):
            wrong.append(Found(entry.id))
        may_develop = is_occupied and entry.developable and not state.developed >> place & 1
        if not (type(question) is PickCity and may_develop):
            wrong.append(Develop(entry.id))
    return wrong


def _near(state: State, board: Board, company: int) -> set[int]:
    """Return hexes in which to try builds of `company`: all next to its track, and every second hex of the track."""
    neighbours = _neighbours(board)
    track = numbers_in(state.track[company])
    return {*track[::2], *(beside for place in track for beside in neighbours[place])}


def _wrong_builds(state: State, board: Board, seat: int) -> list[Action]:
    """Return illegal builds for `seat`.

    The seat holds no share of the company, the hex is not available or too expensive, or the cost is wrong.
    """
    question = state.pending
    is_asked = isinstance(question, Expand) or (isinstance(question, PickSource) and state.seats > 3)
    legal = _legal_builds(state, board, seat) if is_asked else set()
    costs = _costs(state, board, _cubes(state, board))
    wrong: list[Action] = []
    for company, name in enumerate(board.company_ids):
        near = _near(state, board, company) if is_asked else set()
        for place in sorted(near.union(range(company, len(board.hexes), 27))):
            if (company, place) in legal:
                wrong.append(Build(name, board.hex_ids[place], (costs[place] or 0) + 1))
            else:
                wrong.append(Build(name, board.hex_ids[place]))
    return wrong
