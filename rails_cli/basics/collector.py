"""Garbage collector settings for processes that play many games."""

import gc


def reduce_garbage_collection() -> None:
    """Run the garbage collector less often, which saves up to 10 % of the time of many games."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
