"""What a person knows who is asked something, and how an answer can be tried out on a copy of the position."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from rails_cli.games.game import Game, IllegalAction, bare, check_listed

BY_CHANCE = frozenset({"drew", "mixed", "went_bankrupt", "dealt"})
"""Events that nobody can foresee, and what comes after them."""


class Foresight(Protocol):
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

    def after(self, action: Any) -> "tuple[Foresight, list[Any]]":
        """The position after an action, and what it brings before chance has a say."""

    def prepare(self, actions: Sequence[Any]) -> None:
        """Tells that all these are going to be tried."""


class Trial:
    """Foresight by the rules themselves, on copies of a position that is known in full."""

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

    def after(self, action: Any) -> "tuple[Trial, list[Any]]":
        """The position after an action, and what it brings before chance has a say.

        Where there are secrets, nothing is foreseen beyond the seat's own turn: who can go on depends on hands, and the
        end of the game shows them.
        """
        state = self._state.copy()
        events: list[Any] = []
        self._game.apply(state, self._board, bare(action), events)
        known = []
        for event in events:
            if event.__struct_config__.tag in BY_CHANCE:
                break
            known.append(event)
        after = Trial(self._game, self._board, state, self.seat)
        is_told = len(known) == len(events) and not (self._game.has_secrets and after.asked != self.seat)
        after.is_by_chance = self.is_by_chance or not is_told
        return after, known

    def prepare(self, actions: Sequence[Any]) -> None:
        """Nothing: each is tried when it is asked for."""


@dataclass(frozen=True)
class Situation:
    """An open question as the seat that is asked sees it. Without a `trial` nothing can be tried out."""

    game: str
    title: str
    wire_board: dict[str, Any]
    board: Any
    """The board as the rules know it; None if it is not known here."""
    names: list[str]
    seat: int
    view: Any
    legal: list[Any]
    trial: Foresight | None


def action_of(game: Game[Any, Any], legal: list[Any], step: Any) -> Any:
    """A step as somebody sent it, as an action that answers an entry of the legal list. Raises IllegalAction."""
    try:
        action = msgspec.convert(step, game.action_type)
    except (msgspec.ValidationError, RecursionError) as error:
        raise IllegalAction(f"no action: {error}") from None
    check_listed(legal, action)
    return action
