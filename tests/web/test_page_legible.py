"""Tests of the readability of the server's page: text sizes, overlaps, visible elements, contrast, and zoom."""

import re
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games import game_names
from tests.support.browser import CONTROLS, LEGIBLE_PX, board_text, open_page, resize, violations, wait_for_two_frames
from tests.support.fetching import replayed
from tests.support.page_person import STORY_AT_END, Keys, PagePerson
from tests.support.waiting import wait_until
from tests.support.ws_client import Client, ServerProcess

SEATS = ["you", "builtin:greedy", "builtin:greedy", "builtin:greedy"]
POSITIONS = {"chicago_express": (69, "choose expand"), "american_rails": (68, "choose expand4"), "last_spike": (24, "")}
"""For each game, a number and a command that lead to a position in which the player decides on the board.

All actions of the logged game before the action with this number are kept. Then the choice with this command is made.
"""
ANSWERS = {"chicago_express": 4, "american_rails": 8, "last_spike": 2}
"""For each game, the number of answers that the page lists on a small notebook in the position of `POSITIONS`.

All other answers are offered on the board only.
"""
OFFERED_PAINTS = {"chicago_express": ["green"], "american_rails": ["red", "blue"]}
"""By game, the colours of the companies that can build after the choice in `POSITIONS`."""
CLICK_HINT = "document.querySelector('#asked .hint').click(); return document.querySelector('#asked .hint').textContent"
DEED_LETTERS = "return [...document.querySelectorAll('.board .deed-letter')].map((one) => one.textContent)"
WASHES_BELOW_THE_TRACK = """
return [...document.querySelectorAll('.washes .wash')].filter((wash) =>
  wash.compareDocumentPosition(document.querySelector('.layer-rails')) & Node.DOCUMENT_POSITION_FOLLOWING).length
"""
PRICES_ON_THE_BOARD = "return [...document.querySelectorAll('.target .price-now')].map((one) => one.textContent)"
OUTLINE_COLOURS = """
const outlines = [...document.querySelectorAll('.target .outline')];
return [...new Set(outlines.map((one) => getComputedStyle(one).stroke))].sort();
"""
# Number of shares that each player holds, by seat: the squares of companies, and what the strip of players shows.
OWNERS_OF_SHARES = """
return [...document.querySelectorAll('.seat')].map((_, seat) =>
  document.querySelectorAll(`#position .squares .paint-seat-${seat}`).length)
"""
HELD_SHARES = """
const count = (share) => Number(share.lastChild.data?.slice(1) || 1);
return [...document.querySelectorAll('.seat')].map((seat) =>
  [...seat.querySelectorAll('.share')].reduce((sum, share) => sum + count(share), 0))
"""
COMPANY_COLOURS = """
const probe = document.createElement('span');
document.body.append(probe);
const found = arguments[0].map((paint) => {
  probe.style.color = `var(--line-${paint})`;
  return getComputedStyle(probe).color;
});
probe.remove();
return found.sort();
"""
FILLS_THE_FRAME = """
(() => {
  const [board, frame] = [document.querySelector('svg.board'), document.getElementById('board-holder')]
    .map((one) => one.getBoundingClientRect());
  return Math.abs(board.width / frame.width - 1) < 0.05 && Math.abs(board.height / frame.height - 1) < 0.05;
})()
"""
SEEN_MIDDLE = """
(() => {
  const { x, y, width, height } = document.querySelector('#minimap .seen').getBBox();
  const whole = document.querySelector('#minimap svg').viewBox.baseVal;
  return Math.hypot((x + width / 2) / whole.width - 0.5, (y + height / 2) / whole.height - 0.5) < 0.03;
})()
"""
# Point at each place that can be chosen. Return the places that the text about one of them covers.
COVERED_BY_HOVER = """
return [...document.querySelectorAll('.target')].flatMap((target) => {
  target.dispatchEvent(new PointerEvent('pointerenter'));
  const text = document.getElementById('hover').getBoundingClientRect();
  target.dispatchEvent(new PointerEvent('pointerleave'));
  return [...document.querySelectorAll('.target')].filter((other) => {
    const { left, right, top, bottom } = other.querySelector('.outline').getBoundingClientRect();
    return left < text.right && text.left < right && top < text.bottom && text.top < bottom;
  }).map((other) => other.dataset.target);
});
"""
HOLDER = "document.getElementById('board-holder')"
OUT_OF_SIGHT = """
return [...document.querySelectorAll(arguments[0])].filter((node) => {
  const { top, bottom, left, right } = node.getBoundingClientRect();
  return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth;
}).map((node) => node.innerText);
"""
IS_UNCOVERED = """
((what) => {
  const node = document.querySelector(what);
  const { x, y, width, height } = node.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) === node;
})(arguments[0])
"""
# Read the next text of a lesson, if there is one. Return the action that the lesson asks for once it is shown.
READ_ON = """
(document.querySelector('#asked .lesson-next')?.click(), document.querySelector('#asked .task'))
"""
CUT = """
return [...document.querySelectorAll('.choice, .choice span, .pane td, .pane th, #seat-list b, .question')]
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== 'inline')
  .map((node) => node.innerText);
"""
TOO_WIDE = """
return [...document.querySelectorAll('.table')].filter((node) => node.scrollWidth > node.clientWidth)
  .map((node) => node.innerText);
"""
TOO_LONG = """
return [...document.querySelectorAll('#seat-list li')].filter((node) => {
  const [seat, list] = [node, node.parentElement].map((one) => one.getBoundingClientRect());
  return node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight || seat.bottom > list.bottom;
}).map((node) => node.innerText);
"""
BOXES = """
return ['board-frame', 'ask', 'seats'].map((id) => document.getElementById(id).getBoundingClientRect().toJSON());
"""
OUT_OF_THE_QUESTION = """
const ask = document.getElementById('ask').getBoundingClientRect();
const buttons = document.querySelector('#asked .acting');
return [...document.querySelectorAll(arguments[0])].filter((node) => {
  const { top, bottom } = node.getBoundingClientRect();
  const end = buttons.contains(node) ? ask.bottom : Math.min(ask.bottom, buttons.getBoundingClientRect().top);
  return top < ask.top || bottom > end;
}).map((node) => node.innerText);
"""
EXPLAINED = """
const piece = document.querySelectorAll('#asked .barred')[arguments[0]];
const { right } = piece.getBoundingClientRect();
piece.click();
return [document.querySelector('#asked .advice').innerText, piece.title, right];
"""
SCROLLS = "return document.documentElement.scrollHeight > innerHeight"
OFF_THE_VIEW = """
const frame = document.getElementById('board-holder').getBoundingClientRect();
return [...document.querySelectorAll('.target .outline')].map((node) => node.getBoundingClientRect()).filter((box) => {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x < frame.left || x > frame.right || y < frame.top || y > frame.bottom;
}).length;
"""
SMALLEST_TARGET = """
const boxes = [...document.querySelectorAll('.target .outline')].map((node) => node.getBoundingClientRect());
return Math.min(...boxes.map(({ width, height }) => Math.min(width, height)));
"""
COVERED = """
const frame = document.getElementById('board-holder').getBoundingClientRect();
return [...document.querySelectorAll('#board-frame button')].filter((node) => {
  const box = node.getBoundingClientRect();
  return box.width && box.top < frame.bottom && box.bottom > frame.top;
}).map((node) => node.id);
"""

