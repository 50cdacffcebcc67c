"""The cheapest ways of companies to cities, as proposals to somebody who holds their shares."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from rails_cli.core.hexgrid import mask_of, numbers_in, way_costs
from rails_cli.games.decision import Decision
from rails_cli.games.face import Way
from rails_cli.games.phrases import counted
from rails_cli.games.railways.places import BUILD, Number, place_called
from rails_cli.games.vocabulary import looked_up

DOLLAR = 1000
"""What a dollar counts beside a piece: of the cheapest ways, that of the fewest hexes."""
MOST_LISTED = 12

Bonus = Callable[[Mapping[str, Any], Collection[str], str], int]
"""What a place brings besides its own income to a company that stands in some others."""


def ways(
    decision: Decision,
    words: Sequence[str],
    *,
    cost: Number,
    worth: Number,
    pieces_left: Callable[[Any], int],
    bonus: Bonus = lambda *_: 0,
) -> list[Way]:
    """The ways to the city that some words name, or to all within reach; of the company that they name, or of all."""
    if not words or words[0].lower() != BUILD.kind:
        return []
    board, view = decision.wire_board, decision.view
    names = decision.face.vocabulary.names(board, view)
    spot, only = looked_up(names["hex"], " ".join(words[1:])), None
    if words[1:] and spot is None:
        only, spot = looked_up(names["company"], words[1]), looked_up(names["hex"], " ".join(words[2:]))
        if only is None or (words[2:] and spot is None):
            return []
    number = {place["id"]: at for at, place in enumerate(board["hexes"])}
    near = [mask_of(number[one] for one in place["neighbours"]) for place in board["hexes"]]
    prices = [cost(board, view, place) for place in board["hexes"]]
    incomes = [worth(board, view, place) or 0 for place in board["hexes"]]
    cities = [at for at, place in enumerate(board["hexes"]) if place["name"]]
    held = view.players[decision.seat].shares
    found: list[tuple[float, Way]] = []
    for company in view.companies:
        if not held[company.id] or not company.track or only not in (None, company.id):
            continue
        track = mask_of(number[place] for place in company.track)
        efforts = [
            0 if track >> at & 1 else None if price is None else price * DOLLAR + 1 for at, price in enumerate(prices)
        ]
        spent = way_costs(near, efforts, track)
        goals = [number[spot]] if spot is not None else [at for at in cities if incomes[at]]
        for goal in goals:
            if track >> goal & 1 or efforts[goal] is None or spent[goal] is None:
                continue
            way = _way(near, efforts, spent, goal, track)
            price = sum(prices[at] or 0 for at in way)
            is_near = price <= company.treasury and len(way) <= pieces_left(company)
            if spot is None and not is_near:
                continue
            there, gain = list(company.track), 0
            for at in way:
                place = board["hexes"][at]["id"]
                gain += incomes[at] + bonus(board, there, place)
                there.append(place)
            hexes = [board["hexes"][at]["id"] for at in way]
            lacks = "" if len(way) <= pieces_left(company) else f", and it has {pieces_left(company)} pieces left"
            told = (
                f"{company.id} to {place_called(board, hexes[-1])}: {counted(len(way), 'step')} "
                f"({', '.join(hexes)}) for ${price} of its ${company.treasury}{lacks}; "
                f"income {company.income} → {company.income + gain}"
            )
            commands = [f"{BUILD.kind} {company.id} {place}" for place in hexes]
            found.append((gain / (price + len(way)), Way(commands, told)))
    found.sort(key=lambda pair: -pair[0])
    return [way for _, way in found[:MOST_LISTED]]


def _way(
    near: Sequence[int], efforts: Sequence[int | None], spent: Sequence[int | None], goal: int, track: int
) -> list[int]:
    """The hexes to build in, from the network on."""
    way = [goal]
    while spent[way[-1]]:
        way.append(
            min(
                (one for one in numbers_in(near[way[-1]]) if efforts[one] is not None and spent[one] is not None),
                key=lambda one: ((efforts[one] or 0) + (spent[one] or 0), one),
            )
        )
    return [at for at in reversed(way) if not track >> at & 1]
