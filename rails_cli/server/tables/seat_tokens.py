"""Secret tokens of seats. A client that sends the token of a seat gets the seat."""

from rails_cli.basics.tokens import new_token, token_hash
from rails_cli.protocol.lobby import HeldSeat
from rails_cli.server.refused import Refused
from rails_cli.server.tables.seat import ServerSeat
from rails_cli.server.tables.table import GameTable


class SeatTokens:
    """Mapping from the hash of each seat's token to the table and the seat, for all tables."""

    def __init__(self) -> None:
        self._seats: dict[str, tuple[GameTable, ServerSeat]] = {}

    def restore(self, table: GameTable) -> None:
        """Add the tokens of a table that was restored from the server's files."""
        for seat in table.seats:
            if seat.token_seal is not None:
                self._seats[seat.token_seal] = (table, seat)

    def issue(self, table: GameTable, seat: ServerSeat) -> str:
        """Create a token for a seat and return the token. Only the hash of the token is stored."""
        token = new_token()
        seat.token_seal = token_hash(token)
        self._seats[seat.token_seal] = (table, seat)
        return token

    def revoke(self, seat: ServerSeat) -> None:
        """Make the token of a seat invalid, if the seat has a token."""
        if seat.token_seal is not None:
            self._seats.pop(seat.token_seal, None)
            seat.token_seal = None

    def _find(self, token: str) -> tuple[GameTable, ServerSeat] | None:
        seal = token_hash(token)
        found = self._seats.get(seal)
        return None if found is None or found[1].token_seal != seal else found

    def is_valid(self, token: str) -> bool:
        """Return whether `token` is the token of a seat."""
        return self._find(token) is not None

    def holder(self, token: str) -> tuple[GameTable, ServerSeat]:
        """Return the table and the seat with the token `token`. Raise Refused if no seat has this token."""
        found = self._find(token)
        if found is None:
            raise Refused("forbidden", "no seat belongs to this token")
        return found

    def held(self, token: str) -> HeldSeat | None:
        """Return the seat with the token `token`, and the state of its table. None if no seat has this token."""
        found = self._find(token)
        if found is None:
            return None
        table, seat = found
        info, made_at = table.info(for_players=True), table.spec.made_at
        if table.outcome is None:
            return HeldSeat(seat.index, info, None, made_at)
        return HeldSeat(seat.index, info, table.outcome.final_ranks, made_at, table.outcome.at, table.outcome.reason)
