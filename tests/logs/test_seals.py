"""Tests of the hash chain of game logs, and of the contradictions that `verify` finds within one log."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.logs.chain import SIGNED_EVERY, Chain
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.verify import verify
from tests.support.tools import bot, rails

Json = dict[str, Any]
BUSY = ("--seat", "builtin:busy")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the log of a game in which a bot plays illegal actions until a substitute replaces the bot."""
    log = tmp_path_factory.mktemp("faulty") / "game.jsonl"
    message = ("--seat", bot("illegal"), *BUSY, "--seed", "1", "--log", str(log), "--quiet")
    assert rails("run", "last_spike", *message, "--clock", "300/move").returncode == 3
    return log.read_bytes()


def lines_of(content: bytes) -> list[Json]:
    return [json.loads(line) for line in content.splitlines()]


def written(lines: list[Json], *, is_sealed: bool = True) -> bytes:
    """Return the content of a log with the given `lines`.

    With `is_sealed`, the last line gets the correct hash of the lines before it.
    """
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines[:-1])
    last = {**lines[-1], "chain": sha256(content).hexdigest()} if is_sealed else lines[-1]
    return content + json.dumps(last).encode() + b"\n"


def test_the_hash_in_the_result_line_covers_all_lines_before_it(faulty: bytes) -> None:
    verdict = verify(faulty)
    assert (verdict.mistake, verdict.is_sealed) == (None, True)
    assert verify(written(lines_of(faulty))).is_sealed
    *lines, last = faulty.splitlines(keepends=True)
    for before, after in (
        (b'"ms":', b'"ms":1'),
        (b"illegal_action", b"stale_request"),
        (b"rails-cli 1", b"rails-cli 2"),
    ):
        assert before in b"".join(lines)
        mistake = verify(b"".join(lines).replace(before, after, 1) + last).mistake
        assert mistake is not None
        assert mistake.startswith(f"line {len(lines) + 1}: chain ")


def test_a_log_without_a_final_hash_is_valid_and_reported_as_unsealed(faulty: bytes, tmp_path: Path) -> None:
    lines = lines_of(faulty)
    del lines[-1]["chain"]
    verdict = verify(written(lines, is_sealed=False))
    assert (verdict.mistake, verdict.is_sealed, verdict.is_finished) == (None, False, True)
    (tmp_path / "open.jsonl").write_bytes(written(lines, is_sealed=False))
    (tmp_path / "sealed.jsonl").write_bytes(faulty)
    (tmp_path / "part.jsonl").write_bytes(b"".join(faulty.splitlines(keepends=True)[:9]))
    verified = CliRunner().invoke(main, ["verify", str(tmp_path), "--workers", "1"])
    assert verified.exit_code == 0, verified.output
    assert "3 of 3 logs verified, 1 of them unfinished, 1 finished without a seal" in verified.output
    assert "does not prove" in verified.output
    assert "original" in verified.output
    summary = json.loads(CliRunner().invoke(main, ["verify", str(tmp_path), "--workers", "1", "--json"]).output)
    assert (summary["unfinished"], summary["unsealed"]) == (1, 1)
    assert "who played" in CliRunner().invoke(main, ["verify", "--help"]).output


def test_a_resumption_continues_the_hash_chain(faulty: bytes, tmp_path: Path) -> None:
    """A resumed game continues the hash chain of its log, even if the interrupted log ended with an incomplete line.

    A resumed game may be resumed again.
    """
    log = tmp_path / "game.jsonl"
    log.write_bytes(b"".join(faulty.splitlines(keepends=True)[:9])[:-5])
    seats = ("--seat", "1", "builtin:busy", "--seat", "2", "builtin:busy")
    assert CliRunner().invoke(main, ["resume", str(log), *seats, "--quiet"]).exit_code == 0
    whole = log.read_bytes()
    assert b'"resumed"' in whole
    assert (verify(whole).mistake, verify(whole).is_sealed) == (None, True)
    cut = whole[: whole.rindex(b'{"type":"result"')]
    log.write_bytes(cut)
    file = LogFile(log, keep_bytes=len(cut))
    assert (file.size, file.chain.head) == (len(cut), sha256(cut).hexdigest())
    file.close()


# Contradictions between the lines of a log


def first(lines: list[Json], **fields: Any) -> int:
    """Return the index of the first line whose fields include all names and values in `fields`."""
    return next(index for index, line in enumerate(lines) if fields.items() <= line.items())


def default_of(lines: list[Json]) -> int:
    """Return the index of the first line with an action that was played as the default."""
    return first(lines, default=True)


def remove_all_faults(lines: list[Json]) -> None:
    lines[:] = [line for line in lines if line["type"] != "fault"]


def add_fault_of_a_seat_not_asked(lines: list[Json]) -> None:
    index = first(lines, type="action", seat=1)
    lines.insert(index, {**lines[first(lines, type="fault")], "number": lines[index]["number"]})


def set_time(clock: Json | None, ms: int) -> Callable[[list[Json]], None]:
    """Return a function that sets two values in a log: the clock in the header, and the `ms` of the first action."""

    def change(lines: list[Json]) -> None:
        lines[0]["clock"] = clock
        lines[first(lines, type="action")]["ms"] = ms

    return change


