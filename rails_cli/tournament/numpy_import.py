"""First import of numpy. It takes 0.1 s, so it happens when something is rated."""

import os
import sys

_THREADS = "OPENBLAS_NUM_THREADS"


def import_numpy() -> None:
    """Import numpy with one BLAS thread, unless it is imported already or the user chose a number of threads.

    The matrices are small and the other cores play games: on busy cores, several threads take ten times as long.
    """
    if "numpy" in sys.modules or _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"  # read while the library is loaded
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[_THREADS]  # programs started later do not inherit it
