"""Tests of people at a table in a real browser: quick games, alerts, held seats, chat, undo and the projector page."""

import json
from pathlib import Path
from typing import Any

from tests.support.browser import (
    CONTROLS,
    check_fit,
    complaints,
    expect,
    resize,
    run_on_new_pages,
    stop_running,
    violations,
)
from tests.support.page_person import PagePerson, anna_at
from tests.support.ws_client import Client, ServerProcess, create, table_of

# Counts the sounds that the page plays.
_COUNT_SOUNDS = """
window.rung = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { window.rung += 1; return start.apply(this, when); };
"""

_CLOCK_SHOWS = "document.querySelector('#seat-list .now .clock').innerText.startsWith(arguments[0])"
"""JavaScript expression: whether the clock of the seat to move begins with `arguments[0]`, a number of minutes."""
_HIDE_PAGE_AND_RECORD_NOTIFICATIONS = """
window.notes = [];
window.Notification = class extends Notification {
  constructor(title, more) { super(title, more); window.notes.push(`${title}: ${more.body}`); }
};
Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
"""


def test_a_game_starts_by_one_click_and_turns_are_announced(games_server: ServerProcess, guest: PagePerson) -> None:
    """One click creates a table and seats the player.

    Title, icon, a sound and a notification announce the turn. The lobby shows the turn when the player returns to the
    lobby, and later the result.
    """
    guest.go_with_pictures()
    check_fit(guest.browser, 360, 1280, rules=CONTROLS)
    guest.choose("#quick-bots", "1")
    assert guest.texts(".with-bots") == ["", "", "with 2 bots"]  # American Rails needs three players
    guest.choose("#quick-bots", "3")
    guest.click("#quick-level [value=medium]")
    guest.click('#quick-games [aria-label="Play Chicago Express against bots"]')
    guest.state()
    assert guest.texts("#seat-list b") == ["guest", "Vanderbilt", "Gould", "Hill"]
    assert guest.texts("#seat-list .face") == ["Gu", "V", "Go", "H"]
    assert guest.texts("#seat-list .note") == ["you", *["medium bot"] * 3]
    guest.wait_for("document.title === '● Your turn – Chicago Express for 4'")
    assert guest.find("#icon").get_attribute("href").endswith("/icon-turn.svg")
    guest.browser.execute_script(_COUNT_SOUNDS)
    guest.click("#more")
    guest.click("#alert-sound")
    guest.wait_for("window.rung > 0")
    check_fit(guest.browser, 360, rules=CONTROLS)
    guest.click("#menu-close")
    rung = guest.browser.execute_script("return window.rung")
    guest.take("pass")
    guest.state()
    guest.wait_for("window.rung > arguments[0]", rung)
    check_notification(guest)
    guest.go()
    guest.wait_for_text("#turns", "It is your move in Chicago Express")
    guest.wait_for_text("#my-tables", "with Vanderbilt (medium), Gould (medium), Hill (medium)")
    guest.wait_for("document.title.startsWith('● Your turn')")
    assert guest.find("#quick-level :checked").get_attribute("value") == "medium"
    assert guest.find("#quick-bots").get_attribute("value") == "3"
    assert guest.find("#alert-sound").get_attribute("checked")
    table = guest.find("#my-tables a").get_attribute("href").rpartition("/")[2]
    with Client(games_server.url) as owner:
        owner.asked(type="admin", token=games_server.admin_token, command="end_table", table=table)
    guest.wait_for_text("#my-tables", "Stopped before its end")
    guest.wait_for_count("#turns li", 0)
    guest.wait_for("!document.title.startsWith('●')")


def check_notification(guest: PagePerson) -> None:
    """Allow notifications, pass while the page is hidden, and check the notification of the next turn."""
    permitted = {"permissions": ["notifications"], "origin": guest.url.rstrip("/")}
    guest.browser.execute_cdp_cmd("Browser.grantPermissions", permitted)
    guest.click("#more")
    guest.click("#alert-note")
    guest.wait_for("document.getElementById('alert-note').checked && !document.getElementById('alert-words').innerText")
    guest.click("#menu-close")
    guest.browser.execute_script(_HIDE_PAGE_AND_RECORD_NOTIFICATIONS)
    guest.take("pass")
    guest.state()
    expect(guest.browser, "window.notes", ["Your turn: Chicago Express for 4"])
    guest.browser.execute_script("delete document.visibilityState; document.getElementById('alert-note').click()")


