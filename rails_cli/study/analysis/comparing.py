"""Comparison of a game with its branches: positions after the same number of actions, and results."""

from collections.abc import Callable, Sequence

import msgspec

from rails_cli.games import load_evaluation
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.game import ALL_SEATS
from rails_cli.games.shared.text import wrap
from rails_cli.study.analysis.judging import percents, spectator_chances
from rails_cli.study.playback.recorded import Recorded

WIDTH = 79
"""Default width of the table, in columns."""
NAME_WIDTH = 16
"""Maximum width of a name, in columns."""
COLUMN, TITLE = 11, 33
"""Widths in characters: of the column of a game, including the space before the column, and of the longest title."""
NOT_OVER = "not over"


class AfterAction(msgspec.Struct, frozen=True):
    """Score, value of all assets and chance of winning of each seat after action number `action`."""

    action: int
    scores: list[int | None]
    worths: list[int] | None
    """Value of all assets of each seat in current dollars. None if the game has no evaluation."""
    chances: list[float] | None
    """Chance of winning of each seat. None if the game has no evaluation."""


class Compared(msgspec.Struct, frozen=True):
    """The values of a game, or of one of its branches, that are shown in a comparison."""

    name: str
    file: str
    number: int | None
    """Number of the first action played in the branch. None for the game itself."""
    players: list[str]
    """Short descriptions of the players. A branch may have other players than the game."""
    actions: int
    is_over: bool
    ranks: list[int] | None
    now: AfterAction | None
    """Values after the requested action. None if the game is unfinished and has hidden information."""
    last: AfterAction | None
    """Values after the last action. None under the same condition as `now`."""


def standing(recorded: Recorded, action: int) -> AfterAction:
    """Return score, value of assets and chance of winning of each seat after `action`, using all hidden information."""
    moment = recorded.moments[min(action, recorded.last)]
    evaluation = load_evaluation(recorded.game.name)
    scores = recorded.face.scores(recorded.view(moment, ALL_SEATS))
    if evaluation is None:
        return AfterAction(moment.number, scores, None, None)
    worths = [round(worth) for worth in evaluation.worth(moment.state, recorded.board)]
    chances = spectator_chances(recorded.game, recorded.board, evaluation, moment.state)
    return AfterAction(moment.number, scores, worths, chances)


def is_public(recorded: Recorded) -> bool:
    """Return whether hidden information of the game may be shown to everyone: the game is over or nothing is hidden."""
    return recorded.result is not None or not recorded.game.has_secrets


def compared(recorded: Recorded, action: int, name: str, file: str, players: Sequence[str]) -> Compared:
    branch, result = recorded.header.branch, recorded.result
    return Compared(
        name=name,
        file=file,
        number=None if branch is None else branch.number,
        players=list(players),
        actions=recorded.last,
        is_over=result is not None,
        ranks=recorded.ranks(),
        now=standing(recorded, action) if is_public(recorded) else None,
        last=standing(recorded, recorded.last) if is_public(recorded) else None,
    )


def table(games: Sequence[Compared], names: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return lines of text that compare a game with its branches, at the end and after the same action.

    The first of `games` is the game itself. Games are columns, and the seats with `names` are rows. `width` is the
    number of characters per line. If not all games fit, there are several tables, each with the game and at least one
    branch.
    """
    is_narrow = width < TITLE + 2 * COLUMN
    beside = max(1, (width - (NAME_WIDTH if is_narrow else TITLE)) // COLUMN - 1)
    lines = wrap(f"The game: {games[0].name}; {', '.join(games[0].players)}", width, subsequent_indent="  ")
    for number, game in enumerate(games[1:], 1):
        assert game.number is not None
        words = f"Branch {number}: {game.name}, after action {game.number - 1}; {', '.join(game.players)}"
        lines += wrap(words, width, subsequent_indent="  ")
    for first in range(1, max(len(games), 2), beside):
        shown = [games[0], *games[first : first + beside]]
        columns = ["The game", *(f"Branch {first + place}" for place in range(len(shown) - 1))]
        lines += _blocks(shown, columns, names, is_narrow=is_narrow)
    short = [(number, game) for number, game in enumerate(games) if _is_shorter(game, _after(games))]
    for at, (number, game) in enumerate(short):
        called = f"Branch {number}" if number else "The game"
        ended = "ended with" if game.is_over else "goes only to"
        lines += [*([] if at else [""]), f"* {called} {ended} action {game.actions}"]
    return lines


def _is_shorter(game: Compared, action: int) -> bool:
    return game.now is not None and game.now.action < action


def _after(games: Sequence[Compared]) -> int:
    return max((game.now.action for game in games if game.now is not None), default=0)


def _blocks(games: Sequence[Compared], columns: list[str], names: Sequence[str], *, is_narrow: bool) -> list[str]:
    seats = range(len(names))
    after = _after(games)
    ends = [[_ending(game, seat) for game in games] for seat in seats]
    lines = ["", *_rows("At the end", columns, names, ends, is_narrow=is_narrow)]
    marked = [f"{name}*" if _is_shorter(game, after) else name for name, game in zip(columns, games, strict=True)]
    parts: list[tuple[str, Callable[[AfterAction, int], str]]] = [("Cash", lambda now, seat: _money(now.scores[seat]))]
    if games[0].now is not None and games[0].now.worths is not None:
        parts += [
            ("Analysis estimate", lambda now, seat: _money((now.worths or [])[seat])),
            ("Chance of winning", lambda now, seat: f"{percents((now.chances or [])[seat])}%"),
        ]
    for words, said in parts:
        cells = [[NOT_OVER if game.now is None else said(game.now, seat) for game in games] for seat in seats]
        lines += ["", *_rows(f"{words} after action {after}", marked, names, cells, is_narrow=is_narrow)]
    return lines


def _ending(game: Compared, seat: int) -> str:
    if game.ranks is None or game.last is None:
        return NOT_OVER
    return f"{game.ranks[seat]}. {_money(game.last.scores[seat])}"


def _money(amount: int | None) -> str:
    return "-" if amount is None else dollars(amount)


def _rows(
    title: str, columns: Sequence[str], names: Sequence[str], cells: Sequence[Sequence[str]], *, is_narrow: bool
) -> list[str]:
    """Return the lines of a table: headings `columns`, then a row of `cells` for each of `names`.

    The title is at the left of the headings, or on a line of its own if `is_narrow`.
    """
    above, title = ([title], "") if is_narrow else ([], title)
    widths = [max(len(row[at]) for row in (columns, *cells)) for at in range(len(columns))]
    first = max(len(title), *(min(len(name), NAME_WIDTH) for name in names))
    rows = [(title, columns), *((name[:NAME_WIDTH], row) for name, row in zip(names, cells, strict=True))]
    return above + [
        "  ".join([f"{head:<{first}}", *(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))])
        for head, row in rows
    ]
