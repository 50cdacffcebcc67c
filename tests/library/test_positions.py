"""Tests of positions as values: comparison, pickles, moves, texts, hidden information, chance, logs and errors."""

import copy
import json
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, get_args, get_overloads

import msgspec
import numpy
import pytest

from rails_cli import library
from rails_cli.games import game_names, load_game
from rails_cli.library import (
    BadArgument,
    BadLog,
    Engine,
    GameError,
    IllegalAction,
    NoSuchAction,
    NoSuchGame,
    Position,
    Unavailable,
    games,
    read_log,
)
from rails_cli.protocol.last_spike import Drew
from tests.support.short_boards import short_board
from tests.support.tools import GOLDEN, rails

NAMES = ["Anna", "Ben", "Cleo"]
HUGE = 10**5000  # longer than the numbers that Python converts to text
PASSED: dict[str, Any] = {"type": "passed", "seat": 0}
every_game = pytest.mark.parametrize("name", game_names())


def position_of(name: str, moves: int = 40) -> Position:
    """Return a position of a game for three players, after some moves of the player `busy`."""
    return Engine(name).new(3, 2).playout("busy", 3, moves)


# Games and engines


def test_games_are_listed_with_every_name_that_an_engine_accepts() -> None:
    assert tuple(game.name for game in games()) == game_names()
    for game in games():
        rules = load_game(game.name)
        assert (game.title, game.players, game.has_secrets) == (rules.title, rules.players, rules.has_secrets)
        assert all(value == type_default(rules.options_type, option) for option, (value, *_) in game.options.items())
        for known in (game.name, game.title, game.title.upper(), *game.aliases):
            assert Engine(known) == Engine(game.name)


def type_default(options_type: type[msgspec.Struct], option: str) -> Any:
    return getattr(options_type(), option)


def test_type_checkers_know_the_names_of_the_built_in_games() -> None:
    """The overloads of `Engine` list the name and all aliases of each built-in game.

    So a type checker infers the types of the game from each of these names.
    """
    *precise, other = [signature(one).parameters["game"].annotation for one in get_overloads(Engine.__init__)]
    assert sorted(map(get_args, precise)) == sorted((game.name, *game.aliases) for game in games())
    assert other is str


def test_engines_of_equal_boards_are_equal(tmp_path: Path) -> None:
    standard, short = Engine("ls"), Engine("ls", on_short_board("last_spike", tmp_path))
    assert standard == Engine("last_spike", standard.wire_board)
    assert short == Engine("ls", short.wire_board) == copy.deepcopy(short) == pickle.loads(pickle.dumps(short))
    assert len({standard, short, Engine("ls", short.wire_board), Engine("ce")}) == 3
    assert (standard.is_standard, short.is_standard) == (True, False)
    assert (repr(standard), repr(short)) == ("Engine('last_spike')", "Engine('last_spike', another board)")
    assert standard != "last_spike"


def on_short_board(name: str, folder: Path) -> Any:
    rules = load_game(name)
    return msgspec.to_builtins(rules.wire_board(rules.read_board(short_board(name, folder).read_bytes())))


# Values


@every_game
def test_positions_are_compared_copied_and_pickled_as_values(name: str) -> None:
    position = position_of(name)
    same = [position_of(name), copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]
    for other in same:
        assert other == position
        assert hash(other) == hash(position)
        assert other.state is not position.state
        assert other.moves() == position.moves()
        assert other.play(other.moves()[0]) == position.play(position.moves()[0]) != position
    assert len({position, *same}) == 1
    assert position.play(position.moves()[-1]) not in same
    assert position != name
    assert len(pickle.dumps(position)) < 1500
    assert f"Position {name}: players=3, seat={position.seat}, asks='" in repr(position)
    assert f"scores={position.scores()}" in repr(position)
    assert "seat=None, scores" in repr(position.playout("busy"))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("american_rails", b'"still_in":15', b'"still_in":-1'),
        ("american_rails", b'"still_in":15', b'"still_in":99'),
        ("american_rails", b'"year":0', b'"year":-9'),
        ("american_rails", b'"seats":4', b'"seats":4000000000'),
        ("chicago_express", b'"houses":', b'"houses":-'),
        ("last_spike", b'"laid":', b'"laid":-'),
    ],
)
def test_a_changed_pickle_of_an_impossible_position_is_refused(name: str, old: bytes, new: bytes) -> None:
    position = Engine(name).new(4 if name == "american_rails" else 3, seed=1)
    restore, (engine, dumped) = position.play(position.moves()[0]).__reduce__()
    assert restore(engine, dumped).seat is not None
    assert old in dumped
    with pytest.raises(BadArgument, match="this is not a position of"):
        restore(engine, dumped.replace(old, new))


