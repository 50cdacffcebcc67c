"""The Last Spike in words: an event as a sentence, a view as tables 80 columns wide."""

from collections.abc import Sequence

from protocol.common import Passed
from protocol.last_spike import (
    Dealt,
    Drew,
    Event,
    GameEnded,
    LastSpikeDriven,
    Mixed,
    PieceChosen,
    PiecePlayed,
    Player,
    PropertyBought,
    PropertySold,
    PropertyTaken,
    Question,
    RouteCompleted,
    RoutePaid,
    View,
    WentBankrupt,
)

WIDTH = 80
NAME_WIDTH = 14

END_REASONS = {
    "last_spike": "the last spike has been driven",
    "last_solvent": "only one player is not bankrupt",
}


def tell(event: Event, players: Sequence[str]) -> str:
    """The event as one sentence."""
    match event:
        case Dealt():
            return _tell_dealt(event, players)
        case PieceChosen(seat, piece, cost):
            return f"{players[seat]} chooses {piece} for {_money(cost)} and must sell properties to pay for it."
        case PropertySold(seat, lot, city, gain):
            return f"{players[seat]} sells {lot} in {city} to the bank for {_money(gain)}."
        case PiecePlayed(seat, piece, route, cost, touching):
            apart = "" if touching else ", which touches nothing,"
            return f"{players[seat]} pays {_money(cost)} and lays {piece}{apart} on route {route}."
        case PropertyTaken(seat, lot, city):
            return f"{players[seat]} is first at {city} and takes its free property {lot}."
        case RouteCompleted(seat, route, cities):
            return f"{players[seat]} completes route {route} between {_listed(cities)}."
        case LastSpikeDriven(seat, piece, bonus):
            return f"{players[seat]} drives the last spike with {piece} and takes {_money(bonus)} from the bank."
        case RoutePaid(_, city, amounts):
            return _tell_paid(city, amounts, players)
        case PropertyBought(seat, lot, city, cost):
            return f"{players[seat]} buys {lot} in {city} for {_money(cost)}."
        case Drew():
            drawer = "Somebody" if event.seat is None else players[event.seat]
            return f"{drawer} draws {event.piece or 'a piece'}."
        case WentBankrupt():
            return _tell_bankrupt(event, players)
        case Mixed(size):
            return f"The mix is mixed again; it has {_counted(size, 'piece')}."
        case Passed(seat, forced):
            return f"{players[seat]} has to pass." if forced else f"{players[seat]} passes."
        case GameEnded(reasons):
            return f"The game ends: {_listed([END_REASONS[reason] for reason in reasons])}."


def _tell_dealt(event: Dealt, players: Sequence[str]) -> str:
    told = f"{players[event.first]} starts"
    if event.draws is not None:
        drawn = [f"{player} {piece}" for player, piece in zip(players, event.draws, strict=True)]
        told = f"Drawn for the start: {', '.join(drawn)}; {told}"
    hands = [
        f"{player} draws {', '.join(hand)}"
        for player, hand in zip(players, event.hands, strict=True)
        if hand is not None
    ]
    aside = [] if event.set_aside is None else [f"{event.set_aside} is set aside"]
    return "; ".join([told, *hands, *aside]) + "."


def _tell_paid(city: str, amounts: Sequence[int], players: Sequence[str]) -> str:
    paid = [f"{_money(amount)} to {player}" for player, amount in zip(players, amounts, strict=True) if amount]
    return f"{city} pays {_listed(paid)}." if paid else f"{city} pays nobody."


def _tell_bankrupt(event: WentBankrupt, players: Sequence[str]) -> str:
    told = [f"{players[event.seat]} is bankrupt and out of the game"]
    if event.cash is not None:
        told.append(f"{_money(event.cash)} goes to the bank")
    if event.hand is not None:
        told.append(f"{_listed(event.hand)} to the mix")
    if event.returned:
        told.append(f"{_listed(event.returned)} back to the piles")
    if event.removed:
        told.append(f"{_listed(event.removed)} out of the game")
    return ", ".join(told) + "."


