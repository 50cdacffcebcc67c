"""Changes a board file by chance: something anywhere in it replaced, removed or doubled."""

from typing import Any

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def mutate(board: Any, data: st.DataObject) -> None:
    """Makes one to three changes in a decoded board file."""
    for _ in range(data.draw(st.integers(1, 3))):
        _change_a_part(board, data)


def _change_a_part(board: Any, data: st.DataObject) -> None:
    """Goes down a chance path and changes what is there."""
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
