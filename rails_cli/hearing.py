"""What a seat says about the open request of a match: answers are played or refused, and strikes counted. No I/O."""

from typing import Any

import msgspec

from protocol.common import Passed
from protocol.lines import BadLine, client_decoder, decode
from protocol.log import ActionLine
from protocol.messages import Again, Answer, Join, Rejected, RejectionCode, Request
from rails_cli.clock import SeatClock
from rails_cli.games.game import IllegalAction
from rails_cli.match import Match

STRIKES = 3


class Hearing:
    """The requests of one match, one after another; `number` is that of the open one."""

    __slots__ = ("_scanned", "_unasked", "decoder", "match", "name", "strikes")

    def __init__(self, match: Match, name: str, decoder: msgspec.json.Decoder[Any] | None = None) -> None:
        """`decoder` reads what may be said; the default reads no more than the game needs."""
        self.match = match
        self.name = name
        self.decoder = decoder or client_decoder(match.game.action_type)
        self.strikes = 0
        self._scanned = self._unasked = 0

    @property
    def number(self) -> int:
        """Questions that the rules answered with a pass count, so that no gap tells that somebody could not act."""
        history = self.match.history
        while self._scanned < len(history):
            event = history[self._scanned]
            self._scanned += 1
            if type(event) is Passed and event.forced:
                self._unasked += 1
        return self.match.number + 1 + self._unasked

    def request(
        self, seat: int, since: int, clock: SeatClock, *, with_view: bool, used_s: float = 0.0
    ) -> Request[Any, Any, Any]:
        """The open request, `used_s` after it was put; its events are those since the history had length `since`."""
        match = self.match
        return Request(
            self.name,
            self.number,
            seat,
            match.wire_events_for(seat, since),
            match.wire_view_for(seat) if with_view else None,
            match.legal,
            match.default,
            clock.left(used_s),
        )

    def hear(self, seat: int, received: bytes, ms: int) -> ActionLine[Any, Any] | Rejected | Join | Again | Any:
        """What became of a line: an action that was played, a refusal, or a wish."""
        try:
            message = decode(received, self.decoder)
            if type(message) is not Answer:
                return message
            played = self._play(seat, message, ms)
        except BadLine as bad:
            return self._rejected(bad.code, str(bad))  # type: ignore[arg-type]
        except IllegalAction as illegal:
            return self._rejected("illegal_action", str(illegal))
        except Stale as stale:
            return self._rejected("stale_request", str(stale))
        self.strikes = 0
        return played

    def overhear(self, received: bytes) -> Rejected | Any:
        """What is said by a seat that is not asked: an answer is refused without a strike, a wish is passed on."""
        try:
            message = decode(received, self.decoder)
        except BadLine as bad:
            return Rejected(self.name, self.number, bad.code, str(bad), 0, STRIKES)  # type: ignore[arg-type]
        if type(message) is not Answer:
            return message
        if message.number < self.number:
            words = f"this answers request {message.number}; the open request is {self.number}"
            return Rejected(self.name, self.number, "stale_request", words, 0, STRIKES)
        words = f"seat {self.match.seat} is asked" if self.match.seat is not None else "the game has ended"
        return Rejected(self.name, self.number, "not_your_turn", words, 0, STRIKES)

    def play_default(self, seat: int, ms: int) -> ActionLine[Any, Any]:
        """Plays the mildest action for a seat that failed."""
        self.strikes = 0
        return self.match.choose(seat, self.match.default, ms=ms, default=True)

    def _play(self, seat: int, answer: Answer[Any], ms: int) -> ActionLine[Any, Any]:
        number = self.number
        if answer.number != number:
            raise self._missed(answer.number, number)
        action, choice = answer.action, answer.choice
        if (action is None) == (choice is None):
            raise BadLine("bad_line", "an answer has either `action` or `choice`")
        if choice is None:
            return self.match.submit(seat, action, ms=ms, info=answer.info)
        return self.match.choose(seat, choice, ms=ms, info=answer.info)

    def _missed(self, answered: int, number: int) -> Exception:
        """What an answer to another request than the open one deserves."""
        return Stale(f"this answers request {answered}; the open request is {number}")

    def _rejected(self, code: RejectionCode, words: str) -> Rejected:
        self.strikes += 1
        return Rejected(self.name, self.number, code, words, self.strikes, STRIKES - self.strikes)


class Stale(Exception):
    """An answer to another request than the open one."""
