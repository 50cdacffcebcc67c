"""Means of clustered games with their intervals: the seed group is the unit, as its games are not independent."""

import math
from collections.abc import Iterable
from statistics import NormalDist

import msgspec

CONFIDENCE = 0.95

normal_quantile = NormalDist().inv_cdf


class Estimate(msgspec.Struct, frozen=True):
    """A mean with the ends of its interval; no ends where a single group says nothing of the spread."""

    mean: float
    low: float | None
    high: float | None


class Sums:
    """The sum and the number of some values, group by group; integers or floats, added in the order they come."""

    __slots__ = ("by_group",)

    def __init__(self) -> None:
        self.by_group: dict[str, tuple[float, int]] = {}

    def add(self, group: str, value: float) -> None:
        known = self.by_group.get(group)
        self.by_group[group] = (known[0] + value, known[1] + 1) if known else (value, 1)

    def mean(self, confidence: float = CONFIDENCE) -> Estimate:
        """The mean with an interval from the spread between groups and Student's t."""
        mean, spread, groups = _ratio(self.by_group.values())
        if groups < 2:
            return Estimate(mean, None, None)
        half = student_quantile(0.5 + confidence / 2, groups - 1) * spread
        return Estimate(mean, mean - half, mean + half)

    def share(self, confidence: float = CONFIDENCE) -> Estimate:
        """The same for values from 0 to 1: Wilson's interval, each group counting for as much as the spread allows."""
        mean, spread, groups = _ratio(self.by_group.values())
        if groups < 2:
            return Estimate(mean, None, None)
        quantile = student_quantile(0.5 + confidence / 2, groups - 1)
        evenness = mean * (1 - mean)
        if evenness <= 0:
            number: float = groups
        elif spread <= 0:
            return Estimate(mean, mean, mean)
        else:
            number = evenness / spread**2
        weight = quantile**2 / number
        middle = (mean + weight / 2) / (1 + weight)
        half = math.sqrt(weight * evenness + weight**2 / 4) / (1 + weight)
        return Estimate(mean, min(mean, max(0.0, middle - half)), max(mean, min(1.0, middle + half)))


def _ratio(sums: Iterable[tuple[float, int]]) -> tuple[float, float, int]:
    """The mean over all values, its standard error by groups, and the number of groups."""
    pairs = list(sums)
    groups = len(pairs)
    number = sum(count for _, count in pairs)
    mean = math.fsum(total for total, _ in pairs) / number
    if groups < 2:
        return mean, 0.0, groups
    squares = math.fsum((total - mean * count) ** 2 for total, count in pairs)
    return mean, math.sqrt(squares * groups / (groups - 1)) / number, groups


def normal_part(value: float) -> float:
    """How much of the standard normal distribution lies below a value."""
    return 0.5 * math.erfc(-value / math.sqrt(2))


def student_quantile(part: float, freedom: int) -> float:
    """Student's t, by Hill's expansion (Communications of the ACM 13, algorithm 396); good to five digits."""
    if part == 0.5:
        return 0.0
    if part < 0.5:
        return -student_quantile(1 - part, freedom)
    return student_tail(1 - part, freedom)


def student_tail(tail: float, freedom: int) -> float:
    """The value that Student's t exceeds with the chance `tail`, which may be tiny."""
    both = 2 * tail
    if freedom == 1:
        return 1 / math.tan(both * math.pi / 2)
    if freedom == 2:
        return math.sqrt(2 / (both * (2 - both)) - 2)
    a = 1 / (freedom - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * freedom
    y = (d * both) ** (2 / freedom)
    if y > 0.05 + a:
        x = normal_quantile(tail)
        y = x * x
        if freedom < 5:
            c += 0.3 * (freedom - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y * y)
    else:
        inner = 1 / (((freedom + 6) / (freedom * y) - 0.089 * d - 0.822) * (freedom + 2) * 3) + 0.5 / (freedom + 4)
        y = (inner * y - 1) * (freedom + 1) / (freedom + 2) + 1 / y
    return math.sqrt(freedom * y)
