"""Tests of the command that users are advised to run to install optional packages."""

from pathlib import Path

import pytest

from rails_cli.basics.extras import install_command


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("pyvenv.cfg", "pip install 'rails-cli[sign]'"),
        ("uv-receipt.toml", "uv tool install 'rails-cli[sign]'"),
        ("pipx_metadata.json", "pipx install --force 'rails-cli[sign]'"),
    ],
)
def test_the_command_is_for_the_program_that_made_the_environment(file: str, command: str, tmp_path: Path) -> None:
    (tmp_path / file).touch()
    assert install_command("sign", tmp_path) == command
