"""Why something is not allowed now: said from what the seat sees, with the rule."""

from collections.abc import Sequence
from typing import Any

from protocol.common import BidRange
from rails_cli.asking.names import Names, company_in, hex_in, piece_in, plain, whole_number
from rails_cli.asking.questions import money
from rails_cli.asking.situation import Situation


def why(situation: Situation, words: Sequence[str]) -> str:
    """Why the things named cannot be chosen now, or that they can."""
    names = Names(situation)
    text = " ".join(words)
    if situation.game == "last_spike":
        return _last_spike(situation, names, words) or _unknown(text)
    company = None
    spot = None
    action = None
    for word in words:
        company = company or company_in(names, word)
        action = action or next((dial for dial in ("auction", "expand", "develop") if plain(word) == dial), None)
    spot = hex_in(names, [word for word in words if company_in(names, word) is None or len(words) == 1] or words)
    if spot is None and company is None:
        if "bid" in map(plain, words) or whole_number(text) is not None:
            return _bid(situation, text)
        if action is not None:
            return _action(situation, action)
        return _unknown(text)
    if spot is None:
        return _company(situation, str(company))
    return _hex(situation, spot, company)


def _unknown(text: str) -> str:
    return f"I know no {text!r} here. Try: why R2, why NYC, why bid 12." if text else "Why what? Try: why R2."


def _allowed(situation: Situation, command: str) -> str:
    return f"That is allowed: {command}."


def _bid(situation: Situation, text: str) -> str:
    entry = next((entry for entry in situation.legal if type(entry) is BidRange), None)
    if entry is None:
        return "No auction is on in which you could bid."
    amount = next((number for word in text.split() if (number := whole_number(word)) is not None), None)
    if amount is not None and amount > entry.max:
        return f"You have ${entry.max}; a bid is never above your cash ({_rule(situation, 'CE-12', 'AR-10')})."
    if amount is not None and amount < entry.min:
        return f"The lowest bid now is ${entry.min} ({_rule(situation, 'CE-11', 'AR-10')})."
    return f"You may bid ${entry.min} to ${entry.max}."


def _rule(situation: Situation, chicago_express: str, american_rails: str) -> str:
    return chicago_express if situation.game == "chicago_express" else american_rails


def _action(situation: Situation, action: str) -> str:
    asked = situation.view.question.asks
    if asked not in ("choose_action", "choose"):
        return f"You are asked something else now: {asked.replace('_', ' ')}."
    if any(getattr(entry, "action", None) == action for entry in situation.legal):
        return _allowed(situation, f"choose {action}")
    if situation.game == "chicago_express":
        return f"The {action} dial is red; it is free again after the dividend (CE-20, CE-62)."
    column = situation.view.columns[situation.view.phase - 1]
    taken = [space for space in column if space.startswith(action)]
    by = ", ".join(f"{space} by {situation.names[column[space]]}" for space in taken)
    return f"Taken in this phase: {by} (AR-20)." if taken else f"There is no space {action} to take (AR-20)."


def _company(situation: Situation, name: str) -> str:
    view, seat = situation.view, situation.seat
    company = next(company for company in view.companies if company.id == name)
    fitting = [entry for entry in situation.legal if getattr(entry, "company", None) == name]
    if fitting:
        return f"{name} can be chosen now."
    is_there = company.is_open if situation.game == "chicago_express" else company.in_play
    if not is_there:
        return (
            f"The {name} opens when a company reaches Chicago (CE-30, CE-71)."
            if situation.game == "chicago_express"
            else f"{name} was drawn out of the game before it began (AR-3)."
        )
    asks = view.question.asks
    if asks in ("offer_share", "auction", "nominate"):
        if asks == "nominate" and name not in view.opening_lots:
            return f"One share of {name} has been put up already (AR-14)."
        return f"{name} has no share left to sell ({_rule(situation, 'CE-30', 'AR-33')})."
    if asks in ("expand", "take"):
        return _cannot_expand(situation, company, seat)
    return f"{name} is not what is asked for now: {asks.replace('_', ' ')}."


