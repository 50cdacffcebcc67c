"""`rails-cli ask`: Ask a bot a question from a logged game again."""

import shlex
import sys
from contextlib import closing
from io import BytesIO
from typing import Annotated, Any, BinaryIO

import click

from rails_cli.basics.settings import setting
from rails_cli.commands import FAILED, leave_on_signals, print_json, print_lines, print_wrapped, reported
from rails_cli.commands.check_bot import TRANSCRIPT_FILE, check_command, transcriber
from rails_cli.commands.logs import log_errors, name_of, whole_log
from rails_cli.commands.options import POSITIVE, cli_command
from rails_cli.commands.parameters import BotCommand, Json, LogArgument
from rails_cli.commands.seating import StartUp
from rails_cli.games import load_face
from rails_cli.games.decision import LocalLookahead, decision_at
from rails_cli.games.faces.choices import words_of
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.text import printable
from rails_cli.logs.reading import Log, read_log
from rails_cli.programs.limits import BotLimits
from rails_cli.programs.process import BotProcess
from rails_cli.programs.stderr import STDERR_LIMIT
from rails_cli.study.analysis.answers import judge_answer, judgement_words
from rails_cli.study.analysis.judging import LOOKS
from rails_cli.study.asking import AskResult, CannotAsk, Question, ask, question_at

MOST_LINES = 200
"""Maximum number of stderr lines of a bot that are printed."""
LONGEST_ANSWER = 500
"""Maximum number of characters of an answer that are printed."""
LOST_CODES = ("disconnect", "too_slow")
DID_NOT_FAIL_AGAIN = (
    "It did not fail this time. If the bot is unchanged: in the game its process had answered earlier questions, and "
    "may have had other limits, another environment or less time."
)


class TranscribedBot(BotProcess):
    """A bot process whose messages, in both directions, are written to a transcript file."""

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


@cli_command
def command(
    *,
    log_file: LogArgument,
    at: Annotated[
        int, setting("Ask in the position after action N; 0 is the set-up, -1 the last action.", metavar="N")
    ],
    wait_s: Annotated[
        float | None,
        setting("Time limit for the answer.  [default: the game's clock]", metavar="SECONDS", type=POSITIVE),
    ] = None,
    start_up_s: StartUp = 20,
    limits: BotLimits,
    transcript_file: Annotated[
        BinaryIO | None,
        setting("Write all lines to this file: > to the bot, < from the bot.", "--transcript", type=TRANSCRIPT_FILE),
    ] = None,
    looks: Annotated[
        int, setting("How deeply to search to judge the answer; 0: do not judge.", metavar="N", least=0, most=100_000)
    ] = LOOKS,
    as_json: Json = False,
    bot: BotCommand = (),
) -> None:
    """Ask a bot a question from a game again. LOG is a file, a saved game, last, or - for standard input.

    The bot is started and sent one request: the one after action N, with all events so far and the time left as logged.
    A bot that is restarted in the middle of a game gets the same request. Its answer is shown with its time and stderr.
    Then comes the judgement of `analyse`: the chance of winning, the rank among the possible answers, and the best
    move. Exits with 0 if the answer is legal, and with 3 if the bot failed: it crashed, was too slow, or its answer was
    rejected.

    N counts actions, as in logs, faults, `replay` and `analyse`. To ask for action 43 again, give 42. Commands named in
    the log are never run.

    \b
    Examples:
      rails-cli ask game.jsonl --at 42 -- python3 mybot.py
      rails-cli ask game.jsonl --at -2 --wait 600 -- ./bot --verbose
      rails-cli ask game.jsonl --at 42 --json --transcript lines.txt -- node bot.js
    """
    with log_errors(log_file), reported(CannotAsk, option="--at"):
        log = read_log(whole_log(log_file))
        question = question_at(log, at)
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
    lines = [printable(line.expandtabs(4)) for line in stderr]
    shown = AskReport(log, question, asked, lines, is_stderr_cut=is_long, looks=looks)
    if as_json:
        print_json(shown.as_object())
    else:
        shown.tell(name_of(log_file))
    sys.exit(0 if shown.is_legal else FAILED)


