"""Tests of the pool over HTTP: pages of standings, tables and entrants, replays, metrics, and a server restart."""

import json
import shutil
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import msgspec
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.server.pool.entrants import SeasonNote
from rails_cli.server.pool.seasons import Final, Season
from rails_cli.tournament.model import Setting
from tests.support.databases import opened
from tests.support.fetching import fetched, replayed
from tests.support.pool_campaign import results_of
from tests.support.tools import ROOT, rails
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import Client, Json, ServerProcess, play_to_end

CHEAP = (
    *("--pool", "--pool-game", "last_spike:2", "--pool-anchors", "greedy,random", "--pool-patience", "0"),
    *("--requests-per-second", "1000", "--pool-offer", "3600", "--pool-clock", "3600"),
)
NAME = "Ådä 1.0+x"


def fetched_json(server: ServerProcess, path: str, kind: str) -> Json:
    """Fetch the JSON document at `path`. Return its decoded value.

    Check this value against the definition `kind` of the pool API schema.
    """
    status, headers, body = fetched(server, path)
    assert (status, headers["content-type"]) == (200, "application/json")
    answer: Json = json.loads(body)
    validator(kind).validate(answer)
    return answer


@cache
def validator(kind: str) -> Any:
    """Return a validator for the definition `kind` of the pool API schema."""
    schema = json.loads((ROOT / "schemas/pool_api.json").read_bytes())
    return jsonschema_rs.validator_for({**schema, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})


def wait_until_rated(server: ServerProcess, games: int) -> Json:
    def rated() -> Json:
        page = fetched_json(server, f"/api/pool/entrants/{quote(NAME)}", "EntrantPage")
        standing = page["row"]["standing"]
        is_rated = standing["games"] == games == len(page["games"]) and standing["rating"] is not None
        return page if is_rated else {}

    return wait_until(rated, f"{games} games to be rated")


def play(client: Client, games: int) -> None:
    for number in range(games):
        while (message := client.until("offered", "seated"))["type"] == "offered":
            client.send(type="ready", offer=message["offer"])
        if number == games - 1:
            client.send(type="withdraw")
        play_to_end(client)


def check_printed_standings(server: ServerProcess) -> None:
    """Check that `pool standings` prints the ratings of the server. Repeat if a rating has changed in the meantime."""
    with Client(server.url) as client:
        before, shown = None, ""
        while before != (rows := client.asked(type="standings")["standings"]):
            before, shown = rows, rails("pool", "standings", server.url, check=True).stdout
    for row in rows:
        if row["rating"] is not None:
            low, high = ("…" if end is None else f"{end:z.0f}" for end in (row["low"], row["high"]))
            words = f"{row['entrant']} {row['rating']:z.0f} {low} to {high} {row['games']} {row['owner']}"
            assert words in " ".join(shown.split())


def names(rows: list[dict[str, Any]]) -> set[str]:
    return {row["entrant"]["entrant"] for row in rows}


def tables_of(client: Client, **fields: str) -> set[str]:
    """Return the ids of the tables that a `list` request with `fields` finds."""
    return {one["table"] for one in client.asked(type="list", **fields)["tables"]}


