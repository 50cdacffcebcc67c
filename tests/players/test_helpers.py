"""Tests of a search in several helper processes: reproducible results, killed helpers, and the end of the program."""

import os
import shlex
import signal
import subprocess
from typing import Any

import pytest

from rails_cli.games import load_evaluation
from rails_cli.players.builtin import builtin_player
from rails_cli.players.search.imagining import chance_of
from rails_cli.players.search.outcome import Tried
from rails_cli.players.search_workers import UNLIMITED, SearchWorkers, Task
from tests.support.matches import new_match
from tests.support.tools import start_rails
from tests.support.waiting import HANG_S

LOOKS = 16


@pytest.fixture(scope="module")
def helpers() -> SearchWorkers:
    return SearchWorkers(2)


def found_by(helpers: SearchWorkers, game: str, seconds: float = UNLIMITED) -> list[Tried]:
    """Return the result of a search of `helpers` for the first decision of a match."""
    match, evaluation = new_match(game, 3, 5), load_evaluation(game)
    assert match.seat is not None
    assert evaluation is not None
    view = match.view_for(match.seat)
    task = Task(game, match.board, view, "test", LOOKS, seconds)
    return helpers.search(task, evaluation, chance_of("test", view))


@pytest.mark.parametrize("game", ["chicago_express", "last_spike"])  # search by a tree, and by playouts
def test_a_search_has_the_same_result_again(game: str, helpers: SearchWorkers) -> None:
    found = found_by(helpers, game)
    assert len({tried.run for tried in found}) == len(found)
    assert sum(tried.visits for tried in found) >= LOOKS
    assert found_by(helpers, game) == found


def test_the_part_of_a_killed_helper_is_searched_again(helpers: SearchWorkers) -> None:
    found = found_by(helpers, "last_spike")
    killed, other = helpers.processes
    killed.kill()
    killed.wait()
    assert found_by(helpers, "last_spike") == found
    other.kill()
    began = len(found_by(helpers, "last_spike", seconds=0.0))
    assert began <= len(found), "the work of a lost helper is not repeated when no time is left"
    assert not {killed, other} & set(helpers.processes)
    assert found_by(helpers, "last_spike") == found
    assert all(process.poll() is None for process in helpers.processes), "lost helpers were replaced"


def test_a_player_with_helpers_plays_the_same_moves_again() -> None:
    played = []
    for _ in range(2):
        match = new_match("last_spike", 2, 5)
        players = [builtin_player("search@20*2", "last_spike", 7, 0), builtin_player("medium", "last_spike", 7, 1)]
        while match.seat is not None and match.number < 12:
            match.submit(match.seat, players[match.seat].choose(match))
        played.append(match.game.dump(match.state))
    assert played[0] == played[1]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_helpers_end_with_the_program(number: signal.Signals) -> None:
    """When the program ends, all its helper processes end, too.

    The helpers inherit the standard error of the program. So the test waits until standard error is closed.
    """
    words = shlex.split("run last_spike --seat builtin:search@600s*2 --seat builtin:greedy --seed 1")
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start_rails(*words, start_new_session=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        if number is signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, number)
        process.communicate(timeout=HANG_S)
