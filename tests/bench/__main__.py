"""Run all benchmarks, or only the benchmarks named as arguments (`make bench`)."""

import argparse

from tests.bench import (
    batches,
    engine_service,
    engines,
    frameworks,
    host,
    logs,
    page_bytes,
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
    "batches": batches.main,
    "frameworks": frameworks.main,
    "engine_service": engine_service.main,
    "logs": logs.main,
    "stdio": stdio.main,
    "host": host.main,
    "start_up": start_up.main,
    "tournament": tournament.main,
    "sizing": sizing.main,
    "server": server.main,
    "page_bytes": page_bytes.main,
    "pool": pool.main,
    "pool_ratings": pool_ratings.main,
}


def main() -> None:
    """Run the benchmarks named on the command line, or all benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="BENCHMARK", help=f"one of {', '.join(BENCHES)}; default: all")
    names = parser.parse_args().names or list(BENCHES)
    for name in names:
        if name not in BENCHES:
            parser.error(f"no benchmark {name!r}; expected one of {', '.join(BENCHES)}")
    print(rails("--version").stdout.strip())
    for name in names:
        BENCHES[name]()


if __name__ == "__main__":
    main()
