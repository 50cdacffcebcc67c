"""Tests of the levels of built-in players: legal and reproducible games, time limits, hidden information and names."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games import load_evaluation, load_game, load_players, whole_games
from rails_cli.games.evaluation import Evaluation
from rails_cli.games.game import without_info_fields
from rails_cli.games.moves import action_of
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import MatchPolicy, Player
from rails_cli.players.builtin import LEAST_S, builtin_player, check_player
from rails_cli.players.chance import choose_busy
from rails_cli.players.levels import LEVELS, level_player
from rails_cli.players.search.one_ply import judged_runs
from rails_cli.protocol.log import ActionLine, PlayerLine
from rails_cli.protocol.messages import Clock, ClockLeft
from rails_cli.referee.single import Referee
from tests.support.matches import new_match
from tests.support.networks import small_network
from tests.support.short_boards import short_board
from tests.support.step_clock import StepClock

QUICK = {"expert": "search@1"}
"""By level, the player that replaces this level in tests, because the level itself would be too slow."""
BEGINNING = 10
LONGEST = 2_000
GAMES = [name for name in whole_games() if load_evaluation(name) is not None]

every_game = pytest.mark.parametrize("game", GAMES)
every_level = pytest.mark.parametrize("level", LEVELS)


def actions_of(match: Match, seated: Sequence[Player]) -> Iterator[Any]:
    """Play `match` with the players `seated`, one for each seat. Yield each action until the match ends."""
    while match.seat is not None:
        yield match.submit(match.seat, seated[match.seat].choose(match)).action


@every_game
@every_level
def test_a_level_plays_legal_games_that_depend_on_its_seed(game: str, level: str, tmp_path: Path) -> None:
    """The same seed gives the same game, and another seed gives another game."""
    rules = load_game(game)
    players = min(rules.players)
    board = rules.read_board(short_board(game, tmp_path).read_bytes())
    header = header_of(rules, rules.options_type(), 5, [PlayerLine(letter) for letter in "abc"[:players]])

    def played(seed: int) -> Iterator[Any]:
        seated = [builtin_player(QUICK.get(level, level), game, seed, seat) for seat in range(players)]
        return actions_of(Match(rules, board, header), seated)

    whole = list(islice(played(1), LONGEST))
    assert len(whole) < LONGEST
    assert list(islice(played(1), BEGINNING)) == whole[:BEGINNING]
    assert any(other != action for other, action in zip(played(2), whole, strict=False))


@pytest.mark.parametrize("game", ["american_rails", "last_spike"])
def test_a_forced_move_is_played_without_a_search(game: str) -> None:
    chance = stream(3)
    match = next(match for match in _positions(game, chance) if len(match.legal) == 1)
    assert match.seat is not None
    clock = StepClock(step_s=1)
    assert builtin_player("search@5s", game, 1, match.seat, clock).choose(match) == without_info_fields(match.legal[0])
    assert clock.elapsed_s == 0, "a forced move must not start a search, which reads the clock"


def _positions(game: str, chance: Callable[[], float]) -> Iterator[Match]:
    """Play 20 random games and yield the match each time before an action is played."""
    for seed in range(20):
        match = new_match(game, 4, seed)
        while match.seat is not None:
            yield match
            match.submit(match.seat, without_info_fields(choose_busy(match.legal, chance)))


# Time


@pytest.mark.parametrize("clock", [Clock(move_s=1.0), Clock(bank_s=40.0)])
def test_a_built_in_search_keeps_to_the_clock(clock: Clock) -> None:
    """A player that searches uses less time than its clock allows, although its search budget is larger.

    The clock allows less than the search budget of 20 s. The search time is subtracted from the player's clock.
    """
    now = StepClock(step_s=1 / 64)
    match = new_match("last_spike", 2, 5)
    lines: list[Any] = []

    def write(line: Any) -> None:
        lines.append(line)
        if len(lines) == 12:
            raise EnoughLines

    seated = [builtin_player(name, "last_spike", 1, seat, now) for seat, name in enumerate(("search@20s", "greedy"))]
    referee = Referee(match, [*seated], MatchPolicy(clock), write=write, now=now)
    with pytest.raises(EnoughLines):
        referee.play()
    assert 1 < now.elapsed_s < 12
    assert {type(line) for line in lines} == {ActionLine}
    bank_s = referee.seats[0].clock.bank_s
    used = [line.ms for line in lines if line.seat == 0]
    if clock.bank_s is None or bank_s is None:
        assert set(used) == {None}
    else:
        assert bank_s == pytest.approx(clock.bank_s - sum(used) / 1000)
        assert 500 <= max(used) <= 1100
    assert all(line.ms is None for line in lines if line.seat == 1)


@every_game
@pytest.mark.parametrize("left", [ClockLeft(bank_s=LEAST_S), ClockLeft(move_s=LEAST_S)])
def test_a_search_without_time_answers_like_medium(game: str, left: ClockLeft) -> None:
    match = new_match(game, 3, 5)
    while match.seat is not None and match.number < 10:
        hasty, medium = (builtin_player(name, game, 1, match.seat) for name in ("search@5s", "medium"))
        action = medium.choose(match)
        assert hasty.choose(match, left) == action
        match.submit(match.seat, action)


class EnoughLines(Exception):
    """Raised to stop a game before its end, when enough log lines are written."""


# Hidden information


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_hidden_information_does_not_change_an_answer(level: str) -> None:
    player = builtin_player(QUICK.get(level, level), "last_spike", 3, 0)
    assert all(first == second for first, second in _answers(player.choose))


@pytest.mark.parametrize("game", ["american_rails", "chicago_express"])
def test_hard_plays_with_the_network_and_easy_without(game: str) -> None:
    """With a network, `hard` plays another action than without it in at least one position of a game.

    `easy` plays the same actions with and without the network.
    """
    differences = {"easy": 0, "hard": 0}
    match, chance = new_match(game, 3, 5), stream(5)
    while match.seat is not None and match.number < 24:
        view = match.game.view(match.state, match.board, match.seat)
        for level in differences:
            usual, other = (
                level_player(level, game, 1, match.seat, lambda: None, evaluation)(view, match.legal, match.board)
                for evaluation in (None, learned(game))
            )
            differences[level] += usual != other
        match.submit(match.seat, choose_busy(match.legal, chance))
    assert differences["easy"] == 0 < differences["hard"]


def learned(game: str) -> Evaluation[Any, Any]:
    """Return the evaluation of a game with a small network."""
    evaluation, network = load_evaluation(game), small_network(game)
    assert evaluation is not None
    return replace(evaluation, network=lambda: network)


def test_a_player_that_uses_hidden_information_is_detected() -> None:
    """The check for hidden information detects a player that searches with the true hands of others.

    Other players search with random hands that agree with their view.
    """
    evaluation = load_evaluation("last_spike")
    assert evaluation is not None

    def peek(match: Match) -> Any:
        _, run = judged_runs(match.game, match.board, evaluation, [match.state])[0]
        return action_of(match.game.moves, match.board, run[0])

    assert any(first != second for first, second in _answers(peek))


def _answers(choose: Callable[[Match], Any]) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of actions that `choose` returns for seat 0 in two positions that seat 0 cannot tell apart.

    The first position is from a random game of The Last Spike. In the second, all hidden pieces are dealt again.
    """
    chance = stream(11)
    match = new_match("last_spike", 4, 0)
    while match.seat is not None:
        if match.seat == 0:
            first = choose(match)
            state, match.state = match.state, _dealt_anew(match.state, chance)
            yield first, choose(match)
            match.state = state
        match.submit(match.seat, choose_busy(match.legal, chance))


