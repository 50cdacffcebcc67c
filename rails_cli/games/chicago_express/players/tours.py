"""Tours: sequences of target hexes to which a company of Chicago Express could build, each by the cheapest path.

A tour is cached together with conditions. While they hold, it remains the best tour. Most moves of other companies do
not affect the conditions.
"""

from functools import lru_cache
from typing import Final

from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.chicago_express.state import State
from rails_cli.games.evaluation import BOARDS, NUMBERS, remember
from rails_cli.games.shared.hexgrid import numbers_in

SIGHT: Final = 9
"""Maximum distance in hexes from a company's network. Hexes farther away are ignored."""
PLACES: Final = 5
"""Maximum number of target hexes in a tour."""
KEPT: Final = 32
"""Maximum number of tours cached for each network."""
REACH: Final = 22
"""Maximum effort of a path. The effort is the number of dollars plus the number of locomotives."""
CLOSED: Final = 1_000
"""Effort to enter a hex in which no company may build any more."""
NEARLY: Final = 1.000001
"""Factor for comparisons: two numbers count as equal if the greater is at most the smaller times this factor."""
UNSEEN: Final = 1_000_000
"""Effort used for a hex that was not examined, or that is too far from the network."""

GROUNDS: Final[dict[tuple[int, ...], "Ground"]] = {}
"""Cache of `Ground` objects.

A key has the number of the `Tours` object and everything on the map that affects the tours.
"""
NETWORKS: Final[dict[tuple[int, int], "Network"]] = {}
"""Cache of `Network` objects. A key has the number of the `Tours` object and the mask of the track."""


class Tour:
    """Target hexes to which a company could build, one after another.

    - `costs`, `steps` and `gains`, by target: dollars, locomotives and income in total since the start of the tour.
    - `ways`, by target: the hexes to build in on the way.
    - `chicago`: index of Chicago in these lists, or NOWHERE.
    - `watched` and `found`: the condition under which the tour is valid. It is the best tour in every world (see
      `Tours`) with `world & watched == found`.
    """

    __slots__ = ("chicago", "costs", "found", "gains", "steps", "watched", "ways")

    def __init__(self) -> None:
        self.costs: list[int] = []
        self.steps: list[int] = []
        self.gains: list[float] = []
        self.ways: list[list[int]] = []
        self.chicago = NOWHERE
        self.watched = 0
        self.found = 0


class Ground:
    """The tours of all companies in a position.

    Both lists have one entry per company. `tours` has the company's tour, or None if it cannot build. `potential` has
    the income that developments could add to the company.
    """

    __slots__ = ("potential", "tours")

    def __init__(self) -> None:
        self.tours: list[Tour | None] = []
        self.potential: list[int] = []


class Network:
    """A company's track, and values computed from the track.

    - `places`: the hexes of the track.
    - `goals`: hexes within SIGHT of the track in which a locomotive may bring income.
    - `entering`, by hex: effort to build in the hex on an empty map.
    - `least`, by goal: least possible effort to reach the goal.
    - `developments`: hexes of the track in which a house adds income. Each is a pair: bit of the hex, income added.
    - `scales`: scales of the track's hexes whose markers players move. Each is a pair: number of the scale, last step.
    - `tours`: the cached tours that start from this network.
    """

    __slots__ = ("developments", "entering", "goals", "least", "places", "scales", "tours", "track")

    def __init__(self, tours: "Tours", board: Board, track: int) -> None:
        self.track = track
        self.places = numbers_in(track)
        sight = 0
        for place in self.places:
            sight |= tours.near[place]
        self.goals = numbers_in(tours.goals & sight & ~track)
        self.entering = tours.entering[:]
        for place in numbers_in(tours.everywhere & ~sight):
            self.entering[place] = UNSEEN
        self.least = [UNSEEN] * tours.size
        tours.update_least_efforts(self.goals, self.least, self.places)
        houses = numbers_in(track & board.house_hexes)
        self.developments = [(1 << place, board.develop[place]) for place in houses if board.develop[place]]
        self.scales = [(scale, last) for scale, bit, last in board.player_scales if track & bit]
        self.tours: list[Tour] = []


