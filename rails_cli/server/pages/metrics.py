"""The server's metrics in the Prometheus text format, computed on each request."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from rails_cli.server.lobby import Lobby
from rails_cli.server.net.websocket import Endpoint
from rails_cli.server.turn import Turn

if TYPE_CHECKING:
    from rails_cli.server.pool.pool import Pool


class _Reader(Collector):
    def __init__(self, lobby: Lobby, endpoint: Endpoint, pool: "Pool | None", *, is_for_operator: bool) -> None:
        self.lobby = lobby
        self.endpoint = endpoint
        self.pool = pool
        self.is_for_operator = is_for_operator

    def collect(self) -> Iterator[Any]:
        registry = self.lobby.registry
        yield GaugeMetricFamily("rails_connections", "Open connections.", value=len(self.endpoint.admission.open))
        tables = GaugeMetricFamily("rails_tables", "Tables by state.", labels=["state"])
        for state, count in registry.status(0).tables.items():
            tables.add_metric([state], count)
        yield tables
        yield GaugeMetricFamily("rails_watchers", "Spectator connections.", value=len(self.lobby.watching))
        yield CounterMetricFamily("rails_moves", "Actions and forced passes.", value=registry.moves)
        yield CounterMetricFamily("rails_faults", "Faults of players.", value=registry.faults)
        dropped = CounterMetricFamily("rails_dropped", "Connections that were dropped.", labels=["code"])
        for code, count in sorted(self.endpoint.dropped.items()):
            dropped.add_metric([code], count)
        yield dropped
        ready = float(registry.not_ready() is None)
        yield GaugeMetricFamily("rails_ready", "1 if tables can be created, 0 if not.", value=ready)
        turn = registry.turn
        yield HistogramMetricFamily(
            "rails_event_loop_lag_seconds",
            "Delay of timers, because the event loop was busy.",
            turn.lag_times.buckets(),
            turn.lag_times.total_s,
        )
        if self.is_for_operator:
            yield from _moves(turn)
        if self.pool is not None:
            yield from _pool(self.pool)


def _moves(turn: Turn) -> Iterator[Any]:
    """Yield the metrics about single moves. Only the operator may see them, because they can reveal forced passes."""
    yield HistogramMetricFamily(
        "rails_move_latency_seconds",
        "Time from the arrival of a move until the messages about it are sent.",
        turn.move_times.buckets(),
        turn.move_times.total_s,
    )
    yield HistogramMetricFamily(
        "rails_log_write_seconds",
        "Time to write logs in a turn of the event loop.",
        turn.write_times.buckets(),
        turn.write_times.total_s,
    )


def _pool(pool: "Pool") -> Iterator[Any]:
    members = list(pool.membership)
    connected = {member.entrant for member in members}
    yield GaugeMetricFamily("rails_pool_connected", "Entrants that are connected.", value=len(connected))
    waiting = sum(not member.is_playing for member in members)
    yield GaugeMetricFamily("rails_pool_waiting", "Connections waiting for a game.", value=waiting)
    yield GaugeMetricFamily("rails_pool_playing", "Pool games being played.", value=len(pool.games.tables()))
    yield CounterMetricFamily("rails_pool_games", "Games recorded in the results.", value=pool.games.stored)
    yield GaugeMetricFamily("rails_pool_unkept", "Ended games not yet recorded.", value=len(pool.results.tables()))
    offers = CounterMetricFamily("rails_pool_offers", "Offers by outcome.", labels=["end"])
    for end, count in pool.offers.ended.items():
        offers.add_metric([end], count)
    yield offers
    if pool.ratings.rated_at is not None:
        age_s = pool.registry.wall() - pool.ratings.rated_at
        yield GaugeMetricFamily("rails_pool_rating_age_seconds", "Seconds since the last rating.", value=age_s)
    cpu_s = pool.ratings.cpu_s
    yield CounterMetricFamily("rails_pool_rating_cpu_seconds", "CPU time of all ratings.", value=cpu_s)


def metrics_page(lobby: Lobby, endpoint: Endpoint, pool: "Pool | None", *, is_for_operator: bool = False) -> bytes:
    """Return all metrics. The metrics about single moves are included only if `is_for_operator`."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Reader(lobby, endpoint, pool, is_for_operator=is_for_operator))
    return generate_latest(registry)
