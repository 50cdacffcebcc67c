"""`rails-cli player`: Run a built-in player as a bot on standard input and output."""

from pathlib import Path
from typing import Annotated, Any

import click

from rails_cli.basics.seeds import new_seed
from rails_cli.commands import reported
from rails_cli.commands.options import ParsedType, argument, cli_command
from rails_cli.commands.parameters import BoardFile, SeedOption, board_and_content
from rails_cli.games import NoSuchGame, board_from_wire, load_game
from rails_cli.games.game import BoardError
from rails_cli.games.shared.luck import stream
from rails_cli.players.builtin import ThinkingPlayer, check_player, player_name
from rails_cli.players.chance import POLICIES
from rails_cli.protocol.bot import run
from rails_cli.protocol.lines import BadLine
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import Join, Request, Start


@cli_command
def command(
    name: Annotated[str, argument(type=ParsedType("name", player_name))],
    board_file: BoardFile = None,
    seed: SeedOption = None,
) -> None:
    """Run a built-in player as a bot on standard input and output.

    Anything that can run a bot can play against the player: other servers, tournaments, your own programs. The player
    thinks for part of the time its clock allows. NAME is a level (easy, medium, hard, expert), search@400 or
    search@0.5s (search iterations or seconds per move), search@0.5s*4 (in four processes), greedy, busy or random.

    \b
    Examples:
      rails-cli player expert
      rails-cli connect ws://127.0.0.1:8765 --table 1f3a -- rails-cli player search@0.5s
    """
    Bot(name, board_file, seed).run()


class Bot:
    """A bot that answers requests like a built-in player."""

    def __init__(self, name: str, board_file: Path | None, seed: Seed | None) -> None:
        self.name = name
        self.board_file = board_file
        self.given_seed = seed
        self.seed: Seed = 0
        """Seed for the current match: the value of --seed, or else the seed in the `start` message, or else random."""
        self.board: Any = None
        self.players: dict[int, ThinkingPlayer] = {}
        """Mapping from the index of a seat in the current match to the built-in player that answers for the seat."""

    def run(self) -> None:
        with reported(BadLine, prefix="cannot read what the server sent: "):
            run(self.decide, join=Join(name=self.name), on_start=self.begin)

    def begin(self, start: Start) -> None:
        """Prepare for a new match. Raise ClickException if the game is not supported or its board is invalid."""
        self.players.clear()
        drawn = new_seed() if start.seed is None else start.seed
        self.seed = drawn if self.given_seed is None else self.given_seed
        with reported(NoSuchGame, ValueError, BoardError):
            check_player(self.name, start.game)
            if start.board is None:
                self.board, _ = board_and_content(load_game(start.game), self.board_file)
            else:
                self.board = board_from_wire(start.game, start.board)
        if start.seat is not None and self.name not in POLICIES:  # created now, before its clock runs
            self.sit(start, start.seat)

    def sit(self, start: Start, seat: int) -> ThinkingPlayer:
        if seat not in self.players:
            self.players[seat] = ThinkingPlayer(self.name, start.game, f"{self.seed}/{start.match}", seat)
        return self.players[seat]

    def decide(self, request: Request[Any, Any, Any], start: Start) -> Any:
        if self.name in POLICIES:
            if not request.legal:
                raise click.ClickException(f"request {request.number} has an empty legal list")
            return POLICIES[self.name](request.legal, stream(f"{self.seed}/{start.match}/{request.number}"))
        view, seat = request.view, request.seat
        if view is None or view.question is None or {view.seat, view.question.seat} != {seat}:
            raise click.ClickException(f"request {request.number} does not show what seat {seat} is asked")
        player = self.sit(start, seat)
        known = [entry for entry in request.legal if not isinstance(entry, dict)]
        if not known:
            raise click.ClickException(f"request {request.number} has no entry in its legal list that is known here")
        prefix = f"request {request.number} tells of a position that cannot be: "
        with reported(ValueError, LookupError, ArithmeticError, prefix=prefix):
            return player.answer(view, known, self.board, request.clock)
