"""The client of a person at this terminal who plays or watches at a table of a server."""

import asyncio
import json
import shlex
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
from websockets.exceptions import WebSocketException

from rails_cli.basics.files import read_file
from rails_cli.client.connection import (
    Denied,
    ProtocolMismatch,
    RetryPolicy,
    Unreachable,
    ask,
    connect_to_lobby,
    convert_message,
    decode_message,
    denied,
)
from rails_cli.client.finished_log import fetch_log
from rails_cli.client.pool_bridge import acceptance
from rails_cli.games import load_face, load_game, problem_of, standard_board, title_of
from rails_cli.games.decision import decision_at
from rails_cli.games.faces.phrases import END_WORDS
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.game import IllegalAction, check_listed, without_info_fields
from rails_cli.games.shared.text import printable
from rails_cli.protocol.lines import encode
from rails_cli.protocol.lobby import QUICK_PHRASES, Chat, ChatLines, Seated, StartTable, TableChanged, Undo, UndoAsked
from rails_cli.protocol.messages import Answer, End, Error, Rejected, Request, Start, Update
from rails_cli.study.playback.recorded import printable_board, read_recorded
from rails_cli.terminal.ending import final_lines
from rails_cli.terminal.frame import Display, Frame, Interrupted, Quit
from rails_cli.terminal.held_seats import forget_seat, keep_seat
from rails_cli.terminal.last_screen import LastScreen
from rails_cli.terminal.looking import COMMAND
from rails_cli.terminal.planning import Planner
from rails_cli.terminal.remote_lookahead import RemoteLookahead, SupposeClient, Supposed
from rails_cli.terminal.saving import keep_finished

POLL_S = 0.25
LONG_WAIT_S = 10.0
"""Seconds of waiting after which a bell announces the person's turn, unless the user has chosen otherwise."""
PACE_S = 0.5
"""Seconds between two actions when a person watches a finished game."""
TYPES_BY_TAG: dict[str, type[msgspec.Struct]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (Seated, TableChanged, Start, Update, Request, Rejected, End, Error, ChatLines, UndoAsked)
}
"""Types of the server messages that are validated when they arrive, by the tag of the message."""
LOG_TRIES = 5
"""Maximum number of requests for the log of a finished game."""
ASIDE = "aside"
"""The `ref` of chat and undo messages of this client. An error with this `ref` is not about an answer in the game."""
JOIN = json.dumps({"type": "join", "push": True, "push_view": True, "undo": True})
CLOSING_TYPES = frozenset({"request", "end", "start"})
"""Types of server messages that arrive only if the question to the person is no longer open."""


