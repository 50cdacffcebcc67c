"""Check that texts for users, docstrings, comments and names of tests contain no unclear wording.

CONTRIBUTING.md has the glossary. `python -m tests.support.texts` lists the texts for users.
"""

import re
from collections.abc import Iterable, Iterator

import pytest

from tests.support.texts import Text, texts
from tests.support.tools import ROOT, TESTS

ODD = {
    r"\bsell land\b": "sell property",
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
    r"\bi know no\b": "I don't recognise",
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
    r"\ba (american|nyc|atsf|[aeio][a-z]+) share\b": "an",
    r"(^|[.;] )who (is not|has lost|leaves|loses|lets|quits|withdraws|slows|does not|comes then)\b(?!.*\?)": "whoever",
    r"\ba watcher\b": "spectator",
    r"\b(turns?|tables?|games?) of yours (is|are|,|or)\b|^no \w+ of yours": "your",
    r"\bonly_if_forced\b.*\?|\bnon adjacent\b": "what the option means",
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
    r"(?<=[\d}]) %": "no space before the per cent sign",
}
"""Regular expressions for unclear wording in texts for users in lower case, each with a better wording."""
UNCLEAR = {
    r"^So (many|much|often|long|few)\b": "name the quantity and its unit",
    r"\b[Ww]hom?ever\b": "a client that, a player who",
    r"\b(is|are|was|were|be|been) (told(?! apart)|heard|borne|said)\b": "sent, received, reported, allowed",
    r"\bwithout a word\b|\bwall's clock\b|\bhears? out\b|\bbids? farewell\b": "what happens, in technical words",
    r"^(Whose|Who|To whom)\b[^?]*$": "a noun phrase that says what it is",
    r"\b(one|he|those) who\b": "a player who, an entrant that",
    r"\b(goes|go|went|carries|carried) on\b": "continue",
    r"\bby chance\b": "at random",
    r"\banew\b|\bfor ever\b": "again, forever",
    r"\bspeaks? (of|for|to)\b|\bmakes? of it\b": "a plain verb",
    r"\b(tells?|told) (of|it|nothing|what)\b": "report, describe, contain",
    r"\bsulks?\b|\bha(s|ve) no say\b|\b(the|a) test's hands\b": "what happens, in technical words",
    r"\bpass(es|ed)? over\b": "skip, ignore",
    r"\bin all[.,;]": "in total",
    r"\bmend(s|ed|ing)?\b": "fix",
}
"""Regular expressions for unclear wording in docstrings and comments, each with a better wording."""
UNCLEAR_IN_TESTS = {
    r"^What\b[^?]*$": "a noun phrase, or Return or Check with an object",
    r"^As (many|much|long|good|often)\b": "name the quantity and its unit",
    r"^(Also|And|Nor|Of|But)\b": "a sentence with a subject and a verb",
    r"\b(it|that|they) cannot be[.,;]|(?<!there )\bis no (?!longer|more|different|better|worse)\w": "is not, invalid",
    r"\bby (itself|themselves)\b": "on its own, automatically",
    r"\b(of|as) (ours|yours|theirs)\b": "our, your, their",
    r"\bplay(s|ed)? on[.,;]": "continue to play",
    r"(?<=[a-z]); [a-z]": "two sentences",
}
"""Regular expressions like those in `UNCLEAR` that are searched only in docstrings and comments of tests.

In other code this wording may be needed to describe the rules of a game.
"""
UNCLEAR_NAMES = re.compile(
    r"_(told|heard|said|borne|anew|whoever|sulks?|mended|echoes)(_|$)|^test_(who|what|whom|whose|to|so)_|_one_who_|"
    r"_two_who_|_in_turn(_|$)|_by_chance(_|$)|_goes_on_|_go_on(_|$)|_cannot_be(_is|_are|_gets|$)|(?<!_there)_is_no_(?!longer)|_are_no_|"
    r"_will_not_do(_|$)|_has_no_say(_|$)"
)
"""Pattern for names of tests that do not say in plain words what is tested."""
PLAIN_FOLDERS = ("bots", "rails_cli", "protocol", "tests", ".ci")
"""Folders whose docstrings and comments in Python, JavaScript and CSS must not match `UNCLEAR`.

Docstrings and comments in tests must not match `UNCLEAR_IN_TESTS` either.
"""
STRING = re.compile(r'^ *r?"""(?P<docstring>.*?)"""|""".*?"""|\'{3}.*?\'{3}', re.MULTILINE | re.DOTALL)
"""Pattern for strings in triple quotes. Such a string is a docstring if it begins a line."""
COMMENT = re.compile(r"(?:^|\s)# (.+)$")
SCRIPT_COMMENT = re.compile(r"/\*[\s\S]*?\*/|(?:^ *// .*\n)+|(?<=\s)// .*", re.MULTILINE)
"""Pattern for comments in JavaScript and CSS. Adjacent `//` lines are one comment."""
SCRIPT_MARKER = re.compile(r"^ *(?:/\*+|\*(?!/)|//(?: @ts-check)?)|\*/$", re.MULTILINE)
"""Pattern for what begins or ends the lines of such a comment."""
MANUALS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "protocol/*.md", "bots/**/README.md")
"""Glob patterns of the manuals, relative to the root."""
NOT_PROSE = re.compile(r"^ *```.*?^ *```|^ *\|[^\n]*|^#+ [^\n]*|`[^`]*`|\]\([^)]*\)|<[^>]*>", re.MULTILINE | re.DOTALL)
"""Pattern of code, tables, headings, targets of links, and tags in manuals."""
NOT_SEARCHED = ("CHANGELOG.md", "CONTRIBUTING.md", "RULES.md")
"""Files not searched: the history of changes, the glossary itself, and the wording of rulebooks."""


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of `patterns`. None of them may begin inside a word, where the search skips them all.

    So a word boundary at the beginning of a pattern is removed. Then the search compares first letters, which is fast.
    """
    boundary = r"\b"
    return re.compile(rf"(?<!\w(?=\w))(?:{'|'.join(pattern.removeprefix(boundary) for pattern in patterns)})")


@pytest.fixture(scope="module")
def found() -> list[Text]:
    return [text for text in texts() if text.file.name not in NOT_SEARCHED]


def test_texts_of_all_kinds_are_collected(found: list[Text]) -> None:
    """One known text of each kind is found: help, option, error, page, script, template, manual, protocol and game."""
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
        "400 rating points mean odds of ten to one",
        "{url} is not a server address; try ws://127.0.0.1:8765",
    ):
        assert any(known in text for text in words), known
    assert any(text.startswith("Verify logs line by line: legality") for text in words)


def docstrings_and_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of a module, each on one line and with its line number."""
    for string in STRING.finditer(source):
        if string["docstring"]:
            yield source.count("\n", 0, string.start()) + 1, " ".join(string["docstring"].split())
    for number, line in enumerate(source.split("\n"), 1):
        if "# " in line and (found := COMMENT.search(line)):
            yield number, found[1]


