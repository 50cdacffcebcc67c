"""The scripts of the pages are ES modules: a server serves them as they are, a page of its own carries them as one."""

import posixpath
import re
from importlib import resources

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async|class|const|function|let)", re.MULTILINE)


def modules(entry: str) -> dict[str, str]:
    """A module, such as `web/app.js`, and all that it needs: each comes after those it imports."""
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
    """A module and all that it needs as one, which imports nothing; so no two of them declare the same name."""
    return "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in modules(entry).values())
