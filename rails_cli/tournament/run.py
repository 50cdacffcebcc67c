"""Runs a tournament: asks the format what to play, submits it to an executor, stores the results, and stops.

The results do not depend on the number of workers, the order of completion, or interruptions.
"""

import os
import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import Any

import msgspec

from rails_cli.bot_process import RUN_MARK
from rails_cli.core.luck import derived_seed
from rails_cli.games.game import ranked_last
from rails_cli.match.chain import signed
from rails_cli.process_tree import kill_marked
from rails_cli.signing import SigningKey
from rails_cli.tournament.answer import FinalAnswer, so_far
from rails_cli.tournament.copies import distinct
from rails_cli.tournament.forfeits import NOBODYS_FAULT, TOO_FEW, WORKER_DIED, Suspended, is_valid
from rails_cli.tournament.formats import FORMATS
from rails_cli.tournament.group_results import GameFault, GroupPlayed
from rails_cli.tournament.membership import History, league_of, membership_of
from rails_cli.tournament.model import Entrant, Played, SeedGroup
from rails_cli.tournament.plan import TournamentPlan, make_format
from rails_cli.tournament.play import BOTS, TURNS, Conditions, GameFailed, Turn, add_notes, play_groups, turns_in
from rails_cli.tournament.schedule import Format
from rails_cli.tournament.sequence import Given, Order, Watch
from rails_cli.tournament.sequential import FixedGames, TimeBudget
from rails_cli.tournament.standings import ALL, ShortRow, by_group, make_table, short_table
from rails_cli.tournament.store import Ending, Store
from rails_cli.tournament.words import listed, minutes_words
from rails_cli.tournament.workers import InProcess, Pool, abandon

TASKS_A_WORKER = 2
ALONE_AFTER = 3  # a group that has lost this many workers is tried once more with nothing else running
WORKER_DIED_WORDS = "the worker died in this seed group at every attempt; the game is not played"
ETA_S = 1.0
FIRST_STANDING_S = 2.0
STANDING_S = 10.0
STANDING_SHARE = 100  # computing the standings takes at most 1/100 of the time
LIVE_RESAMPLES = 200
TASK_S = 0.25  # long compared to the overhead of a task, short enough for live progress
WINDOW_S = 30.0

Event = dict[str, Any]


class Workers(msgspec.Struct, frozen=True):
    """Where the games are played: an executor and its properties."""

    open: Callable[[], Executor]
    """Create a new executor. Called again if one breaks."""
    slots: int | Callable[[], int]
    """Number of tasks that run at the same time. A callable is evaluated again before each use."""
    tasks_ahead: int = TASKS_A_WORKER
    """Number of tasks submitted per slot."""
    task_s: float = TASK_S
    """Intended duration of a task in seconds. With 0, each group is a task."""
    is_loss: Callable[[BaseException], bool] = lambda error: isinstance(error, BrokenExecutor)
    """Return whether an error means that a worker was lost, so its groups are played again."""
    has_folder: bool = True
    """Whether workers can write to the folder of the tournament. If not, they return the logs."""
    entrants: tuple[Entrant, ...] | None = None
    """Entrants with folders as on the workers. None: as on this machine."""
    news: Callable[[], list[tuple[str, dict[str, Any]]]] = list
    """Return the events about workers since the last call."""


def local_workers(workers: int) -> Workers:
    """Return workers on this machine: this process for one worker, else a pool of processes."""
    if workers == 1:
        return Workers(InProcess, 1, tasks_ahead=1)
    return Workers(lambda: Pool(workers), workers)


class WorkersLost(Exception):
    """The tournament cannot continue, because the workers are lost or a game failed."""


class NotPlayed(Exception):
    """A task was not run, for example because all its workers were lost. It may be run again."""


class RunResult(msgspec.Struct, frozen=True):
    """The result of a run."""

    ending: Ending | None
    """None if it was interrupted."""
    games: int
    """Number of games that count."""
    seconds: float
    """Duration of this run in seconds."""
    tainted: int = 0
    """Number of games in which a fault affected the play."""
    void: int = 0
    """Number of games without a result: nobody was to blame, or too few players were present."""
    suspended: list[Suspended] = []
    copies: int = 0
    """Number of games that are copies of others and do not count."""
    died: dict[str, int] = {}
    """Void seed groups that killed every worker: their number by program that played in them."""


