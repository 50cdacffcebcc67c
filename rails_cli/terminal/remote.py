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
from rails_cli.games import title_of
from rails_cli.games.decision import decision_at
from rails_cli.games.faces.phrases import END_WORDS
from rails_cli.games.game import IllegalAction, check_listed, without_info_fields
from rails_cli.games.shared.text import printable
from rails_cli.protocol.lines import encode
from rails_cli.protocol.lobby import Chat, ChatLines, Seated, StartTable, TableChanged, Undo, UndoAsked
from rails_cli.protocol.messages import Answer, End, Error, Rejected, Request, Start, Update
from rails_cli.study.playback.recorded import read_recorded
from rails_cli.terminal.ending import final_lines
from rails_cli.terminal.frame import Display, Frame, Interrupted, Quit
from rails_cli.terminal.held_seats import forget_seat, keep_seat
from rails_cli.terminal.last_screen import LastScreen
from rails_cli.terminal.looking import COMMAND
from rails_cli.terminal.planning import Planner, TurnAnswers
from rails_cli.terminal.remote_lookahead import RemoteLookahead, SupposeClient, Supposed
from rails_cli.terminal.remote_match import RemoteMatch
from rails_cli.terminal.remote_talk import ASIDE, TableTalk
from rails_cli.terminal.saving import keep_finished

