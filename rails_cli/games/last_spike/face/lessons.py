"""The lessons for a first game of The Last Spike."""

from protocol.last_spike import PropertyTaken, RoutePaid, WentBankrupt
from rails_cli.games.decision import Decision
from rails_cli.games.last_spike.face.panels import missing_for_line
from rails_cli.games.lessons import Lesson, Tutorial

FEW_PIECES = 3


def _is_line_nearly_done(decision: Decision) -> bool:
    return missing_for_line(decision.wire_board, decision.view) <= FEW_PIECES


TUTORIAL = Tutorial(
    welcome=Lesson(
        "Welcome to The Last Spike. Together you lay a line of track from St. Louis to Sacramento, and each "
        "of you buys property in the towns along it. When a route between two towns is complete, both towns "
        "pay their owners (LS-14). Whoever has most CASH at the end wins (LS-31). You hold four pieces of "
        "track, hidden from the others. You play one of them each turn (LS-10).",
        "LS-31",
    ),
    questions={
        "play": Lesson(
            "Choose a piece to lay. Its letter is the route, its number the place on it: 1 and 4 lie beside a "
            "town, and the first piece at a town gives you a property there for nothing. On the map, capital "
            "letters are laid, small letters would touch something, dots would not and cost double.",
            "LS-11 LS-12 LS-13",
        ),
        "buy": Lesson(
            "Now you may buy one property. The more you hold in a town, the more it pays you for every route that"
            " is completed there; so prefer towns with routes to come, above all those nearly complete.",
            "LS-14 LS-15",
        ),
        "sell": Lesson(
            "Your cash does not cover the piece, so you sell property to the bank, at half its price.", "LS-20 LS-21"
        ),
    },
    events={
        RoutePaid: Lesson(
            "A route was completed, and both its towns paid their owners. That is where the money comes from.", "LS-14"
        ),
        PropertyTaken: Lesson(
            "Whoever is first at a town takes its free property; but then nothing can be bought in that turn.", "LS-13"
        ),
        WentBankrupt: Lesson("A player could not pay for any piece and is out of the game.", "LS-23"),
    },
    positions={
        _is_line_nearly_done: Lesson(
            "The line from St. Louis to Sacramento lacks only a few pieces. Whoever lays the last one drives the last "
            "spike, gets a bonus and ends the game: buy no property now that cannot pay any more.",
            "LS-30",
        )
    },
)
