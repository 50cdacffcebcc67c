"""Test of one table with all kinds of players: a person at a terminal, bots of two kinds, and a built-in player."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.person import Guest, make_table
from tests.support.short_boards import short_board
from tests.support.tools import ROOT, left_behind, skip_without, start_rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess, table_of, verified


def play_to_the_end(person: Guest) -> int:
    """Answer every question of the terminal until the game is over. Return the number of answers."""
    answers = 0
    while not person.is_over():
        assert person.process.poll() is None, person.text
        before = person.text
        is_confirming = "Send this?" in before
        is_bidding = "AUCTION" in before and answers % 4
        person.press("\r" if is_confirming else "pass\r" if is_bidding else "1\r")
        answers += not is_confirming
        person.wait_for(lambda shown=before: person.text != shown)  # type: ignore[misc]
        person.wait_until_asked()
    return answers


def test_a_person_two_bots_and_a_built_in_player_finish_a_game(tmp_path: Path) -> None:
    skip_without("node")
    game = "last_spike"
    mark = f"all kinds of players {os.getpid()}"
    board = ("--board", f"short={short_board(game, tmp_path, pieces=2)}")
    with ServerProcess(tmp_path / "data", "--requests-per-second", "1000", *board) as server:
        seats = ("open", "open", "open", "builtin:greedy", "builtin:greedy", "builtin:greedy")
        table = table_of(make_table(server, game, "--clock", "3600/move", "--board", "short", seats=seats))
        connect = ("connect", server.url, "--table", table, "--json", "--", sys.executable)
        javascript = ["node", str(ROOT / "bots/javascript_websocket/bot.js"), server.url, table]
        with Client(server.url) as watcher:
            watcher.asked(type="watch", table=table)
            with Guest(server, "--table", table, folder=tmp_path) as person:
                watcher.until("table")
                how: Any = {"stdout": subprocess.PIPE, "text": True, "env": {**os.environ, "RAILS_TEST": mark}}
                bots = [
                    start_rails(*connect, str(ROOT / "bots/python/bot.py"), **how),
                    subprocess.Popen(javascript, **how),
                ]
                person.wait_until_asked()
                assert play_to_the_end(person) > 0
                person.press("\r")
                assert person.wait_for_end() == 0
                assert person.is_as_before()
                assert not person.spilled
                output = [process.communicate(timeout=HANG_S)[0] for process in bots]
                assert [process.returncode for process in bots] == [0, 0]
                end = watcher.until("end")
                farewell = person.bytes.decode()
        assert json.loads(output[0])["scores"] == end["scores"]
        assert f"{end['scores']}".replace(" ", "") in output[1].replace(" ", "")
        assert all(re.search(rf"\${score:,}\b", farewell) for score in end["scores"])
        assert end["faults"] == [0] * len(seats)
        assert server.faults(table) == []
        assert verified(server.log(table))
    assert left_behind(mark) == []