class Tours:
    """Generator of the tours on one board. A tour depends only on the network where it starts and on the world.

    A world is a bitmask of everything that makes hexes less attractive. Each hex has these bits:

    - one bit if a first company is in the hex
    - one bit if a second company is in the hex
    - one bit if the hex is not developed
    - one bit for each step that the hex's scale has not yet moved

    An additional bit therefore never improves a tour. The attributes are:

    - `standing[hex]`: the bits for companies.
    - `rising[hex]`: the other bits.
    - `base[hex]`: income of a locomotive while all bits are set, plus part of the income that development would add.
    - `rises[hex]`: pairs of a bit and the income after this bit is cleared, in the order in which bits are cleared.
    - `top[hex]`: the last income in `rises[hex]`.
    - `apart[goal][hex]`: effort from a hex to a goal on an empty map.
    """

    def __init__(self, board: Board, undeveloped: float) -> None:
        self.number = next(NUMBERS)
        places = range(len(board.hex_ids))
        costs = [costs[0] for costs in board.costs]
        self.size = len(places)
        self.everywhere = (1 << self.size) - 1
        self.beside = [list(beside) for beside in board.beside]
        self.entering = [CLOSED if cost is None else cost + 1 for cost in costs]
        self.single = board.single
        self.chicago = board.chicago
        self.near = _near(board)
        self.goals = 0
        self.base = [0.0 for _ in places]
        self.rises: list[list[tuple[int, float]]] = [[] for _ in places]
        self.top = [0.0 for _ in places]
        self.standing = [1 << place | 1 << place + self.size for place in places]
        self.rising = [0 for _ in places]
        self.houses = 0
        self.unmoved: list[list[int]] = [[] for _ in board.scale_values]
        """Bits of the steps that a scale has not yet moved, as `unmoved[scale][step]`.

        `step` is the current step of the scale.
        """
        bit = 1 << 3 * self.size
        for place in places:
            scale = board.scale_of[place]
            value, develop = board.values[place][0], board.develop[place]
            if costs[place] is None or (not value and scale == NOWHERE):
                continue
            self.goals |= 1 << place
            if scale == NOWHERE:
                self.base[place] = value + undeveloped * develop
                if develop and not board.single >> place & 1:
                    self.houses |= 1 << place
                    self.rises[place].append((1 << place + 2 * self.size, value + 1.0 * develop))
            else:
                values = board.scale_values[scale]
                self.base[place] = values[0] + undeveloped
                for value in values[1:]:
                    self.rises[place].append((bit, value + undeveloped))
                    bit <<= 1
                bits = [bit for bit, _ in self.rises[place]]
                self.unmoved[scale] = [sum(bits[step:]) for step in range(len(values))]
            for risen, gain in self.rises[place]:
                self.rising[place] |= risen
                self.top[place] = gain
        self.contested = self.goals | board.single
        self.apart = [self.efforts_to(place) if self.goals >> place & 1 else [] for place in places]

    def efforts_to(self, goal: int) -> list[int]:
        """Return, by hex, the least effort to build from the hex to `goal`. Numbers above REACH mean too far."""
        front = Front(self.beside, self.entering, [goal])
        front.compute_up_to(REACH)
        efforts = front.efforts
        found = [self.entering[goal] + min([REACH, *[efforts[place] for place in beside]]) for beside in self.beside]
        found[goal] = 0
        return found

    def update_least_efforts(self, goals: list[int], least: list[int], places: list[int]) -> None:
        """Update `least`, the least effort to reach each goal, after the hexes `places` were added to the network."""
        for goal in goals:
            apart, nearest = self.apart[goal], least[goal]
            for place in places:
                if apart[place] < nearest:
                    nearest = apart[place]
            least[goal] = nearest

    def ground(self, state: State, board: Board) -> Ground:
        able = 0
        for left in state.left:
            able = able << 1 | (left > 0)
        key = (self.number, able, state.developed, *state.track, *state.scales)
        ground = GROUNDS.get(key)
        if ground is None:
            ground = remember(GROUNDS, key, self.new_ground(state, board))
        return ground

    def new_ground(self, state: State, board: Board) -> Ground:
        world = self.world(state)
        ground = Ground()
        for company, track in enumerate(state.track):
            network = self.network(track, board)
            ground.tours.append(self.tour(network, world) if track and state.left[company] else None)
            ground.potential.append(self.potential(network, state, board))
        return ground

    def potential(self, network: Network, state: State, board: Board) -> int:
        """Return the income that developments could add to a company with this network."""
        found = 0
        for bit, gain in network.developments:
            if not state.developed & bit:
                found += gain
        for scale, last in network.scales:
            values = board.scale_values[scale]
            found += values[last] - values[state.scales[scale]]
        return found

    def world(self, state: State) -> int:
        """Return the world of a position: the bitmask of everything that makes hexes less attractive (see `Tours`).

        The lowest bits say which hexes have a company, one bit per hex. Higher bits say which have a second company,
        which are not developed, and which steps the scales have not yet moved.
        """
        once = twice = 0
        for there in state.track:
            twice |= once & there
            once |= there
        world = (self.houses & ~state.developed) << 2 * self.size | (twice & self.contested) << self.size
        for scale, step in enumerate(state.scales):
            world |= self.unmoved[scale][step]
        return world | once & self.contested

    def network(self, track: int, board: Board) -> Network:
        key = (self.number, track)
        return NETWORKS.get(key) or remember(NETWORKS, key, Network(self, board, track))

    def tour(self, network: Network, world: int) -> Tour:
        """Return the best tour from a network in a world (see `Tours`).

        If a cached tour is valid, return it. The cached tours are kept in the order of their last use.
        """
        tours = network.tours
        for number, tour in enumerate(tours):
            if world & tour.watched == tour.found:
                if number:
                    tours.insert(0, tours.pop(number))
                return tour
        tour = self.compute_tour(network, world)
        tours.insert(0, tour)
        if len(tours) > KEPT:
            tours.pop()
        return tour

    def best_ways(self, network: Network, world: int, most: int) -> list[list[int]]:
        """Return the paths to the `most` hexes with the highest gain per effort, and to Chicago if it is in reach.

        A path is the list of the hexes to build in.
        """
        front = self.front(network, world)
        front.compute_up_to(REACH)
        chicago = self.chicago
        found: list[tuple[float, int]] = []
        for place in front.nearest(network.goals):
            found.append((-self.gain(world, place) / front.efforts[place], place))
        found.sort()
        places = [place for _, place in found[:most]]
        if chicago not in places and 0 < front.efforts[chicago] <= REACH:
            places.insert(0, chicago)
        return [front.way_to(place) for place in places]

    def front(self, network: Network, world: int) -> "Front":
        entering = network.entering[:]
        twice = world >> self.size
        for place in self.occupied(network, world):
            if self.single >> place & 1:
                entering[place] = CLOSED
            elif entering[place] < CLOSED:
                entering[place] += (entering[place] - 1) * (2 if twice >> place & 1 else 1)
        return Front(self.beside, entering, network.places)

    def occupied(self, network: Network, world: int) -> list[int]:
        """Return the hexes near a network in which other companies have raised the cost of building or left no room."""
        return numbers_in(world & self.contested & ~network.track)

    def compute_tour(self, network: Network, world: int) -> Tour:
        """Compute the best tour from a network in a world (see `Tours`).

        Repeatedly add the hex with the highest gain per effort to the tour and to the network.
        """
        front = self.front(network, world)
        occupied = self.occupied(network, world)
        goals, least = network.goals, network.least[:]
        gains = [0.0] * self.size
        for place in goals:
            gains[place] = self.gain(world, place)
        tour = Tour()
        cost = steps = 0
        gain = 0.0
        rivals = on_the_way = 0
        while len(tour.gains) < PLACES:
            best, most = NOWHERE, 0.0
            greatest = greatest_of(goals, gains, least, most)
            places = front.nearest(goals)
            while True:
                before = most
                for place in places:
                    effort = front.efforts[place]
                    if gains[place] > most * effort:
                        best, most = place, gains[place] / effort
                if most > before:
                    greatest = greatest_of(goals, gains, least, most)
                if front.known == REACH or greatest <= most * (front.known + 1):
                    break
                places = front.compute_next()
            horizon = NEARLY * greatest / most if most else float(REACH)
            rivals |= self.rivals(network, front, occupied, least, most, horizon)
            if best == NOWHERE:
                break
            way = front.way_to(best)
            steps += len(way)
            cost += front.efforts[best] - len(way)
            for place in way:
                gain += gains[place]
                gains[place] = 0.0
                on_the_way |= self.standing[place] | self.rising[place]
            tour.costs.append(cost)
            tour.steps.append(steps)
            tour.gains.append(gain)
            tour.ways.append(way)
            if self.chicago in way:
                tour.chicago = len(tour.gains) - 1
            if len(tour.gains) < PLACES:
                front.start_from(way)
                self.update_least_efforts(goals, least, way)
        tour.watched = rivals & world | on_the_way
        tour.found = world & tour.watched
        return tour

    def rivals(
        self, network: Network, front: "Front", occupied: list[int], least: list[int], most: float, horizon: float
    ) -> int:
        """Return the bits of a world (see `Tours`) that affect the choice of the next target hex.

        If such a bit were cleared, another hex or path could be as good as the chosen one.

        - `front`: the cheapest paths.
        - `occupied`: the hexes in which other companies make building more expensive or impossible.
        - `least`: the least effort to reach each goal.
        - `most`: the gain per effort of the chosen hex.
        - `horizon`: largest effort of a hex on a path that can be as good as the chosen one.
        """
        efforts, entering, free = front.efforts, front.entering, network.entering
        bits = 0
        for place in occupied:
            if efforts[place] - entering[place] + free[place] <= horizon:
                bits |= self.standing[place]
        for place in network.goals:
            effort = min(float(efforts[place]), horizon)
            enough = most * max(effort, float(least[place]))
            if NEARLY * self.top[place] >= enough:
                for bit, risen in self.rises[place]:
                    if NEARLY * risen >= enough:
                        bits |= bit
        return bits

    def gain(self, world: int, place: int) -> float:
        """Return the income of a locomotive in the hex `place`, plus part of the income that development would add.

        `world` is a bitmask of everything that makes hexes less attractive (see `Tours`).
        """
        gain = self.base[place]
        for bit, risen in self.rises[place]:
            if not world & bit:
                gain = risen
        return gain


