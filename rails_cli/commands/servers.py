"""Commands that talk to a server: their shared options, and their requests and errors."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec
from websockets.asyncio.client import ClientConnection

from rails_cli.basics.settings import setting
from rails_cli.client.bridge import Bridge, run_all
from rails_cli.client.connection import ANSWER_S, Denied, Unreachable, ask, connect_to_lobby
from rails_cli.client.local_bot import BotLost
from rails_cli.commands.options import argument
from rails_cli.commands.parameters import EXISTING_FILE, SERVER_URL
from rails_cli.games.shared.text import printable

UrlArgument = Annotated[str, argument(type=SERVER_URL)]
TimeoutOption = Annotated[float, setting("Seconds to wait for the server to answer.", "--timeout", least=0.1)]
CertificateOption = Annotated[Path | None, setting("Certificates to trust.", "--tls-ca", type=EXISTING_FILE)]
PatienceOption = Annotated[float, setting("Seconds to keep trying when the server is gone.", "--patience", least=0)]
EndsJson = Annotated[bool, setting("Print the end of each game as one JSON object.", "--json")]
BotArgument = Annotated[tuple[str, ...], argument("-- COMMAND [ARGS]...")]


class ServerOptions(msgspec.Struct, frozen=True):
    """The address of a server and how to reach it."""

    url: UrlArgument
    timeout_s: TimeoutOption = ANSWER_S
    certificate: CertificateOption = None

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send one request and return its answer. Raise ClickException with the server's message."""

        async def ask_once() -> dict[str, Any]:
            async with self.lobby() as connection:
                return await ask(connection, timeout_s=self.timeout_s, **request)

        answer = asyncio.run(ask_once())
        del answer["type"], answer["ref"]
        return answer

    @asynccontextmanager
    async def lobby(self) -> AsyncIterator[ClientConnection]:
        """Connect to the lobby of the server. Raise ClickException if it cannot be reached or refuses a request."""
        with server_errors():
            async with connect_to_lobby(self.url, self.certificate, timeout_s=self.timeout_s) as connection:
                yield connection


@contextmanager
def server_errors() -> Iterator[None]:
    """Raise ClickException if a server cannot be reached or refuses a request, or if a local bot is gone."""
    try:
        yield
    except (BotLost, Denied, Unreachable) as error:
        raise click.ClickException(printable(str(error))) from None


def note(words: str) -> None:
    click.echo(printable(words), err=True)


def run_bridges(bridges: Sequence[Bridge], *, as_json: bool) -> None:
    """Run the connections of a bot and print the end of each game."""

    def ended(end: dict[str, Any], words: str) -> None:
        click.echo(msgspec.json.encode(end) if as_json else printable(words))

    with server_errors():
        asyncio.run(run_all(bridges, ended))
