"""The benchmark: one entrant plays against opponents with fixed ratings until its rating in each game is known."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.rating.anchored import AnchoredRating, MeanRating, anchored_rating, mean_rating
from rails_cli.tournament.rating.standings import ScopeTable, name_of
from rails_cli.tournament.schedule.answer import NO_GAME, FinalAnswer, answer_of, games_words
from rails_cli.tournament.schedule.format import Format, Results, ScheduleLength, all_games, is_complete, missing
from rails_cli.tournament.schedule.seatings import fair_seatings, seating_count

FEWEST_GROUPS = 4
"""Minimum number of seeds played with each number of players before a rating can count as known."""


class GameRating(msgspec.Struct, frozen=True):
    """The rating of the benchmarked entrant in one game."""

    by_players: dict[int, AnchoredRating]
    """Mapping from the number of players to the rating. Numbers of players without a game are left out."""
    mean: MeanRating | None
    """Mean of the ratings in `by_players`. None if the rating for any possible number of players is missing."""
    is_known: bool
    """Whether no more games are needed: the interval of `mean` is narrow, and there are enough results."""


class Benchmark(Format, frozen=True, kw_only=True, tag="benchmark", tag_field="kind"):
    """A format with rounds in which `agent` meets the opponents with the ratings nearest to its own rating so far.

    A round has one seed group for each setting of each game in which the rating is not known yet. The opponents in a
    round depend on the results of all earlier rounds. So a round starts when the round before is complete.
    """

    title: ClassVar = "Benchmark"
    in_plans: ClassVar = False
    stops_games: ClassVar = True

    agent: str
    seeds: dict[str, tuple[Seed, ...]]
    """Mapping from the name of a setting, such as `toy/3`, to the seeds of its rounds."""
    ratings: dict[str, dict[str, float]]
    """Mapping from the name of a setting to a mapping from the name of each opponent to its fixed rating."""
    slow: dict[str, float]
    """Mapping from the name of a slow opponent to a penalty in rating points, so that it is chosen less often.

    The penalty is added to the distance between the ratings of opponent and agent.
    """
    half_width: Annotated[float, Meta(gt=0)] = 50.0
    """Maximum half-width, in rating points, of the 95% interval of a rating that counts as known."""

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        for made in self._rounds(played):
            yield from missing(made, played)

    def _rounds(self, played: Results) -> Iterator[list[SeedGroup]]:
        """Yield the seed groups (games with one seed) of each round, up to the first round that is not complete."""
        before: list[PlayedGame] = []
        for number in range(max(map(len, self.seeds.values()))):
            made = self._round(number, before)
            if not made:
                return
            yield made
            if not all(is_complete(group, played) for group in made):
                return
            before += [game for group in made for game in played[group.id]]

    def _round(self, number: int, before: Sequence[PlayedGame]) -> list[SeedGroup]:
        """Return the seed groups of round `number`, counted from 0.

        `before` has the games of the rounds before.
        """
        if any(self.agent in (game.seating[seat] for seat in game.absent) for game in before):
            return []
        made = []
        for name, settings in self._games().items():
            found = self.rating_in(name, before)
            if found.is_known:
                continue
            for setting in settings:
                seeds = self.seeds[name_of(setting)]
                if number < len(seeds):
                    own = found.by_players.get(setting.players)
                    table = [self.agent, *self._nearest(setting, 0.0 if own is None else own.rating)]
                    seatings = fair_seatings(table, "rotations", number)
                    made.append(SeedGroup(setting, seeds[number], seatings, f"round {number + 1}"))
        return made

    def _games(self) -> dict[str, list[Setting]]:
        games: dict[str, list[Setting]] = {}
        for setting in self.settings:
            games.setdefault(setting.game, []).append(setting)
        return games

    def _nearest(self, setting: Setting, rating: float) -> list[str]:
        """Return the opponents at a table: those with the smallest sum of distance to `rating` and `slow` penalty."""
        ratings = self.ratings[name_of(setting)]
        distances = {name: abs(own - rating) + self.slow.get(name, 0.0) for name, own in ratings.items()}
        order = sorted(distances, key=lambda name: (distances[name], name))
        return sorted(order[: setting.players - 1], key=lambda name: ratings[name])

    def rating_in(self, game: str, played: Sequence[PlayedGame]) -> GameRating:
        """Return the rating of the agent in the game named `game`, from the games in `played`."""
        settings = self._games()[game]
        by_players: dict[int, AnchoredRating] = {}
        for setting in settings:
            own = [one for one in played if one.setting == setting]
            rating = anchored_rating(own, self.agent, self.ratings[name_of(setting)])
            if rating is not None:
                by_players[setting.players] = rating
        if len(by_players) < len(settings):
            return GameRating(by_players, None, False)
        mean = mean_rating(list(by_players.values()))
        is_known = mean.half_width <= self.half_width and all(
            one.groups >= FEWEST_GROUPS and one.has_won and one.has_lost for one in by_players.values()
        )
        return GameRating(by_players, mean, is_known)

    def length(self) -> ScheduleLength:
        groups = games = 0
        for setting in self.settings:
            count = len(self.seeds[name_of(setting)])
            groups += count
            games += count * seating_count(setting.players, "rotations")
        return ScheduleLength(groups_least=0, groups_most=groups, games_least=0, games_most=games)

    def order(self, played: Results) -> list[list[str]]:
        """Return only the name of the agent, because the ratings of all other entrants are fixed."""
        return [[self.agent]]

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """Return a sentence with the rating of the agent in each game."""
        games = list(all_games(played))
        found = {name: self.rating_in(name, games).mean for name in self._games()}
        said = [
            f"{name} {mean.rating:+.0f} ({mean.low:+.0f} to {mean.high:+.0f})" for name, mean in found.items() if mean
        ]
        if not said:
            return answer_of(table, NO_GAME, None, None, is_sure=False)
        text = f"Rating of {self.agent}: {'; '.join(said)}; {games_words(table.games)}."
        return answer_of(table, text, None, None, is_sure=False)
