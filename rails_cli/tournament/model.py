"""Data types of a tournament: entrants, settings, seed groups (games with one seed) and played games."""

import hashlib
from functools import cached_property
from typing import Any, Literal

import msgspec

from rails_cli.match.seat_specs import BUILTIN
from rails_cli.programs.sandbox import SandboxChoice
from rails_cli.protocol.log import Seed

POOL = "pool:"
"""Prefix of `Entrant.spec` for a player connected to a server. The name of the player's owner follows the prefix."""

FaultPolicy = Literal["last_place", "void_and_replay"]
"""What happens if a bot fails too often in a game.

- `last_place`: a substitute finishes the game, and the bot is ranked last.
- `void_and_replay`: the game is aborted and counts as a loss of the bot. Then it is played again.
"""


class Entrant(msgspec.Struct, frozen=True):
    """A participant of a tournament, with the resource limits and the sandbox of its bot."""

    name: str
    spec: str
    """Player of the entrant: `builtin:NAME`, a command line, or `pool:OWNER` for a player connected to a server."""
    environment: dict[str, str] = {}
    memory_bytes: int | None = None
    cpu_s: int | None = None
    open_files: int | None = None
    file_bytes: int | None = None
    folder: str = ""
    """Folder in which the command runs, relative to the folder of the plan."""
    processes: int | None = None
    freeze: bool = False
    """Whether the process of the bot is stopped while other seats are to move."""
    sandbox: SandboxChoice = "none"
    network: bool = False
    reads: list[str] = []
    """Further paths that the bot may read in its sandbox."""
    image: str = ""
    user: str = ""
    """System user the bot runs as. Empty means the current user."""
    clock: str | None = None
    """Time control of the entrant. None means the time control of the plan."""

    @property
    def is_program(self) -> bool:
        """Whether `spec` is a command line, which is started as a process."""
        return not self.spec.startswith((BUILTIN, POOL))


class Setting(msgspec.Struct, frozen=True):
    """A game with its number of players, options and board."""

    game: str
    players: int
    options: dict[str, str] = {}
    board: str = "standard"
    """`standard` for the standard board, or the digest of the contents of a board file."""


class SeedGroup(msgspec.Struct, frozen=True, dict=True):
    """The games that are played with one seed and one setting, one game for each seating.

    Statistics treat a seed group as one observation, because its games are not independent.
    """

    setting: Setting
    seed: Seed
    seatings: list[list[str]]
    stage: str = ""
    """Part of the tournament in which the games are played, such as `round 2` or `final table 1`."""

    @cached_property
    def id(self) -> str:
        """Hash of the fields of this object. Objects with equal fields have the same id on all machines."""
        said = {"seatings": self.seatings, "seed": self.seed, "setting": self.setting, "stage": self.stage}
        content = msgspec.json.encode(said, order="sorted")
        return hashlib.sha256(content).hexdigest()[:16]


class PlayedGame(msgspec.Struct, frozen=True):
    """The result of one game of a seed group. The game may have been aborted.

    `faults` has the number of faults of each seat, and `ms` the thinking time of each seat in milliseconds.
    """

    group: str
    number: int
    """Index of the game in its seed group, which consists of games with the same seed.

    An aborted game may be played again, up to twice. In a seed group of n games, the repetitions of game i have the
    numbers i + n and i + 2n.
    """
    setting: Setting
    seed: Seed
    seating: list[str]
    scores: list[int]
    ranks: list[int]
    """Rank of each seat. 1 is the winner. Tied seats have the same rank."""
    reason: str
    """`normal`, or the reason for which the game was aborted or not played, such as `timeout` or `interrupted`.

    `interrupted` means that no entrant is to blame. `absent` means that fewer than two entrants were present.
    """
    faults: list[int]
    is_tainted: bool
    """Whether a fault affected the game: a default action was played, a substitute took over, or the game was aborted.
    """
    ms: list[int]
    actions: int
    economy: list[dict[str, Any]] = []
    """For each seat, a mapping from the name of an economic figure to its value, such as the money paid for shares.

    Empty if not recorded.
    """
    log: str | None = None
    """Path of the log, relative to the results folder of the tournament. None if the game has no log."""
    lost: list[int] = []
    """Seats whose entrants failed too often. These seats are ranked last, even if a substitute finished the game."""
    absent: list[int] = []
    """Seats of suspended entrants. A substitute plays these seats, and the game does not count for these entrants."""
    head: str | None = None
    """SHA-256 of the log file, which is the last value of its hash chain. None if the game has no log."""
    deal: Seed | None = None
    """Seed with which this game was set up. None means the seed of the seed group."""
    fingerprint: str = ""
    """Hash of setting, first position, actions and seating. Two equal games have the same fingerprint.

    Empty if there are no actions or no result.
    """
    trail: str = ""
    """The course of a game as text, from which `CopyFinder` sees whether players always answer in the same way.

    It is a hash of the first position and seating, followed by a seat and a hash for each move (see `copies.trail_of`).
    Empty if the fingerprint is empty, if the game has an opening, or if its seed affects the game.
    """
    answers: list[int] = []
    """Number of actions that each seat chose itself. Empty if only built-in players without a clock played."""
    tokens: list[int] = []
    """Number of language model tokens of each seat, as reported by bots with their answers.

    Empty if none were reported.
    """
    bad_reports: list[int] = []
    """Number of answers of each seat with a report of tokens that is not a whole number. Empty if there are none."""
