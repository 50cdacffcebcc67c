"""The settings of a server, each with its default and its help; the options of `rails-cli serve` are made of them."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from rails_cli.bot_process import BotLimits
from rails_cli.server.limits import ConnectionLimits, Limits
from rails_cli.server.table_registry import OfferedBoard
from rails_cli.settings import setting


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a server is run."""

    host: Annotated[str, setting("Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1"
    port: Annotated[int, setting("Port; 0 picks a free one.", least=0, most=65535)] = 8765
    folder: Annotated[Path, setting("Folder for tables, logs and the admin token.", "--data", "DIRECTORY")] = Path(
        "rails-data"
    )
    bots: Annotated[
        dict[str, list[str]], setting("A bot that may be seated as bot:NAME.", "--bot", "NAME=COMMAND")
    ] = {}
    boards: Annotated[
        dict[str, OfferedBoard], setting("A board that tables may be played on.", "--board", "NAME=FILE")
    ] = {}
    logs: Annotated[Path | None, setting("Logged games to watch.", metavar="DIRECTORY")] = None
    certificate: Annotated[Path | None, setting("Certificate chain (PEM).", "--tls-cert", "FILE")] = None
    key: Annotated[Path | None, setting("Its private key (PEM).", "--tls-key", "FILE")] = None
    origins: Annotated[
        list[str],
        setting("Web pages from here may connect, such as https://example.org.", "--origin", "SCHEME://HOST[:PORT]"),
    ] = []
    proxies: Annotated[list[str], setting("Trusted reverse proxy (X-Forwarded-For).", "--proxy", "ADDRESS")] = []
    absence_s: Annotated[
        float, setting("Seconds a player may be disconnected before a substitute takes over.", least=0)
    ] = 60
    on_faults: Annotated[Literal["substitute", "void"], setting("What to do when a player drops out.")] = "substitute"
    max_faults: Annotated[
        int, setting("How often a player may be late, lost or out of strikes before the seat is given away.", least=1)
    ] = 3
    open_table_s: Annotated[float, setting("Seconds that an empty table is kept.", least=1)] = 3600
    limits: Limits = Limits()
    connections: ConnectionLimits = ConnectionLimits()
    bot_limits: BotLimits = BotLimits()
