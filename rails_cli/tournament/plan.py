"""The plan of a tournament as it is played and kept: who takes part in what, and what makes it another tournament."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from protocol.log import Seed
from rails_cli.match.clock import clock_in_words, read_clock
from rails_cli.tournament.formats import FORMATS
from rails_cli.tournament.formats.league import Stay
from rails_cli.tournament.model import Entrant, FaultPolicy, Setting
from rails_cli.tournament.schedule import Format
from rails_cli.tournament.sequential import Rule, TimeBudget

GIVEN = {"entrants", "settings", "seed", "stays"}  # of a format, by other parts of the plan
MOST = 1_000_000_000
FROM_BOOK = "from a book"
STOP_KEYS = {"games": "stop.games", "time": "stop.minutes", "better": "stop.better", "top": "stop.settled_top"}
"""By the kind of a stopping rule what it is called in a plan."""
ROUNDS_TO_COME = 1_000_000  # where a stopping rule ends a format that plays round after round

Count = Annotated[int, Meta(ge=1, le=MOST)]


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan says in plain values, in its file and as it is kept."""

    seed: Seed | None = None
    """Drawn for the folder of the results if not said."""
    clock: str = "300,10/move"
    cpu_clock: bool = False
    start_up_s: Annotated[float, Meta(ge=0, le=86_400)] = 20.0
    max_faults: Count = 3
    on_faults: FaultPolicy = "last_place"
    game_limit_s: Annotated[float, Meta(gt=0, le=MOST)] | None = 1800.0
    """Wall time of a game; whoever has used most of it has lost."""
    group_limit_s: Annotated[float, Meta(gt=0, le=MOST)] | None = None
    """Wall time of all games of a group."""
    anonymous: bool = False
    """Whether bots are not told who they play with."""
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None
    """All cores if not said."""
    anchor: str | None = None
    """The entrant whose rating is 0."""
    logs: bool = True


class TournamentPlan(Terms, frozen=True, kw_only=True):
    """A tournament that can be played."""

    name: str
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
    openings: Literal["drawn", "none"] = "none"
    """What games without luck start from."""
    book: Any = None
    """The opening book of results that an earlier version wrote. They can be read, but not continued or audited."""
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


def make_format(plan: TournamentPlan, entrants: tuple[str, ...] | None = None, stays: tuple[Stay, ...] = ()) -> Format:
    """Who plays whom; a league may have other entrants than those of the plan. Raises ValueError."""
    kind = FORMATS[plan.kind]
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    given = {name: msgspec.convert(value, fields[name].type) for name, value in plan.format.items() if name != "kind"}
    if plan.stop and has_open_rounds(plan.kind):
        given.setdefault("rounds", ROUNDS_TO_COME)
    if stays:
        given["stays"] = stays
    return kind(entrants=entrants or plan.names, settings=plan.settings, seed=plan.seed or 0, **given)


def has_open_rounds(kind: str) -> bool:
    """Whether a format plays round after round, each like the one before."""
    return any(field.name == "rounds" and not field.required for field in msgspec.structs.fields(FORMATS[kind]))


def has_limit(plan: TournamentPlan) -> bool:
    """Whether the format comes to an end by itself, whatever the stopping rules say."""
    if plan.stop and has_open_rounds(plan.kind):
        return "rounds" in plan.format
    return make_format(plan).length().games_most is not None


def unanswered_words(plan: TournamentPlan, why: str) -> str:
    """What of the plan's questions is open at an end for this reason, and what would answer it."""
    kinds = [str(rule.__struct_config__.tag) for rule in plan.stop]
    limit = "rounds" if why == "format" and has_open_rounds(plan.kind) else STOP_KEYS.get(why)
    asked = [STOP_KEYS[kind] for kind in kinds if kind in ("better", "top")]
    if why not in ("format", "games", "time") or not asked:
        return ""
    has, until = ("has", "it has") if len(asked) == 1 else ("have", "one has")
    advice = "" if limit is None else f"; leave out {limit} to play until {until}"
    return f"{' and '.join(asked)} {has} no answer yet{advice}"


