"""The board of American Rails: decoding and validation of board files, and lookup tables for the rules.

The rules use numbers for hexes, companies and spaces of the action track. The numbers follow the order of the board
file.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, Literal

import msgspec

from rails_cli.games.american_rails.board_file import BoardFile, CompanyFile, HexFile, TerrainFile
from rails_cli.games.american_rails.questions import Expand
from rails_cli.games.board_checks import known_fields, name_mistakes, range_mistakes, read_entries
from rails_cli.games.game import BoardError, BoardNotes, WireBoard, decode_board
from rails_cli.games.shared.auction import READY_BIDS
from rails_cli.games.shared.hexgrid import mask_of, neighbour_numbers, numbers_in, reachable
from rails_cli.protocol.american_rails import Action, Build, Choose, Develop, Entry, Found, Fund, Offer, SpaceName, Take
from rails_cli.protocol.common import Pass

PLAYERS = (3, 4, 5)
SPACES: tuple[SpaceName, ...] = ("pass", "develop", "fund", "take", "expand3", "auction", "expand4")

SOURCES: tuple[Literal["bank", "players"], ...] = ("bank", "players")
"""The possible sources of money for the action Take.

Either the bank pays the player, or the other players pay the bank.
"""

PASS: Final = 0
PASS_ACTION: Final = Pass()
CHOOSE_FROM: Final = 1
"""Number of the move (see `moves.py`) that takes the top space of a column. Lower spaces have the next numbers."""

MOST_HEXES = 1000
MOST_COMPANIES: Final = 7  # so that one byte has a bit for each company and a bit for a marker
MOST_PIECES = 1000
MOST_MONEY = 1_000_000
MOST_COST = 250
FULL: Final = 255
"""Value used instead of a cost if a hex has no room for another cube."""
MOST_STEPS = 1_000_000
MOST_SHARES = 200


class Board:
    """A validated board with lookup tables.

    Indexed by hex:

    - `bit`: the mask of the hex.
    - `near` and `around`: its neighbours, as a mask and as a list of numbers.
    - `is_city`, `is_developable`, `names`: values from the board file.
    - `is_linked`: whether the hex is a city with a link bonus.
    - `full`: yearly income in dollars of a company that is alone in the city, before development. 0 for other hexes.
    - `shared`: the same income if several companies are in the city.
    - `values`: a pair of incomes (full, shared) before development, and the same pair after development.
    - `costs`: cost of the next cube, by number of pieces in the hex. FULL if the hex has no room.
    - `price`: the same costs, by mask of pieces.
    - `first_costs`: cost of the first cube.

    For all hexes together:

    - `richest`: the highest income in `values`.
    - `cheapest`: the lowest cost in `first_costs`.

    Indexed by company:

    - `cubes`: number of cubes, without the cube that marks the income.
    - `shares`: number of shares.

    Indexed by number of players:

    - `rules_for`: the values in the board file for this number of players.
    - `take_cubes`: number of cubes that may be placed instead of taking money.

    Indexed by space of the action track:

    - `expansions`: number of cubes that a seat on the space may place.

    A column of the action track has `height` spaces. Other values that the rules often need, such as `phases`, are
    copied from the board file.

    Moves are actions as numbers, see `moves.py`:

    - `actions`, by move: the action. Bids are not included.
    - `numbers`: a dictionary from each action, with and without its cost, to its move.
    - `takes_at`, `offers_at`, `funds_at`, `founds_at`, `develops_at`, `builds_from[company]`, `bids_at`: the lowest
      number of the moves that take money, offer a share and so on. Each kind of move has consecutive numbers. Those of
      `takes_at` are in the order of SOURCES, and those of `bids_at` in the order of amounts. Those of `offers_at` and
      `funds_at` are in the order of companies, and all others in the order of hexes.
    - `company_of` and `place_of`, by build move: the company and the hex.
    - `priced`, by build move: a dictionary from each possible cost to the build action with this cost.

    Computed in advance:

    - `expand[cubes][seat]`: the question that asks a seat for the next cube, if `cubes` cubes may still be placed.
    - `choices[mask]`: moves that take one of the free spaces in `mask`, from bottom to top. `pass` is last.
    - `choice_entries[mask]`: the same moves as actions.
    - `builds[company][hex]`: moves that place a cube. Positions refer to these int objects, so they need less memory.
      The type is Any, because compiled code would create new objects for ints.
    - `offers`: moves that offer a share, by company.
    - `funds[mask]`: moves that fund a company. The companies in `mask` are left out.
    - `starts`: moves that place a company's first cube in a city.
    - `ready_bids`: moves that bid $0, $1 and so on.
    """

    def __init__(self, file: BoardFile, companies: Sequence[CompanyFile], hexes: Sequence[HexFile]) -> None:
        self.file = file
        self.hexes = hexes
        self.rules_for = {int(players): rules for players, rules in file.players.items()}
        self.companies = len(companies)
        self.company_files = companies
        self.company_ids = [company.id for company in companies]
        self.company_number = {company.id: number for number, company in enumerate(companies)}
        self.cubes = [company.cubes - 1 for company in companies]  # AR-2: one cube marks the income
        self.shares = [company.shares for company in companies]
        self.expansion: dict[SpaceName, int] = msgspec.to_builtins(file.expansion)
        self.take_cubes = {
            players: self.expansion["take"] if rules.take_may_expand else 0 for players, rules in self.rules_for.items()
        }
        self.phases = file.phases
        self.markers = file.markers
        self.minimum_bid = file.minimum_bid
        self.fund = file.fund
        self.take = file.take
        self.spaces: list[SpaceName] = file.spaces
        self.height = len(file.spaces)
        self.space_number = {space: number for number, space in enumerate(file.spaces)}
        self.hex_ids = [place.id for place in hexes]
        self.hex_number = {place.id: number for number, place in enumerate(hexes)}
        self.bit = [1 << number for number in range(len(hexes))]
        self.near = [mask_of(beside) for beside in neighbour_numbers([(place.q, place.r) for place in hexes])]
        self.around = [numbers_in(near) for near in self.near]
        self.everywhere = (1 << len(hexes)) - 1
        self.is_city = [place.terrain == "city" for place in hexes]
        self.cities = mask_of(number for number, place in enumerate(hexes) if place.terrain == "city")
        self.is_developable = [place.developable for place in hexes]
        self.developable = mask_of(number for number, place in enumerate(hexes) if place.developable)
        self.is_linked = [place.name in file.links.cities for place in hexes]
        self.link_cities = mask_of(number for number, is_linked in enumerate(self.is_linked) if is_linked)
        self.names = [place.name or "" for place in hexes]
        self.full = [place.full or 0 for place in hexes]
        self.shared = [place.shared or 0 for place in hexes]
        self.values = [city_values(place.full, place.shared, msgspec.to_builtins(file.development)) for place in hexes]
        self.costs = [_costs(getattr(file.terrain, place.terrain), len(companies)) for place in hexes]
        self.first_costs = [costs[0] for costs in self.costs]
        self.cheapest = min(self.first_costs)
        numbers = [min(pieces.bit_count(), len(companies) + 1) for pieces in range(2 << MOST_COMPANIES)]
        by_costs = {costs: [costs[number] for number in numbers] for costs in dict.fromkeys(self.costs)}
        self.price = [by_costs[costs] for costs in self.costs]
        self.start_cities = numbers_in(self.cities)
        self.richest = max(max(alone, together) for values in self.values for alone, together in values)

        self.takes_at = CHOOSE_FROM + self.height
        self.offers_at = self.takes_at + len(SOURCES)
        self.funds_at = self.offers_at + self.companies
        self.founds_at = self.funds_at + self.companies
        self.develops_at = self.founds_at + len(hexes)
        self.builds_at = self.develops_at + len(hexes)
        self.builds_from = [self.builds_at + company * len(hexes) for company in range(self.companies)]
        self.builds: list[list[Any]] = [list(range(first, first + len(hexes))) for first in self.builds_from]
        self.bids_at = self.builds_at + self.companies * len(hexes)
        mildest_last = sorted(range(self.height), key=lambda space: (file.spaces[space] == "pass", -space))
        self.expansions = [getattr(file.expansion, space) if space.startswith("expand") else 0 for space in file.spaces]
        self.expand = [
            [Expand(cubes, seat) for seat in range(max(PLAYERS))]
            for cubes in range(1 + max(*self.expansions, self.expansion["take"]))
        ]
        self.choices = [
            [CHOOSE_FROM + space for space in mildest_last if free >> space & 1] for free in range(1 << self.height)
        ]
        self.offers = [self.offers_at + company for company in range(self.companies)]
        self.funds = [
            [self.funds_at + company for company in range(self.companies) if not absent >> company & 1]
            for absent in range(1 << self.companies)
        ]
        self.ready_bids = list(range(self.bids_at, self.bids_at + READY_BIDS))
        self.actions: list[Pass | Choose | Take | Offer | Fund | Found | Develop | Build] = [
            PASS_ACTION,
            *map(Choose, file.spaces),
            *map(Take, SOURCES),
            *map(Offer, self.company_ids),
            *map(Fund, self.company_ids),
            *map(Found, self.hex_ids),
            *map(Develop, self.hex_ids),
            *(Build(company, place) for company in self.company_ids for place in self.hex_ids),
        ]
        self.choice_entries: list[list[Entry]] = [[self.actions[move] for move in moves] for moves in self.choices]
        self.place_of = [0] * self.builds_at + list(range(len(hexes))) * self.companies
        self.company_of = [0] * self.builds_at
        for company in range(self.companies):
            self.company_of += [company] * len(hexes)
        self.priced: list[dict[int, Build]] = [{}] * self.builds_at
        for id in self.company_ids:
            for place, costs in zip(self.hex_ids, self.costs, strict=True):
                self.priced.append({cost: Build(id, place, cost) for cost in costs if cost != FULL})
        self.numbers: dict[Action, int] = {action: move for move, action in enumerate(self.actions)}
        for move, entries in enumerate(self.priced):
            self.numbers.update(dict.fromkeys(entries.values(), move))

    def __reduce__(self) -> tuple[type["Board"], tuple[BoardFile, Sequence[CompanyFile], Sequence[HexFile]]]:
        """Pickle only the board file. Unpickling rebuilds the tables from the file."""
        return Board, (self.file, self.company_files, self.hexes)

    def hex_list(self, mask: int) -> list[str]:
        return [self.hex_ids[number] for number in numbers_in(mask)]


def building_cost(base: int, per_piece: int, limit: int | None, pieces: int) -> int | None:
    """Return the cost of one more cube in a hex that has `pieces` pieces (AR-36).

    The cost is `base` dollars plus `per_piece` dollars for each piece. Return None if the hex holds only `limit` pieces
    and has no room.
    """
    return None if limit is not None and pieces >= limit else base + per_piece * pieces


def city_values(
    full: int | None, shared: int | None, marker: Mapping[str, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return two pairs of incomes of a company in a city (AR-40): before and after the city is developed.

    The first income of a pair is for a company that is alone in the city. The second is for each company if several are
    there. `marker` has the keys `full` and `shared`: the amounts that a development marker adds to these incomes.
    """
    alone, together = full or 0, shared or 0
    return (alone, together), (alone + marker["full"], together + marker["shared"])


