"""The greedy player of Chicago Express: a dollar of income counts by the dividends still to come and by whose it is.

It bids what a share will earn, and expands and develops where its own part of a company is greater than the others'.
"""

from collections.abc import Iterable

from protocol.chicago_express import Action, Build, Choose, Company, Develop, Entry, Offer, View
from protocol.common import Bid, BidRange
from rails_cli.games.chicago_express.board import NOWHERE, Board

DOLLAR = 0.12  # the income that a dollar in a treasury is hoped to become
DILUTION = 0.7  # the part of a company's unsold shares that is expected to be sold
RAISES = 3  # how much the price of a share is expected to rise above its minimum
UNDEVELOPED = 0.4  # what counts of a hex's development that is still to come
LATER = 0.7  # what income counts that is one hex further away
SIGHT = 5  # how many hexes ahead an expansion looks


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """The bid, the action or the place that promises most; the mildest answer if nothing promises anything."""
    outlook = Outlook(view, board)
    assert view.question is not None
    question = view.question.asks
    if question == "bid_or_pass":
        return outlook.bid(legal)
    if question == "expand":
        return outlook.expand(legal, view.question.company)
    if question == "choose_action":
        worth_of_action = outlook.worth_of_actions()
        return _best(((worth_of_action[entry.action], entry) for entry in legal if isinstance(entry, Choose)), legal)
    if question == "offer_share":
        return _best(((outlook.worth_of_offer(o.company), o) for o in legal if isinstance(o, Offer)), legal)
    return _best(((outlook.worth_of_development(d.hex), d) for d in legal if isinstance(d, Develop)), legal)


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
        self.companies = {company.id: company for company in view.companies}
        self.dividends = self._dividends_left()
        self.edge = {company.id: self._edge(company) for company in view.companies}

    def _dividends_left(self) -> float:
        """General dividends until the end, if auctions and developments go on as fast as the dials allow."""
        view = self.view
        red_at = {dial.action: dial.red_at for dial in view.dials}
        after_next = []
        for condition in view.end_conditions:
            steps = abs(condition.limit - condition.now)
            if condition.reason == "detroit_full":
                after_next.append(float(steps))
            elif condition.reason == "houses_out":
                after_next.append(steps / red_at["develop"])
            elif condition.reason == "shares_out":
                to_sell = sorted(company.shares_left for company in view.companies if company.minimum_bid is not None)
                if len(to_sell) >= steps:
                    after_next.append(sum(to_sell[:steps]) / red_at["auction"])
        return 1 if any(condition.is_met for condition in view.end_conditions) else 1 + min(after_next)

    def _edge(self, company: Company) -> float:
        """The part of a company's income that this player gets, above what the others get on average."""
        if not company.shares_sold:
            return 0
        held = self.own.shares[company.id]
        return (held - (company.shares_sold - held) / (len(self.view.players) - 1)) / company.shares_sold

    # Shares

    def worth_of_share(self, company: Company, price: int) -> float:
        """What one more share will earn until the end, when more shares are sold and the treasury is built up."""
        income = company.income + DOLLAR * (company.treasury + price)
        return self.dividends * income / (company.shares_sold + 1 + DILUTION * (company.shares_left - 1))

    def worth_of_shares(self, seat: int) -> float:
        """The same for all shares that a player has."""
        shares = self.view.players[seat].shares
        return self.dividends * sum(
            shares[company.id]
            * (company.income + DOLLAR * company.treasury)
            / (company.shares_sold + DILUTION * company.shares_left)
            for company in self.view.companies
            if company.shares_sold
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
        price = (company.minimum_bid or 0) + RAISES
        bargain = self.worth_of_share(company, price) - price
        thinned = self.dividends * company.income / (company.shares_sold + 1)
        return (bargain if self.own.cash >= price else -bargain) / 2 - thinned * self.edge[name]

    # Actions

    def worth_of_actions(self) -> dict[str, float]:
        """What the best use of each action is worth."""
        on_offer = [company.id for company in self.view.companies if company.minimum_bid is not None]
        built = [place for company in self.view.companies if self.edge[company.id] > 0 for place in company.track]
        return {
            "auction": max(map(self.worth_of_offer, on_offer), default=0.0),
            "expand": self._best_expansion(None)[0],
            "develop": max(map(self.worth_of_development, built), default=0.0),
        }

    def worth_of_development(self, place: str) -> float:
        """The income that a development brings to this player above the others."""
        step = self._development(self.board.hex_number[place])
        edge = sum(self.edge[company.id] for company in self.view.companies if place in company.track)
        return self.dividends * step * edge

    def _development(self, place: int) -> float:
        """The income that each company in a hex gains when it is developed; 0 if it cannot be."""
        board = self.board
        scale = board.scale_of[place]
        if scale != NOWHERE:
            now = self.view.scales[scale]
            return 0 if scale == board.detroit or now.next_value is None else now.next_value - now.value
        if self.view.houses_left and board.house_hexes >> place & 1 and board.hex_ids[place] not in self.view.developed:
            return board.develop[place] + DOLLAR * board.develop_cash[place]
        return 0

    # Expansion

    def expand(self, legal: list[Entry], only: str | None) -> Action:
        """The first hex of the best expansion."""
        _, company, place = self._best_expansion(only)
        for entry in legal:
            if isinstance(entry, Build) and entry.company == company and entry.hex == place:
                return entry
        return _mildest(legal)

    def _best_expansion(self, only: str | None) -> tuple[float, str, str]:
        return max(self.expansions(only), key=lambda plan: plan[0], default=(0.0, "", ""))

    def expansions(self, only: str | None) -> list[tuple[float, str, str]]:
        """What the most promising expansion of each company is worth, the company and the first hex."""
        crowd = [0] * len(self.board.hex_ids)
        for company in self.view.companies:
            for place in company.track:
                crowd[self.board.hex_number[place]] += 1
        found = []
        for company in self.view.companies:
            edge = self.edge[company.id]
            if only in (None, company.id) and edge > 0 and company.locomotives_left and self.own.shares[company.id]:
                income, first = self._best_way(company, crowd)
                if income > 0:
                    found.append((self.dividends * edge * income, company.id, first))
        return found

    def _best_way(self, company: Company, crowd: list[int]) -> tuple[float, str]:
        """The income along the best way out of a company's network, less its cost; and the first hex of that way."""
        board = self.board
        front = [(board.hex_number[place], 0.0, NOWHERE) for place in company.track]
        seen = sum(1 << place for place, _, _ in front)
        best, best_first, weight = 0.0, NOWHERE, 1.0
        for _ in range(SIGHT):
            reached: dict[int, tuple[float, int]] = {}
            for place, income, first in front:
                for beside, bit in board.beside[place]:
                    if not seen & bit and (beside not in reached or income > reached[beside][0]):
                        reached[beside] = (income, first)
            front = []
            for place, (income, first) in reached.items():
                seen |= 1 << place
                cost = board.costs[place][crowd[place]]
                if cost is None or (first == NOWHERE and cost > company.treasury):
                    continue
                first = place if first == NOWHERE else first
                income += weight * (self._worth_of_hex(place) - DOLLAR * cost)
                front.append((place, income, first))
                if income > best:
                    best, best_first = income, first
            weight *= LATER
        return best, "" if best_first == NOWHERE else board.hex_ids[best_first]

    def _worth_of_hex(self, place: int) -> float:
        """The income of a locomotive there now, and some of what development would add."""
        board = self.board
        scale = board.scale_of[place]
        if scale != NOWHERE:
            return self.view.scales[scale].value + UNDEVELOPED
        built = board.hex_ids[place] in self.view.developed
        return board.income[place] + board.develop[place] * (1 if built else UNDEVELOPED)
