"""Build the files of a release into `dist/`, and try each of them in an empty environment.

`make dist` runs this program. It builds the man pages and a source distribution. From the source distribution it builds
a pure wheel, and a compiled wheel for each installed Python that has a C compiler and its headers. It checks the
content of the wheels. Then it installs every file into a new virtual environment, plays the demo tournament, verifies
its logs, compares the schemas and runs the given tests.
"""

import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TEST_PACKAGES = ("hatchling", "jsonschema-rs", "packaging", "pytest", "pytest-xdist")
"""Packages that the tests import, to be installed before tests run in an empty environment."""
REQUIRED = (
    *("rails_cli/py.typed", "rails_cli/cli.py", "rails_cli/protocol/PROTOCOL.md", "rails_cli/protocol/messages.py"),
    *("rails_cli/games/last_spike/board.json", "rails_cli/games/last_spike/RULES.md"),
    *(f"rails_cli/games/{game}/players/network.npz" for game in ("american_rails", "chicago_express")),
    *("rails_cli/web/table.js", "rails_cli/web/style.css", "rails_cli/web/fonts/archivo.woff2"),
    *("rails_cli/bot_templates/demo.toml", "rails_cli/game_template/pyproject.toml"),
    *(".dist-info/licenses/LICENSE", ".dist-info/licenses/rails_cli/web/fonts/LICENSE-archivo.txt"),
    *(".dist-info/licenses/rails_cli/web/fonts/LICENSE-besley.txt", ".dist-info/sboms/rails-cli.cdx.json"),
)
"""Files that every wheel must contain. A name that begins with a dot follows the name and version of the wheel."""
UNWANTED = re.compile(
    r"(^|/)(__pycache__|node_modules|\.[a-z_]+(cache|venv)|demo-output)(/|$)|\.(pyc|jsonl|map|c|o)$|(^|/)tests(/|$)"
    r"|(?<!/players/network)\.npz$"
)
"""Pattern of file names that no wheel may contain: tests, caches, logs and files made by compilers.

Files in the folders `TEMPLATES` are exempt.
"""
TEMPLATES = ("rails_cli/bot_templates/", "rails_cli/game_template/")
LARGEST_MB = {"pure": 4.5, "compiled": 9.5}
"""Largest allowed size of each kind of wheel, in megabytes. A larger wheel probably contains something by mistake."""


def content_problems(wheel: Path) -> list[str]:
    """Return the faults in the content of `wheel`, such as missing files. The list is empty if there are none."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    is_pure = wheel.name.endswith("-py3-none-any.whl")
    metadata = "-".join(wheel.name.split("-")[:2])
    found = [f"{name} is missing" for name in _expected(metadata) if name not in names]
    found += [f"{name} is unwanted" for name in names if UNWANTED.search(name) and not name.startswith(TEMPLATES)]
    tops = {name.partition("/")[0] for name in names} - {"rails_cli", f"{metadata}.data", f"{metadata}.dist-info"}
    libraries = [name for name in names if name.endswith(".so")]
    outside = tops - {name.partition("/")[0] for name in libraries}  # mypyc puts its shared libraries at the top
    found += [f"{name} is outside the package" for name in sorted(outside)]
    if is_pure == bool(libraries):
        found.append("a pure wheel contains compiled modules" if is_pure else "it contains no compiled modules")
    megabytes, most = wheel.stat().st_size / 1e6, LARGEST_MB["pure" if is_pure else "compiled"]
    if megabytes > most:
        found.append(f"it has {megabytes:.1f} MB; expected at most {most} MB")
    return found


def _expected(metadata: str) -> list[str]:
    """Return the names of the files that a wheel must contain.

    `metadata` is the name and version, such as `rails_cli-1.0`.
    """
    return [f"{metadata}{name}" if name.startswith(".") else name for name in REQUIRED]


def interpreters(versions: Sequence[str]) -> dict[str, str]:
    """Return a mapping from each of `versions` that is installed to the path of its Python."""
    found = {}
    own = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions:
        # A pyenv shim may exist for a version that is not selected, and a system Python may lack venv.
        for python in (f"python{version}", *map(str, sorted(own.glob(f"{version}*/bin/python")))):
            words = [python, "-c", "import ensurepip, sys, venv; print(sys.executable)"]
            try:
                done = subprocess.run(words, capture_output=True, text=True, check=True)
            except (OSError, subprocess.CalledProcessError):
                continue
            found[version] = done.stdout.strip()
            break
    return found


def may_compile(python: str) -> bool:
    """Return whether a C compiler is installed and the Python interpreter `python` has its C headers."""
    code = "import os, sysconfig; print(os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "True" and shutil.which(os.environ.get("CC", "cc")) is not None


def run(*words: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> None:
    """Run a command. If the command fails, exit with its output as the error message."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON", "RAILS_CLI"))}
    done = subprocess.run([*map(str, words)], cwd=cwd, env={**own, **(env or {})}, capture_output=True, text=True)
    if done.returncode:
        shown = " ".join(map(str, words))
        sys.exit(f"{shown}\n{done.stdout[-4000:]}{done.stderr[-4000:]}\nfailed with exit code {done.returncode}")


