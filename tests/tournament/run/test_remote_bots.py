"""Tests of docs/REMOTE_BOTS.md. Bots in a virtual environment, behind ssh and behind TCP play in one tournament."""

import getpass
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.relays import free_port
from tests.support.tools import ROOT, rails, skip_without
from tests.support.waiting import HANG_S, wait_until

PAGE = (ROOT / "docs" / "REMOTE_BOTS.md").read_text(encoding="utf-8")
PLAN = re.search(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^\$ (.+)$", PAGE, re.MULTILINE)
SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def listening(command: list[str], port: int, folder: Path) -> Iterator[None]:
    """Start a program and wait until it listens on `port`. End the program at the end of the context."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: process.poll() is not None or is_listening(port), f"{command} to listen")
            assert process.poll() is None, command
            yield
        finally:
            process.terminate()


def ssh_daemon(folder: Path, port: int) -> list[str]:
    """Return the command of an ssh daemon that accepts this user with one key.

    The settings of the daemon are options of the command. Also write the keys and the settings of the ssh client into
    `folder`. In these settings, the machine of the daemon has the name `far`.
    """
    for name in ("host", "key"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(made, check=True)
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    (folder / "ssh_config").write_text(
        f"Host far\n HostName 127.0.0.1\n Port {port}\n User {getpass.getuser()}\n IdentityFile {folder / 'key'}\n"
        f" UserKnownHostsFile {folder / 'known'}\n StrictHostKeyChecking accept-new\n IdentitiesOnly yes\n"
    )
    settings = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "key.pub",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PermitRootLogin": "prohibit-password",
    }
    assert SSHD is not None
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    return [SSHD, "-D", "-e", "-f", os.devnull, *options]


def test_the_recipes_for_remote_bots_work_in_one_tournament(tmp_path: Path) -> None:
    skip_without("socat", "ssh", "sshd")
    venv, _, listener, run = COMMANDS
    assert PLAN is not None
    shutil.copytree(ROOT / "bots" / "python", tmp_path / "mybot")
    made = [sys.executable, *shlex.split(venv)[1:], "--without-pip"]  # installing pip would need a network
    subprocess.run(made, cwd=tmp_path, check=True)
    tcp, ssh = free_port(), free_port()
    plan = PLAN[1].replace("far:7000", f"127.0.0.1:{tcp}")
    plan = plan.replace("ssh -T", f"ssh -F {tmp_path / 'ssh_config'} -T")
    plan = plan.replace("far python3 mybot/bot.py", f"far {sys.executable} {tmp_path / 'mybot/bot.py'}")
    (tmp_path / "elsewhere.toml").write_text(plan)
    words = listener.replace("7000", f"{tcp},bind=127.0.0.1").replace("python3", sys.executable)
    with listening(shlex.split(words), tcp, tmp_path), listening(ssh_daemon(tmp_path, ssh), ssh, tmp_path):
        done = rails(*shlex.split(run)[1:], cwd=tmp_path, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    standings = rails("tournament", "standings", str(tmp_path / "elsewhere-results"), "--json")
    [table] = json.loads(standings.stdout)["tables"]
    assert {row["name"]: (row["games"], row["faults"]) for row in table["standings"]} == dict.fromkeys(
        ("venv", "ssh", "tcp"), (6, 0)
    )
