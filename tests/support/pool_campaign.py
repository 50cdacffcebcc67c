"""A pool of real bots in several languages, with servers and clients that are killed; and what must hold then."""

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.support.tools import RAILS, ROOT, rails, start_rails
from tests.support.ws_client import Client, Json, ServerProcess, verified

OPTIONS = ("--pool", "--pool-registrations-each", "999", "--pool-games-each", "64", "--requests-per-second", "1000")
STRENGTHS = ("random", "greedy", "medium")
"""Built-in players that play as bots, the weakest first: a known order."""


def results_of(data: Path) -> list[Json]:
    """The games among the results, in the order in which they were added."""
    with sqlite3.connect(data / "pool" / "results.sqlite") as database:
        rows = database.execute("SELECT played FROM games JOIN groups ON group_key = key ORDER BY groups.number")
        return [json.loads(row) for (row,) in rows]


def checked_results(data: Path, owners: Mapping[str, str]) -> list[Json]:
    """The games of a pool that has come to rest: all finished ones are there once, their logs are true, nobody has met
    its own, and the audit of the folder finds nothing."""
    played = results_of(data)
    logs = [data / "pool" / game["log"] for game in played]
    assert all(map(verified, logs))
    kept = Counter(_table(log) for log in logs)
    assert set(kept.values()) <= {1}
    assert set(kept) == _finished(data)
    for game in played:
        theirs = [owners[name] for name in game["seating"] if name in owners]
        assert len(set(theirs)) == len(theirs)
    audit = rails("tournament", "audit", str(data / "pool"), "--workers", "1", timeout=1200)
    assert audit.returncode == 0, audit.stdout + audit.stderr
    return played


def _header(log: Path) -> Json:
    with log.open("rb") as lines:
        header: Json = json.loads(next(lines))
    return header


def _table(log: Path) -> str:
    return str(_header(log)["match"])


def _is_rated(log: Path) -> bool:
    """Those who play in a check beside the one who is checked are called by their number, too."""
    players = _header(log)["players"]
    return not any(player["seat"].startswith("builtin:") and player["name"][-1].isdigit() for player in players)


def bring_to_rest(client: Client, server: ServerProcess, patience_s: float) -> None:
    """No new games; those that run come to their end, and to the results."""
    client.asked(type="season", token=server.admin_token, state="paused")
    until = time.monotonic() + patience_s
    while client.asked(type="list", state="playing")["tables"]:
        assert time.monotonic() < until, "games do not end"
        time.sleep(0.05)
    while len(results_of(server.folder)) < len(_finished(server.folder)):
        assert time.monotonic() < until, "games are missing in the results"
        time.sleep(0.1)


def _finished(data: Path) -> set[str]:
    """The tables of rated games that have ended."""
    return {_table(log) for log in (data / "tables").glob("*.jsonl") if _is_rated(log) and _has_result(log)}


def _has_result(log: Path) -> bool:
    return b'{"type":"result"' in log.read_bytes()


def language_bots(folder: Path) -> dict[str, list[str]]:
    """Example bots of several languages, as far as their tools are here, by the name of the language."""
    found = {"python": [sys.executable, str(ROOT / "bots/python/bot.py")]}
    if shutil.which("node"):
        found["javascript"] = ["node", str(ROOT / "bots/javascript/bot.js")]
    if shutil.which("perl"):
        found["perl"] = ["perl", str(ROOT / "bots/perl/bot.pl")]
    if shutil.which("cc"):
        subprocess.run(["cc", "-O2", "-o", str(folder / "bot"), str(ROOT / "bots/c/bot.c")], check=True)
        found["c"] = [str(folder / "bot")]
    return found


def pool_campaign(bots: int, owners: int, seconds: float, kills: int, seed: int, folder: Path) -> dict[str, Any]:
    """So many bots of so many owners play for a while; the server is killed `kills` times, and clients all the time."""
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "data"
    languages = list(language_bots(folder).items())
    options = (*OPTIONS, "--pool-anchors", "random,greedy,medium", "--pool-patience", "2")
    whose: dict[str, str] = {}
    commands: dict[str, list[str]] = {}
    with ExitStack() as stack:
        server = stack.enter_context(ServerProcess(data, *options))
        owner_tokens: list[str | None] = [None] * owners
        with Client(server.url) as client:
            for number in range(bots):
                kind, command = _bot(number, languages)
                owner = number % owners
                wish = (
                    {"owner": f"owner {owner}"} if owner_tokens[owner] is None else {"owner_token": owner_tokens[owner]}
                )
                made = client.asked(type="register", name=f"{kind} {number}", **wish)
                owner_tokens[owner] = owner_tokens[owner] or made["owner_token"]
                whose[made["entrant"]] = made["owner"]
                file = folder / f"token{number}"
                file.write_text(made["token"])
                commands[made["entrant"]] = ["--token-file", str(file), "--", *command]
        running = {name: _join(server.url, words) for name, words in commands.items()}
        stack.callback(_end_all, running)
        until = time.monotonic() + seconds
        done: Counter[str] = Counter(servers_killed=0)
        while time.monotonic() < until:
            time.sleep(chance.uniform(0.5, 2) * seconds / max(20 * kills, 40))
            name = chance.choice(list(running))
            running[name].send_signal(chance.choice((signal.SIGKILL, signal.SIGTERM)))
            running[name].wait(60)
            running[name] = _join(server.url, commands[name])
            done["clients_killed"] += 1
            if done["servers_killed"] < kills * (1 - (until - time.monotonic()) / seconds):
                server.kill()
                server = stack.enter_context(ServerProcess(data, *options, port=server.port))
                done["servers_killed"] += 1
        with Client(server.url) as client:
            bring_to_rest(client, server, 300)
        _end_all(running)
    played = checked_results(data, whose)
    done["games"] = len(played)
    standings = json.loads(rails("tournament", "standings", str(data / "pool"), "--json", timeout=600).stdout)
    ratings = {row["name"]: row["rating"]["rating"] for row in standings["tables"][0]["standings"]}
    means = []
    for kind in STRENGTHS:
        theirs = [rating for name, rating in ratings.items() if name.startswith(f"{kind} ")]
        means.append(sum(theirs) / max(1, len(theirs)))
    assert means == sorted(means), dict(zip(STRENGTHS, means, strict=True))
    return dict(done)


def _bot(number: int, languages: Sequence[tuple[str, list[str]]]) -> tuple[str, list[str]]:
    """Every other bot is one of known strength; the others are of all languages."""
    if number % 2:
        return languages[number // 2 % len(languages)]
    kind = STRENGTHS[number // 2 % len(STRENGTHS)]
    return kind, [*RAILS, "player", kind]


def _join(url: str, words: Sequence[str]) -> "subprocess.Popen[Any]":
    quiet = subprocess.DEVNULL
    return start_rails("pool", "join", url, *words, stdin=quiet, stdout=quiet, stderr=quiet)


def _end_all(running: Mapping[str, "subprocess.Popen[Any]"]) -> None:
    for process in running.values():
        if process.poll() is None:
            process.kill()
            process.wait(60)