# Tabs that the button "Since my turn" covers while the story has many new lines.
TABS_COVERED = """
const again = document.getElementById('play-again');
const count = document.getElementById('story-new');
const before = [again.hidden, count.textContent];
[again.hidden, count.textContent] = [false, ' 28'];
const { left } = again.getBoundingClientRect();
const covered = [...document.querySelectorAll('#tabs button')].filter((tab) => {
  const text = document.createRange();
  text.selectNodeContents(tab);
  return text.getBoundingClientRect().right > left;
}).map((tab) => tab.id);
[again.hidden, count.textContent] = before;
return covered;
"""
MORE_OFF_COVERS_GAUGES = """
const [one, other] = ["more-off", "gauges"].map((id) => document.getElementById(id).getBoundingClientRect());
return one.top < other.bottom && other.top < one.bottom && one.left < other.right && other.left < one.right;
"""
NOTICE_COVERS_GAUGES = """
const [gauges, notice] = ["gauges", "notice"].map((id) => document.getElementById(id));
const [one, other] = [gauges, notice].map((node) => node.getBoundingClientRect());
return gauges.checkVisibility({ visibilityProperty: true }) && one.left < other.right && other.left < one.right &&
  one.top < other.bottom && other.top < one.bottom;
"""
NOTICE_ABOVE_PLAYERS = """
const [notice, seats] = ["notice", "seats"].map((id) => document.getElementById(id).getBoundingClientRect());
return notice.height > 0 && notice.bottom <= seats.top;
"""


WIDER_THAN_ITS_FRAME = """
const { scrollWidth, clientWidth } = document.getElementById('board-holder');
return scrollWidth > arguments[0] * clientWidth;
"""


def run_script(person: PagePerson, script: str, *arguments: Any) -> Any:
    return person.browser.execute_script(script, *arguments)


def check_text_at(person: PagePerson, width: int, height: int) -> None:
    resize(person.browser, width, height)
    person.wait_for("innerWidth === arguments[0]", width)
    check_text(person, width)


