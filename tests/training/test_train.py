"""Tests of the training of value networks: `rails-cli train` at a small size."""

import fcntl
import json
import os
import re
import shlex
import shutil
import sys
import termios
from array import array
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.games import standard_board
from rails_cli.players.search.outcome import network_for
from rails_cli.training.selfplay import Plan, evaluation_with, play_game
from tests.support.tools import ROOT, rails, start_rails
from tests.support.waiting import wait_until

MANUAL = (ROOT / "docs/TRAINING.md").read_text(encoding="utf-8")
GAME = "chicago_express"
BEGUN = b"round 1: 2 games of self-play\n"
CURVES, FIT, GAMES, NETWORK = "curves.json", "round-1/fit.json", "round-1/games-0000000.npz", "round-1/network.npz"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a finished training whose network was kept."""
    folder = tmp_path_factory.mktemp("finished") / "training"
    assert trained(folder) == (0, "")
    assert (folder / "network.npz").exists()
    return folder


def trained(folder: Path) -> tuple[int, str]:
    """Run the command of the manual with `folder`, and return its exit code and its errors."""
    done = CliRunner().invoke(main, [*words_of_manual(folder), "--workers", "1"])
    return done.exit_code, done.stderr


def words_of_manual(folder: Path) -> list[str]:
    """Return the arguments of the command of the manual with `folder`."""
    (command,) = re.findall(r"^\$ rails-cli (.*)$", MANUAL, re.MULTILINE)
    return shlex.split(command.replace("trial", str(folder)))


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}


def test_a_killed_training_continues_and_a_seed_gives_the_same_files(finished: Path, tmp_path: Path) -> None:
    """A training that was killed and continued writes the same files as a training that was not killed.

    The training is killed after its self-play, and continued with the same command, which is taken from the manual. The
    other training has another number of workers.
    """
    killed = tmp_path / "killed"
    again = [*words_of_manual(killed), "--workers", "2"]
    reading, writing = os.pipe()
    filled = 0
    if sys.platform == "linux":  # the training blocks at its second line, for which the pipe has no space
        filled = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096) - len(BEGUN)
        os.write(writing, b" " * filled)
    with start_rails(*again, stdout=writing) as process:
        unread = array("i", [0])
        wait_until(
            lambda: not fcntl.ioctl(reading, termios.FIONREAD, unread) and unread[0] >= filled + len(BEGUN),
            "the end of the self-play",
        )
        process.kill()
    assert os.read(reading, filled + len(BEGUN)).lstrip() == BEGUN
    os.close(reading)
    os.close(writing)
    assert not (killed / "curves.json").exists()
    done = rails(*again, check=True)
    assert "of self-play" not in done.stdout
    assert contents(killed) == contents(finished)
    (result,) = json.loads((killed / "curves.json").read_bytes())
    assert result["fit"]["games"] == 2
    described = json.loads((killed / "network.json").read_bytes())
    assert described["sha256"] == sha256((killed / "network.npz").read_bytes()).hexdigest()
    assert network_for(evaluation_with(GAME, killed / NETWORK), standard_board(GAME)) is not None
    refused = rails(*again, "--width", "5")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "width 4, not 5" in refused.stderr


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("settings.json", ()),
        (CURVES, ()),
        (FIT, (CURVES,)),
        (GAMES, (CURVES, FIT)),
        pytest.param(NETWORK, (CURVES,), id="the network of an unfinished round"),
        pytest.param(NETWORK, (), id="the best network"),
    ],
)
def test_a_damaged_file_is_named(finished: Path, name: str, absent: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "training"
    shutil.copytree(finished, folder)
    file = folder / name
    good = file.read_bytes()
    for other in absent:
        (folder / other).unlink()
    left = contents(folder)
    damaged = [b"", b"not a file of a training", good[: len(good) // 2], b'{"players": 1}']
    if file.suffix == ".npz":
        damaged += [(finished / (NETWORK if name == GAMES else GAMES)).read_bytes()]
        with np.load(file) as arrays:  # the first array lacks a column
            first, *others = arrays.files
            np.savez(tmp_path / "wrong.npz", **{first: arrays[first][:, 1:]}, **{key: arrays[key] for key in others})
        damaged += [(tmp_path / "wrong.npz").read_bytes()]
    for content in damaged:
        file.write_bytes(content)
        code, error = trained(folder)
        assert (code, error) == (1, f"Error: {file} is damaged; delete it, and the same command continues\n")
        assert contents(folder) == left | {Path(name): content}


@pytest.mark.parametrize("names", [("settings.json",), (CURVES, FIT, GAMES), (NETWORK,)])
def test_deleted_files_are_computed_again(finished: Path, names: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "training"
    shutil.copytree(finished, folder)
    for name in names:
        (folder / name).unlink()
    assert trained(folder) == (0, "")
    assert contents(folder) == contents(finished)


def test_a_training_between_searches_continues_from_a_network(finished: Path, tmp_path: Path) -> None:
    """The first weights are those of `--start`: after one short epoch, the network is still nearly the same.

    With `--looks`, the games of self-play are other ones.
    """
    start, folder = finished / "network.npz", tmp_path / "training"
    sizes = "--rounds 1 --games 2 --players 2 --openings 2 --epochs 1 --seed 134 --looks 2 --workers 1"
    done = CliRunner().invoke(main, ["train", GAME, "--folder", str(folder), "--start", str(start), *sizes.split()])
    assert (done.exit_code, done.stderr) == (0, "")
    is_kept = json.loads((folder / CURVES).read_bytes())[0]["is_kept"]
    found = folder / "network.npz"
    end = f"The best network is {found}." if is_kept else f"No network won more often than {start}."
    assert done.stdout.splitlines()[-1] == end
    assert found.exists() == is_kept
    settings = json.loads((folder / "settings.json").read_bytes())
    assert (settings["width"], settings["looks"]) == (4, 2)
    assert settings["start"] == sha256(start.read_bytes()).hexdigest()
    with np.load(folder / GAMES) as games:
        rows = games["rows2"][games["games2"] == 0].tobytes()
    assert rows != b"".join(play_game(Plan(GAME, (2,), "134/1", start), 0).rows)
    with np.load(start) as before, np.load(folder / NETWORK) as after:
        for array_name in before.files:
            scale = max(1, np.abs(before[array_name]).max())
            assert np.abs(after[array_name] - before[array_name]).max() <= 0.01 * scale, array_name


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("--start", "no.npz"), 2, "'no.npz' does not exist"),
        (("--start", "text.npz"), 2, "--start: text.npz is not a network for this game"),
        (("--start", "other.npz"), 1, "Error: other.npz is not a network for this game"),
        (("--start", "other.npz", "--width", "8"), 2, "give --width or --start, not both"),
        (("--looks", "1"), 2, "--looks"),
        (("--players", "3,9"), 2, "--players"),
    ],
)
def test_unusable_options_are_refused(words: tuple[str, ...], code: int, error: str, tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("not a network")
    shutil.copy(ROOT / "rails_cli/games/american_rails/players/network.npz", tmp_path / "other.npz")
    done = rails("train", GAME, "--folder", "new", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert error in done.stderr
    assert not (tmp_path / "new").exists()
