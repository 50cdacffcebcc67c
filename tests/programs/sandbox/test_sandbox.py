"""Tests of untrusted bots in each sandbox: attacks of the bots fail, and the bots can still play."""

import json
import os
import pwd
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

import pytest

from rails_cli.logs.signing import new_key
from rails_cli.programs.sandbox import LEVELS, Sandbox, command_in
from rails_cli.programs.sandbox.probe import probe
from rails_cli.programs.sandbox.seccomp import PROFILE, call_number
from rails_cli.tournament.plan.bots_folder import bots_in
from rails_cli.tournament.plan.reading import PlanError, make_plan
from tests.support.attacks import ALWAYS, ATTACKER, SECRET, attack
from tests.support.containers import PYTHON, READS, small_image
from tests.support.tools import BOTS, NO_SANDBOX, RAILS, ROOT, bot, rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess, create, duel, play_to_end, table_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

AUTO = next((level for level in LEVELS if probe(level).holds), "none")
"""The sandbox level that `--sandbox auto` chooses on this machine, or "none" if no sandbox works."""


@pytest.fixture(scope="module", params=[*LEVELS, "podman", "none"])
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The result of a match with an attacking bot, at one sandbox level or without a sandbox.

    It contains the successful attacks, the log, and the finished process.
    """
    level = request.param
    folder = tmp_path_factory.mktemp(level)
    if level != "podman":
        return attack(folder, level, sys.executable, bot("honest"), os.environ, probe(level).holds)
    shutil.copy(BOTS / "honest.py", folder)
    with small_image() as (image, environment):
        more = ("--sandbox-image", image, *(word for path in READS for word in ("--sandbox-read", path)))
        tried = rails("sandbox", "--sandbox-image", image, "--json", env=environment)
        found = json.loads(tried.stdout)["sandboxes"][-1]
        assert found["sandbox"] == "podman"
        assert not (found["holds"] and found["reason"]), "a sandbox that holds has no reason not to"
        return attack(folder, level, PYTHON, f"{PYTHON} {folder}/honest.py", environment, found["holds"], *more)


@pytest.mark.parametrize("attack", [*ALWAYS, "disk"])
def test_an_attack_succeeds_only_without_a_sandbox(attacked: dict[str, Any], attack: str) -> None:
    """Each attack fails in every sandbox. Without a sandbox it succeeds, which shows that the attack works."""
    if attacked["is_refused"]:
        assert not attacked["log"], "no bot may start in a sandbox that does not hold"
        return
    assert attacked["succeeded"] is not None, attacked["done"].stderr
    if attacked["level"] == "none":
        assert (attack in attacked["succeeded"]) == (attack in ALWAYS) or attack == "memory"  # some systems forbid it
    else:
        assert attack not in attacked["succeeded"]


def test_a_match_in_a_sandbox_is_played_without_faults(attacked: dict[str, Any]) -> None:
    """A bot in a sandbox plays without faults, so it can read its own files and use everything else that it needs."""
    if attacked["is_refused"]:
        assert attacked["done"].returncode == 1
        assert "no such sandbox works on this machine" in attacked["done"].stderr
        return
    assert attacked["done"].returncode == 0, attacked["done"].stderr
    assert json.loads(attacked["done"].stdout)["faults"] == [0, 0]
    assert "beside" in attacked["succeeded"]
    assert attacked["results"] == "keep out"
    kept = None if attacked["level"] == "none" else attacked["level"]
    assert [player.get("sandbox") for player in attacked["log"][0]["players"]] == [kept, kept]


def test_a_log_in_the_folder_of_a_bot_is_hidden_from_it(tmp_path: Path) -> None:
    """The log and the signing key in the bot's folder are hidden. Other modules in that folder can be imported."""
    new_key(tmp_path / "my.key")
    shutil.copy(BOTS / "honest.py", tmp_path)
    bot_file = tmp_path / "bot.py"
    bot_file.write_text(
        "import os, sys\n"
        "from honest import answer, requests\n"
        "for request in requests():\n"
        "    if request['number'] > 3:\n"
        "        print('seen', sorted(os.listdir(os.path.dirname(__file__))), file=sys.stderr, flush=True)\n"
        "    answer(request)\n"
    )
    log = tmp_path / "game.jsonl"
    seats = ("--seat", f"{sys.executable} bot.py", "--seat", "builtin:busy")
    words = ("--log", str(log), "--sign", "my.key", "--sandbox", AUTO, "--quiet")
    done = rails("run", "last_spike", *seats, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    seen = (tmp_path / "game.jsonl.seat1.stderr").read_text()
    assert "honest.py" in seen
    for name in ("game.jsonl", "my.key"):
        assert (name in seen) == (AUTO == "none")


PLAN = """
name = "strangers"
trust = false
seed = 5
[format]
kind = "round_robin"
rounds = 1
[[games]]
game = "last_spike"
players = 2
[[entrants]]
name = "busy"
builtin = "busy"
[[entrants]]
name = "stranger"
command = {command}
folder = "bot"
{more}
"""


def test_an_untrusted_bot_in_a_tournament_has_only_the_granted_access(tmp_path: Path) -> None:
    """The bot cannot reach the results, the plan and the key.

    It can use the network and the folder that the plan grants.
    """
    (tmp_path / "bot").mkdir()
    shutil.copy(ATTACKER, tmp_path / "bot")
    (tmp_path / "bot" / "bot.toml").touch()
    (tmp_path / "home").write_text("")
    output = tmp_path / "results"
    key = new_key(tmp_path / "my.key")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        target = {
            "results": str(output / "results.sqlite"),
            "home": str(tmp_path / "home"),
            "log": str(tmp_path / "plan.toml"),  # contains the seed
            "key": str(key.file),
            "beside": str(tmp_path / "bot" / "attacker.py"),
            "variable": SECRET,
            "mark": "none",
            "port": listener.getsockname()[1],
            "may_harm": False,
        }
        command = json.dumps([sys.executable, "attacker.py", json.dumps(target)])
        plan = tmp_path / "plan.toml"
        plan.write_text(PLAN.format(command=command, more='network = true\nreads = ["home"]\nfreeze = true'))
        words = ("--output", str(output), "--workers", "1", "--quiet", "--json", "--sign", str(key.file))
        done = rails("tournament", "run", str(plan), *words)
    if AUTO == "none":
        assert done.returncode == 1
        assert "stranger cannot play: no such sandbox works on this machine" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    stderr_text = (output / "stderr" / "stranger.txt").read_text()
    assert '"results"' not in stderr_text
    assert '"log"' not in stderr_text
    assert "succeeded: [" in stderr_text
    succeeded = json.loads(stderr_text.partition("succeeded: ")[2].splitlines()[0])
    assert succeeded == ["beside", "home", "network"]
    log = next((output / "logs").glob("*.jsonl"))
    kept = {player["name"]: player.get("sandbox") for player in json.loads(log.read_text().splitlines()[0])["players"]}
    assert kept["busy"] is None
    assert kept["stranger"] in LEVELS


def test_a_bot_cannot_grant_itself_access(tmp_path: Path) -> None:
    own = tmp_path / "bots" / "mine"
    own.mkdir(parents=True)
    shutil.copy(BOTS / "honest.py", own / "bot.py")
    words = ("tournament", "run", "--bots", "bots", "--game", "last_spike", "--players", "2", "--set", "trust=false")
    for setting, expected in (
        ('reads = ["/etc"]', "bot.toml: reads: a bot cannot decide what it may do"),
        ("network = true", "bot.toml: network: a bot cannot decide what it may do"),
        ('folder = ".."', "its command names '.', which is not in its folder"),
    ):
        (own / "bot.toml").write_text(f'command = "python3 bot.py"\n{setting}\n')
        done = rails(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert expected in done.stderr
    (own / "bot.toml").write_text('command = "python3 bot.py /etc/passwd"\n')
    done = rails(*words, cwd=tmp_path)
    assert (done.returncode, "its command names '/etc/passwd'" in done.stderr) == (2, True)


@pytest.mark.parametrize("how", [{"trust": False}, {"sandbox": "auto"}, {"own": "auto"}])
def test_a_bot_in_a_sandbox_needs_a_folder_of_its_own(tmp_path: Path, how: dict[str, Any]) -> None:
    """A bot in a sandbox must be in a folder of its own, whichever key of the plan chooses the sandbox."""
    own = {"sandbox": how["own"]} if "own" in how else {}
    mine = {"name": "mine", "command": "python3 mine.py", **own}
    tables = {"games": [{"game": "last_spike", "players": 2}], "entrants": [mine, {"name": "busy", "builtin": "busy"}]}
    (tmp_path / "mine.py").touch()
    with pytest.raises(PlanError, match=r"entrants\[0\].folder: .*mine.py is not in a folder of its own"):
        make_plan({**tables, **{key: value for key, value in how.items() if key != "own"}}, "plan", tmp_path)
    mine.pop("sandbox", None)
    assert make_plan(tables, "plan", tmp_path).entrants[0].sandbox == "none"


def test_a_bot_cannot_name_files_of_a_rival(tmp_path: Path) -> None:
    """A command is refused if it names a file of another bot: a program, a Python module or a Java class."""
    own, rival = tmp_path / "bots" / "mine", tmp_path / "bots" / "victim"
    for folder in (own, rival):
        folder.mkdir(parents=True)
        shutil.copy(BOTS / "honest.py", folder / "bot.py")
        (folder / "bot.py").chmod(0o755)
    (rival / "Bot.class").touch()
    (own / "python").symlink_to(shutil.which("python3", path="/usr/bin:/bin") or sys.executable)
    allowed = ["python3 bot.py", "./bot.py", "./python bot.py", f"{sys.executable} -m bot", "/bin/sh -c true"]
    for command in allowed:
        (own / "bot.toml").write_text(f"command = {json.dumps(command)}\n")
        assert len(bots_in(tmp_path / "bots", tmp_path, trust=False)[0]) == 2
    for command, named in (
        (f"python3 bot.py -m {rival}/bot", "bot.py"),
        ("java ../victim/Bot", "Bot.class"),
        (f"{rival}/bot.py", "bot.py"),
        ("../victim/bot.py", "bot.py"),
    ):
        for more, trust in (("", False), ('image = "bots"', True)):
            (own / "bot.toml").write_text(f"command = {json.dumps(command)}\n{more}\n")
            with pytest.raises(PlanError, match=re.escape(f"names '{rival / named}', which is not in its folder")):
                bots_in(tmp_path / "bots", tmp_path, trust=trust)
    (own / "bot.toml").write_text('command = "../victim/bot.py"\n')
    words = ("tournament", "run", "--bots", "bots", "--game", "last_spike", "--players", "2", "--check")
    done = rails(*words, "--set", "entrants[0].sandbox=auto", cwd=tmp_path)
    assert (done.returncode, "which is not in its folder" in done.stderr) == (2, True)


def test_untrusted_bots_that_are_links_are_skipped(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    for folder in (bots / "victim", tmp_path / "private"):
        folder.mkdir(parents=True)
        shutil.copy(BOTS / "honest.py", folder / "bot.py")
    (bots / "inner").symlink_to("victim")
    (bots / "outer").symlink_to(tmp_path / "private")
    (bots / "file.py").symlink_to("victim/bot.py")
    tables, skipped = bots_in(bots, tmp_path, trust=False)
    assert [table["name"] for table in tables] == ["victim"]
    words = "a symbolic link, which is refused of bots that are not trusted; copy the files instead"
    assert skipped == [f"{name} ({words})" for name in ("file.py", "inner", "outer")]
    assert len(bots_in(bots, tmp_path)[0]) == 4
    (bots / "victim" / "bot.toml").write_text('command = "python3 bot.py"\nimage = "bots"\n')
    assert [table["name"] for table in bots_in(bots, tmp_path)[0]] == ["file", "outer", "victim"]


def test_long_files_about_bots_are_skipped(tmp_path: Path) -> None:
    for name, file in (("long", "bot.toml"), ("sparse", "bot.toml"), ("manual", "README.md")):
        (tmp_path / name).mkdir()
        with open(tmp_path / name / file, "wb") as written:
            written.write(b"#" * 100_000)
            written.truncate(3_000_000_000 if name == "sparse" else 100_000)
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "README.md").write_text("\n" * 60_000 + "- **Run:** x\n- Run: `python3 x.py`\n")
    for number, part in enumerate(("a", '"\\""', "'\"'", " a ")):
        (tmp_path / f"keys{number}").mkdir()
        (tmp_path / f"keys{number}" / "bot.toml").write_text(f"x = {{{'.'.join([part] * 11)} = 1}}\n")
    tables, skipped = bots_in(tmp_path, tmp_path)
    assert [(table["name"], table["command"]) for table in tables] == [("lines", "python3 x.py")]
    assert skipped == [
        *(f"keys{number} (its bot.toml has a key with more than 10 parts)" for number in range(4)),
        "long (its bot.toml is longer than 16,384 bytes)",
        "manual (its README.md is longer than 65,536 bytes)",
        "sparse (its bot.toml is longer than 16,384 bytes)",
    ]


def test_environment_variables_of_a_bot_do_not_affect_its_launcher(tmp_path: Path) -> None:
    """The variable LD_PRELOAD of a bot in a plan loads no code into the launcher, which runs outside the sandbox."""
    (tmp_path / "bot").mkdir()
    shutil.copy(BOTS / "honest.py", tmp_path / "bot")
    (tmp_path / "bot" / "bot.py").write_text(
        "import os, sys\n"
        "from honest import answer, requests\n"
        "print('variable', os.environ['LD_PRELOAD'], file=sys.stderr, flush=True)\n"
        "for request in requests():\n"
        "    answer(request)\n"
    )
    library = tmp_path / "bot" / "evil.so"
    source = (
        f'#include <fcntl.h>\n__attribute__((constructor)) void f(void) {{ open("{tmp_path}/RAN", O_CREAT, 0600); }}\n'
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)], input=source, text=True, check=True)
    more = f'environment = {{ LD_PRELOAD = "{library}" }}'
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(command=json.dumps([sys.executable, "bot.py"]), more=more))
    done = rails("tournament", "run", str(plan), "--output", str(tmp_path / "out"), "--workers", "1", "--quiet")
    assert done.returncode == (1 if AUTO == "none" else 0), done.stderr
    assert not (tmp_path / "RAN").exists()
    if AUTO != "none":
        assert f"variable {library}" in (tmp_path / "out" / "stderr" / "stranger.txt").read_text()


