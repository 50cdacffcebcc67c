"""Quarantine: an entrant that lost its seat in too many games in a row must pass a check before it plays rated games.

An entrant loses its seat to a substitute, after too many faults or because the entrant left. A check is an unrated game
in which the entrant must keep its seat.
"""

import time

from rails_cli.protocol.messages import Error
from rails_cli.protocol.pool_api import PoolCheck
from rails_cli.server.pool.entrants import Entrants
from rails_cli.server.pool.games import entrant_at
from rails_cli.server.pool.membership import Membership
from rails_cli.server.pool.offers import Member
from rails_cli.server.tables.table import GameTable

ADVICE = "For a bot, `rails-cli check-bot` shows what is wrong."


class Checks:
    """Recorder of the results of checks (games that can end a quarantine). It sends these results to the entrants.

    Times are Unix timestamps. Methods raise OSError if the result cannot be stored.
    """

    def __init__(self, entrants: Entrants, membership: Membership, most_faults: int) -> None:
        """`most_faults` is the number of games in a row with a lost seat after which an entrant is quarantined."""
        self._entrants = entrants
        self._membership = membership
        self._most_faults = most_faults

    def note_failed(self, name: str, table: GameTable, now: float) -> None:
        """Record that the entrant `name` failed its check by losing its seat at `table`.

        Further calls for the same table do nothing.
        """
        check = self._entrants.by_name[name].check or PoolCheck(0.0)
        if check.table == table.id:
            return
        self._entrants.note_check(name, PoolCheck(now, table.id, check.failed_in_a_row + 1))
        wait_s = max(0.0, (self._entrants.next_check(self._entrants.by_name[name]) or 0.0) - now)
        words = f"{name} has failed its check: it lost its seat in the game at table {table.id}"
        words += f"; the next check is in {wait_s:.0f} s. {ADVICE}"
        self._membership.send(name, Error("checked", words, fatal=False))

    def note_ended(self, table: GameTable, now: float) -> None:
        """Process the end of a check (a game that can end a quarantine).

        End the quarantine of the entrant if it kept its seat until the regular end of the game.
        """
        name, outcome = entrant_at(table, table.seats[0]), table.outcome
        if name not in self._entrants.by_name or outcome is None or outcome.reason != "normal":
            return
        check = self._entrants.by_name[name].check
        if check is None or check.table != table.id:
            self._entrants.note_check(name, PoolCheck(now, table.id))
            words = f"{name} has passed its check, and is back in the pool"
            self._membership.send(name, Error("checked", words, fatal=False))

    def announce_quarantine(self, name: str) -> None:
        """Inform the entrant `name` that it is quarantined, and cancel its open offers of games."""
        games = "a game" if self._most_faults == 1 else f"{self._most_faults} games in a row"
        words = f"{name} lost its seat through faults in {games}; an unrated game decides whether it may play again"
        self._membership.send(name, Error("quarantined", words, fatal=False))
        self._membership.cancel_of(name, f"{name} is quarantined")

    def explain(self, member: Member, now: float) -> None:
        """Send a quarantined entrant the time of its next check and the result of its last check, if it failed.

        A check is a game that can end a quarantine. The message goes to `member`, a connection of the entrant. Nothing
        is sent if the entrant is not quarantined.
        """
        entrant = self._entrants.by_name[member.entrant]
        at = self._entrants.next_check(entrant)
        if at is None:
            return
        wait_s = at - now
        when = f"at {time.strftime('%H:%M:%S', time.gmtime(at))} UTC (in {wait_s:.0f} s)" if wait_s > 0 else "soon"
        words = f"{entrant.name} is quarantined; next check {when}"
        if entrant.check is not None and entrant.check.failed_in_a_row:
            words += f"; it lost its seat in the last one, at table {entrant.check.table}. {ADVICE}"
        member.send(Error("quarantined", words, fatal=False))
