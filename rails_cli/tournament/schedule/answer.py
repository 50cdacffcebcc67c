"""The answer of a tournament in one sentence: the best entrant, the certainty, and the undecided places."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from rails_cli.tournament.rating.estimates import Estimate
from rails_cli.tournament.rating.standings import ScopeTable, Standing
from rails_cli.tournament.words import listed

NO_GAME = "No game that counts has been finished."


class FinalAnswer(msgspec.Struct, frozen=True):
    """The answer of a tournament to the question which entrant is best, as text and as numbers."""

    text: str
    games: int
    """Number of games that count. Copies of other games do not count."""
    copies: int
    best: str | None
    """Name of the entrant in first place.

    None in a benchmark, if no game counts, if not all entrants can be compared, or if several share the first place.
    """
    is_sure: bool
    """Whether `best` is the best entrant with 95% confidence."""
    share: Estimate | None
    """The main figure in `text`. None if there is nothing to compare, and in a benchmark.

    It depends on the format:
    - Swiss: share of opponents that finished behind the highest rated entrant.
    - Gauntlet: share of opponents that finished behind the highest rated challenger.
    - Duel: share of opponents beaten by the better version, minus the same share for the other version.
    - All other formats: share of the games between the two highest rated entrants in which the first of them was ahead.
    """
    open_places: list[tuple[int, int]]
    """Ranges of places whose order is not certain at 95% confidence, each as its first and last place."""


def answer_of(table: ScopeTable, text: str, best: str | None, share: Estimate | None, *, is_sure: bool) -> FinalAnswer:
    return FinalAnswer(text, table.games, table.copies, best, is_sure, share, open_places(table.standings))


def preliminary(answer: FinalAnswer) -> FinalAnswer:
    """Return `answer` with "So far:" before its text, for a tournament that has not ended."""
    return msgspec.structs.replace(answer, text=f"So far: {answer.text}")


def by_rating(table: ScopeTable, leads: str = "leads") -> FinalAnswer:
    """Return the answer for a format in which the ratings decide.

    `leads` is a verb. It follows the name of the best entrant if it is not certain that this entrant is the best.
    """
    rows = table.standings
    if not rows:
        return answer_of(table, NO_GAME, None, None, is_sure=False)
    first = rows[0]
    if any(row.rating.pool for row in rows):
        pools = [[row.name for row in rows if row.rating.pool == pool] for pool in {row.rating.pool for row in rows}]
        text = f"It is impossible to say who is best, because no game connects {'; '.join(map(listed, pools))}"
        return answer_of(table, f"{text}: {games_words(table.games)}.", None, None, is_sure=False)
    if len(rows) == 1:
        return answer_of(table, f"Only {first.name} has played.", first.name, None, is_sure=False)
    second = rows[1]
    is_sure = is_first(rows)
    share, how = _ahead(table, first, second)
    ranges = open_places(rows)
    if len(rows) > 2:
        is_seen = share is None or share.low is None or share.low > 0.5  # the games between the two agree
        best = "is best:" if is_seen else "is best by all games together;"
        is_behind = share is not None and share.mean < 0.5
        if is_behind:
            leads += f" with the highest rating, although it was behind {second.name} in most of their games"
        lead = best if is_sure else f"{leads}, but this is not certain:"
        said = f"{first.name} {lead} it is {how}{open_words(ranges)}"
        said += _unplaced_words(rows)
    else:
        said = f"{first.name} is {how}" + ("" if is_sure else "; the two cannot be told apart")
    return FinalAnswer(f"{said}.", table.games, table.copies, first.name, is_sure, share, ranges)


class Placed(msgspec.Struct, frozen=True):
    """An entrant with its place, and its best and worst possible place at 95% confidence."""

    row: Standing
    place: int
    best: int
    worst: int


def placed(rows: Sequence[Standing]) -> list[Placed]:
    """Return the entrants that played more than one seed, each with its place and its possible places.

    Places are counted only among these entrants. If no entrant played more than one seed, return all entrants. Then the
    possible places are `best_place` and `worst_place` of the rating.
    """
    places: Counter[int] = Counter()
    is_open = all(row.rating.range_among is None for row in rows)
    found = []
    for row in rows:
        rating = row.rating
        best, worst = (rating.best_place, rating.worst_place) if is_open else rating.range_among or (0, 0)
        if worst:
            places[rating.pool] += 1
            found.append(Placed(row, places[rating.pool], best, worst))
    return found


def is_first(rows: Sequence[Standing]) -> bool:
    """Return whether the entrant in the first row is the best one with 95% confidence."""
    known = placed(rows)
    return bool(known) and known[0].row is rows[0] and known[0].worst <= 1


def open_places(rows: Sequence[Standing]) -> list[tuple[int, int]]:
    """Return the ranges of places whose order is not certain, each as its first and last place.

    At 95% confidence, it is uncertain whether the entrant in the first place of a range is better than the entrant in
    the last place. A range inside another range is left out.
    """
    found: list[tuple[int, int]] = []
    known = placed(rows)
    for number, one in enumerate(known):
        others = [other for other in known[number + 1 :] if may_swap(one, other)]
        if others and (not found or others[-1].row.place > found[-1][1]):
            found.append((one.row.place, others[-1].row.place))
    return found


def may_swap(better: Placed, worse: Placed) -> bool:
    """Return whether it is uncertain, at 95% confidence, which of two entrants is better.

    This is so if they are in the same pool, and the possible places of each one include the place of the other.
    """
    is_same_pool = better.row.rating.pool == worse.row.rating.pool
    return is_same_pool and better.worst >= worse.place and worse.best <= better.place


def per_cent(share: float) -> str:
    """Format a share in whole per cents. A share between 0 and 1 gets a decimal if it would be rounded to 0 or 100."""
    whole = f"{100 * share:.0f}"
    return f"{100 * share:.1f}" if (whole == "100" and share < 1) or (whole == "0" and share > 0) else whole


def share_words(share: Estimate) -> tuple[str, str]:
    """Return the mean and the interval as text, such as `57%` and `52 to 62%`."""
    if share.low is None or share.high is None:
        return f"{per_cent(share.mean)}%", "too few seed groups to say how certain"
    return f"{per_cent(share.mean)}%", f"{per_cent(share.low)} to {per_cent(share.high)}%"


def _ahead(table: ScopeTable, first: Standing, second: Standing) -> tuple[Estimate | None, str]:
    pairing = next((one for one in table.pairings if (one.first, one.second) == (first.name, second.name)), None)
    if pairing is None:
        points = first.rating.rating - second.rating.rating
        met = f"{points:.0f} rating points above {second.name}, whom it has not met"
        return None, f"{met}, {games_words(table.games)}"
    mean, sure = share_words(pairing.ahead)
    return pairing.ahead, f"ahead of {second.name} in {mean} of their games ({sure}), {games_words(pairing.games)}"


def _unplaced_words(rows: Sequence[Standing]) -> str:
    """Return text such as `; bad has played too little to tell` for entrants that played only one seed."""
    few = [row.name for row in rows if row.rating.range_among is None]
    if not few or len(few) == len(rows):
        return ""
    return f"; {listed(few)} {'has' if len(few) == 1 else 'have'} played too little to tell"


def games_words(games: int) -> str:
    """Return text such as `240 distinct games`."""
    return f"{games:,} distinct game{'' if games == 1 else 's'}"


def open_words(ranges: Sequence[tuple[int, int]], places: str = "places") -> str:
    """Return text such as `; places 3 to 6 cannot be told apart`. The text is empty if `ranges` is empty."""
    if not ranges:
        return ""
    return f"; {places} {listed([f'{first} to {last}' for first, last in ranges])} cannot be told apart"
