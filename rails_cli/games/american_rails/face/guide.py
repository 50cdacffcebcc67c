"""The illustrated guide of American Rails."""

from collections.abc import Collection, Sequence

from rails_cli.games.faces.guides import Cover, Guide, GuidePicture, at_event
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.guides import busiest_place
from rails_cli.protocol.american_rails import Built, Developed, Event, Founded, GameEnded, IncomeChanged, LinkMade, View


def _open_country(_board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
    """Return the ids of the hexes outside cities in which track was built, according to `events`."""
    return [event.hex for event in events if isinstance(event, Built) and event.name is None]


def _shared_city(_board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
    """Return the ids of the cities in which a company lost income because another company entered."""
    return [event.hex for event in events if isinstance(event, IncomeChanged) and event.change < 0]


GUIDE = Guide(
    "3 to 5 players, about 90 minutes. Each year: everybody acts three times, then shares pay. The weaker your action, "
    "the earlier you move next.",
    "medium",
    4,
    3,
    [
        GuidePicture(
            "Start a company",
            "Shares are sold by auction, for at least $10. The price goes to the company. The buyer of its first share "
            "puts its first cube on a city without cubes.",
            at_event(Founded, lambda event: [event.hex]),
        ),
        GuidePicture(
            "Build track",
            "Expand places up to 2, 3 or 4 cubes, each beside one of its own colour, for companies in which you hold a "
            "share. The company pays.",
            _open_country,
        ),
        GuidePicture(
            "Share cities",
            "A company alone in a city earns its full value. As soon as another company arrives, each of them earns "
            "the lower value.",
            _shared_city,
        ),
        GuidePicture(
            "Develop a city",
            "A marker adds $2 to the income of a company alone in the city, or $1 to each that shares it. Five large "
            "cities cannot be developed.",
            at_event(Developed, lambda event: [event.hex]),
        ),
        GuidePicture(
            "Link the stars",
            "Chicago, New York and Atlanta: each pair of them that a company links adds $10 to its income.",
            at_event(LinkMade, lambda event: event.cities[-1:]),
        ),
        GuidePicture(
            "Count your cash",
            "After the third action of a year, every share pays its part of the company's income. After 1857, or when "
            "shares or pieces run out, most cash wins.",
            busiest_place(GameEnded),
        ),
    ],
    cover=Cover(200, ("D10", "F13", "D16")),
)
