"""Playouts that write logs against playouts that do not, and verifying against writing."""

import tempfile
from collections import Counter
from pathlib import Path

import msgspec

from rails_cli.core.luck import stream
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.players.chance import choose_random
from rails_cli.replay import verify_file
from rails_cli.simulate import Plan, log_name, play_one, playout
from tests.bench.measure import interleaved, show

PLAYERS = 4
GAMES = 20


def compare(name: str, folder: Path) -> None:
    game, board = load_game(name), standard_board(name)
    options = game.options_type()
    plan = Plan(name, PLAYERS, msgspec.to_builtins(options), 0, "random", None, str(folder))

    def without() -> int:
        decisions = 0
        for seed in range(GAMES):
            state = game.setup(board, PLAYERS, options, seed, None)
            decisions += playout(game, board, state, choose_random, stream(seed), Counter())
        return decisions

    written: list[Path] = []

    def logged() -> int:
        place = Path(tempfile.mkdtemp(dir=folder))
        written.append(place)
        here = msgspec.structs.replace(plan, log_dir=str(place))
        return sum(play_one(here, game, board, options, seed).decisions for seed in range(GAMES))

    def verified() -> int:
        return sum(verify_file(written[0] / log_name(plan, seed)).actions for seed in range(GAMES))

    rates = interleaved({"playout": without, "playout with log": logged})
    show(f"{name}: decisions per CPU second, without and with a log", rates, "playout", at_least=0.4)
    rates = interleaved({"playout with log": logged, "verify": verified})
    show(f"{name}: verifying a log against writing it", rates, "playout with log", at_least=0.8)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in GAME_NAMES:
            compare(name, Path(folder))
