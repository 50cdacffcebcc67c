"""Speed of random playouts with and without writing a log, and of verifying logs compared with writing them."""

import os
import tempfile
from pathlib import Path

from rails_cli.games import game_names, load_game, standard_board
from rails_cli.games.shared.luck import stream
from rails_cli.logs.verify import verify
from rails_cli.match.match import Match, header_of
from rails_cli.players.chance import choose_random
from rails_cli.protocol.log import PlayerLine
from rails_cli.study.simulate import logged_playout, playout
from tests.bench.measure import interleaved, show

PLAYERS = 4
GAMES = 20


def compare(name: str, folder: Path) -> None:
    """Print decisions per second for the game `name`: playouts without a log, with a log, and verifying logs."""
    game, board = load_game(name), standard_board(name)
    options = game.options_type()
    players = [PlayerLine(f"random {seat}", "builtin:random") for seat in range(PLAYERS)]
    file = os.open(folder / f"{name}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    logs = [b""] * GAMES

    def without() -> int:
        decisions = 0
        for seed in range(GAMES):
            state = game.setup(board, PLAYERS, options, seed, None)
            decisions += playout(game, board, state, choose_random, stream(seed)).total()
        return decisions

    def logged() -> int:
        decisions = 0
        for seed in range(GAMES):
            match = Match(game, board, header_of(game, options, seed, players))
            logs[seed] = logged_playout(match, choose_random, stream(seed))[0]
            os.write(file, logs[seed])
            decisions += match.number
        return decisions

    def verified() -> int:
        return sum(verify(content).actions for content in logs)

    rates = interleaved({"playout": without, "playout with log": logged})
    show(f"{name}: decisions per CPU second, without and with a log", rates, "playout", at_least=0.4)
    rates = interleaved({"playout with log": logged, "verify": verified})
    show(f"{name}: verifying a log against writing it", rates, "playout with log", at_least=0.8)
    os.close(file)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in game_names():
            compare(name, Path(folder))
