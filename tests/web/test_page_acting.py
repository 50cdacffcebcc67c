"""Tests of playing on the server's page: a player selects an action, and a button sends it.

A player can also tell the server in advance how to bid or when to pass.
"""

from typing import Any

from tests.support.browser import resize
from tests.support.page_person import STORY_AT_END, Keys, PagePerson
from tests.support.ws_client import Client, Json, ServerProcess, verified

SELECTED = "[...document.querySelectorAll('#asked .choice[aria-pressed=true]')].map((node) => node.dataset.command)"
CHOSEN = "[...document.querySelectorAll('.target.chosen')].map((node) => node.dataset.target)"

# Select the pass. The value is what the page says at once about taking it back.
TAKE_PASS = """(() => {
  document.querySelector("#asked .choice[data-command=pass]").click();
  return document.querySelector("#asked .final").textContent;
})()"""
HEIGHTS = "[...document.querySelectorAll('#asked .choices .choice')].map((node) => node.offsetHeight)"
SCROLLED_PARTS = """[...document.querySelectorAll("#asked, #asked *")]
  .filter((node) => node.scrollHeight > node.clientHeight + 1 && getComputedStyle(node).overflowY === "auto")
  .map((node) => node.outerHTML.slice(0, 80))
"""
"""JavaScript that returns the parts of the question that have their own scroll bar."""
TOUCHED_PX = 44
"""Minimum height in pixels of the buttons for answers if the page shows two buttons in a row."""
SPACES = ["Pass", "Develop", "Fund", "Take", "Expand 3", "Auction", "Expand 4"]
COVERED_SPACES = """
(() => {
  const limit = document.querySelector("#asked .acting").getBoundingClientRect().top;
  const isCut = (node) => node.getBoundingClientRect().bottom > limit + 1;
  return [...document.querySelectorAll("#asked .spaces > li")].filter(isCut).map((node) => node.textContent);
})()
"""


CELLS = "[...document.querySelectorAll(':is(#position, #glance) td')]"


def actions(server: ServerProcess, table: str) -> list[Json]:
    return [line for line in server.lines(table) if line["type"] == "action"]


def run(person: PagePerson, script: str) -> Any:
    return person.browser.execute_script(f"return {script}")


def test_the_board_the_list_and_keys_select_and_one_button_sends(
    games_server: ServerProcess, guest: PagePerson
) -> None:
    """An answer can be selected on the board, in the list or by a key. Only the button or Enter sends it.

    This also holds for a pass. Until the answer is sent, the player can select another one. A player may have selected
    steps but not sent them. If this player then tells the server to pass automatically, the page first asks whether to
    send the steps.
    """
    table = guest.continue_logged(games_server, "last_spike", 49, "last_spike", *["builtin:greedy"] * 3)
    assert guest.state()["commands"][-1] == "pass"
    before = len(actions(games_server, table))
    texts = run(guest, f"{CELLS}.map((cell) => cell.textContent)")
    assert (guest.text("#asked .acting .choice"), guest.count("#asked .primary")) == ("Buy nothing", 0)
    resize(guest.browser, 1366, 768)
    guest.wait_for_count("#asked .pairs .choice", 9)  # two in a row
    assert min(run(guest, HEIGHTS)) >= TOUCHED_PX
    resize(guest.browser, 1280, 900)
    guest.pick("OMA")
    guest.wait_for_text("#asked .confirm", "Buy in Omaha for $")
    assert (run(guest, SELECTED), run(guest, CHOSEN)) == (["buy OMA"], ["OMA"])
    guest.take("buy DEN")
    guest.wait_for_text("#asked .confirm", "Buy in Denver for $")
    assert (run(guest, SELECTED), run(guest, CHOSEN)) == (["buy DEN"], ["DEN"])
    guest.round_trip()
    guest.reload()
    guest.wait_for_text("#asked .confirm", "Buy in Denver for $")
    assert run(guest, SELECTED) == ["buy DEN"], "the answer stays selected after a reload"
    guest.click("#asked .back")
    guest.wait_for_count("#asked .confirm", 0)
    guest.round_trip()
    assert run(guest, TAKE_PASS) == "", "the page does not know yet whether it can be taken back"
    guest.wait_for_text("#asked .confirm", "Buy nothing")
    guest.wait_for_text("#asked .final", "Final: it cannot be taken back.")  # a piece is drawn after it
    guest.click("#asked .back")
    guest.wait_for_count("#asked .confirm", 0)
    guest.browser.execute_script("document.activeElement.blur()")
    guest.press("1")
    guest.wait_for(f"{SELECTED}.length === 1")
    (first,) = run(guest, SELECTED)
    guest.round_trip()
    assert len(actions(games_server, table)) == before
    guest.press(Keys.ENTER)
    guest.wait_for_text("#asked .question", "Which piece")
    assert actions(games_server, table)[before]["action"] == {"type": "buy", "city": first.removeprefix("buy ")}
    guest.browser.execute_script("window.socket.send(JSON.stringify({ type: 'show' }))")
    guest.round_trip()
    cells = run(guest, f"{CELLS}.map((cell) => [cell.textContent, cell.classList.contains('changed')])")
    assert [is_marked for _, is_marked in cells] == [one != text for one, (text, _) in zip(texts, cells, strict=True)]
    assert sum(is_marked for _, is_marked in cells) > 4, "all numbers that changed since the last turn are marked"
    guest.click("#asked .choice")
    guest.wait_for_text("#asked .question", "Which property")
    guest.wait_for_text("#asked .steps", "not sent yet")
    guest.wait_for("document.querySelector('.board .unsent')")
    before = len(actions(games_server, table))
    for answer in ("no", "yes"):
        assert guest.text("#asked .help button") == "Send, then pass until my choices change"
        guest.click("#asked .help button")
        guest.wait_for_text("#confirm-words", ", then pass until your choices change.")
        assert len(actions(games_server, table)) == before
        guest.click(f"#confirm-{answer}")
    guest.wait_for_text("#asked .question", "Which piece")
    guest.wait_for_text("#asked .order", "Afterwards: passing for you until your choices change.")
    assert [line["action"]["type"] for line in actions(games_server, table)[before:][:2]] == ["play", "pass"]
    guest.click("#asked .order button")
    guest.wait_for_count("#asked .order", 0)
    assert games_server.faults(table) == []


