"""How long a sentence stands before the next one comes."""

from collections.abc import Iterable

START_S = 0.35
CHARACTERS_PER_S = 55
LEAST_S = 0.5
MOST_S = 4.0


def reading_time_s(lines: Iterable[str]) -> float:
    """Long enough to read the new lines, given that most of them are of a kind known already."""
    return min(MOST_S, sum(max(LEAST_S, START_S + len(line) / CHARACTERS_PER_S) for line in lines))
