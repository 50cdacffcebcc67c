"""Tournaments with entrants of the pool of a server, who play from elsewhere: whole games, and all that goes wrong."""

import json
import queue
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.server import ServerConnection, serve

from rails_cli.match.session import HELLO
from rails_cli.tokens import ORGANISER_VARIABLE, new_token
from rails_cli.tournament import borrowing
from rails_cli.tournament.store import Store
from tests.support.tools import bot, start_rails
from tests.support.tournaments import comparable, run
from tests.support.ws_client import Client, Closed, Json, ServerProcess

SERVER = ("--requests-per-second", "1000", "--pool", "--pool-game", "last_spike:2", "--pool-anchors", "greedy,random")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with paused(tmp_path_factory.mktemp("lending") / "data") as running:
        yield running


def paused(data: Path) -> ServerProcess:
    """A server whose pool makes no games of its own."""
    server = ServerProcess(data, *SERVER)
    with Client(server.url) as client:
        client.asked(type="season", token=server.admin_token, state="paused")
    return server


def registered(server: ServerProcess, name: str) -> str:
    with Client(server.url) as client:
        return str(client.asked(type="register", name=name)["token"])


def plan(folder: Path, server: ServerProcess, who: str, **keys: float | str) -> str:
    """A plan of two games between an entrant and a built-in player, with a new token; its file."""
    with Client(server.url) as client:
        made = client.asked(type="organiser", token=server.admin_token, name=f"Cup {folder.name}"[:40])
    (folder / "organiser").write_text(f"{server.url} {made['token']}\n")
    file = folder / "cup.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in {"seed": 5, "clock": "60", **keys}.items()]
    lines += ['[format]\nkind = "round_robin"\nrounds = 1', '[[games]]\ngame = "last_spike"\nplayers = 2']
    lines += [f'[[entrants]]\nname = "Deep"\n{who}', '[[entrants]]\nname = "greedy"\nbuiltin = "greedy"']
    file.write_text("\n".join(lines) + "\n")
    return str(file)


def of_pool(server: ServerProcess, entrant: str) -> str:
    return f'pool = "{server.url}"\nentrant = "{entrant}"\ntoken_file = "organiser"'


Play = Callable[[Client, Json], None]


@contextmanager
def playing(server: ServerProcess, token: str, play: Play = Client.answer, *, cuts: int = 0) -> Iterator[list[Json]]:
    """An entrant that is there until the end, and comes back when it is cut off; `play` is given each request. So many
    games begin with `cuts`. What it was offered."""
    offers: list[Json] = []
    is_over = threading.Event()
    clients: list[Client] = []

    def stay(client: Client) -> None:
        client.asked(type="enter", token=token, lends=True)
        is_here.set()
        while True:
            message = client.receive(600)
            if message["type"] == "offered":
                offers.append(message)
                client.send(type="ready", offer=message["offer"])
            elif message["type"] == "start" and len(offers) <= cuts:
                client.cut()
            elif message["type"] == "request":
                play(client, message)

    def come() -> None:
        while not is_over.is_set():
            with suppress(Closed, WebSocketException, OSError, AssertionError), Client(server.url) as client:
                clients.append(client)
                stay(client)
            is_over.wait(0.05)

    is_here = threading.Event()
    thread = threading.Thread(target=come, daemon=True)
    thread.start()
    assert is_here.wait(60)
    try:
        yield offers
    finally:
        is_over.set()
        clients[-1].cut()
        thread.join(60)


def outcome_of(*words: str) -> Json:
    done = run("run", *words, "--workers", "1", "--quiet", "--json")
    assert done.exit_code == 0, done.output
    found: Json = json.loads(done.stdout)
    return found


def row_of(outcome: Json, name: str = "Deep") -> Json:
    [row] = [row for row in outcome["table"] if row["name"] == name]
    return dict(row)


