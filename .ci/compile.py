"""A build hook of wheels. It adds a bill of materials (`.ci/sbom.py`), and the man pages if `make docs` has built them.

If RAILS_CLI_COMPILE is set, the hook also compiles two kinds of modules: with mypyc those that every move uses, and one
module written in C.

    RAILS_CLI_COMPILE=1 pip install --no-cache-dir .        these modules (takes minutes, needs a C compiler)
    RAILS_CLI_COMPILE=quick pip install --no-cache-dir .    the rules of one game, not optimised, as a quick test

Without the variable nothing is compiled. pip's cache ignores the variable, so the cache must be disabled. Compiled
modules contain no `msgspec.Struct`, because mypyc drops the keyword options of its subclasses.
"""

import os
import runpy
import shutil
import subprocess
import sysconfig
import tempfile
from importlib.metadata import version as distribution_version
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GAMES = {
    "chicago_express": (
        *("board", "moves", "state", "network", "rules", "view", "numbers"),
        *("players/tours", "players/evaluation", "players/inputs"),
    ),
    "american_rails": (
        *("board", "moves", "state", "income", "end", "rules", "view", "numbers"),
        *("players/routes", "players/candidates", "players/evaluation", "players/inputs"),
    ),
    "last_spike": (
        *("board", "state", "rules", "view", "numbers"),
        *("players/lines", "players/habits", "players/evaluation"),
    ),
}
SHARED = [f"rails_cli/games/shared/{name}.py" for name in ("auction", "hexgrid", "luck", "money")]
MATCH = [
    *("rails_cli/protocol/lines.py", "rails_cli/logs/log_file.py"),
    *("rails_cli/match/clock.py", "rails_cli/match/match.py"),
]
SERVER = ("histogram", "lobby", "net/bucket", "store/storage", "tables/registry", "tables/seat", "tables/table", "turn")
SESSION = ["rails_cli/match/session.py", *(f"rails_cli/server/{name}.py" for name in SERVER)]
"""Source files of the session, which applies the rules of a match, and of the server modules that every move uses.

The files are compiled together, because an interpreted class cannot inherit from a compiled one.
"""
SEARCH = [
    "rails_cli/library/stepping.py",
    "rails_cli/games/payoff.py",
    *(f"rails_cli/players/search/{name}.py" for name in ("outcome", "one_ply", "stopping", "tree", "playouts")),
]
GROUPS = {
    **{f"rails_cli_{game}": [f"rails_cli/games/{game}/{name}.py" for name in names] for game, names in GAMES.items()},
    "rails_cli_match": SHARED + MATCH + SESSION,
    "rails_cli_search": SEARCH,
}
"""Source files by the name of the compiled library that contains them.

Calls within a library are fast, and the libraries are compiled in parallel.
"""
SAMPLE = {
    "rails_cli_last_spike": [f"rails_cli/games/last_spike/{name}.py" for name in ("state", "rules")],
    "rails_cli_match": ["rails_cli/games/shared/luck.py", "rails_cli/match/match.py"],
}
"""Source files to compile in a quick build, by the name of the compiled library. They include calls between libraries.

There are only two libraries, because a third takes 25% more time. Each library contains the runtime of mypyc.
"""
C_SOURCES = {"rails_cli.games.expansion": "rails_cli/games/expansion.c"}
"""Source file of each module written in C, by module name. Without the compiled module the program uses numpy."""
MAN_PAGES = "docs/_build/man"


