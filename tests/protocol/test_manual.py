"""Tests that the protocol manual is correct and complete: its transcripts, tables, programs, commands and links."""

import hashlib
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner

from rails_cli import __version__
from rails_cli.basics.schemas import all_schemas
from rails_cli.cli import main
from rails_cli.games import game_names, load_game, standard_board
from rails_cli.logs.chain import log_of
from rails_cli.logs.signing import new_key
from rails_cli.match.session import MatchPolicy
from rails_cli.protocol import engine, lobby, log, messages, pool
from rails_cli.server.settings import ConnectionLimits, Limits
from rails_cli.server.tables.seat import LONGEST_SEARCH_S
from rails_cli.server.tables.server_players import LONGEST_SERVER_MOVE_S, MOST_SERVER_LOOKS
from tests.support.manual import TABLES, TRANSCRIPTS, WORDS, filled, parts
from tests.support.tools import GOLDEN, NO_SANDBOX, ROOT, rails
from tests.support.transcripts import PAGES, PYTHON_FIRST, example, tag_of

TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
TEXT = "\n".join(TEXTS.values())
CORE = TEXTS["PROTOCOL.md"]
ALL_PAGES = sorted(
    page
    for pattern in ("*.md", "bots/**/*.md", "docs/*.md", "protocol/*.md", "rails_cli/games/*/*.md")
    for page in ROOT.glob(pattern)
)
COMMAND_LINE = re.compile(r"(?:^\$ |`)(rails-cli [^`\n]+)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def chapter(game: str) -> str:
    """Return the text of the page of the protocol manual that describes `game`."""
    return TEXTS[f"{game.upper()}.md"]


def structs(module: Any) -> list[Any]:
    found = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    return [kind for kind in found if kind.__module__ == module.__name__ and not kind.__subclasses__()]


def test_every_generated_part_is_current() -> None:
    real = parts(filled(TEXT))
    stale = [name for name, content in parts(TEXT).items() if content != real[name]]
    assert not stale, f"out of date: {', '.join(stale)}; run `python -m tests.support.manual --write`"


def test_every_generated_transcript_and_table_occurs_once() -> None:
    shown = re.findall(r"<!-- ((?:transcript|table): \S+) -->", TEXT)
    made = [*(f"transcript: {name}" for name in TRANSCRIPTS), *(f"table: {name}" for name in TABLES)]
    assert sorted(shown) == sorted(made)


@pytest.mark.parametrize("module", [messages, log, lobby, pool, engine], ids=lambda module: str(module.__name__))
def test_every_message_and_log_line_is_described(module: Any) -> None:
    named = set(re.findall(r"`(?:[\w.\[\]]+\.)?(\w+)`", TEXT))
    for kind in structs(module):
        if kind.__struct_config__.tag is not None:
            assert f"`{tag_of(kind)}`" in TEXT or f"\n### {tag_of(kind)}\n" in TEXT, tag_of(kind)
        for field in msgspec.structs.fields(kind):
            assert field.encode_name in named, f"{kind.__name__}.{field.encode_name}"


@pytest.mark.parametrize("game", game_names())
def test_every_action_event_and_field_of_a_game_is_described(game: str) -> None:
    text = chapter(game)
    words = WORDS[game]
    for kind in get_args(words.Action | words.Entry | words.Event):
        assert f"| `{tag_of(kind)}` |" in text, tag_of(kind)
        for field in msgspec.structs.fields(kind):
            if (tag_of(kind), field.encode_name) not in {("bid", "min"), ("bid", "max")}:  # in PROTOCOL.md
                assert f"`{field.encode_name}`" in text, f"{tag_of(kind)}.{field.encode_name}"
    for kind in structs(words):
        if kind.__struct_config__.tag is None and not kind.__name__.startswith("Board"):  # tested below
            for field in msgspec.structs.fields(kind):
                assert re.search(rf"`(?:[\w.\[\]]+\.)?{field.encode_name}`", text), (
                    f"{kind.__name__}.{field.encode_name}"
                )


@pytest.mark.parametrize("game", game_names())
def test_every_kind_of_question_and_action_has_an_example(game: str) -> None:
    """The page of a game shows a real request and answer for each kind of question and each kind of action."""
    text = chapter(game)
    shown = re.findall(rf"<!-- transcript: {game}\.(\w+)\.(\w+) -->", text)
    asked = re.search(r"`view\.(\w+)\.(\w+)` names the kind", text)
    assert asked is not None
    rows = re.search(rf"^\| `{asked[1]}\.{asked[2]}` \| (.+?) \|", text, re.MULTILINE)
    assert rows is not None
    assert {question for question, _ in shown} == set(re.findall(r'"(\w+)"', rows[1]))
    assert {action for _, action in shown} == {tag_of(kind) for kind in get_args(WORDS[game].Action)}
    for question, _ in shown:
        assert f"**`{question}`**" in text


@pytest.mark.parametrize("game", game_names())
def test_every_field_of_a_board_is_described(game: str) -> None:
    text = chapter(game).split("## Board of ")[1].split("## Events of ")[0].split("<!-- transcript")[0]
    described = {name for path in re.findall(r"`([\w.\[\]]+)`", text) for name in re.findall(r"\w+", path)}
    assert field_names(load_game(game).wire_board(standard_board(game))) <= described


def field_names(value: Any) -> set[str]:
    """Return all field names in `value`, which is a board as decoded JSON.

    Keys that are numbers or names of actions are not field names.
    """
    names: set[str] = set()
    if isinstance(value, list):
        names.update(*(field_names(part) for part in value))
    elif isinstance(value, dict):
        for key, part in value.items():
            if not key.isdigit() and key not in ("auction", "expand"):
                names.add(key)
            names |= field_names(part)
    return names


def fault_codes() -> Iterator[str]:
    """Yield the code of every rejection of an answer, and of every fault that the source code reports for a bot.

    Error codes of the lobby are not included, because another test checks them.
    """
    yield from get_args(messages.RejectionCode)
    calls = "SeatLost|BadLine|FaultLine|lost|_settle|_fault|_give_away"
    for folder in ("protocol", *(f"rails_cli/{name}" for name in ("match", "programs", "referee", "client", "server"))):
        errors = "" if folder.endswith("server") else "|Error"
        given = re.compile(rf'(?:\b(?:{calls}{errors})\((?:seat, )?|(?:why =|return|why or) \(?(?="\w+", ))"(\w+)"')
        for file in (ROOT / folder).rglob("*.py"):
            yield from given.findall(file.read_text(encoding="utf-8"))


def test_every_fault_code_is_described() -> None:
    faults = TEXT.split("\n## Faults\n")[1].split("\n### ")[0]
    codes = set(fault_codes())
    assert {"bad_line", "disconnect", "too_slow", "version"} <= codes
    assert {code for code in codes if f"| `{code}` |" not in faults} == set()


def test_every_error_of_the_lobby_is_described() -> None:
    errors = TEXTS["LOBBY.md"].split("\n## Errors of the lobby\n")[1].split("\n## ")[0]
    errors += TEXTS["POOL.md"].split("\n## Errors of the pool\n")[1]
    described = {
        code for row in re.findall(r"^\| (`.+?) \|", errors, re.MULTILINE) for code in re.findall(r"`(\w+)`", row)
    }
    given = re.compile(r'(?:Refused|Error|drop)\(\s*"(\w+)"')
    files = [*(ROOT / "rails_cli/server").rglob("*.py"), ROOT / "rails_cli/match/session.py"]
    sources = [file.read_text(encoding="utf-8") for file in files]
    codes = {code for source in sources for code in given.findall(source)} - {
        "ended"
    }  # sent only to bots that the server runs
    assert {"forbidden", "replaced", "shutdown", "unknown_table"} <= codes
    assert codes | {"bad_line", "too_long", "stale_request"} == described


def test_every_reason_for_the_end_of_a_match_is_described() -> None:
    ends = TEXT.split("\n### end\n")[1].split("\n### ")[0]
    for reason in get_args(messages.EndReason):
        assert f"| `{reason}` |" in ends


def test_the_limits_in_the_manual_are_those_of_the_code() -> None:
    assert f"{messages.MAX_LINE:,} bytes" in TEXT
    assert f"{messages.MAX_INFO:,} bytes" in TEXT
    assert f"protocol, version {messages.PROTOCOL}\n" in CORE


def test_the_limits_on_the_engine_page_are_those_of_the_code() -> None:
    page = TEXTS["ENGINE.md"]
    for number in (engine.MOST_POSITIONS, engine.MOST_REQUESTS, engine.MOST_RUNS, engine.MOST_PLAYOUTS):
        assert f" {number:,} " in page
    assert f"{engine.MOST_ANSWERED // 2**20} MiB" in page


def test_the_main_page_has_at_most_500_lines() -> None:
    assert CORE.count("\n") <= 500


# Programs


def test_the_example_bot_has_at_most_15_lines() -> None:
    assert len(example("bot.py").splitlines()) <= 15


@pytest.mark.parametrize("game", game_names())
def test_the_example_bot_plays_every_game_without_faults(game: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(example("bot.py"), encoding="utf-8")
    seats = ["--seat", "python3 bot.py"] * 3
    played = rails("run", game, *seats, "--log", "game.jsonl", "--json", cwd=tmp_path, env=PYTHON_FIRST)
    assert (played.returncode, played.stderr) == (0, NO_SANDBOX.format("--sandbox auto"))
    result = json.loads(played.stdout)
    assert (result["reason"], result["faults"]) == ("normal", [0, 0, 0])
    for seat in (1, 2, 3):
        assert (tmp_path / f"game.jsonl.seat{seat}.stderr").read_text() == ""


def test_the_example_validator_accepts_a_log_and_rejects_a_wrong_line(tmp_path: Path) -> None:
    (tmp_path / "validate.py").write_text(example("validate.py"), encoding="utf-8")
    (tmp_path / "schemas").mkdir()
    for name, content in all_schemas().items():
        (tmp_path / "schemas" / name).write_bytes(content)
    words = ["run", "last_spike", "--seat", "builtin:busy", "--seat", "builtin:random", "--log", "game.jsonl", "--json"]
    rails(*words, cwd=tmp_path, check=True)
    validate = [sys.executable, "validate.py", "game.jsonl"]
    assert subprocess.run(validate, cwd=tmp_path, check=False).returncode == 0
    with (tmp_path / "game.jsonl").open("a") as file:
        file.write('{"type":"fault","number":"seven"}\n')
    assert subprocess.run(validate, cwd=tmp_path, check=False, capture_output=True).returncode == 1


def test_the_example_checksum_program_detects_a_changed_log(tmp_path: Path) -> None:
    program = example("seal.py")
    assert len(list(filter(None, program.splitlines()))) <= 5
    (tmp_path / "seal.py").write_text(program, encoding="utf-8")
    whole = next((GOLDEN / "last_spike").glob("*.jsonl")).read_bytes()
    for content, is_good in ((whole, True), (whole.replace(b'"seat":', b'"seat": ', 1), False)):
        (tmp_path / "game.jsonl").write_bytes(content)
        check = [sys.executable, "seal.py", "game.jsonl"]
        done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is is_good
        assert (done.stdout.strip() == hashlib.sha256(content).hexdigest()) is is_good


def test_the_example_signature_program_detects_a_changed_log(tmp_path: Path) -> None:
    (tmp_path / "signature.py").write_text(example("signature.py"), encoding="utf-8")
    whole = next((GOLDEN / "last_spike").glob("*.jsonl")).read_bytes().splitlines()
    header = msgspec.json.decode(whole[0], type=log.Header)
    result = msgspec.json.decode(whole[-1], type=log.ResultLine)
    signer = new_key(tmp_path / "my.key")
    signed = log_of([header, *(msgspec.Raw(line) for line in whole[1:-1]), result], signer)
    changed = signed.replace(b'"seat":', b'"seat": ', 1)
    for content, words in ((signed, f"signed by {signer.key}"), (changed, "InvalidSignature")):
        (tmp_path / "game.jsonl").write_bytes(content)
        check = [sys.executable, "signature.py", "game.jsonl"]
        done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) is (content is signed)
        assert words in done.stdout + done.stderr


def test_every_schema_definition_named_in_the_manual_exists() -> None:
    text = TEXT.split("\n## JSON Schemas\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `#/\$defs/(.+) \|.*\|$", text, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"\w+", row)]
    assert len(named) == 9
    for game in game_names():
        schema = json.loads(all_schemas()[f"{game}.json"])
        assert set(named) <= set(schema["$defs"])


