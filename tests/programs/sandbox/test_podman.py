"""Tests of bots in containers, and of the launcher, which is our program that runs podman for a bot.

The tests of the launcher use a script instead of podman. So they run on every machine and control the order of events.
The other tests use podman if it works on this machine. `tests/support/podman_campaign.py` has longer tests.
"""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rails_cli.programs.sandbox import Sandbox, command_in
from tests.support.containers import small_image
from tests.support.podman_campaign import containers, tournament
from tests.support.tools import rails
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")


def fake_podman(folder: Path, script: str) -> dict[str, str]:
    """Return an environment in which the command `podman` runs the Bash script `script`.

    In `script`, the variable `pid_file` is the value of the option --pidfile.
    """
    programs = folder / "bin"
    programs.mkdir()
    find = 'for word; do [ "$last" = --pidfile ] && pid_file=$word; last=$word; done'
    (programs / "podman").write_text(f"#!/usr/bin/env bash\n{find}\n{script}\n")
    (programs / "podman").chmod(0o755)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "STATE": str(folder)}


def launch(folder: Path, environment: dict[str, str], report_pipe: int) -> "subprocess.Popen[str]":
    """Start the launcher as a process with `environment`. The launcher runs podman with the program `bot`.

    The launcher writes its temporary files to `folder`, and its report about the start of the bot to `report_pipe`.
    """
    command = command_in(Sandbox("podman", image="bots"), ["bot"], str(folder), report_pipe=report_pipe)
    spec = {**json.loads(command[4]), "temporary": str(folder)}
    command[4] = json.dumps(spec)
    return subprocess.Popen(
        command,
        env=environment,
        pass_fds=[report_pipe],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_exit_code_of_a_bot_differs_from_one_of_podman(tmp_path: Path) -> None:
    """The launcher reports whether an exit code is that of the bot or that of podman.

    The code is that of the bot if podman has written the process id of the bot to a file. Codes above 128 stand for
    fatal signals.
    """
    script = '[ "$1" = run ] || exit 0\n[ "$STARTED" ] && echo -n 4321 > "$pid_file"\nexit $CODE'
    environment = fake_podman(tmp_path, script)
    for code, is_started, expected, report in (
        (127, True, 127, "pid 4321"),
        (125, True, 125, "pid 4321"),
        (137, True, -signal.SIGKILL, "pid 4321"),
        (147, True, 147, "pid 4321"),  # SIGSTOP would stop the launcher
        (255, True, 255, "pid 4321"),  # no signal has this number
        (127, False, 126, "cannot start 'bot' in a container of bots: podman says why on stderr"),
    ):
        reader, writer = os.pipe()
        how = {**environment, "CODE": str(code), "STARTED": "1" if is_started else ""}
        with launch(tmp_path, how, writer) as launcher:
            os.close(writer)
            assert (launcher.wait(HANG_S), os.read(reader, 1000).decode()) == (expected, report)
        os.close(reader)
    assert not list(tmp_path.glob("rails-cli-*"))


def test_a_container_that_podman_creates_too_late_is_removed(tmp_path: Path) -> None:
    """The launcher also removes a container that podman creates after the launcher got a signal to end.

    The launcher gets a signal before the container exists, so its first `podman rm` finds none. The test replaces
    podman by a script. Instead of a container, the script creates a file, but only after the first `podman rm`.
    """
    script = """cd "$STATE"
if [ "$1" = rm ]; then rm -f container; touch asked; exit 0; fi
until [ -e asked ]; do read -t 0.01 <> <(:); done
touch container
echo -n 4321 > "$pid_file"
while [ -e container ] && kill -0 $PPID; do read -t 0.01 <> <(:); done
exit 137"""
    environment = fake_podman(tmp_path, script)
    reader, writer = os.pipe()
    os.close(reader)  # as if our process had been killed
    with launch(tmp_path, environment, writer) as launcher:
        os.close(writer)
        children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children")
        while not children.read_text():  # no pause, so that the signal arrives as early as possible
            pass
        launcher.send_signal(signal.SIGUSR1)
        code = launcher.wait(HANG_S)
        (tmp_path / "asked").touch()  # so that the script ends in any case
    assert code == -signal.SIGKILL
    assert not (tmp_path / "container").exists()
    assert not list(tmp_path.glob("rails-cli-*"))


def test_paths_do_not_become_options_of_podman(tmp_path: Path) -> None:
    own = tmp_path / 'a,rw,"b":c'
    own.mkdir()
    (own / "bot.py").touch()
    words = json.loads(command_in(Sandbox("podman", image="bots"), ["python3", "bot.py"], str(own))[4])["words"]
    mounts = [next(csv.reader([word])) for word in words if word.startswith("type=")]
    assert mounts == [["type=bind", f"src={own}", f"dst={own}", "ro"]]
    words = json.loads(command_in(Sandbox("podman", image="bots"), ["python3"], str(own))[4])["words"]
    mounts = [next(csv.reader([word])) for word in words if word.startswith("type=")]
    assert mounts == [["type=tmpfs", f"dst={own}", "noexec", "tmpfs-size=64k", "tmpfs-mode=555"]]


def test_programs_of_an_image_are_not_replaced_by_those_of_this_machine(tmp_path: Path) -> None:
    words = json.loads(command_in(Sandbox("podman", image="bots"), ["/bin/sh"], str(tmp_path))[4])["words"]
    assert not [word for word in words if word.startswith("type=bind")]


def test_the_process_limit_of_a_container_leaves_threads_to_the_runtime(tmp_path: Path) -> None:
    """The process limit of a container is higher than that of the bot by at least 16.

    The container runtime `runc` runs in the container until it starts the bot. The runtime may have several threads,
    which count as processes.
    """
    sandbox = Sandbox("podman", image="bots", processes=1)
    words = json.loads(command_in(sandbox, ["bot"], str(tmp_path))[4])["words"]
    (limit,) = [int(word.partition("=")[2]) for word in words if word.startswith("--pids-limit=")]
    assert limit >= 17


@pytest.mark.parametrize(
    ("script", "expected"),
    [("exit 1", "there is no image 'docker-archive:x.tar' on this machine"), ("echo Error: bad >&2; exit 125", "bad")],
)
def test_only_an_image_on_this_machine_is_used(tmp_path: Path, script: str, expected: str) -> None:
    environment = fake_podman(tmp_path, f'[ "$1 $2" = "image exists" ] || touch "$STATE/called"\n{script}')
    done = rails("sandbox", "--sandbox-image", "docker-archive:x.tar", "--json", env=environment)
    assert json.loads(done.stdout)["sandboxes"][-1]["reason"] == expected
    assert not (tmp_path / "called").exists()


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("/RAILS_CLI_PROBE", (True, "not attacked: our programs do not run in it")),
        ("pids.max", (False, "runc: pids.max: no such file or directory: a command that was not found")),
    ],
)
def test_a_missing_program_differs_from_other_missing_files(
    tmp_path: Path, file: str, expected: tuple[bool, str]
) -> None:
    """If podman exits with code 127, its error message shows which file is missing.

    Podman uses this code for a missing program and for any other missing file. If only the program is missing in the
    image, the sandbox counts as working.
    """
    says = f"Error: runc: {file}: no such file or directory: a command that was not found"
    environment = fake_podman(tmp_path, f'[ "$1" = run ] || exit 0\necho "{says}" >&2\nexit 127')
    done = rails("sandbox", "--sandbox-image", "bots", "--json", env=environment)
    found = json.loads(done.stdout)["sandboxes"][-1]
    assert (found["works"], found["reason"]) == expected


def test_bots_in_containers_play_a_tournament(tmp_path: Path) -> None:
    """In a tournament of bots in containers, faults are counted and explained, and no container is left at the end.

    Without podman, the tournament is refused.
    """
    with small_image() as (image, environment):
        found = json.loads(rails("sandbox", "--sandbox-image", image, "--json", env=environment).stdout)["sandboxes"]
        done, faults = tournament(tmp_path, image, environment)
        if not found[-1]["holds"]:
            assert (done.returncode, "no such sandbox works on this machine" in done.stderr) == (1, True)
            return
        assert done.returncode == 0, done.stderr
        assert set(faults) == {("quits", "exited with code 127")}
        assert containers(environment) == []
