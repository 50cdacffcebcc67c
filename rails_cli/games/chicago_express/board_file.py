"""The structure of a board file of Chicago Express."""

from typing import Any, Literal

import msgspec

from rails_cli.protocol.chicago_express import Terrain


class HexFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One hex of a board file. Fields that the terrain of the hex does not need are omitted."""

    id: str
    q: int
    r: int
    terrain: Terrain
    name: str | None = None
    name_confidence: Literal["certain", "high", "medium", "low"] | None = None
    name_candidates: list[str] = []
    cost: int | None = None
    income: int | None = None
    develop: int | None = None
    develop_cash: int | None = None


class ScaleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scale of an industrial hex: its incomes in dollars in order, and what moves its marker one step.

    `moves` says whether developments or dividends move the marker.
    """

    hex: str
    values: list[int]
    moves: Literal["develop", "dividend"]


class CompanyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A company.

    `opens` is "chicago" for the company whose shares are sold only after another company reaches Chicago.
    """

    id: str
    name: str
    colour: str
    shares: int
    locomotives: int
    start: str
    opens: Literal["start", "chicago"]
    opening_bid: int | None = None


class DialFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Number of times that players may choose each action between two general dividends (of all companies)."""

    auction: int
    expand: int
    develop: int


class EndFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits at which the game ends after a general dividend (of all companies)."""

    companies_without_locomotives: int
    companies_without_shares: int
    houses_left_at_most: int
    detroit_at: int


class DoubtFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value of a hex that no second source confirms, another possible value, and the reason for the choice."""

    id: str
    field: Literal["terrain", "name", "cost", "income", "develop", "develop_cash", "scale"]
    value: Any
    alternative: Any
    why: str


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal[1]
    game: Literal["chicago_express"]
    name: str
    title: str
    hexes: list[HexFile]
    scales: list[ScaleFile]
    companies: list[CompanyFile]
    chicago: str
    dials: DialFile
    expand_max: int
    houses: int
    cash: dict[str, int]
    end: EndFile
    provenance: str = ""
    origins: dict[str, Literal["printed", "single_source", "derived", "reconstructed"]] = {}
    confirmed: dict[str, list[str]] = {}
    """Mapping from an attribute of hexes, such as the cost, to the ids of the hexes whose value is confirmed.

    A value is confirmed by the rulebook or by another source.
    """
    sources: list[str] = []
    grid: dict[str, str] = {}
    uncertain: list[DoubtFile] = []
