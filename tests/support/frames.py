"""Decisions of players in a game, each with its frame: the data that the terminal screen shows for the decision."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from rails_cli.games import load_face, load_game, standard_board
from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.choices import choices_of
from rails_cli.logs.reading import read_log
from rails_cli.logs.replay import replay
from rails_cli.match.match import Match, header_of
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.log import PlayerLine
from rails_cli.terminal.bid_limits import other_bids
from rails_cli.terminal.frame import Frame, Quit

LONG_NAMES = ["Vanderbilt", "Harriman", "Gould", "Huntington", "Stanford", "Hill"]


def decision_of(name: str, state: Any, seat: int = 0) -> Decision:
    game, board = load_game(name), standard_board(name)
    names = ["Anna", "Ben", "Cora", "Dan", "Eve", "Finn"]
    lookahead = LocalLookahead(game, board, state, seat)
    return decision_at(lookahead, game, load_face(name), standard_wire_board(name), board, names)


@cache
def standard_wire_board(name: str) -> Any:
    """Return the standard board of a game in the form sent to clients. Each call returns the same object."""
    return load_game(name).wire_board(standard_board(name))


def frames(name: str, players: int, every: int = 1) -> Iterator[tuple[Decision, Frame]]:
    """Play a game of the built-in player `busy` in seat 0 against `greedy` in all other seats.

    Yield every `every`-th decision of seat 0, with the frame that the terminal shows for this decision.
    """
    match = _new_match(name, players)
    count = 0
    for action in _actions(name, players):
        assert match.seat is not None
        if match.seat == 0:
            count += 1
            if count % every == 0:
                decision = decision_of(name, match.state)
                events = match.events_for(0, 0)
                names = decision.names[:players]
                frame = Frame(
                    match.game.title, names, decision.wire_board, decision.view, 0, events=events, face=decision.face
                )
                frame.question, frame.choices = decision.face.prompt(decision).asks, choices_of(decision)
                frame.other_bids = other_bids(decision)
                yield decision_of(name, match.state.copy()), frame
        match.submit(match.seat, action)


def _new_match(name: str, players: int) -> Match:
    game = load_game(name)
    return Match(game, standard_board(name), header_of(game, game.options_type(), 3, [PlayerLine("x")] * players))


@cache
def _actions(name: str, players: int) -> list[Any]:
    """Return the actions of the game that `frames` plays."""
    match = _new_match(name, players)
    sitting = [builtin_player("greedy" if seat else "busy", name, 3, seat) for seat in range(players)]
    actions = []
    while match.seat is not None:
        actions.append(sitting[match.seat].choose(match))
        match.submit(match.seat, actions[-1])
    return actions


def golden_frames(file: Path, every: int) -> Iterator[tuple[Decision, Frame]]:
    """Yield every `every`-th decision in the log `file`, whichever seat decides, with the frame of the decision."""
    wire_board: Any = None
    for number, step in enumerate(replay(read_log(file.read_bytes()))):
        match = step.match
        if number % every or match.seat is None:
            continue
        seat, face, names = match.seat, load_face(match.game.name), LONG_NAMES[: len(match.header.players)]
        lookahead = LocalLookahead(match.game, match.board, match.state.copy(), seat)
        wire_board = wire_board or match.game.wire_board(match.board)
        decision = decision_at(lookahead, match.game, face, wire_board, match.board, names)
        frame = Frame(
            match.game.title,
            names,
            wire_board,
            decision.view,
            seat,
            events=match.events_for(seat, 0),
            face=face,
            question=face.prompt(decision).asks,
            choices=choices_of(decision),
        )
        yield decision, frame


class FirstChoices:
    """A display that answers each question with `line`, by default the first choice, and records all frames.

    With `quits_at`, it quits at the question with this number, counted from 1.
    """

    has_keys = is_interactive = False

    def __init__(self, quits_at: int | None = None, line: str = "1") -> None:
        self.quits_at, self.line = quits_at, line
        self.asked: list[Frame] = []
        """Frames with a question."""
        self.shown: list[Frame] = []
        """Frames shown between the questions."""

    def ask(self, frame: Frame) -> str:
        self.asked.append(frame)
        if len(self.asked) == self.quits_at:
            raise Quit("quit")
        return self.line

    def tell(self, frame: Frame, lines: int) -> None:
        self.shown.append(frame)

    def close(self, frame: Frame) -> str:
        return ""

    def call(self, title: str, *, is_loud: bool) -> None:
        pass

    def interrupt(self) -> None:
        pass
