"""Whether a position of Chicago Express adds up, worked out anew from the raw state; and actions it must refuse."""

from protocol.chicago_express import Action, Build, Choose, Develop, Offer
from protocol.common import Bid, Pass
from rails_cli.core.hexgrid import mask_of, numbers_in, reachable
from rails_cli.games.chicago_express.board import ACTIONS, Board
from rails_cli.games.chicago_express.state import BidOrPass, DevelopHex, Expand, OfferShare, PickDial, State


def audit(state: State, board: Board) -> None:
    """Asserts that nothing was lost, conjured up or forgotten."""
    _audit_money(state, board)
    _audit_shares(state, board)
    _audit_track(state, board)
    _audit_developments(state, board)
    _audit_derived(state, board)
    _audit_question(state, board)


def _audit_money(state: State, board: Board) -> None:
    assert sum(state.money) == 0
    assert len(state.money) == state.seats + board.companies + 1
    assert min(state.money[:-1]) >= 0


def _audit_shares(state: State, board: Board) -> None:
    assert len(state.held) == state.seats * board.companies
    assert min(state.held) >= 0
    for company in range(board.companies):
        held = sum(state.held[company * state.seats + seat] for seat in range(state.seats))
        assert held == state.sold[company] <= board.file.companies[company].shares
        assert not held or state.track[company], "a share of a company that is not open"


def _audit_track(state: State, board: Board) -> None:
    hexes = board.file.hexes
    values = {board.hex_number[scale.hex]: scale.values[state.scales[n]] for n, scale in enumerate(board.file.scales)}
    for company, entry in enumerate(board.file.companies):
        places = numbers_in(state.track[company])
        home = board.hex_number[entry.start]
        assert len(places) + state.left[company] == entry.locomotives
        assert state.left[company] >= 0
        assert all(place == home or hexes[place].terrain != "start" for place in places), "built in a start city"
        if places:
            assert reachable(board.neighbours, home, state.track[company]) == state.track[company]
        else:
            assert entry.opens == "chicago"
        assert state.income[company] == sum(
            values.get(place, (hexes[place].income or 0) + (hexes[place].develop or 0) * (state.developed >> place & 1))
            for place in places
        )
    has_arrived = any(track >> board.hex_number[board.file.chicago] & 1 for track in state.track)
    is_open = state.track[board.wabash] != 0
    assert is_open == has_arrived or (has_arrived and type(state.pending) is Expand)


def _audit_developments(state: State, board: Board) -> None:
    developed = numbers_in(state.developed)
    assert len(developed) + state.houses == board.file.houses
    occupied = mask_of(place for track in state.track for place in numbers_in(track))
    for place in developed:
        entry = board.file.hexes[place]
        assert entry.terrain in ("city", "mountain", "forest")
        assert entry.id != board.file.chicago
        assert occupied >> place & 1
    for scale, step in zip(board.file.scales, state.scales, strict=True):
        assert 0 <= step < len(scale.values)
        assert scale.moves == "dividend" or not step or occupied >> board.hex_number[scale.hex] & 1


def _audit_derived(state: State, board: Board) -> None:
    """What the state keeps for speed equals what the track says; no hex is too full."""
    locomotives = _locomotives(state, board)
    assert list(state.crowd) == locomotives
    assert state.occupied == mask_of(place for place, count in enumerate(locomotives) if count)
    for place, entry in enumerate(board.file.hexes):
        assert locomotives[place] <= 1 or entry.terrain not in ("forest", "mountain")
    for company, name in enumerate(board.company_ids):
        sites = _sites(state, board, company, locomotives)
        assert numbers_in(state.sites[company]) == sites
        assert [(build.company, build.hex, build.cost) for build in state.builds[company]] == [
            (name, board.hex_ids[place], (board.file.hexes[place].cost or 0) * (locomotives[place] + 1))
            for place in sites
        ]
    assert len(state.dials) == len(ACTIONS)
    reds = [getattr(board.file.dials, action) for action in ACTIONS]
    assert all(0 <= moved <= red for moved, red in zip(state.dials, reds, strict=True))
    red_dials = [action for action, red in enumerate(reds) if state.dials[action] == red]
    assert state.red == mask_of(red_dials)
    if type(state.pending) is PickDial:
        assert len(red_dials) < 2


