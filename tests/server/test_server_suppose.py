"""Tests of the `suppose` request, with which the server predicts the results of possible answers.

The server plays none of these answers and reveals nothing hidden.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from rails_cli.games import game_names
from rails_cli.match.match import Match
from rails_cli.players.chance import choose_busy
from rails_cli.protocol.last_spike import Options
from rails_cli.protocol.lobby import Suppose
from rails_cli.server.tables.lookahead import STEPS_IN_ALL, supposed
from tests.support.matches import Chance, action_of, differing_in_secrets, new_match
from tests.support.ws_client import (
    Client,
    ClockedServer,
    Json,
    ServerProcess,
    clients,
    create,
    duel,
    play_to_end,
    table_of,
    verified,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("server") / "data", "--max-tables-each", "100") as running:
        yield running


@pytest.fixture
def client(server: ServerProcess) -> Iterator[Client]:
    with Client(server.url) as opened:
        yield opened


def predictions(match: Match, lines: list[list[Any]]) -> list[Json]:
    """Return the server's prediction for each sequence of answers in `lines`, as decoded JSON.

    All answers are those of the seat to move.
    """
    assert match.seat is not None
    answer = supposed(match, match.seat, Suppose(1, msgspec.to_builtins(lines)))
    results: list[Json] = msgspec.json.decode(msgspec.json.encode(answer))["results"]
    return results


def as_json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


# Predictions are correct


@pytest.mark.parametrize("name", game_names())
def test_predictions_equal_what_happens(name: str) -> None:
    """The predicted result of an answer is the result that follows when the answer is played.

    At each decision the results of all legal answers are predicted, and one answer is played. After 40 decisions whose
    results can be known, the game is not continued.
    """
    views = 0
    for seed in range(2 if name == "last_spike" else 1):
        match, chance = new_match(name, 3, seed), Chance(seed)
        while match.seat is not None and views < 40:
            seat, before = match.seat, len(match.history)
            state = match.game.dump(match.state)
            results = predictions(match, [[action_of(entry)] for entry in match.legal])
            assert match.game.dump(match.state) == state
            assert not [result["error"] for result in results if result["error"]]
            chosen = chance.below(len(match.legal))
            match.submit(seat, action_of(match.legal[chosen]))
            result, happened = results[chosen], as_json(match.events_for(seat, before))
            if result["view"] is None:
                assert result["legal"] == []
                assert result["events"] == happened[: len(result["events"])]
                assert match.game.has_secrets
            else:
                views += 1
                assert result["events"] == happened
                assert result["view"] == as_json(match.view_for(seat))
                assert result["legal"] == as_json(match.legal)
    assert views > 20


@pytest.mark.parametrize("name", ["chicago_express", "american_rails"])
def test_a_line_may_include_answers_of_other_seats(name: str) -> None:
    match, chance = new_match(name, 3, 5), Chance(5)
    assert match.seat is not None
    line: list[Any] = []
    seat, before = match.seat, len(match.history)
    twin = new_match(name, 3, 5)
    while len(line) < 30:
        line.append(action_of(chance.pick(match.legal)))
        match.play(line[-1])
    (result,) = predictions(twin, [line])
    assert result["error"] is None
    assert result["events"] == as_json(match.events_for(seat, before))
    assert result["view"] == as_json(match.view_for(seat))
    assert result["legal"] == as_json(match.legal)


def test_illegal_steps_in_a_line_are_reported() -> None:
    match = new_match("chicago_express", 3, 1)
    bid, rest = {"type": "bid", "amount": 7}, {"type": "pass"}
    good, low, unknown, shapeless = predictions(match, [[], [bid, rest, bid], [bid, {"type": "jump"}], [7]])
    assert good == {"events": [], "view": as_json(match.view_for(0)), "legal": as_json(match.legal), "error": None}
    assert low["error"] == "step 3: bid 7 is below the minimum 8"
    assert low["view"] is None
    assert low["events"] == low["legal"] == []
    assert unknown["error"].startswith("step 2: no action: ")
    assert shapeless["error"].startswith("step 1: no action: ")


def test_a_line_cannot_continue_after_a_random_event() -> None:
    match = new_match("last_spike", 2, 7)
    lines = [[action_of(entry)] for entry in match.legal]
    ends = [line for line, result in zip(lines, predictions(match, lines), strict=True) if result["view"] is None]
    assert ends
    errors = {result["error"] for result in predictions(match, [[*line, *line] for line in ends])}
    assert errors == {"step 2: nobody can know what will be asked then"}


def test_a_line_cannot_continue_after_the_end_of_the_game() -> None:
    ended = new_match("american_rails", 3, 2)
    line = []
    copy = new_match("american_rails", 3, 2)
    chance = Chance(9)
    while copy.seat is not None:
        line.append(action_of(choose_busy(copy.legal, lambda: chance.below(1000) / 1000)))
        copy.play(line[-1])
    for action in line[:-20]:
        ended.play(action)
    (result,) = predictions(ended, [line[-20:]])
    assert result["view"]["has_ended"] is True
    assert result["legal"] == []
    (result,) = predictions(ended, [[*line[-20:], line[-1]]])
    assert result["error"] == "step 21: the game has ended by then"


# Hidden information

SETTINGS = [
    (players, spread, cash)
    for players, (spread, cash) in zip(
        itertools.cycle((2, 3, 4)),
        itertools.product(*(get_args(option.type) for option in msgspec.structs.fields(Options)[:2])),
        strict=False,
    )
]
"""Every combination of the options `non_adjacent` and `cash` of The Last Spike, each with one number of players.

