"""The lessons for a first game of Chicago Express."""

from protocol.chicago_express import ChicagoReached, DividendPaid
from rails_cli.games.lessons import Lesson, Tutorial

TUTORIAL = Tutorial(
    welcome=Lesson(
        "Welcome to Chicago Express. Four railways start in the east and want to reach Chicago in the west. "
        "Nobody owns a railway: you buy shares, and the money you pay goes to the railway, which builds with "
        "it. Whoever has most CASH at the end wins; shares and railways count for nothing then (CE-81). First"
        " one share of each railway is auctioned (CE-10).",
        "CE-81",
    ),
    questions={
        "bid_or_pass": Lesson(
            "An auction. Bid more than the standing bid or pass; who passed is out of it. What is a share worth? "
            "Each dividend pays its part of the income, rounded up, and a game has about five to seven dividends."
            " The price becomes the railway's building money, so a dear share is not lost.",
            "CE-11 CE-12",
        ),
        "choose_action": Lesson(
            "Your turn. Look at the three dials: each choice moves one, and when two of them are red, all "
            "railways pay their shareholders. Auction thins out what the others hold, expand and develop make "
            "shares earn more.",
            "CE-20 CE-21",
        ),
        "expand": Lesson(
            "Build up to three locomotives for one railway of which you hold a share. The railway pays, never "
            "you. Cities bring income; plains are the cheap way to get there. The first choices of the list bring"
            " you most at once; further away lies Chicago, which brings 7 and pays the railway's shareholders on "
            "arrival.",
            "CE-40 CE-43 CE-44",
        ),
        "offer_share": Lesson(
            "Put up a share. Everybody may bid, you first. The lowest bid is what the new share would earn at one"
            " dividend. The same income is then divided among more shares: good if others hold most of them.",
            "CE-30 CE-31",
        ),
        "develop": Lesson(
            "Make a hex worth more. All railways there gain, so look for hexes where only yours stand.",
            "CE-50 CE-51 CE-52 CE-53",
        ),
    },
    events={
        DividendPaid: Lesson(
            "A dividend was paid: every share got its part of its railway's income, rounded up. Then the dials go"
            " back to 0 and Detroit is worth one more. After a dividend the game may end: the bar at the top tells how"
            " near that is.",
            "CE-61 CE-62 CE-80",
        ),
        ChicagoReached: Lesson(
            "A railway has reached Chicago! Its shareholders are paid at once. The first arrival opens the Wabash.",
            "CE-70 CE-71 CE-72",
        ),
    },
)
