"""Tests of the SVG map of The Last Spike: laid pieces, hands, owners, and places where the last spike is possible."""

import re
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import pytest

from rails_cli.games.faces.svg import LAYERS, SvgMark
from rails_cli.games.game import ALL_SEATS
from rails_cli.protocol.last_spike import Play
from rails_cli.protocol.live_view import TileShown
from rails_cli.study.playback.recorded import Recorded, read_recorded
from tests.support.frames import golden_frames
from tests.support.tools import GOLDEN

CAPTION = "line-caption-text"


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return read_recorded((GOLDEN / "last_spike/last_spike-4p.jsonl").read_bytes())


@pytest.fixture(scope="module")
def drawn(recorded: Recorded) -> Any:
    return recorded.face.board_map(recorded.wire_board)


def with_class(marks: Iterable[SvgMark], look: str) -> list[dict[str, str]]:
    """Return the attributes and the text of the marks that have the CSS class `look`."""
    found = [dict(mark.attributes) | {"text": mark.text} for mark in marks]
    return [mark for mark in found if look in mark["class"].split(" ")]


def pieces_at(drawn: Any, marks: list[dict[str, str]]) -> list[str]:
    """Return the sorted ids of the pieces that `marks` show. A mark shows the piece with the same coordinates.

    `drawn` is the SVG map of the board.
    """
    places = {(slot.x, slot.y): piece for piece, slot in drawn.slots.items()}
    return sorted(places[float(mark["x"]), float(mark["y"])] for mark in marks)


def pieces_of(drawn: Any, marks: list[dict[str, str]]) -> list[str]:
    """Return the sorted ids of the pieces that `marks` outline.

    `drawn` is the SVG map of the board. `marks` has the attributes of SVG paths, such as the result of `with_class`.
    """
    outlines = {slot.outline: piece for piece, slot in drawn.slots.items()}
    return sorted(outlines[mark["d"]] for mark in marks)


def test_laid_pieces_and_owners_are_drawn(recorded: Recorded, drawn: Any) -> None:
    for moment in recorded.moments:
        view = recorded.view(moment, ALL_SEATS)
        marks = drawn.marks(view)
        laid = sorted(piece for route in view.routes for piece in route.laid)
        assert pieces_at(drawn, with_class(marks, "laid")) == laid
        owned = [mark["text"] for mark in with_class(marks, "deed-letter")]
        assert sorted(owned) == sorted(str(player.seat + 1) for player in view.players for _ in player.properties)


@pytest.mark.parametrize("ratio", [0.9, 1.2, 2.2])
def test_a_map_fills_a_frame_of_any_proportions(drawn: Any, ratio: float) -> None:
    """The map can be drawn for a frame with any ratio of width to height.

    The boxes with the names of the cities keep their size and do not touch. The outermost boxes are near the borders.
    """
    fitted = drawn.fitted(ratio)
    assert fitted.width / fitted.height == pytest.approx(ratio, rel=0.01)
    plates, usual = list(fitted.plates.values()), next(iter(drawn.plates.values()))
    assert {round(box.right - box.left) for box in plates} == {round(usual.right - usual.left)}
    sides = min(box.left for box in plates), fitted.width - max(box.right for box in plates)
    ends = min(box.top for box in plates), fitted.height - max(box.bottom for box in plates)
    assert max(*sides, *ends) < 30
    for one, other in combinations(plates, 2):
        assert one.right < other.left or other.right < one.left or one.bottom < other.top or other.bottom < one.top


@pytest.mark.parametrize("ratio", [1.0, 1.3, 1.5])
def test_the_caption_of_the_completed_line_covers_no_city(recorded: Recorded, drawn: Any, ratio: float) -> None:
    fitted = drawn.fitted(ratio)
    (caption,) = with_class(fitted.marks(recorded.view(recorded.moments[-1], ALL_SEATS)), "line-caption")
    outline = re.match(r"M([\d.]+) ([\d.]+)h([\d.]+)a.*?v([\d.]+)a", caption["d"])
    assert outline is not None
    left, top, across, down = map(float, outline.groups())
    left, right, bottom = left - 10, left + across + 10, top + down + 20
    for box in fitted.plates.values():
        assert right < box.left or box.right < left or bottom < box.top or box.bottom < top


