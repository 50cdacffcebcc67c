"""Tests of suspending entrants that fail in all of their first games."""

from collections.abc import Sequence

from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.forfeits import SUSPENDED_AFTER, SuspensionTracker
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.sequence import GroupSequence, StoppingCheck
from rails_cli.tournament.schedule.stopping_rules import Better


def game(names: str, lost: Sequence[int] = (), reason: str = "normal", actions: int = 9) -> PlayedGame:
    """Return a game whose entrants are the letters of `names`, in the order of the seats.

    `lost` holds the seats that their entrants lost because of faults. `reason` is the reason for the end of the game,
    and `actions` the number of actions.
    """
    nothing = [0] * len(names)
    came = nothing, nothing, reason, nothing, bool(lost), nothing, actions
    return PlayedGame("g", 0, Setting("toy", len(names)), 1, [*names], *came, lost=[*lost])


def test_two_failing_bots_in_the_same_games_are_both_suspended() -> None:
    beginnings = SuspensionTracker()
    beginnings.add_games(
        [game("xya", lost=[0], reason="disconnect"), game("yxa", lost=[0], reason="disconnect")] * SUSPENDED_AFTER
    )
    assert list(beginnings.suspended) == ["x", "y"]


def test_a_game_without_actions_does_not_count_towards_suspension() -> None:
    beginnings = SuspensionTracker()
    beginnings.add_games([game("xy", lost=[0], reason="timeout", actions=0)] * SUSPENDED_AFTER)
    assert not beginnings.suspended
    beginnings.add_games([game("xy", lost=[0], reason="timeout")] * SUSPENDED_AFTER)
    assert list(beginnings.suspended) == ["x"]


def test_an_entrant_that_finished_one_game_is_not_suspended() -> None:
    beginnings = SuspensionTracker()
    beginnings.add_games([game("xy")])
    beginnings.add_games([game("xy", lost=[0])] * SUSPENDED_AFTER)
    assert not beginnings.suspended


def test_the_leaving_of_another_entrant_suspends_nobody_retroactively() -> None:
    schedule = RoundRobin(entrants=("x", "y"), settings=(Setting("toy", 2),), seed=1, rounds=2)
    first, second = (group.id for group in schedule.groups({}))
    with_leaver = [game("xz", lost=[0])] * SUSPENDED_AFTER
    order = GroupSequence(schedule, [(first, [game("xy")]), ("left", with_leaver)])
    assert order.take()
    order.finish(second, [game("xy", lost=[0])])
    assert order.take() is None
    assert order.order == [first, "left", second]
    assert len(order.finished) == 3
    assert not order.suspensions.suspended


def test_groups_that_counted_are_not_replayed_when_an_entrant_leaves() -> None:
    schedule = RoundRobin(entrants=("x", "y"), settings=(Setting("toy", 2),), seed=1, rounds=2)
    first, second = (group.id for group in schedule.groups({}))
    failed, with_leaver = [game("xy", lost=[0])], [game("xz", lost=[0])] * SUSPENDED_AFTER
    order = GroupSequence(schedule, [(first, failed), ("left", with_leaver)])
    assert list(order.suspensions.suspended) == ["x"]
    assert not order.suspended_in(first)
    assert not order.is_stale(first, failed)
    assert order.suspended_in(second) == {"x"}
    assert order.is_stale(second, failed)


def test_a_question_about_a_suspended_entrant_ends_at_the_same_group_in_any_order_of_results() -> None:
    schedule = RoundRobin(entrants=("x", "y"), settings=(Setting("toy", 2),), seed=1, rounds=4)
    results = [[game("xy", lost=[0])] * SUSPENDED_AFTER, *[[game("yz")]] * 3]
    for done in ([0, 1, 2, 3], [3, 2, 1, 0]):
        order, watch = GroupSequence(schedule), StoppingCheck([Better("x", than="y")], ["x", "y"], 100)
        groups = [order.take() for _ in results]
        for number in done:
            given = groups[number]
            assert given is not None
            order.finish(given.id, results[number])
            watch.update(order.finished, order.suspended_after)
        assert watch.verdict is not None
        assert (watch.useless, watch.verdict.groups) == ("suspended", 1)
