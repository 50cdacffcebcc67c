"""The server's numbers in the text format of Prometheus, read off at the moment they are asked for."""

from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from rails_cli.server.connection import Endpoint
from rails_cli.server.lobby import Lobby


class _Reader(Collector):
    def __init__(self, lobby: Lobby, endpoint: Endpoint) -> None:
        self.lobby = lobby
        self.endpoint = endpoint

    def collect(self) -> Iterator[Any]:
        registry = self.lobby.registry
        yield GaugeMetricFamily("rails_connections", "Open connections.", value=len(self.endpoint.open))
        tables = GaugeMetricFamily("rails_tables", "Tables by state.", labels=["state"])
        for state, count in registry.status(0).tables.items():
            tables.add_metric([state], count)
        yield tables
        yield GaugeMetricFamily("rails_watchers", "Spectator connections.", value=len(self.lobby.watching))
        yield CounterMetricFamily("rails_moves", "Actions played.", value=registry.moves)
        yield CounterMetricFamily("rails_faults", "Faults of players.", value=registry.faults)
        dropped = CounterMetricFamily("rails_dropped", "Connections that were dropped.", labels=["code"])
        for code, count in sorted(self.endpoint.dropped.items()):
            dropped.add_metric([code], count)
        yield dropped


def metrics_page(lobby: Lobby, endpoint: Endpoint) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Reader(lobby, endpoint))
    return generate_latest(registry)
