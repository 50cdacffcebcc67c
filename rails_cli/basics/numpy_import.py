"""Import of numpy with one thread. The import takes 0.1 s, so callers delay it until they need numpy."""

import os
import sys

_THREADS = "OPENBLAS_NUM_THREADS"


def import_numpy() -> None:
    """Import numpy with one BLAS thread.

    Do nothing if numpy is imported already. If the user has set the number of threads, also do nothing: a later import
    of numpy uses the number of the user.

    Ratings and value networks need only small matrices. While other processes keep the cores busy, a computation with
    several threads takes ten times as long as with one.
    """
    if "numpy" in sys.modules or _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"  # read while the library is loaded
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[_THREADS]  # programs started later do not inherit it
