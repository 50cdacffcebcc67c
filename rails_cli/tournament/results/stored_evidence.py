"""The evidence in stored results for the answer to the question whether an entrant is better than another one."""

from rails_cli.tournament.plan.membership import schedule_of, settled_games, stopping_check
from rails_cli.tournament.rating.standings import by_group
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.schedule.evidence import ShownEvidence, at_the_end
from rails_cli.tournament.schedule.sequence import GroupSequence
from rails_cli.tournament.schedule.stopping_rules import Better


def stored_evidence(store: Store) -> list[ShownEvidence]:
    """Return the evidence for each rule `[stop.better]` of the plan.

    Such a rule asks whether one entrant is better than another one. Seed groups (games with one seed) count only up to
    the first one in the schedule that is not finished.
    """
    plan = store.plan()
    if not any(isinstance(rule, Better) for rule in plan.stop):
        return []
    membership, known = store.membership(), by_group(store.played())
    schedule = schedule_of(plan, membership)
    history = settled_games(schedule, membership, known)
    order, check = GroupSequence(schedule, history), stopping_check(plan, schedule, history)
    while (given := order.take()) is not None and given.id in known:
        order.finish(given.id, known[given.id])
    check.update(order.finished, order.suspended_after)
    ending = store.ending()
    return at_the_end(check.shown_evidence(), None if ending is None else ending.why)
