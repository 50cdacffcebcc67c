"""Consistency checks of positions, one module for each game.

Each module has its own code for derived values, such as incomes and building costs. It does not call the rules.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any


def equal_scores_share_a_rank(state: Any, scores: Sequence[int], ranks: Sequence[int]) -> None:
    """Assert that seats with equal `scores` have equal `ranks`. The final position `state` is not used."""
    for a, b in permutations(range(len(scores)), 2):
        assert scores[a] != scores[b] or ranks[a] == ranks[b], f"{scores} are ranked {ranks}"
