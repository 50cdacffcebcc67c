"""The constants of the evaluation of The Last Spike."""

import msgspec


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is guessed of how people go on; the defaults are fitted to games between different players.

    Amounts are parts of what a city pays for one property, on average of the board.
    """

    complete: float = -0.4093
    """The log-odds that a route will be completed that lacks one piece, the last of the board."""
    each_missing: float = -0.5642
    """The same for each further piece that it lacks."""
    unlaid: float = 0.3543
    """The same, times the logarithm of the number of pieces that are not laid: there is time."""
    stake: float = 0.2005
    """The same for each of its missing pieces, by what its holder would be paid more than the others."""
    most_stake: float = 3.6862
    """What a holder is paid more than that changes nothing."""
    detour: float = 0.2097
    """The same for each piece that a line over it lacks more than the nearest one: its pieces are not kept back."""
    distance: float = 0.1018
    """The same for each piece that the nearest line lacks."""
    kept_back: float = 3.2692
    """Pieces that are still in hand when the game ends."""
    hand_cost: float = 0.9715
    """What counts of the cost of pieces in hand."""
    turn_cost: float = 0.7245
    """What a turn's piece costs, as a part of the mean."""
    cash: float = 0.1887
    """What a dollar in hand is worth above itself, up to twice what the pieces to come cost."""
    touching: float = 0.1255
    """What it is worth to hold a piece that touches something: others cost more."""
    shortage: float = 0.3821
    """What each dollar costs that is lacking for the pieces to come: something must be sold at half price."""
    ready: float = 1.9358
    """Cash for so many pieces of mean cost is wanted at any time."""
    unready: float = 0.9647
    """What each dollar below that costs, as a sale is near."""
    purchase_price: float = 0.9127
    """What a purchase costs, as a part of the mean."""
    purchases: float = 0.4013
    """What counts of the gain by properties that may be bought later."""
    free_property: float = 0.6867
    """What counts of a free property for those who hold a piece that takes it."""
    last_spike: float = 1.3454
    """What counts of the bonus for those who hold pieces of a line."""
    longer_line: float = 0.4682
    """How much less likely a line is for each piece that it lacks more than the nearest one."""
    played_out: float = 0.2746
    """What counts of the hands as they may be played out, when nothing is left to draw and the hands are full."""
    played_out_late: float = 0.3311
    """The same, more, when they are empty."""
    in_a_hurry: float = 0.4469
    """There, what counts of a payment that could also be had later."""
    exposed: float = 0.4655
    """There, the part of the bonus that a player fears to lose who leaves the last spike to others."""
    spread: float = 0.4698
    """By how much the worths may be wrong when one piece is not laid; it grows with the square root of that number."""
