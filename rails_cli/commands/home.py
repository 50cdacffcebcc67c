"""`rails-cli home`: Your games: resume, learn, play, watch, past games, statistics."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path

import click

from rails_cli import __version__
from rails_cli.basics.files import printable_path
from rails_cli.commands import is_at_terminal, leave_on_signals, printable_lines, reported, terminal_width
from rails_cli.commands.log_names import NEW_NAME
from rails_cli.commands.parameters import server_link
from rails_cli.commands.questions import DEFAULT_PLAYERS, PlayCancelled, ask_line, opponents
from rails_cli.games import load_face, load_game, whole_games
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.players.builtin import usual_level
from rails_cli.terminal.kept_games import KeptGame, KeptGames, described_with_name, kept_games, record_lines, records
from rails_cli.terminal.keyboard import Keyboard
from rails_cli.terminal.menu import LOOK_AGAIN_S, Item, Menu, MenuLeft, choose
from rails_cli.terminal.saving import NotSaved, delete_saved, games_folder, rename_saved

NEWEST = 3
"""Maximum number of saved games on the first screen."""
GO_ON = "Continue"
NEW = "New"
OVER = "Finished"
SERVER = "ws://127.0.0.1:8765"


Entry = tuple[Item, Callable[[], None]]
"""A menu item, and the function that is called if the user chooses the item."""


@click.command
def command() -> None:
    """Your games: resume, learn, play or watch a game, and see past games and statistics.

    The same as `rails-cli` without a command at a terminal. Choose with the arrow keys and enter, with numbers or with
    letters. The key q goes back, and on the first screen it ends the program. With TERM=dumb it is a numbered list.
    Games are kept in the folder `rails-cli/games` of $XDG_STATE_HOME (~/.local/state) until you delete them.

    \b
    Examples:
      rails-cli
      rails-cli home
    """
    if not is_at_terminal():
        raise click.UsageError("the home screen is for a terminal; `rails-cli games --saved --json` lists your games")
    leave_on_signals()
    Home().show()


class Home:
    """The home screen and the menus that it opens."""

    def __init__(self) -> None:
        self.is_window = os.environ.get("TERM", "dumb") != "dumb"
        self.address = SERVER
        self.said = ""
        """Message of the last error, shown on the next screen. Empty if there was no error."""

    def show(self) -> None:
        try:
            while True:
                entries, lines = self._first(kept_games(games_folder()))
                chosen = self.ask(f"rails-cli {__version__}", [item for item, _ in entries], lines, back="leave")
                if chosen is None:
                    return
                self.do(entries[chosen][1])
        except (MenuLeft, KeyboardInterrupt):
            return

    def ask(
        self,
        title: str,
        items: Sequence[Item],
        lines: Sequence[str] = (),
        *,
        at: int = 0,
        back: str = "back",
        first: int = 1,
    ) -> int | None:
        """Show a menu. Return the index of the chosen item, or None if the user goes back.

        `lines` are shown above the items. `at` is the index of the preselected item, `back` describes the key q, and
        `first` is the number of the first item.
        """
        message, self.said = self.said, ""
        lines = [*([f"! {message}", ""] if message else []), *lines]
        return choose(Menu(title, items, lines, at=at, back=back, first=first), is_window=self.is_window)

    def do(self, what: Callable[[], None]) -> None:
        """Call `what`, the function of the chosen menu item. Keep the message of an error for the next screen."""
        try:
            what()
        except click.exceptions.Abort:
            raise MenuLeft from None
        except click.ClickException as error:
            self.said = printable_lines(error.format_message())
        except PlayCancelled:
            return

    def run(self, name: str, *words: str) -> None:
        found = import_module(f"rails_cli.commands.{name}").command
        found.main([*words], prog_name=f"rails-cli {name}", standalone_mode=False)

    # The first screen

    def _first(self, kept: KeptGames) -> tuple[list[Entry], list[str]]:
        saved, over = kept.unfinished, kept.over
        entries: list[Entry] = [
            (Item(described_with_name(game), "", GO_ON), partial(self.run, "play", "--resume", game.file))
            for game in saved[:NEWEST]
        ]
        if saved:
            words = f"Saved games ({len(saved)}): continue, rename or delete"
            entries.append((Item(words, "a", GO_ON), partial(self.kept, "Saved games", lambda kept: kept.unfinished)))
        entries += [
            (Item("Learn a game: each rule when it first matters", "l", NEW), self.learn),
            (Item("Play a game against bots", "p", NEW), self.play),
            (Item("Watch bots play, or a table of a server", "w", NEW), self.watch),
            (Item("Play the deal of the day, the same for everyone", "d", NEW), self.daily),
        ]
        if over:
            entries += [
                (
                    Item(f"Past games ({len(over)})", "g", OVER),
                    partial(self.kept, "Past games", lambda kept: kept.over),
                ),
                (Item("Statistics", "s", OVER), partial(self.statistics, kept)),
            ]
        lines = [] if saved or over else ["New here? Learn a game first: it is a real one, explained as you play."]
        if kept.problems:
            lines.append(
                f"{count_phrase(len(kept.problems), 'saved file')} cannot be read; `rails-cli games --saved` shows why."
            )
        return entries, lines

    # New games

    def game(self, title: str, *more: Item) -> str | int | None:
        """Ask the user to choose a game, or one of the items `more`, which are shown below the games.

        Return the name of the game, the index of the item in `more`, or None if the user goes back.
        """
        names = sorted(whole_games(), key=lambda name: load_face(name).difficulty)
        items = [Item(f"{load_game(name).title}: {load_face(name).about}") for name in names]
        chosen = self.ask(title, [*items, *more])
        if chosen is None:
            return None
        return names[chosen] if chosen < len(names) else chosen - len(names)

    def level(self, game: str, title: str, usual: str) -> str | None:
        known = opponents(game)
        names = [name for name, _ in known]
        at = names.index(usual) if usual in names else 0
        chosen = self.ask(title, [Item(f"{name}: {words}") for name, words in known], at=at)
        return None if chosen is None else names[chosen]

    def players(self, game: str) -> int | None:
        numbers = list(load_game(game).players)
        at = numbers.index(DEFAULT_PLAYERS) if DEFAULT_PLAYERS in numbers else 0
        items = [Item("players") for _ in numbers]
        chosen = self.ask("How many players, with you?", items, at=at, first=numbers[0])
        return None if chosen is None else numbers[chosen]

    def learn(self) -> None:
        game = self.game("Which game do you want to learn?")
        if isinstance(game, str):
            self.run("learn", game)

    def play(self) -> None:
        other = Item("Several people, names, options of the rules: questions one by one", "o")
        game = self.game("Which game?", other)
        if isinstance(game, int):
            self.run("play")
        if not isinstance(game, str):
            return
        players = self.players(game)
        if players is None:
            return
        is_new = not any(one.game == game and not one.is_lesson for one in kept_games(games_folder()).over)
        level = self.level(game, "Who plays against you?", "easy" if is_new else usual_level(game))
        if level is not None:
            self.run("play", game, "--players", str(players), "--bots", level)

    def daily(self) -> None:
        with suppress(SystemExit):  # the game is saved, or the command has printed the error
            self.run("daily")
        self._wait_for_key()

    def watch(self) -> None:
        chosen = self.ask("Watch", [Item("A game of bots", "b"), Item("A table of a server", "t")])
        if chosen == 0:
            game = self.game("Which game?")
            level = self.level(game, "Who plays?", "hard") if isinstance(game, str) else None
            if level is not None:
                self.run("watch", str(game), "--players", "3", "--bots", level)
        elif chosen == 1:
            self._watch_table()

    def _watch_table(self) -> None:
        from rails_cli.commands.visiting import tables_at

        self.address = server_link(ask_line("Address of the server", self.address)).url
        tables = tables_at(self.address, None)
        chosen = self.ask(f"Tables at {self.address}", [Item(f"{name}  {words}") for name, words in tables])
        if chosen is not None:
            self.run("watch", "--server", self.address, "--table", tables[chosen][0])

    # Saved games

    def kept(self, title: str, listed: Callable[[KeptGames], list[KeptGame]]) -> None:
        """Show a menu of saved games until the user leaves it. `listed` selects the games of the menu."""
        at: int | None = 0
        while at is not None and (games := listed(kept_games(games_folder()))):
            at = self.ask(title, [Item(described_with_name(game)) for game in games], at=min(at, len(games) - 1))
            if at is not None:
                self.do(partial(self._one, games[at]))

    def _one(self, game: KeptGame) -> None:
        """Show a menu of what can be done with a saved game."""
        if game.is_over:
            entries: list[Entry] = [
                (Item("Step through it", "r"), partial(self.run, "replay", game.file)),
                (Item("What decided it (takes a while)", "d"), partial(self._analyse, game)),
            ]
        else:
            entries = [(Item("Continue it", "c"), partial(self.run, "play", "--resume", game.file))]
        entries += [
            (Item("Rename it", "n"), partial(self._rename, game)),
            (Item("Delete it", "x"), partial(self._delete, game)),
        ]
        chosen = self.ask(
            described_with_name(game),
            [item for item, _ in entries],
            ["", printable_path(Path(game.file)).replace(f"{Path.home()}/", "~/", 1), ""],
        )
        if chosen is not None:
            entries[chosen][1]()

    def _analyse(self, game: KeptGame) -> None:
        with suppress(SystemExit):  # the command has printed the error
            self.run("analyse", game.file)
        self._wait_for_key()

    def _rename(self, game: KeptGame) -> None:
        name = NEW_NAME.convert(ask_line("New name", game.id), None, None)
        if name != game.id:
            with reported(NotSaved):
                rename_saved(Path(game.file), name)

    def _delete(self, game: KeptGame) -> None:
        if self.ask("Delete this game?", [Item("Keep it", "k"), Item("Delete it", "x")]) == 1:
            with reported(NotSaved):
                delete_saved(Path(game.file))

    def _wait_for_key(self) -> None:
        with Keyboard(sys.stdin.fileno()) as keyboard:  # a key pressed at once counts too
            click.echo("Press a key to go back.")
            while not keyboard.keys(LOOK_AGAIN_S):
                pass

    def statistics(self, kept: KeptGames) -> None:
        self.ask("Statistics", [], ["", *record_lines(records(kept.games), terminal_width())])
