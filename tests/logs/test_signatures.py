"""Tests of signed logs: changes are detected, signers are named, and unchecked signatures are reported."""

import json
import re
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.chain import Chain
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.signing import SigningKey, checker, new_key, read_key
from rails_cli.logs.verify import Verification, verify

SEATS = ("--seat", "builtin:greedy", "--seat", "builtin:busy")


def cli(*words: Any) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


class Signed:
    """A folder with two keys, `key` and `other`, and games signed with `key`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key_file, self.other_file = folder / "my.key", folder / "other.key"
        made = cli("key", "new", self.key_file)
        assert made.exit_code == 0, made.output
        self.key, self.other = read_key(self.key_file), new_key(self.other_file)
        assert made.output == f"{self.key.key}\n"
        self.lines = self.played("game.jsonl", 1)

    def played(self, name: str, seed: int) -> list[bytes]:
        """Play a game signed with `key` into the file `name`. Return the lines of the log."""
        log = self.folder / name
        words = ("--seed", seed, "--log", log, "--sign", self.key_file, "--quiet")
        assert cli("run", "last_spike", *SEATS, *words).exit_code == 0
        return log.read_bytes().splitlines(keepends=True)

    def rewritten(self, lines: list[bytes], signer: SigningKey | None = None, *, key: str | None = None) -> bytes:
        """Return `lines` with new hashes, as a forger could write them.

        The hashes are correct. `signer` signs the result. If it is None, the result has the old signature. `key`
        replaces the key in the header.
        """
        header = json.loads(lines[0])
        header["key"] = key or (signer.key if signer else self.key.key)
        content = json.dumps(header, separators=(",", ":")).encode() + b"\n"
        for line in lines[1:]:
            bare = {name: value for name, value in json.loads(line).items() if name not in ("chain", "signature")}
            head = sha256(content).hexdigest()
            bare["chain"] = head if bare["type"] == "result" else head[:16]
            written = json.dumps(bare, separators=(",", ":")).encode()[:-1]
            if bare["type"] == "result":
                to_sign = b"rails log " + sha256(content + written).digest()
                signature = signer.sign(to_sign).hex() if signer else json.loads(lines[-1])["signature"]
                written += f',"signature":"{signature}"'.encode()
            content += written + b"}\n"
        return content


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Signed:
    return Signed(tmp_path_factory.mktemp("signed"))


def verdict_on(lines: list[bytes] | bytes) -> Verification:
    return verify(lines if isinstance(lines, bytes) else b"".join(lines))


def test_verify_and_export_report_the_signer_of_a_game(signed: Signed, tmp_path: Path) -> None:
    verdict = verdict_on(signed.lines)
    assert verdict.mistake is None
    assert verdict.signing == (signed.key.key, len(signed.lines), len(signed.lines), True)
    assert signed.key_file.stat().st_mode & 0o777 == 0o600
    assert f'"key":"{signed.key.key}"'.encode() in signed.lines[0]
    assert all(b'"chain":"' in line for line in signed.lines[1:])
    log, name = signed.folder / "game.jsonl", signed.key.key[:16]
    plain = tmp_path / "plain.jsonl"
    assert cli("run", "last_spike", *SEATS, "--log", plain, "--quiet").exit_code == 0
    assert b'"key"' not in plain.read_bytes()

    verified = cli("verify", log)
    assert (verified.exit_code, f"signed by {name}: 1 log, and the signature holds" in verified.output) == (0, True)
    assert "does not prove" not in verified.output
    both = cli("verify", log, plain)
    assert both.exit_code == 0
    assert "unsigned: 1 log" in both.output
    assert "does not prove" in both.output
    summary = json.loads(cli("verify", log, plain, "--json").output)
    assert (summary["signed"], summary["unchecked_signatures"], summary["partly_signed"]) == (1, 0, [])
    assert summary["signers"] == [{"key": signed.key.key, "logs": 1}]
    for words in (["--require-signed"], ["--key", signed.key.key], ["--key", signed.key_file]):
        assert cli("verify", log, *words).exit_code == 0
        missing = cli("verify", plain, *words)
        assert (missing.exit_code, "plain.jsonl: not signed" in missing.output) == (1, True)
    another = cli("verify", log, "--key", signed.other_file)
    assert another.exit_code == 1
    assert f"signed by {name}, not by {signed.other.key[:16]}" in another.output

    page = tmp_path / "game.html"
    assert cli("export", log, "--html", page).exit_code == 0
    assert f"<p>Log signed by {name}.</p>" in page.read_text()


Change = Callable[[list[bytes]], object]


def replaced(index: int, pattern: bytes, new: bytes) -> Change:
    """Return a function that replaces the first match of `pattern` in line `index` of a log."""

    def change(lines: list[bytes]) -> None:
        lines[index] = re.sub(pattern, new, lines[index], count=1)

    return change


change_time = replaced(16, b'"digest"', b'"ms":3,"digest"')
change_name = replaced(0, b'"name":"greedy"', b'"name":"Ann"')


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_time, "line 18: chain "),
        (change_time, "line 17 was changed"),
        (replaced(16, b'"digest":"', b'"digest":"0'), "line 17: digest 0"),
        (lambda lines: lines.insert(16, lines.pop(17)), "line 17: chain "),
        (lambda lines: lines.pop(16), "line 17: chain "),
        (change_name, "line 1 was changed"),
        (
            replaced(0, rb',"key":"\w+"', b""),
            "line 2: has a chain or a signature, but the header names no key: line 1 was changed",
        ),
        (replaced(16, rb',"chain":"\w+"', b""), "line 17: has no chain, but the header names a key"),
        (replaced(-1, b',"signature":', b', "signature":'), "the signature is not the last field of its line"),
    ],
)
def test_a_change_to_a_signed_log_is_found_and_its_line_named(signed: Signed, change: Change, words: str) -> None:
    lines = list(signed.lines)
    change(lines)
    verdict = verdict_on(lines)
    assert verdict.mistake is not None
    assert words in verdict.mistake
    assert verdict.signing is None


def test_correct_hashes_without_the_key_do_not_make_a_valid_signature(signed: Signed, tmp_path: Path) -> None:
    changed = list(signed.lines)
    change_time(changed)
    last = len(changed)
    words = f"line {last}: the signature does not hold: lines 1 to {last} were changed"
    assert words in str(verdict_on(signed.rewritten(changed)).mistake)
    renamed = list(signed.lines)
    change_name(renamed)
    assert words in str(verdict_on(signed.rewritten(renamed)).mistake)
    assert words in str(verdict_on(signed.rewritten(signed.lines, key=signed.other.key)).mistake), (
        "key of another signer"
    )
    assert words in str(verdict_on(signed.rewritten(signed.lines, key="0" * 64)).mistake)
    spliced = [*signed.played("second.jsonl", 1)[:-1], signed.lines[-1]]
    spliced[0] = spliced[0].replace(b'"busy"', b'"Bob"')
    assert words in str(verdict_on(signed.rewritten(spliced)).mistake)

    forged = signed.rewritten(changed, signed.other)
    verdict = verdict_on(forged)
    assert verdict.mistake is None
    assert verdict.signing is not None
    assert verdict.signing.key == signed.other.key, "the verdict names the key that signed"
    log = tmp_path / "forged.jsonl"
    log.write_bytes(forged)
    assert f"signed by {signed.other.key[:16]}: 1 log" in cli("verify", log).output
    assert cli("verify", log, "--key", signed.key_file).exit_code == 1


def test_an_interrupted_log_is_signed_up_to_its_last_line(signed: Signed, tmp_path: Path) -> None:
    """The log of an interrupted game has a valid signature up to its last line.

    The game can be resumed with the same key or without a key, but not with another key.
    """
    log = tmp_path / "game.jsonl"
    log.write_bytes(b"".join(signed.lines[:20])[:-9])
    assert f"to be signed by {signed.key.key[:16]}, but no line is" in cli("verify", log).output
    size = len(b"".join(signed.lines[:19]))
    LogFile(log, keep_bytes=size, signer=signed.key).close()
    verdict = verdict_on(log.read_bytes())
    assert (verdict.mistake, verdict.signing) == (None, (signed.key.key, 20, 20, True))
    stopped = log.read_bytes()

    wrong = cli("resume", log, "--quiet", "--sign", signed.other_file)
    assert wrong.exit_code == 2
    assert f"is signed by {signed.key.key[:16]}, not by {signed.other.key[:16]}" in wrong.output
    assert log.read_bytes() == stopped
    assert cli("resume", log, "--quiet").exit_code == 0
    verified = cli("verify", log)
    assert verified.exit_code == 0, "the hash chain continues without signatures"
    assert f"signed by {signed.key.key[:16]} up to line 20 of " in verified.output
    assert cli("verify", log, "--require-signed").exit_code == 1
    partly_signed = json.loads(cli("verify", log, "--json").output)["partly_signed"]
    assert [(part["signed"], part["lines"] > 20) for part in partly_signed] == [(20, True)]
    later = log.read_bytes().replace(b'"scores":[', b'"scores":[1,', 1)
    assert verdict_on(later).mistake is not None

    log.write_bytes(stopped)
    assert cli("resume", log, "--quiet", "--sign", signed.key_file).exit_code == 0
    assert cli("verify", log, "--key", signed.key_file).exit_code == 0
    branch = tmp_path / "branch.jsonl"
    words = ("--from", log, "--at", "29", "--log", branch, "--quiet")
    assert cli("run", *words, "--sign", signed.other_file).exit_code == 0
    assert cli("verify", branch, "--key", signed.other_file).exit_code == 0
    branch.unlink()
    assert cli("run", *words).exit_code == 0
    assert (verdict_on(branch.read_bytes()).mistake, b'"chain":"' in branch.read_bytes()[:-400]) == (None, False)


def test_long_logs_contain_intermediate_signatures(signed: Signed) -> None:
    chain = Chain(signed.key)
    chain.update(b"".join(signed.lines[:2]))
    fault = {"type": "fault", "number": 1, "seat": 0, "code": "disconnect", "message": "gone"}
    content = b"".join([*signed.lines[:2], *(chain.line(fault) for _ in range(250))])
    verdict = verdict_on(content)
    assert (verdict.mistake, content.count(b'"signed"')) == (None, 2)
    assert verdict.signing is not None
    assert verdict.signing.signed < verdict.signing.lines
    first = content.index(b'{"type":"signed"')
    tampered = content[:first] + content[first:].replace(b"gone", b"GONE", 1)
    assert "was changed" in str(verdict_on(tampered).mistake)


def test_without_the_cryptography_library_nothing_is_signed_or_accepted_as_signed(
    signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, folder = signed.folder / "game.jsonl", signed.folder / "data"
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    checker.cache_clear()
    try:
        verified = cli("verify", log)
        assert verified.exit_code == 3
        assert "not checked: pip install 'rails-cli[sign]'" in verified.output
        assert json.loads(cli("verify", log, "--json").output)["unchecked_signatures"] == 1
        for words in (
            ["key", "new", signed.folder / "third.key"],
            ["run", "last_spike", *SEATS, "--log", signed.folder / "n.jsonl", "--sign", signed.key_file],
            ["serve", "--data", folder, "--sign", "always"],
        ):
            refused = cli(*words)
            assert (refused.exit_code, "pip install 'rails-cli[sign]'" in refused.output) == (1, True)
        assert not folder.exists()
    finally:
        checker.cache_clear()


def test_invalid_keys_are_refused(signed: Signed, tmp_path: Path) -> None:
    bad = tmp_path / "bad.key"
    bad.write_text("-----BEGIN PRIVATE KEY-----\nnothing\n-----END PRIVATE KEY-----\n")
    words = ("run", "last_spike", *SEATS, "--log", tmp_path / "g.jsonl", "--sign")
    for where, problem in ((bad, "not a private key"), (tmp_path / "none", "No such file")):
        refused = cli(*words, where)
        assert (refused.exit_code, problem in refused.output) == (2, True)
    unlogged = cli("run", "last_spike", *SEATS, "--sign", signed.key_file)
    assert (unlogged.exit_code, "name its file with --log" in unlogged.output) == (2, True)
    assert "already exists" in cli("key", "new", signed.key_file).output
    bad.write_text("hello")
    for address in (str(bad), str(tmp_path / "none"), "http://127.0.0.1:9/key", "https://["):
        assert cli("key", "show", address).exit_code == 1
        assert cli("verify", signed.folder / "game.jsonl", "--key", address).exit_code == 2
    bad.write_text(f"{signed.key.key}\n")
    assert cli("key", "show", bad).output == f"{signed.key.key}\n"
    assert json.loads(cli("key", "show", signed.key_file, "--json").output) == {
        "kind": "ed25519",
        "key": signed.key.key,
    }
