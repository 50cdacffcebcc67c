"""Tests of games from other packages: games that `new-game` creates, and Right of Way, a game of hidden choices."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rails_cli.games import whole_games
from tests.support.browser import complaints, resize
from tests.support.fetching import fetched
from tests.support.forking import fork_with
from tests.support.packages import HIDDEN_GAME, place
from tests.support.page_person import PagePerson
from tests.support.person import GAME_ARGUMENTS, Guest, Person, games_in
from tests.support.tools import rails
from tests.support.ws_client import Client, Json, ServerProcess, clients, create, table_of

NEW = "coal_yard"
WRONG = "wrong_yard"
HIDDEN = "right_of_way"
INTERRUPTED = "stopped_way"
"""Name of a copy of Right of Way that interrupts its process at the end of each game."""


class Fault(NamedTuple):
    """A fault made in a copy of the game `game`: in `file`, the text `old` is replaced by `new`.

    The conformance check with the name `check` must then fail with a message that contains `message`.
    """

    game: str
    file: str
    old: str
    new: str
    check: str
    message: str


FAULTY = {
    "seatless_yard": Fault(
        NEW,
        "rules.py",
        "Question((seat + 1) % len(state.scores))",
        "Question(-((seat + 1) % len(state.scores)))",
        "every_game_ends",
        "ValueError: the question is for seat -1, expected 0 to 1",
    ),
    "endless_yard": Fault(
        NEW,
        "rules.py",
        "    del state.train",
        "    if action.count > 1 or len(state.train) != 4:\n        del state.train",
        "cautious_games_end",
        "the game has not ended after 5000 actions",
    ),
    "unending_yard": Fault(
        NEW,
        "rules.py",
        "    del state.train[-action.count :]",
        "    state.train.reverse()",
        "other_processes_play_the_same_game",
        "the game has not ended after 5000 actions",
    ),
    "unordered_yard": Fault(
        NEW,
        "rules.py",
        "for number in (1, 2, 3, 4) for",
        "for number in map(int, {'1', '2', '3', '4', '5', '6', '7', '8'}) for",
        "other_processes_play_the_same_game",
        "another process plays another game with the same seed",
    ),
    "escaping_yard": Fault(
        NEW,
        "face.py",
        '"The train is empty."',
        '"\\x1b[2JThe train is empty."',
        "every_event_has_a_sentence",
        "Face.tell returns '\\x1b[2JThe train is empty.' for GameEnded(), expected printable text",
    ),
    "broken_yard": Fault(
        NEW,
        "face.py",
        'return f"take ',
        'return f"take\\n',
        "everything_has_words",
        "the words of choices are ['take\\n3",
    ),
    "unitless_yard": Fault(
        NEW, "face.py", 'unit="points"', 'unit="\\x1b"', "everything_has_words", "Face.unit is '\\x1b', expected"
    ),
    "raising_yard": Fault(
        NEW,
        "rules.py",
        "    penalty =",
        "    raise ValueError('\\ud800')\n    penalty =",
        "every_game_ends",
        "ValueError: ? (",
    ),
    "open_way": Fault(
        HIDDEN,
        "rules.py",
        "state.chosen[seat] if observer in (seat, ALL_SEATS) else None",
        "state.chosen[seat]",
        "hidden_choices_stay_hidden",
        "sees the same events after Show(signal=6) and Show(signal=5), but its view.players[0].chosen is 6 and 5",
    ),
    "foreseen_way": Fault(
        HIDDEN,
        "rules.py",
        "luck = seeded(seed)",
        "luck = seeded(1)",
        "imagined_positions_have_the_same_view",
        "imagine returns the same position for every seed",
    ),
    "changing_way": Fault(
        HIDDEN,
        "rules.py",
        "list(trains)",
        "trains",
        "every_event_has_a_sentence",
        "an event changed after later actions, from",
    ),
}
"""Games that have one fault each, by name."""
WITHOUT_OPTIONS = """
from msgspec import json


def dump_without_options(state):
    fields = {name: getattr(state, name) for name in ("pending", "scores", "train")}
    return json.encode(fields, order="sorted")
"""

FIRST_FAILURES = """
import json, sys
from rails_cli.adapters import learnable_games
from rails_cli.conformance.suite import cases_of
found = {}
for game, check in json.loads(sys.argv[1]).items():
    failures = (case.run() for case in cases_of([game]) if case.check.name == check)
    found[game] = next((failure.message for failure in failures if failure is not None), "")
print(json.dumps([found, learnable_games()]))
"""
"""Python code that makes one check of each of several games.

