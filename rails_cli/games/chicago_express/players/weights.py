"""The constants of the evaluation of Chicago Express."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is guessed of how people go on; the defaults are fitted to games between different players."""

    auctions: float = 0.8
    """The part of the steps of the auction dial that sell a share."""
    spread_of_sales: float = 0.17
    """How much of the other companies' unsold shares is sold before three companies have none left."""
    reluctance: float = 0.6
    """Dividends by which the end may be put off when the last shares could be sold at once."""
    houses: float = 0.55
    """The part of the steps of the development dial that take a house."""
    locomotives: float = 13.0
    """Locomotives that the three companies with the fewest place between two dividends."""
    pace: float = 3.5
    """Locomotives that a company with one holder places between two dividends."""
    calm: float = 0.14
    """The part of that pace which a company keeps that is nobody's more than the others'."""
    union: float = 0.5
    """How holders drive a company together: with 1 by what each has above the others, with less also by how many."""
    undeveloped: float = 0.5
    """The part of a hex's development to come that counts as income where a company may go; less than 0 is
    taken for 0, more than 1 for 1."""
    developments: float = 0.9
    """Income that developments bring a company with one holder between two dividends."""
    partway: float = 0.5
    """What counts of a place on the way to it."""
    proceeds: float = 1.4
    """The price of a share to be sold, as a multiple of its least bid."""
    dilution: float = 1.2
    """How fast shares are sold, against what the dials allow."""
    chicago: float = 0.9
    """What counts of the dividend at the arrival in Chicago."""
    custom: float = 0.9
    """How far players value opening shares by what they usually cost, rather than by what they may earn."""
    reserve: float = 7.0
    """Dollars that it costs to be broke after the opening."""
    cash: float = 0.6
    """What the first dollar in hand is worth above itself while there is a share for everybody to come."""
    purse: float = 0.35
    """The part of the starting cash after which a further dollar is worth half as much above itself."""
    rivalry: float = 0.6
    """What a bidder counts of the others' money, on average, against the own."""
    spread: float = 2.7
    """Dollars of doubt just before the last dividend."""
    spread_by_dividend: float = 6.5
    """Dollars of doubt that each dividend before it adds."""
