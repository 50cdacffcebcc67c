"""Tours: the places a company of Chicago Express may reach from its network, one after another by the cheapest path.

Computing a tour examines a small part of the map. It is cached with its network and with the conditions under which it
stays the best: most moves of other companies happen elsewhere or only make other paths more expensive.
"""

from functools import lru_cache
from typing import Final

from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.chicago_express.state import State
from rails_cli.games.evaluation import BOARDS, NUMBERS, remember
from rails_cli.games.shared.hexgrid import numbers_in

SIGHT: Final = 9
"""Distance in hexes from a network beyond which hexes are ignored."""
PLACES: Final = 5
"""Maximum number of places of a tour."""
KEPT: Final = 32
"""Number of tours cached per network. The number of networks is limited by `remember`."""
REACH: Final = 22
"""Maximum effort of a path. A dollar and a locomotive count one each."""
CLOSED: Final = 1_000
"""Effort to enter a hex in which nobody may build any more."""
NEARLY: Final = 1.000001
"""Factor by which numbers may differ and still count as equal."""
UNSEEN: Final = 1_000_000
"""Effort of hexes that were not examined, and to enter hexes that are out of sight."""

GROUNDS: Final[dict[tuple[int, ...], "Ground"]] = {}
"""Cache by number of the `Tours` object, companies with locomotives, developed hexes, all track, and scale steps."""
NETWORKS: Final[dict[tuple[int, int], "Network"]] = {}
"""Cache by number of the `Tours` object and track."""


