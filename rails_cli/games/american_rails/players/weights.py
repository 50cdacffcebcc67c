"""Fitted constants of the evaluation of American Rails."""

import msgspec


class Weights(msgspec.Struct, frozen=True):
    """The fitted weights of the evaluation. Money is in dollars, time in years."""

    pace: float = 0.6859
    """Number of cubes that a seat places per phase if its companies can pay for them."""
    interest: float = 0.2645
    """Edge in a company above which a seat builds for the company as often as possible.

    The edge is the seat's fraction of the shares minus the average fraction of the other seats.
    """
    sales: float = 0.8561
    """Expected number of shares sold per phase."""
    cubes: float = 3.6374
    """Number of cubes that a company places per year, used to estimate when supplies run out."""
    markers: float = 2.3697
    """Expected number of development markers placed per year."""
    price: float = 37.2931
    """Expected price in dollars of a share that is sold after the company's first share."""
    closing: float = 2.87
    """Length in years of the period in which the game may end early.

    The middle of the period is the estimated time at which shares or supplies run out.
    """
    hope: float = 0.6586
    """Fraction of the planned income growth that a company achieves."""
    erosion: float = 0.037
    """Fraction of its income that a company loses per year because other companies enter its cities."""
    rounding: float = 0.1061
    """Dollars that rounding up adds to the dividend of a share, if several shares of the company are sold."""
    early: float = 0.1506
    """Additional value of a dollar of dividend for each year that remains to spend the dollar."""
    fade: float = 0.092
    """Fraction of its value that a dividend loses for each year until the dividend is paid."""
    thirst: float = 0.6246
    """Factor for the additional value of cash that depends on the shares soon on sale."""
    lots: float = 2.0155
    """Factor for the additional value of cash that depends on the opening shares still to be auctioned."""
    lot_price: float = 16.0447
    """Expected price of a company's first share, in dollars."""
    horizon: float = 0.9001
    """Length in years of the coming period. The shares expected to be sold in this period count as soon on sale."""
    dearth: float = 1.9544
    """Upper limit of the additional value of a dollar of cash, in dollars."""
    contest: float = 0.9549
    """Fraction of the possible rise of the price that happens in an auction.

    The possible rise is from the current bid to $1 above the second-highest price that a seat would pay.
    """
    purse: float = 317.6547
    """Cash in dollars at which half of the maximum additional value of cash is reached."""
    order: float = 0.2985
    """Value in dollars of a space that is one space higher in a column, at the start of the game."""
    spread_now: float = 2.6724
    """Uncertainty of the evaluation in the last year, in dollars."""
    spread_year: float = 4.3891
    """Additional uncertainty of the evaluation in dollars for each year before the last year."""
