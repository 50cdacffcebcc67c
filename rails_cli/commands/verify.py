"""`rails-cli verify`: Verify logs line by line."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.cores import map_in_order, usable_cores
from rails_cli.basics.files import printable_path
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped
from rails_cli.commands.log_names import LOG_OR_FOLDER
from rails_cli.commands.options import ParsedType, argument, cli_command
from rails_cli.commands.parameters import Json, Workers
from rails_cli.logs.signing import BadKey, NoSigning, public_key_at, signatures_of, signed_words, unsigned_words
from rails_cli.logs.verify import Verification, verify_file

FILES_ALONE = 3
"""Maximum number of files that are verified without worker processes."""
NOT_CHECKED = 3
"""Exit code if a signature could not be checked."""
NOT_PROVED = "verify does not prove who played, how long they took, or that a log is the original: see verify --help"


def _public_key(words: str) -> str:
    try:
        return public_key_at(words)
    except (OSError, BadKey, NoSigning) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", error)
        raise ValueError(f"{words}: {reason}") from None


PUBLIC_KEY = ParsedType("file|url|key", _public_key)


@cli_command
def command(
    paths: Annotated[tuple[Path, ...], argument("LOG|DIR...", type=LOG_OR_FOLDER)],
    workers: Workers = None,
    finished: Annotated[bool, setting("Treat an unfinished game as an error.")] = False,
    require_signed: Annotated[bool, setting("Treat a log that is not signed up to its last line as an error.")] = False,
    key: Annotated[
        str | None,
        setting(
            "Treat a log that is not signed with this public key, up to its last line, as an error.", type=PUBLIC_KEY
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify logs line by line: legality, events, digests, result, signatures.

    LOG is a file, a saved game or last. A folder stands for all *.jsonl files in it. The first invalid line of a log is
    named. The exit code is 1 if there is such a line. It is 3 if all logs are valid but a signature could not be
    checked, because rails-cli[sign] is not installed.

    The result seals a log with a hash of everything before it. A log without a seal was written by another program, or
    by an older version of this one.

    A signed log was written by a holder of the key. Servers sign their logs, and so does `rails-cli run --sign`.
    Compare the key with the one that its owner publishes (a server's is at /key), or give it with --key. The number of
    lines after the last signature is printed. In an unfinished log, lines after the last signature may also be missing.

    An opening that was chosen at random with the seed is chosen again and compared. An opening from a book, or from an
    older version of this program, is replayed, but cannot be checked against its source. The last lines of the output
    show the number of such logs.

    For a log that is not signed, verification does not prove who played, how long they took, or what they commented.
    Nor does it prove that the file is the original, because a person who changes it can seal it again. Compare its
    SHA-256 with one published before, as the results of a tournament do (`rails-cli tournament audit`).

    \b
    Examples:
      rails-cli verify game.jsonl
      rails-cli verify logs --json
      rails-cli verify logs --key https://example.org/key
    """
    files = list(log_files(paths))
    if not files:
        raise click.UsageError("no *.jsonl file in " + ", ".join(str(path) for path in paths))
    verdicts = verify_files(files, workers or usable_cores())
    if finished:
        verdicts = [
            verdict if verdict.is_finished or verdict.mistake else verdict._replace(mistake="the game is not finished")
            for verdict in verdicts
        ]
    if require_signed or key is not None:
        verdicts = [
            verdict if verdict.mistake else verdict._replace(mistake=unsigned_words(verdict.signing, key))
            for verdict in verdicts
        ]
    wrong = [(file, verdict) for file, verdict in zip(files, verdicts, strict=True) if verdict.mistake is not None]
    good = [(file, verdict) for file, verdict in zip(files, verdicts, strict=True) if verdict.mistake is None]
    signatures = signatures_of(verdict.signing for _, verdict in good)
    partly = [(file, one) for file, verdict in good if (one := verdict.signing) is not None and one.signed < one.lines]
    summary = {
        "logs": len(files),
        "good": len(good),
        "wrong": len(wrong),
        "unfinished": sum(not verdict.is_finished for _, verdict in good),
        "unsealed": sum(verdict.is_finished and not verdict.is_sealed for _, verdict in good),
        "unchecked_openings": sum(not verdict.is_opening_checked for _, verdict in good),
        "signed": len(good) - signatures.unsigned,
        "unchecked_signatures": signatures.unchecked,
        "actions": sum(verdict.actions for verdict in verdicts),
    }
    if as_json:
        mistakes = [{"file": printable_path(file), "mistake": verdict.mistake} for file, verdict in wrong]
        lists = {
            "signers": signatures.signers,
            "partly_signed": [
                {"file": printable_path(file), "lines": signing.lines, "signed": signing.signed}
                for file, signing in partly
            ],
        }
        print_json({**summary, **lists, "mistakes": mistakes})
    else:
        for file, verdict in wrong:
            print_wrapped(f"{printable_path(file)}: {verdict.mistake}")
        unsealed = f", {summary['unsealed']} finished without a seal" if summary["unsealed"] else ""
        print_wrapped(
            f"{summary['good']} of {summary['logs']} logs verified, {summary['unfinished']} of them unfinished"
            f"{unsealed}; {summary['actions']} actions replayed"
        )
        if summary["unchecked_openings"]:
            logs = "1 log" if summary["unchecked_openings"] == 1 else f"{summary['unchecked_openings']} logs"
            print_wrapped(f"the opening of {logs} was not checked: it is from a book, or was drawn by an older version")
        for file, signing in partly:
            print_wrapped(f"{printable_path(file)}: {signed_words(signing)}")
        for words in signatures.words():
            print_wrapped(words)
        if wrong or signatures.unsigned:
            print_wrapped(NOT_PROVED)
    sys.exit(1 if wrong else NOT_CHECKED if signatures.unchecked else 0)


def log_files(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.jsonl"))
        else:
            yield path


def verify_files(files: list[Path], workers: int) -> list[Verification]:
    size = max(1, len(files) // (4 * workers))
    parts = [files[first : first + size] for first in range(0, len(files), size)]
    verified = map_in_order(_verify_part, parts, 1 if len(files) <= FILES_ALONE else workers)
    return [verdict for part in verified for verdict in part]


def _verify_part(files: list[Path]) -> list[Verification]:
    return [verify_file(file) for file in files]
