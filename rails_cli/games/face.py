"""The contract of all faces: a Face is a record of functions that show one game to people.

The functions of a face know their own game's events, entries and views; nobody else does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protocol.showing import AuctionShown
from rails_cli.games.auctions import Auction
from rails_cli.games.economy import USUAL_WORDS, EconomyWords, Profile
from rails_cli.games.game import Entry, Event, View
from rails_cli.games.sheets import Chart, Sheet
from rails_cli.games.svg import Map

WireBoard = Mapping[str, Any]
"""A board as clients are told of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """One game as people see it."""

    about: str
    """In a line: what it is about, and how long it takes."""
    difficulty: int
    """From 1, for a first game, to 5."""

    # Words: what happened, and the position as text

    # Decisions: what is asked, the choices, what each would do, and why others are not allowed

    # Pages: the board as a picture, tables, charts

    board_map: Callable[[WireBoard], Map]
    """How the board is drawn as SVG."""
    touched: Callable[[Iterable[Event]], set[str]]
    """The places of the board that something was done to."""
    places: Callable[[WireBoard, Entry], list[str]]
    """The places of the board that an entry is about."""
    sheets: Callable[[WireBoard, View, Sequence[str], Mapping[str, int]], list[Sheet]]
    """Who has what, by the names of the players and the last prices: the same rows and columns all through a game."""
    charts: Sequence[Chart]
    """The columns of the sheets that are worth following."""
    last_prices: Callable[[Iterable[Event]], dict[str, int]] = lambda events: {}
    """What was last paid for what, if the sheets want to know."""
    auctions: Callable[[Iterable[tuple[int, Sequence[Event]]]], list[Auction]] = lambda steps: []
    """The auctions in the events of numbered steps."""
    bidding: Callable[[WireBoard, View, Sequence[Event]], AuctionShown | None] = lambda board, view, events: None
    """The auction in progress, with its bids among all events so far."""

    # Results: where the money came from

    economy: Callable[[Any, int, Sequence[Event]], list[Profile]] = lambda board, players, events: []
    """The profile of each seat, read off the board and all events of a game."""
    economy_words: EconomyWords = USUAL_WORDS
