"""CPU time of pairing and rating in a pool of 200 bots."""

import time

from rails_cli.server.pool.pairing import Waiting
from rails_cli.server.pool.rating import standings
from rails_cli.server.pool.rating_runs import RunSchedule
from rails_cli.tournament.model import Setting
from tests.support.pool_simulation import SimulatedPool

BOTS = 200
GAMES = (1_000, 10_000, 100_000)
ANCHORS = {"easy": -1.0, "medium": 0.0, "hard": 1.0}
TABLE = Setting("toy", 3)


def main() -> None:
    strengths = {f"bot {number:03}": 3.0 * number / BOTS - 1.5 for number in range(BOTS)} | ANCHORS
    waiting = [Waiting(name, name, 0.0, (TABLE,), None, is_anchor=name in ANCHORS) for name in strengths]
    pool = SimulatedPool(waiting, strengths, in_groups=True)
    print(f"\nA pool of {BOTS} bots, in seed groups, CPU seconds")
    for games in GAMES:
        before, began = len(pool.pairings), time.process_time()
        pool.play(games)
        paired_s = time.process_time() - began
        began = time.process_time()
        standings(pool.played, strengths, anchors=list(ANCHORS))
        rated_s = time.process_time() - began
        schedule = RunSchedule()
        schedule.started(0.0)
        schedule.ended(0.0, rated_s, is_failed=False)
        pause_s = next(second for second in range(100_000) if schedule.due(float(second)))
        share = f"one every {pause_s / 60:.1f} minutes, {100 * rated_s / pause_s:.2f} % of a core"
        each_ms = 1000 * paired_s / (games - before)
        print(f"{games:>8,} games: a fit takes {rated_s:.1f} s, so there is {share}; pairing {each_ms:.2f} ms a game")
