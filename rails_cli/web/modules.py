"""The JavaScript modules of the pages. All modules of a page are joined, so that browsers load one file."""

import posixpath
import re
from importlib import resources

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async|class|const|function|let)", re.MULTILINE)


def modules(entry: str) -> dict[str, str]:
    """Return a dictionary from module path to source text, with the module `entry` and all modules that it needs.

    `entry` is a path such as `web/app.js`. In the dictionary, a module comes after the modules that it imports.
    """
    found: dict[str, str] = {}

    def add(name: str) -> None:
        text = resources.files("rails_cli").joinpath(name).read_text(encoding="utf-8")
        for other in _IMPORT.findall(text):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), other))
            if path not in found:
                add(path)
        found[name] = text

    add(entry)
    return found


def bundle(entry: str) -> str:
    """Return a module and all modules that it imports as one script. No two modules may declare the same name."""
    return "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in modules(entry).values())
