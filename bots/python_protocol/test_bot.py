"""Tests of the bot: whole games inside one process. Run them with `python3 -m unittest`."""

import unittest

from bot import MyBot

from rails_cli.bot import play


class Games(unittest.TestCase):
    def test_whole_games(self) -> None:
        for game in ("american_rails", "chicago_express", "last_spike"):
            for seed in range(3):
                with self.subTest(game=game, seed=seed):
                    played = play(MyBot, game, opponents=["random", "random"], seed=seed)
                    assert (played.reason, played.faults) == ("normal", [])


if __name__ == "__main__":
    unittest.main()
