"""Standings from the games of a tournament: tables of entrants, pairs and seats. All means have confidence intervals.

Games with the same seed are not independent, so the games of a seed count as one observation. Two kinds of games are
counted but have no other influence: games without a result, and copies. If all games of a seed repeat the games of
another seed, because the players are deterministic, they are copies. The same games give the same tables in any order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from rails_cli.games.game import win_share
from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.copies import distinct
from rails_cli.tournament.rating.estimates import Estimate, Sums
from rails_cli.tournament.rating.forfeits import clean_games, is_valid, without_absent
from rails_cli.tournament.rating.rating_types import RESAMPLES, Ranking, Rating, Ratings, SeatEffect
from rails_cli.tournament.rating.ratings import rate

ALL = "all"


class Standing(msgspec.Struct, frozen=True):
    """The row of an entrant in the standings.

    `groups` is the number of different seeds. `faulty_games` is the number of games with a fault of the entrant.
    """

    place: int
    """Place of the entrant by rating in its pool, a set of entrants connected by games."""
    name: str
    games: int
    groups: int
    rating: Rating
    mean_rank: Estimate
    beaten: Estimate
    """Share of opponents that finished behind the entrant. A tie counts as half an opponent."""
    win_share: Estimate
    """Share of games won. If k entrants tie for first place, each gets 1/k of a win."""
    mean_score: Estimate | None
    """Mean score. None if the table covers different games, because their scores are not comparable.

    The interval does not allow for extreme scores that are too rare to occur in these games.
    """
    score_share: Estimate
    """Mean of the entrant's share of all points that were scored in a game."""
    faults: int
    faulty_games: int
    lost_seats: int
    """Number of seats that the entrant lost through faults.

    Lost seats are ranked last, even if a substitute played on.
    """
    ms_per_game: Estimate
    ms_per_action: float
    """Milliseconds of thinking time per action. The estimate assumes that all seats of a game acted equally often."""
    economy: dict[str, Estimate]
    """Mapping from the name of an economic figure to its mean per game. Names of nested figures are `outer.inner`.

    Empty if the table covers different games, because their figures are not comparable.
    """
    copies: int
    """Number of games of the entrant that do not count because they are copies of other games."""
    scores: dict[str, Estimate]
    """Mapping from the name of a game to the mean score of the entrant in it."""


class Unrated(msgspec.Struct, frozen=True):
    """An entrant without a rating, because no game compares it with another entrant."""

    name: str
    games: int
    faults: int
    lost_seats: int
    copies: int


class ShortRow(msgspec.Struct, frozen=True):
    """A row of the short standings, which are shown while a tournament is running."""

    place: int
    """Place of the entrant by rating in its pool, a set of entrants connected by games.

    0 if the entrant has no rating.
    """
    name: str
    rating: float | None
    """Rating of the entrant. None if no game compares the entrant with another one."""
    low: float | None
    high: float | None
    games: int
    mean_rank: float
    win_share: float
    faults: int
    lost_seats: int = 0
    copies: int = 0
    """Number of games of the entrant that do not count because they are copies of other games."""


class PairResult(msgspec.Struct, frozen=True):
    """The results of two entrants in the games that they played against each other."""

    first: str
    second: str
    games: int
    ahead: Estimate
    """Share of games in which `first` finished ahead of `second`. A tie counts as half a game."""


class SeatRecord(msgspec.Struct, frozen=True):
    """The results of all players in one seat of a setting."""

    setting: str
    seat: int
    games: int
    mean_rank: Estimate
    win_share: Estimate
    score_share: Estimate
    effect: SeatEffect | None
    """Advantage of the seat in rating points, adjusted for the strength of the players. None if not requested."""


class ScopeTable(msgspec.Struct, frozen=True):
    """The standings over all games, or over the games of one setting.

    `groups` is the number of different seeds. `tainted` is the number of games that faults affected.
    """

    scope: str
    """`all`, or the name of a setting."""
    games: int
    groups: int
    void: dict[str, int]
    """Mapping from a reason (see `PlayedGame.reason`) to the number of games that have no result for this reason."""
    tainted: int
    standings: list[Standing]
    pairings: list[PairResult]
    """One pairing for each two entrants that have met, in the order of the standings."""
    seats: list[SeatRecord]
    ties: dict[int, float]
    notes: list[str]
    copies: int = 0
    """Number of games that do not count because they are copies of other games."""
    unrated: list[Unrated] = []
    """Entrants that have played but have no rating, sorted by name."""