@lru_cache(maxsize=BOARDS)
def tours_on(board: Board, undeveloped: float) -> Tours:
    """Return the `Tours` object of a board.

    `undeveloped` is the weight of the income that later development of a hex would add. A value outside [0, 1] is
    replaced by the nearest limit. A weight above 1 would be wrong: development would make a hex less attractive, and
    cached tours would not notice improvements.
    """
    return Tours(board, min(1.0, max(0.0, undeveloped)))


def _near(board: Board) -> list[int]:
    """Return, by hex, the mask of hexes at a distance of at most SIGHT."""
    near = [1 << place for place in range(len(board.hex_ids))]
    for _ in range(SIGHT):
        wider = near[:]
        for place, beside in enumerate(board.neighbours):
            for neighbour in beside:
                wider[place] |= near[neighbour]
        near = wider
    return near


def greatest_of(goals: list[int], gains: list[float], least: list[int], most: float) -> float:
    """Return the greatest gain among promising goals.

    A goal is promising if its gain per effort may be at least `most`. `least` has the least possible effort to reach
    each goal.
    """
    greatest = 0.0
    for goal in goals:
        gain = gains[goal]
        if gain > greatest and NEARLY * gain >= most * least[goal]:
            greatest = gain
    return greatest


class Front:
    """The cheapest paths from a network to other hexes. `entering` has the effort to enter each hex.

    `efforts` has the effort to reach each hex. It is exact up to `known`. Higher efforts are upper bounds. A hex that
    was not examined has the effort UNSEEN.
    """

    __slots__ = ("beside", "efforts", "entering", "known", "waiting")

    def __init__(self, beside: list[list[int]], entering: list[int], places: list[int]) -> None:
        self.beside = beside
        self.entering = entering
        self.efforts = [UNSEEN] * len(entering)
        self.waiting: list[list[int]] = [[] for _ in range(REACH + 1)]
        """For each effort, the hexes that can be reached with it. Some of them can also be reached with less effort."""
        self.known = 0
        self.start_from(places)

    def start_from(self, places: list[int]) -> None:
        """Add the hexes `places` to the network and update the efforts."""
        for place in places:
            self.efforts[place] = 0
        self.waiting[0] = places
        for effort in range(self.known + 1):
            self.expand(effort)

    def compute_up_to(self, effort: int) -> None:
        """Compute the exact efforts of all hexes that can be reached with at most `effort`."""
        while self.known < effort:
            self.compute_next()

    def compute_next(self) -> list[int]:
        """Increase `known` by one. Return the hexes that need exactly the new effort, in ascending order."""
        self.known += 1
        found = self.expand(self.known)
        found.sort()
        return found

    def expand(self, effort: int) -> list[int]:
        """Return the hexes that need exactly the effort `effort`. Add their neighbours to `waiting`."""
        waiting = self.waiting[effort]
        if not waiting:
            return waiting
        self.waiting[effort] = []
        efforts, entering = self.efforts, self.entering
        found: list[int] = []
        for place in waiting:
            if efforts[place] == effort:
                found.append(place)
                for beside in self.beside[place]:
                    reached = effort + entering[beside]
                    if reached < efforts[beside]:
                        efforts[beside] = reached
                        if reached <= REACH:
                            self.waiting[reached].append(beside)
        return found

    def nearest(self, places: list[int]) -> list[int]:
        """Return those hexes of `places` that can be reached with an effort of at most `known`, least effort first."""
        size = len(self.efforts)
        found: list[int] = []
        for place in places:
            if self.efforts[place] <= self.known:
                found.append(self.efforts[place] * size + place)
        found.sort()
        return [number % size for number in found]

    def way_to(self, place: int) -> list[int]:
        """Return the hexes of the cheapest path to `place`. The first hex is next to the network."""
        way: list[int] = []
        effort = self.efforts[place]
        while effort:
            way.append(place)
            effort -= self.entering[place]
            if effort:
                for beside in self.beside[place]:
                    if self.efforts[beside] == effort:
                        place = beside
                        break
        way.reverse()
        return way