def check_text(person: PagePerson, width: int) -> None:
    """Check that all texts of a page of `width` pixels are large enough, do not overlap, and are not cut off."""
    wait_for_two_frames(person.browser)
    found = board_text(person.browser)
    assert found["smallest"] >= LEGIBLE_PX, (width, found)
    assert found["letters"] >= 10.95, (width, found)
    assert found["overlaps"] == []
    assert found["cut"] == []
    assert run_script(person, "return document.documentElement.scrollWidth") <= width
    assert run_script(person, CUT) == []


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


def test_violations_finds_text_with_low_contrast(browser: Any, tmp_path: Path) -> None:
    """The function `violations` finds text with low contrast.

    It computes the contrast itself. It runs the library axe-core only on text for which its own result is inconclusive.
    """
    (tmp_path / "signs.html").write_text(UNREADABLE, encoding="utf-8")
    resize(browser, 800)
    open_page(browser, (tmp_path / "signs.html").as_uri())
    (found,) = violations(browser, most=99)
    assert found.startswith("color-contrast: ")
    assert re.findall('id="([a-z]+)"', found) == ["pale", "dark", "faded", "misty", "label", "deep", "moved", "out"]


def sit_down(anna: PagePerson, server: ServerProcess, game: str) -> dict[str, Any]:
    """Continue a logged game up to a decision that is made on the board. Return the state of the page."""
    number, command = POSITIONS[game]
    anna.continue_logged(server, game, number, game, *SEATS[1:])
    state = anna.state()
    if command:
        anna.take(command)
        state = anna.state()
    assert state["targets"]
    return state


def count_choices_off_the_view(person: PagePerson) -> int:
    return int(run_script(person, OFF_THE_VIEW))


@pytest.mark.parametrize("game", ["chicago_express", "last_spike"])
def test_the_first_decision_of_a_game_is_visible(game: str, guest: PagePerson) -> None:
    """The question of the first decision is visible on a small notebook, a tablet and a phone.

    An error message moves nothing, in one game on the notebook and in the other on the phone. Rarely used buttons are
    hidden on these sizes. No button covers the question, the amount of a bid, or the task of a lesson.
    """
    resize(guest.browser, 1366, 768)
    guest.name = "Bartholomew Featherstone"
    guest.create(game, SEATS)
    state = guest.state()
    assert guest.count(".choice .tile use") == (len(state["commands"]) if game == "last_spike" else 0)
    assert run_script(guest, TOO_LONG) == []
    wanted = "#seat-list .cash, #position .table:first-child thead, #asked .question, #asked .bidding"
    if game == "last_spike":
        wanted = "#seat-list .cash, #log li:last-child, #asked .question, #goal-words"
        assert re.fullmatch(r"\d+ pieces short", guest.text("#goal-state"))
    assert run_script(guest, OUT_OF_SIGHT, wanted) == []
    below = "return document.querySelector('{}').getBoundingClientRect().bottom"
    assert run_script(guest, below.format("#asked .help summary")) < run_script(guest, below.format("#ask"))
    assert run_script(guest, OUT_OF_THE_QUESTION, "#asked .question, #asked .choices li:first-child .choice") == []
    if state["bid"]:
        check_message(guest)
        for width, height in ((683, 384), (800, 900)):
            resize(guest.browser, width, height)
            guest.wait_for(IS_UNCOVERED, "#asked .question")
        guest.wait_for(IS_UNCOVERED, "#asked .bid")
    resize(guest.browser, 360, 740)
    guest.wait_for(IS_UNCOVERED, "#asked .question")
    assert run_script(guest, TOO_LONG) == []
    assert guest.is_visible("#seat-list .self"), "no seat is marked as one's own"
    assert run_script(guest, OUT_OF_SIGHT, "#asked .question, #asked .amounts, #asked .acting .fields") == []
    if state["bid"]:
        title, bids = (f"document.querySelector('.auction {what}').getBoundingClientRect()" for what in ("h4", "ol"))
        standing = "document.querySelector('.auction .standing').getBoundingClientRect()"
        assert run_script(guest, f"return {standing}.bottom <= {bids}.top && {title}.bottom >= {standing}.bottom")
    else:
        check_message(guest)
        guest.wait_for("document.querySelector('#board-holder.enlarged')")
        assert run_script(guest, SMALLEST_TARGET) >= 20
        pieces = re.search(r"(\d) pieces", run_script(guest, "return document.getElementById('seat-list').textContent"))
        assert pieces is not None
        barred = int(pieces[1]) - len(state["commands"])
        assert guest.count("#asked .barred") == barred, "pieces that cannot be laid now are shown"
        for number in range(barred):
            shown, reason, right = run_script(guest, EXPLAINED, number)
            assert (shown, right <= 360) == (reason, True)
        guest.click("#zoom")
        assert guest.all("#board-holder.enlarged") == []
    assert not guest.is_visible("#table-rare")
    guest.click("#more")
    assert guest.texts("#table-rare button") == ["Give up the seat"], "nothing can be taken back before the first move"
    if state["bid"]:
        guest.go(f"#learn/{game}")
        guest.wait_for(IS_UNCOVERED, "#asked .lesson-next")
        guest.wait_for(READ_ON)
        resize(guest.browser, 1366, 768)
        wait_for_two_frames(guest.browser)
        assert run_script(guest, OUT_OF_THE_QUESTION, "#asked .question, #asked .bidding .primary") == []
        resize(guest.browser, 360, 740)
        wait_for_two_frames(guest.browser)
        guest.wait_for(IS_UNCOVERED, "#asked .question")
        guest.wait_for(IS_UNCOVERED, "#asked .lesson-skip")
        guest.take("pass")
        guest.wait_for_text("#asked .refusal", "“Pass” is allowed too")


