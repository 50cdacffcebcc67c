"""The spectators of a table, and the messages that are not sent to them before the spectator delay is over."""

from collections import deque
from collections.abc import Callable, Iterator

from rails_cli.server.tables.seat import Connection


class Spectators:
    """The connections that watch a table. They receive messages about the game after the spectator delay."""

    def __init__(self, delay_s: float, now: Callable[[], float]) -> None:
        """`delay_s` is the spectator delay in seconds. `now` returns the time on the server's clock in seconds."""
        self._delay_s = delay_s
        self._now = now
        self._waiting: dict[Connection, deque[tuple[float, bytes]]] = {}
        """Mapping from each spectator to the messages to be sent, each with the time at which its delay is over."""
        self._late_actions: deque[tuple[float, int, int]] = deque()
        """Calls of `hide` whose delay is not over: the time at which the delay ends, and the two arguments."""
        self.shown_actions = 0
        """Number of actions that spectators have seen so far: those whose delay is over."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Connection]:
        return iter(self._waiting)

    def __contains__(self, connection: object) -> bool:
        return connection in self._waiting

    def add(self, connection: Connection) -> None:
        self._waiting[connection] = deque()

    def remove(self, connection: Connection) -> None:
        """Remove `connection` if it is a spectator."""
        self._waiting.pop(connection, None)

    def post(self, connection: Connection, content: bytes) -> None:
        """Send a message to a spectator, after the delay."""
        if self._delay_s:
            self._waiting[connection].append((self._now() + self._delay_s, content))
        else:
            connection.post(content)

    def post_all(self, content: bytes) -> None:
        for connection in self:
            self.post(connection, content)

    def hide(self, actions: int, count: int) -> None:
        """Hide `count` new actions until the delay is over. `actions` is the number of actions played so far."""
        self._late_actions.append((self._now() + self._delay_s, actions, count))

    def tick(self, now: float) -> int:
        """Send the messages whose delay is over. Return the number of actions that this call reveals."""
        revealed = 0
        while self._late_actions and self._late_actions[0][0] <= now:
            _, self.shown_actions, count = self._late_actions.popleft()
            revealed += count
        for connection, waiting in self._waiting.items():
            while waiting and waiting[0][0] <= now:
                connection.post(waiting.popleft()[1])
        return revealed
