"""Encoding and decoding of messages. A message is one line of UTF-8 JSON of at most MAX_LINE bytes."""

import re
from functools import cache
from threading import RLock
from typing import Any, get_args, get_origin

import msgspec

from rails_cli.protocol.messages import MAX_INFO, MAX_LINE, Again, Answer, Join, ViewForm

MAX_DEPTH = 32
"""Largest nesting depth of lists and objects in the `info` of an answer."""

LONGEST_WORDS = 300
"""Largest number of characters in an error text. The text may quote the input."""

WHOLE_WANTED = re.compile(r"Expected `int[^`]*`, got `float`")
"""Pattern of the decoder's error text about a float in the place of an integer."""

LARGEST_WHOLE = 2**53
"""Largest absolute value up to which a float can represent every integer exactly."""

UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""Exceptions that decoding JSON from others may raise."""

_ENCODER = msgspec.json.Encoder()
LOOKING_INTO_TYPES = RLock()
"""Lock to hold while msgspec inspects a type for the first time. If two threads inspect the same type at once, msgspec
crashes.
"""


class BadLine(Exception):
    """Raised for a line that cannot be decoded. `code` is `bad_line` or `too_long`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def encode(message: Any) -> bytes:
    """Return `message` as one line of JSON that ends with a newline."""
    return _ENCODER.encode_lines((message,))


@cache
def client_decoder(action_type: Any, more: Any = Join) -> msgspec.json.Decoder[Any]:
    """Return a cached decoder for messages from a client. It decodes `join`, `again`, answers with actions of the type
    `action_type`, and the types in the union `more`.
    """
    return msgspec.json.Decoder(Join | Answer[action_type] | Again | more)


frame = _ENCODER.encode
"""Return a message as JSON without a newline, as the content of a websocket frame."""


def decode(line: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Return the message in `line`, decoded by `decoder`. The field `info` of an answer is not decoded and stays
    JSON text. Raise BadLine for an invalid line.
    """
    if len(line) > MAX_LINE:
        raise BadLine("too_long", f"the line has {len(line)} bytes; the longest allowed has {MAX_LINE}")
    try:
        message = decoder.decode(line)
    except msgspec.MsgspecError as error:
        message, words = None, str(error)
        if WHOLE_WANTED.search(words):
            message, words = _with_whole_numbers(line, decoder, words)
        if message is None:
            raise BadLine("bad_line", f"{words[:LONGEST_WORDS]}{_hint(words, decoder)}") from None
    except (RecursionError, UnicodeDecodeError) as error:
        raise BadLine("bad_line", f"cannot be read: {decoding_problem(error)}") from None
    if type(message) is Answer and message.info is not None:
        return msgspec.structs.replace(message, info=_checked_info(message.info))
    return message


def decoding_problem(error: BaseException) -> str:
    """Return why data cannot be decoded, in words that do not mention Python. `error` was raised by a decoder."""
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)


def decode_or_error(line: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Return the message in `line`, decoded by `decoder`. For an invalid line, return a BadLine exception instead of
    raising it.
    """
    try:
        return decode(line, decoder)
    except BadLine as bad:
        return bad


def decode_all(lines: bytes, decoder: msgspec.json.Decoder[Any]) -> list[Any] | None:
    """Decode all messages in `lines` at once, which is faster than one by one. Return None on failure. Each line must
    then be passed to `decode`.
    """
    if len(lines) > MAX_LINE or b"\\" in lines or b'"info"' in lines:
        return None
    try:
        messages = decoder.decode_lines(lines)
    except UNDECODABLE:
        return None
    has_one_each = lines.count(b"\n") == len(messages) == lines.count(b"}\n{") + 1  # only newlines separate them
    return messages if has_one_each else None


def _with_whole_numbers(line: bytes, decoder: msgspec.json.Decoder[Any], mistake: str) -> tuple[Any, str]:
    """Decode a line after writing floats such as `7.0` as integers. Return the message and an empty text.

    On failure, return None and an error text. If the changed line does not match the message types, the error text is
    about the changed line. After any other error, the error text is `mistake`, which is about the unchanged line.
    """
    try:
        return decoder.decode(with_whole_numbers(line)), ""
    except msgspec.ValidationError as error:
        return None, str(error)
    except (msgspec.MsgspecError, OverflowError, RecursionError, ValueError):
        return None, mistake


def with_whole_numbers(line: bytes | msgspec.Raw) -> bytes:
    """Return the JSON object in `line` with floats such as `7.0` written as `7`. The `info` field stays unchanged."""
    fields = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    return _ENCODER.encode(
        {
            name: raw if name == "info" else msgspec.Raw(_ENCODER.encode(_whole(msgspec.json.decode(raw))))
            for name, raw in fields.items()
        }
    )


def _whole(value: Any) -> Any:
    if type(value) is float and value.is_integer() and abs(value) <= LARGEST_WHOLE:
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(part) for name, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list) else value


def _hint(mistake: str, decoder: msgspec.json.Decoder[Any]) -> str:
    """Return advice for an error text, or an empty text. `mistake` is the error text of `decoder`.

    There is advice for three mistakes:
    - A bid range was sent as an action.
    - The action is unknown.
    - The form of view is unknown.
    """
    if "unknown field `min`" in mistake or "unknown field `max`" in mistake:
        return '; a bid is answered with {"type":"bid","amount":N}'
    if mistake.startswith("Invalid enum value ") and mistake.endswith(" - at `$.view`"):
        return f"; expected {', '.join(get_args(ViewForm))}"
    if mistake.startswith("Invalid value ") and mistake.endswith(" - at `$.action.type`"):
        (actions,) = (get_args(kind)[0] for kind in get_args(decoder.type) if get_origin(kind) is Answer)
        return f"; expected {', '.join(kind.__struct_config__.tag for kind in get_args(actions) or (actions,))}"
    return ""


def _is_shallow(value: Any, depth: int) -> bool:
    """Return whether lists and objects in `value` are nested at most `depth` levels deep."""
    if isinstance(value, dict):
        return depth > 0 and all(_is_shallow(part, depth - 1) for part in value.values())
    if isinstance(value, list):
        return depth > 0 and all(_is_shallow(part, depth - 1) for part in value)
    return True


def _checked_info(info: Any) -> msgspec.Raw:
    if not _is_shallow(info, MAX_DEPTH):
        raise BadLine("bad_line", f"`info` is nested deeper than {MAX_DEPTH} levels")
    try:
        written = _ENCODER.encode(info)
    except (msgspec.MsgspecError, OverflowError, RecursionError, ValueError):
        raise BadLine("bad_line", "`info` holds a value that cannot be kept in a log") from None
    if len(written) > MAX_INFO:
        raise BadLine("too_long", f"`info` has {len(written)} bytes; at most {MAX_INFO} are kept")
    return msgspec.Raw(written)
