"""Consistency checks of Chicago Express positions, and actions that must be refused in them."""

from functools import lru_cache
from typing import NamedTuple

from rails_cli.games.chicago_express.board import ACTIONS, Board
from rails_cli.games.chicago_express.questions import BidOrPass, DevelopHex, Expand, OfferShare, PickDial
from rails_cli.games.chicago_express.state import State
from rails_cli.games.shared.hexgrid import few_numbers_in, mask_of
from rails_cli.protocol.chicago_express import Action, Build, Choose, Develop, Offer, Terrain
from rails_cli.protocol.common import Bid, Pass
from tests.games.audits import equal_scores_share_a_rank

audit_ranks = equal_scores_share_a_rank


class Tables:
    """Lookup tables about hexes, such as income and terrain, made without the code of the rules.

    In bitmasks of hexes, bit N is hex number N.
    """

    def __init__(self, board: Board) -> None:
        self.hexes = board.file.hexes
        number = {entry.id: place for place, entry in enumerate(self.hexes)}
        self.income = [entry.income or 0 for entry in self.hexes]
        self.develop = [entry.develop or 0 for entry in self.hexes]
        self.cost = [entry.cost or 0 for entry in self.hexes]
        self.starts = self._of_terrain("start")
        self.single = self._of_terrain("forest", "mountain")
        self.shared = self._of_terrain("plain", "city", "industrial")
        self.chicago = 1 << number[board.file.chicago]
        self.house_hexes = self._of_terrain("city", "mountain", "forest") & ~self.chicago
        self.homes = [number[entry.start] for entry in board.file.companies]
        self.scale_hexes = [number[scale.hex] for scale in board.file.scales]
        self.around = [mask_of(beside) for beside in board.neighbours]
        self.developments: list[Action] = [Develop(entry.id) for entry in self.hexes]
        names = [entry.id for entry in board.file.companies]
        self.builds: list[list[Action]] = [[Build(name, entry.id) for entry in self.hexes] for name in names]

    def _of_terrain(self, *terrain: Terrain) -> int:
        return mask_of(place for place, entry in enumerate(self.hexes) if entry.terrain in terrain)


@lru_cache(maxsize=16)
def tables_of(board: Board) -> Tables:
    return Tables(board)


class Network(NamedTuple):
    """The track of one company, computed from its hexes alone. In bitmasks, bit N is hex number N.

    `places` holds the numbers of the hexes.
    """

    places: tuple[int, ...]
    reached: int
    """Hexes that the company's track connects with its start city, as a bitmask."""
    beside: int
    """Hexes adjacent to the track of the company, as a bitmask."""


@lru_cache(maxsize=4096)
def network_of(board: Board, home: int, track: int) -> Network:
    """Return the network of the hexes in the bitmask `track`, for a company that starts in `home`."""
    around = tables_of(board).around
    places = few_numbers_in(track)
    reached, frontier = 1 << home, [home]
    while frontier:
        new = around[frontier.pop()] & track & ~reached
        reached |= new
        frontier += few_numbers_in(new)
    beside = 0
    for place in places:
        beside |= around[place]
    return Network(places, reached, beside)


def networks_of(state: State, board: Board) -> list[Network]:
    homes = tables_of(board).homes
    return [network_of(board, home, track) for home, track in zip(homes, state.track, strict=True)]


def audit(state: State, board: Board) -> None:
    """Assert that `state` is consistent: no money or pieces lost or added, and all derived values correct."""
    tables, networks = tables_of(board), networks_of(state, board)
    _audit_money(state, board)
    _audit_shares(state, board)
    _audit_track(state, board, tables, networks)
    _audit_developments(state, board, tables)
    _audit_sites(state, board, tables, networks)
    _audit_dials(state, board)
    _audit_question(state, board)


def _audit_money(state: State, board: Board) -> None:
    assert sum(state.money) == 0
    assert len(state.money) == state.seats + board.companies + 1
    assert min(state.money[:-1]) >= 0


def _audit_shares(state: State, board: Board) -> None:
    assert len(state.held) == state.seats * board.companies
    assert min(state.held) >= 0
    for company in range(board.companies):
        held = sum(state.held[company * state.seats : (company + 1) * state.seats])
        assert held == state.sold[company] <= board.file.companies[company].shares
        assert not held or state.track[company], "a player holds a share of a company that is not open"


