"""Fitted constants of the evaluation of The Last Spike."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fitted numbers of the evaluation. The defaults are fitted to games between different players.

    An amount without a unit is a multiple of the payment of a city for one property, averaged over the board.
    """

    complete: float = -0.4093
    """Log-odds of completion of a route that lacks one piece, if all other pieces of the board are laid."""
    each_missing: float = -0.5642
    """Change of a route's log-odds of completion for each missing piece after the first."""
    unlaid: float = 0.3543
    """Change of a route's log-odds of completion per unit of the logarithm of the number of pieces not laid."""
    stake: float = 0.2005
    """Change of a route's log-odds of completion for each missing piece, per amount of the holder's lead.

    The lead is the payment of the route to the holder of the piece, minus the average payment to the other seats.
    """
    most_stake: float = 3.6862
    """Upper limit of the holder's lead that is multiplied with `stake`. Its negative is the lower limit."""
    detour: float = 0.2097
    """Change of a route's log-odds of completion for each piece that its best line lacks more than the nearest line."""
    distance: float = 0.1018
    """Change of a route's log-odds of completion for each piece that the nearest line lacks."""
    kept_back: float = 3.2692
    """Expected number of pieces in all hands together when the game ends."""
    hand_cost: float = 0.9715
    """Weight of the cost of pieces in hand."""
    turn_cost: float = 0.7245
    """Cost of the piece played in a turn, as a fraction of the mean cost."""
    cash: float = 0.1887
    """Additional value of a dollar of cash, up to twice the cost of the pieces that the seat will still lay."""
    touching: float = 0.1255
    """Value of holding a piece that touches a city or a laid piece. Other pieces cost more."""
    shortage: float = 0.3821
    """Loss in dollars for each dollar of cash that is missing to pay for the pieces that the seat will still lay."""
    ready: float = 1.9358
    """Number of pieces of mean cost for which a seat should always have cash."""
    unready: float = 0.9647
    """Loss in dollars for each dollar of cash below the amount that `ready` requires."""
    purchase_price: float = 0.9127
    """Price of a purchase, as a fraction of the mean price."""
    purchases: float = 0.4013
    """Weight of the gain from properties that may be bought later."""
    free_property: float = 0.6867
    """Weight of the value of a free property for seats that hold a piece beside its city."""
    last_spike: float = 1.3454
    """Weight of the bonus for the last spike, for seats that hold missing pieces of a line."""
    longer_line: float = 0.4682
    """Factor for the likelihood of a line, for each piece that the line lacks more than the nearest line."""
    played_out: float = 0.2746
    """Weight of the result of playing out the hands when the mix is empty and the hands are full."""
    played_out_late: float = 0.3311
    """Additional weight of the result of playing out the hands, when the hands are empty."""
    in_a_hurry: float = 0.4469
    """Weight of a payment that could also be received later, when the hands are played out."""
    exposed: float = 0.4655
    """Fraction of the bonus subtracted for a piece that lets others drive the last spike, when hands are played out."""
    spread: float = 0.4698
    """Uncertainty of the worths, divided by the square root of the number of pieces not laid."""
