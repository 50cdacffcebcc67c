"""Hashes of random games. The conformance suite runs this module as a program to compare two processes."""

import sys
from hashlib import sha256

from rails_cli.conformance.settings import settings_of, walk


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
