"""The plan of a tournament as it is played and kept: who takes part in what, and what makes it another tournament."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import msgspec

from rails_cli.tournament.formats import AnyFormat
from rails_cli.tournament.league import Stay
from rails_cli.tournament.model import Entrant, FaultPolicy, Setting
from rails_cli.tournament.sequential import Rule

FORMATS: dict[str, type[Any]] = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyFormat)}
ROUNDS_TO_COME = 1_000_000  # where a stopping rule ends a format that plays round after round


class TournamentPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament that can be played."""

    name: str
    seed: int = 0
    clock: str = "10/move"
    cpu_clock: bool = False
    start_up_s: float = 20.0
    max_faults: int = 3
    on_faults: FaultPolicy = "substitute"
    workers: int | None = None
    anchor: str | None = None
    logs: bool = True
    economy: bool = True
    output: str
    """Seen from `base`."""
    format: dict[str, Any]
    """Its `kind` and what was said about it."""
    settings: tuple[Setting, ...]
    entrants: tuple[Entrant, ...]
    stop: tuple[Rule, ...] = ()
    boards: dict[str, str] = {}
    """The files of boards that are not standard, by digest."""
    digests: dict[str, str] = {}
    """Of the files that the commands of entrants name; empty if they are trusted to stay the same."""
    base: str
    """The folder from which the paths of the plan are seen."""

    @property
    def folder(self) -> Path:
        """Where the results are kept."""
        return Path(self.base, self.output)

    @property
    def kind(self) -> str:
        return str(self.format["kind"])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entrant.name for entrant in self.entrants)


def make_format(
    plan: TournamentPlan, entrants: tuple[str, ...] | None = None, stays: tuple[Stay, ...] = ()
) -> AnyFormat:
    """Who plays whom; a league may have other entrants than those of the plan. Raises ValueError."""
    kind = FORMATS[plan.kind]
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    given = {name: msgspec.convert(value, fields[name].type) for name, value in plan.format.items() if name != "kind"}
    if plan.stop and "rounds" in fields and not fields["rounds"].required:
        given.setdefault("rounds", ROUNDS_TO_COME)
    if stays:
        given["stays"] = stays
    made: AnyFormat = kind(entrants=entrants or plan.names, settings=plan.settings, seed=plan.seed, **given)
    return made


def differences(old: TournamentPlan, new: TournamentPlan) -> list[str]:
    """What would make the new plan another tournament than the old one.

    The name, workers, logs, the anchor, the stopping rule, the time to start up and the number of rounds may change;
    the entrants of a league may come and go.
    """
    found = []
    for name in ("seed", "clock", "cpu_clock", "max_faults", "on_faults"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            found.append(f"{name} was {said(before)} and is {said(after)}")
    for name in sorted(({*old.format} | {*new.format}) - {"rounds"}):
        before, after = old.format.get(name), new.format.get(name)
        if before != after:
            found.append(f"format.{name} was {said(before)} and is {said(after)}")
    if old.settings != new.settings:
        was, now = (listed(map(in_words, plan.settings)) for plan in (old, new))
        found.append(f"games were {was} and are {now}")
    before_by_name = {entrant.name: entrant for entrant in old.entrants}
    for entrant in new.entrants:
        before = before_by_name.get(entrant.name)
        if before is not None and before != entrant:
            fields = [name for name in entrant.__struct_fields__ if getattr(entrant, name) != getattr(before, name)]
            was, now = (listed(getattr(one, name) for name in fields) for one in (before, entrant))
            found.append(f"entrant {entrant.name}: {listed(fields)} was {was} and is {now}")
            continue
        digests = [plan.digests[entrant.name] for plan in (old, new) if entrant.name in plan.digests]
        if len(set(digests)) > 1:
            found.append(
                f"entrant {entrant.name}: its files have changed; a new version needs another name "
                "(or trust_bots = true, if it plays as before)"
            )
    if new.kind != "league" and old.names != new.names:
        came, went = set(new.names) - set(old.names), set(old.names) - set(new.names)
        for names, verb in ((came, "came"), (went, "went")):
            if names:
                found.append(f"{listed(name for name in (*old.names, *new.names) if name in names)} {verb}")
        if not came and not went:
            found.append(f"entrants were in the order {listed(old.names)} and are in the order {listed(new.names)}")
    return found


def said(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def listed(values: Iterable[Any]) -> str:
    return ", ".join(map(said, values))


def in_words(setting: Setting) -> str:
    options = "".join(f", {name}={value}" for name, value in setting.options.items())
    board = "" if setting.board == "standard" else f" on board {setting.board}"
    return f"{setting.game} for {setting.players}{options}{board}"
