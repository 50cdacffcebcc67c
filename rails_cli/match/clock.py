"""The time a seat has: a bank for the game with an increment for each answer, a limit for one answer, or neither."""

import re
from typing import Any

import msgspec

from protocol.messages import Clock, ClockLeft

_NUMBER = r"(\d+(?:\.\d+)?)"
_BANK = re.compile(rf"{_NUMBER}(?:\+{_NUMBER})?")
_MOVE = re.compile(rf"{_NUMBER}/move")
MOST_LAG_S = 0.5
MOST_LAG_OF_A_GAME_S = 30.0
"""So long messages may be on their way without costing time: for an answer, and in a whole game of the pool."""
LAG_SHARE = 0.05
"""And no longer than this part of the time for an answer, and of the bank: who pretends to be far away gains little."""
SHORTEST_S = 0.001
LONGEST_S = 1e9


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
    clock = Clock(bank_s, increment_s, move_s)
    mistake = mistake_in(clock)
    if mistake is not None:
        raise ValueError(f"the clock {words!r} {mistake}")
    return clock


def mistake_in(clock: Clock) -> str | None:
    """Why nobody can play by a clock."""
    limits = [limit for limit in (clock.bank_s, clock.move_s) if limit is not None]
    if any(limit < SHORTEST_S for limit in limits):
        return "gives no time at all"
    if any(limit > LONGEST_S for limit in (*limits, clock.increment_s)):
        return f"is longer than {LONGEST_S:.0f} s; for no limit use none"
    if clock.increment_s < 0:
        return "takes time away after an answer"
    return None


def clock_line(clock: Clock | None) -> dict[str, Any] | None:
    """A clock as a log has it."""
    return None if clock is None else msgspec.to_builtins(clock)


class LagAllowance:
    """How long the messages of a seat in the pool may be on their way without costing it time, within bounds."""

    __slots__ = ("left_s", "most_s")

    def __init__(self, clock: Clock | None) -> None:
        self.most_s = MOST_LAG_S
        self.left_s = MOST_LAG_OF_A_GAME_S
        if clock is not None and clock.bank_s is not None:
            self.left_s = min(MOST_LAG_OF_A_GAME_S, LAG_SHARE * clock.bank_s)
        if clock is not None and clock.move_s is not None:
            self.most_s = min(MOST_LAG_S, LAG_SHARE * clock.move_s)

    def take(self, lag_s: float) -> float:
        """What is allowed for the next answer, of a way that is so long."""
        allowed = min(lag_s, self.most_s, self.left_s)
        self.left_s -= allowed
        return allowed


def seconds_words(seconds: float, digits: int = 6) -> str:
    """Format seconds, rounded to `digits` significant digits or to whole seconds, without an exponent."""
    return f"{seconds:.0f}" if seconds >= 10 ** (digits - 1) else f"{seconds:.{digits}g}"


def clock_in_words(clock: Clock) -> str:
    """The time that a clock gives a seat."""
    parts = []
    if clock.bank_s is not None:
        parts.append(
            f"{seconds_words(clock.bank_s)} s per game"
            + (f", plus {seconds_words(clock.increment_s)} s per action" * (clock.increment_s > 0))
        )
    if clock.move_s is not None:
        move = seconds_words(clock.move_s)
        parts.append(f"{move} s per action" if not parts else f"at most {move} s for one action")
    return ", ".join(parts)


class SeatClock:
    """The time one seat has left in a game; the bank is kept in whole milliseconds."""

    __slots__ = ("_bank_ms", "_increment_ms", "clock")

    def __init__(self, clock: Clock | None) -> None:
        self.clock = clock
        self._increment_ms = 0 if clock is None else _milliseconds(clock.increment_s)
        self.bank_s = None if clock is None else clock.bank_s

    @property
    def bank_s(self) -> float | None:
        return None if self._bank_ms is None else self._bank_ms / 1000

    @bank_s.setter
    def bank_s(self, seconds: float | None) -> None:
        self._bank_ms = None if seconds is None else _milliseconds(seconds)

    def budget_s(self) -> float | None:
        """Seconds allowed for the next answer; None without a limit."""
        if self.clock is None:
            return None
        move_s = self.clock.move_s
        if self._bank_ms is None:
            return move_s
        bank_s = self._bank_ms / 1000
        return bank_s if move_s is None or bank_s < move_s else move_s

    def left(self, used_s: float = 0.0) -> ClockLeft | None:
        """What a request tells, `used_s` after it was first put."""
        if self.clock is None:
            return None
        bank_ms, move_s = self._bank_ms, self.clock.move_s
        used_ms = _milliseconds(used_s) if used_s else 0
        if not used_ms:
            return ClockLeft(None if bank_ms is None else bank_ms / 1000, move_s)
        return ClockLeft(
            None if bank_ms is None else max(0, bank_ms - used_ms) / 1000,
            None if move_s is None else max(0, _milliseconds(move_s) - used_ms) / 1000,
        )

    def spend(self, used_ms: int) -> None:
        """Takes time from the bank for which there was no answer."""
        if self._bank_ms is not None:
            self._bank_ms = max(0, self._bank_ms - used_ms)

    def charge(self, used_ms: int) -> None:
        """Takes the time of an answer from the bank, and adds the increment."""
        bank_ms = self._bank_ms
        if bank_ms is not None:
            self._bank_ms = self._increment_ms + (bank_ms - used_ms if used_ms < bank_ms else 0)


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000 + 0.5)
