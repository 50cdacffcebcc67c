"""Line numbers of the values in a TOML file, which the standard library does not report.

The text must be valid TOML. A value is identified by its path, such as `entrants[1].memory`.
"""

import re

_TOKEN = re.compile(
    r'''(?P<word>
        """(?:\\.|[^\\])*?"{3,5}  # up to two quotes may stand before the closing ones
        | \'\'\'.*?\'{3,5}
        | "(?:\\.|[^"\\])*"
        | '[^']*'
        | [][{}=,.]
        | [^][{}=,."'\#\s]+
    ) | \#[^\n]*''',
    re.DOTALL | re.VERBOSE,
)


def lines_of(text: str) -> dict[str, int]:
    """Return the line of each table and value, counted from 1."""
    return _Scanner(text).scan()


class _Scanner:
    """Scans the tokens of the text once. `words` is reversed, so the next token is the last."""

    def __init__(self, text: str) -> None:
        found = [match for match in _TOKEN.finditer(text) if match["word"]]
        self.words = [(match["word"], text.count("\n", 0, match.start()) + 1) for match in reversed(found)]
        self.lines: dict[str, int] = {}
        self.last: dict[str, int] = {}
        """Index of the last table of each array of tables."""

    def scan(self) -> dict[str, int]:
        table = ""
        while self.words:
            line = self.words[-1][1]
            if self._take("["):
                table = self._header(line, is_array=self._take("["))
                while self._take("]"):
                    pass
            else:
                self._pair(table)
        return self.lines

    def _header(self, line: int, *, is_array: bool) -> str:
        keys = self._keys()
        path = ""
        for number, key in enumerate(keys, 1):
            path = join(path, key)
            if is_array and number == len(keys):
                self.lines.setdefault(path, line)
                self.last[path] = self.last.get(path, -1) + 1
            if path in self.last:
                path += f"[{self.last[path]}]"
            self.lines.setdefault(path, line)
        return path

    def _pair(self, table: str) -> None:
        line = self.words[-1][1]
        path = table
        for key in self._keys():
            path = join(path, key)
            self.lines.setdefault(path, line)
        self._take("=")
        self._value(path)

    def _keys(self) -> list[str]:
        keys = [self.words.pop()[0]]
        while self._take("."):
            keys.append(self.words.pop()[0])
        return [key[1:-1] if key[0] in "\"'" else key for key in keys]

    def _value(self, path: str) -> None:
        line = self.words[-1][1]
        self.lines.setdefault(path, line)
        if self._take("["):
            number = 0
            while not self._take("]"):
                self._value(f"{path}[{number}]")
                self._take(",")
                number += 1
        elif self._take("{"):
            while not self._take("}"):
                self._pair(path)
                self._take(",")
        else:  # a number or a date may be several tokens
            self.words.pop()
            while self.words and self.words[-1][1] == line and self.words[-1][0] not in ",]}":
                self.words.pop()

    def _take(self, word: str) -> bool:
        if not self.words or self.words[-1][0] != word:
            return False
        self.words.pop()
        return True


def join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
