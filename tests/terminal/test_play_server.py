"""Tests of playing at a server from a terminal: previews, steps sent together, reconnecting, clocks and errors."""

import asyncio
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import pytest
from websockets.sync.server import serve

from rails_cli.games import game_names, load_face
from rails_cli.games.decision import Decision, LocalLookahead, Lookahead, decision_at
from rails_cli.games.faces.choices import abbreviated, choices_of, preview_of
from rails_cli.games.railways.places import SHORTER_PLACES
from rails_cli.logs.reading import read_log
from rails_cli.match.match import Match
from rails_cli.protocol.chicago_express import Choose, Offer
from rails_cli.protocol.common import Bid, Pass
from rails_cli.protocol.lobby import Suppose
from rails_cli.protocol.messages import Request, Start
from rails_cli.server.draining import DrainRequest, request_drain
from rails_cli.server.tables.lookahead import supposed
from rails_cli.terminal.frame import Frame, Quit
from rails_cli.terminal.remote import LONG_WAIT_S
from rails_cli.terminal.remote import RemotePlayer as TableGuest
from rails_cli.terminal.remote_lookahead import RemoteLookahead, SupposeClient, Supposed
from tests.support.matches import Chance, action_of, new_match
from tests.support.odd_server import odd_server
from tests.support.person import Guest, Person, actions_in, by_lines, games_in, kept_tokens, make_table
from tests.support.rigged_lobby import Notes, Rigged
from tests.support.short_boards import short_board
from tests.support.ws_client import Client, ServerProcess, table_of, verified

HELLO: dict[str, Any] = {"type": "hello", "protocol": 1, "server": "x", "max_line": 9}
TABLE: dict[str, Any] = {
    "table": "x",
    "name": "",
    "game": "last_spike",
    "players": 2,
    "options": {},
    "clock": "none",
    "state": "open",
    "private": False,
    "seats": [],
    "actions": 0,
    "scores": None,
}
BOTS = ("builtin:greedy",) * 5
SEATED = {"type": "seated", "table": TABLE, "seat": 0, "token": "t", "ref": "ask"}


# Previews


def remote_lookahead(match: Match) -> RemoteLookahead:
    """Return an object that predicts the results of answers of the seat to move.

    The predictions pass through JSON, as if they came from a server.
    """
    assert match.seat is not None
    seat = match.seat

    def answer(wish: Suppose) -> None:
        asked = msgspec.json.decode(msgspec.json.encode(wish), type=Suppose)
        server.deliver(msgspec.json.decode(msgspec.json.encode(supposed(match, seat, asked))))

    server = SupposeClient(match.game, 1, len(match.header.players), answer)
    return RemoteLookahead(server, seat, (), Supposed([], match.view_for(seat), match.legal))


def decision_with(match: Match, lookahead: Lookahead) -> Decision:
    wire_board, names = match.game.wire_board(match.board), [player.name for player in match.header.players]
    return decision_at(lookahead, match.game, load_face(match.game.name), wire_board, match.board, names)


@pytest.mark.parametrize("game", game_names())
def test_choices_and_previews_at_a_server_equal_those_of_a_local_game(game: str) -> None:
    chance, compared = Chance(3), 0
    match = new_match(game, 3, 3)
    while match.seat is not None:
        if chance.below(4) == 0:
            here = decision_with(match, LocalLookahead(match.game, match.board, match.state, match.seat))
            there = decision_with(match, remote_lookahead(match))
            assert choices_of(there) == choices_of(here)
            for action in match.legal[:3]:
                after, _ = here.lookahead.after(action_of(action))
                if after.asked == match.seat:
                    steps = [action_of(action), action_of(after.legal[0])]
                    assert preview_of(there, steps) == preview_of(here, steps)
            compared += 1
        match.play(action_of(chance.pick(match.legal)))
    assert compared > 5


def test_steps_that_end_with_a_bid_show_the_effect_of_the_bid() -> None:
    """The preview of several steps that end with a bid shows the effect of the bid.

    In this test, seat 1 passes in the last opening auction. Then seat 1 has the first turn, auctions a share and bids.
    """
    match = new_match("chicago_express", 3, 1)
    for action in (*[Bid(9), Pass(), Pass()] * 3, Bid(9), Bid(10), Pass()):
        match.play(action)
    decision = decision_with(match, LocalLookahead(match.game, match.board, match.state, 0))
    steps = [Pass(), Choose("auction"), Offer("PRR"), Bid(9)]
    assert (
        preview_of(decision, steps).words == "if it wins, cash $13 → $4, dividend per share $7 → $4, treasury $9 → $18"
    )
    assert "NYC dividend per share $0 → $8, NYC treasury $0 → $10" in preview_of(decision, steps[:2]).words


