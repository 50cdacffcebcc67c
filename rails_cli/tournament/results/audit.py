"""Audit of a tournament: recompute all results from the game logs and compare them with the database.

The audit trusts the plan in the database, and the stored hashes with which it compares the logs.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rails_cli.basics.files import read_file
from rails_cli.games import load_game
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.game import ranked_last
from rails_cli.games.shared.luck import opaque_id
from rails_cli.games.shared.text import printable
from rails_cli.logs.reading import BadLog, read_log
from rails_cli.logs.signing import Signatures, Signing, signatures_of, unsigned_words
from rails_cli.logs.verify import check_signatures
from rails_cli.match.clock import clock_line, read_clock
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.protocol.log import FaultLine, Opening
from rails_cli.tournament.model import POOL, PlayedGame, SeedGroup
from rails_cli.tournament.plan.game_setup import ATTEMPTS, STAND_IN, deal_of, names_of, own_clock_line
from rails_cli.tournament.plan.membership import Membership, schedule_of, settled_games
from rails_cli.tournament.plan.openings import opening_of, table_of
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT, TOO_FEW, WORKER_DIED
from rails_cli.tournament.rating.standings import ShortRow, by_group, short_table
from rails_cli.tournament.results.group_results import LOGS, GameFault, log_name
from rails_cli.tournament.results.log_results import LoggedResult, logged_result, with_logged_result
from rails_cli.tournament.results.lost_logs import is_cut_off
from rails_cli.tournament.results.store import Ending, Listed, Store, StoreError, mistake_in
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.sequence import GroupSequence

TASK_GAMES = 20
"""Number of games that one task examines."""
COMPARED = ("scores", "ranks", "reason", "faults", "is_tainted", "ms", "actions", "lost", "fingerprint", "trail")
MOST_GAPS = 10_000
"""Number of seed groups (games with one seed) without results after which an audit stops reading the schedule."""
MOST_SHOWN = 3
"""Maximum number of faults of a game that an audit lists as missing in the log, and as missing in the database."""


class Finding(msgspec.Struct, frozen=True):
    """A contradiction between logs, database and plan, found by an audit."""

    about: str
    """Id of the game or seed group that the finding is about, or `results` for the tournament as a whole."""
    words: str


class Audit(msgspec.Struct, frozen=True):
    """The result of an audit."""

    games: int
    logs: int
    """Number of games whose log was replayed to its end."""
    unproven: int
    """Number of games whose log was not replayed, for example because the game was not played or the log is gone."""
    findings: list[Finding]
    notes: list[str]
    """Remarks about results that cannot be proved but are not contradicted."""
    head: str
    """Last value of the hash chain over all games that count, computed from the database."""
    table: list[ShortRow]
    signatures: Signatures


class AuditTerms(msgspec.Struct, frozen=True):
    """Values from the plan with which the logs have to agree."""

    folder: str
    clock: dict[str, Any] | None
    max_faults: int
    specs: dict[str, str]
    """Mapping from the name of an entrant to its player, as in `Entrant.spec`."""
    clocks: dict[str, dict[str, Any] | None]
    """Mapping from the name of an entrant to its own time control. None means the time control of the plan."""
    boards: dict[str, str]
    """Mapping from the digest of a board file to its contents, for boards other than the standard board."""
    has_group_limit: bool
    """Whether seed groups have a time limit, after which their remaining games stay unplayed."""
    anonymous: bool
    """Whether the plan hides the names of opponents from bots."""
    key: str | None
    """Public key with which all logs must be signed. None means that any key or no signature is accepted."""


class Case(msgspec.Struct, frozen=True):
    """A game to examine: its row in the database and its stored faults."""

    played: PlayedGame
    faults: list[GameFault]
    is_let_go: bool = False
    """Whether the log of the game was deleted to save space."""


class Examined(NamedTuple):
    """The result of examining the log of a game.

    `played` is the game according to the log, or None if there is no readable log. `logs` is 1 if the log was
    replayed to its end, else 0.
    """

    played: PlayedGame | None
    logs: int
    findings: list[str]
    opening: Opening | None = None
    signing: Signing | None = None


def audit(store: Store, executor: Executor, head: str | None = None, key: str | None = None) -> Audit:
    """Check all games played so far against their logs.

    `head` is a value of the hash chain that was shown earlier, and must still be in the chain. `key` is the public key
    with which all logs must be signed. None means no such check. Raise StoreError if the database cannot be read.
    """
    plan, ending = store.plan(), store.ending()
    listed = list(store.games(with_surplus=True, as_kept=True))
    faults = store.faults_by_game()
    let_go = store.groups_without_logs() if FORMATS[plan.kind].is_open else set()
    cases = [Case(one.played, faults.pop(one.id, []), one.group.id in let_go) for one in listed]
    examined = _examine_all(_terms(store, plan, key), cases, executor)
    findings = [Finding(one.id, words) for one, found in zip(listed, examined, strict=True) for words in found.findings]
    findings += [Finding(game, "the results list faults of this game, but not the game itself") for game in faults]
    findings += _unplayed_beside_others([one.played for one in listed], has_group_limit=plan.group_limit_s is not None)
    truth = [found.played or one.played for one, found in zip(listed, examined, strict=True)]
    heads = store.heads()
    now = heads[-1]
    findings += _differing_heads(ending, heads, head)
    notes = [*_notes(store.folder, ending, cases), *_since(heads, head)]
    logs = sum(found.logs for found in examined)
    unproven = sum(not found.logs for found in examined)
    signatures = signatures_of(found.signing for found in examined if found.logs)
    if not all(map(_is_whole, truth)):
        return Audit(len(listed), logs, unproven, findings, notes, now, [], signatures)
    openings: dict[str, dict[str, Opening | None]] = {}
    for one, found in zip(listed, examined, strict=True):
        if found.played is not None:
            openings.setdefault(one.group.id, {})[one.id] = found.opening
    findings += _misplaced(plan, store.membership(), ending, listed, truth, openings)
    counting = [game for one, game in zip(listed, truth, strict=True) if not one.group.surplus]
    table = short_table(counting, plan.anchor)
    stored = [one.played for one in listed if not one.group.surplus]
    is_same = all(_result(one) == _result(other) for one, other in zip(stored, counting, strict=True))
    if not is_same and all(map(_is_whole, stored)):
        findings += _differing_tables(short_table(stored, plan.anchor), table)
    return Audit(len(listed), logs, unproven, findings, notes, now, table, signatures)


def _terms(store: Store, plan: TournamentPlan, key: str | None) -> AuditTerms:
    try:
        clock = read_clock(plan.clock)
        own_clocks = {name: own_clock_line(seen.entrant) for name, seen in store.seen().items()}
    except ValueError as error:
        raise StoreError(f"the plan of {store.folder} cannot be played: {printable(str(error))}") from None
    return AuditTerms(
        str(store.folder),
        clock_line(clock),
        plan.max_faults,
        {name: seen.entrant.spec for name, seen in store.seen().items()},
        own_clocks,
        plan.boards,
        plan.group_limit_s is not None,
        plan.anonymous,
        key,
    )


# One game


def _examine_all(terms: AuditTerms, cases: Sequence[Case], executor: Executor) -> list[Examined]:
    parts = [cases[start : start + TASK_GAMES] for start in range(0, len(cases), TASK_GAMES)]
    futures = [executor.submit(examine, terms, part) for part in parts]
    return [found for future in futures for found in future.result()]


def examine(terms: AuditTerms, cases: Sequence[Case]) -> list[Examined]:
    """Check several games one after another, and return the results. This function runs in a worker of an executor."""
    return [_Examination(terms, case).result() for case in cases]


class _Examination:
    """The comparison of the log of one game with its row in the database."""

    def __init__(self, terms: AuditTerms, case: Case) -> None:
        self.terms = terms
        self.game = case.played
        self.kept_faults = case.faults
        self.is_let_go = case.is_let_go
        self.findings: list[str] = []
        self.logs = 0
        self.signing: Signing | None = None

    def result(self) -> Examined:
        game = self.game
        name = _log_name(game)
        mistake = mistake_in(game)
        if mistake is not None:
            return Examined(None, 0, [mistake])
        if game.log is None:
            self._without_log(name)
            return Examined(None, 0, self.findings)
        if self.is_let_go and not Path(self.terms.folder, name).exists():
            return Examined(None, 0, _other_ranks(game))
        if game.log != name:
            self.findings.append(f"the results name another log: {printable(game.log)} instead of {name}")
        logged = self._logged_result(name, game.head)
        if logged is None:
            return Examined(None, self.logs, self.findings, signing=self.signing)
        rebuilt = self._rebuilt(logged)
        self._compare(rebuilt)
        self._compare_cost(logged)
        self._compare_faults(logged.faults)
        return Examined(rebuilt, self.logs, self.findings, logged.opening, self.signing)

    def _without_log(self, name: str) -> None:
        if Path(self.terms.folder, name).exists():
            self.findings.append(f"the results name no log, but there is {name}")
        elif self.game.reason == "normal" or self.game.actions:
            self.findings.append("no log was kept: nothing proves this result")
        elif not self._may_be_unplayed():
            self.findings.append(f"nothing explains why it was not played ({printable(self.game.reason)})")

    def _may_be_unplayed(self) -> bool:
        """Return whether the stored reason, ranks and faults are those of a game that was not played."""
        game, seats = self.game, range(len(self.game.seating))
        losers = _lost_by(game)
        if game.reason == NOBODYS_FAULT:
            ranks, codes = [1] * len(seats), []
        else:
            ranks = ranked_last([1] * len(seats), {*game.lost, *game.absent})
            codes = [fault.code for fault in self.kept_faults if fault.code in ("too_slow", "disconnect")]
            if game.reason != "timeout":
                codes = ["disconnect"] * len(game.lost)
        if game.reason == "timeout":
            is_right = self.terms.has_group_limit and len(game.lost) == 1
        elif game.reason == WORKER_DIED:
            is_right = len(losers) == 1 and not any(
                self.terms.specs.get(name, BUILTIN).startswith((BUILTIN, POOL)) for name in losers
            )
        else:
            is_few = len(seats) - len(game.absent) < 2
            is_right = not game.lost and (game.reason == NOBODYS_FAULT or (game.reason == TOO_FEW and is_few))
        return (
            is_right
            and game.ranks == ranks
            and game.faults == [int(seat in game.lost) for seat in seats]
            and [fault.code for fault in self.kept_faults] == codes
            and [fault.seat for fault in self.kept_faults] == game.lost
            and all(fault.entrant in losers for fault in self.kept_faults)
        )

    def _logged_result(self, name: str, head: str | None) -> LoggedResult | None:
        try:
            content = read_file(Path(self.terms.folder, name))
        except OSError as error:
            self.findings.append(f"{name} cannot be read: {error.strerror}")
            return None
        found = sha256(content).hexdigest()
        if found != head and is_cut_off(content):
            self.findings.append(f"{name}: the log is empty or cut off")
            return None
        if head is not None and found != head:
            self.findings.append(f"{name} is not the log that was played: its head is {found}, the results have {head}")
        try:
            return self._read(name, content)
        except BadLog as bad:
            self.findings.append(f"{name}: {bad}")
            return None

    def _read(self, name: str, content: bytes) -> LoggedResult | None:
        log = read_log(content)
        self._check_header(name, log.header)
        logged = logged_result(log, self.game.setting, self.game.seating, self.terms.max_faults)
        self.signing = check_signatures(log)
        self.logs += 1
        if self.terms.key is not None and (words := unsigned_words(self.signing, self.terms.key)) is not None:
            self.findings.append(f"{name}: {words}")
        if logged is None:
            self.findings.append(f"{name}: the game is not finished")
        elif not logged.is_sealed and self.game.head is not None:
            self.findings.append(f"{name} has no seal")
        return logged

    def _check_header(self, name: str, header: Any) -> None:
        game, setting = self.game, self.game.setting
        names = [player.name for player in header.players]
        expected = names_of(game.seating)
        if names != expected:
            self.findings.append(f"{name} was played by {_list(names)}, the results say {_list(expected)}")
        elif [player.seat for player in header.players] != [
            STAND_IN if seat in game.absent else self.terms.specs.get(one) for seat, one in enumerate(game.seating)
        ]:
            specs = _list(str(player.seat) for player in header.players)
            self.findings.append(f"{name}: what played is not what the plan names: {specs}")
        if (header.game, len(header.players)) != (setting.game, setting.players):
            what = f"{header.game} for {len(header.players)}, the results say {setting.game} for {setting.players}"
            self.findings.append(f"{name} is a game of {printable(what)}")
            return
        options = load_game(setting.game).options_type
        board = "standard" if setting.board == "standard" else self.terms.boards.get(setting.board)
        differing = {
            "seed": header.seed != deal_of(load_game(setting.game), game.seed, game.group, game.number),
            "options": _converted(header.options, options) != _converted(setting.options, options),
            "board": header.board != (board if board in ("standard", None) else msgspec.json.decode(board)),
            "clock": header.clock != self.terms.clock
            or [player.clock for player in header.players]
            != [None if seat in game.absent else self.terms.clocks.get(one) for seat, one in enumerate(game.seating)],
            "match": header.match not in (None, opaque_id(game.seed, game.group, game.number)),
        }
        if header.branch is not None:
            self.findings.append(f"{name} continues from a position of another game")
        if header.match is not None and header.anonymous != self.terms.anonymous:
            what = "the players were shown names" if self.terms.anonymous else "the players were not shown names"
            self.findings.append(f"{name}: {what}, which is not what the plan says")
        self.findings += [f"{name} differs from the results: {what}" for what, differs in differing.items() if differs]

    def _rebuilt(self, logged: LoggedResult) -> PlayedGame:
        """Return the database row of the game, as it should be according to the log."""
        game = self.game
        if names_of(game.seating) != logged.names:
            game = msgspec.structs.replace(game, seating=logged.names)
        return with_logged_result(game, logged)

    def _compare(self, rebuilt: PlayedGame) -> None:
        game = self.game
        for name in COMPARED:
            kept, real = getattr(game, name), getattr(rebuilt, name)
            if kept != real:
                self.findings.append(f"{name}: the results have {kept}, the log gives {real}")
        if game.economy and game.economy != rebuilt.economy:
            self.findings.append("economy: the figures in the results differ from those of the log")

    def _compare_cost(self, logged: LoggedResult) -> None:
        """Compare the stored numbers of answers and tokens with the log.

        Games without bots may lack these numbers.
        """
        game, specs = self.game, self.terms.specs
        has_bot = any(not specs.get(name, BUILTIN).startswith((BUILTIN, POOL)) for name in game.seating)
        if not (has_bot or game.answers or game.tokens):
            return
        for name, kept, real in (
            ("answers", game.answers, logged.answers),
            ("tokens", game.tokens, logged.tokens),
            ("bad_reports", game.bad_reports, logged.bad_reports),
        ):
            if kept != real:
                self.findings.append(f"{name}: the results have {kept}, the log gives {real}")

    def _compare_faults(self, lines: Sequence[FaultLine]) -> None:
        kept = [(fault.action, fault.seat, fault.code, fault.message) for fault in self.kept_faults]
        real = [(line.number, line.seat, line.code, line.message) for line in lines]
        for words, only in (
            ("the results lack a fault of the log", Counter(real) - Counter(kept)),
            ("the results list a fault that is not in the log", Counter(kept) - Counter(real)),
        ):
            for action, seat, code, message in list(only.elements())[:MOST_SHOWN]:
                self.findings.append(f"{words}: action {action}, seat {seat + 1}: {printable(f'{code}: {message}')}")
        for fault in self.kept_faults:
            if fault.seat >= len(self.game.seating) or fault.entrant != self.game.seating[fault.seat]:
                self.findings.append(f"a fault of seat {fault.seat + 1} is attributed to {printable(fault.entrant)}")


def _other_ranks(game: PlayedGame) -> list[str]:
    """Return a finding as text if a seat is not ranked ahead of every seat with a lower score, else an empty list.

    Used for a game without a log. The stored row does not have the tie-breakers, so equal scores are not checked.
    """
    if game.reason != "normal":
        return []
    there = [seat for seat in range(len(game.seating)) if seat not in (*game.lost, *game.absent)]
    pairs = ((one, other) for one in there for other in there if game.scores[one] > game.scores[other])
    if all(game.ranks[one] < game.ranks[other] for one, other in pairs):
        return []
    return [f"the ranks {game.ranks} are not those of the scores {game.scores}"]


def _is_whole(game: PlayedGame) -> bool:
    return mistake_in(game) is None


def _converted(options: dict[str, Any], kind: type) -> Any:
    try:
        return msgspec.convert(options, kind, strict=False)
    except msgspec.ValidationError:
        return None


def _list(words: Iterable[str]) -> str:
    return printable(", ".join(words))


def _unplayed_beside_others(games: Sequence[PlayedGame], *, has_group_limit: bool) -> list[Finding]:
    """Return a finding for each game that is falsely stored as unplayed because a worker process died.

    If a worker process dies, all games of its seed group are unplayed. So a played game in the same seed group is a
    contradiction. With `has_group_limit`, games that are unplayed because other entrants used up the time are allowed.
    """
    lost = (NOBODYS_FAULT, WORKER_DIED)
    findings = []
    for group, members in by_group(games).items():
        entrants = {name for game in members for name in game.seating}
        died = [
            game
            for game in members
            if game.reason == WORKER_DIED
            or (game.reason == NOBODYS_FAULT and not (has_group_limit and entrants - {*game.seating}))
        ]
        if all(game.reason in (*lost, TOO_FEW) for game in members):
            losers = {name for game in died for name in _lost_by(game)}
            died = [
                game for game in died if len(losers) > 1 or (game.reason == NOBODYS_FAULT and losers & {*game.seating})
            ]
        words = "a worker is lost with a whole group, but other games of this group ended differently"
        findings += [Finding(f"{group}-{game.number}", words) for game in died]
    return findings


def _lost_by(game: PlayedGame) -> set[str]:
    return {name for seat, name in enumerate(game.seating) if seat in game.lost}


# The schedule


def _misplaced(
    plan: TournamentPlan,
    members: Membership | None,
    ending: Ending | None,
    listed: Sequence[Listed],
    truth: Sequence[PlayedGame],
    openings: Mapping[str, dict[str, Opening | None]],
) -> list[Finding]:
    """Compare the stored games with the schedule.

    Return a finding for each wrong or missing seed group or game. The schedule is recomputed from `truth`, the games
    according to the logs. `listed` has the stored games. `openings` maps the id of a seed group to a mapping from the
    id of a game to the opening in its log.
    """
    findings: list[Finding] = []
    stored = {one.group.id: one.group for one in listed}
    kept = by_group(one.played for one in listed)
    known: dict[str, list[PlayedGame]] = {}
    for one, game in zip(listed, truth, strict=True):
        known.setdefault(one.group.id, []).append(game)
    try:
        schedule = schedule_of(plan, members)
    except ValueError as error:
        return [*findings, Finding("results", f"the plan cannot be played: {printable(str(error))}")]
    is_open = FORMATS[plan.kind].is_open
    history = list(known.items()) if is_open else settled_games(schedule, members, known)
    order = GroupSequence(schedule, history)
    begun = {group.id: group for group in schedule.begun_groups(with_left=True)} if history else {}
    dealt: list[SeedGroup] = []
    places: dict[str, int] = {}
    for group in () if members is None else members.settled:
        if group not in stored:
            findings.append(Finding(group, "this group counted when the entrants changed, but is not in the results"))
    for place, (group, games) in enumerate(history):
        named = _pool_group(group, kept[group], stored[group].stage) if is_open else begun.get(group)
        if named is not None:
            dealt.append(named)
        if is_open:
            places[group] = place
            findings += [] if named else [Finding(group, "the games of this group do not match its id")]
        elif named is not None:
            places[group] = place
            findings += _other_games(group, named, kept[group], stored[group].stage)
            findings += _other_absence(games, order.suspended_in(group))
    results = dict(history)
    last = max((group.number for group in stored.values()), default=-1)
    beyond = min(last, len(stored) + MOST_GAPS)
    while len(places) < len(stored) or len(order.order) <= beyond:
        given = order.take()
        if given is None:
            break
        if given.id not in stored:
            if ending is not None and given.number < ending.groups:
                findings.append(Finding(given.id, f"place {given.number} of the schedule is missing in the results"))
            if given.number > beyond:
                break
            continue
        places[given.id] = given.number
        dealt.append(given.group)
        findings += _other_games(given.id, given.group, kept[given.id], stored[given.id].stage)
        seatings = given.group.seatings
        results[given.id] = [
            # Use the planned names. Wrong ones are reported elsewhere and would change the rest of the schedule.
            msgspec.structs.replace(game, seating=seatings[game.number % len(seatings)])
            for game in known[given.id]
        ]
        findings += _other_absence(results[given.id], order.suspended_in(given.id))
        order.finish(given.id, results[given.id])
    for group in stored:
        is_of_later_round = order.is_over and stored[group].surplus  # the plan had more rounds before
        if group not in places and not is_of_later_round:
            words = "the plan does not lead to this group: it was added, or what led to it was changed"
            findings.append(Finding(group, words))
    findings += _other_openings(plan, dealt, openings)
    if ending is not None:
        findings += _other_ending(ending, stored, places, order, schedule.winner(results))
    return findings


def _pool_group(name: str, kept: Sequence[PlayedGame], stage: str) -> SeedGroup | None:
    """Return the seed group with the id `name`, rebuilt from its stored games `kept`.

    Used for a format without a schedule. Return None if no seed group of these games has the id `name`.
    """
    seatings = [game.seating for game in kept]
    same = (  # second and third attempts at games come last
        SeedGroup(kept[0].setting, kept[0].seed, seatings[:number], stage) for number in range(len(seatings), 0, -1)
    )
    return next((one for one in same if one.id == name), None)


def _other_games(name: str, group: SeedGroup, kept: Sequence[PlayedGame], stage: str) -> list[Finding]:
    """Return a finding for each difference between the stored games of a seed group and the schedule.

    `name` is the id of the seed group, `kept` has its stored games, and `stage` is its stored stage.
    """
    findings = []
    size = len(group.seatings)
    by_number = {game.number: game for game in kept}
    again = [
        number + size
        for number, game in by_number.items()
        if number + size < ATTEMPTS * size and game.reason != "normal" and number + size in by_number
    ]
    if sorted(by_number) != sorted({*range(size), *again}) or any(game.group != name for game in kept):
        words = f"the schedule has {size} games, the results {len(kept)}, or they are numbered differently"
        findings.append(Finding(name, words))
    if stage != group.stage:
        findings.append(Finding(name, f"stage {printable(stage)} instead of {group.stage}"))
    for game in kept:
        seating = group.seatings[game.number % size]
        about = f"{name}-{game.number}"
        if game.seating != seating:
            findings.append(Finding(about, f"the schedule seats {_list(seating)}, the results {_list(game.seating)}"))
        if (game.setting, game.seed) != (group.setting, group.seed):
            findings.append(Finding(about, "setting or seed differ from the schedule"))
    return findings


def _other_openings(
    plan: TournamentPlan, groups: Sequence[SeedGroup], openings: Mapping[str, dict[str, Opening | None]]
) -> list[Finding]:
    """Return a finding for each game whose log does not start with the opening of the plan.

    `openings` maps the id of a seed group to a mapping from the id of a game to the opening in its log.
    """
    findings = []
    tables = [(setting, table_of(setting, plan.boards)) for setting in plan.settings]
    for group in groups:
        logged = openings.get(group.id, {})
        table = next((table for setting, table in tables if setting == group.setting), None)
        if not logged or table is None:
            continue
        should = opening_of(plan, group, table)
        for about, opening in logged.items():
            if msgspec.json.encode(opening) != msgspec.json.encode(should):
                words = f"the log has {_opening_words(opening)}, the plan {_opening_words(should)}"
                findings.append(Finding(about, printable(f"not the opening that the plan gives: {words}")))
    return findings


def _opening_words(opening: Opening | None) -> str:
    if opening is None:
        return "none"
    source = f"drawn (version {opening.version})" if opening.source == "drawn" else f"{opening.book} {opening.entry}"
    return f"{source}, {len(opening.actions)} actions"


def _other_absence(games: Sequence[PlayedGame], suspended: Collection[str]) -> list[Finding]:
    """Return a finding for each game in which the absent entrants are not exactly the entrants in `suspended`."""
    findings = []
    for game in games:
        away = [seat for seat, one in enumerate(game.seating) if one in suspended]
        if game.absent != away:
            who, should = ([game.seating[seat] for seat in seats] for seats in (game.absent, away))
            words = f"the results say that {_list(who) or 'nobody'} sat out, not {_list(should) or 'nobody'}"
            findings.append(Finding(f"{game.group}-{game.number}", words))
    return findings


def _other_ending(
    ending: Ending, stored: Mapping[str, Any], places: Mapping[str, int], order: GroupSequence, winner: str | None
) -> list[Finding]:
    findings = []
    should = set(order.order[: ending.groups])
    for group in stored:
        if group in places and stored[group].surplus == (group in should):
            words = (
                "marked as surplus, but it counts" if stored[group].surplus else "counts, but was played after the end"
            )
            findings.append(Finding(group, words))
    if ending.why == "format" and winner != ending.winner:
        findings.append(Finding("results", f"the winner is {ending.winner}, the logs say {winner}"))
    return findings


# Heads and standings


def _differing_heads(ending: Ending | None, heads: Sequence[str], shown_head: str | None) -> list[Finding]:
    findings = []
    now = heads[-1]
    if ending is not None and ending.head not in (None, now):
        words = f"the games have the head {now}, but {ending.head} was recorded at the end: a row was changed"
        findings.append(Finding("results", words))
    if shown_head is not None and shown_head.lower() not in heads:
        findings.append(
            Finding("results", f"the games have the head {now}, not {printable(shown_head)} as shown before")
        )
    return findings


def _since(heads: Sequence[str], earlier_head: str | None) -> list[str]:
    """Return a list with a note about the number of games added after `earlier_head`.

    The list is empty if no game was added, or if `earlier_head` is None or not one of `heads`.
    """
    games = len(heads) - 1
    if earlier_head is None or earlier_head.lower() not in heads[:-1]:
        return []
    then = heads.index(earlier_head.lower())
    added = f"{count_phrase(games - then, 'game')} {'was' if games - then == 1 else 'were'} added since"
    return [f"an earlier head of the same tournament, after {count_phrase(then, 'game')}: {added}"]


def _result(game: PlayedGame) -> tuple[Any, ...]:
    return game.seating, game.ranks, game.faults, game.reason


def _differing_tables(stored: Sequence[ShortRow], real: Sequence[ShortRow]) -> list[Finding]:
    """Return a finding for each entrant whose row differs between the standings from the database and from the logs.

    `stored` are the standings from the database, and `real` those from the logs.
    """
    findings = []
    rows: list[dict[str, ShortRow]] = [{row.name: row for row in table} for table in (stored, real)]
    for name in dict.fromkeys([*rows[1], *rows[0]]):
        one, other = rows[0].get(name), rows[1].get(name)
        if one != other:
            words = f"{name} is {_placed(one)} by the database, and {_placed(other)} by the logs"
            findings.append(Finding("standings", printable(words)))
    return findings


def _placed(row: ShortRow | None) -> str:
    if row is None:
        return "missing"
    place = "without a rating, with" if row.rating is None else f"{row.place}. with {row.rating:.0f} points,"
    return f"{place} {row.win_share:.1%} wins and {row.faults} faults"


def _notes(folder: Path, ending: Ending | None, cases: Sequence[Case]) -> list[str]:
    games = [case.played for case in cases]
    named = {_log_name(game) for game in games if game.log is not None}
    try:
        unnamed = sorted(file.name for file in (folder / LOGS).iterdir() if f"{LOGS}/{file.name}" not in named)
    except OSError:
        unnamed = []
    counts: list[tuple[int, Callable[[int], str]]] = [
        (sum(game.log is None for game in games), lambda n: f"{count_phrase(n, 'game')} without a log"),
        (
            sum(game.log is not None and game.head is None for game in games),
            lambda n: f"the results have no head for {count_phrase(n, 'log')}: a valid edit of one cannot be detected",
        ),
        (
            sum(case.is_let_go and not (folder / _log_name(case.played)).exists() for case in cases),
            lambda n: (
                f"{count_phrase(n, 'log')} deleted to save space: nothing proves the results of these games any more"
            ),
        ),
        (
            len(unnamed),
            lambda n: (
                f"{count_phrase(n, 'log')} without a game in the results, left by an interrupted run: {unnamed[0]}"
            ),
        ),
    ]
    notes = [words(count) for count, words in counts if count]
    if ending is None:
        notes.append("the tournament has not ended, so games missing at the end cannot be detected")
    return notes


def _log_name(game: PlayedGame) -> str:
    return log_name(game.group, game.number)