It prints the message of the first failure of each game, and the names of all games that define observations.
`check-game` would make all checks of each game, which takes long.
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create two games with `new-game` in a folder. Return the folder.

    The action of the first game is called `say`. The second game has these faults:

    - Its serialised states (dumps) lack the options.
    - Its scores are not whole numbers.
    - The function that describes its last event ends the process.
    - Its action cannot be typed.
    """
    folder = tmp_path_factory.mktemp("sources")
    for name in (NEW, WRONG):
        output_of("new-game", name, str(folder / name))
    replace_in(folder / NEW / NEW / "protocol.py", 'tag="take"', 'tag="say"')
    game = folder / WRONG / WRONG / "__init__.py"
    replace_in(game, "\nGAME: ", f"{WITHOUT_OPTIONS}\nGAME: ")
    replace_in(game, "state_type=State,", "state_type=State, dump=dump_without_options,")
    replace_in(game, "list(state.scores)", "[float(score) for score in state.scores]")
    replace_in(folder / WRONG / WRONG / "face.py", 'return "The train is empty."', "raise SystemExit(0)")
    replace_in(folder / WRONG / WRONG / "protocol.py", 'tag="take"', 'tag="take it"')
    return folder


@pytest.fixture(scope="module", autouse=True)
def installed(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the games for the programs that the tests start."""
    folder = tmp_path_factory.mktemp("installed")
    for source in (HIDDEN_GAME, sources / NEW, sources / WRONG):
        place(source, folder)
    for name, fault in FAULTY.items():
        place(copied(fault.game, name, sources), folder)
        replace_in(folder / name / fault.file, fault.old, fault.new)
    place(copied(HIDDEN, INTERRUPTED, sources), folder)
    end = "    state.pending = Question(0) if state.trains else None"
    replace_in(folder / INTERRUPTED / "rules.py", end, f"{end} or __import__('signal').raise_signal(2)")
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        fork_with(path)
        yield


def copied(game: str, name: str, sources: Path) -> Path:
    """Copy the source of `game`, NEW or HIDDEN, as a game with another name. Return the folder of the copy."""
    source = HIDDEN_GAME if game == HIDDEN else sources / game
    copy = sources / name
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / game).rename(copy / name)
    for file in (copy / "pyproject.toml", *(copy / name).glob("*.py")):
        file.write_text(file.read_text(encoding="utf-8").replace(game, name), encoding="utf-8")
    return copy


