"""Tests of saved games: resuming by name or file, listing for people and as JSON, and statistics."""

import fcntl
import json
import os
import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.reading import read_log
from rails_cli.logs.verify import verify_file
from rails_cli.study.branches import parent_of
from rails_cli.terminal.kept_games import LATEST, kept_games, record_lines, records
from rails_cli.terminal.saving import games_folder
from tests.support.person import GAME_ARGUMENTS, Person, by_lines, games_in
from tests.support.tools import BOTS, GOLDEN, rails

SPIKE = ("play", "last_spike", *GAME_ARGUMENTS)


def actions_of(path: Path) -> int:
    return sum(line.startswith(b'{"type":"action"') for line in path.read_bytes().splitlines())


def test_a_saved_game_is_resumed_by_name_by_part_of_it_by_file_or_by_kind(tmp_path: Path) -> None:
    """A saved game can be resumed by its name, by a part of the name, by its file, or by the kind of game.

    The test saves two games of The Last Spike and one of Chicago Express.
    """
    for words, name in ((SPIKE, "one"), (SPIKE, "two"), (("play", "chicago_express", *GAME_ARGUMENTS), "three")):
        before = games_in(tmp_path)
        by_lines(tmp_path, *words, typed="quit\n")
        (new,) = set(games_in(tmp_path)) - set(before)
        new.rename(new.with_name(f"{name}.jsonl"))
    one, three, two = games_in(tmp_path)
    for at, path in enumerate((one, two, three)):
        os.utime(path, (1000 + at, 1000 + at))
    ways: tuple[tuple[tuple[str, ...], str, Path, str], ...] = (
        (("--resume", "last"), "", three, "Chicago Express"),
        (("--resume", "one"), "", one, "The Last Spike"),
        (("--resume", "TW"), "", two, "The Last Spike"),
        (("--resume", str(one)), "", one, "The Last Spike"),
        (("chicago_express", "--resume"), "", three, "Chicago Express"),
        (("last_spike", "--resume"), "one\n", one, "The Last Spike"),
    )
    for ways_in, typed, path, title in ways:
        count = actions_of(path)
        done = by_lines(tmp_path, "play", *ways_in, typed=f"{typed}1\nquit\n")
        assert done.returncode == 0, done.stderr
        assert f"{title}: resumed" in done.stderr
        assert actions_of(path) > count
        assert ("Which game?" in done.stdout) == bool(typed)
    assert f"To resume it: rails-cli play --resume {one.stem}\n" in done.stdout
    unknown = by_lines(tmp_path, "play", "--resume", "four", typed="")
    assert unknown.returncode == 2
    assert "no saved game and no file is called 'four'; unfinished games: " in unknown.stderr
    three.write_bytes(b"rubbish\n")
    by_lines(tmp_path, "play", "--resume", "two", typed="1\npass\n" * 100)
    assert verify_file(two).is_finished
    over = by_lines(tmp_path, "play", "--resume", "two", typed="")
    assert over.returncode == 1
    assert "two is over; see it again: rails-cli replay two\n" in over.stderr
    by_file = by_lines(tmp_path, "play", "--resume", str(two), typed="")
    assert by_file.returncode == 1
    assert f"rails-cli replay {two}" in by_file.stderr

    listed = by_lines(tmp_path, "games", "--saved", typed="")
    assert listed.returncode == 0
    assert f"Error: {three}: line 1" in listed.stderr
    assert "one  The Last Spike; Anna to move after " in listed.stdout
    assert "; Anna, Vanderbilt (greedy), Gould (greedy)\n" in listed.stdout
    assert "rails-cli play --resume one" in listed.stdout
    listing = json.loads(by_lines(tmp_path, "games", "--saved", "--json", typed="").stdout)
    assert {game["id"]: game["ranks"] is None for game in listing["saved"]} == {"one": True, "two": False}
    saved = next(game for game in listing["saved"] if game["id"] == "one")
    assert saved["file"] == str(one)
    assert saved["actions"] == actions_of(one)
    assert saved["to_move"] == 0
    (row,) = listing["statistics"]
    assert (row["name"], row["game"], row["opponents"], row["games"]) == ("Anna", "last_spike", "2 greedy", 1)
    assert len(listing["problems"]) == 1