class RemotePlayer:
    """The client of a person who plays at a table of a server. If the connection is lost, the client connects again."""

    display: Display
    planner: Planner

    def __init__(
        self,
        url: str,
        *,
        sit: dict[str, Any] | None,
        token: str | None,
        certificate: Path | None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to play at the server `url`.

        `sit` is the message that requests a seat at a table or entry to the server's pool of rated players. If `sit` is
        None, the person returns to the seat with the token `token`. `now` returns the time in seconds.
        """
        self.url = url
        self._now = now
        self.sit = sit
        self.is_in_pool = sit is not None and sit["type"] == "enter"
        self.is_rated = False
        self.token = token
        self.certificate = certificate
        self.names: list[str] = []
        self.story: list[str] = []
        """Lines about events, chat and the connection, oldest first."""
        self.events: list[Any] = []
        self.since = 0
        """Number of lines in `story` when the person was last asked."""
        self.events_since = 0
        """Number of events when the person was last asked."""
        self.match = ""
        self.game: Any = None
        self.face: Any = None
        self.wire_board: dict[str, Any] = {}
        self.board: Any = None
        self.view: Any = None
        self.seat = 0
        self.sent: tuple[int, Any] = (0, None)
        """Number of the last answered request, and the answer. If the request is repeated, the answer is sent again."""
        self.planned: deque[Any] = deque()
        """Steps of the person that answer the next requests."""
        self.decided: tuple[int, list[Any]] = (0, [])
        """Number of the request that the person answered while the connection was lost, and the steps of the answer."""
        self.overtaken: deque[dict[str, Any]] = deque()
        """Messages that arrived while the person was asked, to be handled afterwards."""
        self.waiting: list[str] = ["Connecting ..."]
        self.shown: tuple[Any, Frame] | None = None
        """Values from which the last frame was made while others played, and that frame."""
        self.last_screen: LastScreen | None = None
        """The result and what decided the game. None until the game has ended."""
        self.kept: Path | None = None
        """File of the log of the finished game, downloaded from the server. None without a log."""
        self.owner: str | None = None
        """Token of the owner of the table, if the person owns the table."""
        self.bell: bool | None = None
        """Whether a bell rings at each turn of the person. None to ring only after a long wait."""
        self.waited_since = self._now()
        self.news: list[str] = []
        """Lines to add to `story` after the next events."""
        self.stand_ins: dict[int, bool] = {}
        """Whether a substitute plays a seat, by the number of the seat."""
        self.talked = 0
        self.muted: set[str] = set()
        self.table_id = ""
        self.undo_by: int | None = None
        """The seat that asks to take a move back. None if no seat asks."""
        self.taken_back = ""
        """Line about a move taken back, to be added to `story` after the server has sent the match again."""
        self._send: Callable[[msgspec.Struct], None] = lambda message: None
        """Function that sends a message to the server, from any thread. Without a connection, the message is lost."""

    async def play(self, display: Display) -> None:
        """Play on `display` until the game has ended. Raise Quit if the person leaves earlier."""
        self.display, self.planner = display, Planner(display)
        patience = RetryPolicy()
        while True:
            try:
                async with connect_to_lobby(self.url, self.certificate) as connection:
                    self._send = _sender(connection)
                    await self._take_seat(connection)
                    self._send(Chat())
                    patience.reset()
                    await self._handle_messages(connection)
                    return
            except (Unreachable, Denied) as error:
                wait = patience.next_delay_s(error, has_seat=self.may_return)
                self.overtaken.clear()
                await self._add_story_line(f"! {error}; reconnecting.")
            await self._pause(wait)

    @property
    def may_return(self) -> bool:
        """Whether the server gives the person the same seat again after a new connection."""
        return self.token is not None or self.is_in_pool

    async def _pause(self, seconds: float) -> None:
        while seconds > 0:
            await asyncio.sleep(min(seconds, POLL_S))
            seconds -= POLL_S
            await self._show(0)

    async def _add_story_line(self, line: str) -> None:
        """Show a line below the descriptions of events, unless it is already the last line."""
        if self.story[-1:] != [line]:
            self.story.append(line)
        await self._show(0)

    async def _take_seat(self, connection: Any) -> None:
        await connection.send(JOIN)
        lost = ""
        if self.token is not None:
            try:
                self._handle_seated(await ask(connection, type="resume", token=self.token))
                return
            except Denied as error:
                if error.code != "forbidden":
                    raise
                forget_seat(self.token)
                lost = "your seat was given away because you were gone too long"
                if self.sit is None or self.match:
                    raise Denied(error.code, f"{error}; {lost}") from None
        assert self.sit is not None
        try:
            answer = await ask(connection, **self.sit)
        except Denied as error:
            raise (Denied(error.code, f"{lost}, and there is no other: {error}") if lost else error) from None
        if answer["type"] == "entered":
            self.is_rated = answer["state"] == "active"
            self.waiting = [f"In the pool as {printable(str(answer['entrant']))}.", "", "Waiting for opponents."]
        else:
            self._handle_seated(answer)
            if lost:
                self.news.append(f"! You have another seat now: {lost}.")
                await self._add_story_line(self.news[-1])

    def _handle_seated(self, message: dict[str, Any]) -> None:
        self.token = str(message["token"])
        self.seat = int(message["seat"])
        played = message.get("substituted_from")
        self.news = [] if played is None else [f"! A bot played your seat from action {int(played)} on."]
        table, name = str(message["table"]["table"]), (self.sit or {}).get("name") or ""
        keep_seat(self.url, table, self.token, name, self.owner or "")
        self._table(message["table"])

    def _table(self, table: dict[str, Any]) -> None:
        self.table_id = printable(table["table"])
        seats = ", ".join(printable(seat["name"] or seat["kind"]) for seat in table["seats"])
        self.waiting = [
            f"Table {self.table_id}, {printable(title_of(table['game']))}: {seats}.",
            "",
            "Waiting for the others.",
        ]
        if self.token is not None and any(seat["kind"] in ("open", "reserved") for seat in table["seats"]):
            command = f"rails-cli play --server {self.url} --table {shlex.quote(self.table_id)}"
            self.waiting += ["They join with:", f"  {command}"]
            if self.owner is not None:
                self.waiting.append("Type start to begin now, with bots in the free seats.")
        for seat in table["seats"]:
            number, name, is_played = int(seat["seat"]), printable(seat["name"] or ""), bool(seat.get("substitute"))
            if is_played != self.stand_ins.get(number, False) and number != (None if self.token is None else self.seat):
                self.story.append(f"! {name}'s seat is played by a bot now." if is_played else f"! {name} is back.")
            self.stand_ins[number] = is_played

    async def _handle_messages(self, connection: Any) -> None:
        is_over = False
        while not is_over:
            if self.overtaken:
                message = self.overtaken.popleft()
            else:
                try:
                    message = decode_message(await asyncio.wait_for(connection.recv(), POLL_S))
                except TimeoutError:
                    await self._show(0)
                    continue
            kind = str(message.get("type"))
            if kind in TYPES_BY_TAG:
                convert_message(message, TYPES_BY_TAG[kind], f"`{kind}`")
            try:
                is_over = await self._handle_message(connection, message)
            except msgspec.ValidationError as error:
                raise ProtocolMismatch(f"cannot read `{kind}` from the server: {error}") from None
            except LookupError as error:  # a seat or a part of the board that does not exist
                raise ProtocolMismatch(
                    f"cannot use `{kind}` from the server, which names something unknown: {error}"
                ) from None

    async def _handle_message(self, connection: Any, message: dict[str, Any]) -> bool:
        """Handle a message of the server. Return whether the game has ended."""
        match message.get("type"):
            case "seated":
                self._handle_seated(message)
            case "offered":
                self.is_rated = bool(message.get("rated"))
                await connection.send(acceptance(message))
            case "table":
                self._table(message["table"])
            case "said":
                self._handle_chat(message)
                await self._show(0)
            case "undo_asked":
                self._handle_undo(message)
                await self._show(0)
            case "start":
                self._start(message)
            case "update":
                await self._show(self._handle_events(message))
            case "request":
                await self._handle_request(connection, message)
            case "rejected":
                self._forget()
                await self._add_story_line(f"! The server refused that: {printable(message['message'])}")
                if message["code"] not in ("stale_request", "not_your_turn"):
                    await connection.send(json.dumps({"type": "again"}))
            case "end":
                self._handle_events(message)
                await self._handle_end(message)
                return True
            case "error":
                await self._handle_refusal(connection, message)
        return False

    async def _handle_refusal(self, connection: Any, message: dict[str, Any]) -> None:
        code, words = message["code"], printable(message["message"])
        if message["fatal"]:
            raise denied(convert_message({**message, "message": words}, Error, "an error"))
        if message.get("ref") == ASIDE:
            await self._add_story_line(f"! {words}")
            return
        if code == "closed":
            raise Denied(code, words)
        self._forget()
        if code != "substituted":
            await self._add_story_line(f"! {words}")
            return
        frame = self._frame()
        frame.overlay = [
            "A bot plays for you now, because you did not answer in time.",
            "",
            "Press enter to take your seat back.",
        ]
        frame.prompt = "press enter> "
        try:
            await self._with_person(connection, lambda: self.display.ask(frame))
        except Interrupted:
            return
        await connection.send(json.dumps({"type": "resume", "token": self.token}))

    def _forget(self) -> None:
        self.planned.clear()
        self.planner.forget()
        self.sent, self.decided = (0, None), (0, [])

    def _start(self, message: dict[str, Any]) -> None:
        problem = problem_of(str(message["game"]))
        if problem is not None:
            raise Denied("game", printable(problem))
        is_new = self.match != message["match"]
        if self.taken_back:
            self._forget()
        self.match = str(message["match"])
        self.game = load_game(message["game"])
        self.face = load_face(self.game.name)
        self.names = [printable(name) for name in message["players"]]
        board = standard_board(self.game.name)
        is_standard = msgspec.json.decode(msgspec.json.encode(self.game.wire_board(board))) == message["board"]
        self.wire_board = printable_board(message["board"])
        self.board = board if is_standard else None
        self.story, self.events, self.view = [], [], None
        self.stand_ins, self.talked, self.waited_since = {}, 0, self._now()
        self.since = self.events_since = 0 if is_new else self.events_since

    def _handle_events(self, message: dict[str, Any]) -> int:
        """Add the events in a message to `events`, and their descriptions to `story`. Return the number of events."""
        events = [msgspec.convert(event, self.game.event_type) for event in message["events"]]
        if message.get("view") is not None:
            self.view = msgspec.convert(message["view"], self.game.view_type)
        tell = self.face.tell
        self.events += events
        sentences = [printable(tell(self.wire_board, event, self.names)) for event in events]
        self.story += [line for line in sentences if line] + self.news
        self.news = []
        if self.taken_back:
            self.story.append(self.taken_back)
            self.taken_back = ""
        return len(events)

    def _frame(self) -> Frame:
        if self.view is None:
            title = "rails-cli" if self.game is None else self.game.title
            lines = [*self.waiting, "", *self.story[-10:]]
            return Frame(
                title, self.names, self.wire_board, None, None, overlay=lines, goes_on=True, aside=self._handle_aside
            )
        return Frame(
            title=self.game.title,
            names=self.names,
            wire_board=self.wire_board,
            view=self.view,
            seer=self.seat,
            story=self.story,
            fresh=max(len(self.story) - self.since, 0),
            marked=frozenset(self.face.touched(self.events[self.events_since :])),
            events=self.events[:],  # a copy, because it is drawn while more arrive
            face=self.face,
            goes_on=True,
            waits_for=self._waits_for,
            aside=self._handle_aside,
        )

    @property
    def _waits_for(self) -> str:
        """The name of the other player who is to move. Empty if the person is to move, or nobody."""
        question = self.view.question
        is_own = question is not None and self.token is not None and question.seat == self.seat
        return "" if question is None or is_own else self.names[question.seat]

    async def _show(self, lines: int) -> None:
        """Show the game with `lines` new lines about events. If nothing has changed, show the last frame again."""
        known = (len(self.story), self.view, self.waiting, self.since)
        if self.shown is None or self.shown[0] != known:
            self.shown = (known, self._frame())
        await asyncio.to_thread(self.display.tell, self.shown[1], lines)

    # Answers

    async def _handle_request(self, connection: Any, message: dict[str, Any]) -> None:
        self._handle_events(message)
        self.seat = int(message["seat"])
        number = int(message["number"])
        legal = [msgspec.convert(entry, self.game.entry_type) for entry in message["legal"]]
        steps = self._ready(number, legal)
        if not steps:
            try:
                steps = await self._ask_person(connection, number, legal, message.get("clock"))
            except Interrupted:
                return
            self.since, self.events_since = len(self.story), len(self.events)
        self.planned = deque(steps)
        self.sent = (number, self.planned.popleft())
        await connection.send(encode(Answer(number, action=without_info_fields(self.sent[1]))).decode().rstrip("\n"))

    def _ready(self, number: int, legal: list[Any]) -> list[Any]:
        """Return steps that answer request `number` without asking the person. Empty if the person must be asked.

        The steps were planned before, or answered the same request on an earlier connection. `legal` are the legal
        actions.
        """
        if self.decided[0] == number:
            steps, self.decided = self.decided[1], (0, [])
        else:
            steps = [self.sent[1], *self.planned] if self.sent[0] == number else list(self.planned)
        try:
            if steps:
                check_listed(legal, without_info_fields(steps[0]))
        except IllegalAction:
            words = self.face.steps_in_words(self.wire_board, steps)
            self.story.append(f"! Not sent, because the position has changed: {words}")
            self._forget()
            return []
        return steps

    async def _ask_person(
        self, connection: Any, number: int, legal: list[Any], clock: dict[str, Any] | None
    ) -> list[Any]:
        """Ask the person for the answer to request `number`. Return the steps of the turn.

        `legal` are the legal actions. `clock` is the time left, or None without a clock.
        """
        client = SupposeClient(self.game, number, len(self.names), self._send)
        lookahead = RemoteLookahead(client, self.seat, (), Supposed([], self.view, legal))
        decision = decision_at(lookahead, self.game, self.face, self.wire_board, self.board, self.names)
        frame = self._frame()
        if clock is not None:
            left = min(value for value in (clock.get("bank_s"), clock.get("move_s"), 1e9) if value is not None)
            due = self._now() + left
            frame.seconds_left = lambda: max(0, ceil(due - self._now()))
        frame.prompt = f"{self.names[self.seat]}> "
        is_long = self._now() - self.waited_since >= LONG_WAIT_S
        self.display.call(f"● Your turn – {self.game.title}", is_loud=is_long if self.bell is None else self.bell)
        decided = await self._with_person(
            connection, lambda: self.planner.decide(number, decision, frame), client=client, number=number
        )
        self.display.call(self.game.title, is_loud=False)
        self.waited_since = self._now()
        return list(decided)

    async def _with_person(
        self, connection: Any, todo: Callable[[], Any], *, client: SupposeClient | None = None, number: int = 0
    ) -> Any:
        """Call `todo`, a function that asks the person, in a thread. Return its result. Receive messages meanwhile.

        Results of queries about possible answers are delivered to `client`. `number` is the number of the request that
        the person answers. Raise Interrupted if a message closes the question.
        """
        doing = asyncio.ensure_future(asyncio.to_thread(todo))
        receiving: asyncio.Future[Any] = doing
        try:
            while not doing.done():
                receiving = asyncio.ensure_future(connection.recv())
                while not (doing.done() or receiving.done()):
                    if any(message.get("type") in CLOSING_TYPES for message in self.overtaken):
                        self._stop(client)
                    await asyncio.wait((doing, receiving), timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED)
                if not receiving.done():
                    receiving.cancel()
                with suppress(asyncio.CancelledError):
                    self._meanwhile(decode_message(await receiving), client)
        except BaseException:
            if receiving is not doing:
                receiving.cancel()
            while not doing.done():  # repeatedly, because the person may not have been asked yet
                self._stop(client)
                await asyncio.wait((doing,), timeout=POLL_S)
            outcome: Any = (await asyncio.gather(doing, receiving, return_exceptions=True))[0]
            if isinstance(outcome, Quit):
                raise outcome from None
            if isinstance(outcome, list):
                self.decided = (number, outcome)
            raise
        finally:
            if client is not None:
                client.close()
        return await doing

    def _meanwhile(self, message: dict[str, Any], client: SupposeClient | None) -> None:
        """Handle a message that arrives while the person is asked, or store it in `overtaken` for later.

        Results of queries are delivered to `client`.
        """
        if client is not None and client.deliver(message):
            return
        match message.get("type"):
            case "said":
                self._handle_chat(message)
            case "undo_asked":
                self._handle_undo(message)
            case "table":
                convert_message(message, TableChanged, "`table`")
                self._table(message["table"])
            case "error" if message.get("ref") == ASIDE:
                self.story.append(f"! {printable(str(message.get('message')))}")
            case _:
                self.overtaken.append(message)

    def _stop(self, client: SupposeClient | None) -> None:
        if client is not None:
            client.close()
        self.display.interrupt()

    # Chat and undo

    def _handle_chat(self, message: dict[str, Any]) -> None:
        for line in convert_message(message, ChatLines, "`said`").lines:
            name = printable(line.name) + (" (watching)" if line.seat is None else "")
            if line.number > self.talked:
                self.talked = line.number
                if name not in self.muted:
                    self.story.append(f"{name} says: {printable(line.text)}")

    def _handle_undo(self, message: dict[str, Any]) -> None:
        """Handle a message about a request to take back a move, or about the outcome of such a request."""
        undo = convert_message(message, UndoAsked, "`undo_asked`")
        is_own = self.token is not None and undo.seat == self.seat
        name = "You" if is_own else printable(undo.name)
        is_new = undo.by == undo.seat
        self.undo_by = undo.seat if undo.state == "asked" else None
        if undo.state == "done":
            self.taken_back = f"! {name} took back a move; the game continues from before it."
        elif undo.state == "refused":
            by = self.names[undo.by] if 0 <= undo.by < len(self.names) else "somebody"
            self.story.append(f"! Nothing is taken back: {'you' if undo.by == self.seat else by} refused.")
        elif undo.state == "over":
            self.story.append("! Nothing is taken back: not everybody agreed in time.")
        elif is_own and is_new:
            self.story.append("! You ask to take back your last move; the others have to agree.")
        elif is_new:
            how = "" if self.token is None else ": agree, or refuse?"
            self.story.append(f"! {name} asks to take back their last move{how}")

    def _handle_aside(self, line: str) -> bool:
        """Handle a line about chat, undo or the start, in the display's thread. False for other lines."""
        word, _, rest = line.strip().partition(" ")
        command, rest = word.lower().removeprefix(COMMAND), rest.strip()
        if command == "say":
            number = whole_number(rest)
            if number is not None and 1 <= number <= len(QUICK_PHRASES):
                rest = QUICK_PHRASES[number - 1]
            if rest:
                self._send(Chat(rest, ref=ASIDE))
            else:
                phrases = "; ".join(f"{place} {phrase}" for place, phrase in enumerate(QUICK_PHRASES, 1))
                self.story.append(f"! Type say and your words, or say and a number: {phrases}")
        elif command in ("mute", "unmute") and rest:
            (self.muted.add if command == "mute" else self.muted.discard)(printable(rest))
            self.story.append(f"! {printable(rest)} is {command}d.")
        elif command in ("agree", "refuse") and not rest and self.undo_by not in (None, self.seat):
            self._send(Undo(command, ref=ASIDE))  # type: ignore[arg-type]
        elif command == "undo" and self.match and not self.planner.steps:
            self._send(Undo("ask", ref=ASIDE))
        elif command == "start" and not rest and self.owner is not None and not self.match:
            self._send(StartTable(self.table_id, self.owner, ref=ASIDE))
        else:
            return False
        return True

    async def _handle_end(self, message: dict[str, Any]) -> None:
        """Show the result, and say what decided the game for the person if the server gives the log."""
        scores, ranks = message["scores"], message["ranks"]
        lines = final_lines(self.face, self.wire_board, self.names, scores, ranks, self.events)
        is_normal = message["reason"] == "normal"
        own = None if self.token is None else self.seat
        played = sorted((seat for seat, is_played in self.stand_ins.items() if is_played), reverse=True)
        notes = [f"A bot finished this game for {'you' if seat == own else self.names[seat]}." for seat in played]
        if not is_normal:
            notes.append(END_WORDS.get(message["reason"], "The game has ended."))
        people = [] if own is None or own in played or not is_normal else [own]
        self.last_screen = LastScreen(self._frame(), lines, scores, ranks, people, notes)
        if people and self.display.is_interactive:
            await self._judge(self.last_screen)
        await asyncio.to_thread(self.last_screen.show, self.display)

    async def _judge(self, last_screen: LastScreen) -> None:
        """Download and keep the log of the finished game, and judge the moves of the person."""
        for _ in range(LOG_TRIES):
            await asyncio.to_thread(last_screen.wait, self.display)
            found = await asyncio.to_thread(fetch_log, self.url, self.table_id, self.certificate)
            if not isinstance(found, float):
                break
            await asyncio.sleep(found)
        if isinstance(found, bytes):
            self.kept = await asyncio.to_thread(keep_finished, found, self.game.name, self.table_id, self.seat)
        if self.kept is not None:
            recorded = await asyncio.to_thread(lambda path: read_recorded(read_file(path)), self.kept)
            await asyncio.to_thread(last_screen.judge, self.display, recorded)


def _sender(connection: Any) -> Callable[[msgspec.Struct], None]:
    """Return a function that sends messages from any thread. A message is lost if the connection is closed."""
    loop = asyncio.get_running_loop()

    async def send(text: str) -> None:
        with suppress(WebSocketException):
            await connection.send(text)

    def say(message: msgspec.Struct) -> None:
        text = msgspec.json.encode(message).decode()
        loop.call_soon_threadsafe(lambda: loop.create_task(send(text)))

    return say


class Spectator(RemotePlayer):
    """The client of a person who watches a table of a server."""

    def __init__(self, url: str, *, table: str, certificate: Path | None) -> None:
        super().__init__(url, sit=None, token=None, certificate=certificate)
        self.table = table
        self.is_known = False

    @property
    def may_return(self) -> bool:
        return self.is_known

    async def _take_seat(self, connection: Any) -> None:
        await connection.send(JOIN)
        watched = await ask(connection, type="watch", table=self.table, pace_s=PACE_S)
        self.is_known = True
        self._table(watched["table"])

    def _handle_events(self, message: dict[str, Any]) -> int:
        self.since, self.events_since = len(self.story), len(self.events)
        return super()._handle_events(message)

    def _frame(self) -> Frame:
        frame = super()._frame()
        frame.seer, frame.is_watching = None, True
        return frame
