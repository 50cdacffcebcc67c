"""Transcripts of messages for the page of the manual that describes the lobby.

The messages come from a real lobby without a network. Tokens, table ids and seeds are fixed, so each run gives the same
transcripts.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from rails_cli.protocol.lines import frame
from rails_cli.protocol.messages import Error
from rails_cli.server.net.websocket import HELLO
from rails_cli.server.pool.pool import Pool
from rails_cli.server.pool.worker import run_task
from rails_cli.server.settings import PoolSettings
from tests.support.rigged_lobby import Notes, Rigged
from tests.support.transcripts import Cut, Json, Spoken, folded, only, short, written


class Speaker(Notes):
    """A client of the lobby that records all messages in both directions."""

    def __init__(self, server: "TranscriptServer") -> None:
        super().__init__()
        self.server = server
        self._spoken: list[Spoken] = []
        self.post(HELLO)

    @property
    def spoken(self) -> list[Spoken]:
        """All messages in both directions so far."""
        self._spoken += [Spoken(">", content.decode()) for content in self.outbox]
        self.outbox.clear()
        return self._spoken

    def drop(self, code: str, message: str) -> None:
        self.post(frame(Error(code, message, fatal=True)))
        self.server.lobby.disconnected(self)

    def say(self, **message: Any) -> Json:
        """Send a message. Return the last message that the client received in reply."""
        self.spoken.append(Spoken("<", written(message)))
        self.server.receive(self, self.spoken[-1].line.encode())
        return self.spoken[-1].message

    def heard(self, kind: str) -> Json:
        """Return the last message of type `kind` received."""
        return next(spoken.message for spoken in reversed(self.spoken) if spoken.sign == ">" and spoken.is_a(kind))

    def play(self) -> None:
        """Answer every request with the first legal action until the game ends."""
        while not any(spoken.is_a("end") for spoken in self.spoken):
            request = self.spoken[-1].message
            self.say(type="action", number=request["number"], choice=0)


ADMIN_TOKEN = "the content of admin-token"


class TranscriptServer(Rigged):
    """A lobby without network. `add_pool` adds a pool, which pairs bots for rated games."""

    def receive(self, connection: Any, content: bytes) -> None:
        super().receive(connection, content)
        while self.soon:
            self.soon.pop(0)()
            self.turn.process_queues()

    def add_pool(self) -> None:
        """Add a pool that computes its ratings in this process."""
        settings = PoolSettings(is_on=True, games=["last_spike:2"], anchors="busy", patience_s=0.0)
        self.pool = Pool(
            self.lobby,
            settings,
            3,
            lambda task, then: then(run_task(msgspec.json.encode(task))),
            lambda task, then: None,
            lambda final, then: then(final.games()),
        )

    def enter(self) -> Speaker:
        return Speaker(self)


@contextmanager
def server() -> Iterator[TranscriptServer]:
    """Run a lobby with fixed tokens and table ids in a temporary folder."""
    tokens, tables = count(1), iter(["3f2a91bc", "b80c5d17", "77e1f0a2"])
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch("secrets.token_urlsafe", side_effect=lambda size: f"{next(tokens):02d}-Zr3kXv0mQ7pLw9sT"),
        mock.patch("secrets.token_hex", side_effect=lambda size: f"{7:032x}" if size == 16 else next(tables)),
    ):
        (Path(folder) / "admin-token").write_text(ADMIN_TOKEN)
        yield TranscriptServer(Path(folder))


def transcript_lines(spoken: list[Spoken], *fields: str, table: tuple[str, ...] = ()) -> list[str]:
    """Return messages as lines of the manual, without views and boards.

    `fields` are the fields of requests that are shown, by default all. `table` names the fields of a table object that
    are shown, by default its id and state, and with "all" every field.
    """
    lines = []
    for sign, line in spoken:
        message = short(json.loads(line))
        for part in ("view", "board"):
            if isinstance(message.get(part), dict):
                message[part] = {Cut(): None}
        if isinstance(message.get("table"), dict) and table != ("all",):
            message["table"] = only(message["table"], *(table or ("table", "state")))
        if fields and message["type"] == "request":
            message = only(message, *fields)
        if message["type"] == "end":
            message["events"] = [Cut()]
        lines += folded(written(message), f"{sign} ", "    ")
    return lines


REQUEST = ("type", "match", "number", "seat", "legal", "clock")


def pool_transcript() -> list[str]:
    """Return the messages of a bot in a pool: registration, pairing, one answer, end of the game, and standing."""
    with server() as place:
        place.add_pool()
        client = place.enter()
        token = client.say(type="register", name="Deep 1", owner="Ada", ref="a")["token"]
        client.say(type="enter", token=token, ref="b")
        place.time += 1
        place.lobby.tick(place.time)
        client.say(type="ready", offer=client.heard("offered")["offer"])
        client.play()
        client.say(type="standing", ref="c")
        place.pool.close()
    answered = next(place for place, spoken in enumerate(client.spoken, 1) if spoken.is_a("action"))
    return [*transcript_lines(client.spoken[1:answered], *REQUEST), "…", *transcript_lines(client.spoken[-3:])]


def game_transcript() -> list[str]:
    """Return the messages between a server and a client, up to the first answer of the client, and the last message."""
    with server() as place:
        client = place.enter()
        client.say(type="create", game="last_spike", players=2, seats=[None, "builtin:busy"], ref="a")
        client.say(type="sit", table="3f2a91bc", name="Ada", ref="b")
        client.play()
    answered = next(place for place, spoken in enumerate(client.spoken, 1) if spoken.is_a("action"))
    return [*transcript_lines(client.spoken[:answered], *REQUEST), "…", *transcript_lines(client.spoken[-1:])]


def list_transcript() -> list[str]:
    with server() as place:
        client = place.enter()
        place.enter().say(type="create", game="chicago_express", players=3, clock="60+0.5", name="Friday night")
        client.say(type="list", search="friday", ref="1")
    return transcript_lines(client.spoken[-2:], table=("all",))


def invite_transcript() -> list[str]:
    with server() as place:
        owner, guest = place.enter(), place.enter()
        created = owner.say(type="create", game="last_spike", players=2, private=True)
        table = created["table"]["table"]
        invited = owner.say(type="invite", table=table, owner=created["owner"], seat=1)
        guest.say(type="sit", table=table)
        guest.say(type="sit", table=table, invite=invited["invite"], name="Grace")
    return ["(the owner)", *transcript_lines(owner.spoken[1:5]), "(the guest)", *transcript_lines(guest.spoken[1:5])]


def show_transcript() -> list[str]:
    with server() as place:
        client = place.enter()
        client.say(type="create", game="last_spike", players=2, seats=[None, "builtin:busy"])
        client.say(type="show")
        client.say(type="sit", table="3f2a91bc", name="Ada")
    shown = client.heard("shown")
    shown["tables"] = shown["put"] = [Cut()]
    shown["board"] = {"svg": "<svg …</svg>", "legend": shown["board"]["legend"]}
    shown["story"] = [shown["story"][0], Cut()]
    asked = only(shown["question"], "number", "words")
    shown["question"] = {**asked, "choices": [shown["question"]["choices"][0], Cut()]}
    return ["< " + written({"type": "show"}), "…", *folded(written(shown), "> ", "    ")]


def start_transcript() -> list[str]:
    with server() as place:
        owner = place.enter()
        created = owner.say(type="create", game="last_spike", players=3)
        owner.say(type="sit", table=created["table"]["table"], name="Ada")
        before = len(owner.spoken)
        owner.say(type="start_table", table=created["table"]["table"], owner=created["owner"], fill="builtin:busy")
    return transcript_lines(owner.spoken[before : before + 4], *REQUEST, table=("table", "state", "seats"))


def resume_transcript() -> list[str]:
    with server() as place:
        client = place.enter()
        client.say(type="create", game="last_spike", players=2, seats=[None, "builtin:busy"], clock="60+0.5")
        seated = client.say(type="sit", table="3f2a91bc", name="Ada") and client.heard("seated")
        place.time += 2.5
        place.lobby.disconnected(client)
        place.time += 4.0
        back = place.enter()
        back.say(type="resume", token=seated["token"])
        newer = place.enter()
        newer.say(type="resume", token=seated["token"])
    fields = ("type", "match", "number", "seat", "events", "legal", "clock")
    return ["(on a new connection, 6.5 s after the request)", *transcript_lines(back.spoken, *fields)]


def watch_transcript() -> list[str]:
    with server() as place:
        player, watcher = place.enter(), place.enter()
        player.say(type="create", game="last_spike", players=2, seats=[None, "builtin:busy"])
        player.say(type="sit", table="3f2a91bc", name="Ada")
        watcher.say(type="watch", table="3f2a91bc", ref="w")
        player.say(type="action", number=player.heard("request")["number"], choice=0)
    return transcript_lines(watcher.spoken[1:6])


def rematch_transcript() -> list[str]:
    with server() as place:
        client = place.enter()
        client.say(type="create", game="last_spike", players=2, seats=[None, "builtin:busy"])
        client.say(type="sit", table="3f2a91bc", name="Ada")
        client.play()
        before = len(client.spoken)
        client.say(type="rematch", ref="r")
    return transcript_lines(client.spoken[before : before + 4])


def suppose_transcript() -> list[str]:
    """Return a `suppose` request and its reply. The request asks for the results of three sequences of answers.

    - one legal answer.
    - two answers. A random event happens between them.
    - an illegal answer.
    """
    with server() as place:
        client = place.enter()
        client.say(type="create", game="last_spike", players=2, seats=[None, "builtin:busy"])
        client.say(type="sit", table="3f2a91bc", name="Ada")
        first, second = ({"type": "play", "piece": piece} for piece in ("D4", "A4"))
        lines = [[first], [first, second], [{"type": "play", "piece": "W3"}]]
        client.say(type="suppose", number=client.heard("request")["number"], lines=lines, ref="s")
    return transcript_lines(client.spoken[-2:])


def late_transcript() -> list[str]:
    """Return the messages to a client whose answers are late three times in a row."""
    with server() as place:
        client, other = place.enter(), place.enter()
        client.say(type="create", game="last_spike", players=2, clock="10/move")
        client.say(type="sit", table="3f2a91bc", name="Ada")
        other.say(type="sit", table="3f2a91bc", name="Bob")
        before = len(client.spoken)
        while not client.spoken[-1].is_a("error") or client.spoken[-1].message["code"] != "substituted":
            if other.spoken[-1].is_a("request"):
                other.say(type="action", number=other.spoken[-1].message["number"], choice=0)
            place.time += 10.1
            place.lobby.tick(place.time)
    spoken = [each for each in client.spoken[before:] if each.is_a("request") or each.is_a("error")]
    return transcript_lines(spoken, "type", "match", "number", "clock")


def refused_transcript() -> list[str]:
    with server() as place:
        client = place.enter()
        client.say(type="sit", table="nowhere", ref="1")
        client.say(type="create", game="last_spike", players=2, seats=["python3 bot.py"], ref="2")
        client.say(type="resume", token="a guess", ref="3")
        client.say(type="list", colour="red")
        client.say(type="leave")
    return transcript_lines(client.spoken[1:])


def admin_transcript() -> list[str]:
    with server() as place:
        client = place.enter()
        client.say(type="admin", token=ADMIN_TOKEN, command="status")
    return transcript_lines(client.spoken[1:])


LOBBY_TRANSCRIPTS: dict[str, Callable[[], list[str]]] = {
    f"lobby.{name}": partial(maker)
    for name, maker in {
        "game": game_transcript,
        "list": list_transcript,
        "invite": invite_transcript,
        "start": start_transcript,
        "resume": resume_transcript,
        "watch": watch_transcript,
        "rematch": rematch_transcript,
        "suppose": suppose_transcript,
        "show": show_transcript,
        "late": late_transcript,
        "refused": refused_transcript,
        "admin": admin_transcript,
    }.items()
} | {"pool.game": pool_transcript}
