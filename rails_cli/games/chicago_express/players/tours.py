"""Where a company of Chicago Express may go from its network: one place after the other, each by its cheapest way."""

from functools import lru_cache
from typing import Final

from rails_cli.core.hexgrid import mask_of, numbers_in
from rails_cli.games.chicago_express.board import NOWHERE, Board
from rails_cli.games.chicago_express.state import State
from rails_cli.games.evaluation import BOARDS, NUMBERS, remember

SIGHT: Final = 9
"""Hexes further from a network are not looked at."""
PLACES: Final = 5
"""So many places a tour has at most."""
KEPT: Final = 8
"""So many tours from the same track are kept, to see whether they still hold after others have built."""
REACH: Final = 22
"""The greatest effort of a way: a dollar and a locomotive are one each."""

Key = tuple[int, int, int, int, int, int]
"""A company's track, hexes with one other company or more, with two or more, developed hexes, steps of the scales, and
the number of the tours that it belongs to."""
GroundKey = tuple[int, int, int, tuple[int, ...], tuple[int, ...]]
"""The number of the tours, the companies that have locomotives, developed hexes, all track, and the steps of the
scales."""
TOURS: Final[dict[Key, "Tour"]] = {}
GROUNDS: Final[dict[GroundKey, "Ground"]] = {}
LATEST: Final[dict[tuple[int, int, int, int], list[tuple["Tour", int, int]]]] = {}
"""By track, developed hexes, scales and number of the tours: those made last, each with where others stood then."""
SIGHTS: Final[dict[tuple[int, int], int]] = {}


class Tour:
    """Places in the order a company would go for them.

    By place, from the start of the tour: what the ways up to it cost, how many locomotives they take, and what income
    they bring; `ways` are the hexes to build in, `hexes` all of them together. `chicago` is Chicago's number,
    or NOWHERE.
    """

    __slots__ = ("chicago", "costs", "gains", "hexes", "steps", "ways")

    def __init__(self) -> None:
        self.costs: list[int] = []
        self.steps: list[int] = []
        self.gains: list[float] = []
        self.ways: list[list[int]] = []
        self.hexes = 0
        self.chicago = NOWHERE


class Ground:
    """What of a position follows from the map alone, by company: whether it has track, its tour if it can go anywhere,
    and the income that developments could add."""

    __slots__ = ("opened", "potential", "tours")

    def __init__(self) -> None:
        self.opened: list[bool] = []
        self.tours: list[Tour | None] = []
        self.potential: list[int] = []


class TourMap:
    """What a board knows of hexes, in tables."""

    def __init__(self, board: Board) -> None:
        self.around = board.around[:]
        self.costs = [costs[0] for costs in board.costs]
        self.values = [values[0] for values in board.values]
        self.develop = board.develop[:]
        self.shared = ~board.single
        self.chicago = board.chicago
        self.scale_of = board.scale_of[:]
        self.near = _near(board)
        self.by_development = [
            (gain, mask_of(place for place, its in enumerate(self.develop) if its == gain))
            for gain in sorted(set(self.develop))
            if gain
        ]
        """What a development brings, and the hexes where it does."""
        self.scale_values = [list(values) for values in board.scale_values]
        self.step_bits = max([len(values) for values in self.scale_values]).bit_length()
        goals = [
            place
            for place, cost in enumerate(self.costs)
            if cost is not None and (self.values[place] or self.scale_of[place] != NOWHERE)
        ]
        self.goals = mask_of(goals)
        self.contested = self.goals | board.single
        self.by_cost = [
            (cost, mask_of(place for place, its in enumerate(self.costs) if its == cost))
            for cost in sorted({cost for cost in self.costs if cost is not None})
        ]


def _near(board: Board) -> list[int]:
    """By hex, the hexes within sight."""
    near = [1 << place for place in range(len(board.hex_ids))]
    for _ in range(SIGHT):
        wider = near[:]
        for place, beside in enumerate(board.neighbours):
            for neighbour in beside:
                wider[place] |= near[neighbour]
        near = wider
    return near


