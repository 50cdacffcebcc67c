"""Numbers and names in words."""

from collections.abc import Sequence

from rails_cli.tournament.estimates import Estimate


def between(low: float | None, high: float | None, form: str = ".0f") -> str:
    """An interval; an open end where there is no limit."""
    if low is None and high is None:
        return "open"
    return f"{'…' if low is None else signed(low, form)} to {'…' if high is None else signed(high, form)}"


def signed(value: float, form: str = ".0f") -> str:
    """A number with a minus that is one, and no minus before zero."""
    words = format(value, form)
    if words.strip("+-0.%,") == "":
        words = words.lstrip("+-")
    return words.replace("-", "−")


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def give_or_take(estimate: Estimate, form: str) -> str:
    """A mean with half the width of its interval."""
    if estimate.low is None or estimate.high is None:
        return format(estimate.mean, form)
    return f"{estimate.mean:{form}} ± {(estimate.high - estimate.low) / 2:{form}}"
