"""Fitted constants of the evaluation of The Last Spike."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fitted numbers of the evaluation. The defaults are fitted to games between different players.

    Amounts that are not in dollars are multiples of the average payment of a city for one property.
    """

    complete: float = -0.4093
    """Log-odds that a route with one missing piece is completed, if all other pieces of the board are laid."""
    each_missing: float = -0.5642
    """Change of a route's log-odds of completion for each missing piece after the first."""
    unlaid: float = 0.3543
    """Change of a route's log-odds of completion per unit of the logarithm of the number of pieces not laid."""
    stake: float = 0.2005
    """Change of a route's log-odds of completion for each missing piece, multiplied by the lead of the piece's holder.

    The lead is the payment of the route to the holder of the piece, minus the average payment to the other seats.
    """
    most_stake: float = 3.6862
    """Upper limit of the holder's lead that is multiplied by `stake`.

    The lower limit is the negative of this number.
    """
    detour: float = 0.2097
    """Change of a route's log-odds of completion for each piece of detour.

    The detour is the number of pieces that the best line over the route lacks, minus the number that the nearest line
    lacks. A line leads from the start city to the end city.
    """
    distance: float = 0.1018
    """Change of a route's log-odds of completion for each piece that is still needed to connect start and end."""
    kept_back: float = 3.2692
    """Expected total number of pieces in all hands when the game ends."""
    hand_cost: float = 0.9715
    """Weight of the cost of the pieces in a seat's hand."""
    turn_cost: float = 0.7245
    """Cost of the piece that a seat plays in a turn, as a fraction of the mean cost of a piece."""
    cash: float = 0.1887
    """Additional value of a dollar of cash.

    It applies to cash up to twice the cost of the pieces that the seat will lay.
    """
    touching: float = 0.1255
    """Value of holding a piece that touches a city or a laid piece. Other pieces cost more."""
    shortage: float = 0.3821
    """Loss in dollars for each dollar of cash that is missing to pay for the pieces that the seat will still lay."""
    ready: float = 1.9358
    """Number of pieces of mean cost for which a seat should always have cash."""
    unready: float = 0.9647
    """Loss in dollars for each dollar of cash below the amount that `ready` requires."""
    purchase_price: float = 0.9127
    """Price of a property that a seat buys later, as a fraction of the mean price."""
    purchases: float = 0.4013
    """Weight of the gain from properties that may be bought later."""
    free_property: float = 0.6867
    """Weight of the value of a free property for seats that hold a piece beside the property's city."""
    last_spike: float = 1.3454
    """Weight of the bonus for the last spike, for seats that hold missing pieces of a line from start to end."""
    longer_line: float = 0.4682
    """Factor for the likelihood of a line from start to end, for each piece it lacks more than the nearest line."""
    played_out: float = 0.2746
    """Weight of the result of playing the hands to the end, when all pieces are drawn and the hands are full."""
    played_out_late: float = 0.3311
    """Additional weight of the result of playing the hands to the end, when the hands are empty."""
    in_a_hurry: float = 0.4469
    """Weight of the payments for a route that a piece would complete at once.

    It is used while the hands are played to the end. The seat could also lay the piece later.
    """
    exposed: float = 0.4655
    """Fraction of the last-spike bonus that is subtracted for a piece after which others could lay the last spike.

    It is used while the hands are played to the end.
    """
    spread: float = 0.4698
    """Uncertainty of the evaluation, divided by the square root of the number of pieces not laid."""
