"""Phrases and grammatical forms for the texts of all games."""

import re
from collections.abc import Sequence

END_WORDS = {
    "normal": "The game has ended.",
    "timeout": "The game is void: a player was too slow.",
    "disconnect": "The game is void: a player left.",
    "illegal": "The game is void: a player broke the rules.",
    "interrupted": "The game was interrupted.",
}
"""Dictionary from the reason in the result of a game to a sentence that states how the game ended."""


def count_phrase(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def left_phrase(number: int, noun: str) -> str:
    """Return a phrase for the number of things left, such as "1 share left" or "no shares left"."""
    return f"{count_phrase(number, noun) if number else f'no {noun}s'} left"


def with_capital(words: str) -> str:
    """Return the words with a capital first letter. Other letters stay as they are."""
    return words[:1].upper() + words[1:]


def ordinal(number: int) -> str:
    """Return a positive number as an ordinal, such as "2nd"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def with_article(word: str) -> str:
    """Return the word with `a` or `an`, according to its pronunciation: an American, a Liberty, an NYC, a PRR."""
    is_spelt = word.isupper() and not set(word) & set("AEIOU")
    return f"an {word}" if word[:1].upper() in tuple("AEFHILMNORSX" if is_spelt else "AEIO") else f"a {word}"


def gerund(instruction: str) -> str:
    """Return `instruction` in the -ing form: "building the PRR to Pittsburgh"."""
    verb, space, rest = instruction.partition(" ")
    if verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    elif DOUBLED.fullmatch(verb):
        verb += verb[-1]
    return f"{verb}ing{space}{rest}"


def third_person(instruction: str) -> str:
    """Return `instruction` in the third person: "builds the PRR to Pittsburgh"."""
    verb, space, rest = instruction.partition(" ")
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        verb += "e"
    elif verb.endswith("y") and verb[-2:-1] not in VOWELS:
        verb = f"{verb[:-1]}ie"
    return f"{verb}s{space}{rest}"


VOWELS = tuple("aeiou")
DOUBLED = re.compile("[^aeiou]*[aeiou][^aeiouwxy]")
"""Pattern of verbs with one short syllable, such as bid, skip and run. Their last letter is doubled before -ing."""


def listed(phrases: Sequence[str]) -> str:
    return ", ".join(phrases[:-1]) + f" and {phrases[-1]}" if len(phrases) > 1 else "".join(phrases)


DOLLARS = "$"


def dollars(amount: int) -> str:
    return f"${amount:,}"


def score_text(score: int, unit: str) -> str:
    """Return a score with its unit. The unit is DOLLARS or a word in the plural, such as "points"."""
    if unit == DOLLARS:
        return dollars(score) if score >= 0 else f"-{dollars(-score)}"
    return f"{score:,} {unit.removesuffix('s') if abs(score) == 1 else unit}"
