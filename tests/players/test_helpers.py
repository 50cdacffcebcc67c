"""Tests of a search in several helper processes: reproducible results, killed helpers, and the end of the program."""

import os
import signal
import subprocess

import pytest

from rails_cli.games import load_evaluation
from rails_cli.players.builtin import builtin_player
from rails_cli.players.search.imagining import chance_of
from rails_cli.players.search.outcome import Tried
from rails_cli.players.search_workers import UNLIMITED, SearchWorkers, Task
from tests.support.matches import new_match
from tests.support.tools import RAILS
from tests.support.waiting import HANG_S

LOOKS = 16


@pytest.mark.parametrize("game", ["chicago_express", "last_spike"])  # search by a tree, and by playouts
def test_a_search_has_the_same_result_again_even_if_a_helper_is_killed(game: str) -> None:
    match = new_match(game, 3, 5)
    seat = match.seat
    evaluation = load_evaluation(game)
    assert seat is not None
    assert evaluation is not None
    view = match.view_for(seat)
    task = Task(game, match.board, view, "test", LOOKS, UNLIMITED)

    def found() -> list[Tried]:
        return helpers.search(task, evaluation, chance_of("test", view))

    helpers = SearchWorkers(2)
    first = found()
    assert len({tried.run for tried in first}) == len(first)
    assert sum(tried.visits for tried in first) >= LOOKS
    assert found() == first
    helpers.processes[0].kill()
    helpers.processes[0].wait()
    assert found() == first
    helpers.processes[1].kill()
    assert found() == first
    assert all(process.poll() is None for process in helpers.processes), "lost helpers were replaced"
    killed, out_of_time = helpers.processes[0], task._replace(seconds=0.0)
    killed.kill()
    began = len(helpers.search(out_of_time, evaluation, chance_of("test", view)))
    assert began <= len(first), "the work of a lost helper is not repeated when no time is left"
    assert helpers.processes[0] is not killed
    assert found() == first


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
    command = [
        *RAILS,
        "run",
        "last_spike",
        "--seat",
        "builtin:search@600s*3",
        "--seat",
        "builtin:greedy",
        "--seed",
        "1",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        if number is signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, number)
        process.communicate(timeout=HANG_S)
