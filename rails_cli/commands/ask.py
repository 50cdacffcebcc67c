"""`rails-cli ask`: Ask a bot a question from a logged game again."""

import shlex
import sys
from contextlib import closing
from io import BytesIO
from typing import Annotated, Any, BinaryIO

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import FAILED, leave_on_signals
from rails_cli.commands.check_bot import check_command, transcriber
from rails_cli.commands.log_errors import log_errors, name_of
from rails_cli.commands.logs import whole_log
from rails_cli.commands.options import Number, with_options
from rails_cli.commands.parameters import BotCommand, Json, LogArgument
from rails_cli.commands.seating import StartUp
from rails_cli.games import load_face
from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.choices import words_of
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.text import printable
from rails_cli.logs.reading import Log, read_log
from rails_cli.programs.limits import BotLimits
from rails_cli.programs.process import BotProcess
from rails_cli.programs.stderr import STDERR_LIMIT
from rails_cli.protocol.log import FaultLine
from rails_cli.study.asking import AskResult, CannotAsk, Question, ask, question_at

MOST_LINES = 200
"""Most lines of a bot's stderr that are printed."""
LONGEST_ANSWER = 500
LOST_CODES = ("disconnect", "too_slow")
DID_NOT_FAIL_AGAIN = (
    "It did not fail this time. If the bot is unchanged: in the game its process had answered earlier questions, and "
    "may have had other limits, another environment or less time."
)


class TranscribedBot(BotProcess):
    """A bot process that writes all messages to a transcript."""

    def __init__(self, command: tuple[str, ...], file: BinaryIO | None, **settings: Any) -> None:
        super().__init__(command, **settings)
        self._note = transcriber(file)

    def post(self, line: bytes) -> None:
        self._note(">", line)
        super().post(line)

    def send(self, line: bytes, deadline: float | None) -> None:
        self._note(">", line)
        super().send(line, deadline)

    def receive(self, deadline: float | None) -> bytes:
        line = super().receive(deadline)
        self._note("<", line)
        return line


@click.command
@with_options
def command(
    *,
    log_file: LogArgument,
    at: Annotated[int, setting("Ask again for action N of the log; -1 is the last one.", metavar="N")],
    wait_s: Annotated[
        float | None,
        setting(
            "Time limit for the answer.  [default: the game's clock]", metavar="SECONDS", type=Number(0, min_open=True)
        ),
    ] = None,
    start_up_s: StartUp = 20,
    limits: BotLimits,
    transcript_file: Annotated[
        BinaryIO | None,
        setting(
            "Write all lines to this file: > to the bot, < from the bot.",
            "--transcript",
            type=click.File("wb", lazy=False),
        ),
    ] = None,
    as_json: Json = False,
    bot: BotCommand = (),
) -> None:
    """Ask a bot a question from the game logged in FILE (- for standard input) again.

    The bot is started and sent one request: the one for action N, with all events of the game so far and the time left
    as logged. A process that is restarted in the middle of a game gets the same. Its answer is shown with its time and
    its stderr. Exits with 0 if the answer is legal, and with 3 if the bot failed: it crashed, was too slow, or its
    answer was rejected.

    N counts actions, as in logs, faults, `replay` and `analyse`. Commands named in the log are never run.

    \b
    Examples:
      rails-cli ask game.jsonl --at 42 -- python3 mybot.py
      rails-cli ask game.jsonl --at -1 --wait 600 -- ./bot --verbose
      rails-cli ask game.jsonl --at 42 --json --transcript lines.txt -- node bot.js
    """
    try:
        with log_errors(log_file):
            log = read_log(whole_log(log_file))
            question = question_at(log, at)
    except CannotAsk as error:
        raise click.BadParameter(str(error), param_hint="--at") from None
    if not bot:
        hint = f"rails-cli ask {shlex.quote(str(log_file))} --at {at} -- python3 mybot.py"
        raise click.UsageError(f"no bot given; try: {hint}")
    check_command(bot, "ask", limits)
    leave_on_signals()
    kept = BytesIO()
    with closing(TranscribedBot(bot, transcript_file, stderr=kept, limits=limits)) as process:
        asked = ask(question, process, start_up_s=start_up_s, wait_s=wait_s)
        process.read_stderr()
        is_long = process.notes.size > STDERR_LIMIT
        stderr = (process.notes.last if is_long else kept.getvalue()).decode(errors="replace").splitlines()
        cannot_start = process.cannot_start
    if cannot_start:
        raise click.UsageError(cannot_start)
    shown = AskReport(log, question, asked, [printable(line.expandtabs(4)) for line in stderr], is_stderr_cut=is_long)
    if as_json:
        click.echo(msgspec.json.encode(shown.as_object()))
    else:
        shown.tell(name_of(log_file))
    sys.exit(0 if shown.is_legal else FAILED)


