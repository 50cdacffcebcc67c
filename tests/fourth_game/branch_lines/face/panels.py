"""Texts for positions of Branch Lines: tables, and panels next to the map."""

from collections.abc import Sequence

from branch_lines.face.words import leading, question_in_words
from branch_lines.protocol import Line as LineShown
from branch_lines.protocol import View
from rails_cli.games.faces.canvas import HEADING, Line
from rails_cli.games.faces.interface import Snapshot
from rails_cli.games.faces.panels import ENDED, PlayerColumns, PlayerRow, player_lines
from rails_cli.games.faces.phrases import count_phrase, dollars
from rails_cli.games.game import WireBoard


def position(view: View, names: Sequence[str]) -> str:
    """Return the position as text: the open question, the size of the pile, and tables of players and railway lines."""
    seats = "".join(f"{f'#{player.seat}':>4}" for player in view.players)
    lines = [
        question_in_words(view, names),
        f"The pile has {count_phrase(view.pile, 'share')}.",
        "",
        f"{'player':<16}{'cash':>6}  charter",
        *(
            f"#{player.seat} {names[player.seat][:12]:<13}{dollars(player.cash):>6}  {player.charter or 'hidden'}"
            for player in view.players
        ),
        "",
        f"{'line':<12}{'built':>6}{'treasury':>10}{'income':>8}{'a share':>9}   shares{seats}",
    ]
    for line in view.lines:
        held = "".join(f"{count or '-':>4}" for count in line.shares)
        lines.append(
            f"{line.id[:12]:<12}{line.built:>6}{dollars(line.treasury):>10}{dollars(line.income):>8}"
            f"{dollars(line.dividend):>9}{'':9}{held}"
        )
    return "\n".join(lines)


def asked(view: View, names: Sequence[str]) -> list[Line]:
    if view.question is None:
        return [ENDED]
    return [[(question_in_words(view, names), "")]]


def stage(view: View) -> list[Line]:
    return [[("pile ", HEADING), (count_phrase(view.pile, "share"), "")]]


def end(board: WireBoard, view: View) -> str:
    complete = sum(line.next_cost is None for line in view.lines)
    return f"end: {count_phrase(view.pile, 'share')} to come, {complete}/{len(view.lines)} lines complete"


def companies(board: WireBoard, view: View, width: int) -> list[Line]:
    """Return a heading, and a row of text for each railway line."""
    rows: list[Line] = [[(f"{'line':<10}has earn each sold", HEADING)]]
    return [*rows, *([(_line(line), "")] for line in view.lines)]


def _line(line: LineShown) -> str:
    return f"{line.id[:9]:<9}{line.treasury:>4}{line.income:>5}{line.dividend:>5}{sum(line.shares):>5}"


def players(snapshot: Snapshot, width: int) -> list[Line]:
    view: View = snapshot.view
    rows = []
    for player in view.players:
        held = [f"{line.id[:1]}{line.shares[player.seat]}" for line in view.lines if line.shares[player.seat]]
        rows.append(PlayerRow(player.cash, ((player.charter or "?")[:6], ""), [(" ".join(held), "")]))
    columns = PlayerColumns("charter", "shares")
    asked_seat = None if view.question is None else view.question.seat
    return player_lines(snapshot.names, rows, columns, width, asked=asked_seat, seer=snapshot.seer)


def auction(view: View, names: Sequence[str], width: int) -> list[Line]:
    running = view.auction
    return [] if running is None else [[("AUCTION ", "bold"), (f"{running.line}: {leading(view, names)}", "")]]
