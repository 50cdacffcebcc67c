"""Shared code of commands that use a server: options, requests and error messages."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import msgspec

from rails_cli.basics.settings import setting
from rails_cli.client.bridge import Bridge, run_all
from rails_cli.client.connection import ANSWER_S, Denied, Unreachable, request_once
from rails_cli.client.local_bot import BotLost
from rails_cli.commands import print_json, print_lines, reported
from rails_cli.commands.options import argument
from rails_cli.commands.parameters import SERVER_URL

UrlArgument = Annotated[str, argument(type=SERVER_URL)]
TimeoutOption = Annotated[float, setting("Seconds to wait for the server to answer.", "--timeout", least=0.1)]
CertificateOption = Annotated[Path | None, setting("Certificates to trust.", "--tls-ca")]
PatienceOption = Annotated[float, setting("Seconds to keep trying when the server is gone.", "--patience", least=0)]
EndsJson = Annotated[bool, setting("Print the end of each game as one JSON object.", "--json")]
BotArgument = Annotated[tuple[str, ...], argument("-- COMMAND [ARGS]...")]


class ServerOptions(msgspec.Struct, frozen=True):
    """Command-line options of commands that send requests to a server."""

    url: UrlArgument
    timeout_s: TimeoutOption = ANSWER_S
    certificate: CertificateOption = None

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send one request to the server and return the answer. Raise ClickException if the request fails."""
        with server_errors():
            answer = request_once(self.url, self.certificate, self.timeout_s, **request)
        del answer["type"], answer["ref"]
        return answer


def server_errors() -> AbstractContextManager[None]:
    """Return a context manager that raises ClickException if a server or its connection fails, or a local bot ends."""
    return reported(BotLost, Denied, Unreachable)


def print_status(words: str) -> None:
    print_lines(words, err=True)


def run_bridges(bridges: Sequence[Bridge], *, as_json: bool) -> None:
    """Run `bridges`, which connect a bot to a server. Print the result of each game, as JSON with `as_json`."""

    def ended(end: dict[str, Any], words: str) -> None:
        if as_json:
            print_json(end)
        else:
            print_lines(words)

    with server_errors():
        asyncio.run(run_all(bridges, ended))
