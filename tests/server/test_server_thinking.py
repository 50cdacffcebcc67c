"""Tests of hints and searched moves, which worker processes compute while the server keeps serving other clients."""

import os
import subprocess
from collections import deque
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from rails_cli.protocol.lobby import CreateTable
from rails_cli.server.server import FILES_OF_A_BOT, open_files
from rails_cli.server.settings import Settings
from rails_cli.server.tables.live_view import HINT_COST
from rails_cli.server.tables.table import GameTable
from rails_cli.server.workers.low_priority import RAILS_CLI, low_priority_command
from rails_cli.server.workers.thinkers import Then
from rails_cli.server.workers.thinking import HintTask, MoveTask, Task, Thought, thought_of
from tests.support.rigged_lobby import Notes, Rigged
from tests.support.ws_client import Client, ServerProcess, table_of


class Slow(Rigged):
    """A lobby whose worker tasks wait in `tasks` until the test runs them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.tasks: deque[tuple[Task, Then]] = deque()
        self.registry.players.think = lambda task, then: self.tasks.append((task, then))

    def think(self, thought: Thought | None = None) -> Task:
        """Remove the oldest worker task, pass its result to the lobby, and return the task.

        The result is `thought`, or by default the real result of the task.
        """
        task, then = self.tasks.popleft()
        then(thought or thought_of(msgspec.json.encode(task)))
        self.run_scheduled()
        return task

    def run_scheduled(self) -> None:
        while self.soon:
            self.soon.pop(0)()

    def sit_against(self, *seats: str) -> tuple[Notes, GameTable]:
        wish = CreateTable("last_spike", 1 + len(seats), seats=[None, *seats])
        table = self.registry.create(wish, "there", owner_seal="")
        player = Notes()
        self.lobby.connections.add(player)
        self.say(player, type="sit", table=table.id)
        self.run_scheduled()
        return player, table


def asked(slow: Slow, player: Notes, **fields: Any) -> dict[str, Any]:
    number = next(message["number"] for message in reversed(player.received) if message["type"] == "request")
    slow.say(player, type="show", number=number, **fields)
    return player.received[-1]


@pytest.fixture
def slow(tmp_path: Path) -> Slow:
    return Slow(tmp_path)


def test_a_hint_is_computed_by_a_worker_and_only_once(slow: Slow) -> None:
    player, _ = slow.sit_against("builtin:random")
    assert asked(slow, player, hint=True, ref="1")["type"] == "request"
    assert asked(slow, player, hint=True, ref="2")["code"] == "too_fast"
    assert len(slow.tasks) == 1
    assert isinstance(slow.think(), HintTask)
    first = player.received[-1]
    assert (first["type"], first["ref"]) == ("advice", "1")
    again = asked(slow, player, hint=True, ref="3")
    assert (again["words"], again["ref"]) == (first["words"], "3")
    assert not slow.tasks


def test_only_newly_computed_hints_are_rate_limited(slow: Slow) -> None:
    player, _ = slow.sit_against("builtin:random")
    assert asked(slow, player, hint=True)["type"] == "request"
    slow.think()
    types = [asked(slow, player, hint=True)["type"] for _ in range(50)]
    assert set(types) == {"advice"}
    request = next(types for types in player.received if types["type"] == "request")
    steps = [{"type": entry["type"], "piece": entry.get("piece")} for entry in request["legal"]]
    found = 0
    while asked(slow, player, hint=True, steps=[steps[0], {"type": "pass", "n": found}]).get("code") != "too_fast":
        assert slow.tasks
        slow.think()
        assert player.received[-1]["code"] == "illegal_action"
        found += 1
    assert found < slow.registry.quotas.limits.burst / HINT_COST


def test_a_failed_hint_is_reported_and_can_be_requested_again(slow: Slow) -> None:
    player, table = slow.sit_against("builtin:random")
    asked(slow, player, hint=True, ref="1")
    slow.think(Thought(failure="a mistake"))
    assert (player.received[-1]["code"], player.received[-1]["ref"]) == ("not_shown", "1")
    assert table.state == "playing"
    asked(slow, player, hint=True, ref="2")
    slow.think()
    assert player.received[-1]["type"] == "advice"


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_other_clients_are_served_while_a_move_is_computed(slow: Slow, level: str) -> None:
    table = slow.registry.create(CreateTable("last_spike", 2, seats=[f"builtin:{level}"] * 2), "here", owner_seal="")
    slow.registry.start_if_full(table)
    other = Notes()
    moves = 0
    while slow.tasks:
        assert len(slow.tasks) == 1
        slow.say(other, type="list")
        assert table.match is not None
        assert table.match.number == moves
        assert other.received[-1]["tables"][0]["actions"] == table.match.questions
        assert isinstance(slow.think(), MoveTask)
        moves += 1
        if moves == 12:
            return
    pytest.fail("the game stopped asking for moves")


def test_a_substitute_moves_if_the_worker_fails(slow: Slow) -> None:
    table = slow.registry.create(CreateTable("last_spike", 2, seats=["builtin:hard"] * 2), "here", owner_seal="")
    slow.registry.start_if_full(table)
    slow.think(Thought(failure="a mistake"))
    assert table.match is not None
    assert table.match.number == 1
    assert len(slow.tasks) == 1


def test_a_computed_move_for_an_ended_game_is_ignored(slow: Slow) -> None:
    table = slow.registry.create(CreateTable("last_spike", 2, seats=["builtin:hard"] * 2), "here", owner_seal="")
    slow.registry.start_if_full(table)
    table.finish("interrupted")
    slow.think()
    assert not slow.tasks
    assert table.outcome is not None
    assert table.outcome.actions == 0


# Worker processes


HOSTILE = "open('RAN', 'a').write('ran'); raise SystemExit(3)"


def write_hostile_modules(folder: Path) -> None:
    """Write modules into `folder` that must never be imported.

    They have the names of modules that the server imports.
    """
    for name in ("msgspec", "rails_cli", "click", "resource"):
        (folder / f"{name}.py").write_text(HOSTILE)


def test_worker_processes_import_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_hostile_modules(tmp_path)
    done = subprocess.run(
        low_priority_command(RAILS_CLI, "--version", cpu_s=20), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "RAN").exists()


def test_a_server_ignores_hostile_modules_in_its_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server and its worker processes never import modules from the working directory of the server.

    The working directory has hostile modules with the names of modules that a server imports. In the test, workers
    compute hints, searches and the moves of built-in players.
    """
    monkeypatch.chdir(tmp_path)
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        write_hostile_modules(tmp_path)
        seats = [None, "builtin:easy", "builtin:search@1"]
        table = table_of(client.asked(type="create", game="last_spike", players=3, seats=seats))
        client.asked(type="sit", table=table)
        request = client.until("request")
        assert client.asked(type="show", number=request["number"], hint=True)["words"]
        while {line["seat"] for line in server.lines(table) if line["type"] == "action"} != {0, 1, 2}:
            client.answer(request)  # a turn may consist of two requests
            request = client.until("request")
        assert server.faults(table) == []
        children = psutil.Process(server.process.pid).children()
        assert {child.nice() for child in children} == {min(19, os.nice(0) + more) for more in (5, 10)}
        for child in children:
            if any("workers.thinking" in word for word in child.cmdline()):
                child.kill()
        assert client.asked(type="show", number=request["number"], hint=True)["words"]
        children = psutil.Process(server.process.pid).children()
        assert server.stop() == 0
        assert not any(child.is_running() for child in children)
        assert [line for line in server.said if "fail" in line] == []
    assert not (tmp_path / "RAN").exists()


def test_the_needed_file_descriptors_include_those_of_all_bots() -> None:
    few = msgspec.structs.replace(Settings().limits, bots=0)
    assert open_files(Settings()) - open_files(Settings(limits=few)) == FILES_OF_A_BOT * Settings().limits.bots
