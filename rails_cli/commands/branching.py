"""Interactive replay of a log.

The user can also play, open and compare branches: games that continue from positions of the log.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from rails_cli.basics.files import printable_path, read_file
from rails_cli.commands import output_width, printable_lines
from rails_cli.commands.analyse import analysed
from rails_cli.commands.logs import own_seat
from rails_cli.commands.questions import opponents
from rails_cli.commands.what_if import (
    PlayBranch,
    begin_branch,
    bots_play_on,
    branch_point,
    compared_all,
    found_branches,
    kinds_of,
    strong_player,
    usual_person,
    usual_seats,
)
from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.phrases import listed
from rails_cli.games.shared.text import printable, wrap
from rails_cli.logs.reading import BadLog, last_players, read_log
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.study.analysis.comparing import WIDTH, table
from rails_cli.study.analysis.judging import LOOKS
from rails_cli.study.branches import KeptBranch, KeptBranches, NoParent, name_of, parent_of
from rails_cli.study.playback.cursor import Cursor
from rails_cli.study.playback.recorded import Recorded, read_recorded
from rails_cli.terminal.full_screen import full_screen
from rails_cli.terminal.kept_games import kind_of
from rails_cli.terminal.keyboard import LEAVE
from rails_cli.terminal.menu import Item, Menu, MenuLeft, choose
from rails_cli.terminal.saving import NotSaved
from rails_cli.terminal.screen import ASIDES, Curve, Judge, Screen, watch

SHORT = 76
"""Maximum number of characters of a message that is shown in one line."""


@dataclass
class OpenGame:
    """A logged game that the user has opened in the replay, and its branches."""

    file: Path
    content: bytes
    screen: Screen
    kept: KeptBranches

    def reload_branches(self) -> None:
        self.kept = found_branches(self.file, self.content)
        self.screen.branches = [branch.number - 1 for branch in self.kept.branches]


class BranchBrowser:
    """The interactive replay of a log and its branches. `games` begins with the game of the log.

    Each further element of `games` is a branch of the game before it. The last element is shown.
    """

    def __init__(
        self,
        file: Path,
        recorded: Recorded,
        cursor: Cursor,
        observer: int,
        judge: Judge | None,
        play_branch: PlayBranch,
    ) -> None:
        """Prepare the replay of the log `file`, as the seat `observer` sees the game. It starts at the position of
        `cursor`.

        `judge` returns sentences about an action, or is None. `play_branch` lets the user continue a branch.
        """
        self.observer = observer
        self.play_branch = play_branch
        self.judge = judge
        self.keys = -1
        self.games: list[OpenGame] = []
        self._open(file, recorded, cursor)

    @property
    def game(self) -> OpenGame:
        return self.games[-1]

    def show(self, keys: int) -> None:
        """Run the replay until the user leaves. `keys` is the file descriptor of the keyboard."""
        self.keys = keys
        actions = {"f": self.play_on, "b": self.branches, "c": self.compare, "u": self.up}
        actions |= {"t": self.analyse, "T": self.analyse}
        with suppress(MenuLeft):
            while self.games:
                key = watch(self.game.screen, keys)
                if key in LEAVE:
                    return
                if key not in actions:
                    self.games.pop()
                    continue
                try:
                    actions[key]()
                except (NotSaved, NoParent, BadLog) as problem:
                    self.tell(str(problem))
                except click.ClickException as problem:
                    self.tell(printable_lines(problem.format_message()))
                except OSError as error:
                    self.tell(f"{printable_path(self.game.file)}: {error.strerror or error}")
                except KeyboardInterrupt:
                    self.game.screen.said = "stopped"
                finally:
                    for game in self.games:
                        game.reload_branches()

    def _open(self, file: Path, recorded: Recorded, cursor: Cursor) -> None:
        screen = Screen(
            cursor, self.observer, judge=self.judge, asides=ASIDES if self.judge is not None else ASIDES[:4]
        )
        if recorded.header.branch is not None:
            screen.branch = f"branch {name_of(file)}"
        content = read_file(file)
        self.games.append(OpenGame(file, content, screen, KeptBranches([], [])))
        self.game.reload_branches()

    def ask(self, title: str, items: list[Item], lines: list[str] | None = None, at: int = 0) -> int | None:
        return choose(Menu(title, items, lines or [], at), is_window=True)

    def tell(self, words: str) -> None:
        """Show a message below the board, or on a separate page if the message is long."""
        if len(words) <= SHORT:
            self.game.screen.said = words
        else:
            self.ask("Please note", [], ["", *wrap(words, SHORT)])

    # Continuing from a position

    def play_on(self) -> None:
        """Ask the user which seat to play, or whether bots play all seats. Play a branch from the current position."""
        game, recorded = self.game, self.game.screen.recorded
        place = branch_point(game.file, game.content, game.screen.cursor.at)
        moment = recorded.moments[place.at - 1]
        before = [kind_of(spec) for spec in last_players(place.log)]
        strong = strong_player(place.game).removeprefix(BUILTIN)
        bots: str | None = None
        at = usual_person(place)
        while True:
            others = [kind_of(spec) for spec in usual_seats(place, None, bots)]
            items = [
                Item(f"Seat {seat + 1}, {name} (was {before[seat]}{', to move' if moment.to_move == seat else ''})")
                for seat, name in enumerate(recorded.names)
            ]
            items += [
                Item(f"None: let {bots or strong} play all seats, and see what happens", "b", "Or"),
                Item("Choose who plays the other seats", "o", "Or"),
            ]
            lines = [_opponents_sentence(recorded.names, others), "", "Which seat is yours?"]
            chosen = self.ask(f"Play on after action {place.at - 1}", items, lines, at)
            if chosen is None:
                return
            if chosen <= len(recorded.names):
                break
            bots = self._choose_bots(place.game) or bots
        if chosen < len(recorded.names):
            path, note = begin_branch(place, usual_seats(place, chosen, bots))
            self._play(path, is_new=True)
            self.tell(note)
        else:
            path, note = begin_branch(place, usual_seats(place, None, bots or strong))
            self._finish_with_bots(path, place.at - 1)
            self.tell(note or f"bots ({bots or strong}) have finished the game; step through it, q goes back")

    def _choose_bots(self, game: str) -> str | None:
        known = opponents(game)
        chosen = self.ask("Who plays the other seats?", [Item(f"{name}: {words}") for name, words in known])
        return None if chosen is None else known[chosen][0]

    def _play(self, path: Path, *, is_new: bool = False) -> None:
        with suppress(SystemExit):  # on Ctrl-C the game is saved and the replay continues
            self.play_branch(path, is_new=is_new, is_fast=False)

    def _finish_with_bots(self, path: Path, step: int) -> None:
        """Let bots play the branch in the log `path` to its end. Then show its position after action `step`."""

        def tell(number: int) -> None:
            click.echo(f"\rThe bots play on (Ctrl-C stops them): action {number}", nl=False)

        try:
            bots_play_on(path, tell)
        finally:
            click.echo()
        self._see(path, step)

    # Branches

    def branches(self) -> None:
        """Ask the user to choose a branch of the shown game. Open a finished branch, or resume an unfinished branch."""
        game = self.game
        kept, here = game.kept, game.kept.at(game.screen.cursor.at)
        lines = [f"Not shown: {problem}" for problem in kept.problems]
        if not kept.branches:
            lines.append("None yet. Press f in the replay to play on from an action.")
            self.ask("Branches of this game", [], lines)
            return
        items = [Item(described(branch, game.screen.recorded.face)) for branch in kept.branches]
        at = kept.branches.index(here[0]) if here else 0
        chosen = self.ask("Branches of this game", items, lines, at)
        if chosen is None:
            return
        branch = kept.branches[chosen]
        path = Path(branch.file)
        if branch.scores is not None:
            self._see(path, branch.number - 1)
        elif all((player.seat or "").startswith(BUILTIN) for player in branch.players):
            self._finish_with_bots(path, branch.number - 1)
        else:
            self._play(path)

    def _see(self, path: Path, step: int) -> None:
        recorded = read_recorded(read_file(path))
        if recorded.mistake is not None:
            raise NotSaved(f"{printable_path(path)}: {recorded.mistake}")
        self._open(path, recorded, Cursor(recorded, speed=self.game.screen.cursor.speed, at=step))

    def up(self) -> None:
        """Close the shown branch, and show its original game at the action before the branch begins."""
        game = self.game
        branch = game.screen.recorded.header.branch
        if len(self.games) == 1:
            parent = parent_of(game.file, read_log(game.content))
            self._see(parent, 0)
            self.games.reverse()
        self.games.pop()
        if branch is not None:
            self.game.screen.cursor.jump(branch.number - 1)

    def compare(self) -> None:
        """Show a table that compares a game with all its branches.

        If the shown game is a branch, use its original game.
        """
        game = self.games[-2] if len(self.games) > 1 else self.game
        step = self.game.screen.cursor.at
        games, problems, _ = compared_all(game.file, game.screen.recorded, game.kept, step)
        width = min(output_width(), WIDTH)
        lines = (
            table(games, game.screen.recorded.names, width)
            if len(games) > 1
            else ["There is no branch to compare with."]
        )
        self.ask("Side by side", [], [*(f"Not shown: {problem}" for problem in problems), *lines])

    # The whole game

    def analyse(self) -> None:
        """Analyse all decisions, and show the first turning point. The keys q, escape and Ctrl-C stop the analysis."""
        game, done = self.game, 0.0
        screen = game.screen
        with full_screen(self.keys) as terminal:

            def progress(part: float) -> None:
                nonlocal done
                done += part
                screen.said = f"Analysing decisions: {done:.0%} (q: stop)"
                terminal.draw(screen.frame)
                if any(key in (*LEAVE, "q", "Q", "escape") for key in terminal.keys(0)):
                    raise KeyboardInterrupt

            progress(0)
            you = own_seat(game.file, screen.recorded)
            found = analysed(printable_path(game.file), game.content, screen.recorded, LOOKS, None, progress, you)
        screen.curve = Curve(found.curve, [(moment.first, moment.words) for moment in found.moments])
        screen.press("t", 0.0)


def _opponents_sentence(names: Sequence[str], kinds: Sequence[str]) -> str:
    """Return a sentence about the opponents of the user, which are built-in players.

    `names` are their names in the game. `kinds` are the kinds of these players, such as `hard`.
    """
    if len(set(kinds)) == 1:
        return f"{kinds[0].capitalize()} bots play the other seats."
    who = listed([f"{name} ({kind})" for name, kind in zip(names, kinds, strict=True)])
    return f"Bots play the other seats: {who}."


def described(branch: KeptBranch, face: Face) -> str:
    how = f"not over, {branch.actions} actions"
    if branch.scores is not None and branch.ranks is not None:
        seats = sorted(range(len(branch.scores)), key=branch.ranks.__getitem__)
        how = ", ".join(f"{branch.players[seat].name} {face.score_text(branch.scores[seat])}" for seat in seats)
    return printable(f"After action {branch.number - 1}: {', '.join(kinds_of(branch.players))}; {how} ({branch.name})")
