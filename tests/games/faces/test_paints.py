"""Tests that companies on web pages can be distinguished without colour, and by people who confuse red and green."""

import re
from itertools import combinations
from math import dist
from pathlib import Path

import pytest

import rails_cli
from rails_cli.games.faces.paints import DASHES, GROUNDS, PAINTS
from rails_cli.games.game import PUBLIC
from rails_cli.study.playback.recorded import read_recorded
from tests.support.tools import GOLDEN

PACKAGE = Path(rails_cli.__file__).parent
Triple = tuple[float, float, float]

# Matrices on red, green and blue light for each kind of vision (Viénot, Brettel and Mollon 1999).
SIGHTS: dict[str, tuple[Triple, Triple, Triple]] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "no green": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
}
MIN_DISTANCE = 10.0
"""Minimum distance in CIE L*a*b* between the colours of two companies. Side by side, a distance of 2 is visible."""


def lab_colour(colour: str, sight: str) -> Triple:
    """Return a colour such as `#c0322b` in L*a*b*, as people with the kind of vision `sight` see it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (sum(a * b for a, b in zip(row, light, strict=True)) for row in SIGHTS[sight])
    x = lab_curve((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
    y = lab_curve(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    z = lab_curve((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


def lab_curve(part: float) -> float:
    return float(part ** (1 / 3)) if part > 0.008856 else 7.787 * part + 16 / 116


def test_style_sheets_declare_no_colour_of_a_theme_again() -> None:
    sheets = [*(PACKAGE / "web").glob("*.css"), *(PACKAGE / "tournament").rglob("*.css")]
    assert len(sheets) > 10
    declared = [
        f"{sheet.name}: {name}" for sheet in sheets for name in re.findall(r"--([a-z0-9-]+):", sheet.read_text())
    ]
    assert [one for one in declared if one.partition(": ")[2] in GROUNDS] == []


@pytest.mark.parametrize("game", ["american_rails", "chicago_express"])
def test_companies_differ_in_letter_dashes_and_colour(game: str) -> None:
    """Any two companies have different letters, dashes and colours.

    The colours differ enough for people with each kind of vision, in the light and in the dark theme.
    """
    recorded = read_recorded(min(GOLDEN.glob(f"{game}/*.jsonl")).read_bytes())
    view = recorded.view(recorded.moments[0], PUBLIC)
    players, companies, *_ = recorded.face.sheets(recorded.wire_board, view, recorded.names, {})
    rows = companies.rows
    assert len(rows) > 4
    assert [(row.paint, row.symbol) for row in rows] == [
        (column.paint, column.symbol) for column in players.columns if column.symbol
    ]
    for one, other in combinations(rows, 2):
        assert one.symbol != other.symbol
        assert DASHES.get(one.paint) != DASHES.get(other.paint)
        for sight in SIGHTS:
            for (fill, *_), (other_fill, *_) in zip(PAINTS[one.paint], PAINTS[other.paint], strict=True):
                assert dist(lab_colour(fill, sight), lab_colour(other_fill, sight)) > MIN_DISTANCE, (
                    one.name,
                    other.name,
                    sight,
                )
