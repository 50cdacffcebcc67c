"""`rails-cli tournament plan`: Estimate the games and minutes needed to answer a question."""

import math
import tempfile
from collections.abc import Sequence
from itertools import islice
from typing import Annotated

import click
import msgspec

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped, reported
from rails_cli.commands.options import Number, cli_command
from rails_cli.commands.parameters import Json
from rails_cli.commands.tournaments.plan_options import PlanOptions, plan_from, warn_of_copies
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan, differences, has_open_rounds, make_format
from rails_cli.tournament.rating.copies import copies_words, distinct
from rails_cli.tournament.rating.estimates import CONFIDENCE, student_quantile
from rails_cli.tournament.rating.rating_types import Ratings
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.rating.standings import by_group, by_seed, rankings_of
from rails_cli.tournament.results.store import Store, StoreError
from rails_cli.tournament.run.runner import Runner
from rails_cli.tournament.run.workers import WorkersLost, local_workers
from rails_cli.tournament.schedule.forecast import (
    Forecast,
    Pace,
    forecast_alike,
    forecast_better,
    forecast_fixed,
    forecast_interval,
    forecast_top,
    spread_of,
)
from rails_cli.tournament.schedule.stopping_rules import Better, FixedGames, TopSettled
from rails_cli.tournament.words import minutes_words


@cli_command
def command(
    options: PlanOptions,
    better: Annotated[str | None, setting("Question: is this entrant better ...")] = None,
    than: Annotated[str | None, setting("... than this one  [default: than the field] ...")] = None,
    by: Annotated[
        float | None, setting("... by at least this much?", type=Number(0, 0.5, min_open=True, max_open=True))
    ] = None,
    settled_top: Annotated[int | None, setting("Question: who are the top N, in order?", least=1)] = None,
    within: Annotated[
        float | None, setting("Question: ratings to within plus or minus this many points.", least=1)
    ] = None,
    pilot: Annotated[int, setting("Seed groups to play as a pilot.", least=4, most=1000)] = 20,
    as_json: Json = False,
) -> None:
    """Estimate how many games and minutes it takes on this machine to answer the questions of a plan.

    The questions are those under [stop] in the plan, and those given as flags. The estimates come from existing
    results, or from a pilot that is played now and not kept.

    \b
    Examples:
      rails-cli tournament plan league.toml --better mine --than greedy --by 0.05
      rails-cli tournament plan league.toml --settled-top 3 --within 25
      rails-cli tournament plan --bots mybots --game last_spike --players 3 --within 20
    """
    asked = {"entrant": better, "than": than, "by": by}
    settings = [(f"stop.better.{key}", value) for key, value in asked.items() if value is not None]
    if settled_top is not None:
        settings.append(("stop.settled_top", settled_top))
    plan = plan_from(msgspec.structs.replace(options, settings=(*options.settings, *settings)))
    warn_of_copies(plan)
    workers = plan.workers or usable_cores()
    groups, seconds = _pilot_results(plan, workers, pilot)
    played = [game for group in groups for game in group]
    games, different = len(played), distinct(played)
    pace = Pace(len(different) / len(by_seed(different)), workers * games / seconds)
    answers = _answers(plan, different, pace, within)
    much = make_format(msgspec.structs.replace(plan, stop=())).length()
    if as_json:
        questions = [{"question": question, "answer": answer, "note": note} for question, answer, note in answers]
        found = {"pilot_groups": len(groups), "pilot_copies": games - len(different)}
        print_json({**found, "pace": pace, "format": much, "questions": questions})
        return
    learned = f"{count_phrase(len(groups), 'seed group')}, {count_phrase(games, 'game')}"
    print_wrapped(f"measured on {learned}: {pace.games_per_s:,.1f} games/s with {count_phrase(workers, 'worker')}")
    if len(different) < games:
        print_wrapped(copies_words(games - len(different), games, " of the pilot"))
    if much.games_most is not None:
        most = "" if much.games_least == much.games_most else "at most "
        took = minutes_words(much.games_most / pace.games_per_s / 60)
        print_wrapped(f"the format itself has {most}{much.games_most:,} games: {took}")
    for question, answer, note in answers:
        print_wrapped(f"{question}{'' if answer is None else ': ' + _in_words(answer)}")
        if note:
            print_wrapped(f"  {note}")
    if not answers:
        print_wrapped("no question given; try --better NAME, --settled-top 3 or --within 25")


