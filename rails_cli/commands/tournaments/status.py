"""`rails-cli tournament status`: Show a tournament's progress."""

from collections import Counter

from rails_cli.commands import print_json, print_wrapped
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import Json
from rails_cli.commands.tournaments.progress import clock_words
from rails_cli.commands.tournaments.results import ResultsArgument, open_results
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.match.faults import fault_words
from rails_cli.tournament.plan.membership import games_planned, schedule_of, settled_games
from rails_cli.tournament.plan.openings import kind_of_openings
from rails_cli.tournament.rating.forfeits import is_valid
from rails_cli.tournament.rating.standings import by_group
from rails_cli.tournament.results.store import is_locked
from rails_cli.tournament.results.stored_evidence import stored_evidence


@cli_command
def command(results: ResultsArgument, as_json: Json = False) -> None:
    """Show the progress of the tournament in FOLDER (or of the plan FILE.toml), while it runs or afterwards.

    With the stopping rule [stop.better], this includes the evidence for and against the answer `better`, and how much
    evidence is needed. It also includes the mean difference between the entrant and its opponents with its interval.
    Also shown are the probability that the entrant is better, and about how many games are left.

    \b
    Examples:
      rails-cli tournament status league-results
      rails-cli tournament status league.toml --json
    """
    with open_results(results) as store:
        plan = store.plan()
        ending = store.ending()
        games = list(store.played())
        groups = {game.group for game in games}
        surplus = sum(listed.group.surplus for listed in store.games(with_surplus=True))
        codes: dict[str, Counter[str]] = {}
        for group, fault in store.faults():
            if group in groups:
                codes.setdefault(fault.entrant, Counter())[fault.code] += 1
        faults = Counter({entrant: kinds.total() for entrant, kinds in codes.items()})
        membership = store.membership()
        schedule = schedule_of(plan, membership)
        known = games_planned(plan, schedule, settled_games(schedule, membership, by_group(games)))
        is_most = known is not None and schedule.length().is_limit
        if is_most and ending is not None:
            known, is_most = len(games), False
        state = "running" if is_locked(store.folder) else "ended" if ending is not None else "interrupted"
        shown = {
            "name": plan.name,
            "format": plan.kind,
            "openings": (openings := kind_of_openings(plan)),
            "state": state,
            "entrants": list(plan.names),
            "games": len(games),
            "games_planned": known,
            "groups": len(groups),
            "surplus": surplus,
            "void": sum(not is_valid(game) for game in games),
            "tainted": sum(game.is_tainted for game in games if is_valid(game)),
            "faults": dict(faults.most_common()),
            "fault_codes": {entrant: dict(sorted(codes[entrant].items())) for entrant, _ in faults.most_common()},
            "seconds": (seconds := round(store.used_s(), 1)),
            "ending": ending,
            "evidence": (evidence := stored_evidence(store)),
            "folder": str(store.folder),
        }
    if as_json:
        print_json(shown)
        return
    print_wrapped(f"{plan.name}: {plan.kind} of {len(plan.entrants)} entrants, {state}")
    total = "" if known is None else f"{len(games):,} of {'at most ' if is_most else ''}"
    number = f"{total}{count_phrase(len(games) if known is None else known, 'game')}"
    print_wrapped(f"{number} in {count_phrase(len(groups), 'seed group')}, {clock_words(seconds)} of play")
    print_wrapped(f"openings: {openings}")
    if surplus:
        print_wrapped(
            f"{count_phrase(surplus, 'game')} more, played beyond the end, {'does' if surplus == 1 else 'do'} not count"
        )
    if shown["void"] or shown["tainted"]:
        print_wrapped(f"{shown['void']} games are void, {shown['tainted']} tainted by faults")
    print_wrapped(*(f"  {entrant}: {fault_words(codes[entrant])}" for entrant, _ in faults.most_common()))
    print_wrapped(*map(str, evidence))
    if ending is not None:
        print_wrapped(
            f"ended: {ending.words} ({ending.games:,} {'game counts' if ending.games == 1 else 'games count'})"
        )