class AskReport:
    """The result of asking a bot, as text or JSON."""

    def __init__(
        self, log: Log, question: Question, asked: AskResult, stderr: list[str], *, is_stderr_cut: bool
    ) -> None:
        self.question, self.asked, self.stderr, self.is_stderr_cut = question, asked, stderr, is_stderr_cut
        self.names = [printable(player.name) for player in log.header.players]
        self.decision = _decision(question, asked, self.names)

    @property
    def is_legal(self) -> bool:
        return self.asked.action is not None and len(self.asked.answers) == 1

    @property
    def did_not_fail_again(self) -> bool:
        """Whether the bot answered although the log has a crash or a timeout."""
        return self.asked.action is not None and any(fault.code in LOST_CODES for fault in self.question.faults)

    def as_object(self) -> dict[str, Any]:
        asked, played = self.asked, self.question.played
        faults = [{"code": fault.code, "message": fault.message} for fault in self.question.faults]
        return {
            "game": self.decision.game.name,
            "at": self.question.number,
            "request": asked.request,
            "seat": self.question.seat,
            "player": self.names[self.question.seat],
            "question": self._asks(),
            "is_legal": self.is_legal,
            "action": asked.action,
            "answers": [
                {
                    "line": answer.line.decode(errors="replace"),
                    "ms": round(answer.seconds * 1000, 3),
                    "code": answer.code or None,
                    "message": answer.message or None,
                }
                for answer in asked.answers
            ],
            "code": asked.code or None,
            "message": asked.message or None,
            "logged": {
                "action": None if played is None else played.action,
                "default": played is not None and played.default,
                "ms": None if played is None else played.ms,
                "faults": faults,
            },
            "did_not_fail_again": self.did_not_fail_again,
            "stderr": self.stderr,
        }

    def tell(self, file: str) -> None:
        asked, seat = self.asked, self.question.seat
        print_line(
            f"{file}, action {self.question.number} (request {asked.request}): seat {seat + 1}, {self.names[seat]}"
        )
        print_line(f"Question: {self._asks()} ({count_phrase(len(self.decision.legal), 'choice')})")
        print_line(f"In the game: {self._logged()}")
        for answer in asked.answers:
            line = answer.line.decode(errors="replace")[:LONGEST_ANSWER]
            print_line(f"Answer after {answer.seconds * 1000:.1f} ms: {line}")
            if answer.code:
                print_line(f"  rejected: {answer.code}: {answer.message}")
        if asked.action is not None:
            print_line(
                f"{'Legal' if self.is_legal else 'Then legal'}: {words_of(self.decision, self._entry(asked.action))}"
            )
        elif not asked.answers or not asked.answers[-1].code:
            print_line(f"No answer: {asked.code}: {asked.message}")
        if self.did_not_fail_again:
            print_line(DID_NOT_FAIL_AGAIN)
        if self.stderr:
            print_line(
                "The end of its stderr:" if self.is_stderr_cut or len(self.stderr) > MOST_LINES else "Its stderr:"
            )
            for line in self.stderr[-MOST_LINES:]:
                print_line(f"  {line}")

    def _asks(self) -> str:
        return self.decision.face.prompt(self.decision).asks

    def _entry(self, action: Any) -> Any:
        return self.decision.listed(action)

    def _logged(self) -> str:
        told = [_fault_words(fault) for fault in self.question.faults]
        played = self.question.played
        if played is None:
            return "; ".join([*told, "not answered in the log"])
        answer = words_of(self.decision, self._entry(played.action))
        took = f" after {played.ms} ms" if played.ms is not None and not played.default else ""
        return "; ".join([*told, f"{answer}{took}"])


def _fault_words(fault: FaultLine) -> str:
    return f"{fault.code}: {fault.message}"


def _decision(question: Question, asked: AskResult, names: list[str]) -> Decision:
    game, board = question.left.match.game, question.left.match.board
    lookahead = LocalLookahead(game, board, asked.state, question.seat)
    return decision_at(lookahead, game, load_face(game.name), game.wire_board(board), board, names)


def print_line(words: str) -> None:
    click.echo(printable(words))
