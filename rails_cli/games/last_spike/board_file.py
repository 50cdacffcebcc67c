"""What a board file of The Last Spike holds, with where each value comes from."""

from typing import Literal

import msgspec

Provenance = Literal["printed", "derived", "reconstructed"]


class SourceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    title: str
    url: str | None
    used_for: str


class NumberFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: int
    provenance: Provenance


class CityNameFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: str
    provenance: Provenance


class ByPlayersFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    by_players: dict[int, int]
    provenance: Provenance


class ResaleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    numerator: int
    denominator: int
    round_up_to: int
    provenance: Provenance


class PropertyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    price: int
    provenance: Provenance


class PayoutFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    amount: int
    provenance: Provenance


class CityFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    x: int
    y: int
    place: Provenance
    properties: list[PropertyFile]
    payout: list[PayoutFile]


class PieceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    cost: int
    provenance: Provenance
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