def test_a_pickle_contains_only_another_board_and_only_once(tmp_path: Path) -> None:
    engine = Engine("last_spike", on_short_board("last_spike", tmp_path))
    position = engine.new(2)
    one, many = pickle.dumps(position), pickle.dumps([position.reseed(seed) for seed in range(20)])
    assert len(msgspec.json.encode(engine.wire_board)) < len(one) < len(many) < 3 * len(one)
    restored = pickle.loads(one)
    assert restored == position != Engine("last_spike").new(2)
    assert restored.engine is pickle.loads(many)[3].engine, "the board is read once"
    assert "another board" in repr(position)


# Moves


@every_game
def test_moves_are_checked_and_steps_return_events(name: str) -> None:
    position = position_of(name)
    engine, move = position.engine, position.moves()[0]
    after, events = position.step(move)
    action = engine.action(move)
    assert position.step(action) == position.step(msgspec.to_builtins(action)) == (after, events)
    assert (
        after == position.play(move) == position.after(move) == position.after([move]) == position.play_action(action)
    )
    assert after == position.after(move, check=False) == position.after((move,), check=False)
    assert events
    assert position.play() == position
    for run in position.runs():
        assert position.play(*run) == position.after(run) == position.after(run, check=False)
    illegal = max(position.moves()) + 1
    for refused in (position.play, position.after, position.step, lambda move: position.after([move])):
        with pytest.raises(IllegalAction, match=f"move {illegal} is not possible now; "):
            refused(illegal)
    position.moves().clear()
    assert position.moves(), "the list of moves is a copy"


@pytest.mark.parametrize("game", game_names())
def test_a_view_can_be_changed_without_an_effect_on_others(game: str) -> None:
    position = Engine(game).new(3, seed=4).playout("busy", seed=1, most_moves=40)
    view, text = position.view(0), position.text(0)
    before = msgspec.to_builtins(view)
    for field in view.__struct_fields__:
        if isinstance(value := getattr(view, field), list):
            value.clear()
    assert view != position.view(0)
    assert msgspec.to_builtins(position.view(0)) == before
    assert position.text(0) == text


def test_numbers_of_numpy_are_accepted() -> None:
    engine, one = Engine("ce"), numpy.int64
    position = engine.new(one(3), one(4), openings="drawn")
    assert position == engine.new(3, 4, openings="drawn")
    move = position.moves()[0]
    after = position.play(move)
    assert after == position.after(one(move)) == position.play(one(move)) == position.step(one(move)).position
    assert after == position.after(numpy.array([move])) == position.after([one(move)])
    assert engine.action(one(move)) == engine.action(move)
    assert engine.answer({"number": one(7)}, one(move)) == engine.answer({"number": 7}, move)
    assert position.view(one(1)) == position.view(1)
    assert position.playout("medium", one(5), one(9)) == position.playout("medium", 5, 9)
    assert position.best("easy", one(1)) == position.best("easy", 1)
    assert position.search(one(9), seed=one(2)) == position.search(9, seed=2)
    assert position.guess(one(0), one(3)) == position
    assert Engine("ls").new(2).reseed(one(3)) == Engine("ls").new(2).reseed(3)


# Texts


@every_game
def test_every_move_has_a_choice_with_its_wording(name: str) -> None:
    for moves in (0, 40, 61):
        position = position_of(name, moves)
        choices = position.choices(NAMES)
        assert [choice.move for choice in choices] == position.moves()
        assert [choice.action for choice in choices] == list(map(position.engine.action, position.moves()))
        assert all(choice.text and choice.command for choice in choices)
        assert len({choice.command for choice in choices}) == len(choices)
    assert position_of(name, 10_000).choices() == []