An element holds the number of players and the two options.
"""


def lines_from(match: Match, chance: Chance) -> list[list[Any]]:
    """Return sequences of answers whose results the server is asked to predict in the position of `match`.

    For each legal answer there are these sequences:

    - the answer alone.
    - the answer, and then each answer that is legal after it.
    - the answer, and then a random answer that is legal now and may be illegal after the first one.
    """
    lines = [[action_of(entry)] for entry in match.legal]
    for line, result in list(zip(lines, predictions(match, lines), strict=True)):
        later = [action_of(msgspec.convert(entry, match.game.entry_type)) for entry in result["legal"]]
        lines += [[*line, action] for action in later]
        lines.append([*line, chance.pick(lines)[0]])
    return lines


def differences(match: Match, chance: Chance, *, hides_cash: bool) -> tuple[int, int]:
    """Play a game. At every second move, compare predictions in two positions that the seat to move cannot tell apart.

    The positions differ in the pieces that this seat cannot see and, with `hides_cash`, in the cash of other seats.
    Return the number of compared pairs of predictions, and the number of pairs that differ.
    """
    compared = differing = 0
    while match.seat is not None:
        if match.number % 2 == 0:
            twins = differing_in_secrets(match, chance, hides_cash=hides_cash)
            real = match.state
            lines = lines_from(match, chance)
            results = []
            for match.state in twins:
                results.append(predictions(match, lines))
            match.state = real
            compared += len(lines)
            differing += sum(one != other for one, other in zip(*results, strict=True))
        match.play(action_of(chance.pick(match.legal)))
    return compared, differing


@pytest.mark.parametrize(("players", "spread", "cash"), SETTINGS)
def test_predictions_do_not_depend_on_hidden_information(players: int, spread: str, cash: str) -> None:
    match = new_match("last_spike", players, players, non_adjacent=spread, cash=cash)
    compared, differing = differences(match, Chance(players), hides_cash=cash == "hidden")
    assert compared > 50
    assert differing == 0


def test_the_comparison_of_predictions_detects_a_leak() -> None:
    """The function `differences` finds a leak if there is one.

    For this test, `has_secrets` is set to False although the game has secrets. The predictions then reveal hidden
    information.
    """
    match = new_match("last_spike", 3, 0, cash="hidden")
    match.game = replace(match.game, has_secrets=False)
    assert differences(match, Chance(0), hides_cash=True)[1] > 0


@pytest.mark.parametrize("name", ["chicago_express", "american_rails"])
def test_predictions_do_not_depend_on_the_seed(name: str) -> None:
    one = new_match(name, 3, 1)
    twin = next(match for seed in range(2, 500) if (match := new_match(name, 3, seed)).history == one.history)
    chance = Chance(4)
    while one.seat is not None and one.number < 40:
        lines = lines_from(one, chance) if chance.below(12) == 0 else [[]]
        assert predictions(one, lines) == predictions(twin, lines)
        action = action_of(chance.pick(one.legal))
        one.play(action)
        twin.play(action)


# Requests to a server


def test_suppose_requests_do_not_change_a_game(server: ServerProcess, client: Client) -> None:
    table = table_of(create(client, "chicago_express", 3, seats=[None, "builtin:greedy", "builtin:busy"]))
    client.asked(type="sit", table=table)
    asked = 0
    while (message := client.open or client.until("request", "end"))["type"] == "request":
        lines = [[{"type": "pass"}], *([entry] for entry in message["legal"] if entry["type"] != "bid")][:20]
        answer = client.asked(type="suppose", number=message["number"], lines=lines)
        assert answer["number"] == message["number"]
        assert len(answer["results"]) == len(lines)
        assert client.open is message
        asked += 1
        client.answer(message)
    assert asked > 5
    assert verified(server.log(table))
    assert server.faults(table) == []


def test_suppose_requests_out_of_turn_or_too_large_are_refused(server: ServerProcess) -> None:
    with clients(server.url, 3) as (first, second, stranger):
        table = table_of(create(first, "chicago_express", 2 + 1, seats=[None, None, "builtin:busy"]))
        for player in (first, second):
            player.asked(type="sit", table=table)
        request = first.until("request")
        number = request["number"]
        empty: list[list[Any]] = [[]]
        assert stranger.refused(type="suppose", number=number, lines=empty) == "not_your_turn"
        assert second.refused(type="suppose", number=number, lines=empty) == "not_your_turn"
        assert first.refused(type="suppose", number=number + 1, lines=empty) == "stale_request"
        assert first.refused(type="suppose", number=number - 1, lines=empty) == "stale_request"
        assert first.refused(type="suppose", number=number, lines=[[]] * 101) == "bad_request"
        assert first.refused(type="suppose", number=number, lines=[[{}] * 31]) == "bad_request"
        assert (
            first.refused(type="suppose", number=number, lines=[[{}] * 25] * (STEPS_IN_ALL // 25 + 1)) == "bad_request"
        )
        nonsense = first.asked(type="suppose", number=number, lines=[[None], [{"type": "bid", "amount": "x"}]])
        assert all(result["error"].startswith("step 1: no action") for result in nonsense["results"])
        first.answer(request)
        second.until("request")
        assert first.refused(type="suppose", number=number, lines=empty) == "not_your_turn"
    assert server.faults(table) == []


def test_suppose_requests_are_rate_limited(tmp_path: Path) -> None:
    """A client that sends too many `suppose` requests gets an error. The client keeps its seat and can still answer."""
    with ClockedServer(tmp_path / "data", "--requests-per-second", "10") as server, Client(server.url) as client:
        table, _ = duel(server, client)
        request = client.until("request")
        line = [{"type": "play", "piece": "no such piece"}]
        codes = set()
        for _ in range(60):
            answer = client.ask(type="suppose", number=request["number"], lines=[line] * 100)
            codes.add(answer.get("code", answer["type"]))
        assert codes == {"supposed", "too_fast"}
        assert play_to_end(client)["reason"] == "normal"
        assert server.faults(table) == []
