"""The kit for bots in Python: a base class (`Bot`), a way to run it (`run`), and a way to test it (`play`).

Everything except the loop over pipes is imported on use, so that a bot starts fast.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rails_cli.protocol.bot import Bot, Conversation, Decision, converse
from rails_cli.protocol.messages import End, Join, Rejected, Request, Start, Update

if TYPE_CHECKING:
    from pathlib import Path

    from rails_cli.protocol.log import Seed

__all__ = ["Bot", "Decision", "End", "Join", "Played", "Rejected", "Request", "Start", "Update", "play", "run"]

MakeBot = Callable[[Start], Bot[Any, Any, Any]]
"""Creates the bot of a match: a subclass of `Bot`, or a function that chooses one by `start.game`."""


def run(
    make: MakeBot,
    url: str | None = None,
    *,
    join: Join | None = None,
    tables: Sequence[str] = (),
    tokens: Sequence[str] = (),
    at_once: int = 1,
    games: int | None = None,
    game: str | None = None,
    pool: str | None = None,
    certificate: "Path | None" = None,
    patience_s: float = 120.0,
    say: Callable[[str], None] | None = None,
) -> list[End[Any]]:
    """Play matches one after another, each with a bot created by `make` from its start message.

    Without a `url`, it communicates on standard input and output until the input ends, as a referee runs it. What the
    bot prints goes to standard error. If the bot raises, the program ends with the traceback there.

    With a `url`, such as ws://127.0.0.1:8765, it plays at a server, and reconnects for up to `patience_s` seconds. It
    plays at the `tables` given by id, all at the same time, and in seats held before, given by their `tokens`. With
    neither, it takes free seats at public tables (of this `game`), `at_once` at a time, until `games` are over in each
    of them. With the token of an entrant in `pool`, it plays in the server's rated pool instead.

    At a server, bots run in their own threads. If one raises, the traceback goes to standard error and the default is
    played, also for a whole match if `make` fails. `say` receives messages about what happens, including tokens. By
    default they go to standard error.

    `join` introduces the bots, and may ask for requests without a view, or for updates. Returns the ends of the games
    at the server, in the order in which they ended. Raises `Unreachable` or `Denied` of `rails_cli.client.connection`,
    with the server's message.
    """
    if url is None:
        converse(Conversation(make, join))
        return []
    import asyncio

    from rails_cli.bot.server_seats import ServerSeats

    seats = ServerSeats(url, make, join, certificate, patience_s, say)
    asyncio.run(seats.run(tables, tokens, at_once, games, game, pool))
    return seats.ends


class Played(NamedTuple):
    """A game played with `play`."""

    scores: list[int]
    """Scores by seat."""
    ranks: list[int]
    """Ranks by seat. 1 is the winner."""
    reason: str
    """How it ended: `normal`, unless the bot had to be replaced."""
    faults: list[str]
    """Descriptions of rejected answers of the bots under test."""
    log: list[Any]
    """The lines of the log, from its header to the result."""
    bots: list[Bot[Any, Any, Any]]
    """The bots under test, in their state after the game."""


def play(
    make: MakeBot,
    game: str,
    *,
    opponents: Sequence[str | MakeBot] = ("random",),
    seat: int = 0,
    seed: "Seed" = 0,
    options: dict[str, str] | None = None,
    join: Join | None = None,
) -> Played:
    """Play a whole game in this process, for tests: without pipes or a clock, but with the same messages.

    Opponents are built-in players by name (`random`, `greedy`, `medium`, …) or bots, and take the other seats in order.
    The same seed gives the same game if the players are deterministic. Exceptions of a bot are not caught. Raises
    ValueError for an unknown game, number of players or option, and for methods that no game would call. It says what
    is valid.
    """
    from rails_cli.bot.in_process import play_match

    return play_match(make, game, list(opponents), seat, seed, options or {}, join)
