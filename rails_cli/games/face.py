"""The contract of all faces: a Face is a record of functions that show one game to people.

The functions of a face know their own game's events, entries and views; nobody else does.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from protocol.common import Bid, Pass
from protocol.live_view import AuctionShown
from rails_cli.games.auctions import Auction
from rails_cli.games.canvas import Line, Size
from rails_cli.games.decision import Advice, Decision, Lookahead, Preview, Prompt, Spot
from rails_cli.games.economy import USUAL_WORDS, EconomyWords, Flow, Profile, Transfers
from rails_cli.games.game import Action, Event, Game, View, WireBoard, bare, words
from rails_cli.games.lessons import Tutorial
from rails_cli.games.options import option_choices
from rails_cli.games.paints import Look
from rails_cli.games.phrases import does
from rails_cli.games.sheets import Chart, Sheet
from rails_cli.games.svg import Map
from rails_cli.games.vocabulary import Vocabulary

Names = Sequence[str]
"""The players by seat."""


class OptionWords(NamedTuple):
    """An option as people are asked for it, and what each of its values means."""

    question: str
    choices: Mapping[str, str]


class NumberedMap(NamedTuple):
    """What to draw so that the map shows numbers, and what they mean."""

    wire_board: WireBoard
    view: View
    words: str


class Way(NamedTuple):
    """A way that takes several steps, perhaps of several turns: the command of each, and what it takes and brings."""

    commands: list[str]
    words: str


class Snapshot(NamedTuple):
    """A position as somebody sees it, and what has happened so far as far as the seer may know."""

    wire_board: WireBoard
    view: View
    names: Names
    seer: int | None
    events: Sequence[Event]


def _nothing(*_: Any) -> list[Line]:
    return []


def _none(*_: Any) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """One game as people see it."""

    about: str
    """In a line: what it is about, and how long it takes."""
    difficulty: int
    """From 1, for a first game, to 5."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)
    """The options of the game, by name."""

    # Words: what happened, and the position as text

    tell: Callable[[WireBoard, Event, Names], str]
    """An event as a sentence, by the names on the board."""
    touched: Callable[[Iterable[Event]], set[str]]
    """The places on the board that some events changed."""
    landmarks: frozenset[type]
    """The events that are worth jumping to, or stopping at."""
    position: Callable[[View, Names], str]
    """A position as tables of at most 80 columns."""
    draw: Callable[[WireBoard, View, Size, Collection[str]], list[Line]]
    """The board in characters, in three sizes; some places stand out."""
    legend: Callable[[View], str]
    """What the signs of the drawn board mean."""
    headings: str = ""
    """What the headings beside the drawn board mean."""
    asked: Callable[[View, Names], list[Line]]
    """Where the game stands, and who is asked what."""
    stage: Callable[[View], list[Line]]
    """Where the game stands, short enough to stand beside the map."""
    end: Callable[[WireBoard, View], str]
    """How near the end is."""
    companies: Callable[[WireBoard, View, int], list[Line]] = _nothing
    """What can be owned, for a width; nothing in a game without such a thing."""
    players: Callable[[Snapshot, int], list[Line]]
    """The players and what they have, for a width."""
    auction: Callable[[View, Names, int], list[Line]] = _nothing
    """The running auction, for a width; nothing if there is none."""

    shorter: Mapping[str, str] = field(default_factory=dict)
    """Words of choices and previews, and what stands for them where there is little room."""

    # Decisions: what is asked, the choices, what each would do, and why others are not allowed
    prompt: Callable[[Decision], Prompt]
    words: Callable[[Decision, Any], str]
    """An action or an entry of the legal list, other than a bid or a pass, in plain words."""
    deed: Callable[[WireBoard, Any], str] | None = None
    """An action, other than a bid or a pass, as what one does: "build the PRR to Pittsburgh". Without it, the
    command."""
    deeds: Callable[[Decision, Sequence[Any]], list[str]] | None = None
    """The same of all actions of one move, which are told together where that is shorter."""
    preview: Callable[[Decision, Lookahead, Sequence[Any]], Preview]
    """What some actions, one after another, would do."""
    why: Callable[[Decision, Sequence[str]], str | None]
    """Why what some words name cannot be chosen now, or that it can; None if they name nothing."""
    describe: Callable[[Decision, Sequence[str]], Spot | None] = _none
    """The place that some words name, if they name one."""
    advice: Callable[[Decision], Advice] | None = None
    reasons: Callable[[Decision, Sequence[Any]], list[str]] = lambda *_: []
    """Why the actions of one move are worth a thought, in sentences: who profits, and what a share will have earned."""
    ways: Callable[[Decision, Sequence[str]], list[Way]] = lambda *_: []
    """The ways that the words of a command may mean which cannot be played as it stands, the most promising first."""
    vocabulary: Vocabulary
    tutorial: Tutorial
    new_turn: frozenset[str]
    """Questions that begin something new: what comes before them is finished."""
    places: Callable[[WireBoard, Any], list[str]]
    """Where on the map an action takes place."""
    network: Callable[[WireBoard, View, str], tuple[frozenset[str], str] | None] = _none
    """What a word picks out on the map: the places, and a line about them."""
    numbers: Callable[[WireBoard, View, str], NumberedMap | list[str] | None] = _none
    """The map with numbers of a kind (`costs`, `income`), or lines that tell them; None if there is no such kind."""

    # Pages: the board as a picture, tables, charts

    board_map: Callable[[WireBoard], Map]
    """How the board is drawn as SVG."""
    look: Look
    """The colours and style rules of what is drawn."""
    sheets: Callable[[WireBoard, View, Names, Mapping[str, int]], list[Sheet]]
    """Who has what, by the names of the players and the last prices: the same rows and columns all through a game."""
    charts: Sequence[Chart]
    """The columns of the sheets that are worth following."""
    last_prices: Callable[[Iterable[Event]], dict[str, int]] = lambda _: {}
    """What was last paid for what, if the sheets want to know."""
    auctions: Callable[[Iterable[tuple[int, Sequence[Event]]]], list[Auction]] = lambda _: []
    """The auctions in the events of numbered steps."""
    bidding: Callable[[WireBoard, View, Sequence[Event]], AuctionShown | None] = lambda *_: None
    """The auction in progress, with its bids among all events so far."""

    # Results: where the money came from

    scores: Callable[[View], list[int | None]]
    """The score of each seat as it stands; None where it is hidden."""
    money_unit: Callable[[Any], int] = lambda _: 1
    """What every amount on a board is a multiple of."""
    transfers: Transfers
    """The events that give money to seats or take it from them."""
    payer_name: Callable[[WireBoard, str], str] = lambda board, payer: payer
    """What people call whoever pays, by its id."""
    stages: frozenset[type]
    """The events at which it is worth looking at the purses."""
    stage_name: str
    """What such an event ends."""
    finale: frozenset[type]
    """The events that are told again with the result."""
    economy: Callable[[Any, int, Sequence[Event]], list[Profile]] = lambda *_: []
    """The profile of each seat, read off the board and all events of a game."""
    economy_words: EconomyWords = USUAL_WORDS

    def deed_of(self, board: WireBoard, action: Action) -> str:
        """Any action as what one does."""
        match action:
            case Bid(amount):
                return f"bid ${amount}"
            case Pass():
                return "pass"
        return words(bare(action)) if self.deed is None else self.deed(board, action)

    def done(self, name: str, board: WireBoard, action: Action) -> str:
        """Any action as what somebody does, or after the name the command."""
        deed = self.deed_of(board, action)
        is_spoken = self.deed is not None or isinstance(action, Bid | Pass)
        return f"{name} {does(deed)}" if is_spoken else f"{name}: {deed}"

    def steps_in_words(self, board: WireBoard, steps: Iterable[Action]) -> str:
        """What some actions do, one after another."""
        return "; ".join(self.deed_of(board, step) for step in steps)

    def flows(self, event: Event) -> list[Flow]:
        """What an event gave to and took from each seat."""
        transfer = self.transfers.get(type(event))
        if transfer is None:
            return []
        amounts = getattr(event, transfer.amount)
        payer = getattr(event, transfer.payer) if transfer.payer else ""
        by_seat = enumerate(amounts) if isinstance(amounts, list) else [(event.seat, amounts or 0)]
        return [Flow(seat, transfer.kind, transfer.sign * amount, payer) for seat, amount in by_seat]


def options_in_words(game: Game[Any, Any], face: Face) -> dict[str, OptionWords]:
    """The options of a game as its face words them, the default first; plainly, if it does not."""
    told = {}
    for name, values in option_choices(game).items():
        words = face.options.get(name) or OptionWords(f"{name.replace('_', ' ').capitalize()}?", {})
        told[name] = OptionWords(
            words.question, {value: words.choices.get(value, value.replace("_", " ")) for value in values}
        )
    return told


def chosen_in_words(game: Game[Any, Any], face: Face, options: Mapping[str, Any]) -> list[str]:
    """What of some options is not as usual."""
    told, defaults = options_in_words(game, face), msgspec.structs.asdict(game.options_type())
    return [
        f"{told[name].question} {told[name].choices.get(value, value)}"
        for name, value in options.items()
        if name in told and value != defaults[name]
    ]
