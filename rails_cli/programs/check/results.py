"""Results of checks, and experiments. An experiment compares an unusual match with a plain match."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from rails_cli.match.match import Match
from rails_cli.programs.check.checker import BotChecker, BotFault, CheckMatch, Subject, kind_in
from rails_cli.programs.check.observations import PLAIN, Delivery

FEW = 8
"""Number of answers of the bot after which a short match of a check ends."""

Grade = Literal["ok", "warning", "failed"]


class CheckResult(NamedTuple):
    """The result of one check. `message` explains a failure or a warning, or adds details to a success."""

    verdict: Grade
    message: str = ""
    stderr: Sequence[str] = ()
    """The last lines that the bot wrote to stderr, if they may explain the result."""
    fault: BotFault | None = None
    """The fault that made the check fail. None if the check succeeded or failed for another reason."""


PASSED = CheckResult("ok")
NEVER_ANSWERED = CheckResult("warning", "not checked: the bot has not answered; fix `starts` first")
"""Result of every check that was skipped because the bot has not answered any request."""


class CannotStart(Exception):
    """Raised if the command of the bot cannot be run."""


def see(topic: str) -> str:
    return f'see "{topic}" in the manual of the protocol.'


ADVICE = {
    "too_slow": "Answer every `request` within its clock: read each line as soon as it comes, and flush standard "
    f"output after each line; {see('Typical mistakes')}",
    "bad_line": f'Write one JSON object a line, such as {{"type":"action","number":1,"choice":0}}; {see("action")}',
    "illegal_action": "Answer with an entry of `legal` (a bid: an amount from `min` to `max`) or with `choice`, its "
    f"index; {see('action')}",
    "stale_request": f"Repeat the `number` of the request in its answer; {see('action')}",
    "too_long": f"End each answer with a newline, and write no line longer than `max_line`; {see('hello')}",
}
LOST_ADVICE = f"A bot must run until its input ends; {see('The life of a match')}"


def experiment(
    checker: BotChecker,
    delivery: Delivery,
    sent: str,
    advice: str,
    *,
    plan: CheckMatch | None = None,
    control: CheckMatch | None = None,
    answers: int = FEW,
) -> CheckResult:
    """Play a match with an unusual delivery or an unusual plan. If the bot fails, play a plain match for comparison.

    Return the result: only a warning if the bot fails in the plain match too. `sent` describes what is unusual, and
    `advice` says how to handle it. `control` is the plan of the plain match, `plan` by default. Each match ends after
    `answers` answers of the bot.
    """
    plan = plan or checker.base()
    is_compared = "starts" in checker.failed

    def compared() -> list[BotFault]:
        checker.observed.transcript("#", b"a plain match, to compare with")
        return checker.try_out(control or plan, answers=answers)

    plain = compared() if is_compared else []
    if is_compared and not plain:
        checker.observed.transcript("#", b"the match of this check")
    faults = [] if plain else checker.try_out(plan, delivery, answers=answers)
    if faults and not is_compared:
        plain = compared()
    if plain:
        return cannot_tell(checker, plain[0])
    return failed(faults[0], sent=sent, advice=advice) if faults else PASSED


def at_position(
    checker: BotChecker,
    wanted: Callable[[Match], bool],
    what: str,
    advice: str,
    subjects: Sequence[Subject] | None = None,
) -> CheckResult:
    """Check whether a bot answers correctly at a position for which `wanted` returns true.

    For the message about a failure, `what` describes the position, and `advice` says how to handle it. `subjects` are
    the games in which to search for the position. None means all games.
    """
    plan = checker.find(wanted, subjects)
    if plan is None:
        met = ", ".join(subject.game.name for subject in checker.subjects)
        return CheckResult("ok", f"{what} did not come up in {met}")
    name, kind = plan.subject.game.name, kind_in(plan.match())
    if (name, kind) in checker.failing_positions:
        return CheckResult("warning", f"not checked: the bot answers {kind} wrongly anyway; fix `{name}` first")
    plain = checker.plan(plan.subject, plan.players, plan.seed)
    return experiment(checker, PLAIN, f"The request had {what}", advice, plan=plan, control=plain, answers=1)


def failed(fault: BotFault, *, sent: str = "", advice: str = "", also: Sequence[BotFault] = ()) -> CheckResult:
    words = f"{sent}. In {fault.description}" if sent else f"In {fault.description}"
    more = Counter(f"{other.code} at {other.kind}" for other in also)
    if more:
        often = [f"{'once' if count == 1 else f'{count} times'} {what}" for what, count in more.most_common(4)]
        words += f" (and {', '.join(often)})"
    message = f"{words}. {advice or ADVICE.get(fault.code, LOST_ADVICE)}"
    return CheckResult("failed", message, fault.stderr, fault)


def cannot_tell(checker: BotChecker, fault: BotFault) -> CheckResult:
    if "starts" in checker.failed:
        return CheckResult("warning", "not checked: the bot does not get through a plain match; fix `starts` first")
    return CheckResult("warning", f"not checked: the bot also fails in a plain match. In {fault.description}.")
