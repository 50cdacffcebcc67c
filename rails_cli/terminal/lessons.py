"""Lessons for a first game: each rule is explained when it first matters, and a move is suggested."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rails_cli.asking.hints import suggestion
from rails_cli.asking.rulebook import rules_of
from rails_cli.asking.situation import Situation
from rails_cli.games.last_spike.face.panels import missing_for_line


class Lesson(NamedTuple):
    """What to say, and the rules to cite."""

    text: str
    rules: str


WELCOME: dict[str, Lesson] = {
    "chicago_express": Lesson(
        "Welcome to Chicago Express. Four railways start in the east and want to reach Chicago in the west. "
        "Nobody owns a railway: you buy shares, and the money you pay goes to the railway, which builds with "
        "it. Whoever has most CASH at the end wins; shares and railways count for nothing then (CE-81). First"
        " one share of each railway is auctioned (CE-10).",
        "CE-81",
    ),
    "american_rails": Lesson(
        "Welcome to American Rails. With three players five of the six railways are in the game; one was drawn "
        "out (AR-3). You buy shares, and the money goes to the railway, which builds with it. Every year each "
        "share is paid its part of the railway's income (AR-50). Whoever has most CASH at the end wins (AR-53). "
        "First one share of each railway is auctioned (AR-10).",
        "AR-3 AR-53",
    ),
    "last_spike": Lesson(
        "Welcome to The Last Spike. Together you lay a line of track from St. Louis to Sacramento, and each "
        "of you buys property in the towns along it. When a route between two towns is complete, both towns "
        "pay their owners (LS-14). Whoever has most CASH at the end wins (LS-31). You hold four pieces of "
        "track, hidden from the others. You play one of them each turn (LS-10).",
        "LS-31",
    ),
}

QUESTIONS: dict[tuple[str, str], Lesson] = {
    ("chicago_express", "bid_or_pass"): Lesson(
        "An auction. Bid more than the standing bid or pass; who passed is out of it. What is a share worth? "
        "Each dividend pays its part of the income, rounded up, and a game has about five to seven dividends."
        " The price becomes the railway's building money, so a dear share is not lost.",
        "CE-11 CE-12",
    ),
    ("chicago_express", "choose_action"): Lesson(
        "Your turn. Look at the three dials: each choice moves one, and when two of them are red, all "
        "railways pay their shareholders. Auction thins out what the others hold, expand and develop make "
        "shares earn more.",
        "CE-20 CE-21",
    ),
    ("chicago_express", "expand"): Lesson(
        "Build up to three locomotives for one railway of which you hold a share. The railway pays, never "
        "you. Cities bring income; plains are the cheap way to get there. The first choices of the list bring"
        " you most at once; further away lies Chicago, which brings 7 and pays the railway's shareholders on "
        "arrival.",
        "CE-40 CE-43 CE-44",
    ),
    ("chicago_express", "offer_share"): Lesson(
        "Put up a share. Everybody may bid, you first. The lowest bid is what the new share would earn at one"
        " dividend. The same income is then divided among more shares: good if others hold most of them.",
        "CE-30 CE-31",
    ),
    ("chicago_express", "develop"): Lesson(
        "Make a hex worth more. All railways there gain, so look for hexes where only yours stand.",
        "CE-50 CE-51 CE-52 CE-53",
    ),
    ("american_rails", "nominate"): Lesson(
        "You choose which railway's first share is auctioned now, and you bid first. Railways differ in the "
        "number of their shares: few shares mean a larger part for each.",
        "AR-10 AR-2",
    ),
    ("american_rails", "bid"): Lesson(
        "Bid more than the standing bid (at least 10) or pass; who passed is out of this auction. The price "
        "becomes the railway's building money. There are at most seven dividends, one a year, so an early "
        "share earns up to seven times; fewer if the game ends before (AR-51).",
        "AR-10 AR-50 AR-51",
    ),
    ("american_rails", "found"): Lesson(
        "Your railway starts in a city without cubes. The city's full value is its income, as long as it is "
        "alone there.",
        "AR-12 AR-40 AR-41",
    ),
    ("american_rails", "choose"): Lesson(
        "Each space takes one player. The further down, the stronger the action; but the next phase goes from"
        " top to bottom, so a weak action now lets you choose first next time.",
        "AR-20 AR-21",
    ),
    ("american_rails", "expand"): Lesson(
        "Place cubes one by one, for any railway of which you hold a share, always beside its own cubes. The "
        "railway pays. Entering a city where another railway is alone makes both earn the shared value.",
        "AR-35 AR-36 AR-40",
    ),
    ("american_rails", "develop"): Lesson(
        "A marker makes a city worth more: $2 for a railway alone there, $1 for each of several.",
        "AR-30 AR-40",
    ),
    ("american_rails", "fund"): Lesson(
        "The bank gives $5 to a railway's treasury. Fund one of yours.",
        "AR-31",
    ),
    ("american_rails", "take"): Lesson(
        "A little money for you, or a little less for all others.",
        "AR-32",
    ),
    ("american_rails", "auction"): Lesson(
        "Put up one more share. If nobody bids, it leaves the game. When no share is left, the game ends.",
        "AR-33 AR-51",
    ),
    ("last_spike", "play"): Lesson(
        "Choose a piece to lay. Its letter is the route, its number the place on it: 1 and 4 lie beside a "
        "town, and the first piece at a town gives you a property there for nothing. On the map, capital "
        "letters are laid, small letters would touch something, dots would not and cost double.",
        "LS-11 LS-12 LS-13",
    ),
    ("last_spike", "buy"): Lesson(
        "Now you may buy one property. The more you hold in a town, the more it pays you for every route that"
        " is completed there; so prefer towns with routes to come, above all those nearly complete.",
        "LS-14 LS-15",
    ),
    ("last_spike", "sell"): Lesson(
        "Your cash does not cover the piece, so you sell property to the bank, at half its price.",
        "LS-20 LS-21",
    ),
}

EVENTS: dict[tuple[str, str], Lesson] = {
    ("chicago_express", "dividend_paid"): Lesson(
        "A dividend was paid: every share got its part of its railway's income, rounded up. Then the dials go"
        " back to 0 and Detroit is worth one more. After a dividend the game may end: the bar at the top tells how"
        " near that is.",
        "CE-61 CE-62 CE-80",
    ),
    ("chicago_express", "chicago_reached"): Lesson(
        "A railway has reached Chicago! Its shareholders are paid at once. The first arrival opens the Wabash.",
        "CE-70 CE-71 CE-72",
    ),
    ("american_rails", "dividend_paid"): Lesson(
        "The year is over and every share was paid its part of its railway's income, rounded up.",
        "AR-50 AR-51",
    ),
    ("american_rails", "link_made"): Lesson(
        "Two of Chicago, New York and Atlanta were linked: 10 more income.",
        "AR-41",
    ),
    ("american_rails", "share_removed"): Lesson(
        "Nobody wanted that share, and it has left the game.",
        "AR-13 AR-33",
    ),
    ("last_spike", "route_paid"): Lesson(
        "A route was completed, and both its towns paid their owners. That is where the money comes from.",
        "LS-14",
    ),
    ("last_spike", "property_taken"): Lesson(
        "Whoever is first at a town takes its free property; but then nothing can be bought in that turn.",
        "LS-13",
    ),
    ("last_spike", "went_bankrupt"): Lesson(
        "A player could not pay for any piece and is out of the game.",
        "LS-23",
    ),
}

LINE_NEARLY_DONE = Lesson(
    "The line from St. Louis to Sacramento lacks only a few pieces. Whoever lays the last one drives the last spike, "
    "gets a bonus and ends the game: buy no property now that cannot pay any more.",
    "LS-30",
)
FEW_PIECES = 3


class Lessons:
    """Remembers what has been explained."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()
        self._is_back = False

    @classmethod
    def after(cls, game: str, events: Sequence[Any], asked: Sequence[str]) -> "Lessons":
        """The lessons that are left when these things have happened and been asked."""
        lessons = cls()
        lessons._is_back = True
        lessons._told = {(game, str(event.__struct_config__.tag)) for event in events}
        lessons._told |= {(game, asks) for asks in asked}
        return lessons

    def welcome(self, game: str) -> list[str]:
        """What to read before anything else."""
        if self._is_back:
            return ["Welcome back. The lessons go on where they were.", "", "Press enter to go on."]
        return [*_told(game, WELCOME[game]), "Press enter to begin."]

    def before(self, situation: Situation, events: Sequence[Any]) -> tuple[list[str], list[str]]:
        """What to read before a question, and the suggestion that stands beside it."""
        game, asks = situation.game, situation.view.question.asks
        lines: list[str] = []
        for event in events:
            key = (game, str(event.__struct_config__.tag))
            if key in EVENTS and key not in self._told:
                self._told.add(key)
                lines += _told(game, EVENTS[key])
        if (game, "line") not in self._told and _is_line_nearly_done(situation):
            self._told.add((game, "line"))
            lines += _told(game, LINE_NEARLY_DONE)
        if (game, asks) in QUESTIONS and (game, asks) not in self._told:
            lines += _told(game, QUESTIONS[game, asks])
        self._told.add((game, asks))
        best = suggestion(situation)
        word = [f"A good move may be: {best}  (hint says why, ? explains)"] if best else []
        return ([*lines, "Press enter to go on."] if lines else []), word


def _is_line_nearly_done(situation: Situation) -> bool:
    if situation.game != "last_spike":
        return False
    return missing_for_line(situation.wire_board, situation.view) <= FEW_PIECES


def _told(game: str, lesson: Lesson) -> list[str]:
    rules = rules_of(game)
    return [lesson.text, "", *(f"  {number} {rules[number]}" for number in lesson.rules.split()), ""]
