"""The groups of a tournament in the order of its schedule, and the stopping rules along that order.

Neither depends on when and where groups were played, so a tournament that was interrupted ends as one that was not.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

import msgspec

from rails_cli.tournament.copies import Content, content_of
from rails_cli.tournament.forfeits import Beginnings, is_valid
from rails_cli.tournament.model import Played, SeedGroup
from rails_cli.tournament.schedule import Format
from rails_cli.tournament.sequential import (
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

MOST_BARREN = 20
"""After so many groups in a row of which no game counts, a stopping rule is not waited for any longer; if they are
copies of others, after a whole cycle at least."""


class Given(msgspec.Struct, frozen=True):
    """A group to be played."""

    number: int
    """Its place in the order."""
    id: str
    group: SeedGroup


class Order:
    """Gives one group after another. What a format says next is asked for when all it gave before is finished."""

    def __init__(
        self,
        schedule: Format,
        history: Sequence[tuple[str, list[Played]]] = (),
        settled: Sequence[tuple[str, list[Played]]] = (),
    ) -> None:
        """`history` was played by entrants who have left, and comes first. What is `settled` counted before they left:
        who is suspended by it goes by the order of that time, and all of it goes on to count."""
        self.schedule = schedule
        self.order = [group for group, _ in history]
        """The ids of all groups so far."""
        self.finished = [games for _, games in history]
        """The games of the unbroken run of finished groups, from the first."""
        self.beginnings = Beginnings()
        """Of the finished groups: who is suspended in all that come after them."""
        self.suspended_after: dict[str, int] = {}
        """By name: how many groups were finished when somebody was suspended."""
        self._settled: dict[str, Set[str]] = {}
        """By group: who was suspended before it."""
        for group, games in settled:
            self._settled[group] = frozenset(self.beginnings.suspended)
            self.beginnings.look(games)
        self._note_suspended(len(settled))
        self.is_over = False
        """Whether the format has nothing left to give."""
        self._most = schedule.length().groups_most
        self._results: dict[str, list[Played]] = {}
        self._open: dict[str, Given] = {}
        """Given, but not among the finished."""
        self._given = 0
        self._wave = schedule.groups({})
        self._wave_given = 0

    def take(self) -> Given | None:
        """The next group; none while what was given has to be finished first, or when it is over."""
        while not self.is_over:
            group = next(self._wave, None)
            if group is not None:
                given = Given(len(self.order), group.id, group)
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

    def finish(self, group: str, games: list[Played]) -> None:
        """Notes the games of a group that was given."""
        self._results[group] = games
        while len(self.finished) < len(self.order):
            upcoming = self.order[len(self.finished)]
            following = self._results.get(upcoming)
            if following is None or self.is_stale(upcoming, following):
                return
            del self._open[upcoming]
            self.finished.append(following)
            if upcoming not in self._settled:
                self.beginnings.look(following)
                self._note_suspended(len(self.finished))

    def _note_suspended(self, groups: int) -> None:
        for name in self.beginnings.suspended:
            self.suspended_after.setdefault(name, groups)

    def suspended_in(self, group: str) -> Set[str]:
        """Who sits out a group that is played now, or was settled before."""
        return self._settled.get(group, self.beginnings.suspended.keys())

    def is_stale(self, group: str, games: Sequence[Played]) -> bool:
        """Whether a group is to be played again, without somebody who is suspended by now."""
        return group not in self._settled and self.beginnings.is_stale(games)

    def drop_stale(self) -> list[Given]:
        """Takes back the groups in which somebody plays who is suspended by now; they are to be played again."""
        stale = [given for given in self._open.values() if self.is_stale(given.id, self._results.get(given.id, ()))]
        for given in stale:
            del self._results[given.id]
        return stale


class Watch:
    """Follows the stopping rules along the unbroken run of finished groups. Time is not looked at here."""

    def __init__(self, rules: Sequence[Rule], entrants: Sequence[str], cycle: int) -> None:
        """What is known about strength is looked at after each `cycle` of so many groups."""
        self.rules = rules
        self.entrants = entrants
        self.cycle = cycle
        self.seen = 0
        self.games = 0
        self.barren = 0
        self.repeated = 0
        """So many groups in a row are copies."""
        self.known: set[Content] = set()
        self.groups: list[Sequence[Played]] = []
        """Those that were seen; a copy of another one has no games, for it says nothing."""
        self.verdict: Verdict | None = None
        """Of the rule that was met."""
        self.rule: Rule | None = None
        """None if it is of no use to go on."""
        self.useless = "void"
        """Why it is of no use, if so."""
        self.evidence = {number: Evidence() for number, rule in enumerate(rules) if isinstance(rule, Better)}
        self.pairs = PairEvidence()

    def look(self, finished: Sequence[Sequence[Played]], suspended_after: Mapping[str, int] | None = None) -> None:
        """Looks at the groups that it has not seen, one by one, until a rule is met or cannot be met any more: somebody
        it asks about is suspended after so many groups."""
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
            if self.barren == MOST_BARREN:
                text = f"in the last {MOST_BARREN} seed groups all games are void"
                self.verdict = Verdict(True, "reached", self.seen, text)
            elif self.repeated >= max(MOST_BARREN, self.cycle) and self._asks_for_strength():
                text = f"the last {self.repeated} seed groups are copies of others: more games would show nothing new"
                self.useless = "copies"
                self.verdict = Verdict(True, "reached", self.seen, text)
            gone = [name for name, groups in last.items() if groups <= self.seen]
            if gone and self.verdict is None:
                self.useless = "suspended"
                self.verdict = Verdict(
                    True, "reached", self.seen, f"{gone[0]} is suspended, so no more games can decide it"
                )

    def _note(self, group: Sequence[Played]) -> None:
        content = content_of(filter(is_valid, group))
        is_copy = content in self.known
        self.repeated = self.repeated + 1 if is_copy else 0
        self.groups.append([] if is_copy else group)
        if content is not None:
            self.known.add(content)

    def _asks_for_strength(self) -> bool:
        return any(isinstance(rule, Better | TopSettled) for rule in self.rules)

    def words(self) -> list[str]:
        """How far the rules are."""
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
        """What the rules about strength say after a cycle."""
        games = [game for group in self.groups[-self.cycle :] for game in group]
        if any(isinstance(rule, TopSettled) for rule in self.rules):
            self.pairs.add(games)
        for number, rule in enumerate(self.rules):
            if isinstance(rule, Better):
                self.evidence[number] = weigh(rule, self.evidence[number], differences(games, rule))
                yield rule, verdict_of(rule, self.evidence[number], self.seen)
            elif isinstance(rule, TopSettled):
                yield rule, judge_top(rule, self.pairs, self.groups, self.entrants)