class Tours:
    """The tours on a board; they depend on nothing but their keys."""

    def __init__(self, map: TourMap, undeveloped: float) -> None:
        self.map = map
        self.undeveloped = undeveloped
        self.number = next(NUMBERS)

    def ground(self, state: State, board: Board) -> Ground:
        able = 0
        for left in state.left:
            able = able << 1 | (left > 0)
        key = (self.number, able, state.developed, tuple(state.track), tuple(state.scales))
        ground = GROUNDS.get(key)
        if ground is None:
            ground = remember(GROUNDS, key, self.new_ground(state, board))
        return ground

    def new_ground(self, state: State, board: Board) -> Ground:
        around = self.surroundings(state)
        ground = Ground()
        for company, track in enumerate(state.track):
            ground.opened.append(track != 0)
            ground.tours.append(self.of(self.key_of(track, around)) if track and state.left[company] else None)
            ground.potential.append(self.potential(state, board, track) if track else 0)
        return ground

    def potential(self, state: State, board: Board, track: int) -> int:
        """The income that developments could add to a company with this track."""
        found = 0
        to_develop = track & board.house_hexes & ~state.developed
        for gain, places in self.map.by_development:
            found += gain * (to_develop & places).bit_count()
        for scale, bit, last in board.player_scales:
            if track & bit:
                values = board.scale_values[scale]
                found += values[last] - values[state.scales[scale]]
        return found

    def sight_of(self, track: int) -> int:
        """The hexes that a tour from this track looks at."""
        seen = SIGHTS.get((self.number, track))
        if seen is None:
            seen = 0
            for place in numbers_in(track):
                seen |= self.map.near[place]
            remember(SIGHTS, (self.number, track), seen)
        return seen

    def surroundings(self, state: State) -> tuple[int, int, int, int]:
        """The parts of keys that all companies see, each as far as it sees them."""
        once = twice = scales = 0
        for there in state.track:
            twice |= once & there
            once |= there
        map = self.map
        for step in state.scales:
            scales = scales << map.step_bits | step
        return once & map.contested, twice & map.contested, state.developed & map.shared, scales

    def key_of(self, track: int, around: tuple[int, int, int, int]) -> Key:
        """All that the tour of a company with this track depends on."""
        once, twice, developed, scales = around
        seen = self.sight_of(track) & ~track
        return track, once & seen, twice & seen, developed & seen, scales, self.number

    def of(self, key: Key) -> Tour:
        tour = TOURS.get(key)
        if tour is None:
            tour = remember(TOURS, key, self.kept(key) or self.made(key))
        return tour

    def kept(self, key: Key) -> Tour | None:
        """The tour from the same track before others built elsewhere: that only made dearer what was not chosen."""
        track, once, twice, developed, scales, number = key
        for tour, was_once, was_twice in LATEST.get((track, developed, scales, number), ()):
            if not (was_once & ~once | was_twice & ~twice | (was_once ^ once | was_twice ^ twice) & tour.hexes):
                return tour
        return None

    def best_ways(self, key: Key, most: int) -> list[list[int]]:
        """The ways to the places that bring most for their effort, each from the network as it is; Chicago's too."""
        front = self.front_of(key)
        front.look_to(REACH)
        chicago = self.map.chicago
        found: list[tuple[float, int]] = []
        for place in numbers_in(front.within[REACH] & self.goals(key)):
            found.append((-self.gain(key, place) / front.efforts[place], place))
        found.sort()
        places = [place for _, place in found[:most]]
        if chicago not in places and front.within[REACH] & ~key[0] & 1 << chicago:
            places.insert(0, chicago)
        return [front.way_to(place) for place in places]

    def front_of(self, key: Key) -> "Front":
        track, once, twice, _, _, _ = key
        return Front(self.map, track, self.sight_of(track), once, twice)

    def made(self, key: Key) -> Tour:
        """Always for the place that brings most for its effort, from the network as it then is."""
        front = self.front_of(key)
        goals = self.goals(key)
        gains = {place: self.gain(key, place) for place in numbers_in(goals)}
        greatest = max(gains.values(), default=0.0)
        tour = Tour()
        cost = steps = 0
        gain = 0.0
        while goals and len(tour.gains) < PLACES:
            best, most = NOWHERE, 0.0
            for effort in range(1, REACH + 1):
                if greatest <= most * effort:
                    break
                front.look_to(effort)
                there = front.within[effort] & ~front.within[effort - 1] & goals
                while there:
                    lowest = there & -there
                    place = lowest.bit_length() - 1
                    if gains[place] > most * effort:
                        best, most = place, gains[place] / effort
                    there ^= lowest
            if best == NOWHERE:
                break
            way = front.way_to(best)
            steps += len(way)
            cost += front.efforts[best] - len(way)
            for place in way:
                if goals >> place & 1:
                    gain += gains[place]
                    goals ^= 1 << place
            tour.costs.append(cost)
            tour.steps.append(steps)
            tour.gains.append(gain)
            tour.ways.append(way)
            tour.hexes |= mask_of(way)
            if self.map.chicago in way:
                tour.chicago = len(tour.gains) - 1
            if len(tour.gains) < PLACES:
                front.start_from(mask_of(way))
        like_it = (key[0], key[3], key[4], key[5])
        latest = LATEST.get(like_it) or remember(LATEST, like_it, [])
        latest.append((tour, key[1], key[2]))
        del latest[:-KEPT]
        return tour

    def goals(self, key: Key) -> int:
        """The hexes where a locomotive would bring income."""
        track, once, _, _, _, _ = key
        return self.map.goals & self.sight_of(track) & ~track & ~(once & ~self.map.shared)

    def gain(self, key: Key, place: int) -> float:
        """The income that a locomotive brings there, and some of what development would add."""
        map = self.map
        scale = map.scale_of[place]
        if scale != NOWHERE:
            steps = key[4] >> map.step_bits * (len(map.scale_values) - 1 - scale)
            step = steps & (1 << map.step_bits) - 1
            return map.scale_values[scale][step] + self.undeveloped
        to_come = 1.0 if key[3] >> place & 1 else self.undeveloped
        return map.values[place] + to_come * map.develop[place]


