"""Short codes with which players, who have no accounts, continue a game on another device."""

import secrets
from collections.abc import Callable
from typing import NamedTuple

from rails_cli.basics.tokens import token_hash
from rails_cli.protocol import lobby
from rails_cli.protocol.lines import frame
from rails_cli.server.net.bucket import Budgets
from rails_cli.server.refused import Refused
from rails_cli.server.tables.seat import Connection
from rails_cli.server.tables.seat_tokens import SeatTokens

VALID_S = 600.0
"""Seconds after which a code expires."""
LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""Characters of a code. Characters that look alike (I, L, O, U, 0, 1) are left out."""
GROUPS = (4, 4)
"""Number of characters in each part of a code. There are 30 ** 8 = 6.6e11 different codes."""
CODES_EACH = 10.0
"""Maximum number of codes that an address can request or try in VALID_S seconds."""
TOKEN_COST = 0.2
"""Cost of each token in a request, in units of the request budget (rate limit) of an address."""
MOST_CODES = 1_000
"""Maximum number of valid codes at the server."""


class SharedTokens(NamedTuple):
    """The tokens of seats that one code gives access to, and the time at which the code expires."""

    tokens: list[str]
    until: float


class SeatSharing:
    """The codes that clients have requested and not used yet. They are lost when the server stops."""

    def __init__(self, tokens: SeatTokens, now: Callable[[], float], charge: Callable[[str, float], None]) -> None:
        """`now` returns the time in seconds. `charge` takes a cost from the request budget of an address."""
        self._tokens = tokens
        self._now = now
        self._charge = charge
        self._budgets = Budgets(CODES_EACH, VALID_S)
        self._shared: dict[str, SharedTokens] = {}
        """Mapping from the hash of a code to the tokens that the code gives access to."""

    def share(self, connection: Connection, address: str, request: lobby.ShareSeats) -> None:
        """Create a code for the valid tokens in `request` and send it. Raise Refused if no token is valid.

        Also raise Refused if there are too many codes.
        """
        self._take(address, len(request.tokens))
        tokens = [token for token in request.tokens if self._tokens.is_valid(token)]
        if not tokens:
            raise Refused("forbidden", "no seat belongs to any of these tokens")
        if len(self._shared) >= MOST_CODES:
            raise Refused("too_many", "too many codes are in use; try again in a few minutes")
        code = "-".join("".join(secrets.choice(LETTERS) for _ in range(length)) for length in GROUPS)
        self._shared[_hash(code)] = SharedTokens(tokens, self._now() + VALID_S)
        connection.post(frame(lobby.SeatsShared(code, VALID_S, len(tokens), request.ref)))

    def fetch(self, connection: Connection, address: str, request: lobby.FetchSeats) -> None:
        """Send the tokens that belong to the code in `request`. The code becomes invalid.

        Raise Refused for an invalid code.
        """
        self._take(address, 0)
        shared = self._shared.pop(_hash(request.code), None)
        if shared is None:
            raise Refused("forbidden", "this code is wrong, has been used, or has expired; show a new one")
        found = [(token, self._tokens.held(token)) for token in shared.tokens]
        seats = [lobby.SharedSeat(token, held) for token, held in found if held is not None]
        connection.post(frame(lobby.SeatsFetched(seats, request.ref)))

    def _take(self, address: str, tokens: int) -> None:
        """Remove expired codes. Charge `address` for a request with `tokens` tokens, or raise Refused."""
        self.tidy()
        self._charge(address, tokens * TOKEN_COST)
        if not self._budgets.take(address, 1.0, self._now()):
            raise Refused("too_fast", "too many codes from your address; try again in a few minutes")

    def tidy(self) -> None:
        """Remove expired codes and full rate-limit buckets."""
        now = self._now()
        self._shared = {code: shared for code, shared in self._shared.items() if shared.until > now}
        self._budgets.tidy(now)


def _hash(code: str) -> str:
    return token_hash("".join(letter for letter in code.upper() if letter in LETTERS))
