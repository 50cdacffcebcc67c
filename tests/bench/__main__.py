"""`make bench`: all measurements, one after another."""

import sys

from tests.bench import engines, logs, server, start_up, stdio, tournament

BENCHES = {
    "engines": engines.main,
    "logs": logs.main,
    "stdio": stdio.main,
    "start_up": start_up.main,
    "tournament": tournament.main,
    "server": server.main,
}

for name in sys.argv[1:] or BENCHES:
    BENCHES[name]()