def _audit_track(state: State, board: Board, tables: Tables, networks: list[Network]) -> None:
    income, develop = tables.income, tables.develop
    steps = zip(tables.scale_hexes, board.file.scales, state.scales, strict=True)
    values = {place: scale.values[step] for place, scale, step in steps}
    for company, entry in enumerate(board.file.companies):
        track, home = state.track[company], 1 << tables.homes[company]
        places, reached, _ = networks[company]
        assert len(places) + state.left[company] == entry.locomotives
        assert state.left[company] >= 0
        assert not track & tables.starts & ~home, "a company has track in the start city of another"
        if places:
            assert reached == track
        else:
            assert entry.opens == "chicago"
        worth = sum([values[place] if place in values else income[place] for place in places])
        worth += sum([develop[place] for place in few_numbers_in(track & state.developed) if place not in values])
        assert state.income[company] == worth
    has_arrived = any(track & tables.chicago for track in state.track)
    is_open = state.track[board.wabash] != 0
    assert is_open == has_arrived or (has_arrived and type(state.pending) is Expand)


def _audit_developments(state: State, board: Board, tables: Tables) -> None:
    assert state.developed.bit_count() + state.houses == board.file.houses
    occupied, _ = _occupied(state)
    assert not state.developed & ~tables.house_hexes
    assert not state.developed & ~occupied
    for place, scale, step in zip(tables.scale_hexes, board.file.scales, state.scales, strict=True):
        assert 0 <= step < len(scale.values)
        assert scale.moves == "dividend" or not step or occupied >> place & 1
    possible = few_numbers_in(_developable(state, board, tables))
    assert [board.actions[move] for move in state.developments] == [tables.developments[place] for place in possible]


def _developable(state: State, board: Board, tables: Tables) -> int:
    """Return the hexes that can be developed, as a bitmask in which bit N is hex number N."""
    possible = tables.house_hexes & ~state.developed if state.houses > 0 else 0
    for place, scale, step in zip(tables.scale_hexes, board.file.scales, state.scales, strict=True):
        if scale.moves == "develop" and step + 1 < len(scale.values):
            possible |= 1 << place
    return possible & _occupied(state)[0]


def _audit_sites(state: State, board: Board, tables: Tables, networks: list[Network]) -> None:
    """Assert that the building sites and costs cached in `state` equal newly computed ones.

    Also assert that no hex has more locomotives than it may have.
    """
    occupied, crowded = _occupied(state)
    assert state.occupied == occupied
    assert not crowded & tables.single
    assert list(state.stands) == _stands(tables, networks)
    closed_to: dict[int, int] = {}
    for place, companies in enumerate(state.closed):
        closed_to[companies] = closed_to.get(companies, 0) | 1 << place
    for company, network in enumerate(networks):
        sites = few_numbers_in(_sites(state, tables, company, network, occupied))
        closed = sum(places for companies, places in closed_to.items() if companies >> company & 1)
        assert closed == network.beside & ~tables.starts | state.track[company] | occupied & tables.single
        assert [board.actions[move] for move in state.builds[company]] == [
            tables.builds[company][place] for place in sites
        ]
        costs = [tables.cost[place] * (state.stands[place].bit_count() + 1) for place in sites]
        assert costs == [state.cost[place] for place in sites]
        assert max(costs, default=0) <= state.dearest


def _audit_dials(state: State, board: Board) -> None:
    assert len(state.dials) == len(ACTIONS)
    reds = [getattr(board.file.dials, action) for action in ACTIONS]
    assert all(0 <= moved <= red for moved, red in zip(state.dials, reds, strict=True))
    red_dials = [action for action, red in enumerate(reds) if state.dials[action] == red]
    assert state.red == mask_of(red_dials)
    if type(state.pending) is PickDial:
        assert len(red_dials) < 2


def _occupied(state: State) -> tuple[int, int]:
    """Return two bitmasks, in which bit N is hex N: hexes with at least one locomotive, and with several."""
    once = several = 0
    for track in state.track:
        several |= once & track
        once |= track
    return once, several


def _stands(tables: Tables, networks: list[Network]) -> list[int]:
    stands = [0] * len(tables.hexes)
    for company, network in enumerate(networks):
        for place in network.places:
            stands[place] |= 1 << company
    return stands


def _sites(state: State, tables: Tables, company: int, network: Network, occupied: int) -> int:
    """Return the hexes where `company` may build, as a bitmask: next to its track, not start cities, and not full.

    `network` is the track of the company, and `occupied` a bitmask of the hexes with at least one locomotive.
    """
    return network.beside & ~state.track[company] & (tables.shared | tables.single & ~occupied)


