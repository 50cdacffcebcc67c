"""Check the types of the Python programs in docs/PYTHON_BOTS.md and docs/LIBRARY.md, and that a mistake is found."""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mypy import api

DOCS = Path(__file__).parent.parent / "docs"
BOTS = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"<!-- example: typed\.py -->\n+```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MISTAKE = r'\S*misspelt\.py:\d+: error: "View" has no attribute "house_left".*\n'


def main() -> int:
    programs = dict(BOTS.findall((DOCS / "PYTHON_BOTS.md").read_text(encoding="utf-8")))
    (typed,) = TYPED.findall((DOCS / "LIBRARY.md").read_text(encoding="utf-8"))
    programs |= {"typed.py": typed, "misspelt.py": typed.replace("houses_left", "house_left")}
    with TemporaryDirectory() as folder:
        for name, program in programs.items():
            (Path(folder) / name).write_text(program, encoding="utf-8")
        found, errors, _ = api.run(["--no-error-summary", folder])
    is_good = len(programs) > 2 and re.fullmatch(MISTAKE, found) is not None and not errors
    print("" if is_good else f"expected only an error in misspelt.py, found:\n{found}{errors}", end="")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
