"""`rails-cli key`: Create or show a key that signs logs."""

from pathlib import Path
from typing import Annotated

import click
import msgspec

from rails_cli.commands import reported, write_errors
from rails_cli.commands.options import argument, with_options
from rails_cli.commands.parameters import NEW_FILE, Json
from rails_cli.logs.signing import BadKey, NoSigning, new_key, public_key_at


@click.group
def command() -> None:
    """Create or show a key that signs logs (Ed25519).

    Anyone who has the key file can sign logs in your name: keep it to yourself, and publish the public key. A server
    makes its own key in its data folder and publishes it at /key.

    \b
    Examples:
      rails-cli key new my.key
      rails-cli key show my.key
      rails-cli run last_spike --seat builtin:greedy --seat builtin:busy --log game.jsonl --sign my.key
      rails-cli verify game.jsonl --key my.key
    """


@command.command(short_help="Write a new key to a file.")
@with_options
def new(file: Annotated[Path, argument("FILE", type=NEW_FILE)], as_json: Json = False) -> None:
    """Write a new key to FILE, readable by you alone, and print its public key."""
    with reported(NoSigning), write_errors(file):
        try:
            key = new_key(file).key
        except FileExistsError:
            raise click.UsageError(f"{file} already exists; a key is never overwritten") from None
    _show(key, as_json)


@command.command(short_help="Print a public key.")
@with_options
def show(where: Annotated[str, argument("FILE|URL")], as_json: Json = False) -> None:
    """Print the public key of the key in FILE, or of the server at URL (such as https://example.org/key)."""
    try:
        with reported(BadKey, NoSigning, prefix=f"{where}: "):
            key = public_key_at(where)
    except OSError as error:
        reason = error.strerror or getattr(error, "reason", None) or error
        raise click.ClickException(f"cannot read {where}: {reason}") from None
    _show(key, as_json)


def _show(key: str, as_json: bool) -> None:
    click.echo(msgspec.json.encode({"kind": "ed25519", "key": key}) if as_json else key)
