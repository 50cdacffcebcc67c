"""Fixtures of all tests of tournaments."""

import sys

import pytest


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make reports without charts, which take long to draw, in tests of text and tables."""
    monkeypatch.setitem(sys.modules, "altair", None)
