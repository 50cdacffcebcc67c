"""Means with confidence intervals. A seed is one observation, because games with the same seed are not independent."""

import math
from collections.abc import Iterable
from statistics import NormalDist

import msgspec

CONFIDENCE = 0.95
"""Probability that a confidence interval contains the true value."""

_LONGER = 1.5  # correction for small samples, which show only part of the skewness: found by simulation
_FURTHEST = (
    2.0  # longest interval, in multiples of Student's t: longer ones depend on outliers and are right no more often
)
_STRAIGHT = 1e-9
_EQUAL = 1e-9  # relative spread between groups that is only rounding error

normal_quantile = NormalDist().inv_cdf


class Estimate(msgspec.Struct, frozen=True):
    """A mean with the ends of its confidence interval. An end is None if it is unknown, for example with one seed."""

    mean: float
    low: float | None
    high: float | None


class Sums:
    """The sum and the number of the values in each group. A group is, for example, all games with one seed."""

    __slots__ = ("by_group",)

    def __init__(self) -> None:
        self.by_group: dict[str, tuple[float, int]] = {}

    def add(self, group: str, value: float) -> None:
        known = self.by_group.get(group)
        self.by_group[group] = (known[0] + value, known[1] + 1) if known else (value, 1)

    def mean(self, least: float = -math.inf, most: float = math.inf) -> Estimate:
        """Return the mean of all values, with an interval computed from the spread between groups.

        `least` and `most` are the smallest and largest possible value. The interval uses Student's t, with two
        corrections:
        - A few values of a skewed distribution rarely show its long tail. So Hall's transformation makes the interval
          up to twice as long.
        - If all groups are equal, the spread is 0. Then the interval allows for values at `least` or `most` that are
          too rare to appear in this number of groups.

        If `least` and `most` are infinite, extreme values that are too rare to appear in the groups are ignored. If
        the true mean depends on such values, the interval often misses it.
        """
        mean, spread, groups, skewness = _ratio(self.by_group.values())
        if groups < 2:
            return Estimate(mean, None, None)
        if spread <= _EQUAL * max(1.0, abs(mean)):
            others = 1 - (0.5 - CONFIDENCE / 2) ** (1 / groups)
            return Estimate(
                mean,
                None if math.isinf(least) else mean - others * (mean - least),
                None if math.isinf(most) else mean + others * (most - mean),
            )
        quantile = student_quantile(0.5 + CONFIDENCE / 2, groups - 1)
        low, high = (-_unbent(end, skewness, groups) for end in (quantile, -quantile))
        low = min(max(low, -_FURTHEST * quantile), -quantile)
        high = max(min(high, _FURTHEST * quantile), quantile)
        return Estimate(mean, max(least, mean + spread * low), min(most, mean + spread * high))

    def share(self) -> Estimate:
        """Return the mean of values from 0 to 1, with Wilson's interval for an effective number of values.

        The effective number of values is computed from the spread between groups. If all groups have the same mean,
        each group counts as one value.
        """
        mean, spread, groups, _ = _ratio(self.by_group.values())
        if groups < 2:
            return Estimate(mean, None, None)
        quantile = student_quantile(0.5 + CONFIDENCE / 2, groups - 1)
        evenness = mean * (1 - mean)
        number = groups if spread <= _EQUAL else evenness / spread**2
        weight = quantile**2 / number
        middle = (mean + weight / 2) / (1 + weight)
        half = math.sqrt(weight * evenness + weight**2 / 4) / (1 + weight)
        return Estimate(mean, min(mean, max(0.0, middle - half)), max(mean, min(1.0, middle + half)))


def _ratio(sums: Iterable[tuple[float, int]]) -> tuple[float, float, int, float]:
    """Return the mean of all values, its standard error, the effective number of groups, and the skewness.

    `sums` has the sum and the number of values of each group. The standard error comes from the differences between
    groups. Large groups have more weight in the mean. The effective number is the number of equally large groups that
    would give the same precision (Kish).
    """
    pairs = list(sums)
    number = sum(count for _, count in pairs)
    mean = math.fsum(total for total, _ in pairs) / number
    groups = math.floor(number**2 / sum(count**2 for _, count in pairs) + 1e-9)
    if len(pairs) < 2:
        return mean, 0.0, 1, 0.0
    groups = max(2, groups)
    offs = [total - mean * count for total, count in pairs]
    squares = math.fsum(off * off for off in offs)
    skewness = 0.0
    if groups > 2 and squares > 0:
        cubes = math.fsum(off**3 for off in offs) * math.sqrt(len(offs)) / squares**1.5
        skewness = _LONGER * cubes * math.sqrt(groups * (groups - 1)) / (groups - 2)
    return mean, math.sqrt(squares * groups / (groups - 1)) / number, groups, skewness


def _unbent(value: float, skewness: float, groups: int) -> float:
    """Return the t that Hall's transformation t + at² + a²t³/3 + a/2 maps to `value`.

    The transformation removes the skewness from Student's t. The coefficient a depends on `skewness` and `groups`.
    """
    bend = skewness / 3 / math.sqrt(groups)
    if abs(bend) < _STRAIGHT:
        return value - bend / 2
    return (math.cbrt(1 + 3 * bend * (value - bend / 2)) - 1) / bend


def normal_part(value: float) -> float:
    """Return the probability that a standard normal variable is at most `value`."""
    return 0.5 * math.erfc(-value / math.sqrt(2))


def student_quantile(part: float, freedom: int) -> float:
    """Return the value that Student's t stays below with probability `part`, exact to five digits.

    `freedom` is the number of degrees of freedom. Uses Hill's expansion (Communications of the ACM 13, algorithm 396).
    """
    if part == 0.5:
        return 0.0
    if part < 0.5:
        return -student_quantile(1 - part, freedom)
    return student_tail(1 - part, freedom)


def student_tail(tail: float, freedom: int) -> float:
    """Return the value that Student's t exceeds with probability `tail`, which may be tiny.

    `freedom` is the number of degrees of freedom.
    """
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
