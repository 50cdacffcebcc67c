"""When a tournament may stop: pure rules on the finished seed groups, in the order of the schedule.

Order matters here, so only the unbroken run of finished groups from the first one counts; then the verdict is the same
however the games were spread over workers, and looking more often does not change it.

- `Better` bets on each group. A player who bets a part of his money on "X is better" gains nothing on average if X is
  not, whatever the distribution of the groups' results; so his money grows by the factor 1 / alpha with a chance of at
  most alpha, however often one looks (Ville). The stake is fixed before the group from those before it. For small
  differences this is Wald's sequential test, without its need for a known distribution.
- `TopSettled` compares the gaps between neighbours on the rating list with a normal-mixture boundary (Robbins), which
  holds at all times together, shared out over all pairs and widened by Student's t for few groups.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from rails_cli.tournament.estimates import normal_part, student_tail
from rails_cli.tournament.forfeits import is_valid, without_absent
from rails_cli.tournament.model import Played
from rails_cli.tournament.plackett_luce import fit
from rails_cli.tournament.ratings import Gap, gap
from rails_cli.tournament.standings import beaten_share, rankings_of, score_share, win_share

Measure = Literal["ahead", "beaten", "wins", "score"]
"""What is compared, X less Y: how often X comes in ahead of Y in their common games (less one half); the share of
opponents beaten; the share of wins; the share of the points. Two who never meet need one of the latter."""
Chance = Annotated[float, Meta(gt=0, lt=0.5)]

LOOKS = 1.1  # from look to look of `TopSettled` the groups grow by this factor
TUNED_FOR = 100  # groups at which the boundary of `TopSettled` is tightest

REACH = {"ahead": 0.5, "beaten": 1.0, "wins": 1.0, "score": 1.0}  # the largest difference of a measure
_STAKE = 0.9  # the largest part of the money that one group may cost
_PRIOR_GROUPS = 2  # the weight of the spread assumed before there is any


class FixedGames(msgspec.Struct, frozen=True, tag="games", forbid_unknown_fields=True):
    """Stop when so many games are finished; groups are played to their end."""

    games: Annotated[int, Meta(ge=1)]


class TimeBudget(msgspec.Struct, frozen=True, tag="time", forbid_unknown_fields=True):
    """Start no group after this time."""

    seconds: Annotated[float, Meta(gt=0)]


class Better(msgspec.Struct, frozen=True, tag="better", forbid_unknown_fields=True):
    """Stop when it is known whether X is better than Y, or than the field.

    If it is not better at all, it is called better with a chance of at most `alpha`; if it is better by `by` or more,
    it is called not better with a chance of at most `beta`.
    """

    entrant: str
    than: str | None = None
    """Nobody: the field, that is, the opponents it meets."""
    by: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    measure: Measure = "ahead"
    alpha: Chance = 0.05
    beta: Chance = 0.05


class TopSettled(msgspec.Struct, frozen=True, tag="top", forbid_unknown_fields=True):
    """Stop when the order of the best `top` entrants is known; it is wrong with a chance of at most `alpha`."""

    top: Annotated[int, Meta(ge=1)]
    alpha: Chance = 0.05


Rule = FixedGames | TimeBudget | Better | TopSettled


class Verdict(msgspec.Struct, frozen=True):
    """What a rule says."""

    is_over: bool
    answer: Literal["", "reached", "better", "not_better", "settled"]
    groups: int
    """How many groups, from the first, the answer rests on."""
    text: str
    figures: dict[str, float] = {}


class Evidence(msgspec.Struct, frozen=True):
    """What the groups so far say about a `Better`: sums, and the logarithms of the money of two betters."""

    groups: int = 0
    total: float = 0.0
    squares: float = 0.0
    for_better: float = 0.0
    """Of the one who bets that X is better; in favour at `log(1 / alpha)`."""
    for_not_better: float = 0.0
    """Of the one who bets that X is not better by as much as asked; at `log(1 / beta)`."""
    answer: Literal["", "better", "not_better"] = ""


# X better than Y


def difference(group: Iterable[Played], rule: Better) -> float | None:
    """How much better X did than Y, or than the field, in one group; nothing if the group does not tell."""
    own: list[float] = []
    rivals: list[float] = []
    for game in map(without_absent, filter(is_valid, group)):
        if rule.than is None and rule.entrant not in game.seating:
            continue
        mine = [seat for seat, name in enumerate(game.seating) if name == rule.entrant]
        theirs = [
            seat
            for seat, name in enumerate(game.seating)
            if (name == rule.than if rule.than is not None else name != rule.entrant)
        ]
        if rule.measure == "ahead":
            own += [_ahead(game.ranks, one, other) for one in mine for other in theirs]
            rivals += [0.5 for _ in mine for _ in theirs]
        else:
            own += [_value(game, seat, rule.measure) for seat in mine]
            rivals += [_value(game, seat, rule.measure) for seat in theirs]
    if not own or not rivals:
        return None
    return math.fsum(own) / len(own) - math.fsum(rivals) / len(rivals)


def _ahead(ranks: Sequence[int], one: int, other: int) -> float:
    return 1.0 if ranks[one] < ranks[other] else 0.5 if ranks[one] == ranks[other] else 0.0


def _value(game: Played, seat: int, measure: Measure) -> float:
    if measure == "beaten":
        return beaten_share(game.ranks, seat)
    if measure == "wins":
        return win_share(game.ranks, seat)
    return score_share(game.scores, seat)


def weigh(rule: Better, evidence: Evidence, value: float) -> Evidence:
    """The evidence with one more group; once there is an answer, it stays."""
    if evidence.answer:
        return evidence
    reach = REACH[rule.measure]
    stake = stake_on(rule.by, _spread(evidence, reach), reach)
    counter_stake = stake_on(rule.by, _spread(evidence, reach), reach - rule.by)
    for_better = evidence.for_better + math.log1p(stake * value)
    for_not_better = evidence.for_not_better + math.log1p(counter_stake * (rule.by - value))
    answer: Literal["", "better", "not_better"] = ""
    if for_better >= -math.log(rule.alpha):
        answer = "better"
    elif for_not_better >= -math.log(rule.beta):
        answer = "not_better"
    return Evidence(
        evidence.groups + 1,
        evidence.total + value,
        evidence.squares + value * value,
        for_better,
        for_not_better,
        answer,
    )


def stake_on(by: float, variance: float, loss: float) -> float:
    """The stake under which money grows fastest if the mean is `by`; `loss` is the most that a group may take."""
    return min(by / (variance + by * by), _STAKE / loss)


def _spread(evidence: Evidence, reach: float) -> float:
    """The variance of the groups before, with that of an even spread over half the reach as a start."""
    prior = reach * reach / 12
    if evidence.groups == 0:
        return prior
    squares = max(0.0, evidence.squares - evidence.total**2 / evidence.groups)
    return (prior * _PRIOR_GROUPS + squares) / (_PRIOR_GROUPS + evidence.groups)


def verdict_of(rule: Better, evidence: Evidence, groups: int) -> Verdict:
    """The evidence after so many groups in words."""
    rival = rule.than or "the field"
    if evidence.answer == "better":
        text = f"{rule.entrant} is better than {rival}"
    elif evidence.answer == "not_better":
        text = f"{rule.entrant} is not better than {rival} by {rule.by:g}"
    else:
        text = f"not known yet whether {rule.entrant} is better than {rival} by {rule.by:g}"
    figures = {
        "mean": evidence.total / evidence.groups if evidence.groups else 0.0,
        "for_better": evidence.for_better,
        "for_better_needed": -math.log(rule.alpha),
        "for_not_better": evidence.for_not_better,
        "for_not_better_needed": -math.log(rule.beta),
    }
    return Verdict(bool(evidence.answer), evidence.answer, groups, text, figures)


# The order of the top


def is_look(groups: int) -> bool:
    """Whether the order of the top is looked at after so many groups."""
    return groups == next_look(groups - 1)


def next_look(groups: int) -> int:
    """The number of groups at the next look after so many."""
    look = 2
    while look <= groups:
        look = max(look + 1, math.ceil(look * LOOKS))
    return look


def boundary(groups: int, chance: float) -> float:
    """How many standard errors a mean may be off at any time with this chance, both sides together."""
    share = -2 * math.log(chance)
    pace = groups * (share + math.log(share + 1)) / TUNED_FOR
    errors = math.sqrt((pace + 1) / pace * (math.log(pace + 1) + share))
    return student_tail(normal_part(-errors), groups - 1)


def pair_chance(rule: TopSettled, entrants: int) -> float:
    """The chance of error that each pair may take of the whole; which pairs will be neighbours is not known before."""
    return rule.alpha / max(1, entrants * (entrants - 1) // 2)


def least_groups(chance: float) -> int:
    """Groups that a fair coin lets all say the same, either way, with half this chance."""
    return math.ceil(2 - math.log2(chance))


def is_apart(ahead: Gap, chance: float) -> bool:
    """Whether one is ahead of another for sure, but for this chance.

    Even if every group says the same, it takes as many of them as heads in a row to doubt a coin.
    """
    if ahead.groups < least_groups(chance):
        return False
    return ahead.is_open or ahead.points > boundary(ahead.groups, chance) * ahead.error


def judge_top(rule: TopSettled, groups: Sequence[Sequence[Played]], entrants: Sequence[str]) -> Verdict:
    """The verdict at a look, on all groups so far, given all who take part."""
    fitted = fit(ranking for group in groups for ranking in rankings_of(group))
    missing = sorted(set(entrants) - set(fitted.names))
    if missing:
        return Verdict(False, "", len(groups), f"not settled yet: {', '.join(missing)} have not played")
    names = fitted.order()
    chance = pair_chance(rule, len(names))
    together = []
    for first, second in list(pairwise(names))[: rule.top]:
        ahead = gap(fitted, first, second)
        if ahead is None or not is_apart(ahead, chance):
            together.append(f"{first} and {second}")
    if together:
        return Verdict(False, "", len(groups), f"not settled yet: {', '.join(together)}")
    return Verdict(True, "settled", len(groups), f"the order is settled: {', '.join(names[: rule.top])}")