class CompileHook(BuildHookInterface):  # type: ignore[type-arg]
    """Build hook that adds a bill of materials, the man pages and the compiled modules to a wheel.

    Compiled modules are in the same folder as their sources. Python prefers them to the sources.
    """

    _made: str | None = None

    def dependencies(self) -> list[str]:
        """Return the build requirements: mypyc and everything the sources import.

        The list is empty if nothing is compiled.
        """
        return ["mypy>=2.4", "setuptools>=70", *self.metadata.core.dependencies] if _compile_mode() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        mode = _compile_mode()
        if self.target_name != "wheel":
            return
        if version == "editable":
            if mode:
                raise SystemExit("RAILS_CLI_COMPILE: an editable install follows its sources and cannot be compiled")
            return
        if (Path(self.root) / MAN_PAGES).is_dir():
            build_data["shared_data"][MAN_PAGES] = "share/man/man1"
        self._made = tempfile.mkdtemp()
        try:
            build_data["sbom_files"].append(self._bill_of_materials(is_compiled=bool(mode)))
            built = compile_modules(Path(self.root), Path(self._made), is_quick=mode == "quick") if mode else None
        except BaseException:
            shutil.rmtree(self._made)
            raise
        if built is not None:
            compiled = {str(path): str(path.relative_to(built)) for path in built.rglob("*.so")}
            build_data["force_include"].update(compiled)
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def _bill_of_materials(self, *, is_compiled: bool) -> str:
        """Write the bill of materials of the wheel to a temporary file. Return its path."""
        sbom = runpy.run_path(str(Path(self.root) / ".ci" / "sbom.py"))
        metadata = self.metadata.core
        mypyc = distribution_version("mypy") if is_compiled else None
        path = Path(self._made or "") / sbom["FILE_NAME"]
        path.write_bytes(sbom["bill_of_materials"](self.metadata.version, metadata.dependencies, mypyc))
        return str(path)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._made is not None:
            shutil.rmtree(self._made)


def _compile_mode() -> str:
    """Return the value of RAILS_CLI_COMPILE, `1` or `quick`, or an empty string if nothing is to be compiled.

    Raise SystemExit if the value is invalid.
    """
    mode = os.environ.get("RAILS_CLI_COMPILE", "")
    if mode not in ("", "0", "1", "quick"):
        raise SystemExit(f"RAILS_CLI_COMPILE is {mode!r}; expected 1, quick, 0 or nothing")
    return "" if mode == "0" else mode


def compile_modules(root: Path, folder: Path, *, is_quick: bool) -> Path:
    """Compile the sources under `root`. Return a subfolder of `folder` with the compiled modules.

    The subfolder has the same layout as the package. If `is_quick`, compile only the files in `SAMPLE`, without
    optimisation.
    """
    from mypyc.build import mypycify
    from setuptools import Distribution, Extension
    from setuptools.errors import CompileError, LinkError

    os.environ.setdefault("CC", "cc")
    if lacking := what_is_lacking():
        raise SystemExit(f"RAILS_CLI_COMPILE: {lacking}")
    groups = SAMPLE if is_quick else GROUPS
    os.chdir(root)
    link = Path("rails_cli/protocol")
    if not link.exists():  # a source distribution contains no links
        link.symlink_to("../protocol")
    options = [f"--config-file={os.devnull}", f"--cache-dir={os.devnull}", "--ignore-missing-imports"]
    if is_quick:
        options.append("--follow-imports=skip")  # types of other modules make the code faster but take 1 s to analyse
    extensions = mypycify(
        [*options, *(path for paths in groups.values() for path in paths)],
        opt_level="0" if is_quick else "3",
        debug_level="0",
        separate=[(paths, name) for name, paths in groups.items()],
        target_dir=str(folder / "c"),
    )
    extensions += [Extension(name, [path]) for name, path in C_SOURCES.items()]
    for extension in extensions:
        # Without this, floats differ in the last digit, which changes games.
        extension.extra_compile_args.append("-ffp-contract=off")
    command = Distribution({"name": "rails_cli_compiled", "ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib = str(folder / "built")
    command.build_temp = str(folder / "objects")
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    try:
        command.run()
    except (CompileError, LinkError) as error:
        raise SystemExit(f"RAILS_CLI_COMPILE: the C compiler failed: {error}") from None
    return folder / "built"


def what_is_lacking() -> str:
    """Return a sentence about the programs to install before compiling, or an empty text if nothing is missing."""
    compiler = os.environ.get("CC", "cc")
    words = [*compiler.split(), "-fsyntax-only", f"-I{sysconfig.get_path('include')}", "-x", "c", "-"]
    try:
        subprocess.run(words, input=b"#include <Python.h>\n", stderr=subprocess.DEVNULL, check=True)
    except FileNotFoundError:
        return f"there is no C compiler {compiler} here; install gcc or clang, or name yours in CC"
    except subprocess.CalledProcessError:
        return (
            f"{compiler} cannot compile a file that includes Python.h; install python3-dev, or what it is called here"
        )
    return ""


if __name__ == "__main__":
    raise SystemExit(what_is_lacking() or 0)
