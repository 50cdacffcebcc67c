"""Fitted constants of the evaluation of Chicago Express."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Assumptions about the rest of a game. The defaults are fitted to games between different players."""

    auctions: float = 0.8
    """Assumed fraction of future auction actions in which a share is sold."""
    spread_of_sales: float = 0.17
    """Fraction of the remaining unsold shares that is assumed to be sold before the game ends.

    It applies if the game ends because several companies (usually three) have sold all shares. The remaining shares are
    those of the other companies.
    """
    reluctance: float = 0.6
    """Strength of an effect that delays the end of the game: players avoid selling the last shares.

    The unit is the time between two dividends. If the last shares would be sold exactly at the next dividend, the delay
    is greatest: half of this number.
    """
    houses: float = 0.55
    """Assumed fraction of future actions `develop` that place a house."""
    locomotives: float = 13.0
    """Assumed number of locomotives that certain companies together place between two dividends.

    These are the companies (usually three) whose lack of locomotives would end the game first.
    """
    pace: float = 3.5
    """Assumed number of locomotives that a company with one shareholder places between two dividends."""
    calm: float = 0.14
    """Assumed building speed of a company whose shares are held equally by all seats, as a fraction of `pace`."""
    union: float = 0.5
    """Exponent in the estimate of how fast a company builds.

    A shareholder's lead is the seat's fraction of the shares, minus the average fraction of the other seats. Each
    positive lead is raised to this exponent. The company builds faster if the sum of the results is greater.
    """
    undeveloped: float = 0.5
    """Weight from 0 to 1 for the income that development would add to a hex.

    When target hexes are compared, this weighted income is added to the current income of each undeveloped hex.
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
    """Factor for the number of shares that a company is assumed to sell before the game ends.

    The number before multiplication follows from the dials and `auctions`.
    """
    chicago: float = 0.9
    """Weight of the dividend that a company pays when it reaches Chicago, compared with a dividend of all companies."""
    custom: float = 0.9
    """Weight of the usual price in the value of a share during the opening.

    The rest of the value comes from the expected dividends of the share.
    """
    reserve: float = 7.0
    """Dollars by which the worth of a seat without cash is reduced during the opening.

    A seat with some cash loses a part of this amount. A seat with enough cash for the time after the opening loses
    nothing.
    """
    cash: float = 0.6
    """Additional value in dollars of the first dollar of cash, if at least one share per player will still be sold.

    With fewer expected sales, the additional value is proportionally smaller.
    """
    purse: float = 0.35
    """Cash, as a fraction of the starting cash, at which the bonus for cash is half of its upper limit.

    The value of a seat's cash is the cash plus this bonus.
    """
    rivalry: float = 0.6
    """Weight of the other players' average worth when a seat decides how much to bid.

    The weighted average is subtracted from the seat's own worth.
    """
    spread: float = 2.7
    """Uncertainty of the evaluation in dollars just before the last dividend."""
    spread_by_dividend: float = 6.5
    """Additional uncertainty of the evaluation in dollars for each further dividend before the last."""
