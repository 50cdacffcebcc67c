"""Tests that a game from another package works in all commands, the terminal, the browser and tournaments."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rails_cli.games.faces.phrases import gerund, third_person
from tests.support.browser import complaints, resize
from tests.support.fetching import fetched, made
from tests.support.forking import fork_with
from tests.support.line_process import LineProcess
from tests.support.packages import FOURTH_GAME, install
from tests.support.page_person import PagePerson
from tests.support.person import GAME_ARGUMENTS, Person, games_in
from tests.support.tools import ROOT, rails
from tests.support.ws_client import Client, ServerProcess, create, play_to_end, table_of

NAME = "branch_lines"
SEATS = ("--seat", "builtin:greedy", "--seat", "builtin:busy", "--seat", "builtin:random")
BOT = f"{sys.executable} -S {ROOT / 'bots' / 'python' / 'bot.py'}"
TYPED_BOT = f"{sys.executable} {ROOT / 'bots' / 'python_protocol' / 'bot.py'}"
SUITES = ("test_any_game", "test_hidden", "test_greedy", "test_rule_ids", "test_text_maps")


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the game Branch Lines for programs that the tests start. The test process itself does not load it."""
    folder = tmp_path_factory.mktemp("installed")
    install(FOURTH_GAME, folder)
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        fork_with(path)
        yield


