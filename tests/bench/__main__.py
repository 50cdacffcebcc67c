"""Run all benchmarks, or those named as arguments (`make bench`)."""

import sys

from tests.bench import (
    engine_service,
    engines,
    host,
    logs,
    pool,
    pool_ratings,
    server,
    sizing,
    start_up,
    stdio,
    tournament,
)
from tests.support.tools import rails

BENCHES = {
    "engines": engines.main,
    "engine_service": engine_service.main,
    "logs": logs.main,
    "stdio": stdio.main,
    "host": host.main,
    "start_up": start_up.main,
    "tournament": tournament.main,
    "sizing": sizing.main,
    "server": server.main,
    "pool": pool.main,
    "pool_ratings": pool_ratings.main,
}

print(rails("--version").stdout.strip())
for name in sys.argv[1:] or BENCHES:
    BENCHES[name]()