def _costs(terrain: TerrainFile, companies: int) -> bytes:
    """Return a table of the cost of the next cube in a hex, indexed by the number of pieces in the hex.

    The cost is FULL if the hex has no room. `companies` is the number of companies. A hex holds at most one cube of
    each company and one marker.
    """
    costs = [building_cost(terrain.base, terrain.per_piece, terrain.limit, pieces) for pieces in range(companies + 2)]
    return bytes(FULL if cost is None else cost for cost in costs)


def read_board(content: bytes) -> Board:
    """Decode and validate a board file. Raise BoardError with a line for every mistake."""
    file = decode_board(content, "american_rails", BoardFile)
    mistakes: list[str] = []
    companies = read_entries(file.companies, CompanyFile, "company", mistakes)
    hexes = read_entries(file.hexes, HexFile, "hex", mistakes)
    if not mistakes:
        mistakes.extend(_mistakes(file, companies, hexes))
    if mistakes:
        raise BoardError(mistakes)
    return Board(file, companies, hexes)


def _mistakes(file: BoardFile, companies: Sequence[CompanyFile], hexes: Sequence[HexFile]) -> Iterator[str]:
    yield from _header_mistakes(file)
    yield from _player_mistakes(file, len(companies))
    yield from _company_mistakes(companies)
    yield from _number_mistakes(file, len(companies))
    yield from _hex_mistakes(hexes)
    yield from _map_mistakes(file, companies, hexes)


