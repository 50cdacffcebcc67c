"""Functions that start and end bot processes on an asyncio event loop."""

import asyncio
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from rails_cli.programs.limits import NO_LIMITS, BotLimits
from rails_cli.programs.starting import new_mark, prepare_start
from rails_cli.programs.tree import GRACE_S, POLL_S, ProcessTree
from rails_cli.protocol.messages import MAX_LINE


async def start(
    command: Sequence[str], *, limits: BotLimits = NO_LIMITS, hides: Sequence[Path] = (), keeps_stderr: bool = False
) -> tuple[Process, ProcessTree]:
    """Start a bot. Return its process and its process tree. Raise OSError, NoSandbox or UserUnavailable.

    `hides` lists paths that a bot in a sandbox must not see. If `keeps_stderr`, the bot's stderr is a pipe of the
    process. Otherwise the bot writes to our own stderr.
    """
    command, how, tree = prepare_start(command, new_mark(), limits, hides=hides)
    if not keeps_stderr:
        how["stderr"] = None
    with tree.starting():
        process = await asyncio.create_subprocess_exec(*command, limit=MAX_LINE, **how)
        tree.begin(process.pid)
    return process, tree


async def end(process: Process, tree: ProcessTree) -> None:
    """Kill all processes of a bot, and discard its remaining output."""
    with suppress(OSError):  # too many open files
        await asyncio.to_thread(tree.close, is_running=process.returncode is None)
    await drain(process)


async def drain(process: Process, now: Callable[[], float] = time.monotonic) -> None:
    """Discard the output of a bot until it has exited, for at most GRACE_S seconds on the clock `now`."""
    assert process.stdout is not None
    until = now() + GRACE_S
    while now() < until:
        with suppress(TimeoutError):
            async with asyncio.timeout(POLL_S):
                while await process.stdout.read(MAX_LINE):
                    pass
                await process.wait()
                return
