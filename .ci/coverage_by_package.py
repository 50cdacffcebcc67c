"""Print the branch coverage of each package, lowest first, and the total.

The program reads the output of `coverage json`.
"""

import json
import sys
from collections import Counter
from pathlib import PurePath


def main() -> None:
    measured = json.load(sys.stdin)
    lines, branches = Counter[str](), Counter[str]()
    covered_lines, covered_branches = Counter[str](), Counter[str]()
    for file, entry in measured["files"].items():
        summary, package = entry["summary"], PurePath(file).parent.as_posix()
        for name in (package, "total"):
            lines[name] += summary["num_statements"]
            covered_lines[name] += summary["covered_lines"]
            branches[name] += summary["num_branches"]
            covered_branches[name] += summary["covered_branches"]

    def share(name: str) -> float:
        """Return the percentage of statements and branches that are covered in the package `name`.

        If `name` is `total`, return the percentage for all packages. Both are calculated like the total of coverage.py.
        """
        covered, all_ = covered_lines[name] + covered_branches[name], lines[name] + branches[name]
        return 100 * covered / all_ if all_ else 100.0

    print(f"{'package':48} {'covered':>8} {'statements':>18} {'branches':>18}")
    for name in [*sorted(lines.keys() - {"total"}, key=lambda name: (share(name), name)), "total"]:
        statements = f"{covered_lines[name]} of {lines[name]}"
        ways = f"{covered_branches[name]} of {branches[name]}"
        print(f"{name:48} {share(name):7.1f}% {statements:>18} {ways:>18}")


if __name__ == "__main__":
    main()