def test_a_bot_plays_as_it_would_here(server: ServerProcess, tmp_path: Path) -> None:
    """The same games as with the same bot as a command, and every command that looks at results."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    (tmp_path / "token").write_text(registered(server, "Remote"))
    with start_rails(
        *("pool", "join", server.url, "--token-file", str(tmp_path / "token"), "--lend", "--", *bot("honest").split()),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as joined:
        assert joined.stderr is not None
        assert "has entered the pool" in joined.stderr.readline()
        file = plan(there, server, of_pool(server, "Remote"))
        checked = run("run", file, "--check").output
        assert "2 games in 1 seed group" in checked
        assert f"Deep: in the pool at {server.url}, can play now" in checked
        outcome = outcome_of(file)
        assert row_of(outcome)["faults"] == 0
        assert "offered by Cup there" in joined.stderr.readline()
        assert joined.stdout is not None
        assert re.match(r"tournament of Cup there: (shared )?rank [12] of 2 with \$[\d,]+ \(", joined.stdout.readline())
        again = outcome_of(file)  # nothing is left to play
        assert again["games"] == outcome["games"] == 2
        joined.terminate()
    outcome_of(plan(here, server, f"command = {json.dumps(bot('honest'))}"))
    games = []
    for folder in (here, there):
        with Store(folder / "cup-results") as store:
            games.append(comparable(list(store.played())))
    assert games[0] == games[1]
    for words in (("standings",), ("audit", "--workers", "1"), ("report", "--out", str(tmp_path / "report.html"))):
        done = run(words[0], str(there / "cup-results"), *words[1:])
        assert done.exit_code == 0, done.output
    assert f"pool:{server.url} Remote" in (tmp_path / "report.html").read_text()
    with Client(server.url) as client:
        assert client.asked(type="standing", entrant="Remote")["standing"]["games"] == 0  # not rated there


def test_plans_that_cannot_be_played(server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ORGANISER_VARIABLE, raising=False)
    token = registered(server, "Known")
    good = of_pool(server, "Known")
    nowhere = good.replace(str(server.port), "9")
    (tmp_path / "nowhere").write_text(f"ws://127.0.0.1:9/ {new_token()}\n")
    for who, words in (
        ('pool = "nonsense"', "line 11: entrants[0].pool: 'nonsense' is not the address of a server; try ws://"),
        (f'{good}\ncommand = "x"', "expected one of builtin, command and pool"),
        (f"{good}\nfreeze = true", "entrants[0].freeze: this is for bots that run here, not for one of a pool"),
        ('builtin = "busy"\ntoken_file = "organiser"', "entrants[0].token_file: this is for entrants of a pool"),
        (
            f'pool = "{server.url}"',
            f"RAILS_ORGANISER_TOKEN has no organiser token for {server.url}: put the line",
        ),
        (good.replace("organiser", "missing"), "cannot read the token in missing: No such file or directory"),
        (good.replace("Known", "Nobody"), "there is no entrant 'Nobody' in this pool; `rails-cli pool list ws://"),
        (nowhere, "organiser has no organiser token for ws://127.0.0.1:9: put the line `ws://127.0.0.1:9 TOKEN`"),
        (
            good.replace('"organiser"', '"nowhere"').replace(str(server.port), "9"),
            "no server answers there; is it running",
        ),
    ):
        for check in ((), ("--check",)):
            done = run("run", plan(tmp_path, server, who), *check)
            assert done.exit_code == 2, done.output
            assert words in " ".join(done.output.split()), done.output
    assert run("run", plan(tmp_path, server, good, cpu_clock=True)).exit_code == 2
    assert run("plan", plan(tmp_path, server, nowhere), "--within", "50").exit_code == 2
    file = plan(tmp_path, server, f'pool = "{server.url}"\nentrant = "Known"')
    monkeypatch.setenv(ORGANISER_VARIABLE, f"{server.url} {token}")  # that of an entrant
    assert "not the token of an organiser here" in " ".join(run("run", file, "--check").output.split())
    monkeypatch.setenv(ORGANISER_VARIABLE, (tmp_path / "organiser").read_text().strip())
    done = run("run", file, "--check")
    assert done.exit_code == 0, done.output
    assert "Deep could not play now: Known is not connected to the pool" in done.output
    with Client(server.url) as client:
        client.asked(type="revoke", entrant="Known", token=server.admin_token)
    assert "Deep: Known was revoked; choose another entrant" in run("run", file).output


def test_who_is_not_there_loses_its_seat(server: ServerProcess, tmp_path: Path) -> None:
    registered(server, "Away")
    outcome = outcome_of(plan(tmp_path, server, of_pool(server, "Away"), start_up_s=0.1))
    assert row_of(outcome)["lost_seats"] == 2
    fault = outcome["last_faults"]["Deep"]
    words = "Away is not connected to the pool; default played; a substitute takes over"
    assert (fault["code"], fault["message"]) == ("disconnect", words)
    assert run("audit", str(tmp_path / "cup-results"), "--workers", "1").exit_code == 0


def test_who_leaves_and_comes_back_pays_as_a_bot_that_ends(server: ServerProcess, tmp_path: Path) -> None:
    token = registered(server, "Nervous")
    cuts = [3]

    def play(client: Client, request: Json) -> None:
        if request["number"] > 4 and cuts and cuts.pop():
            client.cut()
        client.answer(request)

    with playing(server, token, play, cuts=1) as offers:  # which is excused, once in a game
        outcome = outcome_of(plan(tmp_path, server, of_pool(server, "Nervous")))
    assert (row_of(outcome)["faults"], row_of(outcome)["lost_seats"]) == (1, 0)
    assert "Nervous has gone; default played" in str(outcome["last_faults"])
    assert len(offers) == 4
    assert {offer["rated"] for offer in offers} == {False}


def test_a_server_that_goes_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pays for it: the game goes on; and if it stays away, the tournament stops, and is resumed later."""
    monkeypatch.setattr(borrowing, "AWAY_S", 3.0)
    data, servers = tmp_path / "data", []
    first = paused(data)
    servers.append(first)
    token, port = registered(first, "Loyal"), first.port
    file = plan(tmp_path, first, of_pool(first, "Loyal"))
    crashes: list[Callable[[], None]] = []

    def comes_back() -> None:
        servers[-1].kill()
        servers.append(ServerProcess(data, *SERVER, port=port))

    def play(client: Client, request: Json) -> None:
        if request["number"] > 4 and crashes:
            crashes.pop()()
        client.answer(request)

    try:
        with playing(first, token, play):
            crashes.append(first.kill)
            done = run("run", file, "--workers", "1", "--quiet")
            assert done.exit_code == 1, done.output
            assert f"the same command resumes: {first.url}" in " ".join(done.output.split())
            servers.append(ServerProcess(data, *SERVER, port=port))
            monkeypatch.undo()
            crashes.append(comes_back)
            outcome = outcome_of(file)
        assert (row_of(outcome)["faults"], outcome["games"]) == (0, 2)
        assert not crashes
    finally:
        servers[-1].kill()


