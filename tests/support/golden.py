"""Golden games: logs that every version of these rules must reproduce to the last byte.

`python -m tests.support.golden --write` makes them anew; their difference belongs into the review, with a new
rules_version if a recorded game would no longer verify.
"""

import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from rails_cli.games.game import changed_options
from rails_cli.games.shared.luck import stream
from rails_cli.logs.chain import log_of
from rails_cli.match.match import Match, header_of
from rails_cli.protocol.log import PlayerLine
from tests.support.positions import Setting, all_settings, choice, policies_of, turn_of
from tests.support.tools import GOLDEN


def golden_games() -> dict[Path, bytes]:
    """Return a game of every other setting, the policies taking turns, by the file it is kept in."""
    return {file: play(setting) for file, setting in golden_settings().items()}


def golden_settings() -> dict[Path, Setting]:
    """Return the setting of each golden game by its file."""
    return {
        GOLDEN / setting.name / f"{setting}.jsonl": setting for setting in all_settings() if turn_of(setting) % 2 == 0
    }


def play(setting: Setting) -> bytes:
    """All of it follows from the setting alone: another option leaves the games without it as they are."""
    changed = changed_options(setting.options)
    policies = policies_of(setting.name)
    policy = policies[turn_of(setting) // 2 % len(policies)]
    seed = 1002 + crc32(str(setting).encode()) % 1000
    players = [PlayerLine(f"{policy} {seat}", f"builtin:{policy}") for seat in range(setting.players)]
    header = msgspec.structs.replace(header_of(setting.game, setting.options, seed, players), options=changed)
    match = Match(setting.game, setting.board, header)
    chance = stream(seed)
    lines: list[Any] = [match.header, match.setup_line]
    while match.seat is not None:
        lines.append(match.play(choice(setting, policy, match.state, match.legal, chance)))
    return log_of([*lines, match.result_line()])


def main() -> int:
    games = golden_games()
    if "--write" in sys.argv:
        for file, content in games.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return 0
    stale = [file.name for file, content in games.items() if not file.is_file() or file.read_bytes() != content]
    for name in stale:
        print(f"{name} differs")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
