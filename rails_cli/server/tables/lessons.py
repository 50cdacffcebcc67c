"""Tables with lessons: private games with a fixed seed against bots, in which the rules are explained."""

import msgspec

from rails_cli.games import load_face, load_game, problem_of
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.protocol.lobby import CreateTable
from rails_cli.server.refused import Refused
from rails_cli.study.lessons import OPPONENT, has_lessons


def lesson_request(request: CreateTable) -> CreateTable:
    """Return the settings of the lesson that `request` asks for.

    Raise Refused if the game has no lessons, or if `request` sets more than the game and the number of players. Seat 0
    is for the learner. A lesson has no clock, chat or hints, and moves cannot be taken back.
    """
    problem = problem_of(request.game)
    if problem is not None:
        raise Refused("bad_request", problem)
    title = load_game(request.game).title
    if not has_lessons(request.game):
        raise Refused("bad_request", f"{title} has no lessons")
    plain = CreateTable(request.game, request.players, lesson=True, ref=request.ref)
    if request != plain:
        raise Refused("bad_request", "a lesson has fixed settings; leave out all fields except game and players")
    bots: list[str | None] = [f"{BUILTIN}{OPPONENT}"] * (request.players - 1)
    fixed = {"name": f"Lesson: {title}", "chat": False, "undo": False, "hints": False, "private": True}
    return msgspec.structs.replace(request, seats=[None, *bots], **fixed)


def lesson_seed(game: str) -> int:
    """Return the random seed of all lessons of a game. The bots in the lessons use the same seed."""
    return load_face(game).tutorial.seed
