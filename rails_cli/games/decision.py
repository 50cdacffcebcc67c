"""Decisions and lookaheads.

A decision is a pending question with everything that the asked seat can see. A lookahead is a predicted position: the
position after possible actions. It is computed without changing the game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from rails_cli.games.game import Game, IllegalAction, WireBoard, check_listed, without_info_fields

if TYPE_CHECKING:
    from rails_cli.games.faces.interface import Face


LAST_ONE = "last one"
"""Note in a preview of an auction: the offered share is the last share of its company."""


class Prompt(NamedTuple):
    """Texts for a pending question: the question, an explanation, and the ids of the rules that apply."""

    asks: str
    explained: str
    rules: str


class Preview(NamedTuple):
    """The effect of an action as short notes. `gain` is an estimate of the action's value, used to sort choices."""

    notes: list[str]
    gain: float = 0

    @property
    def words(self) -> str:
        return ", ".join(self.notes)

    @property
    def effect(self) -> str:
        """The notes, joined by commas. Notes that only report how much of something is left are omitted."""
        return ", ".join(note for note in self.notes if not note.endswith(" left") and note != LAST_ONE)


class Advice(NamedTuple):
    """The action that a built-in player would choose, and text lines with the estimates behind the choice."""

    action: Any
    numbers: list[str]


class Spot(NamedTuple):
    """A place on the map, and one sentence that describes the place."""

    id: str
    about: str


class Lookahead(Protocol):
    """A position that may follow in the game, as far as the seat `seat` can predict it.

    The methods do not change the real game.
    """

    seat: int
    is_by_chance: bool
    """Whether chance or hidden information affected this position, so that the seat cannot predict it exactly."""

    @property
    def asked(self) -> int | None:
        """The seat to move, or None if the game is over or if chance or hidden information decides which seat moves."""

    @property
    def view(self) -> Any:
        """The view that the seat has of this position. Only valid if `is_by_chance` is false."""

    @property
    def legal(self) -> list[Any]:
        """The list of legal actions in this position. Only valid if `is_by_chance` is false."""

    def after(self, action: Any) -> "tuple[Lookahead, list[Any]]":
        """Return the position after an action, and the first events of the action.

        The events end before the first event that is random or reveals hidden information.
        """

    def prepare(self, actions: Sequence[Any]) -> None:
        """Prepare for calls of `after` with each of `actions`. The results can then be computed together."""


class LocalLookahead:
    """A lookahead that applies the rules to copies of a fully known position."""

    def __init__(self, game: Game[Any, Any], board: Any, state: Any, seat: int) -> None:
        self._game = game
        self._board = board
        self._state = state
        self.seat = seat
        self.is_by_chance = False

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
        """Return the position after an action, and the first events of the action.

        The events end before the first event that is random or reveals hidden information. If there is such an event,
        `is_by_chance` of the position is true. In a game with secrets, it is also true if another seat moves next.
        """
        state = self._state.copy()
        events: list[Any] = []
        self._game.apply(state, self._board, without_info_fields(action), events)
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
        """Do nothing, because `after` computes each result when it is called."""


@dataclass(frozen=True)
class Decision:
    """A pending question with everything that the seat to move can see.

    `names` has the player names by seat. `legal` is the list of legal actions. `lookahead` is the position of the
    question. It computes the positions after possible actions.
    """

    game: Game[Any, Any]
    face: "Face"
    wire_board: WireBoard
    board: Any
    """The board object that the rules use, or None if the server uses a board that this program cannot read."""
    names: list[str]
    seat: int
    view: Any
    legal: list[Any]
    lookahead: Lookahead

    def at(self, lookahead: Lookahead) -> "Decision":
        """Return a decision for the position of `lookahead`, with its view and its legal actions.

        Everything else is the same as in this decision.
        """
        return replace(self, lookahead=lookahead, view=lookahead.view, legal=lookahead.legal)

    def after(self, action: Any) -> "Decision | None":
        """Return the seat's next decision after `action`, or None if another seat is next or chance decides."""
        ahead, _ = self.lookahead.after(action)
        return None if ahead.is_by_chance or ahead.asked != self.seat else self.at(ahead)

    def listed(self, action: Any) -> Any:
        """Return the entry of the list of legal actions that stands for `action`.

        Unlike `action`, the entry has the cost. Return a bid unchanged.
        """
        wanted = without_info_fields(action)
        return next(
            (entry for entry in self.legal if type(entry) is type(action) and without_info_fields(entry) == wanted),
            action,
        )


def decision_at(
    lookahead: Lookahead, game: Game[Any, Any], face: "Face", wire_board: WireBoard, board: Any, names: list[str]
) -> Decision:
    """Return the pending decision of the position in `lookahead`. `names` has the player names by seat."""
    return Decision(game, face, wire_board, board, names, lookahead.seat, lookahead.view, lookahead.legal, lookahead)


def action_of(game: Game[Any, Any], legal: list[Any], step: Any) -> Any:
    """Decode `step`, a JSON value received from a client, and return the action.

    Raise IllegalAction if `step` is not an action or does not match an entry of `legal`, the list of legal actions.
    """
    try:
        action = msgspec.convert(step, game.action_type)
    except (msgspec.ValidationError, RecursionError) as error:
        raise IllegalAction(f"no action: {error}") from None
    check_listed(legal, action)
    return action


def change(before: int, after: int) -> str:
    """Return the change of an amount of money, such as "$5 → $7", or "stays $5" if it does not change."""
    return f"stays ${after:,}" if before == after else f"${before:,} → ${after:,}"
