"""Companies as both tables and maps name them, and what their shares bring."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from rails_cli.games.paints import distinct_paints

COLOURS = {
    "red": "bold white on red",
    "blue": "bold white on blue",
    "yellow": "bold black on yellow",
    "green": "bold black on green",
    "black": "bold white on black",
    "white": "bold black on white",
    "grey": "bold white on bright_black",
}


class Company(Protocol):
    """What the companies of these games have alike."""

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
    """What the views of these games have alike."""

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
    """What each game calls otherwise: whether a company takes part, its shares in hands, and what it builds with."""

    is_there: bool
    sold: int
    pieces_left: int


def letters(view: View) -> dict[str, str]:
    """A capital letter for each company, the first of its name where that is free."""
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
    """How the letter of each company looks."""
    return {company["id"]: COLOURS.get(company["colour"], "bold") for company in board["companies"]}


def paints(board: Mapping[str, Any]) -> dict[str, str]:
    """How each company is painted on pages."""
    companies = board["companies"]
    given = distinct_paints(company["colour"] for company in companies)
    return {company["id"]: paint for company, paint in zip(companies, given, strict=True)}


def due(view: View, seat: int) -> int:
    """What the next dividend would pay a seat as the companies stand."""
    shares = view.players[seat].shares
    return sum(company.dividend * shares[company.id] for company in view.companies)


def projected(view: View, dividends: float) -> list[int]:
    """By seat, the cash at the end if so many dividends are still paid and nothing else changes."""
    return [player.cash + round(due(view, seat) * dividends) for seat, player in enumerate(view.players)]
