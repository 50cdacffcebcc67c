"""`rails-cli play`: Play at this terminal against bots and people."""

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which
from typing import Annotated, Any, NamedTuple

import click
import msgspec

from rails_cli.basics.seeds import new_seed
from rails_cli.basics.settings import setting
from rails_cli.commands import is_at_terminal, print_wrapped, reported
from rails_cli.commands.after_game import after_game, game_name, original_name
from rails_cli.commands.log_names import LOG, complete_unfinished
from rails_cli.commands.logs import content_of
from rails_cli.commands.options import ParsedType, cli_command, given_parameters
from rails_cli.commands.parameters import (
    AT,
    BoardFile,
    Fast,
    GameOptions,
    Openings,
    OptionalGame,
    OwnName,
    SeedOption,
    ServerCertificate,
    ServerLink,
    board_and_content,
    check_players,
    game_options,
    openings_of,
    seat_index,
    server_link,
)
from rails_cli.commands.questions import (
    PlayCancelled,
    ask_choice,
    ask_game,
    ask_options,
    ask_seats,
    own_name,
    refuse,
    with_display,
)
from rails_cli.commands.seating import (
    BUILTIN_SPECS,
    LEVEL_TYPE,
    STDIO,
    BotSettings,
    Seating,
    confirm,
    is_person,
    name_of,
    seat_spec,
)
from rails_cli.commands.what_if import BranchPoint, NoPosition, begin_branch, branch_point, usual_person, usual_seats
from rails_cli.games import load_game, problem_of, standard_board
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.game import Game
from rails_cli.games.shared.luck import derived_seed
from rails_cli.games.shared.text import printable
from rails_cli.match.match import Match, ResumePoint, header_of, unique_name
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.players.builtin import baron_name, builtin_player, players_of, restore_plan
from rails_cli.players.chance import POLICIES
from rails_cli.protocol.log import PlayerLine, Seed
from rails_cli.protocol.messages import Clock, ClockLeft
from rails_cli.study.lessons import LEARNER
from rails_cli.terminal.frame import Display, Quit
from rails_cli.terminal.hot_seat import HotSeatGame
from rails_cli.terminal.kept_games import LAST, described, fitting, kept_games, saved_files
from rails_cli.terminal.last_screen import LastScreen
from rails_cli.terminal.lessons import Lessons
from rails_cli.terminal.saving import NotSaved, Resumed, SavedGame, begin, games_folder, is_being_played, resume

BOT_CLOCK = Clock(move_s=10)
"""The clock of bots that play against people at this terminal."""


def person_or_bot(words: str) -> str:
    """Check a value of --seat, and return it without surrounding spaces. Raise ValueError if the value is invalid.

    A valid value is `person`, `person:NAME`, `builtin:NAME`, the command line of a bot, or the number of a seat.
    """
    if is_person(words.strip()) or whole_number(words.strip()) is not None:
        return words.strip()
    spec = seat_spec(words)
    if not spec.startswith(BUILTIN) and which(shlex.split(spec)[0]) is None:
        known = f"person, person:NAME, {', '.join(BUILTIN_SPECS)} or 'python3 bot.py'"
        raise ValueError(f"there is no program {spec!r}; try {known}")
    return spec


class RepeatablePlayer(NamedTuple):
    """A built-in player whose random decision in a position is always the same, even after a move was taken back.

    `kind` is the name of the built-in player, such as `hard`. `is_timed` says whether its thinking time is charged to
    the clock of the seat.
    """

    kind: str
    seed: Seed
    seat: int
    is_timed: bool = False

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        seed = derived_seed(self.seed, match.number)
        return builtin_player(self.kind, match.game.name, seed, self.seat).choose(match)


class PlayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Command-line options of `rails-cli play`."""

    game_name: OptionalGame = None
    players: Annotated[int | None, setting("Number of players, people and bots together.")] = None
    bots: Annotated[
        str | None,
        setting("Who plays the other seats: easy, medium, hard, expert or another built-in player.", type=LEVEL_TYPE),
    ] = None
    people: Annotated[int | None, setting("Number of people sharing this keyboard.  [default: 1]", least=1)] = None
    specs: Annotated[
        tuple[str, ...],
        setting(
            "Who plays the next seat, one for each: person, person:NAME, builtin:greedy, or the command line of a bot. "
            "With --from, also just the number of your seat.",
            "--seat",
            type=ParsedType("spec", person_or_bot),
        ),
    ] = ()
    name: OwnName = None
    game_options: GameOptions = ()
    board_file: BoardFile = None
    openings: Openings = "none"
    seed: SeedOption = None
    fast: Fast = False
    resumed: Annotated[
        str | None,
        setting(
            "Resume a saved game: by part of its name, its file, last, or by choosing one (of GAME, if that is given).",
            "--resume",
            "[NAME|FILE]",
            is_flag=False,
            flag_value="",
            shell_complete=complete_unfinished,
        ),
    ] = None
    from_file: Annotated[
        Path | None, setting("Continue from a position of this finished game.", "--from", "LOG", type=LOG)
    ] = None
    at: Annotated[str | None, AT] = None
    server: Annotated[str | None, setting("Play at a table of this server.", metavar="URL")] = None
    table: Annotated[str | None, setting("With --server: the table to join.  [default: ask]")] = None
    pool: Annotated[
        str | None, setting("With --server: wait for opponents in its rated pool, under this name.", metavar="NAME")
    ] = None
    invite: Annotated[str | None, setting("With --server: the token of an invitation.")] = None
    token: Annotated[
        str | None,
        setting("With --server: the token of a seat you held before.", "--seat-token", envvar="RAILS_SEAT_TOKEN"),
    ] = None
    certificate: ServerCertificate = None
    bell: Annotated[
        bool | None,
        setting(
            "With --server: ring the bell at each of your turns, or never.  [default: after a wait of 10 s or more]",
            "--bell/--no-bell",
        ),
    ] = None


FOR_A_SERVER = ("--server", "--table", "--pool", "--invite", "--seat-token", "--tls-ca", "--bell")
"""Options that apply only with `--server URL`."""


@cli_command
def command(options: PlayOptions) -> None:
    """Play GAME at this terminal. You are asked for anything you leave out. Enter takes the choice in brackets.

    The game is saved as you play, in the folder `rails-cli/games` of $XDG_STATE_HOME (~/.local/state). It is kept there
    until you delete the file. `rails-cli games --saved` lists all saved games. On a terminal the whole window is used.
    Without one, or with TERM=dumb, questions and answers are plain lines.

    With --from, you continue from a position of a finished game. You take the seat of the person who played it, or else
    that of the player to move. Built-in players keep their seats, and hard replaces all others. This new game is a
    branch. It is kept next to the log, in a folder that ends in .branches. `rails-cli branches LOG` compares all
    branches.

    Exit code: 0 if the game was finished or left with `quit`, 2 for wrong options. It is 1 if the input ended or Ctrl-C
    was pressed before the end of the game, which is still saved.

    \b
    Examples:
      rails-cli play
      rails-cli play last_spike --players 3 --bots greedy --name Anna
      rails-cli play chicago_express --seat person:Anna --seat person:Ben --seat builtin:greedy --fast
      rails-cli play --resume
      rails-cli play --resume 20260301-195512-last_spike
      rails-cli play --server ws://127.0.0.1:8765 --table 3f2a91bc
      rails-cli play --from game.jsonl --at 42 --seat 1 --bots expert
    """
    if options.from_file is not None:
        play_from(options, options.from_file)
        return
    if any(whole_number(spec) is not None for spec in options.specs):
        raise click.UsageError(
            f"--seat {options.specs[0]}: a number names your seat only with --from; try person or builtin:medium"
        )
    if options.at is not None:
        if whole_number(options.at.lstrip("-")) is None:
            raise click.UsageError(f"--at is the number of an action; name a server with --server {options.at}")
        raise click.UsageError("--at says where to start in a log; name the log with --from")
    if options.server is not None:
        play_at_server(options, server_link(options.server))
        return
    if set(FOR_A_SERVER) & set(given_parameters()):
        raise click.UsageError("--table, --pool, --invite, --seat-token, --tls-ca and --bell need --server URL")
    if options.resumed is not None:
        decided = ("--players", "--bots", "--people", "--seat", "--name", "--option", "--board", "--seed", "--openings")
        refuse(decided, "by the game being resumed; leave it out with --resume")
        resume_game(saved_file(options.game_name, options.resumed), is_fast=options.fast)
        return
    play_new_local(options)


def play_from(options: PlayOptions, file: Path) -> None:
    """Play a new game that starts from a position of the log `file`, after the action that --at names."""
    decided = ("GAME", "--players", "--people", "--name", "--seed", "--option", "--board", "--resume", "--table")
    refuse((*decided, "--openings"), "by the log; leave it out with --from")
    for option in given_parameters():
        if option in FOR_A_SERVER:
            raise click.UsageError(f"{option} is for a server's table; leave it out with --from")
    if options.at is None:
        raise click.UsageError("choose where in the log to start: --at N")
    try:
        number = int(options.at)
    except ValueError:
        raise click.BadParameter(f"{options.at!r} is not the number of an action", param_hint="--at") from None
    content = content_of(file)
    with reported(NotSaved):
        with reported(NoPosition, option="--at"):
            start = branch_point(file, content, number)
        path, note = begin_branch(start, seats_from(start, options.specs, options.bots))
    if note:
        click.echo(note, err=True)
    print_wrapped(f"From {game_name(file)}, after action {start.at - 1}:", err=True)
    play_branch(path, is_new=True, is_fast=options.fast)


def seats_from(start: BranchPoint, specs: Sequence[str], bots: str | None) -> list[str]:
    """Return the player of each seat, such as `builtin:hard`, for a game that starts at the position `start` of a log.

    `specs` are the values of --seat, and `bots` is the value of --bots. Raise UsageError if these values are invalid.
    """
    players = len(start.log.header.players)
    numbers = [seat for spec in specs if (seat := whole_number(spec)) is not None]
    if numbers and len(specs) == 1:
        return usual_seats(start, seat_index(numbers[0], players), bots)
    if numbers or len(specs) not in (0, players):
        raise click.UsageError(f"--seat once with the number of your seat, or {players} times with who plays it")
    if specs and bots is not None:
        raise click.UsageError("--seat already says who plays; leave out --bots")
    seats = list(specs) or usual_seats(start, usual_person(start), bots)
    if not any(is_person(spec) for spec in seats):
        raise click.UsageError("no person would play; for bots alone use `rails-cli run --from`")
    return seats


def play_at_server(options: PlayOptions, link: ServerLink) -> None:
    """Play at a table of the server that `link` names, or in its rated pool."""
    from rails_cli.commands.visiting import visit

    decided = ("--players", "--bots", "--seed", "--option", "--board", "--openings")
    refuse(decided, "when the table is made: see `rails-cli tables --help`")
    if (options.people or 1) > 1 or options.specs:
        raise click.UsageError(
            "at a server's table everybody plays from a terminal of their own: run `rails-cli play --server "
            f"{link.url}` once for each person, and create the table with `rails-cli tables`"
        )
    if options.resumed is not None:
        raise click.UsageError("at a server's table a game is resumed with --seat-token, not with --resume")
    sit: dict[str, Any] = {
        "type": "sit",
        "table": options.table or link.table,
        "invite": options.invite or link.invite,
        "name": options.name,
    }
    if options.pool is not None:
        refuse(("--table", "--name", "--seat-token"), "in the pool")
        games = [options.game_name] if options.game_name else []
        sit = {"type": "enter", "name": options.pool, "invite": options.invite, "games": games}
    visit(
        link.url,
        sit,
        options.token,
        options.game_name,
        options.certificate,
        play_branch,
        is_fast=options.fast,
        bell=options.bell,
    )


def play_new_local(options: PlayOptions) -> None:
    """Play a new game at this terminal. Ask the user for settings that `options` do not have."""
    specs, players, bots, name = options.specs, options.players, options.bots, options.name
    if specs and (bots is not None or options.people is not None):
        raise click.UsageError("--seat already says who plays; leave out --bots and --people")
    game = load_game(options.game_name or ask_game())
    is_asking = options.game_name is None or not (specs or (players is not None and bots is not None))
    chosen = game_options(game, options.game_options)
    board, content = board_and_content(game, options.board_file)
    seats = list(specs) or ask_seats(game, players, bots, options.people, name)
    check_players(game, len(seats))
    if players is not None and players != len(seats):
        raise click.UsageError(f"--players {players}, but {len(seats)} times --seat")
    if not any(is_person(spec) for spec in seats):
        raise click.UsageError("no person would play; for a game between bots use `rails-cli run`")
    if is_asking and not options.game_options:
        chosen = game_options(game, ask_options(game))
    lines = player_lines(seats, name)
    seed = new_seed() if options.seed is None else options.seed
    written = "standard" if content is None else msgspec.json.decode(content)
    opening = openings_of(game, board, len(seats), chosen, options.openings)(seed)
    if opening is not None:
        actions = count_phrase(len(opening.actions), "action")
        click.echo(f"The game starts with an opening of {actions}, drawn at random.", err=True)
    header = header_of(game, chosen, seed, lines, board=written, opening=opening)
    play_new(Match(game, board, header), is_fast=options.fast)


def play_branch(path: Path, *, is_new: bool, is_fast: bool) -> str:
    """Continue the branch in the log `path`. A branch is a game that continues from a position of another log.

    Return `normal` if the game has ended, or else how the person left, such as `quit`. If `is_new`, the log was just
    created, so the commands of bots in it are trusted. The log is deleted if no person has made a decision in it. With
    `is_fast`, the display does not pause between moves.
    """
    left, saved, seats = resume_trusted(path, is_own=is_new)
    saved.people = [seat for seat, spec in enumerate(seats) if spec == PERSON]
    return play_match(left.match, saved, is_fast=is_fast, left=left, seats=seats)


def saved_file(only_game: str | None, wanted: str) -> Path:
    """Return the log file of the unfinished game that `wanted` names, by its file or by a part of its id.

    Consider only games of `only_game`, if given. If `wanted` is empty or `last`, prefer games that are not being played
    now. Ask the user if several games match. Raise BadParameter if `wanted` names nothing, or ClickException if there
    is no unfinished game. An unreadable file is returned only if no readable file fits.
    """
    if wanted and Path(wanted).is_file():
        return Path(wanted)
    folder = games_folder()
    kept = kept_games(folder)
    games = [game for game in kept.games if only_game in (None, game.game)]
    if wanted.lower() in ("", LAST):
        for problem in kept.problems:
            click.echo(f"Skipped: {problem}", err=True)
        unfinished = [game for game in games if not game.is_over]
        games = [game for game in unfinished if not is_being_played(Path(game.file))] or unfinished
    named = games
    if wanted:
        files = fitting([Path(game.file) for game in games], wanted)
        named = [game for game in games if Path(game.file) in files]
    known = [game for game in named if not game.is_over]
    if len(known) > 1:
        click.echo("Which game?")
        chosen = ask_choice("Game", [(game.id, described(game)) for game in known], known[0].id)
        return next(Path(game.file) for game in known if game.id == chosen)
    if known:
        return Path(known[0].file)
    if wanted and named:
        over = named[0]
        raise click.ClickException(f"{over.id} is over; see it again: rails-cli replay {game_name(Path(over.file))}")
    if wanted and wanted.lower() != LAST:
        readable = {game.file for game in kept.games}
        unreadable = fitting([file for file in saved_files(folder) if str(file) not in readable], wanted)
        if unreadable:
            return unreadable[0]
        left = [game.id for game in games if not game.is_over]
        listed = f"unfinished {'game' if len(left) == 1 else 'games'}: {', '.join(left)}"
        there = listed if left else f"there is no unfinished game in {folder}"
        raise click.BadParameter(f"no saved game and no file is called {wanted!r}; {there}", param_hint="--resume")
    raise click.ClickException(f"no unfinished game in {folder}")


def resume_game(path: Path, *, is_fast: bool, ended: Callable[[LastScreen], object] | None = None) -> str:
    """Continue the saved game in the log `path`. At the end of the game, call `ended` with the last screen.

    With `is_fast`, the display does not pause between moves. Return `normal` if the game has ended, or else how the
    person left, such as `quit`.
    """
    left, saved, seats = resume_trusted(path, is_own=path.resolve().parent == games_folder().resolve())
    match = left.match
    click.echo(f"{match.game.title}: resumed after action {match.number}.", err=True)
    helper = Lessons.after(match.game.name, match.history, saved.asked(LEARNER)) if saved.is_lesson else None
    how = play_match(match, saved, is_fast=is_fast, helper=helper, left=left, seats=seats, ended=ended)
    if how == "normal" and helper is not None:
        offer_game(match.game, match.header.players[LEARNER].name, len(match.header.players))
    return how


def offer_game(game: Game[Any, Any], name: str, players: int) -> None:
    """Offer the user a game without lessons against the weakest built-in player.

    `name` is the name of the user, and `players` the number of players.
    """
    level = "easy" if "easy" in players_of(game.name) else "greedy"
    if not is_at_terminal():
        print_wrapped(f"Now a game of your own: rails-cli play {game.name} --players {players} --bots {level}")
        return
    click.echo(f"\nNow a first game of your own, against the {level} level?")
    try:
        if ask_choice("Play now?", [("yes", ""), ("no", "")], "yes") == "no":
            return
    except PlayCancelled:
        return
    play_standard(game, [PERSON, *[f"{BUILTIN}{level}"] * (players - 1)], name, None)


def resume_trusted(path: Path, *, is_own: bool) -> Resumed:
    """Return the unfinished game in the log `path`. Raise ClickException if the game cannot be resumed.

    `is_own` says that this user wrote the log. Otherwise ask the user whether to run the commands of bots in the log.
    """
    with reported(NotSaved):
        resumed = resume(path)
    try:
        for seat, spec in enumerate(resumed.seats):
            if spec in (STDIO, "player"):
                raise click.ClickException(
                    f"seat {seat + 1} was played over a line, so this game cannot be resumed here; "
                    "another player can take the seat: see `rails-cli resume --help`"
                )
        commands = {
            seat: spec
            for seat, spec in enumerate(resumed.seats)
            if spec is not None and not is_person(spec) and not spec.startswith(BUILTIN)
        }
        if commands and not is_own:
            confirm(commands, "at a terminal you are asked whether to run them")
    except BaseException:
        resumed.saved.close()
        raise
    return resumed


def play_standard(
    game: Game[Any, Any],
    seats: Sequence[str],
    name: str | None,
    seed: Seed | None,
    *,
    is_fast: bool = False,
    lessons: Lessons | None = None,
) -> str:
    """Play a new game with the standard board and default options.

    `seats` has the player of each seat, such as `builtin:hard` or `person`. `name` is the name of the person. Return
    `normal` if the game has ended, or else how the person left, such as `quit`.
    """
    header = header_of(game, game.options_type(), new_seed() if seed is None else seed, player_lines(seats, name))
    return play_new(Match(game, standard_board(game.name), header), is_fast=is_fast, lessons=lessons)


def play_new(
    match: Match,
    *,
    is_fast: bool,
    lessons: Lessons | None = None,
    file: Path | None = None,
    intro: str = "",
    ended: Callable[[LastScreen], object] | None = None,
) -> str:
    """Play a new game and save it in `file`. The default is a new file whose name has the time and the game.

    `lessons` explain the game to the person, or are None. With `is_fast`, the display does not pause between moves.
    Show `intro` with the first question. At the end of the game, call `ended` with the last screen. Return `normal` if
    the game has ended, or else how the person left, such as `quit`.
    """
    problem = problem_of(match.game.name)
    if problem is not None:  # checked before a log is created
        raise click.ClickException(problem)
    with reported(NotSaved):
        saved = begin(match, games_folder(), is_lesson=lessons is not None, file=file)
    return play_match(match, saved, is_fast=is_fast, helper=lessons, intro=intro, ended=ended)


def play_match(
    match: Match,
    saved: SavedGame,
    *,
    is_fast: bool,
    helper: Lessons | None = None,
    left: ResumePoint | None = None,
    seats: Sequence[str | None] | None = None,
    intro: str = "",
    ended: Callable[[LastScreen], object] | None = None,
) -> str:
    """Play a game until its end or until a person leaves, and print how to continue.

    Return `normal` at the end of the game, or else how the person left, such as `quit`. Exit with 1 if a game is saved
    after Ctrl-C or the end of input. `saved` is the log of the game. With `is_fast`, the display does not pause between
    moves. `helper` gives lessons. `left` is the state of a resumed game. `seats` has the player of each seat, such as
    `builtin:hard`, if it differs from the header of the log. `intro` is shown with the first question. `ended` is
    called with the last screen of a finished game.
    """
    specs = [seat or PERSON for seat in seats or [player.seat for player in match.header.players]]
    bots = [spec for spec in specs if spec != PERSON]
    table = Seating(bots, match.game.name, match.header.seed or 0, BOT_CLOCK, BotSettings(), saved.path)
    sitting = iter(table.sit())
    others = [None if spec == PERSON else next(sitting) for spec in specs]
    for seat, spec in enumerate(specs):
        kind, seed = spec.removeprefix(BUILTIN), match.header.seed or 0
        if kind in POLICIES:
            others[seat] = RepeatablePlayer(kind, seed, seat)
        elif kind != spec:
            others[seat] = builtin_player(kind, match.game.name, seed, seat)
    if left is not None:
        restore_plan(others, left)
    sessions: list[HotSeatGame] = []

    def play(display: Display) -> None:
        sessions.append(HotSeatGame(match, saved, others, display, policy=table.policy, helper=helper, intro=intro))
        sessions[-1].play()

    how, is_screen = "normal", False
    try:
        with reported(NotSaved):
            is_screen = with_display(play, is_fast=is_fast)
    except Quit as gone:
        how = gone.how
    except KeyboardInterrupt:
        click.echo()
        how = "interrupt"
    finally:
        table.close()
        saved.close()
    if how == "normal":
        last_screen = sessions[-1].last_screen
        assert last_screen is not None
        if ended is not None:
            ended(last_screen)
        after_game(last_screen, saved.path, match.game.name, play_branch, is_screen=is_screen)
        print_wrapped(f"Play again: rails-cli play {match.game.name}")
        return how
    if not saved.path.exists():
        click.echo("You have made no move in this branch, so it is not kept.")
        return how
    original = original_name(saved.path)
    if original is None:
        print_wrapped(f"The game is saved. To resume it: rails-cli play --resume {game_name(saved.path)}")
    else:
        print_wrapped(f"The game is saved as a branch. To resume it, press b in: rails-cli replay {original}")
    if how != "quit":
        sys.exit(1)
    return how


def player_lines(seats: Sequence[str], name: str | None) -> list[PlayerLine]:
    """Return the players for the header of a log. `seats` has the player of each seat, such as `person:Anna`.

    People get the name after `person:`, or else `name`. Built-in players are named after railway barons.
    """
    lines: list[PlayerLine] = []
    for spec in seats:
        taken = [line.name for line in lines]
        if is_person(spec):
            wanted = printable(spec.partition(":")[2].strip() or name or own_name())
            spec = PERSON
        elif spec.startswith(BUILTIN):
            wanted = baron_name(name_of(spec), taken)
        else:
            wanted = name_of(spec)
        lines.append(PlayerLine(unique_name(wanted, taken), spec))
    return lines
