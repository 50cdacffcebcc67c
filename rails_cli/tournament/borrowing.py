"""Entrants of the pool of a server: they are borrowed for each game, and the game is refereed here.

Who is not there, or leaves, pays for it as a bot does that does not start, or ends. If the server is away, nobody pays:
it is waited for, and then the tournament stops, to be resumed when the server is back.
"""

import errno
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

import msgspec

from protocol.lines import encode
from protocol.messages import Error, Join
from protocol.pool import Borrow, Borrowing, Lent, LoanOver
from rails_cli.files import read_file
from rails_cli.match.clock import LagAllowance, read_clock
from rails_cli.match.session import HELLO
from rails_cli.seats import MatchTimeOver, SeatLost, SeatSlow
from rails_cli.tokens import ORGANISER_VARIABLE, has_token_form
from rails_cli.tournament.model import POOL, Entrant, Setting
from rails_cli.tournament.plan import TournamentPlan

ANSWER_S = 10.0
"""Seconds that a server may take to be reached, and to answer."""
AWAY_S = 60.0
"""Seconds that a server which is away is waited for."""
AGAIN_S = 1.0
BUSY_S = 1800.0
"""Seconds that an entrant is waited for that plays other games."""
MOST_RETURNS = 20
"""So often in a game the way to the server may break."""
UNKNOWN = errno.ENOENT
FOREIGN = "that is not a server of this protocol"
HINT = "finished games are kept, and the same command resumes"

_DECODER = msgspec.json.Decoder(Borrowing | Lent | LoanOver | Error)


class LentBy(NamedTuple):
    """Where an entrant is borrowed."""

    url: str
    entrant: str


def lent_by(entrant: Entrant) -> LentBy | None:
    """None for one that plays here."""
    if not entrant.spec.startswith(POOL):
        return None
    url, _, name = entrant.spec.removeprefix(POOL).partition(" ")
    return LentBy(url, name)


def pool_spec(url: str, entrant: str) -> str:
    """How the spec of an entrant of a pool is written. Raises ValueError for what is not the address of a server."""
    is_whole = False
    with suppress(ValueError):
        parts = urlsplit(url)
        is_whole = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0 and " " not in url
    if not is_whole:
        raise ValueError(f"{url!r} is not the address of a server; try ws://127.0.0.1:8765")
    return f"{POOL}{url} {entrant}"


def organiser_tokens(plan: TournamentPlan) -> dict[str, str]:
    """By entrant of a pool, the token it is borrowed with, from the file that the plan names or from the environment.

    A plan may come from anywhere: only the token that was given for an address goes there, and no other part of a file.
    Raises ValueError, which says what would do.
    """
    found = {}
    for entrant in plan.entrants:
        place = lent_by(entrant)
        if place is None:
            continue
        lines = os.environ.get(ORGANISER_VARIABLE, "")
        if entrant.token_file:
            try:
                lines = read_file(Path(plan.base, entrant.token_file)).decode()
            except (OSError, UnicodeDecodeError) as error:
                why = getattr(error, "strerror", None) or "it is not text"
                raise ValueError(f"{entrant.name}: cannot read the token in {entrant.token_file}: {why}") from None
        token = _token_for(place.url, lines)
        if token is None:
            kept = f"{entrant.token_file} has" if entrant.token_file else f"{ORGANISER_VARIABLE} has"
            words = f"{entrant.name} belongs to a pool, and {kept} no organiser token for {place.url}"
            made = f"put the line `{place.url} TOKEN` there, which `rails-cli pool organiser` prints"
            raise ValueError(f"{words}: {made}" + ("" if entrant.token_file else ", or name a file as token_file"))
        found[entrant.name] = token
    return found


def _token_for(url: str, lines: str) -> str | None:
    """The last one that was given for this address."""
    words = [line.split() for line in lines.splitlines()]
    fitting = [two[1] for two in words if len(two) == 2 and two[0].rstrip("/") == url.rstrip("/")]
    return next((token for token in reversed(fitting) if has_token_form(token)), None)


