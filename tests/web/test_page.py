"""Tests of the server's page without a browser: files, origins, display messages, replays, analyses, custom boards."""

import asyncio
import json
import os
import re
import shutil
import socket
import statistics
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner
from websockets.datastructures import Headers

from rails_cli.cli import main
from rails_cli.games import game_names
from rails_cli.games.game import ALL_SEATS, PUBLIC
from rails_cli.protocol.common import Pass
from rails_cli.protocol.lines import frame
from rails_cli.server.net.http import HttpPage
from rails_cli.server.pages.routes import Pages
from rails_cli.web.live import (
    MOST_EVENTS,
    MOST_EVENTS_WATCHED,
    Scene,
    Viewer,
    shown,
    shown_after,
)
from rails_cli.web.modules import bundle
from rails_cli.web.questions import hint_words, why_words
from rails_cli.web.site import POLICY, files
from tests.support.fetching import fetched, replayed
from tests.support.matches import Chance, action_of, differing_in_secrets, new_match
from tests.support.page_client import PageClient, play_on, start_game
from tests.support.positions import some_seeds
from tests.support.tools import GOLDEN, rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import (
    Client,
    Json,
    RawClient,
    ServerProcess,
    create,
    duel,
    play_to_end,
    table_of,
    verified,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    shelf = tmp_path_factory.mktemp("shelf")
    shutil.copy(sorted(GOLDEN.glob("last_spike/*.jsonl"))[0], shelf / "wanted-by-many.jsonl")
    folder = tmp_path_factory.mktemp("server") / "data"
    with ServerProcess(folder, "--max-tables-each", "500", "--logs", str(shelf)) as running:
        yield running


@pytest.fixture
def client(server: ServerProcess) -> Iterator[Client]:
    with Client(server.url) as connected:
        yield connected


# Files


def test_all_files_of_the_page_are_served_with_security_headers(server: ServerProcess) -> None:
    status, headers, body = fetched(server, "/")
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    page = body.decode()
    wanted = re.findall(r'(?:src|href)="([^"#]+)"', page)
    assert [name for name in wanted if name.endswith(".js")] == ["theme.js", "app.js"]
    for name in wanted:
        status, headers, body = fetched(server, f"/{name}")
        assert status == 200, name
        assert body == files()[f"/{name}"].content
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
    status, headers, body = fetched(server, "/rules/last_spike")
    assert (status, headers["content-security-policy"]) == (200, POLICY)
    assert b"<h1>The Last Spike: the rules" in body
    assert b'<li><span class="rule-id">LS-10</span> ' in body
    assert fetched(server, "/rules/chess")[0] == 404
    fonts = {f"/{name}" for name in re.findall(r"url\((fonts/[^)]+)\)", fetched(server, "/page.css")[2].decode())}
    for name in fonts:
        _, headers, body = fetched(server, name)
        assert body[:4] == b"wOF2"
        assert "immutable" in headers["cache-control"]
    fetched_later = {"/icon-turn.svg", "/projector", "/projector.css", "/projector.js"}
    assert {"/", *(f"/{name}" for name in wanted)} | fetched_later | fonts == set(files())


def test_the_content_security_policy_allows_only_own_files() -> None:
    rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == rules["frame-ancestors"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == rules["img-src"] == "'self'"
    assert "unsafe" not in POLICY


@pytest.mark.parametrize("name", [name for name in files() if not name.endswith((".svg", ".woff2"))])
def test_no_file_inserts_text_as_markup_or_loads_other_sites(name: str) -> None:
    text = files()[name].content.decode()
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc"
    assert not re.search(rf"{markup}|\beval\b|new Function|javascript:|@import", text)
    assert set(re.findall(r"url\((.*?)\)", text)) <= {
        "icon.svg",
        *(font.lstrip("/") for font in files() if "font" in font),
    }
    assert name != "/" or not re.search(r"""<[^>]*\s(?:on[a-z]+|style)\s*=""", text)
    assert not re.search(r"setAttribute\(\s*[\"'](?:on|style)", text)
    assert set(re.findall(r"https?://[^\s\"'`)]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("entry", ["web/app.js", "web/projector.js", "web/replay.js", "tournament/report/report.js"])
def test_the_scripts_of_a_page_are_bundled_into_one(entry: str) -> None:
    text = bundle(entry)
    assert not re.search(r"^(?:import|export)\b", text, re.MULTILINE)
    names = re.findall(r"^(?:async function|function|class|const|let) ([\w$]+)", text, re.MULTILINE)
    assert len(names) == len(set(names))


def test_an_unchanged_file_is_answered_with_status_304(server: ServerProcess) -> None:
    _, headers, body = fetched(server, "/app.js")
    assert body
    status, again, body = fetched(server, "/app.js", If_None_Match=headers["etag"])
    assert (status, body) == (304, b"")
    assert again["etag"] == headers["etag"]
    assert fetched(server, "/app.js", If_None_Match='"other"')[0] == 200
    assert fetched(server, "/app.js", If_None_Match="*")[0] == 304


def test_head_requests_are_answered_and_other_methods_refused(server: ServerProcess) -> None:
    _, whole, body = fetched(server, "/app.js")
    status, head, nothing = fetched(server, "/app.js", "HEAD")
    assert (status, nothing) == (200, b"")
    assert int(head["content-length"]) == len(body)
    assert head["etag"] == whole["etag"]
    assert fetched(server, "/nowhere", "HEAD")[0] == 404
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"):
        status, headers, _ = fetched(server, "/", method)
        assert (status, headers["allow"]) == (405, "GET, HEAD")
    with socket.create_connection(("127.0.0.1", server.port), timeout=HANG_S) as raw:
        raw.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000)
        assert raw.recv(100).startswith(b"HTTP/1.1 400 ")


def test_games_json_lists_games_seats_and_options(server: ServerProcess) -> None:
    about = json.loads(fetched(server, "/games.json")[2])
    assert [game["name"] for game in about["games"]] == ["last_spike", "chicago_express", "american_rails"]
    assert "builtin:greedy" in about["seats"]
    options = {option["name"]: option for game in about["games"] for option in game["options"]}
    assert options["cash"]["question"] == "Is everybody's cash visible?"
    assert [choice["value"] for choice in options["cash"]["choices"]] == ["open", "hidden"]


# Origins


def handshake(server: ServerProcess, *headers: tuple[str, str]) -> str:
    lines = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")]
    lines += [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), *headers]
    with RawClient(server.port) as raw:
        raw.send("".join(["GET / HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in lines), "\r\n"]).encode())
        return raw.head().split()[1]


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}", "101"),
        ("localhost:{port}", "http://localhost:{port}", "101"),
        ("LOCALHOST:{port}", "http://localhost:{port}", "101"),
        ("[::1]:{port}", "http://[::1]:{port}", "101"),
        ("127.0.0.1", "https://127.0.0.1", "101"),
        ("127.0.0.1:443", "https://127.0.0.1", "101"),
        ("127.0.0.1:{port}", "http://localhost:{port}", "403"),
        ("127.0.0.1:{port}", "http://127.0.0.1", "403"),
        ("127.0.0.1:{port}", "https://evil.example", "403"),
        ("127.0.0.1:{port}", "null", "403"),
        ("127.0.0.1:{port}", "file://", "403"),
        ("127.0.0.1:{port}", "", "403"),
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}/path", "403"),
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}@evil.example", "403"),
        ("127.0.0.1:{port}", "http://127.0.0.1:99999999", "403"),
        ("evil.example:{port}", "http://evil.example:{port}", "403"),
        ("localhost.evil.example:{port}", "http://localhost.evil.example:{port}", "403"),
    ],
)
def test_only_the_servers_own_page_may_connect(server: ServerProcess, host: str, origin: str, status: str) -> None:
    """A connection is accepted only from the server's own page.

    Connections from pages of other origins are refused. This also holds if a foreign host name resolves to this machine
    (DNS rebinding).
    """
    words = [("Host", host.format(port=server.port)), ("Origin", origin.format(port=server.port))]
    assert handshake(server, *words) == status


