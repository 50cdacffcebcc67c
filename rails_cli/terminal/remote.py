"""A person at a server's table: the same questions and answers, carried over a websocket."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from protocol.lines import encode
from protocol.messages import Answer
from rails_cli.asking.situation import Situation
from rails_cli.client import Denied, Unreachable, ask, lobby
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.games.game import bare
from rails_cli.playback.recorded import printable
from rails_cli.playback.screen import marked_by
from rails_cli.render import teller_of
from rails_cli.terminal.dialogue import Dialogue
from rails_cli.terminal.ending import final_lines
from rails_cli.terminal.page import Face, Left, Page

LOOK_AGAIN_S = 0.25
PATIENCE_S = 120.0
FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
PASSING = frozenset({"shutdown", "silent", "idle", "too_slow", "too_fast"})
"""Errors that end a connection, but not the seat: one comes back."""


async def open_tables(url: str, certificate: Path | None) -> list[dict[str, Any]]:
    """The tables at which somebody can sit down."""
    async with lobby(url, certificate) as connection:
        tables = (await ask(connection, type="list", state="open"))["tables"]
    return [table for table in tables if any(seat["kind"] == "open" for seat in table["seats"])]


class Guest:
    """A person who sits at a table of a server; comes back by itself after a disconnection."""

    def __init__(
        self,
        url: str,
        face: Face,
        *,
        sit: dict[str, Any] | None,
        token: str | None,
        certificate: Path | None,
    ) -> None:
        """`sit` is the request for a seat, or `token` the one of a seat held before."""
        self.url = url
        self.face = face
        self.sit = sit
        self.token = token
        self.certificate = certificate
        self.dialogue = Dialogue(face, undo_refused=lambda seat: "At a server's table nothing is taken back.")
        self.names: list[str] = []
        self.story: list[str] = []
        self.events: list[Any] = []
        self.since = 0
        self.game: Any = None
        self.wire_board: dict[str, Any] = {}
        self.board: Any = None
        self.view: Any = None
        self.seat = 0
        self.number = 0
        self.waiting: list[str] = ["Connecting ..."]
        self.final: list[str] = []

    async def play(self) -> None:
        """Plays until the game has ended."""
        wait, waited = FIRST_WAIT_S, 0.0
        while True:
            try:
                async with lobby(self.url, self.certificate) as connection:
                    await self._take_seat(connection)
                    wait, waited = FIRST_WAIT_S, 0.0
                    if await self._carry(connection):
                        return
                    raise Unreachable(f"the connection to {self.url} is closed")
            except Unreachable as error:
                if self.token is None or waited >= PATIENCE_S:
                    raise
                self.waiting = [f"{error}; trying again in {wait:g} s."]
                await self._show(0)
            await asyncio.sleep(wait)
            waited += wait
            wait = min(LONGEST_WAIT_S, wait * 2)

    async def _take_seat(self, connection: Any) -> None:
        await connection.send(json.dumps({"type": "join", "push": True}))
        if self.token is not None:
            await connection.send(json.dumps({"type": "resume", "token": self.token}))
            return
        assert self.sit is not None
        seated = await ask(connection, **self.sit)
        self._seated(seated)

    def _seated(self, message: dict[str, Any]) -> None:
        self.token = str(message["token"])
        self.seat = int(message["seat"])
        self._table(message["table"])

    def _table(self, table: dict[str, Any]) -> None:
        seats = ", ".join(printable(seat["name"] or seat["kind"]) for seat in table["seats"])
        self.waiting = [f"Table {table['table']}, {table['game']}: {seats}.", "", "Waiting for the others."]

    async def _carry(self, connection: Any) -> bool:
        """Whether the game has ended; False if the connection has."""
        while True:
            try:
                content = await asyncio.wait_for(connection.recv(), LOOK_AGAIN_S)
            except TimeoutError:
                await self._show(0)
                continue
            message = json.loads(content)
            match message.get("type"):
                case "seated":
                    self._seated(message)
                case "table":
                    self._table(message["table"])
                case "start":
                    self._start(message)
                case "update":
                    await self._show(self._happened(message))
                case "request":
                    await self._asked(connection, message)
                case "rejected":
                    self.dialogue.forget()
                    self.story.append(f"! The server did not take that: {printable(message['message'])}")
                    if message["code"] not in ("stale_request", "not_your_turn"):
                        await connection.send(json.dumps({"type": "again"}))
                case "end":
                    self._happened(message)
                    await self._ended(message)
                    return True
                case "error":
                    code = message["code"]
                    if message["fatal"] and code not in PASSING:
                        raise Denied(code, message["message"])
                    self.story.append(f"! {printable(message['message'])}")

    def _start(self, message: dict[str, Any]) -> None:
        if message["game"] not in GAME_NAMES:
            raise Denied("game", f"this program does not know the game {printable(message['game'])!r}")
        self.game = load_game(message["game"])
        self.names = [printable(name) for name in message["players"]]
        self.wire_board = message["board"]
        board = standard_board(self.game.name)
        is_standard = msgspec.json.decode(msgspec.json.encode(self.game.wire_board(board))) == self.wire_board
        self.board = board if is_standard else None
        self.story, self.events, self.since, self.view = [], [], 0, None

    def _happened(self, message: dict[str, Any]) -> int:
        """Adds what a message tells to the story; how much that is."""
        events = [msgspec.convert(event, self.game.event_type) for event in message["events"]]
        if message.get("view") is not None:
            self.view = msgspec.convert(message["view"], self.game.view_type)
        tell = teller_of(self.game.name).tell
        self.events += events
        self.story += [printable(tell(event, self.names)) for event in events]
        return len(events)

    def _page(self) -> Page:
        if self.view is None:
            title = "rails-cli" if self.game is None else self.game.title
            return Page(title, self.names, self.wire_board, None, None, overlay=[*self.waiting, "", *self.story[-10:]])
        return Page(
            title=self.game.title,
            names=self.names,
            wire_board=self.wire_board,
            view=self.view,
            seer=self.seat,
            story=self.story,
            fresh=len(self.story) - self.since,
            marked=frozenset(marked_by(self.events[-max(len(self.story) - self.since, 1) :])),
            events=self.events,
        )

    async def _show(self, lines: int) -> None:
        await asyncio.to_thread(self.face.tell, self._page(), lines)

    async def _asked(self, connection: Any, message: dict[str, Any]) -> None:
        self._happened(message)
        seat = self.seat = int(message["seat"])
        situation = Situation(
            game=self.game.name,
            title=self.game.title,
            wire_board=self.wire_board,
            board=self.board,
            names=self.names,
            seat=seat,
            view=self.view,
            legal=[msgspec.convert(entry, self.game.entry_type) for entry in message["legal"]],
            trial=None,
        )
        page = self._page()
        clock = message.get("clock")
        if clock is not None:
            left = min(value for value in (clock.get("bank_s"), clock.get("move_s"), 1e9) if value is not None)
            page.title = f"{page.title}  ({left:.0f} s to answer)"
        page.prompt = f"{self.names[seat]}> "
        action = await asyncio.to_thread(self.dialogue.decide, situation, page)
        self.since = len(self.story)
        await connection.send(encode(Answer(int(message["number"]), action=bare(action))).decode().rstrip("\n"))

    async def _ended(self, message: dict[str, Any]) -> None:
        self.final = final_lines(self.game.name, self.names, message["scores"], message["ranks"], self.events)
        if message["reason"] != "normal":
            self.final.insert(0, f"The game was ended: {printable(message['reason'])}.")
        page = self._page()
        page.overlay = list(self.final)
        page.prompt = "press enter> "
        await asyncio.to_thread(self.face.close, page)


def play_at(
    url: str,
    with_face: Callable[[Callable[[Face], Any]], bool],
    *,
    sit: dict[str, Any] | None,
    token: str | None,
    certificate: Path | None,
) -> tuple[list[str], str | None, str]:
    """Plays at a table; how it ended in lines, the token of the seat, and how the person left, `normal` at the end."""
    guests: list[Guest] = []

    def play(face: Face) -> None:
        guest = Guest(url, face, sit=sit, token=token, certificate=certificate)
        guests.append(guest)
        asyncio.run(guest.play())

    try:
        is_screen = with_face(play)
    except Left as left:
        return [], guests[0].token, left.how
    return (guests[0].final if is_screen else []), guests[0].token, "normal"
