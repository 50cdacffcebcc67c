"""Bot processes on an event loop."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rails_cli.programs.limits import NO_LIMITS, BotLimits
from rails_cli.programs.starting import new_mark, prepare_start
from rails_cli.programs.tree import GRACE_S, ProcessTree
from rails_cli.protocol.messages import MAX_LINE


async def start(
    command: Sequence[str],
    *,
    limits: BotLimits = NO_LIMITS,
    hides: Sequence[Path] = (),
    keeps_stderr: bool = False,
) -> tuple[Process, ProcessTree]:
    """Start a process of a bot. Raises OSError, NoSandbox or NoUser."""
    command, how, tree = prepare_start(command, new_mark(), limits, hides=hides)
    if not keeps_stderr:
        how["stderr"] = None
    with tree.starting():
        process = await asyncio.create_subprocess_exec(*command, limit=MAX_LINE, **how)
    tree.begin(process.pid)
    return process, tree


async def end(process: Process, tree: ProcessTree) -> None:
    """Kill a bot and everything it started, and read the rest of its output, which is open until then."""
    with suppress(OSError):  # too many open files
        await asyncio.to_thread(tree.close, is_running=process.returncode is None)
    await drain(process)


async def drain(process: Process) -> None:
    """Wait up to GRACE_S seconds for a bot to end. Its output must be read for that."""
    assert process.stdout is not None
    with suppress(TimeoutError):
        async with asyncio.timeout(GRACE_S):
            while await process.stdout.read(MAX_LINE):
                pass
            await process.wait()
