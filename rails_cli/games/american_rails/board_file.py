"""What a board file of American Rails holds."""

from typing import Literal

import msgspec

from protocol.american_rails import SpaceName


class ProvenanceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the values come from and which may be wrong."""

    summary: str = ""
    sources: list[str] = []
    reconstructed: list[str] = []
    """The hexes whose places are not those of any source."""
    reconstruction: str = ""
    single_source: bool = False
    """Whether the hexes rest on one source, but for what is confirmed."""
    confirmed: dict[str, list[str]] = {}
    """The hexes whose value of a field the rulebook or a second source shows too."""
    uncertain: list[str] = []


class GridFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    orientation: str
    coordinates: str


class PlayersFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What depends on the number of players: AR-1, AR-3, AR-32, AR-51."""

    cash: int
    companies_removed: int
    low_supplies: int
    take_may_expand: bool


class CompanyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """AR-2; `cubes` counts the one that marks the income."""

    id: str
    colour: str
    cubes: int
    shares: int


class TerrainFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """AR-36; `limit` is how many cubes a hex can hold, null for no limit."""

    base: int
    per_piece: int
    limit: int | None


class TerrainsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    city: TerrainFile
    plain: TerrainFile
    forest: TerrainFile
    mountain: TerrainFile


class ExpansionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many cubes each Expand action may place."""

    take: int
    expand3: int
    expand4: int


class DevelopmentFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a marker adds to the full and to the shared value of a city."""

    full: int
    shared: int


class LinksFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bonus cities, by name."""

    cities: list[str]
    income_per_pair: int


class HexFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One hex; only cities have the last four."""

    id: str
    q: int
    r: int
    terrain: Literal["city", "plain", "forest", "mountain"]
    name: str | None = None
    full: int | None = None
    shared: int | None = None
    developable: bool | None = None


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board file; the entries of its two lists are decoded one by one, so that every wrong one is named."""

    format: int
    game: str
    name: str
    title: str
    grid: GridFile
    players: dict[str, PlayersFile]
    companies: list[msgspec.Raw]
    markers: int
    low_supply: int
    years: list[int]
    phases: int
    spaces: list[SpaceName]
    minimum_bid: int
    fund: int
    take: int
    expansion: ExpansionFile
    terrain: TerrainsFile
    development: DevelopmentFile
    links: LinksFile
    hexes: list[msgspec.Raw]
    provenance: ProvenanceFile = ProvenanceFile()
