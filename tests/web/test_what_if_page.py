"""Tests of branches, which are games continued from a position of a game, in an exported replay and at a server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from tests.support.browser import complaints, expect, open_page, resize, violations
from tests.support.fetching import replayed, story_in
from tests.support.page_person import PagePerson
from tests.support.short_boards import short_board
from tests.support.ws_client import Client, ServerProcess, verified

ACTIONS = 32
"""Number of actions of the game `evening`.

The game is short and has few mistakes, so that its analysis is quick.
"""
AT = 24
"""Number of the first action that a branch replaces.

This action is near the end of the game, so that few actions are left to play.
"""

_HIDDEN_IN_STORY = """
const slider = document.getElementById("slider");
const at = slider.value;
const isHidden = (number) => {
  slider.value = number;
  slider.dispatchEvent(new Event("input"));
  const [now, list, bar] = ["#steps .current", "#steps", "#transport"].map((one) =>
    document.querySelector(one).getBoundingClientRect());
  const shown = Math.min(now.bottom, list.bottom, bar.top) - Math.max(now.top, list.top);
  return shown < Math.min(now.height, list.height) - 1;
};
const hidden = [...Array(+slider.max + 1).keys()].filter(isHidden);
isHidden(at);
return hidden;
"""
"""Script that selects each step of the replay in turn. The page then scrolls the list of steps to this step.

The script returns the numbers of the steps whose entry in the list is partly hidden, although the list has room for the
entry.
"""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a logged game and one branch of it."""
    folder = tmp_path_factory.mktemp("shelf")
    log, board = folder / "evening.jsonl", short_board("last_spike", tmp_path_factory.mktemp("board"), pieces=2)
    words = ["run", "last_spike", "--board", str(board), "--option", "cash=hidden", "--seed", "6", "--quiet"]
    words += [*["--seat", "builtin:hard"] * 2, "--log", str(log)]
    assert CliRunner().invoke(main, words).exit_code == 0
    words = ["run", "--from", str(log), "--at", str(AT - 1), "--seat", "builtin:greedy", "--seat", "builtin:hard"]
    words += ["--quiet", "--log", str(folder / "evening.branches/other-end.jsonl")]
    assert CliRunner().invoke(main, words).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shelf: Path) -> Iterator[ServerProcess]:
    words = ("--logs", str(shelf), "--requests-per-second", "500")
    with ServerProcess(tmp_path_factory.mktemp("server") / "data", *words) as running:
        yield running


def test_an_exported_replay_contains_its_branches(shelf: Path, browser: Any) -> None:
    page, log = shelf / "evening.html", shelf / "evening.jsonl"
    unfinished = shelf / "evening.branches/a-first-try.jsonl"
    lines = unfinished.with_name("other-end.jsonl").read_bytes().splitlines(keepends=True)
    unfinished.write_bytes(b"".join(lines[:-3]))
    try:
        assert CliRunner().invoke(main, ["export", str(log), "--html", str(page)]).exit_code == 0
        output = CliRunner().invoke(main, ["branches", str(log)]).stdout
    finally:
        unfinished.unlink()
    assert "Branch 2: other-end" in output, "the same number as on the page, which leaves out unfinished branches"
    resize(browser, 1366, 768)
    complaints(browser)
    anna = PagePerson(browser, "ws://nowhere", "Anna")
    open_page(browser, f"{page.as_uri()}#at={AT - 1}")
    assert f"after action {AT - 1}" in anna.text("#branch-list")
    assert anna.text("#from-here code") == f"rails-cli play --from {log} --at {AT - 1}"
    for height in (640, 768):
        resize(browser, 1366, height)
        assert browser.execute_script(_HIDDEN_IN_STORY) == [], "the bar or the list's end covers the current action"
    title, last = anna.text("#step-title"), anna.text("#of")
    anna.click("#from-here .branch")
    anna.wait_for_text("#from-here", "Back to the game")
    assert anna.text("#step-title") == title  # the position stays the same
    assert anna.text("#compared .chosen") == "Branch 2"
    assert anna.count("#charts .line.other") > 5  # lines of the original game behind those of the branch
    anna.click("[data-go=last]")
    anna.wait_for("document.getElementById('slider').value === document.getElementById('slider').max")
    ends = anna.texts("#compared tbody tr")[1:3]
    assert all(row.count("$") == 2 for row in ends), ends
    ending = [line.strip() for line in anna.texts("#ending p")]
    assert anna.texts("#step-words li")[-len(ending) :] == ending
    scores = [line.rpartition(": ")[2] for line in anna.text("#ending").splitlines() if "$" in line]
    assert sorted(scores) == sorted(row.rpartition(" ")[2] for row in ends)
    assert violations(browser) == []
    resize(browser, 360, 740)
    expect(browser, "document.documentElement.scrollWidth", 360)
    anna.click("#from-here button")
    anna.wait_for("document.querySelector('#compared .chosen').textContent === 'The game'")
    words = ["export", str(log), "--html", str(page), "--analysis", "--looks", "1", "--workers", "1"]
    assert CliRunner().invoke(main, words).exit_code == 0
    shown = story_in(page.read_text(encoding="utf-8"))
    alone = shelf / "alone.html"
    words = ["export", str(shelf / "evening.branches/other-end.jsonl"), "--html", str(alone), *words[4:]]
    assert CliRunner().invoke(main, words).exit_code == 0
    of_branch = story_in(alone.read_text(encoding="utf-8"))["analysis"]
    assert of_branch == shown["branches"][0]["analysis"], "moves before the branch are not judged again"
    costliest = shown["analysis"]["costliest"]
    costly = min(move["step"] for own in costliest for move in own)
    open_page(browser, f"{page.as_uri()}?again#{costly}")  # the form of older links
    ways = [f"rails-cli play --from {log} --at {at}" for at in (costly - 1, costly)]
    assert anna.texts("#from-here code") == ways, "a costly decision can be made again"
    cut = "const { scrollWidth, clientWidth } = document.querySelector('#from-here code')"
    assert browser.execute_script(f"{cut}; return scrollWidth <= clientWidth")
    anna.wait_for("document.querySelector('#of').innerText === arguments[0]", last)
    anna.press("b")
    anna.wait_for("document.querySelector('#compared .chosen').textContent === 'Branch 1'")
    assert complaints(browser) == []