def test_a_request_with_two_origins_or_hosts_is_refused(server: ServerProcess) -> None:
    own = ("Origin", f"http://127.0.0.1:{server.port}")
    assert handshake(server, ("Host", f"127.0.0.1:{server.port}"), own, own) == "403"
    hosts = [("Host", f"127.0.0.1:{server.port}"), ("Host", f"127.0.0.1:{server.port}")]
    assert handshake(server, *hosts, own) in ("400", "403")


@pytest.mark.parametrize("options", [("--host", "0.0.0.0"), ("--proxy", "127.0.0.1"), ("--origin", "http://a.example")])
def test_pages_under_the_public_name_of_the_server_may_connect(tmp_path: Path, options: tuple[str, str]) -> None:
    with ServerProcess(tmp_path / "data", *options) as server:
        own = [("Host", "a.example"), ("Origin", "http://a.example")]
        assert handshake(server, *own) == "101"
        assert handshake(server, ("Host", "a.example"), ("Origin", "http://b.example")) == "403"
        if options[0] == "--proxy":
            assert handshake(server, ("Host", "a.example"), ("Origin", "https://a.example")) == "101"


# Display messages


def sit(client: Client, game: str = "chicago_express", seats: int = 3, **more: Any) -> str:
    """Create a table with bots in the other seats, and sit down. Return the id of the table.

    Before that, ask for display messages (`show`). `more` are further fields of the `create` request.
    """
    client.send(type="show")
    table = table_of(create(client, game, seats, seats=[None, *["builtin:greedy"] * (seats - 1)], **more))
    client.asked(type="sit", table=table, name="Ann")
    return table


def next_shown(client: Client, **fields: Any) -> Json:
    return client.until("shown", **fields)


def next_question_shown(client: Client) -> Json:
    while True:
        found = next_shown(client)
        if found["question"] is not None:
            return found


def shown_until_answer(client: Client) -> list[Json]:
    """Return the `shown` messages that the server has sent and `client` has not yet received.

    To find their end, send a `list` request and wait for its answer.
    """
    before = len(client.heard)
    client.asked(type="list")
    return [message for message in client.heard[before:] if message["type"] == "shown"]


