"""Tests of the file that keeps a bot's stderr."""

from io import BytesIO
from pathlib import Path

from rails_cli.programs.stderr import STDERR_LIMIT, Stderr


def test_text_of_different_processes_is_never_in_one_line(tmp_path: Path) -> None:
    """The file with a bot's stderr never has text of two processes in one line, and the bot cannot forge a heading.

    The output of each process and each run starts on a new line, even after a line that was cut at the size limit. A
    heading of rails-cli begins with `===`. Lines of a bot that begin with `===` are indented.
    """
    file = tmp_path / "stderr"
    file.write_bytes(b"of an earlier run")
    notes = Stderr(file)
    for words in (b"unfinished", b"=== forged"):
        notes.begin_process()
        notes.write(words)
    notes.write(b" in two pieces")
    notes.begin_process()
    notes.write(b"x" * STDERR_LIMIT + b"\n")
    notes.mark("ours")
    notes.close()
    lines = file.read_text().splitlines()
    assert [line[:40].rstrip("x") for line in lines] == [
        "of an earlier run",
        "unfinished",
        " === forged in two pieces",
        "",
        "=== ours",
    ]
    kept = Stderr(BytesIO())
    kept.write(b"unfinished")
    assert [kept.take(), kept.take()] == [b"unfinished\n", b""]
    kept.write(b"=== forged")
    assert kept.take() == b" === forged\n"
