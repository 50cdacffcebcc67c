"""Tests of `tournament audit`, which finds every change to the logs or the database of a tournament."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.chain import signed
from rails_cli.logs.signing import new_key
from rails_cli.tournament.model import FaultPolicy, SeedGroup
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.run.workers import Workers, local_workers
from tests.support.databases import opened
from tests.support.short_boards import short_board
from tests.support.tools import bot, rails
from tests.support.tournaments import plan_of, played_in

Json = dict[str, Any]
TWO = [{"name": name, "builtin": name} for name in ("busy", "random")]
BAD = {"name": "bad", "command": bot("illegal")}
MANY = [{"name": name, "builtin": kind} for name, kind in zip("abcdef", ("busy", "random") * 3, strict=True)]


def play(folder: Path, workers: Workers | None = None, **tables: Any) -> None:
    """Play a tournament of games for two players in which one bot fails. `tables` adds or replaces keys of the plan."""
    folder.mkdir(exist_ok=True)
    board = str(short_board("last_spike", folder, pieces=2))
    usual = {"games": [{"game": "last_spike", "players": 2, "board": board}], "entrants": [*TWO, BAD], "logs": True}
    played_in(plan_of(folder, **{**usual, **tables}), workers or local_workers(1))


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["tournament", "audit", str(folder), "--workers", "1", *words])


def found_in(folder: Path, *words: str) -> list[str]:
    """Run an audit with the options `words`. Return its findings.

    Each finding begins with the id of its subject, such as a game.
    """
    audited = run(folder, "--json", *words)
    findings = [f"{finding['about']}: {finding['words']}" for finding in json.loads(audited.output)["findings"]]
    assert audited.exit_code == (1 if findings else 0)
    return findings


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the results of a tournament of four games. One bot fails in each of its games."""
    folder = tmp_path_factory.mktemp("played")
    play(folder, entrants=[TWO[0], BAD], format={"rounds": 2})
    return folder / "results"


@pytest.fixture
def results(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "results"))


# Changes that somebody might make


