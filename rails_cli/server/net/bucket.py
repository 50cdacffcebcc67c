"""Rate limits as token buckets: tokens are refilled at a steady rate up to a maximum."""

from rails_cli.server.net.address import quotas


class Bucket:
    """The token bucket of one client or address."""

    __slots__ = ("filled_at", "tokens")

    def __init__(self, burst: float, now: float) -> None:
        self.tokens = burst
        self.filled_at = now

    def take(self, cost: float, per_s: float, burst: float, now: float) -> bool:
        """Take `cost` tokens at the time `now`. Return False and take nothing if there are too few tokens.

        The bucket is refilled with `per_s` tokens per second, up to `burst` tokens.
        """
        tokens = min(burst, self.tokens + (now - self.filled_at) * per_s)
        self.filled_at = now
        if tokens < cost:
            self.tokens = tokens
            return False
        self.tokens = tokens - cost
        return True

    def is_full(self, per_s: float, burst: float, now: float) -> bool:
        """Return whether the bucket has `burst` tokens again at the time `now`, if it gets `per_s` tokens per second.

        A full bucket can be discarded, because a new bucket is also full.
        """
        return self.tokens + (now - self.filled_at) * per_s >= burst


class Budgets:
    """The token buckets of all client addresses and IPv6 sites (/48 networks)."""

    def __init__(self, burst: float, again_s: float) -> None:
        """A bucket holds at most `burst` tokens. An empty bucket is full again after `again_s` seconds."""
        self.burst = burst
        self.per_s = burst / again_s
        self._buckets: dict[str, tuple[Bucket, int]] = {}

    def take(self, address: str, cost: float, now: float) -> bool:
        """Take `cost` tokens from the buckets of an address and of its IPv6 site.

        Return False if one of these buckets has too few tokens.
        """
        for key, multiple in quotas(address):
            bucket, _ = self._buckets.setdefault(key, (Bucket(self.burst * multiple, now), multiple))
            if not bucket.take(cost, self.per_s * multiple, self.burst * multiple, now):
                return False
        return True

    def tidy(self, now: float) -> None:
        """Discard full buckets, which are equal to new buckets."""
        self._buckets = {
            key: (bucket, multiple)
            for key, (bucket, multiple) in self._buckets.items()
            if not bucket.is_full(self.per_s * multiple, self.burst * multiple, now)
        }
