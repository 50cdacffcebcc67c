"""Check that observations (arrays of numbers for learning programs) agree with views, in each game."""

from typing import Any

import numpy as np
import pytest

from rails_cli.games import load_numbers
from rails_cli.games.numbers import BYTES, Block, Column, Item, Layout, Map, Shares, one_byte
from rails_cli.games.observations import Expander
from rails_cli.games.shared.luck import stream
from rails_cli.library import Engine
from rails_cli.library.spaces import Space

Values = dict[str, list[float]]


def in_turn_order(players: list[Any], seat: int) -> list[tuple[str, Any]]:
    """Return the players of a view in turn order from `seat`, each as a pair.

    The first element of a pair is the prefix of the player's fields in observations, such as `seat+1` for the next
    player.
    """
    seats = len(players)
    return [(f"seat+{number}", players[(seat + number) % seats]) for number in range(seats)]


def chicago_express(view: Any, board: Any, seat: int) -> Values:
    auction, question = view.auction, view.question
    values = {
        "table.houses": [view.houses_left / board.houses],
        "table.dials": [dial.moved / dial.red_at for dial in view.dials],
        "table.minimum": [auction.minimum / 20 if auction else 0],
        "table.is_opening": [auction is not None and auction.is_opening],
        "table.to_place": [((question and question.builds_left) or 0) / board.expand_max],
        "developed": [place in view.developed for place in board.hex_ids],
    }
    asks = ["choose_action", "offer_share", "bid_or_pass", "expand", "develop"]
    values["table.question"] = [question is not None and question.asks == kind for kind in asks]
    earned = {company.id: company.dividend for company in view.companies}
    for name, player in in_turn_order(view.players, seat):
        values[f"{name}.cash"] = [player.cash / 20]
        values[f"{name}.earnings"] = [sum(player.shares[id] * each for id, each in earned.items()) / 20]
        totals = zip(player.shares.values(), board.shares, strict=True)
        values[f"{name}.shares"] = [held / total for held, total in totals]
        values[f"{name}.is_to_move"] = [question is not None and question.seat == player.seat]
        values[f"{name}.has_turn"] = [view.turn == player.seat]
        values[f"{name}.is_leader"] = [auction is not None and auction.leader == player.seat]
        values[f"{name}.is_bidding"] = [auction is not None and player.seat in auction.still_in]
    for company, locomotives in zip(view.companies, board.locomotives, strict=True):
        values[f"company.{company.id}.treasury"] = [company.treasury / 20]
        values[f"company.{company.id}.income"] = [company.income / 10]
        values[f"company.{company.id}.dividend"] = [company.dividend / 10]
        values[f"company.{company.id}.sold"] = [company.shares_sold / (company.shares_sold + company.shares_left)]
        values[f"company.{company.id}.locomotives"] = [company.locomotives_left / locomotives]
        values[f"company.{company.id}.is_at_issue"] = [question is not None and question.company == company.id]
        values[f"track.{company.id}"] = [place in company.track for place in board.hex_ids]
    return values


def american_rails(view: Any, board: Any, seat: int) -> Values:
    auction, question = view.auction, view.question
    values = {
        "table.markers": [view.markers_left / board.markers],
        "table.minimum": [auction.minimum / 20 if auction else 0],
        "table.year": [board.file.years.index(view.year) / len(board.file.years)],
        "table.phase": [view.phase == phase + 1 for phase in range(board.phases)],
        "table.low_supplies": [view.end.low_supplies / view.end.low_supplies_needed],
        "developed": [place in view.developed for place in board.hex_ids],
    }
    for name, player in in_turn_order(view.players, seat):
        values[f"{name}.cash"] = [player.cash / 20]
        values[f"{name}.earnings"] = [player.due / 20]
        totals = zip(player.shares.values(), board.shares, strict=True)
        values[f"{name}.shares"] = [held / total for held, total in totals]
        values[f"{name}.is_to_move"] = [question is not None and question.seat == player.seat]
        values[f"{name}.is_banker"] = [view.banker == player.seat]
        values[f"{name}.is_leader"] = [auction is not None and auction.leader == player.seat]
        values[f"{name}.is_bidding"] = [auction is not None and player.seat in auction.still_in]
        order = [*view.order, *[None] * len(view.players)][: len(view.players)]
        values[f"{name}.place"] = [other == player.seat for other in order]
        columns = [column.get(space) == player.seat for column in view.columns for space in board.spaces]
        values[f"seat+{(player.seat - seat) % len(view.players)}.spaces"] = columns
    for company, cubes, shares in zip(view.companies, board.cubes, board.shares, strict=True):
        values[f"company.{company.id}.is_absent"] = [not company.in_play]
        values[f"company.{company.id}.is_to_open"] = [company.id in view.opening_lots]
        values[f"company.{company.id}.treasury"] = [company.treasury / 20]
        values[f"company.{company.id}.income"] = [company.income / 10]
        values[f"company.{company.id}.dividend"] = [company.dividend / 10]
        values[f"company.{company.id}.shares"] = [company.shares_left / shares]
        values[f"company.{company.id}.cubes"] = [company.cubes_left / cubes]
        values[f"company.{company.id}.is_at_issue"] = [question is not None and question.company == company.id]
        values[f"track.{company.id}"] = [place in company.track for place in board.hex_ids]
    return values


