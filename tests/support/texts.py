"""List every text that users see, taken from the sources, for review.

`python -m tests.support.texts [PREFIX...]` prints each text on one line with its file and line number. PREFIX selects
files by the beginning of their path. Braces in a text contain the expression of a value.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from tests.support.syntax import nodes_of
from tests.support.tools import ROOT

READ = ("rails_cli", "protocol", "docs", "bots", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
COMMANDS = {"cli_command", "command", "group"}
"""Names of decorators that mark a function as a command. The docstring of such a function is its help text."""
SPOKEN_ATTRIBUTES = {"title", "placeholder", "aria-label", "alt", "label"}
CODE = re.compile(
    r"^(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN|ALTER|DROP)\b|^[.#@:]?[a-z-]+ ?\{|^[MLCA][\d ,.-]+|var\(--|"
    r"^(translate|rotate|scale|rgb|hsl)\(|^\d(?!.*[A-Za-z]{2} [a-z]{2})|^[a-z-]+=|^<[a-z]+ [^>]*>$|default-src"
)
"""Pattern of strings that are code: SQL, styles, and paths of SVG images."""


class Text(NamedTuple):
    file: Path
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.words}"


def texts(*beginnings: str) -> Iterator[Text]:
    """Yield all texts in files whose path begins with one of `beginnings`. Without `beginnings`, use all files."""
    for file in _files():
        if not beginnings or str(file.relative_to(ROOT)).startswith(beginnings):
            source = file.read_text(encoding="utf-8")
            is_vocabulary = file.suffix == ".py" and file.parent == ROOT / "protocol"
            for line, words in _python(source, True) if is_vocabulary else READERS[file.suffix](source):
                plain = " ".join(words.split())
                if plain:
                    yield Text(file, line, plain)


def _files() -> Iterator[Path]:
    for name in READ:
        place = ROOT / name
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        yield from (file for file in found if file.suffix in READERS and not {"node_modules", "_build"} & {*file.parts})


def is_for_people(words: str) -> bool:
    """Return whether a string is text for people: several words, or one word with a capital letter, like a label."""
    if CODE.search(words) or not re.search(r"[A-Za-z]{2}", words):
        return False
    bare = re.sub(r"\{[^{}]*\}", "X", words)
    return bool(
        re.search(r"[A-Za-z]{2,}[,.:;!?'’]? +\S*[A-Za-z]|^[A-Z][a-z]+[.:!?]?$|\w [a-z]+|[a-z]+ X|X [a-z]", bare)
    )


# Python: strings other than docstrings, and docstrings of commands and of the vocabulary, which serve as a manual


LOOKED_AT = (ast.Constant, ast.JoinedStr, ast.Expr, ast.FunctionDef, ast.arg, ast.AnnAssign, ast.Assert)


def _python(source: str, is_vocabulary: bool = False) -> Iterator[tuple[int, str]]:
    """Yield line number and text of each string in Python source that users see.

    With `is_vocabulary`, docstrings of classes and fields are included, because the manual contains them.
    """
    nodes = [node for node in nodes_of(ast.parse(source)) if isinstance(node, LOOKED_AT)]
    aside = {id(part) for node in nodes for unseen in _unseen_strings(node) for part in nodes_of(unseen)}
    found: list[tuple[int, int, str]] = []
    for node in nodes:
        match node:
            case ast.FunctionDef(body=[ast.Expr(ast.Constant(str(words))), *_]) if _is_command(node):
                found.append((node.lineno, 0, words))
            case ast.Expr(ast.Constant(str(words))) if is_vocabulary and node.col_offset:
                found.append((node.lineno, node.col_offset, words))
            case ast.JoinedStr() if id(node) not in aside:
                aside |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
                words = "".join(_part(part) for part in node.values)
                if is_for_people(words):
                    found.append((node.lineno, node.col_offset, words))
    for node in nodes:
        match node:
            case ast.Constant(str(words)) if id(node) not in aside and is_for_people(words):
                found.append((node.lineno, node.col_offset, words))
    yield from ((line, words) for line, _, words in sorted(found))


def _part(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "{" + ast.unparse(part.value) + "}"  # type: ignore[attr-defined]


def _unseen_strings(node: ast.AST) -> list[ast.AST]:
    """Return the parts of `node` in which strings are not shown to users.

    These are docstrings and other bare strings, type annotations, and messages of assertions. An annotation that
    contains a call may hold the help text of an option, so it is not returned.
    """
    match node:
        case ast.Expr(ast.Constant(str())):
            return [node]
        case ast.Assert(_, message) if message is not None:
            return [message]
        case ast.AnnAssign(_, annotation) | ast.arg(_, annotation) if annotation is not None:
            spoken = [part for part in nodes_of(annotation) if isinstance(part, ast.Call)]
            return [] if spoken else [annotation]
        case ast.FunctionDef(returns=returns) if returns is not None:
            return [returns]
    return []


def _is_command(node: ast.FunctionDef) -> bool:
    made_by = [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]
    names = [part.attr if isinstance(part, ast.Attribute) else ast.unparse(part) for part in made_by]
    return not COMMANDS.isdisjoint(names)


# Scripts of pages


_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|(?P<quoted>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|(?P<back>`)|"
    r"(?<=[(,=:!&|?{};\n])\s*/(?![/*])(?:\\.|\[[^\]]*\]|[^/\\\n])+/[a-z]*|(?P<open>\{)|(?P<close>\})",
    re.S,
)


def _script(source: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    """Yield line number (from `first_line` on) and text of each string in JavaScript that is shown to users."""
    at = 0
    while (token := _TOKEN.search(source, at)) is not None:
        at = token.end()
        line = first_line + source.count("\n", 0, token.start())
        if token["quoted"]:
            words = token["quoted"][1:-1].replace("\\n", " ")
        elif token["back"]:
            start, at = at, _template_end(source, at)
            words = source[start : at - 1]
            for inner in _braces(words):
                yield from _script(inner, line)
            words = words.replace("${", "{")
        else:
            continue
        if is_for_people(words):
            yield line, words


def _template_end(source: str, at: int) -> int:
    """Return the index after the end of the JavaScript template string that contains the index `at`."""
    while source[at] != "`":
        if source[at] == "\\":
            at += 1
        elif source.startswith("${", at):
            at = _brace_end(source, at + 2) - 1
        at += 1
    return at + 1


def _brace_end(source: str, at: int) -> int:
    """Return the index after the closing brace of the JavaScript expression that contains the index `at`."""
    depth = 1
    while depth:
        token = _TOKEN.search(source, at)
        assert token is not None, source[at : at + 60]
        at = _template_end(source, token.end()) if token["back"] else token.end()
        depth += bool(token["open"]) - bool(token["close"])
    return at


def _braces(template: str) -> Iterator[str]:
    at = 0
    while (begin := template.find("${", at)) >= 0:
        at = _brace_end(template, begin + 2)
        yield template[begin + 2 : at - 1]


# Pages, manuals, settings


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self.is_code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_code = tag in ("script", "style")
        self.found += [(self.getpos()[0], value) for name, value in attrs if value and name in SPOKEN_ATTRIBUTES]

    def handle_endtag(self, tag: str) -> None:
        self.is_code = False

    def handle_data(self, data: str) -> None:
        if not self.is_code and re.search("[A-Za-z]{2}", data):
            self.found.append((self.getpos()[0], data))


def _page(source: str) -> Iterator[tuple[int, str]]:
    """Yield line number and text of everything visible in an HTML page."""
    page = _Page()
    page.feed(source)
    yield from page.found


def _manual(source: str) -> Iterator[tuple[int, str]]:
    """Yield line number and text of every line outside of code examples. A sentence may continue in the next line."""
    is_example = False
    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_example = not is_example
        elif not is_example and re.search("[A-Za-z]{2}", line) and not line.startswith("<!--"):
            yield number, line


def _settings(source: str) -> Iterator[tuple[int, str]]:
    tomllib.loads(source)
    for number, line in enumerate(source.split("\n"), 1):
        if (mark := line.find("#")) >= 0:
            yield number, line[mark + 1 :]


READERS = {".py": _python, ".js": _script, ".html": _page, ".md": _manual, ".toml": _settings}


if __name__ == "__main__":
    for text in texts(*sys.argv[1:]):
        print(text)
