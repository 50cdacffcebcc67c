"""Start rails-cli in new processes, without importing it in each of them.

A template process imports the whole program once. On request it forks a child. The child becomes `rails-cli WORDS` with
the requested folder, environment, terminal and standard files. The parent of the child is the test process, so `Popen`
works with it.

Tests of the start of the Python interpreter cannot use a fork. They start a new interpreter.
"""

import atexit
import ctypes
import gc
import importlib
import inspect
import json
import multiprocessing.util
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
PR_SET_CHILD_SUBREAPER = 36
MOST_BYTES = 1 << 18
"""Maximum number of bytes of a message to the process that forks."""
IMPORTED_LATER = (
    *("uvloop", "concurrent.futures.thread", "encodings.idna", "encodings.ascii"),
    "cryptography.hazmat.primitives.serialization",
)
"""Modules that a server imports only when it starts. Importing them takes long. Some of them may not be installed."""
NEED_EXTRAS = ("rails_cli.adapters.", "rails_cli.agents.server", "rails_cli.conformance.plugin")
"""Beginnings of the names of modules that need optional packages.

These packages are installed with an extra of rails-cli. No command but `mcp` imports these modules, and importing them
takes long.
"""
READ_AT_START = ("PYTHON", "LD_")
LOCALE = ("LC_", "LANG")
PATH = "PYTHONPATH"
MARK, MARK_BYTES = "RAILS_TEST", 64
ENV_START = 47
"""Index of the field in /proc/self/stat that holds the memory address of the environment.

Index 0 is the first field after the process name.
"""
AT_START = dict(os.environ)
_asking = threading.Lock()
_exit_codes: list[int] = []
_modules: list[str] = []
_util: Any = multiprocessing.util
_start_python = _util.spawnv_passfds
_paths_of_games: set[str] = set()


def can_be_forked(env: Mapping[str, str] | None = None, **how: object) -> bool:
    """Return whether a forked child would behave like a newly started process.

    `env` is the environment of the process, and `how` are the other arguments of `Popen`.
    """
    from rails_cli.terminal.signs import is_unicode  # here, because the template process decides where to import from

    given = os.environ if env is None else env
    changed = {name for name in {*given, *AT_START} if given.get(name) != AT_START.get(name)}
    if given.get(PATH) in _paths_of_games:
        changed.discard(PATH)
    is_plain = not any(how.get(name) for name in ("preexec_fn", "pass_fds", "process_group"))
    is_unicode_still = is_unicode(AT_START) and is_unicode(dict(given))  # the only effect of the locale at startup
    matters = READ_AT_START if is_unicode_still else (*READ_AT_START, *LOCALE)
    return sys.platform == "linux" and is_plain and not any(name.startswith(matters) for name in changed)


def fork_with(path: str) -> None:
    """Allow processes whose PYTHONPATH is `path` to be forked instead of started.

    The folders of the path may contain packages of games only, because a fork has already imported everything else.
    """
    _paths_of_games.add(path)


