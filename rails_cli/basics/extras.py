"""How to install the optional packages of this program."""

import sys
from pathlib import Path


def install_command(extra: str, environment: Path | None = None) -> str:
    """Return the shell command that installs this program again, together with a group of optional packages.

    `extra` is the name of the group. `environment` is the folder of a virtual environment. By default this program's
    own environment is used. The command uses the installer that created the environment: `uv tool`, `pipx`, or
    otherwise `pip`.
    """
    environment = environment or Path(sys.prefix)
    if (environment / "uv-receipt.toml").exists():
        words = "uv tool install"
    elif (environment / "pipx_metadata.json").exists():
        words = "pipx install --force"
    else:
        words = "pip install"
    return f"{words} 'rails-cli[{extra}]'"