def test_choices_have_costs() -> None:
    bid = Engine("ce").new(3).choices()[2]
    assert (bid.command, bid.cost, bid.text) == ("bid 9", 9, "bid $9")
    assert {choice.cost for choice in Engine("ls").new(3, 5).choices()} == {3000, 4000}
    assert Engine("ce").new(3).choices()[-1].cost is None


def test_the_text_is_what_the_terminal_shows(tmp_path: Path) -> None:
    seats = [word for name in NAMES for word in ("--seat", f"person:{name}")]
    done = rails("play", "last_spike", *seats, "--seed", "5", input="\nquit\n", cwd=tmp_path)
    position = Engine("last_spike").new(3, 5)
    text = position.text(position.seat, NAMES)
    assert text.splitlines() == [line for line in done.stdout.splitlines() if line in text.splitlines()]
    assert len(text.splitlines()) > 6


@every_game
def test_texts_show_a_seat_only_what_it_may_see(name: str) -> None:
    position = position_of(name)
    seat = position.seat
    assert seat is not None
    for observer in (None, *range(3)):
        for seed in range(3):
            assert position.guess(observer, seed).text(observer) == position.text(observer)
        assert ("\n1 " in position.text(observer)) == (observer == seat), "only the seat to move gets choices"
    assert NAMES[seat] in position.text(None, NAMES)
    assert "The game has ended." in position.playout("busy").text(0)


def test_the_text_shows_earlier_bids() -> None:
    position = Engine("ce").new(3)
    events = []
    for _ in range(2):
        position, told = position.step(position.moves()[0])
        events += told
    assert " 1 Seat 1  $40  7  $40" in position.text(2, events=events)
    assert position.text(2, events=map(msgspec.to_builtins, events)) == position.text(2, events=events)
    assert " 1 Seat 1  $40  -  $40" in position.text(2)


def test_the_sentence_for_an_event_has_no_secrets() -> None:
    position = Engine("last_spike").new(3, 5)
    position, events = position.step(position.moves()[0])
    drew = events[-1]
    assert isinstance(drew, Drew)
    assert position.tell(drew, 1, NAMES) == f"Ben draws {drew.piece}."
    for observer in (None, 0, 2):
        assert position.tell(msgspec.to_builtins(drew), observer, NAMES) == "Ben draws a piece."
    with pytest.raises(BadArgument, match="not an event of The Last Spike"):
        position.tell({"type": "fly"})


# Searches


@every_game
def test_searches_and_players_use_only_what_the_seat_to_move_sees(name: str) -> None:
    position = position_of(name)
    seat = position.seat
    assert seat is not None
    other = position.guess(seat, 9)
    for player in ("random", "busy", "greedy", "easy", "medium", "hard", "search@9"):
        assert position.best(player, 4) == other.best(player, 4)
        assert position.best(player) in position.moves()
    found = position.search(9, seed=4)
    assert found == other.search(9, seed=4) == position.engine.search(position.view(seat), 9, seed=4)
    assert found[0].run in position.runs()


# Hidden information and chance


@every_game
def test_a_guess_looks_the_same_to_the_seat(name: str) -> None:
    position = position_of(name)
    for observer in (None, *range(3)):
        guesses = [position.guess(observer, seed) for seed in range(6)]
        assert all(guess.view(observer) == position.view(observer) for guess in guesses)
        assert guesses == [position.guess(observer, seed) for seed in range(6)]
        assert len(set(guesses)) == (6 if position.engine.game.has_secrets else 1)
        assert position.engine.game.has_secrets or guesses[0] == position


@every_game
def test_reseeding_changes_future_draws_only(name: str) -> None:
    position = position_of(name)
    others = [position.reseed(seed) for seed in range(5)]
    assert others == [position.reseed(0).reseed(seed) for seed in range(5)], "only the seed decides"
    for other in others:
        assert all(other.view(observer) == position.view(observer) for observer in (None, *range(3)))
        assert other.moves() == position.moves()
        assert (other == position) == (not position.engine.game.has_secrets)


