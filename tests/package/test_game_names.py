"""Check that code outside a game's folder does not name the game or its events, actions and views.

`games/railways`, which the hex games share, is exempt. Docstrings and help texts may give examples.
Overloads, and imports for type checkers, may name games, because they do nothing at run time.
"""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import msgspec
import pytest

import rails_cli
from rails_cli.basics.schemas import types_module
from rails_cli.games import game_names, load_face, load_game, package_of
from tests.support.syntax import nodes_of

FOLDER = Path(rails_cli.__path__[0])
SHARED = FOLDER / "games" / "railways"
VOCABULARY = FOLDER / "protocol"
"""Folder with the message types of all games."""
COMMON_NAMES = {
    "Board": "what every game has",
    "Options": "what every game has",
    "View": "what every game has",
    "Player": "a person without a name",
    "built": "a part of every profile",
    "play": "a command",
    "build": "a key of bot.toml",
    "Build": "a label in the README.md of a bot",
}
"""Names used by some game that also have another meaning in other code. The values describe this other meaning."""
TEMPLATES = {"bot_templates", "game_template"}
NAMING = (ast.Import, ast.ImportFrom, ast.Constant, ast.Name, ast.Attribute, ast.keyword, ast.arg, ast.alias)


@cache
def words_of_games() -> frozenset[str]:
    """Return the names that code outside the folders of games must not use.

    These are the names of games, and the tags and type names of messages that only one game has. Names in
    `COMMON_NAMES` are not included.
    """
    found = set(game_names())
    for game in map(load_game, game_names()):
        own = types_module(game)
        for union in (game.action_type, game.entry_type, game.event_type):
            found |= {str(kind.__struct_config__.tag) for kind in get_args(union) if kind.__module__ == own.__name__}
        for name, kind in vars(own).items():
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == own.__name__:
                found.add(name)
    return frozenset(found - COMMON_NAMES.keys())


@cache
def long_names() -> frozenset[str]:
    """Return those names of `words_of_games` that consist of several words.

    Such a name is unlikely to have another meaning in code outside the game. A name of one word may well have one.
    """
    return frozenset(word for word in words_of_games() if len(re.findall(r"[A-Z][a-z]|(?:^|_)[a-z]", word)) > 1)


def sources(*kinds: str) -> list[Path]:
    own = [FOLDER / "games" / name for name in game_names()]
    return [
        file
        for kind in kinds
        for file in sorted(FOLDER.rglob(f"*.{kind}"))
        if not any(file.is_relative_to(folder) for folder in (*own, SHARED, VOCABULARY))
        and TEMPLATES.isdisjoint(file.parts)
    ]


def named_in_python(text: str) -> Iterator[str]:
    """Yield the names that belong to a game and occur in the source `text` of a Python module.

    Imported modules of games count as well. Docstrings and help texts are not searched.
    """
    if not candidate_pattern().search(text):
        return
    nodes = nodes_of(ast.parse(text))
    aside = {id(part) for node in nodes for text in _texts(node) for part in nodes_of(text)}
    modules = {package_of(name) for name in game_names()} | {
        types_module(load_game(name)).__name__ for name in game_names()
    }
    titles = [load_game(name).title for name in game_names()]
    for node in nodes:
        if id(node) in aside or not isinstance(node, NAMING):
            continue
        match node:
            case ast.Import(names):
                imported = [alias.name for alias in names]
            case ast.ImportFrom(module, names):
                imported = [f"{module}.{alias.name}" for alias in names]
            case _:
                imported = []
        yield from (name for name in imported if any(f"{name}.".startswith(f"{module}.") for module in modules))
        match node:
            case ast.Constant(str(value)):
                yield from [value] if value in words_of_games() else []
                yield from (name for name in (*game_names(), *titles) if name in value)
            case ast.Name(name) | ast.Attribute(_, name) | ast.keyword(str(name)) | ast.arg(name) | ast.alias(name):
                yield from [name] if name in long_names() else []


@cache
def candidate_pattern() -> re.Pattern[str]:
    """Return a pattern that is found in every module that could name a game. Other modules need not be parsed.

    The pattern finds names of several words anywhere, and names of one word only as complete string literals.
    """
    anywhere = {*game_names(), *(load_game(name).title for name in game_names()), *long_names()}
    whole = "|".join(map(re.escape, sorted(words_of_games())))
    return re.compile(f"{'|'.join(map(re.escape, sorted(anywhere)))}|[\"'}}](?:{whole})[\"'{{]")


