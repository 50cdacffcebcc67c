"""Tells a match in words on standard output, as it happens."""

from typing import Any

import click

from protocol.log import ActionLine, FaultLine, ResultLine, SetupLine
from rails_cli.games import load_face
from rails_cli.match.match import Match


class Narrator:
    """Says what each line of a log means; silent if nobody listens."""

    def __init__(self, match: Match, *, is_silent: bool) -> None:
        self.match = match
        self.is_silent = is_silent
        self.names = [player.name for player in match.header.players]

    def tell(self, line: Any) -> None:
        if self.is_silent:
            return
        if isinstance(line, ActionLine | SetupLine):
            face = load_face(self.match.game.name)
            for event in line.events:
                click.echo(face.tell(event, self.names))
        elif isinstance(line, FaultLine):
            click.echo(f"  ! {self.names[line.seat]}: {line.code}: {line.message}")

    def conclude(self, result: ResultLine, faults: list[int]) -> None:
        """The final table."""
        click.echo(f"Result after {self.match.number} actions:")
        for seat in sorted(range(len(self.names)), key=lambda seat: result.ranks[seat]):
            line = f"  {result.ranks[seat]}. {self.names[seat]}: ${result.scores[seat]:,}"
            if faults[seat]:
                line += f" ({faults[seat]} fault{'s' if faults[seat] > 1 else ''})"
            click.echo(line)