def _cannot_expand(situation: Situation, company: Any, seat: int) -> str:
    question = situation.view.question
    building = getattr(question, "company", None)
    if situation.game == "chicago_express" and building not in (None, company.id):
        return f"An expansion is for one company, and this one is {building}'s (CE-40)."
    if not situation.view.players[seat].shares[company.id]:
        return f"You hold no share of {company.id} ({_rule(situation, 'CE-40', 'AR-35')})."
    left = company.locomotives_left if situation.game == "chicago_express" else company.cubes_left
    if not left:
        return f"{company.id} has nothing left to place ({_rule(situation, 'CE-40', 'AR-35')})."
    if not company.track:
        return f"{company.id} has not started yet (AR-34)."
    return (
        f"{company.id} has ${company.treasury}, too little for any hex beside its network "
        f"({_rule(situation, 'CE-43', 'AR-35')})."
    )


def _hex(situation: Situation, spot: str, company: str | None) -> str:
    asks = situation.view.question.asks
    place = next(place for place in situation.wire_board["hexes"] if place["id"] == spot)
    named = f"{spot} {place['name']}" if place["name"] else spot
    fitting = [
        entry
        for entry in situation.legal
        if getattr(entry, "hex", None) == spot and company in (None, getattr(entry, "company", company))
    ]
    if fitting:
        return f"{named} can be chosen now."
    if asks == "develop":
        return _not_developed(situation, place, named)
    if asks == "found":
        return (
            f"{named} is no city; a company starts in one (AR-12)."
            if place["terrain"] != "city"
            else f"{named} holds a cube already; a company starts where none is (AR-12)."
        )
    if asks not in ("expand", "take", "choose", "choose_action"):
        return f"No place is asked for now: {asks.replace('_', ' ')}."
    view = situation.view
    if place["terrain"] == "start":
        return f"{named} is a start city; nobody builds there (CE-41)."
    builders = [c for c in view.companies if company in (None, c.id) and view.players[situation.seat].shares[c.id]]
    building = getattr(view.question, "company", None)
    if asks == "expand" and building:
        builders = [c for c in builders if c.id == building]
    if not builders:
        who = company or building
        rule = _rule(situation, "CE-40", "AR-35")
        return f"You hold no share of {who} ({rule})." if who else f"You hold no share of any company ({rule})."
    told = [_not_built(situation, place, named, builder) for builder in builders]
    return " ".join(dict.fromkeys(told))


def _not_built(situation: Situation, place: Any, named: str, company: Any) -> str:
    view, board, spot = situation.view, situation.wire_board, place["id"]
    crowd = [other.id for other in view.companies if spot in other.track]
    is_chicago_express = situation.game == "chicago_express"
    if spot in company.track:
        return f"{company.id} stands in {named} already ({_rule(situation, 'CE-40', 'AR-36')})."
    if place["terrain"] in ("forest", "mountain") and crowd:
        rule = _rule(situation, "CE-42", "AR-36")
        return f"{named} is {place['terrain']} and holds one piece in all; {crowd[0]} is there ({rule})."
    left = company.locomotives_left if is_chicago_express else company.cubes_left
    if not left:
        return f"{company.id} has nothing left to place ({_rule(situation, 'CE-40', 'AR-35')})."
    if not set(place["neighbours"]) & set(company.track):
        rule = _rule(situation, "CE-40", "AR-35")
        near = ", ".join(place["neighbours"])
        return f"{named} is not next to {company.id}'s network ({rule}); its neighbours are {near}."
    if is_chicago_express:
        cost = place["cost"] * (len(crowd) + 1)
    else:
        terrain = board["terrain"][place["terrain"]]
        cost = terrain["base"] + terrain["per_piece"] * (len(crowd) + (spot in view.developed))
    if cost > company.treasury:
        rule = _rule(situation, "CE-43", "AR-35 AR-36")
        return f"{named} costs {company.id} ${cost}, and its treasury has ${company.treasury} ({rule})."
    return f"{named} can be built by {company.id} in an expansion{_first_expand(situation)}"


def _first_expand(situation: Situation) -> str:
    """How one comes to build, when a choice of action or space is open."""
    if any(str(getattr(entry, "action", "")).startswith("expand") for entry in situation.legal):
        return "; first choose to expand."
    return f", but now you cannot expand. {_action(situation, 'expand')}"


