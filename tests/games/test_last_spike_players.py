"""The players of The Last Spike: what they think positions are worth, which moves they look at, and how they play."""

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
from tests.support.positions import Setting, Step, all_settings

NAME = "last_spike"
SETTINGS = [setting for setting in all_settings() if setting.name == NAME]
FOUR = Setting(NAME, 4, Options())
EVALUATION: Any = load_evaluation(NAME)
MOST_RUNS = 25


def by_candidates(setting: Setting, seed: int) -> Iterator[State]:
    """The positions of a game in which every seat plays one of its candidates by chance; the last is the end."""
    chance = stream(f"candidates/{seed}")
    state = setting.start(seed)
    while state.pending is not None:
        yield state
        runs = EVALUATION.candidates(state, setting.board)
        for move in runs[int(chance() * len(runs))]:
            setting.game.moves.apply(state, setting.board, move)
    yield state


def steps(setting: Setting, seed: int, names: list[str]) -> Iterator[Step]:
    """A game between players that come with the program; the last step is the end."""
    game, board = setting.game, setting.board
    thinkers = [thinker(name, NAME, seed, seat) for seat, name in enumerate(names)]
    state = setting.start(seed)
    while state.pending is not None:
        seat = state.pending.seat
        legal = game.legal_actions(state, board)
        action = thinkers[seat](game.view(state, board, seat), legal, board)
        yield Step(state, legal, seat, action)
        game.apply(state, board, action, None)
    yield Step(state, [], -1, None)


def avoidable_sales(setting: Setting, seed: int, names: list[str]) -> int:
    """Sales by a player who would not have had to sell without its last purchase."""
    spent = [0] * setting.players
    avoidable = 0
    for state, _, seat, action in steps(setting, seed, names):
        if isinstance(action, Buy):
            spent[seat] = action.cost or 0
        elif isinstance(action, Sell):
            avoidable += state.pending.cost - state.money[seat] <= spent[seat]
    return avoidable


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_at_the_end_the_worths_are_the_scores(setting: Setting) -> None:
    *_, end = by_candidates(setting, 1)
    assert EVALUATION.worth(end, setting.board) == setting.game.scores(end)
    assert EVALUATION.spread(end, setting.board) == 0


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_position_has_worths_and_candidates(setting: Setting) -> None:
    """Few runs, each once, legal move by move and by one seat; who may pass looks at passing too."""
    game, board = setting.game, setting.board
    for state in by_candidates(setting, 2):
        if state.pending is None:
            break
        before = game.dump(state)
        worth = EVALUATION.worth(state, board)
        assert len(worth) == setting.players
        assert all(worth[seat] == 0 for seat in range(setting.players) if not state.solvent >> seat & 1)
        assert EVALUATION.spread(state, board) > 0
        runs = EVALUATION.candidates(state, board)
        assert 1 <= len(runs) == len(set(runs)) <= MOST_RUNS
        assert game.dump(state) == before
        legal = game.moves.legal(state, board)
        assert board.to_pass not in legal or (board.to_pass,) in runs
        for run in runs:
            after: Any = state.copy()
            for move in run:
                assert after.pending.seat == state.pending.seat
                assert move in game.moves.legal(after, board)
                game.moves.apply(after, board, move)


def test_candidates_do_not_depend_on_what_is_hidden() -> None:
    game, board = FOUR.game, FOUR.board
    for state in by_candidates(FOUR, 3):
        if state.pending is not None:
            view = game.view(state, board, state.pending.seat)
            imagined = [EVALUATION.candidates(game.imagine(view, board, seed), board) for seed in (1, 2)]
            assert imagined[0] == imagined[1] == EVALUATION.candidates(state, board)


def test_other_weights_see_other_worths() -> None:
    heavier = EVALUATION.weighing(type(EVALUATION.weights)(last_spike=2.0))
    state = FOUR.start(4)
    assert heavier.weights.last_spike == 2.0
    assert heavier.worth(state, FOUR.board) != EVALUATION.worth(state, FOUR.board)


