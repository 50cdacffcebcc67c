"""Tests of reading the output of a probe, which checks whether a sandbox works."""

import os

from rails_cli.programs.sandbox.probe import read_to_end
from tests.support.step_clock import StepClock


def test_reading_stops_at_the_deadline_if_the_pipe_stays_open() -> None:
    reader, writer = os.pipe()
    try:
        os.write(writer, b"reply")
        assert read_to_end(reader, StepClock(0.5)) == (b"reply", False)
        os.write(writer, b"more")
    finally:
        os.close(writer)
    assert read_to_end(reader, StepClock()) == (b"more", True)
    os.close(reader)
