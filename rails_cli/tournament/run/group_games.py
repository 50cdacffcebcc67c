"""Playing of all games of one seed group: games with the same seed but different seatings."""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from rails_cli.games import load_face
from rails_cli.games.game import digest, ranked_last
from rails_cli.games.shared.luck import opaque_id, stream
from rails_cli.logs.chain import Chain
from rails_cli.match.faults import TAKEN_OVER
from rails_cli.match.match import Match, header_of
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import Player
from rails_cli.players.builtin import ChancePlayer, builtin_player, is_slow, substitute
from rails_cli.programs.failures import failure_of
from rails_cli.programs.process import BotProcess
from rails_cli.programs.sandbox import NoSandbox, available_sandbox
from rails_cli.protocol.log import ActionLine, FaultLine, PlayerLine
from rails_cli.referee.seats import LineSeat
from rails_cli.referee.single import Referee, TimeLimit
from rails_cli.tournament.model import Entrant, PlayedGame, SeedGroup
from rails_cli.tournament.plan.game_setup import ATTEMPTS, STAND_IN, deal_of, names_of, own_clock_line
from rails_cli.tournament.plan.openings import is_luckless, opening_of
from rails_cli.tournament.rating.copies import fingerprint_of, trail_of
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT, TOO_FEW, forfeited, is_valid
from rails_cli.tournament.results.group_results import GameFault, log_name, reported_tokens
from rails_cli.tournament.run.bots import BOTS
from rails_cli.tournament.run.conditions import PreparedPlan
from rails_cli.tournament.run.turns import TURN

Chance = Callable[[], float]
GameOutcome = tuple[list[int], list[int], str, list[int], bool, list[int], int]
"""The outcome of a game. The items are the fields of `PlayedGame` from `scores` to `actions`, in the same order."""


