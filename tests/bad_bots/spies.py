"""A bot that tries to find out the hands of other players.

- It stores the hands of each game in a file, to use them in later games.
- It tries many seeds, until one gives the bot the same hand as in the running game.
- It writes its environment to a file.

In the `info` of its first answer it reports the stored hands, the guessed hands, fields of the start message, and the
file mode of the log. The environment variable SPY_MEMORY is the path of the stored hands, SPY_LOG that of the log.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from rails_cli.games import load_game, standard_board
from rails_cli.tournament.schedule import format as schedule

GUESSES = 10


def remembered(file: Path, hands: list[Any]) -> list[list[Any]]:
    """Return the hands of earlier games that are stored in `file`. Then append `hands` to `file`."""
    before = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    with file.open("a") as memory:
        memory.write(json.dumps(hands) + "\n")
    return before


def guessed(players: int, hands: list[Any]) -> list[Any] | None:
    """Find a seed whose deal contains one of `hands`. Return all hands of this deal, or None if no tried seed has one.

    The tried seeds are small numbers, and the seeds that tournaments derive from the random seed 0.
    """
    game, board = load_game("last_spike"), standard_board("last_spike")
    seeds = [*range(GUESSES), *(schedule.seed_of(0, f"last_spike {players} ", number) for number in range(GUESSES))]
    for seed in seeds:
        events: list[Any] = []
        game.setup(board, players, game.options_type(), seed, events)
        if any(hand is not None and hand == dealt for hand, dealt in zip(hands, events[0].hands, strict=True)):
            return list(events[0].hands)
    return None


def main() -> None:
    start: dict[str, Any] = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            start = message
        if message["type"] != "request":
            continue
        answer = {"type": "action", "number": message["number"], "choice": message["default"]}
        deals = [event for event in message["events"] if event["type"] == "dealt"]
        if deals:
            hands, memory = deals[0]["hands"], Path(os.environ["SPY_MEMORY"])
            log = os.environ.get("SPY_LOG")
            memory.with_suffix(".environment").write_text(json.dumps(dict(os.environ)))
            answer["info"] = {
                "start": {key: start[key] for key in ("match", "players", "seat")},
                "remembered": remembered(memory, hands),
                "guessed": guessed(len(start["players"]), hands),
                "mode": None if log is None else Path(log).stat().st_mode & 0o777,
            }
        print(json.dumps(answer), flush=True)


main()
