"""The parameters that a bot declares in its bot.toml, as `[[parameters]]`. A bot reads them from its environment."""

import math
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from rails_cli.tournament.plan.reading import Mistake, PlanError

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that changes the play of a bot, with its range and default value."""

    name: str
    """Name of the environment variable in which the bot receives the value."""
    min: float
    max: float
    step: float
    """Difference between two neighbouring values of the parameter. The first value is `min`."""
    default: float

    def value(self, share: float, chance: float = 0.5) -> float:
        """Return the value at the position `share` of the range, from 0 for `min` to 1 for `max`, rounded to a step.

        `chance` is a number in [0, 1) that decides the direction of rounding. With 0.5, the nearest step is returned.
        With a uniformly random `chance`, the mean of the rounded values is the value without rounding.
        """
        steps = math.floor(min(max(share, 0.0), 1.0) * (self.max - self.min) / self.step + chance + 1e-9)
        return float(value_words(min(self.min + steps * self.step, self.max)))

    def share(self, value: float) -> float:
        """Return the position of `value` in the range, from 0 for `min` to 1 for `max`."""
        return (value - self.min) / (self.max - self.min)


def value_words(value: float) -> str:
    """Return the text of `value` that a bot receives. A whole number has no decimal point."""
    return f"{value:.12g}" if abs(value) < 1e12 else repr(value)


def variables(parameters: Sequence[Parameter], values: Sequence[float]) -> dict[str, str]:
    """Return the environment variables that pass `values` to a bot, as a mapping from name to text."""
    return {one.name: value_words(value) for one, value in zip(parameters, values, strict=True)}


def bot_parameters(table: dict[str, Any], where: str) -> list[Parameter]:
    """Return the parameters in `table`, the content of a bot.toml. Raise PlanError if any of them is invalid.

    The error lists all mistakes. `where` is the path of the bot.toml for the error.
    """
    try:
        found = msgspec.convert(table.get("parameters", []), list[Parameter])
    except msgspec.ValidationError as error:
        words, _, inner = str(error).partition(" - at `$")
        raise PlanError([Mistake("", f"{where}: $.parameters{inner.rstrip('`')}: {words}")]) from None
    mistakes = []
    for number, one in enumerate(found):
        wrong = _mistake(one, [other.name for other in found[:number]])
        if wrong is not None:
            mistakes.append(Mistake("", f"{where}: $.parameters[{number}]: {wrong}"))
    if mistakes:
        raise PlanError(mistakes)
    return found


def _mistake(one: Parameter, taken: list[str]) -> str | None:
    if not _VARIABLE.fullmatch(one.name):
        return f"{one.name!r} is not the name of an environment variable: letters, digits and _"
    if one.name in taken:
        return f"{one.name} appears twice"
    if not all(map(math.isfinite, (one.min, one.max, one.step, one.default))):
        return f"{one.name} has a value that is not a finite number"
    if one.min >= one.max:
        return f"{one.name}: min {one.min:g} must be less than max {one.max:g}"
    if not 0 < one.step <= one.max - one.min:
        return f"{one.name}: step {one.step:g} must be more than 0, and at most max - min = {one.max - one.min:g}"
    if not one.min <= one.default <= one.max:
        return f"{one.name}: default {one.default:g} is not between min {one.min:g} and max {one.max:g}"
    return None