def test_a_player_is_notified_of_a_lost_seat_or_closed_table(games_server: ServerProcess, guest: PagePerson) -> None:
    """A player who lost a seat is informed in the list of games and at the table.

    If the table is then closed, the page says so, and the list no longer shows the table.
    """
    table = guest.create("last_spike", ["you", ""])
    lost = json.dumps({table: {"token": "of nobody", "name": "Friday", "game": "last_spike", "at": 1}})
    keep = f"localStorage.setItem('rails-cli.seats', {json.dumps(lost)})"
    # Set when the next page loads, because the browser may lose data that is stored just before a page is left.
    kept = run_on_new_pages(guest.browser, keep)
    guest.go()
    stop_running(guest.browser, kept)
    guest.wait_for_text("#my-tables", "This seat is not yours any more")
    guest.wait_for_count("#my-tables a", 0)
    guest.go(f"#table/{table}")
    guest.wait_for_text("#notice", "your seat here was given away")
    with Client(games_server.url) as owner:
        owner.asked(type="admin", token=games_server.admin_token, command="end_table", table=table)
    guest.wait_for_text("#notice", "The owner of the server closed this table.")
    guest.wait_for("document.querySelector('#my-tables').innerText === ''")


def test_chat_shows_plain_text_phrases_and_muting(games_server: ServerProcess, guest: PagePerson) -> None:
    """New chat lines are counted until the chat is opened, and displayed as plain text.

    Quick phrases and muting work.
    """
    table = guest.create("last_spike", ["you", "", "builtin:random"])
    with Client(games_server.url) as ben:
        ben.asked(type="sit", table=table, name="Ben <b>")
        ben.asked(type="chat")
        ben.asked(type="chat", text="<img src=x onerror='window.hacked=1'> hello")
        guest.wait_for_text("#chat-new", "1 new")
        guest.click("#chat-show")
        guest.wait_for_text("#chat-lines", "Ben <b> <img src=x onerror='window.hacked=1'> hello")
        assert not guest.browser.execute_script("return window.hacked ?? false")
        choose = "const list = arguments[0]; list.value = 'Good game!'; list.dispatchEvent(new Event('change'))"
        guest.browser.execute_script(choose, guest.find("#chat-phrases"))
        assert ben.until("said")["lines"][0]["text"] == "Good game!"
        guest.wait_for_text("#chat-lines", "Anna Good game!")
        guest.find("#chat-text").send_keys("One moment\n")
        assert ben.until("said")["lines"][0]["text"] == "One moment"
        check_fit(guest.browser, 360, rules=CONTROLS)
        board, chat = (guest.find(what).rect for what in ("#board-frame", "#chat-open"))
        assert board["y"] + board["height"] <= chat["y"], "the chat covers the board"
        guest.click('#chat-lines [aria-label="Mute Ben <b>"]')
        guest.wait_for("!document.querySelector('#chat-lines').innerText.includes('hello')")
        guest.reload()
        guest.wait_for_text("#chat-lines", "hello")
        assert not guest.is_visible("#chat-open"), "the chat opens by itself"
        guest.visit()
        ben.asked(type="chat", text="Are you there?")
        guest.round_trip()
        assert not guest.is_visible("#chat-show"), "the lobby has a chat"


