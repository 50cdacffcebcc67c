"""How often something may be done: tokens that come back at a steady pace, up to a number that can be saved up."""


class Bucket:
    """What one client, or one address, may still do."""

    __slots__ = ("filled_at", "tokens")

    def __init__(self, burst: float, now: float) -> None:
        self.tokens = burst
        self.filled_at = now

    def take(self, cost: float, per_s: float, burst: float, now: float) -> bool:
        """Whether there is enough for this; if so, it is paid."""
        tokens = min(burst, self.tokens + (now - self.filled_at) * per_s)
        self.filled_at = now
        if tokens < cost:
            self.tokens = tokens
            return False
        self.tokens = tokens - cost
        return True

    def is_full(self, per_s: float, burst: float, now: float) -> bool:
        """Whether nothing would change if it were forgotten."""
        return self.tokens + (now - self.filled_at) * per_s >= burst
