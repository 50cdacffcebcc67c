"""The groups of a tournament in schedule order, and the stopping rules along that order.

Neither depends on when and where groups are played, so an interrupted tournament ends like an uninterrupted one.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

import msgspec

from rails_cli.tournament.model import PlayedGame, SeedGroup
from rails_cli.tournament.rating.copies import Content, content_of
from rails_cli.tournament.rating.forfeits import SuspensionTracker, is_valid
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.stopping_rules import (
    Better,
    Evidence,
    FixedGames,
    PairEvidence,
    Rule,
    TopSettled,
    Verdict,
    differences,
    judge_top,
    verdict_of,
    weigh,
)

MAX_VOID_GROUPS = 20
"""Number of consecutive groups without a counting game after which stopping rules give up.

If the groups are copies of others, at least one whole cycle must pass.
"""


class ScheduledGroup(msgspec.Struct, frozen=True):
    """A group to be played."""

    number: int
    """Position of the group in the schedule."""
    id: str
    group: SeedGroup


class GroupSequence:
    """Gives out one group after another. The format is asked for more when all its groups so far are finished."""

    def __init__(
        self,
        schedule: Format,
        history: Sequence[tuple[str, list[PlayedGame]]] = (),
        settled: Sequence[tuple[str, list[PlayedGame]]] = (),
    ) -> None:
        """Start with `history`, the groups of entrants that have left a league.

        `settled` groups counted before that. They keep counting, and suspensions follow their order at that time.
        """
        self.schedule = schedule
        self.order = [group for group, _ in history]
        """The ids of all groups given so far."""
        self.finished = [games for _, games in history]
        """Games of the finished groups, from the first up to the first unfinished one."""
        self.suspensions = SuspensionTracker()
        """State after the finished groups, which decides who is suspended in later ones."""
        self.suspended_after: dict[str, int] = {}
        """Number of groups that were finished when an entrant was suspended, by name."""
        self._settled: dict[str, Set[str]] = {}
        """Names that were suspended before a settled group, by group."""
        for group, games in settled:
            self._settled[group] = frozenset(self.suspensions.suspended)
            self.suspensions.add_games(games)
        self._note_suspended(len(settled))
        self.is_over = False
        """Whether the format has no more groups."""
        self._most = schedule.length().groups_most
        self._results: dict[str, list[PlayedGame]] = {}
        self._open: dict[str, ScheduledGroup] = {}
        """Groups that were given out but are not in `finished`."""
        self._given = 0
        self._wave = schedule.groups({})
        self._wave_given = 0

    def take(self) -> ScheduledGroup | None:
        """Return the next group. Return None at the end, or if earlier groups must be finished first."""
        while not self.is_over:
            group = next(self._wave, None)
            if group is not None:
                given = ScheduledGroup(len(self.order), group.id, group)
                self.order.append(given.id)
                self._open[given.id] = given
                self._given += 1
                self._wave_given += 1
                return given
            if len(self._results) < self._given:
                return None
            self.is_over = self._wave_given == 0 or self._given == self._most
            if not self.is_over:
                self._wave = self.schedule.groups(dict(self._results))
                self._wave_given = 0
        return None

    def finish(self, group: str, games: list[PlayedGame]) -> None:
        """Record the games of a group that was given out."""
        self._results[group] = games
        while len(self.finished) < len(self.order):
            upcoming = self.order[len(self.finished)]
            following = self._results.get(upcoming)
            if following is None or self.is_stale(upcoming, following):
                return
            del self._open[upcoming]
            self.finished.append(following)
            if upcoming not in self._settled:
                self.suspensions.add_games(following)
                self._note_suspended(len(self.finished))

    def _note_suspended(self, groups: int) -> None:
        for name in self.suspensions.suspended:
            self.suspended_after.setdefault(name, groups)

    def suspended_in(self, group: str) -> Set[str]:
        """Return who is suspended in a group that is played now or is settled."""
        return self._settled.get(group, self.suspensions.suspended.keys())

    def is_stale(self, group: str, games: Sequence[PlayedGame]) -> bool:
        """Return whether a group must be played again, without an entrant that is now suspended."""
        return group not in self._settled and self.suspensions.is_stale(games)

    def drop_stale(self) -> list[ScheduledGroup]:
        """Remove the results of groups with an entrant that is now suspended.

        Return these groups, to be played again.
        """
        stale = [given for given in self._open.values() if self.is_stale(given.id, self._results.get(given.id, ()))]
        for given in stale:
            del self._results[given.id]
        return stale


class StoppingCheck:
    """Evaluates the stopping rules along the finished groups. Time limits are checked elsewhere."""

    def __init__(self, rules: Sequence[Rule], entrants: Sequence[str], cycle: int) -> None:
        """Create a check of `rules`. Those about strength are evaluated after each `cycle` groups only."""
        self.rules = rules
        self.entrants = entrants
        self.cycle = cycle
        self.seen = 0
        self.games = 0
        self.barren = 0
        self.repeated = 0
        """Number of consecutive groups that are copies."""
        self.known: set[Content] = set()
        self.groups: list[Sequence[PlayedGame]] = []
        """Groups seen so far. A copy is an empty list, because it gives no information."""
        self.verdict: Verdict | None = None
        """Verdict of the rule that was met, or None."""
        self.rule: Rule | None = None
        """The rule that was met. None if the verdict is that continuing is useless."""
        self.useless = "void"
        """Why continuing is useless, if so."""
        self.evidence = {number: Evidence() for number, rule in enumerate(rules) if isinstance(rule, Better)}
        self.pairs = PairEvidence()

    def update(
        self, finished: Sequence[Sequence[PlayedGame]], suspended_after: Mapping[str, int] | None = None
    ) -> None:
        """Evaluate the new groups one by one until a rule is met or can no longer be met.

        A comparison can no longer be met once one of its entrants is suspended. `suspended_after` gives the number of
        groups after which that happened.
        """
        compared = [name for rule in self.rules if isinstance(rule, Better) for name in (rule.entrant, rule.than)]
        last = {name: groups for name, groups in (suspended_after or {}).items() if name in compared}
        while self.rules and self.verdict is None and self.seen < len(finished):
            group = finished[self.seen]
            self.seen += 1
            valid = sum(map(is_valid, group))
            self.games += valid
            self.barren = 0 if valid else self.barren + 1
            self._note(group)
            verdicts = [(rule, self._count(rule)) for rule in self.rules]
            if self.seen % self.cycle == 0:
                verdicts += self._judge()
            for rule, verdict in verdicts:
                if verdict is not None and verdict.is_over:
                    self.verdict, self.rule = verdict, rule
                    return
            if self.barren == MAX_VOID_GROUPS:
                text = f"in the last {MAX_VOID_GROUPS} seed groups all games are void"
                self.verdict = Verdict(True, "reached", self.seen, text)
            elif self.repeated >= max(MAX_VOID_GROUPS, self.cycle) and self._asks_for_strength():
                text = f"the last {self.repeated} seed groups are copies of others: more games would show nothing new"
                self.useless = "copies"
                self.verdict = Verdict(True, "reached", self.seen, text)
            gone = [name for name, groups in last.items() if groups <= self.seen]
            if gone and self.verdict is None:
                self.useless = "suspended"
                self.verdict = Verdict(
                    True, "reached", self.seen, f"{gone[0]} is suspended, so no more games can decide it"
                )

    def _note(self, group: Sequence[PlayedGame]) -> None:
        content = content_of(filter(is_valid, group))
        is_copy = content in self.known
        self.repeated = self.repeated + 1 if is_copy else 0
        self.groups.append([] if is_copy else group)
        if content is not None:
            self.known.add(content)

    def _asks_for_strength(self) -> bool:
        return any(isinstance(rule, Better | TopSettled) for rule in self.rules)

    def progress_lines(self) -> list[str]:
        """Describe the progress of the rules."""
        said = []
        for number, rule in enumerate(self.rules):
            if isinstance(rule, Better):
                said.append(verdict_of(rule, self.evidence[number], self.seen).text)
            elif isinstance(rule, FixedGames):
                said.append(f"{self.games} of {rule.games} games")
        return said

    def _count(self, rule: Rule) -> Verdict | None:
        if isinstance(rule, FixedGames) and self.games >= rule.games:
            return Verdict(True, "reached", self.seen, f"{self.games} games are played")
        return None

    def _judge(self) -> Iterator[tuple[Rule, Verdict]]:
        """Yield the verdicts of the rules about strength after a cycle."""
        games = [game for group in self.groups[-self.cycle :] for game in group]
        if any(isinstance(rule, TopSettled) for rule in self.rules):
            self.pairs.add(games)
        for number, rule in enumerate(self.rules):
            if isinstance(rule, Better):
                self.evidence[number] = weigh(rule, self.evidence[number], differences(games, rule))
                yield rule, verdict_of(rule, self.evidence[number], self.seen)
            elif isinstance(rule, TopSettled):
                yield rule, judge_top(rule, self.pairs, self.groups, self.entrants)
