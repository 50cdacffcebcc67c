"""Fitted constants of the evaluation of Chicago Express."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Assumptions about the rest of a game. The defaults are fitted to games between different players."""

    auctions: float = 0.8
    """Fraction of auction actions in which a share is sold."""
    spread_of_sales: float = 0.17
    """Fraction of the other companies' unsold shares that are sold before three companies have no shares left."""
    reluctance: float = 0.6
    """Number of dividends by which players delay the end, if the last shares could be sold at once."""
    houses: float = 0.55
    """Fraction of develop actions that use a house."""
    locomotives: float = 13.0
    """Number of locomotives that the three companies with the fewest left place together between two dividends."""
    pace: float = 3.5
    """Number of locomotives that a company with one shareholder places between two dividends."""
    calm: float = 0.14
    """Fraction of `pace` at which a company builds if no shareholder holds more shares than the others."""
    union: float = 0.5
    """Exponent of the leads of shareholders. The sum of these powers decides the building speed of a company.

    A lead is a fraction of the shares minus the average fraction of the other seats. With an exponent below 1, the
    number of shareholders also counts.
    """
    undeveloped: float = 0.5
    """Fraction of the income from later development that counts as income of a hex to build in.

    It is clamped to [0, 1].
    """
    developments: float = 0.9
    """Income in dollars that developments add to a company with one shareholder between two dividends."""
    partway: float = 0.5
    """Fraction of a target hex's income that counts while the company is still building towards the hex."""
    proceeds: float = 1.4
    """Expected price of a share that is sold later, as a multiple of the minimum bid."""
    dilution: float = 1.2
    """Speed of share sales, as a multiple of the speed that the dials allow."""
    chicago: float = 0.9
    """Weight of the dividend that a company pays when it reaches Chicago."""
    custom: float = 0.9
    """Weight of the usual price of an opening share. The remaining weight is for its expected dividends."""
    reserve: float = 7.0
    """Loss in dollars for a seat that has no cash after the opening."""
    cash: float = 0.6
    """Additional value of the first dollar of cash while enough shares are left for every player."""
    purse: float = 0.35
    """Cash, as a fraction of the starting cash, at which half of the maximum additional value of cash is reached."""
    rivalry: float = 0.6
    """Weight of the average worth of the other players, which is subtracted from the bidder's own worth."""
    spread: float = 2.7
    """Uncertainty of the evaluation in dollars just before the last dividend."""
    spread_by_dividend: float = 6.5
    """Additional uncertainty of the evaluation in dollars for each further dividend before the last."""