def change(marks: dict[int, Any], change: Json) -> None:
    """Apply `change` to `marks`. Marks are the SVG elements on the board, by number.

    `change` is a display message or an event in it. It lists the numbers of removed marks and the added marks.
    """
    assert set(change["taken"]) <= set(marks)
    for number in change["taken"]:
        del marks[number]
    for number, *mark in change["put"]:
        assert number not in marks
        marks[number] = mark


@pytest.mark.parametrize("game", game_names())
def test_display_messages_cover_a_whole_game(server: ServerProcess, client: Client, game: str) -> None:
    """The display messages of a game contain every event in the log. The first has the board, the last the result.

    - Each message lists the pieces that were added and removed, and the new events.
    - The changes listed for single events add up to the changes of the whole message.
    - The amounts of money of the events add up to the cash in the tables.
    """
    table = sit(client, game)
    marks: dict[int, Any] = {}
    story: list[str] = []
    cash: list[int] = []
    chance = Chance(4)
    first, questions, kinds = True, 0, set()
    while True:
        found = next_shown(client)
        assert found["table"] == table
        assert (found["board"] is not None) == first
        is_complete = first or len(found["events"]) == len(found["story"])
        assert is_complete or (not found["events"] and len(found["story"]) > MOST_EVENTS)
        assert not (first and found["events"])
        followed = dict(marks)
        for event in found["events"]:
            change(followed, event)
            kinds.add(event["kind"])
            for seat, amount in event["money"]:
                cash[seat] += amount
        change(marks, found)
        assert followed == marks or first or not is_complete
        first = False
        in_tables = [row[0] for row in found["tables"][0]["cells"]]
        assert in_tables == (cash or in_tables) or not is_complete
        cash = in_tables
        assert found["sent_before"] == len(story)
        story += found["story"]
        assert 0 <= found["fresh"] <= len(story)
        if found["result"]:
            break
        question = found["question"]
        if question:
            questions += 1
            choice = chance.pick(question["choices"])
            client.send(type="action", number=question["number"], action=choice["action"])
    assert questions > 10
    assert kinds == {"build", "sale", "payment", "finale", "other"}
    first, *ending = found["result"]["words"]
    assert first == "The game has ended."
    assert re.match("The game (ends|is over): ", ending[-1])
    assert verified(server.log(table))
    assert len(story) == sum(len(line.get("events", ())) for line in server.lines(table))
    assert not [message for message in client.heard if message["type"] in ("error", "rejected")]


def test_imagined_steps_hints_and_reasons_do_not_change_the_game(server: ServerProcess, client: Client) -> None:
    table = sit(client)
    found = next_question_shown(client)
    while "expand" not in [choice["action"].get("action") for choice in found["question"]["choices"]]:
        client.send(type="action", number=found["question"]["number"], action=found["question"]["choices"][0]["action"])
        found = next_question_shown(client)
    number = found["question"]["number"]
    lines = len(server.lines(table))
    expand = next(one for one in found["question"]["choices"] if one["action"].get("action") == "expand")
    assert expand["more"]
    first = client.asked(type="show", number=number, steps=[expand["action"]])
    assert first["supposed"]["steps"][0]["words"].startswith("Expand")
    assert not first["supposed"]["done"]
    build = next(one for one in first["question"]["choices"] if one["places"])
    assert "costs" in build["preview"]
    second = client.asked(type="show", number=number, steps=[expand["action"], build["action"]])
    assert second["put"]
    assert second["supposed"]["total"].startswith("costs")
    back = client.asked(type="show", number=number, steps=[expand["action"]])
    gone = {mark[0] for mark in second["put"]}
    assert gone <= set(back["taken"])
    assert back["tables"] == first["tables"]
    assert client.asked(type="show", number=number, steps=[expand["action"], build["action"]], preview=True)["words"]
    hint = client.asked(type="show", number=number, hint=True)
    assert hint["type"] == "advice"
    assert hint["words"][0].startswith("A strong player suggests: ")
    begun = client.asked(type="show", number=number, steps=[expand["action"]], hint=True)["words"]
    assert begun[0].startswith("A strong player suggests: ")
    assert sum(line.startswith("Chance of winning: about ") for line in begun) == 1
    why = client.asked(type="show", number=number, why="A3")
    assert "A3" in why["words"][0]
    assert len(server.lines(table)) == lines
    stop = {"type": "pass"}
    done = client.asked(type="show", number=number, steps=[expand["action"], build["action"], stop])
    assert done["supposed"]["done"]
    assert done["question"]["choices"] == []
    steps = [expand["action"], build["action"], stop]
    (worth,) = client.asked(type="show", number=number, steps=steps, hint=True)["words"]
    assert re.fullmatch(r"Chance of winning: about \d+%(, as with|; with) the best move.*\.", worth)
    client.send(type="action", number=number, action=expand["action"])
    for action in (build["action"], stop):
        client.send(type="action", number=client.until("request")["number"], action=action)
    real = next_question_shown(client)
    assert real["supposed"] is None
    assert not [message for message in client.heard if message["type"] == "rejected"]
    assert server.faults(table) == []