def test_a_seat_sees_its_own_hand_only_and_signs_of_the_last_spike(recorded: Recorded, drawn: Any) -> None:
    signs = 0
    for moment in recorded.moments[:-1]:
        view: Any = recorded.view(moment, 1)
        marks = drawn.marks(view)
        assert pieces_of(drawn, with_class(marks, "held")) == sorted(view.players[1].hand)
        assert pieces_of(drawn, with_class(marks, "reach")) == sorted({*view.touching} - {*view.players[1].hand})
        shown = [mark for mark in marks if ("href", "#spike-sign") in mark.attributes]
        assert len(shown) == len(view.last_spikes)
        signs += len(shown)
        assert not with_class(marks, "gleam")
    assert signs


def test_labels_of_missing_pieces_are_above_the_edges_of_all_pieces(recorded: Recorded, drawn: Any) -> None:
    view = recorded.view(recorded.moments[40], 0)
    marks = drawn.marks(view)
    labels = [mark.text for mark in marks if mark.layer == "dashes"]
    assert labels[::2] == [piece for route in view.routes for piece in route.missing]
    edges = {mark.layer for mark in marks if dict(mark.attributes)["class"] in ("held", "reach")}
    assert all(LAYERS.index(layer) < LAYERS.index("dashes") for layer in edges)


def test_the_completed_line_is_gold_and_named(recorded: Recorded, drawn: Any) -> None:
    view = recorded.view(recorded.moments[-1], ALL_SEATS)
    marks = drawn.marks(view)
    golden = [mark for mark in with_class(marks, "laid") if mark["href"].startswith("#gold-")]
    assert {piece[0] for piece in pieces_at(drawn, golden)} == {"A", "C", "U", "Y"}
    assert len(golden) == 16
    words = " ".join(mark["text"] for mark in with_class(marks, CAPTION))
    assert words == "The line is complete: St. Louis to Sacramento by Omaha, Laramie and Ogden."
    assert recorded.face.end(recorded.wire_board, view) == words


def test_the_goal_says_how_far_the_line_is_until_it_is_complete(recorded: Recorded) -> None:
    def goal(moment: int) -> Any:
        return recorded.face.goal(recorded.wire_board, recorded.view(recorded.moments[moment], 0))

    assert goal(40).state == "5 pieces short"
    assert goal(40).words == "The shortest line runs by Omaha, Laramie and Ogden. The last spike is worth $20,000."
    assert re.match(
        r"[A-Z]\d( or [A-Z]\d)* would be the last spike, worth \$20,000\. The line runs by ", goal(-2).words
    )
    assert goal(-1) is None


def test_a_crowded_board_is_drawn_larger_and_without_the_coast(recorded: Recorded, drawn: Any) -> None:
    board = recorded.wire_board
    assert drawn.base()[:2] == (1000, 650)
    routes = [
        {**route, "pieces": [{"id": f"{route['id']}{number}", "cost": 1000} for number in range(12)]}
        for route in board["routes"]
    ]
    crowded = recorded.face.board_map({**board, "name": "long", "routes": routes}).base()
    assert crowded.width > 1500
    assert 'class="coast"' in drawn.base().ground
    assert 'class="coast"' not in crowded.ground


# Tiles


def tiles(log: str) -> dict[tuple[int, str], Any]:
    """Return the tile of each playable piece in a logged game. A tile shows a piece, its price and its effect.

    The key is a pair: the number of the decision, and the title of the tile.
    """
    found = {}
    for number, (decision, _) in enumerate(golden_frames(GOLDEN / "last_spike" / log, 1)):
        for entry in decision.legal:
            shown = decision.face.tile(decision, entry)
            assert (shown is not None) == isinstance(entry, Play)
            if shown is not None:
                found[number, shown.title] = shown
    return found


def test_tiles_say_what_a_piece_costs_and_what_it_pays_everybody() -> None:
    found = tiles("last_spike-4p.jsonl")
    assert found[57, "W2"] == TileShown(
        "W2",
        "$5k",
        "track-tile",
        [("Denver", "spot-4"), ("Yuma", "spot-7")],
        "Completes it. Pays Vanderbilt $18k, Huntington $6k, Gould $5k.",
        "You get $15k.",
    )
    assert (found[12, "A1"].effect, found[12, "A1"].gain) == (
        "The route then lacks A2 and A3.",
        "You get the free property of St. Louis.",
    )
    assert found[8, "D1"].effect == "The route then lacks 3 pieces."
    last = found[73, "Y3"]
    assert last.effect.startswith("Completes it. The last spike: the game ends. Pays Huntington $47k,")
    assert last.gain == "You get $20k."


def test_a_tile_says_that_a_piece_touches_nothing() -> None:
    found = tiles("last_spike-3p-free_choice.jsonl")
    assert any(shown.effect.startswith("Touches nothing: double. The route then lacks ") for shown in found.values())
