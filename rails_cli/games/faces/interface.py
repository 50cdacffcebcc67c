"""The interface `Face`: the functions and texts with which a game is shown to people.

Code outside a game's folder handles its events, legal actions and views only through its face.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from rails_cli.games.decision import Advice, Decision, Lookahead, Preview, Prompt, Spot
from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.canvas import Line, Size, plain
from rails_cli.games.faces.economy import USUAL_WORDS, EconomyWords, Flow, Profile, Transfers
from rails_cli.games.faces.guides import Guide
from rails_cli.games.faces.lessons import Tutorial
from rails_cli.games.faces.paints import Look
from rails_cli.games.faces.panels import asked_seat, scores_in, shortened
from rails_cli.games.faces.phrases import DOLLARS, score_text, third_person
from rails_cli.games.faces.sheets import Chart, Sheet
from rails_cli.games.faces.svg import Map
from rails_cli.games.faces.tables import TABLE_LOOK, sheet_lines
from rails_cli.games.faces.vocabulary import Vocabulary
from rails_cli.games.game import Action, Event, Game, View, WireBoard, entry_phrase, without_info_fields
from rails_cli.games.options import option_choices
from rails_cli.protocol.common import Bid, Pass
from rails_cli.protocol.live_view import (
    ActionTrackShown,
    AuctionShown,
    CalendarShown,
    GoalShown,
    PlayerShown,
    TileShown,
)

Names = Sequence[str]
"""Player names by seat."""
DERIVED: Any = None
"""Default of some fields of `Face`. `derived.py` replaces it by a part that is derived from the rules of the game."""


def _sentence(asks: str) -> str:
    return f"{asks.replace('_', ' ').capitalize()}?"


class OptionWords(NamedTuple):
    """Texts for an option of a game: the question that asks for its value, and a description of each possible value."""

    question: str
    choices: Mapping[str, str]


class NumberedMap(NamedTuple):
    """A map with a number in each hex, and `words`, an explanation of the numbers."""

    wire_board: WireBoard
    view: View
    words: str


class Badge(NamedTuple):
    """How a legal action is marked at its place on the board: a colour of `paints.py`, and a price in dollars.

    The colour may be empty, and the price may be None.
    """

    paint: str = ""
    price: int | None = None


class Way(NamedTuple):
    """A plan of several steps, possibly over several turns. It has one command per step, and a description."""

    commands: list[str]
    words: str


class Snapshot(NamedTuple):
    """A position and its past events, as one seat or a spectator sees them.

    `seer` is this seat, or None for a spectator.
    """

    wire_board: WireBoard
    view: View
    names: Names
    seer: int | None
    events: Sequence[Event]


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """The functions and texts with which one game is shown to people.

    Only `tell` and `sheets` are required. `derived.py` provides the fields whose default is DERIVED.
    """

    about: str = ""
    """One line of text with the theme of the game and its duration."""
    difficulty: int = 2
    """Difficulty of the game from 1 (suitable as a first game) to 5."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)
    """Mapping from option names to the question and the descriptions of values for the option."""

    # Text: events and positions

    tell: Callable[[WireBoard, Event, Names], str]
    """Return an event as a sentence that uses the names of players and places.

    Return an empty string for an event that is not shown to people, because nothing has changed.
    """
    touched: Callable[[Iterable[Event]], set[str]] = lambda _: set()
    """Return the ids of the places on the board that the events changed."""
    landmarks: frozenset[type] = frozenset()
    """Types of important events. A replay can stop at them, and a user can jump to them."""
    position: Callable[[View, Names], str] | None = None
    """Return a position as text tables that are at most 80 characters wide. By default, the tables of `sheets`."""
    brief: Callable[[WireBoard, View], str] | None = None
    """Return a position without its question as short text, for language models. Players are seats 1, 2 and so on.

    For a game without this function, the text of `position` is used, with fewer spaces.
    """
    draw: Callable[[WireBoard, View, Size, Collection[str]], list[Line]] = lambda *_: []
    """Return a drawing of the board as styled text in the given size.

    The given places are highlighted. They may also be a mapping from place ids to short texts to show at the places.
    For a game without a map, the drawing is empty.
    """
    draw_within: Callable[[WireBoard, View, Size, Collection[str], int], list[Line]] | None = None
    """Return the drawing of `draw` with longer names, where the given number of columns leaves room for them.

    If the result of `draw` needs more columns than that, return it unchanged. The attribute is None for a game whose
    names are never shortened.
    """
    legend: Callable[[View], str] = lambda _: ""
    """Return an explanation of the symbols in the result of `draw`."""
    abbreviations: Callable[[WireBoard, Size], Mapping[str, str]] = lambda *_: {}
    """Return a mapping from the abbreviated names in the result of `draw` to the whole names."""
    headings: str = ""
    """Explanation of the column headings in the tables beside the board."""
    asked: Callable[[View, Names], list[Line]] = asked_seat
    """Return lines that state the phase of the game, the player to move and the pending question."""
    stage: Callable[[View], list[Line]] = lambda _: []
    """Return short lines that state the phase of the game, to be shown beside the map."""
    end: Callable[[WireBoard, View], str] = lambda *_: ""
    """Return a line about the conditions that end the game and how close they are."""
    companies: Callable[[WireBoard, View, int], list[Line]] = lambda *_: []
    """Return a table of the companies that is at most the given number of characters wide.

    Return an empty list in games without companies.
    """
    players: Callable[[Snapshot, int], list[Line]] = DERIVED
    """Return a table of the players and their possessions that is at most the given number of characters wide.

    By default these are the `sheets`.
    """
    auction: Callable[[View, Names, int], list[Line]] = lambda *_: []
    """Return lines of at most the given number of characters about the running auction.

    Return an empty list if no auction is running.
    """

    shorter: Mapping[str, str] = field(default_factory=dict)
    """Mapping from words in choices and previews to abbreviations that are used if space is short."""

    # Decisions: the question, its choices, their effects, and why other actions are illegal
    prompt: Callable[[Decision], Prompt] = lambda decision: Prompt(_sentence(decision.view.question.asks), "", "")
    """Return the pending question with an explanation.

    By default, the text of the question is the value of its field `asks`, such as "bid or pass".
    """
    words: Callable[[Decision, Any], str] = lambda decision, entry: decision.face.instruction_for(
        decision.wire_board, entry
    )
    """Return an action in plain English.

    The second argument is an action or an entry of the list of legal actions, but never a bid or a pass.
    """
    instruction: Callable[[WireBoard, Any], str] | None = None
    """Return an action as an instruction, such as "build the PRR to Pittsburgh".

    The action is never a bid or a pass. For a game without this function, the command of the action is shown.
    """
    instructions: Callable[[Decision, Sequence[Any]], list[str]] | None = None
    """Return consecutive actions of one seat as instructions. Several actions may be combined into one instruction.

    The attribute is None for a game without such texts.
    """
    preview: Callable[[Decision, Lookahead, Sequence[Any]], Preview] = DERIVED
    """Return the combined effect of the actions, played one after another from the position of the lookahead.

    By default this is the change of the score of the seat to move.
    """
    why: Callable[[Decision, Sequence[str]], str | None] = lambda *_: None
    """Return a sentence that explains why something cannot be chosen now, or says that it can be.

    The words name a place, a piece or a company. Return None if they name nothing in the game.
    """
    describe: Callable[[Decision, Sequence[str]], Spot | None] = lambda *_: None
    """Return the place that the words name, with a description. Return None if the words do not name a place."""
    advice: Callable[[Decision], Advice] = DERIVED
    """Return the action that a built-in player suggests. By default this player is `greedy`."""
    reasons: Callable[[Decision, Sequence[Any]], list[str]] = lambda *_: []
    """Return sentences in favour of the actions of one move, such as which players profit or what a share will earn."""
    ways: Callable[[Decision, Sequence[str]], list[Way]] = lambda *_: []
    """Return plans for an illegal command, best first. The words of the command say what the user wants."""
    vocabulary: Vocabulary = DERIVED
    """The words that people type. By default these are the tags of the actions and the values of their fields."""
    tutorial: Tutorial = DERIVED
    """The tutorial of the game. By default its only lesson is a welcome."""
    guide: Guide | None = None
    """The illustrated guide, or None for a game without one.

    A game with a guide needs a `board_map` whose result has the attribute `places`, a mapping from place ids to
    coordinates.
    """
    pass_words: Callable[[Decision], str] = lambda _: "pass"
    """Return what a pass means at the pending question, such as "build nothing". By default "pass"."""
    repeated_passes: frozenset[str] = frozenset()
    """Keywords of questions (values of the field `asks`) that a user may want to pass several times.

    Pages then offer to pass automatically.
    """
    new_turn: frozenset[str] = frozenset()
    """Keywords (values of the field `asks`) of the questions that start a new turn or phase."""
    places: Callable[[WireBoard, Any], list[str]] = lambda *_: []
    """Return the ids of the places on the map that an action affects."""
    badge: Callable[[WireBoard, Any], Badge] = lambda *_: Badge()
    """Return the colour and the price with which a legal action is marked on the board."""
    network: Callable[[WireBoard, View, str], tuple[frozenset[str], str] | None] = lambda *_: None
    """Return the ids of the places in a network, and a line that describes the network.

    The third argument is a word that names the network, usually a company. Return None if it names no network.
    """
    numbers: Callable[[WireBoard, View, str], NumberedMap | list[str] | None] = lambda *_: None
    """Return a map with numbers of one kind (`costs` or `income`), or text lines that list the numbers.

    Return None if the kind is unknown.
    """

    # Web pages: the board as a picture, tables, charts

    tile: Callable[[Decision, Any], TileShown | None] = lambda *_: None
    """Return a tile (a picture with texts) for a legal action, or None to show the action in words."""
    barred: Callable[[Decision], list[TileShown]] = lambda _: []
    """Return the tiles that the seat holds but cannot play now. The field `effect` of a tile says why."""
    board_map: Callable[[WireBoard], Map] = DERIVED
    """Return an object that draws the board as SVG. By default the drawing shows `sheets`."""
    look: Look = TABLE_LOOK
    """Colours and CSS rules of the drawn board."""
    sheets: Callable[[WireBoard, View, Names, Mapping[str, int]], list[Sheet]]
    """Return tables of all possessions. Rows and columns stay the same for the whole game.

    The arguments are the board, a view, the player names and the result of `last_prices`.
    """
    charts: Sequence[Chart] = DERIVED
    """The columns of `sheets` that are plotted as curves over a game. Default: the first column with numbers."""
    possessions: Callable[[WireBoard, View], list[PlayerShown]] = DERIVED
    """Return the main possessions of each player, by seat. By default these are the scores."""
    last_prices: Callable[[Iterable[Event]], dict[str, int]] = lambda _: {}
    """Return a dictionary from the ids of things that were sold to the last price paid.

    The dictionary is empty if `sheets` does not need prices.
    """
    auctions: Callable[[Iterable[tuple[int, Sequence[Event]]]], list[Auction]] = lambda _: []
    """Return all auctions of a game. The argument has pairs of a step number and the events of the step."""
    bidding: Callable[[WireBoard, View, Sequence[Event]], AuctionShown | None] = lambda *_: None
    """Return the running auction with all bids in the given events, or None if no auction is running.
    """
    action_track: Callable[[WireBoard, View], ActionTrackShown | None] = lambda *_: None
    """Return the action track: its spaces, and the seats that have taken them.

    Return None for a game without an action track, and in stages of the game that do not use the track.
    """
    calendar: Callable[[WireBoard, View], CalendarShown | None] = lambda *_: None
    """Return all years or rounds of the game, and which of them is current, or None if their number is not fixed."""
    goal: Callable[[WireBoard, View], GoalShown | None] = lambda *_: None
    """Return what ends the game and how far it is. Return None after the end, and for a game without a single goal."""

    # Results: where the money came from

    scores: Callable[[View], list[int | None]] = scores_in
    """Return the current score of each seat, None for a seat whose score is hidden.

    By default this is the field `scores` of the view, or the field `cash` of its `players`.
    """
    unit: str = DOLLARS
    """Unit of scores: DOLLARS, or a word in the plural such as "points"."""
    money_unit: Callable[[Any], int] = lambda _: 1
    """Return the unit of money in dollars, for a board. Every amount on the board is a multiple of it."""
    transfers: Transfers = field(default_factory=dict)
    """Mapping from types of events to a `Transfer`, which says how the event changes the money of seats.

    Empty if scores are not money.
    """
    payer_name: Callable[[WireBoard, str], str] = lambda board, payer: payer
    """Return the displayed name of a payer from its id."""
    stages: frozenset[type] = frozenset()
    """Types of events that end a stage of the game. After each stage the money of all seats is recorded."""
    stage_name: str = "stage"
    """The word for a stage that an event in `stages` ends, such as "year"."""
    finale: frozenset[type] = frozenset()
    """Types of events at the end of a game. Their sentences are shown again together with the result."""
    economy: Callable[[Any, int, Sequence[Event]], list[Profile]] = lambda *_: []
    """Return, by seat, the economic figures that `economy.py` describes, such as money paid for shares.

    The arguments are the board, the number of players and all events.
    """
    economy_words: EconomyWords = USUAL_WORDS

    def score_text(self, score: int) -> str:
        """Return a score with its unit, such as `$1,200` or `12 points`."""
        return score_text(score, self.unit)

    def overview(self, snapshot: Snapshot, width: int) -> list[str]:
        """Return a position as plain lines: companies, players, phase, how near the end is, and the running auction."""
        board, view = snapshot.wire_board, snapshot.view
        lines = [*self.companies(board, view, width), *self.players(snapshot, width), *self.stage(view)]
        auction = self.auction(view, snapshot.names, width)
        return [*(plain(line).rstrip() for line in lines), self.end(board, view), *map(plain, auction)]

    def position_text(self, board: WireBoard, view: View, names: Names) -> str:
        if self.position is not None:
            return self.position(view, names)
        return "\n\n".join("\n".join(map(plain, lines)) for lines in self.text_tables(board, view, names))

    def text_tables(self, board: WireBoard, view: View, names: Names) -> list[list[Line]]:
        return [sheet_lines(sheet) for sheet in self.sheets(board, view, names, {})]

    def instruction_for(self, board: WireBoard, action: Action) -> str:
        """Return an action of any kind as an instruction, such as "bid $5" or "build the PRR to Pittsburgh"."""
        match action:
            case Bid(amount):
                return f"bid ${amount}"
            case Pass():
                return "pass"
        return (
            entry_phrase(without_info_fields(action)) if self.instruction is None else self.instruction(board, action)
        )

    def action_sentence(self, name: str, board: WireBoard, action: Action) -> str:
        """Return a sentence that says what the player `name` does, such as "Ann builds the PRR to Pittsburgh".

        If the game has no text for the action, return the name and the command.
        """
        instruction = self.instruction_for(board, action)
        has_wording = self.instruction is not None or isinstance(action, Bid | Pass)
        return f"{name} {third_person(instruction)}" if has_wording else f"{name}: {instruction}"

    def with_place_name(self, board: WireBoard, action: Action, command: str, letters: int | None = None) -> str:
        """Return `command`, the command of `action`, with a place name instead of the place id at its end.

        If `letters` is given, the name is shortened to this number of letters. A place without a name keeps its id.
        Commas in a name are left out, because they would separate two commands.
        """
        for place in self.places(board, action):
            name = self.vocabulary.called(board, place).replace(",", "").replace(";", "")
            if place not in name and command.endswith(f" {place}"):
                return command.removesuffix(place) + (name if letters is None else shortened(name, letters))
        return command

    def steps_in_words(self, board: WireBoard, steps: Iterable[Action]) -> str:
        """Return actions as instructions, separated by semicolons."""
        return "; ".join(self.instruction_for(board, step) for step in steps)

    def flows(self, event: Event) -> list[Flow]:
        """Return the amounts that an event gave to seats or took from them."""
        transfer = self.transfers.get(type(event))
        if transfer is None:
            return []
        amounts = getattr(event, transfer.amount)
        payer = getattr(event, transfer.payer) if transfer.payer else ""
        by_seat = enumerate(amounts) if isinstance(amounts, list) else [(event.seat, amounts or 0)]
        return [Flow(seat, transfer.kind, transfer.sign * amount, payer) for seat, amount in by_seat]


