"""Waiting for a condition in another process. Tests use `wait_until` instead of sleeping."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

HANG_S = 300.0
"""Seconds after which a waiting test counts as hung and fails. Results of tests must not depend on shorter times."""
POLL_S = 0.02
"""Seconds between two evaluations of a condition."""


def wait_until(condition: Callable[[], T], expected: str = "", found: Callable[[], object] = lambda: "") -> T:
    """Wait until `condition` returns a true value, and return this value.

    After `HANG_S` seconds, fail with a message that contains `expected` and the state `found()`.
    """
    deadline = time.monotonic() + HANG_S
    while not (value := condition()):
        is_hung = time.monotonic() > deadline  # timing: catches hangs only
        assert not is_hung, f"still waiting for {expected or condition}: {found()}"
        time.sleep(POLL_S)  # timing: interval between two evaluations of the condition
    return value
