"""Garbage collector settings for processes that play many games."""

import gc


def reduce_garbage_collection() -> None:
    """Make the garbage collector run less often, which saves up to 10% of the run time when many games are played."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
