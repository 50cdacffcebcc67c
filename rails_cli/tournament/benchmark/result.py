"""The result of a benchmark: ratings on the scale of the built-in players, faults and cost."""

import shlex
from collections import Counter
from collections.abc import Sequence

import msgspec

from rails_cli import __version__
from rails_cli.games import title_of
from rails_cli.games.game import win_share
from rails_cli.tournament.benchmark.definition import AGENT, format_of, levels, openings
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.rating.anchored import AnchoredRating
from rails_cli.tournament.rating.forfeits import is_valid
from rails_cli.tournament.results.group_results import GameFault
from rails_cli.tournament.results.store import Ending
from rails_cli.tournament.words import listed


class Cost(msgspec.Struct, frozen=True):
    """The average time and the number of language model tokens used for the answers of the agent."""

    answers: int
    ms_per_answer: float | None
    """Mean time of an answer in milliseconds. None if there are no answers."""
    tokens: int | None
    """Number of language model tokens that the agent reported. None if the agent reported none."""
    tokens_per_answer: float | None
    bad_reports: int
    """Number of answers with a token report that is not a whole number. These reports count as 0 tokens."""

    @property
    def warning(self) -> str | None:
        """Return a sentence that warns of token reports that are not whole numbers, or None if there are none."""
        few = f"{self.bad_reports:,} of {self.answers:,} answers"
        return f"{few} reported tokens that are not a whole number; these count as 0." if self.bad_reports else None


class GameResult(msgspec.Struct, frozen=True):
    """The result of the agent in one game."""

    title: str
    rating: float | None
    """Mean of the agent's ratings for all possible numbers of players. None if any of these ratings is unknown."""
    low: float | None
    high: float | None
    """`low` and `high` are the ends of the 95% interval of `rating`."""
    is_known: bool
    """Whether the interval from `low` to `high` is as narrow as requested, and there are enough results."""
    by_players: dict[int, AnchoredRating]
    """Mapping from a number of players to the rating of the agent in games with this number of players."""
    levels: dict[str, float]
    """Mapping from the name of a level (a built-in player such as `easy`) to its fixed rating, lowest first.

    The rating is the mean over the numbers of players.
    """
    better_than: list[str]
    """Levels whose rating is below `low`."""
    equal_to: list[str]
    """Levels whose rating is from `low` to `high`."""
    worse_than: list[str]
    """Levels whose rating is above `high`."""
    games: int
    wins: float
    """Share of games that the agent won, from 0 to 1. A tie of k players for first place counts as 1/k."""
    mean_rank: float
    faults: int
    lost_seats: int
    """Number of games in which a substitute took over, because the agent failed too often."""
    cost: Cost

    @property
    def place(self) -> str:
        """The place of the agent among the levels as text, such as `better than easy, like medium, worse than hard`.

        Empty if there is no rating.
        """
        if self.rating is None:
            return ""
        parts = ("better than", self.better_than[-1:]), ("like", self.equal_to), ("worse than", self.worse_than[:1])
        return ", ".join(f"{words} {listed(names)}" for words, names in parts if names)


class BenchmarkResult(msgspec.Struct, frozen=True):
    """The result of a benchmark. Except for times, it is the same for each run of a deterministic agent."""

    name: str
    command: str
    version: str
    openings: int
    """Version of the openings. Results with different versions cannot be compared."""
    levels: int
    """Version of the fixed ratings."""
    source: str
    """Text about the games from which the fixed ratings were computed."""
    clock: str
    sandbox: str
    half_width: float
    """Requested half-width of the 95% interval of each rating, in rating points."""
    ending: str
    """Reason for the end of the benchmark. `interrupted` if the benchmark is not complete and can be resumed."""
    results: dict[str, GameResult]
    games: int
    faults: dict[str, int]
    """Mapping from the code of a fault, such as `too_slow`, to the number of such faults of the agent."""
    cost: Cost


def benchmark_result(
    plan: TournamentPlan, played: Sequence[PlayedGame], faults: Sequence[GameFault], ending: Ending | None
) -> BenchmarkResult:
    """Return the result from the games `played` and the faults in them. `ending` is None for an interrupted run."""
    form, agent = format_of(plan), plan.entrants[0]
    absent = [game for game in played if any(game.seating[seat] == AGENT for seat in game.absent)]
    valid = [game for game in played if is_valid(game) and game not in absent]
    results = {}
    for name in dict.fromkeys(setting.game for setting in plan.settings):
        own = [game for game in valid if game.setting.game == name]
        if own:
            results[name] = _game_result(plan, name, own)
    if ending is None:
        words = "interrupted"
    elif absent:
        words = "the bot is suspended, because it failed in each of its first games"
    elif ending.why == "format":
        is_known = all(form.rating_in(name, valid).is_known for name in results) and bool(results)
        words = "all ratings are known" if is_known else "all openings are played"
    elif not played:
        words = "the time was up before the games of one opening ended; give more time, or the bot less with --clock"
    else:
        words = ending.words
    codes = Counter(fault.code for fault in faults if fault.entrant == AGENT)
    return BenchmarkResult(
        plan.name,
        agent.spec if agent.is_program else shlex.quote(agent.spec),
        __version__,
        openings().version,
        levels().version,
        levels().source,
        plan.clock,
        agent.sandbox,
        form.half_width,
        words,
        results,
        len(valid),
        dict(sorted(codes.items())),
        _cost(valid),
    )


def _game_result(plan: TournamentPlan, name: str, games: Sequence[PlayedGame]) -> GameResult:
    form, known = format_of(plan), levels()
    found = form.rating_in(name, games)
    settings = [one for one in form.ratings if one.partition("/")[0] == name]
    means = {
        level: sum(known.ratings[one][level] for one in settings) / len(settings)
        for level in sorted(known.levels, key=lambda level: sum(known.ratings[one][level] for one in settings))
    }
    mean = found.mean
    low, high = (float("-inf"), float("inf")) if mean is None else (mean.low, mean.high)
    seats = [(game, game.seating.index(AGENT)) for game in games]
    return GameResult(
        title_of(name),
        None if mean is None else mean.rating,
        None if mean is None else mean.low,
        None if mean is None else mean.high,
        found.is_known,
        found.by_players,
        means,
        [level for level, rating in means.items() if rating < low],
        [level for level, rating in means.items() if low <= rating <= high],
        [level for level, rating in means.items() if rating > high],
        len(games),
        round(sum(win_share(game.ranks, seat) for game, seat in seats) / len(seats), 6),
        round(sum(game.ranks[seat] for game, seat in seats) / len(seats), 6),
        sum(game.faults[seat] for game, seat in seats),
        sum(seat in game.lost for game, seat in seats),
        _cost(games),
    )


def _cost(games: Sequence[PlayedGame]) -> Cost:
    seats = [(game, game.seating.index(AGENT)) for game in games if game.answers]
    answers = sum(game.answers[seat] for game, seat in seats)
    ms = sum(game.ms[seat] for game, seat in seats)
    reported = [game.tokens[seat] for game, seat in seats if game.tokens]
    tokens = sum(reported) if reported else None
    bad_reports = sum(game.bad_reports[seat] for game, seat in seats if game.bad_reports)
    if not answers:
        return Cost(0, None, tokens, None, bad_reports)
    each = None if tokens is None else round(tokens / answers, 3)
    return Cost(answers, round(ms / answers, 3), tokens, each, bad_reports)
