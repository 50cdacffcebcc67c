"""Checks that send a bot unusual but valid messages, or deliver them in unusual ways."""

from dataclasses import replace

from rails_cli.match.match import Match
from rails_cli.programs.check import odd_lines
from rails_cli.programs.check.checker import BotChecker
from rails_cli.programs.check.observations import PLAIN, Delivery, shown
from rails_cli.programs.check.results import PASSED, CheckResult, at_position, experiment, see
from rails_cli.protocol.common import BidRange

NAMES = ('Zoë "Z" O\'Neil', "{[brace]}", "back\\slash \\n \\", "new\nline\ttab", "東京 🚂", '"}],{"')
LETTERS = ("Zoë", "東京", "🚂 steam", "Łódź", "naïve", "Ünïcode")
NEW_MESSAGE = b'{"type":"weather","match":"b6f0a1c94e27d835","sky":"grey","wind":[3,"NW"]}\n'


def one_choice(checker: BotChecker) -> CheckResult:
    advice = f"A request with one entry wants an answer like any other; {see('request')}"
    return at_position(checker, lambda match: len(match.legal) == 1, "a legal list with one entry", advice)


def narrow_bid(checker: BotChecker) -> CheckResult:
    advice = f"The lowest and the highest bid of a range are both legal; {see('action')}"

    def is_narrow(match: Match) -> bool:
        entry = match.legal[0]
        return type(entry) is BidRange and entry.min == entry.max

    return at_position(checker, is_narrow, "a bid range with `min` equal to `max`", advice)


def unknown_fields(checker: BotChecker) -> CheckResult:
    sent = "All messages, and their views, clocks and events, had a new field called `new_field`"
    advice = f"Ignore fields you do not know; {see('Versions')}"
    return experiment(checker, Delivery(rewrite=odd_lines.with_new_fields), sent, advice)


def unknown_events(checker: BotChecker) -> CheckResult:
    sent = 'The events held {"type":"weather_changed",...}, a type that does not exist yet'
    advice = f"Ignore events you do not know; {see('Versions')}"
    return experiment(checker, Delivery(rewrite=odd_lines.with_new_events), sent, advice)


def unknown_message(checker: BotChecker) -> CheckResult:
    sent = f"{shown(NEW_MESSAGE)} was sent before every message"
    advice = f"Ignore messages of a type you do not know; {see('Versions')}"
    return experiment(checker, Delivery(before=NEW_MESSAGE), sent, advice)


def layout(checker: BotChecker) -> CheckResult:
    sent = "Messages had their keys in a different order, and white space between their parts"
    advice = f"Read lines with a JSON parser; {see('The life of a match')}"
    return experiment(checker, Delivery(rewrite=odd_lines.reformatted), sent, advice)


def long_line(checker: BotChecker) -> CheckResult:
    sent = f"A request was {odd_lines.PADDING // 1000} kB long"
    advice = f"A line may have up to `max_line` bytes, as `hello` tells: read on to the newline; {see('hello')}"
    dress = odd_lines.with_spaces if "unknown_fields" in checker.failed else odd_lines.with_padding
    return experiment(checker, Delivery(rewrite=dress), sent, advice, answers=2)


def names(checker: BotChecker) -> CheckResult:
    sent = f"The players had names such as {', '.join(NAMES[:3])} and {NAMES[4]}"
    advice = f"Names may contain any characters, escaped as in JSON; {see('The life of a match')}"
    plain = checker.widest()
    return experiment(checker, PLAIN, sent, advice, plan=replace(plain, names=NAMES), control=plain)


def rejected(checker: BotChecker) -> CheckResult:
    sent = "Its first answer was rejected"
    advice = f"`rejected` asks for another answer to the open request, which may be its default; {see('rejected')}"
    found = experiment(checker, Delivery(refuse=True), sent, advice, answers=2)
    if found is PASSED and checker.observed.ignores_rejections:
        return CheckResult(
            "ok", "does not answer again after a rejection; after a wrong answer it would run out of time"
        )
    return found


def repeated_request(checker: BotChecker) -> CheckResult:
    sent = "A request came again with the same number after it was answered"
    advice = f"Answer a repeated request again; {see('request')}"
    return experiment(checker, Delivery(repeat=True), sent, advice, answers=3)


def slow_pipe(checker: BotChecker) -> CheckResult:
    sent = "Lines came in small pieces with pauses between them"
    advice = f"A line ends with its newline, not where a read ends; {see('The life of a match')}"
    return experiment(checker, Delivery(split=odd_lines.small_pieces, wake_s=wake_s(checker)), sent, advice, answers=1)


def one_write(checker: BotChecker) -> CheckResult:
    sent = "`hello`, `start` and a `request` came in one write"
    advice = f"One read may return several lines: handle them one by one; {see('The life of a match')}"
    return experiment(checker, Delivery(together=True, wake_s=wake_s(checker)), sent, advice, answers=3)


def split_letters(checker: BotChecker) -> CheckResult:
    sent = "Lines came in pieces that end inside a multi-byte character"
    advice = f"Collect bytes up to the newline, and only then decode the line as UTF-8; {see('The life of a match')}"
    delivery = Delivery(split=odd_lines.split_letters, pause_s=0.04, wake_s=wake_s(checker))
    return experiment(checker, delivery, sent, advice, plan=replace(checker.widest(), names=LETTERS), answers=2)


def wake_s(checker: BotChecker) -> float:
    """Return seconds long enough for a new process to start reading."""
    known = checker.observed.first_ms
    return 0.05 + 1.5 * max(known) / 1000 if known else 1.0
