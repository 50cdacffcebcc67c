"""`rails-cli host`: Host matches over standard input and output."""

import sys
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Any, TypeVar

import click
import msgspec

from rails_cli.basics.collector import reduce_garbage_collection
from rails_cli.basics.files import raise_open_file_limit
from rails_cli.basics.settings import setting
from rails_cli.commands import FAILED
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import GameArgument, check_players, seat_index
from rails_cli.commands.seating import SEAT_SPEC, STDIO, MatchOptions, Seating, Series, SignOption, check_signer
from rails_cli.games import load_face, load_game
from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.game import ranked_last, win_share
from rails_cli.games.shared.text import printable
from rails_cli.match.clock import SeatClock
from rails_cli.match.match import Match
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import Session
from rails_cli.protocol.log import PlayerLine, ResultLine, Seed
from rails_cli.referee.many import ConcurrentMatches, HostedMatch, SharedLine
from rails_cli.referee.seats import Gone, StdioSeat
from rails_cli.referee.single import Referee

T = TypeVar("T")

RESERVED_FILES = 40
"""Number of files that the program may open in addition to the logs."""


@cli_command
def command(
    *,
    game_name: GameArgument,
    players: Annotated[int, setting("Number of players.")],
    filled: Annotated[
        tuple[tuple[int, str], ...],
        setting(
            "Fill a seat, counted from 1, with builtin:NAME or a command line. "
            "The others are played over standard input and output.",
            "--seat",
            "SEAT SPEC",
            type=(int, SEAT_SPEC),
        ),
    ] = (),
    games: Annotated[
        int, setting("Number of matches, one after another; 0: until the input is closed.", least=0, most=1_000_000_000)
    ] = 1,
    at_once: Annotated[
        int,
        setting("Number of matches open at a time; with more than 1, an answer names its match.", least=1, most=1024),
    ] = 1,
    rotate: Annotated[bool, setting("Rotate the seats from match to match.")] = False,
    options: MatchOptions,
    log: Annotated[
        Path | None,
        setting("Write the log to this new file; with several games, to this folder.", type=click.Path(path_type=Path)),
    ] = None,
    signer: SignOption = None,
    as_json: Annotated[
        bool, setting("Print a summary as one JSON object, the last line of standard error.", "--json")
    ] = False,
) -> None:
    """Host matches of GAME for the program that started this one.

    Requests for all open seats are written to standard output, each naming its seat. Answers are read from standard
    input. The messages are described in protocol/PROTOCOL.md. With --games 0 the next game starts as soon as one is
    over, until the input is closed between two games. Exits with 0 after the last game. Exits with 3 if a player lost a
    seat in a game, and with 1 if the input ends too early.

    With --at-once 16, sixteen matches are open at a time, for training: read all requests that have come, then write
    all your answers at once. The same seed gives the same matches. To use several cores, start several hosts.

    \b
    Examples:
      rails-cli host last_spike --players 2 --clock none
      rails-cli host chicago_express --players 3 --seat 2 builtin:greedy --seat 3 './bot --fast' --seed 7
      rails-cli host last_spike --players 3 --seat 2 builtin:medium --games 1000 --rotate --clock none --log games
      rails-cli host last_spike --players 3 --games 10000 --at-once 16 --clock none
    """
    check_players(load_game(game_name), players)
    specs = [STDIO] * players
    for number, spec in filled:
        seat = seat_index(number, players)
        if specs[seat] != STDIO:
            raise click.BadParameter(f"seat {number} is filled twice", param_hint="--seat")
        specs[seat] = spec
    if STDIO not in specs:
        raise click.UsageError("no seat is left to play over standard input; use rails-cli run")
    is_single = games == 1
    at_once = min(at_once, games or at_once)
    if at_once > 1 and not all(spec == STDIO or spec.startswith(BUILTIN) for spec in specs):
        raise click.UsageError("a bot plays one match at a time; with --at-once, fill seats with builtin:NAME only")
    check_log(log, is_single=is_single)
    if at_once > 1 and log is not None:
        check_open_files(at_once)
    check_signer(signer, log)
    series = Series(game_name, players, options, is_single=is_single)
    notes = log if is_single or log is None else log / "games"
    seating = Seating(
        specs, game_name, series.seed, options.clock, options.bots, notes, is_series=not is_single, signer=signer
    )
    hosting = Hosting(series, seating, seating.players(options.names), log, turns=int(rotate))
    if not is_single:
        reduce_garbage_collection()
    is_whole = hosting.play(games) if at_once == 1 else hosting.play_at_once(games, at_once)
    if as_json:
        click.echo(msgspec.json.encode({"game": game_name, "seed": series.seed, **hosting.tally.summary()}), err=True)
    elif not is_single:
        hosting.tally.show(series.seed, load_face(game_name))
    elif is_whole and options.seed is None:
        click.echo(f"rails-cli host: random seed: {series.seed}", err=True)
    if not is_whole:
        sys.exit(1)
    if any(hosting.tally.lost):
        sys.exit(FAILED)


