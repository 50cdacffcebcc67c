"""Resource limits of a bot, its sandbox settings, and the user that it runs as."""

import os
import pwd
from typing import Annotated

import msgspec

from rails_cli.basics.settings import setting
from rails_cli.programs.sandbox import SandboxChoice

SANDBOX = setting("Sandbox for bots; `auto` picks the best one that works here. See `rails-cli sandbox`.", "--sandbox")
"""Metadata of the option that chooses a sandbox."""


class BotLimits(msgspec.Struct, frozen=True):
    """Resource limits and sandbox settings of a bot. A limit that is None does not apply."""

    memory_bytes: Annotated[int | None, setting("Memory a bot may use, such as 512M.")] = None
    cpu_s: Annotated[
        int | None, setting("CPU seconds a bot may use, including its child processes.", "--cpu-seconds", least=1)
    ] = None
    open_files: Annotated[int | None, setting("Files a bot process may hold open.", least=8)] = None
    file_bytes: Annotated[int | None, setting("Size of the files a bot process may write.", "--file-size")] = None
    processes: Annotated[int | None, setting("Processes a bot may have at once.", least=1)] = None
    sandbox: Annotated[SandboxChoice, SANDBOX] = "none"
    network: Annotated[bool, setting("Let bots in a sandbox use the network.", "--sandbox-network")] = False
    reads: Annotated[
        list[str], setting("A file or folder that bots in a sandbox may read, too.", "--sandbox-read", "PATH")
    ] = []
    image: Annotated[
        str,
        setting("The image of the containers that --sandbox podman starts bots in.", "--sandbox-image", is_eager=True),
    ] = ""
    """Container image for the sandbox `podman`.

    This setting is parsed before the others: with an image, the programs of bots need not exist on this machine.
    """
    user: Annotated[str, setting("Run bots as this user; only root can.", "--bot-user", "NAME")] = ""


NO_LIMITS = BotLimits()


class UserUnavailable(Exception):
    """Raised if bots cannot run as the requested user."""


def user_of(name: str) -> pwd.struct_passwd | None:
    """Return the system user called `name`, as whom bots run, or None if `name` is empty.

    Raise UserUnavailable if there is no such user, or if this process does not run as root.
    """
    if not name:
        return None
    if os.geteuid() != 0:
        raise UserUnavailable(f"only root can run bots as another user, such as {name}")
    try:
        return pwd.getpwnam(name)
    except KeyError:
        raise UserUnavailable(f"there is no user {name!r} on this machine") from None
