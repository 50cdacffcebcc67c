"""Tests of the file of pool entrants: lost seats are counted correctly even if the server restarts after every step."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rails_cli.protocol.pool import Register
from rails_cli.protocol.pool_api import PoolCheck
from rails_cli.server.pool.entrants import Entrants
from rails_cli.server.settings import PoolSettings


def register(folder: Path) -> closing[Entrants]:
    """Return the entrants stored in `folder`, as a restarted server reads them.

    An entrant that loses its seat in two games in a row is quarantined: it gets no rated games.
    """
    return closing(Entrants(folder / "entrants.jsonl", ["greedy"], PoolSettings(faults=2)))


def test_a_lost_seat_counts_once_per_game_and_only_a_check_ends_the_quarantine(tmp_path: Path) -> None:
    with register(tmp_path) as entrants:
        entrants.register(Register("Ada"), 0.0)

    def after(does: Callable[[Entrants], object]) -> tuple[object, str, int, list[str]]:
        with register(tmp_path) as entrants:
            is_out = does(entrants)
        with register(tmp_path) as entrants:
            ada = entrants.by_name["Ada"]
            return is_out, ada.state, ada.faults_in_a_row, ada.lost_in

    def lost(game: str) -> tuple[object, str, int, list[str]]:
        return after(lambda entrants: entrants.note_lost("Ada", game))

    def ended(game: str, *, is_lost: bool) -> tuple[object, str, int, list[str]]:
        return after(lambda entrants: entrants.note_game("Ada", game, is_lost=is_lost))

    assert lost("one") == (False, "active", 1, ["one"])
    assert lost("one") == (False, "active", 1, ["one"])  # the entrant returned to the same game and lost its seat again
    assert ended("one", is_lost=True) == (False, "active", 1, [])
    assert ended("two", is_lost=False) == (False, "active", 0, [])
    assert ended("three", is_lost=True) == (False, "active", 1, [])
    assert lost("four") == (True, "quarantined", 2, ["four"])
    assert ended("five", is_lost=False) == (False, "quarantined", 2, ["four"])
    after(lambda entrants: entrants.revoke("Ada", by_admin=False))
    assert after(lambda entrants: entrants.renew("Ada", by_admin=False))[1:3] == ("quarantined", 2)
    passed = PoolCheck(1.0)
    assert after(lambda entrants: entrants.note_check("Ada", passed)) == (None, "active", 0, ["four"])
    assert ended("four", is_lost=True) == (False, "active", 0, [])
    with register(tmp_path) as entrants:
        assert not entrants.note_game("greedy", "four", is_lost=True)
