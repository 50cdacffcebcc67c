"""Time controls of seats.

A time control has a bank of time per game plus an increment per answer, or a limit per answer, or both. There may also
be no time control.
"""

import re
from typing import Any

import msgspec

from rails_cli.protocol.messages import Clock, ClockLeft

_NUMBER = r"(\d+(?:\.\d+)?)"
_BANK = re.compile(rf"{_NUMBER}(?:\+{_NUMBER})?")
_MOVE = re.compile(rf"{_NUMBER}/move")
MOST_LAG_S = 0.5
"""Maximum network latency of one answer, in seconds, that is not counted as thinking time."""
MOST_LAG_OF_A_GAME_S = 30.0
"""Maximum total network latency of a seat in one game, in seconds, that is not counted as thinking time."""
LAG_SHARE = 0.05
"""Maximum network latency that is not counted as thinking time, as a fraction of the time control.

The maximum for one answer is this fraction of the limit per answer. The maximum for one game is this fraction of the
bank.
"""
SHORTEST_S = 0.001
"""Minimum of each time limit of a clock, in seconds."""
LONGEST_S = 1e9
"""Maximum of each time of a clock, in seconds."""


def read_clock(words: str) -> Clock | None:
    """Return the time control in `words`, such as `60+0.5,10/move`. None for `none`. Raise ValueError if invalid."""
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
    """Return why a time control is invalid, as a phrase such as "gives no time at all". None if it is valid."""
    limits = [limit for limit in (clock.bank_s, clock.move_s) if limit is not None]
    if any(limit < SHORTEST_S for limit in limits):
        return "gives no time at all"
    if any(limit > LONGEST_S for limit in (*limits, clock.increment_s)):
        return f"is longer than {LONGEST_S:.0f} s; for no limit use none"
    if clock.increment_s < 0:
        return "takes time away after an answer"
    return None


def clock_line(clock: Clock | None) -> dict[str, Any] | None:
    """Return a time control as plain data for the header of a log. Return None if `clock` is None."""
    return None if clock is None else msgspec.to_builtins(clock)


class LagAllowance:
    """The network latency that is not counted as thinking time, for one seat in one game of the rated pool."""

    __slots__ = ("left_s", "most_s")

    def __init__(self, clock: Clock | None) -> None:
        self.most_s = MOST_LAG_S
        self.left_s = MOST_LAG_OF_A_GAME_S
        if clock is not None and clock.bank_s is not None:
            self.left_s = min(MOST_LAG_OF_A_GAME_S, LAG_SHARE * clock.bank_s)
        if clock is not None and clock.move_s is not None:
            self.most_s = min(MOST_LAG_S, LAG_SHARE * clock.move_s)

    def take(self, lag_s: float) -> float:
        """Return how many of the `lag_s` seconds of latency are not counted as thinking time of the next answer."""
        allowed = min(lag_s, self.most_s, self.left_s)
        self.left_s -= allowed
        return allowed


def seconds_words(seconds: float, digits: int = 6) -> str:
    """Return seconds as text with `digits` significant digits, without an exponent. Large values are whole seconds."""
    return f"{seconds:.0f}" if seconds >= 10 ** (digits - 1) else f"{seconds:.{digits}g}"


def clock_in_words(clock: Clock) -> str:
    """Return a time control in words, such as "60 s per game, plus 0.5 s per action"."""
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
    """The time that one seat has left in a game. The bank is kept in whole milliseconds."""

    __slots__ = ("_bank_ms", "_increment_ms", "clock")

    def __init__(self, clock: Clock | None) -> None:
        self.clock = clock
        self._increment_ms = 0 if clock is None else _milliseconds(clock.increment_s)
        self.bank_s = None if clock is None else clock.bank_s

    def copy(self) -> "SeatClock":
        """Return a copy of this clock. `copy.copy` does not work on classes compiled with mypyc."""
        other = SeatClock(self.clock)
        other.bank_s = self.bank_s
        return other

    @property
    def bank_s(self) -> float | None:
        return None if self._bank_ms is None else self._bank_ms / 1000

    @bank_s.setter
    def bank_s(self, seconds: float | None) -> None:
        self._bank_ms = None if seconds is None else _milliseconds(seconds)

    def budget_s(self) -> float | None:
        """Return the seconds that the seat has for its next answer. None if there is no limit."""
        if self.clock is None:
            return None
        move_s = self.clock.move_s
        if self._bank_ms is None:
            return move_s
        bank_s = self._bank_ms / 1000
        return bank_s if move_s is None or bank_s < move_s else move_s

    def left(self, used_s: float = 0.0) -> ClockLeft | None:
        """Return the time left after `used_s` seconds, as sent to the player. None if there is no time control."""
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
        """Deduct `used_ms` milliseconds from the bank, without adding the increment for an answer."""
        if self._bank_ms is not None:
            self._bank_ms = max(0, self._bank_ms - used_ms)

    def charge(self, used_ms: int) -> None:
        """Deduct the `used_ms` milliseconds of an answer from the bank, then add the increment."""
        bank_ms = self._bank_ms
        if bank_ms is not None:
            self._bank_ms = self._increment_ms + (bank_ms - used_ms if used_ms < bank_ms else 0)


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000 + 0.5)
