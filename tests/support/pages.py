"""Questions of a game, and the pages on which they would be shown."""

from collections.abc import Iterator
from typing import Any

from protocol.log import PlayerLine
from rails_cli.asking.choices import choices_of
from rails_cli.asking.questions import question_of
from rails_cli.asking.situation import Situation, Trial
from rails_cli.games import load_game, standard_board
from rails_cli.match.match import Match, header_of
from rails_cli.players.house import house_player
from rails_cli.terminal.page import Page


def situation_of(name: str, state: Any, seat: int = 0) -> Situation:
    game, board = load_game(name), standard_board(name)
    return Situation(
        game=name,
        title=game.title,
        wire_board=game.wire_board(board),
        board=board,
        names=["Anna", "Ben", "Cora", "Dan", "Eve", "Finn"],
        seat=seat,
        view=game.view(state, board, seat),
        legal=game.legal_actions(state, board),
        trial=Trial(game, board, state, seat),
    )


def pages(name: str, players: int, every: int = 1) -> Iterator[tuple[Situation, Page]]:
    """Every question of seat 0 in a game between greedy and busy players, as it would be shown."""
    game, board = load_game(name), standard_board(name)
    match = Match(game, board, header_of(game, game.options_type(), 3, [PlayerLine("x")] * players))
    sitting = [house_player("greedy" if seat else "busy", name, 3, seat) for seat in range(players)]
    count = 0
    while match.seat is not None:
        if match.seat == 0:
            count += 1
            if count % every == 0:
                situation = situation_of(name, match.state)
                events = match.events_for(0, 0)
                names = situation.names[:players]
                page = Page(game.title, names, situation.wire_board, situation.view, 0, events=events)
                page.question, page.choices = question_of(situation).asks, choices_of(situation)
                yield situation_of(name, match.state.copy()), page
        match.submit(match.seat, sitting[match.seat].choose(match))
