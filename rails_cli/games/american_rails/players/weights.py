"""The constants of how players see American Rails."""

import msgspec


class Weights(msgspec.Struct, frozen=True):
    """What the evaluation guesses, as it was fitted; money in dollars, time in years."""

    pace: float = 0.6859
    """Cubes that a seat places in a phase, if its companies can pay."""
    interest: float = 0.2645
    """The part of a company, above what the others have of it, from which on a seat drives it with all its might."""
    sales: float = 0.8561
    """Shares sold in a phase."""
    cubes: float = 3.6374
    """Cubes that a company places in a year, where it is asked when supplies run out."""
    markers: float = 2.3697
    """Markers that are placed in a year."""
    price: float = 37.2931
    """What a later share brings its company."""
    closing: float = 2.87
    """Over how long the end is blurred where the shares run out before the last year."""
    hope: float = 0.6586
    """The part of the income that a company plans to gain, and will."""
    erosion: float = 0.037
    """The part of a company's income in a year that others will take by sharing its cities."""
    rounding: float = 0.1061
    """What rounding up adds to a dividend of a share among several."""
    early: float = 0.1506
    """What a dollar of dividend is worth more for each year that is left to spend it in."""
    fade: float = 0.092
    """The part of its worth that a dividend loses for each year it is away: rivals see to that."""
    thirst: float = 0.6246
    """How much dearer cash is for what is soon on sale, beside all cash."""
    lots: float = 2.0155
    """The same, for the lots of the opening that are to come."""
    lot_price: float = 16.0447
    """What a company will get for its first share."""
    horizon: float = 0.9001
    """What comes on sale in this time counts for that."""
    dearth: float = 1.9544
    """Cash is worth at most so much more than itself."""
    contest: float = 0.9549
    """The part of the way to what a share is worth to the second that bids go."""
    purse: float = 317.6547
    """Cash above this is hardly worth more than itself."""
    order: float = 0.2985
    """What it is worth to stand one space higher in a column, with all years to come."""
    spread_now: float = 2.6724
    """By how much the evaluation is wrong in the last year."""
    spread_year: float = 4.3891
    """The same, for each year more."""
