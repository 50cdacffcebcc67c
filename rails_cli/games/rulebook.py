"""Search for individual numbered rules in the rule sheet of a game."""

import re
from functools import cache

from rails_cli.games import rule_sheet
from rails_cli.games.faces.vocabulary import SHORTEST_PREFIX

LONGEST_WORD = 100
"""Maximum number of characters in a text to search for. The time of a search grows with the square of this number."""
_CITED = re.compile(r" \((?:[A-Z]+-\d+(?:, | and | )?)+\)")
_RULE = re.compile(r"^- ([A-Z]+-\d+) (.*(?:\n {2}.*)*)", re.MULTILINE)


@cache
def rules_of(game: str) -> dict[str, str]:
    """Return a dictionary from rule ids to the texts of rules. A text is one line without the backticks of Markdown."""
    return {number: " ".join(text.replace("`", "").split()) for number, text in _RULE.findall(rule_sheet(game))}


def cited(game: str, numbers: str) -> list[str]:
    """Return the rules whose ids are in `numbers`, a text such as `CE-11 CE-12`. Each rule is one line of text."""
    rules = rules_of(game)
    return [f"{number}: {rules[number]}" for number in numbers.split() if number in rules]


def found(game: str, word: str) -> list[str]:
    """Return the rules with the number or id `word` (`31` or `CE-31`), or with `word` in their text.

    Each rule is one line.

    If no rule contains `word`, return the rules that contain a similar word. At least the first half of the letters of
    `word` must be the same. Return an empty list if `word` has more than LONGEST_WORD characters.
    """
    if len(word) > LONGEST_WORD:
        return []
    rules = rules_of(game)
    wanted = word.upper()
    exact = [number for number in rules if number == wanted or number.split("-")[1] == wanted]
    numbers = exact or [number for number, text in rules.items() if word.lower() in text.lower()]
    for length in range(len(word) - 1, max(SHORTEST_PREFIX, (len(word) + 1) // 2) - 1, -1):
        beginning = re.compile(rf"\b{re.escape(word[:length])}", re.IGNORECASE)
        numbers = numbers or [number for number, text in rules.items() if beginning.search(text)]
    return [f"{number}: {rules[number]}" for number in numbers]


def uncited(text: str) -> str:
    """Return `text` without the rule ids that it cites in brackets."""
    return _CITED.sub("", text)