def check_borrowing(plan: TournamentPlan) -> tuple[list[str], list[str]]:
    """What has to be known about the entrants of pools before the first game: who is there now, and who is not.

    Raises ValueError for what cannot be: an address without a server, an unknown name, a token that is not valid.
    """
    present, warnings = [], []
    tokens = organiser_tokens(plan)
    for entrant in plan.entrants:
        place = lent_by(entrant)
        if place is None:
            continue
        for setting in plan.settings:
            seat = LentSeat(place, tokens[entrant.name], setting, 0, plan)
            try:
                told = seat.ask()
            except OSError as error:
                hint = f"; `rails-cli pool list {place.url}` shows who is there" if error.errno == UNKNOWN else ""
                raise ValueError(f"{entrant.name}: {error.filename}: {error.strerror}{hint}") from None
            finally:
                seat.close()
            if told.state == "gone":
                raise ValueError(f"{entrant.name}: {told.why}; choose another entrant of {place.url}")
            if told.state == "absent":
                warnings.append(f"{entrant.name} could not play now: {told.why}")
                break
        else:
            how = "can play now" if told.state == "free" else told.why
            present.append(f"{entrant.name}: in the pool at {place.url}, {how}")
    return present, warnings


class LentSeat:
    """An entrant of a pool in one game: a seat at the end of two connections, with the server between them."""

    is_process = False

    def __init__(self, place: LentBy, token: str, setting: Setting, seat: int, plan: TournamentPlan) -> None:
        self.place = place
        self.join = Join()
        self.is_lent = False
        options: dict[str, Any] = dict(setting.options)
        self._wish = Borrow(
            token, place.entrant, setting.game, setting.players, seat, options, plan.clock, ref="borrow"
        )
        self._patience_s = plan.start_up_s
        """How long it is still waited for in this game, while it is not there."""
        self._refusal: str | None = None
        """Why it is not waited for any longer."""
        self._returns = 0
        self._has_answered = self._is_excused = False
        """Whether it has said anything since it was lent; and whether it was excused once for having gone before."""
        self._connection: Any = None
        self._open = ExitStack()
        self._heard: deque[bytes] = deque()
        """What it said before it was asked."""
        self._allowance = LagAllowance(read_clock(plan.clock))
        self._way_s = 0.0
        """From here to the server and back."""
        self._far_s = 0.0
        """From the server to the entrant and back."""
        self._lag_s = 0.0
        """What is not counted of the time for the open request."""
        self._asked_at = 0.0
        self._away_s = 0.0
        """What was not counted so far."""
        self._cut_at: float | None = None
        """When the way to the server broke, or what has passed since was last noted; until it is lent again."""
        self._until: float | None = None

    # Borrowing

    def ask(self) -> Borrowing:
        """How it stands with the entrant. Raises OSError."""
        self._connect()
        self._say(msgspec.structs.replace(self._wish, check=True, ref="check"))
        try:
            told = self._told(time.perf_counter() + ANSWER_S)
        except TimeoutError:
            told = None
        if not isinstance(told, Borrowing):
            raise OSError(0, FOREIGN, self.place.url)
        return told

    def borrow(self) -> None:
        """Before the game: waits until the entrant takes it, as long as there is hope; whether it did shows when it is
        asked. Raises OSError if there is no server."""
        with suppress(SeatLost):
            self._borrow()

    def _borrow(self) -> None:
        """Raises SeatLost if the entrant does not come, and OSError if there is no server."""
        away_until = time.perf_counter() + AWAY_S
        while not self.is_lent:
            if self._refusal is not None:
                raise SeatLost("disconnect", self._refusal)
            try:
                self._connect()
                self._say(self._wish)
                self._wait()
            except ConnectionError as error:
                self.close()
                now = time.perf_counter()
                self._cut_at = self._cut_at or now
                if now >= away_until or (self._until is not None and now >= self._until):
                    raise OSError(0, f"{error.strerror or error}; {HINT}", self.place.url) from None
                time.sleep(AGAIN_S)

    def _wait(self) -> None:
        """Until it is lent."""
        busy_until = time.perf_counter() + BUSY_S
        last: Borrowing | None = None
        while True:
            began = time.perf_counter()
            is_away = last is not None and last.state == "absent"
            until = began + self._patience_s if is_away else began + ANSWER_S if last is None else busy_until
            try:
                told = self._told(until if self._until is None else min(until, self._until))
            except TimeoutError:
                if last is None:
                    raise ConnectionError(0, "the server does not answer", self.place.url) from None
                self._give_up(last.why)
            finally:
                self._note_away(is_excused=last is None or is_away)
                if is_away:
                    self._patience_s = max(0.0, self._patience_s - (time.perf_counter() - began))
            if isinstance(told, Lent):
                self.is_lent, self._has_answered, self._cut_at = True, False, None
                self.join = told.join
                self._measure()
                return
            if isinstance(told, Borrowing):
                last = told
                if told.state == "gone":
                    self._give_up(told.why)

    def _note_away(self, *, is_excused: bool) -> None:
        """While the server is away, the clock stands still, and while the entrant has not come back after that; but not
        while it plays elsewhere."""
        if self._cut_at is not None:
            now = time.perf_counter()
            self._away_s += now - self._cut_at if is_excused else 0.0
            self._cut_at = now

    def _give_up(self, why: str) -> NoReturn:
        self._refusal = why
        self.close()
        raise SeatLost("disconnect", why)

    def _connect(self) -> None:
        """Raises ConnectionError if there is no server, and OSError if it is none of ours."""
        from websockets.exceptions import InvalidURI, WebSocketException
        from websockets.sync.client import connect

        from rails_cli.client import Foreign, check_hello, heard, reason_of, way_to

        self.close()
        url = self.place.url
        try:
            self._connection = self._open.enter_context(connect(url, **way_to(url, None, ANSWER_S)))
            check_hello(heard(self._connection.recv(ANSWER_S)), url)
        except Foreign as error:
            raise OSError(0, str(error), url) from None
        except InvalidURI:
            raise OSError(0, FOREIGN, url) from None
        except (OSError, WebSocketException) as error:
            raise ConnectionError(0, reason_of(error, url), url) from None

    def _measure(self) -> None:
        """How long messages are on their way from here to the server and back. Raises ConnectionError."""
        began = time.perf_counter()
        with self._open_line():
            if self._connection.ping().wait(1.0):
                self._way_s = time.perf_counter() - began

    # Both ends of the line

    @contextmanager
    def _open_line(self) -> Iterator[None]:
        """To write to it. Raises ConnectionError if it is closed."""
        from websockets.exceptions import ConnectionClosed

        try:
            yield
        except (ConnectionClosed, OSError) as error:
            raise ConnectionError(0, "the server has closed the connection", self.place.url) from error

    def _say(self, message: Any) -> None:
        self._send(encode(message))

    def _send(self, content: bytes) -> None:
        """Raises ConnectionError."""
        with self._open_line():
            self._connection.send(content, text=True)

    def _next(self, until: float | None) -> bytes:
        """The next message. Raises TimeoutError and ConnectionError."""
        from websockets.exceptions import ConnectionClosed

        left = None if until is None else max(0.0, until - time.perf_counter())
        try:
            content: bytes = self._connection.recv(left, decode=False)
        except ConnectionClosed as error:
            raise ConnectionError(0, "the server has closed the connection", self.place.url) from error
        return content

    def _told(self, until: float | None) -> Borrowing | Lent | LoanOver:
        """The next message of the server; those of the entrant are kept. Raises OSError for one that says no."""
        while True:
            content = self._next(until)
            if content.startswith(b" "):
                self._heard.append(content[1:])
            elif (message := self._read(content)) is not None:
                return message

    def _read(self, content: bytes) -> Borrowing | Lent | LoanOver | None:
        """What the server says; None for what is of no use. Raises OSError."""
        try:
            message: Borrowing | Lent | LoanOver | Error = _DECODER.decode(content)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if isinstance(message, Error):
            from rails_cli.client import PASSING

            if message.code in PASSING:
                raise ConnectionError(0, message.message, self.place.url)
            if message.fatal or message.ref is not None:
                number = UNKNOWN if message.code == "unknown_entrant" else 0
                raise OSError(number, message.message, self.place.url)
            return None
        if isinstance(message, Lent):
            self._far_s = message.lag_ms / 1000
        elif isinstance(message, LoanOver):
            self.is_lent = False
        return message

    # A seat of the referee

    def start(self) -> bool:
        self._look()
        if self.is_lent:
            return False
        self._heard.clear()
        self._borrow()
        return True

    def _look(self) -> None:
        """What has come while others were asked; whoever left meanwhile may come back."""
        try:
            while self.is_lent:
                content = self._next(0.0)
                if content.startswith(b" "):
                    self._heard.append(content[1:])
                else:
                    self._read(content)
        except TimeoutError:
            pass
        except ConnectionError:
            self.close()

    def begin_match(self, until: float | None) -> None:
        self._until = until

    def post(self, line: bytes) -> None:
        if line.startswith(HELLO):  # the server has said so
            return
        if not self.is_lent:
            raise SeatLost("disconnect", "is not there")
        try:
            self._send(line.rstrip(b"\n"))
        except ConnectionError as error:
            self.close()
            raise self._cut(error) from None

    def send(self, line: bytes, deadline: float | None) -> None:
        self._lag_s = self._allowance.take(self._way_s + self._far_s)
        self._asked_at = time.perf_counter()
        self.post(line)

    def receive(self, deadline: float | None) -> bytes:
        due = None if deadline is None else deadline + self._away_s + self._lag_s
        while not self._heard:
            until = due if self._until is None or due is None else min(due, self._until)
            until = self._until if until is None else until
            try:
                content = self._next(until)
            except TimeoutError:
                if self._until is not None and time.perf_counter() >= self._until:
                    raise MatchTimeOver from None
                raise SeatSlow from None
            except ConnectionError as error:
                raise self._cut(error) from None
            if content.startswith(b" "):
                self._heard.append(content[1:])
                continue
            try:
                told = self._read(content)
            except ConnectionError as error:
                raise self._cut(error) from None
            if isinstance(told, LoanOver):
                raise self._gone(told.why)
        self._has_answered = True
        self._note_lag()
        return self._heard.popleft()

    def _note_lag(self) -> None:
        """What is not counted of the time since it was asked."""
        self._away_s += min(self._lag_s, time.perf_counter() - self._asked_at)
        self._lag_s = 0.0

    def _gone(self, why: str) -> SeatLost:
        """The entrant has left. If it was only just lent, it may not even have been told: that is excused, once, but
        its time runs."""
        self._note_lag()
        lost = SeatLost("disconnect", why)
        if not self._has_answered and not self._is_excused:
            lost.is_blameless = self._is_excused = True
        return lost

    def _cut(self, error: ConnectionError) -> SeatLost:
        """The way to the server is cut, which is nobody's fault; if that happens again and again, it costs the seat."""
        self._note_lag()
        self._cut_at = self._cut_at or time.perf_counter()
        self._returns += 1
        if self._returns > MOST_RETURNS:
            self._refusal = f"{error.strerror}, more than {MOST_RETURNS} times in a game"
            return SeatLost("disconnect", self._refusal)
        lost = SeatLost("disconnect", str(error.strerror))
        lost.is_blameless = True
        return lost

    def now(self) -> float:
        """Without what messages were on their way."""
        return time.perf_counter() - self._away_s

    def end(self, *, is_final: bool = False) -> None:
        if is_final:
            self._refusal = "speaks another protocol"
        self.close()

    def close(self) -> None:
        """Gives the entrant back."""
        self._connection, self.is_lent = None, False
        self._open.close()


def in_fixed_order(seats: Sequence[tuple[Entrant, int]]) -> Iterator[int]:
    """Seats of entrants of pools, in the order in which all borrow them: two games never wait for each other."""
    lent = [(entrant.spec, seat) for entrant, seat in seats if lent_by(entrant) is not None]
    return (seat for _, seat in sorted(lent))