class Forger:
    """A stored game in which a bot had a fault. Tests change its log and its database row and write them back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = sqlite3.connect(folder / "results.sqlite", isolation_level=None)
        rows = self.database.execute("SELECT group_key, number, played FROM games ORDER BY group_key, number")
        self.key, self.number, played = next(row for row in rows if sum(json.loads(row[2])["faults"]))
        self.game: Json = json.loads(played)
        self.id = f"{self.game['group']}-{self.number}"
        self.log = folder / self.game["log"]
        self.lines: list[Json] = [json.loads(line) for line in self.log.read_bytes().splitlines()]

    def write_log(self, *, is_sealed: bool = True) -> None:
        content = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in self.lines[:-1])
        if is_sealed:
            self.lines[-1]["chain"] = sha256(content).hexdigest()
        self.log.write_bytes(content + json.dumps(self.lines[-1], separators=(",", ":")).encode() + b"\n")

    def write_row(self, *, with_head: bool = True) -> None:
        """Write the changed database row. With `with_head`, also update the checksums that depend on it.

        These are the checksum of the log and the checksum of all results.
        """
        if with_head:
            self.game["head"] = sha256(self.log.read_bytes()).hexdigest()
        written = json.dumps(self.game, separators=(",", ":"))
        self.database.execute(
            "UPDATE games SET played = ? WHERE group_key = ? AND number = ?", (written, self.key, self.number)
        )
        if with_head:
            self.seal()

    def save(self) -> None:
        """Write the changed log and row, and update all checksums."""
        self.write_log()
        self.write_row()

    def seal(self) -> None:
        """Update the checksum over all rows, so that it agrees with the changed database."""
        with Store(self.folder) as store:
            head = store.heads()[-1]
        self.database.execute("UPDATE facts SET value = json_set(value, '$.head', ?) WHERE name = 'ending'", (head,))

    def first(self, **fields: Any) -> int:
        return next(place for place, line in enumerate(self.lines) if fields.items() <= line.items())


def delete_log(forger: Forger) -> None:
    forger.log.unlink()


def empty_log(forger: Forger) -> None:
    forger.log.write_bytes(b"")


def cut_last_line(forger: Forger) -> None:
    forger.log.write_bytes(forger.log.read_bytes()[:-9])


def cut_result(forger: Forger) -> None:
    forger.log.write_bytes(b"".join(forger.log.read_bytes().splitlines(keepends=True)[:-1]))


def clear_block(forger: Forger) -> None:
    content = forger.log.read_bytes()
    forger.log.write_bytes(content[:100] + bytes(100) + content[200:])


def mark_logs_as_discarded(forger: Forger) -> None:
    """Pretend that all logs were deleted on purpose. Delete one log.

    Only a rated pool may delete logs on purpose, so the audit must report this.
    """
    forger.database.execute("CREATE TABLE let_go (id TEXT PRIMARY KEY)")
    forger.database.execute("INSERT INTO let_go SELECT id FROM groups")
    forger.log.unlink()


def edit_log(forger: Forger) -> None:
    forger.lines[forger.first(default=True)]["ms"] += 1
    forger.write_log(is_sealed=False)


def edit_log_and_seal_it(forger: Forger) -> None:
    forger.lines[forger.first(default=True)]["info"] = "mine"
    forger.write_log()


def edit_times(forger: Forger) -> None:
    forger.lines[forger.first(default=True)]["ms"] += 1000
    forger.save()


def edit_row(forger: Forger) -> None:
    forger.game["ranks"].reverse()
    forger.write_row(with_head=False)


def edit_row_and_seal_it(forger: Forger) -> None:
    forger.game["ranks"].reverse()
    forger.write_row()


def add_tokens(forger: Forger) -> None:
    forger.game["tokens"] = [0, 1234]
    forger.write_row()


def clear_answers(forger: Forger) -> None:
    forger.game["answers"] = []
    forger.write_row()


def clear_faults(forger: Forger) -> None:
    forger.game["faults"], forger.game["is_tainted"] = [0, 0], False
    forger.write_row()


def delete_fault_rows(forger: Forger) -> None:
    forger.database.execute("DELETE FROM faults WHERE group_key = ? AND number = ?", (forger.key, forger.number))


def delete_fault_line(forger: Forger) -> None:
    del forger.lines[forger.first(type="fault")]
    forger.save()


def delete_default_mark(forger: Forger) -> None:
    del forger.lines[forger.first(default=True)]["default"]
    forger.save()


def blame_another_entrant(forger: Forger) -> None:
    forger.database.execute("UPDATE faults SET entrant = 'busy'")


def swap_players(forger: Forger) -> None:
    forger.lines[0]["players"].reverse()
    forger.save()


def swap_players_everywhere(forger: Forger) -> None:
    forger.game["seating"].reverse()
    swap_players(forger)


def rename_player(forger: Forger) -> None:
    forger.lines[0]["players"][0]["name"] = "somebody"
    forger.save()


def claim_a_branch(forger: Forger) -> None:
    forger.lines[0]["branch"] = {"log": "better.jsonl", "head": "0" * 64, "number": 1_000_000}
    forger.save()


def hide_names(forger: Forger) -> None:
    forger.lines[0]["anonymous"] = True
    forger.save()


def replace_program(forger: Forger) -> None:
    for player in forger.lines[0]["players"]:
        player["seat"] = "builtin:greedy"
    forger.save()


def add_group(forger: Forger) -> None:
    """Add a game that is not in the plan, with a log and database rows that agree with each other.

    The game is a seed group (set of games with one seed) of its own.
    """
    group = SeedGroup(forger.game["setting"], forger.game["seed"], [forger.game["seating"]], "more").id
    forger.database.execute("INSERT INTO groups SELECT 999, ?, 999, 'more', 0, 0, 0", (group,))
    game = {**forger.game, "group": group, "number": 0, "log": f"logs/{group}-0.jsonl"}
    shutil.copy(forger.log, forger.folder / game["log"])
    forger.database.execute("INSERT INTO games VALUES (999, 0, ?)", (json.dumps(game),))
    forger.database.execute(
        "INSERT INTO faults SELECT 999, 0, action, seat, entrant, code, message, stderr FROM faults "
        "WHERE group_key = ? AND number = ?",
        (forger.key, forger.number),
    )
    forger.seal()


def add_game(forger: Forger) -> None:
    forger.database.execute(
        "INSERT INTO games SELECT group_key, 2, json_set(played, '$.number', 2) FROM games "
        "WHERE group_key = ? AND number = 0",
        (forger.key,),
    )
    forger.seal()


def delete_group(forger: Forger) -> None:
    for table in ("games", "faults"):
        forger.database.execute(f"DELETE FROM {table} WHERE group_key = ?", (forger.key,))
    forger.database.execute("DELETE FROM groups WHERE key = ?", (forger.key,))
    forger.seal()


def mark_group_as_surplus(forger: Forger) -> None:
    forger.database.execute("UPDATE groups SET surplus = 1 WHERE key = ?", (forger.key,))
    forger.seal()


def remove_log_and_its_name(forger: Forger) -> None:
    forger.game["log"] = forger.game["head"] = None
    forger.log.unlink()
    forger.write_row(with_head=False)
    forger.seal()


def invent_loss(forger: Forger, reason: str) -> None:
    """Change the stored game so that it seems to have ended for `reason` before the first action.

    Delete its recorded faults and its log.
    """
    lost = [] if reason in ("interrupted", "absent") else [1]
    faults = [int(seat in lost) for seat in range(len(forger.game["seating"]))]
    forger.game |= {"ranks": [1 + fault for fault in faults], "reason": reason, "faults": faults, "lost": lost}
    forger.game |= {"actions": 0, "fingerprint": ""}
    forger.database.execute("DELETE FROM faults WHERE group_key = ? AND number = ?", (forger.key, forger.number))
    remove_log_and_its_name(forger)


def edit_plan(forger: Forger) -> None:
    forger.database.execute("UPDATE facts SET value = json_set(value, '$.seed', 99) WHERE name = 'plan'")


def break_row(forger: Forger) -> None:
    forger.game["seating"].pop()
    forger.write_row()


CASES: list[tuple[Callable[[Forger], None], str]] = [
    (delete_log, "cannot be read: No such file"),
    (mark_logs_as_discarded, "cannot be read: No such file"),
    (empty_log, "the log is empty or cut off"),
    (cut_last_line, "the log is empty or cut off"),
    (cut_result, "the log is empty or cut off"),
    (clear_block, "the log is empty or cut off"),
    (edit_log, "is not the log that was played"),
    (edit_log_and_seal_it, "is not the log that was played"),
    (edit_times, "ms: the results have"),
    (edit_row, "a row was changed"),
    (edit_row_and_seal_it, "ranks: the results have"),
    (add_tokens, "tokens: the results have [0, 1234], the log gives []"),
    (clear_answers, "answers: the results have []"),
    (clear_faults, "is_tainted: the results have False"),
    (delete_fault_rows, "the results lack a fault of the log"),
    (delete_fault_line, "the faults before it do not lead to it"),
    (delete_default_mark, "follows a fault that says the default was played"),
    (blame_another_entrant, "is attributed to busy"),
    (swap_players, "was played by"),
    (swap_players_everywhere, "the schedule seats"),
    (rename_player, "was played by somebody"),
    (claim_a_branch, "continues from a position of another game"),
    (hide_names, "the players were not shown names, which is not what the plan says"),
    (replace_program, "what played is not what the plan names"),
    (add_group, "the plan does not lead to this group"),
    (add_game, "the schedule has 2 games, the results 3"),
    (delete_group, "of the schedule is missing in the results"),
    (mark_group_as_surplus, "marked as surplus, but it counts"),
    (remove_log_and_its_name, "no log was kept"),
    (partial(invent_loss, reason="timeout"), "nothing explains why it was not played (timeout)"),
    (partial(invent_loss, reason="absent"), "nothing explains why it was not played (absent)"),
    (partial(invent_loss, reason="interrupted"), "a worker is lost with a whole group"),
    (partial(invent_loss, reason="worker_died"), "nothing explains why it was not played (worker_died)"),
    (edit_plan, "the plan does not lead to this group"),
    (break_row, "one value for each seat"),
]


def test_an_audit_of_unchanged_results_finds_nothing(results: Path) -> None:
    assert found_in(results) == []
    audited = run(results)
    assert "4 games, 4 logs played again; everything matches the results" in audited.output
    assert "does not prove" in audited.output
    head = json.loads(run(results, "--json").output)["head"]
    assert head in audited.output
    assert found_in(results, "--head", head) == []
    assert any("as shown before" in words for words in found_in(results, "--head", "0" * 64))


@pytest.mark.parametrize(("change", "words"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_an_audit_names_a_change(results: Path, change: Callable[[Forger], None], words: str) -> None:
    forger = Forger(results)
    change(forger)
    forger.database.close()
    findings = found_in(results)
    assert any(words in finding for finding in findings), findings


def test_the_text_of_an_audit_counts_the_findings(results: Path) -> None:
    first, second, *_ = sorted((results / "logs").iterdir())
    first.unlink()
    assert " 1 finding\n" in run(results).output
    second.unlink()
    assert " 2 findings\n" in run(results).output


def test_results_without_any_log_are_reported_as_unproven(results: Path) -> None:
    """An audit reports the results as unproven if no log is left.

    All games are recorded as interrupted before the first action. No log could confirm or contradict this.
    """
    mine = new_key(results / "my.key").key
    forger = Forger(results)
    forger.database.execute(
        "UPDATE games SET played = json_remove(json_set(played, '$.reason', 'interrupted', '$.ranks', json('[1,1]'), "
        "'$.faults', json('[0,0]'), '$.lost', json('[]'), '$.absent', json('[]'), '$.actions', 0), '$.log', '$.head')"
    )
    forger.database.execute("DELETE FROM faults")
    forger.seal()
    forger.database.close()
    shutil.rmtree(results / "logs")
    for words in ((), ("--key", mine)):
        audited = run(results, *words)
        assert audited.exit_code == 3, audited.output
        assert "4 games, 0 logs played again; no log is left to check the results against" in audited.output


def test_standings_that_differ_from_the_logs_are_reported(results: Path) -> None:
    forger = Forger(results)
    edit_row_and_seal_it(forger)
    assert any(finding.startswith("standings: ") and "by the logs" in finding for finding in found_in(results))


def test_a_complete_forgery_is_found_by_an_earlier_checksum(results: Path) -> None:
    """A forgery in which all records of the folder agree is found with a checksum noted before the forgery.

    Without this checksum, the audit finds nothing.
    """
    head = json.loads(run(results, "--json").output)["head"]
    forger = Forger(results)
    forger.lines[forger.first(default=True)]["info"] = "mine"
    forger.save()
    assert found_in(results) == []
    assert any("as shown before" in words for words in found_in(results, "--head", head))


def test_a_checksum_from_before_the_last_rounds_is_recognised(tmp_path: Path) -> None:
    rounds: list[dict[str, Any]] = [
        {"format": {"kind": "round_robin", "rounds": number}, "entrants": TWO} for number in (1, 2)
    ]
    play(tmp_path, **rounds[0])
    before = json.loads(run(tmp_path / "results", "--json").output)["head"]
    play(tmp_path, **rounds[1])
    audited = run(tmp_path / "results", "--head", before.upper())
    assert audited.exit_code == 0
    assert "note: an earlier head of the same tournament, after 2 games: 2 games were added since" in audited.output


@pytest.mark.parametrize("head", ["", "5f0c19", "g" * 64])
def test_an_invalid_checksum_is_refused(played: Path, head: str) -> None:
    audited = run(played, "--head", head)
    assert audited.exit_code == 2
    assert "64 hexadecimal digits" in audited.output


def test_every_output_of_results_has_the_checksum(played: Path) -> None:
    words = [["export", "--format", "json"], ["standings", "--json"], ["status", "--json"]]
    export, standings, status = (
        json.loads(CliRunner().invoke(main, ["tournament", part, str(played), *more]).output) for part, *more in words
    )
    assert export["ending"]["head"] == standings["head"] == status["ending"]["head"]
    for game in export["games"]:
        assert game["head"] == sha256((played / game["log"]).read_bytes()).hexdigest()
    rows = CliRunner().invoke(main, ["tournament", "export", str(played)]).output.splitlines()
    assert rows[0].split(",").count("head") == 1
    assert export["games"][0]["head"] in rows[1]
    # calculated as the manual describes
    chain = ""
    with opened(played / "results.sqlite") as database:
        for (row,) in database.execute(
            "SELECT played FROM games JOIN groups ON key = group_key WHERE NOT surplus "
            "ORDER BY groups.number, games.number"
        ):
            chain = sha256((chain + row).encode()).hexdigest()
    assert chain == standings["head"]


FORMS: list[Json] = [
    {"format": {"kind": "swiss", "rounds": 2}},
    {"format": {"kind": "knockout"}},
    {"format": {"kind": "gauntlet", "challengers": ["a"], "rounds": 1}},
    {"format": {"kind": "round_robin"}, "stop": {"games": 20}},
]


@pytest.mark.parametrize("tables", FORMS, ids=lambda tables: str(tables["format"]["kind"]))
def test_an_audit_repeats_the_schedule_of_every_format(tables: Json, tmp_path: Path) -> None:
    play(tmp_path, entrants=MANY, **tables)
    assert found_in(tmp_path / "results") == []


@pytest.mark.parametrize("tables", [252, 4])
def test_an_audit_repeats_a_round_robin_whose_entrants_changed(tables: int, tmp_path: Path) -> None:
    for entrants, games in ((MANY[:4], 6), (MANY[1:], 16), (MANY, 22)):
        play(tmp_path, entrants=entrants, format={"tables": tables}, stop={"games": games})
    assert found_in(tmp_path / "results") == []
    with opened(tmp_path / "results/results.sqlite") as database, database:
        database.execute("DELETE FROM games WHERE group_key = 1")
        database.execute("DELETE FROM groups WHERE key = 1")
    assert "this group counted when the entrants changed" in run(tmp_path / "results").output


@pytest.mark.parametrize("policy", get_args(FaultPolicy))
def test_an_audit_repeats_every_policy_for_faults(policy: str, tmp_path: Path) -> None:
    play(tmp_path, on_faults=policy, entrants=[TWO[0], BAD], max_faults=2)
    assert found_in(tmp_path / "results") == []
    if policy == "void_and_replay":
        next((tmp_path / "results/logs").glob("*-[0-9].jsonl")).unlink()
        assert len(found_in(tmp_path / "results")) == 1


def test_logs_of_dropped_games_are_deleted(tmp_path: Path) -> None:
    """If an entrant is suspended, games that were played too early are dropped, and their logs are deleted.

    Games of several seeds are played at the same time. So games with the entrant may already have been played when
    games of an earlier seed cause its suspension. The dropped games are played again without the entrant.
    """
    ahead = msgspec.structs.replace(local_workers(1), tasks_ahead=8, task_s=0.0)
    play(tmp_path, ahead, format={"kind": "round_robin", "rounds": 4})
    assert found_in(tmp_path / "results") == []
    assert "belong to no game" not in run(tmp_path / "results").output


def test_an_entrant_with_two_seats_has_two_names(tmp_path: Path) -> None:
    games = [{"game": "last_spike", "players": 4}]
    form = {"kind": "gauntlet", "challengers": ["a"], "repeatable": ["b"], "rounds": 1, "seatings": "rotations"}
    play(tmp_path, entrants=MANY[:3], games=games, format=form)
    log = next((tmp_path / "results/logs").iterdir())
    names = [player["name"] for player in json.loads(log.read_bytes().splitlines()[0])["players"]]
    assert len(set(names)) == 4
    assert found_in(tmp_path / "results") == []


def test_an_audit_reports_results_without_logs(tmp_path: Path) -> None:
    play(tmp_path, entrants=TWO, logs=False)
    assert all("no log was kept" in finding for finding in found_in(tmp_path / "results"))


def test_an_audit_without_finished_groups_is_refused(tmp_path: Path) -> None:
    entrants = [word for name in ("busy", "random") for word in ("--entrant", f"builtin:{name}")]
    words = ["--game", "chicago_express", "--players", "2", *entrants, "--workers", "1"]
    words += ["--minutes", "0.00001"]  # timing: no machine plays a group in less than a millisecond
    folder = tmp_path / "results"
    played = CliRunner().invoke(main, ["tournament", "run", *words, "--output", str(folder), "--quiet"])
    assert played.exit_code == 0
    assert "the time is up" in played.stdout
    assert " second" in played.stdout
    assert "--head" not in played.stdout
    audited = run(folder)
    assert audited.exit_code == 1
    assert "nothing to check" in audited.stderr


def test_signed_logs_prove_who_wrote_them(tmp_path: Path) -> None:
    """An audit with a key accepts only logs that are signed with this key.

    Two runs are signed: the first with a key given by an option, the next with a key in the folder of the results. A
    log signed with a third key, a forged signature and an unsigned log are each reported.
    """
    keys = [new_key(tmp_path / name) for name in ("my.key", "signing-key")]
    mine, other = (key.key for key in keys)
    results = tmp_path / "results"
    words = ["tournament", "run", "--game", "last_spike", "--players", "2", "--seed", "3", "--quiet", "--workers", "1"]
    words += ["--entrant", "builtin:busy", "--entrant", "builtin:random", "--output", str(results)]
    refused = rails(*words, "--sign", str(keys[0].file), "--set", "logs=false")
    assert (refused.returncode, "the plan keeps none" in refused.stderr) == (2, True)
    assert rails(*words, "--rounds", "1", "--sign", str(keys[0].file)).returncode == 0
    assert f"signed by {mine[:16]}: 2 logs, and the signature holds\n" in run(results, "--key", mine).output
    assert found_in(results, "--key", mine) == []
    assert found_in(results, "--key", other)[0].endswith(f": signed by {mine[:16]}, not by {other[:16]}")

    (results / "signing-key").hardlink_to(keys[1].file)
    assert rails(*words, "--rounds", "2").returncode == 0
    signatures = json.loads(run(results, "--json").output)["signatures"]
    signers = sorted(({"key": key, "logs": 2} for key in (mine, other)), key=lambda one: str(one["key"]))
    assert signatures == {"signers": signers, "unsigned": 0, "unchecked": 0}
    assert CliRunner().invoke(main, ["verify", str(results / "logs"), "--require-signed"]).exit_code == 0

    assert rails(*words, "--rounds", "2", "--output", str(tmp_path / "plain")).returncode == 0
    database = sqlite3.connect(results / "results.sqlite", isolation_level=None)
    key, number, row = database.execute("SELECT group_key, number, played FROM games").fetchone()
    name = json.loads(row)["log"]
    plain = (tmp_path / "plain" / name).read_bytes()
    forger = new_key(tmp_path / "third.key")
    for content, finding in (
        (signed(plain, forger), f"{name}: signed by {forger.key[:16]}, not by "),
        (signed(plain, forger).replace(forger.key.encode(), mine.encode()), "was changed"),
        (plain, f"{name}: not signed"),
    ):
        (results / name).write_bytes(content)
        database.execute(
            "UPDATE games SET played = json_set(?, '$.head', ?) WHERE group_key = ? AND number = ?",
            (row, sha256(content).hexdigest(), key, number),
        )
        assert any(finding in words for words in found_in(results, "--key", mine))
    database.close()
    assert "unsigned: 1 log\n" in run(results).output
