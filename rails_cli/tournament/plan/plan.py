"""The validated plan of a tournament, and the differences that make two plans different tournaments."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rails_cli.games.plain import tag_of
from rails_cli.match.clock import clock_in_words, read_clock, seconds_words
from rails_cli.programs.limits import BotLimits
from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import Entrant, FaultPolicy, Setting
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.formats.round_robin import Roster, names_in
from rails_cli.tournament.schedule.stopping_rules import Rule, TimeBudget

GIVEN = {"entrants", "settings", "seed", "rosters"}  # fields of a format that other parts of the plan provide
MOST = 1_000_000_000
"""Maximum of all counts and times in a plan."""
STOP_KEYS = {
    "games": "stop.games",
    "time": "stop.minutes",
    "tokens": "stop.tokens",
    "better": "stop.better",
    "top": "stop.settled_top",
}
"""Mapping from the kind of a stopping rule to its key in a plan."""
LONGEST_DIFFERENCE = 120  # characters of the old and the new value of an option that `differences` shows
ROUNDS_TO_COME = 1_000_000  # number of rounds if a stopping rule ends a format with open rounds

Count = Annotated[int, Meta(ge=1, le=MOST)]


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that a plan has both as a file (`PlanTable`) and after validation (`TournamentPlan`)."""

    seed: Seed | None = None
    """Seed of the tournament. None means that a random seed is chosen when the results folder is created."""
    clock: str = "300,10/move"
    cpu_clock: bool = False
    """Whether the time of a bot is its CPU time instead of wall time."""
    start_up_s: Annotated[float, Meta(ge=0, le=86_400)] = 20.0
    """Seconds that a newly started bot has for its first answer, in addition to its clock."""
    max_faults: Count = 3
    """Number of faults in a game at which a bot has failed too often, so that `on_faults` applies.

    A fault counts if a default action was played in place of the bot's answer.
    """
    on_faults: FaultPolicy = "last_place"
    game_limit_s: Annotated[float, Meta(gt=0, le=MOST)] | None = 1800.0
    """Maximum seconds of a game. If it takes longer, the entrant that used most of the time loses.

    None means no limit.
    """
    group_limit_s: Annotated[float, Meta(gt=0, le=MOST)] | None = None
    """Maximum seconds of wall time for all games of a seed group (the games with one seed), or None for no limit."""
    anonymous: bool = False
    """Whether the names of opponents are hidden from bots."""
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None
    """Number of worker processes. None means one per core."""
    anchor: str | None = None
    """Name of the entrant whose rating is 0. None means that the mean of the ratings is 0."""
    logs: bool = True


class TournamentPlan(Terms, frozen=True, kw_only=True):
    """The validated plan of a tournament."""

    name: str
    economy: bool = True
    """Whether economic figures are recorded for each seat."""
    output: str
    """Folder of the results, relative to `base`."""
    format: dict[str, Any]
    """The table `format` of the plan: the `kind` of the format, and its options."""
    settings: tuple[Setting, ...]
    entrants: tuple[Entrant, ...]
    stop: tuple[Rule, ...] = ()
    boards: dict[str, str] = {}
    """Mapping from the digest of a board file to its contents, for boards other than the standard board."""
    digests: dict[str, str] = {}
    """Mapping from the name of an entrant to the digest of the files that its command names.

    Empty if files may change.
    """
    openings: Literal["drawn", "none"] = "none"
    """`drawn` if games without randomness start with random moves that depend on the seed, else `none`."""
    base: str
    """Folder to which the paths of the plan are relative."""

    @property
    def folder(self) -> Path:
        return Path(self.base, self.output)

    @property
    def kind(self) -> str:
        return str(self.format["kind"])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entrant.name for entrant in self.entrants)


def make_format(plan: TournamentPlan, rosters: tuple[Roster, ...] = ()) -> Format:
    """Create the format of a plan. Raise ValueError if the options of the format are invalid.

    The format makes the schedule. It has the entrants in `rosters`, or those of the plan if `rosters` is empty.
    """
    kind = FORMATS[plan.kind]
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    given = {name: msgspec.convert(value, fields[name].type) for name, value in plan.format.items() if name != "kind"}
    if plan.stop and has_open_rounds(plan.kind):
        given.setdefault("rounds", ROUNDS_TO_COME)
    if rosters:
        given["rosters"] = rosters
    entrants = names_in(rosters) or plan.names
    return kind(entrants=entrants, settings=plan.settings, seed=plan.seed or 0, **given)


def has_open_rounds(kind: str) -> bool:
    """Return whether the number of rounds is optional in the format `kind`. Then any number of rounds can be played."""
    return any(field.name == "rounds" and not field.required for field in msgspec.structs.fields(FORMATS[kind]))


def has_limit(plan: TournamentPlan) -> bool:
    """Return whether the number of games is limited even if no stopping rule is met."""
    if plan.stop and has_open_rounds(plan.kind):
        return "rounds" in plan.format
    return make_format(plan).length().games_most is not None


