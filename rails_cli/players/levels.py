"""Players of four levels for every game that has an evaluation function, and players that search with a given budget.

Each player receives only the view of its seat and chooses hidden parts at random. Its random choices depend on its seed
and its view. A player may plan several consecutive moves of its own. After a restart, the plan is restored. To do so,
the player chooses again in each position in which it has moved since the last move of another seat.
"""

import re
from collections.abc import Callable
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

from rails_cli.games import load_evaluation, load_game, load_players
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game, digest, without_info_fields
from rails_cli.games.moves import action_of
from rails_cli.players.search.imagining import IMAGINED, Chance, chance_of, imagined
from rails_cli.players.search.one_ply import NEARLY, Judged, judged_runs, nearly_best
from rails_cli.players.search.outcome import best_first
from rails_cli.players.search_workers import UNLIMITED, SearchWorkers, Task
from rails_cli.protocol.common import BidRange
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import ClockLeft

Think = Callable[[Any, list[Any], Any], Any]
"""Function that chooses an action, given a view, the list of legal actions and the board."""
SecondsLeft = Callable[[], float | None]

LEVELS = {
    "easy": "plays sensibly, and makes mistakes",
    "medium": "follows good rules of thumb",
    "hard": "looks one move ahead",
    "expert": "looks several moves ahead",
}
SEARCH = "search"
BLUR = 0.5
"""Width of the range of errors for the level `easy`.

A random error from this range around 0 is added to each payoff.
"""
MOST_LOOKS = 100_000
"""Maximum number of looks of a search."""
MOST_SECONDS = 600
"""Maximum number of seconds of a search."""
MOST_PROCESSES = 64
"""Maximum number of processes that share a search."""
_BUDGET = re.compile(r"(~?)([0-9]{1,7}(?:\.[0-9]{1,3})?)(s?)(?:\*([0-9]{1,3}))?")
OF_A_MOVE = 0.6
"""Fraction of the time limit per move that a search uses."""
OF_THE_BANK = 1 / 40
"""Fraction of the remaining time bank that a search may use for one move."""


class Budget(NamedTuple):
    """The limits of a search: looks (tree descents or playouts) or seconds, and the number of processes."""

    looks: int | None = None
    seconds: float | None = None
    processes: int = 1
    is_about: bool = False
    """Whether the search stops after a fixed number of looks instead of after `seconds`.

    The number is chosen so that the search usually takes about `seconds`.

    The result then does not depend on the clock.
    """

    def in_looks(self, a_second: int) -> "Budget":
        """Return the budget with its seconds converted to looks if `is_about`. Otherwise return it unchanged.

        `a_second` is the usual number of looks (tree descents or playouts) per second.
        """
        if not self.is_about or self.seconds is None:
            return self
        return Budget(max(1, round(self.seconds * a_second)), None, self.processes)


def read_budget(words: str) -> Budget:
    """Parse the budget of a search: `400` (looks), `0.5s` (seconds) or `~0.5s` (as many looks as usually take 0.5 s).

    A suffix such as `*2` sets the number of processes. Raise ValueError if `words` is not a budget.
    """
    found = _BUDGET.fullmatch(words)
    amount = 0.0 if found is None else float(found[2])
    if found is None or not amount or (not found[3] and ("." in found[2] or found[1])):
        advice = "try search@400 (looks), search@0.5s (seconds a move) or search@~0.5s (looks for about that long)"
        raise ValueError(f"{words[:20]!r} is not a budget; {advice}, at most {MOST_LOOKS:,} looks or {MOST_SECONDS} s")
    if amount > (MOST_SECONDS if found[3] else MOST_LOOKS):
        raise ValueError(
            f"{words!r} is too much; a search takes at most {MOST_LOOKS:,} looks or {MOST_SECONDS} s a move"
        )
    processes = int(found[4] or 1)
    if not 1 <= processes <= MOST_PROCESSES:
        raise ValueError(
            f"{words!r} is not a budget; 1 to {MOST_PROCESSES} processes share a search, as in search@400*4"
        )
    return Budget(None if found[3] else int(amount), amount if found[3] else None, processes, bool(found[1]))


def thinking_s(left: ClockLeft | None) -> float | None:
    """Return the seconds that a search may use for one move, given the time left, or None if there is no limit."""
    if left is None:
        return None
    parts = ((left.move_s, OF_A_MOVE), (left.bank_s, OF_THE_BANK))
    return min((seconds * part for seconds, part in parts if seconds is not None), default=None)