def last_spike(view: Any, board: Any, seat: int) -> Values:
    question = view.question
    laid = [piece for route in view.routes for piece in route.laid]
    chosen = question and question.piece
    unsold = [lot for city in view.cities for lot in city.pile]
    values = {
        "table.chosen": [piece == chosen for piece in board.piece_ids],
        "table.cost": [((question and question.cost) or 0) / 10_000],
        "table.mix": [view.mix / len(board.piece_ids)],
        "table.aside": [view.set_aside],
        "hand": [piece in view.players[seat].hand for piece in board.piece_ids],
        "laid": [piece in laid for piece in board.piece_ids],
        "complete": [not route.missing for route in view.routes],
        "pile": [lot in unsold for lot in board.property_ids],
    }
    asks = ["play", "sell", "buy"]
    values["table.question"] = [question is not None and question.asks == kind for kind in asks]
    for city in view.cities:
        values[f"city.{city.id}.price"] = [(city.price or 0) / 10_000]
    for name, player in in_turn_order(view.players, seat):
        values[f"{name}.is_to_move"] = [question is not None and question.seat == player.seat]
        values[f"{name}.is_solvent"] = [not player.bankrupt]
        values[f"{name}.is_cash_known"] = [player.cash is not None]
        values[f"{name}.cash"] = [(player.cash or 0) / 10_000]
        values[f"{name}.pieces"] = [player.pieces / 4]
        values[f"{name}.held"] = [lot in player.properties for lot in board.property_ids]
    return values


PART_CHECKED = 0.3
READERS = {"chicago_express": chicago_express, "american_rails": american_rails, "last_spike": last_spike}


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        ("chicago_express", 3, {}),
        ("american_rails", 3, {"first_player": "drawn"}),
        ("american_rails", 4, {}),
        ("last_spike", 2, {"cash": "hidden"}),
        ("last_spike", 4, {}),
    ],
)
def test_observations_agree_with_views(name: str, players: int, options: dict[str, str]) -> None:
    engine = Engine(name)
    space = Space(engine, players)
    position, chance = engine.new(players, 3, options), stream(3)
    while True:
        moves = position.moves()
        if chance() < PART_CHECKED or not moves:
            seat = int(chance() * players)
            observed = space.observe(position, seat)
            fields = {field.name: observed[field.offset : field.offset + field.length] for field in space.fields}
            for field, values in READERS[name](position.view(seat), engine.board, seat).items():
                assert np.array_equal(fields[field], np.array(values, np.float32)), field
        if not moves:
            break
        position = position.after(moves[int(chance() * len(moves))])


def of_columns(*columns: Column) -> list[Block]:
    return [Block("table", [""], [Item("one", "", lambda _: list(columns))])]


ONES = (1.0,) * BYTES


@pytest.mark.parametrize(
    "layout",
    [
        Layout(3, [Block("seat", ["", ""], [one_byte("cash", "", 2)], is_by_seat=True)], []),
        Layout(3, of_columns(Column(-1, ONES)), []),
        Layout(3, of_columns(Column(2, ONES, ONES)), []),
        Layout(3, of_columns(Column(0, ONES[:128]), Column(1, (*ONES[1:128], 0.0))), []),
        Layout(3, [], [Map("held", ["", ""], "", "owners", 1, 3, is_by_seat=True)]),
        Layout(15, [], [Map("held", ["", ""], "", "bitmasks", 0, 9, is_by_seat=True)]),
        Layout(2, [], [], Shares([0], [[1], [1]])),
        Layout(9, [], [], Shares([9], [[1], [2]])),
        Layout(9, [], [], Shares([0], [[1], [9]])),
        Layout(9, [], [], Shares([0], [[1]])),
        Layout(9, [], [], Shares([0, 1], [[2], [3]])),
    ],
)
def test_a_layout_that_contradicts_itself_is_refused(layout: Layout) -> None:
    with pytest.raises(ValueError, match=r"layout|reshape"):
        Expander(layout, 2)


def test_rows_that_do_not_fit_to_the_layout_are_refused() -> None:
    engine = Engine("chicago_express")
    numbers = load_numbers("chicago_express")
    assert numbers is not None

    def packer(board: Any, players: int) -> Any:
        pack = numbers.packer(board, players)

        def shorter(state: Any, seat: int, rows: Any) -> None:
            pack(state, seat, rows)
            rows.numbers.pop()

        return shorter

    space = engine.space(3)
    space.pack = packer(engine.board, 3)
    for count in (1, 2):
        with pytest.raises(ValueError, match=r"do(es)? not fit to the layout|reshape"):
            space.observe_all([engine.new(3)] * count, [0] * count)
