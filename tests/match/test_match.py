"""Tests of `Match`: playing to the end, refused actions, snapshots, and the messages for each seat."""

import msgspec
import pytest

from rails_cli.games import game_names
from rails_cli.games.game import ALL_SEATS, PUBLIC, IllegalAction
from rails_cli.games.shared.luck import stream
from rails_cli.match.action_history import ActionHistory
from rails_cli.match.match import unique_name
from rails_cli.players.chance import choose_busy
from tests.support.matches import new_match


@pytest.mark.parametrize("name", game_names())
def test_a_match_is_played_to_its_end(name: str) -> None:
    match = new_match(name, 3, 5)
    chance = stream(1)
    while match.seat is not None:
        seat, number = match.seat, match.number
        line = match.submit(seat, choose_busy(match.legal, chance), ms=7, info={"note": 1})
        assert (line.number, line.seat, line.ms, line.info, line.default) == (number + 1, seat, 7, {"note": 1}, False)
    assert match.is_over
    assert match.legal == []
    assert match.result_line().reason == "normal"
    with pytest.raises(IllegalAction, match="the game has ended"):
        match.submit(0, None)


@pytest.mark.parametrize("name", game_names())
def test_a_refused_action_changes_nothing(name: str) -> None:
    match = new_match(name, 3, 5)
    asked = match.seat
    assert asked is not None
    before = match.result_line().digest
    with pytest.raises(IllegalAction, match=f"seat {asked} is"):
        match.submit((asked + 1) % 3, match.chosen(0))
    with pytest.raises(IllegalAction, match="is not in the legal list; it has the entries 0 to"):
        match.chosen(len(match.legal))
    with pytest.raises(IllegalAction):
        match.chosen(-1)
    assert (match.seat, match.number, match.result_line().digest) == (asked, 0, before)
    line = match.submit(asked, match.chosen(match.default), default=True)
    assert (line.number, line.default) == (1, True)


@pytest.mark.parametrize("name", game_names())
def test_a_request_can_be_encoded_later(name: str) -> None:
    """The events, view and list of legal actions of a request object do not change when the game continues."""
    match = new_match(name, 3, 7)
    chance = stream(3)
    encode = msgspec.json.encode
    requests = []
    while (seat := match.seat) is not None:
        made = (match.events_for(seat, 0), match.view_for(seat), match.legal)
        requests.append((made, encode(made)))
        match.submit(seat, choose_busy(match.legal, chance))
    assert all(encode(made) == written for made, written in requests)


@pytest.mark.parametrize("name", game_names())
def test_a_match_continues_from_a_snapshot(name: str) -> None:
    match = new_match(name, 3, 6)
    chance = stream(2)
    snapshots = []

    def play_to_the_end() -> None:
        while match.seat is not None:
            seat = match.seat
            snapshots.append(match.snapshot())
            match.submit(seat, choose_busy(match.legal, chance))

    play_to_the_end()
    first = match.history[:]
    match.restore(snapshots[len(snapshots) // 2])
    play_to_the_end()
    assert match.history != first
    assert match.events_for(ALL_SEATS, 0) == match.history
    assert len(match.events_for(PUBLIC, 10)) == len(match.history) - 10


@pytest.mark.parametrize("name", game_names())
def test_an_action_history_goes_back_to_any_action(name: str) -> None:
    """`ActionHistory` can restore the match as it was before any earlier action.

    The history stores snapshots of some positions only. It also restores the positions between two snapshots.
    """
    match = new_match(name, 3, 8)
    history, chance, digests = ActionHistory(match), stream(4), []
    while match.seat is not None:
        digests.append(match.result_line().digest)
        line = match.submit(match.seat, choose_busy(match.legal, chance))
        history.add(line.seat, line.action, line.events)
    for number in (len(digests), len(digests) // 2, 1):
        seat = history.seats[number - 1]
        assert history.last_of(seat) >= number
        back = history.go_back(number)
        assert (back.number, back.seat, back.result_line().digest) == (number - 1, seat, digests[number - 1])
        assert len(history.actions) == len(history.seats) == len(history.events) == number - 1
    assert history.last_of(0) == 0


def test_a_name_that_is_already_used_gets_a_number() -> None:
    assert unique_name("ann", ["bob", None]) == "ann"
    assert unique_name("ann", ["ann", "bob"]) == "ann 2"
    assert unique_name("ann", ["ann", "ann 2", "ann 3"]) == "ann 4"
