"""Who is suspended, and which games say so."""

from collections.abc import Sequence

from rails_cli.tournament.forfeits import SUSPENDED_AFTER, Beginnings
from rails_cli.tournament.model import Played, Setting


def game(names: str, lost: Sequence[int] = (), reason: str = "normal", actions: int = 9) -> Played:
    """A game of entrants with names of one letter."""
    nothing = [0] * len(names)
    came = nothing, nothing, reason, nothing, bool(lost), nothing, actions
    return Played("g", 0, Setting("toy", len(names)), 1, [*names], *came, lost=[*lost])


def test_two_dead_bots_do_not_shield_each_other() -> None:
    beginnings = Beginnings()
    beginnings.look(
        [game("xya", lost=[0], reason="disconnect"), game("yxa", lost=[0], reason="disconnect")] * SUSPENDED_AFTER
    )
    assert list(beginnings.suspended) == ["x", "y"]


def test_who_played_to_the_end_of_a_game_is_not_suspended() -> None:
    beginnings = Beginnings()
    beginnings.look([game("xy")])
    beginnings.look([game("xy", lost=[0])] * SUSPENDED_AFTER)
    assert not beginnings.suspended