def build(pythons: Mapping[str, str], *, is_pure: bool) -> list[tuple[Path, str]]:
    """Build all files of a release. Return pairs of a file and the path of the Python with which to try the file out.

    `pythons` maps versions to paths of interpreters. If `is_pure`, build no compiled wheels.
    """
    for folder in (DIST, ROOT / "docs/_build/man"):
        shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, ".ci/docs.py")  # the man pages
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", DIST)
    (sdist,) = DIST.glob("*.tar.gz")
    first = next(iter(pythons.values()))
    made = [(sdist, first), (_wheel(sdist, first, ""), first)]
    for version, python in () if is_pure else pythons.items():
        if may_compile(python):
            made.append((_wheel(sdist, python, "1"), python))
        else:
            print(f"Python {version} has no headers or there is no C compiler, so no wheel is compiled for it.")
    return made


def _wheel(sdist: Path, python: str, compile_value: str) -> Path:
    """Build a wheel from `sdist` with the interpreter `python`, and return its path.

    RAILS_CLI_COMPILE is set to `compile_value`.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", f"{folder}/venv")
        pip = (f"{folder}/venv/bin/python", "-m", "pip", "--disable-pip-version-check")
        locked = bool(os.environ.get("RAILS_CLI_LOCKED"))  # build only with the files that .ci/wheels.txt lists
        if locked:
            run(*pip, "install", "--quiet", "--require-hashes", "--requirement", ROOT / ".ci" / "wheels.txt")
        isolation = ("--no-build-isolation",) if locked else ()
        words = ("wheel", *isolation, "--no-deps", "--no-cache-dir", "--wheel-dir", f"{folder}/wheels", sdist)
        run(*pip, *words, env={"RAILS_CLI_COMPILE": compile_value})
        (wheel,) = Path(folder, "wheels").glob("*.whl")
        shutil.copy(wheel, DIST / wheel.name)
    print(f"{wheel.name}: built in {time.monotonic() - started:.0f} s")
    return DIST / wheel.name


def try_out(file: Path, python: str, tests: Sequence[str]) -> None:
    """Install `file` into an empty environment, play the demo tournament there, and run `tests`.

    Exit if anything fails.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", folder / "venv")
        bin_folder = folder / "venv" / "bin"
        pip = (bin_folder / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
        run(*pip, "--no-cache-dir", file)
        rails = bin_folder / "rails-cli"
        path = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "XDG_STATE_HOME": str(folder / "state")}
        run(rails, "--version", cwd=folder)
        if not (folder / "venv/share/man/man1/rails-cli.1").is_file():
            sys.exit(f"{file.name}: it has no man pages")
        size = sum(part.stat().st_size for part in folder.glob("venv/lib/python*/site-packages/**/*") if part.is_file())
        (demo,) = folder.glob("venv/lib/python*/site-packages/rails_cli/bot_templates/demo.toml")
        (folder / "demo").mkdir()
        shutil.copy(demo, folder / "demo")
        run(rails, "new-bot", "python", folder / "bots" / "python", cwd=folder)
        run(rails, "tournament", "run", "demo.toml", "--output", ".", cwd=folder / "demo", env=path)
        run(rails, "verify", "--finished", "demo/logs", cwd=folder, env=path)
        run(rails, "schemas", "--write", cwd=folder, env=path)
        names = [schema.name for schema in (ROOT / "schemas").glob("*.json")]
        if any(filecmp.cmpfiles(ROOT / "schemas", folder / "schemas", names, shallow=False)[1:]):
            sys.exit(f"{file.name}: its schemas are not those of schemas/")
        if tests:
            run(*pip, *TEST_PACKAGES)
            run_tests(bin_folder / "python", folder, tests)
        print(f"{file.name}: works with {Path(python).name}; site-packages with pip has {size / 1e6:.0f} MB")


def run_tests(python: Path, folder: Path, tests: Sequence[str]) -> None:
    """Run pytest with the arguments `tests`, on the program that is installed for `python`.

    The checkout comes last in the path of modules, so that only the tests are imported from it.
    """
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    (packages / "checkout.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    words = [re.sub(r"^(--[a-z-]+=)?(tests/)", rf"\g<1>{ROOT}/\g<2>", word) for word in tests]
    own = ("--import-mode=append", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT)
    run(python, "-m", "pytest", "-q", "-n", "logical", "--dist", "worksteal", "--quick", *own, *words, cwd=folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=",".join(PYTHONS), help="versions to compile for (default: %(default)s)")
    parser.add_argument("--pure", action="store_true", help="build no compiled wheels")
    parser.add_argument("tests", nargs="*", help="tests to run with each installed file, with options after `--`")
    arguments = parser.parse_args()
    pythons = interpreters(arguments.python.split(","))
    if not pythons:
        sys.exit(f"no Python of {arguments.python} is installed here")
    made = build(pythons, is_pure=arguments.pure)
    problems = [f"{file.name}: {one}" for file, _ in made if file.suffix == ".whl" for one in content_problems(file)]
    if problems:
        sys.exit("\n".join(problems))
    for file, python in made:
        try_out(file, python, arguments.tests)
    for file, _ in made:
        print(f"{file.stat().st_size / 1e6:6.2f} MB  dist/{file.name}")


if __name__ == "__main__":
    main()
