"""Rating lists: strengths on the Elo scale, anchored, with intervals by bootstrap over seed groups.

numpy is imported by the first call of a function here, because the import takes 0.1 s and most commands rate nothing.
"""

from collections.abc import Iterable

from rails_cli.tournament.numpy_import import import_numpy
from rails_cli.tournament.rating.estimates import CONFIDENCE
from rails_cli.tournament.rating.rating_types import MAX_BLOCKS, RESAMPLES, Ranking, Ratings


def rate(
    rankings: Iterable[Ranking],
    anchor: str | None = None,
    *,
    with_seats: bool = False,
    resamples: int = RESAMPLES,
    most_blocks: int = MAX_BLOCKS,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> Ratings:
    """Return the rating list of the games. The anchor has the rating 0. Without one, and in other pools, the mean is 0.

    Entrants that never lost to the others, or never beat them, are left out of that mean: their distance is unknown.
    Fewer blocks (`most_blocks`) take less time but show the spread less precisely.
    """
    import_numpy()
    from rails_cli.tournament.rating.intervals import rate_fit
    from rails_cli.tournament.rating.plackett_luce import fit

    return rate_fit(fit(rankings, with_seats, most_blocks), anchor, resamples, seed, confidence)


def order_by_strength(rankings: Iterable[Ranking]) -> list[str]:
    """Return the names of all entrants, strongest first."""
    import_numpy()
    from rails_cli.tournament.rating.plackett_luce import fit

    return fit(rankings).order()
