"""Who may import whom: the table of the architecture, read off the sources."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tools import ROOT

PACKAGES = ("rails_cli", "protocol", "bots")
GAMES = ("chicago_express", "american_rails", "last_spike")

# What the modules that start with a name may import from this project; the longest name that fits counts.
# A name stands for all below it, except the bare `rails_cli`, which is the package itself and its version.
MAY_IMPORT = {
    "protocol": ("protocol",),
    "bots": ("protocol", "rails_cli.games", "rails_cli.core"),
    "rails_cli.core": ("rails_cli.core",),
    "rails_cli.games": ("rails_cli.games", "protocol.common"),
    "rails_cli.match": ("rails_cli", "rails_cli.match", "rails_cli.games.__init__", "rails_cli.games.game", "protocol"),
    "rails_cli.log_file": ("rails_cli.match",),
    "rails_cli.seats": ("rails_cli.seats", "protocol.messages"),
    "rails_cli.referee": (
        "rails_cli.match",
        "rails_cli.players.house",
        "rails_cli.seats.line_seat",
        "protocol.log",
        "protocol.messages",
    ),
    "rails_cli.render": ("rails_cli.render", "protocol"),
    "rails_cli.keyboard": (),
    "rails_cli.playback": (
        "rails_cli.playback",
        "rails_cli.match",
        "rails_cli.render",
        "rails_cli.games.game",
        "protocol.log",
    ),
    "rails_cli.playback.screen": (
        "rails_cli.playback",
        "rails_cli.keyboard",
        "rails_cli.render",
        "rails_cli.games.game",
    ),
    "rails_cli.web": ("rails_cli.web",),
    "rails_cli.web.hexmap": (
        "rails_cli.web.drawing",
        "rails_cli.web.paints",
        "rails_cli.render.boards",
        "protocol.chicago_express",
        "protocol.american_rails",
    ),
    "rails_cli.web.routemap": ("rails_cli.web.drawing", "rails_cli.web.paints", "protocol.last_spike"),
    "rails_cli.web.tables": (
        "rails_cli.web.drawing",
        "rails_cli.web.paints",
        "rails_cli.render.american_rails",
        "rails_cli.render.boards",
        "protocol.chicago_express",
        "protocol.american_rails",
        "protocol.last_spike",
    ),
    "rails_cli.web.story": (
        "rails_cli.web",
        "rails_cli.playback.recorded",
        "rails_cli.playback.telling",
        "rails_cli.render.ledger",
        "rails_cli.games.game",
        "protocol.log",
    ),
    "rails_cli.web.page": ("rails_cli.web", "rails_cli.playback.recorded"),
    "rails_cli.web.live": (
        "rails_cli.web",
        "rails_cli.asking",
        "rails_cli.match",
        "rails_cli.render",
        "rails_cli.games.game",
        "protocol.common",
        "protocol.showing",
    ),
    "rails_cli.web.site": ("rails_cli.web", "rails_cli.players.house", "rails_cli.games.__init__"),
    "rails_cli.asking": (
        "rails_cli.asking",
        "rails_cli.render",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "protocol.common",
    ),
    "rails_cli.terminal": (
        "rails_cli.terminal",
        "rails_cli.asking",
        "rails_cli.render",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "protocol.common",
    ),
    "rails_cli.terminal.signs": (),
    "rails_cli.terminal.board_text": ("rails_cli.playback.recorded",),
    "rails_cli.terminal.reading_time": (),
    "rails_cli.terminal.input_lines": (),
    "rails_cli.terminal.books": ("rails_cli.terminal", "rails_cli.asking", "rails_cli.render", "protocol"),
    "rails_cli.terminal.saving": ("rails_cli.match", "rails_cli.log_file", "protocol.log"),
    "rails_cli.terminal.hot_seat": (
        "rails_cli.terminal",
        "rails_cli.asking",
        "rails_cli.match",
        "rails_cli.referee",
        "rails_cli.seats.line_seat",
        "rails_cli.playback.recorded",
        "rails_cli.playback.screen",
        "rails_cli.render",
        "rails_cli.games.game",
        "protocol.log",
    ),
    "rails_cli.terminal.foresight": ("rails_cli.games.game", "protocol.common", "protocol.lobby"),
    "rails_cli.terminal.remote": (
        "rails_cli.terminal",
        "rails_cli.asking",
        "rails_cli.client",
        "rails_cli.playback.recorded",
        "rails_cli.playback.screen",
        "rails_cli.render",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "protocol.lines",
        "protocol.lobby",
        "protocol.messages",
    ),
    "rails_cli.players": ("rails_cli.players", "rails_cli.games", "rails_cli.core", "protocol"),
    "rails_cli.players.house": ("rails_cli.players", "rails_cli.match", "rails_cli.core"),
    "rails_cli.simulate": (
        "rails_cli.match",
        "rails_cli.log_file",
        "rails_cli.players.chance",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "rails_cli.core.luck",
        "protocol.log",
    ),
    "rails_cli.summary": ("rails_cli.simulate",),
    "rails_cli.doctor": (
        "rails_cli.doctor",
        "rails_cli.referee",
        "rails_cli.match",
        "rails_cli.seats.line_seat",
        "rails_cli.seats.process",
        "rails_cli.players.house",
        "rails_cli.games.game",
        "protocol.common",
        "protocol.lines",
        "protocol.log",
        "protocol.messages",
    ),
    "rails_cli.tournament": (),
    "rails_cli.tournament.tables": ("rails_cli.core.luck",),
    "rails_cli.tournament.luce": (),
    "rails_cli.tournament.ratings": (
        "rails_cli.tournament.estimates",
        "rails_cli.tournament.luce",
        "rails_cli.core.luck",
    ),
    "rails_cli.tournament.standings": (
        "rails_cli.tournament.estimates",
        "rails_cli.tournament.luce",
        "rails_cli.tournament.model",
        "rails_cli.tournament.ratings",
    ),
    "rails_cli.tournament.sequential": (
        "rails_cli.tournament.estimates",
        "rails_cli.tournament.luce",
        "rails_cli.tournament.model",
        "rails_cli.tournament.ratings",
        "rails_cli.tournament.standings",
    ),
    "rails_cli.tournament.planner": (
        "rails_cli.tournament.estimates",
        "rails_cli.tournament.luce",
        "rails_cli.tournament.model",
        "rails_cli.tournament.ratings",
        "rails_cli.tournament.sequential",
    ),
    "rails_cli.tournament.schedule": (
        "rails_cli.tournament.model",
        "rails_cli.tournament.seatings",
        "rails_cli.core.luck",
    ),
    "rails_cli.tournament.league": ("rails_cli.tournament.model", "rails_cli.tournament.schedule"),
    "rails_cli.tournament.swiss": (
        "rails_cli.tournament.model",
        "rails_cli.tournament.schedule",
        "rails_cli.tournament.seatings",
        "rails_cli.core.luck",
    ),
    "rails_cli.tournament.knockout": (
        "rails_cli.tournament.model",
        "rails_cli.tournament.schedule",
        "rails_cli.tournament.seatings",
    ),
    "rails_cli.tournament.formats": (
        "rails_cli.tournament.model",
        "rails_cli.tournament.schedule",
        "rails_cli.tournament.seatings",
        "rails_cli.tournament.tables",
        "rails_cli.tournament.league",
        "rails_cli.tournament.swiss",
        "rails_cli.tournament.knockout",
        "rails_cli.tournament.economy",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.pace",
        "rails_cli.tournament.sequence",
        "rails_cli.tournament.membership",
        "rails_cli.tournament.short_table",
        "rails_cli.tournament.toml_lines",
    ),
    "rails_cli.tournament.economy": ("protocol.american_rails", "protocol.chicago_express", "protocol.last_spike"),
    "rails_cli.tournament.plan": (
        "rails_cli.tournament.formats",
        "rails_cli.tournament.league",
        "rails_cli.tournament.model",
        "rails_cli.tournament.sequential",
    ),
    "rails_cli.tournament.config": (
        "rails_cli.tournament.formats",
        "rails_cli.tournament.model",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.sequential",
        "rails_cli.tournament.toml_lines",
        "rails_cli.match",
        "rails_cli.core.luck",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "rails_cli.players.house",
    ),
    "rails_cli.tournament.bots_folder": ("rails_cli.tournament.config", "rails_cli.tournament.plan"),
    "rails_cli.tournament.play": (
        "rails_cli.tournament.economy",
        "rails_cli.tournament.model",
        "rails_cli.core.luck",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "rails_cli.match",
        "rails_cli.players.chance",
        "rails_cli.players.house",
        "rails_cli.log_file",
        "rails_cli.referee",
        "rails_cli.seats.line_seat",
        "rails_cli.seats.process",
        "protocol.log",
        "protocol.messages",
    ),
    "rails_cli.tournament.workers": ("rails_cli.tournament.play",),
    "rails_cli.tournament.pace": ("rails_cli.tournament.model",),
    "rails_cli.tournament.sequence": (
        "rails_cli.tournament.model",
        "rails_cli.tournament.schedule",
        "rails_cli.tournament.sequential",
        "rails_cli.tournament.standings",
    ),
    "rails_cli.tournament.membership": (
        "rails_cli.tournament.formats",
        "rails_cli.tournament.league",
        "rails_cli.tournament.model",
        "rails_cli.tournament.plan",
    ),
    "rails_cli.tournament.short_table": (
        "rails_cli.tournament.luce",
        "rails_cli.tournament.model",
        "rails_cli.tournament.ratings",
        "rails_cli.tournament.standings",
    ),
    "rails_cli.tournament.store": (
        "rails_cli.tournament.membership",
        "rails_cli.tournament.model",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.play",
    ),
    "rails_cli.tournament.export": ("rails_cli.tournament.store",),
    "rails_cli.tournament.run": (
        "rails_cli.tournament.formats",
        "rails_cli.tournament.knockout",
        "rails_cli.tournament.membership",
        "rails_cli.tournament.model",
        "rails_cli.tournament.pace",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.play",
        "rails_cli.tournament.sequence",
        "rails_cli.tournament.sequential",
        "rails_cli.tournament.short_table",
        "rails_cli.tournament.standings",
        "rails_cli.tournament.store",
        "rails_cli.tournament.workers",
        "rails_cli.match",
        "rails_cli.log_file",
    ),
    "rails_cli.tournament.shipping": (
        "rails_cli.tournament.config",
        "rails_cli.tournament.model",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.store",
    ),
    "rails_cli.tournament.hall": (
        "rails_cli",
        "rails_cli.tournament.play",
        "rails_cli.tournament.shipping",
        "rails_cli.games.__init__",
        "protocol",
    ),
    "rails_cli.tournament.cluster": (
        "rails_cli.tournament.hall",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.run",
        "rails_cli.tournament.shipping",
    ),
    "rails_cli.report": (
        "rails_cli.report",
        "rails_cli.tournament.estimates",
        "rails_cli.tournament.luce",
        "rails_cli.tournament.model",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.ratings",
        "rails_cli.tournament.schedule",
        "rails_cli.tournament.sequential",
        "rails_cli.tournament.standings",
        "rails_cli.tournament.store",
    ),
    "rails_cli.report.findings": (
        "rails_cli.report",
        "rails_cli.tournament.estimates",
        "rails_cli.tournament.formats",
        "rails_cli.tournament.knockout",
        "rails_cli.tournament.membership",
        "rails_cli.tournament.model",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.schedule",
        "rails_cli.tournament.standings",
        "rails_cli.tournament.store",
        "rails_cli.tournament.swiss",
    ),
    "rails_cli.report.format_sections": (
        "rails_cli.report",
        "rails_cli.tournament.knockout",
        "rails_cli.tournament.schedule",
    ),
    "rails_cli.report.colours": ("rails_cli.web.paints",),
    "rails_cli.report.markup": ("rails_cli.tournament.estimates",),
    "rails_cli.report.wording": (
        "rails_cli.report.markup",
        "rails_cli.games.__init__",
        "rails_cli.tournament.model",
        "rails_cli.tournament.plan",
        "rails_cli.tournament.sequential",
        "rails_cli.tournament.store",
    ),
    "rails_cli.report.page": ("rails_cli.report", "rails_cli.tournament.standings", "rails_cli.web.page"),
    "rails_cli.report.writing": (
        "rails_cli.report",
        "rails_cli.games.game",
        "rails_cli.playback.recorded",
        "rails_cli.match",
        "rails_cli.tournament.store",
        "rails_cli.web.page",
    ),
    "rails_cli.client": ("rails_cli.match", "protocol.lines", "protocol.lobby", "protocol.messages"),
    "rails_cli.server": (),
    "rails_cli.server.bucket": (),
    "rails_cli.server.address": (),
    "rails_cli.server.turns": (),
    "rails_cli.server.limits": (),
    "rails_cli.server.records": ("protocol.lobby", "protocol.messages"),
    "rails_cli.server.seat": ("rails_cli.match", "protocol.lobby", "protocol.messages"),
    "rails_cli.server.table": (
        "rails_cli.players.house",
        "rails_cli.server.seat",
        "rails_cli.server.records",
        "rails_cli.match",
        "rails_cli.games.game",
        "protocol.lines",
        "protocol.lobby",
        "protocol.log",
        "protocol.messages",
    ),
    "rails_cli.server.storage": (
        "rails_cli.server.records",
        "rails_cli.server.table",
        "rails_cli.server.turns",
        "rails_cli.log_file",
        "rails_cli.match",
    ),
    "rails_cli.server.replaying": (
        "rails_cli.server.seat",
        "rails_cli.server.table",
        "rails_cli.match",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "protocol.lines",
        "protocol.lobby",
        "protocol.log",
        "protocol.messages",
    ),
    "rails_cli.server.table_registry": (
        "rails_cli.server",
        "rails_cli.match",
        "rails_cli.players.house",
        "rails_cli.games.__init__",
        "rails_cli.games.game",
        "rails_cli.core.luck",
        "protocol.lobby",
        "protocol.messages",
    ),
    "rails_cli.server.recovery": (
        "rails_cli.server",
        "rails_cli.match",
        "rails_cli.log_file",
        "rails_cli.games.__init__",
        "protocol.log",
        "protocol.messages",
    ),
    "rails_cli.server.lobby": (
        "rails_cli.server",
        "rails_cli.match",
        "protocol.lines",
        "protocol.lobby",
        "protocol.messages",
        "protocol.showing",
    ),
    "rails_cli.server.live_view": (
        "rails_cli.server",
        "rails_cli.web.live",
        "rails_cli.games.game",
        "protocol.lines",
        "protocol.messages",
        "protocol.showing",
    ),
    "rails_cli.server.origins": (),
    "rails_cli.server.pages": ("rails_cli.web.site",),
    "rails_cli.server.connection": (
        "rails_cli.server.address",
        "rails_cli.server.bucket",
        "rails_cli.server.limits",
        "rails_cli.server.origins",
        "rails_cli.server.pages",
        "rails_cli.server.turns",
        "rails_cli.match",
        "protocol.lines",
        "protocol.messages",
    ),
    "rails_cli.server.bots": (
        "rails_cli.server.bucket",
        "rails_cli.server.turns",
        "rails_cli.match",
        "rails_cli.seats.process",
        "protocol.lines",
        "protocol.messages",
    ),
    "rails_cli.server.lookahead": (
        "rails_cli.asking.situation",
        "rails_cli.match",
        "rails_cli.games.game",
        "protocol.lobby",
    ),
    "rails_cli.server.listener": ("rails_cli.server.address", "rails_cli.server.connection"),
    "rails_cli.server.metrics": ("rails_cli.server.connection", "rails_cli.server.lobby"),
    "rails_cli.server.running": ("rails_cli.server", "rails_cli.match", "rails_cli.web.site", "protocol.messages"),
    "rails_cli.commands": ("rails_cli.*", "protocol"),
    "rails_cli.cli": ("rails_cli",),
    "rails_cli.__main__": ("rails_cli.cli",),
    "rails_cli.__init__": (),
    **{
        f"rails_cli.games.{game}": (
            f"rails_cli.games.{game}",
            "rails_cli.games.game",
            "rails_cli.core",
            f"protocol.{game}",
            "protocol.common",
        )
        for game in GAMES
    },
}

# Third-party packages by module; what is not listed may use the standard library only.
THIRD_PARTY = {
    "protocol": {"msgspec"},
    "rails_cli.games": {"msgspec"},
    "rails_cli.match": {"msgspec"},
    "rails_cli.render": {"rich"},
    "rails_cli.playback": {"msgspec"},
    "rails_cli.playback.screen": {"rich"},
    "rails_cli.asking.situation": {"msgspec"},
    "rails_cli.terminal.books": {"rich"},
    "rails_cli.terminal.ending": {"rich"},
    "rails_cli.terminal.layout": {"rich"},
    "rails_cli.terminal.line_face": {"rich"},
    "rails_cli.terminal.window": {"rich", "prompt_toolkit"},
    "rails_cli.terminal.looking": {"msgspec"},
    "rails_cli.terminal.hot_seat": {"msgspec"},
    "rails_cli.terminal.foresight": {"msgspec"},
    "rails_cli.terminal.remote": {"msgspec"},
    "rails_cli.terminal.saving": {"msgspec"},
    "rails_cli.web.auctions": {"msgspec"},
    "rails_cli.web.story": {"msgspec"},
    "rails_cli.web.page": {"msgspec"},
    "rails_cli.web.live": {"msgspec"},
    "rails_cli.web.site": {"msgspec"},
    "rails_cli.simulate": {"msgspec"},
    "rails_cli.seats.process": {"msgspec", "psutil"},
    "rails_cli.doctor": {"msgspec"},
    "rails_cli.tournament.model": {"msgspec"},
    "rails_cli.tournament.estimates": {"msgspec"},
    "rails_cli.tournament.luce": {"msgspec"},
    "rails_cli.tournament.ratings": {"msgspec"},
    "rails_cli.tournament.standings": {"msgspec"},
    "rails_cli.tournament.sequential": {"msgspec"},
    "rails_cli.tournament.planner": {"msgspec"},
    "rails_cli.tournament.schedule": {"msgspec"},
    "rails_cli.tournament.league": {"msgspec"},
    "rails_cli.tournament.swiss": {"msgspec"},
    "rails_cli.tournament.knockout": {"msgspec"},
    "rails_cli.tournament.config": {"msgspec"},
    "rails_cli.tournament.membership": {"msgspec"},
    "rails_cli.tournament.plan": {"msgspec"},
    "rails_cli.tournament.play": {"msgspec"},
    "rails_cli.tournament.sequence": {"msgspec"},
    "rails_cli.tournament.short_table": {"msgspec"},
    "rails_cli.tournament.store": {"msgspec"},
    "rails_cli.tournament.export": {"msgspec", "pyarrow"},
    "rails_cli.tournament.run": {"msgspec", "psutil"},
    "rails_cli.tournament.shipping": {"msgspec"},
    "rails_cli.tournament.hall": {"msgspec", "psutil", "distributed"},
    "rails_cli.tournament.cluster": {"distributed"},
    "rails_cli.report": {"msgspec"},
    "rails_cli.report.charts": {"altair", "vl_convert"},
    "rails_cli.client": {"msgspec", "websockets"},
    "rails_cli.server.connection": {"websockets"},
    "rails_cli.server.metrics": {"prometheus_client"},
    **{f"rails_cli.server.{name}": {"websockets"} for name in ("origins", "pages")},
    "rails_cli.server.running": {"msgspec", "uvloop"},
    "rails_cli.server.lookahead": {"msgspec"},
    **{
        f"rails_cli.server.{name}": {"msgspec"}
        for name in ("records", "limits", "table", "storage", "replaying", "table_registry", "recovery", "lobby")
    },
    "rails_cli.commands": {"msgspec", "click", "rich"},
    "rails_cli.commands.export": {"click", "resvg_py"},
    "rails_cli.cli": {"click"},
}

PURE = (
    "rails_cli.core",
    "rails_cli.games",
    "rails_cli.match",
    "rails_cli.server.bucket",
    "rails_cli.server.address",
    "rails_cli.server.turns",
    "rails_cli.server.limits",
    "rails_cli.server.records",
    "rails_cli.server.seat",
    "rails_cli.server.table",
    "rails_cli.server.lobby",
    "rails_cli.server.table_registry",
    "rails_cli.summary",
    "rails_cli.playback.cursor",
    "rails_cli.playback.recorded",
    "rails_cli.playback.telling",
    "rails_cli.asking",
    "rails_cli.terminal.reading",
    "rails_cli.terminal.reading_time",
    "rails_cli.terminal.page",
    "rails_cli.terminal.books",
    "rails_cli.terminal.layout",
    "rails_cli.terminal.dialogue",
    "rails_cli.terminal.ending",
    "rails_cli.terminal.lessons",
    "rails_cli.web",
    "rails_cli.tournament.model",
    "rails_cli.tournament.schedule",
    "rails_cli.tournament.formats",
    "rails_cli.tournament.estimates",
    "rails_cli.tournament.luce",
    "rails_cli.tournament.ratings",
    "rails_cli.tournament.standings",
    "rails_cli.tournament.sequential",
    "rails_cli.tournament.planner",
    "rails_cli.tournament.seatings",
    "rails_cli.tournament.tables",
    "rails_cli.tournament.league",
    "rails_cli.tournament.swiss",
    "rails_cli.tournament.knockout",
    "rails_cli.tournament.economy",
    "rails_cli.tournament.plan",
    "rails_cli.tournament.pace",
    "rails_cli.tournament.sequence",
    "rails_cli.tournament.membership",
    "rails_cli.tournament.short_table",
    "rails_cli.tournament.toml_lines",
    *(
        f"rails_cli.report.{name}"
        for name in ("charts", "colours", "course", "findings", "format_sections", "games_section", "markup")
    ),
    *(f"rails_cli.report.{name}" for name in ("page", "sections", "selection", "wording")),
)
IMPURE = {"asyncio", "time", "os", "sys", "subprocess", "logging", "threading", "socket", "random", "datetime"}
OWN_CHANCE = {"rails_cli.core.luck"}


def sources() -> list[tuple[str, Path]]:
    found = []
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            is_top = len(parts) == 2 and parts[-1] == "__init__"
            found.append((".".join(parts if is_top or parts[-1] != "__init__" else parts[:-1]), file))
    return found


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            assert node.module is not None
            for alias in node.names:
                inner = ROOT / Path(*node.module.split("."), alias.name)
                is_module = inner.with_suffix(".py").is_file() or inner.is_dir()
                yield f"{node.module}.{alias.name}" if is_module else node.module


def is_covered(target: str, name: str) -> bool:
    if target == "rails_cli.games":
        target = "rails_cli.games.__init__"
    return target == name or (name != "rails_cli" and target.startswith(name.removesuffix("*").rstrip(".") + "."))


def rule_for(module: str, table: dict[str, object]) -> str | None:
    fitting = [name for name in table if module == name or module.startswith(name + ".")]
    return max(fitting, key=len) if fitting else None


@pytest.mark.parametrize(("module", "file"), sources(), ids=[module for module, _ in sources()])
def test_imports_follow_the_table(module: str, file: Path) -> None:
    rule = rule_for(module, dict(MAY_IMPORT))
    assert rule is not None, f"{module} has no room in the table of imports"
    for target in imports(file):
        top = target.split(".")[0]
        if top in PACKAGES:
            assert any(is_covered(target, name) for name in MAY_IMPORT[rule]), f"{module} must not import {target}"
        elif top in sys.stdlib_module_names:
            pure = any(module == name or module.startswith(name + ".") for name in PURE)
            assert not (pure and top in IMPURE and module not in OWN_CHANCE), f"{module} is pure and imports {target}"
            assert top != "random" or module in OWN_CHANCE, f"{module} must take its chance from core/luck.py"
        else:
            allowed = THIRD_PARTY.get(rule_for(module, dict(THIRD_PARTY)) or "", set())
            assert top in allowed, f"{module} must not import {target}"


def test_money_has_one_door() -> None:
    """No module but core/money.py writes to an account."""
    for module, file in sources():
        if not module.startswith("rails_cli.games"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AugAssign):
                targets = [node.target]
            else:
                continue
            for target in targets:
                assert not (isinstance(target, ast.Subscript) and "money" in ast.unparse(target.value)), (
                    f"{module} line {node.lineno} changes money without a payment"
                )
