"""The games as environments of learning frameworks. The manual is docs/LEARNING.md.

Each module except `tree` needs the framework of the same name, which an extra of this package installs.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rails_cli.basics.extras import install_command
from rails_cli.games import load_numbers, whole_games
from rails_cli.library import BadArgument


@contextmanager
def needed(framework: str, extra: str) -> Iterator[None]:
    """Turn a ModuleNotFoundError in a `with` block into an ImportError that says how to install `framework`.

    `extra` is the name of the extra of this package that installs the framework.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"this adapter needs {framework} ({error}); install it with: {install_command(extra)}"
        ) from None


def check_render_mode(mode: str | None, allowed: Sequence[str]) -> None:
    """Raise BadArgument unless `mode` is None or one of `allowed`."""
    if mode is not None and not (isinstance(mode, str) and mode in allowed):
        raise BadArgument(f"render_mode: expected {' or '.join(allowed)} or None, got {mode!r}")


def learnable_games() -> list[str]:
    """Return the names of the installed games that define observations (arrays of numbers) of their positions."""
    return [name for name in whole_games() if load_numbers(name) is not None]
