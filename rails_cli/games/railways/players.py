"""What the players of railways have in common: how they value shares and ways to expand, and how they aim at a goal."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from protocol.common import Bid, BidRange
from rails_cli.core.hexgrid import beside, mask_of, numbers_in
from rails_cli.games.railways.companies import Stock

DOLLAR = 0.12  # the income that a dollar in a treasury is hoped to become
DILUTION = 0.7  # the part of a company's unsold shares that is expected to be sold
NOWHERE = -1


def best(promising: Iterable[tuple[float, Any]], legal: Sequence[Any]) -> Any:
    """The answer worth most, or the mildest if none is worth anything."""
    worth, action = max(promising, key=lambda pair: pair[0], default=(0, legal[-1]))
    return action if worth > 0 else legal[-1]


def crowd(board: Any, tracks: Iterable[Sequence[str]]) -> list[int]:
    """How many pieces stand in each hex."""
    pieces = [0] * len(board.hex_ids)
    for track in tracks:
        for place in track:
            pieces[board.hex_number[place]] += 1
    return pieces


class Outlook:
    """What a seat expects of the companies; a game says what a company will earn, what shares cost, and about hexes."""

    raises: int
    """How much the price of a share is expected to rise above its minimum."""
    later: float
    """What income counts that is one hex further away."""
    sight: int
    """How many hexes ahead an expansion looks."""

    def __init__(self, view: Any, board: Any, stocks: Sequence[Stock], near: Sequence[int], dividends: float) -> None:
        self.view = view
        self.board = board
        self.near = near
        self.dividends = dividends
        self.own = view.players[view.seat]
        self.stocks = {company.id: stock for company, stock in zip(view.companies, stocks, strict=True)}
        self.companies = {company.id: company for company in view.companies if self.stocks[company.id].is_there}
        self.edge = {name: self._edge(name) for name in self.companies}
        self.crowd = crowd(board, (company.track for company in view.companies))

    def _edge(self, name: str) -> float:
        """The part of a company's income that this player gets, above what the others get on average."""
        sold, held = self.stocks[name].sold, self.own.shares[name]
        return (held - (sold - held) / (len(self.view.players) - 1)) / sold if sold else 0

    def income_of(self, company: Any) -> int:
        """What a company earns, or will earn once it is there."""
        raise NotImplementedError

    def minimum_of(self, company: Any) -> int:
        """The least bid for a share."""
        raise NotImplementedError

    def cost_of(self, place: int) -> int | None:
        """What building in a hex costs; None where there is no room."""
        raise NotImplementedError

    def gain_in(self, place: int, company: Any, cost: int) -> float:
        """The income that a company's piece in a hex brings, less its cost."""
        raise NotImplementedError

    def own_part(self, company: str) -> float:
        """What this player counts of such gains."""
        return 1

    # Shares

    def worth_of_share(self, company: Any, price: int) -> float:
        """What one more share will earn until the end, when more shares are sold and the treasury is built up."""
        shares = self.stocks[company.id].sold + 1 + DILUTION * max(company.shares_left - 1, 0)
        return float(self.dividends * (self.income_of(company) + DOLLAR * (company.treasury + price)) / shares)

    def worth_of_shares(self, seat: int) -> float:
        """The same for all shares that a player has."""
        worth = 0.0
        for company in self.view.companies:
            held, sold = self.view.players[seat].shares[company.id], self.stocks[company.id].sold
            if held:
                income = company.income + DOLLAR * company.treasury
                worth += held * income / (sold + DILUTION * company.shares_left)
        return self.dividends * worth

    def bid(self, legal: Sequence[Any]) -> Any:
        """The least bid, up to what the share is worth."""
        company = self.companies[self.view.auction.company]
        lowest = legal[0]
        is_cheap = isinstance(lowest, BidRange) and lowest.min <= self.worth_of_share(company, lowest.min)
        return Bid(lowest.min) if is_cheap else legal[-1]

    def worth_of_offer(self, name: str) -> float:
        """What is gained by thinning out the others' shares, and by the hope to buy the share below its worth."""
        company = self.companies[name]
        price = self.minimum_of(company) + self.raises
        bargain = self.worth_of_share(company, price) - price
        thinned = self.dividends * company.income / (self.stocks[name].sold + 1)
        return float((bargain if self.own.cash >= price else -bargain) / 2 - thinned * self.edge[name])

    # Expansion

    def best_expansion(self, only: str | None = None) -> tuple[float, str, str]:
        """What the most promising expansion is worth, its company and its first hex."""
        return max(self.expansions(only), key=lambda plan: plan[0], default=(0.0, "", ""))

    def expansions(self, only: str | None = None) -> list[tuple[float, str, str]]:
        """The same of each company that can expand to its gain."""
        plans = []
        for name, company in self.companies.items():
            if only in (None, name) and self.edge[name] > 0 and self.stocks[name].pieces_left:
                income, first = self._best_way(company)
                if first:
                    plans.append((self.dividends * self.own_part(name) * income, name, first))
        return plans

    def _best_way(self, company: Any) -> tuple[float, str]:
        """What the best way out of a company's network brings, less its cost; and the first hex of that way."""
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
    """A company that can still reach its goal: the money it lacks, and the next hex of its way with its cost."""

    lacking: int
    company: str
    hex: str
    cost: int


def aim_of(
    company: Any, board: Any, near: Sequence[int], costs: Sequence[int | None], to_goal: Sequence[int | None]
) -> Aim | None:
    """The cheapest way of a company, by what it costs to build in each hex, and from there to the goal."""
    ways = []
    for place in numbers_in(beside(near, mask_of(board.hex_number[place] for place in company.track))):
        cost, further = costs[place], to_goal[place]
        if cost is not None and further is not None:
            ways.append(Aim(cost + further - company.treasury, company.id, board.hex_ids[place], cost))
    return min(ways, default=None)


def may_build(view: Any, aims: Iterable[Aim]) -> bool:
    """Whether the seat can take a step towards an aim."""
    shares = view.players[view.seat].shares
    treasury = {company.id: company.treasury for company in view.companies}
    return any(shares[aim.company] and aim.cost <= treasury[aim.company] for aim in aims)


def towards(aims: Sequence[Aim], legal: Sequence[Any]) -> Any:
    """The next step of the first aim that can be taken; else something for its company, or the mildest answer."""
    wanted = {(aim.company, aim.hex): number for number, aim in enumerate(aims)}
    builds = [entry for entry in legal if (getattr(entry, "company", None), getattr(entry, "hex", None)) in wanted]
    if builds:
        return min(builds, key=lambda entry: wanted[entry.company, entry.hex])
    others = {entry.company: entry for entry in legal if hasattr(entry, "company") and not hasattr(entry, "hex")}
    return next((others[aim.company] for aim in aims if aim.company in others), legal[0 if others else -1])
