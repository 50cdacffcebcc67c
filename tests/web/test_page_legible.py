"""The server's page can be read: sizes of text, what covers what, what is in sight, and a board that is moved."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games import GAME_NAMES
from tests.support.browser import board_text, resize, violations
from tests.support.page_person import Keys, PagePerson
from tests.support.tools import GOLDEN
from tests.support.ws_client import Client, ServerProcess, create, table_of

SEATS = ["you", "builtin:greedy", "builtin:greedy", "builtin:greedy"]
POSITIONS = {
    "chicago_express": (69, "choose expand"),
    "american_rails": (68, "choose expand4"),
    "last_spike": (24, ""),
}
"""The action of a logged game that is played instead, and what is chosen before something is done on the board."""
CHOICES = {"chicago_express": 11, "american_rails": 9, "last_spike": 2}
HOLDER = "document.getElementById('board-holder')"
OUT_OF_SIGHT = """
return [...document.querySelectorAll(arguments[0])].filter((node) => {
  const { top, bottom, left, right } = node.getBoundingClientRect();
  return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth;
}).map((node) => node.innerText);
"""
CUT = """
return [...document.querySelectorAll('.choice, .choice span, #glance td, #glance th, #seat-list b, .question')]
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== 'inline')
  .map((node) => node.innerText);
"""
TOO_WIDE = """
return [...document.querySelectorAll('.table')].filter((node) => node.scrollWidth > node.clientWidth)
  .map((node) => node.innerText);
