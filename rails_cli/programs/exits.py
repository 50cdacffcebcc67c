"""Messages for users about a bot that could not be started or has ended."""

import signal
from collections.abc import Sequence

from rails_cli.programs.tree import ProcessTree

EXIT_WAIT_S = 5.0
"""Seconds to wait for the exit status of a process after its output has ended.

On a busy machine an interpreter can need more than a second to exit, and the launcher of a sandbox exits after the bot.
"""


def start_words(command: Sequence[str], error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot start {command[0]!r}: {reason}"


def end_words(tree: ProcessTree, code: int | None) -> str:
    """Return how a bot ended, or why its sandbox could not start it.

    `code` is the exit code. It is None if the bot has closed its output but still runs.
    """
    if message := tree.launcher_message() or tree.limit_message():
        return message
    if code is None:
        return "closed its end of the line"
    return f"was killed by {_signal_name(-code)}" if code < 0 else f"exited with code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
