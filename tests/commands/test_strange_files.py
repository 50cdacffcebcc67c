"""Tests of commands that read untrusted files.

No command inside a file is run, no escape sequence reaches the terminal, and memory use is limited.
"""

import json
import os
import pty
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.logs.reading import BadLog
from tests.support.fuzzing import Reader, is_taken, read_logs
from tests.support.tools import RAILS, bot, rails, start_rails
from tests.support.waiting import HANG_S

TWO = ("--seat", "builtin:busy", "--seat", "builtin:busy")
READERS = [
    *(("verify",), ("replay", "--moves"), ("export", "--svg", "0")),
    *(("analyse", "--looks", "1", "--workers", "1"), ("resume",)),  # `resume` is last, because it makes the log longer
]
ESCAPE = "\x1b]0;owned\x07\x1b[2J"


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The decoded lines of the log of a finished game."""
    log = tmp_path_factory.mktemp("game") / "game.jsonl"
    words = ("--seat", "builtin:busy", "--seat", "builtin:random", "--seed", "1", "--log", str(log))
    assert rails("run", "last_spike", *words).returncode == 0
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def log_with_command(game: list[dict[str, Any]], command: str, place: str) -> list[dict[str, Any]]:
    """Return an unfinished log that names `command` as the bot in seat 1, in its header or its `resumed` line.

    `place` selects one of these two lines.
    """
    header, *lines = game[:8]
    players = [header["players"][0], {**header["players"][1], "seat": command}]
    if place == "header":
        return [{**header, "players": players}, *lines]
    resumed = {"type": "resumed", "number": len(lines), "players": players, "clock": None}
    return [header, *lines, resumed]


@pytest.mark.parametrize("place", ["header", "resumed"])
def test_resume_does_not_run_a_command_from_a_log(game: list[dict[str, Any]], place: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = f"sh -c 'touch {mark}; cat'"
    log = written(tmp_path / "planted.jsonl", log_with_command(game, command, place))
    before = log.read_bytes()
    refused = rails("resume", str(log))
    assert refused.returncode == 2
    assert "may come from anyone" in refused.stderr
    assert "--seat 2 'sh -c" in refused.stderr
    assert not mark.exists()
    assert log.read_bytes() == before
    assert rails("resume", str(log), "--seat", "2", "builtin:busy").returncode == 0
    assert not mark.exists()


@pytest.mark.parametrize("answer", ["n", "y"])
def test_resume_asks_before_it_runs_a_command_from_a_log(
    game: list[dict[str, Any]], answer: str, tmp_path: Path
) -> None:
    log = written(tmp_path / "planted.jsonl", log_with_command(game, bot("honest"), "header"))
    screen, terminal = pty.openpty()
    with start_rails("resume", str(log), "--quiet", stdin=terminal, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(screen, 4096)
        assert b"honest" in shown
        os.write(screen, answer.encode() + b"\n")
        try:
            while part := os.read(screen, 4096):
                shown += part
        except OSError:  # Linux raises this when the terminal is closed
            pass
        assert process.wait(HANG_S) == (0 if answer == "y" else 2)
    os.close(screen)
    assert (b"nothing was run" in shown) == (answer == "n")


def test_no_escape_sequence_of_a_log_is_printed(game: list[dict[str, Any]], tmp_path: Path) -> None:
    header, setup, *rest = game
    spoiled: list[list[dict[str, Any]]] = [
        [header, {**setup, "digest": ESCAPE}, *rest],
        [{**header, "options": {ESCAPE: ESCAPE}}, setup, *rest],
        [{**header, "game": ESCAPE}, setup, *rest],
        [header, setup, {**rest[0], ESCAPE: 1}],
        [{**header, "players": [{"name": ESCAPE, "seat": "builtin:busy"}] * 2}, setup, *rest[:5]],
        log_with_command(game, f"echo {ESCAPE}", "header"),
    ]
    for number, lines in enumerate(spoiled):
        log = written(tmp_path / f"spoiled-{number}-{ESCAPE}.jsonl", lines)
        for words in READERS:
            shown = output_of(*words, str(log), code=None)
            assert "\x1b" not in shown, words
            assert "\x07" not in shown, words


VALUES: tuple[Any, ...] = (None, -1, 0.5, "x", [], {}, True, 2**63, ["x"], {"x": 1})


def damaged_headers(header: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield damaged variants of `header`: a field is missing or has another value, or the list of players is changed.

    `header` is the header of a branch, which is a game continued from a move of another log.
    """
    players = header["players"]
    for others in (players[:-1], [*players, {"name": "more"}], players[::-1], [players[0]] * 3):
        yield {**header, "players": others}
    for key in header:
        yield {name: value for name, value in header.items() if name != key}
        yield from ({**header, key: value} for value in VALUES)
    for number in (-1, 0, 1, 3, 6, 8, 2**62):
        yield {**header, "branch": {**header["branch"], "number": number}}