def test_an_untrusted_bot_needs_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(command='"python3 -c pass"', more='sandbox = "none"'))
    done = rails("tournament", "run", str(plan))
    assert done.returncode == 2
    assert "entrants[1].sandbox: a bot that is not trusted needs a sandbox" in done.stderr
    plan.write_text(PLAN.format(command='"python3 -c pass"', more='sandbox = "bubblewrap"'))
    without = {**os.environ, "PATH": str(Path(sys.executable).parent)}
    done = rails("tournament", "run", str(plan), "--output", str(tmp_path / "results"), env=without)
    assert done.returncode == 1
    assert done.stderr == (
        "Error: stranger cannot play: no such sandbox works on this machine: bubblewrap does not work (bwrap is not "
        "installed: try apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap); podman does not work "
        "(podman is not installed: try apt install podman, dnf install podman or pacman -S podman)\n"
    )
    assert not (tmp_path / "results").exists()


def test_a_frozen_bot_is_stopped_while_others_are_to_move(tmp_path: Path) -> None:
    """With `--freeze`, the process of a bot is stopped while other bots are to move.

    In this test, another bot looks up and reports whether the process is stopped.
    """
    shutil.copy(BOTS / "honest.py", tmp_path)
    (tmp_path / "thinks.py").write_text(
        "import os, signal\n"
        "from honest import answer, requests\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    while True:\n"
        "        signal.pause()\n"
        "with open('pids', 'w') as file:\n"
        "    print(os.getpid(), child, file=file)\n"
        "for request in requests():\n"
        "    answer(request)\n"
        "os.kill(child, 9)\n"
    )
    (tmp_path / "looks.py").write_text(
        "import os, sys, time\n"
        "from honest import answer, requests\n"
        "patience = float(sys.argv[1])  # until a test counts as hung\n"
        "for request in requests():\n"
        "    for pid in open('pids').read().split() if os.path.exists('pids') else ():\n"
        "        until = time.monotonic() + patience\n"
        "        while True:  # a stopped process may need to be scheduled first\n"
        "            state = open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[0]\n"
        "            if state == 'T' or time.monotonic() > until:\n"
        "                break\n"
        "        print('state', request['number'], state, file=sys.stderr, flush=True)\n"
        "    answer(request)\n"
    )
    for more in (["--freeze"], []):
        bots = ["thinks.py", f"looks.py {HANG_S if more else 0}"]
        seats = [word for name in bots for word in ("--seat", f"{sys.executable} {name}")]
        log = f"game{len(more)}.jsonl"
        words = ("--log", log, "--quiet", "--seed", "3", "--clock", "none")
        done = rails("run", "last_spike", *seats, *words, *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        asked = [line.split() for line in (tmp_path / f"{log}.seat2.stderr").read_text().splitlines()]
        lines = [json.loads(line) for line in (tmp_path / log).read_text().splitlines()]
        first = min(line["number"] for line in lines if line["type"] == "action" and line["seat"] == 0)
        seen = [state for _, number, state in asked if int(number) > first]
        assert len(seen) > 20
        assert set(seen) == {"T"} if more else "T" not in seen
        (tmp_path / "pids").unlink()


def test_the_seed_is_not_visible_in_any_command_line_or_environment(tmp_path: Path) -> None:
    """No process shows the seed, with or without a sandbox, whichever option sets the seed."""
    shutil.copy(BOTS / "honest.py", tmp_path)
    seed = uuid.uuid4().hex
    (tmp_path / "looks.py").write_text(
        "import glob, os\n"
        "from honest import answer, requests\n"
        f"seed = {seed[::-1]!r}[::-1].encode()\n"
        "for count, request in enumerate(requests()):\n"
        "    if count == 0:\n"
        "        for place in glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/[0-9]*/environ'):\n"
        "            try:\n"
        "                content = open(place, 'rb').read()\n"
        "            except OSError:\n"
        "                continue\n"
        "            with open('seen', 'ab') as file:\n"
        "                file.write(b'SEED ' + content if seed in content else b'looked ')\n"
        "    answer(request)\n"
    )
    bots = [f"looks={sys.executable} looks.py", "busy=builtin:busy"]
    seats = ["--seat", f"{sys.executable} looks.py", "--seat", "builtin:busy"]
    plan = [word for entrant in bots for word in ("--entrant", entrant)]
    plan += ["--game", "last_spike", "--players", "2", "--rounds", "1", "--quiet", "--workers", "1"]
    for words in (
        ["run", "last_spike", *seats, "--quiet", f"--seed={seed}"],
        ["tournament", "run", *plan, "--output", "a", "--seed", seed],
        ["tournament", "run", *plan, "--output", "b", "--set", f"seed={seed}"],
    ):
        subprocess.run([*RAILS, *words], cwd=tmp_path, check=True, capture_output=True)
        seen = (tmp_path / "seen").read_bytes()
        assert seen.startswith(b"looked"), words
        assert b"SEED" not in seen, words
        (tmp_path / "seen").unlink()


def test_a_sandboxed_bot_of_a_server_cannot_read_the_admin_token(tmp_path: Path) -> None:
    """Neither a bot of the server nor a bot run by `connect` can read the admin token of the server."""
    data = tmp_path / "data"
    (tmp_path / "bot").mkdir()
    shutil.copy(BOTS / "honest.py", tmp_path / "bot")
    script = tmp_path / "bot" / "bot.py"
    script.write_text(
        "import sys\n"
        "from honest import answer, requests\n"
        "for request in requests():\n"
        "    try:\n"
        f"        print('token', open({str(data / 'admin-token')!r}).read(), file=sys.stderr, flush=True)\n"
        "    except OSError as error:\n"
        "        print('failed', type(error).__name__, file=sys.stderr, flush=True)\n"
        "    answer(request)\n"
    )
    for sandbox, word in {"none": "token", AUTO: "failed" if AUTO != "none" else "token"}.items():
        options = ("--bot", f"thief={sys.executable} {script}", "--sandbox", sandbox)
        with ServerProcess(data, *options) as server, Client(server.url) as client:
            table, _ = duel(server, client, "bot:thief")
            assert play_to_end(client)["reason"] == "normal"
            stderr_text = (data / "tables" / f"{table}.seat2.stderr").read_text()
            away = table_of(create(client, seats=[None, "builtin:busy"]))
            seated = ("connect", server.url, "--table", away, "--sandbox", sandbox)
            done = rails(*seated, "--", sys.executable, str(script))
        assert stderr_text.startswith(word), stderr_text
        assert (done.returncode, word in done.stderr) == (0, True), done.stderr
    for words in (["connect", "--stay"], ["pool", "join", "--token", "x"]):
        done = rails(*words, "ws://127.0.0.1:9", "--sandbox", "podman", "--", sys.executable, str(script))
        assert (done.returncode, "podman needs the image" in done.stderr) == (1, True), done.stderr


SERVER_DATA = ("admin-token", "seats.jsonl", "signing-key", "results.sqlite")


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A folder of a bot that reports which files it can see. `private/key.txt` is beside the folder."""
    folder = tmp_path / "bots" / "stranger"
    folder.mkdir(parents=True)
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key.txt").write_text("secret")
    shutil.copy(BOTS / "honest.py", folder)
    (folder / "bot.py").write_text(
        "import glob, os, sys\n"
        "from honest import answer, requests\n"
        "names = glob.glob(os.path.dirname(__file__) + '/**', recursive=True)\n"
        "print('seen', sorted(map(os.path.basename, names)), file=sys.stderr, flush=True)\n"
        "for request in requests():\n"
        "    answer(request)\n"
    )
    return folder


def untrusted(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Check a plan with an untrusted bot in `folder`, without playing. Return the finished process.

    `command` are the arguments of Python that start the bot, by default `bot.py`.
    """
    plan = folder.parents[1] / "plan.toml"
    text = PLAN.format(command=json.dumps([sys.executable, *(command or ("bot.py",))]), more="")
    plan.write_text(text.replace('folder = "bot"', f"folder = {json.dumps(str(folder))}"))
    return rails("tournament", "run", str(plan), "--check")


def test_an_untrusted_bot_needs_a_folder_of_its_own(stranger: Path) -> None:
    assert untrusted(stranger).returncode == 0
    certificate = f"-----BEGIN CERTIFICATE-----\n{'A' * 2000}\n-----END CERTIFICATE-----\n"
    others = {
        **dict.fromkeys(SERVER_DATA, ""),
        "rival/bot.toml": "",
        "key.txt": "-----BEGIN PRIVATE KEY-----\n",
        "server.pem": f"{certificate}-----BEGIN RSA PRIVATE KEY-----\n",
        "league.toml": '[[entrants]]\nname = "a"\n',
        "other.toml": 'seed = 1\n[[ games ]]  # two\ngame = "last_spike"\n',
    }
    for name, content in others.items():
        path = stranger / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        done = untrusted(stranger)
        assert (done.returncode, f"it contains {name}, " in done.stderr) == (2, True), done.stderr
        path.unlink()
    (stranger / "bot.py").rename(stranger / "other.py")
    done = untrusted(stranger, "other.py")
    assert (done.returncode, "is not in a folder of its own" in done.stderr) == (2, True), done.stderr


def test_a_server_refuses_a_sandboxed_bot_beside_others(stranger: Path) -> None:
    """The server refuses to start if the folder of the bot contains another bot or the data of the server."""
    shutil.copy(stranger / "bot.py", stranger / "rival.py")
    bots = [f"{name}={sys.executable} {stranger}/{file}.py" for name, file in (("a", "bot"), ("b", "rival"))]
    words = ("serve", "--port", "0", "--sandbox", AUTO, "--bot", bots[0])
    if AUTO == "none":
        pytest.skip("no sandbox works here")
    for more in (["--data", str(stranger / "rails-data")], ["--data", "elsewhere", "--bot", bots[1]]):
        done = rails(*words, *more, cwd=stranger.parent)
        assert (done.returncode, "is not a folder of the bot alone" in done.stderr) == (2, True), done.stderr


def test_links_out_of_the_folder_of_a_bot_are_refused(stranger: Path) -> None:
    """A plan or a match is refused if the folder of a bot contains a link to a place outside of it.

    It does not matter whether the command of the bot names the link.
    """
    private = stranger.parents[1] / "private"
    for target, words in ((private / "key.txt", ["bot.py", "data"]), (private, ["bot.py"])):
        (stranger / "data").symlink_to(target)
        done = untrusted(stranger, *words)
        assert (done.returncode, "is a symbolic link out of" in done.stderr) == (2, True), done.stderr
        seat = shlex.join([sys.executable, *words])
        match = ("run", "last_spike", "--seat", seat, "--seat", "builtin:busy", "--quiet", "--sandbox", AUTO)
        done = rails(*match, "--max-faults", "1", cwd=stranger)
        assert ("is a symbolic link out of" in done.stderr) == (AUTO != "none"), done.stderr
        (stranger / "data").unlink()


def test_a_trusted_bot_sees_its_own_folder_without_files_of_others(stranger: Path) -> None:
    """A trusted bot sees its own folder, but not the files of other bots and of a server in this folder.

    A bot that is not in a folder of its own sees only its own file.
    """
    for name in SERVER_DATA:
        (stranger / name).touch()
    (stranger / "rival").mkdir()
    (stranger / "rival" / "bot.toml").touch()
    own_bot = (stranger / "bot.py").read_text()
    (stranger.parent / "alone.py").write_text(own_bot.replace("from honest import answer, requests\n", ""))
    match = ("run", "last_spike", "--seat", "builtin:busy", "--quiet", "--sandbox", AUTO, "--max-faults", "1")
    rails(*match, "--log", "a.jsonl", "--seat", f"{sys.executable} {stranger}/bot.py", cwd=stranger.parent)
    seen = (stranger.parent / "a.jsonl.seat2.stderr").read_text()
    assert "honest.py" in seen
    rails(*match, "--log", "b.jsonl", "--seat", f"{sys.executable} alone.py", cwd=stranger.parent)
    if AUTO != "none":
        assert not [name for name in (*SERVER_DATA, "rival") if name in seen]
        assert "seen ['', 'alone.py']" in (stranger.parent / "b.jsonl.seat2.stderr").read_text()


def fake_bwrap(folder: Path, script: str) -> dict[str, str]:
    """Return an environment in which the command `bwrap` runs the Bash script `script`."""
    folder.mkdir()
    (folder / "bwrap").write_text(f"#!/usr/bin/env bash\n{script}\n")
    (folder / "bwrap").chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


NO_FILTER = (
    'for word; do shift; if [ "$word" = --seccomp ]; then skip=1; '
    'elif [ "$skip" ]; then skip=; else set -- "$@" "$word"; fi; done\n'
    f'exec {shutil.which("bwrap")} "$@"'
)
NO_SANDBOX_AT_ALL = 'until [ "$1" = -- ]; do shift; done\nshift\nexec "$@"'


@pytest.mark.skipif(AUTO == "none", reason="no sandbox works here")
@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            NO_FILTER,
            {"trace processes", "set the clock", "mount file systems", "connect to the host of a virtual machine"},
        ),
        (
            NO_SANDBOX_AT_ALL,
            {
                *("see files", "read files", "write files", "change the modes of files", "watch files", "follow links"),
                *("see other files in its folder", "see the data of a server in its own folder"),
                *("see another bot in its own folder", "look into processes", "connect", "connect to files"),
                *("send to files", "send signals", "leave processes behind"),
            },
        ),
    ],
    ids=["no filter", "no sandbox"],
)
def test_a_sandbox_in_which_an_attack_succeeds_is_not_used(tmp_path: Path, script: str, expected: set[str]) -> None:
    """A sandbox is not used if an attack succeeds in it.

    Here bubblewrap is replaced by a script that omits the filter of system calls, or runs the bot without a sandbox.
    """
    done = rails("sandbox", "--json", env=fake_bwrap(tmp_path / "bin", script))
    found = json.loads(done.stdout)
    assert (done.returncode, found["auto"]) == (1, None)
    assert expected <= set(found["sandboxes"][0]["succeeded"])