class Runner:
    """One run of a tournament, from its start or from where it was interrupted."""

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

        `listen` is called with each event, without games and faults unless `tells_games`. `now` is the clock of the
        run. `unix_time` is used for the deadline passed to workers.
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
        self.known = by_group(map(_lean, store.played(with_surplus=True)))
        self.programs = {entrant.name for entrant in plan.entrants if entrant.is_program}
        self.schedule, history, settled = self._schedule()
        self.order = Order(self.schedule, history, settled)
        self.watch = Watch(plan.stop, plan.names, self.schedule.cycle())
        self.again: list[Given] = []
        """Groups to be played again."""
        self.games_given = sum(map(_valid_games, self.order.finished))
        """Number of games in the groups given out so far, without those that turned out void."""
        self.late: Given | None = None
        """The first group for which there is not enough time."""
        self.most_games = min((rule.games for rule in plan.stop if isinstance(rule, FixedGames)), default=None)
        self.most_s = min((rule.seconds for rule in plan.stop if isinstance(rule, TimeBudget)), default=None)
        self.conditions = msgspec.msgpack.encode(conditions_of(plan, self.mark, workers, signer))
        self.queue: queue.SimpleQueue[Future[list[GroupPlayed]]] = queue.SimpleQueue()
        self.running: dict[Future[list[GroupPlayed]], _Task] = {}
        self.losses: dict[str, int] = {}
        self.turns: dict[Executor, list[Turn]] = {}
        """Entrants to move when workers died, by the executor that broke."""
        self.excused: set[str] = set()
        """Entrants in whose turn a worker died once. The next time they lose the group."""
        self.executor: Executor | None = None
        self.pace = _Throughput()
        self.faults: Counter[str] = Counter()
        """Number of faults by entrant."""
        for games in self.known.values():
            self._count_faults(games)
        self.void = sum(not is_valid(game) for games in self.known.values() for game in games)
        self.games = sum(map(len, self.known.values()))
        self.used_before_s = store.used_s()
        self.suspended = {name: one for name, one in store.suspended().items() if name in plan.names}
        self.last_words: dict[str, str] = {}
        self.last_faults: dict[str, str] = {}
        """Last fault of each entrant."""
        self.has_played = bool(self.known)
        self.started = self.eta_told = self.standing_told = self.now()
        self.standing_took = 0.0
        self.counted: list[Played] = []
        self.is_over = False
        """Whether the tournament ended, and was not interrupted."""

    def _schedule(self) -> tuple[Format, History, History]:
        if not FORMATS[self.plan.kind].has_members:
            return make_format(self.plan), [], []
        before = self.store.membership()
        counted = {game.group for game in self.store.played()}
        members = membership_of(self.plan, before, {one: games for one, games in self.known.items() if one in counted})
        if members != before:
            self.store.set_membership(members)
            self.known = {one: games for one, games in self.known.items() if one in counted}
        return league_of(self.plan, members, self.known)

    def run(self) -> RunResult:
        """Play until the format or a stopping rule ends the tournament, or it is interrupted."""
        self.started = self.eta_told = self.standing_told = self.now()
        self.pace.note(self.started, self.games)
        kill_marked(self.mark, RUN_MARK)
        (self.store.folder / TURNS).mkdir(exist_ok=True)
        turns_in(self.store.folder / TURNS)  # leftovers of an earlier run, which blame nobody
        self.store.reopen()
        self._tell_start()
        try:
            self._play()
            self._close(in_peace=not self.running)
        except KeyboardInterrupt:
            self._close(in_peace=False)
            return self._concluded(None)
        except BaseException:
            self._close(in_peace=False)
            raise
        ending = self._ending()
        ending = self.store.end(ending, self.order.order[: ending.groups])
        return self._concluded(ending)

    @property
    def used_s(self) -> float:
        """Seconds used by all runs of the tournament so far."""
        return self.used_before_s + self.now() - self.started

    @property
    def slots(self) -> int:
        """Number of tasks that run at the same time now."""
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
        """Submit tasks until the executor has enough."""
        while len(self.running) < max(1, self.slots) * self.workers.tasks_ahead:
            if any(self.losses[given.id] >= ALONE_AFTER for given in self._suspects()):
                return
            groups = self._next_groups()
            if not groups:
                return
            if self.executor is None:
                self.executor = self.workers.open()
            try:
                asked = [given.group for given in groups]
                away = sorted(self.order.beginnings.suspended)
                apart = any(given.id in self.losses for given in groups)
                future = self.executor.submit(play_groups, self.conditions, asked, away, self._until(), apart)
            except BrokenExecutor as error:
                future = Future()
                future.set_exception(error)
            self.running[future] = _Task(groups, self.executor)
            future.add_done_callback(self.queue.put)

    def _until(self) -> float | None:
        """Return the Unix timestamp at which the time is used up, for other processes. None if there is no limit."""
        return None if self.most_s is None else self.unix_time() + self.most_s - self.used_s

    def _suspects(self) -> list[Given]:
        return [given for task in self.running.values() for given in task.groups if given.id in self.losses]

    def _next_groups(self) -> list[Given]:
        """Return the groups of the next task."""
        if self._are_too_few():
            return []
        if self.again:
            is_alone = self.losses.get(self.again[0].id, 0) >= ALONE_AFTER
            return [] if is_alone and self.running else [self.again.pop(0)]
        groups: list[Given] = []
        seconds, games = 0.0, 0
        while not groups or (seconds < self.workers.task_s and games < self._fair_share()):
            given = self._take()
            if given is None:
                break
            groups.append(given)
            games += len(given.group.seatings)
            seconds += self.pace.expected_s(given.group)
        return groups

    def _take(self) -> Given | None:
        """Return the next group that was not played yet. Return None if a rule is met or nothing can be played now."""
        while self.watch.verdict is None and self.late is None and not self._are_too_few():
            if self.most_games is not None and self.games_given >= self.most_games:
                return None
            given = self.order.take()
            if given is None:
                return None
            games = self.known.get(given.id)
            if games is not None and self.order.is_stale(given.id, games):
                self._forget(given)
                games = None
            if games is None:
                if self.most_s is not None and self.used_s + self.pace.known_s(given.group) > self.most_s:
                    self.late = given
                    return None
                self.games_given += len(given.group.seatings)
                return given
            self.games_given += _valid_games(games)
            self._finish(given, games)
        return None

    def _fair_share(self) -> float:
        """Return the most games of a task, so that all workers have work near the end."""
        total = self._total_games()
        if total is None:
            return float("inf")
        return (total - self.games_given) / (2 * max(1, self.slots))

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
        results = [self._signed(result) for result in results]
        by_id = {result.group: result for result in results}
        if error is None:
            unfinished = [given for given in groups if given.id not in by_id]
            if unfinished and self.late is None:
                self.late = unfinished[0]
        played = [(given.number, given.group, by_id[given.id]) for given in groups if given.id in by_id]
        if not played:
            return
        for result in results:
            self.last_words |= result.last_words
            self.last_faults |= {fault.entrant: f"{fault.code}: {fault.message}" for fault in result.faults}
            for name, log in result.logs.items():
                (self.store.folder / name).write_bytes(log)
            for name, words in result.notes.items():
                add_notes(self.store.folder, name, words)
        self.store.add(played, self.used_s)
        for given in groups:
            if given.id in by_id:
                self._add(given, by_id[given.id])

    def _signed(self, result: GroupPlayed) -> GroupPlayed:
        """Return the result with signed logs, if there is a signing key."""
        if self.signer is None:
            return result
        logs = {name: signed(log, self.signer) for name, log in result.logs.items()}
        heads = {name: sha256(log).hexdigest() for name, log in logs.items()}
        games = [msgspec.structs.replace(game, head=heads.get(game.log or "")) for game in result.games]
        return msgspec.structs.replace(result, logs=logs, games=games)

    def _add(self, given: Given, result: GroupPlayed) -> None:
        games = [_lean(game) for game in result.games]
        self.known[given.id] = games
        self.has_played = True
        void = len(games) - _valid_games(games)
        self.games_given += _valid_games(games) - len(given.group.seatings)
        self.games += len(games)
        self.void += void
        self._count_faults(games)
        self.pace.add(given.group, result.seconds)
        if self.order.is_stale(given.id, games):
            self._play_again([given])
            return
        if self.tells_games:
            self._tell_games(given, result)
        self._finish(given, games)

    def _count_faults(self, games: list[Played], times: int = 1) -> None:
        for game in games:
            for name, faults in zip(game.seating, game.faults, strict=True):
                if faults:
                    self.faults[name] += times * faults

    def _finish(self, given: Given, games: list[Played]) -> None:
        suspended = self.order.beginnings.suspended
        before = len(suspended)
        self.order.finish(given.id, games)
        for name in list(suspended)[before:]:
            self._suspend(name)
        if len(suspended) > before:
            self._play_again(self.order.drop_stale())
        self.watch.look(self.order.finished, self.order.suspended_after)

    def _suspend(self, name: str) -> None:
        if name in self.suspended:
            return
        beginnings = self.order.beginnings
        why = self.last_faults.get(name, ""), self.last_words.get(name, "")
        groups = len(beginnings.ended.get(name, ()))
        self.suspended[name] = Suspended(name, beginnings.failed[name], *why, groups)
        self.store.set_suspended(self.suspended)
        self._tell("suspended", **msgspec.to_builtins(self.suspended[name]))

    def _play_again(self, groups: list[Given]) -> None:
        for given in groups:
            self.games_given += len(given.group.seatings) - _valid_games(self.known[given.id])
            self._forget(given)
        self._put_back(groups)

    def _forget(self, given: Given) -> None:
        """Drop the results of a group that is played again."""
        games = self.known.pop(given.id)
        self.store.drop(given.id)
        self.games -= len(games)
        self.void -= len(games) - _valid_games(games)
        self._count_faults(games, -1)

    def _are_too_few(self) -> bool:
        """Return whether fewer than two entrants are left."""
        return len(set(self.plan.names) - self.order.beginnings.suspended.keys()) < 2

    def _lose(self, groups: list[Given], turns: list[Turn]) -> list[GroupPlayed]:
        """Handle groups whose worker died. Return the results of those that are given up. Put the others back.

        An entrant in whose turn a worker died is excused once, because something else may have killed the worker. The
        next time it loses the group. If it is not known whose turn it was, the group is void after too many attempts.
        Raises WorkersLost if workers die before any game is played.
        """
        by_group = {turn.group: turn.entrant for turn in turns}
        if by_group:  # workers died in these groups only
            self._put_back([given for given in groups if given.id not in by_group])
            groups = [given for given in groups if given.id in by_group]
        given_up = []
        for given in groups:
            entrant, losses = by_group.get(given.id), self.losses.get(given.id, 0)
            if entrant in self.excused:
                given_up.append(self._given_up(given, entrant))
            elif entrant is None and losses >= ALONE_AFTER:
                if not self.has_played:
                    raise WorkersLost(
                        f"workers exit before playing anything, {ALONE_AFTER + 1} times in a row; "
                        f"the last one in a game of {listed(_company(given.group))}"
                    )
                given_up.append(self._given_up(given, None))
            else:
                if entrant is not None:
                    self.excused.add(entrant)
                self.losses[given.id] = losses + 1
                self._tell_loss(given, is_void=False)
                self._put_back([given])
        return given_up

    def _given_up(self, given: Given, loser: str | None) -> GroupPlayed:
        """Return the results of a group that kills workers, as void or as lost by `loser`."""
        self._tell_loss(given, is_void=loser is None, lost_by=loser)
        return _unplayed(given, self.order.beginnings.suspended, loser)

    def _tell_loss(self, given: Given, *, is_void: bool, lost_by: str | None = None) -> None:
        company = _company(given.group)
        self._tell("group_lost", group=given.id, entrants=company, is_void=is_void, lost_by=lost_by)

    def _put_back(self, groups: list[Given]) -> None:
        self.again = sorted([*self.again, *groups], key=lambda given: given.number)

    def _break(self) -> None:
        """Discard the broken executor. Its tasks come back as failed, and the next task uses a new one."""
        executor, self.executor = self.executor, None
        if executor is not None:
            abandon(executor)
            self.turns[executor] = turns_in(self.store.folder / TURNS)
        kill_marked(self.mark, RUN_MARK)

    def _close(self, *, in_peace: bool) -> None:
        executor, self.executor = self.executor, None
        if executor is not None:
            if in_peace:
                executor.shutdown(wait=True)
            else:
                abandon(executor)
        if in_peace:
            BOTS.close()
        else:
            BOTS.end()
        with suppress(OSError):
            turns_in(self.store.folder / TURNS)
            (self.store.folder / TURNS).rmdir()

    # Ending

    def _ending(self) -> Ending:
        verdict, rule = self.watch.verdict, self.watch.rule
        if verdict is not None:
            why = self.watch.useless if rule is None else str(rule.__struct_config__.tag)
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
        winner = self.schedule.winner(self.known) if why == "format" else None
        if winner is not None:
            words += f", and {winner} has won"
        games = sum(len(group) for group in self.order.finished[:groups])
        return Ending(why, words, groups, games, figures, winner)

    def _concluded(self, ending: Ending | None) -> RunResult:
        groups = self.known.values() if ending is None else self.order.finished[: ending.groups]
        self.counted = [game for games in groups for game in games]
        self.is_over = ending is not None
        seconds = self.now() - self.started
        valid = [game for game in self.counted if is_valid(game)]
        tainted = sum(game.is_tainted for game in valid)
        void, copies = len(self.counted) - len(valid), len(valid) - len(distinct(valid))
        suspended = list(self.suspended.values())
        died = Counter(
            name
            for games in filter(_is_given_up, groups)
            for name in sorted(self.programs & {name for game in games for name in game.seating})
        )
        outcome = RunResult(ending, len(self.counted), seconds, tainted, void, suspended, copies, dict(died))
        if self.listen is None:
            return outcome
        why, words, count, head = "interrupted", "interrupted", None, None
        if ending is not None:
            why, words, count, head = ending.why, ending.words, ending.groups, ending.head
        how = {"why": why, "words": words, "groups": count, "games": outcome.games, "seconds": round(seconds, 3)}
        more = {"head": head, "table": msgspec.to_builtins(self.table), "answer": self.answer.text}
        self._tell("tournament_end", **how, **more)
        return outcome

    @cached_property
    def table(self) -> list[ShortRow]:
        """The short standings after the run."""
        return short_table(self.counted, self.plan.anchor)

    @cached_property
    def answer(self) -> FinalAnswer:
        """The answer after the run, as a sentence."""
        table = make_table(self.counted, ALL, self.plan.anchor)
        answer = self.schedule.answer(by_group(self.counted), table)
        return answer if self.is_over else so_far(answer)

    # Events

    def _tell(self, event: str, **more: Any) -> None:
        if self.listen is not None:
            self.listen({"event": event, "time": round(self.unix_time(), 3), **more})

    def _tell_start(self) -> None:
        self._tell(
            "tournament_start",
            name=self.plan.name,
            format=self.plan.kind,
            entrants=list(self.plan.names),
            games=[msgspec.to_builtins(setting) for setting in self.plan.settings],
            workers=self.slots,
            folder=str(self.store.folder),
            played=self.games,
            total=self._total_games(),
            is_total_most=self._is_total_most(),
        )

    def _tell_games(self, given: Given, result: GroupPlayed) -> None:
        for fault in result.faults:
            self._tell("fault", game=f"{given.id}-{fault.number}", **_without(fault, "number"))
        for game in result.games:
            about = {"id": f"{given.id}-{game.number}", "stage": given.group.stage, "place": given.number}
            self._tell("game_end", **about, **_without(game, "economy"))

    def _tell_progress(self) -> None:
        now = self.now()
        self.pace.note(now, self.games)
        for event, more in self.workers.news():
            self._tell(event, **more)
        if self.listen is None:
            return
        if now - self.eta_told >= ETA_S:
            self.eta_told = now
            self._tell_eta(now)
        wait_s = STANDING_S if self.standing_took else FIRST_STANDING_S
        if now - self.standing_told >= max(wait_s, STANDING_SHARE * self.standing_took) and self.games:
            counted = [game for games in self.known.values() for game in games]
            table = short_table(counted, self.plan.anchor, LIVE_RESAMPLES)
            self.standing_told = self.now()
            self.standing_took = self.standing_told - now
            self._tell("standing", games=len(counted), table=msgspec.to_builtins(table))

    def _tell_eta(self, now: float) -> None:
        total = self._total_games()
        pace = self.pace.games_per_s()
        left_s = None if total is None or not pace else max(0, total - self.games) / pace
        if self.most_s is not None:
            left_s = min(max(0.0, self.most_s - self.used_s), float("inf") if left_s is None else left_s)
        self._tell(
            "eta",
            games=self.games,
            total=total,
            seconds=round(now - self.started, 1),
            seconds_left=None if left_s is None else round(left_s),
            games_per_s=round(pace, 2),
            faults=self.faults.total(),
            faults_by=dict(self.faults.most_common()),
            void=self.void,
            rules=self.watch.words(),
            workers=self.slots,
            running=[_told(task) for task in list(self.running.values())[: self.slots]],
        )

    def _is_total_most(self) -> bool:
        """Return whether the tournament may end with fewer games than the total."""
        much = self.schedule.length()
        return self.most_games is None and much.games_most is not None and much.games_least < much.games_most

    def _total_games(self) -> int | None:
        """Return the total number of games, or None if it is not known."""
        if self.most_games is not None:
            return self.most_games
        return None if self.plan.stop else self.schedule.length().games_most


