"""Options of the commands that talk to a server."""

from pathlib import Path

import click

from rails_cli.client import ANSWER_S
from rails_cli.commands.parameters import Number

timeout_option = click.option(
    "--timeout",
    "timeout_s",
    type=Number(0.1),
    default=ANSWER_S,
    show_default=True,
    help="Seconds to wait for an answer of the server.",
)
tls_ca_option = click.option(
    "--tls-ca", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Certificates to trust."
)