def _header_mistakes(file: BoardFile) -> Iterator[str]:
    if file.format != 1:
        yield f"format: {file.format} is unknown; this program reads 1"
    if file.game != "american_rails":
        yield f"game: {file.game!r} is not american_rails"
    yield from name_mistakes("name", file.name)
    yield from name_mistakes("title", file.title)


def _player_mistakes(file: BoardFile, companies: int) -> Iterator[str]:
    wanted = [str(players) for players in PLAYERS]
    yield from (
        f"players {players}: is not one of {', '.join(wanted)}" for players in file.players if players not in wanted
    )
    yield from (f"players {players}: is missing" for players in wanted if players not in file.players)
    for players, rules in file.players.items():
        entry = f"players {players}"
        yield from range_mistakes(f"{entry}: cash", rules.cash, 0, MOST_MONEY)
        yield from range_mistakes(f"{entry}: companies_removed", rules.companies_removed, 0, max(companies - 1, 0))
        yield from range_mistakes(f"{entry}: low_supplies", rules.low_supplies, 1, MOST_COMPANIES + 1)


def _company_mistakes(companies: Sequence[CompanyFile]) -> Iterator[str]:
    yield from range_mistakes("companies: their number", len(companies), 1, MOST_COMPANIES)
    yield from _repeated("company", [company.id for company in companies])
    for company in companies:
        entry = f"company {company.id}"
        yield from name_mistakes(f"{entry}: id", company.id)
        yield from name_mistakes(f"{entry}: colour", company.colour)
        yield from range_mistakes(f"{entry}: cubes", company.cubes, 2, MOST_PIECES)
        yield from range_mistakes(f"{entry}: shares", company.shares, 1, MOST_SHARES)