def money_by_source(face: Face, seats: int, events: Sequence[Event]) -> list[Counter[str]]:
    """Return, by seat, a mapping from the kinds of transfers to the dollars received. Dollars paid are negative."""
    flows: list[Counter[str]] = [Counter() for _ in range(seats)]
    for event in events:
        for flow in face.flows(event):
            flows[flow.seat][flow.kind] += flow.amount
    return flows


def options_in_words(game: Game[Any, Any], face: Face) -> dict[str, OptionWords]:
    """Return a dictionary from the option names of a game to the question and the descriptions of values."""
    described = {}
    for name, values in option_choices(game).items():
        words = face.options.get(name) or OptionWords(f"{name.replace('_', ' ').capitalize()}?", {})
        described[name] = OptionWords(
            words.question, {value: words.choices.get(value, value.replace("_", " ")) for value in values}
        )
    return described


def chosen_in_words(game: Game[Any, Any], face: Face, options: Mapping[str, Any]) -> list[str]:
    """Return the question and the chosen value, as one text, for each option that does not have its default.

    `options` is a mapping from option names to chosen values.
    """
    described, defaults = options_in_words(game, face), msgspec.structs.asdict(game.options_type())
    return [
        f"{described[name].question} {described[name].choices.get(value, value)}"
        for name, value in options.items()
        if name in described and value != defaults[name]
    ]
