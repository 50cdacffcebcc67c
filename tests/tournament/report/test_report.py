"""Tests of `rails-cli tournament report`, in Python and in a real browser, and of `make demo`."""

import base64
import csv
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.games import game_names
from rails_cli.tournament.rating.estimates import Estimate
from rails_cli.tournament.rating.standings import PairResult
from rails_cli.tournament.report.charts import Charts, placed_labels, round_numbers
from rails_cli.tournament.report.colours import light
from tests.support import tournaments
from tests.support.browser import (
    CONTRAST,
    complaints,
    expect,
    expect_count,
    open_page,
    requests,
    resize,
    violations,
    wait_for,
)
from tests.support.shared_folder import shared_folder
from tests.support.short_boards import short_board
from tests.support.tools import RAILS, ROOT, bot, start_rails
from tests.support.waiting import HANG_S

BUILTINS = ("greedy", "busy", "random")
GAMES = 24
"""Number of games in the tournament `cup`."""
REPLAYS = 8
"""Number of replays in the report of `cup`. It is the smallest number that gives each kind of game a replay."""
HOSTILE = {
    "<script>window.hacked=1<script>": "greedy",
    "<img src=x onerror=window.hacked=1>": "busy",
    "{{main}} ${alert(1)} \" ' & javascript:alert(1)": "random",
    "a" * 60: "busy",
}


def rails(*words: str | Path) -> Result:
    return tournaments.run(*map(str, words))


def ran(*words: str | Path) -> str:
    return tournaments.ran(*map(str, words)).stdout


def write_plan(folder: Path, entrants: dict[str, str], games: tuple[str, ...] = ("last_spike",), **tables: Any) -> Path:
    """Write a tournament plan to `folder` and return its path. The games are played on short boards.

    `entrants` maps each name to a built-in player or to the command of a bot. `tables` are further keys of the plan.
    """
    lines = ["seed = 1", *[f"{key} = {json.dumps(value)}" for key, value in tables.items() if key not in _TABLES]]
    for table in _TABLES & tables.keys():
        lines += [f"[{table}]", *[f"{key} = {_toml(value)}" for key, value in tables[table].items()]]
    for game in games:
        boards = folder / game
        boards.mkdir(exist_ok=True)
        board = json.dumps(str(short_board(game, boards, pieces=2)))
        lines += ["[[games]]", f'game = "{game}"', f"board = {board}", "players = 3"]
    for name, player in entrants.items():
        kind = "builtin" if player in BUILTINS else "command"
        lines += ["[[entrants]]", f"name = {json.dumps(name)}", f"{kind} = {json.dumps(player)}"]
    path = folder / "cup.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


_TABLES = {"format", "stop"}


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    return json.dumps(value)


def played(folder: Path, *words: str, **tables: Any) -> Path:
    ran("run", write_plan(folder, **tables), "--quiet", "--workers", "1", *words)
    return folder / "cup-results"


def page_of(results: Path, *words: str) -> str:
    ran("report", results, *words)
    return (results / "report.html").read_text(encoding="utf-8")