def _locomotives(state: State, board: Board) -> list[int]:
    """How many locomotives stand in each hex."""
    locomotives = [0] * len(board.hex_ids)
    for track in state.track:
        for place in numbers_in(track):
            locomotives[place] += 1
    return locomotives


def _sites(state: State, board: Board, company: int, locomotives: list[int]) -> list[int]:
    """The hexes beside the track, not on it, not start cities, and with room, in rising order."""
    beside = {other for place in numbers_in(state.track[company]) for other in board.neighbours[place]}
    return [
        place
        for place in sorted(beside)
        if not state.track[company] >> place & 1
        and (
            board.file.hexes[place].terrain in ("plain", "city", "industrial")
            or (board.file.hexes[place].terrain in ("forest", "mountain") and not locomotives[place])
        )
    ]


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
    """(seat, action) pairs that must be refused in this position."""
    question = state.pending
    if question is None:
        return [(0, Pass()), (0, Choose("expand"))]
    seat = question.seat
    answers = _wrong_answers(state, board, seat)
    return [
        *((seat, answer) for answer in answers),
        *((other, _plausible(state)) for other in range(state.seats) if other != seat),
        (-1, _plausible(state)),
        (state.seats, _plausible(state)),
    ]


def _plausible(state: State) -> Action:
    """An action that the seat that is asked could play."""
    question = state.pending
    if type(question) is BidOrPass:
        return Bid(question.minimum)
    if type(question) is PickDial:
        return Choose(next(action for number, action in enumerate(ACTIONS) if not state.red >> number & 1))
    return Pass()


def _wrong_answers(state: State, board: Board, seat: int) -> list[Action]:
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
    """Of a company not held, not adjacent, in a start city, where it stands, where there is no room, too dear."""
    question = state.pending
    wrong: list[Action] = []
    locomotives = _locomotives(state, board)
    for company, name in enumerate(board.company_ids):
        is_held = state.held[company * state.seats + seat] > 0
        may_move = type(question) is Expand and is_held and question.company in (-1, company) and state.left[company]
        sites = _sites(state, board, company, locomotives)
        near = {other for place in numbers_in(state.track[company]) for other in (place, *board.neighbours[place])}
        for place in sorted(near | {0, company, len(board.hex_ids) - 1}):
            entry = board.file.hexes[place]
            cost = (entry.cost or 0) * (locomotives[place] + 1)
            if may_move and place in sites and cost <= state.money[state.seats + company]:
                wrong.append(Build(name, entry.id, cost + 1))
            elif may_move or place % 7 == 0:
                wrong.append(Build(name, entry.id))
    return wrong


def _wrong_developments(state: State, board: Board) -> list[Action]:
    is_asked = type(state.pending) is DevelopHex
    scales = {scale.hex: (scale, state.scales[number]) for number, scale in enumerate(board.file.scales)}
    wrong: list[Action] = []
    for place, entry in enumerate(board.file.hexes):
        is_occupied = any(track >> place & 1 for track in state.track)
        if entry.terrain == "industrial":
            scale, step = scales[entry.id]
            is_possible = scale.moves == "develop" and step + 1 < len(scale.values)
        else:
            is_possible = (
                entry.terrain in ("city", "mountain", "forest")
                and entry.id != board.file.chicago
                and not state.developed >> place & 1
                and state.houses > 0
            )
        if not (is_asked and is_occupied and is_possible) and (is_asked or place % 20 == 0):
            wrong.append(Develop(entry.id))
    return wrong
