"""JSON Schemas generated from the message types of the protocol. Docstrings become the descriptions in the schemas."""

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec

from rails_cli.games import load_game, whole_games
from rails_cli.games import plain as plain_states
from rails_cli.games.game import Game
from rails_cli.protocol import common, engine, live_view, lobby, log, messages, pool, pool_api

ROOT = ("ServerMessage", "ClientMessage", "LogLine", "LobbyAnswer", "LobbyRequest", "PoolAnswer", "PoolRequest")
"""Types that the root of a schema accepts: a message is valid if it has one of these types."""
NULL = {"type": "null"}
GAME_SPECIFIC_FIELDS = {("Start", "options"): "Options", ("Start", "board"): "Board", ("Update", "view"): "View"}
"""Message fields whose type depends on the game.

Mapping from a message type and the name of its field to the name of the field's type in the schema of a game.
"""


def all_schemas() -> dict[str, bytes]:
    """Generate all JSON Schemas.

    Return a mapping from a file name in the folder `schemas/` to the content of the file.
    """
    schemas = {f"{name}.json": _pretty(game_schema(load_game(name))) for name in whole_games()}
    return {
        **schemas,
        "lobby.json": _pretty(lobby_schema()),
        "engine.json": _pretty(engine_schema()),
        "pool_api.json": _pretty(pool_api_schema()),
    }


