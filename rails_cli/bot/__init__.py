"""The kit for bots in Python: a base class (`Bot`), a way to run it (`run`), and a way to test it (`play`).

The code for servers and tests is imported on use, so that a bot at standard input and output starts fast.
"""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rails_cli.protocol.bot import Bot, Conversation, Decision, converse
from rails_cli.protocol.messages import End, Join, Rejected, Request, Start, Update

if TYPE_CHECKING:
    from pathlib import Path

    from rails_cli.protocol.log import Seed

__all__ = ["Bot", "Decision", "End", "Join", "Played", "Rejected", "Request", "Start", "Update", "play", "run"]

MakeBot = Callable[[Start], Bot[Any, Any, Any]]
"""Function that creates the bot of a match from the `start` message. A subclass of `Bot` is such a function."""


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
    """Play matches, each with a new bot that `make` creates from the start message of the match.

    Without a `url`, the bots read standard input and write standard output until the input ends, as a referee expects.
    What a bot prints goes to standard error. If a bot raises an exception, the program ends with the traceback.

    With a `url`, such as ws://127.0.0.1:8765, the bots play at a server. After a lost connection, they try to reconnect
    for up to `patience_s` seconds. `tables` has the ids of tables at which bots take a seat. `tokens` has the tokens of
    seats that were taken before. Bots play in all these seats at the same time, one game in each.

    If `tables` and `tokens` are empty, bots take free seats at public tables of `game`. None means tables of any game.
    They play in `at_once` seats at the same time, and `games` games one after another in each seat. None means no limit
    on the games. If `pool` is the token of an entrant, they play these games in the rated pool of the server instead.

    At a server, each bot runs in its own thread. If a bot raises an exception, the traceback goes to standard error and
    the default action is played. If `make` raises an exception, default actions are played in the whole match. `say` is
    called with status messages, which contain tokens. By default status messages go to standard error.

    `join` contains the name of the bots and their message options, such as requests without a view. `certificate` is a
    file with certificates to trust. Return the `end` messages of the games at the server, in the order in which the
    games ended. Raise `Unreachable` or `Denied` of `rails_cli.client.connection` if the server cannot be reached or
    refuses a request.
    """
    if url is None:
        converse(Conversation(make, join))
        return []
    import asyncio

    from rails_cli.bot.server_seats import ServerSeats

    say = say or (lambda words: print(words, file=sys.stderr))
    seats = ServerSeats(url, make, join, certificate, patience_s, say)
    asyncio.run(seats.run(tables, tokens, at_once, games, game, pool))
    return seats.ends


class Played(NamedTuple):
    """The result of a game that `play` has played."""

    scores: list[int]
    ranks: list[int]
    """Rank of each seat. 1 is the winner."""
    reason: str
    """Reason of the end, as in the result line of a log. `normal` if the game was played to its end."""
    faults: list[str]
    """Descriptions of the faults of all bots in the game, such as rejected answers."""
    log: list[Any]
    """The lines of the log, from its header to the result."""
    bots: list[Bot[Any, Any, Any]]
    """The bot objects after the game, in the order of their seats. Built-in players are left out."""


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
    """Play a whole game in this process, for tests, and return its result. Pipes and clocks are not used.

    The bot that `make` creates takes `seat`. Opponents are built-in players by name (`random`, `greedy`, `medium`, …)
    or bots, and take the other seats in order. The same seed gives the same game if the players are deterministic.
    Exceptions of a bot are not caught. Raise ValueError for an unknown game, number of players or option, and for a bot
    method with a misspelled name. The text of the error says what is valid.
    """
    from rails_cli.bot.in_process import play_match

    return play_match(make, game, list(opponents), seat, seed, options or {}, join)