def _number_mistakes(file: BoardFile, companies: int) -> Iterator[str]:
    yield from range_mistakes("markers", file.markers, 0, MOST_PIECES)
    yield from range_mistakes("low_supply", file.low_supply, 0, MOST_PIECES)
    yield from range_mistakes("years: their number", len(file.years), 1, 100)
    yield from (f"years: {later} does not follow {year}" for year, later in pairwise(file.years) if later != year + 1)
    yield from (f"years: {year} is not between 1 and 9999" for year in file.years if not 1 <= year <= 9999)
    yield from range_mistakes("phases", file.phases, 1, 10)
    yield from (f"spaces: {space} is missing" for space in SPACES if space not in file.spaces)
    yield from _repeated("spaces:", file.spaces)
    yield from range_mistakes("minimum_bid", file.minimum_bid, 1, MOST_MONEY)
    yield from range_mistakes("fund", file.fund, 0, MOST_MONEY)
    yield from range_mistakes("take", file.take, 0, MOST_MONEY)
    for space in ("take", "expand3", "expand4"):
        yield from range_mistakes(f"expansion {space}: cubes", getattr(file.expansion, space), 1, MOST_PIECES)
    for name in ("city", "plain", "forest", "mountain"):
        terrain: TerrainFile = getattr(file.terrain, name)
        yield from range_mistakes(f"terrain {name}: base", terrain.base, 0, MOST_COST)
        yield from range_mistakes(f"terrain {name}: per_piece", terrain.per_piece, 0, MOST_COST)
        dearest = terrain.base + terrain.per_piece * (companies + 1)
        yield from range_mistakes(f"terrain {name}: the dearest cube, at", dearest, 0, MOST_COST)
        if terrain.limit is not None:
            yield from range_mistakes(f"terrain {name}: limit", terrain.limit, 1, MOST_COMPANIES)
    if file.terrain.city.limit is not None:
        yield "terrain city: limit is not null, but a city holds a cube of every company"
    yield from range_mistakes("development: full", file.development.full, 0, MOST_MONEY)
    yield from range_mistakes("development: shared", file.development.shared, 0, MOST_MONEY)
    yield from range_mistakes("links: income_per_pair", file.links.income_per_pair, 0, MOST_MONEY)


def _hex_mistakes(hexes: Sequence[HexFile]) -> Iterator[str]:
    yield from range_mistakes("hexes: their number", len(hexes), 1, MOST_HEXES)
    yield from _repeated("hex", [place.id for place in hexes])
    yield from _repeated("city", [place.name for place in hexes if place.name])
    first_at: dict[tuple[int, int], str] = {}
    for place in hexes:
        entry = f"hex {place.id}"
        yield from name_mistakes(f"{entry}: id", place.id)
        yield from range_mistakes(f"{entry}: q", place.q, -MOST_STEPS, MOST_STEPS)
        yield from range_mistakes(f"{entry}: r", place.r, -MOST_STEPS, MOST_STEPS)
        other = first_at.setdefault((place.q, place.r), place.id)
        if other != place.id:
            yield f"{entry}: stands at q {place.q}, r {place.r}, where {other} is"
        if place.terrain == "city":
            yield from _city_mistakes(entry, place)
        elif any(value is not None for value in (place.name, place.full, place.shared, place.developable)):
            yield f"{entry}: is not a city, but has a name, a value or developable"


