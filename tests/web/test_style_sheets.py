"""Tests that no selector in the style sheets makes browsers slow."""

import re
from pathlib import Path

import pytest

from tests.support.tools import ROOT

FILES = sorted((ROOT / "rails_cli" / "web").glob("*.css"))
NAME = re.compile(r"(^|[(,.#\[])[a-z]")
"""Start of the name of a tag, class, id or attribute in a part of a selector."""


def parts(text: str, separators: str) -> list[str]:
    """Split `text` at the characters `separators` that are not in brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and letter in separators:
            found.append("")
        else:
            found[-1] += letter
    return [part for part in found if part]


def is_slow(selector: str) -> bool:
    """Return whether a part before the last part of `selector` has `:has()` and the last part has no name.

    A name is that of a tag, class, id or attribute. The parts are separated by spaces, `>`, `+` or `~`.

    With such a selector, a browser computes the style of all elements again after each change of the page.
    """
    *ancestors, styled = parts(selector.strip(), " >+~")
    return any(":has(" in part for part in ancestors) and not NAME.search(re.sub(r":not\(.*\)", "", styled))


def test_slow_selectors_are_found() -> None:
    slow = ["a:has(.b)>*", "#a:has(b) .c :focus", ".a:has(b) :not(.c)"]
    quick = ["a:has(.b)", ".a:has(b) .c", "#a:has(b)>:where(a,span):focus", "a:has(b)~[open]", ".a>*", "b:has(c):hover"]
    assert [one for one in slow + quick if is_slow(one)] == slow


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_rules_that_depend_on_content_name_what_they_style(file: Path) -> None:
    text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    selectors = [one for rule in re.findall(r"([^{}]+)\{", text) for one in parts(rule, ",") if ":has(" in one]
    assert [one for one in selectors if is_slow(one)] == []
