"""Tests of the evaluation of The Last Spike, and of its players."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from rails_cli.games import load_evaluation, load_players
from rails_cli.games.game import check_listed, digest
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.players.habits import usual_move
from rails_cli.games.last_spike.questions import PlayPiece, SellFor
from rails_cli.games.last_spike.state import State, derive
from rails_cli.games.moves import number_of
from rails_cli.games.shared.luck import stream
from rails_cli.players.builtin import thinker
from rails_cli.players.search.outcome import Tried
from rails_cli.players.search.playouts import play_outs
from rails_cli.protocol.last_spike import Buy, Options, Sell
from tests.support.positions import PlayedStep, Setting, all_settings, some_seeds

NAME = "last_spike"
SETTINGS = [setting for setting in all_settings() if setting.name == NAME]
FOUR = Setting(NAME, 4, Options())
EVALUATION: Any = load_evaluation(NAME)


def candidate_game(setting: Setting, seed: int) -> Iterator[State]:
    """Yield the positions of a game in which every seat plays a random candidate.

    Candidates are the moves that the evaluation proposes. The positions are those before each choice, and the last one.
    """
    chance = stream(f"candidates/{seed}")
    state = setting.start(seed)
    while state.pending is not None:
        yield state
        runs = EVALUATION.candidates(state, setting.board)
        for move in runs[int(chance() * len(runs))]:
            setting.game.moves.apply(state, setting.board, move)
    yield state


def game_steps(setting: Setting, seed: int, names: list[str]) -> Iterator[PlayedStep]:
    """Yield the steps of a game between built-in players.

    A step has a position, the legal actions, the seat to move and its action. The last step has the final position and
    no action.
    """
    game, board = setting.game, setting.board
    thinkers = [thinker(name, NAME, seed, seat) for seat, name in enumerate(names)]
    state = setting.start(seed)
    while state.pending is not None:
        seat = state.pending.seat
        legal = game.legal_actions(state, board)
        action = thinkers[seat](game.view(state, board, seat), legal, board)
        yield PlayedStep(state, legal, seat, action)
        game.apply(state, board, action, None)
    yield PlayedStep(state, [], -1, None)


def avoidable_sales(setting: Setting, seed: int, names: list[str]) -> int:
    """Play a game of the players `names`. Return the number of avoidable sales.

    A player must sell properties if its cash is not enough for the chosen piece. The sale was avoidable if the cash
    would have been enough without the player's last purchase.
    """
    spent = [0] * setting.players
    avoidable = 0
    for state, _, seat, action in game_steps(setting, seed, names):
        if isinstance(action, Buy):
            spent[seat] = action.cost or 0
        elif isinstance(action, Sell):
            avoidable += state.pending.cost - state.money[seat] <= spent[seat]
    return avoidable


def test_candidates_include_a_legal_pass_and_bankrupt_players_are_worth_nothing() -> None:
    for setting in SETTINGS:
        for state in candidate_game(setting, 2):
            worth = EVALUATION.worth(state, setting.board)
            assert all(worth[seat] == 0 for seat in range(setting.players) if not state.solvent >> seat & 1)
            to_pass = setting.board.to_pass
            if to_pass in setting.game.moves.legal(state, setting.board):
                assert (to_pass,) in EVALUATION.candidates(state, setting.board)


def test_candidates_do_not_depend_on_hidden_information() -> None:
    game, board = FOUR.game, FOUR.board
    for state in candidate_game(FOUR, 3):
        if state.pending is not None:
            view = game.view(state, board, state.pending.seat)
            imagined = [EVALUATION.candidates(game.imagine(view, board, seed), board) for seed in (1, 2)]
            assert imagined[0] == imagined[1] == EVALUATION.candidates(state, board)


def one_piece_from_the_end(board: Board, cash: list[int]) -> State:
    """Return a position in which seat 0 can play V3 or Z1. Playing V3 ends the game. Nobody owns properties."""
    state: State = FOUR.start(5)
    pieces = board.piece_number
    state.laid = sum(1 << pieces[f"{route}{number}"] for route in "ABEFXYV" for number in range(1, 5))
    state.laid ^= 1 << pieces["V3"]
    state.hands = [sorted([pieces["V3"], pieces["Z1"]]), [pieces["U2"]], [pieces["W2"]], [pieces["D2"]]]
    rest = {piece for piece in range(len(pieces)) if not state.laid >> piece & 1}
    state.mix = sorted(rest - {piece for hand in state.hands for piece in hand})
    state.pile &= ~board.free
    state.money[:4] = cash
    derive(state, board)
    state.pending = PlayPiece(0)
    return state


@pytest.mark.parametrize(("cash", "piece"), [([30_000, 40_000, 40_000, 40_000], "V3"), ([60_000, 90_000, 0, 0], "Z1")])
@pytest.mark.parametrize("name", ["greedy", "medium", "hard"])
def test_players_end_the_game_only_if_they_win(name: str, cash: list[int], piece: str) -> None:
    state = one_piece_from_the_end(FOUR.board, cash)
    legal = FOUR.game.legal_actions(state, FOUR.board)
    action = thinker(name, NAME, 1, 0)(FOUR.game.view(state, FOUR.board, 0), legal, FOUR.board)
    assert action.piece == piece


def test_medium_chooses_at_random_among_legal_answers() -> None:
    game, board = FOUR.game, FOUR.board
    think: Callable[..., Any] = load_players(NAME)["medium"]
    varied = 0
    for state, legal, seat, action in game_steps(FOUR, 6, ["medium"] * 4):
        if legal:
            check_listed(legal, action)
            view = game.view(state, board, seat)
            answers = [think(view, legal, board, lambda drawn=drawn: drawn) for drawn in (0.0, 0.99)]
            for answer in answers:
                check_listed(legal, answer)
            varied += answers[0] != answers[1]
    assert varied


def test_medium_and_hard_rarely_have_to_sell_because_of_a_purchase() -> None:
    """The players `medium` and `hard` rarely have to sell a property because their last purchase cost too much.

    Greedy players often have to.
    """
    seeds = some_seeds(4)
    assert sum(avoidable_sales(FOUR, seed, ["greedy"] * 4) for seed in seeds) >= len(seeds) / 2
    assert sum(avoidable_sales(FOUR, seed, ["medium"] * 4) for seed in seeds) <= 0.35 * len(seeds)
    seeds = some_seeds()
    assert sum(avoidable_sales(FOUR, seed, ["hard", "hard", "medium", "medium"]) for seed in seeds) <= len(seeds) / 4


def test_hard_beats_greedy_and_medium() -> None:
    """`hard` wins more than one quarter of the games against three players that are `greedy` or `medium`.

    The deals differ, and `hard` plays in each of the four seats.
    """
    won = 0.0
    games = len(some_seeds(4))
    for number in range(games):
        names = ["greedy", "medium", "greedy", "medium"]
        names[number % 4] = "hard"
        *_, end = game_steps(FOUR, number, names)
        ranks = FOUR.game.ranks(end.state, FOUR.board)
        won += (ranks[number % 4] == 1) / ranks.count(1)
    assert won / games >= 0.3


# The policy, and playouts with it


def test_the_usual_move_is_the_move_of_medium_players() -> None:
    """`usual_move` almost always chooses the same move as the player `medium`.

    `usual_move` gets the whole position, `medium` only its view. So `usual_move` must not use hidden information. Up to
    1 % of the moves may differ, because several moves can have the same value.
    """
    medium = load_players(NAME)["medium"]
    asked = different = 0
    for setting in (FOUR, Setting(NAME, 2, Options())):
        game, board = setting.game, setting.board
        for seed in range(3):
            for state in candidate_game(setting, seed):
                if state.pending is None:
                    continue
                view = game.view(state, board, state.pending.seat)
                answer = medium(view, game.legal_actions(state, board), board)
                asked += 1
                different += number_of(game.moves, board, answer) != usual_move(state, board)
    assert different <= asked / 100


def test_the_policy_ends_a_game_only_to_win_and_plays_legal_moves() -> None:
    """The function `policy` chooses only legal moves, and ends a game only if the seat to move wins it.

    `EVALUATION.policy` chooses the moves when a search plays games to the end. For sales it chooses like `usual_move`.
    Other moves often differ.
    """
    game, board = FOUR.game, FOUR.board
    for cash, piece in (([30_000, 40_000, 40_000, 40_000], "V3"), ([60_000, 90_000, 0, 0], "Z1")):
        assert EVALUATION.policy(one_piece_from_the_end(board, cash), board) == board.piece_number[piece]
    different = sales = 0
    for seed in range(4):
        for state, legal, *_ in game_steps(FOUR, seed, ["greedy"] * 4):
            if not legal:
                continue
            before = game.dump(state)
            move, usual = EVALUATION.policy(state, board), usual_move(state, board)
            assert game.dump(state) == before
            assert move in game.moves.legal(state, board)
            if isinstance(state.pending, SellFor):
                sales += 1
                assert move == usual
            different += move != usual
    assert sales
    assert different > 20


def playout_results(state: State, looks: int) -> list[Tried]:
    game, board = FOUR.game, FOUR.board
    assert state.pending is not None
    view = game.view(state, board, state.pending.seat)
    return play_outs(
        game,
        board,
        EVALUATION,
        EVALUATION.policy,
        positions=(game.imagine(view, board, number) for number in count()),
        may_go_on=lambda looked: looked < looks,
    )


@pytest.mark.parametrize("looks", [1, 8, 60])
def test_playouts_give_sorted_reproducible_results(looks: int) -> None:
    """The results of a search by playouts are sorted by payoff and reproducible, for any number of iterations `looks`.

    A playout is a game played to its end. It does not change the position in which the search started.
    """
    every = 8 if looks < 60 or len(some_seeds()) > 1 else 48
    for number, state in enumerate(candidate_game(FOUR, 4)):
        if state.pending is None or number % every:
            continue
        before = digest(FOUR.game, state)
        found = playout_results(state, looks)
        assert found == playout_results(state, looks)
        assert digest(FOUR.game, state) == before
        expected = [one.payoffs[state.pending.seat] for one in found]
        assert expected == sorted(expected, reverse=True)
        assert {one.run for one in found} <= set(EVALUATION.candidates(state, FOUR.board))
        for one in found:
            assert one.visits
            assert sum(one.payoffs) == pytest.approx(1)