def test_illegal_imagined_steps_are_refused_without_a_fault(server: ServerProcess, client: Client) -> None:
    table = sit(client)
    number = next_question_shown(client)["question"]["number"]
    assert client.refused(type="show", number=number, steps=[{"type": "bid", "amount": 1}]) == "illegal_action"
    assert client.refused(type="show", number=number, steps=[{"type": "no such thing"}]) == "illegal_action"
    assert client.refused(type="show", number=number, steps=[[[[]]]]) == "illegal_action"
    assert client.refused(type="show", number=number + 1, steps=[]) == "stale_request"
    assert client.refused(type="show", steps=[]) == "stale_request"
    assert client.refused(type="show", number=number, steps=[{"type": "pass"}] * 31) == "bad_request"
    assert server.faults(table) == []
    with Client(server.url) as other:
        assert other.refused(type="show", number=1, hint=True) == "not_your_turn"
        other.asked(type="watch", table=table)
        assert other.refused(type="show", number=number, hint=True) == "not_your_turn"


def test_only_clients_that_asked_get_display_messages(server: ServerProcess, client: Client) -> None:
    table = sit(client)
    next_question_shown(client)
    client.send(type="show", on=False)
    with Client(server.url) as watcher:
        watcher.asked(type="watch", table=table)
        assert shown_until_answer(watcher) == []
        watcher.send(type="show")
        seen = next_shown(watcher)
        assert seen["seat"] is None
        assert seen["question"] is None
        assert seen["board"]["svg"].startswith("<svg")
        request = client.open
        assert request is not None
        client.answer(request)
        assert next_shown(watcher)["story"]
    assert shown_until_answer(client) == []


def test_a_client_may_ask_for_display_messages_before_the_game_starts(server: ServerProcess, client: Client) -> None:
    table = table_of(create(client, "last_spike", 2))
    client.asked(type="sit", table=table, seat=0)
    client.send(type="show")
    with Client(server.url) as other:
        other.asked(type="sit", table=table)
        assert next_shown(client)["board"] is not None


def test_fast_moves_of_bots_share_display_messages(server: ServerProcess, client: Client) -> None:
    """Several fast moves are shown by one message. The messages together still contain every event."""
    client.send(type="show")
    table = table_of(create(client, "chicago_express", 3, seats=[None, "builtin:busy", "builtin:busy"]))
    with Client(server.url) as other:
        client.asked(type="watch", table=table)
        other.asked(type="sit", table=table)
        play_to_end(other)
        found = client.until("shown")
        while not found["result"]:
            found = client.until("shown")
    shown = [message for message in client.heard if message["type"] == "shown"]
    sentences = sum(len(message["story"]) for message in shown)
    assert sentences == sum(len(line.get("events", ())) for line in server.lines(table))
    assert len(shown) < sentences / 3


@pytest.mark.parametrize("game", game_names())
def test_a_page_receives_few_bytes(server: ServerProcess, game: str) -> None:
    """The start of a game against bots takes at most 40 kB, and half of the positions take at most 1 kB each."""
    page = PageClient(server.port)
    start_game(page, game)
    assert sum(received.wire for received in page.received) <= 40_000
    positions = play_on(page, Random(1), most=15)
    page.close()
    assert statistics.median(received.wire for received in positions) <= 1_000
    assert sum("<svg" in json.dumps(received.message) for received in page.received) == 1


def test_display_messages_to_spectators_are_delayed(server: ServerProcess, client: Client) -> None:
    late = sit(client, "last_spike", 2, watch_delay_s=3600.0)
    next_question_shown(client)
    with Client(server.url) as watcher:
        watcher.send(type="show")
        watcher.asked(type="watch", table=late)
        assert shown_until_answer(watcher) == []
    client.asked(type="leave")
    soon = sit(client, "last_spike", 2, watch_delay_s=1.0)
    next_question_shown(client)
    with Client(server.url) as watcher:
        watcher.send(type="show")
        watcher.asked(type="watch", table=soon)
        assert next_shown(watcher)["board"] is not None


def test_a_returning_player_gets_the_whole_story(server: ServerProcess, client: Client) -> None:
    table, token = duel(server, client, "builtin:greedy")
    client.answer(client.until("request"))
    with Client(server.url) as again:
        again.send(type="show")
        again.asked(type="resume", token=token)
        found = next_shown(again)
        assert found["table"] == table
        assert found["sent_before"] == 0
        assert len(found["story"]) > 3
        assert found["fresh"] < len(found["story"]), "events before the last turn are shown as new"
        assert found["seat"] == 0


def test_display_messages_include_the_clocks(client: Client) -> None:
    sit(client, "last_spike", 2, clock="90000+2,5000/move")
    clocks = next_question_shown(client)["clocks"]
    assert all(80_000 < clock["bank_s"] <= 90_002 for clock in clocks)
    assert clocks[0]["move_s"] <= 5000


