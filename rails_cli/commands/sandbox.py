"""`rails-cli sandbox`: Show which sandboxes for bots work on this machine."""

import sys
from collections.abc import Callable
from typing import Annotated

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, reported
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import Json
from rails_cli.programs.limits import BotLimits, UserUnavailable, user_of
from rails_cli.programs.sandbox import LEVELS, Level, NoSandbox, available_sandbox

WAYS = {"--sandbox": "--sandbox auto", "--set": "--set trust=false"}
"""Mapping from the name of an option to a text with this option and a value, which turns the sandbox on."""


def warn_without_sandbox(print_warning: Callable[[str], None] | None = None) -> None:
    """Warn that bots run without a sandbox, and say how to use one. Warn once per command, by default on stderr."""
    context = click.get_current_context()
    if context.find_root().meta.get(__name__):
        return
    context.find_root().meta[__name__] = True
    options = [option for parameter in context.command.params for option in parameter.opts]
    way = next((way for option, way in WAYS.items() if option in options), "rails-cli run --sandbox auto")
    words = f"warning: bots run without a sandbox and can do whatever you can; {way} prevents that"
    if print_warning is None:
        click.echo(words, err=True)
    else:
        print_warning(words)


def check_sandbox(limits: BotLimits, whose: str = "") -> Level | None:
    """Return the sandbox in which bots run, or None if they run without a sandbox.

    Raise ClickException if the sandbox, or the system user that runs bots, is not available. The message starts with
    `whose`, such as `mybot cannot play: `.
    """
    try:
        with reported(UserUnavailable, prefix=whose):
            user_of(limits.user)
        return available_sandbox(limits.sandbox, limits.image)
    except NoSandbox as error:
        rest = "" if whose else "; --sandbox none starts bots without one"
        raise click.ClickException(f"{whose}{error}{rest}") from None


@cli_command
def command(
    image: Annotated[str | None, setting("Also try podman, with this image.", "--sandbox-image")] = None,
    as_json: Json = False,
) -> None:
    """Test each sandbox for bots on this machine with attacks from inside it. Exits with 1 if none of them works.

    \b
    Examples:
      rails-cli sandbox
      rails-cli sandbox --sandbox-image localhost/bots
      rails-cli run last_spike --seat 'python3 theirs.py' --seat builtin:medium --sandbox auto
    """
    from rails_cli.programs.sandbox.probe import ALL, probe, probe_podman, probe_text

    found = [probe(level) for level in LEVELS]
    best = next((one.sandbox for one in found if one.holds), None)
    found += [] if image is None else [probe_podman(image)]
    if as_json:
        about = [{**msgspec.to_builtins(one), "holds": one.holds} for one in found]
        print_json({"auto": best, "sandboxes": about})
    else:
        for one in found:
            click.echo(f"{one.sandbox:<12} {probe_text(one)}")
        click.echo(f"\n--sandbox auto is {best} here." if best else "\nNone of them works here.")
        click.echo(f"Tried from inside: to {', to '.join(ALL)}.")
    if best is None:
        sys.exit(1)
