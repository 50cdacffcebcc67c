"""The schemas are current, say what every type and field means, and accept what the program really sends."""

import re
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from protocol import common, engine, lobby, log, messages
from protocol.lines import frame
from protocol.log import PlayerLine
from protocol.messages import Join
from rails_cli.core.luck import stream
from rails_cli.games import GAME_NAMES, load_game
from rails_cli.games.game import ALL_SEATS, PUBLIC
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import start_of
from rails_cli.players.chance import choose_busy
from rails_cli.schemas import all_schemas, field_docs, game_schema, vocabulary
from tests.support.positions import Setting, all_settings, walk
from tests.support.tools import ROOT

FOLDER = ROOT / "schemas"
BINARIES = ROOT / "node_modules" / ".bin"


def test_files_are_current() -> None:
    wanted = all_schemas()
    found = {file.name: file.read_bytes() for file in FOLDER.glob("*.json")}
    assert found == wanted, "run: rails-cli schemas --write"


@pytest.mark.parametrize(
    "module", [common, engine, lobby, log, messages, *(vocabulary(load_game(name)) for name in GAME_NAMES)]
)
def test_every_type_and_field_is_documented(module: Any) -> None:
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    assert kinds
    for kind in kinds:
        assert kind.__doc__, kind
        undocumented = {field.name for field in msgspec.structs.fields(kind)} - set(field_docs(kind))
        assert not undocumented, f"{kind}: {undocumented}"


@cache
def validator(name: str, definition: str) -> jsonschema_rs.Draft202012Validator:
    schema = game_schema(load_game(name))
    jsonschema_rs.meta.validate(schema)
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})


@pytest.mark.parametrize("setting", all_settings(), ids=str)
def test_real_messages_are_valid(setting: Setting) -> None:
    """A whole logged game, and the views, legal lists and actions of another."""
    game, board = setting.game, setting.board
    lines = validator(setting.name, "LogLine")
    for line in _log(setting):
        lines.validate(msgspec.to_builtins(line))
    validator(setting.name, "Options").validate(msgspec.to_builtins(setting.options))
    told = msgspec.json.decode(msgspec.json.encode(game.wire_board(board)))
    validator(setting.name, "Board").validate(told)
    assert msgspec.to_builtins(msgspec.convert(told, vocabulary(game).Board)) == told
    messages = validator(setting.name, "ServerMessage")
    match = Match(game, board, header_of(game, setting.options, 4, [PlayerLine("a")] * setting.players))
    for join in (Join(), Join(board=False)):
        messages.validate(msgspec.json.decode(frame(start_of("m-1", match, 0, None, join))))
    views, entries, actions = (validator(setting.name, kind) for kind in ("View", "Entry", "Action"))
    for count, step in enumerate(walk(setting, 11, "busy")):
        actions.validate(msgspec.to_builtins(step.action))
        if count % 15 == 0:
            for seer in (step.seat, PUBLIC, ALL_SEATS):
                views.validate(msgspec.to_builtins(game.view(step.state, board, seer)))
            for entry in step.legal:
                entries.validate(msgspec.to_builtins(entry))


def _log(setting: Setting) -> list[Any]:
    players = [PlayerLine(f"busy {seat}", "builtin:busy") for seat in range(setting.players)]
    match = Match(setting.game, setting.board, header_of(setting.game, setting.options, 4, players))
    chance = stream(4)
    lines: list[Any] = [match.header, match.setup_line]
    while match.seat is not None:
        lines.append(match.submit(match.seat, choose_busy(match.legal, chance)))
    return [*lines, match.result_line()]


@pytest.mark.parametrize("name", GAME_NAMES)
def test_wrong_messages_are_not_valid(name: str) -> None:
    """The validator would notice: an unknown field, a missing one, a wrong type."""
    actions = validator(name, "Action")
    actions.validate({"type": "pass"})
    for wrong in ({"type": "pass", "extra": 1}, {"type": "fly"}, {}, {"type": "bid", "amount": "ten"}):
        with pytest.raises(jsonschema_rs.ValidationError):
            actions.validate(wrong)