class ForkedRails(subprocess.Popen[Any]):
    """A rails-cli process forked from a template process.

    `terminal` is the path of its controlling terminal. The process runs `module`, by default rails-cli. The template
    process also imports the module `besides`.
    """

    def __init__(
        self, words: list[str], terminal: str | None = None, module: str = "rails_cli", besides: str = "", **how: Any
    ) -> None:
        self._terminal = terminal
        self._module = module
        self._besides = besides
        super().__init__(words, **how)

    def _execute_child(self, *args: object) -> None:
        """Replace fork and exec of `Popen` by a request to the template process."""
        names = list(inspect.signature(subprocess.Popen._execute_child).parameters)[1:]  # type: ignore[attr-defined]
        how: dict[str, Any] = dict(zip(names, args, strict=True))
        ends = [how[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")]
        asked: dict[str, Any] = {
            "module": self._module,
            "words": [os.fspath(word) for word in how["args"]],
            "cwd": os.path.abspath(how["cwd"] or "."),
            "env": dict(os.environ if how["env"] is None else how["env"]),
            "is_new_session": bool(how["start_new_session"]),
            "terminal": self._terminal,
        }
        files = [given if given >= 0 else standard for standard, given in enumerate((ends[0], ends[3], ends[5]))]
        try:
            with _asking:
                loaded = _loaded(self._besides)
                socket.send_fds(loaded, [json.dumps(asked).encode()], files)
                answer = loaded.recv(32)
            assert answer, "the template process failed to start; see its output above"
            self.pid = int(answer)
            self._child_created = True
        finally:
            self._close_pipe_fds(*ends)  # type: ignore[attr-defined]


@cache
def _loaded(besides: str) -> socket.socket:
    """Start a template process that imports the module `besides`. Return a socket to the process."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_BYTES)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    with there:
        words = [sys.executable, "-m", "tests.support.forking", str(there.fileno()), besides]
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env={**AT_START, MARK: "." * MARK_BYTES},
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end() -> None:
        here.close()
        process.wait()

    atexit.register(end)
    return here


# The template process


def _load(besides: str) -> None:
    """Import everything that any rails-cli command needs, and the module `besides`.

    The installed rails-cli is imported, which may be compiled, rather than the source code in the current folder.
    """
    sys.path.append(sys.path.pop(0))
    import rails_cli
    from rails_cli.basics.numpy_import import import_numpy
    from rails_cli.games import load_face, load_game, standard_board, whole_games
    from rails_cli.logs.signing import checker

    import_numpy()  # before modules that import it with several threads
    for module in pkgutil.walk_packages(rails_cli.__path__, "rails_cli."):
        if not module.name.startswith(NEED_EXTRAS) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    if besides:
        importlib.import_module(besides)
    for name in IMPORTED_LATER:
        with suppress(ImportError):
            importlib.import_module(name)
    checker()
    for name in whole_games():
        load_game(name)
        load_face(name)
        standard_board(name)


def _copied(control: socket.socket, asked: dict[str, Any], files: list[int]) -> bool:
    """Fork a child for the request `asked`. Return True in the child and False in the template process.

    `files` are the descriptors for standard input, output and error of the child. The template process forks an
    intermediate process, which forks the child and exits. So the child is reparented to the test process.
    """
    reading, writing = os.pipe()
    between = os.fork()
    if between:
        os.close(writing)
        os.waitpid(between, 0)
        control.send(os.read(reading, 32))
        for file in (reading, *files):
            os.close(file)
        return False
    child = os.fork()
    if child:
        os.write(writing, str(child).encode())
        os._exit(0)
    os.close(reading)
    os.close(writing)
    control.close()
    if asked["is_new_session"]:
        os.setsid()
    if asked["terminal"] is not None:
        # The first terminal opened in a new session becomes the controlling one.
        os.close(os.open(asked["terminal"], os.O_RDWR))
    for standard, file in enumerate(files):
        os.dup2(file, standard)
    for file in files:
        os.close(file)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    _show_mark(os.environ.get(MARK, ""))
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.path.insert(0, asked["cwd"])
    if os.environ.get(PATH) != AT_START.get(PATH):
        _find_games_in(os.environ.get(PATH, ""))
    sys.argv = ["rails-cli", *asked["words"]]
    _util.spawnv_passfds = _copy_instead
    _modules.append(asked["module"])
    return True


def _find_games_in(path: str) -> None:
    """Add the folders of the PYTHONPATH `path` to the import path of this process.

    Also clear the caches of the games found before, so that games in these folders are found.
    """
    from rails_cli import games

    sys.path[1:1] = [folder for folder in path.split(os.pathsep) if folder and folder not in sys.path]
    for function in vars(games).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def _copy_instead(path: str, words: list[str], kept: Sequence[int]) -> int:
    """Fork this process instead of starting a new Python for `multiprocessing`.

    `multiprocessing` starts a new Python, for example, for its fork server. A fork is faster, because it has already
    imported the modules of workers. A fork loses threads and locks. So if this process has other threads or an open
    database, start a new Python after all.

    `path`, `words` and `kept` are the arguments of `multiprocessing.util.spawnv_passfds`. Return the id of the new
    process.
    """
    if threading.active_count() > 1 or words[-2] != "-c" or _has_open_database():
        return int(_start_python(path, words, kept))
    if child := os.fork():
        return child
    code = 1
    try:
        _forget_all_but({0, 1, 2, *map(int, kept)})
        exec(words[-1], {"__name__": "__main__"})
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)


def _has_open_database() -> bool:
    files = Path("/proc/self/fd")
    return any(".sqlite" in os.readlink(files / name) for name in os.listdir(files) if (files / name).is_symlink())


def _forget_all_but(kept: set[int]) -> None:
    """Close all files except `kept`, and reset signals, standard files, warnings and `multiprocessing`."""
    for file, following in pairwise([*sorted(kept), os.sysconf("SC_OPEN_MAX")]):
        if file + 1 < following:
            os.closerange(file + 1, following)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    for option in filter(None, os.environ.get("PYTHONWARNINGS", "").split(",")):
        action, message, *_ = option.split(":")
        warnings.filterwarnings(action, message)  # type: ignore[arg-type]
    owns: list[Any] = [forkserver._forkserver, resource_tracker._resource_tracker]
    for own in owns:  # they may be half initialised in a fork
        own.__init__()


def _show_mark(mark: str) -> None:
    """Set the variable RAILS_TEST to `mark` in /proc/self/environ, where tests look for processes left running."""
    place = Path("/proc/self/environ").read_bytes().index(f"{MARK}={'.' * MARK_BYTES}".encode()) + len(MARK) + 1
    start = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[ENV_START])
    assert len(mark.encode()) <= MARK_BYTES
    ctypes.memmove(start + place, mark.encode().ljust(MARK_BYTES, b"\0"), MARK_BYTES)


def _serve(control: socket.socket, besides: str) -> bool:
    """Handle requests for forks until the socket is closed.

    Return True in a forked child and False in the template process.
    """
    atexit.register(_leave)  # registered first, so called last
    _load(besides)
    gc.collect()
    gc.freeze()
    while True:
        message, files, _, _ = socket.recv_fds(control, MOST_BYTES, 3)
        if not message:
            return False
        if _copied(control, json.loads(message), files):
            return True


def _become(module: str) -> None:
    """Run `module` as the main program of this process."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _exit_codes.append((end.code or 0) & 0xFF)
        raise


def _leave() -> None:
    """Exit the process without freeing each object, which would take long. This is the last exit handler to run."""
    if _exit_codes:
        with suppress(OSError, ValueError):  # the interpreter reports them
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(_exit_codes[0])


if __name__ == "__main__" and _serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2]):
    _become(_modules[0])