class Standings(msgspec.Struct, frozen=True):
    """The tables of a tournament. The first table covers all games. Each of the others covers one setting."""

    tables: list[ScopeTable]
    clean: list[ScopeTable]
    """Tables without the games that faults affected, and without the entrants that caused faults.

    Empty if no fault affected a game.
    """


def make_standings(played: Iterable[PlayedGame], anchor: str | None = None) -> Standings:
    """Return a table over all games and, if there are several settings, a table for each. The rating of `anchor` is 0.

    If faults affected games, also return tables without these games and without the entrants that caused the faults.
    """
    games = in_order(played)

    def tables(chosen: list[PlayedGame]) -> list[ScopeTable]:
        settings = sorted({name_of(game.setting) for game in chosen})
        scopes = [ALL, *settings] if len(settings) > 1 else [ALL]
        return [make_table(chosen, scope, anchor, with_seat_effects=True) for scope in scopes]

    has_tainted = any(game.is_tainted for game in games if is_valid(game))
    return Standings(tables(games), tables(clean_games(games)) if has_tainted else [])


def make_table(
    played: Iterable[PlayedGame], scope: str = ALL, anchor: str | None = None, *, with_seat_effects: bool = False
) -> ScopeTable:
    """Return the standings over all games, or over the games of the setting `scope`. The rating of `anchor` is 0.

    The advantages of seats are computed only if `with_seat_effects`.
    """
    games = [game for game in in_order(played) if scope in (ALL, name_of(game.setting))]
    finished = [game for game in games if is_valid(game)]
    distinct_games = distinct(finished)
    copies = _copies(finished, distinct_games)
    complete = [game for game in distinct_games if game.reason == "normal" and not game.absent]
    valid = list(map(without_absent, distinct_games))
    ratings = rate(rankings_of(valid), anchor)
    effects = rate(rankings_of(complete), with_seats=True).seats if with_seat_effects else []
    rated = [rating.name for rating in ratings.entrants]
    records = _records(valid)
    has_one_game = len({game.setting.game for game in valid}) == 1
    standings = [
        records[rating.name].standing(place, rating, copies[rating.name], has_one_game=has_one_game)
        for place, rating in _placed(ratings)
    ]
    unrated = [
        Unrated(name, records[name].games, records[name].faults, records[name].lost_seats, copies[name])
        for name in sorted(records.keys() - set(rated))
    ]
    return ScopeTable(
        scope,
        len(valid),
        len(by_seed(valid)),
        dict(sorted(Counter(game.reason for game in games if not is_valid(game)).items())),
        sum(game.is_tainted for game in valid),
        standings,
        _pairings(valid, rated),
        _seats(complete, effects),
        ratings.ties,
        [*ratings.notes, *_unrated_notes(unrated)],
        len(finished) - len(valid),
        unrated,
    )


def short_table(played: Iterable[PlayedGame], anchor: str | None = None, resamples: int = RESAMPLES) -> list[ShortRow]:
    """Return the standings that are shown during a tournament, best first. Unrated entrants are last.

    The rating of `anchor` is 0. `resamples` is the number of resamples for the intervals. Games without a result and
    copies of games do not count. The order of `played` makes no difference.
    """
    finished = in_order(filter(is_valid, played))
    games = list(map(without_absent, distinct(finished)))
    copies = _copies(finished, games)
    number: Counter[str] = Counter()
    seats: Counter[str] = Counter()
    ranks: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    wins: defaultdict[str, float] = defaultdict(float)
    for game in games:
        number.update(set(game.seating))
        for seat, name in enumerate(game.seating):
            seats[name] += 1
            ranks[name] += game.ranks[seat]
            faults[name] += game.faults[seat]
            lost[name] += seat in game.lost
            wins[name] += win_share(game.ranks, seat)

    def row(place: int, name: str, rating: float | None, low: float | None, high: float | None) -> ShortRow:
        sat = seats[name]
        figures = number[name], ranks[name] / sat, wins[name] / sat, faults[name], lost[name], copies[name]
        return ShortRow(place, name, rating, low, high, *figures)

    placed = _placed(rate(rankings_of(games), anchor, resamples=resamples))
    rows = [row(place, one.name, one.rating, one.low, one.high) for place, one in placed]
    unrated = sorted(number.keys() - {one.name for one in rows})
    return [*rows, *(row(0, name, None, None, None) for name in unrated)]