def check_log(log: Path | None, *, is_single: bool) -> None:
    """Check `log`, the value of --log or None. Raise BadParameter if it is not suitable.

    With `is_single`, one game is logged, and `log` must not be a folder. Otherwise `log` must not be a file or a folder
    with logs.
    """
    if log is None:
        return
    if is_single:
        if log.is_dir():
            raise click.BadParameter(f"{log} is a folder; a single game is written to a new file", param_hint="--log")
    elif not log.is_dir() and (log.exists() or log.suffix == ".jsonl"):
        raise click.BadParameter(f"{log} is a file; several games are written to a folder", param_hint="--log")
    elif next(log.glob("*.jsonl"), None) is not None:
        raise click.BadParameter(f"{log} already holds logs; choose another folder", param_hint="--log")


def check_open_files(logs: int) -> None:
    """Raise BadParameter if the system does not allow enough open files for `logs` logs at a time."""
    wanted = logs + RESERVED_FILES
    most = raise_open_file_limit(wanted)
    if most < wanted:
        words = f"{logs} logs at a time need {wanted} open files, and no more than {most} are allowed (ulimit -n)"
        raise click.BadParameter(f"{words}; choose fewer, or leave out --log", param_hint="--at-once")


@dataclass
class Hosting:
    """The matches of one run of `rails-cli host`, one after another or several at a time."""

    series: Series
    seating: Seating
    players: Sequence[PlayerLine]
    log: Path | None
    """File of the log of a single match, or folder of the logs of several matches. None to write no logs."""
    turns: int
    """Number of seats by which each player moves up after each match: 1 with --rotate, otherwise 0."""
    expired: int = 0
    """Number of the last request that expired. Its answer may still arrive during the next match."""

    def __post_init__(self) -> None:
        self.tally = Tally([player.name for player in self.players])

    def play(self, games: int) -> bool:
        """Play `games` matches. If `games` is 0, play until the input ends. Return whether all matches were played."""
        number = 0
        line = self.seating.stdio_seat = StdioSeat(patience_s=self._patience_s())
        with self.seating.seated(), line.opened():
            while number < games or not games:
                try:
                    self._play(number)
                except Gone as gone:
                    return self._leave(gone, number, games, is_silent=line.is_silent and not line.is_given_up)
                number += 1
        return True

    def _patience_s(self) -> float | None:
        """Return the maximum number of seconds that the client may take to read our output, or None if there is no
        clock.

        The limit is the time that the client has for its first answer.
        """
        budget_s = SeatClock(self.series.clock).budget_s()
        return None if budget_s is None else budget_s + self.seating.policy.start_up_s

    def _leave(self, gone: Gone, number: int, games: int, *, is_silent: bool) -> bool:
        """Print that the client has ended during match `number`. Return whether all `games` matches were played.

        With `is_silent`, the client had sent nothing in match `number`, so the match does not count and its log is
        deleted.
        """
        if games == 1 or not is_silent:
            which = "the game" if games == 1 else f"game {number + 1}"
            click.echo(f"rails-cli host: {gone}; {which} is not finished", err=True)
            return False
        if self.seating.log is not None:
            self._log_of(number).unlink()
        if games:
            click.echo(f"rails-cli host: {gone} after {number} of {games} games", err=True)
        return not games

    def _play(self, number: int) -> None:
        seating = self.seating
        match, sitting = self._begin(number, seating)
        referee = Referee(match, sitting, seating.policy, write=seating.write, numbers_after=self.expired)
        result = referee.play()
        self.expired = referee.session.expired
        self._end(referee.session, result, seating)

    def play_at_once(self, games: int, most: int) -> bool:
        """Play `games` matches, up to `most` of them at a time. Return whether all matches were played."""
        line = self.seating.stdio_seat = SharedLine(patience_s=self._patience_s())
        numbers = iter(range(games)) if games else count()
        seatings: dict[HostedMatch, Seating] = {}

        def begin() -> HostedMatch | None:
            number = next(numbers, None)
            if number is None:
                return None
            seating = copy(self.seating)
            match, sitting = self._begin(number, seating)
            hosted = HostedMatch(match, sitting, seating.policy, write=seating.write)
            seatings[hosted] = seating
            return hosted

        def ended(hosted: HostedMatch, result: ResultLine) -> None:
            self._end(hosted.session, result, seatings.pop(hosted))

        is_timed = self.series.clock is not None
        with self.seating.seated():
            try:
                ConcurrentMatches(self.series.game, line, most, begin, ended, is_timed=is_timed).play()
            except Gone as gone:
                unfinished = count_phrase(sum(not hosted.is_silent for hosted in seatings), "game")
                of_all = f" of {games}" if games else ""
                words = f"{gone} after {self.tally.games}{of_all} games; {unfinished} not finished"
                click.echo(f"rails-cli host: {words}", err=True)
                return not games and line.has_ended
            finally:
                for hosted, seating in seatings.items():
                    seating.close_log()
                    if hosted.is_silent and seating.log_file is not None:
                        seating.log_file.unlink(missing_ok=True)
        return True

    def _begin(self, number: int, seating: Seating) -> tuple[Match, list[Any]]:
        """Create match `number`, counted from 0, and its log. Return the match and its players in seat order."""
        turn = number * self.turns
        match = self.series.match(number, rotated(self.players, turn))
        if self.log is None:
            match.has_digests = False
        else:
            seating.open_log(self._log_of(number), match)
        seating.begin(turn)
        assert match.header.seed is not None
        seating.seed = match.header.seed
        return match, rotated(seating.sit(), turn)

    def _end(self, session: Session, result: ResultLine, seating: Seating) -> None:
        seating.close_log()
        names = [player.name for player in session.match.header.players]
        seating.print_failures(session.lost_seats, names, only_lost=True)
        self.tally.add(session, result, seating.turn)

    def _log_of(self, number: int) -> Path:
        assert self.log is not None
        return self.log if self.series.is_single else self.log / f"game-{number + 1:06}.jsonl"