def _audit_question(state: State, board: Board) -> None:
    question = state.pending
    if question is None:
        return
    assert 0 <= question.seat < state.seats
    if type(question) is BidOrPass:
        assert question.still_in >> question.seat & 1
        assert question.seat != question.leader
        assert question.minimum <= state.money[question.seat]
        assert question.leader < 0 or question.still_in >> question.leader & 1
        assert question.leader < 0 or state.money[question.leader] >= question.minimum - 1
        assert question.is_opening == (state.turn < 0)
    else:
        assert question.seat == state.turn


def near_misses(state: State, board: Board) -> list[tuple[int, Action]]:
    """Return pairs of a seat and an action. Each action must be refused if this seat plays it in `state`."""
    question = state.pending
    if question is None:
        return [(0, Pass()), (0, Choose("expand"))]
    seat = question.seat
    answers = _wrong_answers(state, board, seat)
    return [
        *((seat, answer) for answer in answers),
        *((other, _legal_answer(state)) for other in range(state.seats) if other != seat),
        (-1, _legal_answer(state)),
        (state.seats, _legal_answer(state)),
    ]


def _legal_answer(state: State) -> Action:
    question = state.pending
    if type(question) is BidOrPass:
        return Bid(question.minimum)
    if type(question) is PickDial:
        return Choose(next(action for number, action in enumerate(ACTIONS) if not state.red >> number & 1))
    return Pass()


def _wrong_answers(state: State, board: Board, seat: int) -> list[Action]:
    """Return illegal actions of every type for `seat`, the seat to move."""
    question = state.pending
    wrong: list[Action] = [
        Offer("XYZ"),
        Offer(""),
        Build("XYZ", board.hex_ids[0]),
        Build(board.company_ids[0], "Z99"),
        Develop("Z99"),
        Develop(board.file.chicago),
    ]
    if type(question) is BidOrPass:
        wrong += [Bid(question.minimum - 1), Bid(state.money[seat] + 1), Bid(-1), Offer(board.company_ids[0])]
    else:
        wrong += [Bid(0), Bid(10)]
    if type(question) is PickDial:
        wrong += [Pass(), Develop(board.hex_ids[1])]
        wrong += [Choose(action) for number, action in enumerate(ACTIONS) if state.red >> number & 1]
    else:
        wrong += [Choose(action) for action in ACTIONS]
    wrong += _wrong_offers(state, board)
    wrong += _wrong_builds(state, board, seat)
    wrong += _wrong_developments(state, board)
    return wrong


def _wrong_offers(state: State, board: Board) -> list[Action]:
    if type(state.pending) is not OfferShare:
        return [Offer(company) for company in board.company_ids]
    return [
        Offer(entry.id)
        for company, entry in enumerate(board.file.companies)
        if state.sold[company] == entry.shares or not state.track[company]
    ]


def _wrong_builds(state: State, board: Board, seat: int) -> list[Action]:
    """Return illegal builds for `seat`: a company not held, or a hex that is too far, built, full or too expensive."""
    question = state.pending
    wrong: list[Action] = []
    tables, networks = tables_of(board), networks_of(state, board)
    stands = _stands(tables, networks)
    occupied, _ = _occupied(state)
    for company, network in enumerate(networks):
        is_held = state.held[company * state.seats + seat] > 0
        may_move = type(question) is Expand and is_held and question.company in (-1, company) and state.left[company]
        sites = _sites(state, tables, company, network, occupied) if may_move else 0
        treasury = state.money[state.seats + company]
        near = network.beside | state.track[company] | mask_of((0, company, len(tables.hexes) - 1))
        for place in few_numbers_in(near):
            cost = tables.cost[place] * (stands[place].bit_count() + 1)
            if sites >> place & 1 and cost <= treasury:
                wrong.append(Build(board.company_ids[company], tables.hexes[place].id, cost + 1))
            elif may_move or place % 7 == 0:
                wrong.append(tables.builds[company][place])
    return wrong


def _wrong_developments(state: State, board: Board) -> list[Action]:
    tables = tables_of(board)
    if type(state.pending) is not DevelopHex:
        return tables.developments[::20]
    possible = _developable(state, board, tables)
    return [develop for place, develop in enumerate(tables.developments) if not possible >> place & 1]