def game_schema(game: Game[Any, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a game's messages: `ServerMessage`, `ClientMessage`, `LogLine`, `View` and others."""
    modules = (types_module(game), common, log, messages, plain_states)
    return _schema(game.name, f"Every message and log line of {game.name}", unions_of(game), modules)


def types_module(game: Game[Any, Any]) -> Any:
    return sys.modules[game.view_type.__module__]


def lobby_schema() -> dict[str, Any]:
    """Return the JSON Schema of messages outside games: `LobbyRequest`, `LobbyAnswer`, `TableInfo` and others."""
    unions = {
        "LobbyRequest": lobby.LobbyRequest,
        "LobbyAnswer": lobby.LobbyAnswer | messages.Hello | messages.Error,
        "PoolRequest": pool.PoolRequest,
        "PoolAnswer": pool.PoolAnswer,
        "Join": messages.Join,
    }
    modules = (lobby, live_view, messages, pool)
    return _schema("lobby", "Every message of the lobby and the pool of a websocket server", unions, modules)


def engine_schema() -> dict[str, Any]:
    """Return the JSON Schema of `rails-cli engine`. It defines `EngineRequest` and each kind of answer."""
    unions = {"EngineRequest": engine.EngineRequest, **{kind.__name__: kind for kind in engine.ANSWERS}}
    return _schema("engine", "Every request to `rails-cli engine` and every answer", unions, (engine,), tuple(unions))


def pool_api_schema() -> dict[str, Any]:
    """Return the JSON Schema of the HTTP interface of a pool. It defines `PoolOverview`, `EntrantPage` and others."""
    unions = {kind.__name__: kind for kind in (pool_api.PoolOverview, pool_api.EntrantPage)}
    return _schema("pool_api", "Every answer of `/api/pool`", unions, (pool, pool_api), tuple(unions))


def _schema(
    name: str, description: str, unions: dict[str, Any], modules: tuple[Any, ...], root: tuple[str, ...] = ROOT
) -> dict[str, Any]:
    """Return the JSON Schema called `name`.

    `unions` maps names to types. The schema defines each type as `#/$defs/NAME`. Its root accepts messages of the
    types named in `root`. Descriptions of fields are docstrings from `modules`.
    """
    schemas, parts = msgspec.json.schema_components(list(unions.values()), ref_template="#/$defs/{name}")
    definitions: dict[str, Any] = {}
    renamed: dict[str, str] = {}
    for title, part in parts.items():
        plain = title.split("_")[0].split("[")[0]
        if plain in definitions:
            raise ValueError(f"two types of {name} are called {plain}")
        renamed[title] = plain
        definitions[plain] = {**_with_descriptions(part, _field_docs(plain, modules)), "title": plain}
    named = {title: union for title, union in zip(unions, schemas, strict=True) if title not in definitions}
    definitions = {title: _with_references(part, named) for title, part in definitions.items()}
    definitions |= {title: {"title": title, **union} for title, union in named.items()}
    for (message, field), title in GAME_SPECIFIC_FIELDS.items():
        if title in unions:
            before = definitions[message]["properties"][field]
            kept = {key: value for key, value in before.items() if key in ("description", "default")}
            kinds = [{"$ref": f"#/$defs/{title}"}, NULL][: 1 if field == "options" else 2]
            definitions[message]["properties"][field] = {**kept, "anyOf": kinds}
    if "Entry" in unions:  # equal to the actions in some games
        definitions["Request"]["properties"]["legal"]["items"] = {"$ref": "#/$defs/Entry"}
    written = msgspec.json.encode(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"{''.join(word.capitalize() for word in name.split('_'))}Message",
            "description": f"{description}, protocol {messages.PROTOCOL}.",
            "anyOf": [{"$ref": f"#/$defs/{title}"} for title in root if title in unions],
            "$defs": dict(sorted(definitions.items())),
        }
    )
    for title, plain in renamed.items():
        written = written.replace(f'"#/$defs/{title}"'.encode(), f'"#/$defs/{plain}"'.encode())
    return msgspec.json.decode(written, type=dict[str, Any])


def _with_references(part: Any, named: dict[str, Any]) -> Any:
    """Return the schema `part` with references in place of unions, because code generators need references.

    `named` maps the name of each union to its schema.
    """
    if isinstance(part, list):
        return [_with_references(inner, named) for inner in part]
    if not isinstance(part, dict):
        return part
    for title, union in named.items():
        if "anyOf" in union and part.get("anyOf") == union["anyOf"]:
            kept = {key: value for key, value in part.items() if key not in union}
            part = {**kept, "$ref": f"#/$defs/{title}"}
    if "$ref" in part and len(part) > 1:
        part = {**{key: value for key, value in part.items() if key != "$ref"}, "allOf": [{"$ref": part["$ref"]}]}
    return {key: _with_references(value, named) for key, value in part.items()}


def unions_of(game: Game[Any, Any]) -> dict[str, Any]:
    """Return a mapping from each name that the schema of a game defines to the type with this name."""
    action, entry, event, view = game.action_type, game.entry_type, game.event_type, game.view_type
    server = (
        messages.Hello
        | messages.Start
        | messages.Request[entry, event, view]  # type: ignore[valid-type]
        | messages.Update[event]  # type: ignore[valid-type]
        | messages.Rejected
        | messages.End[event]  # type: ignore[valid-type]
        | messages.Error
    )
    line = (
        log.Header
        | log.SetupLine[list[event]]  # type: ignore[valid-type]
        | log.ActionLine[action, list[event]]  # type: ignore[valid-type]
        | log.FaultLine
        | log.ResumedLine
        | log.UndoLine
        | log.SignedLine
        | log.ResultLine
    )
    return {
        "Options": game.options_type,
        **({"Board": board} if (board := getattr(types_module(game), "Board", None)) is not None else {}),
        "Action": action,
        "Entry": entry,
        "Event": event,
        "View": view,
        "ServerMessage": server,
        "ClientMessage": messages.Join | messages.Answer[action] | messages.Again,  # type: ignore[valid-type]
        "LogLine": line,
    }


def field_docs(kind: type) -> dict[str, str]:
    """Return a mapping from the name of a field of the struct `kind` to its docstring.

    Inherited fields are included.
    """
    docs: dict[str, str] = {}
    for base in reversed(getattr(kind, plain_states.DOCUMENTED_BY, kind).__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            docs.update(_docs_of_class(base))
    return docs


@cache
def _docs_of_class(kind: type) -> dict[str, str]:
    written = _classes_in(kind.__module__)[kind.__name__].body
    docs = {}
    for field, text in pairwise(written):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=words)):
                docs[name] = str(words)
    return docs


@cache
def _classes_in(module: str) -> dict[str, ast.ClassDef]:
    """Return a mapping from the name of each class in a module to its syntax tree. A module is parsed only once."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    outermost_last = reversed(list(ast.walk(tree)))
    return {part.name: part for part in outermost_last if isinstance(part, ast.ClassDef)}


def _field_docs(name: str, modules: tuple[Any, ...]) -> dict[str, str]:
    for module in modules:
        kind = vars(module).get(name)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            written = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
            return {written[field]: text for field, text in field_docs(kind).items() if field in written}
    raise ValueError(f"no type called {name}")


def _with_descriptions(schema: dict[str, Any], docs: dict[str, str]) -> dict[str, Any]:
    """Return a schema with a description of each field. `docs` maps the name of a field to its description.

    The indentation of the schema's own description is removed, because Python before 3.13 keeps it.
    """
    if "description" in schema:
        schema = {**schema, "description": inspect.cleandoc(schema["description"])}
    properties = {
        field: {"description": docs[field], **part} if field in docs else part
        for field, part in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}


def _pretty(schema: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"
