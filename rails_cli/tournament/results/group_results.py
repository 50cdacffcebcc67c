"""The results of a seed group, as a worker returns them, and the folders that their files are in.

The store reads and writes results without playing games. This module saves it the import of everything that plays.
"""

from hashlib import sha256

import msgspec

from rails_cli.logs.chain import signed
from rails_cli.logs.signing import SigningKey
from rails_cli.tournament.model import PlayedGame

LOGS = "logs"
"""Folder of the logs, inside the folder of a tournament."""
NOTES = "stderr"
"""Folder of the stderr of bots, inside the folder of a tournament."""


class GameFault(msgspec.Struct, frozen=True):
    """A mistake made by a bot."""

    number: int
    """Number of the game in its group."""
    action: int
    """Number of the action that was requested."""
    seat: int
    entrant: str
    code: str
    message: str
    stderr: str = ""
    """The end of the bot's stderr."""

    def __str__(self) -> str:
        return f"{self.entrant} (seat {self.seat + 1}, action {self.action}): {self.code}: {self.message}"


class GroupPlayed(msgspec.Struct, frozen=True):
    """The results of a group."""

    group: str
    games: list[PlayedGame]
    faults: list[GameFault]
    seconds: float
    logs: dict[str, bytes] = {}
    """Content of the logs by name, if workers return logs."""
    notes: dict[str, bytes] = {}
    """Stderr of bots by entrant, if workers cannot write to the folder."""
    last_words: dict[str, str] = {}
    """The end of the stderr of entrants that lost a seat."""
    finished: float | None = None
    """Unix time in seconds at which the group finished. None means now."""


def log_name(group: str, number: int) -> str:
    """Return the path of a game's log, relative to the folder of the tournament."""
    return f"{LOGS}/{group}-{number}.jsonl"


def with_signed_logs(result: GroupPlayed, signer: SigningKey) -> GroupPlayed:
    """Return the result with signed logs."""
    logs = {name: signed(log, signer) for name, log in result.logs.items()}
    heads = {name: sha256(log).hexdigest() for name, log in logs.items()}
    games = [msgspec.structs.replace(game, head=heads.get(game.log or "")) for game in result.games]
    return msgspec.structs.replace(result, logs=logs, games=games)
