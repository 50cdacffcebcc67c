"""Connect to a Dask scheduler that has no workers. Print the simulated seconds until the error, and the error.

The arguments are the path of a plan and the address of the scheduler.
"""

import sys
from pathlib import Path

from rails_cli.tournament.plan.reading import read_plan
from rails_cli.tournament.run.cluster import Cluster, ClusterError
from tests.support.step_clock import StepClock

clock = StepClock()
try:
    Cluster(sys.argv[2], read_plan(Path(sys.argv[1])), now=clock, wait=clock.advance)
except ClusterError as error:
    print(clock.elapsed_s, error)