def rotated(players: Sequence[T], turn: int) -> list[T]:
    """Return the players in the order of the seats after each player has moved up `turn` seats."""
    return [players[(seat - turn) % len(players)] for seat in range(len(players))]


class Tally:
    """Totals of wins, ranks, cash, faults and lost seats for each player. Players may change seats between matches."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.games = self.void = self.decisions = 0
        self.wins = [0.0] * len(names)
        self.ranks, self.cash, self.faults, self.lost = ([0] * len(names) for _ in range(4))
        self.began = time.perf_counter()

    def add(self, session: Session, result: ResultLine, turn: int) -> None:
        self.games += 1
        self.decisions += session.match.number
        is_void = result.reason != "normal"
        self.void += is_void
        lost, faults = session.lost_seats, session.faults
        ranks = ranked_last(result.ranks, lost)
        for player in range(len(self.names)):
            seat = (player + turn) % len(self.names)
            self.faults[player] += faults[seat]
            self.lost[player] += seat in lost
            if not is_void:
                self.wins[player] += win_share(ranks, seat)
                self.ranks[player] += ranks[seat]
                self.cash[player] += result.scores[seat]

    def summary(self) -> dict[str, Any]:
        """Return the totals as an object for JSON output.

        Void matches, which have no winner, do not count for win shares and means.
        """
        seconds = time.perf_counter() - self.began
        whole = (self.games - self.void) or None
        return {
            "games": self.games,
            "void": self.void,
            "decisions": self.decisions,
            "players": [
                {
                    "name": name,
                    "win_share": whole and round(self.wins[player] / whole, 4),
                    "mean_rank": whole and round(self.ranks[player] / whole, 4),
                    "mean_cash": whole and round(self.cash[player] / whole, 4),
                    "faults": self.faults[player],
                    "lost_seats": self.lost[player],
                }
                for player, name in enumerate(self.names)
            ],
            "timing": {
                "seconds": round(seconds, 3),
                "games_per_s": round(self.games / seconds, 1),
                "decisions_per_s": round(self.decisions / seconds, 1),
            },
        }

    def show(self, seed: Seed, face: Face) -> None:
        summary = self.summary()
        timing = summary["timing"]
        void = f" ({self.void} void)" if self.void else ""
        click.echo(
            f"rails-cli host: {self.games} games{void}, {self.decisions:,} decisions in {timing['seconds']} s, "
            f"{timing['decisions_per_s']:,.0f} a second; random seed: {seed}",
            err=True,
        )
        if self.games == self.void:
            return
        for player in summary["players"]:
            faults = f", {player['faults']} faults" if player["faults"] else ""
            click.echo(
                f"  {printable(player['name'])}: wins {player['win_share']:.1%}, mean rank {player['mean_rank']:.2f}, "
                f"mean score {face.score_text(round(player['mean_cash']))}{faults}",
                err=True,
            )
