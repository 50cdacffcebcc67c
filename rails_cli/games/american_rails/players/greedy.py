"""The greedy player of American Rails: a dollar of income counts by the dividends still to come and by whose it is.

It bids what a share will earn, and expands, develops and funds where its own part of a company is greater than the
others'.
"""

from collections.abc import Iterable

from protocol.american_rails import Action, Build, Choose, CompanyView, Develop, Entry, Found, Fund, Offer, Take, View
from protocol.common import Bid, BidRange
from rails_cli.core.hexgrid import numbers_in
from rails_cli.games.american_rails.board import FULL, Board

DOLLAR = 0.12  # the income that a dollar in a treasury is hoped to become
DILUTION = 0.7  # the part of a company's unsold shares that is expected to be sold
RAISES = 4  # how much the price of a share is expected to rise above its minimum
UNDEVELOPED = 0.3  # what counts of a city's development that is still to come
LATER = 0.75  # what income counts that is one hex further away
SIGHT = 4  # how many hexes ahead an expansion looks
WAY = 3  # how many cubes it takes to get out of an expansion what it is worth
NOWHERE = -1


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """The bid, the action or the place that promises most; the mildest answer if nothing promises anything."""
    outlook = Outlook(view, board)
    assert view.question is not None
    asks = view.question.asks
    if asks == "bid":
        return outlook.bid(legal)
    if asks in ("expand", "take"):
        return outlook.expand(legal)
    if asks == "choose":
        worth_of_space = outlook.worth_of_spaces()
        return _best(((worth_of_space[entry.action], entry) for entry in legal if isinstance(entry, Choose)), legal)
    if asks in ("nominate", "auction"):
        return _best(((outlook.worth_of_offer(o.company), o) for o in legal if isinstance(o, Offer)), legal)
    if asks == "found":
        return _best(((board.full[board.hex_number[f.hex]], f) for f in legal if isinstance(f, Found)), legal)
    if asks == "develop":
        return _best(((outlook.worth_of_marker(d.hex), d) for d in legal if isinstance(d, Develop)), legal)
    return _best(((outlook.edge[fund.company], fund) for fund in legal if isinstance(fund, Fund)), legal)


def _best(promising: Iterable[tuple[float, Action]], legal: list[Entry]) -> Action:
    """The answer worth most, or the mildest if none is worth anything."""
    worth, action = max(promising, key=lambda pair: pair[0], default=(0, _mildest(legal)))
    return action if worth > 0 else _mildest(legal)


def _mildest(legal: list[Entry]) -> Action:
    entry = legal[-1]
    assert not isinstance(entry, BidRange)
    return entry


