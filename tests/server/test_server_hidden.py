"""Tests that messages of a server reveal no hidden information.

The tests play pairs of games of The Last Spike that look the same to one seat. At each position where the same seat is
to move in both games, the tests compare the messages of the two games. The response time of a player is not hidden. So
others may notice that a player passed at once because the player could not buy anything.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece
from rails_cli.match.action_history import ActionHistory
from rails_cli.match.match import Match, Snapshot
from rails_cli.protocol.common import Pass
from rails_cli.protocol.last_spike import Dealt, Play
from rails_cli.protocol.messages import Join
from rails_cli.server.net.admission import Admission
from rails_cli.server.net.websocket import Endpoint
from rails_cli.server.pages.metrics import metrics_page
from rails_cli.server.settings import ConnectionLimits
from tests.support.matches import Chance, new_match
from tests.support.rigged_lobby import Notes, Rigged

OBSERVER = 0
PLAYERS = 3
RICH = 100_000
OPTIONS = {"cash": "hidden", "non_adjacent": "free_choice"}


class Game:
    """A table with a match, and connections of the players, of spectators and of an outsider.

    The seat `OBSERVER` and the spectators get messages after each action. The other seats get messages only when they
    must answer a request.
    """

    def __init__(self, folder: Path, match: Match, delay_s: float = 0.0) -> None:
        self.rigged = Rigged(folder)
        self.match = match
        self.seats = [Notes() for _ in range(PLAYERS)]
        self.seats[OBSERVER].join = Join(push=True)
        self.watcher, self.viewer, self.outsider = Notes(), Notes(), Notes()
        self.rigged.say(
            self.outsider, type="create", game="last_spike", players=PLAYERS, options=OPTIONS, watch_delay_s=delay_s
        )
        self.id = self.outsider.received[-1]["table"]["table"]
        for connection in (*self.seats, self.watcher, self.viewer):
            self.rigged.lobby.connections.add(connection)
            kind = "sit" if connection in self.seats else "watch"
            self.rigged.say(connection, type=kind, table=self.id)
        match.header = msgspec.structs.replace(match.header, seed=None)  # so that every position is stored
        table = self.rigged.registry.tables[self.id]
        table.action_history = ActionHistory(match)
        table.start_match(match)
        self.rigged.turn.process_queues()
        self.sent(self.seats[OBSERVER])
        self.sent(self.watcher)

    def answer(self, action: Any) -> None:
        """Play `action` for the seat to move."""
        assert self.match.seat is not None
        session = self.rigged.registry.tables[self.id].session
        assert session is not None
        wanted = msgspec.to_builtins(action)
        self.rigged.say(self.seats[self.match.seat], type="action", number=session.number, action=wanted)

    def sent(self, connection: Notes) -> list[bytes]:
        """Return the messages sent to `connection` since the last call, without the random id of the table."""
        content = [each.replace(self.id.encode(), b"TABLE") for each in connection.outbox]
        connection.outbox.clear()
        return content

    def asked(self, connection: Notes, *, may_fail: bool = False, **request: Any) -> list[bytes]:
        """Send a request and return all messages that follow. Fail if any of them is an error, unless `may_fail`."""
        self.sent(connection)
        self.rigged.say(connection, **request)
        answers = self.sent(connection)
        assert may_fail or not any(b'"type":"error"' in answer for answer in answers), answers
        return answers

    def metrics(self) -> bytes:
        """Return the page `/metrics` of a server that has the lobby of this game and no open connections."""
        endpoint, never = Endpoint(), lambda who: False
        endpoint.admission = Admission(ConnectionLimits(), is_at_table=never, is_holder=never, is_banned=never)
        endpoint.dropped = Counter()
        return metrics_page(self.rigged.lobby, endpoint, None)

    def seen(self) -> dict[str, Any]:
        """Return all that the seat `OBSERVER`, spectators and outsiders have received or can request."""
        self.rigged.time += 100  # so that the rate limit allows all requests
        seen = {
            "seat": self.sent(self.seats[OBSERVER]),
            "spectator": self.sent(self.watcher),
            "list": self.asked(self.outsider, type="list"),
            "watching": self.asked(self.outsider, type="watch", table=self.id),
            "metrics": self.metrics(),
            "texts": [
                self.asked(self.seats[OBSERVER], type="again", view=form) for form in ("text", "long_text", "delta")
            ],
            "page of the seat": self.asked(self.seats[OBSERVER], type="show", ratio=2.5),
            "since": self.asked(self.seats[OBSERVER], may_fail=True, type="show", since=True),
            "page of a spectator": self.asked(self.viewer, type="show"),
        }
        self.asked(self.outsider, type="leave")
        for connection in (self.seats[OBSERVER], self.viewer):
            self.asked(connection, type="show", on=False)
        return seen


def hidden_pieces(match: Match) -> list[list[int]]:
    """Return the lists of pieces that `OBSERVER` cannot see: the hands of the other seats, and the draw pile."""
    return [hand for seat, hand in enumerate(match.state.hands) if seat != OBSERVER] + [match.state.mix]


def exchange(match: Match, wanted: int, pieces: list[int], place: int) -> None:
    """Exchange the hidden piece `wanted` with the piece at the index `place` of the list `pieces`."""
    found = next(each for each in hidden_pieces(match) if wanted in each)
    at = found.index(wanted)
    found[at], pieces[place] = pieces[place], found[at]
    for hand in match.state.hands:
        hand.sort()


def set_cash(match: Match, seat: int, cash: int) -> None:
    money = match.state.money
    money[-1] += money[seat] - cash
    money[seat] = cash


def twins(seed: int, chance: Chance) -> tuple[Match, Match]:
    """Return two matches that look the same to `OBSERVER`. In the second, the other seats have other pieces."""
    one, other = (new_match("last_spike", PLAYERS, seed, **OPTIONS) for _ in range(2))
    state = other.state.copy()
    other.restore(Snapshot(state, 0, len(other.history)))
    lists = hidden_pieces(other)
    shuffled = chance.shuffled([piece for each in lists for piece in each])
    for each in lists:
        each[:] = [shuffled.pop() for _ in each]
    names = other.board.piece_ids
    for hand in other.state.hands:
        hand.sort()
    at, dealt = next((at, event) for at, event in enumerate(other.history) if type(event) is Dealt)
    hands: list[list[str] | None] = [[names[piece] for piece in hand] for hand in other.state.hands]
    hands[OBSERVER] = dealt.hands[OBSERVER]
    other.history[at] = msgspec.structs.replace(dealt, hands=hands)
    for match in (one, other):
        for seat in range(PLAYERS):
            set_cash(match, seat, RICH)
        match.restore(match.snapshot())
    return one, other


def test_nothing_outside_a_seat_depends_on_what_is_hidden(tmp_path: Path) -> None:
    """In two games that differ only in what a seat cannot see, this seat and all outsiders get the same messages.

    In one game, other seats often cannot buy a property, so they have to pass. In the other game they could buy it but
    pass as well. So nobody can see whether a pass was forced.
    """
    seed = 2
    chance = Chance(seed)
    poor, rich = (Game(tmp_path / str(number), match) for number, match in enumerate(twins(seed, chance)))
    forced = replayed = 0
    while len(poor.match.state.mix) > 3 and poor.match.seat is not None:
        one, other = poor.match, rich.match
        assert one.seat is not None
        assert one.seat == other.seat
        seen, also_seen = poor.seen(), rich.seen()
        for what in seen:
            assert seen[what] == also_seen[what], what
        replayed += seen["since"][0].startswith(b'{"type":"since"')
        seat = one.seat
        for match, cash in ((one, RICH), (other, 2 * RICH)):
            for each in range(PLAYERS):
                if each != OBSERVER:
                    set_cash(match, each, cash)
        action = chance.pick(one.legal)
        if seat == OBSERVER:
            exchange(other, one.state.mix[-1], other.state.mix, -1)
        elif type(one.state.pending) is PlayPiece:
            assert type(action) is Play
            piece = one.board.piece_number[action.piece]
            hand = other.state.hands[seat]
            if piece not in hand:
                exchange(other, piece, hand, 0)
            other.restore(other.snapshot())
            assert action in other.legal
            set_cash(one, seat, (action.cost or 0) + chance.pick([0, RICH]))
        else:
            action = Pass()
        for game in (poor, rich):
            game.answer(action)
        if one.seat != other.seat or type(one.state.pending) is not type(other.state.pending):
            assert type(other.state.pending) is BuyOrPass
            forced += 1
            rich.answer(Pass())
    assert forced > 2
    assert replayed > 2


def test_the_spectator_delay_hides_how_many_actions_were_played(tmp_path: Path) -> None:
    game = Game(tmp_path, new_match("last_spike", PLAYERS, 1, **OPTIONS), delay_s=60)

    def shown() -> list[int]:
        """Return the numbers of actions that a client outside the game sees: from `list`, `watch` and `/metrics`.

        `watch` is used only while the game is running.
        """
        found = [json.loads(game.asked(game.outsider, type="list")[0])["tables"][0]]
        if found[0]["state"] == "playing":
            found.append(json.loads(game.asked(game.outsider, type="watch", table=game.id)[0])["table"])
            game.asked(game.outsider, type="leave")
        counted = re.search(rb"rails_moves_total (\d+)", game.metrics())
        assert counted is not None
        return [*(table["actions"] for table in found), int(counted[1])]

    def wait(seconds: float) -> None:
        game.rigged.time += seconds
        game.rigged.lobby.tick(game.rigged.time)

    for _ in range(4):
        game.answer(game.match.legal[-1])
    played = game.match.questions
    assert shown() == [0, 0, 0]
    wait(59)
    game.answer(game.match.legal[-1])
    assert shown() == [0, 0, 0]
    wait(2)
    assert shown() == [played, played, played]
    game.rigged.registry.tables[game.id].finish("interrupted")
    assert shown() == [played, played]
    wait(61)
    assert shown() == [game.match.number, game.match.questions]
