"""Tests of the search in every game that has an evaluation."""

from itertools import count
from typing import Any

import pytest

from rails_cli.games import game_names, load_evaluation
from rails_cli.games.evaluation import Evaluation
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match
from rails_cli.players.chance import choose_busy
from rails_cli.players.search.imagining import chance_of, imagined
from rails_cli.players.search.look_ahead import look_ahead
from rails_cli.players.search.one_ply import judged_runs
from rails_cli.players.search.outcome import CAUTION, Candidate, Tried, best_first, merged, outcome
from rails_cli.players.search.playouts import play_outs
from rails_cli.players.search.stopping import AT_LEAST, MANY, Left, is_clear, is_enough
from rails_cli.players.search.tree import search
from tests.support.matches import new_match

searched_games = pytest.mark.parametrize("name", ["chicago_express", "last_spike"])
"""Parametrise a test with a game that is searched by a tree, and a game that is searched by playouts."""
SEED_WITH_A_TIE = 149
"""Seed of a game of The Last Spike that ends with equal scores of two players.

The properties of the two players decide which of them wins (LS-31).
"""


def evaluation_of(match: Match) -> Evaluation[Any, Any]:
    evaluation = load_evaluation(match.game.name)
    assert evaluation is not None
    return evaluation


def seat_of(match: Match) -> int:
    assert match.seat is not None
    return match.seat


def view_of(match: Match) -> Any:
    return match.game.view(match.state, match.board, seat_of(match))


def match_after(game: str, actions: int, seed: int = 3) -> Match:
    """Return a match after `actions` random actions, or the finished match if the game is shorter."""
    match, chance = new_match(game, 3, seed), stream(seed)
    while match.seat is not None and match.number < actions:
        match.submit(match.seat, choose_busy(match.legal, chance))
    return match


def test_a_win_by_tie_break_counts_as_a_full_win() -> None:
    match = match_after("last_spike", 10**6, SEED_WITH_A_TIE)
    game, board, state = match.game, match.board, match.state
    scores, ranks = game.scores(state), game.ranks(state, board)
    assert scores.count(max(scores)) == 2
    assert sorted(ranks) == [1, 2, 3]
    payoffs, chances = outcome(game, board, evaluation_of(match), state)[:3], [float(rank == 1) for rank in ranks]
    assert outcome(game, board, evaluation_of(match), state)[3:6] == chances
    assert payoffs[ranks.index(1)] > payoffs[ranks.index(2)] + 0.5


def search_result(
    match: Match, looks: int, also: tuple[int, ...] | None = None, left: Left | None = None
) -> list[Tried]:
    """Return the result of `look_ahead` for the seat to move, with a budget of `looks` search iterations.

    `also` is a sequence of moves to try in addition. `left` is a function that returns the remaining budget. If it is
    given, the search may stop early.
    """
    view = view_of(match)
    chance = chance_of("test", view)
    return look_ahead(
        match.game, match.board, evaluation_of(match), view, chance, lambda seen: seen < looks, also, left=left
    )


@pytest.mark.parametrize("name", game_names())
def test_games_with_a_policy_are_searched_by_playouts_and_others_by_a_tree(name: str) -> None:
    match = match_after(name, 20)
    game, board, evaluation = match.game, match.board, evaluation_of(match)
    view = view_of(match)
    positions = imagined(game, board, view, chance_of("test", view))
    if evaluation.policy is None:
        found = search(game, board, evaluation, positions, lambda seen: seen < 20)
    else:
        found = play_outs(game, board, evaluation, evaluation.policy, positions, lambda seen: seen < 20)
    assert search_result(match, 20) == found


@pytest.mark.parametrize("looks", [1, 20])
@searched_games
def test_an_additional_run_gets_enough_visits_to_be_compared_with_the_best(name: str, looks: int) -> None:
    for actions in count(12):
        match = match_after(name, actions)
        known = evaluation_of(match).candidates(match.state, match.board)
        others = [(move,) for move in match.game.moves.legal(match.state, match.board) if (move,) not in known]
        if others:
            break
    also = others[0]
    assert also not in {one.run for one in search_result(match, looks)}
    found = {one.run: one for one in search_result(match, looks, also)}
    assert 2 * found[also].visits >= max(one.visits for one in found.values())
    assert found[also] in best_first(list(found.values()), seat_of(match))


@searched_games
def test_an_additional_run_that_has_enough_visits_changes_nothing(name: str) -> None:
    """So the judgement of a move that a search prefers agrees with this search."""
    match = match_after(name, 30)
    found = search_result(match, 40)
    enough = [one.run for one in best_first(found, seat_of(match))]
    assert enough
    assert search_result(match, 40, enough[-1]) == found


