"""Judgements of moves as sentences. The texts of each game are in its `Face`, a collection of texts."""

from collections.abc import Sequence
from math import floor, log10
from typing import Any

from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.choices import words_of
from rails_cli.games.faces.phrases import count_phrase, dollars, gerund, listed, with_capital
from rails_cli.games.shared.text import printable
from rails_cli.protocol.common import Bid
from rails_cli.study.analysis.bidding import Lot, is_auction, least_bid
from rails_cli.study.analysis.judging import FEWEST, Judgement, percents
from rails_cli.study.playback.recorded import Recorded

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
YOU = "you"
ALL_OPEN = "with all hands open"
"""Label of chances of winning that are computed with hidden information."""
MISTAKE = 0.03
"""A move is called a mistake if it loses at least this chance of winning (from 0 to 1), compared with the best move."""


def about(money: float, unit: int) -> str:
    """Format money, rounded to two digits and to a multiple of `unit`. Return an empty string if it rounds to 0."""
    known = 10 ** max(0, floor(log10(max(money, 1))) - 1)
    step = unit * max(1, known // unit)
    amount = step * round(money / step)
    return dollars(amount) if amount else ""


def percent(chance: float) -> str:
    return f"{percents(chance)}%"


class MoveDescriber:
    """A describer of the judged moves of a game. Sentences address the player in seat `you`, if any, as "you"."""

    def __init__(self, recorded: Recorded, you: int | None = None) -> None:
        self.recorded = recorded
        self.names = [YOU if seat == you else name for seat, name in enumerate(recorded.names)]
        self.taken_over = recorded.taken_over()
        self.unit = recorded.face.money_unit(recorded.board)
        self.auctions = recorded.face.auctions((moment.number, moment.events) for moment in recorded.moments)

    # The player

    def is_substitute(self, judged: Judgement) -> bool:
        return judged.first in self.taken_over.get(judged.seat, ())

    def mover(self, judged: Judgement) -> str:
        name = self.names[judged.seat]
        return f"{_possessive(name)} substitute" if self.is_substitute(judged) else name

    def loss_of_seat(self, seat: int) -> str:
        """Return a sentence which says that the player of `seat` lost the seat through faults."""
        number = self.taken_over[seat].start
        faults = sum(fault.seat == seat and fault.number <= number for fault in self.recorded.all_faults())
        return f"{self.names[seat]} lost its seat ({count_phrase(faults, 'fault')}); a substitute played on."

    # The move

    def played(self, judged: Judgement) -> str:
        """Describe the played move, for example as "building the PRR to Pittsburgh"."""
        return self.doing(judged, judged.played, is_played=True)

    def other(self, judged: Judgement) -> str:
        return self.doing(judged, judged.other, is_played=False)

    def doing(self, judged: Judgement, actions: Sequence[Any], *, is_played: bool) -> str:
        decision = self.decision(judged)
        if is_auction(decision.legal):
            return printable(self.bidding(judged, decision, actions[0], is_played=is_played))
        return printable(move_in_words(decision, actions))

    def decision(self, judged: Judgement) -> Decision:
        recorded = self.recorded
        state = recorded.moments[judged.first - 1].state
        ahead = LocalLookahead(recorded.game, recorded.board, state, judged.seat)
        return decision_at(ahead, recorded.game, recorded.face, recorded.wire_board, recorded.board, self.names)

    def bidding(self, judged: Judgement, decision: Decision, action: Any, *, is_played: bool) -> str:
        auction = self.auction_at(judged.first)
        share = "this" if auction is None else self.share(auction)
        if type(action) is Bid:
            is_paid = is_played and self.has_paid(judged)
            return f"{'paying' if is_paid else 'bidding'} {dollars(action.amount)} for {share}"
        return f"passing at {dollars(least_bid(decision.legal))} for {share}"

    def has_paid(self, judged: Judgement) -> bool:
        """Return whether the played move was the winning bid of an auction."""
        auction, action = self.auction_at(judged.first), judged.played[0]
        won = auction is not None and auction.buyer == judged.seat and auction.price
        return type(action) is Bid and won == action.amount

    def auction_at(self, number: int) -> Auction | None:
        """Return the auction to which action `number` belongs, or None if it is not part of an auction."""
        for auction in self.auctions:
            if auction.start < number <= (self.recorded.last if auction.end is None else auction.end):
                return auction
        return None

    def share(self, auction: Auction) -> str:
        """Return a name of the auctioned share, such as "the third NYC share"."""
        sold = sum(
            one.buyer is not None
            for one in self.auctions
            if one.company == auction.company and one.start < auction.start
        )
        number = f"{ORDINALS[sold]} " if sold < len(ORDINALS) else ""
        return f"the {number}{auction.company} share"

    # The value

    def mistake(self, judged: Judgement) -> str:
        name, cost = self.mover(judged), self.amount(judged.loss)
        left = self._instead(judged, judged.seat)
        seen = f", as {name} saw it," if self.recorded.game.has_secrets else ""
        lost = (
            f"cost {name} about {cost} and left {'your' if name == YOU else 'the'} chance of winning{seen} at {left}"
            if cost
            else f"left {_possessive(name)} chance of winning{seen} at {left}"
        )
        return f"{with_capital(self.played(judged))} {lost}{self._gift(judged)}. {with_capital(self.why(judged))}."

    def _instead(self, judged: Judgement, seat: int) -> str:
        return f"{percent(judged.after.chances[seat])} instead of {percent(judged.instead.chances[seat])}"

    def _gift(self, judged: Judgement) -> str:
        """Return text that names the player who gained by a mistake, if the gain clearly exceeds the mover's loss.

        Otherwise return an empty string.
        """
        gains = [after - instead for after, instead in zip(judged.after.chances, judged.instead.chances, strict=True)]
        seat = max(range(len(gains)), key=lambda one: gains[one])
        is_large = gains[seat] >= judged.chance_lost + MISTAKE
        whose = "yours" if self.names[seat] == YOU else _possessive(self.names[seat])
        return f", and {whose} at {self._instead(judged, seat)}" if is_large else ""

    def why(self, judged: Judgement) -> str:
        """Return text which says that the alternative was better. In an auction, add the worth of the share."""
        better = f"{self._shortly(judged)} was better"
        if judged.worths is None:
            return better
        action, other = judged.played[0], judged.other[0]
        lot = Lot(judged.seat, judged.worths, least=0, spread=0)
        if type(action) is not Bid:
            if lot.next_worth < lot.worth:
                return f"{better}; the share was worth {self.worths(judged)}"
            return f"{better}; {self.names[lot.rival]} would have gone up to {dollars(lot.next_worth)}"
        if type(other) is Bid and max(other.amount, lot.next_worth + 1) <= lot.worth:
            return f"{better}; nobody else would have gone beyond {dollars(max(other.amount, lot.next_worth))}"
        return f"the share was worth {self.worths(judged)}"

    def _shortly(self, judged: Judgement) -> str:
        """Return a short description of the better move of `judged`. In an auction, leave out the name of the share."""
        other = judged.other[0]
        if judged.worths is not None:
            return f"bidding {dollars(other.amount)}" if type(other) is Bid else "passing"
        return self.other(judged)

    def worths(self, judged: Judgement) -> str:
        """Return text that lists the worth of a share to the bidder and to the other seats in the auction."""
        assert judged.worths is not None
        worths = judged.worths
        seats = [seat for seat, worth in enumerate(worths) if worth or seat == judged.seat]
        seats.sort(key=lambda seat: (seat != judged.seat, -(worths[seat] or 0)))
        if len(seats) > 1 and len({worths[seat] for seat in seats}) == 1:
            return f"{dollars(worths[judged.seat] or 0)} to {listed([self.names[seat] for seat in seats])} alike"
        return listed([f"{dollars(worths[seat] or 0)} to {self.names[seat]}" for seat in seats])

    def amount(self, money: float) -> str:
        """Format an estimated amount of money. Return an empty string if the amount is too small to matter."""
        return about(money, self.unit)

    def swing(self, judged: Judgement, before: Sequence[float], then: Sequence[float]) -> str:
        """Return a sentence about the seat whose chance of winning changed most by a move that was not a mistake.

        `before` and `then` are the chances of each seat before and after the move.
        """
        changes = [percents(abs(new - old)) for old, new in zip(before, then, strict=True)]
        whose = max(range(len(changes)), key=lambda seat: (changes[seat], seat == judged.seat))
        name = self.mover(judged)
        way = "raised" if then[whose] > before[whose] else "cut"
        own = "your own" if name == YOU else "their own"
        whom = own if whose == judged.seat else _possessive(self.names[whose])
        change = f"from {percent(before[whose])} to {percent(then[whose])}"
        if self.recorded.game.has_secrets:
            change += f" ({ALL_OPEN})"
        if whose == judged.seat and way == "cut":
            fall = f"took {_possessive(name)} own chance of winning {change}"
            return f"{with_capital(self.played(judged))} {fall}, yet nothing clearly better was available."
        return f"By {self.played(judged)}, {name} {way} {whom} chance of winning {change}."

    def verdict(self, judged: Judgement) -> list[str]:
        if judged.chance_lost >= FEWEST:
            lines = [self.mistake(judged)]
        elif judged.other and judged.edge >= FEWEST:
            worse = f"{self._shortly(judged)} would have been worse by {percent(judged.edge)}"
            lines = [f"{with_capital(self.played(judged))} was the best move: {worse}."]
        else:
            lines = [f"{with_capital(self.played(judged))} was as good as any other move."]
        if judged.worths is not None and judged.chance_lost < FEWEST:
            lines.append(f"The share was worth {self.worths(judged)}.")
        seen = f", as {self.mover(judged)} could see it" if self.recorded.game.has_secrets else ""
        return [*lines, f"Chances of winning{seen}: {self.chances(judged.after.chances)}."]

    # All decisions

    def line(self, judged: Judgement, *, opens_auction: bool) -> str:
        """Return one line about a move: the player, the move, and a better alternative if there was one.

        If `opens_auction`, the move is the first of an auction, and the line also says what the share was worth.
        """
        who = self.mover(judged)
        parts = [f"{with_capital(who) if self.names[judged.seat] == YOU else who}: {self.played(judged)}"]
        if judged.chance_lost >= FEWEST:
            cost = self.amount(judged.loss)
            gain = f"was better by about {cost}" if cost else "was better"
            points = count_phrase(percents(judged.chance_lost), "point")
            parts.append(f"{self._shortly(judged)} {gain}, with a chance of winning {points} higher")
        if judged.worths is not None and (opens_auction or judged.chance_lost >= MISTAKE):
            parts.append(f"it was worth {self.worths(judged)}")
        return "; ".join(parts)

    def chances(self, chances: Sequence[float]) -> str:
        return ", ".join(f"{name} {percent(chance)}" for name, chance in zip(self.names, chances, strict=True))


def move_in_words(decision: Decision, actions: Sequence[Any]) -> str:
    """Describe the actions of one move, other than a bid, in the gerund, such as "building the PRR to Pittsburgh"."""
    deeds = decision.face.instructions
    return listed([*map(gerund, deeds(decision, actions))]) if deeds else _in_turn(decision, actions)


def _in_turn(decision: Decision, actions: Sequence[Any]) -> str:
    """Describe each action by its text in the list of choices, for games without descriptions of moves."""
    parts = []
    asked: Decision | None = decision
    for action in actions:
        if asked is None:
            break
        parts.append(words_of(asked, action))
        asked = asked.after(action)
    return f"choosing to {', then '.join(parts)}"


def _possessive(name: str) -> str:
    return "your" if name == YOU else f"{name}'s"
