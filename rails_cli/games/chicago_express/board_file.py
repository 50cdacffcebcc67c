"""The structure of a board file of Chicago Express."""

from typing import Any, Literal

import msgspec

from rails_cli.protocol.chicago_express import Terrain


class HexFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One hex of a board file. Fields that the terrain of the hex does not need are omitted.

    `cost` and `income` are in dollars. `develop` is the additional income after development, and `develop_cash` is the
    amount that each company in the hex receives for the development. `name_confidence` says how certain the name is,
    and `name_candidates` has other possible names.
    """

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
    """The scale of an industrial hex: a list of its incomes in dollars, in order.

    A marker stands at the current income. `moves` says what moves the marker one step: developments or dividends.
    """

    hex: str
    values: list[int]
    moves: Literal["develop", "dividend"]


class CompanyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A company. `opens` is "chicago" if its shares are sold only after another company has reached Chicago.

    `start` is the id of the hex of its first locomotive. `opening_bid` is the minimum bid in the opening auction, or
    None if the company has no opening auction.
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
    """For each action, how often players may choose it between two general dividends, which all companies pay."""

    auction: int
    expand: int
    develop: int


class EndFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits that end the game. The game ends after a general dividend (of all companies) if a limit is reached.

    The first two limits are numbers of companies. `detroit_at` is an income on the scale of Detroit.
    """

    companies_without_locomotives: int
    companies_without_shares: int
    houses_left_at_most: int
    detroit_at: int


class DoubtFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A doubtful value of a hex: no second source confirms it.

    `id` is the hex id, and `field` names the value. `alternative` is another possible value, and `why` is the reason
    for choosing `value`.
    """

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
    """Values of hexes that the rulebook or a second source confirms.

    Each attribute, such as the cost, is mapped to the ids of the hexes for which it is confirmed.
    """
    sources: list[str] = []
    grid: dict[str, str] = {}
    uncertain: list[DoubtFile] = []
