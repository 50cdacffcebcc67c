"""The time a seat has: a bank for the game with an increment for each answer, a limit for one answer, or neither."""

import re

from protocol.messages import Clock, ClockLeft

_NUMBER = r"(\d+(?:\.\d+)?)"
_BANK = re.compile(rf"{_NUMBER}(?:\+{_NUMBER})?")
_MOVE = re.compile(rf"{_NUMBER}/move")


def read_clock(words: str) -> Clock | None:
    """`60+0.5`, `10/move`, both with a comma between them, or `none`. Raises ValueError with what would do."""
    if words.strip().lower() == "none":
        return None
    bank_s: float | None = None
    increment_s = 0.0
    move_s: float | None = None
    for part in words.split(","):
        bank, move = _BANK.fullmatch(part.strip()), _MOVE.fullmatch(part.strip())
        if bank and bank_s is None:
            bank_s, increment_s = float(bank[1]), float(bank[2] or 0)
        elif move and move_s is None:
            move_s = float(move[1])
        else:
            raise ValueError(f"{words!r} is not a clock; try 60+0.5, 10/move, 60+0.5,10/move or none")
    if bank_s == 0 or move_s == 0:
        raise ValueError(f"{words!r} leaves no time at all")
    return Clock(bank_s, increment_s, move_s)


class SeatClock:
    """The time one seat has left in a game."""

    __slots__ = ("bank_s", "clock")

    def __init__(self, clock: Clock | None) -> None:
        self.clock = clock
        self.bank_s = None if clock is None else clock.bank_s

    def budget_s(self) -> float | None:
        """Seconds allowed for the next answer; None without a limit."""
        if self.clock is None:
            return None
        if self.bank_s is None:
            return self.clock.move_s
        if self.clock.move_s is None:
            return self.bank_s
        return min(self.bank_s, self.clock.move_s)

    def left(self, used_s: float = 0.0) -> ClockLeft | None:
        """What a request tells, `used_s` after it was first put."""
        if self.clock is None:
            return None
        bank_s, move_s = self.bank_s, self.clock.move_s
        return ClockLeft(
            None if bank_s is None else round(max(0.0, bank_s - used_s), 3),
            move_s if move_s is None or not used_s else round(max(0.0, move_s - used_s), 3),
        )

    def charge(self, used_s: float) -> None:
        """Takes the time of an answer from the bank, and adds the increment."""
        if self.bank_s is not None and self.clock is not None:
            self.bank_s = round(max(0.0, self.bank_s - used_s) + self.clock.increment_s, 6)
