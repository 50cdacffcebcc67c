"""A policy that chooses actions at random, and a seat in this process that uses it.

The policy takes almost no time. So a benchmark with such seats measures the code that runs the match.
"""

import time

from rails_cli.match.match import Match
from rails_cli.protocol.messages import Join
from rails_cli.referee.seats import UntimedSeat


class Policy:
    """A policy that chooses at random, with the same random number generator as the function `below` in client.c."""

    def __init__(self) -> None:
        self.luck = 1

    def __call__(self, entries: int) -> int:
        self.luck = (self.luck * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
        return (self.luck >> 33) % entries


class Instant(UntimedSeat):
    """A seat in this process that answers at once, without decoding the request."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(Join())
        self.policy = policy
        self.match: Match | None = None

    def post(self, line: bytes) -> None:
        pass

    def send(self, line: bytes, deadline: float | None) -> None:
        begins = line.index(b'"number":') + len(b'"number":')
        self.number = int(line[begins : line.index(b",", begins)])

    def receive(self, deadline: float | None) -> bytes:
        assert self.match is not None
        return b'{"type":"action","number":%d,"choice":%d}' % (self.number, self.policy(len(self.match.legal)))

    def now(self) -> float:
        return time.perf_counter()
