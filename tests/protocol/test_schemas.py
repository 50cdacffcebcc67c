"""Tests that the JSON Schemas are current, describe every type and field, and accept the messages of the program."""

import re
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from rails_cli.basics.schemas import all_schemas, field_docs, game_schema, types_module
from rails_cli.games import game_names, load_game
from rails_cli.games.game import ALL_SEATS, PUBLIC
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import start_of
from rails_cli.players.chance import choose_busy
from rails_cli.protocol import common, engine, lobby, log, messages
from rails_cli.protocol.lines import frame
from rails_cli.protocol.log import PlayerLine
from rails_cli.protocol.messages import Join
from tests.support.positions import Setting, all_settings, selection_number, walk
from tests.support.tools import ROOT

FOLDER = ROOT / "schemas"


def test_the_schema_files_are_current() -> None:
    wanted = all_schemas()
    found = {file.name: file.read_bytes() for file in FOLDER.glob("*.json")}
    assert found == wanted, "run: rails-cli schemas --write"


@pytest.mark.parametrize(
    "module", [common, engine, lobby, log, messages, *(types_module(load_game(name)) for name in game_names())]
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


@pytest.mark.parametrize("setting", [one for one in all_settings() if selection_number(one) % 2 == 0], ids=str)
def test_messages_of_real_games_match_the_schema(setting: Setting) -> None:
    """Validate all lines of one logged game, and the views, legal actions and played actions of another game."""
    game, board = setting.game, setting.board
    lines = validator(setting.name, "LogLine")
    for line in log_of_one_game(setting):
        lines.validate(msgspec.to_builtins(line))
    validator(setting.name, "Options").validate(msgspec.to_builtins(setting.options))
    decoded = msgspec.json.decode(msgspec.json.encode(game.wire_board(board)))
    validator(setting.name, "Board").validate(decoded)
    assert msgspec.to_builtins(msgspec.convert(decoded, types_module(game).Board)) == decoded
    messages = validator(setting.name, "ServerMessage")
    match = Match(game, board, header_of(game, setting.options, 4, [PlayerLine("a")] * setting.players))
    for join in (Join(), Join(board=False)):
        messages.validate(msgspec.json.decode(frame(start_of("m-1", match, [0], None, join))))
    views, entries, actions = (validator(setting.name, kind) for kind in ("View", "Entry", "Action"))
    for count, step in enumerate(walk(setting, 11, "busy")):
        actions.validate(msgspec.to_builtins(step.action))
        if count % 15 == 0:
            for observer in (step.seat, PUBLIC, ALL_SEATS):
                views.validate(msgspec.to_builtins(game.view(step.state, board, observer)))
            for entry in step.legal:
                entries.validate(msgspec.to_builtins(entry))


def log_of_one_game(setting: Setting) -> list[Any]:
    players = [PlayerLine(f"busy {seat}", "builtin:busy") for seat in range(setting.players)]
    match = Match(setting.game, setting.board, header_of(setting.game, setting.options, 4, players))
    chance = stream(4)
    lines: list[Any] = [match.header, match.setup_line]
    while match.seat is not None:
        lines.append(match.submit(match.seat, choose_busy(match.legal, chance)))
    return [*lines, match.result_line()]


@pytest.mark.parametrize("name", game_names())
def test_wrong_actions_do_not_match_the_schema(name: str) -> None:
    """The schema rejects an unknown field, an unknown or missing type and a value of the wrong type."""
    actions = validator(name, "Action")
    actions.validate({"type": "pass"})
    for wrong in ({"type": "pass", "extra": 1}, {"type": "fly"}, {}, {"type": "bid", "amount": "ten"}):
        with pytest.raises(jsonschema_rs.ValidationError):
            actions.validate(wrong)


def test_every_definition_is_titled_by_its_name_and_reachable() -> None:
    """Every definition in a schema has its name as title, and can be reached from the root of the schema.

    Code generators need a root type, and titles that are identifiers.
    """
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
