"""The cheapest paths on which companies can build to cities, as suggestions for shareholders."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from rails_cli.games.decision import Decision
from rails_cli.games.faces.interface import Way
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.faces.vocabulary import looked_up
from rails_cli.games.railways.places import BUILD, Number, place_name, short_place_name
from rails_cli.games.shared.hexgrid import mask_of, numbers_in, way_costs

DOLLAR = 1000
"""Effort of a path for each dollar that it costs.

Each piece adds 1. Of two paths with the same cost, the shorter one therefore needs less effort.
"""
MOST_LISTED = 12

Bonus = Callable[[Mapping[str, Any], Collection[str], str], int]
"""Function that takes a board, a company's hexes and a new hex. It returns additional income, such as a link bonus."""


def ways(
    decision: Decision,
    words: Sequence[str],
    *,
    cost: Number,
    worth: Number,
    pieces_left: Callable[[Any], int],
    bonus: Bonus = lambda *_: 0,
) -> list[Way]:
    """Return plans to build to a city, best first.

    `words` is a build command. If it names no city, return plans for all cities that companies have enough money and
    pieces to reach. If it names a company, only the plans of this company are returned. Companies in which the seat
    holds no shares have no plans.

    - `cost` and `worth` return the building cost and the income of a hex.
    - `pieces_left` returns the number of pieces that a company can still place.
    - `bonus` returns the additional income of a new hex.
    """
    if not words or words[0].lower() != BUILD.kind:
        return []
    board, view = decision.wire_board, decision.view
    names = decision.face.vocabulary.names(board, view)
    spot, only = looked_up(names["hex"], " ".join(words[1:])), None
    if words[1:] and spot is None:
        only, spot = looked_up(names["company"], words[1]), looked_up(names["hex"], " ".join(words[2:]))
        if only is None or (words[2:] and spot is None):
            return []
    ground = _Ground(decision, cost, worth)
    held = view.players[decision.seat].shares
    found: list[tuple[float, Way]] = []
    for company in view.companies:
        if not held[company.id] or not company.track or only not in (None, company.id):
            continue
        for way in ground.ways_of(company, spot):
            price, left = sum(ground.prices[at] or 0 for at in way), pieces_left(company)
            if spot is None and (price > company.treasury or len(way) > left):
                continue
            hexes = [board["hexes"][at]["id"] for at in way]
            gain = sum(ground.incomes[at] for at in way)
            gain += sum(bonus(board, [*company.track, *hexes[:at]], place) for at, place in enumerate(hexes))
            afford = (
                f" of its ${company.treasury}" if price <= company.treasury else f", and it has ${company.treasury}"
            )
            lacks = "" if len(way) <= left else f", and it can take {left} more"
            by_way_of = ", ".join(short_place_name(board, place) for place in hexes)
            description = (
                f"{company.id} to {place_name(board, hexes[-1])}: {count_phrase(len(way), 'step')} ({by_way_of})"
                f"{lacks} for ${price}{afford}; income {company.income} → {company.income + gain}"
            )
            commands = [f"{BUILD.kind} {company.id} {place}" for place in hexes]
            found.append((gain / (price + len(way)), Way(commands, description)))
    found.sort(key=lambda pair: -pair[0])
    return [way for _, way in found[:MOST_LISTED]]


class _Ground:
    """The map as lists indexed by hex number: neighbours, current building costs in dollars, and income."""

    def __init__(self, decision: Decision, cost: Number, worth: Number) -> None:
        board, view = decision.wire_board, decision.view
        places = board["hexes"]
        self.number = {place["id"]: at for at, place in enumerate(places)}
        self.near = [mask_of(self.number[one] for one in place["neighbours"]) for place in places]
        self.prices = [cost(board, view, place) for place in places]
        self.incomes = [worth(board, view, place) or 0 for place in places]
        self.cities = [at for at, place in enumerate(places) if place["name"] and self.incomes[at]]

    def ways_of(self, company: Any, spot: str | None) -> Iterator[list[int]]:
        """Yield the hex numbers of a company's cheapest path to the hex `spot`.

        If `spot` is None, yield such a path for each city that can be reached.
        """
        track = mask_of(self.number[place] for place in company.track)
        efforts = [
            0 if track >> at & 1 else None if price is None else price * DOLLAR + 1
            for at, price in enumerate(self.prices)
        ]
        spent = way_costs(self.near, efforts, track)
        for goal in self.cities if spot is None else [self.number[spot]]:
            if not track >> goal & 1 and efforts[goal] is not None and spent[goal] is not None:
                yield _way(self.near, efforts, spent, goal)


def _way(near: Sequence[int], efforts: Sequence[int | None], spent: Sequence[int | None], goal: int) -> list[int]:
    """Return the hexes of the cheapest path to `goal`.

    The first hex is next to the network. These lists are indexed by hex:

    - `near`: the mask of its neighbours.
    - `efforts`: the effort to enter the hex.
    - `spent`: the effort to build from the network up to the hex, without entering it.
    """
    way = [goal]
    while spent[way[-1]]:
        way.append(
            min(
                (one for one in numbers_in(near[way[-1]]) if efforts[one] is not None and spent[one] is not None),
                key=lambda one: ((efforts[one] or 0) + (spent[one] or 0), one),
            )
        )
    return way[::-1]
