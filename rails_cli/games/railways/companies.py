"""Letters, colours and dividends of companies, used in tables and maps."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from rails_cli.games.faces.paints import distinct_paints

COLOURS = {
    "red": "bold color(231) on color(160)",
    "blue": "bold color(231) on color(25)",
    "yellow": "bold color(16) on color(220)",
    "green": "bold color(231) on color(28)",
    "black": "bold color(231) on color(235)",
    "white": "bold color(16) on color(252)",
    "grey": "bold color(231) on color(242)",
}
"""Dictionary from the colour of a company to a terminal style.

The styles use colour numbers whose colours do not depend on the theme of a terminal.
"""


class Company(Protocol):
    """A company as shown in a view: the fields that all games with companies on a map of hexes have."""

    @property
    def id(self) -> str: ...
    @property
    def treasury(self) -> int: ...
    @property
    def income(self) -> int: ...
    @property
    def dividend(self) -> int: ...
    @property
    def shares_left(self) -> int: ...
    @property
    def track(self) -> list[str]: ...


class View(Protocol):
    """A view of a position: the fields that all games with companies on a map of hexes have."""

    @property
    def companies(self) -> Sequence[Company]: ...
    @property
    def players(self) -> Sequence[Any]: ...
    @property
    def question(self) -> Any: ...
    @property
    def auction(self) -> Any: ...
    @property
    def developed(self) -> list[str]: ...


class Stock(NamedTuple):
    """Values of one company under the same names for all games.

    `is_there` says whether the company is in play. `sold` is the number of shares sold, and `pieces_left` the number of
    pieces not yet built.
    """

    is_there: bool
    sold: int
    pieces_left: int


def letters(view: View) -> dict[str, str]:
    """Return a dictionary from company ids to unique capital letters, taken from the ids if possible."""
    given: dict[str, str] = {}
    for company in view.companies:
        spare = (letter for letter in f"{company.id.upper()}ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter.isalpha())
        given[company.id] = next(letter for letter in spare if letter not in given.values())
    return given


def companies_by_hex(view: View) -> dict[str, list[str]]:
    there: dict[str, list[str]] = {}
    for company in view.companies:
        for spot in company.track:
            there.setdefault(spot, []).append(company.id)
    return there


def styles(board: Mapping[str, Any]) -> dict[str, str]:
    """Return a dictionary from company ids to the terminal style of the company's letter."""
    return {company["id"]: COLOURS.get(company["colour"], "bold") for company in board["companies"]}


def paints(board: Mapping[str, Any]) -> dict[str, str]:
    """Return a dictionary from company ids to the name of the company's colour on web pages."""
    companies = board["companies"]
    given = distinct_paints(company["colour"] for company in companies)
    return {company["id"]: paint for company, paint in zip(companies, given, strict=True)}


def due(view: View, seat: int) -> int:
    """Return the dollars that a seat would receive if all companies paid a dividend now."""
    shares = view.players[seat].shares
    return sum(company.dividend * shares[company.id] for company in view.companies)


def projected(view: View, dividends: float) -> list[int]:
    """Return each seat's cash at the end of the game, if `dividends` more dividends are paid and nothing else
    changes.
    """
    return [player.cash + round(due(view, seat) * dividends) for seat, player in enumerate(view.players)]
