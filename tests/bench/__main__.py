"""`make bench`: all measurements, one after another."""

from tests.bench import engines

engines.main()
