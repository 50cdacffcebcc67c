"""The exception for requests of clients that the server does not grant."""


class Refused(Exception):
    """Raised for a request of a client that is not granted. The text says why and what is allowed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