@contextmanager
def impostor(play: Callable[[ServerConnection, Json], None]) -> Iterator[str]:
    """Something that says hello as a server does; `play` is given each message that it gets."""

    def greet(connection: ServerConnection) -> None:
        connection.send(HELLO.decode())
        for line in connection:
            play(connection, json.loads(line))

    with serve(greet, "127.0.0.1", 0, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join(60)


def test_no_token_goes_to_an_address_that_it_is_not_for(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan from elsewhere names any address and any file."""
    heard: list[Json] = []
    with impostor(lambda connection, message: heard.append(message)) as url:
        kept = tmp_path / "pool.json"
        kept.write_text(json.dumps({url: {"owner_token": new_token(), "tokens": {"Deep": new_token()}}}))
        monkeypatch.setenv(ORGANISER_VARIABLE, f"{server.url} {new_token()}")
        who = f'pool = "{url}"\nentrant = "Deep"'
        for word in ("pool.json", "organiser", "bare", "long", None):
            (tmp_path / "bare").write_text(new_token())
            (tmp_path / "long").write_text(f"{url} {new_token()}{new_token()}\n")
            file = plan(tmp_path, server, who if word is None else f'{who}\ntoken_file = "{word}"')
            done = run("run", file, "--check")
            assert done.exit_code == 2, done.output
            words = f"{word or ORGANISER_VARIABLE} has no organiser token for {url}"
            assert words in " ".join(done.output.split()), done.output
    assert heard == []


def test_a_seat_whose_connection_breaks_again_and_again(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever brings that about gains no time, and stops no tournament."""
    monkeypatch.setattr(borrowing, "AGAIN_S", 0.01)
    left: list[float] = []
    hasty = [None] * 10
    starting = [None] * 3

    def play(connection: ServerConnection, message: Json) -> None:
        if message["type"] == "borrow" and message["check"]:
            told = {"type": "borrowing", "entrant": "Deep", "state": "free", "why": "free", "ref": message["ref"]}
            connection.send(json.dumps(told))
        elif message["type"] == "borrow":
            connection.send(json.dumps({"type": "lent", "entrant": "Deep", "lag_ms": 0, "join": {"type": "join"}}))
            if hasty:
                hasty.pop()
                connection.close()
        elif message["type"] == "start" and starting:
            starting.pop()
            connection.close()
        elif message["type"] == "request":
            left.append(message["clock"]["bank_s"])
            time.sleep(0.02)
            connection.close()

    with impostor(play) as url:
        (tmp_path / "token").write_text(f"{url} {new_token()}")
        who = f'pool = "{url}"\nentrant = "Deep"\ntoken_file = "token"'
        outcome = outcome_of(plan(tmp_path, server, who, start_up_s=0.001))
    assert (row_of(outcome)["lost_seats"], outcome["games"]) == (2, 2)
    assert "closed the connection, more than 20 times in a game" in str(outcome["last_faults"])
    assert row_of(outcome)["faults"] == 6  # three in each game, and none for what happened before
    assert left[0] > left[5]


def test_who_is_waited_for_is_waited_for_in_its_own_time(server: ServerProcess, tmp_path: Path) -> None:
    """Neither a way that is cut nor what is excused gives time to think to one who plays elsewhere meanwhile."""
    left: list[float] = []

    def play(connection: ServerConnection, message: Json) -> None:
        told = {"entrant": "Deep", "why": "plays elsewhere", "ref": message.get("ref")}
        if message["type"] == "borrow":
            connection.send(json.dumps({"type": "borrowing", "state": "busy", **told}))
            if message["check"]:
                return
            if left:
                time.sleep(0.3)
            connection.send(json.dumps({"type": "lent", "entrant": "Deep", "lag_ms": 0, "join": {"type": "join"}}))
        elif message["type"] == "request":
            left.append(message["clock"]["bank_s"])
            if len(left) == 1:
                connection.close()
            elif len(left) == 2:
                connection.send(json.dumps({"type": "loan_over", **told}))
            else:
                answer = {"type": "action", "number": message["number"], "choice": message["default"]}
                connection.send(" " + json.dumps(answer))

    with impostor(play) as url:
        (tmp_path / "token").write_text(f"{url} {new_token()}")
        who = f'pool = "{url}"\nentrant = "Deep"\ntoken_file = "token"'
        outcome = outcome_of(plan(tmp_path, server, who, start_up_s=0.001))
    assert row_of(outcome)["faults"] == 0
    assert left[0] - left[1] > 0.25
    assert left[1] - left[2] > 0.25


def test_the_words_of_an_organiser_are_not_those_of_the_server(tmp_path: Path) -> None:
    """Whatever is said in a loan costs that game at most; and when one breaks off, the bot waits for the next."""
    visits: queue.Queue[Json] = queue.Queue()
    offer = {"offer": "o", "game": "last_spike", "players": 2, "options": {}, "clock": "60", "seat": 0, "rated": False}

    def play(connection: ServerConnection, message: Json) -> None:
        if message["type"] == "enter":
            visits.put(message)
            connection.send('{"type": "entered", "entrant": "Deep", "ref": "enter"}')
            if visit.pop(0) != "stay":
                told = {"type": "offered", **offer, "answer_within_s": 10, "organiser": "Cup"}
                connection.send(json.dumps(told))
        elif message["type"] == "ready":
            for code in ("closed", "forbidden"):
                error = {"type": "error", "code": code, "message": "go away", "fatal": False, "ref": "enter"}
                connection.send(json.dumps(error))
            connection.send('{"type": "update", "match": "m", "events": []}' if breaks.pop(0) else '{"type": "end"}')
            connection.close()
        elif message["type"] == "withdraw":
            connection.send('{"type": "withdrawn", "entrant": "Deep", "why": "you wished so"}')

    visit, breaks = ["play", "play", "stay"], [False, True]
    (tmp_path / "token").write_text(new_token())
    with (
        impostor(play) as url,
        start_rails(
            *("pool", "join", url, "--token-file", str(tmp_path / "token"), "--lend", "--", *bot("honest").split()),
            stderr=subprocess.PIPE,
            text=True,
        ) as joined,
    ):
        for _ in range(3):
            visits.get(timeout=60)
        assert joined.stderr is not None
        entered, said = 0, []
        while entered < 3:
            line = joined.stderr.readline()
            assert line, "it has ended"
            said.append(line)
            entered += "has entered the pool" in line
        assert said.count("closed: go away\n") == said.count("forbidden: go away\n") == 2
        assert sum("cannot read `end` from the server" in line for line in said) == 1
        joined.terminate()
        assert joined.wait(60) == 0
