"""Tuning of the parameters of a bot. Each iteration is a short tournament between two versions of the bot.

The state is stored after each iteration. The games of the current iteration are stored in a separate folder.
"""

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from rails_cli.basics.files import read_file, replace_file
from rails_cli.basics.seeds import new_seed
from rails_cli.games.shared.luck import derived_seed
from rails_cli.programs.sandbox.own_files import BOT_FILE
from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.bot_parameters import variables
from rails_cli.tournament.plan.bots_folder import bot_in
from rails_cli.tournament.plan.plan import Count, TournamentPlan, value_text
from rails_cli.tournament.plan.reading import Mistake, PlanError, make_plan
from rails_cli.tournament.results.store import StoreError
from rails_cli.tournament.schedule.format import mean_points
from rails_cli.tournament.schedule.spsa import Spsa

T = TypeVar("T")

STATE = "tuning.json"
PLUS, MINUS = "plus", "minus"
TUNED, UNTUNED = "tuned", "untuned"


class TuneTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table `[tune]` of a plan file. `c` and `r` have the same meaning as the fields of `Spsa` with these names."""

    bot: str
    """Folder of the bot whose parameters are tuned, relative to the folder of the plan."""
    iterations: Annotated[int, Meta(ge=1, le=1_000_000)] = 30
    rounds: Count = 4
    """Number of rounds in each iteration. Each round has new seeds."""
    c: Annotated[float, Meta(gt=0, le=0.5)] = 0.15
    r: Annotated[float, Meta(gt=0, le=100)] = 1.0


class Iteration(msgspec.Struct, frozen=True):
    """A finished iteration of a tuning. Its games compared two versions of the bot, `plus` and `minus`."""

    plus: list[float]
    """Value of each parameter in the first of the two versions that were compared."""
    minus: list[float]
    games: int
    faults: int
    difference: float
    """Mean share of opponents beaten by the version `plus`, minus the same share for the version `minus`."""
    shares: list[float]
    """Value of each parameter after the iteration, as a share of its range."""


class TuningState(msgspec.Struct):
    """The state of a tuning of a bot's parameters, as stored in a file after each iteration."""

    question: str
    """Digest of the parts of the plan that affect the results. A state with another digest belongs to another plan."""
    seed: Seed
    done: list[Iteration] = []