def test_a_predicted_sale_shows_the_same_tables_as_the_real_one() -> None:
    """If an answer would end an auction, the predicted tables equal the tables after the sale."""
    compared = 0
    chance = Chance(3)
    match = new_match("chicago_express", 3, 3)
    viewers = [Viewer() for _ in range(3)]
    while match.seat is not None and compared < 5:
        seat, scene = match.seat, Scene("t", match)
        shown(scene, viewers[seat], seat, request=1)
        action = action_of(chance.pick(match.legal))
        before = len(match.history)
        preview = shown_after(scene, viewers[seat], seat, 1, [msgspec.to_builtins(action)])
        match.play(action)
        if any(type(event).__name__ == "ShareSold" for event in match.history[before:]):
            after = shown(Scene("t", match), viewers[seat], seat)
            assert [table.cells for table in preview.tables[:2]] == [table.cells for table in after.tables[:2]]
            compared += 1
    assert compared == 5


def test_an_answer_is_announced_as_final_only_if_it_reveals_something() -> None:
    """The page says correctly whether an answer is final or can be taken back.

    An answer is final if it reveals something. In The Last Spike, the end of a turn reveals the next piece. If the draw
    pile is empty, the player draws nothing, so the answer is not final.
    """
    found = set()
    match = new_match("last_spike", 2, 3)
    while match.seat is not None:
        action, before = action_of(match.legal[-1]), len(match.history)
        supposed = shown_after(Scene("t", match), Viewer(), match.seat, 1, [msgspec.to_builtins(action)]).supposed
        match.play(action)
        is_final = not match.game.unforeseeable.isdisjoint(map(type, match.history[before:]))
        assert supposed is not None
        assert supposed.revocable is not is_final
        found.add((supposed.done, is_final))
    assert found == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize("game", ["chicago_express", "american_rails"])
def test_a_predicted_auction_equals_the_real_one(game: str) -> None:
    """The auction predicted after a bid, pass or offer equals the auction after this action has been played."""
    compared = 0
    chance = Chance(3)
    match = new_match(game, 3, 3)
    while match.seat is not None and compared < 20:
        seat, action = match.seat, action_of(chance.pick(match.legal))
        preview = shown_after(Scene("t", match), Viewer(), seat, 1, [msgspec.to_builtins(action)])
        match.play(action)
        after = shown(Scene("t", match), Viewer(), seat)
        assert preview.auction == after.auction
        compared += preview.auction is not None
    assert compared == 20


@pytest.mark.parametrize("game", game_names())
def test_the_possessions_of_players_equal_those_in_the_tables(game: str) -> None:
    match, chance, viewer = new_match(game, 3, 3), Chance(3), Viewer()
    for _ in range(40):
        match.play(action_of(chance.pick(match.legal)))
    found = shown(Scene("t", match), viewer, ALL_SEATS)
    table = found.tables[0]
    assert [player.cash for player in found.players] == [row[0] for row in table.cells]
    columns = [name for name, kind, paint, _ in table.columns if kind == "count" and paint]
    for player, row in zip(found.players, table.cells, strict=True):
        held = zip(columns, row[len(row) - len(columns) :], strict=True)
        assert [(name, count) for name, _, _, count in player.shares] == [
            (name, count) for name, count in held if count
        ]
        assert columns or player.note
    owners = [cell for table in found.tables for cell in owners_in(table)]
    for seat, player in enumerate(found.players):
        assert sum(cell.count(str(seat)) for cell in owners) == sum(count for *_, count in player.shares)


def owners_in(table: Any) -> list[str]:
    kinds = [kind for _, kind, _, _ in table.columns]
    return [cell for row in table.cells for kind, cell in zip(kinds, row, strict=True) if kind == "owners"]


def test_the_display_of_a_question_is_computed_once() -> None:
    match = new_match("american_rails", 3, 1)
    assert match.seat is not None
    scene = Scene("t", match)
    first, again = (shown(scene, Viewer(), match.seat, request=1) for _ in range(2))
    assert first.question is not None
    assert first.question is again.question
    match.play(action_of(match.legal[0]))
    assert match.seat is not None
    assert shown(scene, Viewer(), match.seat, request=2).question != first.question


# Hidden information


@pytest.mark.parametrize("cash", ["open", "hidden"])
def test_display_messages_do_not_depend_on_hidden_information(cash: str) -> None:
    """Two positions that a seat cannot tell apart give equal messages for this seat.

    The messages include predicted steps, hints and reasons.
    """
    compared, chance = 0, Chance(0)
    match = new_match("last_spike", 3, 0, cash=cash)
    while match.seat is not None:
        if chance.below(6 if len(some_seeds()) == 1 else 3) == 0:
            twins = differing_in_secrets(match, chance, hides_cash=cash == "hidden")
            real = match.state
            results = []
            for match.state in twins:
                results.append(everything_shown(match))
            match.state = real
            assert results[0] == results[1]
            compared += len(results[0])
        match.play(action_of(chance.pick(match.legal)))
    assert compared > 40


