"""The tables of observations in docs/LEARNING.md, and a hash of games played in batches.

A table stands below a line `<!-- fields: GAME/PLAYERS -->`. `python -m tests.support.observations --write` updates all
of them.
"""

import re
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

from rails_cli.games import game_names
from rails_cli.library import Engine
from rails_cli.library.spaces import Space

PAGE = Path(__file__).parent.parent.parent / "docs" / "LEARNING.md"
TABLE = re.compile(r"(<!-- fields: (\w+)/(\d) -->\n\n)((?:\|.*\n)*)")


def general_name(name: str) -> str:
    """Return the name of a field with N instead of a seat, and X instead of a company or city."""
    parts = re.sub(r"\+\d", "+N", name).split(".")
    if len(parts) == 3 or (len(parts) == 2 and parts[0] == "track"):
        parts[1] = "X"
    return ".".join(parts)


def table(space: Space) -> str:
    """Return the fields of a space as a table in Markdown. Fields of several seats, companies or cities are one row."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for field in space.fields:
        groups.setdefault(general_name(field.name), []).append((field.length, field.meaning))
    rows = ["| field | numbers | meaning |", "| --- | --- | --- |"]
    for name, fields in groups.items():
        length, meaning = fields[0]
        assert set(fields) == {(length, meaning)}, f"{name} differs between seats, companies or cities"
        numbers = f"{length}" if len(fields) == 1 else f"{len(fields)} × {length}"
        rows.append(f"| `{name}` | {numbers} | {meaning} |")
    return "".join(f"{row}\n" for row in rows)


def filled(page: str) -> str:
    """Return the text of a page with all its tables up to date."""
    return TABLE.sub(lambda found: found[1] + table(Engine(found[2]).space(int(found[3]))), page)


def hash_of_arrays(size: int) -> str:
    """Return a hash of the results of 30 steps in a batch of each game.

    A batch is a set of `size` games played at the same time. After each step, the hash covers the values of the first
    two games in each array of the batch.
    """
    hashed = sha256()
    for name in game_names():
        batch = Engine(name).batch(size, 3, seed=4)
        for number in range(30):
            legal = [np.flatnonzero(mask) for mask in batch.masks]
            batch.step([actions[number % len(actions)] for actions in legal])
            for array in (batch.observations, batch.masks, batch.seats, batch.rewards, batch.done, batch.scores):
                hashed.update(array[:2].tobytes())
    return hashed.hexdigest()


if __name__ == "__main__":
    written = PAGE.read_text(encoding="utf-8")
    if "--write" in sys.argv:
        PAGE.write_text(filled(written), encoding="utf-8")
    else:
        sys.exit(0 if filled(written) == written else "docs/LEARNING.md differs; use --write")
