"""Tests of `rails-cli engine` as a process: single requests, lists of requests, and invalid requests."""

import json
import os
from functools import cache
from itertools import count
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, get_args

import jsonschema_rs
import pytest
from click.testing import CliRunner

from rails_cli.basics.schemas import engine_schema
from rails_cli.cli import main
from rails_cli.games import game_names, load_game
from rails_cli.library import Engine as Library
from rails_cli.library.service import Service
from rails_cli.protocol.engine import ANSWERS, MOST_ANSWERED, MOST_POSITIONS, MOST_REQUESTS, EngineRequest
from rails_cli.protocol.messages import MAX_LINE
from tests.support.line_process import LineProcess
from tests.support.matches import with_points
from tests.support.tools import ROOT, rails

ANSWER_TO = {
    "start": "Ready",
    "request": "Where",
    "new": "Where",
    "imagine": "Where",
    "play": "Where",
    "undo": "Where",
    "legal": "LegalMoves",
    "actions": "Meanings",
    "free": "Kept",
    "view": "Seen",
    "evaluate": "Outlooks",
    "children": "RunOutlooks",
    "playouts": "PlayoutSums",
    "search": "SearchResults",
    **dict.fromkeys(("hello", "update", "rejected", "end", "error"), "PassedOver"),
}


@cache
def validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": engine_schema()["$defs"]})


class Engine(LineProcess):
    """The engine service in a process. Every request and answer is validated with the JSON schema."""

    def __init__(self, *words: str, env: dict[str, str] | None = None) -> None:
        super().__init__("engine", *words, env=env)

    def all(self, *requests: Any) -> list[Any]:
        """Send `requests` as a list in one line and return their answers."""
        answers: list[Any] = self.ask(list(requests))
        for request, answer in zip(requests, answers, strict=True):
            assert "error" not in answer, (request, answer)
            validator("EngineRequest").validate(request)
            validator(ANSWER_TO[request["type"]]).validate(answer)
        return answers

    def one(self, kind: str, **fields: Any) -> Any:
        return self.all({"type": kind, **fields})[0]

    def error(self, message: Any) -> str:
        answer = self.ask(message)
        assert list(answer) == ["error"], answer
        validator("Refusal").validate(answer)
        return str(answer["error"])


@pytest.mark.parametrize("game", game_names())
def test_a_bot_may_forward_its_messages_to_follow_a_match(game: str) -> None:
    """A bot can follow a match in the engine if it forwards every message that it receives to the engine.

    After each request, the engine lists the legal moves of this request. If the bot plays a move in the engine and in
    the match, both have the same position afterwards.
    """
    with LineProcess("host", game, "--players", "3", "--seed", "4", "--clock", "none") as host, Engine() as engine:
        hello, ready = engine.all(host.read(), host.read())
        assert hello == {"passed_over": "hello"}
        assert (ready["game"], ready["has_secrets"]) == (game, load_game(game).has_secrets)
        expected = None
        for turn in range(45):
            request = host.read()
            where, legal = engine.all(request, {"type": "legal"})
            assert where == {"seat": request["seat"]}
            view = engine.one("view", seat=request["seat"])["view"]
            assert view == request["view"]
            if expected is not None and not ready["has_secrets"]:
                assert expected == {**view, "seat": expected["seat"]}
            moves = legal["moves"]
            move_actions = engine.one("actions", moves=moves)["actions"]
            assert legal_actions(request["legal"]) == list(map(without_cost, move_actions))
            choice = turn * 7919 % len(moves)
            after, seen = engine.all({"type": "play", "moves": [moves[choice]]}, {"type": "view"})
            typed, same = engine.all(
                {"type": "undo"}, {"type": "play", "action": move_actions[choice], "to": 1}, {"type": "view", "at": 1}
            )[1:]
            assert (typed, same) == (after, seen)
            expected = seen["view"]
            host.send({"type": "action", "number": request["number"], "action": move_actions[choice]})


def without_cost(action: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in action.items() if name != "cost" and value is not None}


