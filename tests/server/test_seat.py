"""Tests of `ServerSeat`, the state of one seat of a table."""

from rails_cli.match.clock import read_clock
from rails_cli.server.tables.seat import ServerSeat


def test_network_delay_is_compensated_up_to_limits_that_follow_from_the_clock() -> None:
    seats = [ServerSeat(0, "player") for _ in range(2)]
    seats[0].set_clock(read_clock("10+1,2/move"))
    seats[1].set_clock(read_clock("3600"))
    assert [(seat.lag.most_s, seat.lag.left_s) for seat in seats] == [(0.1, 0.5), (0.5, 30.0)]
