"""Rating lists: ratings on the Elo scale relative to an anchor, with intervals by bootstrap over seeds.

numpy is imported by the first call of a function in this module, because the import takes 0.1 s and most commands need
no ratings.
"""

from collections.abc import Iterable

from rails_cli.basics.numpy_import import import_numpy
from rails_cli.tournament.rating.rating_types import MAX_BLOCKS, RESAMPLES, Ranking, Ratings


def rate(
    rankings: Iterable[Ranking],
    anchor: str | None = None,
    *,
    with_seats: bool = False,
    resamples: int = RESAMPLES,
    most_blocks: int = MAX_BLOCKS,
    seed: int = 0,
) -> Ratings:
    """Return the rating list of `rankings`. The rating of `anchor` is 0.

    A pool is a set of entrants connected by games. In a pool without the anchor, the mean rating is 0. The mean is over
    the largest set of entrants in which each finished ahead of or tied with every other one, directly or through
    others. If no such set has two entrants, the mean is over the whole pool.

    `with_seats` includes the advantages of seats in the model and in the result. `most_blocks` limits the number of
    blocks of seeds. Fewer blocks take less time but show the spread less precisely. `seed` is the random seed of the
    `resamples` resamples.
    """
    import_numpy()
    from rails_cli.tournament.rating.intervals import rate_fit
    from rails_cli.tournament.rating.plackett_luce import fit

    return rate_fit(fit(rankings, with_seats, most_blocks), anchor, resamples, seed)


def order_by_strength(rankings: Iterable[Ranking]) -> list[str]:
    import_numpy()
    from rails_cli.tournament.rating.plackett_luce import fit

    return fit(rankings).order()