def test_events_shown_singly_do_not_reveal_forced_passes() -> None:
    """Others cannot see whether a player chose a pass, or whether the pass was forced.

    A forced pass is added by the rules to the previous action. In both cases, the other players and spectators must see
    the same events. A long sequence of events is not shown event by event. The kind of the pass must not change which
    sequences count as long.
    """
    match, chance = new_match("last_spike", 3, 0, cash="hidden"), Chance(0)
    scenes = [{observer: Scene("t", match) for observer in (PUBLIC, 0, 1, 2)} for _ in range(2)]
    apart, joined = scenes
    viewers = [{observer: Viewer() for observer in found} for found in scenes]
    turn = singly = 0
    while match.seat is not None:
        if turn % 5 == 0:
            before, after = (
                {observer: shown(scene, views[observer], observer) for observer, scene in found.items()}
                for found, views in zip(scenes, viewers, strict=True)
            )
            assert list(map(frame, before.values())) == list(map(frame, after.values()))
            spectator = before[PUBLIC]
            assert bool(spectator.events) == (turn > 0 and len(spectator.story) <= MOST_EVENTS_WATCHED)
            singly += bool(spectator.events)
        turn, seat = turn + 1, match.seat
        match.play(action_of(chance.pick(match.legal)))
        if match.seat == seat and any(type(entry) is Pass for entry in match.legal):
            for scene in [*apart.values(), joined[seat]]:
                scene.record()
            match.play(action_of(match.legal[-1]))
        for scene in [*apart.values(), *joined.values()]:
            scene.record()
    assert singly > 2


def everything_shown(match: Any) -> list[bytes]:
    """Return all display messages, hints and reasons that could be sent to the seat to move."""
    seat = match.seat
    scene = Scene("t", match)
    frames = [frame(shown(scene, Viewer(), seat, request=1))]
    for entry in match.legal:
        steps = [msgspec.to_builtins(action_of(entry))]
        frames.append(frame(shown_after(scene, Viewer(), seat, 1, steps)))
    for taken in ([], steps) if match.number % 8 == 0 else ():  # hints take long
        frames.append(msgspec.json.encode(hint_words(scene.decision(seat), match.options, taken)))
    pieces = [piece["id"] for route in scene.wire_board["routes"] for piece in route["pieces"]]
    frames.append(msgspec.json.encode([why_words(scene.decision(seat), match.options, [], piece) for piece in pieces]))
    return frames


def test_hands_and_hidden_cash_of_others_are_never_sent(server: ServerProcess, client: Client) -> None:
    """During a whole game, no message to a seat or to a spectator contains hands or hidden cash of others."""
    chance = Chance(2)
    client.send(type="join", view="none", board=False)
    table = sit(client, "last_spike", 3, options={"cash": "hidden"})
    with Client(server.url) as watcher:
        watcher.send(type="show")
        watcher.asked(type="watch", table=table)
        while True:
            found = next_shown(client)
            if found["result"]:
                break
            if found["question"]:
                choice = chance.pick(found["question"]["choices"])
                client.send(type="action", number=found["question"]["number"], action=choice["action"])
        while not next_shown(watcher)["result"]:
            pass
        seen = [(0, message) for message in client.heard] + [(-1, message) for message in watcher.heard]
    hidden = 0
    for seat, message in seen:
        if message["type"] != "shown" or message["result"]:
            continue
        players = message["tables"][0]
        cash, hand = ([column[0] for column in players["columns"]].index(name) for name in ("Cash", "Hand"))
        for number, row in enumerate(players["cells"]):
            if number != seat:
                assert row[cash] is None
                assert re.fullmatch(r"bankrupt|1 piece|\d+ pieces", row[hand])
                hidden += 1
        for sentence in message["story"]:
            drawn = re.search(r"(\S+ \d) draws (.+)\.", sentence)
            assert drawn is None or drawn[2] in ("a piece", "nothing"), sentence
    assert hidden > 50


# Replays


def test_a_game_has_a_replay_page_once_it_has_ended(server: ServerProcess, client: Client) -> None:
    table, _ = duel(server, client)
    assert fetched(server, f"/replay/{table}")[0] == 404
    play_to_end(client)
    status, headers, body = replayed(server, table)
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert b'<meta http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;' in body
    assert b"The Last Spike" in body
    assert fetched(server, f"/replay/{table}", If_None_Match=headers["etag"])[0] == 304
    assert fetched(server, f"/replay/{table}", "HEAD")[2] == b""
    for name in ("nothing", "../admin-token", "..%2fadmin-token", ".", ".."):
        assert fetched(server, f"/replay/{name}")[0] == 404


def test_simultaneous_requests_for_a_replay_get_the_same_page(server: ServerProcess) -> None:
    with ThreadPoolExecutor(30) as pool:
        answers = list(pool.map(lambda _: replayed(server, "wanted-by-many"), range(30)))
    assert {status for status, _, _ in answers} == {200}
    assert len({body for _, _, body in answers}) == 1


async def asked(pages: Pages, path: str, address: str = "") -> HttpPage:
    """Request `path` from `pages` for a client with the address `address`. Return the response.

    Without `address`, the path itself is used as the address. So requests for different paths do not share the limits
    for one address.
    """
    answer: asyncio.Future[HttpPage] = asyncio.get_running_loop().create_future()
    pages.answer(path, address or path, Headers(), answer.set_result)
    async with asyncio.timeout(HANG_S):
        return await answer


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc")


