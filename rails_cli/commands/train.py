"""`rails-cli train`: Train a value network for the built-in players of a game."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import click

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.numpy_import import import_numpy
from rails_cli.basics.settings import setting
from rails_cli.commands import print_lines, reported, worker_errors, write_errors
from rails_cli.commands.options import POSITIVE, cli_command
from rails_cli.commands.parameters import EXISTING_FILE, FOLDER, GameArgument, Workers, check_players
from rails_cli.games import load_evaluation, load_game
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.game import Game
from rails_cli.protocol.log import MAX_SEED

WIDTH: Final = 64
"""Default number of values in the first hidden layer."""


@cli_command
def command(
    *,
    game_name: GameArgument,
    folder: Annotated[Path, setting("Folder of the training. The same command resumes it.", type=FOLDER)],
    rounds: Annotated[int, setting("Number of rounds.", least=1, most=1000)] = 3,
    games: Annotated[
        int | None, setting("Games of self-play in a round.  [default: 2000]", least=2, most=10_000_000)
    ] = None,
    seconds: Annotated[
        float | None,
        setting(
            "Seconds of self-play in a round, instead of --games. The result depends on the machine.", type=POSITIVE
        ),
    ] = None,
    players: Annotated[str, setting("Numbers of players, such as 3,4.  [default: all]", metavar="N,...")] = "",
    looks: Annotated[
        int | None,
        setting(
            "Looks of the searches that play the later part of each game, instead of one look.", least=2, most=10_000
        ),
    ] = None,
    start: Annotated[
        Path | None,
        setting("File network.npz of an earlier training, from which this training continues.", type=EXISTING_FILE),
    ] = None,
    width: Annotated[
        int | None, setting(f"Values in the first hidden layer.  [default: {WIDTH}]", least=4, most=1024)
    ] = None,
    epochs: Annotated[int, setting("How often all positions are learned in a round.", least=1, most=1000)] = 4,
    target: Annotated[
        Literal["outcome", "blend"],
        setting("What is learned: the result (outcome), or the mean of the result and of a later prediction (blend)."),
    ] = "blend",
    openings: Annotated[
        int, setting("Openings with which a new network is compared with the best one.", least=2, most=1_000_000)
    ] = 200,
    seed: Annotated[int, setting("Random seed: a whole number from 0.", least=0, most=MAX_SEED)] = 1,
    workers: Workers = None,
    device: Annotated[Literal["cpu", "gpu"], setting("Where networks are fitted. gpu needs the package cupy.")] = "cpu",
) -> None:
    """Train a value network for GAME by self-play, and write it to network.npz and network.json in a folder.

    Each round plays games, fits a network to their positions, and compares it with the best one so far. At first, the
    best one is the hand-made evaluation. One player with the new network plays against others with the best one, from
    new openings, each with all rotations of the seats. The new network is kept if it wins more often than an equal
    player would. The table shows wins compared with those of an equal player, with 95% intervals. It also shows
    prediction errors (log loss) in games that were not used to fit the network.

    With --looks, the later part of each game of self-play is played by searches, which takes much longer. The network
    then also learns from positions that only searches reach. With --start, a training continues from a network.

    You may stop the program at any moment, and the same command resumes. With --games the same command always writes
    the same network on the same machine.

    \b
    Examples:
      rails-cli train chicago_express --folder training --rounds 2 --games 5000
      rails-cli train american_rails --folder training --players 3,4 --width 256 --seconds 600 --device gpu
      rails-cli train chicago_express --folder searches --start training/network.npz --looks 40 --rounds 1
    """
    game, evaluation = load_game(game_name), load_evaluation(game_name)
    if evaluation is None or evaluation.inputs is None:
        raise click.UsageError(f"{game.title} does not describe its positions for networks")
    counts = player_counts(game, players) if players else game.players
    if games is not None and seconds is not None:
        raise click.UsageError("give --games or --seconds, not both")
    if games is None and seconds is None:
        games = 2000
    if width is not None and start is not None:
        raise click.UsageError("give --width or --start, not both: the network of --start has its own width")
    import_numpy()  # with one thread, unless OPENBLAS_NUM_THREADS is set
    from rails_cli.training.rounds import Training, TrainingError, TrainingSettings, read_start, table

    checksum = None
    if start is not None:
        with reported(OSError, TrainingError, option="--start"):
            width, checksum = read_start(start)
    chosen = TrainingSettings(
        game_name, counts, games, seconds, width or WIDTH, epochs, target, openings, seed, looks, start=checksum
    )
    with write_errors(folder), worker_errors(), reported(TrainingError):
        training = Training(folder, chosen, workers or usable_cores(), arrays_on(device), print_lines, start)
        training.run(rounds)
    print_lines(*table(training.rounds))
    if training.kept is None:
        print_lines(f"No network won more often than {'the hand-made evaluation' if start is None else start}.")
    else:
        print_lines(f"The best network is {folder / 'network.npz'}.")


def player_counts(game: Game[Any, Any], words: str) -> tuple[int, ...]:
    """Parse numbers of players such as `3,4`. Raise BadParameter if `game` does not allow one of these numbers."""
    counts = set()
    for word in words.split(","):
        count = whole_number(word)
        if count is None:
            raise click.BadParameter(f"{word!r} is not a number; expected numbers such as 3,4", param_hint="--players")
        check_players(game, count)
        counts.add(count)
    return tuple(sorted(counts))


def arrays_on(device: str) -> Any:
    """Return the module that computes with arrays on `device`. Raise UsageError if it is not installed."""
    if device == "cpu":
        import numpy

        return numpy
    try:
        import cupy
    except ImportError:
        raise click.UsageError("--device gpu needs the package cupy, such as: pip install cupy-cuda12x") from None
    return cupy
