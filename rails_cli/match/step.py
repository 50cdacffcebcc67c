"""The type `Step`: what must be done after a session (the logic of a match) has made a decision.

The driver, the code that reads and writes, carries out the step.
"""

from typing import Any

import msgspec

from rails_cli.protocol.log import ActionLine, FaultLine, ResultLine
from rails_cli.protocol.messages import End, Error, Hello, Rejected, Request, Start, Update

LogLine = ActionLine[Any, Any] | FaultLine | ResultLine
Message = Hello | Start | Update[Any] | Request[Any, Any, Any] | Rejected | Error | End[Any]


class Step(msgspec.Struct):
    """Instructions to the driver (the code that reads and writes), to be carried out in the order of the fields."""

    lines: list[LogLine] = []
    messages: list[tuple[Any, Message]] = []
    """Messages to send, each as a pair of its connection (`Seat.channel`) and the message."""
    stop: tuple[Any, str] | None = None
    """The seat whose program must be ended or disconnected, and the fault code. None if there is no such seat."""
    substitute: Any = None
    """The seat whose player must be replaced by a built-in player. None if there is no such seat."""
