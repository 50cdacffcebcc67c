"""Numbers and names in words."""

from collections.abc import Mapping, Sequence

from rails_cli.tournament.estimates import Estimate

_NARROW = 0.05  # of an interval of shares

STOPPED_BY_RESULTS = (
    "The tournament stopped because of its results. The answer of its stopping rule keeps the stated chance of error; "
    "the intervals do not allow for the early stop, so differences look a little larger than they are."
)

FAULTY = "!"
"""Stands behind the names of those who lost games by their faults."""


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


def minutes_words(minutes: float) -> str:
    """A time, in seconds if it is short."""
    if minutes >= 1:
        return f"{minutes:,.1f} minutes"
    seconds = f"{60 * minutes:.2g}"
    return f"{seconds} second{'s' * (seconds != '1')}"


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def with_ends(estimate: Estimate, form: str) -> str:
    """A mean with the ends of its interval, which need not lie evenly around it."""
    low, high = estimate.low, estimate.high
    mean = signed(estimate.mean, form)
    if low is None or high is None:
        return mean
    if form.endswith("%"):
        low, high, form = 100 * low, 100 * high, ".1f" if high - low < _NARROW else ".0f"
    if low < 0:
        return f"{mean} ({between(low, high, form)})"
    return f"{mean} ({low:{form}}–{high:{form}})"


def marked(name: str, lost_seats: int) -> str:
    """A name with a mark if it has lost games by its faults."""
    return f"{name} {FAULTY}" if lost_seats else name


def mark_words(lost_seats: Mapping[str, int]) -> str:
    """What the mark means, if anybody has it."""
    lost = [f"{name} in {games:,} game{'s' * (games != 1)}" for name, games in lost_seats.items() if games]
    return f"{FAULTY} lost its seat, and so the game, through faults: {', '.join(lost)}" if lost else ""