# Commands and links


def test_every_command_line_in_the_manual_uses_existing_options() -> None:
    lines = {line.split(" > ")[0].strip() for line in COMMAND_LINE.findall(TEXT)}
    assert lines
    for line in sorted(lines):
        words = shlex.split(line)[1:]
        command, rest = words[0], words[1:]
        assert command in main.summaries, line
        shown = help_of(command)
        for word in rest[: rest.index("--")] if "--" in rest else rest:
            if word.startswith("--"):
                assert re.search(rf"{word}\b", shown), f"{line}: {command} has no {word}"


@cache
def help_of(command: str) -> str:
    shown = CliRunner().invoke(main, [command, "--help"])
    assert shown.exit_code == 0, shown.output
    return shown.output


def test_every_option_named_in_the_text_exists() -> None:
    helps = "".join(map(help_of, ("run", "host", "serve", "ask", "check-bot", "engine", "verify")))
    for option in set(re.findall(r"`(--[a-z-]+)", TEXT)):
        assert option in helps, option


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub generates for the headings of `page`."""
    outside = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in HEADING.findall(outside)}


def test_every_link_has_an_existing_target() -> None:
    for page in ALL_PAGES:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            assert not target.startswith("http"), f"{page}: {target}: the manual must not link to other sites"
            file, _, anchor = target.partition("#")
            there = page.parent / file if file else page
            assert there.exists(), f"{page}: {target}"
            assert not anchor or anchor in anchors(there.resolve()), f"{page}: {target}"


def test_the_table_of_contents_lists_every_chapter_and_page() -> None:
    contents = CORE.split("\n## Contents\n")[1].split("\n## ")[0]
    chapters = [title for title in re.findall(r"^## (.+)$", CORE, re.MULTILINE) if title != "Contents"]
    assert [title for title in chapters if f"[{title}]" not in contents] == []
    assert [name for name in TEXTS if name != "PROTOCOL.md" and f"({name})" not in contents] == []


# The pages on running a server


SERVER_PAGE = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("SERVER*.md")))


def test_the_server_page_describes_every_option_with_its_default() -> None:
    shown = CliRunner().invoke(main, ["serve", "--help"]).output
    of_others = (
        r"openssl .*|.*--tls-ca.*|.*rails-cli (?:tables|verify) .*|--openings\s+drawn|.*--version|--no-cache-dir"
    )
    of_others += r"|rails-cli (?:play|watch) --server"
    about_serve = re.sub(of_others, "", SERVER_PAGE)
    options = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", about_serve))
    assert {option for option in options if not re.search(rf"{option}\b", shown)} == set()
    described = re.findall(r"^\| `(--[a-z-]+)` \| (\d+[KMG]?) \|", SERVER_PAGE, re.MULTILINE)
    assert len(described) >= 9
    for option, default in described:
        found = re.search(rf"{option} .*?\[default: (\d+[KMG]?)", " ".join(shown.split()))
        assert found is not None, option
        assert found[1] == default, option
    for option in re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE):
        assert option in (*options, "--help", "--port", "--data"), f"{option} is not described"


def test_the_limits_and_metrics_on_the_server_page_are_those_of_the_code() -> None:
    limits = ConnectionLimits()
    assert f"rails-cli {__version__} (compiled)" in SERVER_PAGE
    assert f"{messages.MAX_LINE:,} bytes" in SERVER_PAGE
    assert f"({limits.unread_bytes // 2**20} MiB" in SERVER_PAGE
    assert f"handshake ({limits.handshake_s:g} s)" in SERVER_PAGE
    assert f"still listed ({Limits().ended_kept})" in SERVER_PAGE
    assert f"It has {MatchPolicy().start_up_s:g} s on top of its clock" in SERVER_PAGE
    assert f"may take {MOST_SERVER_LOOKS:,} looks or {LONGEST_SERVER_MOVE_S:g} s a move" in SERVER_PAGE
    assert f"has {LONGEST_SEARCH_S:g} s for an answer" in SERVER_PAGE
    operating = (ROOT / "docs/OPERATING.md").read_text(encoding="utf-8")
    names = set(re.findall(r"^\| `(rails_\w+)", SERVER_PAGE + operating, re.MULTILINE))
    source = (ROOT / "rails_cli/server/pages/metrics.py").read_text(encoding="utf-8")
    made = {
        name + ("_total" if kind == "Counter" else "")
        for kind, name in re.findall(r'(Counter|Gauge|Histogram)MetricFamily\(\s*"(\w+)"', source)
    }
    assert names == made
