"""Golden games: logs that every version of these rules must reproduce to the last byte.

`python -m tests.support.golden --write` makes them anew; their difference belongs into the review, with a new
rules_version if a recorded game would no longer verify.
"""

import sys
from collections import Counter
from pathlib import Path

from protocol.log import PlayerLine
from rails_cli.core.luck import stream
from rails_cli.match.match import Match, header_of
from rails_cli.players.chance import POLICIES
from rails_cli.simulate import logged_playout
from tests.support.positions import Setting, all_settings
from tests.support.tools import GOLDEN

POLICY_OF = ("busy", "random")


def golden_games() -> dict[Path, bytes]:
    """One game of each setting, the policies taking turns, by the file it is kept in."""
    return {
        GOLDEN / setting.name / f"{setting}.jsonl": play(setting, 1000 + number, POLICY_OF[number % 2])
        for number, setting in enumerate(all_settings())
        if number % 2 == 0 or setting.name == "american_rails"
    }


def play(setting: Setting, seed: int, policy: str) -> bytes:
    players = [PlayerLine(f"{policy} {seat}", f"builtin:{policy}") for seat in range(setting.players)]
    match = Match(setting.game, setting.board, header_of(setting.game, setting.options, seed, players))
    return logged_playout(match, POLICIES[policy], stream(seed), Counter())


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
