"""Fitted constants of the evaluation of The Last Spike."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Constants of the evaluation, fitted to games between different players.

    Some amounts are in units instead of dollars. A unit is the average payment of a city for one property.

    The weights from `complete` to `distance` belong to a sum of several terms. The sum is the log-odds that a route is
    completed.
    """

    complete: float = -0.4093
    """Constant term of the log-odds that a route is completed."""
    each_missing: float = -0.5642
    """Change of the log-odds for each missing piece of the route after the first."""
    unlaid: float = 0.3543
    """Factor for the natural logarithm of the number of unlaid pieces of the whole board.

    The product is added to the log-odds.
    """
    stake: float = 0.2005
    """Factor for the seats' interest in completing the route.

    For each missing piece that a seat holds, the seat's lead times this factor is added to the log-odds. The lead is
    the payment of the route to the seat, minus the average payment to the other seats, in units (see `Weights`).
    """
    most_stake: float = 3.6862
    """Largest lead of a seat that counts for `stake`, in units (see `Weights`).

    Larger leads count as this value. A lead below the negative of this value counts as the negative.
    """
    detour: float = 0.2097
    """Change of the log-odds for each piece of detour.

    The detour is the number of pieces that the best line over the route lacks, minus the number that the best line of
    all lacks. A line is a sequence of routes from the start city to the end city.
    """
    distance: float = 0.1018
    """Change of the log-odds for each piece that is still missing between the start city and the end city."""
    kept_back: float = 3.2692
    """Expected total number of pieces in all hands when the game ends."""
    hand_cost: float = 0.9715
    """Weight of the printed cost of the pieces in a seat's hand.

    The weighted cost is subtracted from the worth of the seat. Only the part of the hand that the seat will probably
    still lay counts.
    """
    turn_cost: float = 0.7245
    """Expected cost of the piece that a seat plays in a turn, as a fraction of the mean cost of a piece."""
    cash: float = 0.1887
    """Additional value in dollars of a dollar of cash.

    Cash above a limit has no additional value. The limit is twice the cost of the pieces that the seat will lay.
    """
    touching: float = 0.1255
    """Value in units (see `Weights`) of each piece in hand that touches a city or a laid piece.

    Other pieces cost more to lay.
    """
    shortage: float = 0.3821
    """Dollars subtracted for each dollar of cash that the seat lacks to pay for the pieces that it will still lay."""
    ready: float = 1.9358
    """Number of pieces of mean cost for which a seat should always have cash."""
    unready: float = 0.9647
    """Dollars subtracted for each dollar of cash below the amount that `ready` requires."""
    purchase_price: float = 0.9127
    """Expected price of a property that a seat buys later, as a fraction of the mean price."""
    purchases: float = 0.4013
    """Factor for the expected gain from properties that a seat may buy later. The product is part of the worth of the
    seat.
    """
    free_property: float = 0.6867
    """Factor for the value of free properties that a seat can expect later. The product is part of the worth of the
    seat.
    """
    last_spike: float = 1.3454
    """Weight of the bonus for the last spike. The bonus is divided among the seats by their chances to lay it."""
    longer_line: float = 0.4682
    """Factor that makes longer lines less likely to end the game.

    A line connects the start city and the end city. One line lacks the fewest pieces. The
    likelihood of any other line is multiplied by this factor for each piece that it lacks in addition to this number.
    """
    played_out: float = 0.2746
    """Weight of a play-out in the worth of the seats.

    A play-out is the end of the game, played by simple players. The weight applies when all pieces are drawn and the
    hands are full. The remaining weight is for the other estimates.
    """
    played_out_late: float = 0.3311
    """Additional weight of a play-out when all hands are empty. When the hands are half empty, half of this weight is
    added.
    """
    in_a_hurry: float = 0.4469
    """Factor for the payments for a route that a piece completes at once, when a piece is chosen in a play-out.

    The factor is below 1 because the seat could also lay the piece later.
    """
    exposed: float = 0.4655
    """Penalty for a piece after which another seat could lay the last spike, when a piece is chosen in a play-out.

    The penalty is this fraction of the bonus for the last spike.
    """
    spread: float = 0.4698
    """Uncertainty of the evaluation in units (see `Weights`), if one piece is not laid.

    For more pieces, it grows with the square root of their number.
    """