def test_the_worth_of_a_run_is_its_mean_over_the_imagined_positions() -> None:
    match = match_after("last_spike", 20)
    game, board, evaluation = match.game, match.board, evaluation_of(match)
    view = view_of(match)
    one, other = (game.imagine(view, board, seed) for seed in (1, 2))
    first, second = (
        {run: worth for worth, run in judged_runs(game, board, evaluation, [state])} for state in (one, other)
    )
    both = judged_runs(game, board, evaluation, [one, other])
    assert [worth for worth, _ in both] == sorted((worth for worth, _ in both), reverse=True)
    assert first != second
    for worth, run in both:
        seen = [worths[run] for worths in (first, second) if run in worths]
        assert worth == pytest.approx(sum(seen) / len(seen))


@searched_games
def test_a_search_that_knows_its_remaining_budget_stops_earlier_with_an_equal_choice(name: str) -> None:
    """A search that knows its remaining budget stops earlier, with a choice almost as good as that of a full search.

    The budget is counted in evaluated positions and not in time, so the search is reproducible.
    """
    evaluation = load_evaluation(name)
    looks = 40 if evaluation is None or evaluation.policy is None else 160
    match = match_after(name, 50)
    seat = seat_of(match)
    whole, short = (search_result(match, looks, left=left) for left in (None, lambda seen: looks - seen))
    assert sum(one.visits for one in short) < 0.9 * sum(one.visits for one in whole)
    chosen = max(best_first(short, seat), key=lambda one: one.assured(seat)).run
    by_run = {one.run: one.payoffs[seat] for one in whole}
    best = max(best_first(whole, seat), key=lambda one: one.assured(seat))
    assert by_run[chosen] > best.payoffs[seat] - 0.03


def candidates_with(*means: float) -> list[Candidate]:
    found = [Candidate((number,)) for number in range(len(means))]
    for candidate, mean in zip(found, means, strict=True):
        for _ in range(10):
            candidate.add([mean, 1 - mean])
    return found


def test_a_search_ends_early_only_if_its_choice_is_clear() -> None:
    many = candidates_with(0.5, *[0.3] * (MANY - 1))
    assert not is_enough(many, 0, int(300 * AT_LEAST) - 1, 201)
    assert is_enough(many, 0, 100, 200)
    level = candidates_with(0.5, *[0.4999] * (MANY - 1))
    assert not is_enough(level, 0, 100, 200)
    assert is_enough(level, 0, 295, 5)
    assert not is_enough(level[: MANY // 2], 0, 100, 200)
    assert is_enough(level[: MANY // 2], 0, 150, 150)
    level[1].visits //= 3  # its mean may be better, but it has too few visits
    assert not is_enough(level, 0, 200, 100)


def test_the_run_that_the_evaluation_prefers_needs_a_smaller_lead() -> None:
    """A search may stop if the payoff of one run (a sequence of moves) is clearly higher than that of all others.

    A smaller difference is enough for the run that was best in the first evaluation. `is_clear` gets a list of payoffs
    for each run, with this run first.
    """
    first, other = ([0.3 + 0.01 * (number % 3) for number in range(32)] for _ in range(2))
    other[::4] = [0.2] * 8
    assert is_clear([first, other])
    assert not is_clear([other, first])
    assert is_clear([[0.1 + 0.1 * one for one in other], first])
    assert not is_clear([first[:31], other[:31]])


def test_runs_other_than_the_first_choice_are_valued_lower_by_their_doubt() -> None:
    """The search lowers the value of each run by its doubt, except for the first choice of the evaluation.

    A run is a sequence of moves. Its doubt is the standard error of the difference between its payoff and that of the
    first choice. The more positions are evaluated, the smaller the doubt.
    """
    match = match_after("last_spike", 20)
    few, many = ({one.run: one for one in search_result(match, looks)} for looks in (40, 200))
    assert [run for run, one in few.items() if not one.doubt] == [run for run, one in many.items() if not one.doubt]
    doubted = [run for run, one in few.items() if one.doubt and run in many]
    assert sum(many[run].doubt for run in doubted) < sum(few[run].doubt for run in doubted)
    for one in few.values():
        assert one.assured(seat_of(match)) == one.payoffs[seat_of(match)] - CAUTION * one.doubt
    both = merged([list(many.values()), list(many.values())])
    assert all(0 < one.doubt < many[one.run].doubt for one in both if many[one.run].doubt)
