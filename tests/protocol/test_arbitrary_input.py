"""Tests of readers with random input: each input is either accepted or refused with the documented error."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from rails_cli.games import game_names, load_game
from rails_cli.games.shared.luck import below, seeded, shuffle
from rails_cli.logs.verify import verify
from rails_cli.match.clock import SeatClock, read_clock
from rails_cli.protocol.lines import BadLine, client_decoder, decode, decode_all, encode
from rails_cli.protocol.log import MAX_SEED
from rails_cli.protocol.messages import Again, Answer, Join

DECODERS = [client_decoder(load_game(name).action_type) for name in game_names()]

INPUTS = 300
"""Number of random inputs of a test."""
FIELDS: dict[str, dict[str, Any]] = {
    "action": {"number": 1, "action": {"type": "pass"}, "choice": 0, "info": {"worth": [7]}},
    "join": {"protocol": 1, "name": "Zoë"},
    "again": {"view": "none"},
    "hello": {"number": 1, "action": {"type": "bid"}, "choice": 0, "info": 1, "protocol": 1, "name": "", "extra": 1},
}
"""Fields of messages, each with a usual value, by type of message."""
LETTERS = ' 09.+,/:-ams"\\\x00\n\x7fé\u2028\ud800\U0001f682'
NUMBERS = (0, -1, 1, 7, 2**31, -(2**63), 2**63, 2**64 - 1, 0.5, -0.0, 7.0, 1e-300, 1e308)


def random_text(chance: random.Random, longest: int) -> str:
    return "".join(chance.choices(LETTERS, k=chance.randint(0, longest)))


def random_json(chance: random.Random, depth: int = 0) -> Any:
    makers: list[Callable[[], Any]] = [
        lambda: chance.choice([None, True, False]),
        lambda: chance.choice(NUMBERS),
        lambda: random_text(chance, 8),
        lambda: [random_json(chance, depth + 1) for _ in range(chance.randint(0, 4))],
        lambda: {random_text(chance, 8): random_json(chance, depth + 1) for _ in range(chance.randint(0, 4))},
    ]
    return chance.choice(makers if depth < 3 else makers[:3])()


def check_that_line_is_decoded_or_refused(line: bytes) -> None:
    for decoder in DECODERS:
        try:
            message = decode(line, decoder)
        except BadLine as bad:
            assert bad.code in ("bad_line", "too_long")  # noqa: PT017
            assert str(bad)  # noqa: PT017
        else:
            assert isinstance(message, Join | Answer | Again)
            assert encode(message).count(b"\n") == 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"type":"action","number":1,"action":{"type":"bid","amount":5}}', "; expected play, sell, buy, pass"),
        (b'{"type":"again","view":"zz"}', "; expected full, none, delta, text, long_text"),
        (b'{"type":"join","a` - at `$.action.type":0}', "`$.action.type`"),
    ],
)
def test_errors_list_the_known_actions_and_forms_of_views(line: bytes, expected: str) -> None:
    with pytest.raises(BadLine) as refused:
        decode(line, client_decoder(load_game("last_spike").action_type))
    assert str(refused.value).endswith(expected)


@pytest.mark.parametrize(
    ("info", "expected"), [(b'"\xff"', "not UTF-8"), (b"[" * 5000 + b"]" * 5000, "nested too deeply")]
)
def test_errors_of_decoders_are_described_without_names_of_python(info: bytes, expected: str) -> None:
    with pytest.raises(BadLine) as refused:
        decode(b'{"type":"action","number":1,"choice":0,"info":' + info + b"}", DECODERS[0])
    assert str(refused.value) == f"cannot be read: {expected}"


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (b"%s\n", 1),
        (b"%s\n%s\n%s\n", 3),
        (b"%s %s\n", None),
        (b"%s %s\n\n", None),
        (b"\n%s%s\n", None),
        (b"%s\n\n%s %s\n", None),
        (b'{"type":"action","number":1,"action":\n{"type":"pass"}} %s\n', None),
    ],
)
def test_several_lines_are_decoded_together_only_if_each_is_one_message(lines: bytes, count: int | None) -> None:
    """`decode_all` returns None unless every line holds exactly one message."""
    read = decode_all(lines.replace(b"%s", b'{"type":"action","number":1,"choice":0}'), DECODERS[0])
    assert (read and len(read)) == count


def test_a_number_such_as_7_0_is_read_as_an_integer() -> None:
    """JSON Schema counts 7.0 as an integer. A number such as 7.5 is refused. Numbers in `info` are not converted."""
    bid = DECODERS[game_names().index("chicago_express")]
    line = b'{"type":"action","number":7.0,"action":{"type":"bid","amount":1.5e1},"info":{"worth":18.0}}'
    answer = decode(line, bid)
    assert (answer.number, answer.action.amount, bytes(answer.info)) == (7, 15, b'{"worth":18.0}')
    assert type(answer.number) is type(answer.action.amount) is int
    assert decode(b'{"type":"action","number":7,"choice":3.0}', bid).choice == 3
    assert decode(b'{"type":"join","protocol":1.0}', bid).protocol == 1
    for number in (b"7.5", b"1e300", b"-1e-300", b'"7.0"', b"[7.0]"):
        with pytest.raises(BadLine, match="number"):
            decode(b'{"type":"action","choice":1.0,"number":' + number + b"}", bid)


def test_random_bytes_are_decoded_or_refused() -> None:
    for chance in map(random.Random, range(INPUTS)):
        check_that_line_is_decoded_or_refused(chance.randbytes(chance.randint(0, 300)))


def test_random_json_objects_are_decoded_or_refused() -> None:
    for chance in map(random.Random, range(INPUTS)):
        kind, fields = chance.choice([*FIELDS.items()])
        names = chance.choice([fields, FIELDS["hello"]])
        message = {name: random_json(chance) for name in chance.sample(sorted(names), chance.randint(0, len(names)))}
        for name, usual in fields.items():
            if name in message and chance.randrange(4):
                message[name] = usual
        message["type"] = kind
        line = json.dumps(message, ensure_ascii=False).encode(errors="surrogatepass")
        check_that_line_is_decoded_or_refused(line)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"type":"action","number":1,"info":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"type":"action","number":1,"choice":0,"info":"' + b"x" * 20_000 + b'"}',
        b" " * 1_048_577,
        b'{"type":"again"}\x00',
        b"\xff\xfe",
        b"",
    ],
    ids=range(7),
)
def test_malformed_or_oversized_lines_are_refused(line: bytes) -> None:
    for decoder in DECODERS:
        with pytest.raises(BadLine):
            decode(line, decoder)


def test_a_log_of_random_bytes_is_reported_as_invalid() -> None:
    for chance in map(random.Random, range(INPUTS)):
        assert verify(chance.randbytes(chance.randint(0, 400))).mistake is not None


def test_random_clock_texts_are_read_or_refused() -> None:
    for chance in map(random.Random, range(INPUTS)):
        words = chance.choice(["", "5", "60+0.5", "10/move"]) + random_text(chance, 4)
        try:
            clock = read_clock(words)
        except ValueError as error:
            assert "60+0.5" in str(error) or "no time" in str(error) or "longer" in str(error)  # noqa: PT017
        else:
            assert clock is None or clock.bank_s is not None or clock.move_s is not None


def test_the_time_left_is_never_negative() -> None:
    for chance in map(random.Random, range(INPUTS)):
        increment, move = chance.uniform(0, 10), chance.choice(["", f",{chance.uniform(0.1, 60):.3f}/move"])
        clock = SeatClock(read_clock(f"{chance.uniform(1, 1000):.3f}+{increment:.3f}{move}"))
        used = chance.choices([0, 1, 500, 10_000, 100_000], k=chance.randint(0, 30))
        for milliseconds in used:
            budget = clock.budget_s()
            assert budget is not None
            assert budget >= 0
            clock.charge(milliseconds)
        assert clock.bank_s is not None
        assert clock.bank_s >= round(increment, 3) * bool(used)


def test_shuffling_permutes_and_random_numbers_stay_in_range() -> None:
    for chance in map(random.Random, range(INPUTS)):
        luck, size = seeded(chance.randint(0, MAX_SEED)), chance.randint(1, 60)
        mixed, after = shuffle(range(size), luck)
        assert sorted(mixed) == list(range(size))
        assert (mixed, after) == shuffle(range(size), luck)
        value, _ = below(after, size)
        assert 0 <= value < size


def test_random_numbers_are_evenly_distributed() -> None:
    luck = seeded(1)
    counts = [0] * 6
    for _ in range(6_000):
        value, luck = below(luck, 6)
        counts[value] += 1
    assert all(850 < count < 1150 for count in counts), counts