def _dealt_anew(state: Any, chance: Callable[[], float]) -> Any:
    """Return a copy of `state` in which the pieces that seat 0 cannot see are shuffled.

    These are the hands of other seats, the mix (draw pile) and the piece set aside.
    """
    twin = state.copy()
    unseen = [piece for hand in twin.hands[1:] for piece in hand] + twin.mix + ([twin.aside] if twin.aside >= 0 else [])
    unseen.sort(key=lambda piece: chance())
    twin.hands[1:] = [sorted(unseen.pop() for _ in hand) for hand in twin.hands[1:]]
    if twin.aside >= 0:
        twin.aside = unseen.pop()
    twin.mix = unseen
    return twin


# Names


INVALID_NAMES = (
    *("", "xpert", "hard@3", "search", "search@", "search@0", "search@1.5", "search@~400", "search@-3s"),
    *("search@\u0665", "search@1.0000s", "search@9*", "search@9*0", "search@9*65", "search@9*2*2"),
)


@pytest.mark.parametrize("name", INVALID_NAMES)
def test_invalid_player_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"search@|there is no player"):
        check_player(name)


@pytest.mark.parametrize("name", ["search@100001", "search@600.1s", "expert@9999999", f"search@{'9' * 330}s"])
def test_too_large_search_budgets_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="at most 100,000 looks or 600 s"):
        check_player(name)


def test_a_search_with_several_processes_is_refused_where_other_games_run() -> None:
    with pytest.raises(ValueError, match=r"'search@1s\*4' works only with play, run and player; .* try 'search@1s'"):
        check_player("search@1s*4", "chicago_express", is_alone=False)
    check_player("search@1s*1", "chicago_express", is_alone=False)


def test_a_level_that_a_game_does_not_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(load_players("chicago_express"), "medium")
    check_player("hard", "chicago_express")
    with pytest.raises(ValueError, match=" has no player 'medium'; it has random, busy, greedy, easy, hard, expert"):
        check_player("medium", "chicago_express")


VALID_NAMES = (
    *("easy", "greedy", "expert", "expert@1s", "search@10", "search@100000", "search@0.5s", "search@600s"),
    *("search@~0.1s", "search@9*64"),
)


@pytest.mark.parametrize("name", VALID_NAMES)
def test_valid_player_names_are_accepted(name: str) -> None:
    for game in GAMES:
        check_player(name, game)
