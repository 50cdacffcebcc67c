"""An open question as the seat that is asked sees it, and looking ahead: answers are tried out on copies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from rails_cli.games.game import Game, IllegalAction, WireBoard, bare, check_listed

if TYPE_CHECKING:
    from rails_cli.games.face import Face


class Prompt(NamedTuple):
    """What is asked, how to go about it, and the rules it comes from."""

    asks: str
    explained: str
    rules: str


class Preview(NamedTuple):
    """What would change, in short phrases; and how good that is, to put the better choices first."""

    notes: list[str]
    gain: float = 0

    @property
    def words(self) -> str:
        return ", ".join(self.notes)

    @property
    def effect(self) -> str:
        """The words without what there is now and stays: how many are left."""
        return ", ".join(note for note in self.notes if not note.endswith(" left"))


class Advice(NamedTuple):
    """What a player that comes with a game would do, and the numbers it goes by."""

    action: Any
    numbers: list[str]


class Spot(NamedTuple):
    """A place on the map, and what it is like in a sentence."""

    id: str
    about: str


class Lookahead(Protocol):
    """A position that is played on without anybody noticing, as far as one seat can foresee it."""

    seat: int
    is_by_chance: bool
    """Whether chance or what others hide has had a say, so that the seat cannot know this position."""

    @property
    def asked(self) -> int | None:
        """Who is asked next; None if the game would be over, or if the seat cannot know."""

    @property
    def view(self) -> Any:
        """What the seat would see; only for a position that it can know."""

    @property
    def legal(self) -> list[Any]:
        """What could be answered then; only for a position that the seat can know."""

    def after(self, action: Any) -> "tuple[Lookahead, list[Any]]":
        """The position after an action, and what it brings before chance has a say."""

    def prepare(self, actions: Sequence[Any]) -> None:
        """Tells that all these are going to be tried."""


class LocalLookahead:
    """By the rules themselves, on copies of a position that is known in full."""

    def __init__(self, game: Game[Any, Any], board: Any, state: Any, seat: int, *, is_by_chance: bool = False) -> None:
        self._game = game
        self._board = board
        self._state = state
        self.seat = seat
        self.is_by_chance = is_by_chance

    @property
    def asked(self) -> int | None:
        pending = self._state.pending
        return None if pending is None or self.is_by_chance else int(pending.seat)

    @property
    def view(self) -> Any:
        assert not self.is_by_chance
        return self._game.view(self._state, self._board, self.seat)

    @property
    def legal(self) -> list[Any]:
        assert not self.is_by_chance
        return self._game.legal_actions(self._state, self._board)

    def after(self, action: Any) -> "tuple[LocalLookahead, list[Any]]":
        """The position after an action, and what it brings before chance has a say.

        Where there are secrets, nothing is foreseen beyond the seat's own turn: who can go on depends on hands, and the
        end of the game shows them.
        """
        state = self._state.copy()
        events: list[Any] = []
        self._game.apply(state, self._board, bare(action), events)
        known = []
        for event in events:
            if type(event) in self._game.unforeseeable:
                break
            known.append(event)
        after = LocalLookahead(self._game, self._board, state, self.seat)
        is_told = len(known) == len(events) and not (self._game.has_secrets and after.asked != self.seat)
        after.is_by_chance = self.is_by_chance or not is_told
        return after, known

    def prepare(self, actions: Sequence[Any]) -> None:
        """Nothing: each is tried when it is asked for."""


@dataclass(frozen=True)
class Decision:
    """An open question as the seat that is asked sees it."""

    game: Game[Any, Any]
    face: "Face"
    wire_board: WireBoard
    board: Any
    """The board as the rules know it; None if it is not known here."""
    names: list[str]
    seat: int
    view: Any
    legal: list[Any]
    lookahead: Lookahead

    def at(self, lookahead: Lookahead) -> "Decision":
        """The same, put in another position."""
        return replace(self, lookahead=lookahead, view=lookahead.view, legal=lookahead.legal)

    def after(self, action: Any) -> "Decision | None":
        """What the seat is asked after an action; None if others would be asked, or if nobody can know."""
        ahead, _ = self.lookahead.after(action)
        return None if ahead.is_by_chance or ahead.asked != self.seat else self.at(ahead)

    def listed(self, action: Any) -> Any:
        """The entry of the legal list that an action answers, which tells its cost; a bid stands for itself."""
        wanted = bare(action)
        return next((entry for entry in self.legal if type(entry) is type(action) and bare(entry) == wanted), action)


def decision_at(
    lookahead: Lookahead, game: Game[Any, Any], face: "Face", wire_board: WireBoard, board: Any, names: list[str]
) -> Decision:
    """The question that is open where a lookahead begins."""
    return Decision(game, face, wire_board, board, names, lookahead.seat, lookahead.view, lookahead.legal, lookahead)


def action_of(game: Game[Any, Any], legal: list[Any], step: Any) -> Any:
    """A step as somebody sent it, as an action that answers an entry of the legal list. Raises IllegalAction."""
    try:
        action = msgspec.convert(step, game.action_type)
    except (msgspec.ValidationError, RecursionError) as error:
        raise IllegalAction(f"no action: {error}") from None
    check_listed(legal, action)
    return action


def change(before: int, after: int) -> str:
    return f"{before:,} → {after:,}"