@pytest.fixture(scope="module")
def log(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "game.jsonl"
    output_of("run", NAME, *SEATS, "--seed", "5", "--log", str(path))
    return path


def output_of(*words: str, **more: Any) -> str:
    """Run `rails-cli` with the arguments `words` and return its output. Fail if the command fails."""
    done = rails(*words, **more)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


def assert_verified(path: Path) -> None:
    output_of("verify", "--finished", str(path))


def test_the_engine_serves_the_rules_of_the_game() -> None:
    """`rails-cli engine` can play the game on a changed board.

    A request to evaluate positions is refused with an error, because the game has no evaluation.
    """
    board = json.loads((FOURTH_GAME / NAME / "board.json").read_bytes())
    with LineProcess("engine") as engine:
        ready = engine.ask({"type": "start", "game": NAME, "players": ["a", "b", "c"], "board": {**board, "bonus": 9}})
        assert (ready["game"], ready["has_evaluation"]) == (NAME, False)
        where, legal, sums, refused = engine.ask(
            [{"type": "new"}, {"type": "legal"}, {"type": "playouts", "count": 5}, {"type": "children"}]
        )
        assert where["seat"] in range(3)
        assert legal["moves"]
        assert sum(sums["chances"][0]) == pytest.approx(5)
        assert "no evaluation" in refused["error"]


def test_levels_that_the_game_does_not_have_are_refused() -> None:
    done = rails("run", NAME, *SEATS[:4], "--seat", "builtin:hard")
    assert done.returncode == 2
    assert f"{NAME} has no player 'hard'; it has random, busy, greedy" in done.stderr


def test_the_game_passes_the_tests_of_all_games() -> None:
    """Run the suites that test all games, but only for Branch Lines, which is installed as a package."""
    files = [str(ROOT / "tests" / "games" / f"{name}.py") for name in SUITES]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", NAME, "-p", "no:cacheprovider", "--noconftest", *files],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert int(done.stdout.split(" passed")[0].split()[-1]) > 70


def test_the_game_is_unknown_without_its_package() -> None:
    done = rails("rules", NAME, env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
    assert done.returncode == 2
    assert f"unknown game '{NAME}'" in done.stderr


# Commands


def test_games_and_rules_list_the_game() -> None:
    games = {game["name"]: game for game in json.loads(output_of("games", "--json"))["games"]}
    assert games[NAME]["title"] == "Branch Lines"
    assert games[NAME]["options"] == {"charters": ["hidden", "open"]}
    assert "Four country railways and their shares; five minutes.\n  2 to 4 players, difficulty 2 of 5" in output_of(
        "games"
    )
    assert "- BL-13 " in output_of("rules", "branch-lines")


def test_a_log_can_be_verified_replayed_and_resumed(log: Path, tmp_path: Path) -> None:
    assert_verified(log)
    replayed = output_of("replay", str(log), "--moves")
    assert "A share of " in replayed
    assert "The game ends: " in replayed
    assert re.search(r"^ *\d+\. \w+: build ", replayed, re.M), (
        "an action without words of its own is shown as its command"
    )
    forms = {"watch": "watches", "fix": "fixes", "carry": "carries", "play": "plays", "run on": "runs on"}
    assert {verb: third_person(verb) for verb in forms} == forms
    forms = {"run on": "running on", "fix": "fixing", "skip": "skipping", "agree": "agreeing", "build": "building"}
    assert {verb: gerund(verb) for verb in forms} == forms
    broken = tmp_path / "broken.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    broken.write_bytes(b"".join(lines[: len(lines) // 2]))
    output_of("resume", str(broken))
    assert_verified(broken)


def test_analysis_is_refused_without_an_evaluation(log: Path, tmp_path: Path) -> None:
    done = rails("analyse", str(log))
    assert (done.returncode, done.stdout) == (1, "")
    assert "Branch Lines has no evaluation" in done.stderr
    page = tmp_path / "page.html"
    assert rails("export", str(log), "--html", str(page), "--analysis").returncode == 1
    assert not page.exists()


def test_bots_play_the_game_without_faults(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    output_of("run", NAME, "--seat", BOT, "--seat", TYPED_BOT, "--option", "charters=open", "--log", str(path))
    assert_verified(path)
    assert b'"fault"' not in path.read_bytes()


def test_check_bot_supports_the_game() -> None:
    report = output_of("check-bot", "--game", NAME, "--quick", "--", *BOT.split())
    assert re.search(rf"^  ok +{NAME}\b", report, re.MULTILINE), report
    assert report.splitlines()[-1].endswith(" 0 failed")


def test_host_supports_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    host = LineProcess(
        "host", NAME, "--players", "2", "--seat", "2", "builtin:busy", "--clock", "none", "--log", str(path)
    )
    assert host.read()["type"] == "hello"
    assert host.read()["game"] == NAME
    while (message := host.read())["type"] == "request":
        assert message["view"]["players"][1]["charter"] is None
        host.say(type="action", number=message["number"], choice=message["number"] % len(message["legal"]))
    assert message["type"] == "end"
    assert host.end()[0] == 0
    assert_verified(path)


def test_simulate_summarises_games() -> None:
    assert "income: Coast" in output_of(
        "simulate", NAME, "--players", "4", "--games", "20", "--seed", "0", "--policy", "busy"
    )


def test_schemas_include_the_game(tmp_path: Path) -> None:
    output_of("schemas", "--write", "--folder", str(tmp_path))
    definitions = json.loads((tmp_path / f"{NAME}.json").read_bytes())["$defs"]
    assert definitions["CharterPaid"]["properties"]["line"]["description"] == "The line that the charter names."
    assert {"ServerMessage", "LogLine", "View"} <= definitions.keys()


def test_tournaments_and_their_reports_support_the_game(tmp_path: Path) -> None:
    entrants = [word for name in ("greedy", "busy", "random") for word in ("--entrant", f"builtin:{name}")]
    folder = tmp_path / "tournament"
    size = ("--players", "2", "--games", "1", "--workers", "1")
    output_of("tournament", "run", "--game", NAME, *size, *entrants, "--output", str(folder))
    assert_verified(folder / "logs")
    output_of("tournament", "report", str(folder), "--replays", "0")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Branch Lines, 2 players" in page
    assert "Income added by building" in page
    assert "Coast" in page


def test_export_supports_the_game(log: Path, tmp_path: Path) -> None:
    output_of("export", str(log), "--html", str(tmp_path / "game.html"))
    page = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert "Pebble Bay" in page
    output_of("export", str(log), "--svg", "-1", "--output", str(tmp_path / "end.svg"))
    assert "Marsh Junction" in (tmp_path / "end.svg").read_text(encoding="utf-8")
    output_of("export", str(log), "--png", "20", "--output", str(tmp_path / "middle.png"))
    assert (tmp_path / "middle.png").read_bytes().startswith(b"\x89PNG")


# Terminal and browser


def test_a_person_plays_the_game_at_the_terminal(tmp_path: Path) -> None:
    """A simulated person tries the commands for help, plays a whole game and looks at its replay."""
    with Person("play", NAME, *GAME_ARGUMENTS, "--fast", folder=tmp_path, width=100, height=35) as person:
        person.wait_until_asked()
        for words, answer in (
            ("why Coast", "BL-"),
            ("hint", "bot suggests"),
            ("map costs", "Saltby 3"),
            ("?", "BL-11"),
        ):
            person.say(words)
            person.wait_for(answer)
            if not person.is_asked():
                person.press("\r")
                person.wait_for(person.is_asked)
        decisions = 0
        while not person.is_over():
            assert person.process.poll() is None, person.text
            person.say("pass" if "AUCTION" in person.text and decisions % 2 else "1")
            decisions += 1
        person.wait_for(lambda: "wins." in person.text or "share the win" in person.text)
        person.press("r")
        person.wait_for("  |  paused")
        person.press("q")
        person.wait_for(person.is_over)
        person.press("\r")
        assert person.wait_for_end() == 0
    (path,) = games_in(tmp_path)
    output_of("verify", str(path))


def test_learn_supports_the_game(tmp_path: Path) -> None:
    with Person("learn", NAME, "--name", "Anna", "--seed", "5", "--fast", folder=tmp_path, height=40) as person:
        person.wait_for(lambda: "Welcome to Branch Lines" in person.text)
        person.press("\r")
        person.wait_for(lambda: "Welcome" not in person.text and person.is_over())
        person.press("?")
        person.wait_for(lambda: "BL-11" in person.text)
        person.press("\r")
        person.wait_for(person.is_over)
        person.press("\r")
        person.wait_for("Type + to bid $3, which may be")
        person.wait_until_asked()
        person.say("quit")
        assert person.wait_for_end() == 0


def test_the_server_and_its_page_support_the_game(browser: Any, tmp_path: Path) -> None:
    """A simulated person plays at one table on the page, and a client at another.

    Unfinished games continue after a server restart.
    """
    with ServerProcess(tmp_path) as server:
        resize(browser, 1280, 900)
        complaints(browser)
        anna = PagePerson(browser, server.url, "Anna")
        table = anna.create(NAME, ["you", "builtin:greedy", "builtin:busy"])
        assert anna.state()["bid"]
        anna.bid(24)  # all her cash, which nobody can outbid, so that she wins the share and can build
        chance, state, places = Random(5), anna.state(), 0
        for _ in range(6):
            if state["over"]:
                break
            places += len(state["targets"])
            anna.one_decision(state, chance)
            state = anna.state()
        assert places, "no station could be clicked"
        assert "Marsh Junction" in anna.text("#board") or "Coast" in anna.text("body")
        assert complaints(browser) == []
        assert sum(line["type"] == "action" for line in server.lines(table)) > 2
        assert server.faults(table) == []
        browser.get("about:blank")
        with Client(server.url) as client:
            other = table_of(create(client, NAME, seats=[None, "builtin:greedy"]))
            client.asked(type="sit", table=other)
            assert play_to_end(client, Random(3))["type"] == "end"
        assert_verified(server.log(other))
        assert made(server, f"/guide/{NAME}")[2] == fetched(server, f"/rules/{NAME}")[2]  # it has no guide
    with ServerProcess(tmp_path) as server:
        assert server.going_on + state["over"] == 1