POLL_S = 0.25
"""Seconds between two updates of the screen during a pause."""
LONG_WAIT_S = 10.0
"""Minimum seconds of waiting after which a bell rings at the person's turn. `RemotePlayer.bell` can override this."""
PACE_S = 0.5
"""Seconds between two actions when a person watches a finished game."""
TYPES_BY_TAG: dict[str, type[msgspec.Struct]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (Seated, TableChanged, Start, Update, Request, Rejected, End, Error, ChatLines, UndoAsked)
}
"""Dictionary from the tag of a server message to its type. Messages of these types are validated when they arrive."""
LOG_TRIES = 5
"""Maximum number of requests for the log of a finished game."""
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
        self.seat = 0
        self.match = RemoteMatch()
        self.talk = TableTalk(self.match)
        self.answers = TurnAnswers()
        self.turn = 0
        """Number that identifies the current turn of the person: the number of its first request, minus 1."""
        self.numbers_of_turn = range(0)
        """Numbers that the next request may have if it belongs to the current turn.

        These are the number of the last request and, if that request was answered, the number after it.
        """
        self.overtaken: deque[dict[str, Any]] = deque()
        """Messages that arrived while the person was asked, to be handled afterwards."""
        self.waiting: list[str] = ["Connecting ..."]
        """Lines to show before the game starts."""
        self.shown: tuple[Any, Frame] | None = None
        """The last frame shown while others played, as a pair: the values from which it was made, and the frame."""
        self.last_screen: LastScreen | None = None
        """The screen with the result and the decisive moves. None until the game has ended."""
        self.kept: Path | None = None
        """Path of the log of the finished game, which was downloaded from the server. None if there is no log."""
        self.owner: str | None = None
        """Token that proves that the person owns the table. None if the person does not own the table."""
        self.bell: bool | None = None
        """Whether a bell rings at each turn of the person. None: only after LONG_WAIT_S seconds of waiting."""
        self.waited_since = self._now()
        self.stand_ins: dict[int, bool] = {}
        """Dictionary from a seat to whether a bot plays the seat in place of its player."""
        self.table_id = ""
        self.is_connected = False
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
                    self.is_connected = True
                    self._send(Chat())
                    patience.reset()
                    await self._handle_messages(connection)
                    return
            except (Unreachable, Denied) as error:
                wait = patience.next_delay_s(error, has_seat=self.may_return)
                self.overtaken.clear()
                self.is_connected = False
                is_announced = isinstance(error, Denied) and error.retry_s is not None
                when = f" in {ceil(wait)} s" if is_announced and wait > 0 else ""
                await self._show_notice(f"! Reconnecting{when}: {error}")
            await self._pause(wait)

    @property
    def own(self) -> int | None:
        """The seat of the person. None for a spectator."""
        return None if self.token is None else self.seat

    @property
    def may_return(self) -> bool:
        """Whether the server gives the person the same seat again after a new connection."""
        return self.token is not None or self.is_in_pool

    async def _pause(self, seconds: float) -> None:
        while seconds > 0:
            await asyncio.sleep(min(seconds, POLL_S))
            seconds -= POLL_S
            await self._show(0)

    async def _show_notice(self, text: str) -> None:
        """Show `text` below the descriptions of events, unless it is already the last line."""
        if not self.match.story or self.match.story[-1].text != text:
            self.match.add_notice(text)
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
                if self.sit is None or self.match.id:
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
                line = f"! You have another seat now: {lost}."
                self.match.news.append(line)
                await self._show_notice(line)

    def _handle_seated(self, message: dict[str, Any]) -> None:
        self.token = str(message["token"])
        self.seat = int(message["seat"])
        played = message.get("substituted_from")
        self.match.news = [] if played is None else [f"! A bot played your seat from action {int(played)} on."]
        table, name = str(message["table"]["table"]), (self.sit or {}).get("name") or ""
        keep_seat(self.url, table, self.token, name, self.owner or "")
        self._handle_table(message["table"])

    def _handle_table(self, table: dict[str, Any]) -> None:
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
            if is_played != self.stand_ins.get(number, False) and number != self.own:
                line = f"! {name}'s seat is played by a bot now." if is_played else f"! {name} is back."
                self.match.add_notice(line)
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
                self._handle_table(message["table"])
            case "said":
                self.talk.receive_chat(message)
                await self._show(0)
            case "undo_asked":
                self.talk.receive_undo(message, self.own)
                await self._show(0)
            case "start":
                self._start(message)
            case "update":
                await self._show(self._handle_events(message))
            case "request":
                await self._handle_request(connection, message)
            case "rejected":
                self._forget()
                await self._show_notice(f"! The server refused that: {printable(message['message'])}")
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
        if self._is_shown_aside(message):
            await self._show(0)
            return
        if code == "closed":
            raise Denied(code, words)
        self._forget()
        if code != "substituted":
            await self._show_notice(f"! {words}")
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

    def _is_shown_aside(self, message: dict[str, Any]) -> bool:
        """Show an error that does not concern the question to the person. Return False for other errors.

        Raise Denied if the server closes the connection.
        """
        error = convert_message({**message, "message": printable(str(message.get("message")))}, Error, "`error`")
        if error.fatal:
            raise denied(error)
        is_aside = error.ref == ASIDE or error.code == "draining"
        if is_aside:
            self.match.add_notice(f"! {error.message}")
        return is_aside

    def _forget(self) -> None:
        self.planner.forget()
        self.answers.forget()

    def _start(self, message: dict[str, Any]) -> None:
        if self.match.taken_back:
            self._forget()
        self.match.start(message)
        self.talk.show_again()
        self.stand_ins, self.waited_since = {}, self._now()

    def _handle_events(self, message: dict[str, Any]) -> int:
        return self.match.add_events(message)

    def _frame(self) -> Frame:
        frame = self.match.frame(self.own, self.waiting)
        frame.aside, frame.turn = self._handle_aside, self.turn
        if not self.is_connected:
            frame.waits_for = ""
        return frame

    async def _show(self, lines: int) -> None:
        """Show the game with `lines` new lines about events. If nothing has changed, show the last frame again."""
        match = self.match
        known = (self.is_connected, len(match.story), match.view, self.waiting, match.seen_lines)
        if self.shown is None or self.shown[0] != known:
            self.shown = (known, self._frame())
        await asyncio.to_thread(self.display.tell, self.shown[1], lines)

    # Answers

    async def _handle_request(self, connection: Any, message: dict[str, Any]) -> None:
        self._handle_events(message)
        self.seat = int(message["seat"])
        number = int(message["number"])
        legal = [msgspec.convert(entry, self.match.game.entry_type) for entry in message["legal"]]
        steps = self._known_steps(number, legal)
        if number not in self.numbers_of_turn:
            self.turn = number - 1
        self.numbers_of_turn = range(number, number + 1)
        if not steps:
            try:
                steps = await self._ask_person(connection, number, legal, message.get("clock"))
            except Interrupted:
                return
            self.match.mark_seen()
        step = self.answers.first_step(number, steps)
        await connection.send(encode(Answer(number, action=without_info_fields(step))).decode().rstrip("\n"))
        self.numbers_of_turn = range(number, number + 2)

    def _known_steps(self, number: int, legal: list[Any]) -> list[Any]:
        """Return steps that answer request `number` without asking the person. Empty if the person must be asked.

        `legal` are the legal actions. If the first step is not legal any more, all steps are discarded.
        """
        steps = self.answers.steps_for(number)
        try:
            if steps:
                check_listed(legal, without_info_fields(steps[0]))
        except IllegalAction:
            words = self.match.face.steps_in_words(self.match.wire_board, steps)
            self.match.add_notice(f"! Not sent, because the position has changed: {words}")
            self._forget()
            return []
        return steps

    async def _ask_person(
        self, connection: Any, number: int, legal: list[Any], clock: dict[str, Any] | None
    ) -> list[Any]:
        """Ask the person for the answer to request `number`. Return the steps of the turn.

        `legal` are the legal actions. `clock` has the seconds left, as in the request, or is None if there is no clock.
        """
        match = self.match
        client = SupposeClient(match.game, number, len(match.names), self._send)
        lookahead = RemoteLookahead(client, self.seat, (), Supposed([], match.view, legal))
        decision = decision_at(lookahead, match.game, match.face, match.wire_board, match.board, match.names)
        frame = self._frame()
        if clock is not None:
            left = min(value for value in (clock.get("bank_s"), clock.get("move_s"), 1e9) if value is not None)
            due = self._now() + left
            frame.seconds_left = lambda: max(0, ceil(due - self._now()))
        frame.prompt = f"{match.names[self.seat]}> "
        is_long = self._now() - self.waited_since >= LONG_WAIT_S
        self.display.call(f"● Your turn – {match.game.title}", is_loud=is_long if self.bell is None else self.bell)
        decided = await self._with_person(
            connection, lambda: self.planner.decide(number, decision, frame), client=client, number=number
        )
        self.display.call(match.game.title, is_loud=False)
        self.waited_since = self._now()
        return list(decided)

    async def _with_person(
        self, connection: Any, todo: Callable[[], Any], *, client: SupposeClient | None = None, number: int = 0
    ) -> Any:
        """Call `todo` in a thread and return its result. `todo` is a function that asks the person.

        Meanwhile, receive messages. Results of queries about possible answers are delivered to `client`. `number` is
        the number of the request that the person answers. Raise Interrupted if a message closes the question.
        """
        outcome: Any
        received: BaseException | None
        asking = asyncio.ensure_future(asyncio.to_thread(todo))
        receiving = asyncio.ensure_future(self._receive_until_closed(connection, client))
        try:
            await asyncio.wait((asking, receiving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            receiving.cancel()
            while not asking.done():  # repeatedly, because the person may not have been asked yet
                self._stop(client)
                await asyncio.wait((asking,), timeout=POLL_S)
            if client is not None:
                client.close()
            outcome, received = await asyncio.gather(asking, receiving, return_exceptions=True)
            if isinstance(outcome, Quit):
                raise outcome
        if isinstance(received, Exception):  # the connection is lost
            if isinstance(outcome, list):
                self.answers.keep(number, outcome)
            raise received
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def _receive_until_closed(self, connection: Any, client: SupposeClient | None) -> None:
        """Receive messages while the person is asked, until a message closes the question."""
        while not any(message.get("type") in CLOSING_TYPES for message in self.overtaken):
            self._meanwhile(decode_message(await connection.recv()), client)

    def _meanwhile(self, message: dict[str, Any], client: SupposeClient | None) -> None:
        """Handle a message that arrives while the person is asked, or store the message in `overtaken` for later.

        Results of queries are delivered to `client`.
        """
        if client is not None and client.deliver(message):
            return
        match message.get("type"):
            case "said":
                self.talk.receive_chat(message)
            case "undo_asked":
                self.talk.receive_undo(message, self.own)
            case "table":
                convert_message(message, TableChanged, "`table`")
                self._handle_table(message["table"])
            case "error" if self._is_shown_aside(message):
                pass
            case _:
                self.overtaken.append(message)

    def _stop(self, client: SupposeClient | None) -> None:
        if client is not None:
            client.close()
        self.display.interrupt()

    def _handle_aside(self, line: str) -> bool:
        """Handle a typed line about chat, undo or the start of the game. Return False for other lines.

        The display calls this in its own thread.
        """
        word, _, rest = line.strip().partition(" ")
        command, rest = word.lower().removeprefix(COMMAND), rest.strip()
        if self.talk.handle(command, rest, self.own, self._send):
            return True
        if command == "undo" and self.match.id and not self.planner.steps:
            self._send(Undo("ask", ref=ASIDE))
        elif command == "start" and not rest and self.owner is not None and not self.match.id:
            self._send(StartTable(self.table_id, self.owner, ref=ASIDE))
        else:
            return False
        return True

    # The end

    async def _handle_end(self, message: dict[str, Any]) -> None:
        """Show the result. If the server gives the log, also show which moves of the person decided the game."""
        scores, ranks = message["scores"], message["ranks"]
        match, self.turn = self.match, -1
        lines = final_lines(match.face, match.wire_board, match.names, scores, ranks, match.events)
        is_normal = message["reason"] == "normal"
        played = sorted((seat for seat, is_played in self.stand_ins.items() if is_played), reverse=True)
        notes = [f"A bot finished this game for {'you' if seat == self.own else match.names[seat]}." for seat in played]
        if not is_normal:
            notes.append(END_WORDS.get(message["reason"], "The game has ended."))
        people = [] if self.own is None or self.own in played or not is_normal else [self.own]
        self.last_screen = LastScreen(self._frame(), lines, scores, ranks, people, notes)
        if people and self.display.is_interactive:
            await self._judge(self.last_screen)
        await asyncio.to_thread(self.last_screen.show, self.display)

    async def _judge(self, last_screen: LastScreen) -> None:
        """Download and save the log of the finished game, and judge the moves of the person.

        If the server does not give the log, judge nothing.
        """
        for _ in range(LOG_TRIES):
            await asyncio.to_thread(last_screen.wait, self.display)
            found = await asyncio.to_thread(fetch_log, self.url, self.table_id, self.certificate)
            if not isinstance(found, float):
                break
            await asyncio.sleep(found)
        if isinstance(found, bytes):
            self.kept = await asyncio.to_thread(keep_finished, found, self.match.game.name, self.table_id, self.seat)
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
        self._handle_table(watched["table"])

    def _handle_events(self, message: dict[str, Any]) -> int:
        self.match.mark_seen()
        return super()._handle_events(message)

    def _frame(self) -> Frame:
        frame = super()._frame()
        frame.is_watching = True
        return frame
