"""The conformance suite for every game: all player counts and options, several policies, and many seeds."""

from collections.abc import Callable

import pytest

from rails_cli.conformance.trial import Extras
from rails_cli.games import game_names
from tests.support.builders import BUILDERS
from tests.support.positions import audit_of, some_seeds


def extras_of(name: str) -> Extras:
    """Return the additional checks and policies with which the conformance suite tests the game `name`.

    The checks are in `tests/games/audits/`. The policies are in `BUILDERS`. Some games have none.
    """
    audits = audit_of(name)
    return Extras(audits.audit, audits.near_misses, audits.audit_ranks, BUILDERS.get(name, {}))


@pytest.mark.conformance(
    *game_names(), extras={name: extras_of(name) for name in game_names()}, seeds=len(some_seeds())
)
def test_conformance(conformance: Callable[[], None]) -> None:
    conformance()