def in_order(played: Iterable[PlayedGame]) -> list[PlayedGame]:
    """Return the games sorted by `group` and `number`, so that sums do not depend on the order of play."""
    return sorted(played, key=lambda game: (game.group, game.number))


def by_group(played: Iterable[PlayedGame]) -> dict[str, list[PlayedGame]]:
    """Return a mapping from the id of a seed group (games with one seed) to its games, in the order of `played`."""
    groups: dict[str, list[PlayedGame]] = {}
    for game in played:
        groups.setdefault(game.group, []).append(game)
    return groups


def seed_key(game: PlayedGame) -> str:
    """Return a key made of the name of the game, the number of players and the seed."""
    return f"{game.setting.game} {game.setting.players} {game.seed}"


def by_seed(played: Iterable[PlayedGame]) -> dict[str, list[PlayedGame]]:
    """Return a mapping from `seed_key` to the games with this key, in the order of `played`.

    Games with the same key are not independent, even in different seed groups.
    """
    seeds: dict[str, list[PlayedGame]] = {}
    for game in played:
        seeds.setdefault(seed_key(game), []).append(game)
    return seeds


def name_of(setting: Setting) -> str:
    """Return a name of a setting, such as `toy/3` or `toy/3/go=north,board=3f2a`. Default values are omitted."""
    extras = [f"{name}={value}" for name, value in sorted(setting.options.items())]
    if setting.board != "standard":
        extras.append(f"board={setting.board}")
    return f"{setting.game}/{setting.players}" + (f"/{','.join(extras)}" if extras else "")


def rankings_of(played: Iterable[PlayedGame]) -> Iterator[Ranking]:
    """Yield the rankings of the games that have a result.

    In an aborted game, only the losers are compared with the other players. So such a game has a ranking of two
    entrants for each loser and each other player: first the other player, then the loser.
    """
    for game in map(without_absent, filter(is_valid, played)):
        if game.reason == "normal":
            yield Ranking(seed_key(game), tuple(game.seating), tuple(game.ranks), name_of(game.setting))
            continue
        for seat, name in enumerate(game.seating):
            if seat not in game.lost:
                for loser in game.lost:
                    yield Ranking(seed_key(game), (name, game.seating[loser]), (1, 2))


def beaten_share(ranks: Sequence[int], seat: int) -> float:
    """Return the share of opponents that finished behind a seat. A tie counts as half an opponent."""
    own = ranks[seat]
    points = sum([other > own for other in ranks]) + (ranks.count(own) - 1) / 2
    return points / (len(ranks) - 1)


def score_share(scores: Sequence[int], seat: int) -> float:
    """Return a seat's share of the points of a game. Negative scores count as 0.

    If no seat has a positive score, all seats have the same share.
    """
    total = sum(max(score, 0) for score in scores)
    return max(scores[seat], 0) / total if total else 1 / len(scores)


class _Record:
    """Sums over the games of one entrant, from which its row of the standings is computed."""

    def __init__(self) -> None:
        self.players = 0
        self.games = 0
        self.ranks = Sums()
        self.beaten = Sums()
        self.wins = Sums()
        self.scores: defaultdict[str, Sums] = defaultdict(Sums)
        self.score_shares = Sums()
        self.ms = Sums()
        self.actions = 0.0
        self.faults = 0
        self.faulty_games = 0
        self.lost_seats = 0
        self.economy: defaultdict[str, Sums] = defaultdict(Sums)

    def add(self, game: PlayedGame, seat: int) -> None:
        seed = seed_key(game)
        self.players = max(self.players, len(game.seating))
        self.ranks.add(seed, game.ranks[seat])
        self.beaten.add(seed, beaten_share(game.ranks, seat))
        self.wins.add(seed, win_share(game.ranks, seat))
        self.scores[game.setting.game].add(seed, game.scores[seat])
        self.score_shares.add(seed, score_share(game.scores, seat))
        self.ms.add(seed, game.ms[seat])
        self.actions += game.actions / len(game.seating)
        self.faults += game.faults[seat]
        self.faulty_games += game.faults[seat] > 0
        self.lost_seats += seat in game.lost
        if seat < len(game.economy):
            for name, value in _figures(game.economy[seat]):
                self.economy[name].add(seed, value)

    def standing(self, place: int, rating: Rating, copies: int, *, has_one_game: bool) -> Standing:
        scores = {game: self.scores[game].mean() for game in sorted(self.scores)}
        total_ms = sum(total for total, _ in self.ms.by_group.values())
        return Standing(
            place,
            rating.name,
            self.games,
            rating.groups,
            msgspec.structs.replace(rating, games=self.games),
            self.ranks.mean(least=1, most=self.players),
            self.beaten.share(),
            self.wins.share(),
            next(iter(scores.values())) if has_one_game else None,
            self.score_shares.share(),
            self.faults,
            self.faulty_games,
            self.lost_seats,
            self.ms.mean(least=0),
            total_ms / self.actions if self.actions else 0.0,
            {name: self.economy[name].mean() for name in sorted(self.economy)} if has_one_game else {},
            copies,
            scores,
        )


