"""What people read is idiomatic English: odd words that were replaced once stay away, whatever the file.

CONTRIBUTING.md has the glossary. `python -m tests.support.texts` lists what is looked through.
"""

import re

import pytest

from tests.support.texts import Text, texts
from tests.support.tools import ROOT

ODD = {
    r"(?<!there )\bis no (?!longer|more|different|better|worse)\w": "is not a",
    r"\bthat are no \w": "that are not",
    r"\bwill not do\b": "is not valid; expected",
    r"\bif not said\b|\bnot said (by|with)\b": "default",
    r"^is asked$|\bseat \{[^}]*\} is asked\b": "to move",
    r"\bmade up if\b": "automatic",
    r"\b(did not|to|they) come about\b|\bc[oa]mes? about$": "fail, happen",
    r"\b(goes|go|went|going) on\b": "continue, resume",
    r"\bcarr(y|ies|ied) (it )?on\b": "resume, continue",
    r"\bbelieve": "trust",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bdo you mean\b": "did you mean",
    r"\bpass(es|ed)? over\b": "skip, ignore",
    r"\banew\b": "again",
    r"\bas usual\b": "default",
    r"\b(after|the best|the first|at most|of|than|about|out) so many\b|: so many\b|\bafter so long\b": "this many",
    r"\bputs? up\b|\bput up\b|\bputting up\b": "auction",
    r"\bgood once\b": "works once",
    r"\bI know no\b": "I don't recognise",
    r"\bat no table\b": "not at a table",
    r"\bchance starts\b": "random seed",
    r"\beach against each\b": "head to head",
    r"\b(break|breaks|broke|broken) off\b": "stop, end, interrupt",
    r"\bis wanted\b": "expected",
    r"\blogs? (is|are) true\b": "verified",
    r"\bserver bears\b": "allows",
    r"\bit is (said|told)\b": "say who says it",
    r"\bplayers of the program\b": "built-in players",
    r"\b(bots?|boards?|files?|folders?|seats?|compan\w+) of yours\b": "your own",
    r"\bcom(e|es|ing) in ahead\b": "finish ahead",
    r"\bpoints of rating\b": "rating points",
    r"\blooks? on\b": "spectator",
    r"\bput down to\b": "blamed on, attributed to",
    r"\bseen from\b": "relative to",
    r"\bwatchers\b.* late\b": "spectator delay",
    r"\bmake(s)? (a|the) table\b": "create a table",
    r"\bgreedy bot would\b|\bwould say:": "suggests",
    r"\ba (American|NYC|ATSF|[AEIO][a-z]+) share\b": "an",
    r"(^|[.;] )who (is not|has lost|leaves|loses|lets|quits|withdraws|slows|does not|comes then)\b(?!.*\?)": "whoever",
    r"\ba watcher\b": "spectator",
    r"\b(turns?|tables?|games?) of yours (is|are|,|or)\b|^no \w+ of yours": "your",
    r"\bonly_if_forced\b.*\?|\bNon adjacent\b": "what the option means",
    r"\bplayed on from\b": "continued from, branch of",
    r"\bby (itself|themselves)\b": "automatically, on its own",
    r"\b\d+\S*( \w+)? in all\b(?! \w)": "in total",
    r"\bcomes? with the program\b": "built-in",
    r"\bas things stand\b": "at the moment, now",
    r"\bmessages are on their way\b": "transit time, round-trip time",
    r"\bwhat is left of\b": "the rest, what remains",
    r"\bfor ever\b": "forever",
    r"\bkept beside\b": "next to",
    r"\bsave room\b": "save space",
    r"\bof which (you|the player) holds?\b": "in which",
    r"\b(gives?|given|giving) (it|the action|the chosen action|the seat|your seat) up\b": "decline, give up the seat",
    r"\bdearest\b": "most expensive",
    r"\b(go|goes|plays?|played) by (no )?chance\b|\bdrawn by chance\b": "random, deterministic, drawn at random",
    r"\b(bots?|programs?) of strangers\b": "strangers' bots",
    r"\bin no (log|list)\b": "is not logged, is not listed",
    r"\bputs? the (same )?question\b": "ask the same question",
    r"\bloses? (its|a|the|their) seat by\b": "through",
    r"\bwhat would do\b": "what was expected",
    r"\bof the epoch\b": "as Unix time in seconds",
}
"""Patterns, and what would do instead."""
UNCLEAR = {
    r"^So (many|much|often|long|few)\b": "name the quantity and its unit",
    r"\b(whoever|whomever)\b": "a client that, a player who",
    r"\b(is|are|was|were|be|been) (told(?! apart)|heard|borne)\b": "sent, received, reported, allowed",
    r"\bwithout a word\b|\bwall's clock\b|\bhears? out\b|\bbids? farewell\b": "what happens, in technical words",
    r"^(Whose|Who|To whom)\b[^?]*$": "a noun phrase that says what it is",
    r"\b(one|he|those) who\b": "a player who, an entrant that",
    r"\b(goes|go|went|carries|carried) on\b": "continue",
    r"\bby chance\b": "at random",
    r"\banew\b|\bfor ever\b": "again, forever",
    r"\bspeaks? (of|for|to)\b|\bmakes? of it\b": "a plain verb",
}
"""Patterns in docstrings and comments that readers did not understand at once, and what to write instead."""
DOCSTRING = re.compile(r'^[ \t]*r?"""(.*?)"""', re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"(?:^|\s)# (.+)$", re.MULTILINE)
LEFT_ALONE = ("CHANGELOG.md", "CONTRIBUTING.md", "RULES.md")
"""What was said in the past, the glossary itself, and the words of rulebooks."""


@pytest.fixture(scope="module")
def found() -> list[Text]:
    return [text for text in texts() if text.file.name not in LEFT_ALONE]


def test_all_kinds_of_texts_are_found(found: list[Text]) -> None:
    """A help text, an option, an error, a page, a script, a template, a manual, the vocabulary and words of a game."""
    words = {text.words for text in found}
    for known in (
        "Random seed of the first game: a whole number from 0.",
        "Spectator delay (seconds)",
        "Send this link to one person; it works once.",
        "Written by rails-cli from the results next to it.",
        "# Running a server for others",
        "The company whose share is auctioned.",
        "Which piece will you play?",
        "the entrant whose rating is 0",
        "{url} is not a server address; try ws://127.0.0.1:8765",
    ):
        assert any(known in text for text in words), known
    assert any(text.startswith("Verify logs line by line: legality") for text in words)


def test_docstrings_and_comments_are_plain_english() -> None:
    unclear = re.compile("|".join(UNCLEAR))
    found = []
    for file in sorted((ROOT / "rails_cli").rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        for match in (*DOCSTRING.finditer(source), *COMMENT.finditer(source)):
            words = " ".join(match[1].split())
            if unclear.search(words):
                better = [instead for pattern, instead in UNCLEAR.items() if re.search(pattern, words)]
                line = source.count("\n", 0, match.start()) + 1
                found.append(f"{file.relative_to(ROOT)}:{line}: {words}\n  better: {better}")
    assert not found, "\n".join(found)


def test_nobody_would_say_that(found: list[Text]) -> None:
    any_of_them = re.compile("|".join(ODD), re.IGNORECASE)
    said = [
        f"{text}\n  better: {better}"
        for text in found
        if any_of_them.search(text.words)
        for odd, better in ODD.items()
        if re.search(odd, text.words, re.IGNORECASE)
    ]
    assert not said, "\n".join(said)
