"""Tests of copies of logs that are shared with others: they are valid, and contain no seed, notes or commands."""

from pathlib import Path

import msgspec
import pytest

from rails_cli.games import game_names
from rails_cli.logs.chain import log_of
from rails_cli.logs.reading import read_log
from rails_cli.logs.shared_copy import shared_copy
from rails_cli.logs.verify import verify
from rails_cli.protocol.log import PlayerLine
from rails_cli.study.playback.recorded import read_recorded
from rails_cli.terminal.saving import keep_finished
from tests.support.matches import new_match
from tests.support.tools import GOLDEN


@pytest.mark.parametrize("game", game_names())
def test_a_shared_copy_verifies_and_has_the_same_events_without_the_seed(game: str) -> None:
    content = sorted(GOLDEN.glob(f"{game}/*.jsonl"))[0].read_bytes()
    whole = shared_copy(content)
    assert verify(whole).is_finished
    assert verify(whole).is_sealed
    assert read_log(whole).header.seed is None
    before, after = read_recorded(content), read_recorded(whole)
    assert [moment.events for moment in after.moments] == [moment.events for moment in before.moments]
    assert after.result is not None
    assert before.result is not None
    assert after.result.scores == before.result.scores


def test_a_shared_copy_has_no_notes_and_no_commands_and_marks_the_seat_of_a_person() -> None:
    match = new_match("last_spike", 3, 7)
    players = [
        PlayerLine("Ann", "player"),
        PlayerLine("Bot", "python3 bot.py --key secret"),
        PlayerLine("Eve", "bot:eve"),
    ]
    header = msgspec.structs.replace(match.header, players=players)
    lines = [header, match.setup_line, match.play(match.chosen(0), info={"plan": "secret"})]
    copy = shared_copy(log_of(lines), person=0)
    assert b"secret" not in copy
    assert [player.seat for player in read_log(copy).header.players] == ["person", None, "bot:eve"]


def test_a_log_from_a_server_is_kept_only_if_it_is_valid_and_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    content = sorted(GOLDEN.glob("last_spike/*.jsonl"))[0].read_bytes()
    unfinished = b"".join(content.splitlines(keepends=True)[:9])
    other = sorted(GOLDEN.glob("chicago_express/*.jsonl"))[0].read_bytes()
    for bad in (unfinished, b"<html>", content.replace(b"last_spike", b"no_game"), other):
        assert keep_finished(bad, "last_spike", "a", 0) is None
    assert keep_finished(content, "last_spike", "../a", 0) is None
    assert keep_finished(content, "last_spike", "a", 6) is None
    kept = keep_finished(content, "last_spike", "1a2b", 0)
    assert kept is not None
    assert read_log(kept.read_bytes()).header.players[0].seat == "person"
    assert [path.name for path in kept.parent.iterdir()] == ["last_spike-1a2b.jsonl"]


def test_a_log_from_a_server_never_overwrites_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A downloaded log never overwrites another file, even if another server uses the same id for a table.

    The id is part of the file name. So a malicious server could choose the id of an existing file.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first, second = (path.read_bytes() for path in sorted(GOLDEN.glob("last_spike/*.jsonl"))[:2])
    kept = keep_finished(first, "last_spike", "a", 0)
    assert kept is not None
    before = kept.read_bytes()
    assert keep_finished(first, "last_spike", "a", 0) == kept
    assert keep_finished(second, "last_spike", "a", 0) == kept.with_name("last_spike-a-2.jsonl")
    assert kept.read_bytes() == before
    (target := tmp_path / "target").touch()
    kept.with_name("last_spike-b.jsonl").symlink_to(target)
    kept.with_name("last_spike-c.jsonl").symlink_to(tmp_path / "absent")
    for table in "bc":
        keep_finished(first, "last_spike", table, 0)
    assert target.read_bytes() == b""
    assert not (tmp_path / "absent").exists()
