"""The rules of Freight Yard: functions on plain data, without input and output. All chance comes from the seed."""

from typing import Literal

from freight_yard.protocol import Event, GameEnded, Options, Question, State, Take, Taken
from rails_cli.games.plain import PlainBoard
from rails_cli.games.shared.luck import seeded, shuffle
from rails_cli.protocol.log import Seed

COUNTS: tuple[Literal[1, 2, 3], ...] = (3, 2, 1)
Events = list[Event] | None


def setup(board: PlainBoard, players: int, options: Options, seed: Seed, events: Events) -> State:
    """Return the first position (FY-1). All chance comes from `seed`."""
    train, _ = shuffle([number for number in (1, 2, 3, 4) for _ in range(4)], seeded(seed))
    return State(Question(0), train, [0] * players, options)


def legal_actions(state: State, board: PlainBoard) -> list[Take]:
    """Return the legal actions (FY-2). The last one is played for a player who does not answer."""
    if state.pending is None:
        return []
    return [Take(count) for count in COUNTS if count <= len(state.train)]


def apply(state: State, board: PlainBoard, action: Take, events: Events = None) -> None:
    """Play a legal action: change `state`, and append events if a list is given."""
    assert state.pending is not None
    seat = state.pending.seat
    wagons = state.train[-action.count :]
    del state.train[-action.count :]
    penalty = {"two": 2, "one": 1}[state.options.penalty]
    points = sum(wagons) - penalty * (action.count - 1)  # FY-3
    state.scores[seat] += points
    state.pending = Question((seat + 1) % len(state.scores)) if state.train else None
    if events is not None:
        events.append(Taken(seat, wagons, points))
        if state.pending is None:
            events.append(GameEnded())
