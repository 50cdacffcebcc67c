"""Random changes to board files: a part is replaced, removed or duplicated."""

from typing import Any

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def mutate(board: Any, data: st.DataObject) -> None:
    """Make one to three random changes in `board`, a decoded board file."""
    for _ in range(data.draw(st.integers(1, 3))):
        _change_random_part(board, data)


def _change_random_part(board: Any, data: st.DataObject) -> None:
    """Change a random part of `board`."""
    part = board
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if isinstance(part[key], dict | list) and data.draw(st.integers(0, 9)):
            part = part[key]
            continue
        change = data.draw(st.sampled_from(["replace", "number", "remove", "double"]))
        if change == "replace":
            part[key] = data.draw(JSON)
        elif change == "number":
            part[key] = data.draw(st.integers(-3, 10) | st.integers())
        elif change == "remove":
            del part[key]
        elif isinstance(part, list):
            part.append(part[key])
        return