def check_message(guest: PagePerson) -> None:
    """Send an answer to a question that is not open. Check that an error message appears above the list of players.

    No element moves when the message appears. The message stays until it is closed.
    """
    if guest.count("#asked .bidding"):
        guest.wait_for("document.querySelector('.bidding .preview').innerText")  # the server sends it later
    before = run_script(guest, BOXES)
    wait_for_two_frames(guest.browser)
    while (after := run_script(guest, BOXES)) != before:  # the page is still being laid out
        before = after
        wait_for_two_frames(guest.browser)
    run_script(guest, "window.socket.send(JSON.stringify({ type: 'action', number: 99, action: { type: 'pass' } }))")
    guest.wait_for_text("#notice", "That question has already been answered.")
    assert run_script(guest, BOXES) == before
    assert run_script(guest, NOTICE_ABOVE_PLAYERS)
    assert not run_script(guest, NOTICE_COVERS_GAUGES)
    guest.click("#notice .close")
    guest.wait_for("document.getElementById('notice').innerText === ''")


@pytest.mark.parametrize("game", game_names())
def test_everything_a_decision_needs_is_visible_and_readable(
    game: str, games_server: ServerProcess, guest: PagePerson
) -> None:
    """Everything that a player needs for a decision is visible and readable at three sizes of the window.

    These are the sizes of a phone, of a small notebook, and of the notebook with 200% zoom. axe-core checks one game
    in both themes, and the controls of the other games in the light theme. Replays show their colours in both themes.
    """
    resize(guest.browser, 360, 740, "dark")
    state = sit_down(guest, games_server, game)
    wait_for_two_frames(guest.browser)
    off = count_choices_off_the_view(guest)
    assert off <= len(state["targets"]) / 2, "too many choices are outside the visible part of the board"
    assert guest.is_visible("#more-off") == (off > 0)
    assert off or not guest.is_visible("#minimap")
    assert not off or guest.text("#more-off") == f"{off} out of view"
    assert run_script(guest, f"return {HOLDER}.classList.contains('enlarged')")
    assert run_script(guest, TOO_WIDE) == []
    assert run_script(guest, COVERED) == []
    assert game != "last_spike" or violations(guest.browser) == []
    assert not run_script(guest, SCROLLS)
    check_phone_tabs(guest)
    marks = guest.texts("#seat-list .face")
    assert all(
        name.casefold().startswith(mark.casefold()) for name, mark in zip(guest.texts(".seat b"), marks, strict=True)
    )
    assert {*run_script(guest, DEED_LETTERS)} <= {*marks}, "owners are named as in the strip of players"
    check_text(guest, 360)
    check_text_at(guest, 683, 384)
    assert run_script(guest, OUT_OF_SIGHT, "#asked .question") == []
    if game == "last_spike":
        resize(guest.browser, 1100, 900)
        guest.wait_for(FILLS_THE_FRAME)
    check_text_at(guest, 1366, 768)
    assert run_script(guest, TABS_COVERED) == []
    assert run_script(guest, COVERED_BY_HOVER) == []
    assert not run_script(guest, SCROLLS)
    wanted = "#seat-list .cash, #asked .question, #asked .collected, #zoom-in"
    assert run_script(guest, OUT_OF_SIGHT, wanted) == []
    assert run_script(guest, OUT_OF_THE_QUESTION, "#asked .question, #asked .collected, #asked .choice") == []
    assert guest.count("#asked .choices .choice") == ANSWERS[game]
    prices = guest.texts("#asked .pairs .choice")
    assert all("$" in chip for chip in prices), prices
    assert bool(prices) == (game != "last_spike")
    guest.click("#tab-players")
    heads = run_script(guest, "return document.getElementById('glance').textContent")
    assert all(word in heads for word in ("Cash", "Estimated end"))
    assert guest.count("#glance .best"), "no leading player is marked"
    assert guest.count("#gauges meter")
    assert guest.is_visible("#gauges")
    assert run_script(guest, TOO_WIDE) == []
    assert violations(guest.browser, () if game == "last_spike" else CONTROLS) == []
    if game != "last_spike":
        prices = run_script(guest, PRICES_ON_THE_BOARD)
        assert len(prices) == run_script(guest, WASHES_BELOW_THE_TRACK) == len(state["targets"])
        assert all(re.fullmatch(r"[$]\d+", price) for price in prices)
        dividends = guest.texts("#seat-list .cash small")
        assert dividends
        assert all(re.fullmatch(r"next \+\$\d+", text) for text in dividends)
        assert run_script(guest, OWNERS_OF_SHARES) == run_script(guest, HELD_SHARES)
        assert run_script(guest, OUTLINE_COLOURS) == run_script(guest, COMPANY_COLOURS, OFFERED_PAINTS[game])
        details = [guest.find(".board .id"), guest.find(".board .cost.on-demand")]
        assert not any(detail.is_displayed() for detail in details)
        guest.press("i")
        assert all(detail.is_displayed() for detail in details)
        guest.press("i")
    for width, height, times in ((1024, 768, 1.25), (768, 1024, 1)):
        check_text_at(guest, width, height)
        assert run_script(guest, WIDER_THAN_ITS_FRAME, times) is False
        whole = "#asked .question, #asked .collected" + (", #asked .choice" if width > height else "")
        assert run_script(guest, OUT_OF_THE_QUESTION, whole) == []
        assert run_script(guest, OUT_OF_SIGHT, f"{whole}, #asked .primary") == []
    if game == "last_spike":
        guest.wait_for(f"!{HOLDER}.classList.contains('enlarged')")  # the whole board is visible
    if off:
        resize(guest.browser, 360, 740)
        guest.click("#tab-move")
        guest.wait_for("!document.getElementById('more-off').hidden")
        check_minimap(guest)
        assert not run_script(guest, MORE_OFF_COVERS_GAUGES)
        guest.click("#more-off")
        guest.wait_for("document.getElementById('more-off').hidden")
        assert count_choices_off_the_view(guest) == 0
        smallest = board_text(guest.browser)["smallest"]
        assert smallest is None or smallest >= LEGIBLE_PX, "a text is neither legible nor hidden"


