"""The rules of Right of Way, and the views of a position for each seat."""

from collections.abc import Sequence
from typing import get_args

from rails_cli.games.game import ALL_SEATS, ImpossibleEvents
from rails_cli.games.plain import PlainBoard
from rails_cli.games.shared.luck import below, seeded, shuffle
from rails_cli.protocol.log import Seed
from right_of_way.protocol import (
    Chosen,
    Event,
    GameEnded,
    Options,
    Player,
    Question,
    Revealed,
    Show,
    Signal,
    State,
    TrainsLined,
    View,
)

SIGNALS: tuple[Signal, ...] = get_args(Signal)
Events = list[Event] | None


def setup(board: PlainBoard, players: int, options: Options, seed: Seed, events: Events) -> State:
    """Return the first position (RW-1)."""
    trains = list(SIGNALS) if options.trains == "rising" else shuffle(SIGNALS, seeded(seed))[0]
    if events is not None:
        events.append(TrainsLined(list(trains)))
    return first_position(players, options, list(trains))


def first_position(players: int, options: Options, trains: list[int]) -> State:
    return State(
        pending=Question(0),
        trains=trains,
        signals=[list(SIGNALS) for _ in range(players)],
        chosen=[None] * players,
        points=[0] * players,
        options=options,
    )


def setup_from_events(board: PlainBoard, players: int, options: Options, events: Sequence[Event]) -> State:
    """Return the first position that `events` describe. Raise ImpossibleEvents if `events` describe no valid one."""
    lined = [event.trains for event in events if type(event) is TrainsLined]
    if len(lined) != 1 or sorted(lined[0]) != list(SIGNALS):
        raise ImpossibleEvents("expected one line of the trains 1 to 6")
    return first_position(players, options, list(lined[0]))


def legal_actions(state: State, board: PlainBoard) -> list[Show]:
    """Return one action for each signal of the seat to move, the highest signal first (RW-2)."""
    if state.pending is None:
        return []
    own = state.signals[state.pending.seat]
    return [Show(signal) for signal in reversed(SIGNALS) if signal in own]


def apply(state: State, board: PlainBoard, action: Show, events: Events = None) -> None:
    """Store the signal that the seat to move chooses. If all seats have now chosen, show their signals."""
    assert state.pending is not None
    seat = state.pending.seat
    state.chosen[seat] = action.signal
    if events is not None:
        events.append(Chosen(seat, action.signal))
    if seat + 1 < len(state.points):
        state.pending = Question(seat + 1)
    else:
        reveal(state, events)


def reveal(state: State, events: Events) -> None:
    """Show the chosen signals and give the first train to its winner (RW-3, RW-4)."""
    shown = [signal for signal in state.chosen if signal is not None]
    single = [signal for signal in shown if shown.count(signal) == 1]
    winner = shown.index(max(single)) if single else None
    points = state.trains.pop(0)
    if winner is not None:
        state.points[winner] += points
    for own, signal in zip(state.signals, shown, strict=True):
        own.remove(signal)
    state.chosen = [None] * len(shown)
    state.pending = Question(0) if state.trains else None
    if events is not None:
        events.append(Revealed(shown, points, winner))
        if state.pending is None:
            events.append(GameEnded())


# Hidden information


def view(state: State, board: PlainBoard, observer: int) -> View:
    """Return the view of the seat `observer`. For other seats it shows only whether they have chosen a signal."""
    players = [
        Player(
            seat,
            points,
            list(state.signals[seat]),
            state.chosen[seat] is not None,
            state.chosen[seat] if observer in (seat, ALL_SEATS) else None,
        )
        for seat, points in enumerate(state.points)
    ]
    return View(observer if observer >= 0 else None, state.pending, players, list(state.trains), state.options)


def redact(event: Event, observer: int, options: Options) -> Event:
    """Return `event` as the seat `observer` may see it: without the signal that another seat chose."""
    if type(event) is Chosen and observer not in (event.seat, ALL_SEATS):
        return Chosen(event.seat, None)
    return event


def imagine(view: View, board: PlainBoard, seed: Seed) -> State:
    """Return a position that looks like `view`. Choices hidden in `view` are made at random with `seed`.

    Raise ValueError if no position has this view.
    """
    luck = seeded(seed)
    chosen: list[int | None] = []
    for player in view.players:
        signal = player.chosen
        if player.has_chosen and signal is None:
            if not player.signals:
                raise ValueError(f"seat {player.seat} has chosen a signal, but has none")
            drawn, luck = below(luck, len(player.signals))
            signal = player.signals[drawn]
        chosen.append(signal)
    return State(
        pending=view.question,
        trains=list(view.trains),
        signals=[list(player.signals) for player in view.players],
        chosen=chosen,
        points=[player.points for player in view.players],
        options=view.options,
    )