def _copies(finished: Sequence[PlayedGame], valid: Sequence[PlayedGame]) -> Counter[str]:
    """Count the copied games of each entrant. Return a mapping from its name to the number.

    Copies are the games of `finished` that are not in `valid`.
    """
    if len(finished) == len(valid):
        return Counter()
    kept = {game.group for game in valid}
    return Counter(name for game in finished if game.group not in kept for name in dict.fromkeys(game.seating))


def _records(valid: Sequence[PlayedGame]) -> dict[str, _Record]:
    """Return a mapping from the name of each entrant that has played to the sums over its games."""
    records: defaultdict[str, _Record] = defaultdict(_Record)
    for game in valid:
        for name in set(game.seating):
            records[name].games += 1
        for seat, name in enumerate(game.seating):
            records[name].add(game, seat)
    return records


def _unrated_notes(unrated: Sequence[Unrated]) -> list[str]:
    if not unrated:
        return []
    return [f"no game compares these with others, so they have no rating: {', '.join(one.name for one in unrated)}"]


def _placed(ratings: Ratings) -> Iterator[tuple[int, Rating]]:
    """Yield pairs: the place of an entrant in its pool, and the rating of the entrant."""
    places: Counter[int] = Counter()
    for rating in ratings.entrants:
        places[rating.pool] += 1
        yield places[rating.pool], rating


def _pairings(valid: Sequence[PlayedGame], order: Sequence[str]) -> list[PairResult]:
    place = {name: number for number, name in enumerate(order)}
    sums: defaultdict[tuple[int, int], Sums] = defaultdict(Sums)
    games: Counter[tuple[int, int]] = Counter()
    for game in valid:
        met = set()
        ranked = zip(game.seating, game.ranks, strict=True)
        seats = sorted((place[name], rank) for name, rank in ranked if name in place)
        for number, (first, rank) in enumerate(seats):
            for second, other in seats[number + 1 :]:
                if first == second:
                    continue
                met.add((first, second))
                ahead = 1.0 if rank < other else 0.5 if rank == other else 0.0
                sums[first, second].add(seed_key(game), ahead)
        games.update(met)
    return [PairResult(order[pair[0]], order[pair[1]], games[pair], sums[pair].share()) for pair in sorted(sums)]


def _seats(valid: Sequence[PlayedGame], effects: Sequence[SeatEffect]) -> list[SeatRecord]:
    by_seat = {(effect.table, effect.seat): effect for effect in effects}
    all_ranks: defaultdict[tuple[str, int], Sums] = defaultdict(Sums)
    wins: defaultdict[tuple[str, int], Sums] = defaultdict(Sums)
    shares: defaultdict[tuple[str, int], Sums] = defaultdict(Sums)
    games: Counter[tuple[str, int]] = Counter()
    players: dict[str, int] = {}
    for game in valid:
        setting, seed = name_of(game.setting), seed_key(game)
        players[setting] = game.setting.players
        for seat, rank in enumerate(game.ranks):
            key = (setting, seat)
            all_ranks[key].add(seed, rank)
            wins[key].add(seed, win_share(game.ranks, seat))
            shares[key].add(seed, score_share(game.scores, seat))
            games[key] += 1
    return [
        SeatRecord(
            *key,
            games[key],
            all_ranks[key].mean(1, players[key[0]]),
            wins[key].share(),
            shares[key].share(),
            by_seat.get(key),
        )
        for key in sorted(games)
    ]


def _figures(profile: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the name and value of each number in `profile`, a seat's economic figures. `prefix` is put before names."""
    for name, value in profile.items():
        if isinstance(value, dict):
            yield from _figures(value, f"{prefix}{name}.")
        elif isinstance(value, int | float):
            yield f"{prefix}{name}", value
