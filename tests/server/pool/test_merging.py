"""Tests of merging the results of several servers of one pool. Results of other pools are refused."""

import fcntl
from pathlib import Path

import msgspec
import pytest

from rails_cli.server.pool.merging import Merged, merge_results
from rails_cli.server.pool.results import PoolResults, Terms
from rails_cli.tournament.model import Entrant, Setting
from rails_cli.tournament.results.store import StoreError

TERMS = Terms("60+0.5", 3, (Setting("last_spike", 3),), ["medium", "easy"])


def pool(folder: Path, owner: str = "Ada", terms: Terms = TERMS) -> Path:
    """Create a pool with the rules `terms` in `folder`. Its entrant Deep belongs to `owner`. Return `folder`."""
    results = PoolResults(folder, terms)
    plan = results.store.plan()
    results.store.begin(msgspec.structs.replace(plan, entrants=(*plan.entrants, Entrant("Deep", f"pool:{owner}"))))
    results.close()
    return folder


def test_results_of_servers_with_different_games_and_anchors_are_merged(tmp_path: Path) -> None:
    two = msgspec.structs.replace(TERMS, settings=(Setting("chicago_express", 4),), anchors=["easy", "hard"])
    one, other = pool(tmp_path / "a"), pool(tmp_path / "b", terms=two)
    assert merge_results([one, other], tmp_path / "all") == Merged(0, 0, 4)
    assert merge_results([other], tmp_path / "all") == Merged(0, 0, 4), "merging the same results again changes nothing"


def test_one_process_at_a_time_has_the_results_open_for_writing(tmp_path: Path) -> None:
    """While one process has the results open for writing, no other process can lock them.

    The lock is needed because the worker process of a killed server may still store games when the next server starts.
    """
    results = PoolResults(tmp_path / "pool", TERMS)
    with (tmp_path / "pool" / "writer.lock").open() as lock:
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        results.close()
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_results_of_different_pools_are_refused(tmp_path: Path) -> None:
    one = pool(tmp_path / "a")
    into = tmp_path / "all"
    stranger = pool(tmp_path / "b", owner="Bob")
    with pytest.raises(StoreError, match=r"two entrants are called Deep: pool:Ada in \S+/a, and pool:Bob in \S+/b; "):
        merge_results([one, stranger], into)
    quick = pool(tmp_path / "c", terms=msgspec.structs.replace(TERMS, clock="5+0"))
    with pytest.raises(
        StoreError, match=r"c was played under different rules than \S+/a: clock was 60\+0.5 and is 5\+0"
    ):
        merge_results([one, quick], into)
    with pytest.raises(StoreError, match="there is no tournament in"):
        merge_results([one, tmp_path], into)
    assert not into.exists()