def legal_actions(legal: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the legal actions of a request in the form of answers.

    An entry for a range of bids becomes one action for each amount. Costs and prices are removed.
    """
    actions: list[dict[str, Any]] = []
    for entry in legal:
        if entry["type"] == "bid":
            actions += [{"type": "bid", "amount": amount} for amount in range(entry["min"], entry["max"] + 1)]
        else:
            actions.append({name: value for name, value in entry.items() if name not in ("cost", "gain", "price")})
    return actions


@pytest.mark.parametrize("game", game_names())
def test_answers_about_the_same_position_are_consistent(game: str) -> None:
    """The commands `children`, `evaluate` and `playouts` give consistent results, and `undo` restores positions.

    The engine stores several numbered positions. A command changes only the position with the number in the command.
    """
    with Engine(game, "--players", "3") as engine:
        start, opening = engine.all({"type": "new", "seed": 5}, {"type": "legal"})
        assert start["seat"] in range(3)
        for _ in range(12):
            runs = engine.one("children")
            best = max(range(len(runs["runs"])), key=lambda number: runs["payoffs"][number][0])
            engine.one("play", moves=runs["runs"][best])
        found = engine.one("children", of="legal")
        legal = engine.one("legal")["moves"]
        assert found["runs"] == [[move] for move in legal]
        for number, move in list(enumerate(legal))[:: max(1, len(legal) // 5)]:
            _, worth, cut = engine.all(
                {"type": "play", "moves": [move], "to": 7},
                {"type": "evaluate", "at": [7, 0]},
                {"type": "playouts", "at": 7, "most_moves": 0, "count": 2},
            )
            assert worth["payoffs"][0] == found["payoffs"][number]
            assert worth["money"][0] == found["money"][number]
            assert cut["chances"] == [[2 * chance for chance in found["chances"][number]]]
            assert cut["moves"] == 0
        few = [[move] for move in legal[:3]]
        assert engine.one("children", runs=few)["payoffs"] == found["payoffs"][: len(few)]
        for policy, most in (("random", 10_000), ("busy", 10_000), ("greedy", 10)):
            wanted = {"runs": few, "count": 2, "seed": 3, "policy": policy, "most_moves": most}
            again = [engine.one("playouts", **wanted) for _ in range(2)]
            assert again[0] == again[1]
            assert [round(sum(chances), 6) for chances in again[0]["chances"]] == [2] * len(few)
        searches = [engine.one("search", looks=12, seed=4) for _ in range(2)]
        assert searches[0] == searches[1], "a search with a number of looks does not depend on the clock"
        tried = searches[0]
        assert sum(tried["visits"]) > 0
        assert all(run[0] in legal for run in tried["runs"])
        assert engine.one("playouts", runs=few, budget_ms=1)["count"] >= 1
        end = engine.one("playouts", count=1, seed=9)
        assert sum(end["chances"][0]) == pytest.approx(1)
        back, moves, kept = engine.all({"type": "undo", "count": 12}, {"type": "legal"}, {"type": "free", "at": [7]})
        assert (back, moves, kept) == (start, opening, {"kept": 1})
        while (where := engine.one("play", moves=engine.one("legal")["moves"][-1:]))["seat"] is not None:
            pass
        assert len(where["scores"]) == len(where["ranks"]) == 3
        assert engine.one("legal")["moves"] == []
        assert engine.one("evaluate")["money"] == [where["scores"]]
        assert engine.one("free") == {"kept": 0}
        assert engine.end() == (0, "")


def test_a_new_game_uses_the_given_openings_and_options() -> None:
    with Engine("american_rails", "--players", "4") as engine:
        wanted: list[dict[str, Any]] = [{"seed": 1}, {"seed": 2}, {"seed": 1, "openings": "drawn"}]
        wanted += [{"seed": 2, "openings": "drawn"}, {"options": {"first_player": "drawn"}}]
        views = [engine.all({"type": "new", **fields}, {"type": "view"})[1]["view"] for fields in wanted]
        assert views[0] == views[1], "this game has no randomness without drawn openings"
        assert len({json.dumps(view) for view in views[1:]}) == 4
        assert views[4]["options"]["first_player"] == "drawn"
    with Engine("last_spike", "--players", "2") as engine:
        assert "has no openings to draw" in engine.error({"type": "new", "openings": "drawn"})
        assert "is not a move of The Last Spike" in engine.error({"type": "actions", "moves": [10**9]})


def test_imagined_positions_match_the_view_and_depend_on_the_seed_only() -> None:
    asked = [{"type": "new", "seed": 1}, {"type": "view"}, {"type": "play", "moves": []}]
    lines = []
    for environment in (None, {**os.environ, "PYTHONHASHSEED": "1"}):
        with Engine("last_spike", "--players", "4", env=environment) as engine:
            view = engine.all(*asked)[1]["view"]
            engine.all({"type": "imagine", "view": view, "count": 8, "seed": 3, "at": 20})
            views = [engine.one("view", at=place) for place in range(20, 28)]
            assert all(seen["view"] == view for seen in views)
            others = [engine.one("view", at=place, seat=1)["view"] for place in range(20, 28)]
            assert len({json.dumps(seen) for seen in others}) > 1
            places = list(range(20, 28))
            lines.append(
                [
                    others,
                    engine.one("children", at=places),
                    engine.one("playouts", at=places, count=16, policy="medium", most_moves=6),
                ]
            )
    assert lines[0] == lines[1]


def test_each_invalid_request_gets_its_own_error() -> None:
    with Engine("chicago_express", "--players", "3") as engine:
        assert "no position at 0" in engine.error({"type": "legal"})
        assert "nothing to imagine from" in engine.error({"type": "imagine"})
        engine.one("new")
        engine.send(b"\n \r")  # empty lines are ignored
        forwarded: dict[str, dict[str, Any]] = {
            "update": {"events": []},
            "rejected": {},
            "end": {"scores": []},
            "error": {},
        }
        for kind, fields in forwarded.items():
            assert engine.one(kind, match="m-1", **fields) == {"passed_over": kind}
        good, bad, also_good = engine.ask([{"type": "legal"}, {"type": "play", "moves": [3]}, {"type": "legal"}])
        assert good == also_good
        assert "move 3 is not possible now" in bad["error"]
        action = {"type": "bid", "amount": 100_000}
        for wrong, words in [
            (b"\xff\xfe{}", "malformed"),
            (b"garbage", "malformed"),
            (b"[" * 100, "truncated"),
            (b"[" * 100_000, "nested too deeply"),
            (b"[" * 500_000 + b"]" * 500_000, "nested too deeply"),
            (b'{"type":"request","view":' + b"[" * 500_000 + b"]" * 500_000 + b"}", "nested too deeply"),
            (7, "Expected `object`"),
            ({"type": "fly"}, "Invalid value 'fly' - at `$.type`; there are start, request, new, imagine, legal,"),
            ({"kind": "new"}, "missing required field `type`; there are start, request, new, imagine, legal,"),
            ({"type": "legal", "where": 3}, "unknown field `where`"),
            ({"type": "legal", "at": MOST_POSITIONS}, "<= 9999"),
            ({"type": "legal", "at": -1}, ">= 0"),
            ({"type": "new", "players": 9}, "2 to 6 players, not 9"),
            ({"type": "new", "seed": 10**30}, "seed"),
            ({"type": "play", "moves": [10**30]}, "moves"),
            ({"type": "play", "moves": [1], "action": action}, "not both"),
            ({"type": "play", "action": action}, "above your cash"),
            ({"type": "play", "action": {"type": "fly"}}, "not an action of Chicago Express"),
            ({"type": "undo"}, "there is nothing to undo at 0"),
            ({"type": "new", "options": {"weather": "fine"}}, "no option 'weather'; chicago_express has the options"),
            ({"type": "new", "openings": "book"}, "Invalid enum value 'book' - at `$.openings`"),
            ({"type": "view", "seat": 3}, "no seat 3"),
            ({"type": "playouts", "count": 10**9}, "count"),
            ({"type": "playouts", "count": 90_000, "runs": [[], []]}, "in total"),
            ({"type": "playouts", "policy": "expert"}, "too long"),
            ({"type": "playouts", "policy": "nobody"}, "there is no player 'nobody'"),
            ({"type": "request", "view": None}, "no view"),
            ({"type": "request", "view": {"seat": 1}}, "not a view of Chicago Express"),
            ({"type": "imagine", "count": 1_000, "at": 9_500}, "nothing to imagine from"),
            ({"type": "start", "game": "chess"}, "unknown game 'chess'"),
            ({"type": "start", "game": "last_spike", "board": {"cities": 3}}, "does not describe a board"),
            ([{"type": "legal"}] * (MOST_REQUESTS + 1), "1,001 requests in a line"),
            (b" " * (3 * MAX_LINE), "longer than 1,048,576 bytes"),
        ]:
            assert words in engine.error(wrong), wrong
        assert engine.one("legal") == good, "rejected requests must not change the position"
        many = json.dumps([{"type": "actions", "moves": [1] * 9_900}] * 50, separators=(",", ":")).encode()
        engine.send(many)
        assert engine.process.stdout is not None
        answers = engine.process.stdout.readline()
        assert not answers.startswith(b'[{"error"')
        assert b"send the rest in another line" in answers[-200:]
        assert MOST_ANSWERED < len(answers) < MOST_ANSWERED + MAX_LINE
        code, errors = engine.end()
        assert (code, errors) == (0, "")


def test_views_of_impossible_positions_are_refused() -> None:
    """The engine refuses the view of an impossible position with an error message.

    If it accepted such a view, an auction might never end.
    """
    with Engine("chicago_express", "--players", "3") as engine:
        opening = engine.all({"type": "new"}, {"type": "legal"})[1]["moves"][0]
        view = engine.all({"type": "play", "moves": [opening]}, {"type": "view"})[1]["view"]
        auction, first = view["auction"], view["players"][0]
        cases: list[tuple[dict[str, Any], str]] = [
            ({"auction": {**auction, "leader": 2}}, "seat 1 is not the next to bid after seat 2"),
            ({"auction": {**auction, "is_opening": False}}, "opening auctions come before the first turn"),
            ({"players": [{**first, "cash": 0}, *view["players"][1:]]}, "seat 0 has bid more than it has"),
        ]
        for wrong, words in cases:
            assert words in engine.error({"type": "request", "view": {**view, **wrong}})
        engine.one("request", view=view)
        moves = engine.one("legal")
        rich = [{**player, "cash": 9_000_000} for player in view["players"]]
        engine.one("request", view={**view, "players": rich})
        for asked in ({"type": "legal"}, {"type": "play", "moves": [opening + 5]}):
            assert "moves are possible here, mostly bids; at most 100,000 are listed" in engine.error(asked)
        engine.one("request", view=with_points(view))
        assert engine.one("legal", at=0.0) == moves, "whole numbers may be written as floats"
        assert "Expected `int`, got `float`" in engine.error({"type": "legal", "at": 0.5})
        assert engine.one("play", action={"type": "bid", "amount": float(view["auction"]["minimum"])})["seat"] == 2
    with Engine("last_spike", "--players", "2") as engine:
        view = engine.all({"type": "new"}, {"type": "view"})[1]["view"]
        for seat in (0, 1):
            players = [{**player, "bankrupt": player["seat"] == seat} for player in view["players"]]
            words = "a game continues while two players are solvent"
            assert words in engine.error({"type": "request", "view": {**view, "players": players}})


def test_a_run_must_be_legal_in_at_least_half_of_the_positions() -> None:
    with Engine("last_spike", "--players", "2") as engine:
        for place in range(3):
            engine.one("new", at=place, seed=place // 2)
        hands = [set(engine.one("legal", at=place)["moves"]) for place in range(3)]
        often, rare = min(hands[0] - hands[2]), min(hands[2] - hands[0])
        found = engine.one("children", at=[0, 1, 2], runs=[[often]])
        assert found["runs"] == [[often]]
        assert engine.one("playouts", at=[0, 1, 2], runs=[[often]], count=4)["count"] == 4
        for kind in ("children", "playouts"):
            asked = {"type": kind, "at": [0, 1, 2], "runs": [[rare]], "count": 4}
            if kind == "children":
                del asked["count"]
            assert f"move {rare} is not possible now" in engine.error(asked)


def test_a_time_budget_ends_playouts_and_searches() -> None:
    """Playouts and searches end when their time budget is used up.

    The clock is simulated: it advances by 100 ms each time the engine reads it.
    """
    ticks = count(0, 0.1)
    service = Service(Library("last_spike"), 2, now=lambda: next(ticks))

    def ask(**request: Any) -> Any:
        return json.loads(service.answer_line(json.dumps(request).encode()))

    ask(type="new")
    while len(moves := ask(type="legal")["moves"]) < 2:
        ask(type="play", moves=moves)
    first, second = moves[:2]
    few = ask(type="playouts", runs=[[first], [second]], budget_ms=500)
    assert few["count"] == 5
    assert few == ask(type="playouts", runs=[[first], [second]], count=5), "all runs have the same number of playouts"
    assert ask(type="playouts", count=3, budget_ms=60_000)["count"] == 3
    short, long = ask(type="search", budget_ms=500), ask(type="search", budget_ms=3000)
    assert 0 < sum(short["visits"]) < sum(long["visits"])
    assert ask(type="search", looks=7, budget_ms=60_000) == ask(type="search", looks=7)
    assert "budget_ms" in ask(type="search", budget_ms=0)["error"]
    while ask(type="play", moves=ask(type="legal")["moves"][-1:])["seat"] is not None:
        pass
    assert "the game is over" in ask(type="search")["error"]


@pytest.mark.parametrize("closed", [0, 1])
def test_the_engine_fails_if_a_standard_stream_is_closed(closed: int) -> None:
    done = rails("engine", stdin=DEVNULL, preexec_fn=lambda: os.close(closed))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no standard input or output" in done.stderr


def test_the_number_of_stored_positions_is_limited() -> None:
    with Engine("last_spike", "--players", "2") as engine:
        engine.one("new")
        for first in range(0, MOST_POSITIONS - 1, MOST_REQUESTS):
            places = range(first + 1, min(first + MOST_REQUESTS, MOST_POSITIONS - 1) + 1)
            engine.ask([{"type": "play", "moves": [], "to": place} for place in places])
        assert engine.one("play", moves=[], to=5) == engine.one("play", moves=[], to=6)
        assert "10,000 positions are kept" in engine.error({"type": "play", "moves": []})
        assert engine.one("free", at=list(range(100, 110))) == {"kept": MOST_POSITIONS - 10}
        engine.one("play", moves=[])
        assert engine.one("free") == {"kept": 0}


def test_boards_and_options_are_used_and_invalid_arguments_refused(tmp_path: Path) -> None:
    board = json.loads((ROOT / "rails_cli/games/last_spike/board.json").read_bytes())
    board["starting_cash"]["by_players"]["2"] = 7_000
    file = tmp_path / "board.json"
    file.write_text(json.dumps(board))
    with Engine("last_spike", "--players", "2", "--board", str(file), "--option", "cash=hidden") as engine:
        _, seen = engine.all({"type": "new"}, {"type": "view"})
        assert seen["view"]["options"]["cash"] == "hidden"
        assert seen["view"]["players"][seen["view"]["seat"]]["cash"] == 7_000
    for words, expected_error in [
        (["chess"], "unknown game"),
        (["last_spike", "--players", "9"], "2 to 6 players"),
        (["--players", "3"], "need a GAME"),
        (["last_spike", "--option", "cash=maybe"], "cash is open or hidden"),
    ]:
        done = CliRunner().invoke(main, ["engine", *words], input="")
        assert (done.exit_code, expected_error in done.stderr, done.stdout) == (2, True, "")
    done = CliRunner().invoke(main, ["engine"], input='{"type":"new","players":3}\n')
    assert "forward the `start` message" in json.loads(done.stdout)["error"]


def test_every_request_type_has_an_answer_type() -> None:
    assert {str(kind.__struct_config__.tag) for kind in get_args(EngineRequest)} == set(ANSWER_TO)
    assert {kind.__name__ for kind in ANSWERS} == {*ANSWER_TO.values(), "Refusal"}
