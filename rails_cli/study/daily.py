"""The deal of a day: the same game, seed and seat for everyone who plays it, and its result as text to share."""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

import msgspec

from rails_cli.games import BUILT_IN_NAMES, load_face, load_game, load_openings, standard_board
from rails_cli.games.faces.phrases import count_phrase, ordinal
from rails_cli.games.openings import drawn_opening
from rails_cli.games.shared.luck import derived_seed
from rails_cli.match.match import Match, header_of
from rails_cli.protocol.log import PlayerLine
from rails_cli.study.analysis.judging import FEWEST, LOOKS, Judgement
from rails_cli.study.analysis.running import CannotJudge, Progress, analyse, study_of
from rails_cli.study.analysis.telling import MISTAKE
from rails_cli.study.lessons import usual_players
from rails_cli.study.playback.recorded import Recorded

LEVEL = "hard"
SEED = "rails-cli daily"
"""Text from which the seeds of all days are derived. With another text, all deals change."""
BLUNDER = 0.1
"""A decision gets the lowest mark if it loses at least this chance of winning, from 0 to 1."""
SIGNS = {"good": "█", "fair": "▅", "mistake": "▂", "blunder": "▁"}
"""Mapping from the mark of a decision (see `mark_of`) to the sign that shows the mark."""
PLAIN_SIGNS = {"good": "#", "fair": "+", "mistake": "-", "blunder": "."}


class Deal(NamedTuple):
    """The deal of a day: the game, its seed, and the seat of the person."""

    day: date
    game: str
    seed: str
    seat: int
    """Index of the seat of the person. Bots of the level LEVEL play the other seats."""

    @property
    def name(self) -> str:
        """Name of the log of the first attempt, without its suffix."""
        return f"daily-{self.day.isoformat()}-{self.game}"

    def is_played_in(self, recorded: Recorded) -> bool:
        people = [seat for seat, player in enumerate(recorded.header.players) if player.seat == "person"]
        return (recorded.game.name, recorded.header.seed, people) == (self.game, self.seed, [self.seat])


def deal_of(day: date, game: str | None = None) -> Deal:
    """Return the deal of a day. Without `game`, the game changes from day to day."""
    name = game or BUILT_IN_NAMES[day.toordinal() % len(BUILT_IN_NAMES)]
    seed = derived_seed(SEED, day.isoformat(), name)
    return Deal(day, name, seed, int(derived_seed(seed, "seat"), 16) % usual_players(name))


def match_of(deal: Deal, players: list[PlayerLine]) -> Match:
    """Return a new match with this deal. A game without luck begins with random moves that depend on the seed."""
    game, board = load_game(deal.game), standard_board(deal.game)
    options = game.options_type()
    opening = None
    if load_openings(deal.game) is not None:
        opening = drawn_opening(game, board, len(players), options, deal.seed)
    return Match(game, board, header_of(game, options, deal.seed, players, opening=opening))


class DailyResult(msgspec.Struct, frozen=True):
    """The result of a finished daily game."""

    date: str
    game: str
    players: int
    place: int
    score: int
    margin: int
    """Dollars by which the person is ahead of the best other player. Negative if the other player has more."""
    quality: list[str]
    """A mark for each decision of the person: good, fair, mistake or blunder."""
    taken_back: int
    """Number of moves that the person has taken back."""
    is_official: bool
    """Whether this was the first attempt."""

    def lines(self, *, is_unicode: bool) -> list[str]:
        """Return the result as text to share. It reveals nothing about the deal."""
        title = load_game(self.game).title
        extra = [] if self.is_official else ["unofficial"]
        extra += [f"{count_phrase(self.taken_back, 'move')} taken back"] if self.taken_back else []
        signs = SIGNS if is_unicode else PLAIN_SIGNS
        return [
            f"rails-cli daily {self.date}: {title} against {self.players - 1} {LEVEL} bots",
            "; ".join([f"{ordinal(self.place)} of {self.players}, {self._margin()}", *extra]),
            "".join(signs[mark] for mark in self.quality),
        ]

    def _margin(self) -> str:
        if not self.margin:
            return "level with the best of the others"
        return f"{load_face(self.game).score_text(abs(self.margin))} {'ahead' if self.margin > 0 else 'behind'}"


def mark_of(chance_lost: float) -> str:
    """Return the mark of a decision. `chance_lost` is the chance of winning (from 0 to 1) that the decision lost."""
    if chance_lost < FEWEST:
        return "good"
    return "fair" if chance_lost < MISTAKE else "mistake" if chance_lost < BLUNDER else "blunder"


def result_of(
    deal: Deal,
    log: bytes,
    recorded: Recorded,
    workers: int,
    progress: Progress,
    known: Iterable[Judgement] = (),
    *,
    is_official: bool,
) -> DailyResult:
    """Return the result of a finished daily game. `log` is its log, and `recorded` the game that was read from it.

    `progress` is called with the fraction of the analysis that was done since the last call. `is_official` says whether
    this was the first attempt. Decisions with a judgement in `known` are not judged again. Raise CannotJudge if a
    decision cannot be judged.
    """
    assert recorded.result is not None
    scores, ranks = recorded.result.scores, recorded.ranks() or recorded.result.ranks
    study = study_of("", log, recorded, known=known)
    own = [move for move in study.moves if recorded.moments[move.first].by == deal.seat]
    ((_, found),) = analyse([study._replace(moves=own)], LOOKS, workers, progress)
    if isinstance(found, CannotJudge):
        raise found
    infos = [moment.info for moment in recorded.moments if moment.by == deal.seat and isinstance(moment.info, dict)]
    return DailyResult(
        date=deal.day.isoformat(),
        game=deal.game,
        players=len(scores),
        place=ranks[deal.seat],
        score=scores[deal.seat],
        margin=scores[deal.seat] - max(score for seat, score in enumerate(scores) if seat != deal.seat),
        quality=[mark_of(decision.judgement.chance_lost) for decision in found.decisions],
        taken_back=sum(info.get("undone", 0) for info in infos),
        is_official=is_official,
    )
