"""Tests of the rated pool of a server: entering, offers of games, tokens, limits, seasons and crashes."""

import itertools
import json
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from websockets.exceptions import WebSocketException

from rails_cli.bot import Bot, run
from rails_cli.cli import main
from tests.support.person import Person, by_lines
from tests.support.pool_campaign import bring_to_rest, checked_results, results_of
from tests.support.pool_clients import POOL, entrant_info, sit_down
from tests.support.tools import rails, start_rails
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import (
    KNOWS_ROUND_TRIP,
    PING,
    PONG,
    Client,
    ClockedServer,
    Closed,
    HastenedServer,
    Json,
    RawClient,
    ServerProcess,
    all_play,
    duel,
    frame_bytes,
    play_to_end,
    verified,
)

LONG_OFFER_S = 3600
UNHURRIED = ("--pool-offer", str(LONG_OFFER_S), "--silence", "1000000", "--idle", "1000000")
"""Long time limits, so that slow clients miss no offer and no client is dropped when a test advances the clock."""
EAGER = (
    *(*POOL, *UNHURRIED, "--pool-patience", "0", "--pool-faults", "1", "--pool-games-each", "2"),
    *("--pool-check-again", "0.01"),  # timing: checks follow at once, and no test needs a delay
)

CROOK = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "request":
        print(json.dumps({"type": "action", "number": message["number"], "choice": 999}), flush=True)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose anchors, which are built-in players, fill free seats at once.

    No test has to wait for opponents.
    """
    with ServerProcess(tmp_path_factory.mktemp("pool") / "data", *EAGER, "--absence", "600") as running:
        yield running


@pytest.fixture
def client(server: ServerProcess) -> Iterator[Client]:
    with Client(server.url) as connected:
        yield connected


def register(client: Client, name: str, **more: str | bool) -> Json:
    return client.asked(type="register", name=name, **more)


def enter(client: Client, token: str) -> Json:
    return client.asked(type="enter", token=token)


def games_of(client: Client, name: str, games: int) -> Json:
    """Wait until `games` games of the entrant `name` have been counted. Return the entrant's row of the standings."""

    def standing() -> Json:
        found: Json = client.asked(type="standing", entrant=name)["standing"]
        return found if found["games"] >= games else {}

    found = wait_until(standing, f"{games} games of {name}")
    assert found["games"] == games
    return found


def played_by(server: ServerProcess, name: str) -> list[Json]:
    """Return the stored results of the games that the entrant `name` has played."""
    return [game for game in results_of(server.folder) if name in game["seating"]]


def test_an_entrant_plays_several_games_until_it_withdraws(server: ServerProcess, client: Client) -> None:
    made = register(client, "Ada", owner="Lovelace")
    entered = enter(client, made["token"])
    assert (entered["entrant"], entered["state"], entered["season"]) == ("Ada", "active", "open")
    seated = sit_down(client)
    assert {"Ada"} < {seat["name"] for seat in seated["table"]["seats"]}
    end = play_to_end(client)
    assert end["reason"] == "normal"
    second = sit_down(client)
    assert second["table"]["table"] != seated["table"]["table"]
    client.send(type="withdraw")
    play_to_end(client)
    client.until("withdrawn", why="the game is over")
    assert games_of(client, "Ada", 2)["owner"] == "Lovelace"
    assert {game["log"] is not None for game in played_by(server, "Ada")} == {True}
    for game in played_by(server, "Ada"):
        assert verified(server.folder / "pool" / game["log"])
    assert client.refused(type="withdraw") == "bad_request"


def test_a_person_at_a_terminal_can_quit_a_rated_game_and_return(server: ServerProcess, tmp_path: Path) -> None:
    """A player quits a rated game with `quit` and returns to it with the same command.

    The program shows the time limit, the command for returning, and what happens if the player does not return.
    """
    play = ("play", "--server", server.url, "--pool", "Eve of Old")
    with Person(*play, folder=tmp_path, width=100) as person:
        person.wait_for("What now [enter]")
        assert "You have 60 s per game, plus 0.5 s per action." in person.text
        person.press("leave\r")
        assert person.wait_for_end() == 0
    first, again = (by_lines(tmp_path, *play, typed="quit\n") for _ in range(2))
    assert "Eve of Old is registered, owner Eve of Old.\n" in first.stdout
    assert "registered" not in again.stdout
    for done in (first, again):
        assert done.returncode == 0, done.stderr
        assert "This game is rated: if you do not return in time, you are ranked last." in done.stdout
        assert f"To return: rails-cli play --server {server.url} --pool 'Eve of Old'\n" in done.stdout