def unanswered_words(plan: TournamentPlan, why: str) -> str:
    """Return a sentence which says that the tournament ended before `stop.better` or `stop.settled_top` was met.

    `why` is the reason for the end of the tournament, as in `Ending.why`. Return an empty string if the plan has
    neither rule, or if the reason is not `format`, `games` or `time`.
    """
    kinds = [tag_of(rule) for rule in plan.stop]
    limit = "rounds" if why == "format" and has_open_rounds(plan.kind) else STOP_KEYS.get(why)
    asked = [STOP_KEYS[kind] for kind in kinds if kind in ("better", "top")]
    if why not in ("format", "games", "time") or not asked:
        return ""
    has, until = ("has", "it has") if len(asked) == 1 else ("have", "one has")
    option = {"games": "--games", "time": "--minutes"}.get(why)
    named = limit if option is None else f"{option} ({limit} in a plan)"
    advice = "" if limit is None else f"; leave out {named} to play until {until}"
    return f"{' and '.join(asked)} {has} no answer yet{advice}"


def time_words(plan: TournamentPlan) -> list[str]:
    said = []
    own = [(f"clock of {one.name} {one.clock}", one.clock) for one in plan.entrants if one.clock is not None]
    for what, words in ((f"clock {plan.clock}", plan.clock), *own):
        clock = read_clock(words)
        if clock is None or clock.bank_s is None:
            said.append(f"{what}: no limit on the total time of a game, so a bot may stall")
        else:
            said.append(f"{what}: a bot has {clock_in_words(clock)}")
    for limit_s, what in ((plan.game_limit_s, "game"), (plan.group_limit_s, "seed group")):
        if limit_s is not None:
            said.append(f"a {what} ends after {seconds_words(limit_s)} s; whoever used most of it loses (too_slow)")
    longest = [rule.seconds / 60 for rule in plan.stop if isinstance(rule, TimeBudget)]
    if longest:
        after = f"{min(longest):g} minute{'s' * (min(longest) != 1)}"
        said.append(f"no game starts that would end after {after}; a running one is finished")
    return said


class LastEntry(msgspec.Struct, frozen=True):
    """An entrant as it was in the last run in which it took part."""

    entrant: Entrant
    digest: str | None
    """Digest of the files that the entrant's command names, or None if the files may change."""


def seen_in(plan: TournamentPlan) -> dict[str, LastEntry]:
    return {entrant.name: LastEntry(entrant, plan.digests.get(entrant.name)) for entrant in plan.entrants}


def differences(old: TournamentPlan, new: TournamentPlan, seen: Mapping[str, LastEntry]) -> list[str]:
    """Return the reasons, as text, why the results of the `old` plan cannot be continued with the `new` plan.

    `seen` maps the name of each entrant to its entry in the last run in which it took part. These changes are allowed:
    the name, output, workers, logs, economy, anchor, stopping rules, start-up time and number of rounds. In a round
    robin, entrants may also join and leave.
    """
    found = []
    for name in ("seed", "clock", "cpu_clock", "max_faults", "on_faults", "anonymous", "game_limit_s", "group_limit_s"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after and (name != "seed" or after is not None):
            found.append(_difference(name, before, after))
    old_format, new_format = _options_with_defaults(old), _options_with_defaults(new)
    for name in sorted(({*old_format} | {*new_format}) - {"rounds"}):
        before, after = old_format.get(name), new_format.get(name)
        if before != after:
            found.append(_difference(f"format.{name}", before, after))
    if old.settings != new.settings and not FORMATS[new.kind].is_open:
        was, now = (listed(map(in_words, plan.settings)) for plan in (old, new))
        found.append(f"games were {was} and are {now}")
    if old.openings != new.openings:
        found.append(f"openings were {old.openings} and are {new.openings}")
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


def _difference(name: str, before: Any, after: Any) -> str:
    was, now = value_text(before), value_text(after)
    return f"{name} was {was} and is {now}" if len(was) + len(now) <= LONGEST_DIFFERENCE else f"{name} has changed"


def _options_with_defaults(plan: TournamentPlan) -> dict[str, Any]:
    fields = msgspec.structs.fields(FORMATS[plan.kind])
    usual = {
        field.name: field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        for field in fields
        if field.name not in GIVEN and not field.required
    }
    return {name: list(value) if isinstance(value, tuple) else value for name, value in (usual | plan.format).items()}


def _changes(before: LastEntry, entrant: Entrant, digest: str | None) -> list[str]:
    """Return what has changed in an entrant since its last run, as text.

    `before` is the entrant in that run, and `entrant` is the entrant now. `digest` is the present digest of its files.
    """
    fields = [name for name in entrant.__struct_fields__ if getattr(entrant, name) != getattr(before.entrant, name)]
    if fields:
        was, now = (listed(getattr(one, name) for name in fields) for one in (before.entrant, entrant))
        return [f"entrant {entrant.name}: {listed(fields)} was {was} and is {now}"]
    if None not in (before.digest, digest) and before.digest != digest:
        hint = "a new version needs another name (or trust_bots = true, if it plays as before)"
        return [f"entrant {entrant.name}: its files have changed; {hint}"]
    return []


def value_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return msgspec.json.encode(value, enc_hook=str).decode()


def listed(values: Iterable[Any]) -> str:
    return ", ".join(map(value_text, values))


def in_words(setting: Setting) -> str:
    options = "".join(f", {name}={value}" for name, value in setting.options.items())
    board = "" if setting.board == "standard" else f" on board {setting.board}"
    return f"{setting.game} for {setting.players}{options}{board}"


def limits_of(entrant: Entrant) -> BotLimits:
    return BotLimits(**{field: getattr(entrant, field) for field in BotLimits.__struct_fields__})
