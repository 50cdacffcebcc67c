"""The exception for client requests that the server does not grant."""


class Refused(Exception):
    """Raised if a client's request is not granted. The text says why and what is allowed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