def test_types_have_plain_names_and_are_all_reachable() -> None:
    """What code generators need: titles that are names, a root, and unions that are said by their names."""
    for name, content in all_schemas().items():
        schema = msgspec.json.decode(content)
        definitions = schema["$defs"]
        assert {title: part.get("title") for title, part in definitions.items()} == {
            title: title for title in definitions
        }
        assert re.fullmatch("[A-Z][A-Za-z]+Message", schema["title"])
        reached: set[str] = set()
        waiting = [part["$ref"].rpartition("/")[2] for part in schema["anyOf"]]
        while waiting:
            reached.add(title := waiting.pop())
            found = re.findall(rb'"#/\$defs/(\w+)"', msgspec.json.encode(definitions[title]))
            waiting += {word.decode() for word in found} - reached - set(waiting)
        assert set(definitions) - reached <= {"Join"}, name


TOOLS = {"json-schema-to-typescript": "json2ts", "quicktype": "quicktype"}
"""What makes types of schemas, and the command of each."""
TYPED_BOT = """
import type { ClientMessage, Entry, ServerMessage, View } from "./types/last_spike";
import type { Board } from "./types/chicago_express";
import type { LobbyAnswer, LobbyRequest } from "./types/lobby";

export function hear(message: ServerMessage): ClientMessage | null {
  switch (message.type) {
    case "start":
      const first: string | undefined = message.board?.routes[0]?.pieces[0]?.id;
      const cash: "open" | "hidden" | undefined = message.options.cash;
      return first === undefined || cash === "hidden" ? { type: "again" } : null;
    case "request":
      return { type: "action", number: message.number, action: decide(message.legal, message.view) };
    default:
      return null;
  }
}

function decide(legal: Entry[], view: View | null) {
  for (const entry of legal) {
    if (entry.type === "play" && (view?.players[0]?.cash ?? 0) > (entry.cost ?? 0)) return entry;
  }
  return { type: "pass" } as const;
}

export const sit: LobbyRequest = { type: "sit", table: "3f2a91bc" };
export const tables = (answer: LobbyAnswer) => (answer.type === "tables" ? answer.tables.map((one) => one.table) : []);
export const neighbours = (board: Board): string[] => board.hexes.flatMap((hex) => hex.neighbours);
// @ts-expect-error: a number is no name of a table
export const wrong: LobbyRequest = { type: "sit", table: 3 };
// @ts-expect-error: there is no such message
export const unknown: ClientMessage = { type: "fly" };
"""
QUICK_BOT = """
import type { Answer, Board, Request, Start } from "./quick";

export const answer = (request: Request): Partial<Answer> => ({ number: request.number, choice: request.default });
export const cheap = (request: Request): number => Math.min(...request.legal.map((entry) => entry.cost ?? 0));
export const board = (start: Start): Board | null => start.board;
// @ts-expect-error: a number is no text
export const wrong = (request: Request): string => request.number;
"""


def test_types_for_other_languages_are_usable(tmp_path: Path) -> None:
    """As the manual says: TypeScript from every schema, compiled with a bot that uses it, and other languages."""
    manual = (ROOT / "protocol" / "LOGS.md").read_text(encoding="utf-8")
    [typescript, *other] = re.findall(r"^\$ npx (.+)$", manual, re.MULTILINE)
    for name in (*TOOLS.values(), "tsc"):
        if shutil.which("node") is None or not (BINARIES / name).exists():
            pytest.skip(f"{name} is not installed: make node-tools")
    (tmp_path / "schemas").symlink_to(FOLDER)
    made(typescript, tmp_path)
    for words in other:
        made(words, tmp_path)
        assert "struct Request {\n" in (tmp_path / "LastSpike.swift").read_text()
        made(words.replace("LastSpike.swift", "quick.ts").replace("swift", "typescript"), tmp_path)
    (tmp_path / "bot.ts").write_text(TYPED_BOT)
    (tmp_path / "quick_bot.ts").write_text(QUICK_BOT)
    made("tsc --strict --noEmit --target es2022 --module nodenext bot.ts quick_bot.ts", tmp_path)


def made(line: str, folder: Path) -> None:
    tool, *words = shlex.split(line)
    command = [str(BINARIES / TOOLS.get(tool, tool)), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
