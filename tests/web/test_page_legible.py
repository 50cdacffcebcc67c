"""The server's page can be read: sizes of text, what covers what, what is in sight, and a board that is moved."""

import re
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games import GAME_NAMES
from tests.support.browser import CONTRAST, board_text, open_page, resize, settle, violations
from tests.support.page_person import Keys, PagePerson
from tests.support.ws_client import Client, ServerProcess

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
    settle(person.browser)
    found = board_text(person.browser)
    assert found["smallest"] >= 11, (width, found)
    assert found["overlaps"] == []
    assert found["cut"] == []
    assert look(person, "return document.documentElement.scrollWidth") <= width
    assert look(person, CUT) == []


UNREADABLE = """
<!doctype html><html lang="en" data-ready><title>Signs</title><style>
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
    open_page(browser, (tmp_path / "signs.html").as_uri())
    (found,) = violations(browser, most=99)
    assert found.startswith("color-contrast: ")
    assert re.findall('id="([a-z]+)"', found) == ["pale", "dark", "faded", "misty", "label", "deep", "moved", "out"]


def sit_down(anna: PagePerson, server: ServerProcess, game: str) -> dict[str, Any]:
    """Continue a logged game at a decision that is made on the board; always the same."""
    number, command = POSITIONS[game]
    anna.continue_logged(server, game, number, game, *SEATS[1:])
    state = anna.state()
    if command:
        anna.take(command)
        state = anna.state()
    assert state["targets"]
    return state


def off_the_view(person: PagePerson) -> int:
    return int(look(person, OFF_THE_VIEW))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_decision_at_a_glance(game: str, games_server: ServerProcess, guest: PagePerson) -> None:
    """On a small notebook, all that a decision needs is in sight; text is large enough there, at 200 %, on a phone.

    axe-core finds nothing. The page is the same for all games: each window is judged by all rules in one game, and
    colours are judged in all games and both themes.
    """
    resize(guest.browser, 1366, 768)
    guest.create(game, SEATS)
    state = guest.state()
    assert look(guest, OUT_OF_SIGHT, "#glance table, #asked .question, #asked .bidding") == []
    under = "return document.querySelector('#asked .help summary').getBoundingClientRect().bottom"
    assert look(guest, under) < look(guest, "return document.querySelector('#ask').getBoundingClientRect().bottom")
    assert look(guest, OUT_OF_THE_QUESTION, "#asked .question, #asked .choices li:first-child .choice") == []
    resize(guest.browser, 360, 740)
    assert look(guest, OUT_OF_SIGHT, "#asked .question, #asked .bidding") == []
    if state["bid"]:
        title, bids = (f"document.querySelector('.auction {what}').getBoundingClientRect()" for what in ("h4", "ol"))
        standing = "document.querySelector('.auction .standing').getBoundingClientRect()"
        assert look(guest, f"return {standing}.bottom <= {bids}.top && {title}.bottom >= {standing}.bottom")
    assert not guest.find("#table-buttons .rare").is_displayed()
    guest.click("#table-more")
    assert guest.find("#table-buttons .rare").is_displayed()
    assert guest.find("#chat-show").is_displayed()
    resize(guest.browser, 360, 740, "dark")
    state = sit_down(guest, games_server, game)
    settle(guest.browser)
    off = off_the_view(guest)
    assert off <= len(state["targets"]) / 2, "the board does not show what can be chosen"
    assert guest.find("#more-off").is_displayed() == (off > 0)
    assert not off or guest.text("#more-off") == f"{off} more off the view"
    assert look(guest, f"return {HOLDER}.classList.contains('enlarged')")
    assert look(guest, TOO_WIDE) == []
    assert look(guest, COVERED) == []
    assert violations(guest.browser, () if game == "last_spike" else CONTRAST) == []
    look(guest, "scrollTo(0, 400)")
    assert look(guest, "return document.getElementById('board-frame').getBoundingClientRect().top") >= 0
    check_text(guest, 360, 740)
    check_text(guest, 683, 384)
    check_text(guest, 1366, 768)
    look(guest, "scrollTo(0, 0)")
    wanted = "#glance table, #asked .question, #asked .collected, #zoom-in"
    assert look(guest, OUT_OF_SIGHT, wanted) == []
    assert look(guest, OUT_OF_THE_QUESTION, "#asked .question, #asked .collected, #asked .choice") == []
    assert len(state["commands"]) == CHOICES[game]
    prices = guest.texts("#asked .tight .choice")
    assert all("$" in chip for chip in prices), prices
    assert bool(prices) == (game != "last_spike")
    assert not look(guest, COVERS_THE_STORY)
    heads = guest.text("#glance")
    assert all(word in heads for word in ("Cash", "Projected end"))
    assert guest.count("#glance .best"), "nobody is ahead"
    assert guest.count("#gauges meter")
    assert look(guest, TOO_WIDE) == []
    assert violations(guest.browser, () if game == "american_rails" else CONTRAST) == []
    if game != "last_spike":
        ids = guest.find(".board .id")
        assert not ids.is_displayed()
        guest.press("i")
        assert ids.is_displayed()
        guest.press("i")
    if off:
        resize(guest.browser, 360, 740)
        guest.wait_for("!document.getElementById('more-off').hidden")
        guest.click("#more-off")
        guest.wait_for("document.getElementById('more-off').hidden")
        assert off_the_view(guest) == 0


def test_a_board_is_enlarged_and_moved(games_server: ServerProcess, guest: PagePerson) -> None:
    """By buttons, keys, wheel, mouse and two fingers; a drag chooses nothing."""
    resize(guest.browser, 1366, 768)
    state = sit_down(guest, games_server, "american_rails")
    width = "document.querySelector('svg.board').getBoundingClientRect().width"
    whole = look(guest, f"return {width}")
    guest.click("#zoom-in")
    assert look(guest, f"return {width}") > 1.2 * whole
    guest.press("+")
    enlarged = look(guest, f"return {width}")
    assert enlarged > 1.5 * whole
    x, y = look(guest, f"const box = {HOLDER}.getBoundingClientRect(); return [box.x + 300, box.y + 300]")
    scrolled = f"[{HOLDER}.scrollLeft, {HOLDER}.scrollTop]"
    before = look(guest, f"return {scrolled}")

    def mouse(kind: str, x: float, y: float, **more: Any) -> None:
        what = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, **more}
        guest.browser.execute_cdp_cmd("Input.dispatchMouseEvent", what)

    mouse("mousePressed", x, y)
    mouse("mouseMoved", x - 40, y - 30)
    mouse("mouseReleased", x - 40, y - 30)
    assert look(guest, f"return {scrolled}") == [before[0] + 40, before[1] + 30]
    assert len(guest.all("#asked .steps li")) == state["steps"]
    mouse("mouseWheel", x, y, deltaX=0, deltaY=-200, button="none", buttons=0)
    guest.wait_for(f"{width} > 1.1 * arguments[0]", enlarged)
    wheeled = look(guest, f"return {width}")
    for kind, apart in (("touchStart", 50), ("touchMove", 60), ("touchMove", 100)):
        fingers = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        guest.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    guest.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    guest.wait_for(f"{width} > 1.5 * arguments[0]", wheeled)
    guest.press("z")
    guest.wait_for(f"Math.abs({width} - arguments[0]) < 2", whole)


# What is not sent


def test_steps_that_are_not_sent_look_so(games_server: ServerProcess, guest: PagePerson) -> None:
    """They survive that the page is loaded again, and are taken off the board while the seat is played elsewhere."""
    table = guest.continue_logged(games_server, "chicago_express", 69, "chicago_express", *SEATS[1:])
    guest.state()
    guest.collect_a_build()
    before = len(games_server.lines(table))
    pieces = "document.querySelectorAll('.layer-pieces .piece').length"
    standing = look(guest, f"return {pieces}")
    assert guest.count(".layer-pieces .piece.unsent") == 1
    assert guest.find("#unsent").is_displayed()
    guest.reload()
    guest.wait_for_count("#asked .steps li", 2)
    assert len(guest.all(".layer-pieces .piece.unsent")) == 1
    token = look(guest, "return JSON.parse(localStorage.getItem('rails-cli.seats'))[arguments[0]].token", table)
    with Client(games_server.url) as elsewhere:
        elsewhere.asked(type="resume", token=token)
        guest.wait_for_text("#state", "played from elsewhere")
        assert look(guest, f"return {pieces}") == standing - 1
        assert guest.all(".unsent") == []
        assert not guest.find("#unsent").is_displayed()
        assert guest.all("#asked .steps") == []
        guest.click("#state button")
        guest.wait_for_count("#asked .steps li", 2)
    assert len(games_server.lines(table)) == before
    guest.browser.execute_script("document.activeElement.blur()")
    guest.press("d")
    guest.mark = ""
    guest.state()
    mine = [line["action"]["type"] for line in games_server.lines(table)[before:] if line.get("seat") == 0]
    assert mine[:3] == ["choose", "build", "pass"]
    guest.reload()
    guest.state()
    assert guest.all("#asked .steps") == [], "what was sent comes again"


def test_a_bid_is_what_is_typed(guest: PagePerson) -> None:
    guest.create("chicago_express", SEATS)
    assert guest.state()["bid"]
    field = guest.find("#asked .bid")
    assert field.get_attribute("value") == "7"
    field.click()
    field.send_keys("9")
    assert field.get_attribute("value") == "9"
    assert guest.text("#asked .bidding .primary") == "Bid $9"
    field.send_keys("9")
    assert guest.text("#asked .bidding .primary") == "Bid"
    field.send_keys(Keys.ENTER)
    guest.wait_for_text("#notice", "Bids are $7 to $30")
    assert guest.all("#asked .confirm") == []
