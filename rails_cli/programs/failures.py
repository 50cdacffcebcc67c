"""Faults of a bot as reported to users, with the bot's stderr and a command that repeats the question."""

import shlex
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from rails_cli.basics.settings import flag_of
from rails_cli.games.shared.text import printable
from rails_cli.programs.limits import NO_LIMITS, BotLimits
from rails_cli.programs.process import BotProcess
from rails_cli.protocol.log import FaultLine


class Failure(msgspec.Struct, frozen=True):
    """A fault of a bot, with the last lines of its stderr.

    `number` is the number of the action in the log at which the fault occurred. `code` is a fault code. `ask` is the
    shell command that asks the bot the same question again. It is None if there is no log.
    """

    number: int
    seat: int
    code: str
    message: str
    stderr: list[str]
    ask: str | None

    def stderr_lines(self) -> list[str]:
        return ["  the end of its stderr:", *(f"    {line}" for line in self.stderr)] if self.stderr else []

    def ask_lines(self) -> list[str]:
        return [] if self.ask is None else [f"  to ask the bot again: {printable(self.ask)}"]


def failure_of(fault: FaultLine, process: BotProcess | None, spec: str | None, log: str | None) -> Failure:
    """Return a `Failure` made from a fault of the bot `process`, or of a built-in player if `process` is None.

    Also write a line about the fault to the stderr file of the bot. `spec` is the bot's command, and `log` the path of
    the log. Both are needed for the command in `Failure.ask`.
    """
    stderr, ask = [], None
    if process is not None:
        stderr = process.last_lines()
        process.notes.mark(f"action {fault.number}: {fault.code}: {fault.message}")
        if log is not None and spec is not None:
            ask = ask_command(log, fault.number, spec, limits=process.limits)
    return Failure(fault.number, fault.seat, fault.code, fault.message, stderr, ask)


def ask_command(
    log: str,
    action: int,
    command: str,
    folder: str = "",
    limits: BotLimits = NO_LIMITS,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the shell command that asks a bot the question before action number `action` of a log.

    `command` starts the bot, with `limits` and the additional environment variables `environment`. If `folder` is
    given, the shell command changes to that folder first.
    """
    words = ["rails-cli", "ask", log, "--at", str(action - 1)]
    for field in msgspec.structs.fields(BotLimits):
        limit = getattr(limits, field.name)
        if isinstance(limit, list | tuple):
            words += [word for one in limit for word in (flag_of(field), one)]
        elif limit is True:
            words.append(flag_of(field))
        elif limit != field.default:
            words += [flag_of(field), str(limit)]
    words.append("--")
    if environment:
        words += ["env", *(f"{name}={value}" for name, value in environment.items())]
    asks = f"{shlex.join(words)} {command}"
    return f"(cd {shlex.quote(folder)} && {asks})" if folder else asks
