"""The parts of a `Face` that are derived from the rules of a game, if the game does not define them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any

import msgspec

from rails_cli.games.decision import Advice, Decision, Lookahead, Preview
from rails_cli.games.faces.canvas import Line
from rails_cli.games.faces.choices import command_of
from rails_cli.games.faces.interface import DERIVED, Face, Snapshot
from rails_cli.games.faces.lessons import Lesson, Tutorial
from rails_cli.games.faces.sheets import Chart, Sheet
from rails_cli.games.faces.tables import SheetMap
from rails_cli.games.faces.vocabulary import Examples, Verb, Vocabulary
from rails_cli.games.game import PUBLIC, Game, WireBoard
from rails_cli.games.plain import union_members
from rails_cli.protocol.common import Bid, Pass
from rails_cli.protocol.live_view import PlayerShown

NUMBERS = ("money", "count")
MOST_EXAMPLES = 4


def completed(face: Face, game: Game[Any, Any], board_of: Callable[[Any], Any], greedy: Callable[..., Any]) -> Face:
    """Return a copy of `face` in which all fields are filled.

    Fields that the game does not define get derived parts. `board_of` converts a board in the form sent to clients to a
    board object of the rules. For None it returns the standard board. `greedy` is the player that gives advice.
    """
    if not face.about:
        face = replace(face, about=f"{game.title}.")
    missing = [field.name for field in fields(face) if getattr(face, field.name) is DERIVED]
    parts = _Parts(face, game, board_of, greedy)
    return replace(face, **{name: getattr(parts, name)() for name in missing if hasattr(parts, name)})


class _Parts:
    """The derived parts of a face. Each public method returns the field of `Face` with the same name."""

    def __init__(
        self, face: Face, game: Game[Any, Any], board_of: Callable[[Any], Any], greedy: Callable[..., Any]
    ) -> None:
        self.face = face
        self.game = game
        self.board_of = board_of
        self.greedy = greedy
        self.example = cache(self._example)

    def players(self) -> Callable[[Snapshot, int], list[Line]]:
        text_tables = self.face.text_tables

        def players(snapshot: Snapshot, width: int) -> list[Line]:
            tables = text_tables(snapshot.wire_board, snapshot.view, snapshot.names)
            return [line for table in tables for line in (*table, [])][:-1]

        return players

    def preview(self) -> Callable[[Decision, Lookahead, Sequence[Any]], Preview]:
        scores, score_text = self.face.scores, self.face.score_text

        def preview(decision: Decision, lookahead: Lookahead, actions: Sequence[Any]) -> Preview:
            before = scores(decision.view)[decision.seat]
            for action in actions:
                lookahead, _ = lookahead.after(action)
                if lookahead.is_by_chance:
                    return Preview([])
            after = scores(lookahead.view)[decision.seat]
            if before is None or after is None or before == after:
                return Preview([])
            return Preview([f"score {score_text(before)} → {score_text(after)}"], after - before)

        return preview

    def advice(self) -> Callable[[Decision], Advice]:
        greedy = self.greedy
        return lambda decision: Advice(greedy(decision.view, decision.legal, decision.board), [])

    def vocabulary(self) -> Vocabulary:
        verbs = [
            Verb(
                str(kind.__struct_config__.tag),
                tuple(field.name for field in msgspec.structs.fields(kind) if field.required),
                is_ranked=False,
            )
            for kind in union_members(self.game.action_type)
            if kind not in (Bid, Pass)
        ]
        commands = [command_of(entry) for entry in self.example()[1][:MOST_EXAMPLES]]
        thing = commands[0].partition(" ")[2] or commands[0]
        examples = Examples("  " + "   ".join(commands), (thing,), commands[0], "map", ("1", commands[0].split()[0]))
        return Vocabulary(tuple(verbs), lambda board, view: {}, examples)

    def tutorial(self) -> Tutorial:
        return Tutorial(Lesson(f"Welcome to {self.game.title}. {self.face.about}", ""))

    def charts(self) -> list[Chart]:
        sheet = self.example()[0][0]
        found = [number for number, column in enumerate(sheet.columns) if column.kind in NUMBERS]
        return [Chart(sheet.columns[number].name, 0, number) for number in found[:1]]

    def possessions(self) -> Callable[[WireBoard, Any], list[PlayerShown]]:
        scores = self.face.scores
        return lambda board, view: [PlayerShown(score) for score in scores(view)]

    def board_map(self) -> Callable[[WireBoard], SheetMap]:
        title = f"Board: {self.game.title}"

        def board_map(board: WireBoard) -> SheetMap:
            def sheets(view: Any) -> list[Sheet]:
                return self.face.sheets(board, view, _seat_names(len(self.face.scores(view))), {})

            return SheetMap(title, sheets, self._example(board)[0])

        return board_map

    def _example(self, wire: Mapping[str, Any] | None = None) -> tuple[list[Sheet], list[Any]]:
        """Return the sheets (tables of possessions) and legal actions at the start of an example game.

        The game has as many players as possible.
        """
        game, board = self.game, self.board_of(wire)
        state = game.setup(board, game.players[-1], game.options_type(), 0, None)
        view = game.view(state, board, PUBLIC)
        names = _seat_names(game.players[-1])
        return self.face.sheets(game.wire_board(board), view, names, {}), game.legal_actions(state, board)


def _seat_names(players: int) -> list[str]:
    return [f"Seat {seat + 1}" for seat in range(players)]
