"""The structure of a board file of The Last Spike, with the origin of each value."""

from typing import Literal

import msgspec

Provenance = Literal["printed", "derived", "reconstructed"]


class TracedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of entries in a board file that state the origin of their values."""

    provenance: Provenance


class SourceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    title: str
    url: str | None
    used_for: str


class NumberFile(TracedFile, frozen=True):
    value: int


class CityNameFile(TracedFile, frozen=True):
    value: str


class ByPlayersFile(TracedFile, frozen=True):
    by_players: dict[int, int]


class ResaleFile(TracedFile, frozen=True):
    numerator: int
    denominator: int
    round_up_to: int


class PropertyFile(TracedFile, frozen=True):
    id: str
    price: int


class PayoutFile(TracedFile, frozen=True):
    amount: int


class CityFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    x: int
    y: int
    place: Provenance
    properties: list[PropertyFile]
    payout: list[PayoutFile]


class PieceFile(TracedFile, frozen=True):
    id: str
    cost: int
    terrain: str = ""


class RouteFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    start: str = msgspec.field(name="from")
    to: str
    link: Provenance
    letter: Provenance
    numbering: Provenance
    pieces: list[PieceFile]
    note: str = ""


class BoardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal[1]
    game: Literal["last_spike"]
    name: str
    title: str
    starting_cash: ByPlayersFile
    hand_size: NumberFile
    set_aside: ByPlayersFile
    start_city: CityNameFile
    end_city: CityNameFile
    last_spike_bonus: NumberFile
    non_adjacent_multiplier: NumberFile
    resale: ResaleFile
    cities: list[msgspec.Raw]
    routes: list[msgspec.Raw]
    edition: str = ""
    status: str = ""
    provenance_legend: dict[str, str] = {}
    sources: list[SourceFile] = []
    uncertain: list[str] = []
    notes: list[str] = []