def test_as_many_answers_are_listed_as_fit_and_a_button_lists_all(
    games_server: ServerProcess, guest: PagePerson
) -> None:
    """The page lists as many answers as fit. A button lists all, and then the short list again.

    A company of American Rails can start in 39 cities. The board offers all of them. With a hint, fewer answers are
    listed, but the suggested answer stays. The buttons below cover no listed answer. Builds that bring no income leave
    the list first.
    """
    resize(guest.browser, 1440, 900)
    guest.continue_logged(games_server, "american_rails", 12, "american_rails", *SEATS[1:])
    assert len(guest.state()["targets"]) == 39
    for width, height in ((390, 844), (800, 1000), (1366, 768)):
        resize(guest.browser, width, height)
        guest.wait_for("document.querySelector('#asked:not(.long) .choices')")
        wait_until(lambda: run_script(guest, OUT_OF_THE_QUESTION, "#asked .choices .choice") == [], "a list that fits")
        assert run_script(guest, OUT_OF_SIGHT, "#asked .choices .choice, #asked .primary") == []
        assert 2 < guest.count("#asked .choices .choice") < 30
    guest.click("#asked .unfold")
    guest.wait_for_count("#asked .choices .choice", 39)
    assert guest.text("#asked .unfold") == "List fewer choices"
    guest.click("#asked .unfold")
    guest.wait_for_text("#asked .unfold", "List all 39 choices")
    assert guest.count("#asked .choices .choice") < 30
    resize(guest.browser, 1440, 900)
    guest.continue_logged(games_server, "chicago_express", 146, "chicago_express", *SEATS[1:])
    assert guest.state()["words"] == "Your turn: auction, expand or develop?"
    assert guest.text("#ask-title").lower() == "your move · auction 0/3 expand 0/5 develop 0/4"
    guest.take("choose expand")
    guest.wait_for_text("#asked .unfold", "List all 38 choices")
    bring_income = ["income" in answer for answer in guest.texts("#asked .choices .choice")]
    assert any(bring_income)
    assert bring_income == sorted(bring_income, reverse=True)
    assert run_script(guest, CLICK_HINT) == "Thinking …"
    guest.wait_for_text("#asked .advice", "A strong player suggests: ")
    guest.wait_for_count("#asked .choices .star", 1)
    assert run_script(guest, OUT_OF_THE_QUESTION, "#asked .question, #asked .choices .choice") == []
    assert run_script(guest, "return getComputedStyle(document.querySelector('.above .id')).paintOrder") == "stroke"


