"""The built-in players by name: two that play at random, those defined by each game, and four levels of strength."""

import difflib
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from rails_cli.games import load_evaluation, load_players
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match, ResumePoint, unique_name
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import Seat, Session
from rails_cli.match.step import Step
from rails_cli.players.chance import POLICIES, Choose
from rails_cli.players.levels import LEVELS, SEARCH, SecondsLeft, Think, level_player, read_budget, thinking_s
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import ClockLeft

BUILTIN_PLAYERS = (*POLICIES, "greedy", *LEVELS)
"""Names of the built-in players, except `search@BUDGET`, a player that searches with any budget."""
BARONS = ("Vanderbilt", "Gould", "Hill", "Harriman", "Huntington", "Stanford")
"""Names of railway barons. Built-in players at tables with people get these names, in this order."""
SUBSTITUTE = "greedy"
HASTY = "medium"
"""Name of the fast built-in player that replaces a search player if there is no time for a search."""
LEAST_S = 0.05
"""Shortest thinking time for a search, in seconds.

With less time, the player `HASTY` chooses the move of a search player.
"""


def baron_name(kind: str, taken: Collection[str | None]) -> str:
    """Return a name for the built-in player `kind` at a table with people.

    It is the first name in BARONS that is not in `taken`. If all are taken, the name is `kind`. If `kind` is also
    taken, a number is added.
    """
    return next((baron for baron in BARONS if baron not in taken), None) or unique_name(kind, taken)


class ChancePlayer:
    """A player that picks one of the legal actions at random, without looking at the position."""

    is_timed = False

    def __init__(self, choose: Choose, chance: Callable[[], float]) -> None:
        self._choose = choose
        self._chance = chance

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        return self._choose(match.legal, self._chance)


class ThinkingPlayer:
    """A player that chooses an action based on its view of the position. One object plays one seat of one match."""

    def __init__(self, name: str, game: str, seed: Seed, seat: int, now: Callable[[], float] = time.monotonic) -> None:
        self.is_timed = is_slow(name)
        self._seconds: float | None = None
        self._think = thinker(name, game, seed, seat, lambda: self._seconds, now)
        hasty = HASTY if HASTY in load_players(game) else SUBSTITUTE
        self._in_haste = thinker(hasty, game, seed, seat) if self.is_timed and hasty in load_players(game) else None

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        assert match.seat is not None
        return self.answer(match.view_for(match.seat), match.legal, match.board, left)

    def answer(self, view: Any, legal: list[Any], board: Any, left: ClockLeft | None) -> Any:
        """Return an action for a view of the seat to move. `left` is the time left, or None if there is no limit."""
        self._seconds = thinking_s(left)
        if self._in_haste is not None and self._seconds is not None and self._seconds < LEAST_S:
            return self._in_haste(view, legal, board)
        return self._think(view, legal, board)

    def recall(self, match: Match, positions: Sequence[Any]) -> None:
        """Restore the player's plan after a restart.

        For this, the player chooses again in `positions`, the positions of its last moves.
        """
        assert match.seat is not None
        game, board = match.game, match.board
        for state in positions:
            self.answer(game.view(state, board, match.seat), game.legal_actions(state, board), board, None)


def is_slow(name: str) -> bool:
    """Return whether the player `name` thinks so long that it should not share a process with other players."""
    return name.partition("@")[0] in ("expert", SEARCH)


def check_player(name: str, game: str | None = None, *, is_alone: bool = True) -> None:
    """Raise ValueError if there is no built-in player `name`, or if the player cannot play `game`.

    `is_alone` is true if no other player uses the processor cores. If it is false, also raise ValueError for a search
    with several processes.
    """
    kind, _, budget = name.partition("@")
    if kind == SEARCH or (kind == "expert" and budget):
        if read_budget(budget).processes > 1 and not is_alone:
            once = name.partition("*")[0]
            raise ValueError(
                f"{name!r} works only with play, run and player; others need the cores here, so try {once!r}"
            )
    elif name not in BUILTIN_PLAYERS:
        near = difflib.get_close_matches(name, BUILTIN_PLAYERS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(BUILTIN_PLAYERS)} and search@BUDGET"
        raise ValueError(f"there is no player {name!r}; {hint}")
    if game is not None and ("expert" if kind == SEARCH else kind) not in (known := players_of(game)):
        raise ValueError(f"{game} has no player {name!r}; it has {', '.join(known)}")


def players_of(game: str) -> list[str]:
    """Return the names of the built-in players that can play a game.

    `greedy` and `medium` must be defined by the game. `easy`, `hard` and `expert` need its evaluation function.
    """
    brought, looks_ahead = load_players(game), load_evaluation(game) is not None
    return [
        name
        for name in BUILTIN_PLAYERS
        if name in POLICIES or (name in brought if name in ("greedy", "medium") else looks_ahead)
    ]


def usual_level(game: str) -> str:
    """Return the name of the built-in player that people and agents play against if they choose no other."""
    return "medium" if "medium" in players_of(game) else "greedy"


def player_name(words: str) -> str:
    """Return the name of a built-in player without the prefix `builtin:`.

    Raise ValueError if there is no such player.
    """
    name = words.strip().removeprefix(BUILTIN)
    check_player(name)
    return name


def builtin_player(
    name: str, game: str, seed: Seed, seat: int, now: Callable[[], float] = time.monotonic
) -> ChancePlayer | ThinkingPlayer:
    """Create the built-in player `name` for one seat of one game. Searches read the time from `now`.

    The random choices of the player depend on `seed`.
    """
    if name in POLICIES:
        return ChancePlayer(POLICIES[name], stream(f"{name}/{seed}/{seat}"))
    return ThinkingPlayer(name, game, seed, seat, now)


def thinker(
    name: str,
    game: str,
    seed: Seed,
    seat: int,
    seconds_left: SecondsLeft = lambda: None,
    now: Callable[[], float] = time.monotonic,
) -> Think:
    """Return a function that chooses actions like the built-in player `name`.

    `seconds_left` returns the seconds that a search may use, or None for no limit. `now` is the clock of searches.
    """
    if name in load_players(game) and name not in LEVELS:
        return load_players(game)[name]
    return level_player(name, game, seed, seat, seconds_left, now=now)


def substitute(game: str, seat: int) -> ChancePlayer | ThinkingPlayer:
    """Create the built-in player that replaces a player who left or failed too often."""
    return builtin_player(SUBSTITUTE, game, 0, seat)


def play_builtin(session: Session, seat: Seat[Any], now: Callable[[], float]) -> Step:
    """Let the built-in player of a seat choose and play an action.

    Return the messages to send and lines to log. If the player is slow, the time that it used is charged to the time
    bank of the seat. `now` is the clock.
    """
    player = seat.player
    assert player is not None
    began = now()
    action = player.choose(session.match, seat.clock.left())
    is_charged = player.is_timed and seat.clock.bank_s is not None
    return session.chosen(seat, action, int((now() - began) * 1000) if is_charged else None)


def restore_plan(sitting: Sequence[object], left: ResumePoint) -> None:
    """Restore the planned moves of the seat to move, after a match was resumed.

    Do nothing if the player of this seat makes no plans. `left` is the point at which the match was resumed. `sitting`
    contains the player of each seat.
    """
    seat = left.match.seat
    player = None if seat is None else sitting[seat]
    if isinstance(player, ThinkingPlayer):
        player.recall(left.match, left.own_positions)
