"""Tests of `rails-cli bench-agent`, which rates a bot against built-in players with fixed ratings."""

import json
import math
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.games.game import digest
from rails_cli.games.openings import drawn_opening
from rails_cli.games.shared.luck import stream
from rails_cli.tournament.benchmark.definition import AGENT, levels, openings
from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.plan.openings import is_luckless, table_of
from rails_cli.tournament.rating.anchored import anchored_rating
from rails_cli.tournament.rating.rating_types import ELO
from rails_cli.tournament.results.group_results import reported_tokens
from rails_cli.tournament.schedule.formats.benchmark import Benchmark
from tests.support.tools import ROOT, rails
from tests.support.tournaments import ran
from tests.support.transcripts import PYTHON_FIRST

BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "request":
        answer = {"type": "action", "number": message["number"], "choice": message["default"], "info": {"tokens": 10}}
        print(json.dumps(answer), flush=True)
"""
TITLES = {"Chicago Express": "chicago_express", "American Rails": "american_rails", "The Last Spike": "last_spike"}
NAMES = {"expert": "search@~1s", "expert-0.1s": "search@~0.1s"}
CHEAP = [word for name in ("random", "busy", "medium") for word in ("--opponent", name)]


def bench(folder: Path, *words: str) -> Result:
    """Run `bench-agent` with matches of The Last Spike in this process. Store the results in `folder`.

    `words` are further arguments. Return the result of the command.
    """
    usual = ("--game", "spike", *CHEAP, "--workers", "1", "--quiet", "--name", "cautious", "--output", str(folder))
    return CliRunner().invoke(main, ["bench-agent", *usual, *words])


def without_times(result: Any) -> Any:
    """Return the decoded JSON `result` without the time per answer and the reason for the end."""
    if isinstance(result, dict):
        left_out = ("ms_per_answer", "ending")
        return {key: without_times(value) for key, value in result.items() if key not in left_out}
    return result


def test_a_benchmark_counts_tokens_and_resumes_with_a_larger_budget(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    command = ("--", sys.executable, "-S", str(bot))
    whole = bench(tmp_path / "whole", "--games", "14", "--json", *command)
    assert whole.exit_code == 0, whole.stderr
    result = json.loads(whole.stdout)
    found = result["results"]["last_spike"]
    assert (result["games"], found["games"], result["faults"]) == (14, 14, {})
    assert result["cost"]["tokens"] == 10 * result["cost"]["answers"] > 1000
    assert found["low"] < found["rating"] < found["high"]
    assert not found["is_known"]
    assert found["better_than"] + found["equal_to"] + found["worse_than"] == list(found["levels"])
    assert [one["groups"] for one in found["by_players"].values()] == [2, 2]
    stopped = bench(tmp_path / "parts", "--games", "14", "--tokens", "5", "--json", *command)
    part = json.loads(stopped.stdout)
    assert part["games"] == 3
    assert "tokens are used" in part["ending"]
    resumed = bench(tmp_path / "parts", "--games", "14", *command)
    assert "not known to plus or minus 50 yet: The Last Spike" in resumed.stdout
    again = json.loads((tmp_path / "parts" / "benchmark.json").read_bytes())
    assert without_times(again) == without_times(result), "the games depend on the agent and the openings only"
    page = (tmp_path / "parts" / "benchmark.html").read_text()
    for words in ("cautious", "Place among the levels", "Tokens per answer", "The Last Spike", found["title"]):
        assert words in page
    other = bench(tmp_path / "parts", "--games", "14", "--half-width", "90", *command)
    assert (other.exit_code, "half_width was 50" in other.stderr) == (1, True)
    other = bench(tmp_path / "parts", "--game", "american_rails", *command)
    assert (other.exit_code, "format.seeds has changed" in other.stderr) == (1, True)
    assert max(map(len, other.stderr.splitlines())) < 200


def test_a_client_of_the_model_context_protocol_is_rated(tmp_path: Path) -> None:
    """`bench-agent` rates the bundled MCP client, which plays only by calling MCP tools.

    The client plays three games without a fault. The games have the same opening and rotated seats.
    """
    if find_spec("mcp") is None:
        pytest.skip("the package mcp is not installed")
    client = ("rails-cli", "mcp", "--", sys.executable, str(ROOT / "bots" / "mcp_client" / "agent.py"))
    usual = ("--game", "spike", *CHEAP, "--workers", "1", "--games", "3", "--output", str(tmp_path / "results"))
    done = rails("bench-agent", *usual, "--json", "--", *client, cwd=tmp_path, env=PYTHON_FIRST)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    found = result["results"]["last_spike"]
    assert (found["games"], found["faults"], result["faults"]) == (3, 0, {})
    assert found["better_than"] + found["equal_to"] + found["worse_than"] == list(found["levels"])
    assert result["cost"]["answers"] > 30
    assert result["cost"]["ms_per_answer"] > 0


def test_a_client_without_a_seat_is_reported() -> None:
    done = rails("mcp", "--", "true", input='{"type":"hello"}\n{"type":"start"}\n')
    assert done.returncode == 1
    assert "the client has ended without taking its seat" in done.stderr
    lost = CliRunner().invoke(main, ["mcp", "--seat", __file__])
    assert (lost.exit_code, "there is no seat at" in lost.stderr) == (2, True)


HOSTILE = {
    "ends at once": "",
    "is silent": "import sys; sys.stdin.read()",
}


@pytest.mark.parametrize("program", HOSTILE.values(), ids=HOSTILE)
def test_an_agent_that_always_fails_is_suspended(program: str, tmp_path: Path) -> None:
    """An agent that fails in all its games is suspended and gets no rating.

    The actions of the substitutes are not answers of the agent, and games without the agent do not count.
    """
    command = (sys.executable, "-S", "-c", program)
    clock = "0.1/move"  # timing: no agent ever answers, so the games are the same with any clock
    done = bench(tmp_path / "results", "--clock", clock, "--start-up", "0", "--", *command)
    assert done.exit_code == 1
    assert "agent is suspended" in done.stderr
    assert "Traceback" not in done.stderr
    result = json.loads((tmp_path / "results" / "benchmark.json").read_bytes())
    assert "the bot is suspended" in result["ending"]
    found = result["results"]["last_spike"]
    assert (result["games"], found["lost_seats"], found["rating"], result["cost"]["answers"]) == (3, 3, None, 0)
    assert "like" not in done.stdout, "the place of the agent is unknown"
    assert "answers:" not in ran("audit", str(tmp_path / "results")).stdout


def test_a_game_with_an_agent_that_never_answers_is_stopped_when_the_time_is_up(tmp_path: Path) -> None:
    """A game with an agent that never answers is stopped when the time of the benchmark is up.

    The clock of the agent would not end the game early. It allows 120 s for each move, so the agent would lose the game
    only after six minutes.
    """
    starts = tmp_path / "starts"
    starts.touch()
    program = f"import sys; open({str(starts)!r}, 'a').write('x'); sys.stdin.read()"
    silent = (sys.executable, "-S", "-c", program)
    done = bench(tmp_path / "results", "--seconds", "1", "--json", "--", *silent)
    assert done.exit_code == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["games"], result["results"], result["faults"]) == (0, {}, {})
    assert "the time was up before the games of one opening ended" in result["ending"]
    before = starts.read_text()
    done = bench(tmp_path / "results", "--seconds", "1", "--", *silent)
    assert (done.exit_code, "95% interval" in done.stdout) == (0, False)
    assert starts.read_text() == before, "the time of the stopped game counts, so the second run plays no game"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no bot given"),
        (("--hours", "1", "--seconds", "1", "--", "true"), "give one of them"),
        (("--opponent", "easy", "--", "true"), "needs three opponents"),
        (("--clock", "none", "--", "true"), "a limit is needed"),
        (("--", "builtin:nobody"), "nobody"),
        (("--game", "chess", "--", "true"), "chess"),
        (("--", "no-such-program"), "no program 'no-such-program'"),
    ],
)
def test_wrong_usage_is_explained(words: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(main, ["bench-agent", *words])
    assert result.exit_code == 2
    assert told in result.stderr


# The rating


def simulated(group: SeedGroup, ratings: dict[str, float]) -> list[PlayedGame]:
    """Return games with random ranks that follow the model of the ratings, for all seatings of `group`."""
    games = []
    for number, seating in enumerate(group.seatings):
        chance = stream(f"{group.seed}/{number}/{ratings[AGENT]}")
        times = {name: -math.log(1 - chance()) / math.exp(ratings[name] / ELO) for name in seating}
        order = sorted(times, key=lambda name: times[name])
        ranks = [order.index(name) + 1 for name in seating]
        nothing = [0] * len(seating)
        played = (group.id, number, group.setting, group.seed, seating, nothing, ranks, "normal", nothing, False)
        games.append(PlayedGame(*played, nothing, 1))
    return games


def benchmark_of(game: str, half_width: float = 50.0) -> Benchmark:
    names = [f"{game}/{players}" for players in (3, 4)]
    return Benchmark(
        entrants=(AGENT, *levels().opponents),
        settings=tuple(Setting(game, players) for players in (3, 4)),
        seed=1,
        agent=AGENT,
        seeds={name: tuple(seed for seed, _ in openings().settings[name]) for name in names},
        ratings={name: levels().ratings[name] for name in names},
        slow=levels().slow,
        half_width=half_width,
    )


def test_ratings_of_simulated_agents_are_found_with_the_promised_precision() -> None:
    """Ratings have the promised precision after about 110 games.

    Two agents with known ratings are simulated. The 95% interval of each must contain the true rating.
    """
    form = benchmark_of("chicago_express")
    for true in (-400.0, 350.0):
        played: dict[str, list[PlayedGame]] = {}
        while groups := list(form.groups(played)):
            for group in groups:
                ratings = {**form.ratings[f"chicago_express/{group.setting.players}"], AGENT: true}
                played[group.id] = simulated(group, ratings)
        games = [game for group in played.values() for game in group]
        found = form.rating_in("chicago_express", games)
        assert found.is_known
        assert found.mean is not None
        assert found.mean.half_width <= 50
        assert 80 <= len(games) <= 200
        assert found.mean.low <= true <= found.mean.high


def test_opponents_are_near_in_rating_and_slow_ones_are_avoided() -> None:
    form = benchmark_of("chicago_express")
    first = {group.setting.players: set(group.seatings[0]) - {AGENT} for group in form.groups({})}
    assert first == {3: {"easy", "medium"}, 4: {"easy", "medium", "hard"}}
    played = {}
    for group in form.groups({}):
        strong = {**form.ratings[f"chicago_express/{group.setting.players}"], AGENT: 5000.0}
        played[group.id] = simulated(group, strong)
    second = {group.setting.players: set(group.seatings[0]) - {AGENT} for group in form.groups(played)}
    assert "expert" in second[3]


def test_a_tie_counts_half() -> None:
    setting, nothing = Setting("toy", 3), [0, 0, 0]

    def rated(*all_ranks: list[int]) -> float:
        games = [
            PlayedGame(f"{n}", 0, setting, n, [AGENT, "a", "b"], nothing, ranks, "normal", nothing, False, nothing, 1)
            for n, ranks in enumerate(all_ranks)
        ]
        found = anchored_rating(games, AGENT, {"a": 0.0, "b": 0.0})
        assert found is not None
        return found.rating

    assert rated([1, 1, 3], [1, 1, 3]) == pytest.approx(rated([1, 2, 3], [2, 1, 3]))
    assert rated([2, 1, 3]) < rated([1, 1, 3]) < rated([1, 2, 3])
    assert anchored_rating([], AGENT, {}) is None


# The published data


def test_the_published_openings_have_not_changed() -> None:
    """The positions after the published openings are the same as at the time of publication.

    A change of players or rules that alters an opening needs a new version of the openings.
    """
    for name, rounds in openings().settings.items():
        game, players = name.split("/")
        table = table_of(Setting(game, int(players)), {})
        assert len({seed for seed, _ in rounds}) == len(rounds) == 100
        for seed, mark in rounds[:2]:
            state = table.game.setup(table.board, table.players, table.options, seed, None)
            if is_luckless(table):
                opening = drawn_opening(table.game, table.board, table.players, table.options, seed)
                assert opening is not None
                for action in opening.actions:
                    table.game.apply(state, table.board, action, None)
            assert digest(table.game, state) == mark, (name, seed)


def test_the_ratings_of_the_levels_are_those_of_the_ladder() -> None:
    rows = [
        [cell.strip().strip("`") for cell in line.split("|")[1:-1]]
        for line in (ROOT / "docs/PLAYERS.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    heads = next(row for row in rows if row[0] == "game, players")
    table = {row[0]: dict(zip(heads, row, strict=True)) for row in rows if len(row) == len(heads)}
    for name, ratings in levels().ratings.items():
        game, players = name.split("/")
        (title,) = [title for title, known in TITLES.items() if known == game]
        for level, rating in ratings.items():
            if level != "medium":
                cell = table[f"{title}, {players}"][NAMES.get(level, level)]
                found = re.match(r"[+−][0-9]+", cell)
                assert found is not None
                assert int(found[0].replace("−", "-")) == rating, (name, level)
    assert list(levels().opponents)[-1] == levels().levels[-1] == "expert"


@pytest.mark.parametrize(
    ("info", "tokens"),
    [
        ({"tokens": 12}, 12),
        (msgspec.Raw(b'{"tokens":7}'), 7),
        (msgspec.Raw(b'{"tokens":1000000000}'), 1_000_000_000),
        (msgspec.Raw(b'{"tokens":1000000001}'), None),
        (msgspec.Raw(b'{"tokens":1%s}' % (b"0" * 5_000)), None),
        (msgspec.Raw(b'{"tokens":"7"}'), None),
        (msgspec.Raw(b"[]"), 0),
        (msgspec.Raw(b'{"note":"tokens"}'), 0),
        ({"tokens": 10**4_000}, None),
        ({"tokens": -1}, None),
        ({"tokens": True}, None),
        ({"tokens": 1.5}, None),
        ({"note": 1}, 0),
        ([1], 0),
        ("tokens", 0),
        (None, 0),
    ],
)
def test_tokens_are_whole_numbers_in_info(info: Any, tokens: int | None) -> None:
    assert reported_tokens(info) == tokens


def test_reports_of_tokens_that_are_not_whole_numbers_are_counted(tmp_path: Path) -> None:
    bot, folder = tmp_path / "bot.py", tmp_path / "found"
    bot.write_text(BOT.replace('"tokens": 10', '"tokens": "10"'))
    done = bench(folder, "--games", "3", "--tokens", "5", "--", sys.executable, "-S", str(bot))
    cost = json.loads((folder / "benchmark.json").read_bytes())["cost"]
    assert (cost["tokens"], cost["bad_reports"]) == (None, cost["answers"])
    words = f"{cost['answers']} of {cost['answers']} answers reported tokens that are not a whole number"
    assert f"warning: {words}" in done.stderr
    assert words in (folder / "benchmark.html").read_text()
    ran("audit", str(folder))
