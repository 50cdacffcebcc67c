"""Fitted constants of the evaluation of Chicago Express."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Assumptions about the rest of a game. The defaults are fitted to games between different players."""

    auctions: float = 0.8
    """Assumed fraction of future auction actions in which a share is sold."""
    spread_of_sales: float = 0.17
    """Assumed fraction of the unsold shares of other companies that is sold before the game ends.

    The assumption is for a game that ends because the shares of several companies (usually three) run out. The other
    companies are those whose shares do not run out.
    """
    reluctance: float = 0.6
    """Strength of the effect that players avoid selling the last shares, which delays the end of the game.

    The unit is the time between two dividends. The delay is greatest, half of this number, if the last shares would be
    sold exactly at the next dividend.
    """
    houses: float = 0.55
    """Assumed fraction of future actions `develop` that place a house."""
    locomotives: float = 13.0
    """Assumed number of locomotives placed between two dividends by the companies with the fewest locomotives left.

    The number is the total of all these companies. They are the companies (usually three) whose lack of locomotives
    would end the game first.
    """
    pace: float = 3.5
    """Assumed number of locomotives that a company with one shareholder places between two dividends."""
    calm: float = 0.14
    """Assumed building speed of a company in which all seats hold equally many shares, as a fraction of `pace`."""
    union: float = 0.5
    """Exponent for the leads of shareholders, used to estimate how fast a company builds.

    A lead is a seat's fraction of the shares minus the average fraction of the other seats. Each positive lead is
    raised to this exponent. The speed grows with the sum of the results.
    """
    undeveloped: float = 0.5
    """Weight, clamped to [0, 1], of the income that later development would add to an undeveloped target hex.

    The weighted income is added to the current income of the hex when target hexes are compared.
    """
    developments: float = 0.9
    """Assumed income in dollars that developments add to a company with one shareholder between two dividends."""
    partway: float = 0.5
    """Weight of the income of a target hex while the company is still building towards the hex.

    The weight is multiplied by the fraction of the path that is already built.
    """
    proceeds: float = 1.4
    """Expected price of a share that is sold later, as a multiple of the minimum bid."""
    dilution: float = 1.2
    """Assumed speed of share sales, as a multiple of the speed that the dials and `auctions` imply."""
    chicago: float = 0.9
    """Weight of the dividend that a company pays when it reaches Chicago, compared with a dividend of all companies."""
    custom: float = 0.9
    """Weight of the usual price of an opening share in the value of a share during the opening.

    The remaining weight is for the expected dividends of the share.
    """
    reserve: float = 7.0
    """Dollars subtracted from the worth of a seat that has no cash during the opening.

    A seat with some cash loses a part of this amount. A seat with enough cash for the time after the opening loses
    nothing.
    """
    cash: float = 0.6
    """Additional value in dollars of the first dollar of cash, if at least one share per player will still be sold.

    With fewer expected sales, the additional value is proportionally smaller.
    """
    purse: float = 0.35
    """Cash, as a fraction of the starting cash, at which half of the maximum additional value of cash is reached."""
    rivalry: float = 0.6
    """Weight of the average worth of the other players in the decision how much to bid.

    The weighted average is subtracted from the bidder's own worth.
    """
    spread: float = 2.7
    """Uncertainty of the evaluation in dollars just before the last dividend."""
    spread_by_dividend: float = 6.5
    """Additional uncertainty of the evaluation in dollars for each further dividend before the last."""
