"""Estimated values of shares and expansions, shared by the rule-based players of the railway games."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from rails_cli.games.railways.companies import Stock
from rails_cli.games.shared.hexgrid import adjacent, mask_of, numbers_in
from rails_cli.protocol.common import Bid, BidRange

DOLLAR = 0.12  # expected income per dollar in a treasury
DILUTION = 0.7  # fraction of a company's unsold shares expected to be sold
NOWHERE = -1


Pick = Callable[[Sequence[tuple[float, Any]], Sequence[Any]], Any]
"""Function that takes pairs of worth and action, and the list of legal actions. It returns the chosen action."""


def best(promising: Sequence[tuple[float, Any]], legal: Sequence[Any]) -> Any:
    """Return the action of `promising` with the highest worth, or the last legal action if no worth is positive."""
    worth, action = max(promising, key=lambda pair: pair[0], default=(0, legal[-1]))
    return action if worth > 0 else legal[-1]


def nearly_best(
    promising: Sequence[tuple[float, Any]], legal: Sequence[Any], chance: Callable[[], float], part: float
) -> Any:
    """Return a random action of `promising` with at least the fraction `part` of the highest worth.

    Return the last legal action if no worth is positive.
    """
    most = max((worth for worth, _ in promising), default=0.0)
    good = [action for worth, action in promising if worth > 0 and worth >= part * most]
    return good[int(chance() * len(good))] if good else legal[-1]


def pieces_by_hex(board: Any, tracks: Iterable[Sequence[str]]) -> list[int]:
    """Return the number of pieces in each hex.

    `tracks` has one list for each company: the ids of the hexes with its pieces.
    """
    pieces = [0] * len(board.hex_ids)
    for track in tracks:
        for place in track:
            pieces[board.hex_number[place]] += 1
    return pieces


class Estimates:
    """One seat's estimates of how many dollars shares and builds are worth until the end of the game.

    Subclasses add the rules of one game.
    """

    raises: int
    """Expected difference in dollars between the price of a share and its minimum bid."""
    later: float
    """Factor below 1 that reduces the gains of hexes that a company reaches later.

    The gain of a hex (see `gain_in`) is multiplied by this factor once for each earlier hex of the path.
    """
    sight: int
    """Maximum number of hexes in the path of an estimated expansion."""

    def __init__(self, view: Any, board: Any, stocks: Sequence[Stock], near: Sequence[int], dividends: float) -> None:
        self.view = view
        self.board = board
        self.near = near
        self.dividends = dividends
        self.own = view.players[view.seat]
        self.stocks = {company.id: stock for company, stock in zip(view.companies, stocks, strict=True)}
        self.companies = {company.id: company for company in view.companies if self.stocks[company.id].is_there}
        self.edge = {name: self._edge(name) for name in self.companies}
        self.crowd = pieces_by_hex(board, (company.track for company in view.companies))

    def _edge(self, name: str) -> float:
        """Return the seat's fraction of a company's sold shares, minus the average fraction of the other seats.

        `name` is the company id.
        """
        sold, held = self.stocks[name].sold, self.own.shares[name]
        return (held - (sold - held) / (len(self.view.players) - 1)) / sold if sold else 0

    def income_of(self, company: Any) -> int:
        """Return the income of a company, or its expected income if it has not started."""
        raise NotImplementedError

    def minimum_of(self, company: Any) -> int:
        raise NotImplementedError

    def cost_of(self, place: int) -> int | None:
        """Return the cost of building in the hex `place`, or None if there is no room for a piece."""
        raise NotImplementedError

    def gain_in(self, place: int, company: Any, cost: int) -> float:
        """Return the income that a company gains by building in the hex `place`.

        `cost` is converted to income and subtracted.
        """
        raise NotImplementedError

    def own_part(self, company: str) -> float:
        """Return the factor that converts a gain of a company (see `gain_in`) to the gain of the seat.

        It is 1 if `gain_in` already returns the gain of the seat.
        """
        return 1

    # Shares

    def worth_of_share(self, company: Any, price: int) -> float:
        """Return the expected dividends in dollars of one more share of a company.

        The buyer pays `price` dollars to the company, which raises its expected income.
        """
        shares = self.stocks[company.id].sold + 1 + DILUTION * max(company.shares_left - 1, 0)
        return float(self.dividends * (self.income_of(company) + DOLLAR * (company.treasury + price)) / shares)

    def worth_of_shares(self, seat: int) -> float:
        """Return the expected dividends in dollars of all shares that a seat holds."""
        worth = 0.0
        for company in self.view.companies:
            held, sold = self.view.players[seat].shares[company.id], self.stocks[company.id].sold
            if held:
                income = company.income + DOLLAR * company.treasury
                worth += held * income / (sold + DILUTION * company.shares_left)
        return self.dividends * worth

    def bid(self, legal: Sequence[Any]) -> Any:
        """Return the minimum bid if the auctioned share is worth at least that much, otherwise a pass."""
        company = self.companies[self.view.auction.company]
        lowest = legal[0]
        is_cheap = isinstance(lowest, BidRange) and lowest.min <= self.worth_of_share(company, lowest.min)
        return Bid(lowest.min) if is_cheap else legal[-1]

    def worth_of_offer(self, name: str) -> float:
        """Return the value in dollars, for this seat, of offering a share of the company `name`.

        If the seat can pay the expected price, half of the buyer's expected profit is added. Otherwise this half is
        subtracted. The dividends that the seat loses, minus the average loss of the other seats, are also subtracted.
        """
        company = self.companies[name]
        price = self.minimum_of(company) + self.raises
        bargain = self.worth_of_share(company, price) - price
        thinned = self.dividends * company.income / (self.stocks[name].sold + 1)
        return float((bargain if self.own.cash >= price else -bargain) / 2 - thinned * self.edge[name])

    # Expansion

    def best_expansion(self, only: str | None = None) -> tuple[float, str, str]:
        """Return the best expansion: its value in dollars, the company id and the id of the first hex.

        If `only` is given, consider only the company with this id. Return (0.0, "", "") if no expansion is possible.
        """
        return max(self.expansions(only), key=lambda plan: plan[0], default=(0.0, "", ""))

    def expansions(self, only: str | None = None) -> list[tuple[float, str, str]]:
        """Return the best expansion of each company, as a tuple: value in dollars, company id and id of the first hex.

        Companies whose growth does not benefit this seat are left out. If `only` is given, consider only the company
        with this id.
        """
        plans = []
        for name, company in self.companies.items():
            if only in (None, name) and self.edge[name] > 0 and self.stocks[name].pieces_left:
                income, first = self._best_way(company)
                if first:
                    plans.append((self.dividends * self.own_part(name) * income, name, first))
        return plans

    def _best_way(self, company: Any) -> tuple[float, str]:
        """Return the highest total gain of a path on which a company can build, and the id of the path's first hex.

        The total gain is the sum of the gains in all hexes (see `gain_in` and `later`). The id is empty if no path has
        a positive total gain.
        """
        front = [(self.board.hex_number[place], 0.0, NOWHERE) for place in company.track]
        seen = mask_of(place for place, _, _ in front)
        best, best_first, weight = 0.0, NOWHERE, 1.0
        for _ in range(self.sight):
            reached: dict[int, tuple[float, int]] = {}
            for place, income, first in front:
                for beyond in numbers_in(self.near[place] & ~seen):
                    if beyond not in reached or income > reached[beyond][0]:
                        reached[beyond] = (income, first)
            front = []
            for place, (income, first) in reached.items():
                seen |= 1 << place
                cost = self.cost_of(place)
                if cost is None or (first == NOWHERE and cost > company.treasury):
                    continue
                first = place if first == NOWHERE else first
                income += weight * self.gain_in(place, company, cost)
                front.append((place, income, first))
                if income > best:
                    best, best_first = income, first
            weight *= self.later
        return best, "" if best_first == NOWHERE else self.board.hex_ids[best_first]


class Aim(NamedTuple):
    """The cheapest path of a company to its goal.

    `lacking` is how many dollars the company's treasury lacks for the path. `hex` is the id of the first hex to build
    in, and `cost` is the cost of this hex.
    """

    lacking: int
    company: str
    hex: str
    cost: int


def aim_of(
    company: Any, board: Any, near: Sequence[int], costs: Sequence[int | None], to_goal: Sequence[int | None]
) -> Aim | None:
    """Return the cheapest path of a company to its goal, or None if the goal cannot be reached.

    `costs` has the cost of building in each hex, and `to_goal` the cost of building from each hex to the goal. `near`
    has the mask of neighbours by hex.
    """
    ways = []
    for place in numbers_in(adjacent(near, mask_of(board.hex_number[place] for place in company.track))):
        cost, further = costs[place], to_goal[place]
        if cost is not None and further is not None:
            ways.append(Aim(cost + further - company.treasury, company.id, board.hex_ids[place], cost))
    return min(ways, default=None)