def time_words(plan: TournamentPlan) -> list[str]:
    """What the limits of time mean for whoever plans with them."""
    clock = read_clock(plan.clock)
    said = []
    if clock is None or clock.bank_s is None:
        said.append(f"clock {plan.clock}: no limit on the total time of a game, so a bot may stall")
    else:
        said.append(f"clock {plan.clock}: a bot has {clock_in_words(clock)}")
    for limit_s, what in ((plan.game_limit_s, "game"), (plan.group_limit_s, "seed group")):
        if limit_s is not None:
            said.append(f"a {what} ends after {limit_s:g} s; whoever used most of it loses (too_slow)")
    longest = [rule.seconds / 60 for rule in plan.stop if isinstance(rule, TimeBudget)]
    if longest:
        after = f"{min(longest):g} minute{'s' * (min(longest) != 1)}"
        said.append(f"no game starts that would end after {after}; a running one is finished")
    return said


class LastEntry(msgspec.Struct, frozen=True):
    """An entrant as it took part last."""

    entrant: Entrant
    digest: str | None
    """Of its files, unless they were trusted to stay the same."""


def seen_in(plan: TournamentPlan) -> dict[str, LastEntry]:
    return {entrant.name: LastEntry(entrant, plan.digests.get(entrant.name)) for entrant in plan.entrants}


def differences(old: TournamentPlan, new: TournamentPlan, seen: Mapping[str, LastEntry]) -> list[str]:
    """What would make the new plan another tournament than the old one, in which these have taken part.

    The name, workers, logs, the anchor, the stopping rule, the time to start up and the number of rounds may change;
    the entrants of a league may come and go.
    """
    found = []
    for name in ("seed", "clock", "cpu_clock", "max_faults", "on_faults", "anonymous", "game_limit_s", "group_limit_s"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after and (name != "seed" or after is not None):
            found.append(f"{name} was {said(before)} and is {said(after)}")
    old_format, new_format = _said_or_usual(old), _said_or_usual(new)
    for name in sorted(({*old_format} | {*new_format}) - {"rounds"}):
        before, after = old_format.get(name), new_format.get(name)
        if before != after:
            found.append(f"format.{name} was {said(before)} and is {said(after)}")
    if old.settings != new.settings and not FORMATS[new.kind].is_open:
        was, now = (listed(map(in_words, plan.settings)) for plan in (old, new))
        found.append(f"games were {was} and are {now}")
    if old.openings != new.openings or old.book != new.book:
        was, now = (plan.openings if plan.book is None else FROM_BOOK for plan in (old, new))
        found.append(f"openings were {was} and are {now}")
    for entrant in new.entrants:
        if entrant.name in seen:
            found += _changes(seen[entrant.name], entrant, new.digests.get(entrant.name))
    if not (FORMATS[new.kind].has_members or FORMATS[new.kind].is_open) and old.names != new.names:
        came, went = set(new.names) - set(old.names), set(old.names) - set(new.names)
        for names, verb in ((came, "came"), (went, "went")):
            if names:
                found.append(f"{listed(name for name in (*old.names, *new.names) if name in names)} {verb}")
        if not came and not went:
            found.append(f"entrants were in the order {listed(old.names)} and are in the order {listed(new.names)}")
    return found


def _said_or_usual(plan: TournamentPlan) -> dict[str, Any]:
    """What belongs to the format, also where it was not said."""
    fields = msgspec.structs.fields(FORMATS[plan.kind])
    usual = {field.name: field.default for field in fields if field.name not in GIVEN and not field.required}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in (usual | plan.format).items()}


def _changes(before: LastEntry, entrant: Entrant, digest: str | None) -> list[str]:
    """What makes an entrant another one than it was."""
    fields = [name for name in entrant.__struct_fields__ if getattr(entrant, name) != getattr(before.entrant, name)]
    if fields:
        was, now = (listed(getattr(one, name) for name in fields) for one in (before.entrant, entrant))
        return [f"entrant {entrant.name}: {listed(fields)} was {was} and is {now}"]
    if None not in (before.digest, digest) and before.digest != digest:
        hint = "a new version needs another name (or trust_bots = true, if it plays as before)"
        return [f"entrant {entrant.name}: its files have changed; {hint}"]
    return []


def said(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return msgspec.json.encode(value, enc_hook=str).decode()


def listed(values: Iterable[Any]) -> str:
    return ", ".join(map(said, values))


def in_words(setting: Setting) -> str:
    options = "".join(f", {name}={value}" for name, value in setting.options.items())
    board = "" if setting.board == "standard" else f" on board {setting.board}"
    return f"{setting.game} for {setting.players}{options}{board}"