class Outlook:
    """What a seat expects of the companies."""

    def __init__(self, view: View, board: Board) -> None:
        assert view.seat is not None
        self.view = view
        self.board = board
        self.own = view.players[view.seat]
        self.companies = {company.id: company for company in view.companies if company.in_play}
        self.dividends = view.end.years_left + 1
        self.edge = {company.id: self._edge(company) for company in self.companies.values()}
        self.developed = {board.hex_number[place] for place in view.developed}
        self.crowd = [0] * len(board.hex_ids)
        self.rights = [0.0] * len(board.hex_ids)
        for company in view.companies:
            for place in company.track:
                self.crowd[board.hex_number[place]] += 1
                self.rights[board.hex_number[place]] += self.edge[company.id]

    def _edge(self, company: CompanyView) -> float:
        """The part of a company's income that this player gets, above what the others get on average."""
        if not company.shares_held:
            return 0
        held = self.own.shares[company.id]
        return (held - (company.shares_held - held) / (len(self.view.players) - 1)) / company.shares_held

    # Shares

    def worth_of_share(self, company: CompanyView, price: int) -> float:
        """What one more share will earn until the end, when more shares are sold and the treasury is built up."""
        starts = [full for full, cubes in zip(self.board.full, self.crowd, strict=True) if not cubes]
        income = company.income if company.track else max(starts, default=0)
        shares = company.shares_held + 1 + DILUTION * max(company.shares_left - 1, 0)
        return self.dividends * (income + DOLLAR * (company.treasury + price)) / shares

    def worth_of_shares(self, seat: int) -> float:
        """The same for all shares that a player has."""
        shares = self.view.players[seat].shares
        return self.dividends * sum(
            shares[name]
            * (company.income + DOLLAR * company.treasury)
            / (company.shares_held + DILUTION * company.shares_left)
            for name, company in self.companies.items()
            if company.shares_held
        )

    def bid(self, legal: list[Entry]) -> Action:
        """The least bid, up to what the share is worth."""
        assert self.view.auction is not None
        company = self.companies[self.view.auction.company]
        lowest = legal[0]
        if isinstance(lowest, BidRange) and lowest.min <= self.worth_of_share(company, lowest.min):
            return Bid(lowest.min)
        return _mildest(legal)

    def worth_of_offer(self, name: str) -> float:
        """What is gained by thinning out the others' shares, and by the hope to buy the share below its worth."""
        company = self.companies[name]
        price = self.board.file.minimum_bid + RAISES
        bargain = self.worth_of_share(company, price) - price
        thinned = self.dividends * company.income / (company.shares_held + 1)
        return (bargain if self.own.cash >= price else -bargain) / 2 - thinned * self.edge[name]

    # Spaces

    def worth_of_spaces(self) -> dict[str, float]:
        """What the best use of each space is worth."""
        board, view = self.board, self.view
        on_offer = [name for name, company in self.companies.items() if company.shares_left]
        to_develop = [
            board.hex_ids[place]
            for place in numbers_in(board.developable)
            if self.rights[place] > 0 and view.markers_left and place not in self.developed
        ]
        worth = {
            "pass": 0.0,
            "develop": max(map(self.worth_of_marker, to_develop), default=0.0),
            "fund": self.dividends * DOLLAR * board.file.fund * max(self.edge.values()),
            "auction": max(map(self.worth_of_offer, on_offer), default=0.0),
        }
        expansion = self.best_expansion()[0]
        worth |= {space: expansion * cubes / WAY for space, cubes in board.expansion.items()}
        if not board.rules_for[len(view.players)].take_may_expand:
            worth["take"] = 0
        worth["take"] = max(worth["take"], board.file.take)
        return worth

    def worth_of_marker(self, name: str) -> float:
        """The income that a development brings to this player above the others."""
        place = self.board.hex_number[name]
        value = self.board.file.development
        return self.dividends * self.rights[place] * (value.full if self.crowd[place] == 1 else value.shared)

    # Expansion

    def expand(self, legal: list[Entry]) -> Action:
        """The first cube of the best expansion, or money if that is offered and worth more."""
        worth, company, place = self.best_expansion()
        cubes = [e for e in legal if isinstance(e, Build) and e.company == company and e.hex == place]
        money = [entry for entry in legal if isinstance(entry, Take)]
        if money and (not cubes or worth <= self.board.file.take):
            return money[0]
        return cubes[0] if cubes else _mildest(legal)

    def best_expansion(self) -> tuple[float, str, str]:
        return max(self.expansions(), key=lambda plan: plan[0], default=(0.0, "", ""))

    def expansions(self) -> list[tuple[float, str, str]]:
        """What the most promising expansion of each company is worth, the company and the first hex."""
        found = []
        for name, company in self.companies.items():
            if self.edge[name] > 0 and company.cubes_left:
                income, first = self._best_way(company)
                if income > 0:
                    found.append((self.dividends * income, name, first))
        return found

    def _best_way(self, company: CompanyView) -> tuple[float, str]:
        """What the best way out of a company's network brings a year; and the first hex of that way."""
        board = self.board
        front = [(board.hex_number[place], 0.0, NOWHERE) for place in company.track]
        seen = sum(1 << place for place, _, _ in front)
        links = (seen & board.link_cities).bit_count()
        best, best_first, weight = 0.0, NOWHERE, 1.0
        for _ in range(SIGHT):
            reached: dict[int, tuple[float, int]] = {}
            for place, income, first in front:
                for beside in numbers_in(board.near[place] & ~seen):
                    if beside not in reached or income > reached[beside][0]:
                        reached[beside] = (income, first)
            front = []
            for place, (income, first) in reached.items():
                seen |= 1 << place
                cost = board.costs[place][self.crowd[place] + (place in self.developed)]
                if cost == FULL or (first == NOWHERE and cost > company.treasury):
                    continue
                first = place if first == NOWHERE else first
                gain = self._gain_in_city(place, company, links) if board.is_city[place] else 0
                income += weight * (gain - DOLLAR * cost * self.edge[company.id])
                front.append((place, income, first))
                if income > best:
                    best, best_first = income, first
            weight *= LATER
        return best, "" if best_first == NOWHERE else board.hex_ids[best_first]

    def _gain_in_city(self, place: int, company: CompanyView, links: int) -> float:
        """The income that a cube brings this player above the others; a company alone there loses by sharing."""
        board = self.board
        marker = board.file.development
        developed = 1.0 if place in self.developed else UNDEVELOPED if board.developable >> place & 1 else 0
        alone = board.full[place] + developed * marker.full
        shared = board.shared[place] + developed * marker.shared
        income = shared if self.crowd[place] else alone
        if board.link_cities >> place & 1:
            income += board.file.links.income_per_pair * links
        gain = self.edge[company.id] * income
        return gain - self.rights[place] * (alone - shared) if self.crowd[place] == 1 else gain
