"""How fast a watched game is shown, and whether it is paused."""

from dataclasses import dataclass

from rails_cli.study.playback.cursor import SPEEDS

SPEED_KEYS = {"+": 1, "=": 1, "-": -1, "_": -1}
"""Keys that change the speed, with the number of steps in SPEEDS."""


@dataclass
class Pace:
    """The speed of a watched game. At speed 1 a person has time to read every line."""

    speed: float = 1.0
    is_paused: bool = False

    def change(self, steps: int) -> None:
        """Choose a speed that is `steps` faster, or slower if `steps` is negative."""
        self.speed = SPEEDS[max(0, min(SPEEDS.index(self.speed) + steps, len(SPEEDS) - 1))]

    def toggle(self) -> None:
        self.is_paused = not self.is_paused

    @property
    def words(self) -> str:
        """State of the game for the input line."""
        return "paused; space: continue, enter: one step" if self.is_paused else f"speed {self.speed:g}; space: pause"