def test_a_game_is_continued_from_its_replay_at_a_server(server: ServerProcess, browser: Any) -> None:
    """A person can continue a game from its replay at a server, through a form.

    The replay then lists branches that bots have played. Invalid requests for a branch are refused.
    """
    resize(browser, 1280, 900)
    complaints(browser)
    anna = PagePerson(browser, server.url, "Anna")
    assert replayed(server, "evening")[0] == 200
    open_page(browser, f"{anna.url}replay/evening#{AT - 1}")
    anna.wait_for_text("#from-here", "Branch 1")
    anna.click("#from-here .action")
    anna.wait_for_text("#new-title", f"Play on after action {AT - 1}: The Last Spike, hard, hard 2")
    assert anna.text("#new-from") == f"All before action {AT} stays as it was. Action {AT} is decided again."
    assert not anna.is_visible("#new-game-label")
    assert "Seat 2, hard 2" in anna.text("#new-seats")
    anna.find("#new-you").clear()
    anna.find("#new-you").send_keys("Anna")
    anna.click("#create .primary")
    state = anna.state()
    assert state["words"]
    assert f"continues after action {AT - 1} of evening" in anna.text("#table-words")
    table = str(browser.execute_script("return location.hash.split('/')[1]"))
    assert complaints(browser) == []
    browser.get("about:blank")
    lines = server.lines(table)
    assert lines[0]["branch"]["log"] == "evening.jsonl"
    assert lines[0]["branch"]["number"] == AT
    (resumed,) = (line for line in lines if line["type"] == "resumed")
    assert [player["name"] for player in resumed["players"]] == ["Anna", "Vanderbilt"]
    fields: dict[str, Any] = {"type": "create", "game": "last_spike", "players": 2, "seats": ["builtin:busy"] * 2}
    with Client(server.url) as client:
        for wrong, words in (
            ({"branch": {"log": table, "number": AT}}, "that has ended"),
            ({"branch": {"log": "evening", "number": 900}}, f"actions 0 to {ACTIONS - 1}"),
            ({"branch": {"log": "evening", "number": AT}, "players": 3, "seats": []}, "has 2"),
            ({"branch": {"log": "evening", "number": AT}, "openings": "drawn"}, "has 'none'"),
            ({"branch": {"log": "evening", "number": AT}, "options": {"cash": "open"}}, "options: "),
        ):
            answer = client.ask(**{**fields, **wrong})
            assert (answer["type"], words in answer.get("message", "")) == ("error", True), answer
        made = client.ask(**fields, branch={"log": "evening", "number": AT})["table"]
        assert made["branch"] == {"log": "evening", "number": AT}
        client.ask(type="watch", table=made["table"])
        client.until("end")
    assert verified(server.log(made["table"]))
    status, _, page = replayed(server, "evening")
    assert (status, page.count(b'"name":"other-end"'), made["table"].encode() in page) == (200, 1, True)


def test_a_branch_continues_after_a_crash_of_the_server(shelf: Path, tmp_path: Path) -> None:
    """A branch is resumed after a crash of the server. A branch is a game continued from a position of a logged game.

    After a SIGKILL and a restart, the player gets the same request, and the clock continues.
    """
    fields = {"type": "create", "game": "last_spike", "players": 2, "clock": "36000+5"}
    fields["seats"] = [None, "builtin:busy"]
    with ServerProcess(tmp_path / "data", "--logs", str(shelf)) as server, Client(server.url) as client:
        table = client.ask(**fields, branch={"log": "evening", "number": AT})["table"]["table"]
        token = client.ask(type="sit", table=table, seat=0, name="Anna")["token"]
        asked = client.until("request")
        server.kill()
    with ServerProcess(tmp_path / "data", "--logs", str(shelf)) as server, Client(server.url) as client:
        assert server.going_on == 1
        client.ask(type="resume", token=token)
        again = client.until("request")
        assert again["legal"] == asked["legal"]
        assert again["clock"]["bank_s"] > 30_000
        names = next(message for message in client.heard if message["type"] == "start")["players"]
        assert [name if isinstance(name, str) else name["name"] for name in names] == ["Anna", "Vanderbilt"]
        client.ask(type="leave")  # a substitute finishes the game
        client.ask(type="watch", table=table)
        client.until("end")
    assert verified(server.log(table))
