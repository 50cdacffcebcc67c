"""The cases of the conformance suite, and reports of failures. A case is a check with one setting and one policy."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from rails_cli.conformance.checks import CHECKS, ConformanceCheck
from rails_cli.conformance.settings import Setting, selection_number, settings_of
from rails_cli.conformance.trial import Extras, Nonconformity, Trial
from rails_cli.games import load_players
from rails_cli.games.shared.text import printable
from rails_cli.players.chance import POLICIES
from rails_cli.players.levels import LEVELS

NO_EXTRAS = Extras()


class Failure(msgspec.Struct, frozen=True):
    """A check that failed, and the game in which it failed."""

    check: str
    message: str
    """What was found, and what was expected."""
    setting: str
    """The game, the number of players and the options that differ from their default."""
    policy: str
    seed: int
    actions: int
    """Number of actions played before the check failed."""
    log: str | None = None
    """Path of the log of the game, or None if no log was written."""

    def __str__(self) -> str:
        where = f"{self.setting}, policy {self.policy}, seed {self.seed}, after {self.actions} actions"
        return f"{self.message}\n({where})" + (f"\nlog of the game: {self.log}" if self.log else "")


@dataclass(frozen=True, slots=True)
class Case:
    """A check to be made with one setting of a game and one policy.

    A setting is a player count and options. A policy chooses the moves. `settings` has all settings of the game.
    `seeds` is the number of games that the check plays.
    """

    check: ConformanceCheck
    setting: Setting
    policy: str
    settings: tuple[Setting, ...]
    extras: Extras
    seeds: int

    def __str__(self) -> str:
        what = self.setting.name if self.check.scope in ("settings", "game") else str(self.setting)
        return "-".join([self.check.name, what, *([self.policy] if self.check.scope == "policy" else [])])

    def run(self, write: Callable[[str, bytes], str] | None = None) -> Failure | None:
        """Make the check. Return None if it passes. `write` stores the log of a failed game, and returns its path.

        Raise KeyboardInterrupt with a description of the running game if the user interrupts the check.
        """
        name = self.setting.name
        players = {player: think for player, think in load_players(name).items() if player not in LEVELS}
        players = {**self.extras.policies, **players}
        trial = Trial(self.setting, self.policy, players, self.extras, range(self.seeds), self.settings)
        try:
            for setting in self.settings if self.check.scope == "settings" else (self.setting,):
                trial.setting = setting
                self.check.run(trial)
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # a broken game may raise anything
            message = _message_of(error)
            about = (str(trial.setting), trial.policy, trial.seed, len(trial.actions))
            failure = Failure(self.check.name, message, *about)
            if isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(f"{self.check.name}: {failure}") from error
            log = None if write is None else write(f"{self}.jsonl", trial.log())
            return msgspec.structs.replace(failure, log=log)
        return None


def _message_of(error: BaseException) -> str:
    """Return the message of an exception. Unless a check raised it, add its type and the place where it was raised."""
    try:
        words = str(error)
    except Exception:
        words = ""
    if not isinstance(error, Nonconformity):
        words = f"{type(error).__name__}: {words}".rstrip(": ") + _place_of(error)
    return "\n".join(map(printable, words.split("\n")))


def _place_of(error: BaseException) -> str:
    """Return where an exception was raised, such as " (rules.py, line 20)"."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" ({trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno})"


def policies_of(name: str, more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of the policies for the game `name`: POLICIES, those in `more`, and the game's own players.

    The levels from `easy` to `expert` are left out, because they are slow.
    """
    return (*POLICIES, *more, *(player for player in load_players(name) if player not in LEVELS))


def cases_of(names: Iterable[str], extras: Mapping[str, Extras] | None = None, seeds: int = 1) -> list[Case]:
    """Return the cases of all checks for the games in `names`.

    `extras` maps names of games to their `Extras`. `seeds` is the number of games that each check plays.

    The policies in POLICIES play every setting. If `seeds` is 1, only one of them plays each setting, and options other
    than the default are played with one number of players only. All other policies are slower, and play only every
    third setting.
    """
    cases: list[Case] = []
    for name in names:
        known = (extras or {}).get(name, NO_EXTRAS)
        settings = tuple(settings_of([name], is_short=seeds == 1))
        for check in CHECKS:
            for setting, policy in _played(check, settings, name, known, seeds):
                cases.append(Case(check, setting, policy, settings, known, seeds))
    return cases


def _played(
    check: ConformanceCheck, settings: Iterable[Setting], name: str, extras: Extras, seeds: int
) -> Iterable[Any]:
    """Yield pairs of a setting and a policy. The check is made once with each pair."""
    randoms = tuple(POLICIES)
    for number, setting in enumerate(settings):
        usual = randoms[selection_number(setting) % len(randoms)]
        if check.scope != "policy":
            if check.scope == "setting" or number == 0:
                yield setting, usual
            continue
        for policy in policies_of(name, extras.policies):
            if policy in POLICIES:
                is_played = seeds > 1 or policy == usual
            else:
                is_played = number % 3 == 0
            if is_played:
                yield setting, policy
