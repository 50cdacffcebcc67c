"""Tests of taking back moves: consent of all players, unchanged random events, and logs that all commands can read."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.logs.chain import Chain
from rails_cli.logs.reading import read_log
from rails_cli.logs.resume import branch_resume_point, resume_point
from rails_cli.logs.verify import verify
from rails_cli.match.clock import read_clock
from rails_cli.match.match import ResumePoint
from rails_cli.protocol.messages import Join
from rails_cli.study.branches import beginning, position
from rails_cli.study.playback.recorded import read_recorded
from tests.support.rigged_lobby import Notes, Rigged
from tests.support.tools import rails
from tests.support.ws_client import Client, Json, ServerProcess, create, duel, table_of, verified

NAMES = ["Ada", "Ben", "Cyd"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("undo") / "data", "--bot", "idle=cat") as running:
        yield running


def seated(client: Client, table: str, name: str, **join: object) -> str:
    client.send(type="join", name=name, undo=True, **join)
    return str(client.asked(type="sit", table=table)["token"])


def mover(*people: Client) -> tuple[Client, Json]:
    """Return the client among `people` that must answer the open request of their table, and the request."""
    for person in people:
        person.asked(type="chat", on=False)  # after this answer, all earlier messages have been received
    person = next(person for person in people if person.open is not None)
    assert person.open is not None
    return person, person.open


def move(*people: Client) -> tuple[Client, Json]:
    """Answer the open request for the client among `people` that received it. Return this client and the request."""
    person, request = mover(*people)
    person.answer(request)
    return person, request


def first_message_after_restart(client: Client) -> Json:
    """Wait for a new `start` message, which restarts the game for the client after an undo. Return the next message.

    This message repeats the game up to the move taken back.
    """
    client.until("start")
    return client.until("request", "update")


def take_back(asker: Client, *others: Client) -> Json:
    """Let `asker` ask to take back a move and all `others` agree. Return the first request after the undo."""
    asker.send(type="undo", say="ask")
    for other in others:
        other.until("undo_asked", state="asked")
        other.send(type="undo", say="agree")
    asker.until("undo_asked", state="done")
    return first_message_after_restart(asker)


def test_a_move_is_taken_back_by_consent_and_survives_a_crash(tmp_path: Path) -> None:
    """A move is taken back after all other players have agreed.

    Request numbers do not decrease, and used time is not given back. After a SIGKILL the table is restored
    exactly.
    """
    data = tmp_path / "data"
    with ServerProcess(data, "--sign", "never") as first:
        people = [Client(first.url) for _ in NAMES]
        created = create(people[0], "chicago_express", 3, clock="600+1")
        assert created["table"]["undo"] is True
        table = table_of(created)
        tokens = [seated(one, table, name, push=name == "Ben") for one, name in zip(people, NAMES, strict=True)]
        with Client(first.url) as spectator:
            spectator.send(type="join", undo=True)
            spectator.asked(type="watch", table=table)
            for _ in range(4):
                move(*people)
            asker, request = move(*people)
            others = [one for one in people if one is not asker]
            _, after = mover(*people)
            assert others[0].refused(type="undo", say="agree") == "too_late"
            assert asker.asked(type="undo", say="ask")["state"] == "asked"
            assert asker.refused(type="undo", say="ask") == "too_fast"
            assert asker.refused(type="undo", say="agree") == "too_late"
            assert others[0].until("undo_asked")["name"] == NAMES[request["seat"]]
            assert others[0].asked(type="undo", say="agree")["state"] == "asked"
            for one in others:  # returning players see the request and whether they have agreed
                one.asked(type="resume", token=tokens[people.index(one)])
            spectator.asked(type="watch", table=table)
            received = [one.until("undo_asked") for one in (*others, spectator)]
            assert {(one["seat"], one["state"]) for one in received} == {(request["seat"], "asked")}
            assert [one["by"] for one in received] == [people.index(others[0]), request["seat"], request["seat"]]
            assert others[1].asked(type="undo", say="agree")["state"] == "done"
            again = first_message_after_restart(asker)
            spectator.until("undo_asked", state="done")
            for one in (others[0], others[1], spectator):
                assert first_message_after_restart(one)["type"] == "update"
            assert spectator.heard[-1]["events"] == again["events"]
        assert again["number"] > after["number"]
        assert (again["legal"], again["view"]) == (request["legal"], request["view"])
        asker.send(type="action", number=request["number"], choice=0)
        assert asker.until("error")["code"] == "stale_request"
        undo = first.lines(table)[-1]
        assert (undo["type"], undo["number"], undo["to"]) == ("undo", 6, 5)
        assert undo["ms"] >= 0
        move(*people)
        again = take_back(asker, *others)
        first.kill()
    damaged = Path(shutil.copytree(data, tmp_path / "damaged"))
    log = damaged / "tables" / f"{table}.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-2]))
    with ServerProcess(damaged, "--sign", "never") as cut:
        assert f"table {table} is rewound: its log ends at action 4, 2 were lost" in "\n".join(cut.said)
    with ServerProcess(data, "--sign", "never") as second:
        assert not [line for line in second.said if "rewound" in line]
        people = [Client(second.url) for _ in tokens]
        for one, token in zip(people, tokens, strict=True):
            one.send(type="join", undo=True)
            one.asked(type="resume", token=token)
        asker, resumed = mover(*people)
        assert [resumed[part] for part in ("number", "legal", "view")] == [
            again[part] for part in ("number", "legal", "view")
        ]
        assert resumed["clock"]["bank_s"] <= again["clock"]["bank_s"] < 603
        others = [one for one in people if one is not asker]
        earlier = take_back(asker, *others)  # takes back a move from before the restart, and later moves of others
        assert earlier["number"] > resumed["number"]
        assert second.lines(table)[-1]["to"] == 2
        move(*people)
        assert asker.asked(type="undo", say="ask")["state"] == "asked"
        assert others[0].asked(type="undo", say="refuse")["state"] == "refused"
        assert asker.until("undo_asked", state="refused")["by"] != earlier["seat"]
        assert asker.refused(type="undo", say="ask") == "too_fast"
        move(*people)
        last, _ = move(*people)
        assert last.asked(type="undo", say="ask")["state"] == "asked"
        move(*people)
        assert last.until("undo_asked", state="over")["seat"] == people.index(last)
        for one in people:
            one.close()
        unfinished = second.log(table).read_bytes()
        with Client(second.url) as owner:
            owner.asked(type="admin", token=second.admin_token, command="end_table", table=table)
        assert verified(second.log(table))
        check_readers(second.log(table).read_bytes(), unfinished, tmp_path)


def continuation_state(left: ResumePoint) -> object:
    """Return everything that a table needs to continue from `left`, as a value that can be compared."""
    match, banks = left.match, [clock.bank_s for clock in left.clocks]
    position = match.header, match.game.dump(match.state), match.number, match.history, match.legal
    return position, banks, left.faults, left.defaults, left.request_offset


def check_readers(content: bytes, unfinished: bytes, folder: Path) -> None:
    """Check that a log with moves that were taken back can be verified, replayed, branched and resumed.

    Check also that `verify` reports a wrong undo line. `content` is the log of an ended game. `unfinished` is the same
    log at an earlier time.
    """
    assert verify(content).actions == 5
    recorded = read_recorded(content)
    assert [moment.number for moment in recorded.moments] == [0, 1, 2, 3, 4, 5]
    assert recorded.mistake is None
    taken_back = "\n      ! {} took back a move, by agreement: {}."
    moves = "; ".join(f"{number}. {NAMES[seat]} passes" for number, seat in enumerate((1, 2, 0), 2))
    log_file = folder / "copy.jsonl"
    log_file.write_bytes(content)
    output = CliRunner().invoke(main, ["replay", str(log_file), "--moves"]).stdout
    assert output.count("took back") == 3
    assert taken_back.format(NAMES[1], moves) in output
    for at in (1, 2, 4):
        log, number = position(content, at)
        begun = beginning(content, "game.jsonl", log, number, log.header.players, None)
        left = resume_point(read_log(Chain().beginning_lines(begun)), None)
        assert left.match.number == at
        assert left.match.state.copy().pending == recorded.moments[at].state.pending
        for clock, players in ((read_clock("600+1"), log.header.players), (None, log.header.players[::-1])):
            begun = beginning(content, "game.jsonl", log, number, players, clock)
            without_reading = branch_resume_point(resume_point(log, clock), log, begun.header, players, clock)
            assert continuation_state(without_reading) == continuation_state(
                resume_point(read_log(Chain().beginning_lines(begun)), clock)
            ), "the resume point must be the same without reading the new log"
    for wrong, mistake in (
        (b'"to":3', "takes back action 3; the last of seat 1 is 2"),
        (b'"to":0', "takes back action 0; the last of seat 1 is 2"),
    ):
        assert mistake in str(verify(unfinished.replace(b'"to":2', wrong)).mistake)
    assert "no move to take back" in str(verify(unfinished.replace(b'"seat":1,"to":2', b'"seat":7,"to":2')).mistake)
    log_file.write_bytes(unfinished)
    step = json.loads(CliRunner().invoke(main, ["replay", str(log_file), "--at", "2", "--json"]).output)
    assert [(one["seat"], len(one["actions"])) for one in step["taken_back"]] == [(1, 1), (1, 1), (1, 3)]
    seats = [word for seat in "123" for word in ("--seat", seat, "builtin:random")]
    assert rails("resume", str(log_file), *seats, "--clock", "none").returncode == 0
    assert verified(log_file)


def test_undo_is_refused_where_it_is_not_possible(server: ServerProcess) -> None:
    """Undo is refused before the first move, after a random event, and at tables that forbid undo or have a bot.

    It is also refused if a client does not support undo. A person alone with built-in players needs no consent. The log
    stays valid and signed.
    """
    with Client(server.url) as ada, Client(server.url) as ben:
        assert ada.refused(type="undo", say="ask") == "bad_request"
        ada.send(type="join", undo=True)
        solo, _ = duel(server, ada, "builtin:greedy", game="chicago_express", players=2)
        first = ada.until("request")
        ada.answer(first)
        ada.until("request")
        assert take_back(ada)["view"] == first["view"]
        assert ada.refused(type="undo", say="ask") == "too_late"
        ada.asked(type="leave")
        verified(server.log(solo))  # raises if a line is wrong, even if the game is unfinished
        assert [line["to"] for line in server.lines(solo) if line["type"] == "undo"] == [1]
        for fields, code in (
            ({"undo": False}, "forbidden"),
            ({"seats": [None, None, "bot:idle"], "players": 3}, "forbidden"),
            ({"game": "last_spike"}, "too_late"),
        ):
            created = ada.asked(**{"type": "create", "game": "chicago_express", "players": 2, **fields})
            assert created["table"]["undo"] is (code != "forbidden")
            table = table_of(created)
            seated(ada, table, "Ada")
            seated(ben, table, "Ben")
            if code == "forbidden":
                assert ada.refused(type="undo", say="ask") == code
            else:
                asker, _ = move(ada, ben)
                while "message" not in (answer := asker.ask(type="undo", say="ask")):
                    asker, _ = move(ada, ben)
                assert "chance or something hidden came to light" in answer["message"]
                ben.send(type="join", undo=False)
                ben.asked(type="chat", on=False)
                assert ada.refused(type="undo", say="ask") == "bad_request"
            assert not [line for line in server.lines(table) if line["type"] == "undo"]
            for one in (ada, ben):
                one.asked(type="leave")
                one.open = None


def test_a_move_taken_back_after_the_time_limit_leaves_a_valid_log(tmp_path: Path) -> None:
    """A move can be taken back when the time limit of the open request has just passed. The log stays valid.

    The undo line in the log records the used time of the request. It must not exceed the limit of 5 s, although 5.02 s
    have passed. The test takes back three moves in one game.
    """
    rigged = Rigged(tmp_path)
    players = [Notes(), Notes()]
    rigged.say(players[0], type="create", game="chicago_express", players=2, clock="5/move")
    table = rigged.registry.tables[players[0].received[-1]["table"]["table"]]
    for player in players:
        player.join = Join(undo=True)
        rigged.say(player, type="sit", table=table.id)
    for _ in range(3):
        for _ in range(20):
            assert table.session is not None
            assert table.session.to_move is not None
            asked = players[table.session.to_move.index]
            rigged.say(asked, type="action", number=table.session.number, choice=0)
        before = table.logged
        rigged.time += 5.02
        rigged.say(players[0], type="undo", say="ask")
        rigged.say(players[1], type="undo", say="agree")
        assert table.logged == before + 1
    rigged.registry.storage.flush()
    log = rigged.registry.storage.log_path(table.id).read_bytes()
    assert log.count(b'"type":"undo"') == 3
    assert set(re.findall(rb'"undo".*?"ms":(\d+)', log)) == {b"5000"}
    assert verify(log).mistake is None
