"""The board of Chicago Express: decoding and validation of board files, and lookup tables for the rules.

The rules use numbers for companies and hexes. The numbers follow the order of the board file.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, Literal, TypeVar

import msgspec

from rails_cli.games.board_checks import known_fields, name_mistakes, range_mistakes
from rails_cli.games.chicago_express.board_file import BoardFile, CompanyFile, DoubtFile, HexFile, ScaleFile
from rails_cli.games.game import BoardError, BoardNotes, WireBoard, check_board_of
from rails_cli.games.shared.auction import READY_BIDS
from rails_cli.games.shared.hexgrid import mask_of, neighbour_numbers, numbers_in, reachable
from rails_cli.protocol.chicago_express import Action, Build, Choose, Develop, Entry, Offer, Terrain
from rails_cli.protocol.common import Pass

PLAYERS = (2, 3, 4, 5, 6)
ACTIONS: tuple[Literal["auction", "expand", "develop"], ...] = ("auction", "expand", "develop")
AUCTION: Final = 0
EXPAND: Final = 1
DEVELOP: Final = 2
NOWHERE: Final = -1
HOLDING_ONE: tuple[Terrain, ...] = ("forest", "mountain")
"""Kinds of land on which a hex holds at most one locomotive (CE-42)."""

PASS: Final = 0
PASS_ACTION: Final = Pass()
CHOOSE_FROM: Final = 1
"""Number of the move (see `moves.py`) that chooses the action `auction`.

