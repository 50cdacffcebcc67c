"""The illustrated guide of Chicago Express."""

from collections.abc import Collection, Sequence

from rails_cli.games.faces.guides import Cover, Guide, GuidePicture, at_event
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.guides import busiest_place
from rails_cli.protocol.chicago_express import (
    Built,
    ChicagoReached,
    DetroitMoved,
    Developed,
    Event,
    GameEnded,
    ShareSold,
    View,
)


def _start_of_company(board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
    """Return the ids of the start hexes of the companies of which a share was sold."""
    sold = [event.company for event in events if isinstance(event, ShareSold)]
    return [company["start"] for company in board["companies"] if company["id"] in sold]


def _city(_board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
    """Return the ids of the named hexes in which a company has built."""
    return [event.hex for event in events if isinstance(event, Built) and event.name]


def _chicago(board: WireBoard, _view: View, events: Sequence[Event]) -> Collection[str]:
    return [board["chicago"]] if any(isinstance(event, ChicagoReached) for event in events) else []


GUIDE = Guide(
    "2 to 6 players, an hour. On your turn: sell a share, build track or develop a place.",
    "medium",
    4,
    1,
    [
        GuidePicture(
            "Buy shares",
            "Every share is sold by auction. The price goes to the company, which pays for its track. The lowest bid "
            "is what the share would pay now.",
            _start_of_company,
        ),
        GuidePicture(
            "Build track",
            "Build in up to three hexes for a company in which you hold a share. The company pays, and more where "
            "others have built before. Cities raise its income.",
            _city,
        ),
        GuidePicture(
            "Develop a place",
            "You may develop any place with track, even without a share. A city or mountain earns more for every "
            "company there. A forest gives its company $2 at once.",
            at_event(Developed, lambda event: [event.hex]),
        ),
        GuidePicture(
            "Reach Chicago",
            "When a company reaches Chicago, its shareholders get a dividend at once. The first to arrive also opens "
            "the WAB (Wabash), and its first share is sold.",
            _chicago,
        ),
        GuidePicture(
            "Collect dividends",
            "Each action moves its dial. When two dials are red, every share pays its part of the company's income. "
            "Then Detroit grows and the dials start again.",
            at_event(DetroitMoved, lambda event: [event.hex]),
        ),
        GuidePicture(
            "Count your cash",
            "Most cash wins; shares count for nothing. The game ends after a dividend if three companies have no "
            "locomotives or no shares left, at most three houses are left, or Detroit stands on 8.",
            busiest_place(GameEnded),
        ),
    ],
    cover=Cover(190, ("K4", "N6", "R5")),
)
