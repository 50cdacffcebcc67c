"""What drawn openings are like: how many differ, and how even the games are after them. The figures of the manual.

`python -m tests.bench.openings` measures all settings, `python -m tests.bench.openings GAME PLAYERS` one of them.
"""

import sys
from collections.abc import Iterator
from typing import Any

from rails_cli.core.luck import stream
from rails_cli.games import load_openings, load_players
from rails_cli.games.game import digest
from rails_cli.games.openings import Openings, drawn_opening
from rails_cli.summary import wilson
from tests.support.positions import Setting, all_settings

DISTINCT = 10_000
"""Draws go on until so many different positions came of them."""
GREEDY_GAMES = 120
POSITIONS = 40
PLAYOUTS = 20
FAR_AHEAD = 0.6


def main(wanted: list[str]) -> None:
    for setting in all_settings():
        is_plain = setting.options == setting.game.options_type()
        is_luckless = setting.game.is_luckless(setting.board, setting.players, setting.options)
        if is_plain and is_luckless and wanted in ([], [setting.name, str(setting.players)]):
            measure(setting)


def measure(setting: Setting) -> None:
    openings = load_openings(setting.name)
    assert openings is not None
    seen, draws = set[str](), 0
    while len(seen) < DISTINCT:
        seen.add(digest(setting.game, after_opening(setting, draws)))
        draws += 1
    print(f"{setting}: {DISTINCT:,} positions in {draws:,} draws", flush=True)
    greedy = [list(wins_of(setting, played_by_greedy(setting, seed))) for seed in range(GREEDY_GAMES)]
    for seat, won in enumerate(zip(*greedy, strict=True)):
        low, high = wilson(won)
        print(
            f"  greedy, seat {seat}: wins {sum(won) / len(won):.0%} ({low:.0%} to {high:.0%}) of {GREEDY_GAMES} games"
        )
    tops = [most_wins(setting, openings, seed) for seed in range(POSITIONS)]
    ahead = [float(top > FAR_AHEAD) for top in tops]
    low, high = wilson(ahead)
    found = f"after {sum(ahead):.0f} of {POSITIONS} openings, {sum(ahead) / POSITIONS:.0%} ({low:.0%} to {high:.0%})"
    print(f"  one seat wins over {FAR_AHEAD:.0%} of {PLAYOUTS} playouts {found}")
    print(f"  on average the best seat wins {sum(tops) / POSITIONS:.0%}", flush=True)


def after_opening(setting: Setting, seed: int) -> Any:
    drawn = drawn_opening(setting.game, setting.board, setting.players, setting.options, seed)
    assert drawn is not None
    state = setting.start(seed)
    for action in drawn.actions:
        setting.game.apply(state, setting.board, action, None)
    return state


def played_by_greedy(setting: Setting, seed: int) -> Any:
    """The end of a game that greedy plays in all seats from an opening."""
    game, board, think = setting.game, setting.board, load_players(setting.name)["greedy"]
    state = after_opening(setting, seed)
    while state.pending is not None:
        action = think(game.view(state, board, state.pending.seat), game.legal_actions(state, board), board)
        game.apply(state, board, action, None)
    return state


def most_wins(setting: Setting, openings: Openings[Any, Any], seed: int) -> float:
    """The part of playouts that the best seat wins, if all go on as openings are drawn: greedy, with some chance."""
    start = after_opening(setting, seed)
    wins = [0.0] * setting.players
    for number in range(PLAYOUTS):
        state, chance = start.copy(), stream(f"playout/{seed}/{number}")
        while state.pending is not None:
            setting.game.apply(state, setting.board, openings.choose(state, setting.board, chance), None)
        wins = [sum(pair) for pair in zip(wins, wins_of(setting, state), strict=True)]
    return max(wins) / PLAYOUTS


def wins_of(setting: Setting, state: Any) -> Iterator[float]:
    ranks = setting.game.ranks(state, setting.board)
    return ((rank == 1) / ranks.count(1) for rank in ranks)


if __name__ == "__main__":
    main(sys.argv[1:])
