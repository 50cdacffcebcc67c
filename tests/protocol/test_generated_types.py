"""Tools that make types of JSON Schemas make usable ones of ours."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.tools import ROOT

BINARIES = ROOT / "node_modules" / ".bin"
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
    (tmp_path / "schemas").symlink_to(ROOT / "schemas")
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
