"""Python processes of our own beside the server: games come first, and files in the working directory are not ours."""

import sys

RAILS_CLI = "from rails_cli.cli import main; main(prog_name='rails-cli')"


def niced(main: str, *words: str, by: int = 10, cpu_s: int | None = None) -> list[str]:
    """The command line of a process that runs `main` with these words; after `cpu_s` of work SIGXCPU ends it."""
    limits = "" if cpu_s is None else f"resource.setrlimit(resource.RLIMIT_CPU, ({cpu_s}, {cpu_s + 1})); "
    # Without -P, whatever is called msgspec.py where the server was started would be run.
    return [sys.executable, "-P", "-c", f"import os, resource; os.nice({by}); {limits}{main}", *words]
