"""Tests of value networks: the same predictions on every platform, and evaluations that do not use a network."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rails_cli.games import board_file, load_evaluation, load_game, standard_board
from rails_cli.games.chicago_express.players.inputs import INPUTS
from rails_cli.games.evaluation import Evaluation
from rails_cli.games.network import BITS, INPUT_BITS, Network
from rails_cli.players.search.outcome import LARGEST_INPUT, described_row, network_for, outcome, outcomes
from tests.support.forking import fork_with
from tests.support.networks import small_arrays, small_network
from tests.support.packages import announce
from tests.support.positions import Setting, walk
from tests.support.tools import ROOT, rails

SEATS = 4
PACKAGE = """
from dataclasses import replace
from rails_cli.games.chicago_express import GAME as OTHER
GAME = replace(OTHER, name="learned")
"""
SCRIPT = """
import json, sys
from rails_cli.games import load_evaluation, load_face
from rails_cli.games.decision import Decision, LocalLookahead
from rails_cli.library import Engine
from rails_cli.players.search.one_ply import NEARLY
from rails_cli.protocol.common import Bid
from rails_cli.study.analysis.hints import suggest_move

evaluation = load_evaluation("learned")
assert "numpy" not in sys.modules
engine = Engine("learned")
position, found = engine.new(3, seed=5), []
for _ in range(10):
    seat = position.seat
    ahead = LocalLookahead(engine.game, engine.board, position.state, seat)
    wire = engine.game.wire_board(engine.board)
    names = ["A", "B", "C"]
    decision = Decision(
        engine.game, load_face("learned"), wire, engine.board, names, seat, ahead.view, ahead.legal, ahead
    )
    chances = position.outlook().chances
    suggested = suggest_move(decision, looks=1)
    tried = position.search(looks=1)
    enough = (1 - NEARLY) * max(one.payoffs[seat] for one in tried)
    best = [type(engine.action(one.run[0])) is Bid for one in tried if one.payoffs[seat] >= enough]
    found.append([chances, type(suggested.steps[0]) is Bid, best])
    position = position.play(position.best("hard"))
print(json.dumps([evaluation.expert_looks, found]))
"""
"""Program that plays ten moves of the player `hard` in the game of `PACKAGE`, and prints a list as JSON.

The list has one element for each position before a move. Each element is a list of three values:

- the chances of winning.
- whether the suggested move is a bid.
- for each of the best moves, whether it is a bid.
"""
STORED: dict[str, list[float]] = {
    "american_rails": [0.249971345, 0.249815278, 0.249938569, 0.250274808],
    "chicago_express": [0.250206181, 0.250084755, 0.250029668, 0.249679396],
}
"""Chances of winning that the small network for tests predicts in one position of each game."""


def with_network(game: str, network: Network) -> Evaluation[Any, Any]:
    evaluation = load_evaluation(game)
    assert evaluation is not None
    return replace(evaluation, network=lambda: network)


def setting_and_positions(game: str) -> tuple[Setting, list[Any]]:
    setting = Setting(game, SEATS, load_game(game).options_type())
    return setting, [step.state.copy() for number, step in enumerate(walk(setting, 5, "busy")) if number % 9 == 4]


@pytest.mark.parametrize("game", STORED)
def test_a_prediction_does_not_depend_on_the_order_of_sums_or_on_the_batch(game: str) -> None:
    """A prediction depends neither on the order of inputs and neurons nor on other positions in the same batch.

    If inputs or neurons are permuted, the order of additions changes. All sums are exact, so the result is the same.
    """
    arrays, network = small_arrays(game), small_network(game)
    setting, states = setting_and_positions(game)
    evaluation = with_network(game, network)
    rows = [described_row(setting.board, evaluation, state)[0] for state in states]
    together = network.predict(rows, SEATS)
    assert together[0][0].tolist() == STORED[game]
    for predicted in together:
        assert np.ptp(predicted) > 0.01
        assert np.abs(predicted.sum(1) - 1).max() < 1e-8
    for number, row in enumerate(rows):
        alone = network.predict([row], SEATS)
        assert [one[0].tolist() for one in alone] == [one[number].tolist() for one in together]
    shared, own, width = network.shared_inputs, network.own_inputs, len(arrays["hidden"])
    order = np.arange(shared)[::-1]
    hidden = np.arange(width)[::-1]
    own_order = np.arange(own)[::-1]
    permuted = {
        "shared": arrays["shared"][order][:, hidden],
        "own": arrays["own"].reshape(-1, own, width)[:, own_order][:, :, hidden].reshape(-1, width),
        "first": arrays["first"][:, hidden],
        "hidden": arrays["hidden"][hidden][:, hidden],
        "second": arrays["second"][hidden],
        "out": arrays["out"][hidden],
        "direct": arrays["direct"][own_order],
    }
    columns = np.concatenate([order, *(shared + own * seat + own_order for seat in range(SEATS))])
    again = Network(permuted).predict(np.array(rows)[:, columns].tolist(), SEATS)
    assert [one.tolist() for one in again] == [one.tolist() for one in together]


@pytest.mark.parametrize("game", STORED)
def test_inputs_are_limited_to_what_self_play_stores(game: str) -> None:
    """Inputs of a network are limited to the range of 16-bit numbers, because self-play stores them as such numbers.

    In this test, a seat has more cash than in any position of the standard board.
    """
    setting, states = setting_and_positions(game)
    state, evaluation = states[0], with_network(game, small_network(game))
    usual, _ = described_row(setting.board, evaluation, state)
    assert -LARGEST_INPUT < min(usual) <= max(usual) < LARGEST_INPUT
    state.money[0] += 1_000_000
    row, _ = described_row(setting.board, evaluation, state)
    assert (min(row), max(row)) == (-LARGEST_INPUT, LARGEST_INPUT)


@pytest.mark.parametrize("game", STORED)
def test_outcomes_have_the_predictions_of_a_fitting_network_and_the_hand_made_worth(game: str) -> None:
    """An evaluation uses its network for chances of winning, but not for the worth of positions.

    The network is not used at all in these cases:

    - The network does not fit the inputs.
    - The weights of the evaluation were replaced.
    - The game has ended.
    """
    setting, states = setting_and_positions(game)
    evaluation = with_network(game, small_network(game))
    by_hand = [outcome(setting.game, setting.board, evaluation, state) for state in states]
    found = outcomes(setting.game, setting.board, evaluation, states)
    assert found[0][SEATS : 2 * SEATS] == STORED[game]
    assert [one[2 * SEATS :] for one in found] == [one[2 * SEATS :] for one in by_hand]
    assert all(one[: 2 * SEATS] != other[: 2 * SEATS] for one, other in zip(found, by_hand, strict=True))
    arrays = small_arrays(game)
    others = [
        with_network(game, Network({**arrays, "shared": arrays["shared"][1:]})),
        evaluation.weighing(evaluation.weights),
        evaluation.by_hand(),
    ]
    for other in others:
        assert outcomes(setting.game, setting.board, other, states[:2]) == by_hand[:2]
    state = setting.start(5)
    for _ in walk(setting, 5, "busy", state):
        pass
    assert outcomes(setting.game, setting.board, evaluation, [state])[0][2 * SEATS :] == setting.game.scores(state)


@pytest.mark.parametrize("game", STORED)
def test_the_network_of_a_game_is_small_fits_its_board_and_says_where_it_comes_from(game: str) -> None:
    folder = ROOT / "rails_cli/games" / game / "players"
    assert (folder / "network.npz").stat().st_size <= 2_000_000
    described = json.loads((folder / "network.json").read_bytes())
    assert described["settings"]["game"] == game
    assert described["settings"]["seed"]
    assert re.fullmatch("[0-9a-f]{40}", described["commit"])
    assert all(one["games"] and one["against_hard"]["percent"] for one in described["rounds"])
    evaluation = load_evaluation(game)
    assert evaluation is not None
    assert network_for(evaluation, standard_board(game)) is not None


@pytest.mark.parametrize("game", STORED)
def test_sums_in_the_network_of_a_game_are_exact_for_all_inputs(game: str) -> None:
    """No sum of products reaches 2**53, above which a float does not store all whole numbers.

    So the network predicts the same on every platform.
    """
    evaluation = load_evaluation(game)
    assert evaluation is not None
    assert evaluation.network is not None
    network = evaluation.network()
    arrays = {name: np.abs(getattr(network, name)) for name in small_arrays(game)}
    one = LARGEST_INPUT * (arrays["shared"].sum(0) + arrays["own"].sum(0)) + arrays["first"].max(0)
    two = (one / 2.0 ** (INPUT_BITS - BITS)) @ arrays["hidden"] + arrays["second"]
    out = (two / 2.0**BITS) @ arrays["out"] + LARGEST_INPUT * arrays["direct"].sum(0)
    assert max(values.max() for values in (one, two, out)) < 2.0**53


def test_a_game_package_with_a_network(tmp_path: Path) -> None:
    """A game from another package may have a network. It is loaded when it is first used.

    Estimated results and hints use the network. Damaged weights are reported.
    """
    files = {
        "__init__.py": PACKAGE,
        "face.py": "from rails_cli.games.chicago_express.face import FACE\n",
        "board.json": board_file("chicago_express").decode(),
        "RULES.md": "",
    }
    announce(tmp_path, "learned_package", files, learned="learned_package")
    folder = tmp_path / "learned_package" / "players"
    folder.mkdir()
    (folder / "__init__.py").write_text("from rails_cli.games.chicago_express.players import EVALUATION, PLAYERS\n")
    np.savez_compressed(folder / "network.npz", **small_arrays("chicago_express"))
    weights = (folder / "network.npz").read_bytes()
    (folder / "network.json").write_text(json.dumps({"sha256": sha256(weights).hexdigest()}))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    fork_with(str(tmp_path))
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    looks, found = json.loads(done.stdout)
    assert looks == INPUTS.expert_looks
    assert all(is_bid in best for _, is_bid, best in found)
    setting = Setting("chicago_express", 3, load_game("chicago_express").options_type())
    evaluation = with_network("chicago_express", small_network("chicago_express"))
    assert found[0][0] == outcomes(setting.game, setting.board, evaluation, [setting.start(5)])[0][3:6]
    (folder / "network.npz").write_bytes(weights[:-9] + b"?" + weights[-8:])
    done = rails("run", "learned", "--seat", "builtin:hard", "--seat", "builtin:hard", env=environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert "its players/network.npz is damaged" in done.stderr
    (folder / "network.json").unlink()
    done = rails("run", "learned", "--seat", "builtin:hard", "--seat", "builtin:hard", env=environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert "its players/network.json" in done.stderr