def test_a_hint_is_taken_as_a_whole_and_moves_are_taken_back(games_server: ServerProcess, guest: PagePerson) -> None:
    """A hint selects all steps of a move, and a button sends them. Against bots, undo needs no consent."""
    table = guest.continue_logged(games_server, "chicago_express", 146, "chicago_express", *["builtin:greedy"] * 3)
    guest.take("choose expand")
    guest.wait_for_text("#asked .acting .choice", "Build nothing")
    resize(guest.browser, 1366, 768)
    guest.click("#tab-story")
    guest.click("#asked .hint")  # which leaves less room for the story
    guest.wait_for_text("#asked .advice", "The whole move: building the PRR to ")
    assert run(guest, "[...document.querySelectorAll('#asked .advice p')].every((node) => node.offsetHeight > 10)")
    guest.click("#asked summary")
    assert run(guest, "document.getElementById('panes').offsetHeight") > 160, "the story stays readable"
    assert run(guest, SCROLLED_PARTS) == []
    guest.click("#asked summary")
    guest.click("#asked .advice button")
    guest.wait_for_text("#asked .confirm", "Build PRR to ")
    assert guest.text("#asked .confirm").endswith(" and send")
    assert guest.count(".target:focus-visible, #asked .choice:focus-visible") == 0, "a ring after a click"
    guest.click("#asked .hint")
    guest.wait_for_text("#asked .advice", "Chance of winning: about")
    guest.click("#asked .choices .choice[aria-pressed=false]")
    guest.wait_for_count("#asked .advice p", 0)
    guest.round_trip()
    assert len(actions(games_server, table)) == 145
    guest.click("#asked .confirm")
    guest.wait_for_text("#asked .help", "Take back my last move")
    guest.wait_for(STORY_AT_END)
    guest.click("#asked .help button")
    guest.wait_for_text("#notice", "You took back a move")
    guest.wait_for_text("#asked .question", "build")


def check_steps_after_a_space(guest: PagePerson) -> None:
    """Select actions on the action track without sending them. Check the questions that the page asks next."""
    guest.take("choose develop")
    guest.wait_for_text("#asked .question", "Which city will you develop? Or develop nothing.")
    assert guest.text("#asked .acting .choice") == "Develop nothing"
    assert guest.count("#asked .help button") == 0, "automatic passes would give up the space"
    guest.click("#asked .back")
    guest.take("choose expand4")
    guest.wait_for_text("#asked .question", "Where will you build (up to 4 cubes)? Or build nothing.")
    guest.click('#board-holder [data-place="E06"]')  # two hexes beyond the outlined ones
    guest.wait_for_count("#asked .steps li", 4)
    assert guest.texts("#asked .steps .brief")[2] == "Republic to Indianapolis"
    assert guest.text("#asked .acting .choice") == "Stop building and send"
    guest.click('#board-holder [data-place="C15"]')
    guest.wait_for_text("#asked .advice", "You can choose the outlined places.")
    for left in (3, 2, 1, 0):
        guest.click("#asked .back")
        guest.wait_for_count("#asked .steps li", left)