def test_a_game_that_another_window_plays_is_not_the_last_one(tmp_path: Path) -> None:
    for at, name in enumerate(("one", "two")):
        before = games_in(tmp_path)
        by_lines(tmp_path, *SPIKE, typed="1\nquit\n")
        (new,) = set(games_in(tmp_path)) - set(before)
        os.utime(new.rename(new.with_name(f"{name}.jsonl")), (1000 + at, 1000 + at))
    one, two = games_in(tmp_path)
    with two.open() as playing, one.open() as also_playing:
        fcntl.flock(playing, fcntl.LOCK_EX)
        resumed = by_lines(tmp_path, "play", "--resume", "last", typed="quit\n")
        assert "To resume it: rails-cli play --resume one\n" in resumed.stdout, resumed.stderr
        os.utime(one, (1000, 1000))
        fcntl.flock(also_playing, fcntl.LOCK_EX)
        for words, name in (("last", "two"), ("one", "one")):
            refused = by_lines(tmp_path, "play", "--resume", words, typed="quit\n")
            assert refused.returncode == 1
            assert refused.stderr == f"Error: {name} is being played; leave the game first\n"


def test_resuming_a_log_from_elsewhere_runs_no_command_named_in_it(tmp_path: Path) -> None:
    seats = ("--seat", "person:Anna", "--seat", f"{sys.executable} {BOTS / 'honest.py'}")
    by_lines(tmp_path, "play", "last_spike", *seats, typed="1\nquit\n")
    (path,) = games_in(tmp_path)
    assert by_lines(tmp_path, "play", "--resume", typed="1\nquit\n").returncode == 0
    elsewhere = Path(shutil.copy(path, tmp_path / "elsewhere.jsonl"))
    before = elsewhere.read_bytes()
    refused = by_lines(tmp_path, "play", "--resume", str(elsewhere), typed="1\nquit\n")
    assert refused.returncode == 2
    assert "the log names commands to run, and a log may come from anyone" in refused.stderr
    assert elsewhere.read_bytes() == before
    header = read_log(before).header
    for file, spec in ((elsewhere, b"player"), (path, b"stdio")):
        over_a_line = before.replace(f'"seat":"{header.players[1].seat}"'.encode(), b'"seat":"%s"' % spec)
        file.write_bytes(over_a_line)
        assert over_a_line != before
        refused = by_lines(tmp_path, "play", "--resume", str(file), typed="1\nquit\n")
        assert refused.returncode == 1
        assert "seat 2 was played over a line" in refused.stderr