def replace_in(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def output_of(*words: str) -> str:
    """Run `rails-cli` with the arguments `words` and return its output. Fail if the command fails."""
    done = rails(*words)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in `folder`, which contains a new game, with the arguments `words`.

    Plugins of other packages are not loaded, because that takes longer than the tests.
    """
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


# New games and their checks


def test_the_tests_and_checks_of_a_new_game_pass(sources: Path) -> None:
    done = run_pytest(sources / NEW)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def test_faults_of_a_game_are_found(tmp_path: Path) -> None:
    """The command `check-game` finds the faults of a game. It reports the seed of a failed game and writes the log."""
    done = rails("check-game", WRONG, "--seeds", "1", "--logs", str(tmp_path), "--json")
    assert done.returncode == 1
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    (failure,) = checks["dumps_contain_the_changed_options"]["failures"]
    assert "expected {'penalty': 'one'}" in failure["message"]
    assert (failure["seed"], failure["setting"]) == (3, f"{WRONG}-4p-one")
    played = next(failure for failure in checks["copies_and_dumps_are_complete"]["failures"] if failure["actions"])
    lines = [json.loads(line) for line in Path(played["log"]).read_bytes().splitlines()]
    assert (lines[0]["seed"], len(lines)) == (played["seed"], 2 + played["actions"])
    for name, message in (
        ("ranks_agree_with_scores", "scores or ranks are not whole numbers: [17.0, 9.0]"),
        ("every_event_has_a_sentence", "SystemExit: 0 ("),
        ("everything_has_words", "the tag 'take it' of an action is not a lower-case word"),
    ):
        assert checks[name]["failures"][0]["message"].startswith(message)
    words = rails("check-game", WRONG, "--seeds", "1", "--logs", str(tmp_path)).stdout
    assert "FAILED   dumps_contain_the_changed_options: " in words
    assert "seed 3" in words


@pytest.fixture(scope="module")
def outputs() -> tuple[dict[str, str], list[str]]:
    """Make the check of each fault in FAULTY, all in one process.

    Return the message of the first failure, by game, and the names of all games that define observations.
    """
    checks = {game: fault.check for game, fault in FAULTY.items()}
    done = subprocess.run([sys.executable, "-c", FIRST_FAILURES, json.dumps(checks)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    messages, learnable = json.loads(done.stdout)
    return messages, learnable


@pytest.mark.parametrize("game", FAULTY)
def test_each_fault_of_a_game_is_found(game: str, outputs: tuple[dict[str, str], list[str]]) -> None:
    assert FAULTY[game].message in outputs[0][game]


def test_games_without_observations_are_not_registered_by_adapters(outputs: tuple[dict[str, str], list[str]]) -> None:
    assert outputs[1] == list(whole_games())


def test_the_plugin_reports_the_seed_and_writes_a_log(sources: Path, tmp_path: Path) -> None:
    done = run_pytest(sources / WRONG, "-k", "dumps_contain", f"--game-logs={tmp_path}")
    assert done.returncode == 1
    assert f"({WRONG}-4p-one, policy random, seed 3, after 0 actions)" in done.stdout
    assert [file.name for file in tmp_path.iterdir()] == [f"dumps_contain_the_changed_options-{WRONG}.jsonl"]


def test_new_games_overwrite_nothing_and_have_valid_names(sources: Path) -> None:
    for words, problem in (
        (("other_yard", str(sources / NEW)), "nothing is overwritten; already there"),
        (("Coal  Yard",), "use lower-case letters, digits and single underscores"),
        (("last_spike",), "there is already a game 'last_spike'"),
        (("ce",), "there is already a game 'chicago_express'"),
        (("class",), "'class' is a keyword"),
        (("json",), "'json' is a keyword or an installed module"),
    ):
        done = rails("new-game", *words)
        assert (done.returncode, problem in done.stderr) == (2, True), done.stderr


def test_a_new_game_is_played_at_a_terminal(tmp_path: Path) -> None:
    """A game made by `new-game` can be played at a terminal.

    A simulated person types actions such as `say 2`, although `say` is also a command of the terminal.
    """
    with Person("play", NEW, *GAME_ARGUMENTS, "--fast", folder=tmp_path, width=100, height=30) as person:
        person.wait_until_asked()
        assert re.search(r"score 0 points → \d+ points?", person.text)
        for words, answer in (("say 7", "`say 7` is not possible here"), ("/say", "There is no command '/say' here")):
            person.say(words)
            person.wait_for(answer)
        person.say("say 2")
        while not person.is_over():
            person.say("1")
        person.wait_for("The train is empty.")
        assert "received nothing" not in person.text
        person.press("\r")
        assert person.wait_for_end() == 0
    (log,) = games_in(tmp_path)
    first = next(line for line in map(json.loads, log.read_bytes().splitlines()) if line["type"] == "action")
    assert first["action"] == {"type": "say", "count": 2}
    output_of("verify", "--finished", str(log))


def test_verbs_of_a_game_win_over_commands_at_a_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        with Client(server.url) as client:
            table = table_of(create(client, NEW, seats=[None, "builtin:busy"]))
        with Guest(server, "--table", table, folder=tmp_path / "guest") as guest:
            guest.wait_until_asked()
            guest.say_and_wait("say 7")
            guest.wait_for("`say 7` is not possible here")
            guest.say("/say hello")
            guest.wait_for("hello")
            guest.say_and_wait("/undo")
            guest.wait_for("no move here to take back")
            assert not [line for line in server.lines(table) if line["type"] == "action"]
            guest.say("say 2")
            guest.wait_for(lambda: any(line["type"] == "action" for line in server.lines(table)))
        first = next(line for line in server.lines(table) if line["type"] == "action")
        assert first["action"] == {"type": "say", "count": 2}


def test_players_with_other_names_are_reported(sources: Path, tmp_path: Path) -> None:
    """The players of a game may only have the names `greedy` and `medium`. Any other name is reported as an error."""
    shutil.copytree(sources / NEW, tmp_path / "source")
    players = "PLAYERS = {'collector': lambda view, legal, board: legal[0]}\n"
    (tmp_path / "source" / NEW / "players.py").write_text(players, encoding="utf-8")
    place(tmp_path / "source", tmp_path / "installed")
    path = str(tmp_path / "installed")
    fork_with(path)
    done = rails("check-game", NEW, env={**os.environ, "PYTHONPATH": path})
    assert "its PLAYERS has 'collector'; expected only greedy and medium" in done.stderr


@pytest.mark.parametrize(("game", "players"), [(NEW, 2), (HIDDEN, 3)])
def test_tournaments_support_games_without_players_of_their_own(game: str, players: int, tmp_path: Path) -> None:
    entrants = [word for name in ("greedy", "busy", "random") for word in ("--entrant", f"builtin:{name}")]
    size = ("--players", str(players), "--games", "1", "--workers", "1")
    output_of("tournament", "run", "--game", game, *size, *entrants, "--output", str(tmp_path / "tournament"))
    output_of("verify", "--finished", str(tmp_path / "tournament" / "logs"))


# Hidden choices


def test_the_game_of_hidden_choices_passes_all_checks() -> None:
    report = json.loads(output_of("check-game", HIDDEN, "--seeds", "1", "--json"))
    assert (report["game"], report["verdict"]) == (HIDDEN, "ok")
    assert {check["verdict"] for check in report["checks"]} == {"ok"}
    assert all(check["cases"] and check["description"] for check in report["checks"])


def test_an_interrupted_check_reports_the_running_game() -> None:
    done = rails("check-game", INTERRUPTED)
    assert done.returncode != 0
    assert "every_game_ends: KeyboardInterrupt (" in done.stderr
    assert f"rules.py, line 88)\n({INTERRUPTED}-2p, policy random, seed 0, after 12 actions)" in done.stderr


def test_hidden_choices_are_played_at_a_terminal(tmp_path: Path) -> None:
    """Two people at one keyboard do not see each other's choices until all players have chosen."""
    seats = ("--seat", "person:Anna", "--seat", "person:Ben", "--seat", "builtin:busy")
    with Person("play", HIDDEN, *seats, "--seed", "5", "--fast", folder=tmp_path, width=100, height=30) as person:
        look_as(person, "Anna")
        person.say_and_wait("show 6")
        look_as(person, "Ben")
        assert "Anna has chosen." in person.text
        assert "Anna has chosen signal" not in person.text
        person.say_and_wait("show 5")
        look_as(person, "Anna")
        person.wait_for("The signals are shown: Anna 6, Ben 5")
        person.say_and_wait("quit")
        assert person.wait_for_end() == 0


def look_as(person: Person, name: str) -> None:
    """Press enter when the program asks for the player `name`, and wait for the question."""
    person.wait_for(lambda: person.last_line.startswith(f"{name}, press enter>"))
    person.press("\r")
    person.wait_for(lambda: person.is_asked(name))


def test_hidden_choices_do_not_reach_other_seats_spectators_or_replays(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server, clients(server.url, 3) as (anna, ben, watcher):
        table = table_of(create(anna, HIDDEN, seats=[None, None]))
        anna.asked(type="sit", table=table, seat=0)
        ben.asked(type="sit", table=table, seat=1)
        watcher.asked(type="watch", table=table)
        anna.answer(anna.open or anna.until("request"), action={"type": "show", "signal": 6})
        asked = ben.open or ben.until("request")
        seen = last_update(watcher)
        for message in (asked, seen):
            assert message["events"][-1] == {"type": "chosen", "seat": 0, "signal": None}
            assert "6" not in json.dumps(message["events"][-1])
        player = asked["view"]["players"][0]
        assert (player["has_chosen"], player["chosen"], player["signals"]) == (True, None, [1, 2, 3, 4, 5, 6])
        assert fetched(server, f"/replay/{table}")[0] == HTTPStatus.NOT_FOUND
        ben.answer(asked, action={"type": "show", "signal": 6})
        shown = last_update(watcher)["events"][-1]
        assert (shown["type"], shown["signals"], shown["winner"]) == ("revealed", [6, 6], None)


def last_update(client: Client) -> Json:
    """Return the next `update` message that reports more than the set-up of the game.

    The set-up is the first event. It comes before all actions.
    """
    while True:
        update = client.until("update")
        if any(event["type"] != "trains_lined" for event in update["events"]):
            return update


def test_a_game_without_a_map_or_an_evaluation_is_played_on_the_page(browser: Any, tmp_path: Path) -> None:
    """The lobby offers the game against bots. The page shows a table of the players in place of a map."""
    with ServerProcess(tmp_path) as server:
        resize(browser, 1280, 900)
        complaints(browser)
        anna = PagePerson(browser, server.url, "Anna")
        anna.go()
        anna.click(f'[data-game="{HIDDEN}"] .primary')
        state = anna.state()
        assert state["commands"] == [f"show {signal}" for signal in (6, 5, 4, 3, 2, 1)]
        anna.play("show 6")
        while not (state := anna.state())["over"]:
            anna.play(state["commands"][0])
        assert "The signals are shown" in anna.text("#log")
        assert "has chosen." in anna.text("#log")
        assert " points" in anna.text("#asked .place") + anna.text("#asked .podium")
        assert "$" not in anna.text("#asked") + anna.text("#seat-list"), "the game counts points"
        assert anna.texts("#tabs [role=tab]:not([hidden])")[-1] == "Players"
        anna.wait_for("document.querySelector('#board-holder').textContent.includes('Points')")
        assert complaints(browser) == []
