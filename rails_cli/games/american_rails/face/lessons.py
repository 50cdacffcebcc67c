"""The lessons for a first game of American Rails."""

from protocol.american_rails import DividendPaid, LinkMade, ShareRemoved
from rails_cli.games.lessons import Lesson, Tutorial

TUTORIAL = Tutorial(
    welcome=Lesson(
        "Welcome to American Rails. With three players five of the six railways are in the game; one was drawn "
        "out (AR-3). You buy shares, and the money goes to the railway, which builds with it. Every year each "
        "share is paid its part of the railway's income (AR-50). Whoever has most CASH at the end wins (AR-53). "
        "First one share of each railway is auctioned (AR-10).",
        "AR-3 AR-53",
    ),
    questions={
        "nominate": Lesson(
            "You choose which railway's first share is auctioned now, and you bid first. Railways differ in the "
            "number of their shares: few shares mean a larger part for each.",
            "AR-10 AR-2",
        ),
        "bid": Lesson(
            "Bid more than the standing bid (at least 10) or pass; who passed is out of this auction. The price "
            "becomes the railway's building money. There are at most seven dividends, one a year, so an early "
            "share earns up to seven times; fewer if the game ends before (AR-51).",
            "AR-10 AR-50 AR-51",
        ),
        "found": Lesson(
            "Your railway starts in a city without cubes. The city's full value is its income, as long as it is "
            "alone there.",
            "AR-12 AR-40 AR-41",
        ),
        "choose": Lesson(
            "Each space takes one player. The further down, the stronger the action; but the next phase goes from"
            " top to bottom, so a weak action now lets you choose first next time.",
            "AR-20 AR-21",
        ),
        "expand": Lesson(
            "Place cubes one by one, for any railway of which you hold a share, always beside its own cubes. The "
            "railway pays. Entering a city where another railway is alone makes both earn the shared value.",
            "AR-35 AR-36 AR-40",
        ),
        "develop": Lesson(
            "A marker makes a city worth more: $2 for a railway alone there, $1 for each of several.", "AR-30 AR-40"
        ),
        "fund": Lesson("The bank gives $5 to a railway's treasury. Fund one of yours.", "AR-31"),
        "take": Lesson("A little money for you, or a little less for all others.", "AR-32"),
        "auction": Lesson(
            "Put up one more share. If nobody bids, it leaves the game. When no share is left, the game ends.",
            "AR-33 AR-51",
        ),
    },
    events={
        DividendPaid: Lesson(
            "The year is over and every share was paid its part of its railway's income, rounded up.", "AR-50 AR-51"
        ),
        LinkMade: Lesson("Two of Chicago, New York and Atlanta were linked: 10 more income.", "AR-41"),
        ShareRemoved: Lesson("Nobody wanted that share, and it has left the game.", "AR-13 AR-33"),
    },
)