def test_names_and_tokens_are_checked_at_registration(server: ServerProcess, client: Client) -> None:
    made = register(client, "Deep 1", owner="Thinker")
    kept = (server.folder / "entrants.jsonl").read_text()
    assert "Deep 1" in kept
    assert made["token"] not in kept
    assert made["owner_token"] not in kept
    again = register(client, "Deep 2", owner_token=made["owner_token"], follows="Deep 1")
    assert (again["owner"], again["owner_token"]) == ("Thinker", None)
    assert entrant_info(client, "Deep 2")["follows"] == "Deep 1"
    register(client, "pop")
    for fields, code in (
        ({"name": "deep 1"}, "taken"),
        ({"name": "Thinker"}, "taken"),
        ({"name": "greedy"}, "taken"),
        ({"name": "Hard"}, "taken"),
        ({"name": "medium 2"}, "taken"),
        ({"name": "\N{CYRILLIC CAPITAL LETTER ER}\N{CYRILLIC SMALL LETTER O}\N{CYRILLIC SMALL LETTER ER}"}, "taken"),
        ({"name": "Dee\N{CYRILLIC SMALL LETTER ER}"}, "bad_request"),
        ({"name": "P0P"}, "taken"),
        ({"name": "Deep l"}, "taken"),
        ({"name": "Th1nker"}, "taken"),
        ({"name": "greedy 1O"}, "taken"),
        ({"name": "x\N{HANGUL FILLER}"}, "bad_request"),
        ({"name": "\N{HANGUL CHOSEONG FILLER}"}, "bad_request"),
        ({"name": "\N{BRAILLE PATTERN BLANK}"}, "bad_request"),
        ({"name": "\N{VARIATION SELECTOR-16}"}, "bad_request"),
        ({"name": ""}, "bad_request"),
        ({"name": "a" * 41}, "bad_request"),
        ({"name": "bell\a"}, "bad_request"),
        ({"name": "-x"}, "bad_request"),
        ({"name": "Stranger", "owner_token": "wrong"}, "forbidden"),
        ({"name": "Stranger", "owner_token": made["token"]}, "forbidden"),
        ({"name": "Stranger", "follows": "Deep 1"}, "bad_request"),
    ):
        assert client.refused(type="register", **fields) == code, fields
    assert client.refused(type="enter", token="wrong") == "forbidden"
    assert client.refused(type="enter", token=made["token"], games=["chess"]) == "bad_request"
    assert client.refused(type="ready", offer="none") == "stale_offer"
    assert client.refused(type="standing") == "bad_request"
    assert client.refused(type="standing", entrant="nobody") == "unknown_entrant"
    table = client.asked(type="standings")
    assert (table["season"], table["entry"], table["settings"]) == ("open", "open", ["last_spike:2"])
    assert {row["entrant"] for row in table["standings"] if row["anchor"]} == {"greedy", "random"}


