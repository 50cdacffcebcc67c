"""Quality of random openings: how many different ones there are, and how balanced games are after them.

An opening is a series of random legal moves at the start of a game. The manual contains the results.

- `python -m tests.bench.openings` measures all games that have no element of chance.
- `python -m tests.bench.openings GAME PLAYERS` measures one of these games.
- A third argument `drawing`, `greedy`, `builder` or `busy` says how the games after an opening are played. Then only
  their balance is measured.
- The third argument `start` measures how often each seat wins from the start of the game.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

from rails_cli.games import load_openings, load_players
from rails_cli.games.game import digest
from rails_cli.games.openings import drawn_opening
from rails_cli.games.shared.luck import stream
from rails_cli.study.summary import wilson
from tests.support.positions import Setting, all_settings, choice

DISTINCT = 10_000
"""Number of different positions to collect. Random openings are made until this number is reached."""
GREEDY_GAMES = 120
POSITIONS = 40
PLAYOUTS, PLAYOUTS_OF_TWO = 20, 100
"""Number of games played to the end after each opening: for more than two players, and for two players.

An opening counts as unfair if one seat wins over 60 % of these games. Even if both players have equal chances, one of
them wins over 60 % of 20 games with a probability of 26 %, but of 100 games only with 4 %. With more players, 20 games
are enough.
"""
FAR_AHEAD = 0.6
DRAWING, FROM_THE_START = "drawing", "start"

Play = Callable[[Any, Callable[[], float]], Any]


def main(wanted: list[str]) -> None:
    """Measure the settings (game, players and options) that the command-line arguments `wanted` select."""
    for setting in all_settings():
        is_plain = setting.options == setting.game.options_type()
        is_luckless = setting.game.is_luckless(setting.board, setting.players, setting.options)
        if is_plain and is_luckless and wanted[:2] in ([], [setting.name, str(setting.players)]):
            if len(wanted) < 3:
                measure(setting)
            for way in wanted[2:] or [DRAWING]:
                measure_playouts(setting, way)


def measure(setting: Setting) -> None:
    """Print how many random openings must be generated to get `DISTINCT` positions.

    Also print how often each seat wins when greedy players continue from these openings.
    """
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


def measure_playouts(setting: Setting, way: str) -> None:
    """Print the fraction of unfair openings. After such an opening, one seat wins far more games than the others.

    The games after an opening are played to the end. `way` says who chooses the moves: `drawing` chooses at random, in
    the same way as for openings. Other values are names of built-in players. With `start`, print instead how often each
    seat wins from the start of the game.
    """
    if way == FROM_THE_START:
        wins = all_wins(setting, setting.start(0), way_to_play(setting, DRAWING), 0, GREEDY_GAMES)
        for seat, won in enumerate(wins):
            low, high = wilson(won)
            print(f"{setting}, from the start, seat {seat}: wins {sum(won) / len(won):.0%} ({low:.0%} to {high:.0%})")
        return
    playouts = PLAYOUTS_OF_TWO if setting.players == 2 else PLAYOUTS
    play = way_to_play(setting, way)
    tops = []
    for seed in range(POSITIONS):
        wins = all_wins(setting, after_opening(setting, seed), play, seed, playouts)
        tops.append(max(map(sum, wins)) / playouts)
    ahead = [float(top > FAR_AHEAD) for top in tops]
    low, high = wilson(ahead)
    found = f"after {sum(ahead):.0f} of {POSITIONS} openings, {sum(ahead) / POSITIONS:.0%} ({low:.0%} to {high:.0%})"
    print(f"{setting}, {way}: one seat wins over {FAR_AHEAD:.0%} of {playouts} playouts {found}")
    print(f"  the best seat wins {sum(tops) / POSITIONS:.0%} on average, {max(tops):.0%} at most", flush=True)


def way_to_play(setting: Setting, way: str) -> Play:
    """Return a function that chooses an action in a position.

    `way` is `drawing`, to choose at random in the same way as for openings, or the name of a player.
    """
    openings = load_openings(setting.name)
    assert openings is not None
    if way == DRAWING:
        return lambda state, chance: openings.choose(state, setting.board, chance)
    legal_actions = setting.game.legal_actions
    return lambda state, chance: choice(setting, way, state, legal_actions(state, setting.board), chance)


def after_opening(setting: Setting, seed: int) -> Any:
    drawn = drawn_opening(setting.game, setting.board, setting.players, setting.options, seed)
    assert drawn is not None
    state = setting.start(seed)
    for action in drawn.actions:
        setting.game.apply(state, setting.board, action, None)
    return state


def played_by_greedy(setting: Setting, seed: int) -> Any:
    """Return the final position of a game that starts from a random opening and has greedy players in all seats."""
    game, board, think = setting.game, setting.board, load_players(setting.name)["greedy"]
    state = after_opening(setting, seed)
    while state.pending is not None:
        action = think(game.view(state, board, state.pending.seat), game.legal_actions(state, board), board)
        game.apply(state, board, action, None)
    return state


def all_wins(setting: Setting, start: Any, play: Play, seed: int, playouts: int) -> list[list[float]]:
    """Play `playouts` games from the position `start`. Return for each seat a list with its result in each game.

    A result is 1 for a win and 0 for a loss. It is a fraction if several seats share the win.
    """
    ends = []
    for number in range(playouts):
        state, chance = start.copy(), stream(f"playout/{seed}/{number}")
        while state.pending is not None:
            setting.game.apply(state, setting.board, play(state, chance), None)
        ends.append(list(wins_of(setting, state)))
    return [list(won) for won in zip(*ends, strict=True)]


def wins_of(setting: Setting, state: Any) -> Iterator[float]:
    """Yield for each seat its part of the win in the final position `state`: 0, 1, or a fraction if tied."""
    ranks = setting.game.ranks(state, setting.board)
    return ((rank == 1) / ranks.count(1) for rank in ranks)


if __name__ == "__main__":
    main(sys.argv[1:])
