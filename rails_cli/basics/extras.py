"""How to install the optional packages of this program."""

import sys
from pathlib import Path


def install_command(extra: str, environment: Path | None = None) -> str:
    """Return the shell command that installs this program again with the optional packages `extra`.

    The command uses the installer of `environment`, the folder of a virtual environment: `uv tool`, `pipx`, or
    otherwise `pip`. By default `environment` is the one in which this program runs.
    """
    environment = environment or Path(sys.prefix)
    if (environment / "uv-receipt.toml").exists():
        words = "uv tool install"
    elif (environment / "pipx_metadata.json").exists():
        words = "pipx install --force"
    else:
        words = "pip install"
    return f"{words} 'rails-cli[{extra}]'"