def test_chance_lists_every_possible_draw() -> None:
    position = position_of("last_spike")
    while not any(choice.command == "pass" for choice in position.choices()):
        position = position.play(position.moves()[0])
    to_pass, seat = position.moves()[-1], position.seat
    assert seat is not None
    outcomes = position.chance()
    assert sum(outcome.probability for outcome in outcomes) == pytest.approx(1)
    assert len({outcome.name for outcome in outcomes}) == len(outcomes) == position.view(seat).mix
    for outcome in outcomes:
        assert all(outcome.position.view(observer) == position.view(observer) for observer in range(3))
        drawn = [event.piece for event in outcome.position.step(to_pass).events if isinstance(event, Drew)]
        assert drawn[0] == outcome.name
    real = position.step(to_pass)
    assert sum(outcome.position.step(to_pass) == real for outcome in outcomes) == 1
    assert position_of("last_spike", 10_000).chance() == []
    assert position_of("chicago_express").chance() == position_of("american_rails").chance() == []


def test_a_game_that_does_not_list_its_draws_says_so() -> None:
    engine = Engine("last_spike")
    engine.game = replace(engine.game, outcomes=None, reseed=None)
    position = engine.new(2)
    with pytest.raises(Unavailable, match="The Last Spike does not list its chance events; `guess`"):
        position.chance()
    with pytest.raises(Unavailable, match="The Last Spike cannot change its future draws; `guess`"):
        position.reseed(1)


# Logs


@every_game
def test_a_log_is_read_as_positions_actions_and_players(name: str) -> None:
    path = min((GOLDEN / name).glob("*-3p*.jsonl"))
    logged = read_log(path)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    actions = [line for line in lines if line["type"] == "action"]
    assert len(logged) == len(actions) == len(list(logged))
    assert logged.players == [player["name"] for player in lines[0]["players"]]
    assert logged.positions[0] == logged.start
    assert logged.positions[-1] == logged.end
    for step, line, before in zip(logged, actions, logged.positions, strict=False):
        assert (step.seat, step.player, step.before) == (line["seat"], logged.players[line["seat"]], before)
        assert step.before.step(step.move) == step.before.step(step.action) == (step.after, step.events)
        assert json.loads(msgspec.json.encode(step.events)) == line["events"]
    result = lines[-1]
    assert (logged.end.scores(), logged.end.ranks()) == (result["scores"], result["ranks"])
    assert repr(logged) == f"<LoggedGame {name}: players={logged.players}, {len(logged)} steps>"


def test_a_resumed_game_on_another_board_can_be_read(tmp_path: Path) -> None:
    log, board = tmp_path / "game.jsonl", short_board("chicago_express", tmp_path)
    words = ("--seat", "builtin:busy", "--seat", "builtin:medium", "--board", str(board), "--openings", "drawn")
    rails("run", "chicago_express", *words, "--seed", "1", "--log", str(log), check=True)
    whole = read_log(log)
    opening = sum(step.is_opening for step in whole)
    assert 0 < opening < len(whole)
    assert not whole.engine.is_standard
    assert pickle.loads(pickle.dumps(whole.end)) == whole.end
    log.write_bytes(b"".join(line + b"\n" for line in log.read_bytes().splitlines()[: opening + 3]))
    assert len(read_log(log)) == opening + 1
    rails("resume", str(log), "--seat", "1", "builtin:greedy", check=True)
    resumed = read_log(log)
    assert (resumed.players, resumed.end.seat) == (whole.players, None)
    assert resumed.positions[: opening + 2] == whole.positions[: opening + 2]


def test_bad_logs_are_refused(tmp_path: Path) -> None:
    content = min((GOLDEN / "last_spike").glob("*.jsonl")).read_bytes()
    log = tmp_path / "game.jsonl"
    for changed, words in (
        (content.replace(b'"seat":1', b'"seat":0', 1), "line 4: illegal action: seat 0 is not to move"),
        (content.splitlines(keepends=True)[0], "line 2: the set-up is missing"),
        (b"", "line 1: no header"),
    ):
        log.write_bytes(changed)
        with pytest.raises(BadLog, match=words):
            read_log(log)
    with pytest.raises(FileNotFoundError):
        read_log(tmp_path / "none.jsonl")


# Errors


def test_a_search_of_an_impossible_view_is_refused() -> None:
    engine = Engine("ce")
    position = engine.new(3)
    for number in range(15):
        position = position.play(position.best("busy", number))
    view = msgspec.to_builtins(position.view(position.seat))
    view["players"][2]["shares"]["PRR"] = 3
    with pytest.raises(BadArgument, match="impossible by the rules"):
        engine.search(view, looks=2)


