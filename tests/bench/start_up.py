"""Start-up time of the program."""

import subprocess
import sys
import time

from tests.bench.measure import interleaved, show


def main() -> None:
    def starts(*words: str) -> int:
        for _ in range(5):
            subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        return 5

    rates = interleaved(
        {
            "python -c 'import click'": lambda: starts("-c", "import click"),
            "rails-cli --version": lambda: starts("-m", "rails_cli", "--version"),
        },
        clock=time.perf_counter,
    )
    show("Starts per second", rates, "python -c 'import click'", at_least=1 / 1.2)
