"""Test the pool of a server, which pairs bots for rated games, under faults.

Bots in several languages play. Meanwhile servers and clients are killed and connections are broken. At the end, all
results must be complete and correct.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.tournament.report import page
from tests.support.databases import opened
from tests.support.relays import CuttingRelay
from tests.support.server_campaigns import quiet
from tests.support.tools import RAILS, ROOT, left_behind, rails, start_rails
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import Client, Json, ServerProcess, verified

OPTIONS = ("--pool", "--pool-registrations-each", "999", "--pool-games-each", "64", "--requests-per-second", "1000")
MANY = ("--max-connections-each", "1000", "--pool-anchors", "random,greedy,medium", "--pool-patience", "2")
STRENGTHS = ("random", "greedy", "medium")
"""Built-in players that take part as bots, in order of strength."""
KIT = """
import os, sys
from rails_cli.bot import Bot, run
run(Bot, sys.argv[1], pool=os.environ["RAILS_POOL_TOKEN"])
"""
LEAST_ORDER = 0.9
"""Minimum rank correlation between ratings and known strengths that a long campaign must reach."""
END_BYTES = 65_536
"""Number of bytes at the end of a log in which its last lines are searched."""


def results_of(data: Path) -> list[Json]:
    """Return the games stored in the results of the pool with the data folder `data`, in the order of storing."""
    with opened(data / "pool" / "results.sqlite") as database:
        rows = database.execute("SELECT played FROM games JOIN groups ON group_key = key ORDER BY groups.number")
        return [json.loads(row) for (row,) in rows]


def checked_results(data: Path, owners: Mapping[str, str], known: Container[Path] = ()) -> list[Json]:
    """Check the results of a pool after all games have ended, and return these results. The checks are:

    - Every rated game that began is stored exactly once, and its log verifies.
    - Two bots of the same owner have never met.
    - The audit of the folder finds nothing.

    `owners` maps bots to owners. Logs in `known` are not verified again.
    """
    played = results_of(data)
    logs = [data / "pool" / game["log"] for game in played]
    for log in logs:
        assert log in known or verified(log), f"{log} is not finished"
    kept = Counter(_table(log) for log in logs)
    twice = [table for table, times in kept.items() if times > 1]
    assert not twice, f"counted twice: {twice}"
    begun = {_table(log) for log in (data / "tables").glob("*.jsonl") if _is_rated(log)}
    assert set(kept) == begun, f"lost: {sorted(begun - set(kept))}; without a log: {sorted(set(kept) - begun)}"
    for game in played:
        theirs = [owners[name] for name in game["seating"] if name in owners]
        assert len(set(theirs)) == len(theirs), f"{game['log']}: two bots of one owner met"
    audit = rails("tournament", "audit", str(data / "pool"), "--workers", "1", timeout=3600)
    assert audit.returncode == 0, audit.stdout + audit.stderr
    return played


def _header(log: Path) -> Json:
    with log.open("rb") as lines:
        header: Json = json.loads(next(lines))
    return header


def _table(log: Path) -> str:
    return str(_header(log)["match"])


def _is_rated(log: Path) -> bool:
    """Return whether the game in `log` counts for ratings.

    The other games test new entrants against built-in players. In their logs, the names of the built-in players end
    with a number.
    """
    players = _header(log)["players"]
    return not any(player["seat"].startswith("builtin:") and player["name"][-1].isdigit() for player in players)


def bring_to_rest(client: Client, server: ServerProcess) -> None:
    """Pause the pool and wait until all running games have ended and are in the results."""
    client.asked(type="season", token=server.admin_token, state="paused")
    wait_until(lambda: not client.asked(type="list", state="playing")["tables"], "the games to end")
    ended = [log for log in (server.folder / "tables").glob("*.jsonl") if _is_rated(log) and _result(log) is not None]
    wait_until(lambda: len(results_of(server.folder)) >= len(ended), "all games in the results")


def _result(log: Path) -> Json | None:
    with log.open("rb") as content:
        content.seek(max(0, log.stat().st_size - END_BYTES))
        lines = content.read().split(b"\n")
    found = [line for line in lines if line.startswith(b'{"type":"result"')]
    return json.loads(found[0]) if found else None


def report(monkeypatch: pytest.MonkeyPatch, words: Sequence[str]) -> str:
    """Run `tournament report` with the arguments `words`. Return its output.

    The report has no charts. They would take two seconds of CPU time, and other tests cover them.
    """
    monkeypatch.setattr(page, "can_draw", lambda: False)
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.output


# Bots


class Bot(NamedTuple):
    """A bot of the campaign: its kind, which is a strength or a programming language, and its command line."""

    kind: str
    command: list[str]
    is_direct: bool = False
    """Whether the bot opens the websocket itself. If not, `rails-cli pool join` runs the bot.

    A direct bot gets the address as an argument and the token as an environment variable.
    """


def language_bots(folder: Path) -> list[Bot]:
    """Return the example bots whose interpreter is installed. Compile the bot in C into `folder`."""
    (folder / "kit.py").write_text(KIT)
    subprocess.run(["cc", "-O2", "-o", str(folder / "bot"), str(ROOT / "bots/c/bot.c")], check=True)
    found = [
        Bot("python", [sys.executable, str(ROOT / "bots/python/bot.py")]),
        Bot("javascript", ["node", str(ROOT / "bots/javascript/bot.js")]),
        Bot("perl", ["perl", str(ROOT / "bots/perl/bot.pl")]),
        Bot("c", [str(folder / "bot")]),
        Bot("javascript websocket", ["node", str(ROOT / "bots/javascript_websocket/bot.js")], is_direct=True),
        Bot("python kit", [sys.executable, str(folder / "kit.py")], is_direct=True),
    ]
    return [bot for bot in found if shutil.which(bot.command[0])]


def _bot(number: int, languages: Sequence[Bot]) -> Bot:
    """Return the bot with the index `number`. Built-in players of known strength alternate with bots in `languages`."""
    if number % 2:
        return languages[number // 2 % len(languages)]
    kind = STRENGTHS[number // 2 % len(STRENGTHS)]
    return Bot(kind, [*RAILS, "player", kind])


class Entered:
    """An entrant of the campaign and the process that plays for the entrant."""

    def __init__(self, bot: Bot, name: str, token: str, folder: Path, url: str, environment: Mapping[str, str]) -> None:
        self.bot = bot
        self.url = url
        self.environment = {**environment, "RAILS_POOL_TOKEN": token}
        self.ends = folder / f"{name}.ends"
        """File with the `end` messages that the bot received, one in a line. Empty if the bot is direct."""
        self.start()

    def start(self) -> None:
        with self.ends.open("ab") as ends:
            how: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": self.environment}
            if self.bot.is_direct:
                command = [*self.bot.command, self.url]
                self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **how)
            else:
                words = ("pool", "join", self.url, "--json", "--", *self.bot.command)
                self.process = start_rails(*words, stdout=ends, **how)

    def disturb(self, chance: random.Random) -> None:
        """Stop the bot, either at once or after its current game, and start it again."""
        self.process.send_signal(chance.choice((signal.SIGKILL, signal.SIGTERM)))
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(HANG_S)
        self.end()
        self.start()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(HANG_S)

    def received_ends(self) -> Iterator[Json]:
        """Yield the `end` messages that the bot received. Skip an incomplete line that a killed bot has written."""
        for line in self.ends.read_bytes().splitlines():
            with suppress(ValueError):
                yield json.loads(line)


# The campaign


class Campaign:
    """Many bots of several owners that play while clients are killed and connections are broken.

    In the first half of `play`, the server is killed several times and restarted once. In the second half the server
    keeps running, so that its memory can be measured.
    """

    def __init__(self, bots: int, owners: int, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.data = folder / "data"
        self.mark = uuid.uuid4().hex
        self.done: Counter[str] = Counter()
        self.owners: dict[str, str] = {}
        self.entered: dict[str, Entered] = {}
        self.verified: set[Path] = set()
        self._open = ExitStack()
        try:
            self.server = self._serve()
            self.relay = CuttingRelay(self.server.port)
            self._open.callback(self.relay.close)
            self._enter(bots, owners, folder)
        except BaseException:
            self._open.close()
            raise

    def _serve(self, port: int | None = None) -> ServerProcess:
        """Start a server in a new process, not in a fork, so that the measured memory belongs to the server alone."""
        server = ServerProcess(self.data, *OPTIONS, *MANY, port=port, mark=self.mark, before=("env",))
        return self._open.enter_context(server)

    def _enter(self, bots: int, owners: int, folder: Path) -> None:
        """Register and start all bots. Bots with an odd number connect through the relay, the others directly."""
        languages = language_bots(folder)
        tokens: list[str | None] = [None] * owners
        environment = {**os.environ, "RAILS_TEST": self.mark}
        with Client(self.server.url) as client:
            for number in range(bots):
                bot, owner = _bot(number, languages), number % owners
                wish = {"owner": f"owner {owner}"} if tokens[owner] is None else {"owner_token": tokens[owner]}
                made = client.asked(type="register", name=f"{bot.kind} bot {number}", **wish)
                tokens[owner] = tokens[owner] or made["owner_token"]
                name = made["entrant"]
                self.owners[name] = made["owner"]
                url = self.relay.url if number % 2 else self.server.url
                self.entered[name] = Entered(bot, name, made["token"], folder, url, environment)
                self._open.callback(self.entered[name].end)

    def play(self, seconds: float, kills: int) -> None:
        """Let the bots play for `seconds` while faults are caused. Kill the server `kills` times.

        Check that the memory of the server does not grow.
        """
        began = time.monotonic()
        pause_s = min(8.0, seconds / 40)
        server_faults = ["servers_killed"] * kills + ["servers_restarted"]
        at = [seconds / 2 * number / len(server_faults) for number in range(1, len(server_faults) + 1)]
        early = 0
        while (now := time.monotonic() - began) < seconds:  # timing: how long the campaign lasts
            self._verify_until(time.monotonic() + self.chance.uniform(0.5, 2) * pause_s)
            self.chance.choice(list(self.entered.values())).disturb(self.chance)
            self.done["clients_killed"] += 1
            self.relay.cut(self.chance)
            self.done["connections_cut"] += 1
            if at and now > at[0]:
                del at[0]
                self._restart_server(server_faults.pop(0))
            if not at and not early and now > 0.6 * seconds:
                early = self._memory()
                self.done["games_at_60_%"] = len(results_of(self.data))
        assert not at, "the campaign was too short for all server faults"
        self.done["server_mb_at_60_%"] = early // 1_000_000
        self.done["server_mb_at_the_end"] = (late := self._memory()) // 1_000_000
        assert late < early * 1.5 + 50_000_000, f"the server grew from {early} to {late} bytes"

    def _restart_server(self, fault: str) -> None:
        port = self.server.port
        if fault == "servers_killed":
            self.server.kill()
        else:
            assert self.server.stop() == 0
        quiet(self.server)
        self.server = self._serve(port)
        self.done[fault] += 1
        self.done["games_resumed"] += self.server.going_on

    def _memory(self) -> int:
        return int(psutil.Process(self.server.process.pid).memory_info().rss)

    def _verify_until(self, until: float) -> None:
        """Verify the logs of new results. Stop when the monotonic clock reaches `until`."""
        while time.monotonic() < until:  # timing: a pause between two faults
            logs = {self.data / "pool" / game["log"] for game in results_of(self.data)} - self.verified
            for log in sorted(logs):
                assert verified(log), f"{log} is not finished"
                self.verified.add(log)
                if time.monotonic() > until:  # timing: a pause between two faults
                    return
            time.sleep(max(0.0, min(5.0, until - time.monotonic())))  # timing: a pause between two faults

    def rest(self) -> None:
        """Wait until all games have ended, then stop clients and server."""
        for entered in self.entered.values():
            assert entered.process.poll() is None, f"{entered.ends.stem} has exited: {entered.process.returncode}"
        with Client(self.server.url) as client:
            bring_to_rest(client, self.server)
            played = len(results_of(self.data))
            wait_until(lambda: client.asked(type="standings")["games"] >= played, "all games to be counted")
            counted = client.asked(type="standings")["games"]
        self.close()
        quiet(self.server)
        assert counted == len(results_of(self.data)), f"the server counts {counted} games"
        assert left_behind(self.mark) == []

    def close(self) -> None:
        for entered in self.entered.values():
            entered.end()
        if self.server.process.poll() is None:
            assert self.server.stop() == 0
        self._open.close()

    def check(self) -> None:
        """Check the results of the pool, and compare them with the `end` messages that the bots received."""
        played = checked_results(self.data, self.owners, self.verified)
        self.done["games"] = len(played)
        self.done["seats_lost"] = sum(len(game.get("lost", ())) for game in played)
        logs = [self.data / "pool" / game["log"] for game in played]
        ended = {_table(log): _result(log) for log in logs}
        for name, entered in self.entered.items():
            for end in entered.received_ends():
                kept = ended.get(end["match"])
                if kept is None:
                    assert not _is_rated(self.data / "tables" / f"{end['match']}.jsonl"), f"{name}: lost {end}"
                else:
                    assert (kept["scores"], kept["ranks"]) == (end["scores"], end["ranks"]), f"{name}: {end}, {kept}"
                self.done["ends_told"] += 1


def order_of(data: Path) -> tuple[float, dict[str, float]]:
    """Compare the ratings with the known strengths of the bots. `data` is the data folder of the server.

    Return the rank correlation of ratings and strengths (Goodman and Kruskal's gamma), and the mean rating of each kind
    of bot.
    """
    standings = json.loads(rails("tournament", "standings", str(data / "pool"), "--json", timeout=3600).stdout)
    ratings = {row["name"]: row["rating"]["rating"] for row in standings["tables"][0]["standings"]}
    theirs = [[rating for name, rating in ratings.items() if name.startswith(f"{kind} bot ")] for kind in STRENGTHS]
    signs = [
        (better > worse) - (better < worse)
        for low, weak in enumerate(theirs)
        for strong in theirs[low + 1 :]
        for worse in weak
        for better in strong
    ]
    means = {kind: sum(ones) / len(ones) for kind, ones in zip(STRENGTHS, theirs, strict=True)}
    return sum(signs) / len(signs), means


def pool_campaign(bots: int, owners: int, seconds: float, kills: int, seed: int, folder: Path) -> dict[str, Any]:
    """Run a campaign of `bots` bots that belong to `owners` owners, and check its results.

    The bots play for `seconds`, while the server is killed `kills` times. Return counts of games and faults, and the
    rank correlation of the ratings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(bots, owners, seed, folder)
    try:
        campaign.play(seconds, kills)
        campaign.rest()
    finally:
        campaign.close()
    campaign.check()
    order, means = order_of(campaign.data)
    assert order > LEAST_ORDER, means
    return {**campaign.done, "rank_correlation": round(order, 3), **{kind: round(mean) for kind, mean in means.items()}}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(pool_campaign(40, 8, float(sys.argv[1]), 3, 0, Path(sys.argv[2] if sys.argv[2:] else place)))
