"""The displayed position in a logged game, and automatic playback. The caller passes in the time."""

from rails_cli.study.playback.recorded import Recorded

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Speeds of a replay, as multiples of the normal speed."""


class Cursor:
    """The displayed position in a logged game. `at` is the number of the last action shown."""

    def __init__(self, recorded: Recorded, *, speed: float, at: int = 0) -> None:
        self.recorded = recorded
        self.speed = speed
        self.at = at
        self.is_playing = False
        self._due_s = 0.0

    @property
    def is_at_end(self) -> bool:
        return self.at == self.recorded.last

    def jump(self, number: int) -> None:
        """Show action `number`, or the nearest action that exists."""
        self.at = max(0, min(number, self.recorded.last))

    def step(self, actions: int) -> None:
        self.jump(self.at + actions)

    def next_landmark(self, direction: int) -> None:
        """Show the next action with a landmark event, such as the payment of a dividend, or else the last action.

        With `direction` -1, show the previous such action, or else the position before the first action.
        """
        recorded, number = self.recorded, self.at + direction
        while 0 < number < recorded.last and not recorded.is_landmark(recorded.moments[number]):
            number += direction
        self.jump(number)

    def play_or_stop(self, now_s: float) -> None:
        """Stop automatic playback if it is running, otherwise start it.

        At the end of a complete game, playback starts again from the set-up, the position before the first action.
        """
        self.is_playing = not self.is_playing
        if self.is_playing and self.is_at_end and self.recorded.is_complete:
            self.at = 0
        self._due_s = now_s + 1 / self.speed

    def stop(self) -> None:
        self.is_playing = False

    def faster(self, now_s: float) -> None:
        self._set_speed(min((speed for speed in SPEEDS if speed > self.speed), default=self.speed), now_s)

    def slower(self, now_s: float) -> None:
        self._set_speed(max((speed for speed in SPEEDS if speed < self.speed), default=self.speed), now_s)

    def _set_speed(self, speed: float, now_s: float) -> None:
        self.speed = speed
        self._due_s = now_s + 1 / speed

    def wait_s(self, now_s: float) -> float | None:
        """Return the number of seconds until the next action is due, or None if playback is stopped."""
        return max(0.0, self._due_s - now_s) if self.is_playing else None

    def tick(self, now_s: float) -> bool:
        """Show the actions that are due in automatic playback. Return whether any action was due."""
        if not self.is_playing or now_s < self._due_s:
            return False
        due = 1 + int((now_s - self._due_s) * self.speed)
        self._due_s += due / self.speed
        self.step(due)
        if self.is_at_end and self.recorded.is_complete:
            self.stop()
        return True

    def renew(self, recorded: Recorded) -> None:
        """Replace the game by a longer version of it, read from its growing log."""
        was_at_end = self.is_at_end
        self.recorded = recorded
        self.jump(recorded.last if was_at_end and not self.is_playing else self.at)