def test_choices_are_shown_if_the_server_refuses_previews() -> None:
    """If the server refuses to predict results, all legal actions are shown, without previews."""
    match = new_match("chicago_express", 3, 1)
    assert match.seat is not None
    server = SupposeClient(
        match.game, 1, 3, lambda wish: server.deliver({"type": "error", "code": "too_fast", "ref": wish.ref})
    )
    there = decision_with(match, RemoteLookahead(server, match.seat, (), Supposed([], match.view_for(0), match.legal)))
    assert [choice.command for choice in choices_of(there)] == ["bid 7", "pass"]


# Steps that are sent together


TWO_STEPS = (
    "choose to expand a company; build the PRR to Q5 (plain, north-west of Philadelphia); build the PRR to P4 (plain, "
    "south-east of Harrisburg)"
)


def shows(person: Guest, text: str) -> bool:
    """Return whether the screen contains `text`, either in full or abbreviated for lack of space."""
    return text in person.words or abbreviated(text, SHORTER_PLACES) in person.words


def test_several_steps_are_collected_undone_and_sent_together(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        table = table_of(make_table(server, "chicago_express"))
        with Guest(server, "--table", table, folder=tmp_path) as person:
            person.wait_until_asked()
            assert "if it wins, cash $40 → $33" in person.words
            person.type("bid 25")
            person.wait_for(lambda: "$40 → $15" in person.last_line)
            person.press("\r")  # an answer of one step is sent at once
            person.wait_for(lambda: "bid 25" not in person.last_line)
            person.wait_for(lambda: actions_in(server, table)[:1] == [{"type": "bid", "amount": 25}])
            person.pass_until_turn()
            before = actions_in(server, table)
            person.say("send")
            assert "There are no steps to send" in person.words
            person.say("expand PRR Q5 P4")
            assert shows(person, f"Not sent yet: {TWO_STEPS}: $2.")
            assert "up to 1 more" in person.words
            person.say("build PRR O4")
            assert shows(person, f"Send this? {TWO_STEPS}; build the PRR to Harrisburg: costs $4")
            assert "income $7 → $8, dividend per share $7 → $8" in person.words
            person.say("perhaps")
            assert "'perhaps' is neither" in person.words
            person.say("undo")
            assert shows(person, f"Not sent yet: {TWO_STEPS}: $2.")
            assert actions_in(server, table) == before
            person.say("pass")
            assert "Send this?" in person.words
            person.enter()
            steps = [{"type": "choose", "action": "expand"}, {"type": "build", "company": "PRR", "hex": "Q5"}]
            steps += [{"type": "build", "company": "PRR", "hex": "P4"}, {"type": "pass"}]
            person.wait_for(lambda: actions_in(server, table)[len(before) : len(before) + 4] == steps)
            person.pass_until_turn()
            person.say("expand PRR O4")
            before = actions_in(server, table)
            person.type("send")
            person.press("\rbuild PRR")  # in one write: text typed ahead for the next step stays
            person.wait_for("up to 2 more")
            person.wait_for(lambda: person.last_line.startswith("Anna> build PRR"))
            assert "Not sent yet" not in person.text
            person.press("\x15")
            assert len(actions_in(server, table)) == len(before) + 2
            person.press("undo\r")
            # Built-in players agree to every undo.
            person.wait_for(lambda: [line["to"] for line in server.lines(table) if line["type"] == "undo"] != [])
        assert server.faults(table) == []


# Joining and reconnecting


def test_a_private_table_is_joined_by_invitation_and_resumed_by_seat_token(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        seats = ("reserved", "builtin:greedy")
        created = make_table(server, "last_spike", "--private", "--invite", seats=seats)
        table, (invitation,) = table_of(created), created["invites"]
        denied = by_lines(tmp_path, "play", "--server", server.url, "--table", table, typed="")
        assert denied.returncode == 1
        assert "ask the owner for an invitation" in denied.stderr
        assert "Traceback" not in denied.stderr
        with Guest(server, "--table", table, "--invite", invitation["invite"], folder=tmp_path) as person:
            person.wait_until_asked()
            person.say("quit")
            assert person.wait_for_end() == 0
        (token,) = kept_tokens(tmp_path)
        again = ("play", "--server", server.url, "--table", table, "--invite", invitation["invite"])
        assert by_lines(tmp_path, *again, typed="").returncode == 1, "an invitation works once"
        done = by_lines(tmp_path, "play", "--server", server.url, typed="1\npass\n\n" * 200, RAILS_SEAT_TOKEN=token)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        assert "wins." in done.stdout or "share the win" in done.stdout
        assert verified(server.log(table))
        wrong = by_lines(tmp_path, "play", "--server", server.url, "--seat-token", "a guess", typed="")
        assert wrong.returncode == 1
        assert "no seat belongs to this token" in wrong.stderr


def test_a_server_crash_during_a_turn_keeps_unsent_steps_and_typed_text(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as first:
        table = table_of(make_table(first, "chicago_express"))
        with Guest(first, "--table", table, folder=tmp_path) as person:
            person.wait_until_asked()
            person.say("bid 25")
            person.pass_until_turn()
            person.say("expand PRR Q5")
            assert shows(person, f"Not sent yet: {TWO_STEPS.rpartition(';')[0]}")
            person.type("build PRR P")
            first.kill()
            person.wait_for("Reconnecting: ")
            with ServerProcess(tmp_path / "server", port=first.port) as second:
                person.wait_for(lambda: person.is_asked() and "Not sent yet: choose to expand" in person.words)
                assert person.last_line.startswith("Anna> build PRR P")
                person.press("4\r")
                person.wait_for(lambda: shows(person, f"{TWO_STEPS}: $2."))
                person.say("pass")
                person.enter()
                built = {"type": "build", "company": "PRR", "hex": "P4"}
                person.wait_for(lambda: built in actions_in(second, table))
                assert second.faults(table) == []


def test_a_stopping_server_is_announced_during_a_turn_and_returned_to_when_it_says(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        table = table_of(make_table(server, "chicago_express"))
        with Guest(server, "--table", table, folder=tmp_path) as person:
            person.wait_until_asked()
            request_drain(server.folder, DrainRequest(wait_s=300, return_s=90))
            person.wait_for(lambda: "the server stops when all games have ended, or in 300 s" in person.words)
            person.type("bid")  # the question stays open
            assert server.stop() == 0  # a second signal ends the waiting
            person.wait_for(lambda: "the server is stopping" in person.words)
            assert "Reconnecting in 90 s: the server is stopping" in person.words
            assert "cannot reach" not in person.text


def test_a_server_crash_while_moves_of_others_are_shown_keeps_the_question(tmp_path: Path) -> None:
    """After the restart of the server the pending question is asked again, without a key press."""
    with ServerProcess(tmp_path / "server") as first:
        table = table_of(make_table(first, "chicago_express", seats=("builtin:greedy", "builtin:greedy", "open")))
        words = ("play", "--server", first.url, "--table", table, "--name", "Anna")
        with Person(*words, folder=tmp_path, width=100, height=35) as person:
            person.wait_for("(enter: continue)")
            first.kill()
            person.wait_for("Reconnecting: ")
            assert "is thinking" not in person.text
            with ServerProcess(tmp_path / "server", port=first.port) as second:
                person.wait_until_asked()
                before = len(actions_in(second, table))
                person.say_and_wait("pass")
                person.wait_for(lambda: len(actions_in(second, table)) > before)
                assert second.faults(table) == []


def test_a_returning_person_learns_that_a_bot_played_the_seat(tmp_path: Path) -> None:
    """A person who quits and later returns is informed who played the seat meanwhile.

    To return, the person gives only the address of the server.
    """
    with ServerProcess(tmp_path / "server", "--absence", "0") as server:
        table = table_of(make_table(server, "chicago_express", seats=("open", "open", "builtin:greedy")))
        play = ("play", "--server", server.url)
        with Client(server.url) as ben, Person(*play, folder=tmp_path, width=100, height=35) as person:
            token = ben.asked(type="sit", table=table, seat=1, name="Ben")["token"]
            person.wait_for("Which table?")
            person.press("\r")
            person.wait_for("Your name [")
            person.press("Anna\r")
            person.wait_until_asked()
            person.press("quit\r")
            assert person.wait_for_end() == 0
            person.wait_for(lambda: len(actions_in(server, table)) > 0)
            with Person(*play, folder=tmp_path, width=100, height=35) as again:
                again.wait_for("your seat; a bot plays for you until you return")
                again.press("\r")
                again.wait_for("! A bot played your seat from action 1 on.")
                ben.close()
                again.wait_for("! Ben's seat is played by a bot now.")
                with Client(server.url) as back:
                    back.asked(type="resume", token=token)
                    again.wait_for("! Ben is back.")
                again.press("\x03")
                again.wait_for_end()


def test_ctrl_c_at_a_dumb_terminal_prints_how_to_return(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        table = table_of(make_table(server, "last_spike"))
        words = ("play", "--server", server.url, "--table", table, "--name", "Anna")
        with Person(*words, folder=tmp_path, TERM="dumb") as person:
            person.wait_for(lambda: b"Anna> " in person.bytes)
            person.press("\x03")
            assert person.wait_for_end() == 1
            assert f"  rails-cli play --server {server.url}\r\n".encode() in person.bytes
            assert b"Traceback" not in person.bytes


# Clocks


class Wire(Notes):
    """A connection of a simulated lobby that forwards every message to a real websocket."""

    def __init__(self, send: Callable[[str], None]) -> None:
        super().__init__()
        self._send = send

    def flush(self) -> None:
        for content in self.outbox:
            self._send(content.decode())
        self.outbox.clear()


class RiggedServer:
    """A server with real connections, a simulated clock that the test advances, and one table of Chicago Express."""

    def __init__(self, folder: Path, answered: Callable[[], None] = lambda: None) -> None:
        """Start the server with its files in `folder`.

        Call `answered` when an action has arrived, before it is played.
        """
        self._answered = answered
        self._rigged = Rigged(folder)
        self._turn = threading.Lock()
        owner = Notes()
        seats = [None, "builtin:greedy"]
        self._rigged.say(owner, type="create", game="chicago_express", players=2, seats=seats, clock="10/move")
        self.table = table_of(owner.received[-1])
        self._server = serve(self._serve_connection, "127.0.0.1", 0, compression=None)
        self.url = f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> "RiggedServer":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()

    def _serve_connection(self, connection: Any) -> None:
        connection.send(json.dumps(HELLO))
        wire = Wire(connection.send)
        self._close = connection.close
        self._do(lambda: self._rigged.lobby.connections.add(wire))
        for message in connection:
            if json.loads(message)["type"] == "action":
                self._answered()
            self._do(lambda message=message: self._rigged.receive(wire, message.encode()))  # type: ignore[misc]

    def cut_and_pass_time(self, seconds: float) -> None:
        """Close the last connection. Accept the next one only when the clock has advanced by `seconds`."""
        with self._turn:
            self._close()
            self._rigged.lobby.connections.clear()
            self._rigged.time += seconds
            self._rigged.lobby.tick(self._rigged.time)

    def pass_time(self, seconds: float) -> None:
        self._rigged.time += seconds
        self._do(lambda: self._rigged.lobby.tick(self._rigged.time))

    def _do(self, todo: Callable[[], object]) -> None:
        with self._turn:
            todo()
            while self._rigged.soon:
                self._rigged.soon.pop(0)()
            for connection in self._rigged.lobby.connections:
                connection.flush()


def test_an_expired_question_disappears_and_enter_takes_the_seat_back_from_a_bot(tmp_path: Path) -> None:
    with RiggedServer(tmp_path / "server") as server:
        words = ("play", "--server", server.url, "--table", server.table, "--name", "Anna", "--fast")
        with Person(*words, folder=tmp_path, width=100, height=35) as person:
            person.wait_for(lambda: person.is_asked() and "s left" in person.text)
            person.type("bid 3")
            server.cut_and_pass_time(11)
            person.wait_for("typed before the question")
            assert "bid 3" not in person.last_line, "this text was typed for the expired question"
            server.pass_time(11)
            person.wait_for("no answer in 10 s; default played")
            person.wait_for(person.is_asked)
            server.pass_time(11)
            server.pass_time(11)
            finished = "A bot finished this game for you."
            person.wait_for(lambda: "A bot plays for you now" in person.text or finished in person.text)
            if finished not in person.text:
                person.press("\r")
            person.wait_for(finished)
            assert "You came" not in person.text
            assert "You won" not in person.text


class SteppedDisplay:
    """A display whose clock advances by 4 s while each question is open. At the second question it quits the game."""

    has_keys = is_interactive = False

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.bells: list[bool] = []
        self.left: list[int] = []

    def ask(self, frame: Frame) -> str:
        assert frame.seconds_left is not None
        self.left.append(frame.seconds_left())
        self.now_s += 4
        self.left.append(frame.seconds_left())
        if len(self.bells) == 2:
            raise Quit("quit")
        return "1"

    def tell(self, frame: Frame, lines: int) -> None:
        """Return at once, without showing anything."""

    def close(self, frame: Frame) -> str:
        raise AssertionError("the game is over")

    def call(self, title: str, *, is_loud: bool) -> None:
        if title.startswith("● Your turn"):
            self.bells.append(is_loud)

    def interrupt(self) -> None:
        raise AssertionError("the question has gone")


@pytest.mark.parametrize(("pause_s", "is_loud"), [(LONG_WAIT_S, True), (LONG_WAIT_S - 1, False)])
def test_the_bell_rings_for_a_turn_only_after_a_long_wait(
    pause_s: float, is_loud: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bell rings for a new turn only if the person has waited long for it.

    The second question comes `pause_s` seconds after the first answer. `is_loud` says whether the bell must ring. The
    remaining time on the screen is counted from the arrival of each question.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    display = SteppedDisplay()

    def pause() -> None:
        display.now_s += pause_s

    with RiggedServer(tmp_path / "server", pause) as server:
        sit = {"type": "sit", "table": server.table, "name": "Anna"}
        guest = TableGuest(server.url, sit=sit, token=None, certificate=None, now=lambda: display.now_s)
        with pytest.raises(Quit):
            asyncio.run(guest.play(display))
    assert display.bells == [False, is_loud]
    assert display.left == [10, 6, 10, 6]


# Errors


END: dict[str, Any] = {"type": "end", "match": "x", "reason": "normal", "faults": []}


def game_messages(seat: int = 0) -> list[Any]:
    """Return two messages of a game of two players: `start`, and the first `request`. The request is for `seat`."""
    match = new_match("last_spike", 2, 1)
    assert match.seat is not None
    view = match.game.view(match.state, match.board, match.seat)
    wire_board = match.game.wire_board(match.board)
    start = Start("x", match.game.name, 1, ["Ann", "Bob"], match.seat, {}, None, wire_board)
    request = Request("x", 1, seat, match.events_for(match.seat, 0), view, match.legal, 0, None)
    return [msgspec.to_builtins(start), msgspec.to_builtins(request)]


@pytest.mark.parametrize(
    "messages",
    [
        ["not a message"],
        [HELLO, {"type": "seated", "ref": "ask"}],
        [HELLO, SEATED, {"type": "request"}],
        [HELLO, SEATED, [1, 2]],
        [HELLO, SEATED, *game_messages(seat=9)],
        [HELLO, SEATED, game_messages()[0], {**END, "scores": [1], "ranks": [1]}],
    ],
)
def test_malformed_server_messages_end_the_program_with_one_error_line(messages: list[Any], tmp_path: Path) -> None:
    def send_messages(connection: Any) -> None:
        for message in messages:
            connection.send(json.dumps(message))
        for _ in connection:
            pass

    with serve(send_messages, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        done = by_lines(tmp_path, "play", "--server", f"ws://127.0.0.1:{port}", "--table", "x", typed="")
        server.shutdown()
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_the_ids_of_tables_are_printed_without_control_characters(tmp_path: Path) -> None:
    seat = {"seat": 0, "kind": "open", "name": None, "connected": False}
    refusal = {"type": "error", "code": "forbidden", "message": "no", "fatal": True}

    def answer(request: dict[str, Any]) -> Any:
        tables = {"type": "tables", "tables": [{**TABLE, "table": "x\x1b[31m", "seats": [seat]}]}
        return {**(tables if request["type"] == "list" else refusal), "ref": request.get("ref")}

    with odd_server(HELLO, answer=answer) as url:
        done = by_lines(tmp_path, "play", "--server", url, typed="1\n")
    assert "x?[31m" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_after_a_game_at_a_server_the_moves_of_the_person_are_judged_and_replayed(tmp_path: Path) -> None:
    """After a game at a server, the person can see a review and a replay of the game.

    The log of the game is downloaded only at its end. It is kept among the saved games of the person.
    """
    board = short_board("last_spike", tmp_path, pieces=2)
    with ServerProcess(tmp_path / "server", "--board", f"short={board}") as server:
        table = table_of(make_table(server, "last_spike", "--board", "short", seats=("open", *BOTS)))
        with Guest(server, "--table", table, folder=tmp_path) as person:
            person.wait_until_asked()
            with pytest.raises(HTTPError, match="404"):
                urlopen(f"http://127.0.0.1:{server.port}/api/log/{table}")
            while not person.is_over():
                person.say("1")
                if "Send this?" in person.text:
                    person.enter()
            person.wait_for("Press r to replay")
            assert re.search(r"You (came \d|won|share)", person.text)
            assert re.search(r"Your costliest move was action \d+|No single mistake", person.text)
            person.press("1\x15r")  # ctrl-u deletes what was typed before the end, such as this 1
            person.wait_for("  |  paused")
            person.press("q")
            person.wait_for(person.is_over)
            person.press("\r")
            assert person.wait_for_end() == 0
        assert f"rails-cli replay last_spike-{table}" in person.text
    (kept,) = games_in(tmp_path)
    assert verified(kept)
    assert [player.seat for player in read_log(kept.read_bytes()).header.players] == ["person", *BOTS]
