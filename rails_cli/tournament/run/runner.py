"""One run of a tournament: the runner gives seed groups (the games with one seed) to workers and stores the results.

The results do not depend on the number of workers, the order of completion, or interruptions.
"""

import queue
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from functools import cached_property
from typing import Any

import msgspec

from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.plain import tag_of
from rails_cli.games.shared.luck import derived_seed
from rails_cli.logs.signing import SigningKey
from rails_cli.programs.finding import kill_marked
from rails_cli.programs.starting import RUN_MARK
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.membership import (
    Membership,
    games_planned,
    membership_of,
    schedule_of,
    settled_games,
    stopping_check,
    surplus_to_keep,
    uneven_words,
    used_up_words,
)
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.rating.copies import distinct
from rails_cli.tournament.rating.forfeits import TOO_FEW, Suspended, is_valid
from rails_cli.tournament.rating.standings import ALL, ShortRow, by_group, make_table, short_table
from rails_cli.tournament.results.group_results import GroupPlayed, with_signed_logs
from rails_cli.tournament.results.lost_logs import drop_groups_without_logs
from rails_cli.tournament.results.store import Ending, Store, StoreError
from rails_cli.tournament.run.bots import BOTS, add_notes
from rails_cli.tournament.run.conditions import conditions_of
from rails_cli.tournament.run.events import (
    Event,
    RunResult,
    entrants_of,
    game_events,
    group_lost,
    progress,
    running_task,
    tournament_end,
    tournament_start,
)
from rails_cli.tournament.run.known_games import KnownGames, Throughput, is_given_up, valid_games
from rails_cli.tournament.run.losses import ALONE_AFTER, WorkerLosses, unplayed
from rails_cli.tournament.run.play import GameFailed, play_groups
from rails_cli.tournament.run.turns import TURNS, WorkerTurn, turns_in
from rails_cli.tournament.run.workers import TASK_S, NotPlayed, Workers, WorkersLost, abandon
from rails_cli.tournament.schedule.answer import FinalAnswer, preliminary
from rails_cli.tournament.schedule.evidence import at_the_end
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.sequence import GroupSequence, ScheduledGroup
from rails_cli.tournament.schedule.stopping_rules import FixedGames, TimeBudget
from rails_cli.tournament.words import listed, minutes_words

ETA_S = 1.0
"""Seconds between two reports of the remaining time."""
FIRST_STANDING_S = 2.0
"""Seconds until the first report of the standings."""
STANDING_S = 10.0
"""Minimum number of seconds between two reports of the standings."""
STANDING_SHARE = 100  # computing the standings takes at most 1/100 of the time
LIVE_RESAMPLES = 200
"""Number of bootstrap samples for the standings during a run."""


