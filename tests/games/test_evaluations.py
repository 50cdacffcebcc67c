"""What holds for the evaluation of every game: what it remembers makes it faster, and changes nothing."""

from typing import Any

import pytest

from rails_cli.games import board_file, load_evaluation, load_game, whole_games
from rails_cli.games.american_rails.players.routes import PLANS, REGIONS, STARTS
from rails_cli.games.chicago_express.players.tours import GROUNDS, NETWORKS
from rails_cli.games.evaluation import REMEMBERED, Run, remember
from rails_cli.games.last_spike.players.evaluation import WAYS
from rails_cli.games.last_spike.players.habits import ESTATES, PAID, STAKES, TRACKS
from rails_cli.games.shared.money import added
from tests.support.positions import Setting, walk

GAMES = [name for name in whole_games() if load_evaluation(name) is not None]
STRIDE = 3
MEMORIES: dict[str, list[dict[Any, Any]]] = {
    "american_rails": [PLANS, REGIONS, STARTS],
    "chicago_express": [GROUNDS, NETWORKS],
    "last_spike": [WAYS, ESTATES, PAID, STAKES, TRACKS],
}


@pytest.mark.parametrize("name", GAMES)
def test_what_was_asked_before_changes_nothing(name: str) -> None:
    """The positions of a game, judged in its order and from its end."""
    game = load_game(name)
    setting = Setting(name, 4, game.options_type())
    states = [step.state.copy() for step in walk(setting, 7, "greedy")][::STRIDE]
    onwards, backwards = judged(name, states), judged(name, states[::-1])
    assert onwards == backwards[::-1]


def judged(name: str, states: list[Any]) -> list[tuple[list[float], list[Run]]]:
    """By an evaluation that remembers nothing yet, on a board that nobody has seen."""
    board = load_game(name).read_board(board_file(name))
    evaluation = load_evaluation(name)
    assert evaluation is not None
    fresh = evaluation.weighing(evaluation.weights)
    return [(fresh.worth(state, board), fresh.candidates(state, board)) for state in states]


@pytest.mark.parametrize("name", MEMORIES)
def test_boards_that_take_turns_are_all_remembered(name: str) -> None:
    """Nothing is worked out again because other boards were asked about in between."""
    game, evaluation = load_game(name), load_evaluation(name)
    assert evaluation is not None
    boards = [game.read_board(board_file(name)) for _ in range(3)]
    states = [step.state.copy() for step in walk(Setting(name, 4, game.options_type()), 7, "greedy")][::7]
    for memory in MEMORIES[name]:
        memory.clear()
    worked_out = []
    for _ in range(2):
        for state in states:
            for board in boards:
                evaluation.worth(state, board)
                if evaluation.policy is not None and state.pending is not None:
                    evaluation.policy(state, board)
        worked_out.append([list(map(id, memory.values())) for memory in MEMORIES[name]])
    assert worked_out[0] == worked_out[1]
    assert all(len(memory) % len(boards) == 0 < len(memory) for memory in MEMORIES[name])


def test_not_too_much_is_remembered() -> None:
    known: dict[int, int] = {}
    for number in range(3 * REMEMBERED):
        assert remember(known, number, -number) == -number
        assert known[max(0, number - REMEMBERED // 2 + 1)] <= 0
        assert len(known) <= REMEMBERED


def test_amounts_are_added_alike_in_every_version_of_python() -> None:
    """`sum` of ten tenths is 0.9999999999999999 up to Python 3.11 and 1.0 later: a move chosen by that would differ."""
    assert added([0.1] * 10) == 0.9999999999999999
