"""Python's collector of garbage, for processes that play many games."""

import gc


def collect_seldom() -> None:
    """Positions and messages hold no cycles: to look for them as often as usual costs up to a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
