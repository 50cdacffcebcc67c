"""Results of several pools are brought together if they are of one pool, and refused in words if not."""

from pathlib import Path

import msgspec
import pytest

from rails_cli.server.pool.merging import Merged, merge_results
from rails_cli.server.pool.results import PoolResults, Terms
from rails_cli.tournament.model import Entrant, Setting
from rails_cli.tournament.results.store import StoreError

TERMS = Terms("60+0.5", 3, (Setting("last_spike", 3),), ["medium", "easy"])


def pool(folder: Path, owner: str = "Ada", terms: Terms = TERMS) -> Path:
    """A pool in which Deep is of this owner."""
    results = PoolResults(folder, terms)
    plan = results.store.plan()
    results.store.begin(msgspec.structs.replace(plan, entrants=(*plan.entrants, Entrant("Deep", f"pool:{owner}"))))
    results.close()
    return folder


def test_pools_of_one_register(tmp_path: Path) -> None:
    two = msgspec.structs.replace(TERMS, settings=(Setting("chicago_express", 4),), anchors=["easy", "hard"])
    one, other = pool(tmp_path / "a"), pool(tmp_path / "b", terms=two)
    assert merge_results([one, other], tmp_path / "all") == Merged(0, 0, 4)
    assert merge_results([other], tmp_path / "all") == Merged(0, 0, 4), "again, in another order"


def test_what_is_not_one_pool_is_refused(tmp_path: Path) -> None:
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