class Tour:
    """Places in the order in which a company would go to them.

    By place, totals since the start: `costs` in dollars, `steps` in locomotives and `gains` in income. `ways` has the
    hexes to build in. `chicago` is the index of Chicago, or NOWHERE. The tour is valid in every world with `world &
    watched == found`.
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
    """Estimates from the map alone, by company: its tour (None if it cannot build) and possible development income."""

    __slots__ = ("potential", "tours")

    def __init__(self) -> None:
        self.tours: list[Tour | None] = []
        self.potential: list[int] = []


class Network:
    """A company's track and values derived from it.

    - `places`: its hexes. `goals`: hexes in sight in which a locomotive may bring income.
    - `entering`, by hex: effort to build there on an empty map. `least`, by hex: least effort to reach it if it is a
      goal.
    - `developments`: bits of its hexes that can take a house, with the income gained.
    - `scales`: the scales of its hexes that players move, with their last steps.
    - `tours`: the cached tours.
    """

    __slots__ = ("developments", "entering", "goals", "least", "places", "scales", "tours", "track")

    def __init__(self, map: "TourMap", board: Board, track: int) -> None:
        self.track = track
        self.places = numbers_in(track)
        sight = 0
        for place in self.places:
            sight |= map.near[place]
        self.goals = numbers_in(map.goals & sight & ~track)
        self.entering = map.entering[:]
        for place in numbers_in(map.everywhere & ~sight):
            self.entering[place] = UNSEEN
        self.least = [UNSEEN] * map.size
        map.update_least_efforts(self.goals, self.least, self.places)
        houses = numbers_in(track & board.house_hexes)
        self.developments = [(1 << place, board.develop[place]) for place in houses if board.develop[place]]
        self.scales = [(scale, last) for scale, bit, last in board.player_scales if track & bit]
        self.tours: list[Tour] = []


class TourMap:
    """Lookup tables of a board for tours.

    A world is a bitmask of everything that makes hexes less attractive. Each hex has a bit for another company in it,
    one for two companies, and one for not being developed. It also has one for each step that its scale has not made.
    So additional bits never improve anything.

    - `standing[hex]`: the bits for companies. `rising[hex]`: the other bits.
    - `base[hex]`: income of a locomotive while all bits are set, plus part of what development would add.
    - `rises[hex]`: the income after each bit is cleared. `top[hex]`: the last of these.
    - `apart[goal][hex]`: effort from a hex to a goal on an empty map.
    """

    def __init__(self, board: Board, undeveloped: float) -> None:
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
        """By scale and step, the bits of the steps that the scale has not made."""
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
        """Return, by hex, the least effort from there to a goal, or a number above REACH.

        It equals the effort of the path from the goal back to a neighbour, exchanging the cost of the two ends.
        """
        front = Front(self.beside, self.entering, [goal])
        front.compute_up_to(REACH)
        efforts = front.efforts
        found = [self.entering[goal] + min([REACH, *[efforts[place] for place in beside]]) for beside in self.beside]
        found[goal] = 0
        return found

    def update_least_efforts(self, goals: list[int], least: list[int], places: list[int]) -> None:
        """Update the least efforts to goals after `places` were added to the network."""
        for goal in goals:
            apart, nearest = self.apart[goal], least[goal]
            for place in places:
                if apart[place] < nearest:
                    nearest = apart[place]
            least[goal] = nearest


def _near(board: Board) -> list[int]:
    """Return, by hex, the mask of hexes within sight."""
    near = [1 << place for place in range(len(board.hex_ids))]
    for _ in range(SIGHT):
        wider = near[:]
        for place, beside in enumerate(board.neighbours):
            for neighbour in beside:
                wider[place] |= near[neighbour]
        near = wider
    return near


class Tours:
    """The tours on a board. They depend only on the network they start from and on the world around it."""

    def __init__(self, board: Board, undeveloped: float) -> None:
        self.map = TourMap(board, undeveloped)
        self.number = next(NUMBERS)

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
        """Return the bitmask of everything that makes places less attractive, for all companies. See `TourMap`."""
        map = self.map
        once = twice = 0
        for there in state.track:
            twice |= once & there
            once |= there
        world = (map.houses & ~state.developed) << 2 * map.size | (twice & map.contested) << map.size
        for scale, step in enumerate(state.scales):
            world |= map.unmoved[scale][step]
        return world | once & map.contested

    def network(self, track: int, board: Board) -> Network:
        key = (self.number, track)
        return NETWORKS.get(key) or remember(NETWORKS, key, Network(self.map, board, track))

    def tour(self, network: Network, world: int) -> Tour:
        """Return the tour from a network.

        Compute it if no cached tour is valid. Cached tours are ordered by last use.
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
        """Return the paths from the network to the places with the highest gain per effort.

        Chicago is added if reachable.
        """
        front = self.front(network, world)
        front.compute_up_to(REACH)
        chicago = self.map.chicago
        found: list[tuple[float, int]] = []
        for place in front.nearest(network.goals):
            found.append((-self.gain(world, place) / front.efforts[place], place))
        found.sort()
        places = [place for _, place in found[:most]]
        if chicago not in places and 0 < front.efforts[chicago] <= REACH:
            places.insert(0, chicago)
        return [front.way_to(place) for place in places]

    def front(self, network: Network, world: int) -> "Front":
        map = self.map
        entering = network.entering[:]
        twice = world >> map.size
        for place in self.occupied(network, world):
            if map.single >> place & 1:
                entering[place] = CLOSED
            elif entering[place] < CLOSED:
                entering[place] += (entering[place] - 1) * (2 if twice >> place & 1 else 1)
        return Front(map.beside, entering, network.places)

    def occupied(self, network: Network, world: int) -> list[int]:
        """Return the hexes in which other companies make building more expensive or impossible."""
        return numbers_in(world & self.map.contested & ~network.track)

    def compute_tour(self, network: Network, world: int) -> Tour:
        """Compute a tour: repeatedly add the place with the highest gain per effort from the extended network."""
        map = self.map
        front = self.front(network, world)
        occupied = self.occupied(network, world)
        goals, least = network.goals, network.least[:]
        gains = [0.0] * map.size
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
                on_the_way |= map.standing[place] | map.rising[place]
            tour.costs.append(cost)
            tour.steps.append(steps)
            tour.gains.append(gain)
            tour.ways.append(way)
            if map.chicago in way:
                tour.chicago = len(tour.gains) - 1
            if len(tour.gains) < PLACES:
                front.start_from(way)
                map.update_least_efforts(goals, least, way)
        tour.watched = rivals & world | on_the_way
        tour.found = world & tour.watched
        return tour

    def rivals(
        self, network: Network, front: "Front", occupied: list[int], least: list[int], most: float, horizon: float
    ) -> int:
        """Return the bits of the world without which another place or path might be as good.

        `most` is the gain per effort of the chosen place. Paths through places beyond `horizon` cannot be as good.
        """
        map = self.map
        efforts, entering, free = front.efforts, front.entering, network.entering
        bits = 0
        for place in occupied:
            if efforts[place] - entering[place] + free[place] <= horizon:
                bits |= map.standing[place]
        for place in network.goals:
            effort = min(float(efforts[place]), horizon)
            enough = most * max(effort, float(least[place]))
            if NEARLY * map.top[place] >= enough:
                for bit, risen in map.rises[place]:
                    if NEARLY * risen >= enough:
                        bits |= bit
        return bits

    def gain(self, world: int, place: int) -> float:
        """Return the income of a locomotive in a place, plus part of what development would add."""
        gain = self.map.base[place]
        for bit, risen in self.map.rises[place]:
            if not world & bit:
                gain = risen
        return gain


