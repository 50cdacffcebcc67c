"""Hashes of random games. The conformance suite runs this module as a program to compare two processes."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256

from rails_cli.conformance.settings import settings_of, walk

HASH_SEEDS = "1", "2", "3", "4"
"""Hash seeds of processes that must play the same game. Many sets have the same order with two hash seeds."""
FEW_HASH_SEEDS = HASH_SEEDS[:2]


def other_processes(name: str, hash_seeds: Iterable[str]) -> Iterator[subprocess.CompletedProcess[str]]:
    """Run this module in a process for each hash seed, with the argument `name`. Yield the finished processes."""
    for hash_seed in hash_seeds:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        words = [sys.executable, "-m", __name__, name]
        yield subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


def played_hash(name: str) -> str:
    """Return a hash of all positions and legal actions of two random games of `name`.

    The first game is played with the first setting of the game, the second with the last. A setting is a
    player count and options.
    """
    settings = list(settings_of([name]))
    found = sha256()
    for setting in (settings[0], settings[-1]):
        for step in walk(setting, 5, "random", {}):
            found.update(setting.game.dump(step.state) + repr(step.legal).encode())
    return found.hexdigest()


if __name__ == "__main__":
    print(played_hash(sys.argv[1]))
