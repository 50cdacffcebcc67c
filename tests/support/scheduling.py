"""A queue of scheduled calls. The test runs these calls instead of an event loop."""

from collections.abc import Callable


class ScheduledCall:
    """A scheduled call, which can be cancelled."""

    def __init__(self, queue: "ScheduledCalls", callback: Callable[[], None]) -> None:
        self.queue = queue
        self.callback = callback

    def __call__(self) -> None:
        self.callback()

    def cancel(self) -> None:
        if self in self.queue:
            self.queue.remove(self)


class ScheduledCalls(list[ScheduledCall]):
    """A queue of scheduled calls that were not cancelled."""

    def soon(self, callback: Callable[[], None]) -> ScheduledCall:
        """Add a call of `callback` to the queue. Return the scheduled call."""
        self.append(ScheduledCall(self, callback))
        return self[-1]