def level_player(
    name: str,
    game_name: str,
    seed: Seed,
    seat: int,
    seconds_left: SecondsLeft,
    evaluation: Evaluation[Any, Any] | None = None,
    now: Callable[[], float] = monotonic,
) -> Think:
    """Return a function that chooses actions for one seat of one game.

    - `name`: a level or `search@BUDGET`.
    - `seconds_left`: returns the seconds that a search may use, or None for no limit.
    - `evaluation`: replaces the game's own evaluation function, except in worker processes.
    - `now`: the clock for searches in this process.
    """
    game = load_game(game_name)
    evaluation = evaluation or load_evaluation(game_name)
    kind, _, budget = name.partition("@")
    if kind == "medium":
        think = load_players(game_name)["medium"]
        word = f"{name}/{seed}/{seat}"
        return lambda view, legal, board: think(view, legal, board, chance_of(word, view))
    assert evaluation is not None
    thinker = _Thinker(game, evaluation.by_hand() if kind == "easy" else evaluation, f"{name}/{seed}/{seat}")
    if kind == "easy":
        return _RunPlayer(game, thinker.blurred)
    if kind == "hard":
        return _RunPlayer(game, thinker.one_ply)
    wanted = read_budget(budget) if budget else Budget(looks=evaluation.expert_looks)
    allowed = wanted.in_looks(evaluation.looks_a_second)
    workers = SearchWorkers(allowed.processes - 1, now)
    return _RunPlayer(game, lambda view, board: thinker.searched(view, board, allowed, seconds_left(), workers))


class _RunPlayer:
    """A player that chooses a sequence of moves and plays all of them before it chooses again.

    In games with hidden information, it chooses again after each move.
    """

    def __init__(self, game: Game[Any, Any], choose: Callable[[Any, Any], Run]) -> None:
        self.game = game
        self.choose = choose
        self.rest: list[tuple[str, int]] = []
        """The planned moves that are not played yet.

        Each is stored with the digest of the position in which it is to be played.
        """

    def __call__(self, view: Any, legal: list[Any], board: Any) -> Any:
        game = self.game
        if game.has_secrets:
            if len(legal) == 1 and type(legal[0]) is not BidRange:
                return without_info_fields(legal[0])
            return action_of(game.moves, board, self.choose(view, board)[0])
        state = game.imagine(view, board, 0)
        if not self.rest or self.rest[0][0] != digest(game, state):
            self.rest = []
            for move in self.choose(view, board):
                self.rest.append((digest(game, state), move))
                game.moves.apply(state, board, move)
        return action_of(game.moves, board, self.rest.pop(0)[1])


class _Thinker(NamedTuple):
    game: Game[Any, Any]
    evaluation: Evaluation[Any, Any]
    word: str

    def chance_for(self, view: Any) -> Chance:
        return chance_of(self.word, view)

    def one_ply(self, view: Any, board: Any) -> Run:
        chance = self.chance_for(view)
        return nearly_best(self.judged(view, board, chance), NEARLY, chance)

    def blurred(self, view: Any, board: Any) -> Run:
        chance = self.chance_for(view)
        seen = [(worth + BLUR * (chance() - 0.5), run) for worth, run in self.judged(view, board, chance)]
        return max(seen)[1]

    def searched(
        self, view: Any, board: Any, budget: Budget, seconds_left: float | None, workers: SearchWorkers
    ) -> Run:
        if not self.game.has_secrets:
            candidates = self.evaluation.candidates(self.game.imagine(view, board, 0), board)
            if len(candidates) == 1:
                return candidates[0]
        chance = self.chance_for(view)
        seconds = min(UNLIMITED if limit is None else limit for limit in (budget.seconds, seconds_left))
        looks = UNLIMITED if budget.looks is None else budget.looks
        task = Task(self.game.name, board, view, self.word, looks, seconds)
        found = workers.search(task, self.evaluation, chance)
        tried = sorted(
            [(one.assured(view.seat), one.run) for one in best_first(found, view.seat)], key=lambda one: -one[0]
        )
        margin = 0.0 if self.game.has_secrets else NEARLY  # imagined positions already add enough variation
        return nearly_best(tried, margin, chance)

    def judged(self, view: Any, board: Any, chance: Chance) -> list[Judged]:
        """Return the candidate sequences of moves with their payoffs for the seat to move, best first.

        If something is hidden, each payoff is the mean over several random positions that are consistent with `view`.
        """
        positions = imagined(self.game, board, view, chance)
        looks = IMAGINED if self.game.has_secrets else 1
        return judged_runs(self.game, board, self.evaluation, islice(positions, looks))