class GroupGames:
    """Playing of all games with one seed (a seed group), with their results."""

    def __init__(
        self,
        prepared: PreparedPlan,
        group: SeedGroup,
        suspended: Collection[str],
        starts_apart: bool,
        now: Callable[[], float],
        left_s: float | None = None,
    ) -> None:
        """Prepare the games of `group`. Entrants in `suspended` do not play.

        If `starts_apart`, each bot starts only at its first request. `now` is the clock of the games. `left_s` is the
        number of seconds after which games are stopped, if any.
        """
        self.prepared = prepared
        self.now = now
        self.starts_apart = starts_apart
        self.group = group
        self.id = group.id
        self.table = prepared.table(group.setting)
        self.opening = opening_of(prepared.plan, group, self.table)
        self.may_repeat = self.opening is None and is_luckless(self.table)
        """Whether games with other seeds start from the same position as these games."""
        self.games: list[PlayedGame] = []
        self.faults: list[GameFault] = []
        self.logs: dict[str, bytes] = {}
        self.setup = ""
        self.moves: list[tuple[int, Any]] = []
        """Seat and action of each move of the current game."""
        self.last_words: dict[str, str] = {}
        self.suspended = frozenset(suspended)
        limits_s = [limit_s for limit_s in (prepared.plan.group_limit_s, left_s) if limit_s is not None]
        self.until = now() + min(limits_s) if limits_s else None
        self.used_s: defaultdict[str, float] = defaultdict(float)
        """Mapping from the name of an entrant to the seconds of wall time spent waiting for its answers."""
        self.deal = group.seed
        """Seed with which the current game is set up."""
        names = {name for seating in group.seatings for name in seating}
        self.is_refereed = bool(names & self.suspended) or any(map(self._goes_by_clock, names))
        """Whether games need a `Referee`: an entrant is suspended, is a bot, or is a built-in player that searches."""

    def play(self, number: int, seating: list[str], chance: Chance) -> None:
        """Play game `number`, counted from 0. Built-in players take their random numbers from `chance`."""
        limit = None if self.is_refereed else self._limit(seating, ())
        if self.is_refereed or (limit is not None and limit.is_over):
            self._play_refereed(number, seating, chance)
        elif self.prepared.plan.logs:
            self._play_logged(number, seating, chance, limit)
        else:
            self._play_quickly(number, seating, chance, limit)

    def _goes_by_clock(self, name: str) -> bool:
        """Return whether the entrant `name` has a clock: it is a bot, or a built-in player that searches."""
        return name not in self.prepared.policies or is_slow(self.prepared.entrants[name].spec.removeprefix(BUILTIN))

    def _play_quickly(self, number: int, seating: list[str], chance: Chance, limit: TimeLimit | None) -> None:
        """Play a game between built-in players without a log.

        The result is the same as the result of `_play_logged`.
        """
        game, board = self.table.game, self.table.board
        legal_actions, apply = game.legal_actions, game.apply
        events: list[Any] | None = [] if self.prepared.plan.economy else None
        self.deal = deal_of(game, self.group.seed, self.id, number)
        state = game.setup(board, len(seating), self.table.options, self.deal, events)
        self.setup, self.moves = digest(game, state), []
        if self.opening is not None:
            for action in self.opening.actions:
                self.moves.append((state.pending.seat, action))
                apply(state, board, action, events)
        policies = [self.prepared.policies[name] for name in seating]
        thinkers = {
            seat: self._builtin_player(name, seat, chance)
            for seat, name in enumerate(seating)
            if policies[seat] is None
        }
        position = SimpleNamespace(game=game, board=board, state=state, seat=0, legal=[])
        position.view_for = lambda observer: game.view(state, board, observer)
        while (question := state.pending) is not None:
            seat = question.seat
            legal = legal_actions(state, board)
            choose = policies[seat]
            if choose is None:
                position.seat, position.legal = seat, legal
                action = thinkers[seat].choose(cast(Match, position))
            else:
                action = choose(legal, chance)
            apply(state, board, action, events)
            self.moves.append((seat, action))
            if limit is not None and limit.is_over_after(seat):
                self._break_off(number, seating, chance, limit)
                return
        self._note_used(seating, limit)
        nothing = [0] * len(seating)
        outcome = (game.scores(state), game.ranks(state, board), "normal", nothing, False, nothing, len(self.moves))
        self._add(number, seating, outcome, events)

    def _play_logged(self, number: int, seating: list[str], chance: Chance, limit: TimeLimit | None) -> None:
        match = self.match(number, seating)
        policies = [self.prepared.policies[name] for name in seating]
        players = [self._builtin_player(name, seat, chance) for seat, name in enumerate(seating)]
        lines: list[Any] = [match.header, match.setup_line, *match.play_opening()]
        while match.seat is not None:
            seat = match.seat
            choose = policies[seat]
            action = players[seat].choose(match) if choose is None else choose(match.legal, chance)
            lines.append(match.play(action))
            if limit is not None and limit.is_over_after(seat):
                self.moves = [(line.seat, line.action) for line in lines[2:]]
                self._break_off(number, seating, chance, limit)
                return
        self._note_used(seating, limit)
        self.moves = [(line.seat, line.action) for line in lines[2:]]
        result = match.result_line()
        lines.append(result)
        nothing = [0] * len(seating)
        outcome = (result.scores, result.ranks, "normal", nothing, False, nothing, match.number)
        self._add(number, seating, outcome, match.history, self._keep_log(number, lines))

    def _break_off(self, number: int, seating: list[str], chance: Chance, limit: TimeLimit) -> None:
        """End the current game because its time limit is over.

        The actions so far are played again in a new match, and a `Referee` ends this match.
        """
        moves = self.moves
        match = self.match(number, seating)
        lines: list[Any] = [match.header, match.setup_line, *match.play_opening()]
        lines += [match.play(action) for _, action in moves[match.number :]]
        self._play_with_referee(number, seating, chance, match, lines, limit)

    def match(self, number: int, seating: list[str], absent: Collection[int] = ()) -> Match:
        prepared, table = self.prepared, self.table
        self.deal = deal_of(table.game, self.group.seed, self.id, number)
        players = [
            PlayerLine(name, STAND_IN) if seat in absent else _player_line(name, prepared.entrants[seating[seat]])
            for seat, name in enumerate(names_of(seating))
        ]
        header = header_of(
            table.game,
            table.options,
            self.deal,
            players,
            board=prepared.board_lines[self.group.setting.board],
            clock=prepared.clock_line,
            opening=self.opening,
            match=opaque_id(self.group.seed, self.id, number),
            anonymous=prepared.plan.anonymous,
        )
        match = Match(table.game, table.board, header)
        self.setup, self.moves = match.setup_line.digest, []
        return match

    def _play_refereed(self, number: int, seating: list[str], chance: Chance) -> None:
        """Play a game.

        If the game is aborted and the plan says `void_and_replay`, play it again, up to `ATTEMPTS` times in total.
        """
        attempts = ATTEMPTS if self.prepared.plan.on_faults == "void_and_replay" else 1
        for attempt in range(attempts):
            if attempt:  # the attempt before has used the random stream
                chance = stream(f"{self.group.seed}/{number}/{attempt + 1}")
            if self._play_once(number + attempt * len(self.group.seatings), seating, chance):
                return

    def _play_once(self, number: int, seating: list[str], chance: Chance) -> bool:
        """Play one attempt at a game. Return whether no further attempt is needed."""
        absent = [seat for seat, name in enumerate(seating) if name in self.suspended]
        match = self.match(number, seating, absent)
        if len(seating) - len(absent) < 2:
            self._call_off(number, seating, match, TOO_FEW, absent, [])
            return True
        limit = self._limit(seating, absent)
        if limit is not None and limit.is_over:
            slowest = limit.slowest()
            if slowest is None:
                self._call_off(number, seating, match, NOBODYS_FAULT, absent, [])
                return True
            words = "the group ran out of time, and this bot used most of it; the game is not played"
            own = [fault.code for fault in self.faults if fault.entrant == seating[slowest]]
            code = "disconnect" if own[-1:] == ["disconnect"] else "too_slow"
            self.faults.append(GameFault(number, 0, slowest, seating[slowest], code, words))
            self._call_off(number, seating, match, "timeout", absent, [slowest])
            return True
        return self._play_with_referee(number, seating, chance, match, [match.header, match.setup_line], limit, absent)

    def _play_with_referee(
        self,
        number: int,
        seating: list[str],
        chance: Chance,
        match: Match,
        lines: list[Any],
        limit: TimeLimit | None,
        absent: Sequence[int] = (),
    ) -> bool:
        """Play the rest of an attempt whose log starts with `lines`. Return whether no further attempt is needed.

        Substitutes play the seats in `absent`.
        """
        sitting = [
            substitute(self.group.setting.game, seat) if seat in absent else self._seat(seating, seat, chance)
            for seat in range(len(seating))
        ]
        bots = {seat: who for seat, who in enumerate(sitting) if isinstance(who, BotProcess)}

        def write(line: Any) -> None:
            lines.append(line)
            if type(line) is FaultLine:
                stderr = "\n".join(failure_of(line, bots.get(line.seat), None, None).stderr)
                fields = line.number, line.seat, seating[line.seat], line.code, line.message, stderr
                self.faults.append(GameFault(number, *fields))

        for seat, bot in bots.items():
            bot.read_stderr()
            bot.notes.heading = f"=== game {self.id}-{number} begins, seat {seat + 1}\n".encode()
        referee = Referee(
            match,
            sitting,
            self.prepared.policy,
            write=write,
            limit=limit,
            on_ask=lambda seat: self._note_turn(seating[seat]),
            starts_apart=self.starts_apart,
            clocks=[
                self.prepared.policy.clock if seat in absent else self.prepared.clocks[name]
                for seat, name in enumerate(seating)
            ],
            now=self.now,
        )
        result = referee.play()
        has_default, players, replaced = False, len(seating), set[int]()
        ms, answers, tokens, bad_reports = ([0] * players for _ in range(4))
        for line in lines:
            if type(line) is ActionLine:
                ms[line.seat] += line.ms or 0
                answers[line.seat] += not (line.default or line.opening or line.seat in replaced)
                reported = reported_tokens(line.info)
                tokens[line.seat] += reported or 0
                bad_reports[line.seat] += reported is None
                self.moves.append((line.seat, line.action))
                has_default = has_default or line.default
            elif type(line) is FaultLine and line.message.endswith(TAKEN_OVER):
                replaced.add(line.seat)
        self._note_used(seating, limit, absent)
        lost = referee.session.lost_seats
        for seat, bot in bots.items():
            bot.read_stderr()
            bot.notes.mark(f"game {self.id}-{number} ends")
            BOTS.keep(bot)
            if seat in lost:
                self.last_words[seating[seat]] = "\n".join(bot.last_lines())
        is_broken_off = result.reason != "normal"
        ranks = [1] * len(seating) if is_broken_off else result.ranks
        outcome = (
            forfeited(result.scores, lost),
            ranked_last(ranks, {*lost, *absent}),
            result.reason,
            referee.session.faults,
            is_broken_off or has_default or bool(lost),
            ms,
            match.number,
        )
        kept = self._keep_log(number, lines)
        counts = {"answers": answers}
        counts |= {name: of for name, of in (("tokens", tokens), ("bad_reports", bad_reports)) if any(of)}
        self._add(number, seating, outcome, match.history, kept, lost, absent, counts)
        return not is_broken_off or (limit is not None and limit.is_over)

    def _note_used(self, seating: list[str], limit: TimeLimit | None, absent: Collection[int] = ()) -> None:
        """Add the seconds spent waiting for each entrant in the finished game to `used_s`."""
        if limit is not None:
            for seat, name in enumerate(seating):
                if seat not in absent:
                    self.used_s[name] += limit.used_s[seat]

    def _note_turn(self, name: str) -> None:
        """Write to a file that the entrant `name` is to move. The runner reads the file if this worker process dies.

        If another bot is still starting, write None as the name, because that bot may also kill the worker process.
        """
        if TURN.folder is not None:
            is_known = all(other in BOTS.asked for other in BOTS.running() if other != name)
            TURN.note(self.id, name if is_known else None)
        BOTS.asked.add(name)

    def _limit(self, seating: list[str], absent: Collection[int]) -> TimeLimit | None:
        """Return the time limit of a game that starts now, or None for no limit.

        If the time runs out, the seat that used most time loses the game. The limit may apply to all games of the seed
        group (games with one seed). Then no seat loses if an entrant that is not in this game used more time. Seats in
        `absent`, which substitutes play, cannot lose in this way.
        """
        game_s = self.prepared.plan.game_limit_s
        until = None if game_s is None else self.now() + game_s
        if self.until is not None and (until is None or self.until < until):
            used_s = [-math.inf if seat in absent else self.used_s[name] for seat, name in enumerate(seating)]
            return TimeLimit(self.until, used_s, max(self.used_s.values()), now=self.now)
        if until is None:
            return None
        return TimeLimit(until, [-math.inf if seat in absent else 0.0 for seat in range(len(seating))], now=self.now)

    def _call_off(
        self, number: int, seating: list[str], match: Match, reason: str, absent: list[int], lost: list[int]
    ) -> None:
        """Store the result of a game that is not played.

        `reason`, `absent` and `lost` are fields of the result (see `PlayedGame`).
        """
        nothing = [0] * len(seating)
        ranks = ranked_last([1] * len(seating), () if reason == NOBODYS_FAULT else {*lost, *absent})
        faults = [int(seat in lost) for seat in range(len(seating))]
        outcome = (match.result_line("interrupted").scores, ranks, reason, faults, True, nothing, 0)
        self._add(number, seating, outcome, None, lost=lost, absent=absent)

    def _add(
        self,
        number: int,
        seating: list[str],
        outcome: GameOutcome,
        events: Sequence[Any] | None,
        kept: tuple[str | None, str | None] = (None, None),
        lost: Sequence[int] = (),
        absent: Sequence[int] = (),
        counts: Mapping[str, list[int]] | None = None,
    ) -> None:
        group = self.group
        profiles = []
        if events is not None and self.prepared.plan.economy:
            profiles = load_face(group.setting.game).economy(self.table.board, len(seating), events)
        log, head = kept
        deal = None if self.deal == group.seed else self.deal
        fields = profiles, log, list(lost), list(absent), head, deal
        played = PlayedGame(self.id, number, group.setting, group.seed, seating, *outcome, *fields)
        if is_valid(played) and self.moves:
            start = group.setting, self.setup, seating
            mark = fingerprint_of(*start, [action for _, action in self.moves])
            trail = trail_of(fingerprint_of(*start, ()), self.moves) if self.may_repeat else ""
            played = msgspec.structs.replace(played, fingerprint=mark, trail=trail)
        if counts:
            played = msgspec.structs.replace(played, **counts)
        self.games.append(played)

    def _seat(self, seating: list[str], seat: int, chance: Chance) -> LineSeat | Player:
        """Return the built-in player or the bot that plays the given seat."""
        name = seating[seat]
        if name in self.prepared.policies:
            return self._builtin_player(name, seat, chance)
        return BOTS.take(self.prepared.conditions, self.prepared.entrants[name], seating[:seat].count(name))

    def _builtin_player(self, name: str, seat: int, chance: Chance) -> Player:
        policy = self.prepared.policies[name]
        if policy is not None:
            return ChancePlayer(policy, chance)
        kind = self.prepared.entrants[name].spec.removeprefix(BUILTIN)
        return builtin_player(kind, self.group.setting.game, self.group.seed, seat, self.now)

    def _keep_log(self, number: int, lines: list[Any]) -> tuple[str | None, str | None]:
        """Write the log of a game to a file, or store it in `logs` for the runner.

        Return its path and SHA-256, or two times None if the plan keeps no logs.
        """
        if not self.prepared.plan.logs:
            return None, None
        log = log_name(self.id, number)
        chain = Chain()
        content = chain.lines(lines)
        if self.prepared.conditions.sends_logs:
            self.logs[log] = content
        elif BOTS.are_over:
            raise SystemExit
        else:
            (self.prepared.plan.folder / log).write_bytes(content)
        return log, chain.head


def _player_line(name: str, entrant: Entrant) -> PlayerLine:
    """Return the entry for an entrant in the header of a log.

    The entry names the entrant's sandbox if this machine supports this kind of sandbox.
    """
    try:
        sandbox = available_sandbox(entrant.sandbox, entrant.image)
    except NoSandbox:
        sandbox = None
    return PlayerLine(name, entrant.spec, sandbox, clock=own_clock_line(entrant))