@lru_cache(maxsize=BOARDS)
def tours_on(board: Board, undeveloped: float) -> Tours:
    """Return the tours on a board. `undeveloped` is clamped to [0, 1].

    With a larger value, development would make a hex worth less, and cached tours would miss improvements.
    """
    return Tours(board, min(1.0, max(0.0, undeveloped)))


def greatest_of(goals: list[int], gains: list[float], least: list[int], most: float) -> float:
    """Return the greatest gain of the goals that could match `most` gain per effort at their least effort."""
    greatest = 0.0
    for goal in goals:
        gain = gains[goal]
        if gain > greatest and NEARLY * gain >= most * least[goal]:
            greatest = gain
    return greatest


class Front:
    """The cheapest paths out of a network, given the effort to enter each hex.

    `efforts` has the effort to reach each hex. It is exact up to the effort `known`, beyond that an upper bound, and
    UNSEEN for hexes not examined.
    """

    __slots__ = ("beside", "efforts", "entering", "known", "waiting")

    def __init__(self, beside: list[list[int]], entering: list[int], places: list[int]) -> None:
        self.beside = beside
        self.entering = entering
        self.efforts = [UNSEEN] * len(entering)
        self.waiting: list[list[int]] = [[] for _ in range(REACH + 1)]
        """By effort, hexes that can be reached with it. Some can be reached with less."""
        self.known = 0
        self.start_from(places)

    def start_from(self, places: list[int]) -> None:
        """Add places to the network and update the efforts."""
        for place in places:
            self.efforts[place] = 0
        self.waiting[0] = places
        for effort in range(self.known + 1):
            self.settle(effort)

    def compute_up_to(self, effort: int) -> None:
        """Compute the exact effort of all hexes up to `effort`."""
        while self.known < effort:
            self.compute_next()

    def compute_next(self) -> list[int]:
        """Return the sorted hexes that need one more effort than `known`, and increase `known`."""
        self.known += 1
        found = self.settle(self.known)
        found.sort()
        return found

    def settle(self, effort: int) -> list[int]:
        """Return the hexes that need exactly this effort, and queue their neighbours."""
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
        """Return the given places within the known effort, nearest first."""
        size = len(self.efforts)
        found: list[int] = []
        for place in places:
            if self.efforts[place] <= self.known:
                found.append(self.efforts[place] * size + place)
        found.sort()
        return [number % size for number in found]

    def way_to(self, place: int) -> list[int]:
        """Return the hexes to build in, starting next to the network."""
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
