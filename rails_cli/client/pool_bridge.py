"""A relay between a bot and the rated pool of a server, in which the server pairs bots and rates their games."""

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import WebSocketException

from rails_cli.client.bridge import RELAYED_TYPES, Bridge, OnGameEnd, result_words
from rails_cli.client.connection import (
    FIRST_WAIT_S,
    Denied,
    Unreachable,
    ask,
    connect_to_lobby,
    convert_message,
    decode_message,
    denied,
)
from rails_cli.client.local_bot import BotLost, LocalBot
from rails_cli.protocol.lobby import Seated, TableChanged, TableInfo
from rails_cli.protocol.messages import Error
from rails_cli.protocol.pool import Offered, Ready

MAX_FAILURES = 5
"""Number of exits of a bot, without a complete game between them, after which the bot is not restarted."""


@dataclass
class PoolBridge(Bridge):
    """A relay between a bot and the rated pool of a server. The bot plays one game after another on one connection."""

    enter: dict[str, Any] = field(default_factory=dict)
    """The fields of the `enter` request, which enters the pool."""
    failures: int = 0
    """Number of exits of the bot since its last complete game."""
    entrant: str = ""
    """Name under which the bot is registered in the pool. Empty until the server has sent the name."""

    def __post_init__(self) -> None:
        self.stays = True

    async def run(self, ended: OnGameEnd) -> None:
        """Play until the last game ends or `stop` is called. If the bot exits, start it again and return to its seat.

        Call `ended` after each game. Raise BotLost after MAX_FAILURES exits without a complete game, or if the bot
        exits after `stop` was called.
        """
        while True:
            try:
                await super().run(ended)
                return
            except BotLost as lost:
                self.failures += 1
                if self.failures >= MAX_FAILURES or self.stops:
                    await self._give_up_seat()
                    often = f", {self.failures} times without a whole game; `rails-cli check-bot` may show why"
                    raise BotLost(f"{lost}{often if self.failures > 1 else ''}") from None
                self.on_status(f"{lost}; starting it again")
                await self.sleep(FIRST_WAIT_S * self.failures)

    async def _give_up_seat(self) -> None:
        if self.token is not None:
            with suppress(Denied, Unreachable):
                async with connect_to_lobby(self.url, self.certificate, timeout_s=self.timeout_s) as connection:
                    await ask(connection, timeout_s=self.timeout_s, type="resume", token=self.token)
                    await ask(connection, timeout_s=self.timeout_s, type="leave")

    @property
    def leave_type(self) -> str:
        return "leave" if self.is_playing else "withdraw"

    async def _on_stop(self) -> None:
        if self.connection is not None:
            with suppress(WebSocketException):
                await self.connection.send(json.dumps({"type": "withdraw"}))

    async def _play(self, bot: LocalBot, joining: asyncio.Future[None], ended: OnGameEnd) -> None:
        while True:
            try:
                async with connect_to_lobby(self.url, self.certificate, timeout_s=self.timeout_s) as connection:
                    await joining
                    await self._enter(connection)
                    await self._play_in_pool(connection, bot, ended)
                    return
            except (Denied, Unreachable) as error:
                if isinstance(error, Denied) and error.code == "too_many":  # may succeed later
                    error = Unreachable(str(error))
                await self._wait_after(error)
            finally:
                self.connection = None

    async def _enter(self, connection: ClientConnection) -> None:
        """Send the bot's `join` message, if there is one, and then `enter`. Do not wait for the answer to `enter`.

        If the bot has the token of a seat, take this seat again before `enter` is sent. If the server refuses the seat,
        enter without it.
        """
        if self.join is not None:
            await connection.send(self.join)
        if self.token is not None:
            try:
                await ask(connection, timeout_s=self.timeout_s, type="resume", token=self.token)
            except Denied as error:
                if error.is_fatal:
                    raise
                self.token = None
        self.is_playing = self.token is not None
        await connection.send(json.dumps({"type": "enter", "ref": "enter", **self.enter}))
        self.connection = connection

    @property
    def page(self) -> str:
        parts = urlsplit(self.url)
        scheme = "https" if parts.scheme == "wss" else "http"
        return f"{scheme}://{parts.netloc}/#pool/{quote(self.entrant, safe='')}"

    def _note_lost(self, table: TableInfo) -> None:
        """Add the seats that substitutes play now to `lost`. In the pool, a seat stays lost if its player returns."""
        self.lost.update(seat.seat for seat in table.seats if seat.substitute)

    def _handle_error(self, error: Error) -> None:
        if error.code == "substituted":
            self.on_status(f"substituted: a substitute plays this game to its end; what went wrong: {self.page}")
        else:
            super()._handle_error(error)

    async def _play_in_pool(self, connection: ClientConnection, bot: LocalBot, ended: OnGameEnd) -> None:
        """Accept offered games and relay messages to the bot until the last game ends. Call `ended` after each game."""
        while True:
            content = await connection.recv()
            message = decode_message(content)
            kind = message.get("type")
            if kind == "error":
                error = convert_message(message, Error, "an error")
                if error.ref == "enter":
                    raise denied(error)
                self._handle_error(error)
            elif kind == "entered":
                self.retry_policy.reset()
                self.entrant = str(message.get("entrant"))
                self.on_status(f"{self.entrant} has entered the pool")
            elif kind == "offered":
                await connection.send(acceptance(message))
                if message.get("check") is True:
                    self.on_status("the bot is quarantined; an unrated game decides whether it may play again")
            elif kind == "seated":
                seated = convert_message(message, Seated, "`seated`")
                self.token, self.is_playing = seated.token, True
                place, self.started = f"table {seated.table.table}", None
                if place != self.place:
                    self.place, self.lost = place, set()
                self._note_lost(seated.table)
                table, place = seated.table, f"seat {seated.seat + 1} of {seated.table.players}"
                self.on_status(f"playing {table.game} at table {table.table} in {place}")
            elif kind == "table":
                self._note_lost(convert_message(message, TableChanged, "`table`").table)
            elif kind == "withdrawn" and not self.is_playing:
                if self.stops:
                    return
                raise Denied("idle", str(message.get("why")))
            elif kind in RELAYED_TYPES:
                await self._relay(message, content, bot)
                if kind == "end":
                    self.token, self.is_playing, self.failures = None, False, 0
                    ended(message, result_words(self.place, self.started, message, self.lost))
                    if self.is_over:
                        return


def acceptance(message: dict[str, Any]) -> str:
    """Return the JSON text of the message that accepts the game offered in `message`, an `offered` message."""
    return msgspec.json.encode(Ready(convert_message(message, Offered, "`offered`").offer)).decode()
