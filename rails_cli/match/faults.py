"""Codes and messages of the faults of players, as written to logs."""

from collections.abc import Mapping

FAULT_CODES = (
    "bad_line", "version", "not_your_turn", "stale_request", "illegal_action", "too_slow", "too_long", "disconnect",
)  # fmt: skip
STRIKES = 3
"""Number of faults at one request after which the seat may not answer this request again."""
STRIKE_CODES = ("bad_line", "stale_request", "illegal_action")
"""Codes of faults after which the seat may answer the same request again, until it has `STRIKES` such faults."""
DEFAULT_PLAYED = "; default played"
"""Text in a fault's message which says that the default action was played."""
TAKEN_OVER = "a substitute takes over"
"""Text at the end of a fault's message which says that a built-in player replaces the player of the seat."""
VOIDED = "the match is void"
"""Text at the end of a fault's message which says that the fault ended the match."""
RAN_OUT = f"the time of the match is over, and it has used most of it; {VOIDED}"
"""Message of the fault when the time of the whole match is over. The fault is given to the seat that used most time."""


def fault_words(codes: Mapping[str, int]) -> str:
    """Return the faults as text, such as `3 faults: 2 bad_line, 1 illegal_action`.

    `codes` maps each fault code to the number of faults with this code.
    """
    number = sum(codes.values())
    kinds = ", ".join(f"{count:,} {code}" for code, count in sorted(codes.items()))
    return f"{number:,} {'fault' if number == 1 else 'faults'}: {kinds}"
