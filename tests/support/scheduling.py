"""A queue of scheduled calls that a test runs itself, instead of an event loop."""

from collections.abc import Callable


class ScheduledCall:
    """A call in a queue."""

    def __init__(self, queue: "ScheduledCalls", callback: Callable[[], None]) -> None:
        self.queue = queue
        self.callback = callback

    def __call__(self) -> None:
        self.callback()

    def cancel(self) -> None:
        if self in self.queue:
            self.queue.remove(self)


class ScheduledCalls(list[ScheduledCall]):
    """Calls that were scheduled and not cancelled, in order."""

    def soon(self, callback: Callable[[], None]) -> ScheduledCall:
        """Add a call to the queue."""
        self.append(ScheduledCall(self, callback))
        return self[-1]
