"""Tests of docs/TOURNAMENT*.md: the pages describe all keys, formats, events, tables and commands correctly."""

import json
import re
import shlex
import sqlite3
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.players.builtin import SUBSTITUTE
from rails_cli.tournament.model import FaultPolicy, SeedGroup, Setting
from rails_cli.tournament.plan import reading
from rails_cli.tournament.rating.standings import ShortRow
from rails_cli.tournament.results.group_results import GameFault
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.run import shipping
from rails_cli.tournament.run.events import Event, group_lost
from rails_cli.tournament.schedule.formats import FORMATS, planned
from rails_cli.tournament.schedule.seatings import MOST_SEATINGS
from rails_cli.tournament.schedule.sequence import ScheduledGroup
from tests.support.step_clock import StepClock
from tests.support.tools import ROOT, bot
from tests.support.tournaments import plan_of, played_by_clock

PAGES = sorted((ROOT / "docs").glob("TOURNAMENT*.md"))
PAGE = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
NOT_OF_A_PLAN = {"entrants", "settings", "seed", "rosters"}


def chapter(title: str) -> str:
    """Return the text of the manual between the heading `title` and the next heading of level 1 or 2."""
    return re.split(r"^##? ", re.split(rf"^##? {title}\n", PAGE, flags=re.MULTILINE)[1], flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of the first table in `text`, without its header."""
    lines = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


@pytest.mark.parametrize(
    ("after", "table"),
    [
        ("At the top of the file:", reading.PlanTable),
        ("In each `[[games]]`:", reading.GamesTable),
        ("In each `[[entrants]]`", reading.EntrantTable),
        ("In `[stop]`", reading.StopTable),
        ("In `[stop.better]`:", reading.BetterTable),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_every_key_of_a_plan_is_described_with_its_default(after: str, table: Any) -> None:
    described = {cells[0].strip("`"): cells[1] for cells in rows(chapter("The plan of a tournament").split(after)[1])}
    fields = {field.name: field for field in msgspec.structs.fields(table)}
    assert sorted(described) == sorted(fields)
    for name, field in fields.items():
        if field.required:
            assert described[name] == "needed", name
        elif field.default in (None, "", msgspec.NODEFAULT):
            assert "`" not in described[name].replace("`-results`", "").replace("as `logs`", "").replace(
                "`ahead`, or `beaten`", ""
            ), name
        else:
            assert described[name] == f"`{json.dumps(field.default)}`", name


def test_every_format_is_described_with_its_keys() -> None:
    text = chapter("Formats")
    described = {cells[0].strip("`"): cells[2] for cells in rows(text)}
    assert sorted(described) == sorted(planned())
    for kind in planned():
        made = FORMATS[kind]
        wanted = []
        for field in msgspec.structs.fields(made):
            if field.name in NOT_OF_A_PLAN:
                continue
            default = "none" if field.default_factory is dict else "nobody" if field.default == () else field.default
            wanted.append(f"`{field.name}` needed" if field.required else f"`{field.name}` = {default}")
        assert sorted(described[kind].split(", ")) == sorted(wanted), kind
        for field in msgspec.structs.fields(made):
            assert field.name in {*NOT_OF_A_PLAN, "seatings"} or f"- `{field.name}`: " in text
    assert f"`seatings` = {MOST_SEATINGS}" in text


def test_every_policy_choice_and_measure_is_described() -> None:
    for policy in get_args(FaultPolicy):
        assert f"| `{policy}` |" in chapter("Faults")
    for page in ("docs/TOURNAMENT_FAULTS.md", "docs/SERVER_TABLES.md", "protocol/MATCHES.md"):
        assert re.search(rf"`(builtin:)?{SUBSTITUTE}` (plays on|takes over)", (ROOT / page).read_text()), page
    for choice in ("all", "balanced", "rotations"):
        assert f'| `"{choice}"` |' in chapter("Fairness")
    for measure in ("ahead", "beaten", "wins", "score"):
        assert f"`{measure}`" in chapter("The plan of a tournament")


def events_of(folder: Path) -> dict[str, Event]:
    """Play a short tournament in `folder`. Return one event of each type that occurs without a cluster, by type."""
    entrants = [{"name": "bad", "command": bot("crashes")}, {"name": "busy", "builtin": "busy"}]
    games = [{"game": "last_spike", "players": 2}]
    plan = plan_of(folder, games=games, entrants=entrants, format={"rounds": 2}, logs=True)
    received: dict[str, Event] = {}
    played_by_clock(plan, StepClock(step_s=1), lambda event: received.update({event["event"]: event}))
    return received


def test_every_event_is_described_with_its_fields(tmp_path: Path) -> None:
    described = {}
    for cells in rows(chapter("Events")):
        described[cells[0].strip("`")] = set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", cells[2])))
    names = ("runner.py", "events.py", "cluster.py")
    sources = "".join((ROOT / "rails_cli/tournament/run" / name).read_text() for name in names)
    emitted = re.findall(r'(?:_tell\(|yield )\s*"(\w+)"(.*)', sources)
    emitted += re.findall(r'queued_news\.put\(\("(\w+)", (.*)', sources)
    assert sorted(described) == sorted({kind for kind, _ in emitted})
    received = events_of(tmp_path)
    for kind, event in received.items():
        assert described[kind] == set(event) - {"event", "time"}, kind
    seldom = {kind: set(re.findall(r'(\w+)=|"(\w+)":', rest)) for kind, rest in emitted if kind not in received}
    assert sorted(seldom) == ["decision", "group_lost", "worker_joined", "worker_lost", "worker_refused"]
    group = SeedGroup(Setting("toy", 2), 1, [["ant", "bee"]])
    lost = group_lost(ScheduledGroup(0, group.id, group), is_void=False, lost_by=None)
    assert described["group_lost"] == set(lost)
    del seldom["group_lost"]
    for kind, pairs in seldom.items():
        assert described[kind] == {"".join(pair) for pair in pairs}, kind
    for name in ShortRow.__struct_fields__:
        assert f"`{name}`" in chapter("Events")
    for name in received["eta"]["running"][0] if received["eta"]["running"] else ("groups_after",):
        assert f"`{name}`" in chapter("Events")
    assert set(GameFault.__struct_fields__) - {"number"} <= described["fault"]


def test_every_table_of_the_results_is_described(tmp_path: Path) -> None:
    with Store(tmp_path / "x", create=True):
        pass
    database = sqlite3.connect(tmp_path / "x/results.sqlite")
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    text = chapter("What is kept where")
    described = {cells[0].strip("`"): cells[1] for cells in rows(text[text.index("| table of") :])}
    assert sorted(described) == sorted(names)
    for name in names:
        for column in database.execute(f"SELECT name FROM pragma_table_info('{name}')"):
            assert f"`{column[0]}`" in described[name], f"{name}.{column[0]}"
    database.close()


def test_every_command_exists() -> None:
    lines = re.findall(r"(?:^\$ |`)(rails-cli tournament [^`\n|#]+)", PAGE.replace("\\\n", " "), re.MULTILINE)
    assert len(lines) > 10
    for line in lines:
        part, *rest = shlex.split(line)[2:]
        shown = CliRunner().invoke(main, ["tournament", part, "--help"]).output
        assert "Examples:" in shown, line
        for word in rest:
            assert not word.startswith("--") or re.search(rf"{word}\b", shown), line


def test_the_contents_list_every_page_and_chapter() -> None:
    first = (ROOT / "docs/TOURNAMENT.md").read_text(encoding="utf-8")
    titles = [title for title in re.findall(r"^## (.+)$", first, re.MULTILINE) if title != "Contents"]
    anchors = {"#" + title.lower().replace(" ", "-") for title in titles}
    listed = set(re.findall(r"\]\((.+?)\)", chapter("Contents")))
    assert listed >= anchors | {page.name for page in PAGES if page.name != "TOURNAMENT.md"}
    assert "docs/TOURNAMENT.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_calculations_in_the_manual_are_right() -> None:
    text = chapter("How large a tournament can be")
    rates = re.findall(r"([\d,]+) a second: ([\d.]+) h", text)
    assert len(rates) == 18
    for rate, hours in rates:
        assert float(hours) == round(1_000_000 / int(rate.replace(",", "")) / 3600, 1), rate
    sums = re.findall(r"([\d,.]+) (/|x) ([\d,.]+)(?: ([kms]\w*|bytes))? = ([\d,.]+)(?: (GB))?", text)
    assert len(sums) >= 8
    scale = {"ms": 0.001, "kB": 1e3, "bytes": 1, "": 1, "GB": 1e9}
    for first, sign, second, unit, result, size in sums:
        left, right = (float(number.replace(",", "")) for number in (first, second))
        wanted = left / right if sign == "/" else left * right * scale[unit]
        assert float(result.replace(",", "")) * scale[size] == pytest.approx(wanted, rel=0.02), (first, sign, second)


def test_the_size_limit_in_the_manual_is_that_of_the_code() -> None:
    assert f"at most {shipping.MOST_BYTES // 2**20} MiB" in PAGE
