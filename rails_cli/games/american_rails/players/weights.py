"""Fitted constants of the evaluation of American Rails."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fitted weights of the evaluation. Money is in dollars, time in years."""

    pace: float = 0.6859
    """Expected number of cubes that a seat places per phase if its companies can pay for them."""
    interest: float = 0.2645
    """Limit for the edge of a seat in a company.

    Above it, the seat is assumed to build for the company as often as possible. The edge is the seat's fraction of the
    shares, minus the average fraction of the other seats.
    """
    sales: float = 0.8561
    """Expected number of shares sold per phase."""
    cubes: float = 3.6374
    """Expected number of cubes that a company places per year, used to estimate when supplies run out."""
    markers: float = 2.3697
    """Expected number of development markers placed per year."""
    price: float = 37.2931
    """Expected price in dollars of a share that is sold after the company's first share."""
    closing: float = 2.87
    """Length in years of the period in which an early end of the game is likely.

    The middle of the period is the estimated time at which shares or supplies run out.
    """
    hope: float = 0.6586
    """Fraction of the growth in a company's growth plan (see `routes.py`) that is expected to happen."""
    erosion: float = 0.037
    """Expected fraction of its income that a company loses per year because other companies enter its cities."""
    rounding: float = 0.1061
    """Average amount in dollars by which rounding up increases the dividend of a share, if several shares are sold."""
    early: float = 0.1506
    """Additional value in dollars of a dollar of dividends, for each expected dividend that is paid after it.

    The seat can invest the dollar, and profits from the later dividends.
    """
    fade: float = 0.092
    """Fraction of its value that a dividend loses for each year until the dividend is paid."""
    thirst: float = 0.6246
    """Factor for the additional value that cash has because shares will soon be on sale.

    While there are shares to buy, a dollar of cash is worth more than a dollar.
    """
    lots: float = 2.0155
    """Factor for the additional value that cash has because opening shares are not auctioned yet.

    This value is added to the value that `thirst` gives.
    """
    lot_price: float = 16.0447
    """Expected price of a company's first share, in dollars."""
    horizon: float = 0.9001
    """Number of years ahead for which expected sales of shares count for `thirst`."""
    dearth: float = 1.9544
    """Upper limit in dollars of the additional value of a dollar of cash."""
    contest: float = 0.9549
    """How far the price in an auction is expected to rise, as a fraction.

    0 stands for the current bid. 1 stands for $1 more than the second-highest price that a seat would pay.
    """
    purse: float = 317.6547
    """Cash in dollars at which the bonus for cash is half of its upper limit.

    The value of a seat's cash is the cash plus this bonus (see `Prospects.cash_worth`).
    """
    order: float = 0.2985
    """Value in dollars, in the first year, of each space by which a seat stands higher in a column of the action track.

    The value is proportional to the number of dividends to come, so it is smaller in later years.
    """
    spread_now: float = 2.6724
    """Uncertainty of the evaluation in the last year, in dollars."""
    spread_year: float = 4.3891
    """Additional uncertainty of the evaluation in dollars for each year before the last year."""
