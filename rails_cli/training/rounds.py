"""Rounds of training: self-play, fitting and comparison with the best network so far.

All results are stored in a folder:

- `settings.json`: the settings, which do not change when a training is resumed.
- `round-N/games-*.npz`: positions of self-play.
- `round-N/network.npz` and `round-N/fit.json`: the network of the round.
- `curves.json`: losses and comparisons of the finished rounds.
- `network.npz` and `network.json`: the best network so far and its description.
"""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from io import BytesIO
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
import numpy as np

from rails_cli import __version__
from rails_cli.basics.cores import map_in_order
from rails_cli.basics.files import read_file, replace_file
from rails_cli.games import load_evaluation, standard_board
from rails_cli.players.search.outcome import HAND_MADE
from rails_cli.tournament.rating.estimates import Estimate, Sums
from rails_cli.training.fit import Examples, FitSettings, Model, blended, fitted, read_model
from rails_cli.training.selfplay import Plan, TrainingGame, compare, play_games

ContentT = TypeVar("ContentT")

GAMES_A_PART: Final = 10
"""Number of games of self-play in one file. If a training is killed, games not yet written to a file are lost."""
REPORTED: Final = 100
"""Number of games of self-play between two reports of progress. Must be a multiple of GAMES_A_PART."""
ROUNDS_KEPT: Final = 3
"""Number of rounds from whose games a network learns: the current round and the rounds just before it."""
HELD_BACK: Final = 10
"""A game is not used for fitting if its number is a multiple of this value.

The loss of a network is measured in these games.
"""
DAMAGED: Final = "is damaged; delete it, and the same command continues"
NOT_A_NETWORK: Final = "is not a network for this game; expected a file network.npz of a training"
PUBLIC: Final = 0o644
"""File mode: the owner may write, and all may read."""
ROUND: Final = 10**9
"""Difference between the game numbers of successive rounds, so that each number occurs in one round only.

It must be a multiple of HELD_BACK.
"""


class TrainingSettings(msgspec.Struct, frozen=True):
    """The settings of a training. Either `games` or `seconds` limits the self-play of a round.

    `players` has the possible numbers of players. `width` is the number of values in the first hidden layer, and
    `epochs` the number of epochs of each fitting. If `target` is "blend", the network learns from predictions in
    addition to results (see `blended`).
    """

    game: str
    players: tuple[int, ...]
    games: int | None
    seconds: float | None
    width: int
    epochs: int
    target: Literal["outcome", "blend"]
    openings: int
    """Number of random openings for comparisons.

    From each, a new network and the best network play against each other.
    """
    seed: int
    looks: int | None = None
    """Looks of the searches that play the later part of each game, or None for players that look one move ahead."""
    start: str | None = None
    """SHA-256 checksum of the file with the network from which the training started, if any."""


class Fit(msgspec.Struct, frozen=True):
    """The losses of a network and of the hand-made evaluation.

    A loss is the mean negative logarithm of the predicted chance of the winner. It is measured in games that were not
    used for fitting. `games` and `positions` count all games of the rounds, those used for fitting and those not used.
    """

    games: int
    positions: int
    by_hand: float
    """Loss of the hand-made evaluation."""
    losses: Annotated[list[float], msgspec.Meta(min_length=1)]
    """Loss after each epoch (one use of all positions for fitting)."""
    loss: float
    """Loss of the network."""


class Round(msgspec.Struct, frozen=True):
    """The result of a round.

    A comparison estimates the number of wins of the new network, divided by its fair share of the wins. 1 means that
    the network and its opponents are equally strong.
    """

    number: int
    fit: Fit
    against_best: Estimate
    against_hard: Estimate
    """Comparison of the network with the built-in player `hard` without a network."""
    is_kept: bool
    """Whether the new network won more often than the best earlier network, and therefore replaces it."""


class TrainingError(Exception):
    """Raised if a folder has damaged files or other settings, or if there are no positions to learn from."""