def test_moves_are_taken_back_by_consent(games_server: ServerProcess, guest: PagePerson) -> None:
    """A player can take back a move if the other player agrees, also after a reload of the page.

    The list of events then no longer contains the move. The page shows which player it waits for and whose seat a bot
    plays.
    """
    table = guest.create("chicago_express", ["you", ""], clock="1800+20", name="Friday")
    guest.wait_for("document.title === 'Friday'")
    with Client(games_server.url) as ben:
        ben.send(type="join", undo=True)
        token = ben.asked(type="sit", table=table, name="Ben")["token"]
        guest.state()
        story = guest.text("#log")
        guest.take("pass")
        ben.until("request")
        guest.wait_for_text("#ask-title", "Waiting for Ben")
        guest.wait_for_text("#table-buttons", "Ask to take back")
        guest.click("#table-buttons button")
        assert ben.until("undo_asked")["name"] == "Anna"
        assert ben.asked(type="undo", say="agree")["state"] == "done"
        guest.wait_for_text("#notice", "You took back a move")
        guest.wait_for("document.querySelector('#asked .choice') !== null")
        guest.wait_for("document.querySelector('#log').innerText === arguments[0]", story)
        assert "take back" not in guest.text("#asked"), "there is no other move"
        guest.take("pass")
        ben.answer(ben.until("request"))
        guest.state()
        ben.asked(type="undo", say="ask")
        asked = "Ben asks to take back their last move:"
        guest.wait_for_text("#table-buttons", asked)
        guest.reload()
        guest.wait_for_text("#table-buttons", asked)
        check_fit(guest.browser, 360, rules=CONTROLS)
        guest.click("#table-buttons button.primary")
        ben.until("undo_asked", state="done")
        guest.wait_for_text("#notice", "Ben took back a move")
        ben.until("request")
        guest.wait_for_text("#ask-title", "Waiting for Ben")
        # The clock of the page advances. Then a message without clocks reports that Ben is away.
        guest.browser.execute_script("const now = performance.now(); performance.now = () => now + 400_000")
        guest.wait_for(_CLOCK_SHOWS, "23")
    guest.wait_for_text("#ask-title", "Waiting for Ben, who is away")
    guest.wait_for(_CLOCK_SHOWS, "23")
    with Client(games_server.url) as ben:
        ben.asked(type="resume", token=token)
        guest.wait_for("document.getElementById('ask-title').innerText === 'Waiting for Ben'")
        ben.asked(type="leave")
    guest.wait_for_text("#stand-ins", "Ben's seat is played by a bot.")


def test_a_projector_follows_the_live_tables(tmp_path: Path, browser: Any) -> None:
    """The projector page runs unattended.

    It waits for a game, shows the game, and shows it again after a server crash.
    """
    with ServerProcess(tmp_path / "data") as server, anna_at(browser, server) as wall:
        port = server.port
        browser.get(f"{wall.url}projector")
        resize(browser, 1920, 1080)
        wall.wait_for_text("#pj-turn", "No game is being played right now.")
        assert violations(browser) == []
        with Client(server.url) as ada:
            seats = [None, "builtin:greedy", "builtin:greedy"]
            table = table_of(create(ada, "chicago_express", 3, seats=seats, name="<b>"))
            token = ada.asked(type="sit", table=table, name="Ada")["token"]
            wall.wait_for("document.querySelector('#pj-board svg.board')")
            wall.wait_for_text("#pj-turn", "Ada")
            wall.wait_for("document.querySelector('#pj-title').innerText === '<b>'")
            wall.wait_for_text("#pj-tables .asked", "Ada")
            assert violations(browser) == []
            wall.wait_for("document.documentElement.scrollHeight <= innerHeight")
            ada.answer(ada.until("request"))
            wall.wait_for_text("#pj-story", "Gould bids $7.")
            server.kill()
        wall.wait_for_text("#pj-turn", "Connection lost")
        complaints(browser)
        with ServerProcess(tmp_path / "data", port=port) as again, Client(again.url) as ada:
            wall.wait_for_text("#pj-turn", "is to bid or pass")
            wall.wait_for_text("#pj-story", "Gould bids $7.")
            ada.asked(type="resume", token=token)
            with Client(again.url) as admin:
                admin.asked(type="admin", token=again.admin_token, command="end_table", table=table)
            wall.wait_for("/win|over/.test(document.querySelector('#pj-turn').innerText)")
            complaints(browser)
            browser.get("about:blank")
            complaints(browser)
