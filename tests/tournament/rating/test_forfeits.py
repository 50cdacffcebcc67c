"""Who is suspended, and which games say so."""

from collections.abc import Sequence

from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.forfeits import SUSPENDED_AFTER, Beginnings
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.sequence import GroupSequence, StoppingCheck
from rails_cli.tournament.schedule.stopping_rules import Better


def game(names: str, lost: Sequence[int] = (), reason: str = "normal", actions: int = 9) -> PlayedGame:
    """A game of entrants with names of one letter."""
    nothing = [0] * len(names)
    came = nothing, nothing, reason, nothing, bool(lost), nothing, actions
    return PlayedGame("g", 0, Setting("toy", len(names)), 1, [*names], *came, lost=[*lost])


def test_two_dead_bots_do_not_shield_each_other() -> None:
    beginnings = Beginnings()
    beginnings.look(
        [game("xya", lost=[0], reason="disconnect"), game("yxa", lost=[0], reason="disconnect")] * SUSPENDED_AFTER
    )
    assert list(beginnings.suspended) == ["x", "y"]


def test_a_game_that_was_called_off_is_not_among_the_first() -> None:
    beginnings = Beginnings()
    beginnings.look([game("xy", lost=[0], reason="timeout", actions=0)] * SUSPENDED_AFTER)
    assert not beginnings.suspended
    beginnings.look([game("xy", lost=[0], reason="timeout")] * SUSPENDED_AFTER)
    assert list(beginnings.suspended) == ["x"]


def test_who_played_to_the_end_of_a_game_is_not_suspended() -> None:
    beginnings = Beginnings()
    beginnings.look([game("xy")])
    beginnings.look([game("xy", lost=[0])] * SUSPENDED_AFTER)
    assert not beginnings.suspended


def test_nobody_is_suspended_in_retrospect_when_somebody_else_leaves() -> None:
    schedule = RoundRobin(entrants=("x", "y"), settings=(Setting("toy", 2),), seed=1, rounds=2)
    first, second = (group.id for group in schedule.groups({}))
    with_leaver = [game("xz", lost=[0])] * SUSPENDED_AFTER
    order = GroupSequence(schedule, [("left", with_leaver)], [(first, [game("xy")]), ("left", with_leaver)])
    assert order.take()
    order.finish(first, [game("xy")])
    assert order.take()
    order.finish(second, [game("xy", lost=[0])])
    assert order.order == ["left", first, second]
    assert len(order.finished) == 3
    assert not order.beginnings.suspended


def test_what_counted_is_not_played_again_when_somebody_leaves() -> None:
    schedule = RoundRobin(entrants=("x", "y"), settings=(Setting("toy", 2),), seed=1, rounds=2)
    first, second = (group.id for group in schedule.groups({}))
    failed, with_leaver = [game("xy", lost=[0])], [game("xz", lost=[0])] * SUSPENDED_AFTER
    order = GroupSequence(schedule, [("left", with_leaver)], [(first, failed), ("left", with_leaver)])
    assert list(order.beginnings.suspended) == ["x"]
    assert not order.suspended_in(first)
    assert not order.is_stale(first, failed)
    assert order.suspended_in(second) == {"x"}
    assert order.is_stale(second, failed)


def test_a_question_about_who_is_suspended_ends_with_the_same_group_whoever_is_done_first() -> None:
    schedule = RoundRobin(entrants=("x", "y"), settings=(Setting("toy", 2),), seed=1, rounds=4)
    results = [[game("xy", lost=[0])] * SUSPENDED_AFTER, *[[game("yz")]] * 3]
    for done in ([0, 1, 2, 3], [3, 2, 1, 0]):
        order, watch = GroupSequence(schedule), StoppingCheck([Better("x", than="y")], ["x", "y"], 100)
        groups = [order.take() for _ in results]
        for number in done:
            given = groups[number]
            assert given is not None
            order.finish(given.id, results[number])
            watch.look(order.finished, order.suspended_after)
        assert watch.verdict is not None
        assert (watch.useless, watch.verdict.groups) == ("suspended", 1)