def position(view: View, players: Sequence[str]) -> str:
    """The position as tables."""
    return "\n".join(
        [
            *_wrapped("", _status(view, players)),
            "",
            *_player_lines(view, players),
            "",
            *_city_lines(view, players),
            "",
            *_route_lines(view),
            *_wrapped("Would be the last spike: ", [", ".join(view.last_spikes)] if view.last_spikes else []),
        ]
    )


def _status(view: View, players: Sequence[str]) -> list[str]:
    aside = f"{_counted(view.set_aside, 'piece')} set aside" if view.set_aside else "no piece set aside"
    if view.set_aside_piece is not None:
        aside = f"{view.set_aside_piece} was set aside"
    mix = f"The mix has {_counted(view.mix, 'piece')}, {aside}."
    if view.question is None:
        return [f"The game has ended: {_listed([END_REASONS[reason] for reason in view.end_reasons])}.", mix]
    return [_asked(view.question, players), mix]


def _asked(question: Question, players: Sequence[str]) -> str:
    player = players[question.seat]
    if question.asks == "play":
        return f"{player} is to play a piece."
    if question.asks == "buy":
        return f"{player} may buy a property."
    short = "" if question.short is None else f", {_money(question.short)} short"
    return f"{player} is to sell properties for {question.piece} ({_money(question.cost or 0)}{short})."


def _player_lines(view: View, players: Sequence[str]) -> list[str]:
    lines = [f"{'player':<{NAME_WIDTH}} {'cash':>9} {'resale':>8} {'prices':>8}  hand"]
    for player in view.players:
        name = players[player.seat][:NAME_WIDTH]
        cash = "hidden" if player.cash is None else _money(player.cash)
        lines.append(
            f"{name:<{NAME_WIDTH}} {cash:>9} {_money(player.resale):>8} {_money(player.property_total):>8}"
            f"  {_hand(player)}"
        )
        lines += _wrapped("  holds ", player.properties)
    return lines


def _hand(player: Player) -> str:
    if player.bankrupt:
        return "bankrupt"
    return _counted(player.pieces, "piece") if player.hand is None else " ".join(player.hand)


def _city_lines(view: View, players: Sequence[str]) -> list[str]:
    seats = "".join(f"{f'#{player.seat}':>4}" for player in view.players)
    lines = [f"{'city':<6} {'for sale':<10} {'price':>8} {'routes left':>12}   held by{seats}"]
    for city in view.cities:
        offer = (city.for_sale or "sold out") if city.free_taken else "free land"
        price = "" if city.price is None else _money(city.price)
        held = "".join(f"{count or '-':>4}" for count in city.properties)
        lines.append(f"{city.id:<6} {offer:<10} {price:>8} {city.routes_left:>12}   {'':7}{held}")
    named = [f"#{player.seat} {players[player.seat][:NAME_WIDTH]}" for player in view.players]
    return [*lines, *_wrapped("", named)]


def _route_lines(view: View) -> list[str]:
    """Laid pieces by their names, missing ones in brackets if they touch something, else as dots."""
    lines = ["routes: laid, [touching], not touching as a dot"]
    touching = set(view.touching)
    cells = []
    for route in view.routes:
        laid = set(route.laid)
        shown = []
        for piece in sorted([*route.laid, *route.missing], key=lambda piece: (len(piece), piece)):
            shown.append(piece if piece in laid else f"[{piece}]" if piece in touching else ".")
        cells.append(f"{route.id}: {' '.join(shown)}")
    return [*lines, *_wrapped("", cells, gap="   ")]


def _wrapped(head: str, words: Sequence[str], gap: str = " ") -> list[str]:
    """The words on lines that fit the width, the head before the first."""
    lines: list[str] = []
    line = head
    for word in words:
        if line.strip() and line != head and len(line) + len(gap) + len(word) > WIDTH:
            lines.append(line)
            line = " " * len(head) + word
        else:
            line += word if line == head else gap + word
    return [*lines, line] if words else lines


def _money(amount: int) -> str:
    return f"${amount:,}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