class Training:
    """A training with all its results in `folder`.

    `xp` is the module numpy or cupy. `report` is called with lines about the progress. `start` is the file with the
    network from which the training starts, if any.
    """

    def __init__(
        self,
        folder: Path,
        settings: TrainingSettings,
        workers: int,
        xp: Any,
        report: Callable[[str], object],
        start: Path | None = None,
    ) -> None:
        self.folder, self.settings, self.workers, self.xp, self.report = folder, settings, workers, xp, report
        self.start = start
        if start is not None:
            self.check_network(start, NOT_A_NETWORK)
        folder.mkdir(parents=True, exist_ok=True)
        known = folder / "settings.json"
        if not known.exists():
            write_json(known, settings)
        before = read_json(known, TrainingSettings)
        for name in TrainingSettings.__struct_fields__:
            if getattr(before, name) != getattr(settings, name):
                was, now = getattr(before, name), getattr(settings, name)
                raise TrainingError(f"{folder} has a training with {name} {was}, not {now}; use another folder")
        curves = folder / "curves.json"
        self.rounds = read_json(curves, list[Round]) if curves.exists() else []
        if self.kept is not None and not self.kept.exists():
            self.rounds = []  # the missing network is fitted again, and the comparisons are repeated
        if self.kept is not None:
            self.check_network(self.kept)

    @property
    def best(self) -> Path | None:
        """Path of the weights of the best network so far, or None for the hand-made evaluation."""
        return self.kept or self.start

    @property
    def kept(self) -> Path | None:
        """Path of the weights of the last round whose network was kept, or None if there is none."""
        return next((self.place(one.number) / "network.npz" for one in reversed(self.rounds) if one.is_kept), None)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of shared and own inputs of a network."""
        evaluation, board = load_evaluation(self.settings.game), standard_board(self.settings.game)
        assert evaluation is not None
        assert evaluation.inputs is not None
        return evaluation.inputs.shared(board), evaluation.inputs.own(board) + HAND_MADE

    def place(self, number: int) -> Path:
        return self.folder / f"round-{number}"

    def check_network(self, file: Path, problem: str = DAMAGED) -> None:
        """Raise TrainingError if `file` does not have the arrays of a network of this training.

        The message is the path of the file and `problem`.
        """
        expected = Model(np, *self.sizes, self.settings.width, 0).whole()
        with reading(file, problem) as content, np.load(BytesIO(content)) as arrays:
            check_arrays([arrays[name] for name in expected], [(one.shape, np.int32) for one in expected.values()])

    def run(self, rounds: int) -> None:
        """Train until `rounds` rounds are finished. Parts that were finished before are not repeated."""
        for number in range(len(self.rounds) + 1, rounds + 1):
            self.place(number).mkdir(exist_ok=True)
            self.play(number)
            fit = self.fit(number)
            self.rounds.append(self.compared(number, fit))
            write_json(self.folder / "curves.json", self.rounds)
            if self.kept is not None:
                self.write_network(self.kept)

    def play(self, number: int) -> None:
        """Play those self-play games of round `number` that are not yet stored in the folder of the round."""
        settings, place = self.settings, self.place(number)
        if (place / "fit.json").exists():
            return
        plan = Plan(settings.game, settings.players, f"{settings.seed}/{number}", self.best, looks=settings.looks)
        for played in map_in_order(partial(play_games, plan), self.missing(place), self.workers):
            write_arrays(games_file(place, played[0].number), arrays_of(played))
            games = played[-1].number + 1
            if games % REPORTED == 0 or games == settings.games:
                self.report(f"round {number}: {games} games of self-play")

    def missing(self, place: Path) -> Iterator[range]:
        """Yield, for each file of games that is missing in the folder `place`, the numbers of the games to play.

        Stop when there are enough games or the time for self-play is over.
        """
        games, seconds = self.settings.games, self.settings.seconds
        until = None if seconds is None else monotonic() + seconds
        for first in count(0, GAMES_A_PART):
            if (games is not None and first >= games) or (until is not None and first and monotonic() >= until):
                return
            if not games_file(place, first).exists():
                yield range(first, first + GAMES_A_PART if games is None else min(first + GAMES_A_PART, games))

    def fit(self, number: int) -> Fit:
        """Fit the network of round `number` and return its losses.

        If the network was fitted before, only return the stored losses.
        """
        place, settings, xp, sizes = self.place(number), self.settings, self.xp, self.sizes
        network = place / "network.npz"
        if (place / "fit.json").exists() and network.exists():
            self.check_network(network)
            return read_json(place / "fit.json", Fit)
        latest = range(max(1, number - ROUNDS_KEPT + 1), number + 1)
        learned, held_back = [], []
        examples = read_examples([self.place(known) for known in latest], *sizes)
        for one in examples:
            is_held = one.games % HELD_BACK == 0
            learned.append(one.part(~is_held).on(xp))
            held_back.append(one.part(is_held).on(xp))
        learned = [one for one in learned if len(one.rows)]
        if not learned:
            raise TrainingError("these games have no positions to learn from; play more games")
        by_hand = Model(xp, *sizes, 1, settings.seed)
        by_hand.normalise(learned)
        fitting = FitSettings(settings.width, settings.epochs, settings.seed)
        earlier = read_model(xp, self.best) if self.best else None
        start = earlier if self.start else None
        if settings.target == "blend":
            teacher = earlier or fitted(xp, learned, held_back, sizes, fitting)[0]
            learned = [blended(teacher, one) for one in learned]
        model, losses = fitted(xp, learned, held_back, sizes, fitting, start)
        write_arrays(network, model.whole())
        games = sum(len(np.unique(one.games)) for one in examples)
        fit = Fit(games, sum(len(one.rows) for one in examples), by_hand.loss(held_back), losses, model.loss(held_back))
        write_json(place / "fit.json", fit)
        self.report(f"round {number}: log loss {fit.loss:.4f}, hand-made {fit.by_hand:.4f}")
        return fit

    def compared(self, number: int, fit: Fit) -> Round:
        """Compare the network of round `number` with the best network so far, and with `hard` without a network."""
        best = self.against(number, self.best)
        hard = best if self.best is None else self.against(number, None)
        return Round(number, fit, best, hard, best.mean > 1)

    def against(self, number: int, network: Path | None) -> Estimate:
        settings = self.settings
        candidate = self.place(number) / "network.npz"
        plan = Plan(settings.game, settings.players, f"{settings.seed}/{number}", network, candidate)
        sums = Sums()
        results = map_in_order(partial(compare, plan), range(settings.openings), self.workers)
        for opening, wins in enumerate(results):
            for won in wins:
                sums.add(str(opening), won)
        return sums.mean(least=0, most=max(settings.players))

    def write_network(self, weights: Path) -> None:
        """Copy the file `weights` to `network.npz`, and write `network.json`, which says how the network was trained.

        For use in the program, both files must be copied to the folder `players` of the game's package.
        """
        content = weights.read_bytes()
        replace_file(self.folder / "network.npz", content, PUBLIC)
        description = {
            "sha256": sha256(content).hexdigest(),
            "version": __version__,
            "commit": commit(),
            "settings": self.settings,
            "rounds": self.rounds,
        }
        write_json(self.folder / "network.json", description)


def read_start(file: Path) -> tuple[int, str]:
    """Return the width and the SHA-256 checksum of the network in `file`."""
    with reading(file, NOT_A_NETWORK) as content, np.load(BytesIO(content)) as arrays:
        return len(arrays["hidden"]), sha256(content).hexdigest()


def games_file(place: Path, first: int) -> Path:
    return place / f"games-{first:07}.npz"


def arrays_of(played: list[TrainingGame]) -> dict[str, Any]:
    """Return the positions of games as a dictionary of arrays. The name of an array ends with the number of seats."""
    arrays: dict[str, Any] = {}
    for seats in sorted({len(one.won) for one in played}):
        games = [one for one in played if len(one.won) == seats and one.rows]
        if not games:
            continue
        counts = [len(one.rows) for one in games]
        rows = np.frombuffer(b"".join(row for one in games for row in one.rows), np.int16)
        arrays[f"rows{seats}"] = rows.reshape(sum(counts), -1)
        arrays[f"won{seats}"] = np.repeat(np.array([one.won for one in games], np.float32), counts, 0)
        arrays[f"money{seats}"] = np.repeat(np.array([one.money for one in games], np.float32), counts, 0)
        arrays[f"games{seats}"] = np.repeat(np.array([one.number for one in games]), counts)
    return arrays


def read_examples(places: list[Path], shared: int, own: int) -> list[Examples]:
    """Return the positions stored in the folders of several rounds: one `Examples` for each number of seats.

    Games of different rounds get different numbers. `shared` and `own` are the numbers of inputs of a network.
    """
    found: dict[int, list[list[Any]]] = {}
    for number, place in enumerate(places):
        for file in sorted(place.glob("games-*.npz")):
            with reading(file) as content, np.load(BytesIO(content)) as arrays:
                for seats in {int(name[-1]) for name in arrays.files}:
                    rows, won, money, games = (arrays[f"{name}{seats}"] for name in ("rows", "won", "money", "games"))
                    results = (len(games), seats), np.float32
                    inputs = (len(games), shared + seats * own), np.int16
                    check_arrays([rows, won, money, games], [inputs, results, results, ((len(games),), np.int64)])
                    found.setdefault(seats, []).append([rows, won, money, games + number * ROUND])
    return [Examples(seats, *map(np.concatenate, zip(*found[seats], strict=True))) for seats in sorted(found)]


@contextmanager
def reading(file: Path, problem: str = DAMAGED) -> Iterator[bytes]:
    """Yield the content of `file`. If the `with` block cannot decode it, raise TrainingError.

    The message is the path of the file and `problem`.
    """
    content = read_file(file)
    try:
        yield content
    except Exception:  # numpy raises many kinds of errors for damaged files
        raise TrainingError(f"{file} {problem}") from None


def read_json(file: Path, kind: type[ContentT]) -> ContentT:
    with reading(file) as content:
        return msgspec.json.decode(content, type=kind)


def check_arrays(arrays: list[Any], expected: list[tuple[tuple[int, ...], Any]]) -> None:
    """Raise ValueError if `arrays` do not have the shapes and types of values in `expected`."""
    if [(array.shape, array.dtype) for array in arrays] != expected:
        raise ValueError("arrays of other sizes")


def write_arrays(file: Path, arrays: dict[str, Any]) -> None:
    content = BytesIO()
    np.savez_compressed(content, **arrays)
    replace_file(file, content.getvalue(), PUBLIC)


def write_json(file: Path, content: Any) -> None:
    replace_file(file, msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n", PUBLIC)


def commit() -> str | None:
    """Return the id of the current commit if the program runs from a Git repository, otherwise None."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


HEADS: Final = ("round", "games", "positions", "hand-made loss", "loss", "against the best", "against hard", "kept")


def table(rounds: list[Round]) -> list[str]:
    """Return a table of the finished rounds as lines of text."""
    rows = [HEADS, *map(_cells, rounds)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _cells(one: Round) -> tuple[str, ...]:
    fit = one.fit
    losses = f"{fit.by_hand:.4f}", f"{fit.loss:.4f}"
    against = map(_estimate_words, (one.against_best, one.against_hard))
    return str(one.number), str(fit.games), str(fit.positions), *losses, *against, "yes" if one.is_kept else "no"


def _estimate_words(estimate: Estimate) -> str:
    low, high = ("?" if end is None else f"{end:.2f}" for end in (estimate.low, estimate.high))
    return f"{estimate.mean:.2f} ({low} to {high})"
