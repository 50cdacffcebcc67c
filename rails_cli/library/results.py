"""Types of results of the methods of `Position`."""

from typing import Generic, NamedTuple

from rails_cli.library.typed import ActionT


class Outlook(NamedTuple):
    """The expected result of a game from a position. Each list has one number per seat.

    - `payoffs`: the value that built-in players maximise, from 0 to 1. It is mostly the chance of winning, plus a small
      part that depends on `money`.
    - `chances`: the chance of winning, from 0 to 1. In a finished game, 1 for the winner, divided equally between tied
      winners.
    - `money`: the value of everything that a seat owns, in current dollars. In a finished game, the score.
    """

    payoffs: list[float]
    chances: list[float]
    money: list[float]


class Choice(NamedTuple, Generic[ActionT]):
    """A legal move with its wording.

    - `move`: the number that stands for the action.
    - `action`: the action as a struct, without its cost.
    - `cost`: dollars to pay for the action, such as the cost of a build or the amount of a bid. None if there is no
      cost.
    - `command`: what a person types at the terminal, such as "bid 7".
    - `text`: the action in plain English, such as "bid $7".
    - `effect`: what the action changes at once. It contains only what the seat can know in advance. Empty if there is
      nothing to report.
    """

    move: int
    action: ActionT
    cost: int | None
    command: str
    text: str
    effect: str
