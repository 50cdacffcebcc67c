"""What answers would bring: told without playing them, true as far as it goes, and nothing of what is hidden."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from rails_cli.games import GAME_NAMES
from rails_cli.match.match import Match
from rails_cli.players.chance import choose_busy
from rails_cli.protocol.last_spike import Options
from rails_cli.protocol.lobby import Suppose
from rails_cli.server.lookahead import STEPS_IN_ALL, supposed
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


def told(match: Match, lines: list[list[Any]]) -> list[Json]:
    """The results for the seat that is asked, as they are written."""
    assert match.seat is not None
    answer = supposed(match, match.seat, Suppose(1, msgspec.to_builtins(lines)))
    results: list[Json] = msgspec.json.decode(msgspec.json.encode(answer))["results"]
    return results


def plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


# True


@pytest.mark.parametrize("name", GAME_NAMES)
def test_what_is_supposed_comes_true(name: str) -> None:
    """Every legal answer is supposed; of the one that is played, all that was told is what happens."""
    views = 0
    for seed in range(2 if name == "last_spike" else 1):
        match, chance = new_match(name, 3, seed), Chance(seed)
        while match.seat is not None:
            seat, before = match.seat, len(match.history)
            state = match.game.dump(match.state)
            results = told(match, [[action_of(entry)] for entry in match.legal])
            assert match.game.dump(match.state) == state
            assert not [result["error"] for result in results if result["error"]]
            chosen = chance.below(len(match.legal))
            match.submit(seat, action_of(match.legal[chosen]))
            result, happened = results[chosen], plain(match.events_for(seat, before))
            if result["view"] is None:
                assert result["legal"] == []
                assert result["events"] == happened[: len(result["events"])]
                assert match.game.has_secrets
            else:
                views += 1
                assert result["events"] == happened
                assert result["view"] == plain(match.view_for(seat))
                assert result["legal"] == plain(match.legal)
    assert views > 20


@pytest.mark.parametrize("name", ["chicago_express", "american_rails"])
def test_a_line_goes_on_with_the_answers_of_others(name: str) -> None:
    match, chance = new_match(name, 3, 5), Chance(5)
    assert match.seat is not None
    line: list[Any] = []
    seat, before = match.seat, len(match.history)
    twin = new_match(name, 3, 5)
    while len(line) < 30:
        line.append(action_of(chance.pick(match.legal)))
        match.play(line[-1])
    (result,) = told(twin, [line])
    assert result["error"] is None
    assert result["events"] == plain(match.events_for(seat, before))
    assert result["view"] == plain(match.view_for(seat))
    assert result["legal"] == plain(match.legal)


def test_steps_that_cannot_follow() -> None:
    match = new_match("chicago_express", 3, 1)
    bid, rest = {"type": "bid", "amount": 7}, {"type": "pass"}
    good, low, unknown, shapeless = told(match, [[], [bid, rest, bid], [bid, {"type": "jump"}], [7]])
    assert good == {"events": [], "view": plain(match.view_for(0)), "legal": plain(match.legal), "error": None}
    assert low["error"] == "step 3: bid 7 is below the minimum 8"
    assert low["view"] is None
    assert low["events"] == low["legal"] == []
    assert unknown["error"].startswith("step 2: no action: ")
    assert shapeless["error"].startswith("step 1: no action: ")


def test_nothing_follows_what_cannot_be_foreseen() -> None:
    match = new_match("last_spike", 2, 7)
    lines = [[action_of(entry)] for entry in match.legal]
    ends = [line for line, result in zip(lines, told(match, lines), strict=True) if result["view"] is None]
    assert ends
    errors = {result["error"] for result in told(match, [[*line, *line] for line in ends])}
    assert errors == {"step 2: nobody can know what will be asked then"}


def test_nothing_follows_the_end() -> None:
    ended = new_match("american_rails", 3, 2)
    line = []
    copy = new_match("american_rails", 3, 2)
    chance = Chance(9)
    while copy.seat is not None:
        line.append(action_of(choose_busy(copy.legal, lambda: chance.below(1000) / 1000)))
        copy.play(line[-1])
    for action in line[:-20]:
        ended.play(action)
    (result,) = told(ended, [line[-20:]])
    assert result["view"]["has_ended"] is True
    assert result["legal"] == []
    (result,) = told(ended, [[*line[-20:], line[-1]]])
    assert result["error"] == "step 21: the game has ended by then"


# Nothing of what is hidden

SETTINGS = [
    (players, spread, cash)
    for players, (spread, cash) in zip(
        itertools.cycle((2, 3, 4)),
        itertools.product(*(get_args(option.type) for option in msgspec.structs.fields(Options)[:2])),
        strict=False,
    )
]
"""Each choice of options once, and each number of players."""


def lines_from(match: Match, chance: Chance) -> list[list[Any]]:
    """Every answer, and some that go on: with what could be answered then, and with what could be answered before."""
    lines = [[action_of(entry)] for entry in match.legal]
    for line, result in list(zip(lines, told(match, lines), strict=True)):
        later = [action_of(msgspec.convert(entry, match.game.entry_type)) for entry in result["legal"]]
        lines += [[*line, action] for action in later]
        lines.append([*line, chance.pick(lines)[0]])
    return lines


def differences(match: Match, chance: Chance, *, hides_cash: bool) -> tuple[int, int]:
    """How many lines were compared in one game, and how many of them told something of what is hidden."""
    compared = differing = 0
    while match.seat is not None:
        twins = differing_in_secrets(match, chance, hides_cash=hides_cash)
        real = match.state
        lines = lines_from(match, chance)
        results = []
        for match.state in twins:
            results.append(told(match, lines))
        match.state = real
        compared += len(lines)
        differing += sum(one != other for one, other in zip(*results, strict=True))
        match.play(action_of(chance.pick(match.legal)))
    return compared, differing


@pytest.mark.parametrize(("players", "spread", "cash"), SETTINGS)
def test_nothing_hidden_is_told(players: int, spread: str, cash: str) -> None:
    match = new_match("last_spike", players, players, non_adjacent=spread, cash=cash)
    compared, differing = differences(match, Chance(players), hides_cash=cash == "hidden")
    assert compared > 50
    assert differing == 0


def test_the_proof_above_would_see_a_leak() -> None:
    """Where the game denies its secrets, the same comparison finds them."""
    match = new_match("last_spike", 3, 0, cash="hidden")
    match.game = replace(match.game, has_secrets=False)
    assert differences(match, Chance(0), hides_cash=True)[1] > 0


@pytest.mark.parametrize("name", ["chicago_express", "american_rails"])
def test_the_seed_makes_no_difference(name: str) -> None:
    one = new_match(name, 3, 1)
    twin = next(match for seed in range(2, 500) if (match := new_match(name, 3, seed)).history == one.history)
    chance = Chance(4)
    while one.seat is not None and one.number < 40:
        lines = lines_from(one, chance) if chance.below(12) == 0 else [[]]
        assert told(one, lines) == told(twin, lines)
        action = action_of(chance.pick(one.legal))
        one.play(action)
        twin.play(action)


# Over the wire


def test_supposing_at_a_table(server: ServerProcess, client: Client) -> None:
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


def test_supposing_out_of_turn(server: ServerProcess) -> None:
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


def test_supposing_is_not_for_nothing(tmp_path: Path) -> None:
    """Who asks for more than his share is told so, keeps his seat, and can still answer."""
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