def run_in_process(*words: str | Path) -> tuple[int, str]:
    """Run a command in this process. Return its exit code and output."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.output


def check_forged_copies(data: Path) -> None:
    """Check that changes of a copy of the pool in `data` are reported. `data` is the data folder of a server.

    The copy is changed in three steps: the log of a game is deleted, the stored result of this game is changed, and its
    id is changed. After each step, the change must be reported by `tournament audit`, or by `pool results`, which
    merges pools.
    """
    pool, copy, into = data / "pool", data.parent / "copy", data.parent / "into"
    shutil.copytree(pool, copy)
    audit = ("tournament", "audit", copy, "--workers", "1", "--key", data / "signing-key")
    assert run_in_process(*audit)[0] == 0
    log = min((copy / "logs").iterdir())
    log.unlink()
    code, output = run_in_process("pool", "results", copy, "--into", into)
    assert (code, f"{log} is missing, and the pool has not deleted it" in output) == (1, True), output
    with opened(copy / "results.sqlite") as database:
        database.execute("CREATE TABLE let_go (id TEXT PRIMARY KEY)")
        database.execute("INSERT INTO let_go SELECT id FROM groups")
    code, output = run_in_process(*audit)
    assert (code, "1 log deleted to save space" in output) == (3, True), output
    assert run_in_process(*audit[:-2])[0] == 0
    assert "6 new" in run_in_process("pool", "results", copy, pool, "--into", into)[1]
    assert len(list((into / "logs").iterdir())) == 6, "the log is taken from the pool that still has it"
    with opened(copy / "results.sqlite") as database:
        database.execute(
            "UPDATE games SET played = json_set(played, '$.ranks', json('[2,1]'), '$.scores', json('[9,1]'), "
            "'$.lost', json('[]')) WHERE played LIKE ?",
            (f"%{log.name}%",),
        )
    code, output = run_in_process(*audit)
    assert (code, "the ranks [2, 1] are not those of the scores [9, 1]" in output) == (1, True), output
    code, output = run_in_process("pool", "results", copy, pool, "--into", data.parent / "other")
    assert (code, f"{copy} and {pool} disagree about game {log.stem}" in output) == (1, True), output
    code, output = run_in_process("pool", "results", copy, "--into", into)
    assert (code, f"{into} and {copy} disagree about game" in output) == (1, True), output
    with opened(copy / "results.sqlite") as database:
        database.execute("UPDATE groups SET id = '0123456789abcdef' WHERE id = ?", (log.stem[:-2],))
        database.execute(
            "UPDATE games SET played = json_set(played, '$.group', '0123456789abcdef') WHERE played LIKE ?",
            (f"%{log.name}%",),
        )
    code, output = run_in_process("pool", "results", copy, "--into", data.parent / "other")
    assert (code, "game 0123456789abcdef-0 in" in output, "does not match its id" in output) == (1, True, True), output
    assert not (data.parent / "other").exists()


def check_pool_without_logs(data: Path) -> None:
    """Have `--keep-size` delete all logs of a pool. Check that its results remain and are reported as unproven."""
    with ServerProcess(data, *CHEAP, "--keep-size", "1") as server:
        words = "deleted the logs of 6 finished games"
        wait_until(
            lambda: any(words in line for line in server.said), "a line about the deleted logs", lambda: server.said
        )
        wait_until(lambda: not any((data / "pool" / "logs").iterdir()), "the logs to be deleted")
        page = fetched_json(server, f"/api/pool/entrants/{quote(NAME)}", "EntrantPage")
        assert [game["has_replay"] for game in page["games"]] == [False] * 6
        status, _, body = fetched(server, f"/replay/{page['games'][0]['id']}")
        assert (status, body) == (410, b"the log of this game is no longer kept; its result still counts\n")
    audit = rails("tournament", "audit", str(data / "pool"), "--workers", "1")
    assert audit.returncode == 3, audit.stdout
    assert "no log is left to check the results against" in audit.stdout
    assert "6 logs deleted to save space: nothing proves the results of these games any more" in audit.stdout
    assert len(results_of(data)) == 6
    together = data.parent / "together"
    assert (
        "6 games of 4 entrants, 6 new" in rails("pool", "results", str(data / "pool"), "--into", str(together)).stdout
    )
    audit = rails("tournament", "audit", str(together), "--workers", "1")
    assert "6 logs deleted to save space" in audit.stdout
    with opened(data / "pool" / "results.sqlite") as database:
        database.execute("DELETE FROM let_go WHERE id = ?", (page["games"][0]["id"],))
    audit = rails("tournament", "audit", str(data / "pool"), "--workers", "1")
    assert audit.returncode == 1
    assert f"{page['games'][0]['id']}-0.jsonl cannot be read" in audit.stdout


def assert_numbers(server: ServerProcess, **wanted: float) -> dict[str, float]:
    """Wait until /metrics reports the pool values `wanted`. Return all pool values by name."""

    def numbers() -> dict[str, float]:
        lines = fetched(server, "/metrics")[2].decode().splitlines()
        ours = [line.removeprefix("rails_pool_").split() for line in lines if line.startswith("rails_pool_")]
        found = {name: float(value) for name, value in ours}
        return found if found == found | wanted else {}

    return wait_until(numbers, str(wanted))


def test_the_pool_over_http_with_a_restart_and_a_final(tmp_path: Path) -> None:
    """The pages of a pool are correct before and after a restart of the server.

    The first server plays rated games. The second server, with the same data folder, plays the final of a season.
    """
    with ServerProcess(tmp_path / "data", *CHEAP) as server:
        assert fetched_json(server, "/api/pool", "PoolOverview")["games"] == 0
        assert json.loads(fetched(server, "/games.json")[2])["has_pool"] is True
        with Client(server.url) as client:
            made = client.asked(type="register", name=NAME, owner="Lovelace")
            other = client.asked(type="register", name="Next", owner_token=made["owner_token"], follows=NAME)
            client.asked(type="enter", token=made["token"])
            client.send(type="ready", offer=client.until("offered")["offer"])
            client.until("seated")

            def with_table() -> Json:
                overview = fetched_json(server, "/api/pool", "PoolOverview")
                return overview if overview["playing"] else {}

            overview = wait_until(with_table, "an overview that lists the running game")
            assert names(overview["rows"]) == {NAME, "Next", "greedy", "random"}
            assert (overview["season"], overview["playing"], len(overview["tables"])) == ("open", 1, 1)
            assert NAME in overview["tables"][0]["names"]
            assert fetched(server, f"/replay/{overview['tables'][0]['table']}")[0] == 404, (
                "a running game has no replay"
            )
            assert_numbers(server, connected=1, waiting=0, playing=1, games_total=0)
            play_to_end(client)
            rated = overview["tables"][0]["table"]
            with Client(server.url) as stranger:  # another connection, so that the entrant does not miss its next offer
                assert rated not in tables_of(stranger), "ended games of the pool are not listed by default"
                assert rated in tables_of(stranger, state="ended")
            play(client, 3)
        page = wait_until_rated(server, 4)
        seen = assert_numbers(server, connected=0, waiting=0, playing=0, games_total=4, unkept=0)
        assert seen['offers_total{end="taken"}'] == 4
        assert seen['offers_total{end="declined"}'] == 0
        assert seen["rating_age_seconds"] >= 0
        assert seen["rating_cpu_seconds_total"] > 0
        standing = page["row"]["standing"]
        assert (standing["owner"], standing["place"], standing["provisional"]) == ("Lovelace", None, True)
        assert [one["entrant"] for one in page["versions"]] == ["Next"]
        assert page["faults"] == []
        for game in page["games"]:
            assert game["names"][game["seat"]] == NAME
            assert sorted(game["ranks"])[0] == 1
        assert [game["at"] for game in page["games"]] == sorted((game["at"] for game in page["games"]), reverse=True)
        status, headers, body = replayed(server, page["games"][0]["id"])
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert b"The Last Spike" in body
        way = f"/api/pool/entrants/{quote(NAME)}"

        def is_not_modified() -> bool:
            """Fetch the page of an entrant twice. Return whether the second response has status 304 (not modified).

            The result is False if the server has computed a rating between the two requests, because the page has then
            changed.
            """
            tag = fetched(server, way)[1]["etag"]
            return fetched(server, way, **{"If-None-Match": tag})[0] == 304

        wait_until(is_not_modified, "status 304 for an unchanged page")
        for path in (
            "/api/pool/entrants/nobody",
            "/api/pool/",
            "/api/pool/entrants/",
            "/api/analysis/none",
            "/replay/..%2f",
        ):
            assert fetched(server, path)[0] == 404, path
    final = Final((NAME, "Next"), (Setting("last_spike", 2),), 5, 1, time.time() + HANG_S)
    with (tmp_path / "data" / "entrants.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(SeasonNote(Season("closing", final=final))) + b"\n")
    with ServerProcess(tmp_path / "data", *CHEAP) as server:
        rows = fetched_json(server, "/api/pool", "PoolOverview")["rows"]
        [kept] = [row["standing"] for row in rows if row["entrant"]["entrant"] == NAME]
        assert kept["games"] == 4
        assert kept["rating"] is not None
        check_printed_standings(server)
        way = "/api/pool/entrants/greedy"
        curve = wait_until(lambda: fetched_json(server, way, "EntrantPage")["curve"], "a rating after the restart")
        assert curve[-1][1] == 0
        with Client(server.url) as one, Client(server.url) as two:
            fields = {"type": "season", "token": server.admin_token}
            assert one.asked(**fields)["final_games"] == 2
            one.asked(type="enter", token=made["token"])
            two.asked(type="enter", token=other["token"])
            playing = threading.Thread(target=play, args=(two, 2))
            playing.start()
            play(one, 2)
            playing.join()
            wait_until(lambda: one.asked(**fields)["state"] == "frozen", "the end of the final")
        seatings = [game["seating"] for game in results_of(server.folder)]
        assert [seating in seatings for seating in ([NAME, "Next"], ["Next", NAME])] == [True, True]
        assert len(seatings) == 6
    check_forged_copies(tmp_path / "data")
    check_pool_without_logs(tmp_path / "data")
    with ServerProcess(tmp_path / "none") as server:
        assert fetched(server, "/api/pool")[0] == 404
        assert json.loads(fetched(server, "/games.json")[2])["has_pool"] is False
