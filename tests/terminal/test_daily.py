"""Tests of `rails-cli daily`: a game of the day with the same seed for everyone, and a text to share its result."""

import json
import re
from datetime import date, timedelta
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.games import BUILT_IN_NAMES
from rails_cli.logs.log_file import LogFile
from rails_cli.match.session import MatchPolicy
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.log import PlayerLine
from rails_cli.referee.single import Referee
from rails_cli.study import daily
from rails_cli.study.daily import DailyResult, deal_of, mark_of, match_of
from tests.support.person import by_lines, games_in

DAY = "2026-03-02"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["daily", "--date", DAY, "--game", "last_spike", *words])


def test_a_day_has_one_deal_for_everyone_and_the_games_take_turns() -> None:
    first = date.fromisoformat(DAY)
    days = [first + timedelta(days=number) for number in range(30)]
    deals = [deal_of(day) for day in days]
    assert deals == [deal_of(day) for day in days]
    assert {deal.game for deal in deals[:3]} == set(BUILT_IN_NAMES)
    assert len({deal.seed for deal in deals}) == len(deals)
    assert {deal.seat for deal in deals} == {0, 1, 2}
    assert deal_of(first, "last_spike").seed == "392aa51102346bf0dd948777c4780b11", "deals of past days must not change"


def test_only_the_first_attempt_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attempt at the game of the day is official, even if the person leaves and resumes the game.

    In this test, built-in players finish the game. A second attempt is saved under another name.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(daily, "LOOKS", 1)
    words = ("daily", "--date", DAY, "--game", "last_spike", "--fast")
    left = by_lines(tmp_path, *words, "--name", "Anna", typed="quit\n")
    assert left.returncode == 0, left.stderr
    (file,) = games_in(tmp_path)
    assert file.stem == f"daily-{DAY}-last_spike"
    assert f"rails-cli play --resume {file.stem}" in left.stdout
    listed = CliRunner().invoke(main, ["games", "--saved"]).stdout
    assert f"The Last Spike (deal of {DAY}); " in " ".join(listed.split())
    unfinished = run("--json")
    assert (unfinished.exit_code, "have not finished" in unfinished.stderr) == (1, True)
    assert "resumed after action" in by_lines(tmp_path, *words, typed="quit\n").stderr

    header = json.loads(file.read_bytes().splitlines()[0])
    players = [PlayerLine(player["name"], player["seat"]) for player in header["players"]]
    match = match_of(deal_of(date.fromisoformat(DAY), "last_spike"), players)
    file.unlink()
    log = LogFile(file)
    log.write_all([match.header, match.setup_line])
    sitting = [builtin_player("greedy", "last_spike", 1, seat) for seat in range(3)]
    result = Referee(match, sitting, MatchPolicy(None), write=log.write).play()
    log.close()
    shown = run("--json")
    assert shown.exit_code == 0, shown.output
    got = json.loads(shown.stdout)
    seat = next(seat for seat, player in enumerate(players) if player.seat == "person")
    assert (got["place"], got["score"], got["is_official"]) == (result.ranks[seat], result.scores[seat], True)
    assert got["margin"] == result.scores[seat] - max(score for at, score in enumerate(result.scores) if at != seat)
    assert set(got["quality"]) <= set(daily.SIGNS)
    assert len(got["quality"]) > 8
    (stored,) = (tmp_path / "rails-cli" / "daily").iterdir()
    stored.write_bytes(msgspec.json.encode(got | {"score": 1}))
    assert json.loads(run("--json").stdout) == got | {"score": 1}, "the game is not analysed again"
    stored.write_bytes(b"{")
    assert json.loads(run("--json").stdout) == got
    assert by_lines(tmp_path, *words, "--again", typed="quit\n").returncode == 0
    assert sorted(path.stem for path in games_in(tmp_path)) == [file.stem, f"{file.stem}-again"]
    file.write_bytes(file.read_bytes().replace(header["seed"].encode(), b"0" * 32, 1))
    assert run().exit_code == 1


def test_the_deal_of_the_day_says_that_an_opening_is_already_played(tmp_path: Path) -> None:
    words = ("daily", "--date", DAY, "--fast", "--game")
    railways = by_lines(tmp_path, *words, "chicago_express", typed="quit\n").stdout
    assert re.search(r"you sit in seat \d. The first \d+ moves are already played.", " ".join(railways.split()))
    assert "already played" not in by_lines(tmp_path, *words, "last_spike", typed="quit\n").stdout


def test_the_result_to_share_names_place_margin_and_quality() -> None:
    marks = [mark_of(lost) for lost in (0.0, 0.02, 0.05, 0.2)]
    result = DailyResult(DAY, "last_spike", 3, 2, 90_000, -7_000, marks, taken_back=1, is_official=False)
    title, place, signs = result.lines(is_unicode=True)
    assert title == f"rails-cli daily {DAY}: The Last Spike against 2 hard bots"
    assert place == "2nd of 3, $7,000 behind; unofficial; 1 move taken back"
    assert signs == "█▅▂▁"
    assert result.lines(is_unicode=False)[2] == "#+-."


@pytest.mark.parametrize("day", ["2999-01-01", "yesterday"])
def test_a_wrong_date_is_refused(day: str) -> None:
    refused = CliRunner().invoke(main, ["daily", "--date", day])
    assert (refused.exit_code, "--date" in refused.stderr) == (2, True)
