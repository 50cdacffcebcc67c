"""How a match got where it is, so that moves can be taken back."""

from collections.abc import Sequence
from typing import Any

from rails_cli.match.match import Match

MARK_EVERY = 16
"""After so many actions the whole position is kept; from there the others are played again."""


class Course:
    """The actions of a match that count, from its set-up on."""

    def __init__(self, match: Match) -> None:
        """A match that has just been set up."""
        self.match = match
        self.seats: list[int] = []
        self.actions: list[Any] = []
        self.events: list[Sequence[Any]] = []
        """Of each action; whether they brought chance to light is found out when somebody wants to take one back."""
        self.marks = [match.mark()]
        self._every = MARK_EVERY if match.header.seed is not None else 1  # chance that was only told is not known

    def add(self, seat: int, action: Any, events: Sequence[Any]) -> None:
        """An action that was played."""
        self.seats.append(seat)
        self.actions.append(action)
        self.events.append(events)
        number = len(self.actions)
        if number % self._every == 0:
            self.marks.append(self.match.mark())

    def last_of(self, seat: int) -> int:
        """The number of the last action of a seat, of those that may be taken back; 0 if there is none."""
        branch = self.match.header.branch
        first = max(len(self.match.opening), 0 if branch is None else branch.number - 1)
        return next((place for place in range(len(self.seats), first, -1) if self.seats[place - 1] == seat), 0)

    def has_chance_since(self, number: int) -> bool:
        """Whether that action, or one after it, brought chance or a secret to light."""
        unforeseeable = self.match.game.unforeseeable
        return any(type(event) in unforeseeable for events in self.events[number - 1 :] for event in events)

    def go_back(self, number: int) -> Match:
        """Another match, which stands as this one did before that action; from now on this is its course."""
        self.forget_from(number)
        mark = self.marks[-1]
        match = self.match.at(mark)
        for action in self.actions[mark.number :]:
            match.play(action)
        self.match = match
        return match

    def forget_from(self, number: int) -> None:
        """That action and all after it were taken back."""
        for kept in (self.seats, self.actions, self.events):
            del kept[number - 1 :]
        while self.marks[-1].number >= number:
            self.marks.pop()
