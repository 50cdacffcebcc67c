"""Fixtures of all tests of tournaments."""

import sys

import pytest


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test write reports without charts, because charts take long to draw."""
    monkeypatch.setitem(sys.modules, "altair", None)
