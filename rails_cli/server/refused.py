"""The exception for client requests that the server refuses, and a check that raises the exception."""


class Refused(Exception):
    """Raised if the server refuses a client's request. The text contains the reason, and what is allowed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def check_number(number: int | None, open_number: int) -> None:
    """Raise Refused unless `number` equals `open_number`, the number of the open request."""
    if number != open_number:
        raise Refused("stale_request", f"this refers to request {number}; the open request is {open_number}")