def test_a_damaged_header_of_a_branch_is_refused_or_accepted(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    assert (
        rails("run", "last_spike", *TWO, "--seat", "builtin:busy", "--seed", "1", "--log", str(whole)).returncode == 0
    )
    header, *lines = [json.loads(line) for line in whole.read_bytes().splitlines()]
    header["branch"] = {"log": "other.jsonl", "head": "0" * 64, "number": 7}
    resumed = {"type": "resumed", "number": 7, "players": header["players"], "clock": None}
    reader = Reader((), read_logs, (BadLog,))
    results = set()
    for number, damaged in enumerate(damaged_headers(header)):
        log = written(tmp_path / "damaged.jsonl", [damaged, *lines[:7], resumed])
        results.add(is_taken(reader, log.read_bytes()))
        if number < 4:
            for words in READERS:
                output_of(*words, str(log), code=None)
    assert results == {True, False}
    log = written(tmp_path / "fewer.jsonl", [{**header, "players": header["players"][:2]}, *lines[:7], resumed])
    for words in (("verify",), ("resume",)):
        assert "2 players, but the branch was continued by 3" in output_of(*words, str(log), code=1)


def test_deeply_nested_json_is_refused(game: list[dict[str, Any]], tmp_path: Path) -> None:
    header = json.dumps({**game[0], "board": "HERE"})
    rest = "".join(json.dumps(line) + "\n" for line in game[1:])
    deep, board = tmp_path / "deep.jsonl", tmp_path / "board.json"
    for nested in (100, 500, 900, 100_000):
        deep.write_text(header.replace('"HERE"', "[" * nested + "]" * nested) + "\n" + rest)
        for words in READERS:
            assert "nested" in output_of(*words, str(deep), code=1)
        board.write_text("[" * nested + "]" * nested)
        assert "Expected `object`" in output_of("run", "last_spike", *TWO, "--board", str(board), code=2)
    log = written(deep, [*game[:2], {**game[2], "info": "HERE"}])
    log.write_text(log.read_text().replace('"HERE"', "[" * nested + "]" * nested))
    for words in READERS:
        assert "line 3: cannot be read: nested too deeply" in output_of(*words, str(log), code=1)


def test_an_endless_file_is_refused_before_memory_is_full(game: list[dict[str, Any]], tmp_path: Path) -> None:
    """Commands refuse an endless file before they have read it completely.

    The commands may use only 1 GiB of memory, so reading the whole file would fail.
    """
    long = tmp_path / "long.jsonl"
    long.write_bytes(json.dumps(game[0]).encode() + b"\n" + b"{}\n" * 20_000_000)
    for words, why in (
        (("verify", str(long)), "no more than 100,000 lines"),
        (("run", "last_spike", *TWO, "--board", "/dev/zero"), "more than 64 MiB"),
    ):
        done = subprocess.run(
            [*RAILS, *words],
            capture_output=True,
            text=True,
            timeout=HANG_S,
            preexec_fn=_limit_memory_to_1_gib,
            check=False,
        )
        assert done.returncode in (1, 2)
        assert why in done.stdout + done.stderr, words
        assert "Traceback" not in done.stderr
    assert "no more than 100,000 lines" in output_of("replay", str(long), code=1)
    for command in ("verify", "replay"):
        assert "more than 64 MiB" in output_of(command, "/dev/zero", code=1)
    assert "more than 64 MiB" in output_of("export", "/dev/zero", "--svg", "0", code=1)
    assert "more than 64 MiB" in output_of("tournament", "run", "/dev/zero", code=2)


def test_a_fifo_is_refused_and_does_not_block(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.jsonl"
    os.mkfifo(fifo)
    for words in (*READERS, ("verify", "--key", str(fifo))):
        assert "not a regular file" in output_of(*words, str(fifo), code=None), words


def _limit_memory_to_1_gib() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def output_of(*words: str, code: int | None) -> str:
    """Run a command and return its output, in which no traceback may occur.

    Check the exit code unless `code` is None.
    """
    done = CliRunner().invoke(main, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert code is None or done.exit_code == code, done.output
    return done.output
