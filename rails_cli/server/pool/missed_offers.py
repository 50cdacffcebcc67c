"""Offers that entrants missed. A rating must come from all games offered, not from chosen ones."""

from collections import Counter, deque

MOST_IN_A_ROW = 3
"""Consecutive missed offers after which the connection that missed the last one leaves the queue."""
OFFERS_KEPT = 20
MOST_MISSED = 4
PAUSE_S = 300.0
"""Seconds without offers for an entrant that missed more than `MOST_MISSED` of its last `OFFERS_KEPT` offers."""


class MissedOffers:
    """The answers of all entrants to their last offers. Times are seconds on the server's clock."""

    def __init__(self) -> None:
        self._recent: dict[str, deque[bool]] = {}
        """By entrant, whether it accepted each of its last offers."""
        self._in_a_row: Counter[str] = Counter()
        self._paused_until: dict[str, float] = {}
        self._left_at: dict[str, float] = {}
        """By entrant, the time at which it left an unfinished seed group."""

    def accepted(self, name: str, *, is_rated: bool) -> None:
        """Record an accepted offer. Only rated games make up for missed offers."""
        self._in_a_row.pop(name, None)
        if is_rated:
            self._recent.setdefault(name, deque(maxlen=OFFERS_KEPT)).append(True)

    def missed(self, name: str, now: float) -> bool:
        """Record a missed offer. Return whether the entrant gets no offers for PAUSE_S seconds from now on."""
        self._in_a_row[name] += 1
        recent = self._recent.setdefault(name, deque(maxlen=OFFERS_KEPT))
        recent.append(False)
        if recent.count(False) <= MOST_MISSED:
            return False
        recent.clear()
        self._paused_until[name] = now + PAUSE_S
        return True

    def in_a_row(self, name: str) -> int:
        return self._in_a_row[name]

    def pause_s(self, name: str, now: float) -> float:
        """Return the seconds for which an entrant gets no more offers, 0 if it may get one."""
        return max(0.0, self._paused_until.get(name, now) - now)

    def left_group(self, name: str, now: float) -> None:
        """Record that an entrant left a seed group early. That counts as a missed offer if it comes back soon."""
        self._left_at[name] = now

    def is_back_soon(self, name: str, now: float) -> bool:
        """Return whether an entrant that enters left a seed group less than PAUSE_S seconds ago. Asked once."""
        return now - self._left_at.pop(name, now - PAUSE_S) < PAUSE_S