def conditions_of(plan: TournamentPlan, mark: str, workers: Workers, signer: SigningKey | None = None) -> Conditions:
    """Return the conditions of a tournament that are sent to workers."""
    seen = workers.entrants or tuple(
        msgspec.structs.replace(entrant, folder=os.path.normpath(os.path.join(plan.base, entrant.folder)))
        for entrant in plan.entrants
    )
    seen_plan = msgspec.structs.replace(plan, entrants=seen)
    key_file = None if signer is None else str(signer.file.resolve())
    return Conditions(mark, seen_plan, workers.has_folder, key_file)


class _Throughput:
    """Seconds per game by setting, and recent games per second over all workers."""

    def __init__(self) -> None:
        self.by_setting: dict[tuple[str, int], float] = {}
        self.noted: deque[tuple[float, int]] = deque()

    def add(self, group: SeedGroup, seconds: float) -> None:
        key = (group.setting.game, group.setting.players)
        each = seconds / len(group.seatings)
        self.by_setting[key] = 0.7 * self.by_setting.get(key, each) + 0.3 * each

    def known_s(self, group: SeedGroup) -> float:
        """Return the expected seconds of a group, or 0 if no such game was played."""
        return self.by_setting.get((group.setting.game, group.setting.players), 0.0) * len(group.seatings)

    def expected_s(self, group: SeedGroup) -> float:
        each = self.by_setting.get((group.setting.game, group.setting.players), TASK_S)
        return each * len(group.seatings)

    def note(self, now: float, games: int) -> None:
        self.noted.append((now, games))
        while len(self.noted) > 2 and now - self.noted[0][0] > WINDOW_S:
            self.noted.popleft()

    def games_per_s(self) -> float:
        if len(self.noted) < 2:
            return 0.0
        (since, before), (now, games) = self.noted[0], self.noted[-1]
        return (games - before) / (now - since) if now > since else 0.0


