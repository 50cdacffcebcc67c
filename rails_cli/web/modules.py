"""The ES modules of the pages. Each page gets all its modules as one script, so that a browser fetches one file."""

import posixpath
import re
from importlib import resources

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async|class|const|function|let)", re.MULTILINE)


def modules(entry: str) -> dict[str, str]:
    """Return the text of a module, such as `web/app.js`, and of all its dependencies, by name, dependencies first."""
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
    """Return a module and its dependencies as one script. No two modules may declare the same name."""
    return "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in modules(entry).values())