class AskReport:
    """A report about the answer of a bot to a question from a log. It can be printed as text or JSON."""

    def __init__(
        self, log: Log, question: Question, asked: AskResult, stderr: list[str], *, is_stderr_cut: bool, looks: int
    ) -> None:
        self.question, self.asked, self.stderr, self.is_stderr_cut = question, asked, stderr, is_stderr_cut
        self.names = [printable(player.name) for player in log.header.players]
        game, board = question.left.match.game, question.left.match.board
        lookahead = LocalLookahead(game, board, asked.state, question.seat)
        face = load_face(game.name)
        self.decision = decision_at(lookahead, game, face, game.wire_board(board), board, self.names)
        self.prompt = face.prompt(self.decision).asks
        self.judgement = (
            judge_answer(self.decision, asked.action, looks) if looks and asked.action is not None else None
        )

    @property
    def is_legal(self) -> bool:
        return self.asked.action is not None and len(self.asked.answers) == 1

    @property
    def did_not_fail_again(self) -> bool:
        """Whether the bot has given a legal answer now, but crashed or was too slow in the logged game."""
        return self.asked.action is not None and any(fault.code in LOST_CODES for fault in self.question.faults)

    def as_object(self) -> dict[str, Any]:
        asked, played = self.asked, self.question.played
        faults = [{"code": fault.code, "message": fault.message} for fault in self.question.faults]
        return {
            "game": self.decision.game.name,
            "at": self.question.number - 1,
            "number": self.question.number,
            "request": asked.request,
            "seat": self.question.seat,
            "player": self.names[self.question.seat],
            "question": self.prompt,
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
            "judgement": self.judgement,
            "did_not_fail_again": self.did_not_fail_again,
            "stderr": self.stderr,
        }

    def tell(self, file: str) -> None:
        asked, seat = self.asked, self.question.seat
        print_wrapped(
            f"{file}, action {self.question.number} (request {asked.request}): seat {seat + 1}, {self.names[seat]}",
            f"Question: {self.prompt} ({count_phrase(len(self.decision.legal), 'choice')})",
            f"In the game: {self._logged()}",
        )
        for answer in asked.answers:
            line = answer.line.decode(errors="replace")[:LONGEST_ANSWER]
            print_wrapped(f"Answer after {answer.seconds * 1000:.1f} ms: {line}")
            if answer.code:
                print_wrapped(f"  rejected: {answer.code}: {answer.message}")
        if asked.action is not None:
            print_wrapped(f"{'Legal' if self.is_legal else 'Then legal'}: {self._action_words(asked.action)}")
            if self.judgement is not None:
                print_wrapped(judgement_words(self.decision, self.judgement))
        elif not asked.answers or not asked.answers[-1].code:
            print_wrapped(f"No answer: {asked.code}: {asked.message}")
        if self.did_not_fail_again:
            print_wrapped(DID_NOT_FAIL_AGAIN)
        if self.stderr:
            is_cut = self.is_stderr_cut or len(self.stderr) > MOST_LINES
            print_lines("The end of its stderr:" if is_cut else "Its stderr:")
            print_lines(*(f"  {line}" for line in self.stderr[-MOST_LINES:]))

    def _action_words(self, action: Any) -> str:
        return words_of(self.decision, self.decision.listed(action))

    def _logged(self) -> str:
        words = [f"{fault.code}: {fault.message}" for fault in self.question.faults]
        played = self.question.played
        if played is None:
            return "; ".join([*words, "not answered in the log"])
        took = f" after {played.ms} ms" if played.ms is not None and not played.default else ""
        return "; ".join([*words, f"{self._action_words(played.action)}{took}"])
