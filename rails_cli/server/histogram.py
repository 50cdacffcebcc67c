"""A histogram of durations, for the metrics of a server."""

from bisect import bisect_left
from itertools import accumulate

BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the ranges of a histogram in seconds. Durations above the last bound form one more range."""


class Histogram:
    """Number of durations in each range of BOUNDS_S, and the sum of all durations in seconds."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        self.total_s = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS_S, seconds)] += 1
        self.total_s += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Return pairs of an upper bound, as text, and the number of durations up to that bound."""
        bounds = [*map(str, BOUNDS_S), "+Inf"]
        return list(zip(bounds, map(float, accumulate(self.counts)), strict=True))
