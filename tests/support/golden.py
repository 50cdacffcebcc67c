"""Golden games: stored logs of games that the program must reproduce byte by byte.

`python -m tests.support.golden --write` plays the games again and overwrites the logs. Review the changes of the files.
The previous logs must still verify, unless a new major version changes the rules and raises `rules_version`.
"""

import sys
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from rails_cli.conformance.settings import settings_of
from rails_cli.games import game_names
from rails_cli.games.game import changed_options
from rails_cli.games.shared.luck import stream
from rails_cli.logs.chain import log_of
from rails_cli.match.match import Match, header_of
from rails_cli.protocol.log import PlayerLine
from tests.support.positions import Setting, choice, policies_of, selection_number
from tests.support.tools import GOLDEN


def golden_settings() -> dict[Path, Setting]:
    """Return the setting (game, players and options) of each golden game, by its log file.

    About half of all settings have a golden game.
    """
    return {
        GOLDEN / setting.name / f"{setting}.jsonl": setting
        for setting in settings_of(game_names())
        if selection_number(setting) % 2 == 0
    }


def play(setting: Setting) -> bytes:
    """Play the golden game of `setting` and return its log.

    The game depends on nothing but the setting, so a new option does not change other golden games.
    """
    changed = changed_options(setting.options)
    policies = policies_of(setting.name)
    policy = policies[selection_number(setting) // 2 % len(policies)]
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
    games = {file: play(setting) for file, setting in golden_settings().items()}
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