"""
OUT_OF_THE_QUESTION = """
const [ask, help] = ['#ask', '#asked .help'].map((what) => document.querySelector(what).getBoundingClientRect());
return [...document.querySelectorAll(arguments[0])].filter((node) => {
  const { top, bottom } = node.getBoundingClientRect();
  return top < ask.top || bottom > Math.min(ask.bottom, help.top);
}).map((node) => node.innerText);
"""
COVERS_THE_STORY = """
scrollTo(0, document.documentElement.scrollHeight);
const [side, story] = ['.pinned', '#story'].map((what) => document.querySelector(what).getBoundingClientRect());
scrollTo(0, 0);
return side.bottom > story.top && side.left < story.right && story.left < side.right;
"""
OFF_THE_VIEW = """
const frame = document.getElementById('board-holder').getBoundingClientRect();
return [...document.querySelectorAll('.target .outline')].map((node) => node.getBoundingClientRect()).filter((box) => {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x < frame.left || x > frame.right || y < frame.top || y > frame.bottom;
}).length;
"""
COVERED = """
const frame = document.getElementById('board-holder').getBoundingClientRect();
return [...document.querySelectorAll('#board-frame button')].filter((node) => {
  const box = node.getBoundingClientRect();
  return box.width && box.top < frame.bottom && box.bottom > frame.top;
}).map((node) => node.id);
"""


def look(person: PagePerson, script: str, *arguments: Any) -> Any:
    return person.browser.execute_script(script, *arguments)


def check_text(person: PagePerson, width: int, height: int) -> None:
    resize(person.browser, width, height)
    person.wait_for("innerWidth === arguments[0]", width)
    person.wait_for("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
    found = board_text(person.browser)
    assert found["smallest"] >= 11, (width, found)
    assert found["overlaps"] == []
    assert found["cut"] == []
    assert look(person, "return document.documentElement.scrollWidth") <= width
    assert look(person, CUT) == []


UNREADABLE = """
<!doctype html><html lang="en"><title>Signs</title><style>
body{background:#fff;color:#000}.card{background:#222;color:#eee;padding:1em}.moved{position:absolute;top:60em}
</style><main><h1>Signs</h1><p>plain</p><p style="color:#aaa" id="pale">pale</p><div class="card"><p>on a card</p>
<p style="color:#444" id="dark">dark on a card</p><p style="opacity:.2" id="faded">faded</p>
<p style="background:#ffffff80" id="misty">misty</p><label style="color:#333" id="label">Name <input></label></div>
<div style="opacity:.3"><p style="background:#fff;color:#555" id="deep">deep</p></div>
<div class="card" style="height:2em"><p class="moved" id="moved">moved</p><p>in it</p>
<p id="out">out of it, and below</p></div>
<p style="margin-top:4em;color:#8a8a8a;font-size:30px">large</p><p style="color:#aaa">x</p></main></html>
"""


def test_what_cannot_be_read_is_found(browser: Any, tmp_path: Path) -> None:
    """By `violations`, which asks axe only where a simple calculation does not tell."""
    (tmp_path / "signs.html").write_text(UNREADABLE, encoding="utf-8")
    resize(browser, 800)
    browser.get((tmp_path / "signs.html").as_uri())
    (found,) = violations(browser, most=99)
    assert found.startswith("color-contrast: ")
    assert re.findall('id="([a-z]+)"', found) == ["pale", "dark", "faded", "misty", "label", "deep", "moved", "out"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """With a logged game of each kind, to go on from fixed positions."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "logs").mkdir()
    for game in GAME_NAMES:
        shutil.copyfile(GOLDEN / game / f"{game}-4p.jsonl", folder / "logs" / f"{game}.jsonl")
    with ServerProcess(folder / "data", "--logs", str(folder / "logs"), "--requests-per-second", "500") as running:
        yield running


def sit_down(anna: PagePerson, server: ServerProcess, game: str) -> dict[str, Any]:
    """In the middle of a game that was logged, at a decision that is made on the board; always the same."""
    number, command = POSITIONS[game]
    with Client(server.url) as client:
        branch = {"log": game, "number": number}
        table = table_of(create(client, game, 4, seats=[None, *SEATS[1:]], branch=branch))
    anna.mark = ""
    anna.go(f"#table/{table}")
    look(anna, "localStorage.setItem('rails-cli.name', JSON.stringify(arguments[0]))", anna.name)
    anna.click("#seat-list button")
    state = anna.state()
    if command:
        anna.take(command)
        state = anna.state()
    assert state["targets"]
    return state


def off_the_view(person: PagePerson) -> int:
    return int(look(person, OFF_THE_VIEW))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_decision_at_a_glance(game: str, server: ServerProcess, anna: PagePerson) -> None:
    """On a small notebook, all that a decision needs is in sight; text is large enough there, at 200 %, on a phone.

    No serious fault for those who cannot see, or see little, in either theme.
    """
    resize(anna.browser, 1366, 768)
    anna.create(game, SEATS)
    state = anna.state()
    assert look(anna, OUT_OF_SIGHT, "#glance table, #asked .question, #asked .bidding") == []
    under = "return document.querySelector('#asked .help summary').getBoundingClientRect().bottom"
    assert look(anna, under) < look(anna, "return document.querySelector('#ask').getBoundingClientRect().bottom")
    assert look(anna, OUT_OF_THE_QUESTION, "#asked .question, #asked .choices li:first-child .choice") == []
    resize(anna.browser, 360, 740)
    assert look(anna, OUT_OF_SIGHT, "#asked .question, #asked .bidding") == []
    if state["bid"]:
        title, bids = (f"document.querySelector('.auction {what}').getBoundingClientRect()" for what in ("h4", "ol"))
        standing = "document.querySelector('.auction .standing').getBoundingClientRect()"
        assert look(anna, f"return {standing}.bottom <= {bids}.top && {title}.bottom >= {standing}.bottom")
    assert not anna.find("#table-buttons .rare").is_displayed()
    anna.click("#table-more")
    assert anna.find("#table-buttons .rare").is_displayed()
    assert anna.find("#chat-show").is_displayed()
    resize(anna.browser, 1366, 768)
    state = sit_down(anna, server, game)
    look(anna, "scrollTo(0, 0)")
    wanted = "#glance table, #asked .question, #asked .collected, #zoom-in"
    assert look(anna, OUT_OF_SIGHT, wanted) == []
    assert look(anna, OUT_OF_THE_QUESTION, "#asked .question, #asked .collected, #asked .choice") == []
    assert len(state["commands"]) == CHOICES[game]
    prices = [chip.text for chip in anna.all("#asked .tight .choice")]
    assert all("$" in chip for chip in prices), prices
    assert bool(prices) == (game != "last_spike")
    assert not look(anna, COVERS_THE_STORY)
    heads = anna.text("#glance")
    assert all(word in heads for word in ("Cash", "Projected end"))
    assert anna.all("#glance .best"), "nobody is ahead"
    assert anna.all("#gauges meter")
    check_text(anna, 1366, 768)
    assert look(anna, TOO_WIDE) == []
    assert violations(anna.browser) == []
    check_text(anna, 683, 384)
    check_text(anna, 360, 740)
    assert look(anna, TOO_WIDE) == []
    assert look(anna, COVERED) == []
    resize(anna.browser, 360, 740, "dark")
    assert violations(anna.browser) == []
    assert look(anna, f"return {HOLDER}.classList.contains('enlarged')")
    look(anna, "scrollTo(0, 400)")
    assert look(anna, "return document.getElementById('board-frame').getBoundingClientRect().top") >= 0
    anna.browser.refresh()
    anna.wait_for("document.querySelectorAll('.target').length === arguments[0]", len(state["targets"]))
    off = off_the_view(anna)
    assert off <= len(state["targets"]) / 2, "the board does not show what can be chosen"
    assert anna.find("#more-off").is_displayed() == (off > 0)
    if off:
        assert anna.text("#more-off") == f"{off} more off the view"
        anna.click("#more-off")
        anna.wait_for("document.getElementById('more-off').hidden")
        assert off_the_view(anna) == 0
    if game != "last_spike":
        assert not anna.all(".board .id") or not anna.find(".board .id").is_displayed()
        anna.press("i")
        assert anna.find(".board .id").is_displayed()
        anna.press("i")


def test_a_board_is_enlarged_and_moved(server: ServerProcess, anna: PagePerson) -> None:
    """By buttons, keys, wheel, mouse and two fingers; a drag chooses nothing."""
    resize(anna.browser, 1366, 768)
    state = sit_down(anna, server, "american_rails")
    width = "document.querySelector('svg.board').getBoundingClientRect().width"
    whole = look(anna, f"return {width}")
    anna.click("#zoom-in")
    assert look(anna, f"return {width}") > 1.2 * whole
    anna.press("+")
    enlarged = look(anna, f"return {width}")
    assert enlarged > 1.5 * whole
    x, y = look(anna, f"const box = {HOLDER}.getBoundingClientRect(); return [box.x + 300, box.y + 300]")
    scrolled = f"[{HOLDER}.scrollLeft, {HOLDER}.scrollTop]"
    before = look(anna, f"return {scrolled}")

    def mouse(kind: str, x: float, y: float, **more: Any) -> None:
        what = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, **more}
        anna.browser.execute_cdp_cmd("Input.dispatchMouseEvent", what)

    mouse("mousePressed", x, y)
    mouse("mouseMoved", x - 40, y - 30)
    mouse("mouseReleased", x - 40, y - 30)
    assert look(anna, f"return {scrolled}") == [before[0] + 40, before[1] + 30]
    assert len(anna.all("#asked .steps li")) == state["steps"]
    mouse("mouseWheel", x, y, deltaX=0, deltaY=-200, button="none", buttons=0)
    anna.wait_for(f"{width} > 1.1 * arguments[0]", enlarged)
    wheeled = look(anna, f"return {width}")
    for kind, apart in (("touchStart", 50), ("touchMove", 60), ("touchMove", 100)):
        fingers = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        anna.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    anna.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    anna.wait_for(f"{width} > 1.5 * arguments[0]", wheeled)
    anna.press("z")
    anna.wait_for(f"Math.abs({width} - arguments[0]) < 2", whole)