def _pilot_results(plan: TournamentPlan, workers: int, pilot: int) -> tuple[list[list[PlayedGame]], float]:
    """Return the games of a pilot (a short trial) and the total seconds that workers have spent on them.

    The games are in one list per seed group, which has all games with the same seed. Use existing results if they have
    at least `pilot` seed groups. Otherwise play `pilot` seed groups or a few more with `workers` processes.
    """
    try:
        with Store(plan.folder) as store:
            if len(store.groups()) >= pilot and not differences(store.plan(), plan, store.seen()):
                return _played(store)
    except StoreError:
        pass
    if has_open_rounds(plan.kind):  # the pilot decides the number of rounds
        form = {name: value for name, value in plan.format.items() if name != "rounds"}
        plan = msgspec.structs.replace(plan, format=form, stop=plan.stop or (FixedGames(1),))
    schedule = make_format(plan)
    cycle = schedule.cycle()
    if cycle <= pilot:  # play each setting and table equally often; in a longer cycle the settings alternate
        pilot = math.ceil(pilot / cycle) * cycle
    first = list(islice(schedule.groups({}), pilot))
    wanted = FixedGames(sum(len(group.seatings) for group in first))
    print_wrapped(f"a pilot of {wanted.games} games ...", err=True)
    with tempfile.TemporaryDirectory() as folder:
        trial = msgspec.structs.replace(plan, output=folder, stop=(wanted,), logs=False, economy=False)
        with Store(trial.folder, create=True) as store:
            trial = store.begin(trial)
            try:
                with reported(WorkersLost):
                    outcome = Runner(trial, store, local_workers(workers)).run()
            except OSError as error:
                raise click.ClickException(f"{error.strerror}: {error.filename or trial.folder}") from None
            if outcome.ending is None:
                raise click.Abort
            return _played(store)


def _played(store: Store) -> tuple[list[list[PlayedGame]], float]:
    groups = by_group(store.played(with_surplus=True))
    return list(groups.values()), sum(group.seconds for group in store.groups())


def _answers(
    plan: TournamentPlan, games: Sequence[PlayedGame], pace: Pace, within: float | None
) -> list[tuple[str, Forecast | None, str]]:
    """Return three values for each question of the plan: the question in words, a forecast, and a remark.

    The forecast is None if the pilot has too few games. `games` are the games of the pilot, and `pace` is the speed at
    which games are played. `within` is the value of --within, or None if this question is not asked.
    """
    answers: list[tuple[str, Forecast | None, str]] = []
    for rule in plan.stop:
        if isinstance(rule, Better):
            answers.append(_better(rule, games, pace))
        elif isinstance(rule, TopSettled):
            taken = forecast_top(games, rule, pace)
            unknown = "the pilot is not enough to tell: an entrant is not ahead of the next one, or has not met it"
            answers.append((f"the order of the best {rule.top}", taken, "" if taken else unknown))
    if within is not None:
        answers.append(_within(within, rate(rankings_of(games), plan.anchor), len(by_seed(games)), pace))
    return answers


def _within(within: float, rated: Ratings, seeds: int, pace: Pace) -> tuple[str, Forecast | None, str]:
    """Forecast how many games it takes until every rating is known to within plus or minus `within` points.

    `rated` are the ratings from the pilot, `seeds` is the number of its seeds, and `pace` is the speed at which games
    are played. Return the question in words, the forecast, and a remark. The forecast is None if no rating has an
    interval with two limits.
    """
    question = f"ratings to within plus or minus {within:g} points"
    groups = {one.name: one.groups for one in rated.entrants}
    of_anchor = groups.get(rated.anchor or "", seeds)
    errors = [
        (one.high - one.low) / 2 / student_quantile(0.5 + CONFIDENCE / 2, min(one.groups, of_anchor) - 1)
        for one in rated.entrants
        if one.high is not None and one.low is not None and one.high > one.low
    ]
    if not errors:
        return question, None, "the pilot is not enough to tell: no rating has both limits"
    return question, forecast_interval(max(errors), seeds, within, pace), ""


def _better(rule: Better, games: Sequence[PlayedGame], pace: Pace) -> tuple[str, Forecast | None, str]:
    question = f"whether {rule.entrant} is better than {rule.than or 'the field'} by {rule.by:g} ({rule.measure})"
    try:
        mean, variance, seeds = spread_of(games, rule)
    except ValueError as error:
        return question, None, str(error)
    every = Pace(len(games) / seeds, pace.games_per_s)
    fixed = forecast_fixed(variance, rule, every)
    taken = forecast_better(variance, rule, every)
    sooner = forecast_alike(games, rule, every, taken.groups - 1)
    alike = f", continuing at that rate takes about {sooner.games:,} games" if sooner else ""
    note = f"the pilot says {mean:+.3f}{alike}; with a number of games fixed beforehand it would take {fixed.games:,}"
    return question, taken, note


def _in_words(plan: Forecast) -> str:
    words = f"about {plan.games:,} games, {minutes_words(plan.minutes)}; "
    if plan.games_90 is None or plan.minutes_90 is None:
        return words + "the pilot does not show the most it could take; a longer one may (--pilot)"
    return words + f"nine times in ten at most {plan.games_90:,}, {minutes_words(plan.minutes_90)}"
