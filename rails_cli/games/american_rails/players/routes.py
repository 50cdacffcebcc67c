"""Growth plans of companies: the cities that a company can reach from its track, best first, with the path costs."""

from functools import lru_cache
from typing import Final

from rails_cli.games.american_rails.board import Board
from rails_cli.games.evaluation import BOARDS, NUMBERS, remember
from rails_cli.games.shared.hexgrid import adjacent, numbers_in

REACH: Final = 24
"""Maximum length of a path. Each dollar and each cube of the path count as 1."""
AROUND: Final = 4
"""Maximum distance in hexes from a company's track at which a hex can affect the company's growth plan."""
TARGETS: Final = 6
LIKELY_STARTS: Final = 10
FIRST_CUBES: Final = 8.0
FIRST_MONEY: Final = 22.0
"""Money in dollars that a company is expected to have soon after its start.

It is used to choose the company's first city.
"""
FAR: Final = 1_000_000

Plan = list[tuple[float, float, float]]
"""Growth plan of a company: a list of target cities in order.

Each city is a tuple of three totals from the start of the plan to this city: cubes placed, dollars spent and income
gained.
"""
PLANS: Final[dict[tuple[int, int, int, int, int], Plan]] = {}
REGIONS: Final[dict[tuple[int, int], int]] = {}
STARTS: Final[dict[tuple[int, int, int, int], int]] = {}


