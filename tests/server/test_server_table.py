"""Test of one table with all kinds of players: a person, bots of two kinds, and a built-in player."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.person import make_table
from tests.support.short_boards import short_board
from tests.support.tools import ROOT, left_behind, skip_without, start_rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess, table_of, verified


def test_a_person_two_bots_and_a_built_in_player_finish_a_game(tmp_path: Path) -> None:
    skip_without("node")
    game = "last_spike"
    mark = f"all kinds of players {os.getpid()}"
    board = ("--board", f"short={short_board(game, tmp_path, pieces=2)}")
    with ServerProcess(tmp_path / "data", "--requests-per-second", "1000", *board) as server:
        seats = ("open", "open", "open", "builtin:greedy")
        table = table_of(make_table(server, game, "--clock", "3600/move", "--board", "short", seats=seats))
        person = ("play", "--server", server.url, "--table", table, "--name", "Anna")
        connect = ("connect", server.url, "--table", table, "--json", "--", sys.executable)
        javascript = ["node", str(ROOT / "bots/javascript_websocket/bot.js"), server.url, table]
        environment = {**os.environ, "RAILS_TEST": mark, "XDG_STATE_HOME": str(tmp_path)}
        how: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
        with Client(server.url) as watcher:
            watcher.asked(type="watch", table=table)
            players = [
                start_rails(*person, **how),
                start_rails(*connect, str(ROOT / "bots/python/bot.py"), **how),
                subprocess.Popen(javascript, **how),
            ]
            typed = ("1\n" * 1000, None, None)  # the person always chooses the first action
            output = [process.communicate(text, HANG_S)[0] for process, text in zip(players, typed, strict=True)]
            assert [process.returncode for process in players] == [0, 0, 0]
            end = watcher.until("end")
        assert all(re.search(rf"\${score:,}\b", output[0]) for score in end["scores"])
        assert json.loads(output[1])["scores"] == end["scores"]
        assert f"{end['scores']}".replace(" ", "") in output[2].replace(" ", "")
        assert end["faults"] == [0, 0, 0, 0]
        assert server.faults(table) == []
        assert verified(server.log(table))
    assert left_behind(mark) == []