@pytest.mark.skipif(AUTO == "none", reason="no sandbox works here")
def test_each_bot_has_a_new_session_keyring(tmp_path: Path) -> None:
    """Each bot gets a new session keyring, so that bots cannot read keys of others.

    The test replaces bubblewrap by a script that prints the id of its keyring. All ids must be different.
    """
    code = "import ctypes, sys; print(ctypes.CDLL(None).syscall(int(sys.argv[1]), 0, -3, 0), file=sys.stderr)"
    get_id = shlex.join([sys.executable, "-c", code, str(call_number("keyctl"))])
    environment = fake_bwrap(tmp_path / "bin", f"exec {get_id}")
    ids = [subprocess.run(shlex.split(get_id), capture_output=True, text=True, check=True).stderr]
    for _ in range(2):
        command = command_in(Sandbox("bubblewrap"), ["true"], str(tmp_path))
        ids.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr)
    if int(ids[0]) < 0:
        pytest.skip("this system has no keyrings")
    assert len(set(ids)) == 3, ids


def test_podman_gets_the_same_filter_and_no_capabilities(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    (tmp_path / "admin-token").touch()
    command = command_in(Sandbox("podman", image="bots"), ["python3", "bot.py"], str(tmp_path))
    words = json.loads(command[4])["words"]
    assert {"--cap-drop=all", "--security-opt=no-new-privileges", f"--security-opt=seccomp={PROFILE}"} <= set(words)
    assert [word for word in words if word.startswith("type=bind")] == [
        f'type=bind,"src={path}","dst={path}",ro' for path in [tmp_path / "bot.py"]
    ]


@pytest.mark.parametrize("arch", ["X86_64", "AARCH64"])
def test_the_filter_names_the_calls_of_each_processor(arch: str) -> None:
    """The processor type `arch` has all system calls that the filter names, except a few new ones.

    This finds misspelt names, which the filter ignores without an error.
    """
    import pyseccomp

    names = [name for rule in json.loads(PROFILE.read_bytes())["syscalls"] for name in rule["names"]]
    known = [name for name in names if pyseccomp.resolve_syscall(getattr(pyseccomp.Arch, arch), name) != -1]
    too_new = {"file_setattr", "open_tree_attr", "removexattrat", "setxattrat"}
    assert set(names) - set(known) <= too_new


def test_a_command_warns_once_that_bots_run_without_a_sandbox(tmp_path: Path) -> None:
    seats = ["--seat", bot("honest"), "--seat", bot("honest")]
    done = rails("run", "last_spike", *seats, "--quiet", "--json")
    assert done.stderr == NO_SANDBOX.format("--sandbox auto")
    json.loads(done.stdout)
    players = ["--seat", "builtin:busy", "--seat", "builtin:busy"]
    assert rails("run", "last_spike", *players, "--quiet").stderr == ""
    plan = ["--game", "last_spike", "--players", "2", "--rounds", "1", "--workers", "1", "--quiet"]
    entrants = ["--entrant", f"mine={bot('honest')}", "--entrant", "builtin:busy"]
    done = rails("tournament", "run", *plan, *entrants, "--output", "a", cwd=tmp_path)
    assert done.stderr == NO_SANDBOX.format("--sandbox auto")


def test_the_commands_of_the_manual_work(tmp_path: Path) -> None:
    page = (ROOT / "docs/SANDBOX.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z]+)` \|", page, re.MULTILINE) == [*LEVELS, "podman", "none"]
    shutil.copy(BOTS / "honest.py", tmp_path / "theirs.py")
    for words in re.findall(r"^\$ rails-cli (.*)$", page, re.MULTILINE):
        done = rails(*shlex.split(words), cwd=tmp_path)
        assert done.returncode == (1 if AUTO == "none" else 0), done.stderr
    assert "podman       does not work (" in done.stdout  # output of the last command, whose image does not exist


def test_the_sandbox_command_lists_the_sandboxes_that_work() -> None:
    done = rails("sandbox", "--json")
    report = json.loads(done.stdout)
    assert [one["sandbox"] for one in report["sandboxes"]] == list(LEVELS)
    assert not any(one["succeeded"] for one in report["sandboxes"] if one["works"]), report
    holding = [one["sandbox"] for one in report["sandboxes"] if one["holds"]]
    assert report["auto"] == (holding[0] if holding else None)
    assert done.returncode == (0 if holding else 1)
    summary = f"--sandbox auto is {holding[0]} here." if holding else "None of them works here."
    assert summary in rails("sandbox").stdout


def test_a_bot_run_as_another_user_cannot_reach_files_or_processes() -> None:
    """With `--bot-user`, a bot cannot read files of the game or the server, or send signals.

    Only root may use this option.
    """
    with tempfile.TemporaryDirectory(prefix="rails-cli-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        attack = "id -un >&2; cat game.jsonl >&2; kill -STOP $PPID >&2; echo $HOME >&2; exit 3"
        seats = ("--seat", shlex.join(["sh", "-c", attack]), "--seat", "builtin:busy")
        words = ("run", "last_spike", *seats, "--log", "game.jsonl", "--max-faults", "1", "--quiet")
        done = rails(*words, "--bot-user", "nobody", cwd=folder)
        if os.geteuid() != 0:
            assert (done.returncode, done.stderr) == (
                1,
                "Error: only root can run bots as another user, such as nobody\n",
            )
            return
        assert done.returncode == 3, done.stderr
        stderr_text = (folder / "game.jsonl.seat1.stderr").read_text()
        assert stderr_text.startswith("nobody\n")
        assert '"seed"' not in stderr_text
        assert "game.jsonl: Permission denied" in stderr_text
        assert "No such process" not in stderr_text
        assert pwd.getpwnam("nobody").pw_dir in stderr_text
        steal = f"id -un >&2; cat {folder}/data/admin-token >&2; kill -STOP $PPID >&2; exit 3"
        bot = ("--bot", f"thief={shlex.join(['sh', '-c', steal])}", "--max-faults", "1", "--bot-user", "nobody")
        with ServerProcess(folder / "data", *bot) as server, Client(server.url) as client:
            table, _ = duel(server, client, "bot:thief")
            assert play_to_end(client)["reason"] == "normal"
            stderr_text = server.log(table).with_name(f"{table}.seat2.stderr").read_text()
        assert stderr_text.startswith("nobody\n")
        assert "admin-token: Permission denied" in stderr_text
        done = rails(*words, "--bot-user", "nobody-at-all", cwd=folder)
        assert (done.returncode, done.stderr) == (1, "Error: there is no user 'nobody-at-all' on this machine\n")