class Routes:
    """The map of a board in the form that growth plans need.

    - `far_cost` and `far_cubes`, by city and hex: dollars and cubes for the path from the city to the hex on an empty
      map. The lists of hexes that are not cities are empty.
    - `around`, by hex: mask of the hexes within AROUND steps.
    """

    def __init__(self, board: Board) -> None:
        self.number: int = next(NUMBERS)
        self.board: Board = board
        self.hexes: int = len(board.near)
        self.bonus: int = board.file.links.income_per_pair
        self.link_list: list[int] = numbers_in(board.link_cities)
        self.far_cost: list[list[int]] = []
        self.far_cubes: list[list[int]] = []
        for city in range(self.hexes):
            spent, cubes = self._ways_from(city) if board.is_city[city] else ([], [])
            self.far_cost.append(spent)
            self.far_cubes.append(cubes)
        self.around: list[int] = [1 << place for place in range(self.hexes)]
        for _ in range(AROUND):
            self.around = [mask | adjacent(board.near, mask) for mask in self.around]

    def _ways_from(self, city: int) -> tuple[list[int], list[int]]:
        """Return two lists by hex: cost in dollars and number of cubes of the path from a city, on an empty map."""
        around, first_costs = self.board.around, self.board.first_costs
        spent, cubes = [FAR] * self.hexes, [FAR] * self.hexes
        spent[city] = cubes[city] = 0
        front = [city]
        while front:
            following: list[int] = []
            for place in front:
                for beyond in around[place]:
                    cost = spent[place] + first_costs[beyond]
                    if cost + cubes[place] + 1 < spent[beyond] + cubes[beyond]:
                        spent[beyond], cubes[beyond] = cost, cubes[place] + 1
                        following.append(beyond)
            front = following
        return spent, cubes

    def region(self, track: int) -> int:
        """Return the mask of hexes that can affect the growth plan of a company with cubes in the hexes of `track`."""
        found = REGIONS.get((self.number, track))
        if found is None:
            found = 0
            for place in numbers_in(track):
                found |= self.around[place]
            remember(REGIONS, (self.number, track), found)
        return found

    def plan(self, track: int, once: int, twice: int, developed: int) -> Plan:
        """Return the growth plan of a company with cubes in the hexes of the mask `track`.

        `once` is the mask of hexes with at least one company, `twice` that of hexes with several, and `developed` that
        of developed hexes. Hexes that are far from the track are treated as empty.
        """
        near = self.region(track)
        once, twice, developed = once & near, twice & near, developed & near
        key = (self.number, track, once, twice, developed)
        found = PLANS.get(key)
        if found is None:
            found = remember(PLANS, key, self.new_plan(track, once, twice, developed))
        return found

    def new_plan(self, track: int, once: int, twice: int, developed: int) -> Plan:
        near, is_city, links = self.board.around, self.board.is_city, self.board.link_cities
        cost = self.board.first_costs[:]
        for place in numbers_in(once | developed):
            pieces = (once >> place & 1) + (twice >> place & 1) + (developed >> place & 1)
            cost[place] = self.board.costs[place][pieces]
        total = [REACH] * self.hexes
        spent = [0] * self.hexes
        buckets: list[list[int]] = [[] for _ in range(REACH)]
        for place in numbers_in(track):
            total[place] = 0
            buckets[0].append(place)
        targets: list[int] = []
        for so_far in range(REACH):
            for place in buckets[so_far]:
                if total[place] != so_far:
                    continue
                if so_far and is_city[place]:
                    targets.append(place)
                for beyond in near[place]:
                    reached = so_far + cost[beyond] + 1  # at least REACH if there is no room
                    if reached < total[beyond]:
                        total[beyond] = reached
                        spent[beyond] = spent[place] + cost[beyond]
                        buckets[reached].append(beyond)
        for place in self.link_list:
            if total[place] == REACH:
                total[place] = FAR
                targets.append(place)
        gains = [self.gain(place, once, developed) for place in targets]
        linked = (track & links).bit_count()
        steps: Plan = []
        cubes = dollars = income = 0.0
        left = len(targets)
        while left and len(steps) < TARGETS:
            best, best_ratio = -1, 0.0
            for number in range(left):
                place = targets[number]
                gain = gains[number] + (self.bonus * linked if links >> place & 1 else 0)
                ratio = gain / total[place]
                if ratio > best_ratio:
                    best, best_ratio = number, ratio
            if best < 0:
                break
            place, gain = targets[best], gains[best]
            if links >> place & 1:
                gain += self.bonus * linked
                linked += 1
            left -= 1
            targets[best], gains[best] = targets[left], gains[left]
            if total[place] >= FAR:
                break
            cubes += total[place] - spent[place]
            dollars += spent[place]
            income += gain
            steps.append((cubes, dollars, income))
            far_cost, far_cubes = self.far_cost[place], self.far_cubes[place]
            for number in range(left):
                other = targets[number]
                reached = far_cost[other] + far_cubes[other]
                if reached < total[other]:
                    total[other], spent[other] = reached, far_cost[other]
        return steps

    def gain(self, city: int, once: int, developed: int) -> int:
        """Return the income that a company's cube in a city would bring, without link bonuses.

        `once` is the mask of hexes with at least one company, `developed` the mask of developed hexes.
        """
        full, shared = self.board.values[city][developed >> city & 1]
        return shared if once >> city & 1 else full

    def start(self, once: int, twice: int, developed: int) -> int:
        """Return the best free city in which a company can start, or -1 if no city is free.

        `once` is the mask of hexes with at least one company, `twice` that of hexes with several, and `developed` that
        of developed hexes.
        """
        key = (self.number, once, twice, developed)
        found = STARTS.get(key)
        if found is None:
            ranked = self.best_starts(once, twice, developed, 1)
            found = remember(STARTS, key, ranked[0] if ranked else -1)
        return found

    def best_starts(self, once: int, twice: int, developed: int, most: int) -> list[int]:
        """Return at most `most` free cities in which a company can start, best first.

        A city is rated by its income and the expected income from growth around it. `once` is the mask of hexes with at
        least one company, `twice` that of hexes with several, and `developed` that of developed hexes.
        """
        ranked: list[tuple[float, int]] = []
        for city in self.board.start_cities:
            if not once >> city & 1:
                ranked.append((-float(self.gain(city, once, developed)), city))
        ranked.sort()
        judged: list[tuple[float, int]] = []
        for minus_gain, city in ranked[:LIKELY_STARTS]:
            plan = self.plan(1 << city, once, twice, developed)
            judged.append((minus_gain - grown(plan, FIRST_CUBES, FIRST_MONEY), city))
        judged.sort()
        return [city for _, city in judged[:most]]


def grown(plan: Plan, cubes: float, dollars: float) -> float:
    """Return the income that a company gains if it places `cubes` cubes and spends `dollars` dollars along `plan`."""
    had_cubes = had_dollars = had = 0.0
    for step_cubes, step_dollars, income in plan:
        if step_cubes <= cubes and step_dollars <= dollars:
            had_cubes, had_dollars, had = step_cubes, step_dollars, income
            continue
        part = (cubes - had_cubes) / (step_cubes - had_cubes)
        cost = step_dollars - had_dollars
        if cost:
            part = min(part, (dollars - had_dollars) / cost)
        return had + (income - had) * part if part > 0 else had
    return had


@lru_cache(maxsize=BOARDS)
def routes_of(board: Board) -> Routes:
    return Routes(board)