class Page(HTMLParser):
    """The parsed content of a report: tables by section and name, links, text, tags, and labels of charts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.sections: dict[str, dict[str, list[list[str]]]] = {}
        self.links: list[str] = []
        self.words = ""
        self.tags: list[str] = []
        self.charts: list[str] = []
        self._rows: list[list[str]] = []
        self._section = ""
        self._is_cell = self._is_hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        known = dict(attributes)
        self.tags.append(tag)
        assert not any(name.startswith("on") or name == "style" for name in known), (tag, known)
        if tag == "table":
            self._rows = self.sections[self._section][known["aria-label"] or ""] = []
            self.tables.setdefault(known["aria-label"] or "", self._rows)
        elif tag == "section":
            self._section = known["id"] or ""
            self.sections[self._section] = {}
        elif tag == "tr":
            self._rows.append([])
        elif tag == "a":
            self.links.append(known["href"] or "")
        elif tag == "div" and known.get("role") == "img":
            self.charts.append(known["aria-label"] or "")
        if tag in ("th", "td"):
            self._rows[-1].append("")
            self._is_cell = True
        self._is_hidden = tag in ("style", "script", "svg", "text") or (self._is_hidden and tag in ("g", "path"))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td"):
            self._is_cell = False
        self._is_hidden = False

    def handle_data(self, data: str) -> None:
        if self._is_hidden:
            return
        self.words += data
        if self._is_cell:
            self._rows[-1][-1] += data

    def column(self, table: str, head: str) -> list[str]:
        heads, *rows = self.tables[table]
        return [row[heads.index(head)] for row in rows]


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a tournament of two kinds of games, with a report.

    The entrants' names contain HTML and other hostile text.
    """

    def play(folder: Path) -> None:
        games = ("last_spike", "chicago_express")
        form = {"seatings": "rotations"}
        played(folder, entrants=HOSTILE, games=games, anchor=next(reversed(HOSTILE)), format=form)
        assert f"{GAMES} games, {REPLAYS} replays" in ran("report", folder / "cup.toml", "--replays", str(REPLAYS))

    return shared_folder(tmp_path_factory, "cup & co", play) / "cup-results"


