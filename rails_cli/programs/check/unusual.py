"""Checks that send a bot unusual but valid messages, or deliver messages in unusual ways."""

import json
from dataclasses import replace
from typing import Any

import msgspec

from rails_cli.games.plain import union_members
from rails_cli.match.match import Match
from rails_cli.programs.check.checker import BotChecker
from rails_cli.programs.check.observations import PLAIN, Delivery, as_object, shown
from rails_cli.programs.check.results import PASSED, CheckResult, at_position, experiment, see
from rails_cli.protocol.common import BidRange

NAMES = ('Zoë "Z" O\'Neil', "{[brace]}", "back\\slash \\n \\", "new\nline\ttab", "東京 🚂", '"}],{"')
LETTERS = ("Zoë", "東京", "🚂 steam", "Łódź", "naïve", "Ünïcode")
NEW_MESSAGE = b'{"type":"weather","match":"b6f0a1c94e27d835","sky":"grey","wind":[3,"NW"]}\n'
PADDING = 600_000
"""Number of bytes added to a request to make its line long."""


def one_choice(checker: BotChecker) -> CheckResult:
    advice = f"A request with one entry wants an answer like any other; {see('request')}"
    return at_position(checker, lambda match: len(match.legal) == 1, "a legal list with one entry", advice)


def narrow_bid(checker: BotChecker) -> CheckResult:
    advice = f"The lowest and the highest bid of a range are both legal; {see('action')}"

    def is_narrow(match: Match) -> bool:
        entry = match.legal[0]
        return type(entry) is BidRange and entry.min == entry.max

    with_bids = [subject for subject in checker.subjects if BidRange in union_members(subject.game.entry_type)]
    return at_position(checker, is_narrow, "a bid range with `min` equal to `max`", advice, with_bids)


def unknown_fields(checker: BotChecker) -> CheckResult:
    sent = "All messages, and their views, clocks and events, had a new field called `new_field`"
    advice = f"Ignore fields you do not know; {see('Versions')}"
    return experiment(checker, Delivery(rewrite=with_new_fields), sent, advice)


def unknown_events(checker: BotChecker) -> CheckResult:
    sent = 'The events held {"type":"weather_changed",...}, a type that does not exist yet'
    advice = f"Ignore events you do not know; {see('Versions')}"
    return experiment(checker, Delivery(rewrite=with_new_events), sent, advice)


def unknown_message(checker: BotChecker) -> CheckResult:
    sent = f"{shown(NEW_MESSAGE)} was sent before every message"
    advice = f"Ignore messages of a type you do not know; {see('Versions')}"
    return experiment(checker, Delivery(before=NEW_MESSAGE), sent, advice)


def layout(checker: BotChecker) -> CheckResult:
    sent = "Messages had their keys in a different order, and white space between their parts"
    advice = f"Read lines with a JSON parser; {see('The life of a match')}"
    return experiment(checker, Delivery(rewrite=reformatted), sent, advice)


def long_line(checker: BotChecker) -> CheckResult:
    sent = f"A request was {PADDING // 1000} kB long"
    advice = f"A line may have up to `max_line` bytes, as `hello` tells: read on to the newline; {see('hello')}"
    dress = with_spaces if "unknown_fields" in checker.failed else with_padding
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
    return experiment(checker, Delivery(split=small_pieces, wake_s=wake_s(checker)), sent, advice, answers=1)


def one_write(checker: BotChecker) -> CheckResult:
    sent = "`hello`, `start` and a `request` came in one write"
    advice = f"One read may return several lines: handle them one by one; {see('The life of a match')}"
    return experiment(checker, Delivery(together=True, wake_s=wake_s(checker)), sent, advice, answers=3)


def split_letters(checker: BotChecker) -> CheckResult:
    sent = "Lines came in pieces that end inside a multi-byte character"
    advice = f"Collect bytes up to the newline, and only then decode the line as UTF-8; {see('The life of a match')}"
    delivery = Delivery(split=cut_letters, pause_s=0.04, wake_s=wake_s(checker))
    return experiment(checker, delivery, sent, advice, plan=replace(checker.widest(), names=LETTERS), answers=2)


def wake_s(checker: BotChecker) -> float:
    """Return the seconds after which a new process of the bot should be reading, estimated from earlier starts."""
    known = checker.observed.first_ms
    return 0.05 + 1.5 * max(known) / 1000 if known else 1.0


UNUSUAL_CHECKS = (
    one_choice, narrow_bid, unknown_fields, unknown_events, unknown_message, layout, long_line, names, rejected,
    repeated_request, slow_pipe, one_write, split_letters,
)  # fmt: skip


# Unusual but valid ways to write a line, and to split it into pieces


def with_new_fields(line: bytes) -> bytes:
    """Return the message `line` with an unknown field added to it, and to its view, clock, board and events.

    Entries of `legal` are not changed, because bots may send them back.
    """
    message = as_object(line)
    news = {"deep": [1, None, True, "text"]}
    for inner in (message, message.get("view"), message.get("clock"), message.get("board"), *message.get("events", [])):
        if isinstance(inner, dict):
            inner["new_field"] = news
    return msgspec.json.encode(message) + b"\n"


def with_new_events(line: bytes) -> bytes:
    """Return the message `line` with an event of an unknown type added before and after its events."""
    message = as_object(line)
    if "events" in message:
        news = {"type": "weather_changed", "sky": "grey", "wind": [3, "NW"]}
        message["events"] = [news, *message["events"], news]
    return msgspec.json.encode(message) + b"\n"


def with_padding(line: bytes) -> bytes:
    """Return a request with an additional unknown field, whose value is a long text.

    Return other messages unchanged.
    """
    message = as_object(line)
    if message["type"] != "request":
        return line
    return msgspec.json.encode({**message, "padding": "x" * PADDING}) + b"\n"


def with_spaces(line: bytes) -> bytes:
    """Return a request with a lot of additional white space. Return other messages unchanged."""
    return line.replace(b"{", b"{" + b" " * PADDING, 1) if as_object(line)["type"] == "request" else line


def reformatted(line: bytes) -> bytes:
    """Return a message in another form: keys in reverse order, extra white space, and escaped non-ASCII letters."""
    return json.dumps(_backwards(as_object(line)), separators=(" ,\t", " :  ")).encode() + b" \n"


def _backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _backwards(inner) for key, inner in reversed(value.items())}
    if isinstance(value, list):
        return [_backwards(inner) for inner in value]
    return value


def small_pieces(line: bytes) -> list[bytes]:
    """Split a line and return the pieces: single bytes at both ends, and a few larger pieces between them."""
    head, tail = range(len(line))[:8], range(len(line))[8:][-4:]
    return _cut(line, [*head, *range(len(line))[8 : -4 : max(1, len(line) // 6)], *tail])


def cut_letters(line: bytes) -> list[bytes]:
    """Split a line inside each character of more than one byte, and return the pieces."""
    return _cut(line, [0, *(place for place, byte in enumerate(line) if byte & 0xC0 == 0x80)])


def _cut(line: bytes, places: list[int]) -> list[bytes]:
    return [line[start:end] for start, end in zip(places, [*places[1:], len(line)], strict=True)]