def _texts(node: ast.AST) -> list[ast.AST]:
    """Return the parts of `node` in which names of games are allowed: texts for people, and types for type checkers.

    Texts are docstrings, bare strings and help texts. Types are overloads, and imports under `if TYPE_CHECKING`.
    """
    match node:
        case ast.If(ast.Name("TYPE_CHECKING")):
            return [*node.body]
        case ast.FunctionDef() if any(
            isinstance(one, ast.Name) and one.id == "overload" for one in node.decorator_list
        ):
            return [node.args, *([] if node.returns is None else [node.returns])]
        case ast.Expr(ast.Constant(str())):
            return [node]
        case ast.Call(ast.Name("setting"), [texts, *_]):
            return [texts]
        case ast.Call():
            return [keyword.value for keyword in node.keywords if keyword.arg in ("help", "short_help", "epilog")]
    return []


def named_in_styles(text: str) -> Iterator[str]:
    """Yield each word of the style sheet `text` that belongs to a game.

    These words are names from `long_names`, and CSS classes and colours from `board_styles`.
    """
    yield from (word for word in re.findall(r"[A-Za-z_]\w*", text) if word in long_names())
    used = re.findall(r"[.]([a-z][a-z-]*)", text) + re.findall(r"var[(]--([a-z-]+)[)]", text)
    yield from (word for word in used if word in board_styles())


@cache
def board_styles() -> frozenset[str]:
    """Return the CSS classes and colours that games define for their boards."""
    found: set[str] = set()
    for name in game_names():
        look = load_face(name).look
        found |= {*re.findall(r"[.]([a-z][a-z-]*)", look.style), *look.colours}
    return frozenset(found - {"board", "end"})  # also parts of chart axes


def named_in_settings(text: str) -> Iterator[str]:
    """Yield each word of the settings file `text` that is in `long_names`.

    Names of games are allowed.
    """
    yield from (word for word in re.findall(r"[A-Za-z_]\w*", text) if word in long_names() - set(game_names()))


def named_in_javascript(text: str) -> Iterator[str]:
    yield from (word for word in re.findall(r"[A-Za-z_]\w*", text) if word in long_names())
    yield from (word for _, word in re.findall(r"""(["'`])([a-z_]+)\1""", text) if word in words_of_games())


def named_in(files: list[Path], find: Callable[[str], Iterator[str]]) -> dict[str, list[str]]:
    assert files
    found = {str(file.relative_to(FOLDER)): sorted(set(find(file.read_text(encoding="utf-8")))) for file in files}
    return {file: names for file, names in found.items() if names}


def test_no_module_names_a_game() -> None:
    assert named_in(sources("py"), named_in_python) == {}


def test_no_page_names_a_game() -> None:
    assert named_in(sources("js", "html"), named_in_javascript) == {}


def test_no_style_names_a_game() -> None:
    assert named_in(sources("css"), named_in_styles) == {}


def test_no_setting_names_a_part_of_a_game() -> None:
    assert named_in(sources("toml"), named_in_settings) == {}


@pytest.mark.parametrize("code", [".board .spike{fill:red}", ".x{fill:var(--forest)}", ".last_spike{fill:red}"])
def test_a_game_named_in_a_style_is_found(code: str) -> None:
    assert list(named_in_styles(code))


@pytest.mark.parametrize(
    "code",
    [
        "from rails_cli.protocol.last_spike import View",
        "from rails_cli.protocol import last_spike",
        "import rails_cli.games.chicago_express.rules",
        "from rails_cli.games import american_rails",
        "if game.name == 'last_spike': pass",
        "x = f'{url} --create last_spike'",
        "title = 'The Last Spike for two'",
        "if tag == 'share_sold': pass",
        "if tag in ('sell', 'buy'): pass",
        "names = {'ShareSold': 1}",
        "if isinstance(event, words.ShareSold): pass",
        "view.CompanyView",
    ],
)
def test_a_game_named_in_code_is_found(code: str) -> None:
    assert list(named_in_python(code))


@pytest.mark.parametrize(
    "code",
    [
        '"""Try: rails-cli rules last_spike."""',
        "option(help='Such as last_spike/3.')",
        "if TYPE_CHECKING: from rails_cli.protocol import last_spike",
        "@overload\ndef load(name: Literal['last_spike']) -> 'last_spike.View': ...",
    ],
)
def test_texts_and_types_may_name_a_game(code: str) -> None:
    assert list(named_in_python(code)) == []


@pytest.mark.parametrize(
    "code", ['if (tag === "share_sold") x();', "const { ShareSold } = Page;", "game === `last_spike`"]
)
def test_a_game_named_in_a_script_is_found(code: str) -> None:
    assert list(named_in_javascript(code))
