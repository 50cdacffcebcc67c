"""Previews: the server applies possible actions to copies of the position and sends the results to a client."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.decision import LocalLookahead, action_of
from rails_cli.games.game import IllegalAction
from rails_cli.match.match import Match
from rails_cli.protocol.lobby import Suppose, Supposed, SupposedLine
from rails_cli.server.refused import Refused

LINES = 100
"""Maximum number of sequences of actions in a request."""
STEPS = 30
"""Maximum number of actions in one sequence."""
STEPS_IN_ALL = 1000
"""Maximum number of actions in all sequences of a request."""
LINE_COST = 0.1
STEP_COST = 0.05
"""Cost of each action in a preview. LINE_COST is the cost of each sequence of actions.

Costs are units of the request budget, which limits the requests from an address.
"""


def check_size(lines: Sequence[Sequence[Any]]) -> None:
    """Raise Refused if a preview has too many sequences of actions, or too many actions.

    `lines` has the sequences of actions.
    """
    if len(lines) > LINES:
        raise Refused("bad_request", f"{len(lines)} lines; at most {LINES} at once")
    for number, line in enumerate(lines, 1):
        if len(line) > STEPS:
            raise Refused("bad_request", f"line {number} has {len(line)} actions; at most {STEPS}")
    steps = sum(map(len, lines))
    if steps > STEPS_IN_ALL:
        raise Refused("bad_request", f"{steps} actions in total; at most {STEPS_IN_ALL} at once")


def cost_of(lines: Sequence[Sequence[Any]]) -> float:
    """Return the cost of previewing the sequences of actions `lines`. The cost of the message is not included."""
    return LINE_COST * len(lines) + STEP_COST * sum(map(len, lines))


def supposed(match: Match, seat: int, request: Suppose) -> Supposed:
    """Return the resulting position for each sequence of actions in `request`, as the player of `seat` would see it."""
    start = LocalLookahead(match.game, match.board, match.state, seat)
    results = [_result(match, start, line) for line in request.lines]
    return Supposed(request.number, results, request.ref)


def _result(match: Match, ahead: LocalLookahead, line: Sequence[Any]) -> SupposedLine:
    events: list[Any] = []
    for number, step in enumerate(line, 1):
        try:
            if ahead.is_by_chance:
                raise IllegalAction("nobody can know what will be asked then")
            if ahead.asked is None:
                raise IllegalAction("the game has ended by then")
            ahead, more = ahead.after(action_of(match.game, ahead.legal, step))
        except IllegalAction as error:
            return SupposedLine([], None, [], f"step {number}: {error}")
        events += more
    redacted = [match.game.redact(event, ahead.seat, match.options) for event in events]
    if ahead.is_by_chance:
        return SupposedLine(redacted, None, [])
    return SupposedLine(redacted, ahead.view, [] if ahead.asked is None else ahead.legal)