# What is not sent


def test_steps_that_are_not_sent_look_so(server: ServerProcess, anna: PagePerson) -> None:
    """They survive that the page is loaded again, and are taken off the board while the seat is played elsewhere."""
    table = anna.create("chicago_express", SEATS)
    anna.to_first_turn()
    anna.collect_a_build()
    before = len(server.lines(table))
    pieces = "document.querySelectorAll('.layer-pieces .piece').length"
    standing = look(anna, f"return {pieces}")
    assert len(anna.all(".layer-pieces .piece.unsent")) == 1
    assert anna.find("#unsent").is_displayed()
    anna.browser.refresh()
    anna.wait_for("document.querySelectorAll('#asked .steps li').length === 2")
    assert len(anna.all(".layer-pieces .piece.unsent")) == 1
    token = look(anna, "return JSON.parse(localStorage.getItem('rails-cli.seats'))[arguments[0]].token", table)
    with Client(server.url) as elsewhere:
        elsewhere.asked(type="resume", token=token)
        anna.wait_for_text("#state", "played from elsewhere")
        assert look(anna, f"return {pieces}") == standing - 1
        assert anna.all(".unsent") == []
        assert not anna.find("#unsent").is_displayed()
        assert anna.all("#asked .steps") == []
        anna.click("#state button")
        anna.wait_for("document.getElementById('state').className === 'open'")
        anna.wait_for("document.querySelectorAll('#asked .steps li').length === 2")
    assert len(server.lines(table)) == before
    anna.browser.execute_script("document.activeElement.blur()")
    anna.press("d")
    anna.mark = ""
    anna.state()
    mine = [line["action"]["type"] for line in server.lines(table)[before:] if line.get("seat") == 0]
    assert mine[:3] == ["choose", "build", "pass"]
    anna.browser.refresh()
    anna.mark = ""
    anna.state()
    assert anna.all("#asked .steps") == [], "what was sent comes again"


def test_a_bid_is_what_is_typed(anna: PagePerson) -> None:
    anna.create("chicago_express", SEATS)
    assert anna.state()["bid"]
    field = anna.find("#asked .bid")
    assert field.get_attribute("value") == "7"
    field.click()
    field.send_keys("9")
    assert field.get_attribute("value") == "9"
    assert anna.text("#asked .bidding .primary") == "Bid $9"
    field.send_keys("9")
    assert anna.text("#asked .bidding .primary") == "Bid"
    field.send_keys(Keys.ENTER)
    anna.wait_for_text("#notice", "Bids are $7 to $30")
    assert anna.all("#asked .confirm") == []