The actions `expand` and `develop` have the next two numbers.
"""

COMPANY_LIMIT: Final = 8
HEX_LIMIT = 1_000
NUMBER_LIMIT = 1_000_000


class Board:
    """Lookup tables made from a board file. Sets of hexes are bitmasks.

    By hex:

    - `values`: a pair of incomes of a locomotive in the hex, in dollars: before and after development.
    - `bits`: the mask of the hex.
    - `around` and `beside`: the neighbours in which companies can build, as a mask and as numbers.
    - `costs`: cost of the next locomotive, by number of locomotives in the hex. None if no more may be placed.
    - `prices`: the same costs, by mask of companies in the hex. 0 instead of None.

    The income of an industrial hex changes during the game. Its scale lists the incomes in order, and a marker stands
    at the current step of the scale.

    - `player_scales`: the scales whose markers players move. Each is a tuple: number of the scale, bit of its hex, last
      step.
    - `detroit_end`: the step of Detroit's scale that ends the game.

    Moves are actions as numbers, see `moves.py`:

    - `actions`, by move: the action. Bids are not included.
    - `numbers`: a dictionary from each action, with and without its cost, to its move.
    - `offers_at`, `develops_at`, `builds_from[company]`, `bids_at`: the first of the moves that offer a share, develop
      a hex and so on. These moves are in order of companies for `offers_at`, of amounts for `bids_at`, and of hexes for
      the others.
    - `company_of` and `place_of`, by build move: the company and the hex.
    - `priced[move][mask]`: the build action with its cost, if the companies in `mask` are in the hex.

    Computed in advance:

    - `choices[mask]`: moves that choose an action if the dials in `mask` are red. An action with a red dial cannot be
      chosen before the next general dividend.
    - `choice_entries[mask]`: the same moves as actions.
    - `ready_bids`: moves that bid $0, $1 and so on.
    """

    def __init__(self, file: BoardFile) -> None:
        hexes = file.hexes
        self.file = file
        self.hex_ids = [entry.id for entry in hexes]
        self.hex_names = [entry.name for entry in hexes]
        self.hex_number = {entry.id: number for number, entry in enumerate(hexes)}
        self.neighbours = neighbour_numbers([(entry.q, entry.r) for entry in hexes])
        starts = _mask_of_terrain(hexes, ("start",))
        self.bits = [1 << number for number in range(len(hexes))]
        self.around = [mask_of(beside) & ~starts for beside in self.neighbours]
        self.beside = [numbers_in(around) for around in self.around]
        self.income = [entry.income or 0 for entry in hexes]
        self.develop = [entry.develop or 0 for entry in hexes]
        self.values = [hex_values(entry.income, entry.develop) for entry in hexes]
        self.develop_cash = [entry.develop_cash or 0 for entry in hexes]
        self.chicago = self.hex_number[file.chicago]
        self.single = _mask_of_terrain(hexes, HOLDING_ONE)
        self.is_single = [entry.terrain in HOLDING_ONE for entry in hexes]
        self.house_hexes = _mask_of_terrain(hexes, ("forest", "mountain", "city")) & ~(1 << self.chicago)

        self.scale_hexes = [self.hex_number[scale.hex] for scale in file.scales]
        self.scale_values = [tuple(scale.values) for scale in file.scales]
        self.scale_of = [NOWHERE] * len(hexes)
        for scale, place in enumerate(self.scale_hexes):
            self.scale_of[place] = scale
        self.detroit = [scale.moves for scale in file.scales].index("dividend")
        self.player_scales = [
            (scale, 1 << place, len(self.scale_values[scale]) - 1)
            for scale, place in enumerate(self.scale_hexes)
            if scale != self.detroit
        ]

        rising = mask_of(self.scale_hexes[scale] for scale, _, last_step in self.player_scales if last_step)
        self.is_developable = [bit & (self.house_hexes | rising) != 0 for bit in self.bits]

        self.companies = len(file.companies)
        self.company_ids = [company.id for company in file.companies]
        self.company_number = {company.id: number for number, company in enumerate(file.companies)}
        self.shares = [company.shares for company in file.companies]
        self.locomotives = [company.locomotives for company in file.companies]
        self.start = [self.hex_number[company.start] for company in file.companies]
        self.opening_bid = [company.opening_bid or 0 for company in file.companies]
        self.wabash = [company.opens for company in file.companies].index("chicago")
        self.opening = [company for company in range(self.companies) if company != self.wabash]

        self.red_at = [file.dials.auction, file.dials.expand, file.dials.develop]
        self.expand_max = file.expand_max
        self.houses = file.houses
        self.cash = {players: file.cash[str(players)] for players in PLAYERS}
        self.end = file.end
        self.detroit_end = self.scale_values[self.detroit].index(file.end.detroit_at)

        self.costs = [
            [building_cost(place.terrain, place.cost, there) for there in range(self.companies + 1)] for place in hexes
        ]
        self.prices = [[costs[there.bit_count()] or 0 for there in range(1 << self.companies)] for costs in self.costs]

        self.offers_at = CHOOSE_FROM + len(ACTIONS)
        self.develops_at = self.offers_at + self.companies
        self.builds_at = self.develops_at + len(hexes)
        self.builds_from = [self.builds_at + company * len(hexes) for company in range(self.companies)]
        self.bids_at = self.builds_at + self.companies * len(hexes)
        self.actions: list[Pass | Choose | Offer | Develop | Build] = [
            PASS_ACTION,
            *map(Choose, ACTIONS),
            *map(Offer, self.company_ids),
            *map(Develop, self.hex_ids),
            *(Build(company, place) for company in self.company_ids for place in self.hex_ids),
        ]
        self.choices = [
            [CHOOSE_FROM + action for action in range(len(ACTIONS)) if not red >> action & 1]
            for red in range(1 << len(ACTIONS))
        ]
        self.choice_entries: list[list[Entry]] = [[self.actions[move] for move in moves] for moves in self.choices]
        self.ready_bids = list(range(self.bids_at, self.bids_at + READY_BIDS))
        self.company_of = [0] * self.builds_at
        self.place_of = [0] * self.builds_at
        self.priced: list[list[Build]] = [[]] * self.builds_at
        for company, id in enumerate(self.company_ids):
            for place, entry in enumerate(hexes):
                self.company_of.append(company)
                self.place_of.append(place)
                self.priced.append(_by_price(id, entry.id, self.prices[place]))
        self.numbers: dict[Action, int] = {action: move for move, action in enumerate(self.actions)}
        for move, entries in enumerate(self.priced):
            self.numbers.update(dict.fromkeys(entries, move))

    def __reduce__(self) -> tuple[type["Board"], tuple[BoardFile]]:
        """Pickle only the board file. Unpickling rebuilds the tables from the file."""
        return Board, (self.file,)


def _by_price(company: str, place: str, prices: Sequence[int]) -> list[Build]:
    """Return one build action for each price in `prices`.

    All of them build for the company `company` in the hex `place`. Equal prices share one object.
    """
    builds = {price: Build(company, place, price) for price in prices}
    return [builds[price] for price in prices]


def building_cost(terrain: Terrain, printed: int | None, there: int) -> int | None:
    """Return the cost of a locomotive in a hex (CE-43), or None if building is not allowed (CE-41, CE-42).

    `there` is the number of locomotives in the hex. `printed` is the cost printed on the board, or None.
    """
    return None if printed is None or (there and terrain in HOLDING_ONE) else printed * (there + 1)


def hex_values(income: int | None, develop: int | None) -> tuple[int, int]:
    """Return the income of a locomotive before and after development of a hex (CE-44, CE-51).

    The hex must not have a scale. `income` is the printed income, and `develop` is the additional income after
    development. None counts as 0.
    """
    return income or 0, (income or 0) + (develop or 0)


def _mask_of_terrain(hexes: Sequence[HexFile], terrain: Sequence[Terrain]) -> int:
    return mask_of(number for number, entry in enumerate(hexes) if entry.terrain in terrain)


def board_notes(board: Board) -> BoardNotes:
    """Return the sources of the board, the number of values from each kind of source, and the uncertain values."""
    file = board.file
    counts = Counter(_origins(file))
    return BoardNotes(
        name=file.name,
        title=file.title,
        provenance=file.provenance,
        counts={origin: counts[origin] for origin in ("printed", "single_source", "derived", "reconstructed")},
        uncertain=msgspec.to_builtins(file.uncertain),
        sources=list(file.sources),
    )


def _origins(file: BoardFile) -> Iterable[str]:
    """Yield, for each value in the hexes of a board file, the kind of source that it comes from.

    Skip values of unknown origin.
    """
    for entry in file.hexes:
        for field, origin in file.origins.items():
            if entry.id in file.confirmed.get(field, ()) or (field == "name" and entry.name_confidence == "certain"):
                yield "printed"
            elif getattr(entry, field) is not None:
                yield origin


NOT_SENT = ("format", "game", "provenance", "origins", "confirmed", "sources", "grid", "uncertain")
"""Fields of a board file that clients do not receive."""
WIRE_HEX_FIELDS = ("id", "q", "r", "terrain", "name", "cost", "income", "develop", "develop_cash")


@lru_cache(maxsize=16)
def wire_board(board: Board) -> dict[str, Any]:
    """Return the board in the form sent to clients. Callers share the result and must not change it."""
    wire = {field: value for field, value in msgspec.to_builtins(board.file).items() if field not in NOT_SENT}
    return {**wire, "hexes": [_wire_hex(board, number) for number in range(len(board.file.hexes))]}


def _wire_hex(board: Board, number: int) -> dict[str, Any]:
    entry = board.file.hexes[number]
    wire = {field: getattr(entry, field) for field in WIRE_HEX_FIELDS}
    neighbours = [board.hex_ids[beside] for beside in board.neighbours[number]]
    return {**wire, "income": entry.income or 0, "neighbours": neighbours}


def board_file(wire: WireBoard) -> dict[str, Any]:
    """Return the content of a board file for `wire`, a board received from a server."""
    file = {"format": 1, "game": "chicago_express", **known_fields(BoardFile, wire)}
    for entry in file["hexes"]:
        if "income" not in NEEDED[entry["terrain"]]:
            del entry["income"]  # `wire_board` adds an income of 0 to hexes without income
    return file


# Decoding


def read_board(data: bytes) -> Board:
    """Decode and validate a board file. Raise BoardError with one line for each mistake."""
    check_board_of(data, "chicago_express")
    file = _read_file(data)
    mistakes: list[str] = []
    _check_hexes(file, mistakes)
    _check_scales(file, mistakes)
    _check_companies(file, mistakes)
    _check_numbers(file, mistakes)
    _check_uncertain(file, mistakes)
    if not mistakes:
        _check_reach(file, mistakes)
    if mistakes:
        raise BoardError(mistakes)
    return Board(file)


EntryT = TypeVar("EntryT")
LISTS: dict[str, tuple[type, str]] = {
    "hexes": (HexFile, "hex"),
    "scales": (ScaleFile, "scale"),
    "companies": (CompanyFile, "company"),
    "uncertain": (DoubtFile, "uncertain"),
}


def _read_file(data: bytes) -> BoardFile:
    """Decode a board file. Raise BoardError if it is invalid.

    Each entry of a list is decoded by itself, so that the error has the mistakes of all entries.
    """
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        raise BoardError([f"board file: not JSON: {error}"]) from None
    if not isinstance(raw, dict):
        raise BoardError(["board file: expected one JSON object"])
    mistakes: list[str] = []
    for field, (kind, word) in LISTS.items():
        entries = raw.get(field)
        if isinstance(entries, list):
            raw[field] = [_read_entry(entry, number, kind, word, mistakes) for number, entry in enumerate(entries, 1)]
    if mistakes:
        raise BoardError(mistakes)
    try:
        return msgspec.convert(raw, BoardFile)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BoardError([f"board file: {error}"]) from None


def _read_entry(raw: Any, number: int, kind: type[EntryT], word: str, mistakes: list[str]) -> EntryT | None:
    try:
        return msgspec.convert(raw, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        key = raw.get("id", raw.get("hex")) if isinstance(raw, dict) else None
        mistakes.append(f"{word} {key if isinstance(key, str) else f'number {number}'}: {error}")
        return None


# Validation

NEEDED: dict[Terrain, tuple[str, ...]] = {
    "plain": ("cost",),
    "forest": ("cost", "develop_cash"),
    "mountain": ("cost", "income", "develop"),
    "city": ("cost", "income", "develop"),
    "industrial": ("cost",),
    "start": ("income",),
}


def _check_hexes(file: BoardFile, mistakes: list[str]) -> None:
    if not 1 <= len(file.hexes) <= HEX_LIMIT:
        mistakes.append(f"hexes: {len(file.hexes)} of them, expected 1 to {HEX_LIMIT}")
    _check_ids("hex", [entry.id for entry in file.hexes], mistakes)
    place_of: dict[tuple[int, int], str] = {}
    for entry in file.hexes:
        place = (entry.q, entry.r)
        if place in place_of:
            mistakes.append(f"hex {entry.id}: lies at q {entry.q}, r {entry.r} like hex {place_of[place]}")
        place_of.setdefault(place, entry.id)
        mistakes += range_mistakes(f"hex {entry.id}: q", entry.q, -NUMBER_LIMIT, NUMBER_LIMIT)
        mistakes += range_mistakes(f"hex {entry.id}: r", entry.r, -NUMBER_LIMIT, NUMBER_LIMIT)
        mistakes += name_mistakes(f"hex {entry.id}: name", entry.name)
        _check_terrain(entry, entry.id == file.chicago, mistakes)
    chicago = [entry for entry in file.hexes if entry.id == file.chicago]
    if not chicago:
        mistakes.append(f"chicago: no such hex {file.chicago}")
    elif chicago[0].terrain != "city":
        mistakes.append(f"chicago: hex {file.chicago} is {chicago[0].terrain}, expected city")


def _check_terrain(entry: HexFile, is_chicago: bool, mistakes: list[str]) -> None:
    for field in ("cost", "income", "develop", "develop_cash"):
        value = getattr(entry, field)
        is_needed = field in NEEDED[entry.terrain] and not (is_chicago and field == "develop")
        if is_needed and value is None:
            mistakes.append(f"hex {entry.id}: {entry.terrain} needs {field}")
        elif value is not None and not is_needed:
            word = "Chicago" if is_chicago else entry.terrain
            mistakes.append(f"hex {entry.id}: {word} has no {field}")
        elif value is not None:
            mistakes += range_mistakes(f"hex {entry.id}: {field}", value, 0, NUMBER_LIMIT)


def _check_scales(file: BoardFile, mistakes: list[str]) -> None:
    terrain = {entry.id: entry.terrain for entry in file.hexes}
    seen: set[str] = set()
    for scale in file.scales:
        if terrain.get(scale.hex) is None:
            mistakes.append(f"scale {scale.hex}: no such hex")
        elif terrain[scale.hex] != "industrial":
            mistakes.append(f"scale {scale.hex}: hex is {terrain[scale.hex]}, expected industrial")
        if scale.hex in seen:
            mistakes.append(f"scale {scale.hex}: given twice")
        seen.add(scale.hex)
        for value in scale.values:
            mistakes += range_mistakes(f"scale {scale.hex}: value", value, 0, NUMBER_LIMIT)
        if not scale.values or any(after <= before for before, after in pairwise(scale.values)):
            mistakes.append(f"scale {scale.hex}: values must be there and rise")
    mistakes.extend(
        f"hex {entry.id}: industrial needs a scale"
        for entry in file.hexes
        if entry.terrain == "industrial" and entry.id not in seen
    )
    detroits = [scale for scale in file.scales if scale.moves == "dividend"]
    if len(detroits) != 1:
        mistakes.append(f"scales: {len(detroits)} of them move at the dividend, expected 1")
    elif file.end.detroit_at not in detroits[0].values:
        mistakes.append(f"end: detroit_at {file.end.detroit_at} is not on the scale of hex {detroits[0].hex}")


def _check_companies(file: BoardFile, mistakes: list[str]) -> None:
    terrain = {entry.id: entry.terrain for entry in file.hexes}
    if not 2 <= len(file.companies) <= COMPANY_LIMIT:
        mistakes.append(f"companies: {len(file.companies)} of them, expected 2 to {COMPANY_LIMIT}")
    waiting = sum(company.opens == "chicago" for company in file.companies)
    if waiting != 1:
        mistakes.append(f"companies: {waiting} of them open at Chicago, expected 1")
    _check_ids("company", [company.id for company in file.companies], mistakes)
    home_of: dict[str, str] = {}
    for company in file.companies:
        word = f"company {company.id}"
        mistakes += name_mistakes(f"{word}: name", company.name)
        mistakes += name_mistakes(f"{word}: colour", company.colour)
        mistakes += range_mistakes(f"{word}: shares", company.shares, 1, NUMBER_LIMIT)
        mistakes += range_mistakes(f"{word}: locomotives", company.locomotives, 1, NUMBER_LIMIT)
        if company.start in home_of:
            mistakes.append(f"{word}: start {company.start} is also the start of {home_of[company.start]}")
        home_of.setdefault(company.start, company.id)
        expected = "start" if company.opens == "start" else "city"
        if company.start not in terrain:
            mistakes.append(f"{word}: start {company.start} is not a hex")
        elif terrain[company.start] != expected:
            mistakes.append(f"{word}: start {company.start} is {terrain[company.start]}, expected {expected}")
        elif company.start == file.chicago:
            mistakes.append(f"{word}: start {company.start} is Chicago")
        if (company.opening_bid is None) == (company.opens == "start"):
            mistakes.append(f"{word}: {'needs' if company.opens == 'start' else 'has no'} opening_bid")
        elif company.opening_bid is not None:
            mistakes += range_mistakes(f"{word}: opening_bid", company.opening_bid, 0, NUMBER_LIMIT)
    mistakes.extend(
        f"hex {entry.id}: start city of no company"
        for entry in file.hexes
        if entry.terrain == "start" and entry.id not in home_of
    )


def _check_numbers(file: BoardFile, mistakes: list[str]) -> None:
    mistakes += name_mistakes("name", file.name)
    mistakes += name_mistakes("title", file.title)
    for action in ACTIONS:
        mistakes += range_mistakes(f"dials: {action}", getattr(file.dials, action), 1, NUMBER_LIMIT)
    mistakes += range_mistakes("expand_max", file.expand_max, 1, NUMBER_LIMIT)
    mistakes += range_mistakes("houses", file.houses, 0, NUMBER_LIMIT)
    expected = [str(players) for players in PLAYERS]
    mistakes.extend(f"cash: nothing for {players} players" for players in expected if players not in file.cash)
    for players, cash in file.cash.items():
        if players not in expected:
            mistakes.append(f"cash {players}: not a number of players from {expected[0]} to {expected[-1]}")
        mistakes += range_mistakes(f"cash {players}: cash", cash, 0, NUMBER_LIMIT)
    end = file.end
    companies = len(file.companies)
    mistakes += range_mistakes("end: companies_without_locomotives", end.companies_without_locomotives, 1, companies)
    mistakes += range_mistakes("end: companies_without_shares", end.companies_without_shares, 1, companies)
    mistakes += range_mistakes("end: houses_left_at_most", end.houses_left_at_most, 0, max(file.houses - 1, 0))


def _check_uncertain(file: BoardFile, mistakes: list[str]) -> None:
    known = {entry.id for entry in file.hexes}
    mistakes.extend(f"uncertain {doubt.id}: no such hex" for doubt in file.uncertain if doubt.id not in known)
    mistakes.extend(
        f"origins: {field} is not a field of a hex"
        for field in (*file.origins, *file.confirmed)
        if field not in HexFile.__struct_fields__
    )
    mistakes.extend(f"confirmed {id}: no such hex" for ids in file.confirmed.values() for id in ids if id not in known)


def _check_reach(file: BoardFile, mistakes: list[str]) -> None:
    """Append a message to `mistakes` for each hex that no company can reach."""
    neighbours = neighbour_numbers([(entry.q, entry.r) for entry in file.hexes])
    buildable = (1 << len(file.hexes)) - 1 & ~_mask_of_terrain(file.hexes, ("start",))
    reached = 0
    for number, entry in enumerate(file.hexes):
        if entry.terrain == "start":
            reached |= reachable(neighbours, number, buildable)
    mistakes.extend(
        f"hex {entry.id}: no company can reach it"
        for number, entry in enumerate(file.hexes)
        if not reached >> number & 1
    )


def _check_ids(word: str, ids: Sequence[str], mistakes: list[str]) -> None:
    for identifier, count in Counter(ids).items():
        if count > 1:
            mistakes.append(f"{word} {identifier}: id used {count} times")
        if not (identifier.isascii() and identifier.replace("_", "").isalnum() and len(identifier) <= 24):
            mistakes.append(f"{word} {identifier!r}: an id is 1 to 24 letters, digits and underscores")
