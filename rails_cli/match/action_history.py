"""The actions of a match, recorded so that moves can be taken back."""

from collections.abc import Sequence
from typing import Any

from rails_cli.match.match import Match

SNAPSHOT_EVERY = 16
"""Number of actions between two stored snapshots of the position. Other positions are restored by replaying actions."""
UNFORESEEN = "chance or something hidden came to light"
"""Reason why a move cannot be taken back, as a clause for error messages."""


class ActionHistory:
    """The actions of a match since its start, except actions that were taken back."""

    def __init__(self, match: Match) -> None:
        """Start recording the actions of `match`, in which no action has been played yet."""
        self.match = match
        self.seats: list[int] = []
        self.actions: list[Any] = []
        self.events: list[Sequence[Any]] = []
        """The events of each action. They are searched for chance results only if a player wants to undo an action."""
        self.snapshots = [match.snapshot()]
        # Without a seed, chance cannot be replayed.
        self._every = SNAPSHOT_EVERY if match.header.seed is not None else 1

    def add(self, seat: int, action: Any, events: Sequence[Any]) -> None:
        self.seats.append(seat)
        self.actions.append(action)
        self.events.append(events)
        if len(self.actions) % self._every == 0:
            self.snapshots.append(self.match.snapshot())

    def last_of(self, seat: int) -> int:
        """Return the number of the last action that `seat` may take back. 0 if there is no such action."""
        branch = self.match.header.branch
        first = max(len(self.match.opening), 0 if branch is None else branch.number - 1)
        return next((number for number in range(len(self.seats), first, -1) if self.seats[number - 1] == seat), 0)

    def has_chance_since(self, number: int) -> bool:
        """Return whether action `number` or a later action revealed a chance result or hidden information."""
        unforeseeable = self.match.game.unforeseeable
        return any(type(event) in unforeseeable for events in self.events[number - 1 :] for event in events)

    def go_back(self, number: int) -> Match:
        """Take back action `number` and all later actions. Return a new match in the position before that action."""
        self.forget_from(number)
        snapshot = self.snapshots[-1]
        match = self.match.copy_at(snapshot)
        for action in self.actions[snapshot.number :]:
            match.play(action)
        self.match = match
        return match

    def forget_from(self, number: int) -> None:
        for recorded in (self.seats, self.actions, self.events):
            del recorded[number - 1 :]
        while self.snapshots[-1].number >= number:
            self.snapshots.pop()