class WithoutRepr:
    def __repr__(self) -> str:
        raise RuntimeError


def test_errors_say_what_was_expected() -> None:
    engine, position, other = Engine("ce"), Engine("ce").new(3), Engine("ar").new(3)
    over = position.playout("busy")
    cases: list[tuple[Callable[[], Any], type[GameError], str]] = [
        (lambda: Engine(3), BadArgument, "expected the name of a game, such as '.*', got 3"),  # type: ignore[call-overload]
        (lambda: Engine("chess"), NoSuchGame, "unknown game 'chess'; the games are "),
        (lambda: Engine("ce", {"hexes": 3}), library.BoardError, "does not describe a board"),
        (
            lambda: Engine("ce", {}),
            library.BoardError,
            "does not describe a board of chicago_express: 'hexes' is missing",
        ),
        (lambda: Engine("ce", 3), library.BoardError, "expected an object with the fields of a board"),
        (lambda: Engine.of({}), BadArgument, "expected a `start` message of the protocol, got {}: "),
        (lambda: engine.new("3"), BadArgument, "players: expected a whole number, got '3'"),  # type: ignore[arg-type]
        (lambda: engine.new(3, None), BadArgument, "seed: expected a whole number or a text, got None"),  # type: ignore[arg-type]
        (lambda: engine.new(3, "\ud800"), BadArgument, "seed: expected a number or text that can be encoded"),
        (lambda: engine.new(3, HUGE), BadArgument, "that can be encoded, got a very long number"),
        (
            lambda: engine.new(HUGE),
            BadArgument,
            "players: expected a whole number of at most 64 bits, got a very long number",
        ),
        (lambda: engine.position_of(None), BadArgument, "expected a state of Chicago Express, got None"),  # type: ignore[arg-type]
        (lambda: engine.position_of(other.state), BadArgument, "expected a state of Chicago Express, got <"),  # type: ignore[arg-type]
        (lambda: Position(None, other.state), BadArgument, "expected an engine, got None; `Engine.new`"),  # type: ignore[arg-type]
        (lambda: Position(Engine, other.state), BadArgument, "expected an engine, got <class"),  # type: ignore[arg-type]
        (lambda: Position(engine, None), BadArgument, "expected a state of Chicago Express, got None"),
        (lambda: position.after(0, check=numpy.array([1, 2])), BadArgument, "check: expected True or False, got array"),  # type: ignore[arg-type]
        (lambda: position.after([0], check=numpy.array([])), BadArgument, "check: expected True or False, got array"),  # type: ignore[arg-type]
        (
            lambda: engine.action(-1),
            BadArgument,
            "-1 is not a move of Chicago Express on this board; expected 0 or more",
        ),
        (lambda: engine.new(3, 0, ["first_player"]), BadArgument, "expected a mapping from names to values"),  # type: ignore[arg-type]
        (
            lambda: engine.view_of(Engine("ls").new(2).view(0)),
            BadArgument,
            "of Chicago Express, got a view of The Last",
        ),
        (
            lambda: engine.move({"type": "build", "company": "PRR", "hex": "Z99"}),
            NoSuchAction,
            "no such action on this",
        ),
        (lambda: engine.answer({}, 3), BadArgument, "expected a `request` message with a `number`, got {}"),
        (lambda: engine.answer({"number": 1}, "pass"), BadArgument, "not an action of Chicago Express"),  # type: ignore[arg-type]
        (lambda: position.after("976"), BadArgument, "expected a move .* or a sequence of moves, got '976'"),  # type: ignore[arg-type]
        (lambda: position.play(1.5), BadArgument, "move: expected a whole number, got 1.5"),  # type: ignore[arg-type]
        (lambda: position.play(10**9), IllegalAction, "move 1000000000 is not possible now"),
        (lambda: position.after(HUGE), IllegalAction, "move a very long number is not possible now"),
        (lambda: position.step({"type": "bid", "amount": HUGE}), BadArgument, "digits"),
        (lambda: position.step("bid 9"), BadArgument, "not an action of Chicago Express"),  # type: ignore[arg-type]
        (lambda: position.view(3), BadArgument, "there is no seat 3; expected 0 to 2, or None for a spectator"),
        (lambda: position.view("0"), BadArgument, "seat: expected a whole number, got '0'"),  # type: ignore[arg-type]
        (lambda: position.text(0, ["Anna"]), BadArgument, "names: expected 3 names, got .'Anna'."),
        (lambda: position.text(0, 3), BadArgument, "names: expected 3 names, got 3"),  # type: ignore[arg-type]
        (lambda: position.tell(PASSED | {"seat": 9}), BadArgument, "an event of seat 9; seats go from 0 to 2"),
        (lambda: position.text(events=[PASSED | {"seat": -1}]), BadArgument, "an event of seat -1"),
        (lambda: position.playout(max), BadArgument, "expected the name of a built-in player, such as 'random'"),  # type: ignore[arg-type]
        (lambda: position.playout("expert"), BadArgument, "thinks too long"),
        (lambda: position.best("nobody"), BadArgument, "there is no player 'nobody'"),
        (lambda: position.search("many"), BadArgument, "looks: expected a whole number, got 'many'"),  # type: ignore[arg-type]
        (lambda: position.search(-1), BadArgument, "looks: expected 1 or more, got -1"),
        (lambda: position.playout(most_moves=-1), BadArgument, "most_moves: expected 0 or more, got -1"),
        (lambda: position.search(seconds=math.nan), BadArgument, "seconds: expected a number, got nan"),
        (lambda: position.search(seconds="x"), BadArgument, "seconds: expected a number, got 'x'"),  # type: ignore[arg-type]
        (lambda: position.search(seconds=HUGE), BadArgument, "seconds: expected a number, got a very long number"),
        (lambda: position.search(seconds=1j), BadArgument, "seconds: expected a number, got 1j"),  # type: ignore[arg-type]
        (lambda: position.text(0, events=None), BadArgument, "events: expected a list, got None"),  # type: ignore[arg-type]
        (lambda: position.tell("\ud800"), BadArgument, "this is not an event of Chicago Express: 'utf-8'"),  # type: ignore[arg-type]
        (lambda: position.view(WithoutRepr()), BadArgument, "seat: expected a whole number, got an object of type Wit"),  # type: ignore[arg-type]
        (lambda: engine.move("\ud800"), BadArgument, "this is not an action of Chicago Express: 'utf-8'"),  # type: ignore[arg-type]
        (lambda: engine.view_of("\ud800"), BadArgument, "this is not a view of Chicago Express: 'utf-8'"),
        (lambda: Engine.of("\ud800"), BadArgument, "expected a `start` message of the protocol"),  # type: ignore[arg-type]
        (lambda: engine.new(3, openings=[]), BadArgument, r"openings are drawn or none, not \[\]"),  # type: ignore[arg-type]
        (lambda: read_log(None), BadArgument, "path: expected the path of a log, got None"),  # type: ignore[arg-type]
        (lambda: read_log("a\0b"), BadArgument, "path: expected the path of a log"),
        (lambda: position.reseed(1.5), BadArgument, "seed: expected"),  # type: ignore[arg-type]
        (lambda: position.ranks(), Unavailable, "the game is not over"),
        (lambda: over.search(), Unavailable, "the game is over"),
        (lambda: engine.search(over.view(0)), Unavailable, "the game is over"),
        (lambda: over.best(), Unavailable, "the game is over"),
        (lambda: over.step(0), IllegalAction, "the game has ended"),
        (lambda: over.after(0), IllegalAction, "the game has ended"),
    ]
    for call, kind, words in cases:
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, GameError)
    assert over.view(None) == over.engine.game.view(over.state, engine.board, -1)


def test_all_errors_have_one_base_class() -> None:
    errors = [kind for name in library.__all__ if isinstance(kind := getattr(library, name), type)]
    errors = [kind for kind in errors if issubclass(kind, Exception)]
    assert all(issubclass(kind, GameError) for kind in errors)
    assert issubclass(BadArgument, ValueError)
    assert issubclass(Unavailable, ValueError)
    assert issubclass(NoSuchAction, LookupError)
    assert issubclass(NoSuchGame, LookupError)
