"""Tests that a searching player carries out the moves that it has planned for one turn (a run).

This holds after a game is resumed, in the `player` command, and in `rails-cli play`.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.games import load_game
from rails_cli.games.game import without_info_fields
from rails_cli.logs.reading import log_board, read_log
from rails_cli.match.match import Match
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.messages import Request, Start
from tests.support.matches import new_match, with_points
from tests.support.person import by_lines, games_in
from tests.support.short_boards import short_board
from tests.support.tools import rails

LEVEL = "hard"
HEX_GAMES = ["chicago_express", "american_rails"]
SEED = 5

hex_games = pytest.mark.parametrize("game", HEX_GAMES)


def actions_in(lines: Sequence[bytes]) -> list[Any]:
    return [json.loads(line)["action"] for line in lines if line.startswith(b'{"type":"action"')]


def positions(lines: Sequence[bytes]) -> Iterator[tuple[int, Match, Any]]:
    """Yield for each action of a log: the index of its line, the match before the action, and the action."""
    log = read_log(b"".join(lines))
    game = load_game(log.header.game)
    match = Match(game, log_board(log.header), log.header)
    for place, line in enumerate(lines):
        if line.startswith(b'{"type":"action"'):
            action = msgspec.convert(json.loads(line)["action"], game.action_type)
            yield place, match, action
            match.play(action)


def answer_without_memory(match: Match, seed: Any) -> Any:
    """Return the action that a newly created player chooses. Such a player remembers no planned run of moves."""
    assert match.seat is not None
    return without_info_fields(builtin_player(LEVEL, match.game.name, seed, match.seat).choose(match))


def cuts_inside_runs(lines: Sequence[bytes], seats: Collection[int]) -> list[int]:
    """Return the indexes of log lines at which a player needs the memory of its planned run.

    At such a line, a newly created player would choose another action than the player in the game. The line is in the
    second half of the log and inside a run of moves by one of `seats`.
    """
    cuts, before = [], None
    for place, match, action in positions(lines):
        is_in_a_run = match.seat == before and match.seat in seats
        if is_in_a_run and 2 * place > len(lines) and answer_without_memory(match, SEED) != action:
            cuts.append(place)
        before = match.seat
    return cuts


@hex_games
def test_a_match_cut_inside_a_run_of_moves_resumes_to_the_same_game(game: str, tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    words = [f"--seat=builtin:{LEVEL}"] * 3 + ["--seed", str(SEED), "--board", str(short_board(game, tmp_path))]
    assert rails("run", game, *words, "--quiet", "--log", str(log)).returncode == 0
    lines = log.read_bytes().splitlines(keepends=True)
    cuts = cuts_inside_runs(lines, range(3))
    assert cuts
    log.write_bytes(b"".join(lines[: cuts[-1]]))
    assert rails("resume", str(log), "--quiet").returncode == 0
    assert actions_in(log.read_bytes().splitlines()) == actions_in(lines)


@hex_games
def test_the_player_command_answers_like_the_built_in_player(game: str) -> None:
    """The `player` command gives the same answers as the built-in player, in two matches one after the other.

    In the messages of the second match, whole numbers are written like 7.0.
    """
    messages, wanted, without_memory = [], [], []
    for name in ("first", "second"):
        match = new_match(game, 3, SEED)
        seed = f"3/{name}"
        seated = [builtin_player(level, game, seed, seat) for seat, level in enumerate((LEVEL, "greedy", "greedy"))]
        messages.append(
            msgspec.json.encode(Start(name, game, match.game.rules_version, ["a", "b", "c"], 0, {}, None, None))
        )
        while match.seat is not None and match.number < 50:
            seat = match.seat
            action = without_info_fields(seated[seat].choose(match))
            if seat == 0:
                view = match.view_for(seat)
                asked: Any = Request(name, match.number, seat, [], view, match.legal, match.default, None)
                messages.append(msgspec.json.encode(asked))
                wanted.append(msgspec.to_builtins(action))
                without_memory.append(answer_without_memory(match, seed))
            match.submit(seat, action)
    lines = [
        json.dumps(with_points(json.loads(line)) if b'"second"' in line else json.loads(line)) for line in messages
    ]
    done = rails("player", LEVEL, "--seed", "3", input="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["action"] for line in done.stdout.splitlines()] == wanted
    assert without_memory != wanted


def test_the_player_command_uses_the_seed_in_the_start_message() -> None:
    match = new_match("last_spike", 3, SEED)
    assert match.seat is not None
    messages: list[Any] = []
    view, asked = match.view_for(match.seat), 12
    for seed in (7, 8, 7):
        messages.append(Start("m", "last_spike", match.game.rules_version, ["a", "b", "c"], 0, {}, None, None, seed))
        for number in range(asked):
            messages.append(Request("m", number, match.seat, [], view, match.legal, match.default, None))
    done = rails("player", "random", input="".join(f"{msgspec.json.encode(one).decode()}\n" for one in messages))
    answers = [json.loads(line)["action"] for line in done.stdout.splitlines()[-3 * asked :]]
    assert answers[:asked] == answers[2 * asked :]
    assert answers[:asked] != answers[asked : 2 * asked]


def test_a_built_in_player_in_play_carries_out_its_planned_run(tmp_path: Path) -> None:
    """The player keeps to its plan after an undo, and after the game is resumed in the middle of a run."""
    words = ("--players", "3", "--bots", LEVEL, "--name", "Anna", "--seed", str(SEED))
    by_lines(tmp_path, "play", "chicago_express", *words, typed="1\npass\n" * 12 + "undo\n1\n")
    (path,) = games_in(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    seated = [builtin_player(LEVEL, "chicago_express", SEED, seat) for seat in range(3)]
    for _, match, action in positions(lines):
        if match.seat:
            assert without_info_fields(seated[match.seat].choose(match)) == action
    place = cuts_inside_runs(lines, (1, 2))[-1]
    path.write_bytes(b"".join(lines[:place]))
    by_lines(tmp_path, "play", "--resume", typed="")
    resumed_actions = actions_in(path.read_bytes().splitlines())
    assert resumed_actions == actions_in(lines)[: len(resumed_actions)]
    assert len(resumed_actions) > len(actions_in(lines[:place]))