def _city_mistakes(entry: str, city: HexFile) -> Iterator[str]:
    yield from name_mistakes(f"{entry}: name", city.name or "")
    if city.developable is None:
        yield f"{entry}: developable is missing"
    if city.full is None or city.shared is None:
        yield f"{entry}: full or shared value is missing"
        return
    yield from range_mistakes(f"{entry}: full value", city.full, 0, MOST_MONEY)
    yield from range_mistakes(f"{entry}: shared value", city.shared, 0, MOST_MONEY)
    if city.shared > city.full:
        yield f"{entry}: shared value {city.shared} is above the full value {city.full}"


def _map_mistakes(file: BoardFile, companies: Sequence[CompanyFile], hexes: Sequence[HexFile]) -> Iterator[str]:
    ids = {place.id for place in hexes}
    names = {place.name for place in hexes if place.terrain == "city"}
    yield from (f"links: {city!r} is not a city of this board" for city in file.links.cities if city not in names)
    yield from _repeated("links:", file.links.cities)
    yield from (
        f"provenance: {place!r} is not a hex of this board"
        for place in sum(file.provenance.confirmed.values(), file.provenance.reconstructed)
        if place not in ids
    )
    cities = sum(place.terrain == "city" for place in hexes)
    if cities < len(companies):
        yield f"hexes: {cities} cities are too few for {len(companies)} companies to start in"
    places = [(place.q, place.r) for place in hexes]
    if hexes and len(set(places)) == len(places):
        joined = reachable(neighbour_numbers(places), 0, (1 << len(places)) - 1)
        for number, place in enumerate(hexes):
            if not joined >> number & 1:
                yield f"hex {place.id}: cannot be reached from {hexes[0].id}"


def _repeated(word: str, names: Sequence[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{word} {name}: appears {count} times in the file"


def board_notes(board: Board) -> BoardNotes:
    """Return the sources of the board, the number of values from each kind of source, and the uncertain values."""
    origin = board.file.provenance
    shown = sum(map(_values, board.hexes)) - len(origin.reconstructed)
    confirmed = sum(map(len, origin.confirmed.values())) if origin.single_source else shown
    return BoardNotes(
        name=board.file.name,
        title=board.file.title,
        provenance=origin.summary or origin.reconstruction,
        counts={
            "printed": confirmed,
            "single_source": shown - confirmed,
            "derived": 0,
            "reconstructed": len(origin.reconstructed),
        },
        uncertain=list(origin.uncertain),
        sources=list(origin.sources),
    )


def _values(place: HexFile) -> int:
    """Return how many values the board file has for a hex.

    Its location, its terrain and its fields as a city are counted.
    """
    return 2 + sum(value is not None for value in (place.name, place.full, place.shared, place.developable))


@lru_cache(maxsize=16)
def wire_board(board: Board) -> dict[str, Any]:
    """Return the board in the form sent to clients: the board file with neighbours of hexes, without origins of values.

    The result is cached, so callers must not change it.
    """
    file = board.file
    wire: dict[str, Any] = {
        "companies": msgspec.to_builtins(board.company_files),
        "hexes": [
            {**msgspec.structs.asdict(place), "neighbours": board.hex_list(near)}
            for place, near in zip(board.hexes, board.near, strict=True)
        ],
    }
    for part in file.__struct_fields__:
        if part not in ("companies", "hexes", "provenance"):
            wire[part] = msgspec.to_builtins(getattr(file, part))
    wire["links"]["cities"] = [place.id for name in file.links.cities for place in board.hexes if place.name == name]
    return wire


def board_file(wire: WireBoard) -> dict[str, Any]:
    """Return the content of a board file for `wire`, a board received from a server."""
    names = {place["id"]: place["name"] for place in wire["hexes"]}
    file: dict[str, Any] = known_fields(BoardFile, wire)
    file["companies"] = known_fields(list[CompanyFile], wire["companies"])
    file["hexes"] = known_fields(list[HexFile], wire["hexes"])
    file["links"]["cities"] = [names[city] for city in wire["links"]["cities"]]
    return file
