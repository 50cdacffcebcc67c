"""The results of a seed group (games with one seed), as a worker returns them, and names of folders.

This module does not import the code that plays games. So the store can read results without this code.
"""

from hashlib import sha256
from typing import Annotated, Any

import msgspec

from rails_cli.logs.chain import signed
from rails_cli.logs.signing import SigningKey
from rails_cli.tournament.model import PlayedGame

LOGS = "logs"
"""Name of the folder of the logs, inside the results folder of a tournament."""
NOTES = "stderr"
"""Name of the folder of the files with the stderr of bots, inside the results folder of a tournament."""


MOST_TOKENS = 1_000_000_000
"""Largest number of tokens that a bot can report with one answer."""


class TokenReport(msgspec.Struct, frozen=True):
    """The part of `info` in an answer that reports the number of language model tokens used for the answer."""

    tokens: Annotated[int, msgspec.Meta(ge=0, le=MOST_TOKENS)]


class GameFault(msgspec.Struct, frozen=True):
    """A fault of a bot in a game, such as a late or illegal answer."""

    number: int
    """Number of the game in its seed group."""
    action: int
    """Number of the action that the bot was asked for. 0 if the game was not played."""
    seat: int
    entrant: str
    code: str
    message: str
    stderr: str = ""

    def __str__(self) -> str:
        return f"{self.entrant} (seat {self.seat + 1}, action {self.action}): {self.code}: {self.message}"


class GroupPlayed(msgspec.Struct, frozen=True):
    """The results of a seed group (the games with one seed and setting)."""

    group: str
    games: list[PlayedGame]
    faults: list[GameFault]
    seconds: float
    logs: dict[str, bytes] = {}
    """Mapping from the path of a log to its content. Empty if the worker has written the log files."""
    notes: dict[str, bytes] = {}
    """Mapping from the name of an entrant to the stderr of its bot. Empty if the worker has written the files."""
    last_words: dict[str, str] = {}
    """Mapping from the name of an entrant that lost a seat to the last lines of its bot's stderr."""
    finished: float | None = None
    """Unix time in seconds at which the seed group finished.

    None means the time at which it is stored.
    """


def reported_tokens(info: Any) -> int | None:
    """Return the tokens that a bot reports in `info` of an answer, as `{"tokens": 1234}`.

    Return 0 if there is no report, and None if the report is not a whole number from 0 to MOST_TOKENS.
    """
    if info is None:
        return 0
    try:
        if isinstance(info, msgspec.Raw):
            return msgspec.json.decode(info, type=TokenReport).tokens
        return msgspec.convert(info, TokenReport).tokens
    except msgspec.ValidationError:
        return None if _has_report(info) else 0


def _has_report(info: Any) -> bool:
    if isinstance(info, msgspec.Raw):
        try:
            info = msgspec.json.decode(info, type=dict[str, msgspec.Raw])
        except msgspec.ValidationError:
            return False
    return isinstance(info, dict) and "tokens" in info


def log_name(group: str, number: int) -> str:
    """Return the path of the log of game `number` in the seed group with the id `group`.

    The path is relative to the results folder of the tournament.
    """
    return f"{LOGS}/{group}-{number}.jsonl"


def with_signed_logs(result: GroupPlayed, signer: SigningKey) -> GroupPlayed:
    """Return `result` with signed logs, and with the hashes of the signed logs in its games."""
    logs = {name: signed(log, signer) for name, log in result.logs.items()}
    heads = {name: sha256(log).hexdigest() for name, log in logs.items()}
    games = [msgspec.structs.replace(game, head=heads.get(game.log or "")) for game in result.games]
    return msgspec.structs.replace(result, logs=logs, games=games)
