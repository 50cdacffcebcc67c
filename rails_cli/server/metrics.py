"""The server's numbers in the text format of Prometheus, read off at the moment they are asked for."""

from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from rails_cli.server.connection import Door
from rails_cli.server.lobby import Lobby


class _Reader:
    def __init__(self, lobby: Lobby, door: Door) -> None:
        self.lobby = lobby
        self.door = door

    def collect(self) -> Iterator[Any]:
        yield GaugeMetricFamily("rails_connections", "Open connections.", value=len(self.door.open))
        tables = GaugeMetricFamily("rails_tables", "Tables by state.", labels=["state"])
        for state, count in self.lobby.status().tables.items():
            tables.add_metric([state], count)
        yield tables
        yield CounterMetricFamily("rails_moves", "Actions played.", value=self.lobby.moves)
        yield CounterMetricFamily("rails_faults", "Faults of players.", value=self.lobby.faults)
        dropped = CounterMetricFamily("rails_dropped", "Connections that were dropped.", labels=["code"])
        for code, count in sorted(self.door.dropped.items()):
            dropped.add_metric([code], count)
        yield dropped


def metrics_page(lobby: Lobby, door: Door) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Reader(lobby, door))
    return generate_latest(registry)
