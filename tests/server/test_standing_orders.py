"""Tests of standing orders: the server bids up to a limit or passes for a player, who need not be connected."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.support.rigged_lobby import Notes, Rigged
from tests.support.ws_client import Client, Json, ServerProcess, create, table_of, verified


class Bidders:
    """The connections of three players at a table of Chicago Express. The opening auction of the PRR is running."""

    def __init__(self, folder: Path, **more: Any) -> None:
        self.rigged = Rigged(folder)
        self.people = [Notes() for _ in range(3)]
        self.rigged.say(self.people[0], type="create", game="chicago_express", players=3, **more)
        self.table = self.rigged.registry.tables[self.people[0].received[-1]["table"]["table"]]
        for each, name in zip(self.people, ("Ada", "Ben", "Cyd"), strict=True):
            self.rigged.lobby.connections.add(each)
            self.rigged.say(each, type="sit", table=self.table.id, name=name)

    def order(self, seat: int, order: Json | None, number: int | None = None) -> Json:
        """Give the standing order `order` for `seat`, or cancel its order if `order` is None. Return the answer.

        If `number` is given, the order is for the request with this number.
        """
        self.rigged.say(self.people[seat], type="standing_order", order=order, number=number, ref="o")
        return next(one for one in reversed(self.people[seat].received) if one.get("ref") == "o")

    def play(self, **action: Any) -> None:
        """Play an action for the seat to move."""
        request = next(one for one in reversed(self.people[self.asked].received) if one["type"] == "request")
        self.rigged.say(self.people[self.asked], type="action", number=request["number"], action=action)

    @property
    def asked(self) -> int:
        match = self.table.match
        assert match is not None
        assert match.seat is not None
        return match.seat

    @property
    def actions(self) -> list[tuple[int, Any]]:
        """Return each bid and pass in the log as a pair: the seat, and the amount of the bid or None for a pass."""
        self.rigged.turn.files.flush()
        log = self.rigged.registry.storage.read_log(self.table.id).splitlines()
        lines = [json.loads(line) for line in log]
        return [(line["seat"], line["action"].get("amount")) for line in lines if line["type"] == "action"]

    def notices(self, seat: int) -> list[str]:
        """Return the sentences about standing orders that `seat` received, other than answers to its own requests."""
        return [one["words"] for one in self.people[seat].received if one["type"] == "order" and one["ref"] is None]


def test_bids_are_as_low_as_possible_until_the_share_is_won(tmp_path: Path) -> None:
    """With a standing order, the server bids the lowest possible amount until the share is won.

    If the seat is to move when the order arrives, the server bids at once. Only the player who gave the order receives
    messages about the order.
    """
    bidders = Bidders(tmp_path, clock="60+1")
    assert bidders.asked == 0
    answer = bidders.order(0, {"type": "bid_up_to", "limit": 14})
    assert answer["order"] == {"type": "bid_up_to", "limit": 14, "then": "ask"}
    assert answer["words"] == "Bidding for you up to $14."
    bidders.play(type="bid", amount=10)
    bidders.play(type="pass")
    assert bidders.actions == [(0, 7), (1, 10), (2, None), (0, 11)]
    bidders.play(type="pass")
    assert bidders.notices(0) == ["You won the PRR share for $11 (your limit: $14)."]
    assert not [one for other in bidders.people[1:] for one in other.received if one["type"] == "order"]
    assert verified(bidders.rigged.registry.storage.log_path(bidders.table.id)) is False


@pytest.mark.parametrize(
    ("then", "bid", "words"),
    [
        ("ask", 15, "Ben bid $15, above your limit of $14."),
        ("ask", 14, "Ben bid $14. The next bid is $15, above your limit of $14."),
        ("pass", 15, "Ben bid $15, above your limit of $14. You passed."),
    ],
)
def test_above_the_limit_the_player_is_asked_or_passes(tmp_path: Path, then: str, bid: int, words: str) -> None:
    bidders = Bidders(tmp_path)
    bidders.order(0, {"type": "bid_up_to", "limit": 14, "then": then})
    bidders.play(type="bid", amount=bid)
    bidders.play(type="pass")
    assert bidders.notices(0) == [words]
    if then == "ask":
        assert bidders.asked == 0
        assert bidders.people[0].received[-1]["type"] == "request"
    else:
        assert (0, None) in bidders.actions


def test_an_order_may_be_given_early_and_cancelled(tmp_path: Path) -> None:
    """A standing order may be given before the seat is to move. It can be cancelled and replaced.

    Two players give orders. The server bids for both until one order reaches its limit.
    """
    bidders = Bidders(tmp_path)
    assert bidders.order(1, {"type": "bid_up_to", "limit": 12})["words"] == "Bidding for you up to $12."
    assert bidders.order(2, {"type": "bid_up_to", "limit": 30})["order"]["limit"] == 30
    assert bidders.order(2, None) == {
        "type": "order",
        "table": bidders.table.id,
        "order": None,
        "words": "",
        "ref": "o",
    }
    bidders.order(2, {"type": "bid_up_to", "limit": 9, "then": "pass"})
    bidders.play(type="bid", amount=7)
    assert bidders.actions == [(0, 7), (1, 8), (2, 9)]
    bidders.play(type="pass")
    assert bidders.actions[3:5] == [(0, None), (1, 10)]
    assert bidders.notices(1) == ["You won the PRR share for $10 (your limit: $12)."]
    assert bidders.notices(2) == ["Ben bid $10, above your limit of $9. You passed."]


def test_other_messages_are_processed_while_orders_bid_against_each_other(tmp_path: Path) -> None:
    """The server processes other messages while it bids for two players against each other.

    Each bid takes longer than the server may work on one table without a pause. In a pause, a player cancels an order.
    The cancelled order makes no further bids.
    """
    bidders = Bidders(tmp_path)
    rigged = bidders.rigged
    ticks = count(2000)
    rigged.registry.now = lambda: float(next(ticks))
    for seat in (1, 2):
        bidders.order(seat, {"type": "bid_up_to", "limit": 40})
    bidders.play(type="bid", amount=7)
    for done, call in enumerate(rigged.soon):
        call()
        if done == 2:
            bidders.order(2, None)
    bids = bidders.actions
    assert bids[0] == (0, 7)
    assert bids[1:] == [(1, 8), (2, 9)][: len(bids) - 1]
    assert bidders.people[bidders.asked].received[-1]["type"] == "request"


def test_passes_until_the_auction_ends(tmp_path: Path) -> None:
    bidders = Bidders(tmp_path)
    answer = bidders.order(1, {"type": "pass_until", "until": "auction_ends"})
    assert answer["words"] == "Passing for you until this auction ends."
    bidders.play(type="bid", amount=8)
    assert bidders.actions == [(0, 8), (1, None)]
    bidders.play(type="pass")
    assert bidders.notices(1) == ["The auction has ended. Ada won the PRR share for $8."]
    bidders.play(type="pass")
    assert bidders.asked == 1  # the next auction is not affected


def test_passes_until_the_choices_change(tmp_path: Path) -> None:
    """The server passes for a player of The Last Spike while the same properties are offered.

    The player answers all other questions.
    """
    rigged = Rigged(tmp_path)
    first, second, table = rigged.seat_two()
    order = {"type": "pass_until", "until": "choices_change"}
    match = rigged.registry.tables[table].match
    assert match is not None
    people, offered, passed = [first, second], [], 0
    for _ in range(60):
        person = people[match.seat or 0]
        is_purchase = match.legal[-1].__struct_config__.tag == "pass"
        if person is first and is_purchase:
            offered.append(list(match.legal))
            rigged.say(first, type="standing_order", order=order)
        else:
            number = person.received[-1]["number"]
            rigged.say(person, type="action", number=number, choice=len(match.legal) - 1)
        passed = [one["words"] for one in first.received if one["type"] == "order"].count("Your choices have changed.")
        if passed:
            break
    assert offered
    assert passed == 1
    assert match.seat == 0
    assert list(match.legal) != offered[-1]


def test_orders_that_are_not_possible_are_refused(tmp_path: Path) -> None:
    bidders = Bidders(tmp_path)
    refusals: list[tuple[int, Json, str]] = [
        (0, {"type": "bid_up_to", "limit": 6}, "a limit of $6 is too low; expected at least $7"),
        (0, {"type": "bid_up_to", "limit": 41}, "a limit of $41 is too high; you have $40"),
        (1, {"type": "bid_up_to", "limit": 6}, "a limit of $6 is too low; expected at least $7"),
        (
            1,
            {"type": "pass_until", "until": "choices_change"},
            "you can order passes until your choices change only when you may pass",
        ),
    ]
    for seat, order, words in refusals:
        assert bidders.order(seat, order)["message"] == words
    assert bidders.order(0, {"type": "bid_up_to", "limit": 20}, number=7)["code"] == "stale_request"
    assert bidders.actions == []
    bidders.rigged.say(bidders.people[1], type="standing_order", order={"type": "bid_up_to", "limit": 10**30})
    assert bidders.people[1].received[-1]["code"] == "bad_line"
    bidders.play(type="pass")
    order = {"type": "pass_until", "until": "auction_ends"}
    assert bidders.order(0, order)["message"] == "you have already passed in this auction"
    rigged = bidders.rigged
    stranger = Notes()
    rigged.say(stranger, type="standing_order", order=None)
    assert stranger.received[-1]["code"] == "bad_request"
    spike, _, _ = rigged.seat_two()
    rigged.say(spike, type="standing_order", order={"type": "bid_up_to", "limit": 6})
    assert spike.received[-1]["message"] == "no auction is running"


def test_an_absent_player_with_an_order_keeps_the_seat_until_asked(tmp_path: Path) -> None:
    bidders = Bidders(tmp_path)
    rigged, table = bidders.rigged, bidders.table
    bidders.order(1, {"type": "bid_up_to", "limit": 12})
    rigged.lobby.disconnected(bidders.people[1])
    for _ in range(3):
        rigged.time += rigged.registry.absence_s + 1
        rigged.lobby.tick(rigged.time)
    assert table.seats[1].player is None
    bidders.play(type="bid", amount=20)
    rigged.time += rigged.registry.absence_s + 1
    rigged.lobby.tick(rigged.time)
    assert table.seats[1].has_substitute


def test_an_order_survives_a_crash_and_reports_its_end_to_a_returning_player(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as first:
        people = [Client(first.url) for _ in range(3)]
        table = table_of(create(people[0], "chicago_express", 3))
        tokens = [
            one.asked(type="sit", table=table, name=name)["token"] for one, name in zip(people, "ABC", strict=True)
        ]
        order = {"type": "bid_up_to", "limit": 14, "then": "ask"}
        assert people[1].asked(type="standing_order", order=order)["order"] == order
        first.kill()
        for one in people:
            one.close()
    with ServerProcess(tmp_path / "data") as second, Client(second.url) as first_seat:
        first_seat.asked(type="resume", token=tokens[0])
        first_seat.answer(first_seat.until("request"), action={"type": "bid", "amount": 9})
        with Client(second.url) as third_seat:
            third_seat.asked(type="resume", token=tokens[2])
            third_seat.answer(third_seat.open or third_seat.until("request"), action={"type": "pass"})
        first_seat.answer(first_seat.until("request"), action={"type": "pass"})
        first_seat.settled()
        bids = [
            (line["seat"], line["action"].get("amount")) for line in second.lines(table) if line["type"] == "action"
        ]
        assert bids[:4] == [(0, 9), (1, 10), (2, None), (0, None)]
        with Client(second.url) as absent:
            absent.asked(type="resume", token=tokens[1])
            notice = absent.until("order")
            assert (notice["order"], notice["words"]) == (None, "You won the PRR share for $10 (your limit: $14).")


def test_hints_are_refused_at_tables_without_them(tmp_path: Path) -> None:
    rigged = Rigged(tmp_path)
    person = Notes()
    rigged.say(person, type="create", game="last_spike", players=2, seats=[None, "builtin:random"], hints=False)
    assert person.received[-1]["table"]["hints"] is False
    rigged.say(person, type="sit", table=person.received[-1]["table"]["table"])
    number = next(one["number"] for one in person.received if one["type"] == "request")
    rigged.say(person, type="show", hint=True, number=number)
    assert (person.received[-1]["code"], person.received[-1]["message"]) == (
        "forbidden",
        "there are no hints at this table",
    )
