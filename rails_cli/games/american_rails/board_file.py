"""The structure of a board file of American Rails."""

from typing import Literal

import msgspec

from rails_cli.protocol.american_rails import SpaceName


class ProvenanceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the values of a board come from, and which values may be wrong.

    `summary` describes the origin in one or two sentences. `reconstruction` replaces `summary` if `summary` is empty.
    `uncertain` describes the values that may be wrong.
    """

    summary: str = ""
    sources: list[str] = []
    reconstructed: list[str] = []
    """Ids of hexes whose location was invented, because no source shows the location."""
    reconstruction: str = ""
    single_source: bool = False
    """Whether all values of hexes come from one source only. The values in `confirmed` are exceptions."""
    confirmed: dict[str, list[str]] = {}
    """Values of hexes that the rulebook or a second source confirms.

    Each attribute, such as the cost, is mapped to the ids of the hexes for which it is confirmed.
    """
    uncertain: list[str] = []


class GridFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    orientation: str
    coordinates: str


class PlayersFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values that depend on the number of players (AR-1, AR-3, AR-32, AR-51).

    `cash` is the starting cash of each player. `companies_removed` is the number of companies that are not in play.
    `low_supplies` is the number of low supplies that ends the game. `take_may_expand` says whether a player on the
    space Take may place cubes instead of taking money.
    """

    cash: int
    companies_removed: int
    low_supplies: int
    take_may_expand: bool


class CompanyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A company (AR-2). `cubes` is its number of cubes, including the cube that marks the income."""

    id: str
    colour: str
    cubes: int
    shares: int


class TerrainFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cost of a cube in one terrain: `base` dollars, plus `per_piece` dollars for each piece in the hex (AR-36).

    `limit` is the number of pieces that a hex of the terrain can hold, or None for no limit.
    """

    base: int
    per_piece: int
    limit: int | None


class TerrainsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    city: TerrainFile
    plain: TerrainFile
    forest: TerrainFile
    mountain: TerrainFile


class ExpansionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Maximum number of cubes that a player may place in one turn, for each space that allows an expansion."""

    take: int
    expand3: int
    expand4: int


class DevelopmentFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Dollars that a development marker adds to the yearly income from a city.

    `full` is for a company that is alone in the city, `shared` for each of several companies.
    """

    full: int
    shared: int


class LinksFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The names of the cities with a link bonus, and the yearly income in dollars for each pair of linked cities."""

    cities: list[str]
    income_per_pair: int


class HexFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One hex of a board file. Only cities have a name, income values and the field `developable`.

    `full` is the income of a company that is alone in the city, `shared` the income of each of several companies.
    """

    id: str
    q: int
    r: int
    terrain: Literal["city", "plain", "forest", "mountain"]
    name: str | None = None
    full: int | None = None
    shared: int | None = None
    developable: bool | None = None


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Structure of a board file. Companies and hexes are decoded one by one, so that every mistake is reported.

    - `format`: version of the structure.
    - `players`: values for each number of players. The keys are these numbers as texts.
    - `markers`: number of development markers.
    - `low_supply`: largest number of pieces for which a supply counts as low.
    - `phases`: number of phases in a year.
    - `spaces`: the spaces of the action track, from top to bottom.
    - `fund`: dollars that a company receives by the action Fund.
    - `take`: dollars that the bank pays, or that each other player pays, by the action Take.
    """

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