@pytest.fixture(scope="module")
def page(cup: Path) -> Page:
    return Page((cup / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the results of a tournament of six games."""
    return played(tmp_path_factory.mktemp("small"), entrants={name: name for name in BUILTINS})


without_charts = pytest.mark.usefixtures("no_charts")


@pytest.fixture(scope="module")
def games(cup: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran("games", cup, "--json").splitlines()]


# The page


def test_the_page_has_the_standings(cup: Path, page: Page) -> None:
    listed = json.loads(ran("standings", cup, "--json"))
    for number, table in enumerate(listed["tables"]):
        rows = table["standings"]
        found = next(iter(page.sections["standings" if number == 0 else f"game-{3 - number}"].values()))
        assert [row[0] for row in found[1:]] == [row["name"] for row in rows]
        for row, cells in zip(rows, found[1:], strict=True):
            assert cells[1] == str(row["place"])
            assert cells[2] == f"{row['rating']['rating']:,.0f}".replace("-", "−")
            is_anchor = row["name"] == next(reversed(HOSTILE))
            assert cells[3] == ("fixed" if is_anchor else interval(row["rating"]["low"], row["rating"]["high"]))
            assert cells[7].startswith(f"{per_cent(row['win_share']['mean'])} (")
    every = listed["tables"][0]
    assert page.column("Pairs", "First ahead") == [per_cent(pair["ahead"]["mean"]) for pair in every["pairings"]]
    assert f"{every['games']} that count, in {every['groups']} seed groups" in page.words
    assert f"{next(reversed(HOSTILE))} has the rating 0" in page.words
    assert "All games are played" in page.words


def per_cent(share: float) -> str:
    return f"{share:.0%}"


def interval(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "open"
    ends = ["…" if end is None else f"{end:,.0f}".replace("-", "−") for end in (low, high)]
    return " to ".join("0" if end == "−0" else end for end in ends)


def test_every_chart_has_a_description(page: Page) -> None:
    titles = [label.split(":")[0] for label in page.charts]
    assert titles == [
        *("Ratings", "Ratings over time", "Who finishes ahead of whom", "Ratings in this game"),
        *("Advantage of each seat", "What properties cost and returned", "Income built", "Properties in hand"),
        *("Ratings in this game", "Advantage of each seat", "What shares cost and returned", "Income built"),
        "Shares in hand",
    ]
    assert page.tags.count("svg") == len(titles)
    assert all(len(label.split(":", 1)[1]) > 10 for label in page.charts)


def test_economic_figures_are_averages_of_the_games(page: Page, games: list[dict[str, Any]]) -> None:
    for number, game_name in ((1, "last_spike"), (2, "chicago_express")):
        paid: dict[str, list[int]] = {}
        for game in games:
            if game["setting"]["game"] == game_name:
                for name, profile in zip(game["seating"], game["economy"], strict=True):
                    paid.setdefault(name, []).append(profile["paid"])
        rows = page.sections[f"game-{number}"]["Economy per game, averages in dollars"][1:]
        assert {row[0]: row[1].split(" ")[0] for row in rows} == {
            name: f"{sum(amounts) / len(amounts):,.0f}" for name, amounts in paid.items()
        }


def test_the_same_results_give_identical_files(small: Path, tmp_path: Path) -> None:
    """The files of a report do not depend on the process, folder, locale or time zone."""
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        shutil.copytree(small, folder, ignore=shutil.ignore_patterns("*.html"))
    ran("report", one, "--replays", "1")
    environment = {**os.environ, "PYTHONHASHSEED": "7", "COLUMNS": "60", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    words = [*RAILS, "tournament", "report", str(other), "--replays", "1", "--json"]
    done = subprocess.run(words, capture_output=True, check=True, env=environment)
    result = json.loads(done.stdout)
    assert result["report"] == str(other / "report.html")
    assert result["mistakes"] == []
    assert [Path(path).parent for path in result["replays"]] == [other / "replays"]
    pages = [{file.relative_to(folder): file for file in folder.rglob("*.html")} for folder in (one, other)]
    assert pages[0].keys() == pages[1].keys()
    assert len(pages[0]) == 2
    for name, file in pages[0].items():
        assert file.read_bytes() == pages[1][name].read_bytes(), name


def test_links_work_after_the_folder_was_moved(cup: Path, page: Page, tmp_path: Path) -> None:
    unused = shutil.ignore_patterns("results.sqlite*")  # the database may be in use
    shutil.copytree(cup, tmp_path / "moved # here", ignore=unused)
    links = [link for link in page.links if not link.startswith("#")]
    assert len({link for link in links if link.startswith("replays/")}) == REPLAYS
    assert len({link for link in links if link.startswith("logs/")}) == GAMES
    assert all(re.match(r"replays/\d+-\d-\w", link) for link in links if link.startswith("replays/"))
    for link in links:
        assert not re.match(r"[a-z]+:|/|\.", link)
        assert (tmp_path / "moved # here" / unquote(link)).is_file(), link
    assert {link[1:] for link in page.links if link.startswith("#")} == set(page.sections)


@without_charts
def test_links_work_in_a_page_outside_the_results(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "site" / "cup.html"
    ran("report", small, "--out", out, "--replays", "1")
    links = [link for link in Page(out.read_text(encoding="utf-8")).links if not link.startswith("#")]
    assert len(set(links)) == 7
    assert all((out.parent / unquote(link)).is_file() for link in links)


def test_replays_are_of_the_longest_closest_and_most_one_sided_games(page: Page, games: list[dict[str, Any]]) -> None:
    known = {f"group {game['place'] + 1}, game {game['number'] + 1}": game for game in games}
    chosen = [(known[row[0]], row[2]) for row in page.tables["Replays"][1:]]
    for name in ("last_spike", "chicago_express"):
        of_game = [game for game in games if game["setting"]["game"] == name]
        longest, closest, clearest = (
            [game for game, why in chosen if why == kind and game in of_game]
            for kind in ("longest", "closest", "most one-sided")
        )
        assert max(game["actions"] for game in longest) == max(game["actions"] for game in of_game)
        assert min(map(lead, closest)) == min(map(lead, of_game))
        assert max(map(lead, clearest)) == max(map(lead, of_game))
    assert {why for _, why in chosen} == {
        *("closest", "most one-sided", "longest", "greatest surprise", "first played")
    }
    assert f"Of {GAMES} games, {REPLAYS} can be replayed here" in page.words


def lead(game: dict[str, Any]) -> float:
    first, second = sorted(game["scores"], reverse=True)[:2]
    return float((first - second) / max(1, abs(first)))


def test_axis_values_are_round_and_labels_do_not_overlap() -> None:
    assert round_numbers(3, 7) == [3, 4, 5, 6, 7]
    assert round_numbers(13, 120) == [20, 40, 60, 80, 100, 120]
    places = placed_labels([("one", 100, 100), ("other", 101, 101), ("third", 102, 100)])
    assert len({(place["align"], place["dy"]) for place in places}) == 3


def test_the_heat_map_of_forty_entrants_has_every_name_on_both_axes() -> None:
    names = [f"bot {number}" for number in range(40)]
    pairs = [PairResult(one, other, 6, Estimate(0.7, None, None)) for one, other in combinations(names, 2)]
    drawn = ElementTree.fromstring(Charts().pairs(names, pairs))
    texts = [element.text for element in drawn.iter("text")]
    assert sorted(texts, key=str) == sorted(names * 2)
    colours = [path.get("fill") for path in drawn.iter("path")]
    assert sum(colour in (light("step-6"), light("step-3")) for colour in colours) == 40 * 39
    assert drawn.get("class") == "drawn wide"


# Formats


NINE = {f"{name} {number}": name for number in range(3) for name in BUILTINS}
FORMATS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "knockout": ({}, ("Rounds", "Final", "has won the final", "advances")),
    "swiss": ({"rounds": 3}, ("Rounds", "Points by round")),
    "gauntlet": ({"challengers": ["greedy 0"], "tables": 8}, ("Challengers and field", "greedy 0 played")),
    "duel": (
        {"versions": ["greedy 0", "random 0"], "tables": 7},
        ("greedy 0 against random 0", "42 pairs of games", "greedy 0 beats more opponents than random 0"),
    ),
}


@without_charts
@pytest.mark.parametrize("kind", FORMATS)
def test_each_format_has_its_own_section(kind: str, tmp_path: Path) -> None:
    form, words = FORMATS[kind]
    results = played(tmp_path, entrants=NINE, format={"kind": kind, **form}, logs=False, economy=True)
    page = Page(page_of(results))
    for word in words:
        assert word in page.words or word in page.tables, word
    assert "This tournament kept no logs" in page.words
    order = page.column("Standings", "Entrant")
    assert sorted(order) == sorted(NINE)
    if kind == "swiss":
        assert len(page.tables["Points by round"][0]) == 2 + 3 + 1
    if kind == "duel":
        heads, *rows = page.tables["The same games with each version"]
        games = [json.loads(line) for line in ran("games", results, "--json").splitlines()]
        pairs = [
            [
                game["scores"][game["seating"].index(name)]
                for game in games
                if name in game["seating"] and game["number"] % 2 == odd
            ]
            for odd, name in enumerate(("greedy 0", "random 0"))
        ]
        means = [sum(scores) / len(scores) for scores in pairs]
        (score,) = [row for row in rows if row[0] == "score"]
        assert score[1:4] == [f"{means[0]:,.0f}", f"{means[1]:,.0f}", f"+{means[0] - means[1]:,.0f}"]
        assert heads[1:3] == ["greedy 0", "random 0"]


@without_charts
def test_a_round_robin_names_entrants_that_left(tmp_path: Path) -> None:
    played(tmp_path, "--no-logs", "--games", "24", entrants=dict(list(NINE.items())[:4]))
    entrants = {**dict(list(NINE.items())[:3]), "new": "busy"}
    results = played(tmp_path, "--no-logs", "--games", "40", entrants=entrants)
    page = Page(page_of(results))
    assert "Left the tournament: greedy 1" in page.words
    assert "greedy 1 (left)" in page.column("Standings", "Entrant")
    assert "Stop after 40 games" in page.words


@without_charts
def test_the_stopping_rule_is_explained(tmp_path: Path) -> None:
    stop = {"better": {"entrant": "greedy 0", "than": "random 0", "by": 0.2}}
    results = played(tmp_path, entrants=dict(list(NINE.items())[:3]), stop=stop, logs=False, name="cup")
    page = Page(page_of(results))
    assert "Stop when it is known whether greedy 0 is better than random 0 by 0.2" in page.words
    assert "Greedy 0 is better than random 0; the mean difference is +0." in page.words
    assert "the intervals do not allow for the early stop" in page.words


@without_charts
def test_a_report_of_a_running_tournament_shows_the_games_so_far(tmp_path: Path) -> None:
    cup = write_plan(tmp_path, dict(list(NINE.items())[:3]), format={"rounds": 1000})
    words = ("tournament", "run", str(cup), "--workers", "1", "--events", "-")
    running = start_rails(*words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert running.stdout is not None
        for line in running.stdout:
            if b'"game_end"' in line:
                break
        page = Page(page_of(tmp_path / "cup-results", "--replays", "1"))
    finally:
        running.kill()
        running.wait()
        assert running.stdout is not None
        running.stdout.close()
    assert "Not finished: the following is the state so far" in page.words
    assert len(page.tables["Games"]) > 6


def test_a_report_without_games_says_so(tmp_path: Path) -> None:
    results = played(tmp_path, entrants=dict(list(NINE.items())[:3]), logs=False)
    with closing(sqlite3.connect(results / "results.sqlite")) as database:
        database.executescript("DELETE FROM games; DELETE FROM groups; DELETE FROM facts WHERE name = 'ending';")
    page = Page(page_of(results))
    assert "No game that counts has been finished yet." in page.words
    assert "svg" not in page.tags


@without_charts
def test_faults_are_listed_and_clean_games_rated_separately(tmp_path: Path) -> None:
    entrants = {"good": "greedy", "fair": "busy", "bad": bot("crashes")}
    page = Page(page_of(played(tmp_path, entrants=entrants, max_faults=1), "--replays", "1"))
    assert "6; 6 games tainted: a fault changed who played" in page.words
    assert "! lost its seat, and so the game, through faults: bad in 6 games" in page.words
    assert "bad is suspended: it failed in each of its first 6 games" in page.words
    assert "RuntimeError: this bot crashes" in page.words
    assert page.words.count("Traceback (most recent call last)") == 1, "the same stderr is shown once"
    assert sorted(page.column("Time and faults", "Kinds of faults")) == ["6 disconnect", "–", "–"]
    assert page.column("Games", "Remarks") == ["tainted, 1 fault"] * 6
    assert page.column("Replays", "Why shown") == ["faults"]
    assert len(page.tables["Faults"]) == 1 + 6
    marked = [name for name in page.column("Standings", "Entrant") if name.endswith(" faulty")]
    assert marked == ["bad ! faulty"]
    own = page.sections[f"entrant-{page.column('Standings', 'Entrant').index('bad ! faulty') + 1}"]
    assert len(own["Faults of bad"]) == 1 + 6
    assert len(own["Games of bad"]) == 1 + 6
    assert "The end of its stderr at the last of them, in game " in page.words


@without_charts
def test_games_without_a_suspended_entrant_are_marked(tmp_path: Path) -> None:
    """The report marks games that were scheduled for a suspended entrant but played without it.

    In these games the suspended entrant is listed as absent, without rank and score.
    """
    entrants = {"good": "greedy", "fair": "busy", "bad": bot("crashes")}
    form = {"rounds": 2, "seatings": "rotations"}
    results = played(tmp_path, entrants=entrants, max_faults=1, logs=False, format=form)
    page = Page(page_of(results))
    remarks = page.column("Games", "Remarks")
    assert sorted(remarks) == ["tainted, 1 fault"] * 3 + ["without bad"] * 3
    players = page.column("Games", "Players by seat: rank and score")
    assert ["bad absent" in words for words in players] == ["bad" in words for words in remarks]
    own = page.sections[f"entrant-{page.column('Standings', 'Entrant').index('bad ! faulty') + 1}"]
    assert [row[1] for row in own["Games of bad"][1:]] == ["3rd"] * 3 + ["–"] * 3
    assert len(own["Worst losses of bad"]) == 1 + 3
    assert ran("games", results).count("bad absent") == 3
    rows = [row for row in csv.DictReader(io.StringIO(ran("export", results))) if row["entrant"] == "bad"]
    lost, absent = ("0", "3", "True", "False"), ("", "", "False", "True")
    cells = [tuple(row[name] for name in ("score", "rank", "is_lost", "is_absent")) for row in rows]
    assert sorted(cells) == sorted([lost] * 3 + [absent] * 3)


@without_charts
def test_the_answer_comes_first_and_copies_are_counted(tmp_path: Path) -> None:
    entrants = {"ant": "greedy", "bee": "greedy", "cow": "greedy"}
    results = played(tmp_path, entrants=entrants, games=("chicago_express",), openings="none", format={"rounds": 2})
    page = Page(page_of(results, "--replays", "0"))
    answer = json.loads(ran("run", tmp_path / "cup.toml", "--quiet", "--json"))["answer"]["text"]
    assert page.words.index(answer) < page.words.index("Round robin, 3 entrants")
    assert "6 of 12 games are copies of others: these bots always play the same game. Use openings." in page.words
    assert page.column("Standings", "Games") == ["6 of 12"] * 3
    assert page.column("Games", "Remarks").count("copy") == 6


def test_each_entrant_has_its_games_and_worst_losses(page: Page, games: list[dict[str, Any]]) -> None:
    names = page.column("Standings", "Entrant")
    for number, name in enumerate(names, 1):
        own = page.sections[f"entrant-{number}"]
        assert len(own[f"Games of {name}"]) == 1 + sum(name in game["seating"] for game in games)
        losses = own.get(f"Worst losses of {name}", [["Worst losses"]])[1:]
        assert len(losses) <= 5
        behind = [int(row[-1].rstrip("%")) for row in losses]
        assert behind == sorted(behind, reverse=True)


# Errors


@without_charts
def test_a_report_without_the_chart_package_has_tables_only(small: Path, tmp_path: Path) -> None:
    done = rails("report", small, "--replays", "none", "--out", tmp_path / "x.html")
    assert done.exit_code == 0
    assert "pip install 'rails-cli[report]'" in done.stderr
    page = Page((tmp_path / "x.html").read_text(encoding="utf-8"))
    assert "This page was made without charts." in page.words
    assert "svg" not in page.tags
    assert {"Standings", "Pairs", "Seats", "Economy per game, averages in dollars", "Games"} <= page.tables.keys()


@without_charts
def test_missing_and_invalid_logs_are_named(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path / "cup")
    gone, wrong = sorted((tmp_path / "cup/logs").iterdir())[:2]
    gone.unlink()
    wrong.write_bytes(wrong.read_bytes().replace(b'"number":9,', b'"number":8,', 1))
    result = rails("report", tmp_path / "cup", "--replays", "all")
    assert result.exit_code == 0
    assert f"no replay written: logs/{gone.name}: No such file or directory" in result.stderr
    assert f"no replay written: logs/{wrong.name}: line " in result.stderr
    assert "6 games, 4 replays" in result.stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--replays", "many"], 2, "'many' is not a number of replays; expected all, none or a number such as 20"),
        (["--replays", "-1"], 2, "not a number of replays"),
        (["--out", "{small}/logs"], 2, "is a directory"),
        (["--out", "{small}/file/x.html"], 1, "cannot write"),
    ],
)
def test_invalid_arguments_are_refused(small: Path, words: list[str], code: int, message: str) -> None:
    (small / "file").touch()
    result = rails("report", small, *[word.format(small=small) for word in words])
    assert result.exit_code == code
    assert message in result.stderr


def test_a_folder_without_a_tournament_is_refused(tmp_path: Path) -> None:
    result = rails("report", tmp_path)
    assert result.exit_code == 1
    assert f"there is no tournament in {tmp_path}" in result.stderr


# Export for other programs


def test_parquet_and_csv_have_the_same_rows(small: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    ran("export", small, "--format", "parquet", "--output", tmp_path / "games.parquet")
    rows = parquet.read_table(tmp_path / "games.parquet").to_pylist()
    listed = list(csv.DictReader(io.StringIO(ran("export", small))))
    assert len(rows) == len(listed) == 6 * 3
    for row, words in zip(rows, listed, strict=True):
        assert {key: "" if value is None else str(value) for key, value in row.items()} == words
    kinds = {type(row["score"]) for row in rows} | {type(row["is_tainted"]) for row in rows}
    assert kinds == {int, bool}


# In a browser


@pytest.fixture
def shown(browser: Any, cup: Path) -> Any:
    """The browser showing the report of `cup`.

    The report is loaded again only if a test has left or changed the page.
    """
    resize(browser, 1280, 900)
    url = (cup / "report.html").as_uri()
    if browser.current_url.partition("#")[0] != url:
        browser.get("about:blank")
        requests(browser)
        complaints(browser)
        open_page(browser, url)
    return browser


def test_charts_are_visible_and_nothing_is_loaded(shown: Any) -> None:
    browser = shown
    sizes = browser.execute_script(
        "return [...document.querySelectorAll('.chart svg')].map((one) => one.getBoundingClientRect())"
        ".map((box) => [box.width, box.height])"
    )
    assert len(sizes) == 13
    assert all(width > 150 and height > 60 for width, height in sizes), sizes
    filled = browser.execute_script(
        "return [...document.querySelectorAll('.drawn')].map((one) => one.clientWidth / one.parentElement.clientWidth)"
    )
    assert min(filled) > 0.95, "a chart fills its column"
    assert browser.execute_script("return window.hacked") is None
    assert browser.title == "cup: tournament report"
    assert requests(browser) in ([], [browser.current_url])
    assert complaints(browser) == []
    texts = browser.execute_script("return [...document.querySelectorAll('.chart text')].map((one) => one.textContent)")
    assert any(text.startswith("<script>") for text in texts)


def test_the_report_is_accessible_in_both_themes(shown: Any) -> None:
    browser = shown
    resize(browser, 1200, 900)
    cut = "return [...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth)"
    assert browser.execute_script(f"{cut}.map((one) => one.ariaLabel)") == []
    for width, theme in ((1280, "light"), (360, "dark")):
        resize(browser, width, 900, theme)
        expect(browser, "document.documentElement.scrollWidth", width)
        assert violations(browser, () if theme == "light" else CONTRAST) == []
        paper = browser.execute_script("return getComputedStyle(document.querySelector('section')).backgroundColor")
        ink = browser.execute_script("return getComputedStyle(document.querySelector('.chart text')).fill")
        assert (brightness(paper) > brightness(ink)) == (theme == "light")


def brightness(colour: str) -> int:
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def test_tables_can_be_sorted_and_the_theme_changed(shown: Any) -> None:
    browser = shown
    rows = "[...document.querySelectorAll('table[aria-label=Standings] tbody tr')]"
    column = f"{rows}.map((row) => row.cells[1].textContent)"
    expect(browser, column, ["1", "2", "3", "4"])
    head = browser.find_elements("css selector", "table[aria-label=Standings] thead button")[1]
    head.click()
    expect(browser, column, ["4", "3", "2", "1"])
    head.click()
    expect(browser, column, ["1", "2", "3", "4"])
    before = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    browser.find_element("id", "theme").click()
    wait_for(browser, "getComputedStyle(document.body).backgroundColor !== arguments[0]", before)
    browser.get("about:blank")


def test_games_can_be_filtered(shown: Any, games: list[dict[str, Any]]) -> None:
    browser = shown
    rows = "[...document.querySelectorAll('table[aria-label=Games] tbody tr')].filter((row) => !row.hidden).length"
    expect(browser, rows, GAMES)
    choose = (
        "const [form] = document.forms; form.elements[arguments[0]].value = arguments[1];"
        "form.dispatchEvent(new Event('change'))"
    )
    browser.execute_script(choose, "entrant", "1")
    name = browser.execute_script("return document.forms[0].elements.entrant.selectedOptions[0].textContent")
    expect(browser, rows, sum(name in game["seating"] for game in games))
    browser.execute_script(choose, "result", "won")
    won = sum(name in game["seating"] and game["ranks"][game["seating"].index(name)] == 1 for game in games)
    expect(browser, rows, won)
    browser.execute_script(choose, "remark", "faults")
    expect(browser, rows, 0)
    assert browser.find_element("css selector", ".filters output").text == f"0 of {GAMES} games"
    browser.get("about:blank")


def test_the_report_prints_on_few_pages_with_table_headings(shown: Any) -> None:
    browser = shown
    pdf = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    pages = len(re.findall(rb"/Type */Page\b", base64.b64decode(pdf["data"])))
    assert 2 <= pages <= 8
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    printed = "main>section:not(#entrants) .tabled:not(.listing *, details *) th button"
    heads = browser.execute_script(
        f"return [...document.querySelectorAll('{printed}')].map((head) => head.getBoundingClientRect().height)"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert heads
    assert all(height > 0 for height in heads)


def test_a_replay_can_be_opened(shown: Any) -> None:
    browser = shown
    expect_count(browser, "table[aria-label=Replays] a", REPLAYS)
    link = browser.find_element("css selector", "table[aria-label=Replays] a")
    target = link.get_attribute("href")
    link.click()
    wait_for(
        browser,
        "location.href.split('#')[0] === arguments[0] && document.documentElement.dataset.ready !== undefined",
        target,
    )
    assert browser.find_element("id", "step-title").text
    assert browser.find_elements("css selector", "svg.board")
    assert browser.execute_script("return window.hacked") is None
    assert complaints(browser) == []


# The demonstration


def test_make_demo_writes_a_report(tmp_path: Path) -> None:
    """The commands of `make demo` write a report. The test uses fewer and shorter games, and no charts."""
    shutil.copytree(ROOT / "bots", tmp_path / "bots")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert makefile.count("tournament report demo-output\n") == 1
    fewer_replays = makefile.replace("tournament report demo-output\n", "tournament report demo-output --replays 1\n")
    (tmp_path / "Makefile").write_text(fewer_replays, encoding="utf-8")
    demo = tmp_path / "bots/demo.toml"
    text = demo.read_text(encoding="utf-8")
    fewer = text
    for one, other in (("rounds = 2 ", "rounds = 1 "), ("tables = 10 ", 'seatings = "rotations"\ntables = 2 ')):
        assert one in fewer
        fewer = fewer.replace(one, other)
    for game in game_names():
        (tmp_path / game).mkdir()
        board = json.dumps(str(short_board(game, tmp_path / game, pieces=2)))
        fewer = fewer.replace(f'game = "{game}"\n', f'game = "{game}"\nboard = {board}\n')
    assert fewer.count("board = ") == 3
    fewer = f"workers = 1\n{fewer}"
    demo.write_text(fewer, encoding="utf-8")
    venv = Path(sys.executable).parent.parent
    words = ["make", "-o", f"{venv}/.installed", "demo", f"VENV={venv}"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    (tmp_path / "no-charts").mkdir()
    hidden = "import sys\nsys.modules['altair'] = None\n"
    (tmp_path / "no-charts/sitecustomize.py").write_text(hidden, encoding="utf-8")
    alone["PYTHONPATH"] = str(tmp_path / "no-charts")
    done = subprocess.run(words, cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "logs verified, 0 of them unfinished" in done.stdout
    page = Page((tmp_path / "demo-output/report.html").read_text(encoding="utf-8"))
    there = {"greedy", "busy", "random", "python"}
    there |= {name for name, tool in (("c", "cc"), ("javascript", "node")) if shutil.which(tool)}
    assert set(page.column("Standings", "Entrant")) == there
    assert page.column("Standings", "Faults") == ["0"] * len(there)
    games = {words.split(",")[0] for words in page.column("Games", "Game")}
    assert games == {"Chicago Express", "American Rails", "The Last Spike"}
    assert re.search(r"(is best|leads|cannot be told apart).*\.$", done.stdout.strip().splitlines()[-1])
    suggestions = done.stdout.split("Try next:")[1]
    for line in suggestions.splitlines():
        if "rails-cli " in line:
            command = shlex.split(line.split("rails-cli ")[1])[0]
            assert CliRunner().invoke(main, [command, "--help"]).exit_code == 0
    assert suggestions.count("rails-cli") >= 6
