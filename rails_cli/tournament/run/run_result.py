"""The result of a run of a tournament."""

import msgspec

from rails_cli.tournament.rating.forfeits import Suspended
from rails_cli.tournament.results.store import Ending


class RunResult(msgspec.Struct, frozen=True):
    """The result of a run."""

    ending: Ending | None
    """None if it was interrupted."""
    games: int
    """Number of games that count."""
    seconds: float
    """Duration of this run in seconds."""
    tainted: int = 0
    """Number of games in which a fault affected the play."""
    void: int = 0
    """Number of games without a result: nobody was to blame, or too few players were present."""
    suspended: list[Suspended] = []
    copies: int = 0
    """Number of games that are copies of others and do not count."""
    died: dict[str, int] = {}
    """Void seed groups that killed every worker: their number by program that played in them."""
