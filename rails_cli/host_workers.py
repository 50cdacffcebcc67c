"""Matches over one line, played by several processes: each writes its own messages, and this one hands on what comes.

Only one worker writes at a time: whoever holds the token, the one byte of a pipe. A worker tells of a match before it
says anything about it, so that whoever answers is known by the name of the match. After a line that was broken off
nothing is written any more: whoever reads would take it and the next one for one.
"""

import multiprocessing
import os
import select
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from protocol.lines import frame
from protocol.messages import MAX_LINE, PROTOCOL, Hello
from rails_cli.hosting import MOST_UNREAD, READ_SIZE, SharedLine, head_of
from rails_cli.match.match import SERVER
from rails_cli.seats import Gone

FAREWELL_S = 5.0
"""So long a worker may take to say goodbye."""
OPEN_FILES = 6
"""So many are open for each worker: the ends of three pipes."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""They wait while a worker starts: half started, it could not end in an orderly way."""
WHOLE, BROKEN = b".", b"!"
"""The token, after whole lines and after one that was broken off."""


class WorkerDied(Exception):
    """A worker ended without a word."""


class Outcome(NamedTuple):
    """What became of matches that were played over a line."""

    tally: Any
    gone: str | None = None
    """Why they were given up, if they were."""
    has_ended: bool = False
    """Whether that was because the input was closed."""
    unfinished: int = 0


Play = Callable[["WorkerLine", Iterator[int], int], Outcome]
"""Plays matches by their numbers over a line, so many at once."""


class _News(NamedTuple):
    """What a worker tells: a match that begins or is over, or what became of all of them."""

    match: str | None
    is_over: bool
    outcome: Outcome | Exception | None = None


