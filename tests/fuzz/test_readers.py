"""Tests that every reader of files and messages accepts corrupted input or refuses it with an error message.

`make soak` runs these tests longer.
"""

from pathlib import Path
from random import Random

import pytest

from rails_cli.logs.verify import verify
from rails_cli.tournament.plan.bots_folder import bots_in
from rails_cli.tournament.plan.reading import PlanError, make_plan
from tests.support.fuzzing import Reader, is_taken, readers, results_reader, spoiled

NAMES = ("messages", "logs", "boards", "plans", "bots", "seats", "clocks")
CASES = {"boards": 12, "logs": 40, "plans": 40, "bots": 40}


@pytest.fixture(scope="module")
def all_readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reader]:
    return readers(tmp_path_factory.mktemp("fuzz"))


def read_corrupted(reader: Reader, cases: int) -> None:
    """Pass `cases` corrupted variants of the reader's example files to `reader`.

    Check that `reader` accepts each variant or refuses it with an error message.
    """
    chance = Random(1)
    for _ in range(cases):
        is_taken(reader, spoiled(chance.choice(reader.corpus), chance))


@pytest.mark.parametrize("name", NAMES)
def test_corrupted_input_is_accepted_or_refused_with_a_message(all_readers: dict[str, Reader], name: str) -> None:
    assert set(NAMES) == set(all_readers)
    reader = all_readers[name]
    for content in reader.corpus:
        assert is_taken(reader, content) or name in ("messages", "logs")
    read_corrupted(reader, CASES.get(name, 80))


def test_logs_of_the_corpus_are_valid(all_readers: dict[str, Reader]) -> None:
    """All example logs of the fuzzer are valid for this version of the rules.

    Otherwise `verify` would refuse a log at its first line, and the fuzzer would not test later lines.
    """
    for content in all_readers["logs"].corpus:
        assert verify(content).mistake is None


def test_corrupted_tournament_results_are_accepted_or_refused_with_a_message(tmp_path: Path) -> None:
    read_corrupted(results_reader(tmp_path), 50)


@pytest.mark.parametrize(
    "command", ["0", "true", "1979-05-27", f'"python3 {"[" * 300}"', '["python3", 3, ["x"]]', '"python3 loop"']
)
def test_invalid_bot_commands_are_refused(tmp_path: Path, command: str) -> None:
    """An invalid `command` in a file `bot.toml` is refused with an error message.

    Each value in this test caused an unexpected exception in an earlier run of the fuzzer.
    """
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "bot.toml").write_text(f"command = {command}\n")
    entrants, _ = bots_in(tmp_path, tmp_path, trust=False)
    plan = {"games": [{"game": "last_spike", "players": 2}], "entrants": entrants}
    with pytest.raises(PlanError, match=r"entrants\[0\].command|entrants"):
        make_plan(plan, "found", tmp_path)
