"""Build positions of Chicago Express for tests. A test gives only the values that differ from the start of a game."""

from collections.abc import Mapping, Sequence

from rails_cli.games import standard_board
from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.questions import ANY_COMPANY, NOBODY, BidOrPass, Expand, PickDial, Question
from rails_cli.games.chicago_express.state import State, derive
from rails_cli.games.shared.hexgrid import mask_of
from rails_cli.protocol.chicago_express import Options

BOARD: Board = standard_board("chicago_express")
DEFAULTS = Options()
HOMES = {"PRR": "R5", "BO": "Q7", "CO": "Q9", "NYC": "S3", "WAB": ""}


def position(
    asks: Question,
    *,
    cash: Sequence[int] = (20, 20, 20),
    shares: Mapping[str, Sequence[int]] | None = None,
    track: dict[str, str] | None = None,
    treasury: dict[str, int] | None = None,
    income: dict[str, int] | None = None,
    left: dict[str, int] | None = None,
    developed: str = "",
    houses: int | None = None,
    values: dict[str, int] | None = None,
    dials: Sequence[int] = (0, 0, 0),
    options: Options = DEFAULTS,
) -> State:
    """Return a position in which `asks` is the pending question.

    Values that are not given are those of the start of a game. Mappings have companies as keys, except `values`.

    - `cash`: the dollars of each seat.
    - `shares`: for each company, the number of shares of each seat.
    - `track`: for each company, its hexes, separated by spaces.
    - `income`: for each company, its income (default: computed from `track`).
    - `left`: for each company, the number of locomotives that are not placed.
    - `developed`: the developed hexes, separated by spaces.
    - `houses`: the number of houses that are not placed.
    - `values`: by hex, the current values of cities.
    """
    stands = {**HOMES, **(track or {})}
    seats = len(cash)
    state = State()
    state.pending = asks
    state.options = options
    state.seats = seats
    state.turn = NOBODY if isinstance(asks, BidOrPass) and asks.is_opening else asks.seat
    safes = [(treasury or {}).get(company, 0) for company in BOARD.company_ids]
    state.money = [*cash, *safes, -sum(cash) - sum(safes)]
    state.held = [n for company in BOARD.company_ids for n in (shares or {}).get(company, [0] * seats)]
    state.track = [mask_of(BOARD.hex_number[place] for place in stands[company].split()) for company in HOMES]
    state.left = [
        (left or {}).get(company, total - len(stands[company].split()))
        for company, total in zip(BOARD.company_ids, BOARD.locomotives, strict=True)
    ]
    state.developed = mask_of(BOARD.hex_number[place] for place in developed.split())
    state.houses = 20 - len(developed.split()) if houses is None else houses
    current = {"E0": 1, "I6": 3, "K4": 4, **(values or {})}
    state.scales = [scale.values.index(current[scale.hex]) for scale in BOARD.file.scales]
    state.dials = list(dials)
    state.income = [
        (income or {}).get(company, sum(_worth(place, current, developed.split()) for place in stands[company].split()))
        for company in BOARD.company_ids
    ]
    derive(state, BOARD)
    return state


def _worth(place: str, current: dict[str, int], developed: Sequence[str]) -> int:
    """Return the income that a company gets for track in the hex `place`.

    `current` has the present value of each city whose value changes during a game, by hex. `developed` lists the
    developed hexes.
    """
    entry = BOARD.file.hexes[BOARD.hex_number[place]]
    return current.get(place, (entry.income or 0) + (entry.develop or 0) * (place in developed))


def pick(seat: int = 0) -> PickDial:
    """Return the question that asks `seat` to choose one of the actions of a turn."""
    return PickDial(seat)


def expanding(company: str | None = None, left: int = 3, seat: int = 0) -> Expand:
    """Return the question that asks `seat` where `company` builds next, with `left` locomotives still to place.

    If `company` is None, the seat may choose any company.
    """
    number = ANY_COMPANY if company is None else BOARD.company_number[company]
    return Expand(company=number, has_reached_chicago=False, left=left, seat=seat)