TEN_SECONDS = {"bank_s": None, "increment_s": 0.0, "move_s": 10.0}
NOT_TO_BLAME = "marked as the default, but the faults before it"
WRONG_TIME = "ms; the time of an answer is not negative"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines.pop(default_of(lines) - 1), NOT_TO_BLAME),
        (lambda lines: lines.pop(first(lines, type="fault")), NOT_TO_BLAME),
        (remove_all_faults, NOT_TO_BLAME),
        (lambda lines: lines[default_of(lines)].pop("default"), "follows a fault that says the default was played"),
        (
            lambda lines: lines[default_of(lines) - 1].update(message="it was illegal"),
            "strike 3 at one question; with strike 3 the default is played",
        ),
        (lambda lines: lines[first(lines, type="action")].update(ms=-1), f"-1 {WRONG_TIME}"),
        (set_time(None, 10**15), "not more than 1,000,000,000,001 ms here"),
        (set_time(TEN_SECONDS, 10_002), f"10002 {WRONG_TIME}, and not more than 10,001 ms here"),
        (lambda lines: lines[default_of(lines) - 1].update(seat=1), "a fault of seat 1, which is not to move"),
        (add_fault_of_a_seat_not_asked, "a fault of seat 0, which is not to move"),
        (lambda lines: lines[0]["players"][1].update(lines[0]["players"][0]), "two players have the name"),
        (lambda lines: lines[default_of(lines)].update(number=99), "is next"),
    ],
)
def test_verify_finds_lines_that_contradict_each_other(
    faulty: bytes, change: Callable[[list[Json]], object], message: str
) -> None:
    lines = lines_of(faulty)
    change(lines)
    mistake = verify(written(lines)).mistake
    assert mistake is not None
    assert message in mistake


class ConstantSigner:
    """A signer that returns the same signature for any content."""

    key = "ab" * 32

    def sign(self, content: bytes) -> bytes:
        return b"\x01" * 64


def test_a_chain_signs_only_new_lines_and_at_fixed_intervals() -> None:
    chain = Chain(ConstantSigner())
    assert chain.sign() == b""
    chain.linked(b'{"type":"note"}')
    assert b'"signature":"0101' in chain.sign()
    assert chain.sign() == b""
    lines = [chain.linked(b'{"type":"note"}') for _ in range(SIGNED_EVERY)]
    assert [b'"signature"' in line for line in lines] == [False] * (SIGNED_EVERY - 1) + [True]


def test_a_bot_cannot_invalidate_a_log_with_its_error_message(faulty: bytes) -> None:
    """A bot cannot make a log invalid by writing "default played" to its standard error.

    A fault message can contain this text because it quotes the bot. `verify` must not conclude from it that a default
    action was played.
    """
    lines = lines_of(faulty)
    fault = lines[first(lines, type="fault")]
    fault["message"] = "no action: ; default played"
    assert verify(written(lines)).mistake is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"seed":1,', b'"seed":7,"seed":1,'),
        (b'"players":[{"name":', b'"players":[{"name":"somebody else","name":'),
        (b'"number":1,', b'"number":3,"number":1,'),
        (b'"events":[{', b'"events":[{"\\u0074ype":"nothing",'),
        (b'"action":{', b'"action":{"piece":"A1",'),
        (b'"code":', b'"code":"too_slow","code":'),
        (b'"reason":', b'"reason":"timeout","reason":'),
    ],
)
def test_a_json_key_that_appears_twice_is_an_error(faulty: bytes, before: bytes, after: bytes) -> None:
    assert before in faulty
    mistake = verify(faulty.replace(before, after, 1)).mistake
    assert mistake is not None
    assert "appears twice in one object" in mistake


@pytest.mark.parametrize(
    ("field", "value"), [("board", {"nonsense": True}), ("board", 7), ("board", "moon"), ("options", {"speed": "high"})]
)
def test_verify_checks_the_header_of_a_log_that_has_only_a_header(faulty: bytes, field: str, value: Any) -> None:
    header = lines_of(faulty)[0]
    assert verify(json.dumps(header).encode() + b"\n").mistake is None
    mistake = verify(json.dumps({**header, field: value}).encode() + b"\n").mistake
    assert mistake is not None
    assert mistake.startswith(f"line 1: {field}: ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": "0" * 32 + "\n"}, "of length <= 32"),
        ({"clock": {"bank_s": -5}}, "clock: it gives no time at all"),
        ({"clock": {"move_s": 0}}, "clock: it gives no time at all"),
        ({"clock": {"bank_s": 5, "increment_s": 1e308}}, "clock: it is longer than 1000000000 s"),
        ({"clock": {"bank_s": 5, "increment_s": -1}}, "clock: it takes time away"),
    ],
)
def test_an_impossible_seed_or_clock_is_refused(faulty: bytes, changes: Json, message: str) -> None:
    header, *lines = lines_of(faulty)
    mistake = verify(written([header | changes, *lines])).mistake
    assert mistake is not None
    assert mistake.startswith("line 1: ")
    assert message in mistake
    if "clock" in changes:
        resumed = {"type": "resumed", "number": 1, "players": header["players"], **changes}
        assert message in str(verify(written([header, lines[0], resumed, *lines[1:]])).mistake)
