"""Tests of how the attacks on a sandbox are read."""

import os

from rails_cli.programs.sandbox.probe import read_to_end
from tests.support.step_clock import StepClock


def test_a_pipe_that_a_process_holds_open_is_read_for_a_while_only() -> None:
    reader, writer = os.pipe()
    try:
        os.write(writer, b"reply")
        assert read_to_end(reader, StepClock(0.5)) == (b"reply", False)
        os.write(writer, b"more")
    finally:
        os.close(writer)
    assert read_to_end(reader, StepClock()) == (b"more", True)
    os.close(reader)
