"""Branches: games that continue from a position of a log, played by people or bots, and stored next to the log."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rails_cli.basics.files import printable_path, read_file
from rails_cli.commands.seating import is_person
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.reading import BadLog, Log, last_players, last_terms
from rails_cli.logs.resume import resume_point
from rails_cli.match.seat_specs import BUILTIN, PERSON
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
PlayBranch = Callable[..., str]
"""Type of a function that plays a branch: a game that continues from a position of a log."""


class NoPosition(NotSaved):
    """Raised if no seat has to move in the requested position of a log. The text says which positions can be used."""


class BranchPoint(NamedTuple):
    """A position in a log from which a branch can start. `file` and `content` are the path and the content of the whole
    log.
    """

    file: Path
    content: bytes
    log: Log
    """The part of the log before the position."""
    at: int
    """Number of the first action of the branch."""

    @property
    def game(self) -> str:
        return self.log.header.game


def branch_point(file: Path, content: bytes, after: int) -> BranchPoint:
    """Return the position after action `after` of a finished game, counted from the end if negative.

    Raise NoPosition if the log has no such position, or NotSaved if no branch can start from this log.
    """
    try:
        return BranchPoint(file, content, *position(content, after))
    except CannotAsk as error:
        raise NoPosition(f"{printable_path(file)}: {error}") from None
    except (NotOver, BadLog) as error:
        raise NotSaved(f"{printable_path(file)}: {error}") from None


def strong_player(game: str) -> str:
    """Return the default opponent: `builtin:hard`, or `builtin:greedy` if the game has no hard player."""
    return f"{BUILTIN}{STRONG if STRONG in players_of(game) else 'greedy'}"


def usual_person(start: BranchPoint) -> int:
    """Return the index of the seat that the user plays by default."""
    people = [seat for seat, spec in enumerate(last_players(start.log)) if spec in (PERSON, "player")]
    return people[0] if people else resume_point(start.log, None).match.seat or 0


def usual_seats(start: BranchPoint, person: int | None, bots: str | None) -> list[str]:
    """Return the default player of each seat of a branch, such as `builtin:hard`.

    A person plays the seat with the index `person`. If `person` is None, bots play all seats. Other seats get the
    built-in player `bots`. Without `bots`, built-in players of the log keep their seats, and a strong built-in player
    replaces other players.
    """
    strong = f"{BUILTIN}{bots}" if bots else strong_player(start.game)
    seats = [
        spec if bots is None and spec and is_builtin(spec, start.game) else strong for spec in last_players(start.log)
    ]
    if person is not None:
        seats[person] = PERSON
    return seats


def is_builtin(spec: str, game: str) -> bool:
    kind, _, name = spec.partition(":")
    try:
        check_player(name, game)
    except ValueError:
        return False
    return kind == "builtin"


def found_branches(file: Path, content: bytes) -> KeptBranches:
    return branches_in(branch_folders(file, content), content)


def begin_branch(start: BranchPoint, seats: Sequence[str]) -> tuple[Path, str]:
    """Create the log of a branch. Return the path of the log, and a message for the user.

    The message says why the log could not be created next to the original log, and where it is. The message is empty if
    the log is next to the original log. `seats` has the player of each seat, such as `builtin:hard` or `person`. Raise
    NotSaved if the log cannot be created.
    """
    players = [
        PlayerLine(player.name, PERSON if is_person(spec) else spec)
        for player, spec in zip(last_terms(start.log).players, seats, strict=True)
    ]
    for spec in seats:
        if spec.startswith(BUILTIN) and not is_builtin(spec, start.game):
            raise NotSaved(f"{start.game} has no player {spec}")
    lines = beginning(start.content, start.file.name, start.log, start.at, players, None)
    problem = ""
    for folder in branch_folders(start.file, start.content):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = new_file(folder, start.at, _words(players))
            log = LogFile(path)
            log.begin(lines)
            log.close()
        except OSError as error:
            problem = problem or f"cannot write to {printable_path(folder)}: {error.strerror or error}"
            continue
        return path, f"{problem}; the branch is kept in {printable_path(folder)}" if problem else ""
    raise NotSaved(problem)


def _words(players: Sequence[PlayerLine]) -> str:
    """Return the part of a file name that describes the players, such as `seat-2-vs-hard` or `bots-hard`."""
    people = [seat for seat, player in enumerate(players, 1) if player.seat == PERSON]
    kinds = {kind_of(player.seat).replace("@", "-") for player in players if player.seat != PERSON}
    others = "several" if len(kinds) > 1 else "".join(kinds)
    if not people:
        return f"bots-{others}"
    who = "-".join(f"seat-{seat}" for seat in people)
    return f"{who}-vs-{others}" if others else who


def bots_play_on(path: Path, tell: Callable[[int], None]) -> None:
    """Let the built-in players of the branch in the log `path` play to the end of the game.

    Call `tell` with the number of each action. Raise NotSaved if a seat is not played by a built-in player.
    """
    left, saved, seats = resume(path)
    match = left.match
    try:
        sitting: list[Player] = []
        for seat, spec in enumerate(seats):
            name = (spec or "").removeprefix(BUILTIN)
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


def kinds_of(players: Sequence[PlayerLine]) -> list[str]:
    """Return the kind of each player: `person`, the name of a built-in player, or `bot`."""
    return [kind_of(player.seat) for player in players]


def read_branches(kept: KeptBranches) -> tuple[list[tuple[KeptBranch, bytes, Recorded]], list[str]]:
    """Return the valid branches, each with its log and its game. Also return messages about invalid branches."""
    found, problems = [], list(kept.problems)
    for branch in kept.branches:
        path = Path(branch.file)
        try:
            content = read_file(path)
            recorded = read_recorded(content)
            mistake = recorded.mistake
        except (BadLog, OSError) as error:
            mistake = str(getattr(error, "strerror", None) or error)
        if mistake is None:
            found.append((branch, content, recorded))
        else:
            problems.append(f"{printable_path(path)}: {mistake}")
    return found, problems


def compared_all(
    file: Path, recorded: Recorded, kept: KeptBranches, action: int | None
) -> tuple[list[Compared], list[str], int]:
    """Compare the positions after `action` in a game and in its branches.

    If `action` is None, use the last action that all these games reach. Return the compared games, messages about
    branches that cannot be read, and the number of the action.
    """
    branches, problems = read_branches(kept)
    found = [(recorded, name_of(file), printable_path(file), kinds_of(recorded.header.players))]
    found += [
        (played, branch.name, printable_path(Path(branch.file)), kinds_of(branch.players))
        for branch, _, played in branches
    ]
    if action is None:
        action = min((played.last for played, *_ in found if is_public(played)), default=recorded.last)
    return [compared(played, action, called, shown, who) for played, called, shown, who in found], problems, action