def test_further_choices_are_listed_below_collected_steps(games_server: ServerProcess, guest: PagePerson) -> None:
    """After a step, the page lists further choices, also those that only cost money. A hint covers none of them.

    On a notebook, the table of companies keeps its room while no hint is shown.
    """
    resize(guest.browser, 1366, 768)
    guest.continue_logged(games_server, "american_rails", 196, "american_rails", *SEATS[1:])
    guest.state()
    guest.take("choose expand4")
    guest.state()
    guest.take("build Republic C01")
    guest.wait_for_count("#asked .steps li", 2)
    wanted = "#asked .question, #asked .collected, #asked .choices .choice"
    for width, height, least in ((1366, 768, 4), (768, 1024, 4), (390, 844, 2)):
        resize(guest.browser, width, height)
        guest.wait_for("document.querySelectorAll('#asked .choices .choice').length >= arguments[0]", least)
        wait_until(lambda: run_script(guest, OUT_OF_THE_QUESTION, wanted) == [], "a list that fits")
        assert run_script(guest, OUT_OF_SIGHT, f"{wanted}, #asked .primary") == []
        assert width < 900 or run_script(guest, OUT_OF_SIGHT, "#position .table:first-child tr") == []
    guest.click("#asked .hint")
    guest.wait_for_text("#asked .advice", "A strong player suggests: ")
    for width, height in ((390, 844), (1366, 768)):
        resize(guest.browser, width, height)
        wait_until(lambda: run_script(guest, OUT_OF_THE_QUESTION, wanted) == [], "a list that fits")
        assert run_script(guest, OUT_OF_SIGHT, f"{wanted}, #asked .primary") == []
        assert guest.count("#asked .choices .star") == 1
    guest.continue_logged(games_server, "chicago_express", 146, "chicago_express", *SEATS[1:])
    guest.state()
    guest.take("choose expand")
    guest.pick(guest.state()["targets"][0])
    guest.wait_for_count("#asked .steps li", 2)
    guest.click("#asked .hint")
    guest.wait_for_text("#asked .advice", "A strong player suggests: ")
    wait_until(lambda: run_script(guest, OUT_OF_THE_QUESTION, wanted) == [], "a list that fits")
    assert guest.count("#asked .choices .star") == 1


# Distances in pixels between the middle of each seat's text and the middle of its square.
OFF_THE_MIDDLE = """
return [...document.querySelectorAll('#seat-list .face')].map((face) => {
  const number = document.createRange();
  number.selectNodeContents(face);
  const [one, other] = [number, face].map((part) => part.getBoundingClientRect());
  return Math.abs(one.top + one.bottom - other.top - other.bottom) / 2;
});
"""


def test_the_seats_of_a_waiting_table_are_drawn_alike_at_all_widths(guest: PagePerson) -> None:
    """The text of a seat is in the middle of its square, also on a phone."""
    guest.create("last_spike", ["you", "", "builtin:random"])
    for width in (1366, 768, 390):
        resize(guest.browser, width)
        wait_for_two_frames(guest.browser)
        assert max(run_script(guest, OFF_THE_MIDDLE)) < 3, width


CUT_NOTES = """
return [...document.querySelectorAll('#seat-list .note')]
  .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth).map((node) => node.innerText);
"""


def test_a_long_name_leaves_room_for_the_mark_of_ones_own_seat(guest: PagePerson) -> None:
    guest.name = "Wolfeschlegelsteinhausenbergerdorff"
    guest.create("american_rails", ["you", *["builtin:random"] * 4])
    guest.wait_for_text("#seat-list .tag", "YOUR MOVE")
    for width in (1366, 1280, 844):
        resize(guest.browser, width)
        wait_for_two_frames(guest.browser)
        assert run_script(guest, CUT_NOTES) == [], width


# Games in the first row of the lobby.
FIRST_ROW = """
const tops = [...document.querySelectorAll('#quick-games .game')].map((one) => one.getBoundingClientRect().top);
return tops.filter((top) => top === tops[0]).length;
"""


def test_the_lobby_shows_three_games_beside_each_other_on_a_tablet(guest: PagePerson) -> None:
    guest.go()
    for width, columns in ((1366, 3), (768, 3), (390, 1)):
        resize(guest.browser, width)
        assert run_script(guest, FIRST_ROW) == columns
        assert not run_script(guest, "return document.documentElement.scrollWidth > innerWidth")


