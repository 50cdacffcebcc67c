"""`rails-cli daily`: Play the deal of the day, the same for everyone."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import click
import msgspec

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.files import read_file, replace_file
from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_lines, print_wrapped, reported, worker_errors
from rails_cli.commands.analyse import GamesBar
from rails_cli.commands.logs import check_whole, content_of, log_errors
from rails_cli.commands.options import ParsedType, cli_command
from rails_cli.commands.parameters import GAME_NAME, Fast, OwnName, ResultJson
from rails_cli.commands.play import play_new, player_lines, resume_game
from rails_cli.commands.seating import check_level
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.study.analysis.judging import Judgement, NoEvaluation
from rails_cli.study.analysis.running import CannotJudge
from rails_cli.study.daily import LEVEL, DailyResult, Deal, deal_of, match_of, result_of
from rails_cli.study.lessons import usual_players
from rails_cli.study.playback.recorded import Recorded, read_recorded
from rails_cli.terminal.last_screen import LastScreen
from rails_cli.terminal.saving import games_folder, new_path, state_folder
from rails_cli.terminal.signs import is_unicode


def _day(words: str) -> date:
    """Return the date that `words` name. Raise ValueError if they are not a date, or if the date is in the future."""
    try:
        day = date.fromisoformat(words)
    except ValueError:
        raise ValueError(f"{words!r} is not a date; expected one such as 2026-03-01") from None
    if day > _today():
        raise ValueError(f"{day} has not begun yet; in UTC, today is {_today()}")
    return day


def _today() -> date:
    return datetime.now(UTC).date()


@cli_command
def command(
    day: Annotated[
        date | None,
        setting(
            "The deal of this day, such as 2026-03-01.  [default: today, UTC]", "--date", type=ParsedType("date", _day)
        ),
    ] = None,
    game_name: Annotated[str | None, setting("Another game than that of the day.", "--game", type=GAME_NAME)] = None,
    name: OwnName = None,
    again: Annotated[bool, setting("Play the same deal again; only the first attempt counts.")] = False,
    fast: Fast = False,
    as_json: ResultJson = False,
) -> None:
    """Play the deal of the day against hard bots. Everyone who plays on a day has the same deal and the same seat.

    The game changes from day to day. Days begin at midnight UTC. At the end you get a few lines to share. They show
    your place, your lead over the best bot or your distance to it, and one sign for each of your decisions. They reveal
    nothing about the deal. A high bar is a good decision, a low one a mistake. Only the first attempt counts: if you
    have played, the command shows what you got, and with --again you play once more, unofficially. A game that you left
    is resumed.

    With --json, the command only prints the result of your first attempt. The exit code is 1 if there is none.

    \b
    Examples:
      rails-cli daily
      rails-cli daily --game chicago_express
      rails-cli daily --date 2026-03-01 --again
      rails-cli daily --json
    """
    deal = deal_of(day or _today(), game_name)
    check_level(LEVEL, deal.game)
    file = games_folder() / f"{deal.name}.jsonl"
    recorded = recorded_in(deal, file)
    if as_json:
        if recorded is None or recorded.result is None:
            raise click.ClickException(f"you have not finished the deal of {deal.day}; play it: rails-cli daily")
        print_json(result_in(deal, file, recorded, is_official=True))
        return
    if recorded is not None and recorded.result is not None and not again:
        print_wrapped(f"You have played the deal of {deal.day}:", "")
        show(result_in(deal, file, recorded, is_official=True))
        print_wrapped("", f"Watch it: rails-cli replay {deal.name}", "Play it again, unofficially: add --again")
        return
    screens: list[LastScreen] = []
    if recorded is not None and recorded.result is None:
        how = resume_game(file, is_fast=fast, ended=screens.append)
    else:
        file = file if recorded is None else new_path(games_folder(), f"{deal.name}-again")
        seats = [PERSON if seat == deal.seat else f"{BUILTIN}{LEVEL}" for seat in range(usual_players(deal.game))]
        match = match_of(deal, player_lines(seats, name))
        intro = f"The deal of {deal.day}, against {LEVEL} bots: you sit in seat {deal.seat + 1}."
        if match.opening:
            intro += f" The first {len(match.opening)} moves are already played."
        how = play_new(match, is_fast=fast, file=file, intro=intro, ended=screens.append)
    if how == "normal":
        finished = recorded_in(deal, file)
        assert finished is not None
        click.echo()
        known = screens[0].judged
        show(result_in(deal, file, finished, known, is_official=file.stem == deal.name))


def recorded_in(deal: Deal, file: Path) -> Recorded | None:
    """Return the game in the log `file`, or None if there is no such file.

    Raise ClickException if the log is invalid or not a game with this deal.
    """
    if not file.exists():
        return None
    with log_errors(file):
        recorded = read_recorded(content_of(file))
    check_whole(recorded, file)
    if not deal.is_played_in(recorded):
        raise click.ClickException(
            f"the saved game {deal.name} has another deal; rename it: rails-cli games rename {deal.name} NEW"
        )
    return recorded


def result_in(
    deal: Deal, file: Path, recorded: Recorded, known: Sequence[Judgement] = (), *, is_official: bool
) -> DailyResult:
    """Return the result of the finished game in the log `file`, and show a progress bar while it is analysed.

    Decisions with a judgement in `known` are not judged again. `is_official` says whether the game is the first attempt
    at the deal. The result is stored in the state folder, so that the same log is analysed only once.
    """
    content = content_of(file)
    stored = state_folder() / "daily" / f"{file.stem}-{sha256(content).hexdigest()[:16]}.json"
    with suppress(OSError, *UNDECODABLE):
        return msgspec.json.decode(read_file(stored), type=DailyResult)
    with GamesBar(1) as progress, worker_errors(), reported(CannotJudge, NoEvaluation):
        found = result_of(deal, content, recorded, usable_cores(), progress, known, is_official=is_official)
        progress.clear()
    with suppress(OSError):
        stored.parent.mkdir(parents=True, exist_ok=True)
        replace_file(stored, msgspec.json.encode(found))
    return found


def show(result: DailyResult) -> None:
    print_lines(*result.lines(is_unicode=is_unicode()))
