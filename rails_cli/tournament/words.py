"""Formatting of numbers, intervals and names for texts about tournaments."""

from collections.abc import Mapping, Sequence

from rails_cli.tournament.rating.estimates import Estimate

STOPPED_BY_RESULTS = (
    "The tournament stopped because of its results. The answer of its stopping rule keeps the stated chance of error; "
    "the intervals do not allow for the early stop, so differences look a little larger than they are."
)

FAULTY = "!"
"""Mark after the name of an entrant that lost seats through faults."""


def between(low: float | None, high: float | None, form: str = ",.0f") -> str:
    """Format an interval, such as `-5 to 12`. A missing end is shown as `…`. Return `open` if both ends are missing."""
    if low is None and high is None:
        return "open"
    return f"{'…' if low is None else signed(low, form)} to {'…' if high is None else signed(high, form)}"


def signed(value: float, form: str = ",.0f") -> str:
    """Format a number with a typographic minus sign if it is negative. A number that rounds to zero has no sign."""
    words = format(value, form)
    if words.strip("+-0.%,") == "":
        words = words.lstrip("+-")
    return words.replace("-", "−")


def minutes_words(minutes: float) -> str:
    """Format a duration given in minutes. Durations below a minute are shown in seconds."""
    if minutes >= 1:
        return f"{minutes:,.1f} minutes"
    seconds = f"{60 * minutes:.2g}"
    return f"{seconds} second{'s' * (seconds != '1')}"


def listed(words: Sequence[str]) -> str:
    """Join words as in `a, b and c`."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def with_ends(estimate: Estimate, form: str) -> str:
    """Format a mean with the ends of its interval, such as `57.1% (52.0–62.4)`. Unknown ends are omitted."""
    low, high = estimate.low, estimate.high
    mean = signed(estimate.mean, form)
    if low is None or high is None:
        return mean
    if form.endswith("%"):
        low, high, form = 100 * low, 100 * high, form.replace("%", "f")
    if low < 0:
        return f"{mean} ({between(low, high, form)})"
    return f"{mean} ({low:{form}}–{high:{form}})"


def marked(name: str, lost_seats: int) -> str:
    """Return the name of an entrant, with the mark `FAULTY` if the entrant lost seats through faults."""
    return f"{name} {FAULTY}" if lost_seats else name


def mark_words(lost_seats: Mapping[str, int]) -> str:
    """Return an explanation of the mark `FAULTY`, or an empty string if no name has the mark.

    `lost_seats` maps the name of an entrant to the number of seats that it lost through faults.
    """
    lost = [f"{name} in {games:,} game{'s' * (games != 1)}" for name, games in lost_seats.items() if games]
    return f"{FAULTY} lost its seat, and so the game, through faults: {', '.join(lost)}" if lost else ""