class Runner:
    """One run of a tournament. A run starts the tournament, or continues it after an interruption."""

    def __init__(
        self,
        plan: TournamentPlan,
        store: Store,
        workers: Workers,
        listen: Callable[[Event], None] | None = None,
        *,
        tells_games: bool = True,
        signer: SigningKey | None = None,
        now: Callable[[], float] = time.monotonic,
        unix_time: Callable[[], float] = time.time,
    ) -> None:
        """Prepare a run. The store must be locked.

        `listen` is called with each event. Events about games and faults are included only if `tells_games`. `signer`
        signs the logs. `now` is the clock of the run. `unix_time` is the clock for the time of events and the deadline
        of workers.
        """
        self.plan = plan
        self.store = store
        self.workers = workers
        self.listen = listen
        self.tells_games = tells_games and listen is not None
        self.signer = signer
        self.now = now
        self.unix_time = unix_time
        assert plan.seed is not None
        self.mark = derived_seed(plan.seed, "bots", str(store.folder.resolve()))
        self.without_logs = drop_groups_without_logs(store)
        """Ids of finished seed groups (games with one seed) whose logs are lost or damaged.

        They are played again, even after the time limit.
        """
        self.known = KnownGames(store.played(with_surplus=True))
        self.programs = {entrant.name for entrant in plan.entrants if entrant.is_program}
        membership = self._membership()
        self.schedule = schedule_of(plan, membership)
        history = settled_games(self.schedule, membership, self.known.groups)
        self.suspended = {name: one for name, one in store.suspended().items() if name in plan.names}
        self.warnings = uneven_words(plan, self.schedule, history, self.suspended)
        """Warnings in sentences: about lost logs, entrants that play unequally often, and a reached time limit."""
        if self.without_logs:
            lost = len(self.without_logs)
            verb = "is" if lost == 1 else "are"
            words = "a log is missing, empty or cut off, as after a power cut"
            self.warnings.insert(0, f"{count_phrase(lost, 'finished group')} {verb} played again: {words}")
        self.order = GroupSequence(self.schedule, history)
        self.watch = stopping_check(plan, self.schedule, history)
        self.again: list[ScheduledGroup] = []
        """Seed groups to be played again, in schedule order."""
        self.games_given = sum(map(valid_games, self.order.finished))
        """Number of games given to workers or finished so far, without games that have no result."""
        self.late: ScheduledGroup | None = None
        """The first seed group that cannot be finished within the plan's time limit, or None."""
        self.most_games = min((rule.games for rule in plan.stop if isinstance(rule, FixedGames)), default=None)
        self.total_games = games_planned(plan, self.schedule, history)
        """Number of games of the whole tournament. None if it is not known in advance."""
        if self.most_games is not None:
            self.total_games = self.most_games
        self.is_total_most = self.most_games is None and self.schedule.length().is_limit
        """Whether `total_games` is only a maximum, so that the tournament can end with fewer games."""
        self.most_s = min((rule.seconds for rule in plan.stop if isinstance(rule, TimeBudget)), default=None)
        conditions = conditions_of(
            plan, self.mark, entrants=workers.entrants, has_folder=workers.has_folder, signer=signer
        )
        self.conditions = msgspec.msgpack.encode(conditions)
        self.queue: queue.SimpleQueue[Future[list[GroupPlayed]]] = queue.SimpleQueue()
        self.running: dict[Future[list[GroupPlayed]], _Task] = {}
        self.losses = WorkerLosses()
        self.turns: dict[Executor, list[WorkerTurn]] = {}
        """Turns in which workers died, by executor. A turn says which entrant was to move."""
        self.executor: Executor | None = None
        self.pace = Throughput()
        self.used_before_s = store.used_s()
        self.warnings += [] if self.without_logs else used_up_words(plan, self.used_before_s)
        self.last_words: dict[str, str] = {}
        self.last_faults: dict[str, str] = {}
        """Mapping from the name of an entrant to the code and message of its last fault."""
        self.has_played = bool(self.known.games)
        self.started = self.eta_told = self.standing_told = self.now()
        self.standing_took = 0.0
        self.counting_games: list[PlayedGame] = []
        self.is_over = False
        """Whether the tournament has ended and the run was not interrupted."""

    def _membership(self) -> Membership | None:
        """Return all current and former entrants, and store them if entrants have joined or left.

        Return None if entrants cannot join or leave in the format of the plan. Raise StoreError if the stored games
        do not belong to the stored entrants.
        """
        if not FORMATS[self.plan.kind].has_members:
            return None
        before = self.store.membership()
        counting = {game.group for game in self.store.played()}
        known = {group: games for group, games in self.known.groups.items() if group in counting}
        try:
            members = membership_of(self.plan, before, known)
        except ValueError as error:
            raise StoreError(f"cannot continue in {self.store.folder}: {error}") from None
        if members != before:
            surplus = self.known.groups.keys() - counting
            stale = known.keys() - {*members.settled} if before is not None else set()
            kept = surplus_to_keep(self.plan, before, members, surplus) if before is not None else set()
            for group in stale:
                self.store.drop(group)
            self.store.set_membership(members, kept)
            for group in (surplus - kept) | stale:
                self.known.remove(group)
        return members

    def run(self) -> RunResult:
        """Play until the format or a stopping rule ends the tournament, or a signal interrupts the run.

        Return the result.
        """
        self.started = self.eta_told = self.standing_told = self.now()
        self.pace.note(self.started, self.known.games)
        if self.programs or self.known.games:  # reading the environments of all processes takes milliseconds
            kill_marked(self.mark, RUN_MARK)
        (self.store.folder / TURNS).mkdir(exist_ok=True)
        turns_in(self.store.folder / TURNS)  # delete files of an earlier run, which do not concern this run
        self.store.reopen()
        totals = {"total": self.total_games, "is_total_most": self.is_total_most}
        where = {"workers": self.slots, "folder": str(self.store.folder), "played": self.known.games}
        self._tell("tournament_start", **tournament_start(self.plan), **where, **totals)
        for name in self.order.suspensions.suspended:
            if name in self.plan.names:
                self._suspend(name)
        self.watch.update(self.order.finished, self.order.suspended_after)
        try:
            self._play()
            self._close(is_finished=not self.running)
        except KeyboardInterrupt:
            self._close(is_finished=False)
            return self._concluded(None)
        except BaseException:
            self._close(is_finished=False)
            raise
        ending = self._ending()
        ending = self.store.end(ending, self.order.order[: ending.groups], self.used_s)
        return self._concluded(ending)

    @property
    def used_s(self) -> float:
        return self.used_before_s + self.now() - self.started

    @property
    def slots(self) -> int:
        """Number of tasks that workers can run at the same time."""
        slots = self.workers.slots
        return slots if isinstance(slots, int) else slots()

    # Submitting tasks

    def _play(self) -> None:
        while True:
            self._give_out()
            if not self.running:
                return
            try:
                done = self.queue.get(timeout=ETA_S)
            except queue.Empty:
                pass
            else:
                self._receive(done)
            if self.watch.verdict is not None:
                return
            self._tell_progress()

    def _give_out(self) -> None:
        """Submit tasks until the workers have enough tasks, or no game can be played now."""
        while len(self.running) < max(1, self.slots) * self.workers.tasks_ahead:
            if any(self.losses.is_alone(given) for task in self.running.values() for given in task.groups):
                return
            groups = self._next_groups()
            if not groups:
                return
            if self.executor is None:
                self.executor = self.workers.open()
            try:
                asked = [given.group for given in groups]
                away = sorted(self.order.suspensions.suspended)
                apart = any(map(self.losses.is_known, groups))
                until = self._deadline(groups)
                future = self.executor.submit(play_groups, self.conditions, asked, away, until, apart)
            except BrokenExecutor as error:
                future = Future()
                future.set_exception(error)
            self.running[future] = _Task(groups, self.executor)
            future.add_done_callback(self.queue.put)

    def _next_groups(self) -> list[ScheduledGroup]:
        """Return the seed groups of the next task.

        The list is empty if nothing can be played now.
        """
        if self._are_too_few():
            return []
        if self.again:
            is_alone = self.losses.is_alone(self.again[0])
            return [] if is_alone and self.running else [self.again.pop(0)]
        groups: list[ScheduledGroup] = []
        seconds, games = 0.0, 0
        while not groups or (seconds < self.workers.task_s and games < self._fair_share()):
            given = self._take()
            if given is None:
                break
            groups.append(given)
            games += len(given.group.seatings)
            seconds += self.pace.expected_s(given.group, TASK_S)
        return groups

    def _take(self) -> ScheduledGroup | None:
        """Return the next seed group without stored results.

        Return None if a stopping rule is met, or if no seed group can be played now.
        """
        while self.watch.verdict is None and self.late is None and not self._are_too_few():
            if self.most_games is not None and self.games_given >= self.most_games:
                return None
            given = self.order.take()
            if given is None:
                return None
            games = self.known.groups.get(given.id)
            if games is not None and self.order.is_stale(given.id, games):
                self._forget(given)
                games = None
            if games is None:
                if self._is_late(given):
                    self.late = given
                    return None
                self.games_given += len(given.group.seatings)
                return given
            self.games_given += valid_games(games)
            self._finish(given, games)
        return None

    def _is_late(self, given: ScheduledGroup) -> bool:
        """Return whether a seed group cannot be finished within the time limit of the plan."""
        if self.most_s is None or given.id in self.without_logs:
            return False
        return self.used_s + self.pace.expected_s(given.group, 0.0) > self.most_s

    def _deadline(self, groups: list[ScheduledGroup]) -> float | None:
        """Return the Unix time at which workers stop the task of playing `groups`. None means no such time."""
        if self.most_s is None or any(given.id in self.without_logs for given in groups):
            return None
        return self.unix_time() + self.most_s - self.used_s

    def _fair_share(self) -> float:
        """Return the maximum number of games to put into the next task.

        Tasks become smaller towards the end of the tournament, so that no worker is left without a task.
        """
        if self.total_games is None:
            return float("inf")
        return (self.total_games - self.games_given) / (2 * max(1, self.slots))

    # Receiving results

    def _receive(self, future: "Future[list[GroupPlayed]]") -> None:
        task = self.running.pop(future)
        groups = task.groups
        error = future.exception() if not future.cancelled() else BrokenExecutor()
        if error is None:
            results = future.result()
        elif self.workers.is_loss(error):
            if isinstance(error, BrokenExecutor) and task.executor is self.executor:
                self._break()
            results = self._lose(groups, self.turns.get(task.executor, []))
        elif isinstance(error, NotPlayed):
            self._put_back(groups)
            return
        elif isinstance(error, GameFailed):
            raise WorkersLost(str(error)) from None
        else:
            raise error
        if self.signer is not None:
            results = [with_signed_logs(result, self.signer) for result in results]
        by_id = {result.group: result for result in results}
        if error is None:
            unfinished = [given for given in groups if given.id not in by_id]
            if unfinished and self.late is None:
                self.late = unfinished[0]
        played = [given for given in groups if given.id in by_id]
        if not played:
            return
        for result in results:
            self.last_words |= result.last_words
            self.last_faults |= {fault.entrant: f"{fault.code}: {fault.message}" for fault in result.faults}
            for name, log in result.logs.items():
                (self.store.folder / name).write_bytes(log)
            for name, words in result.notes.items():
                add_notes(self.store.folder, name, words)
        self.store.add([(given.number, given.group, by_id[given.id]) for given in played], self.used_s)
        for given in played:
            self._add(given, by_id[given.id])

    def _add(self, given: ScheduledGroup, result: GroupPlayed) -> None:
        games = self.known.add(given.id, result.games)
        self.has_played = True
        self.games_given += valid_games(games) - len(given.group.seatings)
        self.pace.add(given.group, result.seconds)
        if self.order.is_stale(given.id, games):
            self._play_again([given])
            return
        if self.tells_games:
            for event, content in game_events(given, result):
                self._tell(event, **content)
        self._finish(given, games)

    def _finish(self, given: ScheduledGroup, games: list[PlayedGame]) -> None:
        suspended = self.order.suspensions.suspended
        before = len(suspended)
        self.order.finish(given.id, games)
        for name in list(suspended)[before:]:
            self._suspend(name)
        if len(suspended) > before:
            self._play_again(self.order.drop_stale())
        self.watch.update(self.order.finished, self.order.suspended_after)

    def _suspend(self, name: str) -> None:
        if name in self.suspended:
            return
        suspensions = self.order.suspensions
        if name not in self.last_faults:  # it failed in an earlier run
            for _, fault in self.store.last_faults_of(name, 1):
                self.last_faults[name] = f"{fault.code}: {fault.message}"
        why = self.last_faults.get(name, ""), self.last_words.get(name, "")
        groups = len(suspensions.ended.get(name, ()))
        self.suspended[name] = Suspended(name, suspensions.failed[name], *why, groups)
        self.store.set_suspended({**self.store.suspended(), **self.suspended})  # keep those of entrants that have left
        self._tell("suspended", **msgspec.to_builtins(self.suspended[name]))

    def _play_again(self, groups: list[ScheduledGroup]) -> None:
        for given in groups:
            self.games_given += len(given.group.seatings) - valid_games(self.known.groups[given.id])
            self._forget(given)
        self._put_back(groups)

    def _forget(self, given: ScheduledGroup) -> None:
        """Delete the results of a seed group, because it is played again."""
        self.known.remove(given.id)
        self.store.drop(given.id)

    def _are_too_few(self) -> bool:
        """Return whether fewer than two entrants are not suspended."""
        return len(set(self.plan.names) - self.order.suspensions.suspended.keys()) < 2

    def _lose(self, groups: list[ScheduledGroup], turns: list[WorkerTurn]) -> list[GroupPlayed]:
        """Decide what to do with the seed groups of a task whose worker died.

        Some are played again. The others are given up, and their results are returned. `turns` names the entrants that
        were to move when workers died. Raise WorkersLost if no game was played before `ALONE_AFTER` + 1 workers died.
        """
        lost = self.losses.sort(groups, turns)
        if lost.void and not self.has_played:
            raise WorkersLost(
                f"workers exit before playing anything, {ALONE_AFTER + 1} times in a row; "
                f"the last one in a game of {listed(entrants_of(lost.void[0].group))}"
            )
        for given in lost.retried:
            self._tell("group_lost", **group_lost(given, is_void=False, lost_by=None))
        self._put_back([*lost.unaffected, *lost.retried])
        given_up: list[tuple[ScheduledGroup, str | None]] = [*lost.charged, *((given, None) for given in lost.void)]
        for given, loser in given_up:
            self._tell("group_lost", **group_lost(given, is_void=loser is None, lost_by=loser))
        suspended = self.order.suspensions.suspended
        return [unplayed(given, suspended, loser) for given, loser in given_up]

    def _put_back(self, groups: list[ScheduledGroup]) -> None:
        self.again = sorted([*self.again, *groups], key=lambda given: given.number)

    def _break(self) -> None:
        """Discard the current executor, because a worker died. The next task creates a new executor."""
        executor, self.executor = self.executor, None
        if executor is not None:
            abandon(executor)
            self.turns[executor] = turns_in(self.store.folder / TURNS)
        kill_marked(self.mark, RUN_MARK)

    def _close(self, *, is_finished: bool) -> None:
        executor, self.executor = self.executor, None
        if is_finished:
            if executor is not None:
                executor.shutdown(wait=True)
            BOTS.close()
        else:
            if executor is not None:
                abandon(executor)
            BOTS.end()
        with suppress(OSError):
            turns_in(self.store.folder / TURNS)
            (self.store.folder / TURNS).rmdir()

    # Ending

    def _ending(self) -> Ending:
        verdict, rule = self.watch.verdict, self.watch.rule
        if verdict is not None:
            why = self.watch.useless if rule is None else tag_of(rule)
            words, groups, figures = verdict.text, verdict.groups, verdict.figures
        else:
            groups, figures = len(self.order.finished), {}
            if self._are_too_few():
                why, words = "suspended", "fewer than two entrants are left; the others are suspended"
            elif self.late is not None:
                why, words = "time", f"the time is up: {minutes_words(self.used_s / 60)}"
                if not groups:
                    words += ", in which no seed group was finished; give it more time, or fewer seatings"
            else:
                why, words = "format", "all games are played"
        winner = self.schedule.winner(self.known.groups) if why == "format" else None
        if winner is not None:
            words += f", and {winner} has won"
        games = sum(len(group) for group in self.order.finished[:groups])
        return Ending(why, words, groups, games, figures, winner)

    def _concluded(self, ending: Ending | None) -> RunResult:
        groups = self.known.groups.values() if ending is None else self.order.finished[: ending.groups]
        self.counting_games = [game for games in groups for game in games]
        self.is_over = ending is not None
        valid = [game for game in self.counting_games if is_valid(game)]
        tainted = sum(game.is_tainted for game in valid)
        void, copies = len(self.counting_games) - len(valid), len(valid) - len(distinct(valid))
        suspended = list(self.suspended.values())
        died = Counter(
            name
            for games in filter(is_given_up, groups)
            for name in sorted(self.programs & {name for game in games for name in game.seating})
        )
        seated = {name for game in self.counting_games for name in game.seating}
        idle = [name for name in self.plan.names if name not in seated]
        absent = sum(game.reason == TOO_FEW for game in self.counting_games)
        outcome = RunResult(
            ending,
            len(self.counting_games),
            self.now() - self.started,
            tainted,
            void,
            suspended,
            copies,
            dict(died),
            idle,
            absent,
            at_the_end(self.watch.shown_evidence(), None if ending is None else ending.why),
        )
        if self.listen is None:
            return outcome
        shown = msgspec.to_builtins(outcome.evidence)
        if ending is not None and ending.why in ("better", "top"):
            self._tell("decision", why=ending.why, words=ending.words, evidence=shown)
        more = {"table": msgspec.to_builtins(self.table), "answer": self.answer.text, "evidence": shown}
        self._tell("tournament_end", **tournament_end(ending, outcome.games, outcome.seconds), **more)
        return outcome

    @cached_property
    def table(self) -> list[ShortRow]:
        return short_table(self.counting_games, self.plan.anchor)

    @cached_property
    def answer(self) -> FinalAnswer:
        table = make_table(self.counting_games, ALL, self.plan.anchor)
        answer = self.schedule.answer(by_group(self.counting_games), table)
        return answer if self.is_over else preliminary(answer)

    # Events

    def _tell(self, event: str, **more: Any) -> None:
        if self.listen is not None:
            self.listen({"event": event, "time": round(self.unix_time(), 3), **more})

    def _tell_progress(self) -> None:
        now = self.now()
        self.pace.note(now, self.known.games)
        for event, more in self.workers.news():
            self._tell(event, **more)
        if self.listen is None:
            return
        if now - self.eta_told >= ETA_S:
            self.eta_told = now
            self._tell_eta(now)
        wait_s = STANDING_S if self.standing_took else FIRST_STANDING_S
        if now - self.standing_told >= max(wait_s, STANDING_SHARE * self.standing_took) and self.known.games:
            games = [game for group in self.known.groups.values() for game in group]
            table = short_table(games, self.plan.anchor, LIVE_RESAMPLES)
            self.standing_told = self.now()
            self.standing_took = self.standing_told - now
            self._tell("standing", games=len(games), table=msgspec.to_builtins(table))

    def _tell_eta(self, now: float) -> None:
        left_s = None if self.most_s is None else self.most_s - self.used_s
        content = progress(self.known, self.total_games, now - self.started, self.pace.games_per_s(), left_s)
        running = [running_task(task.groups) for task in list(self.running.values())[: self.slots]]
        evidence = msgspec.to_builtins(self.watch.shown_evidence())
        rules = {"is_total_most": self.is_total_most, "rules": self.watch.progress_lines(), "evidence": evidence}
        self._tell("eta", **content, **rules, workers=self.slots, running=running)


class _Task(msgspec.Struct, frozen=True):
    """The seed groups of a submitted task, and the executor that runs the task."""

    groups: list[ScheduledGroup]
    executor: Executor
