"""How often something may be done: tokens that come back at a steady pace, up to a number that can be saved up."""

from rails_cli.server.address import shares


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


class Budgets:
    """What each address may still do, and each site of IPv6."""

    def __init__(self, burst: float, again_s: float) -> None:
        """All of `burst` comes back in `again_s`."""
        self.burst = burst
        self.per_s = burst / again_s
        self._buckets: dict[str, tuple[Bucket, int]] = {}

    def take(self, address: str, cost: float, now: float) -> bool:
        """Whether an address may do this; if so, it is paid."""
        for name, share in shares(address):
            bucket, _ = self._buckets.setdefault(name, (Bucket(self.burst * share, now), share))
            if not bucket.take(cost, self.per_s * share, self.burst * share, now):
                return False
        return True

    def tidy(self, now: float) -> None:
        """Forgets what would be the same if it were made anew."""
        self._buckets = {
            name: (bucket, share)
            for name, (bucket, share) in self._buckets.items()
            if not bucket.is_full(self.per_s * share, self.burst * share, now)
        }