def test_statistics_count_finished_games_and_report_damaged_files(tmp_path: Path) -> None:
    """The statistics have one row for each game and set of opponents.

    A row shows the number of games, the wins, the best score, and the recent ranks and their trend.
    """
    done = by_lines(tmp_path, "play", "last_spike", *GAME_ARGUMENTS, typed="1\npass\n" * 200)
    assert done.returncode == 0
    (path,) = games_in(tmp_path)
    content = path.read_bytes()
    head, _, result = content.rstrip(b"\n").rpartition(b"\n")
    assert result.startswith(b'{"type":"result"')
    for number, (ranks, score) in enumerate((((3, 1, 2), 10), ((3, 2, 1), 20), ((1, 1, 3), 90), ((1, 2, 3), 70))):
        scores = (score, 50, 40)
        line = json.dumps({"type": "result", "scores": scores, "ranks": ranks}, separators=(",", ":"))
        copy = path.with_name(f"game{number}.jsonl")
        copy.write_bytes(head + b"\n" + line.encode() + b"\n")
        os.utime(copy, (1000 + number, 1000 + number))
    easy = path.with_name("easy-lesson.jsonl")
    easy.write_bytes(content.replace(b"builtin:greedy", b"builtin:easy"))
    path.unlink()
    begun = b'{"type":"result","scores":[1,2,3],"ranks":'
    damages = (
        head + b'\n{"type":"result","scores":[1]}\n',
        head + b"\n" + begun + b"[1,2]}\n",
        head + b"\n" + begun + b"[2,2,3]}\n",
        head + b"\n" + begun + b'[1,2,3],"x":' + b"[" * 9999 + b"}\n",
        head.replace(b"last_spike", b"lost_spike") + b"\n" + result + b"\n",
        b"",
        head[: len(head) // 2] + b"\nrubbish\n",
    )
    for number, damaged in enumerate(damages):
        path.with_name(f"damaged{number}.jsonl").write_bytes(damaged)
    kept = kept_games(path.parent)
    assert len(kept.over) == 5
    named = sorted(problem.partition(":")[0] for problem in kept.problems)
    assert named == [str(path.with_name(f"damaged{number}.jsonl")) for number in range(len(damages))]
    row, lesson = records(kept.games)
    assert (row.games, row.wins, row.best, row.places, row.trend) == (4, 1.5, 90, [3, 3, 1, 1], "better")
    assert lesson.opponents == "2 easy (lesson)"
    lines = record_lines([row, lesson])
    assert "The Last Spike, 2 greedy" in lines[1]
    assert lines[1].split()[-5:] == ["3", "3", "1", "1", "better"]
    most = msgspec.structs.replace(row, places=[1] * LATEST)
    assert max(map(len, [*lines, *record_lines([most])])) <= 80
    for width in (79, 60, 40):
        assert max(map(len, record_lines([most, lesson], width))) <= width
        assert max(map(len, record_lines([lesson], width))) <= width


def test_saved_games_go_by_name_and_are_renamed_and_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that takes a log takes a saved game by name, by part of its name, or as `last`.

    A saved game can be renamed together with its branches, and deleted.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    folder = games_folder()
    folder.mkdir(parents=True)
    for at, name in enumerate(("monday-one", "monday-two", "tuesday-lesson")):
        path = Path(shutil.copy(GOLDEN / "last_spike/last_spike-2p.jsonl", folder / f"{name}.jsonl"))
        os.utime(path, (1000 + at, 1000 + at))

    def run(*words: str) -> Result:
        return CliRunner().invoke(main, list(words))

    for words in (
        *(("replay", "tues", "--at", "0"), ("verify", "last"), ("branches", "TUESDAY"), ("replay", "last", "--moves")),
        ("run", "--from", "last", "--at", "2", "--seat", "builtin:busy", "--seat", "builtin:busy", "--quiet"),
        ("export", "monday_one", "--svg", "1"),
    ):
        assert run(*words).exit_code == 0, words
    for command in ("replay", "analyse", "verify", "branches", "resume"):
        unclear = run(command, "monday")
        assert unclear.exit_code == 2
        assert "several saved games fit 'monday': monday-two, monday-one; type a whole name" in " ".join(
            unclear.stderr.split()
        )
        assert "no saved game 'friday'" in " ".join(run(command, "friday").stderr.split())
    (tmp_path / "last").write_bytes(b"rubbish\n")
    assert run("verify", "last").exit_code == 1, "a file comes before a saved game"
    (tmp_path / "last").unlink()

    log = str(folder / "monday-two.branches/other.jsonl")
    seats = ["--seat", "builtin:busy"] * 2
    branch = run("run", "--from", "monday-two", "--at", "2", *seats, "--quiet", "--log", log)
    assert branch.exit_code == 0, branch.output
    assert run("games", "rename", "monday-t", "close finish").stdout == "monday-two is now called close finish.\n"
    other = folder / "close finish.branches/other.jsonl"
    assert parent_of(other, read_log(other.read_bytes())) == folder / "close finish.jsonl"
    assert run("games", "rename", "tues", "first").stdout == "tuesday-lesson is now called first-lesson.\n"
    for name in ("monday-one", "last", "a/b", ".hidden", ""):
        assert run("games", "rename", "close", name).exit_code in (1, 2), name
    assert run("games", "delete", "close").exit_code == 2, "without --yes and without a terminal"
    assert run("games", "delete", str(tmp_path / "nothing.jsonl"), "--yes").exit_code == 2
    with (folder / "close finish.jsonl").open() as playing:
        fcntl.flock(playing, fcntl.LOCK_EX)
        assert "is being played" in run("games", "delete", "close", "--yes").stderr
    assert run("games", "delete", "close", "first", "--yes").stdout == "Deleted close finish.\nDeleted first-lesson.\n"
    assert [entry.name for entry in folder.iterdir()] == ["monday-one.jsonl"]


def test_the_shell_completes_names_of_saved_games(tmp_path: Path) -> None:
    folder = tmp_path / "rails-cli/games"
    folder.mkdir(parents=True)
    (folder / "monday.jsonl").touch()
    for words in ("replay mon", "analyse mon", "play --from mon", "play --resume mon", "games delete mon"):
        line = f"rails-cli {words}"
        env = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_RAILS_CLI_COMPLETE": "bash_complete"}
        done = rails(env={**os.environ, **env, "XDG_STATE_HOME": str(tmp_path)})
        assert done.stdout.splitlines()[-1] == "plain,monday", f"{words}: bash drops all items before `file`"


@pytest.mark.parametrize(("words", "files"), [("play --resume ", [""]), ("resume ", ["file,"])])
def test_the_shell_completes_only_unfinished_games_to_resume(words: str, files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "rails-cli/games"
    folder.mkdir(parents=True)
    log = (GOLDEN / "last_spike/last_spike-2p.jsonl").read_bytes()
    (folder / "over.jsonl").write_bytes(log)
    line = f"rails-cli {words}"
    env = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_RAILS_CLI_COMPLETE": "bash_complete"}

    def offered() -> list[str]:
        return rails(env={**os.environ, **env, "XDG_STATE_HOME": str(tmp_path)}).stdout.splitlines()

    assert offered() == files
    (folder / "open.jsonl").write_bytes(b"".join(log.splitlines(keepends=True)[:9]))
    assert offered() == [*filter(None, files), "plain,open", "plain,last"]


def test_last_names_the_unfinished_game_played_last_for_resume(tmp_path: Path) -> None:
    folder = tmp_path / "rails-cli/games"
    folder.mkdir(parents=True)
    log = (GOLDEN / "last_spike/last_spike-2p.jsonl").read_bytes()
    for name, content, played in (("open", b"".join(log.splitlines(keepends=True)[:9]), 1000), ("over", log, 2000)):
        (folder / f"{name}.jsonl").write_bytes(content)
        os.utime(folder / f"{name}.jsonl", (played, played))
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    seats = ("--seat", "1", "builtin:greedy", "--seat", "2", "builtin:greedy")
    assert rails("resume", "last", *seats, "--quiet", env=env).returncode == 0
    assert b'"type":"result"' in (folder / "open.jsonl").read_bytes()
    assert (folder / "over.jsonl").read_bytes() == log


def test_a_command_in_a_message_stays_on_one_line_in_a_narrow_window(tmp_path: Path) -> None:
    file = tmp_path / "rails-cli" / "games" / "a-quiet-evening.jsonl"
    file.parent.mkdir(parents=True)
    shutil.copy(sorted(GOLDEN.glob("last_spike/*.jsonl"))[0], file)
    with Person("games", "--saved", folder=tmp_path, width=40) as person:
        assert person.wait_for_end() == 0
        assert "  rails-cli replay a-quiet-evening" in [line.rstrip() for line in person.lines]


def test_a_game_left_in_a_narrow_window_is_named_without_its_folder(tmp_path: Path) -> None:
    with Person("play", "last_spike", *GAME_ARGUMENTS, folder=tmp_path, width=80) as person:
        person.wait_until_asked()
        person.say("quit")
        assert person.wait_for_end() == 0
        (file,) = games_in(tmp_path)
        assert f"The game is saved. To resume it: rails-cli play --resume {file.stem}" in " ".join(
            " ".join(person.lines).split()
        )
        assert str(tmp_path) not in "".join(person.lines)