class _Task(msgspec.Struct, frozen=True):
    """A submitted task and its executor."""

    groups: list[Given]
    executor: Executor


def _told(task: _Task) -> dict[str, Any]:
    """Describe a task for progress events: its first group, and how many follow."""
    first = task.groups[0].group
    return {
        "group": task.groups[0].id,
        "stage": first.stage,
        "game": first.setting.game,
        "players": first.setting.players,
        "entrants": _company(first),
        "games": len(first.seatings),
        "groups_after": len(task.groups) - 1,
    }


def _company(group: SeedGroup) -> list[str]:
    return list(dict.fromkeys(name for seating in group.seatings for name in seating))


def _valid_games(games: list[Played]) -> int:
    return sum(map(is_valid, games))


def _lean(game: Played) -> Played:
    """Return the game without the fields that are not needed during a run."""
    if not (game.economy or game.log):
        return game
    return msgspec.structs.replace(game, economy=[], log=None, head=None)


def _is_given_up(games: list[Played]) -> bool:
    """Return whether a group killed every worker for an unknown reason."""
    return all(game.reason == NOBODYS_FAULT for game in games)


def _unplayed(given: Given, suspended: Collection[str], loser: str | None) -> GroupPlayed:
    """Return the results of a group that could not be played: void, or lost by `loser`."""
    games: list[Played] = []
    faults: list[GameFault] = []
    for number, seating in enumerate(given.group.seatings):
        absent = [seat for seat, name in enumerate(seating) if name in suspended]
        lost = [seat for seat, name in enumerate(seating) if name == loser]
        reason = WORKER_DIED if lost else NOBODYS_FAULT
        if len(seating) - len(absent) < 2:
            lost, reason = [], TOO_FEW
        faults += [GameFault(number, 0, seat, seating[seat], "disconnect", WORKER_DIED_WORDS) for seat in lost]
        nothing, ranks = [0] * len(seating), [1] * len(seating)
        if reason != NOBODYS_FAULT:
            ranks = ranked_last(ranks, {*lost, *absent})
        charged = [int(seat in lost) for seat in range(len(seating))]
        came = nothing, ranks, reason, charged, True, nothing, 0
        setting, seed = given.group.setting, given.group.seed
        games.append(Played(given.id, number, setting, seed, seating, *came, lost=lost, absent=absent))
    return GroupPlayed(given.id, games, faults, 0.0)


def _without(record: msgspec.Struct, name: str) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(record)
    del made[name]
    return made