def test_a_chosen_size_of_the_board_ends_on_a_narrow_window(games_server: ServerProcess, guest: PagePerson) -> None:
    """A person who has chosen to see the whole board makes the window as narrow as a phone, and wide again."""
    resize(guest.browser, 1366, 768)
    sit_down(guest, games_server, "chicago_express")
    guest.click("#zoom")
    guest.wait_for(f"{HOLDER}.classList.contains('enlarged')")
    guest.click("#zoom")
    guest.wait_for(f"!{HOLDER}.classList.contains('enlarged')")
    resize(guest.browser, 390, 844)
    guest.wait_for(f"{HOLDER}.classList.contains('enlarged')")
    check_text(guest, 390)
    guest.click("#zoom")
    guest.wait_for(f"!{HOLDER}.classList.contains('enlarged')")
    guest.click("#zoom")
    guest.wait_for(f"{HOLDER}.classList.contains('enlarged')")
    resize(guest.browser, 1366, 768)
    guest.wait_for(f"!{HOLDER}.classList.contains('enlarged')")


# Whether the middle of all names is in the visible part of the board.
NAMES_IN_SIGHT = """
(() => {
  const [names, frame] = ['.names', '#board-holder'].map((one) => document.querySelector(one).getBoundingClientRect());
  const apart = Math.abs(names.left + names.right - frame.left - frame.right) / 2;
  return names.width > 0 && apart < frame.width / 8;
})()
"""
# Whether the value of Chicago covers no letter of its name. The letter g reaches a fifth of the text size down.
IS_CHICAGO_CLEAR = """
(() => {
  const name = document.querySelector('.chief');
  const { x, y, width, bottom } = name.getBoundingClientRect();
  const scale = width / name.getBBox().width;
  const [{ y: top, height }, size] = [name.getBBox(), Number.parseFloat(getComputedStyle(name).fontSize)];
  const low = bottom - scale * (top + height - Number(name.getAttribute('y')) - size / 5);
  const pills = [...document.querySelectorAll('.pill')].map((pill) => pill.getBoundingClientRect());
  const isNear = (pill) => pill.left < x + width && pill.right > x && pill.bottom > y && pill.top < bottom + 9;
  const own = pills.filter(isNear);
  return own.length === 1 && low <= own[0].top + 1;
})()
"""


def test_the_board_of_a_result_has_names_and_a_replay_begins_in_its_middle(
    games_server: ServerProcess, guest: PagePerson
) -> None:
    """On a tablet, names on the board of an ended game are visible. On a phone, a replay begins with an enlarged board.

    On the tablet, no value covers the name of Chicago. On the phone, the names in the middle of the board are visible.
    """
    resize(guest.browser, 1024, 768)
    guest.continue_logged(games_server, "chicago_express", 146, "chicago_express", *SEATS[1:])
    guest.state()
    assert run_script(guest, f"return {IS_CHICAGO_CLEAR.strip()}")
    table = guest.continue_logged(games_server, "american_rails", 196, "american_rails", *SEATS[1:])
    guest.state()
    with Client(games_server.url) as owner:
        owner.asked(type="admin", token=games_server.admin_token, command="end_table", table=table)
    guest.wait_for_text("#asked", "interrupted")
    guest.wait_for(NAMES_IN_SIGHT)
    assert guest.is_visible(".board .name")
    resize(guest.browser, 390, 844)
    assert replayed(games_server, "american_rails")[0] == 200
    guest.browser.get(f"{guest.url}replay/american_rails")
    guest.wait_for("document.documentElement.dataset.ready !== undefined")
    assert run_script(guest, f"return {HOLDER}.classList.contains('enlarged')")
    assert run_script(guest, f"return {NAMES_IN_SIGHT.strip()}")


BOTTOM_OF_STEPS = "document.querySelector('#asked .steps').getBoundingClientRect().bottom"


def test_the_bid_covers_no_step_and_no_hint(guest: PagePerson) -> None:
    """A long hint about a bid is visible from its first line. The field for the bid covers neither hint nor steps."""
    resize(guest.browser, 390, 844)
    guest.create("american_rails", SEATS)
    guest.take(guest.state()["commands"][1])
    guest.wait_for(f"{BOTTOM_OF_STEPS} <= document.querySelector('#asked .bidding').getBoundingClientRect().top")
    for width, height in ((390, 844), (1366, 768)):
        resize(guest.browser, width, height)
        guest.wait_for("innerWidth === arguments[0]", width)
        guest.click("#asked .hint")
        guest.wait_for("document.querySelector('#asked .hint:not([aria-busy=true])')")
        guest.wait_for_text("#asked .advice", "A strong player suggests: bid up to $")
        for part in ("p", "button", "p:last-child"):
            guest.wait_for(IS_UNCOVERED, f"#asked .advice {part}")
    limit = guest.text("#asked .advice p").rpartition(" ")[2]
    guest.click("#asked .advice button")
    guest.wait_for_text("#asked .up-to.primary", f"Up to {limit}")
    guest.wait_for(IS_UNCOVERED, "#asked .advice p")
    guest.wait_for(IS_UNCOVERED, "#asked .up-to")