class WorkerLine(SharedLine):
    """A worker's end of the line: what it reads is handed on to it, what it writes all workers write to."""

    def __init__(self, source: int, sink: int, patience_s: float | None, token: tuple[int, int], news: Any) -> None:
        super().__init__(source, sink, patience_s)
        self._token = token
        self._news = news

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Whoever started the workers has done that for all of them."""
        yield

    def tell(self, match: str, *, is_over: bool) -> None:
        self._news.send(_News(match, is_over))

    def send(self, *, may_wait: bool = True) -> None:
        take, give = self._token
        token = os.read(take, 1)
        try:
            if token == WHOLE:
                super().send(may_wait=may_wait)
            else:
                self.take_posted()
        except BaseException:
            token = BROKEN
            raise
        finally:
            os.write(give, token)


class _Worker:
    """One of the processes, as seen from here."""

    def __init__(self, process: Any, news: Connection, inlet: int) -> None:
        self.process = process
        self.news = news
        self.inlet = inlet
        self.unsent = bytearray()
        self.is_open = True
        """Whether it is still sent something."""

    def hand_on(self) -> None:
        """As much as it takes without waiting."""
        try:
            while self.unsent:
                del self.unsent[: os.write(self.inlet, self.unsent)]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it is over, and will say so
            self.unsent.clear()

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            os.close(self.inlet)


def play_in_workers(play: Play, line: SharedLine, games: int, at_once: int, workers: int) -> list[Outcome]:
    """Has so many games, or games without end if 0, played by workers that share the line; what became of each
    worker's, in the order in which they ended. If one gives up, all do.

    Raises whatever a worker raised, Gone if nobody reads, WorkerDied, and OSError where they cannot be started.
    """
    for end in (line.source, line.sink):
        os.fstat(end)  # in place of one that is closed, a pipe of ours would be opened
    context = multiprocessing.get_context("fork")
    begun = context.Value("q", 0)

    def numbers() -> Iterator[int]:
        while True:
            with begun.get_lock():
                number = begun.value
                begun.value += 1
            if games and number >= games:
                return
            yield number

    token = os.pipe()
    inlets = [os.pipe() for _ in range(workers)]
    news = [context.Pipe(duplex=False) for _ in range(workers)]

    def work(place: int) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # we are told by the end of our input
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        for other, ((ours, theirs), (heard, told)) in enumerate(zip(inlets, news, strict=True)):
            os.close(theirs)
            heard.close()
            if other != place:  # whoever ends is known by its pipes, which nobody else may hold
                os.close(ours)
                told.close()
        own_news = news[place][1]
        own_line = WorkerLine(inlets[place][0], line.sink, line.patience_s, token, own_news)
        share = at_once // workers + (place < at_once % workers)
        outcome: Outcome | Exception
        try:
            outcome = play(own_line, numbers(), share)
        except Exception as error:  # to be raised where somebody sees it
            error.add_note(f"In a worker:\n{traceback.format_exc()}")
            outcome = error
        with suppress(BrokenPipeError):  # whoever started us is gone
            own_news.send(_News(None, is_over=True, outcome=outcome))

    with line.opened():
        line.post(frame(Hello(PROTOCOL, SERVER, MAX_LINE, at_once)))
        line.send()
        os.write(token[1], WHOLE)
        team: list[_Worker] = []
        try:
            for place in range(workers):
                process = context.Process(target=work, args=(place,), daemon=True)
                signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
                try:
                    process.start()
                    team.append(_Worker(process, news[place][0], inlets[place][1]))
                finally:
                    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            for (ours, theirs), (_, told) in zip(inlets, news, strict=True):
                os.close(ours)
                os.set_blocking(theirs, False)
                told.close()
            return _Router(line, team, min(at_once, games or at_once)).run()
        except WorkerDied:  # it may have had the token
            for worker in team:
                worker.process.kill()
            raise
        finally:
            _end(team)
            for end in token:
                os.close(end)


class _Router:
    """Hands on what comes to whom it is for."""

    def __init__(self, line: SharedLine, team: list[_Worker], first: int) -> None:
        """The `first` so many matches begin now; what comes for one of them before is kept for it."""
        self.source = line.source
        self.team = team
        self.to_begin = first
        self.at_work = {worker.news.fileno(): worker for worker in team}
        self.players: dict[str, _Worker] = {}
        """By the match that they play."""
        self.early: dict[str, bytearray] = {}
        """What came for matches that have not begun, as far as is known, while the first ones begin."""
        self.has_asked = False
        """Whether all that workers told before the last that was read is known: nobody answers what was not told."""
        self.received = line.received
        self.has_ended = line.has_ended
        self.outcomes: list[Outcome] = []

    def run(self) -> list[Outcome]:
        while self.at_work:
            waiting = select.poll()
            if not self.has_ended:
                waiting.register(self.source, select.POLLIN)
            for news, worker in self.at_work.items():
                waiting.register(news, select.POLLIN)
                if worker.unsent:
                    waiting.register(worker.inlet, select.POLLOUT)
            ready = {end for end, _ in waiting.poll()}
            if self.source in ready and not self.has_ended:
                self._read()
            for news in ready & self.at_work.keys():
                self._learn(self.at_work[news])
            for worker in self.team:
                if worker.is_open:
                    worker.hand_on()
                    if self.has_ended and self.to_begin <= 0 and not worker.unsent:
                        worker.close()
        return self.outcomes

    def _learn(self, worker: _Worker) -> None:
        """All that a worker has told by now."""
        while worker.news.fileno() in self.at_work and worker.news.poll():
            try:
                news: _News = worker.news.recv()
            except EOFError:
                raise WorkerDied from None
            if news.match is None:
                del self.at_work[worker.news.fileno()]
                worker.unsent.clear()
                worker.close()
                if isinstance(news.outcome, Exception):
                    raise news.outcome
                assert news.outcome is not None
                self.outcomes.append(news.outcome)
                if news.outcome.gone is not None:
                    self.has_ended, self.to_begin = True, 0
                    self.early.clear()
            elif news.is_over:
                del self.players[news.match]
            else:
                self._begun(news.match, worker)

    def _begun(self, match: str, worker: _Worker) -> None:
        """A match has begun. With the last of the first ones, what is left over is known to be for none of them."""
        self.players[match] = worker
        worker.unsent += self.early.pop(match, b"")
        self.to_begin -= 1
        if self.to_begin == 0:
            for anybody in self._anybody():
                anybody.unsent += b"".join(self.early.values())
            self.early.clear()

    def _read(self) -> None:
        try:
            chunk = os.read(self.source, READ_SIZE)
        except BlockingIOError:
            return
        self.has_asked = False
        received = self.received + chunk
        self.has_ended = not chunk
        end = len(received) if len(received) > MAX_LINE + READ_SIZE else received.rfind(b"\n") + 1
        self.received = received[end:]
        for content in received[:end].split(b"\n"):
            if content:
                self._route(content + b"\n")
        kept = [worker.unsent for worker in self.team]
        if sum(map(len, [*kept, *self.early.values()])) > MOST_UNREAD:
            raise Gone("the program at the other end keeps writing, but does not read")

    def _route(self, content: bytes) -> None:
        head = head_of(content)
        worker = self._player_of(head.match)
        if worker is not None:
            worker.unsent += content
            return
        if head.match is not None and self.to_begin > 0:
            self.early.setdefault(head.match, bytearray()).extend(content)
            return
        wanted = self.team if head.match is None and head.type in ("join", "again") else self._anybody()
        for worker in wanted:
            if worker.is_open:
                worker.unsent += content

    def _player_of(self, match: str | None) -> _Worker | None:
        if match is None:
            return None
        if match not in self.players and not self.has_asked:  # it may just have begun
            self.has_asked = True
            for worker in list(self.at_work.values()):
                self._learn(worker)
        return self.players.get(match)

    def _anybody(self) -> list[_Worker]:
        """Whoever may say what is wrong with a line that is for none of the matches."""
        return [worker for worker in self.team if worker.is_open][:1]


def _end(team: list[_Worker]) -> None:
    """Has all workers say goodbye."""
    until = time.monotonic() + FAREWELL_S
    for worker in team:
        worker.close()
    for worker in team:
        worker.process.join(max(0.0, until - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.process.close()
        with suppress(OSError):
            worker.news.close()
