"""`rails-cli tournament standings`: Show who is best, and how certain that is."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped
from rails_cli.commands.options import cli_command
from rails_cli.commands.tournaments.results import (
    ResultsArgument,
    between,
    games_words,
    last_faults_of,
    open_results,
    print_fault_notes,
    show_table,
    whole,
)
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.text import printable
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.membership import schedule_of
from rails_cli.tournament.rating.copies import copies_words
from rails_cli.tournament.rating.forfeits import Suspended, clean_games, is_valid
from rails_cli.tournament.rating.standings import (
    ALL,
    ScopeTable,
    Standing,
    by_group,
    make_standings,
    make_table,
    name_of,
)
from rails_cli.tournament.schedule.answer import preliminary
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.words import marked, with_ends


@cli_command
def command(
    results: ResultsArgument,
    without_tainted: Annotated[bool, setting("Leave out games changed by a fault, and whoever caused it.")] = False,
    scope: Annotated[str, setting("Show only one setting, such as last_spike/3.")] = ALL,
    anchor: Annotated[str | None, setting("The entrant whose rating is 0.  [default: as in the plan]")] = None,
    pairs: Annotated[bool, setting("Also show the entrants head to head.")] = False,
    seats: Annotated[bool, setting("Also show the advantage of each seat.")] = False,
    as_json: Annotated[bool, setting("Print all tables as one JSON object for programs.", "--json")] = False,
) -> None:
    """Show the standings of the tournament in FOLDER (or of the plan FILE.toml), while it runs or afterwards.

    400 rating points mean odds of ten to one of finishing ahead. Intervals are for 95%, and take into account that
    games with the same seed belong together.

    \b
    Examples:
      rails-cli tournament standings league-results
      rails-cli tournament standings league.toml --without-tainted --pairs
      rails-cli tournament standings league-results --json
    """
    with open_results(results) as store:
        plan = store.plan()
        games = list(store.played())
        ending = store.ending()
        schedule = schedule_of(plan, store.membership())
        suspended = list(store.suspended().values())
        last_faults = last_faults_of(store)
    winner = None if ending is None else ending.winner
    head = None if ending is None else ending.head
    anchor = anchor or plan.anchor
    if anchor is not None and anchor not in plan.names:
        raise click.UsageError(f"there is no entrant {anchor!r}; the entrants are {printable(', '.join(plan.names))}")
    left = [name for name in schedule.entrants if name not in plan.names]
    away = {one.entrant for one in suspended}
    uneven = uneven_games(games, [[name for name in peers if name not in away] for peers in schedule.peers])
    if without_tainted:
        games = clean_games(games)
    if as_json:
        standings = make_standings(games, anchor)
        answer = schedule.answer(by_group(games), standings.tables[0])
        faults = {name: last.as_object() for name, last in last_faults.items()}
        report = {"winner": winner, "head": head, "suspended": suspended, "last_faults": faults, "answer": answer}
        report |= msgspec.to_builtins(standings)
        print_json({**report, "left": left, "uneven_games": uneven})
        return
    scopes = sorted({name_of(game.setting) for game in games})
    if scope not in (ALL, *scopes):
        raise click.UsageError(f"there are no games of {scope!r}; choose from {printable(', '.join([ALL, *scopes]))}")
    table = make_table(games, scope, anchor, with_seat_effects=seats)
    show_standings(plan.name, table, suspended, left)
    for last in last_faults.values():
        last.say()
    if winner is not None:
        what = FORMATS[plan.kind].title.lower()
        print_wrapped(f"{winner} has won the {what}; ratings show who is strongest over all games")
    if uneven and scope == ALL:
        show_uneven(uneven)
    if pairs:
        show_pairs(table)
    if seats:
        show_seats(table)
    if head is not None:
        print_wrapped(f"head of all games: {head}")
    if scope == ALL:
        answer = schedule.answer(by_group(games), table)
        print_wrapped(f"\n{(answer if ending is not None else preliminary(answer)).text}")


def uneven_games(games: Iterable[PlayedGame], peers: Sequence[Sequence[str]]) -> dict[str, dict[str, int]]:
    """Return how many games each entrant has played, or an empty dictionary if all have played equally often.

    The result maps each setting to a mapping from entrants to their numbers of games. A setting is a game, a
    player count and options. `peers` has lists of entrants that should play equally often. Void games (without a
    winner) do not count. A game does not count for an entrant that was suspended: a substitute played its seat.
    """
    played: dict[str, dict[str, int]] = {}
    names: dict[str, None] = {}
    for game in filter(is_valid, games):
        times = played.setdefault(name_of(game.setting), {})
        for seat, name in enumerate(game.seating):
            names[name] = None
            times[name] = times.get(name, 0) + (seat not in game.absent)
    is_even = all(len({times.get(name, 0) for name in group}) <= 1 for times in played.values() for group in peers)
    if is_even:
        return {}
    return {setting: {name: times.get(name, 0) for name in names} for setting, times in sorted(played.items())}


def show_uneven(uneven: Mapping[str, Mapping[str, int]]) -> None:
    names = next(iter(uneven.values()))
    rows = [["", name, *(f"{times[name]:,}" for times in uneven.values())] for name in names]
    click.echo()
    show_table("Games of each setting: not all entrants have played equally many", ["", "entrant", *uneven], rows)


def show_standings(name: str, table: ScopeTable, suspended: Sequence[Suspended], left: Collection[str]) -> None:
    """Print the standings. The names in `left`, of entrants that have left the tournament, are marked."""

    def shown(entrant: str, lost_seats: int) -> str:
        return marked(f"{entrant} (left)" if entrant in left else entrant, lost_seats)

    columns: dict[str, Callable[[Standing], str]] = {
        "": lambda one: str(one.place),
        "entrant": lambda one: shown(one.name, one.lost_seats),
        "rating": lambda one: whole(one.rating.rating),
        "95%": lambda one: between(one.rating.low, one.rating.high),
        "places": lambda one: f"{one.rating.best_place}-{one.rating.worst_place}",
        "games": lambda one: games_words(one.games, one.copies),
        "mean rank": lambda one: with_ends(one.mean_rank, ".2f"),
        "wins": lambda one: with_ends(one.win_share, ".1%"),
        "score": lambda one: "" if one.mean_score is None else with_ends(one.mean_score, ",.0f"),
        "ahead": lambda one: "" if one.rating.ahead is None else f"{one.rating.ahead:.1%}",
        "faults": lambda one: str(one.faults),
        "ms/action": lambda one: f"{one.ms_per_action:.1f}",
    }
    is_mixed = any(standing.mean_score is None for standing in table.standings)
    if is_mixed:
        del columns["score"]
    rows = [[cell(standing) for cell in columns.values()] for standing in table.standings]
    for one in table.unrated:
        cells = {"entrant": shown(one.name, one.lost_seats), "rating": "none"}
        cells |= {"games": games_words(one.games, one.copies), "faults": str(one.faults)}
        rows.append([cells.get(head, "") for head in columns])
    lost = {standing.name: standing.lost_seats for standing in table.standings}
    lost |= {one.name: one.lost_seats for one in table.unrated}
    title = f"{name}: {count_phrase(table.games, 'game')}, {count_phrase(table.groups, 'seed group')}"
    if table.scope != ALL:
        title += f" of {table.scope}"
    if table.tainted:
        title += f", {table.tainted:,} games tainted"
    if table.void:
        title += f", {sum(table.void.values()):,} void"
    show_table(title, list(columns), rows)
    print_wrapped("ahead: the chance that the entrant is better than the next one in the table")
    if is_mixed:
        show_scores(table)
    if table.copies:
        print_wrapped(copies_words(table.copies, table.games + table.copies))
    print_fault_notes(lost, suspended)
    print_wrapped(*(f"note: {note}" for note in table.notes))


def show_scores(table: ScopeTable) -> None:
    """Print the mean scores in each game. Scores of different games are not comparable."""
    games = sorted({game for standing in table.standings for game in standing.scores})
    rows = [
        [
            str(standing.place),
            standing.name,
            *(with_ends(standing.scores[game], ",.0f") if game in standing.scores else "" for game in games),
        ]
        for standing in table.standings
    ]
    click.echo()
    show_table("Mean score in each game", ["", "entrant", *games], rows)


def show_pairs(table: ScopeTable) -> None:
    rows = [
        [
            pairing.first,
            pairing.second,
            f"{pairing.games:,}",
            f"{pairing.ahead.mean:.1%}",
            "" if pairing.ahead.low is None else f"{pairing.ahead.low:.1%} to {pairing.ahead.high:.1%}",
        ]
        for pairing in table.pairings
    ]
    click.echo()
    show_table(
        "Head to head: how often the first finished ahead of the second",
        ["first", "second", "games", "ahead", "95%"],
        rows,
    )


def show_seats(table: ScopeTable) -> None:
    rows = [
        [
            record.setting,
            str(record.seat + 1),
            f"{record.games:,}",
            with_ends(record.mean_rank, ".2f"),
            with_ends(record.win_share, ".1%"),
            "" if record.effect is None else whole(record.effect.effect),
            "" if record.effect is None else between(record.effect.low, record.effect.high),
        ]
        for record in table.seats
    ]
    click.echo()
    show_table(
        "Advantage of each seat", ["setting", "seat", "games", "mean rank", "wins", "rating points", "95%"], rows
    )
