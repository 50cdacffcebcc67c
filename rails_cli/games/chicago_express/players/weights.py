"""Fitted constants of the evaluation of Chicago Express."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Assumptions about how the game continues. The defaults are fitted to games between different players."""

    auctions: float = 0.8
    """Fraction of the steps of the auction dial that sell a share."""
    spread_of_sales: float = 0.17
    """Fraction of the other companies' unsold shares sold before three companies have none left."""
    reluctance: float = 0.6
    """Dividends by which the end may be delayed when the last shares could be sold at once."""
    houses: float = 0.55
    """Fraction of the steps of the development dial that use a house."""
    locomotives: float = 13.0
    """Locomotives that the three companies with the fewest left place between two dividends."""
    pace: float = 3.5
    """Locomotives that a company with one shareholder places between two dividends."""
    calm: float = 0.14
    """Fraction of `pace` kept by a company in which no shareholder holds more than the others."""
    union: float = 0.5
    """Exponent for combining the shareholders' efforts: 1 adds their leads, smaller values also count their number."""
    undeveloped: float = 0.5
    """Fraction of a hex's future development that counts as income of a possible target. It is clamped to [0, 1]."""
    developments: float = 0.9
    """Income that developments bring a company with one shareholder between two dividends."""
    partway: float = 0.5
    """Fraction of a target's gain that counts while the company is on the way to it."""
    proceeds: float = 1.4
    """Price of a share to be sold, as a multiple of its minimum bid."""
    dilution: float = 1.2
    """Speed of share sales relative to what the dials allow."""
    chicago: float = 0.9
    """Weight of the dividend paid on arrival in Chicago."""
    custom: float = 0.9
    """Weight of the usual price of opening shares, relative to their expected earnings."""
    reserve: float = 7.0
    """Dollars lost by having no cash after the opening."""
    cash: float = 0.6
    """Additional value of the first dollar in hand while there is a share to come for everybody."""
    purse: float = 0.35
    """Cash, as a fraction of the starting cash, at which half of the maximum additional value of cash is reached."""
    rivalry: float = 0.6
    """Weight of the other players' average money against the bidder's own."""
    spread: float = 2.7
    """Uncertainty in dollars just before the last dividend."""
    spread_by_dividend: float = 6.5
    """Additional uncertainty in dollars for each dividend before the last."""