@lru_cache(maxsize=BOARDS)
def tours_on(board: Board, undeveloped: float) -> Tours:
    return Tours(TourMap(board), undeveloped)


class Front:
    """The cheapest ways out of a network: by hex its effort, and by effort the hexes within it, as far as was seen."""

    def __init__(self, map: TourMap, track: int, seen: int, once: int, twice: int) -> None:
        self.around = map.around
        free = seen & ~(once & ~map.shared)
        self.kinds: list[tuple[int, int]] = []
        """The effort to enter a hex, and the hexes where it takes that; what is out of reach is left out."""
        for cost, places in map.by_cost:
            places &= free
            for there, kind in ((1, places & ~once), (2, places & once & ~twice), (3, places & twice)):
                if kind and cost * there < REACH:
                    self.kinds.append((cost * there + 1, kind))
        self.efforts = [0] * len(map.costs)
        self.within = [0] * (REACH + 1)
        self.waiting = [0] * (2 * REACH + 1)
        """By effort, the hexes that can be reached with it, some of them with less."""
        self.known = 0
        self.start_from(track)

    def start_from(self, places: int) -> None:
        """These belong to the network now."""
        self.waiting[0] = places
        better = 0
        for effort in range(self.known + 1):
            if self.waiting[effort]:
                better |= self.settle(effort, self.within[effort] | better)
            self.within[effort] |= better

    def look_to(self, effort: int) -> None:
        """Finds all that is within an effort, if that was not done yet."""
        while self.known < effort:
            before = self.within[self.known]
            self.known += 1
            self.within[self.known] = before | (self.settle(self.known, before) if self.waiting[self.known] else 0)

    def settle(self, effort: int, known: int) -> int:
        """The hexes that were waiting for this effort, if they are not known yet; those beside them wait for more."""
        new = found = self.waiting[effort] & ~known
        self.waiting[effort] = 0
        if new:
            beside = 0
            while new:
                lowest = new & -new
                place = lowest.bit_length() - 1
                self.efforts[place] = effort
                beside |= self.around[place]
                new ^= lowest
            for step, places in self.kinds:
                reached = beside & places
                if reached:
                    self.waiting[effort + step] |= reached
        return found

    def way_to(self, place: int) -> list[int]:
        """The hexes to build in, from the network on."""
        way: list[int] = []
        effort = self.efforts[place]
        while effort:
            way.append(place)
            for step, places in self.kinds:
                if places >> place & 1:
                    effort -= step
            if effort:
                before = self.around[place] & self.within[effort] & ~self.within[effort - 1]
                place = (before & -before).bit_length() - 1
        way.reverse()
        return way