def one_piece_from_the_end(board: Board, cash: list[int]) -> State:
    """A to Y complete but for V3, which seat 0 holds with Z1; nobody has properties."""
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
def test_the_last_spike_is_driven_to_win_not_to_lose(name: str, cash: list[int], piece: str) -> None:
    state = one_piece_from_the_end(FOUR.board, cash)
    legal = FOUR.game.legal_actions(state, FOUR.board)
    action = thinker(name, NAME, 1, 0)(FOUR.game.view(state, FOUR.board, 0), legal, FOUR.board)
    assert action.piece == piece


def test_medium_varies_by_chance_among_legal_answers() -> None:
    game, board = FOUR.game, FOUR.board
    think: Callable[..., Any] = load_players(NAME)["medium"]
    varied = 0
    for state, legal, seat, action in steps(FOUR, 6, ["medium"] * 4):
        if legal:
            check_listed(legal, action)
            view = game.view(state, board, seat)
            answers = [think(view, legal, board, lambda drawn=drawn: drawn) for drawn in (0.0, 0.99)]
            for answer in answers:
                check_listed(legal, answer)
            varied += answers[0] != answers[1]
    assert varied


def test_medium_and_hard_keep_cash_for_their_pieces() -> None:
    """Greedy players often have to sell for want of what they spent on their last purchase."""
    assert sum(avoidable_sales(FOUR, seed, ["greedy"] * 4) for seed in range(10)) >= 5
    assert sum(avoidable_sales(FOUR, seed, ["medium"] * 4) for seed in range(10)) <= 2
    assert sum(avoidable_sales(FOUR, seed, ["hard", "hard", "medium", "medium"]) for seed in range(4)) <= 1


def test_hard_beats_greedy_and_medium() -> None:
    """Far above the fair quarter over games from different deals, each seat taken in turn."""
    won = 0.0
    games = 12
    for number in range(games):
        names = ["greedy", "medium", "greedy", "medium"]
        names[number % 4] = "hard"
        *_, end = steps(FOUR, 100 + number, names)
        ranks = FOUR.game.ranks(end.state, FOUR.board)
        won += (ranks[number % 4] == 1) / ranks.count(1)
    assert won / games >= 0.3


# The policy, and runs played on by it


def test_what_is_usual_is_what_medium_players_do() -> None:
    """They are given a view, it a whole position: so it looks at nothing that is hidden. A few answers are level."""
    medium = load_players(NAME)["medium"]
    asked = different = 0
    for setting in (FOUR, Setting(NAME, 2, Options())):
        game, board = setting.game, setting.board
        for seed in range(3):
            for state in by_candidates(setting, seed):
                if state.pending is None:
                    continue
                view = game.view(state, board, state.pending.seat)
                answer = medium(view, game.legal_actions(state, board), board)
                asked += 1
                different += number_of(game.moves, board, answer) != usual_move(state, board)
    assert different <= asked / 100


def test_the_policy_plays_what_promises_most() -> None:
    """The piece that ends a game well, not badly; always a legal move, and often another than a medium player's, but
    for sales. The position is left alone."""
    game, board = FOUR.game, FOUR.board
    for cash, piece in (([30_000, 40_000, 40_000, 40_000], "V3"), ([60_000, 90_000, 0, 0], "Z1")):
        assert EVALUATION.policy(one_piece_from_the_end(board, cash), board) == board.piece_number[piece]
    different = sales = 0
    for seed in range(4):
        for state, legal, *_ in steps(FOUR, seed, ["greedy"] * 4):
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


def looked_at(state: State, looks: int) -> list[Tried]:
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
def test_runs_played_on(looks: int) -> None:
    """However few looks are allowed, there is an answer, the same again; the best comes first, nothing is changed."""
    for seed, state in enumerate(by_candidates(FOUR, 4)):
        if state.pending is None or seed % 8:
            continue
        before = digest(FOUR.game, state)
        found = looked_at(state, looks)
        assert found == looked_at(state, looks)
        assert digest(FOUR.game, state) == before
        expected = [one.payoffs[state.pending.seat] for one in found]
        assert expected == sorted(expected, reverse=True)
        assert {one.run for one in found} <= set(EVALUATION.candidates(state, FOUR.board))
        for one in found:
            assert one.visits
            assert sum(one.payoffs) == pytest.approx(1)
