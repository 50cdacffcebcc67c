"""Garbage collector settings for processes that play many games."""

import gc


def reduce_garbage_collection() -> None:
    """Run the garbage collector less often.

    Positions and messages have no cycles, and this saves up to 10 % of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
