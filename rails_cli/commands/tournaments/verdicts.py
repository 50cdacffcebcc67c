"""The result of a tournament for build servers: the exit code of a run, and a file in the format of JUnit."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from rails_cli.commands.tournaments.results import LastFault
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.run.events import RunResult
from rails_cli.tournament.schedule.answer import FinalAnswer

ENDED = 0
"""Exit code if the tournament has ended and, with `[stop.better]`, the answer is `better`."""
NOT_BETTER = 4
"""Exit status if the answer of the tournament is `not_better`."""
UNDECIDED = 5
"""Exit status if the tournament has no answer."""
FAULTY = 6
"""Exit code if the entrant of `[stop.better]` made faults, whatever the answer."""
INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 plus the number of SIGINT."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML 1.0 excludes


def faults_of(games: Iterable[PlayedGame]) -> Counter[str]:
    """Return a mapping from the names of entrants with faults to their numbers of faults."""
    found: Counter[str] = Counter()
    for game in games:
        found.update({name: number for name, number in zip(game.seating, game.faults, strict=True) if number})
    return found


def exit_code(outcome: RunResult, faults: Mapping[str, int]) -> int:
    """Return the exit code of a run. `faults` maps names of entrants to their numbers of faults."""
    if outcome.ending is None:
        return INTERRUPTED
    if any(faults.get(evidence.entrant) for evidence in outcome.evidence):
        return FAULTY
    codes = {"better": ENDED, "not_better": NOT_BETTER, "": UNDECIDED}
    return max((codes[evidence.answer] for evidence in outcome.evidence), default=ENDED)


def junit(
    plan: TournamentPlan,
    outcome: RunResult,
    answer: FinalAnswer,
    faults: Mapping[str, int],
    last_faults: Mapping[str, LastFault],
) -> bytes:
    """Return the outcome of a run as a file in the format of JUnit.

    The test case of an entrant fails if the entrant made faults. The test case of a rule `[stop.better]` fails unless
    the answer is `better`. Without such a rule, a test case with the answer of the tournament fails only if the run was
    interrupted.
    """
    suite = ET.Element("testsuite", name=_clean(plan.name), time=f"{outcome.seconds:.3f}")
    for name in plan.names:
        case = _case(suite, plan, f"{name} makes no faults")
        if faults.get(name):
            last = last_faults.get(name)
            words = "" if last is None else f"last fault of {last.fault}, in game {last.game}\n{last.fault.stderr}"
            _fail(case, "faults", count_phrase(faults[name], "fault"), words)
    for evidence in outcome.evidence:
        case = _case(suite, plan, f"{evidence.entrant} is better than {evidence.than or 'the field'}")
        if evidence.answer != "better":
            _fail(case, evidence.answer or "undecided", evidence.text, str(evidence))
        ET.SubElement(case, "system-out").text = _clean(str(evidence))
    if not outcome.evidence:
        case = _case(suite, plan, "verdict")
        if outcome.ending is None:
            _fail(case, "interrupted", "the run was interrupted", answer.text)
        ET.SubElement(case, "system-out").text = _clean(answer.text)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in suite)))
    suite.set("errors", "0")
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    content: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return content


def _case(suite: ET.Element, plan: TournamentPlan, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_clean(plan.name), name=_clean(name), time="0")


def _fail(case: ET.Element, kind: str, message: str, words: str) -> None:
    ET.SubElement(case, "failure", type=kind, message=_clean(message)).text = _clean(words)


def _clean(words: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", words)
