"""Tests that code generators turn the JSON Schemas of the protocol into types that compile and can be used."""

import json
import re
import shlex
import subprocess
from pathlib import Path

from tests.support.tools import ROOT, skip_without

BINARIES = ROOT / "node_modules" / ".bin"
TOOLS = {"json-schema-to-typescript": "json2ts", "quicktype": "quicktype"}
"""Code generators by npm package. The value is the command that the package installs."""
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


SEVERAL = """
const { main } = require(process.argv[1]);
(async () => { for (const words of JSON.parse(process.argv[2])) await main(words); })();
"""
"""JavaScript program that runs quicktype once for each list of arguments, in one Node.js process."""


def test_types_generated_from_the_schemas_compile_with_a_bot(tmp_path: Path) -> None:
    """Run the commands of the manual. Then compile TypeScript bots that use the generated types."""
    manual = (ROOT / "protocol" / "LOGS.md").read_text(encoding="utf-8")
    [typescript, *other] = [shlex.split(line) for line in re.findall(r"^\$ npx (.+)$", manual, re.MULTILINE)]
    skip_without("node")
    skip_without(*TOOLS.values(), "tsc", path=str(BINARIES))
    (tmp_path / "schemas").symlink_to(ROOT / "schemas")
    not_prettified = "--no-format"  # generates the same types in a third of the time
    run_successfully(tmp_path, BINARIES / TOOLS[typescript[0]], *typescript[1:], not_prettified)
    assert {words[0] for words in other} == {"quicktype"}
    for words in other:
        in_typescript = [{"swift": "typescript", "LastSpike.swift": "quick.ts"}.get(word, word) for word in words]
        lists = json.dumps([words[1:], in_typescript[1:]])
        run_successfully(tmp_path, "node", "-e", SEVERAL, ROOT / "node_modules" / "quicktype", lists)
        assert "struct Request {\n" in (tmp_path / "LastSpike.swift").read_text()
    (tmp_path / "bot.ts").write_text(TYPED_BOT)
    (tmp_path / "quick_bot.ts").write_text(QUICK_BOT)
    compiled = "--strict --noEmit --target es2022 --lib es2022 --module nodenext --skipDefaultLibCheck"
    run_successfully(tmp_path, BINARIES / "tsc", *compiled.split(), "bot.ts", "quick_bot.ts")


def run_successfully(folder: Path, *command: str | Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
