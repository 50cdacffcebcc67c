"""Tests of `rails_cli.bot`: the messages passed to a Python bot, the lines that it writes, and ignored input."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from rails_cli.protocol import american_rails, last_spike
from rails_cli.protocol.bot import Bot, Conversation, Decision, run
from rails_cli.protocol.common import Bid, BidRange, Pass
from rails_cli.protocol.lines import BadLine
from rails_cli.protocol.messages import Answer, End, Join, Rejected, Request, Start, Update

HELLO = {"type": "hello", "protocol": 1, "server": "rails-cli", "max_line": 1048576}
REJECTED = {
    "type": "rejected",
    "match": "m-1",
    "number": 5,
    "code": "illegal_action",
    "message": "bid 13 is below the minimum 15",
    "strikes": 1,
    "strikes_left": 2,
}
END = {"type": "end", "match": "m-1", "scores": [3, 4], "ranks": [2, 1], "reason": "normal", "faults": [0, 0]}
BID = {"type": "bid", "min": 15, "max": 37}


def start(game: str = "american_rails") -> dict[str, Any]:
    return {
        "type": "start",
        "match": "m-1",
        "game": game,
        "rules_version": 1,
        "players": ["a", "b"],
        "seat": 0,
        "options": {},
        "clock": None,
        "board": {},
    }


def request(*legal: dict[str, Any], number: int = 5, events: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {
        "type": "request",
        "match": "m-1",
        "number": number,
        "seat": 0,
        "events": list(events),
        "view": None,
        "legal": list(legal),
        "default": len(legal) - 1,
        "clock": None,
    }


def lines_written(
    decide: Callable[[Request[Any, Any, Any], Start], Decision], *lines: dict[str, Any], **more: Any
) -> list[Any]:
    """Run a bot with the function `decide` on the messages `lines`. Return the decoded lines that the bot writes.

    Null fields are removed from the result. `more` are further arguments of `run`.
    """
    sink = io.BytesIO()
    run(decide, source=[json.dumps(line).encode() + b"\n" for line in lines], sink=sink, **more)
    answers = [json.loads(line) for line in sink.getvalue().splitlines()]
    return [{key: value for key, value in answer.items() if value is not None} for answer in answers]


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (1, {"choice": 1}),
        (Pass(), {"action": {"type": "pass"}}),
        (Bid(20), {"action": {"type": "bid", "amount": 20}}),
        (BidRange(15, 37), {"action": {"type": "bid", "amount": 15}}),
        (american_rails.Take("bank"), {"action": {"type": "take", "from": "bank"}}),
    ],
)
def test_a_decision_is_encoded_as_an_action_message(decision: Decision, answer: dict[str, Any]) -> None:
    lines = lines_written(lambda request, start: decision, HELLO, start(), request(BID, {"type": "pass"}), END)
    assert lines == [{"type": "action", "number": 5, **answer}]


def test_entries_and_events_have_the_types_of_the_game() -> None:
    """If one process plays matches of different games, legal actions and events have the types of the current game."""
    seen = []

    def decide(request: Request[Any, Any, Any], start: Start) -> int:
        seen.append((start.game, request.legal, request.events))
        return 0

    drew = {"type": "drew", "seat": 0, "piece": "A4"}
    offer = {"type": "offer", "company": "Liberty"}
    lines_written(
        decide,
        start("last_spike"),
        request({"type": "play", "piece": "A3", "cost": 4}, events=(drew,)),
        END,
        start("american_rails"),
        request(BID, offer, {"type": "take", "from": "players"}),
    )
    assert seen == [
        ("last_spike", [last_spike.Play("A3", 4)], [last_spike.Drew(seat=0, piece="A4")]),
        ("american_rails", [BidRange(15, 37), american_rails.Offer("Liberty"), american_rails.Take("players")], []),
    ]


def test_unknown_messages_fields_entries_and_events_are_ignored() -> None:
    seen: list[Any] = []

    def decide(request: Request[Any, Any, Any], start: Start) -> int:
        seen.extend([request.legal, request.events])
        return 1

    lease = {"type": "lease", "hex": "R2"}
    storm = {"type": "storm", "hexes": ["R2"]}
    drew = {"type": "drew", "seat": 0, "piece": "A4", "from": "mix"}
    lines = lines_written(
        decide,
        {"type": "weather", "is": "fine"},
        {**start("last_spike"), "mood": {"type": "request"}},
        {**request({"type": "play", "piece": "A3", "glory": 3}, lease, events=(storm, drew)), "hurry": True},
        {"message": "without a type"},
    )
    assert lines == [{"type": "action", "number": 5, "choice": 1}]
    assert seen == [[last_spike.Play("A3"), lease], [storm, last_spike.Drew(seat=0, piece="A4")]]


def test_a_repeated_request_is_answered_again_without_repeating_its_events() -> None:
    received: list[Any] = []

    class Listener(Bot):
        def on_drew(self, event: last_spike.Drew) -> None:
            received.append(event.piece)

    drew = {"type": "drew", "seat": 0, "piece": "A4"}
    conversation = Conversation(Listener)
    requests = [request({"type": "pass"}, number=number, events=(drew,)) for number in (5, 5, 6)]
    answers = [conversation.hear(json.dumps(line).encode()) for line in (start("last_spike"), *requests)]
    assert answers == [None, *(Answer(number, choice=0) for number in (5, 5, 6))]
    assert received == ["A4", "A4"]


def test_the_default_answers_an_open_request_if_the_bot_raises() -> None:
    """The default action is sent if a bot raises an exception while a request is open.

    This also holds for an exception after a rejection. If no request is open, nothing is sent.
    """

    class Fragile(Bot):
        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            if request.number == 6:
                raise ZeroDivisionError
            return Bid(13)

        def rejected(self, rejection: Rejected) -> Decision:
            raise ZeroDivisionError

        def updated(self, update: Update[Any]) -> None:
            raise ZeroDivisionError

    conversation = Conversation(Fragile)
    update = {"type": "update", "match": "m-1", "events": []}
    requests = [request(BID, {"type": "pass"}, number=number) for number in (5, 6)]
    assert [
        answer_or_default(conversation, line)
        for line in (start(), requests[0], REJECTED, update, requests[1], update, REJECTED, END)
    ] == [None, Answer(5, action=Bid(13)), Answer(5, choice=1), None, Answer(6, choice=1), None, None, None]


def answer_or_default(conversation: Conversation, line: dict[str, Any]) -> Join | Answer[Any] | None:
    try:
        return conversation.hear(json.dumps(line).encode())
    except ZeroDivisionError:
        return conversation.default()


def test_defaults_are_played_in_a_match_whose_bot_cannot_be_constructed() -> None:
    """If a bot object cannot be constructed, the default action is played at every request of this match.

    The bot object of the previous match does not get these requests.
    """
    requests: list[str] = []

    class FailsToStart(Bot):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            if start.match == "m-2":
                raise ZeroDivisionError

        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            requests.append(self.start.match)
            return 0

        def ended(self, end: End[Any]) -> None:
            requests.append(f"end of {self.start.match}")

    conversation = Conversation(FailsToStart)
    question = request(BID, {"type": "pass"})
    answers = [
        answer_or_default(conversation, line)
        for match in ("m-1", "m-2", "m-3")
        for line in ({**start(), "match": match}, REJECTED, question, END)
    ]
    assert answers == [None, None, Answer(5, choice=0), None, None, None, Answer(5, choice=1), None, *answers[:4]]
    assert requests == ["m-1", "end of m-1", "m-3", "end of m-3"]
    assert [answer_or_default(conversation, line) for line in ({**start(), "match": "m-2"}, question, REJECTED)] == [
        None,
        *[Answer(5, choice=1)] * 2,
    ]
    with pytest.raises(BadLine):
        answer_or_default(conversation, start("chess"))
    assert answer_or_default(conversation, question) is None


def test_each_event_is_delivered_with_the_seat_that_received_it() -> None:
    """A bot with several seats receives each event once for each seat.

    While the bot processes an event, its attribute `event_seat` is the seat that received the event. For events of the
    end message, `event_seat` is None.
    """
    received: list[tuple[str, int | None]] = []

    class TwoSeats(Bot):
        def handle_event(self, event: Any) -> None:
            received.append((event.piece, self.event_seat))

    drew = {"type": "drew", "seat": 0, "piece": "A4"}
    conversation = Conversation(TwoSeats)
    requests = [{**request({"type": "pass"}, number=5 + seat, events=(drew,)), "seat": seat} for seat in (0, 1)]
    for line in ({**start("last_spike"), "seat": None}, *requests, {**END, "events": [{**drew, "piece": "B1"}]}):
        conversation.hear(json.dumps(line).encode())
    assert received == [("A4", 0), ("A4", 1), ("B1", None)]


def test_a_join_message_is_sent_and_callbacks_receive_start_update_and_end() -> None:
    messages: list[Any] = []
    update = {"type": "update", "match": "m-1", "events": [{"type": "passed", "seat": 1, "forced": True}]}
    lines = lines_written(
        lambda request, start: 0,
        HELLO,
        start(),
        update,
        END,
        join=Join(name="quiet", view="none"),
        on_start=messages.append,
        on_update=messages.append,
        on_end=messages.append,
    )
    assert lines == [
        {
            "type": "join",
            "protocol": 1,
            "name": "quiet",
            "view": "none",
            "push": False,
            "push_view": False,
            "board": True,
            "undo": False,
        }
    ]
    assert [type(message) for message in messages] == [Start, Update, End]
    assert messages[1].events[0].forced


def test_the_default_is_sent_after_a_rejection(capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_written(lambda request, start: Bid(13), start(), request(BID, {"type": "pass"}), REJECTED)
    assert [line.get("choice") for line in lines] == [None, 1]
    assert "bid 13 is below the minimum 15" in capsys.readouterr().err
    assert len(lines_written(lambda request, start: 0, start(), {**REJECTED, "number": 4}, REJECTED)) == 0


def test_text_printed_by_a_bot_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    def decide(request: Request[Any, Any, Any], start: Start) -> int:
        print("thinking")
        return 0

    lines_written(decide, start(), request(BID))
    assert capsys.readouterr() == ("", "thinking\n")
