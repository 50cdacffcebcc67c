"""The words of a tournament: entrants, seed groups, played games. Plain data, no behaviour."""

import hashlib
from functools import cached_property
from typing import Any, Literal

import msgspec

from protocol.log import Seed
from rails_cli.sandbox import RemovedLevel, Wish

BUILTIN = "builtin:"
POOL = "pool:"
"""The prefix of the spec of an entrant in the results of a server's pool."""

FaultPolicy = Literal["last_place", "void_and_replay"]
"""What becomes of a game in which a bot failed too often: a substitute plays on, and the bot is ranked last; or the
game is broken off, which the bot has lost, and played again."""


class Entrant(msgspec.Struct, frozen=True):
    """Who takes part."""

    name: str
    """Unique in a tournament."""
    spec: str
    """`builtin:NAME`, a command line, or, in the results of the pool of a server, `pool:OWNER`."""
    environment: dict[str, str] = {}
    """Variables added to the bot's environment."""
    memory_bytes: int | None = None
    cpu_s: int | None = None
    open_files: int | None = None
    file_bytes: int | None = None
    folder: str = ""
    """Where the command is run, seen from the folder of the plan."""
    processes: int | None = None
    freeze: bool = False
    """Whether it is stopped while others are to move."""
    sandbox: Wish | RemovedLevel = "none"
    network: bool = False
    """Whether it may use the network in its sandbox."""
    reads: list[str] = []
    """What else it may read there."""
    image: str = ""
    """What it is started in with `podman`."""
    user: str = ""
    """Whom it is run as, if not as we are."""

    @property
    def is_program(self) -> bool:
        """Whether it is started by its command."""
        return not self.spec.startswith((BUILTIN, POOL))


class Setting(msgspec.Struct, frozen=True):
    """A game with its number of players and options."""

    game: str
    players: int
    options: dict[str, str] = {}
    board: str = "standard"
    """Another board goes by the digest of its file."""


class SeedGroup(msgspec.Struct, frozen=True, dict=True):
    """One seed of one setting with all its seatings, the unit of fairness: its games depend on each other."""

    setting: Setting
    seed: Seed
    seatings: list[list[str]]
    """For each game the names of the entrants by seat."""
    stage: str = ""
    """Where in the format it belongs: a round, a pairing."""

    @cached_property
    def id(self) -> str:
        """The same for the same games, whenever and wherever they are played."""
        said = {"seatings": self.seatings, "seed": self.seed, "setting": self.setting, "stage": self.stage}
        content = msgspec.json.encode(said, order="sorted")
        return hashlib.sha256(content).hexdigest()[:16]


class Played(msgspec.Struct, frozen=True):
    """One finished game of a group."""

    group: str
    """Id of the seed group."""
    number: int
    """Which seating of the group."""
    setting: Setting
    seed: Seed
    seating: list[str]
    """Entrants by seat."""
    scores: list[int]
    ranks: list[int]
    """1 has won, ties share a rank."""
    reason: str
    """`normal`, or why it was broken off: with `interrupted` nobody is to blame, with `absent` too few were there."""
    faults: list[int]
    """By seat."""
    is_tainted: bool
    """Whether a fault changed who played: a default was played, or a substitute took over."""
    ms: list[int]
    """Time used by seat."""
    actions: int
    economy: list[dict[str, Any]] = []
    """By seat: what was paid for shares, what they returned, and so on."""
    log: str | None = None
    """The log, relative to the folder of the tournament."""
    lost: list[int] = []
    """Seats that were lost by faults: they are ranked last, whoever played on there."""
    absent: list[int] = []
    """Seats of entrants who are suspended: a substitute plays there, and the game does not count for them."""
    head: str | None = None
    """The head of the log's chain: the SHA-256 of the file."""
    deal: Seed | None = None
    """What it was dealt from, where the games of a group are not dealt alike."""
    fingerprint: str = ""
    """The same for games of the same setting, first position and actions by the same entrants in the same seats; empty
    if it was not played to an end."""
