"""The seed groups (games with one seed) of a tournament in schedule order, and the evaluation of stopping rules.

Rules are evaluated in schedule order. This order does not depend on when and where games are played. So an interrupted
tournament ends like an uninterrupted one.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

import msgspec

from rails_cli.tournament.model import PlayedGame, SeedGroup
from rails_cli.tournament.rating.copies import CopyFinder
from rails_cli.tournament.rating.forfeits import SuspensionTracker, is_valid
from rails_cli.tournament.schedule.evidence import ShownEvidence, shown_evidence
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.stopping_rules import (
    Better,
    Evidence,
    FixedGames,
    PairEvidence,
    Rule,
    TokenBudget,
    TopSettled,
    Verdict,
    differences,
    judge_top,
    verdict_of,
    weigh,
)

MAX_VOID_GROUPS = 20
"""Number of consecutive seed groups without a result, after which the tournament ends.

This limit applies if the plan has stopping rules. With a rule about strength (`Better` or `TopSettled`), the same
number of consecutive copies of other seed groups also ends the tournament. If a cycle (`Format.cycle`) has more seed
groups than this number, a whole cycle of copies is needed.
"""


class ScheduledGroup(msgspec.Struct, frozen=True):
    """A seed group (the games with one seed and setting) with its position in the schedule."""

    number: int
    """Position of the seed group in the schedule, from 0."""
    id: str
    group: SeedGroup


class GroupSequence:
    """The seed groups of a tournament in schedule order, and the results of the finished ones."""

    def __init__(self, schedule: Format, history: Sequence[tuple[str, list[PlayedGame]]] = ()) -> None:
        """Start with the seed groups in `history`. All other seed groups of `schedule` follow.

        `history` has the ids and games of the seed groups that already counted when entrants last joined or left.
        """
        self.schedule = schedule
        self.order = [group for group, _ in history]
        """Ids of all seed groups that were returned by `take` or are in `history`."""
        self.finished = [games for _, games in history]
        """Games of the finished seed groups before the first unfinished one, in schedule order.

        A seed group has the games with one seed.
        """
        self.suspensions = SuspensionTracker()
        """Suspensions that follow from the games in `finished`.

        They apply to all later seed groups.
        """
        self.suspended_after: dict[str, int] = {}
        """Mapping from the name of a suspended entrant to a number of seed groups.

        The number says how many were finished at the suspension.
        """
        self._settled: dict[str, Set[str]] = {}
        """Mapping from the id of a seed group in `history` to names of entrants.

        These entrants were suspended before the seed group.
        """
        for group, games in history:
            self._settled[group] = frozenset(self.suspensions.suspended)
            self.suspensions.add_games(games)
        self._note_suspended(len(history))
        self.is_over = False
        """Whether the format has no more seed groups to play."""
        self._most = schedule.length().groups_most
        self._results: dict[str, list[PlayedGame]] = {}
        self._open: dict[str, ScheduledGroup] = {}
        """Seed groups by id: those that `take` has returned but that are not in `finished`."""
        self._given = 0
        self._passed = 0
        """Number of seed groups that `take` has skipped because they are in `history`."""
        self._wave = schedule.groups({})
        self._wave_given = 0

    def take(self) -> ScheduledGroup | None:
        """Return the next seed group to play.

        Return None if none is left, or if earlier results are needed first.
        """
        while not self.is_over:
            group = next(self._wave, None)
            if group is not None and group.id in self._settled:
                self._passed += 1
                continue
            if group is not None:
                given = ScheduledGroup(len(self.order), group.id, group)
                self.order.append(given.id)
                self._open[given.id] = given
                self._given += 1
                self._wave_given += 1
                return given
            if len(self._results) < self._given:
                return None
            self.is_over = self._wave_given == 0 or self._given + self._passed == self._most
            if not self.is_over:
                self._wave = self.schedule.groups(dict(self._results))
                self._wave_given = 0
        return None

    def finish(self, group: str, games: list[PlayedGame]) -> None:
        """Record the games of a seed group that was returned by `take`."""
        self._results[group] = games
        while len(self.finished) < len(self.order):
            upcoming = self.order[len(self.finished)]
            following = self._results.get(upcoming)
            if following is None or self.is_stale(upcoming, following):
                return
            del self._open[upcoming]
            self.finished.append(following)
            self.suspensions.add_games(following)
            self._note_suspended(len(self.finished))

    def _note_suspended(self, groups: int) -> None:
        for name in self.suspensions.suspended:
            self.suspended_after.setdefault(name, groups)

    def suspended_in(self, group: str) -> Set[str]:
        """Return the names of the suspended entrants, which do not play in the games of `group`.

        `group` is the id of a seed group. If it is in `history`, these are the entrants suspended before it. Otherwise,
        these are the entrants suspended now.
        """
        return self._settled.get(group, self.suspensions.suspended.keys())

    def is_stale(self, group: str, games: Sequence[PlayedGame]) -> bool:
        """Return whether the seed group `group` must be played again.

        This is necessary if an entrant that took part in its `games` is suspended now.
        """
        return group not in self._settled and self.suspensions.is_stale(games)

    def drop_stale(self) -> list[ScheduledGroup]:
        """Remove and return the seed groups that must be played again.

        An entrant played in each of them, but is suspended now.
        """
        stale = [given for given in self._open.values() if self.is_stale(given.id, self._results.get(given.id, ()))]
        for given in stale:
            del self._results[given.id]
        return stale


class StoppingCheck:
    """An evaluation of the stopping rules of a tournament, except time limits, after each finished seed group.

    A seed group has the games with one seed.
    """

    def __init__(self, rules: Sequence[Rule], entrants: Sequence[str], cycle: int, first: int = 0) -> None:
        """Create a check of `rules`.

        The rules about strength are `Better` and `TopSettled`. They are evaluated after `first` seed groups (games with
        one seed), and then after each `cycle` further seed groups. If `first` is 0, the first evaluation is after
        `cycle` seed groups.
        """
        self.rules = rules
        self.entrants = entrants
        self.cycle = cycle
        self._ends: list[int] = []
        """For each past evaluation of `Better` and `TopSettled` rules, the number of seed groups finished before it.

        A seed group has the games with one seed.
        """
        self.judged_next = first or cycle
        """Number of finished seed groups at the next evaluation of `Better` and `TopSettled`."""
        self.seen = 0
        self.games = 0
        self.tokens = 0
        """Number of tokens that bots have reported in the seed groups evaluated so far."""
        self.barren = 0
        self.repeated = 0
        """Number of seed groups since the last one that is not a copy of another one."""
        self._copies = CopyFinder()
        self.groups: list[Sequence[PlayedGame]] = []
        """Games of the seed groups evaluated so far.

        A copy of another seed group has an empty list.
        """
        self.verdict: Verdict | None = None
        """The result that ends the tournament: a rule is met, or no rule can be met any more. None until then."""
        self.rule: Rule | None = None
        """The rule that is met. None if `verdict` is None, or if no rule can be met any more."""
        self.useless = "void"
        """Reason why no rule can be met any more: `void`, `copies` or `suspended`, as in `Ending.why`."""
        self.evidence = {number: Evidence() for number, rule in enumerate(rules) if isinstance(rule, Better)}
        self.cycles: dict[int, list[list[float]]] = {number: [] for number in self.evidence}
        """Mapping from the index of a `Better` rule to a list with the differences per seed in each cycle so far.

        In a cycle, each setting and table is played equally often (see `Format.cycle`).
        """
        self.judged_games = 0
        """Number of games with a result at the last evaluation of `Better` and `TopSettled` rules."""
        self._shown: tuple[int, list[ShownEvidence]] = -1, []
        self.pairs = PairEvidence()

    def update(
        self, finished: Sequence[Sequence[PlayedGame]], suspended_after: Mapping[str, int] | None = None
    ) -> None:
        """Evaluate the new items of `finished`, until a rule is met or no rule can be met any more.

        An item has the games of a seed group. `suspended_after` maps the name of a suspended entrant to the number of
        seed groups finished before the suspension. After the suspension, a comparison with this entrant can no longer
        be decided.
        """
        compared = [name for rule in self.rules if isinstance(rule, Better) for name in (rule.entrant, rule.than)]
        asks_for_strength = any(isinstance(rule, Better | TopSettled) for rule in self.rules)
        last = {name: groups for name, groups in (suspended_after or {}).items() if name in compared}
        while self.rules and self.verdict is None and self.seen < len(finished):
            group = finished[self.seen]
            self.seen += 1
            valid = sum(map(is_valid, group))
            self.games += valid
            self.tokens += sum(sum(game.tokens) for game in group)
            self.barren = 0 if valid else self.barren + 1
            self._note(finished)
            played = Verdict(True, "reached", self.seen, f"{self.games} games are played")
            fixed = [rule for rule in self.rules if isinstance(rule, FixedGames)]
            verdicts: list[tuple[Rule, Verdict]] = [(rule, played) for rule in fixed if self.games >= rule.games]
            spent = Verdict(True, "reached", self.seen, f"{self.tokens:,} tokens are used")
            limits = [rule for rule in self.rules if isinstance(rule, TokenBudget)]
            verdicts += [(rule, spent) for rule in limits if self.tokens >= rule.tokens]
            if self.seen == self.judged_next:
                verdicts += self._judge()
                self.judged_next = self.seen + self.cycle
                self.judged_games = self.games
            for rule, verdict in verdicts:
                if verdict.is_over:
                    self.verdict, self.rule = verdict, rule
                    return
            if self.barren == MAX_VOID_GROUPS:
                text = f"in the last {MAX_VOID_GROUPS} seed groups all games are void"
                self.verdict = Verdict(True, "reached", self.seen, text)
            elif self.repeated >= max(MAX_VOID_GROUPS, self.cycle) and asks_for_strength:
                text = f"the last {self.repeated} seed groups are copies of others: more games would show nothing new"
                self.useless = "copies"
                self.verdict = Verdict(True, "reached", self.seen, text)
            gone = [name for name, groups in last.items() if groups <= self.seen]
            if gone and self.verdict is None:
                self.useless = "suspended"
                self.verdict = Verdict(
                    True, "reached", self.seen, f"{gone[0]} is suspended, so no more games can decide it"
                )

    def _note(self, finished: Sequence[Sequence[PlayedGame]]) -> None:
        """Add the next seed group of `finished` to `groups`.

        The games may show that an entrant does not always play in the same way. Then some earlier seed groups no longer
        count as copies. In this case, evaluate these seed groups again.
        """
        group = finished[len(self.groups)]
        has_fewer = self._copies.add(filter(is_valid, group))
        copies = self._copies.copies
        is_copy = len(self.groups) in copies
        self.repeated = self.repeated + 1 if is_copy else 0
        self.groups.append([] if is_copy else group)
        if has_fewer:
            self.groups = [[] if number in copies else group for number, group in enumerate(finished[: self.seen])]
            self.evidence, self.pairs = dict.fromkeys(self.evidence, Evidence()), PairEvidence()
            self.cycles = {number: [] for number in self.evidence}
            self._shown = -1, []
            for start, end in pairwise([0, *self._ends]):
                self._weigh(start, end)

    def shown_evidence(self) -> list[ShownEvidence]:
        judged = self._ends[-1] if self._ends else 0
        if self._shown[0] != judged:  # estimating the number of games left takes milliseconds
            valid = [sum(map(is_valid, group)) for group in self.groups[:judged]]
            counting = sum(map(bool, valid)), sum(valid)
            shown = [
                shown_evidence(rule, self.evidence[number], self.cycles[number], judged, self.judged_games, counting)
                for number, rule in enumerate(self.rules)
                if isinstance(rule, Better)
            ]
            self._shown = judged, shown
        return self._shown[1]

    def progress_lines(self) -> list[str]:
        """Return a line about the progress of each `Better` and `FixedGames` rule."""
        fixed = [rule for rule in self.rules if isinstance(rule, FixedGames)]
        return [*map(str, self.shown_evidence()), *(f"{self.games} of {rule.games} games" for rule in fixed)]

    def _judge(self) -> Iterator[tuple[Rule, Verdict]]:
        """Add the games of the last cycle (see `Format.cycle`) to the evidence.

        Then yield each `Better` and `TopSettled` rule with its verdict.
        """
        self._weigh(self._ends[-1] if self._ends else 0, self.seen)
        self._ends.append(self.seen)
        for number, rule in enumerate(self.rules):
            if isinstance(rule, Better):
                yield rule, verdict_of(rule, self.evidence[number], self.seen)
            elif isinstance(rule, TopSettled):
                yield rule, judge_top(rule, self.pairs, self.groups, self.entrants)

    def _weigh(self, start: int, end: int) -> None:
        """Add the results of a cycle to the evidence.

        The cycle has the seed groups with numbers from `start` to `end` - 1.
        """
        games = [game for group in self.groups[start:end] for game in group]
        if any(isinstance(rule, TopSettled) for rule in self.rules):
            self.pairs.add(games)
        for number, evidence in self.evidence.items():
            rule = self.rules[number]
            assert isinstance(rule, Better)
            values = differences(games, rule)
            self.cycles[number].append(values)
            self.evidence[number] = weigh(rule, evidence, values)
