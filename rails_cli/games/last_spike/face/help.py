"""Commands of The Last Spike, previews of their effects, reasons why actions are illegal, hints and the tutorial."""

from collections.abc import Mapping, Sequence
from typing import Any

from rails_cli.games.decision import Advice, Decision, Lookahead, Preview, Spot, change
from rails_cli.games.faces.choices import ranked
from rails_cli.games.faces.lessons import Lesson, Tutorial
from rails_cli.games.faces.phrases import count_phrase, dollars, listed
from rails_cli.games.faces.vocabulary import Examples, Verb, Vocabulary, looked_up, plain
from rails_cli.games.last_spike.face.maps import city_name, city_of, city_with, lot_name, times_apart
from rails_cli.games.last_spike.face.panels import missing_for_line
from rails_cli.games.last_spike.players.greedy import Estimates, think
from rails_cli.protocol.last_spike import (
    Buy,
    LastSpikeDriven,
    PieceChosen,
    PiecePlayed,
    Play,
    PropertyBought,
    PropertySold,
    PropertyTaken,
    RouteCompleted,
    RoutePaid,
    Sell,
    WentBankrupt,
)


def _names(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    cities: dict[str, str] = {}
    lots: dict[str, str] = {}
    for city in board["cities"]:
        cities |= {plain(city["id"]): city["id"], plain(city["name"]): city["id"]}
        lots |= {plain(lot["id"]): lot["id"] for lot in city["properties"]}
    pieces = {plain(piece["id"]): piece["id"] for route in board["routes"] for piece in route["pieces"]}
    return {"piece": pieces, "property": lots, "city": cities}


VOCABULARY = Vocabulary(
    verbs=(Verb("play", ("piece",), also=("lay",)), Verb("sell", ("property",)), Verb("buy", ("city",))),
    names=_names,
    examples=Examples(
        answers="""\
  play A3            buy Omaha          sell OMA2              pass""",
        things=("Omaha", "A3", "OMA2"),
        answer="buy Omaha",
        maps="map costs, map income: what pieces cost and cities pay",
        rules=("14", "property"),
    ),
)


def describe(decision: Decision, words: Sequence[str]) -> Spot | None:
    """Return a description of the city that `words` name: the prices of its properties and the payments for routes.

    Return None if `words` do not name a city.
    """
    city = looked_up(_names(decision.wire_board, decision.view)["city"], " ".join(words))
    if city is None:
        return None
    place = city_of(decision.wire_board, city)
    now = next(one for one in decision.view.cities if one.id == city)
    sale = "no property is for sale" if now.for_sale is None else f"a property is for sale at {dollars(now.price or 0)}"
    to_come = f"{count_phrase(now.routes_left, 'route')} to come"
    return Spot(city, f"{place['name']}: {sale}, {to_come}, {_payout(place)}.")


def _payout(place: Any) -> str:
    amounts = ", ".join(dollars(amount) for amount in place["payout"])
    return f"a route pays {amounts} for 1 to {len(place['payout'])} properties"


def _own_payout(place: Any, view: Any) -> list[str]:
    """Return phrases about the city `place`, for the seat that sees `view`.

    They state the payment for a route, the payment after another purchase, and the proceeds of forced sales. A
    spectator gets no phrases.
    """
    if view.seat is None:
        return []
    now = next(city for city in view.cities if city.id == place["id"])
    held, pays = now.properties[view.seat], [0, *place["payout"]]
    phrases = [f"you hold {held} and get {dollars(pays[held])}"]
    if now.price is not None:
        phrases[0] += f", {dollars(pays[held + 1])} once you buy for {dollars(now.price)}"
    phrases.append(f"{count_phrase(now.routes_left, 'route')} to come")
    own = [lot for lot in place["properties"] if lot["id"] in view.players[view.seat].properties]
    sold = [dollars(lot["resale"]) for lot in own if lot["price"]] if now.routes_left else []
    return [*phrases, f"a forced sale brings {listed(sold)}" if sold else "nothing to sell"] if own else phrases


def numbers(board: Mapping[str, Any], view: Any, what: str) -> list[str] | None:
    """Return text lines with costs or payments.

    If `what` starts with "cost", list the costs of the pieces of each route. If `what` starts with "inc", list the
    payments of each city. Return None for any other word.
    """
    if what.startswith("inc"):
        return [
            f"{place['name']}: {'; '.join([_payout(place), *_own_payout(place, view)])}" for place in board["cities"]
        ]
    if not what.startswith("cost"):
        return None
    return [
        f"{route['id']} {city_name(board, route['from'])} to {city_name(board, route['to'])}: "
        + ", ".join(f"{piece['id']} {dollars(piece['cost'])}" for piece in route["pieces"])
        for route in board["routes"]
    ]


# Effects of a choice

SALE = 10_000
"""Penalty in dollars for a forced sale, used to sort choices."""
FREE_PROPERTY = 6_000
"""Value in dollars of a free property, used to sort choices."""


def preview(decision: Decision, lookahead: Lookahead, actions: Sequence[Any]) -> Preview:
    """Return the combined effect and total cost of `actions`, played one after another."""
    notes: list[str] = []
    gain = 0.0
    costs: list[int] = []
    for number, action in enumerate(actions):
        if lookahead.is_by_chance:
            break
        now = decision.at(lookahead) if number else decision
        lookahead, events = lookahead.after(action)
        entry = now.listed(action)
        cost = getattr(entry, "cost", None)
        costs += [] if cost is None else [cost]
        step = _step(now, entry, events)
        notes += step.notes
        gain += step.gain
    if costs:
        notes.insert(0, f"costs {dollars(sum(costs))}")
        gain -= sum(costs)
    sold, events = sold_first(decision, lookahead)
    if sold:
        then = _step(decision, None, [event for event in events if type(event) is not PropertySold])
        notes += [f"{'then also' if isinstance(actions[-1], Sell) else 'such as'} {listed(sold)}", *then.notes]
        gain += then.gain
    return Preview(notes, gain)


def sold_first(decision: Decision, lookahead: Lookahead) -> tuple[list[str], list[Any]]:
    """Sell properties in the lookahead, as the greedy player would, until the seat can pay for the chosen piece.

    Return the ids of the properties sold and all resulting events.
    """
    sold: list[str] = []
    all_events: list[Any] = []
    while lookahead.asked == decision.seat and lookahead.view.question.asks == "sell":
        legal = lookahead.legal
        sale: Any = legal[-1] if decision.board is None else think(lookahead.view, legal, decision.board)
        lookahead, events = lookahead.after(sale)
        sold.append(sale.property)
        all_events += events
    return sold, all_events


def _step(decision: Decision, action: Any, events: Sequence[Any]) -> Preview:
    seat, board = decision.seat, decision.wire_board
    notes = []
    gain = 0
    for event in events:
        match event:
            case PieceChosen():
                notes.append("you must sell properties to pay for it")
                gain -= SALE
            case PiecePlayed():
                if isinstance(action, Sell):
                    notes.append(f"then {event.piece} is laid for {dollars(event.cost)}")
                if not event.touching:
                    notes.append(f"{times_apart(board)} because it touches nothing")
            case PropertyTaken():
                notes.append(f"free property in {city_name(board, event.city)}")
                gain += FREE_PROPERTY
            case RouteCompleted():
                notes.append(f"completes route {event.route}")
            case RoutePaid():
                name = city_name(board, event.city)
                mine = event.amounts[seat]
                others = sum(event.amounts) - mine
                paid = [f"{who} {dollars(amount)}" for who, amount in (("you", mine), ("others", others)) if amount]
                notes += [f"{name} pays {listed(paid)}"] if paid else []
                gain += mine - others
            case LastSpikeDriven():
                notes.append(f"the last spike: {dollars(event.bonus)} for you, and the game ends")
                gain += event.bonus
            case PropertySold():
                notes.append(f"brings {dollars(event.gain)}")
                gain += event.gain
            case PropertyBought():
                city = next(city for city in decision.view.cities if city.id == event.city)
                pays = [0, *city_of(board, event.city)["payout"]]
                held = city.properties[seat]
                routes = count_phrase(city.routes_left, "route")
                earns = f"a route pays you {change(pays[held], pays[held + 1])}, {routes} to come"
                notes.append(earns if city.routes_left else "pays nothing more")
                gain += (pays[held + 1] - pays[held]) * city.routes_left
    return Preview(notes, gain)


# Why an action is illegal


def why(decision: Decision, words: Sequence[str]) -> str | None:
    names = decision.face.vocabulary.names(decision.wire_board, decision.view)
    for word in map(plain, words):
        if word in names["piece"]:
            return _piece(decision, names["piece"][word])
        if word in names["property"]:
            return _property(decision, names["property"][word])
    named = (names["city"].get(plain(word)) for word in (" ".join(words), *words))
    city = next((found for found in named if found), None)
    return None if city is None else _city(decision, city)


def _city(decision: Decision, city_id: str) -> str:
    asks = decision.view.question.asks
    city = next(city for city in decision.view.cities if city.id == city_id)
    name = city_name(decision.wire_board, city_id)
    if asks != "buy":
        return f"You buy after laying a piece; now you are to {asks} (LS-10)."
    if any(getattr(entry, "city", None) == city_id for entry in decision.legal):
        return f"You may buy in {name}."
    if not city.free_taken:
        return f"The free property of {name} has not been taken, so nothing is for sale there yet (LS-15)."
    if city.for_sale is None:
        return f"All properties of {name} are taken (LS-15)."
    cash = decision.view.players[decision.seat].cash or 0
    return f"{name}'s next property costs {dollars(city.price)}, and you have {dollars(cash)} (LS-15)."


def _piece(decision: Decision, piece: str) -> str:
    view = decision.view
    own = view.players[decision.seat]
    if any(piece in route.laid for route in view.routes):
        return f"{piece} is already on the board."
    if piece not in (own.hand or ()):
        return f"{piece} is not in your hand (LS-10)."
    if view.question.asks != "play":
        return f"You play one piece per turn; now you are to {view.question.asks} (LS-10)."
    if any(getattr(entry, "piece", None) == piece for entry in decision.legal):
        return f"You may play {piece}."
    cash, cost = own.cash or 0, cost_now(decision, piece)
    if piece not in view.touching and cost <= cash + own.resale:
        return (
            f"{piece} touches neither a city nor a laid piece, and you can pay for one in your hand that does; "
            "so it may not be played (LS-11)."
        )
    return (
        f"{piece} costs {dollars(cost)}; you have {dollars(cash)} and could sell for {dollars(own.resale)} "
        "(LS-11, LS-20)."
    )


def cost_now(decision: Decision, piece: str) -> int:
    """Return the current cost in dollars of laying a piece that has not been laid."""
    board = decision.wire_board
    cost: int = next(one["cost"] for route in board["routes"] for one in route["pieces"] if one["id"] == piece)
    return cost if piece in decision.view.touching else cost * int(board["non_adjacent_multiplier"])


def _property(decision: Decision, lot: str) -> str:
    view = decision.view
    if any(getattr(entry, "property", None) == lot for entry in decision.legal):
        return f"You may sell {lot}."
    if lot not in view.players[decision.seat].properties:
        return f"{lot} is not yours."
    if view.question.asks != "sell":
        return "Properties are sold only to pay for a piece (LS-20)."
    city = city_with(decision.wire_board, lot)
    if next(one["price"] for one in city["properties"] if one["id"] == lot) == 0:
        return f"{lot} is free property, which is never sold (LS-21)."
    return f"All routes of {city['name']} are complete; its properties are never sold (LS-21)."


# Hints


def advice(decision: Decision) -> Advice:
    estimates = Estimates(decision.view, decision.board)
    return Advice(think(decision.view, decision.legal, decision.board), [_numbers(decision, estimates)])


def reasons(decision: Decision, actions: Sequence[Any]) -> list[str]:
    """Return a sentence in favour of the first action.

    It says what the piece's route pays, or what the property will earn.
    """
    first, view, board = actions[0], decision.view, decision.wire_board
    if isinstance(first, Play):
        route = next(one for one in board["routes"] if any(piece["id"] == first.piece for piece in one["pieces"]))
        missing = len(next(one for one in view.routes if one.id == route["id"]).missing) - 1
        pays = [city.pays for city in view.cities if city.id in (route["from"], route["to"])]
        amounts = [sum(column) for column in zip(*pays, strict=True)]
        seats = sorted(range(len(amounts)), key=lambda seat: (seat != decision.seat, -amounts[seat]))
        payments = [
            f"{'you' if seat == decision.seat else decision.names[seat]} {dollars(amounts[seat])}"
            for seat in seats
            if amounts[seat]
        ]
        lacks = f"then lacks {count_phrase(missing, 'piece')}" if missing else "is then complete"
        return [f"Route {route['id']} {lacks}; at the moment it pays {listed(payments) or 'nobody yet'}."]
    if isinstance(first, Buy):
        city = next(city for city in view.cities if city.id == first.city)
        held, payout = city.properties[decision.seat], [0, *city_of(board, first.city)["payout"]]
        more = (payout[held + 1] - payout[held]) * city.routes_left
        name = city_of(board, first.city)["name"]
        to_come = count_phrase(city.routes_left, "route")
        return [f"{name}: {to_come} to come; costs {dollars(city.price)}, could earn up to {dollars(more)}."]
    return []


def _numbers(decision: Decision, estimates: Estimates) -> str:
    """Return a text line with the estimated gains of the best legal actions."""
    gains: dict[str, float] = {}
    for entry in decision.legal:
        match entry:
            case Play(piece):
                gains[piece] = estimates.value(entry)
            case Buy(city):
                gains[city_name(decision.wire_board, city)] = estimates.value(entry)
            case Sell(lot):
                gains[lot_name(decision.wire_board, lot)] = estimates.value(entry)
    return ranked(gains, {"play": "overall", "buy": "beyond the price", "sell": "if sold"}[decision.view.question.asks])


# Lessons

FEW_PIECES = 3


def _is_line_nearly_done(decision: Decision) -> bool:
    return missing_for_line(decision.wire_board, decision.view) <= FEW_PIECES


def _is_owner_to_play(decision: Decision) -> bool:
    view = decision.view
    return view.question.asks == "play" and bool(view.players[decision.seat].properties)


TUTORIAL = Tutorial(
    seed=3,
    welcome=Lesson(
        "Welcome to The Last Spike. Together you lay a line of track between two far cities, and each "
        "of you buys property in the cities along it. When a route between two cities is complete, both "
        "cities pay their owners (LS-14). Whoever has the most cash at the end wins (LS-31). You hold some pieces of "
        "track, hidden from the others. You play one of them each turn (LS-10).",
        "LS-31",
    ),
    questions={
        "play": Lesson(
            "Choose a piece to lay. Its letter is the route, its number the place on it: the first and last lie beside "
            "a city, and the first piece at a city gives you a property there for free. While you can pay for a piece "
            "that touches something, the others in your hand may not be laid.",
            "LS-11 LS-12 LS-13",
            "On the map, capital letters are laid, small letters would touch something, dots would not and cost more.",
        ),
        "buy": Lesson(
            "Now you may buy one property. The more you hold in a city, the more it pays you for every route that"
            " is completed there; so prefer cities with routes to come, above all those nearly complete.",
            "LS-14 LS-15",
        ),
        "sell": Lesson(
            "Your cash does not cover the piece, so you sell property to the bank below its price.", "LS-20 LS-21"
        ),
    },
    events={
        RoutePaid: Lesson(
            "A route was completed, and both its cities paid their owners. That is where the money comes from.", "LS-14"
        ),
        PropertyTaken: Lesson(
            "Whoever is first at a city takes its free property; but then nothing can be bought in that turn.", "LS-13"
        ),
        WentBankrupt: Lesson("A player could not pay for any piece and is out of the game.", "LS-23"),
    },
    positions={
        _is_owner_to_play: Lesson(
            "You own a property now. Whenever a route to its city is complete, the city pays you, and the more "
            "properties you own there, the more it pays. After a piece that reaches no new city you may buy one "
            "property.",
            "LS-14 LS-15",
        ),
        _is_line_nearly_done: Lesson(
            "The line between the two end cities needs only a few more pieces. Whoever lays the last one drives the "
            "last spike, gets a bonus and ends the game: do not buy property now that can no longer pay.",
            "LS-30",
        ),
    },
)
