"""Tests of the sentence in which a tournament answers its question (such as which entrant is better), by format."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.games.shared.luck import stream
from rails_cli.tournament.rating.estimates import Estimate
from rails_cli.tournament.rating.standings import make_table
from rails_cli.tournament.schedule.answer import by_rating, open_places, per_cent
from tests.support.plackett_luce_games import as_played, tournament
from tests.support.short_boards import short_board

FIVE = {"ant": "greedy", "bee": "busy", "cow": "random", "dog": "busy", "elk": "random"}
ENTRANTS = [word for name, kind in FIVE.items() for word in ("--entrant", f"{name}=builtin:{kind}")]
GAMES = ["--game", "last_spike", "--players", "3", "--seed", "7", "--workers", "1", "--no-logs", "--quiet"]
SHARE = r"\d+(\.\d)?%"
ENDS = r"\(\d+(\.\d)? to \d+(\.\d)?%\)"


def ran(folder: Path, *words: str) -> Result:
    board = f"games[0].board={short_board('last_spike', folder)}"
    given = [*GAMES, *ENTRANTS, *words, "--set", board, "--output", str(folder / "out")]
    result = CliRunner().invoke(main, ["tournament", "run", *given])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (
            ["--format", "round_robin", "--rounds", "2"],
            rf"ant is best.* it is ahead of \w+ in {SHARE} of their games {ENDS}, 36 distinct games; places.*",
        ),
        (["--format", "swiss", "--rounds", "2"], r"ant has won with .\.\d\d points a round, \w+ has 0.\d\d; 12 dis.*"),
        (
            ["--format", "knockout"],
            r"ant has won the knockout\. By rating, over all games: ant leads, but this is not certain: .*",
        ),
        (
            ["--format", "gauntlet", "--set", 'format.challengers=["ant","bee"]', "--rounds", "3"],
            rf"ant is ahead of its opponents in {SHARE} of all cases {ENDS}, better than the field; bee is .*",
        ),
        (
            ["--format", "duel", "--versions", "bee", "ant", "--rounds", "2"],
            rf"ant beats {SHARE} of its opponents, bee {SHARE}: ant is better by \d+ percentage points \(.*, 72 dis.*",
        ),
    ],
)
def test_each_format_has_its_own_sentence(words: list[str], answer: str, tmp_path: Path) -> None:
    last = ran(tmp_path, *words).stdout.strip().splitlines()[-1]
    assert re.fullmatch(answer, last), last


def test_the_answer_is_part_of_the_json_output(tmp_path: Path) -> None:
    answer = json.loads(ran(tmp_path, "--games", "24", "--json").stdout)["answer"]
    assert answer["text"].startswith("ant leads, but this is not certain: it is ahead of")
    assert (answer["best"], answer["is_sure"], answer["games"], answer["copies"]) == ("ant", False, 24, 0)
    assert answer["open_places"][0][0] == 1


def test_the_answer_after_many_games_names_the_open_places() -> None:
    strengths = {"ant": 2.0, "bee": 0.5, "cow": -0.5, "dog": -0.5, "elk": -2.0}
    table = make_table(as_played(tournament(strengths, 200, 3, stream("answer"))))
    answer = by_rating(table)
    assert answer.best == "ant"
    assert answer.is_sure
    assert answer.open_places == open_places(table.standings) == [(3, 4)]
    assert answer.text.endswith(" distinct games; places 3 to 4 cannot be told apart.")


def test_an_entrant_with_a_single_group_is_mentioned_separately() -> None:
    games = as_played(tournament({"ant": 2.0, "bee": 0.0, "cow": 0.0}, 60, 3, stream("blur")))
    once = msgspec.structs.replace(games[0], group="once", seed=10**6, seating=["ant", "bee", "dog"], ranks=[1, 2, 3])
    answer = by_rating(make_table([*games, once]))
    assert answer.is_sure
    assert answer.text.startswith("ant is best: it is ahead of")
    assert answer.text.endswith("; dog has played too little to tell.")


def test_a_leader_that_was_behind_the_second_is_explained() -> None:
    table = make_table(as_played(tournament({"ant": 0.1, "bee": 0.0, "cow": 0.0}, 20, 3, stream("close"))))
    first, second = (row.name for row in table.standings[:2])
    behind = Estimate(0.33, 0.1, 0.6)
    pairings = [
        msgspec.structs.replace(one, ahead=behind) if (one.first, one.second) == (first, second) else one
        for one in table.pairings
    ]
    words = by_rating(msgspec.structs.replace(table, pairings=pairings)).text
    expected = f"{first} leads with the highest rating, although it was behind {second} in most of their games, but"
    assert words.startswith(f"{expected} this is not certain: it is ahead of {second} in 33%")


def test_the_answer_without_games_says_so() -> None:
    assert by_rating(make_table([])).text == "No game that counts has been finished."


def test_shares_near_0_and_1_are_not_rounded_to_0_and_100_percent() -> None:
    assert [per_cent(share) for share in (0, 0.001, 0.5, 0.999, 1)] == [
        "0",
        "0.1",  # timing: a percentage
        "50",
        "99.9",
        "100",
    ]  # timing: no time