def test_the_action_track_shows_who_took_which_space(games_server: ServerProcess, guest: PagePerson) -> None:
    """In American Rails, the question for the next action shows the action track, with the disc of each player on it.

    The player answers by selecting a free space of the track. A hint does not hide the track. After the answer, the
    track stays visible.
    """
    bots = ["builtin:greedy", "builtin:greedy", None]
    table = guest.continue_logged(games_server, "american_rails", 196, "american_rails", *bots)
    with Client(games_server.url) as ben:
        ben.asked(type="sit", table=table, name="Ben")
        guest.wait_for_text("#asked .question", "Which space will you take?")
        assert guest.texts("#asked .spaces li > :not(.space-heads) > b") == SPACES
        assert guest.texts("#asked .space.no > b") == ["Fund"]
        assert guest.text("#asked .space.no small") == "Taken"
        discs = run(guest, "[...document.querySelectorAll('#asked .space.no .slot')].map((node) => node.title)")
        assert [bool(disc) for disc in discs] == [True, True, False]
        assert (guest.text("#calendar [aria-current]"), guest.count("#calendar li")) == ("1853", 7)
        for width, height in ((1366, 768), (800, 1000), (390, 844)):
            resize(guest.browser, width, height)
            guest.wait_for(f"({COVERED_SPACES.strip()}).length === 0")
        resize(guest.browser, 1280, 900)
        guest.click("#asked .hint")
        guest.wait_for_count("#asked .spaces .star", 1)
        guest.wait_for_text("#asked .advice", "The whole move: building Republic to ")
        guest.wait_for_text("#asked .advice", " from the Expand 4 space.")
        for width, height in ((390, 844), (1366, 768), (1280, 900)):
            resize(guest.browser, width, height)
            guest.wait_for(f"({COVERED_SPACES.strip()}).length === 0")
        heights = run(
            guest, "Array.from(document.querySelectorAll('#asked .spaces .choice'), (row) => row.offsetHeight)"
        )
        assert len(set(heights)) == 1, "the star does not change its row"
        check_steps_after_a_space(guest)
        guest.press("1")
        guest.wait_for(f"JSON.stringify({SELECTED}) === '[\"choose pass\"]'")
        guest.click("#asked .confirm")
        guest.wait_for_count("#asked .spaces.idle .choice", 0)
        own = "document.querySelector('#asked .spaces.idle .slot.now [class*=paint-seat-0]')?.closest('.space')"
        guest.wait_for(f"({own})?.textContent.startsWith('Pass')")
    assert games_server.faults(table) == []


def test_the_server_bids_and_passes_while_the_page_is_closed(games_server: ServerProcess, guest: PagePerson) -> None:
    table = guest.create("chicago_express", ["you", "", ""])
    with Client(games_server.url) as ben, Client(games_server.url) as cyd:
        ben.asked(type="sit", table=table, name="Ben")
        cyd.asked(type="sit", table=table, name="Cyd")
        guest.wait_for("document.querySelector('#asked .bid')")
        guest.fill({"#asked .bid": "14"})
        guest.fill({"#asked .then select": "pass"})
        guest.click("#asked .up-to")
        guest.wait_for_text("#asked .order", "Bidding for you up to $14, then passing.")
        guest.browser.get("about:blank")
        ben.answer(ben.until("request"), action={"type": "bid", "amount": 9})
        cyd.answer(cyd.until("request"), action={"type": "pass"})
        ben.answer(ben.until("request"), action={"type": "pass"})
        ben.settled()
        bids = [(line["seat"], line["action"].get("amount")) for line in actions(games_server, table)]
        assert bids == [(0, 7), (1, 9), (2, None), (0, 10), (1, None)]
        guest.mark = ""
        guest.go(f"#table/{table}")
        guest.wait_for_text("#notice", "You won the PRR share for $10 (your limit: $14).")
        guest.wait_for("document.querySelector('#asked .bid')")
        guest.bid(8)
        ben.until("request")
        guest.wait_for("document.querySelector('#asked .ordering')")
        guest.click("#asked .ordering > button:last-of-type")
        guest.wait_for_text("#asked .order", "Passing for you until this auction ends.")
        assert ben.open is not None
        ben.answer(ben.open, action={"type": "bid", "amount": 9})
        cyd.answer(cyd.until("request"), action={"type": "pass"})
        guest.wait_for_text("#notice", "The auction has ended. Ben won the BO share for $9.")
        assert actions(games_server, table)[-1]["seat"] == 0
    verified(games_server.log(table))
