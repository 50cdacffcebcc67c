"""The loop for Python bots: what it hands to a bot, what it writes, and what it passes over."""

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


def said(decide: Callable[[Request[Any, Any, Any], Start], Decision], *lines: dict[str, Any], **more: Any) -> list[Any]:
    """What a bot writes in reply to these lines."""
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
def test_answers(decision: Decision, answer: dict[str, Any]) -> None:
    lines = said(lambda request, start: decision, HELLO, start(), request(BID, {"type": "pass"}), END)
    assert lines == [{"type": "action", "number": 5, **answer}]


def test_types_are_those_of_the_game() -> None:
    """One bot serves several matches in a row, each with the words of its game."""
    seen = []

    def decide(request: Request[Any, Any, Any], start: Start) -> int:
        seen.append((start.game, request.legal, request.events))
        return 0

    drew = {"type": "drew", "seat": 0, "piece": "A4"}
    offer = {"type": "offer", "company": "Liberty"}
    said(
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


def test_what_is_new_is_passed_over() -> None:
    seen: list[Any] = []

    def decide(request: Request[Any, Any, Any], start: Start) -> int:
        seen.extend([request.legal, request.events])
        return 1

    lease = {"type": "lease", "hex": "R2"}
    storm = {"type": "storm", "hexes": ["R2"]}
    drew = {"type": "drew", "seat": 0, "piece": "A4", "from": "mix"}
    lines = said(
        decide,
        {"type": "weather", "is": "fine"},
        {**start("last_spike"), "mood": {"type": "request"}},
        {**request({"type": "play", "piece": "A3", "glory": 3}, lease, events=(storm, drew)), "hurry": True},
        {"message": "without a type"},
    )
    assert lines == [{"type": "action", "number": 5, "choice": 1}]
    assert seen == [[last_spike.Play("A3"), lease], [storm, last_spike.Drew(seat=0, piece="A4")]]


def test_a_request_that_comes_again_is_answered_again_and_tells_nothing_new() -> None:
    heard: list[Any] = []

    class Listener(Bot):
        def on_drew(self, event: last_spike.Drew) -> None:
            heard.append(event.piece)

    drew = {"type": "drew", "seat": 0, "piece": "A4"}
    talk = Conversation(Listener)
    asked = [request({"type": "pass"}, number=number, events=(drew,)) for number in (5, 5, 6)]
    answers = [talk.hear(json.dumps(line).encode()) for line in (start("last_spike"), *asked)]
    assert answers == [None, *(Answer(number, choice=0) for number in (5, 5, 6))]
    assert heard == ["A4", "A4"]


def test_a_bot_that_raises_leaves_the_default_of_what_is_open() -> None:
    """A request, and one that stays open after a rejection; nothing else wants an answer."""

    class Fragile(Bot):
        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            if request.number == 6:
                raise ZeroDivisionError
            return Bid(13)

        def rejected(self, rejection: Rejected) -> Decision:
            raise ZeroDivisionError

        def updated(self, update: Update[Any]) -> None:
            raise ZeroDivisionError

    talk = Conversation(Fragile)
    update = {"type": "update", "match": "m-1", "events": []}
    asked = [request(BID, {"type": "pass"}, number=number) for number in (5, 6)]
    assert [
        answered(talk, line) for line in (start(), asked[0], REJECTED, update, asked[1], update, REJECTED, END)
    ] == [
        None,
        Answer(5, action=Bid(13)),
        Answer(5, choice=1),
        None,
        Answer(6, choice=1),
        None,
        None,
        None,
    ]


def answered(talk: Conversation, line: dict[str, Any]) -> Join | Answer[Any] | None:
    """What is said to a line, by the bot or for one that raises."""
    try:
        return talk.hear(json.dumps(line).encode())
    except ZeroDivisionError:
        return talk.default()


def test_a_match_without_a_bot_is_played_by_defaults() -> None:
    """The bot of the match before is not asked, nor told."""
    asked: list[str] = []

    class Stillborn(Bot):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            if start.match == "m-2":
                raise ZeroDivisionError

        def decide(self, request: Request[Any, Any, Any]) -> Decision:
            asked.append(self.start.match)
            return 0

        def ended(self, end: End[Any]) -> None:
            asked.append(f"end of {self.start.match}")

    talk = Conversation(Stillborn)
    question = request(BID, {"type": "pass"})
    answers = [
        answered(talk, line)
        for match in ("m-1", "m-2", "m-3")
        for line in ({**start(), "match": match}, REJECTED, question, END)
    ]
    assert answers == [None, None, Answer(5, choice=0), None, None, None, Answer(5, choice=1), None, *answers[:4]]
    assert asked == ["m-1", "end of m-1", "m-3", "end of m-3"]
    assert [answered(talk, line) for line in ({**start(), "match": "m-2"}, question, REJECTED)] == [
        None,
        *[Answer(5, choice=1)] * 2,
    ]
    with pytest.raises(BadLine):
        answered(talk, start("chess"))
    assert answered(talk, question) is None


def test_events_say_which_seat_is_told() -> None:
    """One bot for several seats hears of everything once for each."""
    heard: list[tuple[str, int | None]] = []

    class Both(Bot):
        def told(self, event: Any) -> None:
            heard.append((event.piece, self.told_as))

    drew = {"type": "drew", "seat": 0, "piece": "A4"}
    talk = Conversation(Both)
    asked = [{**request({"type": "pass"}, number=5 + seat, events=(drew,)), "seat": seat} for seat in (0, 1)]
    for line in ({**start("last_spike"), "seat": None}, *asked, {**END, "events": [{**drew, "piece": "B1"}]}):
        talk.hear(json.dumps(line).encode())
    assert heard == [("A4", 0), ("A4", 1), ("B1", None)]


def test_join_and_callbacks() -> None:
    told: list[Any] = []
    update = {"type": "update", "match": "m-1", "events": [{"type": "passed", "seat": 1, "forced": True}]}
    lines = said(
        lambda request, start: 0,
        HELLO,
        start(),
        update,
        END,
        join=Join(name="quiet", view="none"),
        on_start=told.append,
        on_update=told.append,
        on_end=told.append,
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
    assert [type(message) for message in told] == [Start, Update, End]
    assert told[1].events[0].forced


def test_after_a_rejection_the_default_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(lambda request, start: Bid(13), start(), request(BID, {"type": "pass"}), REJECTED)
    assert [line.get("choice") for line in lines] == [None, 1]
    assert "bid 13 is below the minimum 15" in capsys.readouterr().err
    assert len(said(lambda request, start: 0, start(), {**REJECTED, "number": 4}, REJECTED)) == 0


def test_printing_does_no_harm(capsys: pytest.CaptureFixture[str]) -> None:
    def decide(request: Request[Any, Any, Any], start: Start) -> int:
        print("thinking")
        return 0

    said(decide, start(), request(BID))
    assert capsys.readouterr() == ("", "thinking\n")