def test_tokens_are_saved_or_printed_and_never_lost(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens are saved in a file. If that fails, they are printed.

    Two commands that register at the same time both save their tokens. A file that cannot be read is not overwritten.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = tmp_path / "rails-cli" / "pool.json"
    names = ("Keeper 1", "Keeper 2")
    how: Json = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    for both in [start_rails("pool", "register", server.url, name, "--new-owner", **how) for name in names]:
        output, _ = both.communicate(timeout=HANG_S)
        assert (both.returncode, "\ntoken: " in output) == (0, True)
    tokens = json.loads(file.read_bytes())[server.url]["tokens"]
    assert tokens.keys() == {*names}
    assert sorted(one.name for one in file.parent.iterdir()) == ["pool.json", "pool.lock"]
    file.write_text("{")
    for words in (("register", server.url, "Keeper 3"), ("join", server.url, "--name", "Keeper 1", "--", "true")):
        done = CliRunner().invoke(main, ["pool", *words])
        assert (done.exit_code, file.read_text()) == (1, "{")
        assert f"{file}, with your tokens, cannot be read: this is not a file of tokens" in done.stderr
    file.unlink()
    file.with_suffix(".lock").unlink()
    file.with_suffix(".lock").mkdir()
    renew = ["pool", "revoke", server.url, names[0], "--renew", "--admin-token", server.admin_token]
    done = CliRunner().invoke(main, renew)
    assert (done.exit_code, f"{names[0]} has a new token: " in done.stdout) == (0, True)
    assert f"could not be kept in {file}: Is a directory; write them down: token " in done.stderr


def test_a_disconnected_bot_gets_its_seat_back_by_entering_again(server: ServerProcess, client: Client) -> None:
    token = register(client, "Phoenix")["token"]
    enter(client, token)
    first = sit_down(client)
    client.answer(client.until("request"))
    client.cut()
    with Client(server.url) as other:
        enter(other, token)
        back = other.until("seated")
        assert back["table"]["table"] == first["table"]["table"]
        assert back["token"] != first["token"]
        other.send(type="withdraw")
        assert play_to_end(other)["faults"] == [0, 0]
        games_of(other, "Phoenix", 1)


def test_the_round_trip_time_is_measured_by_pings(tmp_path: Path) -> None:
    """The round-trip time of a connection is the time between a ping and its pong.

    A pong with wrong content is ignored. If the operating system measures the round-trip time, its value is used, so a
    late pong does not increase it.
    """
    with (
        ClockedServer(tmp_path / "data", *POOL) as server,
        Client(server.url) as client,
        RawClient(server.port, {}) as far,
    ):
        token = register(client, "Far Away")["token"]
        assert entrant_info(client, "Far Away")["lag_ms"] is None
        far.send(frame_bytes(json.dumps({"type": "enter", "token": token}).encode()))
        [(_, content)] = itertools.islice((frame for frame in far.frames() if frame[0] == PING), 1)
        far.send(frame_bytes(b"a guess", PONG))
        assert entrant_info(client, "Far Away")["lag_ms"] == 0
        server.advance(0.3)
        far.send(frame_bytes(content, PONG))
        far.send(frame_bytes(json.dumps({"type": "standing", "ref": "after the pong"}).encode()))
        next(content for kind, content in far.frames() if b"after the pong" in content)
        lag_ms = entrant_info(client, "Far Away")["lag_ms"]
        assert lag_ms < 300 if KNOWS_ROUND_TRIP else lag_ms == 300


def test_revoking_a_token_in_a_game_forfeits_the_seat(server: ServerProcess, client: Client) -> None:
    made = register(client, "Stolen")
    with Client(server.url) as thief, Client(server.url) as second, Client(server.url) as third:
        enter(thief, made["token"])
        sit_down(thief)
        thief.until("request")
        enter(second, made["token"])
        assert third.refused(type="enter", token=made["token"]) == "too_many"
        assert client.refused(type="revoke", entrant="Stolen", token=made["token"]) == "forbidden"
        renewed = client.asked(type="revoke", entrant="Stolen", token=made["owner_token"], renew=True)
        for gone in (thief, second):
            with pytest.raises(Closed):
                gone.until("start")
            assert gone.heard[-1]["code"] == "revoked"
        assert third.refused(type="enter", token=made["token"]) == "forbidden"
        enter(third, renewed["token"])
        third.until("seated")
        [revoked] = client.asked(type="revoke", entrant="Stolen", token=server.admin_token)["entrants"]
        assert revoked["state"] == "revoked"
    games_of(client, "Stolen", 1)
    [game] = played_by(server, "Stolen")
    seat = game["seating"].index("Stolen")
    assert (game["lost"], game["ranks"][seat], game["reason"]) == ([seat], 2, "normal")
    assert client.refused(type="revoke", entrant="greedy", token=server.admin_token) == "bad_request"
    client.asked(type="revoke", entrant="Stolen", token=made["owner_token"])
    assert client.refused(type="revoke", entrant="Stolen", token=made["owner_token"], renew=True) == "forbidden"
    client.asked(type="revoke", entrant="Stolen", token=server.admin_token, renew=True)
    client.asked(type="revoke", entrant="Stolen", token=made["owner_token"], renew=True)


def test_pool_join_gives_up_on_a_bot_that_keeps_exiting(server: ServerProcess, client: Client, tmp_path: Path) -> None:
    """`pool join` reports each exit of the bot and gives up after five. The game is finished without the bot."""
    (tmp_path / "token").write_text(register(client, "Moody")["token"])
    moody = 'while read -r line; do case $line in *\'"type":"request"\'*) exit 3;; esac; done'
    done = rails("pool", "join", server.url, "--token-file", str(tmp_path / "token"), "--", "sh", "-c", moody)
    assert done.returncode == 1
    assert done.stderr.count("the bot exited with code 3; starting it again") == 4
    words = "Error: the bot exited with code 3, 5 times without a whole game; `rails-cli check-bot` may show why"
    assert done.stderr.splitlines()[-1] == words
    games_of(client, "Moody", 1)


def test_pool_join_prints_why_answers_were_rejected_and_the_seat_was_lost(tmp_path: Path) -> None:
    crook = tmp_path / "crook.py"
    crook.write_text(CROOK, encoding="utf-8")
    options = (*POOL, *UNHURRIED, "--pool-patience", "0", "--pool-clock", "60/move", "--max-faults", "2")
    with HastenedServer(tmp_path / "data", *options) as server, Client(server.url) as client:
        (tmp_path / "token").write_text(register(client, "Crook 2")["token"])
        join = ("pool", "join", server.url, "--token-file", str(tmp_path / "token"), "--stop-after", "1", "--")
        how: Json = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with start_rails(*join, sys.executable, str(crook), **how) as joined:
            assert joined.stderr is not None
            printed: list[str] = []
            for _ in range(2):
                while not re.match(r"request \d+: answer rejected", line := joined.stderr.readline()):
                    assert line, printed
                    printed.append(line)
                printed.append(line)
                server.advance(61)
            ended, rest = joined.communicate(timeout=HANG_S)
            printed.append(rest)
    assert joined.returncode == 0, printed
    shown = "".join(printed)
    rejected = "illegal_action: choice 999 is not in the legal list; it has the entries 0 to "
    assert len(re.findall(rf"request \d+: answer rejected: {rejected}", shown)) == 2
    assert len(re.findall(rf"no legal answer in 60 s \(last answer rejected: {rejected}", shown)) == 2
    page = f"{server.url.replace('ws', 'http', 1)}/#pool/Crook%202"
    assert f"substituted: a substitute plays this game to its end; what went wrong: {page}\n" in shown
    assert re.fullmatch(
        r"table \w+: you lost your seat: ranked last \(your substitute made \$[\d,]+; \w+ \$[\d,]+\)\n", ended
    )


def test_games_among_entrants_of_one_owner_are_not_rated(server: ServerProcess, client: Client) -> None:
    """Two entrants of one owner can play against each other if both ask for it. Their game is not rated."""
    made = register(client, "Left", owner="Hands", person=True)
    token = register(client, "Right", owner_token=made["owner_token"], person=True)["token"]
    client.asked(type="season", token=server.admin_token, state="paused")
    with Client(server.url) as other:
        client.asked(type="enter", token=made["token"], meets_own=True)
        other.asked(type="enter", token=token, meets_own=True)
        other.asked(type="season", token=server.admin_token, state="open")
        for one in (client, other):
            offer = one.until("offered")
            assert not offer["rated"]
            one.send(type="ready", offer=offer["offer"])
        for one in (client, other):
            one.until("seated")
            one.send(type="withdraw")
        all_play([client, other])
        for one in (client, other):
            one.until("withdrawn", why="the game is over")
            assert not any(message["type"] == "error" for message in one.heard)
        assert entrant_info(client, "Left")["games_today"] == 1
    assert not played_by(server, "Left")


@pytest.mark.parametrize("options", [(), ("--pool-same-address",)])
def test_entrants_from_one_address_meet_only_if_the_operator_allows_it(tmp_path: Path, options: Sequence[str]) -> None:
    proxy = ("--proxy", "127.0.0.1", "--pool-patience", "1000000")
    with ServerProcess(tmp_path / "data", *POOL, *UNHURRIED, *proxy, *options) as server, ExitStack() as opened:
        clients = {}
        for name, address in (("Left", "2001:db8::1"), ("Right", "2001:db8::2"), ("Far", "2001:db8:0:1::1")):
            headers = {"X-Forwarded-For": address}
            client = clients[name] = opened.enter_context(Client(server.url, additional_headers=headers))
            enter(client, register(client, name, person=True)["token"])
        pair = ("Left", "Right" if options else "Far")
        for name in pair:
            clients[name].send(type="ready", offer=clients[name].until("offered")["offer"])
        seats = clients["Left"].until("seated")["table"]["seats"]
        assert {seat["name"] for seat in seats} == {*pair}


def until_offer_is_open(client: Client) -> None:
    """Wait until the client has an offer that is not over, while no other entrant can end its offers."""
    client.settled()
    while True:
        over = {message["offer"] for message in client.heard if message["type"] == "offer_over"}
        offers = [message["offer"] for message in client.heard if message["type"] == "offered"]
        if offers[-1] not in over:
            return
        client.until("offered")


def test_an_entrant_that_misses_five_offers_has_to_wait(server: ServerProcess, client: Client) -> None:
    """An entrant that misses five offered games in a row is removed from the queue and must wait for five minutes.

    The count of missed offers continues if the entrant withdraws, disconnects or sits down at another table.
    """
    token = register(client, "Choosy", person=True)["token"]
    other = register(client, "Steady", person=True)["token"]
    client.asked(type="season", token=server.admin_token, state="paused")
    with Client(server.url) as steady, Client(server.url) as second, Client(server.url) as third:
        enter(client, token)
        enter(steady, other)
        steady.asked(type="season", token=server.admin_token, state="open")
        offer = client.until("offered")["offer"]
        assert steady.until("offered")["offer"] == offer
        for kind in ("ready", "ready", "decline"):
            client.send(type=kind, offer=offer)
        assert "declined" in steady.until("offer_over", offer=offer)["why"]
        steady.asked(type="withdraw")
        until_offer_is_open(client)
        client.asked(type="withdraw")
        enter(client, token)
        client.until("offered")
        enter(second, token)
        assert "another connection" in client.until("withdrawn", ref=None)["why"]
        second.until("offered")
        duel(server, second)
        enter(third, token)
        third.send(type="decline", offer=third.until("offered")["offer"])
        assert "the next comes in 5 minutes" in third.until("error", code="choosy")["message"]
        assert "5 offers in a row" in third.until("withdrawn")["why"]
        enter(third, token)
        third.until("error", code="choosy")


def test_banning_an_owner_revokes_all_its_entrants(server: ServerProcess, client: Client) -> None:
    one = register(client, "Rogue 1", owner="Rogue")
    token = one["owner_token"]
    other = client.asked(type="register", name="Rogue 2", owner_token=token)
    with Client(server.url) as playing:
        enter(playing, other["token"])
        ban = {"type": "ban_owner", "owner": "Rogue"}
        assert client.refused(**ban, token=token) == "forbidden"
        assert client.refused(**{**ban, "owner": "Nobody"}, token=server.admin_token) == "bad_request"
        received = client.asked(**ban, token=server.admin_token)["entrants"]
        assert {info["entrant"]: info["state"] for info in received} == {"Rogue 1": "revoked", "Rogue 2": "revoked"}
        playing.until("error", code="revoked", fatal=True)
    assert client.refused(type="register", name="Rogue 3", owner_token=token) == "forbidden"
    assert client.refused(type="revoke", entrant="Rogue 1", token=token, renew=True) == "forbidden"
    words = ("pool", "ban", server.url, "Rogue", "--admin-token", server.admin_token)
    lifted = CliRunner().invoke(main, [*words, "--lift"])
    assert lifted.output == "Rogue may register again; what was revoked stays so\n"
    assert client.asked(type="register", name="Rogue 3", owner_token=token)["owner"] == "Rogue"
    again = CliRunner().invoke(main, [*words, "--json"])
    assert [info["entrant"] for info in json.loads(again.output)["entrants"]] == ["Rogue 1", "Rogue 2", "Rogue 3"]


def test_the_operator_pauses_and_closes_the_season(server: ServerProcess, client: Client) -> None:
    assert client.refused(type="season", token="wrong", state="paused") == "forbidden"
    token = register(client, "Patient")["token"]
    with Client(server.url) as waits:
        assert client.asked(type="season", token=server.admin_token, state="paused")["state"] == "paused"
        assert enter(waits, token)["season"] == "paused"
        assert client.asked(type="season", token=server.admin_token, state="closed")["state"] == "closed"
        assert waits.until("season", state="closed")
        assert client.refused(type="enter", token=token) == "closed"
        assert client.refused(type="register", name="Late") == "closed"
        assert not any(message["type"] == "offered" for message in waits.heard)
        assert client.asked(type="season", token=server.admin_token, state="open")["state"] == "open"
        waits.until("offered")
        assert client.refused(type="season", token=server.admin_token, state="paused", minutes=1) == "bad_request"
        arena = client.asked(type="season", token=server.admin_token, state="open", minutes=0.002, finalists=2)
        assert arena["ends_at"] is not None
        waits.until("season", state="frozen")  # no entrant has a place yet, so there is no final
        fields = {"type": "season", "token": server.admin_token, "state": "open"}
        for final in ({"finalists": 1}, {"rounds": 2}, {"finalists": 0, "rounds": 2}, {"finalists": 9, "rounds": 999}):
            assert client.refused(**fields, **final) == "bad_request"
        assert "may have 71,928 games, and 10,000 are allowed" in client.heard[-1]["message"]
        assert client.asked(**fields)["ends_at"] is None
        ends_at = client.asked(**fields, minutes=60)["ends_at"]
        assert client.asked(type="season", token=server.admin_token, state="paused")["ends_at"] is None
        assert client.asked(**fields)["ends_at"] >= ends_at  # a pause does not shorten the season
        assert client.asked(**fields)["ends_at"] is None
    season = ["pool", "season", server.url, "--admin-token", server.admin_token]
    for words, code, expected in (
        (["open", "--rounds", "2"], 2, "--rounds needs --finalists"),
        (["open", "--finalists", "2", "--no-final"], 2, "choose one of --finalists and --no-final"),
        (["open", "--minutes", "60", "--no-final"], 0, f"the season is open until {date.today().year // 100}"),
        (["open"], 0, "the season is open\n"),
    ):
        done = CliRunner().invoke(main, [*season, *words])
        assert (done.exit_code, expected in done.output) == (code, True), done.output
    assert '"final_rules":null' in (server.folder / "entrants.jsonl").read_text().splitlines()[-1]


def test_a_pool_by_invitation_with_limits_missed_offers_and_a_restart(tmp_path: Path) -> None:
    """After a restart, entrants keep their tokens, and an unreadable line of the entrants file is skipped.

    The server refuses to start if the clock of the pool is changed. It also refuses to start if an entrant has the name
    of a built-in player of the pool. An entrant that disconnects during a game and stays away loses the game.
    """
    data = tmp_path / "data"
    by_invitation = [*POOL, "--pool-registrations-each", "6", *UNHURRIED, "--pool-entrants", "3"]
    by_invitation += ["--pool-patience", "0", "--pool-entry", "invitation", "--pool-games-a-day", "1"]
    with HastenedServer(data, *by_invitation) as server, Client(server.url) as client:
        assert client.refused(type="register", name="Eve") == "forbidden"
        assert client.refused(type="invite_entrants", token="wrong") == "forbidden"
        first, second = client.asked(type="invite_entrants", token=server.admin_token, count=2)["invites"]
        gone = register(client, "Gone", invite=first)
        # the two anchors count as entrants
        assert client.refused(type="register", name="Ann", invite=second) == "too_many"
        client.asked(type="revoke", entrant="Gone", token=gone["owner_token"])
        [code] = client.asked(type="invite_entrants", token=server.admin_token)["invites"]
        token = register(client, "Ann", invite=code, owner="Lee")["token"]
        assert client.refused(type="register", name="Eve", invite=code) == "forbidden"
        assert client.refused(type="register", name="Bob") == "forbidden"
        assert client.refused(type="register", name="Cid") == "too_many"
        enter(client, token)
        for _ in range(3):
            offer = client.until("offered")["offer"]
            server.advance(LONG_OFFER_S + 1)
            client.until("offer_over", offer=offer)
        assert "3 offers in a row" in client.until("withdrawn")["why"]
        assert entrant_info(client, "Ann")["waiting"] == 0
        server.kill()
        file = data / "entrants.jsonl"
        first, *others = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(first + b'{"type":"entrant","name":7}\n' + b"".join(others))
        with HastenedServer(data, *by_invitation) as again, Client(again.url) as back:
            assert any(f"{file}: line 2 cannot be read, and is skipped" in line for line in again.said)
            assert b'{"type":"entrant","name":7}\n' in file.read_bytes()
            assert back.refused(type="register", name="Eve", invite=code) == "forbidden"
            assert enter(back, token)["entrant"] == "Ann"
            seated = sit_down(back)
            with Client(again.url) as looks:
                looks.asked(type="watch", table=seated["table"]["table"])
                back.cut()
                while looks.until("table")["table"]["seats"][seated["seat"]]["connected"]:
                    pass
                again.advance(61)
                looks.until("end")
                games_of(looks, "Ann", 1)
                enter(looks, token)
                words = "Ann has played 1 game in 24 hours; it is paired again later"
                assert looks.until("error", code="day_limit")["message"] == words
            [game] = played_by(again, "Ann")
            assert game["lost"] == [seated["seat"]]
            assert game["ranks"][seated["seat"]] == 2
            assert game["reason"] == "normal"
    done = rails("serve", "--port", "0", "--data", str(data), *by_invitation, "--pool-clock", "5")
    assert (done.returncode, "clock was 60+0.5 and is 5" in done.stderr) == (1, True), done.stderr
    file.write_text(file.read_text().replace('"Lee"', '"Busy"'))  # registration would refuse such a name
    done = rails("serve", "--port", "0", "--data", str(data), *by_invitation, "--pool-anchors", "busy,random")
    words = "busy cannot be an anchor: Busy has registered under this name; leave it out of --pool-anchors"
    assert (done.returncode, words in done.stderr) == (1, True), done.stderr


def play_until_stopped(server: list[ServerProcess], token: str, stop: threading.Event, chance: random.Random) -> None:
    """Play at `server[0]` until `stop` is set. Answer at random, drop the connection at random, and reconnect."""
    while not stop.is_set():
        with suppress(Closed, OSError, WebSocketException, TimeoutError), Client(server[0].url) as client:
            client.send(type="enter", token=token)
            while not stop.is_set():
                with suppress(TimeoutError):
                    message = client.receive(0.2)  # timing: only to check `stop` from time to time
                    if message["type"] == "offered":
                        client.send(type="ready", offer=message["offer"])
                    elif message["type"] == "request":
                        client.answer(message, choice=chance.randrange(len(message["legal"])))
                        if chance.random() < 0.02:
                            break
        stop.wait(0.02)


def test_no_game_is_lost_or_counted_twice_after_a_crash(tmp_path: Path) -> None:
    """Every game is stored and counted exactly once, although the server is killed while games are running.

    Four bots break their connections at random. A fifth bot uses the Python library.
    """
    data = tmp_path / "data"
    options = (*POOL, "--pool-patience", "1", "--pool-clock", "3600")
    tokens: dict[str, str] = {}
    stop = threading.Event()
    with ServerProcess(data, *options) as first:
        with Client(first.url) as client:
            for owner in range(2):
                made = register(client, f"bot {owner}a", owner=f"owner {owner}")
                tokens[f"bot {owner}a"] = made["token"]
                tokens[f"bot {owner}b"] = register(client, f"bot {owner}b", owner_token=made["owner_token"])["token"]
            kit = register(client, "from the kit")["token"]
        place = [first]
        bots = [
            threading.Thread(target=play_until_stopped, args=(place, token, stop, random.Random(number)))
            for number, token in enumerate(tokens.values())
        ]
        for bot in bots:
            bot.start()
        try:
            ends = run(Bot, first.url, pool=kit, at_once=2, games=1, say=lambda words: None)
            assert len(ends) == 2
            first.kill()
            with ServerProcess(data, *options, port=first.port) as second, Client(second.url) as client:
                place[0] = second

                def games() -> int:
                    return int(client.asked(type="standings")["games"])

                before = games()
                wait_until(lambda: games() >= before + 2, "2 more games")
                bring_to_rest(client, second)
                kept = len(results_of(data))
                wait_until(lambda: games() >= kept, "all games to be counted")
                counted = games()
        finally:
            stop.set()
            for bot in bots:
                bot.join()
    played = checked_results(data, {name: name[:5] for name in tokens})
    assert len(played) == counted