class Tuning:
    """A tuning of the parameters of a bot, with its plan and its state.

    The iterations depend only on the plan and its seed.
    """

    def __init__(self, tables: dict[str, Any], name: str, base: Path) -> None:
        """Prepare a tuning from the content of a plan file. Continue the tuning in the results folder if there is one.

        `name` is used if `tables` do not name the tournament. Paths in `tables` are relative to `base`. Raise
        PlanError, or StoreError if the folder has the results of another tuning.
        """
        self.tables = {**tables}
        self.base = base.resolve()
        self.name = str(tables.get("name", name))
        self.folder = Path(self.base, str(tables.get("output", f"{self.name}-results")))
        self.table = _tune_table(self.tables.pop("tune", None))
        if "format" in tables:
            raise PlanError([Mistake("format", "tuning sets the format; leave it out")])
        folder = self.base / self.table.bot
        self.bot, _, self.parameters = bot_in(folder, self.base, trust=tables.get("trust") is not False)
        if not self.parameters:
            raise PlanError(
                [Mistake("tune.bot", f"{folder / BOT_FILE} has no [[parameters]], so there is nothing to tune")]
            )
        self.defaults = [one.default for one in self.parameters]
        steps = [one.step / (one.max - one.min) for one in self.parameters]
        self.spsa = Spsa(self.table.iterations, steps, self.table.c, self.table.r)
        self.state = self._load()

    def _load(self) -> TuningState:
        """Return the stored state, or a new state if none is stored.

        Raise StoreError if the stored state belongs to another plan.
        """
        file = self.folder / STATE
        state = None
        if file.is_file():
            try:
                state = msgspec.json.decode(read_file(file), type=TuningState)
            except (msgspec.MsgspecError, OSError) as error:
                raise StoreError(f"{file} cannot be read: {error}") from None
        seed = self.tables.setdefault("seed", new_seed() if state is None else state.seed)
        plan = self._plan({UNTUNED: self.defaults, TUNED: self.defaults}, "compare", seed, self._better())
        asked = msgspec.structs.replace(plan, name="", output="", base="", stop=(), workers=None, logs=True)
        content = msgspec.json.encode([asked, self.table, self.parameters], order="sorted")
        question = hashlib.sha256(content).hexdigest()[:16]
        if state is not None and state.question != question:
            raise StoreError(f"{self.folder} has a tuning with another plan, bot or seed; choose another output")
        return state or TuningState(question, seed)

    @property
    def shares(self) -> list[float]:
        """Current value of each parameter as a share of its range."""
        return self.state.done[-1].shares if self.state.done else [one.share(one.default) for one in self.parameters]

    @property
    def values(self) -> list[float]:
        return self.values_at(self.shares)

    def values_at(self, shares: Sequence[float], chance: Sequence[float] | None = None) -> list[float]:
        """Return a value for each parameter of the bot. The values are rounded to steps.

        `shares` are the positions of the values in their ranges, from 0 to 1. `chance` has a random number for the
        rounding of each value. None means rounding to the nearest step.
        """
        draws = chance or [0.5] * len(shares)
        return [one.value(share, draw) for one, share, draw in zip(self.parameters, shares, draws, strict=True)]

    def run(self, play: Callable[[TournamentPlan], list[PlayedGame]], tell: Callable[[Iteration], None]) -> None:
        """Play the remaining iterations. `play` plays a tournament and returns its games.

        Call `tell` after each iteration.
        """
        while (number := len(self.state.done) + 1) <= self.table.iterations:
            trial = self.spsa.trial(number, self.shares, self.state.seed)
            plus, minus = (self.values_at(shares, trial.chance) for shares in (trial.plus, trial.minus))
            seed = derived_seed(self.state.seed, "iteration", number)
            more = {"logs": False, "format": {"rounds": self.table.rounds}}
            plan = self._plan({PLUS: plus, MINUS: minus}, f"iteration-{number}", seed, more)
            games = play(plan)
            points = mean_points(games)
            difference = float(points.get(PLUS, 0) - points.get(MINUS, 0))
            shares = self.spsa.moved(number, self.shares, trial.signs, difference)
            faults = sum(sum(game.faults) for game in games)
            self.state.done.append(Iteration(plus, minus, len(games), faults, difference, shares))
            replace_file(self.folder / STATE, msgspec.json.format(msgspec.json.encode(self.state)) + b"\n")
            shutil.rmtree(plan.folder, ignore_errors=True)
            tell(self.state.done[-1])

    def comparison(self) -> TournamentPlan:
        """Return the plan of a tournament that compares the tuned with the untuned bot.

        The tournament has other seeds than all iterations.
        """
        seed = derived_seed(self.state.seed, "compare")
        return self._plan({UNTUNED: self.defaults, TUNED: self.values}, "compare", seed, self._better())

    def _better(self) -> dict[str, Any]:
        """Return the table `stop` of the comparison: the stopping rules of the plan, and the rule `stop.better`."""
        stop = _typed(self.tables, "stop", dict)
        better = {"entrant": TUNED, "than": UNTUNED, **_typed(stop, "better", dict)}
        return {"stop": {**stop, "better": better}}

    def _plan(self, versions: dict[str, list[float]], part: str, seed: Seed, more: dict[str, Any]) -> TournamentPlan:
        """Return the plan of a tournament between two versions of the bot.

        `versions` maps the name of a version to the values of its parameters. `part` is the name of the results folder,
        inside the folder of the tuning. `more` has further values of the plan. Raise PlanError if the plan is
        invalid.
        """
        field = _typed(self.tables, "entrants", list)
        most = max(map(_most_players, _typed(self.tables, "games", list)), default=0)
        form: dict[str, Any] = {"kind": "round_robin", "seatings": "rotations", **more.get("format", {})}
        if field:
            form |= {"kind": "duel", "versions": [*versions]}
            tables = [one for one in field if isinstance(one, dict)]
            again = [one.get("name") for one in tables if "builtin" in one] or [one.get("name") for one in tables]
            form |= {"repeatable": again} if len(field) < most - 1 else {}
        elif most > 2:
            raise PlanError([Mistake("entrants", "games for more than 2 need opponents: add [[entrants]]")])
        own = [
            {**self.bot, "name": name, "environment": self.bot["environment"] | variables(self.parameters, values)}
            for name, values in versions.items()
        ]
        usual = {key: value for key, value in self.tables.items() if key != "stop"}
        parts = {"entrants": [*own, *field], "format": form, "seed": seed, "output": str(self.folder / part)}
        return make_plan(usual | more | parts, self.name, self.base)


def _typed(tables: dict[str, Any], key: str, kind: type[T]) -> T:
    """Return the value of `key` in `tables`, or an empty value of the type `kind` if the key is missing.

    Raise PlanError if the value is not of this type.
    """
    found = tables.get(key, kind())
    if not isinstance(found, kind):
        what = "several tables" if kind is list else "a table"
        raise PlanError([Mistake(key, f"expected {what}; found {value_text(found)}")])
    return found


def _tune_table(table: Any) -> TuneTable:
    try:
        return msgspec.convert(table, TuneTable)
    except msgspec.ValidationError as error:
        if table is None:
            words, inner = "is missing; its key bot is the folder of the bot to tune", ""
        else:
            words, _, inner = str(error).partition(" - at `$")
        raise PlanError([Mistake(f"tune{inner.rstrip('`')}", words[0].lower() + words[1:])]) from None


def _most_players(game: Any) -> int:
    """Return the largest number of players in a table `[[games]]`, or 0 if the table is not valid."""
    players = game.get("players", 0) if isinstance(game, dict) else 0
    counts = players if isinstance(players, list) else [players]
    return max((count for count in counts if isinstance(count, int)), default=0)