def _not_developed(situation: Situation, place: Any, named: str) -> str:
    view, spot = situation.view, place["id"]
    if not any(spot in company.track for company in view.companies):
        return f"Nobody has built in {named} yet ({_rule(situation, 'CE-50', 'AR-30')})."
    if spot in view.developed:
        return f"{named} is developed already ({_rule(situation, 'CE-51', 'AR-30')})."
    if situation.game == "american_rails":
        if place["terrain"] != "city":
            return f"{named} is no city; only cities are developed (AR-30)."
        return f"{named} can never be developed (AR-30)." if not place["developable"] else "No marker is left (AR-30)."
    scale = next((scale for scale in view.scales if scale.hex == spot), None)
    if scale is not None:
        return (
            f"{named} is at the end of its scale (CE-53)."
            if scale.next_value is None
            else f"{named} moves by itself after each dividend (CE-54, CE-62)."
        )
    if place["terrain"] in ("plain", "start") or spot == situation.wire_board["chicago"]:
        return f"{named} can never be developed: {place['terrain']} hexes and Chicago are not (CE-54)."
    return "No house is left (CE-51, CE-52)."


# The Last Spike


def _last_spike(situation: Situation, names: Names, words: Sequence[str]) -> str | None:
    view = situation.view
    asks = view.question.asks
    own = view.players[situation.seat]
    for word in words:
        piece = piece_in(names, word)
        if piece is not None:
            return _piece(situation, piece)
        lot = names.properties.get(plain(word))
        if lot is not None:
            return _property(situation, lot)
    city_id = next((city for word in (" ".join(words), *words) if (city := names.cities.get(plain(word)))), None)
    if city_id is None:
        return None
    city = next(city for city in view.cities if city.id == city_id)
    name = next(entry["name"] for entry in situation.wire_board["cities"] if entry["id"] == city_id)
    if asks != "buy":
        return f"You buy after laying a piece; now you {asks} (LS-10)."
    if any(getattr(entry, "city", None) == city_id for entry in situation.legal):
        return f"You may buy in {name}."
    if not city.free_taken:
        return f"The free property of {name} has not been taken, so nothing is for sale there yet (LS-15)."
    if city.for_sale is None:
        return f"All properties of {name} are taken (LS-15)."
    return f"{name}'s next property costs {money(city.price)}, and you have {money(own.cash or 0)} (LS-15)."


def _piece(situation: Situation, piece: str) -> str:
    view = situation.view
    own = view.players[situation.seat]
    if any(piece in route.laid for route in view.routes):
        return f"{piece} lies on the board already."
    if piece not in (own.hand or ()):
        return f"{piece} is not in your hand (LS-10)."
    if view.question.asks != "play":
        return f"You play one piece a turn; now you {view.question.asks} (LS-10)."
    if any(getattr(entry, "piece", None) == piece for entry in situation.legal):
        return f"You may play {piece}."
    cost = next(p["cost"] for r in situation.wire_board["routes"] for p in r["pieces"] if p["id"] == piece)
    if piece not in view.touching:
        cost *= situation.wire_board["non_adjacent_multiplier"]
        if cost <= (own.cash or 0) + own.resale:
            return (
                f"{piece} touches neither a city nor a laid piece, and you can pay for one in your hand that does; "
                "then it may not be played (LS-11)."
            )
    return (
        f"{piece} costs {money(cost)}; you have {money(own.cash or 0)} and could sell for {money(own.resale)} "
        "(LS-11, LS-20)."
    )


def _property(situation: Situation, lot: str) -> str:
    view = situation.view
    own = view.players[situation.seat]
    if any(getattr(entry, "property", None) == lot for entry in situation.legal):
        return f"You may sell {lot}."
    if lot not in own.properties:
        return f"{lot} is not yours."
    if view.question.asks != "sell":
        return "Properties are sold only to pay for a piece (LS-20)."
    city = next(c for c in situation.wire_board["cities"] if any(p["id"] == lot for p in c["properties"]))
    if next(p["price"] for p in city["properties"] if p["id"] == lot) == 0:
        return f"{lot} is a free property; those are never sold (LS-21)."
    return f"All routes of {city['name']} are complete; its properties are never sold (LS-21)."
