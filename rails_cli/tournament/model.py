"""The data types of a tournament: entrants, seed groups, played games. They have no behaviour."""

import hashlib
from functools import cached_property
from typing import Any, Literal

import msgspec

from rails_cli.programs.sandbox import SandboxChoice
from rails_cli.protocol.log import Seed

BUILTIN = "builtin:"
POOL = "pool:"
"""Prefix of the spec of an entrant in the results of a server's pool."""

FaultPolicy = Literal["last_place", "void_and_replay"]
"""What happens to a game in which a bot failed too often.

`last_place`: a substitute plays on and the bot is ranked last. `void_and_replay`: the game is aborted as a loss of the
bot and played again.
"""


class Entrant(msgspec.Struct, frozen=True):
    """A participant of a tournament, with its limits and sandbox."""

    name: str
    """Name of the entrant, unique in a tournament."""
    spec: str
    """`builtin:NAME`, a command line, or, in the results of the pool of a server, `pool:OWNER`."""
    environment: dict[str, str] = {}
    """Variables added to the bot's environment."""
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
    """Whether the bot may use the network in its sandbox."""
    reads: list[str] = []
    """Additional paths that the bot may read in its sandbox."""
    image: str = ""
    """Container image used with `podman`."""
    user: str = ""
    """System user the bot runs as. Empty means the current user."""

    @property
    def is_program(self) -> bool:
        """Whether `spec` is a command, which is started as a process."""
        return not self.spec.startswith((BUILTIN, POOL))


class Setting(msgspec.Struct, frozen=True):
    """A game with its number of players and options."""

    game: str
    players: int
    options: dict[str, str] = {}
    board: str = "standard"
    """`standard`, or the digest of a board file."""


class SeedGroup(msgspec.Struct, frozen=True, dict=True):
    """One seed of one setting with all its seatings.

    It is the unit of fairness, because its games are not independent.
    """

    setting: Setting
    seed: Seed
    seatings: list[list[str]]
    """Names of the entrants by seat, for each game."""
    stage: str = ""
    """Part of the format to which the group belongs, such as a round or a pairing."""

    @cached_property
    def id(self) -> str:
        """Hash of the content, equal for equal groups on all machines."""
        said = {"seatings": self.seatings, "seed": self.seed, "setting": self.setting, "stage": self.stage}
        content = msgspec.json.encode(said, order="sorted")
        return hashlib.sha256(content).hexdigest()[:16]


class PlayedGame(msgspec.Struct, frozen=True):
    """One finished game of a group."""

    group: str
    """Id of the seed group."""
    number: int
    """Number of the seating in the group, plus a multiple of the group's size if the game is played again."""
    setting: Setting
    seed: Seed
    seating: list[str]
    """Names of the entrants by seat."""
    scores: list[int]
    ranks: list[int]
    """Ranks by seat. 1 is the winner, ties share a rank."""
    reason: str
    """`normal`, or why the game was aborted: `interrupted` (no entrant's fault), `absent` (too few present)."""
    faults: list[int]
    """Number of faults by seat."""
    is_tainted: bool
    """Whether a fault affected the play: a default action was played, or a substitute took over."""
    ms: list[int]
    """Thinking time used by seat, in milliseconds."""
    actions: int
    economy: list[dict[str, Any]] = []
    """Economic figures by seat, such as what was paid for shares and what they returned."""
    log: str | None = None
    """Path of the log, relative to the folder of the tournament."""
    lost: list[int] = []
    """Seats lost by faults. They are ranked last, even if a substitute plays on."""
    absent: list[int] = []
    """Seats of suspended entrants. A substitute plays, and the game does not count for them."""
    head: str | None = None
    """Head of the log's hash chain: the SHA-256 of the file."""
    deal: Seed | None = None
    """Seed of the deal, if the games of a group have different deals."""
    fingerprint: str = ""
    """Equal for games with the same setting, first position, actions and seating.

    Empty if the game was not finished.
    """
