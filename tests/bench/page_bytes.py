"""Bytes that a page receives over its websocket: for the start of a game against bots, and for each shown position.

Set RAILS_BENCH_TYPES to list the bytes by type of message.
"""

import os
import statistics
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from rails_cli.games import game_names
from tests.support.page_client import PageClient, Received, play_on, start_game
from tests.support.ws_client import ServerProcess


def measure(port: int, game: str) -> tuple[list[Received], list[Received]]:
    """Return the messages received at the start of a game against bots, and those received after the start."""
    client = PageClient(port)
    start_game(client, game)
    start = len(client.received)
    play_on(client, Random(1))
    client.close()
    return client.received[:start], client.received[start:]


def by_type(messages: list[Received]) -> str:
    """Return the number and the bytes of the messages of each type as text."""
    count, wire = Counter[str](), Counter[str]()
    for message, size, _ in messages:
        count[message["type"]] += 1
        wire[message["type"]] += size
    return ", ".join(f"{count[kind]} {kind} {size:,}" for kind, size in wire.most_common())


def main() -> None:
    """Print the bytes for the start of each game and for each shown position."""
    print("\nBytes that a page receives (compressed, uncompressed)")
    with tempfile.TemporaryDirectory() as folder, ServerProcess(Path(folder)) as server:
        for game in game_names():
            start, later = measure(server.port, game)
            print(f"{game}: start {sum(one.wire for one in start):,} ({sum(one.plain for one in start):,})")
            shown = [one for one in later if one.message["type"] == "shown"]
            wires = sorted(one.wire for one in shown)
            print(
                f"  {len(shown)} positions shown: median {statistics.median(wires):,.0f} "
                f"({statistics.median(one.plain for one in shown):,.0f}), 90 % {wires[len(wires) * 9 // 10]:,}, "
                f"most {wires[-1]:,}; all later messages {sum(one.wire for one in later):,}"
            )
            if os.environ.get("RAILS_BENCH_TYPES"):
                print(f"  start: {by_type(start)}\n  later: {by_type(later)}")


if __name__ == "__main__":
    main()
