"""Verification of logs: every line is replayed, and every signature is checked."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from rails_cli.basics.files import read_file
from rails_cli.games import load_openings
from rails_cli.logs.chain import LINK_DIGITS, PREFIX, SIGNATURE
from rails_cli.logs.reading import BadLog, Log, read_log
from rails_cli.logs.replay import replay
from rails_cli.logs.signing import Signing, checker
from rails_cli.protocol.log import Header, ResultLine


class Verification(NamedTuple):
    actions: int
    is_finished: bool
    is_torn: bool
    mistake: str | None
    is_sealed: bool = False
    """Whether the result line contains the hash of all lines before it."""
    is_opening_checked: bool = True
    """Whether the opening (the list of first actions) was compared with the opening that follows from the seed.

    Also true if there is no opening.
    """
    signing: Signing | None = None
    """Information about the signatures of the log. None if the header contains no public key."""


def verify(content: bytes) -> Verification:
    """Replay a log and check every line and every signature. Errors are returned as `mistake`, not raised."""
    signing = None
    actions, is_finished, is_torn, is_sealed, is_opening_checked, mistake = 0, False, False, False, True, None
    try:
        log = read_log(content)
        is_torn = log.torn
        is_opening_checked = _can_check_opening(log.header)
        for step in replay(log):
            actions = step.match.number
            if type(step.message) is ResultLine:
                is_finished, is_sealed = True, step.message.chain is not None
        if is_finished and is_torn:
            mistake = f"line {len(log.lines) + 1}: follows the result"
        signing = check_signatures(log)
    except BadLog as bad:
        mistake = str(bad)
    return Verification(actions, is_finished, is_torn, mistake, is_sealed, is_opening_checked, signing)


def verify_file(path: Path) -> Verification:
    """Verify the log in a file and return the result. Errors are returned as `mistake`, not raised."""
    try:
        return verify(read_file(path))
    except OSError as error:
        return Verification(0, False, False, error.strerror or str(error))


def _can_check_opening(header: Header) -> bool:
    """Return whether the opening in the header can be compared with the opening that this program makes from the seed.

    False if the opening comes from a book of openings, or was made by another version. True if there is no opening.
    """
    if header.opening is None:
        return True
    openings = load_openings(header.game)
    is_ours = openings is not None and header.opening.version == openings.version
    return is_ours and header.opening.source == "drawn" and header.seed is not None


def check_signatures(log: Log) -> Signing | None:
    """Return the key and the number of signed lines of `log`. None for an unsigned log.

    Raise BadLog if a signature is invalid.
    """
    key = log.header.key
    if key is None:
        return None
    check = checker()
    running = sha256()
    made: list[tuple[int, bytes, bytes]] = []
    for number, line in enumerate(log.lines, 1):
        found = SIGNATURE.search(line)
        if found is not None and number > 1:
            upto = running.copy()
            upto.update(line[: found.start()])
            made.append((number, bytes.fromhex(found[1].decode()), PREFIX + upto.digest()))
        running.update(line + b"\n")
    last = made[-1][0] if made else 0
    if check is None or not made:
        return Signing(key, len(log.lines), last, check is not None)
    held = next((place for place in reversed(range(len(made))) if check(key, *made[place][1:])), -1)
    if held < len(made) - 1:
        since, upto_line = made[held][0] + 1 if held >= 0 else 1, made[held + 1][0]
        who = f"{key[:LINK_DIGITS]} did not sign them like this"
        raise BadLog(upto_line, f"the signature does not hold: lines {since} to {upto_line} were changed, {who}")
    return Signing(key, len(log.lines), last, True)
