"""Players of four levels for every game that has an evaluation, and a search with a budget.

Each is given what its seat may see and imagines the rest; there is no way from here to a match. What a player does by
chance follows from its seed and from what it sees, and what it still means to do from the decisions of its seat since
another seat's: shown those again, it does the same when a game is resumed.
"""

import re
from collections.abc import Callable
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

from protocol.common import BidRange
from protocol.log import Seed
from protocol.messages import ClockLeft
from rails_cli.games import load_evaluation, load_game, load_players
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game, bare, digest
from rails_cli.games.moves import action_of
from rails_cli.players.helpers import NEVER, Helpers, Task
from rails_cli.search.imagining import IMAGINED, Chance, chance_of, imagined
from rails_cli.search.one_ply import NEARLY, Judged, judged_runs, nearly_best
from rails_cli.search.outcome import best_first

Think = Callable[[Any, list[Any], Any], Any]
"""An action, from a view, the legal list and the board."""
SecondsLeft = Callable[[], float | None]

LEVELS = {
    "easy": "plays sensibly, and makes mistakes",
    "medium": "follows good rules of thumb",
    "hard": "looks one move ahead",
    "expert": "looks several moves ahead",
}
SEARCH = "search"
BLUR = 0.5
"""By how much, at most, the easy level mistakes what a run is worth."""
MOST_LOOKS = 100_000
MOST_SECONDS = 600
MOST_PROCESSES = 64
_BUDGET = re.compile(r"(~?)([0-9]{1,7}(?:\.[0-9]{1,3})?)(s?)(?:\*([0-9]{1,3}))?")
OF_A_MOVE = 0.6
"""The part of the time for an answer that is used to think."""
OF_THE_BANK = 1 / 40
"""The part of a bank that one answer may take."""


class Budget(NamedTuple):
    """How long a search may take, in looks (descents of its tree, or runs played on) or in seconds; and how many
    processes share it."""

    looks: int | None = None
    seconds: float | None = None
    processes: int = 1
    is_about: bool = False
    """Whether the seconds stand for the looks that a game has in them, about, so that no clock decides."""

    def in_looks(self, a_second: int) -> "Budget":
        """The same where seconds that are meant so are looks."""
        if not self.is_about or self.seconds is None:
            return self
        return Budget(max(1, round(self.seconds * a_second)), None, self.processes)


def read_budget(words: str) -> Budget:
    """`400` looks, or `0.5s`, or `~0.5s` for the looks of about that time; with `*2`, by two processes.

    Raises ValueError.
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
    """How long a search may think about one answer, by what its clock has left; None without a limit."""
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
    """The player of a level, or `search@BUDGET`, for one seat of one game; a search ends when no seconds are left.

    It goes by the evaluation of the game, unless another is given; those who help a search go by that of the game.
    Its time is read from `now`, and that of its helpers from the clock of the machine.
    """
    game = load_game(game_name)
    evaluation = evaluation or load_evaluation(game_name)
    kind, _, budget = name.partition("@")
    if kind == "medium":
        think = load_players(game_name)["medium"]
        word = f"{name}/{seed}/{seat}"
        return lambda view, legal, board: think(view, legal, board, chance_of(word, view))
    assert evaluation is not None
    thinker = _Thinker(game, evaluation, f"{name}/{seed}/{seat}")
    if kind == "easy":
        return _Runs(game, thinker.blurred)
    if kind == "hard":
        return _Runs(game, thinker.one_ply)
    wanted = read_budget(budget) if budget else Budget(looks=evaluation.expert_looks)
    allowed = wanted.in_looks(evaluation.looks_a_second)
    helpers = Helpers(allowed.processes - 1, now)
    return _Runs(game, lambda view, board: thinker.searched(view, board, allowed, seconds_left(), helpers))


class _Runs:
    """Carries out a whole run of moves before the next one is chosen; where something is hidden, its first move."""

    def __init__(self, game: Game[Any, Any], choose: Callable[[Any, Any], Run]) -> None:
        self.game = game
        self.choose = choose
        self.rest: list[tuple[str, int]] = []
        """The moves of the run that are still to come, each with the digest of the position it was meant for."""

    def __call__(self, view: Any, legal: list[Any], board: Any) -> Any:
        game = self.game
        if game.has_secrets:
            if len(legal) == 1 and type(legal[0]) is not BidRange:
                return bare(legal[0])
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

    def searched(self, view: Any, board: Any, budget: Budget, seconds_left: float | None, helpers: Helpers) -> Run:
        if not self.game.has_secrets:
            candidates = self.evaluation.candidates(self.game.imagine(view, board, 0), board)
            if len(candidates) == 1:
                return candidates[0]
        chance = self.chance_for(view)
        seconds = min(NEVER if limit is None else limit for limit in (budget.seconds, seconds_left))
        looks = NEVER if budget.looks is None else budget.looks
        task = Task(self.game.name, board, view, self.word, looks, seconds)
        found = helpers.searched(task, self.evaluation, chance)
        tried = sorted(
            [(one.assured(view.seat), one.run) for one in best_first(found, view.seat)], key=lambda one: -one[0]
        )
        margin = 0.0 if self.game.has_secrets else NEARLY  # what is imagined varies enough
        return nearly_best(tried, margin, chance)

    def judged(self, view: Any, board: Any, chance: Chance) -> list[Judged]:
        """What the seat may expect of each run, over several imagined positions if something is hidden."""
        positions = imagined(self.game, board, view, chance)
        looks = IMAGINED if self.game.has_secrets else 1
        return judged_runs(self.game, board, self.evaluation, islice(positions, looks))
