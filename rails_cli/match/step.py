"""The effects of a decision of the session, which the driver of the match carries out."""

from typing import Any

import msgspec

from rails_cli.protocol.log import ActionLine, FaultLine, ResultLine
from rails_cli.protocol.messages import End, Error, Hello, Rejected, Request, Start, Update

LogLine = ActionLine[Any, Any] | FaultLine | ResultLine
Message = Hello | Start | Update[Any] | Request[Any, Any, Any] | Rejected | Error | End[Any]


class Step(msgspec.Struct):
    """Effects of a decision of the session. The driver carries out the effects in the order of the fields."""

    lines: list[LogLine] = []
    """Lines to append to the log."""
    messages: list[tuple[Any, Message]] = []
    """Messages to send after the lines are logged, each with its connection (`Seat.channel`)."""
    stop: tuple[Any, str] | None = None
    """A seat whose program must be ended or disconnected, and the code of the fault."""
    substitute: Any = None
    """A seat that needs a built-in player. None if no seat does."""
