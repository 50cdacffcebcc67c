"""Branches: games continued from a position of a log, by a person or by bots only, and stored next to the log."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rails_cli.basics.files import printable_path, read_file
from rails_cli.commands.seating import PERSON, is_person
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.reading import BadLog, Log, last_players, last_terms
from rails_cli.logs.resume import resume_point
from rails_cli.match.session import MatchPolicy, Player
from rails_cli.players.builtin import builtin_player, check_player, players_of, restore_plan
from rails_cli.protocol.log import PlayerLine
from rails_cli.referee.single import Referee
from rails_cli.study.analysis.comparing import Compared, compared, is_public
from rails_cli.study.asking import CannotAsk
from rails_cli.study.branches import (
    KeptBranch,
    KeptBranches,
    NotOver,
    beginning,
    branches_in,
    name_of,
    new_file,
    position,
)
from rails_cli.study.playback.recorded import Recorded, read_recorded
from rails_cli.terminal.kept_games import kind_of
from rails_cli.terminal.saving import NotSaved, branch_folders, resume

STRONG = "hard"


class BranchPoint(NamedTuple):
    """A position from which a game can be continued: the log up to it, and the number of the next action."""

    file: Path
    content: bytes
    log: Log
    at: int

    @property
    def game(self) -> str:
        return self.log.header.game


def place_in(file: Path, content: bytes, at: int) -> BranchPoint:
    """Return the position before action `at` of a finished game. Raise NotSaved with the reason if there is none."""
    try:
        return BranchPoint(file, content, *position(content, at))
    except (NotOver, CannotAsk, BadLog) as error:
        raise NotSaved(f"{printable_path(file)}: {error}") from None


def strong_player(game: str) -> str:
    """Return the spec for a seat for which nothing else is given."""
    return f"builtin:{STRONG if STRONG in players_of(game) else 'greedy'}"


def usual_person(place: BranchPoint) -> int:
    """Return the seat for the person: one that a person played before, otherwise the seat to move."""
    people = [seat for seat, spec in enumerate(last_players(place.log)) if spec in (PERSON, "player")]
    return people[0] if people else resume_point(place.log, None).match.seat or 0


def usual_seats(place: BranchPoint, person: int | None, bots: str | None = None) -> list[str]:
    """Return the spec of each seat: the person, if any, and bots. Default bots are the built-in players of the log."""
    strong = f"builtin:{bots}" if bots else strong_player(place.game)
    seats = [
        spec if bots is None and spec and is_builtin(spec, place.game) else strong for spec in last_players(place.log)
    ]
    if person is not None:
        seats[person] = PERSON
    return seats


def is_builtin(spec: str, game: str) -> bool:
    """Return whether `spec` is a built-in player available for the game."""
    kind, _, name = spec.partition(":")
    try:
        check_player(name, game)
    except ValueError:
        return False
    return kind == "builtin"


def found_branches(file: Path, content: bytes) -> KeptBranches:
    return branches_in(branch_folders(file, content), content)


def begin_branch(place: BranchPoint, seats: Sequence[str]) -> tuple[Path, str]:
    """Create a branch without playing it. Return its path and a message about its place. Raise NotSaved."""
    players = [
        PlayerLine(player.name, PERSON if is_person(spec) else spec)
        for player, spec in zip(last_terms(place.log).players, seats, strict=True)
    ]
    for spec in seats:
        if spec.startswith("builtin:") and not is_builtin(spec, place.game):
            raise NotSaved(f"{place.game} has no player {spec}")
    lines = beginning(place.content, place.file.name, place.log, place.at, players, None)
    problem = ""
    for folder in branch_folders(place.file, place.content):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = new_file(folder, place.at, _words(players))
            log = LogFile(path)
            log.begin(lines)
            log.close()
        except OSError as error:
            problem = problem or f"cannot write to {printable_path(folder)}: {error.strerror or error}"
            continue
        return path, f"{problem}; the branch is kept in {printable_path(folder)}" if problem else ""
    raise NotSaved(problem)


def _words(players: Sequence[PlayerLine]) -> str:
    """Describe the players for a file name: `seat-2-vs-hard` or `bots-hard`."""
    people = [seat for seat, player in enumerate(players, 1) if player.seat == PERSON]
    kinds = {kind_of(player.seat).replace("@", "-") for player in players if player.seat != PERSON}
    others = "several" if len(kinds) > 1 else "".join(kinds)
    if not people:
        return f"bots-{others}"
    who = "-".join(f"seat-{seat}" for seat in people)
    return f"{who}-vs-{others}" if others else who


def bots_play_on(path: Path, tell: Callable[[int], None]) -> None:
    """Let bots play a branch to its end. `tell` is called with the number of each action. Raise NotSaved."""
    left, saved, seats = resume(path)
    match = left.match
    try:
        sitting: list[Player] = []
        for seat, spec in enumerate(seats):
            name = (spec or "").removeprefix("builtin:")
            check_player(name, match.game.name)
            sitting.append(builtin_player(name, match.game.name, match.header.seed or 0, seat))
        restore_plan(sitting, left)

        def write(line: Any) -> None:
            saved.write(line)
            tell(match.number)

        Referee(match, sitting, MatchPolicy(None), write=write, left=left).play()
    except ValueError as error:
        raise NotSaved(f"{printable_path(path)}: {error}") from None
    finally:
        saved.close()


def is_for_bots(branch: KeptBranch) -> bool:
    return all((player.seat or "").startswith("builtin:") for player in branch.players)


def kinds_of(branch: KeptBranch) -> list[str]:
    """Return what plays each seat of a branch."""
    return [kind_of(player.seat) for player in branch.players]


def compared_all(
    file: Path, recorded: Recorded, kept: KeptBranches, action: int | None
) -> tuple[list[Compared], list[str], int]:
    """Return the game and its branches after `action` (default: the last one that all reach), problems, and that
    action."""
    kinds = [kind_of(player.seat) for player in recorded.header.players]
    found, problems = [(recorded, name_of(file), printable_path(file), kinds)], list(kept.problems)
    for branch in kept.branches:
        path = Path(branch.file)
        try:
            played = read_recorded(read_file(path, must_be_regular=True))
            if played.mistake is not None:
                problems.append(f"{printable_path(path)}: {played.mistake}")
            else:
                found.append((played, branch.name, printable_path(path), kinds_of(branch)))
        except BadLog as bad:
            problems.append(f"{printable_path(path)}: {bad}")
        except OSError as error:
            problems.append(f"{printable_path(path)}: {error.strerror or error}")
    if action is None:
        action = min((played.last for played, *_ in found if is_public(played)), default=recorded.last)
    return [compared(played, action, called, shown, who) for played, called, shown, who in found], problems, action
