"""Games for tests: bots in this process play a whole game with the messages of the protocol."""

import difflib
from collections import deque
from collections.abc import Sequence
from functools import cache
from typing import Any

from rails_cli.bot import MakeBot, Played
from rails_cli.games import NoSuchGame, load_game, standard_board, whole_games
from rails_cli.games.options import read_options
from rails_cli.games.plain import union_members
from rails_cli.match.match import Match, header_of, unique_name
from rails_cli.match.session import MatchPolicy, Player
from rails_cli.players.builtin import builtin_player, check_player, player_name
from rails_cli.protocol.bot import Bot, Conversation, kind_of
from rails_cli.protocol.lines import encode
from rails_cli.protocol.log import FaultLine, PlayerLine, Seed
from rails_cli.protocol.messages import Join, Start
from rails_cli.referee.seats import LineSeat, SeatLost, UntimedSeat
from rails_cli.referee.single import Referee


class BotSeat(UntimedSeat):
    """A seat that a bot in this process plays. The bot answers as soon as it receives a line."""

    def __init__(self, make: MakeBot, join: Join | None) -> None:
        super().__init__(join or Join())
        self.make = make
        self.bots: list[Bot[Any, Any, Any]] = []
        self.talk = Conversation(self._made)
        self.said: deque[bytes] = deque()

    def _made(self, start: Start) -> Bot[Any, Any, Any]:
        bot = self.make(start)
        check_methods(type(bot))
        self.bots.append(bot)
        return bot

    def post(self, line: bytes) -> None:
        message = self.talk.hear(line)
        if message is not None:
            self.said.append(encode(message))

    def receive(self, deadline: float | None) -> bytes:
        if not self.said:
            raise SeatLost("disconnect", "the bot did not answer")
        return self.said.popleft().removesuffix(b"\n")

    def end(self, *, is_final: bool = False) -> None:
        self.said.clear()


def play_match(
    make: MakeBot,
    name: str,
    opponents: Sequence[str | MakeBot],
    seat: int,
    seed: Seed,
    options: dict[str, str],
    join: Join | None,
) -> Played:
    """Play a match and return its result. `name` is the name of the game.

    `rails_cli.bot.play` explains the other parameters.
    """
    try:
        game = load_game(name)
    except NoSuchGame as error:
        raise ValueError(str(error)) from None
    makers = list(opponents)
    if not 0 <= seat <= len(makers):
        raise ValueError(f"seat {seat} is not one of 0 to {len(makers)}")
    makers.insert(seat, make)
    if len(makers) not in game.players:
        least, most = game.players[0] - 1, game.players[-1] - 1
        raise ValueError(f"{name} is played against {least} to {most} opponents, not {len(makers) - 1}")
    sitting: list[LineSeat | Player] = []
    lines: list[PlayerLine] = []
    for index, who in enumerate(makers):
        if isinstance(who, str):
            opponent = player_name(who)
            check_player(opponent, name)
            sitting.append(builtin_player(opponent, name, seed, index))
        else:
            opponent = getattr(who, "__name__", "bot")
            sitting.append(BotSeat(who, join if index == seat else None))
        lines.append(PlayerLine(unique_name(opponent, [line.name for line in lines])))
    tested = [who for who in sitting if isinstance(who, BotSeat)]
    tested_seats = [index for index, who in enumerate(sitting) if isinstance(who, BotSeat)]
    match = Match(game, standard_board(name), header_of(game, read_options(game, options), seed, lines))
    log: list[Any] = [match.header, match.setup_line]
    result = Referee(match, sitting, MatchPolicy(), write=log.append).play()
    faults = [
        f"seat {line.seat}, action {line.number}: {line.code}: {line.message}"
        for line in log
        if isinstance(line, FaultLine) and line.seat in tested_seats
    ]
    bots = [bot for who in tested for bot in who.bots]
    return Played(result.scores, result.ranks, result.reason, faults, log, bots)


def check_methods(kind: type[Bot[Any, Any, Any]]) -> None:
    """Raise ValueError if the bot class `kind` has a method that is never called because its name is misspelled."""
    for prefix, known in kinds().items():
        for name in dir(kind):
            tag = name.removeprefix(prefix)
            if tag != name and tag not in known and (near := difflib.get_close_matches(tag, known, 1, 0.8)):
                words = f"{kind.__name__}.{name} would never be called"
                raise ValueError(f"{words}; did you mean {prefix}{near[0]}?")


@cache
def kinds() -> dict[str, frozenset[str]]:
    """Return a mapping from a prefix of the names of bot methods to the valid texts after this prefix.

    After `decide_`, the text is a kind of action of any game. After `on_`, the text is a kind of event.
    """
    games = [load_game(name) for name in whole_games()]
    entries = (kind for game in games for kind in union_members(game.entry_type))
    events = (kind for game in games for kind in union_members(game.event_type))
    return {"decide_": frozenset(map(kind_of, entries)), "on_": frozenset(map(kind_of, events))}