def test_a_hint_is_about_the_position_after_steps_that_are_being_collected(guest: PagePerson) -> None:
    """A hint after a selected step is about the next question, even if the server has not yet answered the step.

    The test clicks on a step and at once on *Hint*.
    """
    guest.create("american_rails", SEATS)
    step = guest.state()["commands"][1]
    both = "for (const one of arguments) document.querySelector(`#asked ${one}`).click()"
    run_script(guest, both, f'.choice[data-command="{step}"]', ".hint")
    guest.wait_for_text("#asked .advice", "A strong player suggests: bid up to $")


def check_minimap(guest: PagePerson) -> None:
    """Click on the middle of the small map. Check that the enlarged board is then scrolled to its middle."""
    run_script(guest, f"{HOLDER}.scrollTo(0, 0)")
    guest.wait_for("document.querySelector('#minimap .seen').getBBox().x < 1")
    guest.click("#minimap")
    guest.wait_for(SEEN_MIDDLE)


def check_phone_tabs(guest: PagePerson) -> None:
    """Open each tab at the bottom of a phone-sized page with an arrow key. Check that its panel is shown.

    Then hide and show the panel with the question by clicks on its tab.
    """
    guest.browser.execute_script("document.getElementById('tab-move').focus()")
    for tab, pane in (("tables", "position"), ("story", "story"), ("players", "glance"), ("move", "ask")):
        guest.press(Keys.ARROW_RIGHT)
        guest.wait_for("document.activeElement.id === arguments[0]", f"tab-{tab}")
        assert guest.is_visible(f"#{pane}")
        assert guest.is_visible("#ask") == (tab == "move")
        if tab == "story":
            guest.wait_for(STORY_AT_END)
            assert guest.text("#story-new") == ""
            assert guest.text("#tab-move.mine") == "Your move"
    for is_shown in (False, True):
        guest.click("#tab-move")
        assert guest.is_visible("#ask") == is_shown


def test_the_board_can_be_enlarged_and_moved(games_server: ServerProcess, guest: PagePerson) -> None:
    """Zoom and move the board by buttons, keys, wheel, mouse and two fingers. Dragging does not choose a hex."""
    resize(guest.browser, 1366, 768)
    state = sit_down(guest, games_server, "american_rails")
    width = "document.querySelector('svg.board').getBoundingClientRect().width"
    whole = run_script(guest, f"return {width}")
    guest.click("#zoom-in")
    assert run_script(guest, f"return {width}") > 1.2 * whole
    guest.press("+")
    enlarged = run_script(guest, f"return {width}")
    assert enlarged > 1.5 * whole
    x, y = run_script(guest, f"const box = {HOLDER}.getBoundingClientRect(); return [box.x + 300, box.y + 300]")
    scrolled = f"[{HOLDER}.scrollLeft, {HOLDER}.scrollTop]"
    before = run_script(guest, f"return {scrolled}")

    def mouse(kind: str, x: float, y: float, **more: Any) -> None:
        event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, **more}
        guest.browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    mouse("mousePressed", x, y)
    mouse("mouseMoved", x - 40, y - 30)
    mouse("mouseReleased", x - 40, y - 30)
    assert run_script(guest, f"return {scrolled}") == [before[0] + 40, before[1] + 30]
    assert len(guest.all("#asked .steps li")) == state["steps"]
    mouse("mouseWheel", x, y, deltaX=0, deltaY=-200, button="none", buttons=0)
    guest.wait_for(f"{width} > 1.1 * arguments[0]", enlarged)
    wheeled = run_script(guest, f"return {width}")
    for kind, apart in (("touchStart", 50), ("touchMove", 60), ("touchMove", 100)):
        fingers = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        guest.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    guest.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    guest.wait_for(f"{width} > 1.5 * arguments[0]", wheeled)
    level = f"{HOLDER}.dataset.zoom"
    guest.wait_for(f"{level} === 'near'")
    assert guest.is_visible(".board .id")
    guest.press("z")
    guest.wait_for(f"{width} < arguments[0] + 2", whole)
    assert run_script(guest, f"return {level}") == "whole"
    assert not guest.is_visible(".board .id")
    resize(guest.browser, 360, 740)
    guest.wait_for(f"{HOLDER}.classList.contains('enlarged')")
    guest.click("#zoom")
    guest.wait_for(f"{level} === 'far'")
    assert not guest.is_visible(".board .name")
