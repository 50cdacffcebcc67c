"""Tests of `rails-cli tournament compare`, which finds out whether a new version of a bot is better."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from rails_cli.programs.sandbox.probe import probe
from tests.support.tournaments import ran, run

BUSY_AND_GREEDY = ("compare", "builtin:busy", "builtin:greedy", "--game", "last_spike", "--workers", "1", "--seed", "3")
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder without a git repository, as the current folder. The cache of bot versions is next to it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):  # set if a hook of git runs the tests
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def commit(folder: Path, player: str, build: str) -> None:
    """Commit a bot in the folder `bots/mine`, and tag the commit with the name of the built-in `player`.

    The bot plays like `player`. `build` is the command that builds the bot.
    """
    bot = folder / "bots" / "mine"
    bot.mkdir(parents=True, exist_ok=True)
    (bot / "bot.toml").write_text(f"builtin = {player!r}\nbuild = {build!r}\n")
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", player], ["tag", player]):
        subprocess.run([*GIT, *words], cwd=folder, check=True)


def test_two_versions_are_compared_without_anybody_else(folder: Path) -> None:
    first = json.loads(ran(*BUSY_AND_GREEDY, "--quiet", "--json").stdout)
    assert first["ending"]["words"] == "new is better than old"
    assert (folder / "compare-results/.gitignore").read_text() == "*\n"
    again = json.loads(ran(*BUSY_AND_GREEDY, "--quiet", "--json").stdout)
    assert (again["folder"], again["games"]) == (first["folder"], first["games"]), "the same command resumes"
    turned = ["compare", "builtin:greedy", "builtin:busy", *BUSY_AND_GREEDY[3:], "--quiet", "--json"]
    other = json.loads(run(*turned).stdout)
    assert other["ending"]["words"] == "new is not better than old by 0.05"
    assert other["folder"] != first["folder"]
    shown = ran(*BUSY_AND_GREEDY, "--quiet").stdout
    assert shown.startswith("new: builtin:greedy; old: builtin:busy\n"), "above the table"


def test_versions_are_compared_against_opponents(folder: Path) -> None:
    result = ran(*BUSY_AND_GREEDY, "--opponent", "builtin:random", "--players", "3", "--check", "--output", "mine")
    assert "compare: duel, 3 entrants, results in" in result.stdout
    assert "it runs until a stopping rule is met: stop.better" in result.stdout


def test_commits_are_checked_out_and_built_once(folder: Path) -> None:
    built = folder.parent / "built"
    for player in ("busy", "greedy"):
        commit(folder, player, f"sh -c 'echo {player} >> {built}'")
    words = ["compare", "git:busy:bots/mine", "git:HEAD:bots/mine", *BUSY_AND_GREEDY[3:], "--quiet", "--json"]
    for _ in range(2):
        assert json.loads(ran(*words).stdout)["ending"]["words"] == "new is better than old"
    assert built.read_text() == "busy\ngreedy\n"


def test_a_commit_is_compared_with_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(folder, "busy", "true")
    mine = folder / "bots" / "mine"
    (mine / "bot.toml").write_text('builtin = "greedy"\nbuild = "true"\n')
    monkeypatch.chdir(mine)
    result = ran("compare", "git:busy", ".", *BUSY_AND_GREEDY[3:], "--json")
    assert json.loads(result.stdout)["ending"]["words"] == "new is better than old"
    assert "old: git:busy is commit " in result.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["git:nothing", "builtin:busy"], 2, "git:nothing: no such commit in the repository of"),
        (["git:busy:bots/other", "builtin:busy"], 2, "has no folder bots/other"),
        (["git:busy:../..", "builtin:busy"], 2, "../.. is not a folder in the repository"),
        (["git:busy", "builtin:busy"], 2, "git:busy has no bot at its top; give its folder, such as git:busy:PATH"),
        (["git:busy:bots/mine", "builtin:busy"], 1, "'sh -c \"echo oops; exit 3\"' ends with code 3\noops"),
        (["builtin:busy", "builtin:greedy", "--players", "3"], 2, "more than 2 players: name who else plays"),
        (["builtin:busy", "builtin:greedy", "--game", "american_rails"], 2, "american_rails has at least 3 players"),
        (["no-such-bot", "builtin:greedy"], 2, "there is no program no-such-bot on the path"),
    ],
)
def test_an_impossible_comparison_is_refused(folder: Path, words: list[str], code: int, message: str) -> None:
    commit(folder, "busy", 'sh -c "echo oops; exit 3"')
    result = run("compare", *words)
    assert result.exit_code == code, result.output
    assert message in result.stderr


def test_a_folder_outside_a_repository_has_no_commits(folder: Path) -> None:
    result = run("compare", "git:HEAD", "builtin:busy")
    assert result.exit_code == 2
    assert "not a git repository" in result.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["builtin:greedy", "--check"], 0, "is not built, as with --check; its build: touch"),
        (["git:nothing"], 2, "git:nothing: no such commit"),
        (["no-such-bot"], 2, "there is no program no-such-bot"),
    ],
)
def test_nothing_is_built_without_need(folder: Path, words: list[str], code: int, message: str) -> None:
    built = folder.parent / "built"
    commit(folder, "busy", f"touch {built}")
    result = run("compare", "git:busy:bots/mine", *words)
    assert result.exit_code == code, result.output
    assert message in result.stderr
    assert not built.exists()


def test_a_changed_build_is_built_again(folder: Path) -> None:
    built = folder.parent / "built"
    commit(folder, "busy", f"sh -c 'echo built >> {built}; echo good > made'")
    words = ["compare", "git:busy:bots/mine", "builtin:greedy", "--games", "2", "--quiet"]
    run(*words)
    (made,) = (folder.parent / "cache").rglob("made")
    (made.parent / "__pycache__").mkdir()
    run(*words)
    assert built.read_text() == "built\n"
    assert not (made.parent / "__pycache__").exists()
    made.write_text("bad\n")
    run(*words)
    assert (built.read_text(), made.read_text()) == ("built\n" * 2, "good\n")


def test_a_build_cannot_change_another_version(folder: Path) -> None:
    """The build of one version of a bot cannot secretly change the files of another version.

    In a sandbox, it cannot write to these files. Without a sandbox it can write to them, but then the comparison fails
    with an error.
    """
    commit(folder, "busy", "touch made")
    run("compare", "git:busy:bots/mine", "builtin:greedy", "--games", "2", "--quiet")
    (made,) = (folder.parent / "cache").rglob("made")
    commit(folder, "greedy", f"sh -c 'touch own; echo bad >> {made}; test -e own'")
    words = ["compare", "git:busy:bots/mine", "git:greedy:bots/mine", "--games", "2", "--quiet"]
    if probe("bubblewrap").holds:
        result = run(*words, "--sandbox", "auto")
        assert result.exit_code == 5, result.output
        assert "new: building git:greedy:bots/mine in a sandbox: sh -c 'touch own" in result.stderr
        assert made.read_text() == ""
        shutil.rmtree(next((folder.parent / "cache").rglob("own")).parents[3])
    result = run(*words)
    assert (result.exit_code, made.read_text()) == (1, "bad\n")
    assert ": another build has changed the files of this version" in result.stderr


def test_a_build_is_shown_and_has_a_time_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rails_cli.tournament.plan.git_versions.BUILD_S", 0.2)
    commit(folder, "busy", "sh -c 'sleep 1000'")
    result = run("compare", "git:busy:bots/mine", "builtin:greedy")
    assert result.exit_code == 1
    assert "old: building git:busy:bots/mine without a sandbox: sh -c 'sleep 1000'" in result.stderr
    assert "takes longer than 0.2 seconds" in result.stderr


def test_a_link_out_of_the_commit_is_refused(folder: Path) -> None:
    (folder.parent / "bot.sh").touch()
    (folder / "lnk").symlink_to(folder.parent)
    commit(folder, "busy", "true")
    result = run("compare", "git:busy:lnk", "builtin:greedy", "--check")
    assert result.exit_code == 2
    assert "lnk is not a folder in the repository" in result.stderr


def test_an_edited_file_of_a_bot_has_other_results(folder: Path) -> None:
    (folder / "bot.toml").write_text('builtin = "greedy"\n')
    (folder / "compare-results").mkdir()
    (folder / "__pycache__").mkdir()

    def results() -> str:
        return ran("compare", "builtin:busy", ".", "--game", "last_spike", "--seed", "3", "--check").stdout

    first = results()
    for ignored in ("compare-results", "__pycache__"):
        (folder / ignored / "other").touch()
    assert results() == first
    words = ["compare", "builtin:busy", ".", "--game", "last_spike", "--seed", "3", "--games", "2", "--quiet"]
    assert run(*words, "--output", "compare-results").exit_code == 5
    (folder / "helper.py").write_text("edited\n")
    assert results() != first
    same = run(*words, "--output", "compare-results")
    assert (same.exit_code, "entrant new: its files have changed" in same.stderr) == (1, True)


def test_a_sandbox_is_for_bots_that_stay_in_their_folders(folder: Path) -> None:
    """With a sandbox, `compare` refuses a bot whose command names a file outside of the folder of the bot.

    This holds for bots given as a folder or as a commit. It holds for the two versions and for opponents.
    """
    (folder / "private").mkdir()
    bot = folder / "bots" / "mine"
    commit(folder, "busy", "true")
    (bot / "bot.py").touch()
    (bot / "bot.toml").write_text(f"command = 'python3 bot.py {folder}/private'\n")
    subprocess.run([*GIT, "commit", "--quiet", "--all", "-m", "command"], cwd=folder, check=True)
    for words in (
        ["bots/mine", "builtin:greedy"],
        ["builtin:greedy", "git:HEAD:bots/mine"],
        ["builtin:busy", "builtin:greedy", "--opponent", "bots/mine"],
    ):
        for way in (["--sandbox", "auto"], ["--set", "trust=false"], ["--set", "sandbox=bubblewrap"]):
            result = run("compare", *words, *way, "--check")
            assert result.exit_code == 2, result.output
            assert f"its command names '{folder}/private', which is not in its folder" in result.stderr
    assert run("compare", "bots/mine", "builtin:greedy", "--check").exit_code == 0


def test_opponents_are_given_like_versions(folder: Path) -> None:
    commit(folder, "random", "true")
    words = [word for spec in ("bots/mine", "git:random:bots/mine", "it=bots/mine") for word in ("--opponent", spec)]
    result = ran(*BUSY_AND_GREEDY, *words, "--players", "3", "--check")
    assert "compare: duel, 5 entrants" in result.stdout
    assert "git:random:bots mine: git:random:bots/mine is commit " in result.stderr
    wrong = run(*BUSY_AND_GREEDY, "--opponent", "git:nothing", "--players", "3", "--check")
    assert (wrong.exit_code, "git:nothing: no such commit" in wrong.stderr) == (2, True)
    assert "6    NEW made faults" in ran("compare", "--help").stdout
