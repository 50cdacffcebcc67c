"""Judgements of single actions of a displayed game, whose log may still be growing."""

from rails_cli.games.game import ALL_SEATS
from rails_cli.study.analysis.judging import LOOKS, Judgement, Move, judge, moves_of
from rails_cli.study.analysis.telling import MoveDescriber
from rails_cli.study.playback.recorded import Recorded


class StepJudge:
    """Function object that says in sentences how good single actions of a game were. It caches the sentences."""

    def __init__(self, looks: int = LOOKS, you: int | None = None) -> None:
        """Judge actions with `looks` search iterations. Sentences address the player in seat `you` as "you"."""
        self.looks = looks
        self.you = you
        self._recorded: Recorded | None = None
        self._moves: list[Move] = []
        self._judged: dict[Move, Judgement] = {}

    def __call__(self, recorded: Recorded, number: int, observer: int) -> list[str]:
        """Return sentences that judge action `number`, without anything that is hidden from the seat `observer`."""
        if self._recorded is not recorded:
            self._recorded, self._moves, self._judged = recorded, moves_of(recorded), {}
        move = next((move for move in self._moves if move.first <= number <= move.last), None)
        if recorded.moments[number].is_default:
            return ["The default was played for the seat: nobody decided this."]
        if move is None:
            return ["Nothing was decided here."]
        if recorded.game.has_secrets and observer not in (ALL_SEATS, recorded.moments[number].by):
            return ["What this was worth depends on a hand that this seat does not see."]
        if move not in self._judged:
            self._judged[move] = judge(recorded, move, self.looks)
        return MoveDescriber(recorded, self.you).verdict(self._judged[move])