class FakeTimer:
    """A fake timer. If `is_over` is true, it runs callbacks at once. Otherwise it never runs them."""

    def __init__(self) -> None:
        self.is_over = True

    def __call__(self, delay_s: float, todo: Callable[[], None]) -> None:
        if self.is_over:
            asyncio.get_running_loop().call_soon(todo)


class BlockingLog:
    """A pipe in place of a log. A process that reads `path` blocks until `write` is called.

    From then on, `path` is an ordinary file. It is a path in `/proc`, because other pipes are refused as logs.
    """

    def __init__(self) -> None:
        self._readable, self._writable = os.pipe()
        self._file = os.dup(self._readable)
        self.path = Path(f"/proc/{os.getpid()}/fd/{self._file}")

    def write(self, content: bytes) -> None:
        with TemporaryFile() as file:
            file.write(content)
            file.flush()
            os.dup2(file.fileno(), self._file, inheritable=False)
        with open(self._writable, "wb") as pipe:
            pipe.write(content)

    def __del__(self) -> None:
        os.close(self._readable)
        os.close(self._file)


@needs_proc
def test_a_replay_that_takes_long_is_answered_with_a_page_that_refreshes() -> None:
    """While a replay is being made, the server sends a page that refreshes. Later it sends the replay.

    The log is a pipe, so the process that makes the replay waits until the test writes data.
    """
    log = BlockingLog()

    async def main() -> None:
        timer = FakeTimer()
        pages = Pages(lambda: files()["/"], lambda token: b"", lambda name: log.path, call_later=timer)
        early = await asyncio.gather(asked(pages, "/replay/game"), asked(pages, "/replay/game"))
        assert [page.status for page in early] == [503, 503]
        assert {"Retry-After", "Refresh"} <= {name for name, _ in early[0].more}
        assert b"The replay is being prepared" in early[0].body
        assert b'<a class="back" href="../">' in early[0].body
        assert b'<progress value="' in early[0].body
        content = sorted(GOLDEN.glob("last_spike/*.jsonl"))[0].read_bytes()
        await asyncio.to_thread(log.write, content)
        timer.is_over = False
        late = await asked(pages, "/replay/game")
        assert late.status == 200
        assert b"The Last Spike" in late.body
        assert b'<a href="game/analysis">' in late.body
        assert b'"analysis":null' in late.body

    asyncio.run(main())


def test_an_invalid_or_missing_log_has_no_analysis(tmp_path: Path) -> None:
    logs = {"odd": tmp_path / "odd.jsonl"}
    lines = sorted(GOLDEN.glob("last_spike/*.jsonl"))[0].read_bytes().splitlines(keepends=True)
    logs["odd"].write_bytes(b"".join([*lines[:4], lines[5]]))

    async def main() -> list[HttpPage]:
        pages = Pages(lambda: files()["/"], lambda token: b"", logs.get, patience_s=HANG_S)
        return await asyncio.gather(*(asked(pages, f"/replay/{name}/analysis") for name in ("odd", "no")))

    assert [page.status for page in asyncio.run(main())] == [500, 404]


@needs_proc
def test_slow_analyses_are_limited_and_do_not_delay_replays(tmp_path: Path) -> None:
    """The number of analyses that run at the same time is limited, per address and in total. Replays are not delayed.

    Each slow analysis reads a log from a pipe, so it waits until the test writes the log. An analysis over the limit is
    refused for now. An analysis that has used too much CPU time is refused permanently. The paths
    `/replay/LOG/analysis` and `/api/analysis/LOG` share one analysis, so only one process reads the pipe.
    """
    long = sorted(GOLDEN.glob("american_rails/*.jsonl"))[0]
    short = tmp_path / "short.jsonl"
    short.write_bytes(b"".join(sorted(GOLDEN.glob("last_spike/*.jsonl"))[0].read_bytes().splitlines(True)[:2]))
    slow = [BlockingLog() for _ in range(6)]
    logs = {"long": long, "short": short} | {f"slow{number}": log.path for number, log in enumerate(slow)}

    async def main() -> None:
        timer = FakeTimer()
        pages = Pages(lambda: files()["/"], lambda token: b"", logs.get, call_later=timer)
        for number in range(4):
            late = await asked(pages, f"/replay/slow{number}/analysis", "here")
            assert (late.status, b"too many" in late.body) == (503, number > 1), "the limit is per address"
        for number in range(2, 6):
            late = await asked(pages, f"/replay/slow{number}/analysis")
            assert (late.status, b"too many" in late.body) == (503, number > 3)
            assert number > 3 or b"The analysis is being prepared" in late.body
            assert number > 3 or f'<a class="back" href="../slow{number}">'.encode() in late.body
            assert number > 3 or f"{number} other page".encode() in late.body
        page = await asked(pages, "/api/analysis/slow0")
        usual = b'"usual":30,"words":"0 of about 30 seconds have passed."'
        assert (page.status, page.body) == (202, b'{"done":0,' + usual + b"}")
        timer.is_over = False
        assert (await asked(pages, "/replay/short")).status == 200
        await asyncio.to_thread(slow[0].write, short.read_bytes())
        page = await asked(pages, "/replay/slow0/analysis")
        assert (page.status, b'"analysis":{' in page.body) == (200, True)
        assert b'<a href="slow0/analysis">' not in page.body
        assert (await asked(pages, "/api/analysis/slow0")).status == 200
        hasty = Pages(lambda: files()["/"], lambda token: b"", logs.get, call_later=timer, cpu_s=1)
        page = await asked(hasty, "/replay/long/analysis")
        assert page.body.startswith(b"Analysing this game takes longer than this server allows.")
        page = await asked(hasty, "/api/analysis/long")
        assert (page.status, page.body[:27]) == (422, b"analysing this game takes l")
        logs["odd"] = Path("\0")  # a process cannot be started with this path
        assert [(await asked(hasty, "/api/analysis/odd")).status for _ in range(6)] == [500] * 6

    asyncio.run(main())


class ShiftedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock is `ahead_s` seconds ahead."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


@needs_proc
def test_the_progress_of_an_analysis_continues_on_the_page_with_the_analysis() -> None:
    """The result of a game requests the analysis as JSON. The page with the analysis then waits for the same work."""
    log = BlockingLog()
    loop = ShiftedLoop()

    async def main() -> None:
        timer = FakeTimer()
        pages = Pages(lambda: files()["/"], lambda token: b"", lambda name: log.path, call_later=timer)
        assert b"0 of about 30 seconds have passed." in (await asked(pages, "/api/analysis/game")).body
        loop.ahead_s = 12.0
        for _ in range(2):
            assert b"12 of about 30 seconds have passed." in (await asked(pages, "/replay/game/analysis")).body

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())


@pytest.mark.parametrize(
    "words", [("--html", "OUT"), ("--svg", "3", "--output", "OUT"), ("--png", "3", "--output", "OUT")]
)
def test_export_does_not_overwrite_the_log(words: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    shutil.copy(sorted(GOLDEN.glob("last_spike/*.jsonl"))[0], log)
    before = log.read_bytes()
    (tmp_path / "link").symlink_to(log)
    done = rails("export", str(log), *(str(tmp_path / "link") if word == "OUT" else word for word in words))
    assert done.returncode == 2
    assert "is the log itself" in done.stderr
    assert log.read_bytes() == before


# Custom boards


def own_board(folder: Path, **changes: Any) -> Path:
    """Write the board of The Last Spike with a hostile title and city name and with `changes`. Return the path."""
    written = json.loads(resources.files("rails_cli.games.last_spike").joinpath("board.json").read_bytes())
    written["name"] = "mine"
    written["title"] = "<img src=x onerror=alert(1)>"
    written["cities"][0]["name"] = "O'Fallon & <b>Sons</b>"
    path = folder / "mine.json"
    path.write_text(json.dumps({**written, **changes}))
    return path


def test_a_table_with_a_custom_board_survives_a_restart_without_its_file(tmp_path: Path) -> None:
    board = own_board(tmp_path)
    with ServerProcess(tmp_path / "data", "--board", f"mine={board}") as server:
        about = json.loads(fetched(server, "/games.json")[2])
        assert [game["boards"] for game in about["games"]] == [["mine"], [], []]
        assert [game["has_openings"] for game in about["games"]] == [False, True, True]
        with Client(server.url) as client:
            table = sit(client, "last_spike", 2, board="mine")
            found = next_question_shown(client)
            svg = found["board"]["svg"]
            drawn = ElementTree.fromstring(svg)
            assert "O'Fallon & <b>Sons</b>" in [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
            assert not re.search(r"<(?:b|img)\b", svg)
            assert client.refused(type="create", game="last_spike", players=2, board="yours") == "bad_request"
            assert client.refused(type="create", game="chicago_express", players=3, board="mine") == "bad_request"
            [listed] = client.asked(type="list")["tables"]
            assert listed["board"] == "mine"
            made = rails("tables", server.url, "--create", "last_spike", "--players", "2", "--board", "mine", "--json")
            assert json.loads(made.stdout)["table"]["board"] == "mine"
            token = next(message["token"] for message in client.heard if message["type"] == "seated")
        server.kill()
    board.unlink()
    with ServerProcess(tmp_path / "data") as server:
        assert server.going_on == 1
        with Client(server.url) as client:
            client.send(type="show")
            client.asked(type="resume", token=token)
            assert "Fallon" in next_question_shown(client)["board"]["svg"]
            play_to_end(client)
        assert verified(server.log(table))


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("mine", "NAME=FILE"),
        ("standard={file}", "NAME=FILE"),
        ("mine={folder}/none.json", "No such file"),
        ("mine={other}", "does not say which game"),
        ("mine={broken}", "broken.json"),
    ],
)
def test_invalid_custom_boards_are_reported_by_serve(tmp_path: Path, argument: str, expected: str) -> None:
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "broken.json").write_text('{"game": "last_spike"}')
    names = {"file": own_board(tmp_path), "folder": tmp_path}
    names |= {"other": tmp_path / "other.json", "broken": tmp_path / "broken.json"}
    data = tmp_path / "other.json" / "data"  # no server can start there
    words = ["serve", "--port", "0", "--data", str(data), "--board", argument.format(**names)]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert expected in done.stderr
