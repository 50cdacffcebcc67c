"""The processes of bots that a worker process has started. One process of a bot plays many games."""

import os
import shlex
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from multiprocessing import util
from pathlib import Path
from typing import Any

from rails_cli.programs.process import BotProcess, close_all
from rails_cli.programs.sandbox.own_files import paths_of_others
from rails_cli.programs.starting import RUN_MARK
from rails_cli.tournament.model import Entrant
from rails_cli.tournament.plan.plan import limits_of
from rails_cli.tournament.results.group_results import NOTES
from rails_cli.tournament.run.conditions import Conditions

MAX_RUNNING_BOTS = 24
"""Maximum number of bots that a worker process keeps running after each seed group (games with one seed)."""
MAX_NOTES_BYTES = 64 << 20
"""Size in bytes of a bot's stderr file above which a new file is started."""


class TournamentBot(BotProcess):
    """The process of an entrant's bot, with the name of the entrant and the `Conditions` of the tournament."""

    def __init__(self, conditions: Conditions, entrant: str, command: Sequence[str], **settings: Any) -> None:
        super().__init__(command, **settings)
        self.conditions = conditions
        self.entrant = entrant


class Bots:
    """The bots started by this process. An entrant with several seats in a game has one bot per seat."""

    def __init__(self) -> None:
        self.seats: OrderedDict[tuple[str, str, int], TournamentBot] = OrderedDict()
        self.notes: dict[str, bytes] = {}
        """Mapping from the name of an entrant to the output of its bot on stderr.

        Used only if the worker cannot write files, and has to return stderr to the runner.
        """
        self.process = 0
        self.asked: set[str] = set()
        """Names of the entrants whose bots have been asked for an action. Other running bots may still be starting."""
        self.are_over = False
        """Whether this process and its bots are about to end. If so, nothing is stored any more."""

    def take(self, conditions: Conditions, entrant: Entrant, place: int) -> BotProcess:
        if self.process != os.getpid():
            self.process = os.getpid()
            util.Finalize(None, self.close, exitpriority=100)  # also runs in worker processes, where atexit does not
        key = (conditions.mark, entrant.name, place)
        if key not in self.seats:
            self.seats[key] = TournamentBot(
                conditions,
                entrant.name,
                shlex.split(entrant.spec),
                stderr=BytesIO() if conditions.plan.logs else None,
                limits=limits_of(entrant),
                environment={**entrant.environment, RUN_MARK: conditions.mark},
                folder=entrant.folder or None,
                hides=_hidden_from(entrant, conditions),
                cpu_clock=conditions.plan.cpu_clock,
                freeze=entrant.freeze,
            )
        self.seats.move_to_end(key)
        return self.seats[key]

    def running(self) -> list[str]:
        """Return the names of the entrants whose bots have a running process."""
        return [name for (_, name, _), bot in self.seats.items() if bot.process is not None]

    def close_unused(self) -> None:
        """Close the least recently used bots until at most `MAX_RUNNING_BOTS` are left."""
        while len(self.seats) > MAX_RUNNING_BOTS:
            _, seat = self.seats.popitem(last=False)
            seat.close()
            self.keep(seat)

    def close(self) -> None:
        close_all(list(self.seats.values()))
        for seat in self.seats.values():
            self.keep(seat)
        self.seats.clear()

    def keep(self, bot: BotProcess) -> None:
        """Store what `bot` has written to stderr since the last call."""
        notes = bot.notes.file
        if not isinstance(bot, TournamentBot) or not isinstance(notes, BytesIO) or not notes.tell():
            return
        words = bot.notes.take()
        if bot.conditions.has_folder:
            add_notes(bot.conditions.plan.folder, bot.entrant, words)
        else:
            self.notes[bot.entrant] = self.notes.get(bot.entrant, b"") + words

    def sent_notes(self) -> dict[str, bytes]:
        """Return `notes`, a mapping from the name of an entrant to the stderr of its bot.

        Then set `notes` to an empty dict.
        """
        found, self.notes = self.notes, {}
        return found

    def end(self) -> None:
        """Kill all bots immediately, and store what they have written to stderr."""
        for seat in list(self.seats.values()):
            seat.end()
            self.keep(seat)


BOTS = Bots()


def add_notes(folder: Path, entrant: str, words: bytes) -> None:
    """Append `words` to the stderr file of an entrant. `folder` is the results folder.

    If the file is too large, first rename it, with `.old` at the end of its name.
    """
    file = folder / NOTES / f"{entrant}.txt"
    with suppress(OSError):  # a full disk does not end the game
        if file.exists() and file.stat().st_size > MAX_NOTES_BYTES:
            file.replace(file.with_name(f"{file.name}.old"))
        with open(file, "ab", buffering=0) as notes:
            notes.write(words)


def _hidden_from(entrant: Entrant, conditions: Conditions) -> list[Path]:
    """Return the paths that the bot of `entrant` cannot read in a sandbox.

    The paths are the results, the signing key, plans with their seeds, and the files of other entrants.
    """
    plan = conditions.plan
    bots = [(shlex.split(one.spec), one.folder or os.curdir) for one in plan.entrants if one.is_program]
    others = map(Path, paths_of_others((shlex.split(entrant.spec), entrant.folder or os.curdir), bots))
    key = [] if conditions.key_file is None else [Path(conditions.key_file)]
    return [plan.folder, *key, *Path(plan.base).glob("*.toml"), *others]
