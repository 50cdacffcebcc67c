"""The kit for bots in Python: a player to write (`Bot`), a way to run it (`run`), and a way to test it (`play`).

Everything but the loop over pipes is imported when it is used, so that a bot starts fast.
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
"""Makes the bot of a match: a subclass of `Bot`, or a function that picks one by `start.game`."""


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
    """Plays match after match, each with a bot that `make` makes of its start.

    Without a `url` it speaks on standard input and output, until the input ends: so it is run by a referee. What the
    bot prints goes to standard error; if it raises, the program ends with the traceback there.

    With a `url`, such as ws://127.0.0.1:8765, it plays at a server, and comes back by itself when the connection is
    lost, for as long as `patience_s`. It plays at the `tables` given by their ids, all at once, and in seats held
    before, given by their `tokens`. Given neither, it takes any free seat at a public table (of this `game`), `at_once`
    so many, until `games` are over in each of them. With the token of an entrant in `pool` it plays in the rated pool
    of the server instead. Bots think in threads of their own; for one that raises, the traceback goes to standard error
    and the default is played, as it is in all of a match whose bot `make` fails to make. `say` hears what happens,
    tokens included; as it stands, standard error does.

    `join` introduces the bots, and may ask for requests without a view, or for updates. Returns the ends of the games
    at the server, in the order in which they ended. Raises `rails_cli.client.Unreachable` or `Denied`, with the words
    of the server.
    """
    if url is None:
        converse(Conversation(make, join))
        return []
    import asyncio

    from rails_cli.bot.visits import Visits

    visits = Visits(url, make, join, certificate, patience_s, say)
    asyncio.run(visits.run(tables, tokens, at_once, games, game, pool))
    return visits.ends


class Played(NamedTuple):
    """A game that was played with `play`."""

    scores: list[int]
    """By seat."""
    ranks: list[int]
    """By seat: 1 has won."""
    reason: str
    """How it ended: `normal`, unless the bot had to be replaced."""
    faults: list[str]
    """What the bots under test did wrong, in words: answers that were rejected."""
    log: list[Any]
    """The lines of the log, from its header to the result."""
    bots: list[Bot[Any, Any, Any]]
    """The bots under test, as the game left them."""


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
    """Plays a whole game in this process, for tests: no pipes and no clock, but the same lines as everywhere.

    Opponents are built-in players by name (`random`, `greedy`, `medium`, …) or bots, and sit around the `seat` of the
    bot in their order. The same seed gives the same game, as far as it is up to the dice. An exception of a bot is not
    caught. Methods that no game would ever call are a mistake, and so is a game, a number of players or an option that
    is not there: ValueError says which would do.
    """
    from rails_cli.bot.double import play_match

    return play_match(make, game, list(opponents), seat, seed, options or {}, join)
