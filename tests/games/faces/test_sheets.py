"""Tests of the tables that the pages of games show."""

import pytest

from rails_cli.games.faces.sheets import seat_rows


@pytest.mark.parametrize(
    ("names", "marks"),
    [
        (["Astor", "morgan", "Hill"], ["A", "M", "H"]),
        (["guest", "Vanderbilt", "Gould"], ["Gu", "V", "Go"]),
        (["Anna", "Andy", "Bob", ""], ["1", "2", "B", "4"]),
        (["Seat 1", "Seat 2"], ["1", "2"]),
    ],
)
def test_a_seat_is_marked_with_the_initial_of_its_player(names: list[str], marks: list[str]) -> None:
    assert [row.symbol for row in seat_rows(names)] == marks
