"""Long tests of the websocket server: network faults, server crashes and fuzzing. They are called campaigns.

soak.py (`make soak`) runs the long forms. A campaign raises AssertionError if a check fails. It returns counts, for
example of faults and messages.
"""

import asyncio
import json
import random
import secrets
import socket
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import msgspec
import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from rails_cli.games import game_names
from rails_cli.games.game import ALL_SEATS, PUBLIC
from rails_cli.logs.reading import read_log
from rails_cli.logs.replay import replay
from rails_cli.protocol.messages import ViewForm
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import (
    BINARY,
    CLOSE,
    CONTINUED,
    PING,
    PONG,
    Client,
    Closed,
    Json,
    RawClient,
    ServerProcess,
    create,
    duel,
    frame_bytes,
    play_to_end,
    table_of,
    verified,
)

VIEW_FORMS = get_args(ViewForm)
HIGH_LIMITS = ("--max-tables-each", "10000", "--max-connections-each", "5000", "--max-connections", "5000")
TRACES = ("Traceback", "Error:", "never retrieved")


MEMORY_BATCH = 40
"""Maximum number of games that run at the same time while the memory of a server is measured."""


def memory_campaign(games: int, folder: Path) -> tuple[int, int]:
    """Play many games at one server. Return the server's memory in bytes after a tenth of the games and at the end.

    Most games are between built-in players. A client plays one game of each batch.
    """
    early = played = 0
    batch = min(MEMORY_BATCH, games // 2)
    free = ("--requests-per-second", "1000000", "--max-tables-each", str(2 * games), "--messages-per-second", "1000000")
    with ServerProcess(folder, *free) as server:
        memory = psutil.Process(server.process.pid).memory_info
        while played < games:
            with Client(server.url) as client:
                for number in range(played, min(games, played + batch)):
                    game = game_names()[number % len(game_names())]
                    seats = ["builtin:busy", "builtin:random", "builtin:busy"]
                    create(client, game, 3, seats=seats)
                duel(server, client, game="last_spike", players=2)
                play_to_end(client)
                admin = {"type": "admin", "token": server.admin_token, "command": "status"}
                wait_until(lambda: not client.asked(**admin)["tables"].get("playing", 0), "the games to end")  # noqa: B023
            before, played = played, number + 1
            if before < max(1, games // 10) <= played:
                early = memory().rss
        late = memory().rss
        assert not [line for line in server.said if any(trace in line for trace in TRACES)], server.said
    assert late < early * 1.2 + 20_000_000, f"the server grew from {early} to {late} bytes in {games} games"
    return early, late


def check_log(server: ServerProcess, table: str, tags: dict[int, str]) -> Counter[str]:
    """Check that the log of `table` is complete. Return the number of actions by origin.

    The keys of `tags` are the seats to check. Each value is the text that the player of the seat sends as `info` with
    every action. The origins are:

    - `own`: sent by the player of the seat.
    - `default`: the default action after a fault.
    - `substitute`: chosen by a built-in player that has replaced the player.
    """
    assert verified(server.log(table)), f"{table} is not finished"
    seen: Counter[str] = Counter()
    replaced: set[int] = set()
    for line in server.lines(table):
        if line["type"] == "fault" and "substitute takes over" in line["message"]:
            replaced.add(line["seat"])
        if line["type"] != "action" or line["seat"] not in tags:
            continue
        if line.get("default"):
            seen["default"] += 1
        elif line.get("info") is None and line.get("ms") is None:
            assert line["seat"] in replaced, f"{table}: {line} has no player"
            seen["substitute"] += 1
        else:
            assert line["info"] == tags[line["seat"]], f"{table}: {line} came from another client"
            seen["own"] += 1
    return seen


def quiet(server: ServerProcess) -> None:
    """Check that the server printed no error or traceback."""
    errors = [line for line in server.said if any(word in line for word in TRACES)]
    assert not errors, errors


# Faults


class Faulty:
    """A simulated player on a bad network: connections break, and messages are delayed, repeated or sent in floods."""

    def __init__(self, campaign: "FaultCampaign", seed: int) -> None:
        self.campaign = campaign
        self.chance = random.Random(seed)
        self.tag = secrets.token_hex(8)
        self.token: str | None = None
        self.seat = -1
        self.end: Json | None = None
        self.returns = 0

    async def play(self, table: str) -> None:
        """Play at `table` until the game ends, reconnecting after each fault."""
        while self.end is None:
            try:
                async with connect(
                    self.campaign.url, compression=None, max_size=None, proxy=None, close_timeout=CLOSE_S
                ) as connection:
                    await self._sit(connection, table)
                    await self._answer_all(connection)
            except (OSError, WebSocketException, TimeoutError, EOFError):
                await asyncio.sleep(self.chance.random() * RETURN_S)  # timing: spreads the returns
            self.returns += 1

    async def _sit(self, connection: ClientConnection, table: str) -> None:
        if self.token is not None:
            await connection.send(json.dumps({"type": "resume", "token": self.token}))
            return
        await connection.send(json.dumps({"type": "sit", "table": table, "ref": "sit"}))
        async for content in connection:
            message = json.loads(content)
            if message.get("ref") == "sit":
                assert message["type"] == "seated", message
                self.token, self.seat = message["token"], message["seat"]
                return

    async def _answer_all(self, connection: ClientConnection) -> None:
        async for content in connection:
            message = json.loads(content)
            if message["type"] == "end":
                self.end = message
                return
            assert message.get("code") != "forbidden", message
            if message["type"] == "request":
                assert message["seat"] == self.seat
                await self._answer(connection, message)

    async def _answer(self, connection: ClientConnection, request: Json) -> None:
        """Answer a request, or cause one of several kinds of faults at random."""
        choice = self.chance.randrange(len(request["legal"]))
        answer = json.dumps({"type": "action", "number": request["number"], "choice": choice, "info": self.tag})
        fault = self.chance.choices(("none", "cut", "delay", "twice", "late cut", "flood", "double"), FAULT_WEIGHTS)[0]
        self.campaign.done[fault] += 1
        if fault == "cut":
            connection.transport.abort()
            return
        delay_s = self.chance.random() * (DELAY_S if fault == "delay" else THINK_S)
        await asyncio.sleep(delay_s)  # timing: varies the order of events
        await connection.send(answer)
        self.campaign.note_answer()
        if fault == "twice":
            await connection.send(answer)
        elif fault == "late cut":
            connection.transport.abort()
        elif fault == "flood":
            for _ in range(300):
                await connection.send('{"type":"again"}' if self.chance.random() < 0.5 else "junk")
        elif fault == "double" and self.token is not None:
            async with connect(
                self.campaign.url, compression=None, max_size=None, proxy=None, close_timeout=CLOSE_S
            ) as second:
                await second.send(json.dumps({"type": "resume", "token": self.token}))
                await self._answer_all(second)


THINK_S, DELAY_S, RETURN_S, PAUSE_S = 0.05, 0.3, 0.2, 0.1
CLOSE_S = 1.0
"""Maximum number of seconds to close a connection."""
ANSWERS_BEFORE_KILL = 5
"""Mean number of answers that players send in each game between one kill of the server and the next."""
FAULT_WEIGHTS = (88, 3, 3, 3, 2, 0.3, 0.7)


class FaultCampaign:
    """Many games on bad networks at a server that is killed and restarted, while strangers try to interfere."""

    def __init__(self, games: int, kills: int, seed: int, folder: Path, names: Sequence[str]) -> None:
        self.games = games
        self.names = names
        self.kills = kills
        self.chance = random.Random(seed)
        self.seed = seed
        self.folder = folder
        self.done: Counter[str] = Counter()
        self.url = ""
        self.answers = 0
        self._progress = asyncio.Event()

    def note_answer(self) -> None:
        self.answers += 1
        self._progress.set()

    async def _answered(self, count: int) -> None:
        """Wait until all players together have sent `count` answers."""
        while self.answers < count:
            self._progress.clear()
            await self._progress.wait()

    async def run(self, patience_s: float) -> dict[str, Any]:
        """Run the campaign, waiting at most `patience_s` seconds for its end.

        Return counts of actions, of faults and of reconnections of players.
        """
        # Faults and floods are intended, and a busy machine may be slow. A long absence limit prevents substitutes.
        options = (*HIGH_LIMITS, "--absence", "3600", "--messages-per-second", "50", "--requests-per-second", "5000")
        server = ServerProcess(self.folder / "data", *options)
        try:
            self.url = server.url
            tables, players = await self._set_up()
            tasks = [
                asyncio.ensure_future(player.play(table))
                for table, pair in zip(tables, players, strict=True)
                for player in pair
            ]
            strangers = [asyncio.ensure_future(self._stranger(tables, number)) for number in range(4)]
            everybody = asyncio.gather(*tasks)
            for kill in range(1, self.kills + 1):
                await self._answered(kill * self.games * ANSWERS_BEFORE_KILL)
                await asyncio.to_thread(server.kill)
                quiet(server)
                server = await asyncio.to_thread(
                    lambda: ServerProcess(self.folder / "data", *options, port=int(self.url.rpartition(":")[2]))
                )
                self.done["games brought back"] += server.going_on
            await asyncio.wait_for(everybody, patience_s)
            for task in strangers:
                task.cancel()
            await asyncio.gather(*strangers, return_exceptions=True)
            for table, pair in zip(tables, players, strict=True):
                self.done.update(check_log(server, table, {player.seat: player.tag for player in pair}))
                assert all(player.end is not None and player.end["match"] == table for player in pair)
            assert await asyncio.to_thread(server.stop) == 0
            quiet(server)
        finally:
            server.__exit__()
        self.done["returns"] = sum(player.returns - 1 for pair in players for player in pair)
        return dict(self.done)

    async def _set_up(self) -> tuple[list[str], list[list[Faulty]]]:
        """Create all tables. Return the ids of the tables and a list of players for each table."""
        tables = []
        async with connect(self.url, compression=None, proxy=None, close_timeout=CLOSE_S) as owner:
            for number in range(self.games):
                game = self.names[number % len(self.names)]
                seats = [None, None] if game == "last_spike" and number % 2 else [None, "builtin:random", None]
                wish = {"type": "create", "game": game, "players": len(seats), "seats": seats, "clock": "36000+5"}
                await owner.send(json.dumps({**wish, "ref": "made"}))
                async for content in owner:
                    message = json.loads(content)
                    if message.get("ref") == "made":
                        assert message["type"] == "created", message
                        tables.append(str(message["table"]["table"]))
                        break
        pairs = [[Faulty(self, self.seed + 2 * number + side) for side in (0, 1)] for number in range(self.games)]
        return tables, pairs

    async def _stranger(self, tables: list[str], number: int) -> None:
        """Until cancelled, send requests that try to act for players of `tables`. Reconnect often.

        `number` is the number of the stranger, which seeds its random choices.
        """
        chance = random.Random(self.seed + 1000 + number)
        while True:
            try:
                async with connect(
                    self.url, compression=None, max_size=None, proxy=None, close_timeout=CLOSE_S
                ) as connection:
                    try:
                        await self._try_to_act(connection, tables, chance)
                    finally:
                        # The stranger reads nothing, so the closing handshake would never finish.
                        connection.transport.abort()
            except (OSError, WebSocketException, TimeoutError, EOFError):
                await asyncio.sleep(PAUSE_S)  # timing: the server may be starting again

    async def _try_to_act(self, connection: ClientConnection, tables: list[str], chance: random.Random) -> None:
        for _ in range(100):
            wish = chance.choice(
                [
                    {"type": "resume", "token": secrets.token_urlsafe(24)},
                    {"type": "action", "number": chance.randrange(1, 200), "choice": 0, "info": "stranger"},
                    {"type": "sit", "table": chance.choice(tables), "name": "stranger"},
                    {"type": "watch", "table": chance.choice(tables)},
                    {"type": "leave"},
                    {"type": "start_table", "table": chance.choice(tables), "owner": "me"},
                    {"type": "admin", "token": "me", "command": "shutdown"},
                ]
            )
            self.done["tries of strangers"] += 1
            await connection.send(json.dumps(wish))
            await asyncio.sleep(chance.random() * PAUSE_S)  # timing: limits the load of strangers


def fault_campaign(
    games: int, kills: int, seed: int, folder: Path, *, names: Sequence[str] = game_names(), patience_s: float = HANG_S
) -> dict[str, Any]:
    """Play games on bad networks at a server that is killed `kills` times.

    Return counts of actions, of faults and of reconnections of players.
    """
    return asyncio.run(FaultCampaign(games, kills, seed, folder, names).run(patience_s))


# Fuzz


class ReceivedMessages:
    """The messages received on one connection, and a check that they reveal no hidden information."""

    def __init__(self) -> None:
        self.messages: list[Json] = []

    def check(self, known: "Known", own_seats: dict[str, int], secret_words: set[str]) -> None:
        """Check that no message contains a secret word, the server's folder, or an event that this client may not see.

        `known` holds the events that each seat may see, and `own_seats` the seat of this client by table.
        """
        ended: set[str] = set()
        seats: dict[str, int | None] = {}
        for message in self.messages:
            text = json.dumps(message)
            assert "Traceback" not in text, text
            assert known.folder not in text, text
            for word in secret_words:
                assert word not in text, f"a secret was sent: {text[:200]}"
            if message["type"] == "watching" and message["table"]["state"] == "ended":
                ended.add(message["table"]["table"])
            table = message.get("match")
            if table not in known.allowed:
                continue
            if message["type"] == "start":
                seats[table] = message["seat"]
                assert message["seat"] in (None, own_seats.get(table)), "a seat was given to another client"
            seat = seats.get(table)
            is_end = message["type"] == "end" or (
                message["type"] == "update" and message["view"] and not message["events"]
            )
            if is_end and seat is None:
                ended.add(table)
            observer = ALL_SEATS if table in ended and seat is None else PUBLIC if seat is None else seat
            for event in message.get("events", ()):
                assert json.dumps(event, sort_keys=True) in known.allowed[table][observer], f"{table}: sent {event}"
            if message.get("view") is not None and observer != ALL_SEATS:
                for player in message["view"]["players"]:
                    if player["seat"] != seat and not message["view"]["has_ended"]:
                        assert player["hand"] is None, f"{table}: a hand was shown"
                        assert player["cash"] is None, f"{table}: cash was shown"


class Known:
    """For each table, the events that each seat and the public may see, taken from the logs of the server."""

    def __init__(self, server: ServerProcess, tables: list[str]) -> None:
        self.folder = str(server.folder)
        self.allowed: dict[str, dict[int, set[str]]] = {}
        for table in tables:
            match = list(replay(read_log(server.log(table).read_bytes())))[-1].match
            self.allowed[table] = {
                observer: {
                    json.dumps(msgspec.to_builtins(event), sort_keys=True) for event in match.events_for(observer, 0)
                }
                for observer in (PUBLIC, ALL_SEATS, *range(len(match.header.players)))
            }


class Fuzzer:
    """A client that sends random frames, and valid frames with damage."""

    def __init__(self, server: ServerProcess, seed: int) -> None:
        self.server = server
        self.chance = random.Random(seed)
        self.received = ReceivedMessages()
        self.raw: RawClient | None = None
        self.table = ""
        self.token: str | None = None
        self.number = 1
        self.legal = 1
        self.seats: dict[str, int] = {}
        self.opened = 0

    def connection(self) -> RawClient:
        """Return the open connection. If none is open, open one and return to the previous seat or table."""
        if self.raw is None:
            self.raw = RawClient(self.server.port, {})
            self.opened += 1
            assert self.raw.status.endswith("101 Switching Protocols"), self.raw.status
            if self.token is not None:
                self.raw.send(frame_bytes(json.dumps({"type": "resume", "token": self.token}).encode()))
            elif self.table:
                self.raw.send(frame_bytes(json.dumps({"type": "watch", "table": self.table}).encode()))
        return self.raw

    def sit(self, table: str) -> None:
        """Take the last seat of `table`. Further frames are sent on a new connection."""
        if self.raw is not None:
            self.raw.close()
        self.raw = None
        with Client(self.server.url) as client:
            seated = client.asked(type="sit", table=table)
        self.table, self.token = table, seated["token"]
        self.seats[table] = seated["seat"]
        self.connection()

    def look_at(self, table: str) -> None:
        self.table, self.token = table, None
        self.connection().send(frame_bytes(json.dumps({"type": "watch", "table": table}).encode()))

    def send(self) -> None:
        """Send one random frame and read everything that has arrived."""
        raw = self.connection()
        raw.send(self._frame())
        self._drain(raw)

    def _drain(self, raw: RawClient) -> None:
        raw.socket.setblocking(False)
        try:
            for opcode, content in raw.frames():
                if opcode == 1:
                    self._note_message(json.loads(content))
            raw.close()
            self.raw = None
        except BlockingIOError:
            raw.socket.settimeout(HANG_S)

    def _note_message(self, message: Json) -> None:
        self.received.messages.append(message)
        if message["type"] == "request":
            self.number, self.legal = message["number"], max(1, len(message["legal"]))

    def _valid(self) -> Json:
        chance = self.chance
        table = chance.choice([self.table, "nowhere", "../x"])
        return chance.choice(
            [
                {"type": "action", "number": self.number, "choice": chance.randrange(self.legal)},
                {"type": "action", "number": self.number, "choice": chance.randrange(self.legal)},
                {"type": "action", "number": self.number, "action": {"type": "pass"}, "info": {"a": [1, None]}},
                {"type": "join", "view": chance.choice(VIEW_FORMS), "push": chance.random() < 0.5},
                {"type": "again", "view": chance.choice(VIEW_FORMS)},
                {"type": "list", "search": "x"},
                {"type": "create", "game": "last_spike", "players": 2, "clock": "10/move", "name": "fuzz"},
                {"type": "sit", "table": table, "seat": chance.randrange(4)},
                {"type": "resume", "token": secrets.token_urlsafe(24)},
                {"type": "invite", "table": table, "owner": "x"},
                {"type": "start_table", "table": table, "owner": "x"},
                {"type": "rematch"},
                {"type": "watch", "table": table, "pace_s": chance.choice([0, 1])},
                {"type": "admin", "token": "x", "command": "end_table", "table": table},
            ]
        )

    def _frame(self) -> bytes:
        """Return the bytes of a random frame: valid, damaged or arbitrary."""
        chance = self.chance
        kind = chance.random()
        if kind < 0.25:
            return frame_bytes(json.dumps(self._valid()).encode())
        if kind < 0.6:
            return frame_bytes(self._spoiled(json.dumps(self._valid()).encode()))
        if kind < 0.75:
            return frame_bytes(json.dumps(self._other_values(self._valid())).encode())
        if kind < 0.85:
            return frame_bytes(chance.randbytes(chance.randrange(200)))
        if kind < 0.9:
            opcode = chance.choice([CONTINUED, BINARY, CLOSE, PING, PONG, 3, 11])
            return frame_bytes(chance.randbytes(chance.randrange(130)), opcode, fin=chance.random() < 0.8)
        if kind < 0.95:
            whole = frame_bytes(json.dumps(self._valid()).encode())
            return self._spoiled(whole)
        content = json.dumps(self._valid()).encode()
        cut = chance.randrange(len(content))
        return frame_bytes(content[:cut], fin=False) + frame_bytes(content[cut:], CONTINUED)

    def _spoiled(self, content: bytes) -> bytes:
        chance = self.chance
        spoiled = bytearray(content)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(spoiled) + 1)
            way = chance.randrange(5)
            if way == 0:
                spoiled[at : at + 1] = bytes([chance.randrange(256)])
            elif way == 1:
                del spoiled[at : at + chance.randrange(8)]
            elif way == 2:
                spoiled[at:at] = spoiled[chance.randrange(len(spoiled) + 1) :][:20]
            elif way == 3:
                spoiled[at:at] = chance.choice(
                    [b'"', b"{", b"}", b"\\", b"\0", b"\xff", b"9" * 30, b"null", b"[[", b"-1"]
                )
            else:
                del spoiled[at:]
        return bytes(spoiled)

    def _other_values(self, message: Json) -> Json:
        chance = self.chance
        odd: list[Any] = [None, True, -1, 2**70, 1.5, "", "x" * 300, [], {}, [[None]], {"a": {"b": 1}}, "\u202e\x00"]
        name = chance.choice(list(message))
        return {**message, name: chance.choice(odd), **({"surplus": 1} if chance.random() < 0.1 else {})}


class HonestPair:
    """Two honest players that play one game after another, with a hostile player in the third seat."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.tags = {0: secrets.token_hex(8), 1: secrets.token_hex(8)}
        self.tokens: set[str] = set()
        self.tables: list[str] = []
        self.trouble: list[BaseException] = []

    def play(self, hostile: Fuzzer, watchers: list[Fuzzer]) -> threading.Thread:
        """Start a game in which `hostile` has the third seat and `watchers` watch.

        Return a thread that ends with the game.
        """
        with Client(self.server.url) as owner:
            made = create(owner, players=3, options={"cash": "hidden"}, clock="3600/move")
        table = table_of(made)
        self.tables.append(table)
        self.tokens.add(made["owner"])
        pair = [Client(self.server.url), Client(self.server.url)]
        for client in pair:
            self.tokens.add(client.asked(type="sit", table=table)["token"])
        for watcher in watchers:
            watcher.look_at(table)
        hostile.sit(table)
        threads = [threading.Thread(target=self._seat, args=(seat, client)) for seat, client in enumerate(pair)]
        for thread in threads:
            thread.start()

        def wait() -> None:
            for thread in threads:
                thread.join()

        both = threading.Thread(target=wait)
        both.start()
        return both

    def _seat(self, seat: int, client: Client) -> None:
        try:
            with client:
                while True:
                    message = client.until("request", "end")
                    if message["type"] == "end":
                        assert message["faults"][seat] == 0, message
                        return
                    client.answer(message, choice=message["default"], info=self.tags[seat])
        except BaseException as error:
            self.trouble.append(error)


def fuzz_campaign(frames: int, seed: int, folder: Path) -> dict[str, Any]:
    """Send damaged frames from a player, two spectators and two strangers while two honest clients play.

    Return counts of frames, games, moves, messages and connections.
    """
    options = (*HIGH_LIMITS, "--messages-per-second", "1000000", "--requests-per-second", "1000000")
    with ServerProcess(folder / "data", *options) as server:
        hostile = Fuzzer(server, seed)
        watchers = [Fuzzer(server, seed + 1), Fuzzer(server, seed + 2)]
        strangers = [Fuzzer(server, seed + 3), Fuzzer(server, seed + 4)]
        everybody = [hostile, hostile, *watchers, *strangers]
        honest = HonestPair(server)
        game = honest.play(hostile, watchers)
        for sent in range(frames):
            everybody[sent % len(everybody)].send()
            if sent % 50 == 0:
                assert server.process.poll() is None, server.said
                if not game.is_alive():
                    assert honest.trouble == []
                    game = honest.play(hostile, watchers)

        def is_over() -> bool:
            for _ in range(10):
                hostile.send()
            return not game.is_alive()

        wait_until(is_over, "the game to end")
        assert honest.trouble == []
        for fuzzer in set(everybody):
            with suppress(OSError, Closed, socket.timeout):
                fuzzer.connection().close()
        with Client(server.url) as client:
            client.asked(type="list")
        assert server.stop() == 0
        quiet(server)
        known = Known(server, honest.tables)
        played: Counter[str] = Counter()
        for table in honest.tables:
            counts = check_log(server, table, honest.tags)
            assert set(counts) == {"own"}, counts
            played.update(counts)
        for fuzzer in set(everybody):
            fuzzer.received.check(known, fuzzer.seats, honest.tokens)
        return {
            "frames": frames,
            "games": len(honest.tables),
            "moves": played["own"],
            "messages heard": sum(len(fuzzer.received.messages) for fuzzer in set(everybody)),
            "connections": sum(fuzzer.opened for fuzzer in set(everybody)),
        }