def script_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a JavaScript or CSS file, each on one line and with its line number."""
    for comment in SCRIPT_COMMENT.finditer(source):
        yield source.count("\n", 0, comment.start()) + 1, " ".join(SCRIPT_MARKER.sub("", comment[0]).split())


@pytest.mark.parametrize("folder", PLAIN_FOLDERS)
def test_docstrings_and_comments_are_plain_english(folder: str) -> None:
    patterns = UNCLEAR | (UNCLEAR_IN_TESTS if folder == "tests" else {})
    unclear = any_of(patterns)
    found = []
    for file in sorted((ROOT / folder).rglob("*.*")):
        if file.suffix not in (".py", ".js", ".css"):
            continue
        comments = docstrings_and_comments if file.suffix == ".py" else script_comments
        for line, words in comments(file.read_text(encoding="utf-8")):
            if unclear.search(words):
                better = [instead for pattern, instead in patterns.items() if re.search(pattern, words)]
                found.append(f"{file.relative_to(ROOT)}:{line}: {words}\n  better: {better}")
    assert not found, "\n".join(found)


def test_manuals_are_plain_english() -> None:
    """The text of manuals, without code and tables, has no semicolons between clauses and no unclear wording."""
    patterns = UNCLEAR | {"; ": "two sentences"}
    found = []
    for file in sorted(file for pattern in MANUALS for file in ROOT.glob(pattern)):
        prose = NOT_PROSE.sub(lambda match: "\n" * match[0].count("\n"), file.read_text(encoding="utf-8"))
        found += [
            f"{file.relative_to(ROOT)}: {' '.join(paragraph.split())}\n  better: {better}"
            for paragraph in prose.split("\n\n")
            for pattern, better in patterns.items()
            if re.search(pattern, " ".join(paragraph.split()))
        ]
    assert not found, "\n".join(found)


def test_names_of_tests_are_plain_english() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in sorted(TESTS.rglob("test_*.py"))
        for name in re.findall(r"^ *def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        if UNCLEAR_NAMES.search(name)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "words", ["So many are kept.", "Whoever asks.", "It is told.", "What is left.", "It ends; so it is."]
)
def test_unclear_words_are_found(words: str) -> None:
    unclear = any_of(UNCLEAR | UNCLEAR_IN_TESTS)
    assert [line for line, text in docstrings_and_comments(f'"""{words}"""') if unclear.search(text)] == [1]
    assert [line for line, text in docstrings_and_comments(f"x = 1  # {words}") if unclear.search(text)] == [1]
    for comment in (f"// {words}\n", f"x = 1; // {words}", f"/** {words} */", f"/*\n * {words}\n */"):
        assert [line for line, text in script_comments(comment) if unclear.search(text)] == [1], comment


def test_texts_for_users_have_no_odd_wording(found: list[Text]) -> None:
    any_odd = any_of(ODD)
    odd_texts = [
        f"{text}\n  better: {better}"
        for text in found
        if any_odd.search(text.words.lower())
        for odd, better in ODD.items()
        if re.search(odd, text.words.lower())
    ]
    assert not odd_texts, "\n".join(odd_texts)
