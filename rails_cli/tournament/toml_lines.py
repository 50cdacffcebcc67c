"""Where in a TOML file each value stands; the reader of the standard library does not tell.

The text must be good TOML. A value goes by its path, such as `entrants[1].memory`.
"""


def lines_of(text: str) -> dict[str, int]:
    """The line of each table and value, from 1."""
    return _Scanner(text).scan()


class _Scanner:
    """Walks through the text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.lines: dict[str, int] = {}
        self.last: dict[str, int] = {}
        """The number of the last table of each array of tables."""

    def scan(self) -> dict[str, int]:
        table = ""
        while self._skip():
            if self._take("[["):
                table = self._header(is_array=True)
                self._take("]]")
            elif self._take("["):
                table = self._header(is_array=False)
                self._take("]")
            else:
                self._pair(table)
        return self.lines

    def _header(self, *, is_array: bool) -> str:
        line = self._line()
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
        line = self._line()
        path = table
        for key in self._keys():
            path = join(path, key)
            self.lines.setdefault(path, line)
        self._take("=")
        self._skip()
        self._value(path)

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip()
            if self.text[self.place] in "\"'":
                keys.append(self._string())
            else:
                start = self.place
                while self.text[self.place].isalnum() or self.text[self.place] in "_-":
                    self.place += 1
                keys.append(self.text[start : self.place])
            self._skip()
            if not self._take("."):
                return keys

    def _value(self, path: str) -> None:
        self.lines.setdefault(path, self._line())
        if self.text[self.place] in "\"'":
            self._string()
        elif self._take("["):
            number = 0
            while self._skip() and not self._take("]"):
                self._value(f"{path}[{number}]")
                number += 1
                self._skip()
                self._take(",")
        elif self._take("{"):
            while self._skip() and not self._take("}"):
                self._pair(path)
                self._skip()
                self._take(",")
        else:
            while self.place < len(self.text) and self.text[self.place] not in ",]}#\n":
                self.place += 1

    def _string(self) -> str:
        mark = self.text[self.place]
        fence = mark * 3 if self.text.startswith(mark * 3, self.place) else mark
        self.place += len(fence)
        start = self.place
        while not self.text.startswith(fence, self.place):
            self.place += 2 if mark == '"' and self.text[self.place] == "\\" else 1
        content = self.text[start : self.place]
        self.place += len(fence)
        while len(fence) == 3 and self.text.startswith(mark, self.place):  # quotes before the closing ones
            self.place += 1
        return content

    def _skip(self) -> bool:
        """Passes over space and comments; whether anything is left."""
        while self.place < len(self.text):
            if self.text[self.place] == "#":
                end = self.text.find("\n", self.place)
                self.place = len(self.text) if end < 0 else end
            elif self.text[self.place].isspace():
                self.place += 1
            else:
                return True
        return False

    def _take(self, mark: str) -> bool:
        if not self.text.startswith(mark, self.place):
            return False
        self.place += len(mark)
        return True

    def _line(self) -> int:
        return self.text.count("\n", 0, self.place) + 1


def join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
