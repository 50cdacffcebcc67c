"""People at a table together, in a real browser: a game by one click, alerts, one's games, and what is said."""

import json
from pathlib import Path
from typing import Any

from tests.support.browser import (
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

# Counts what would be heard and asked, for a browser without ears: it takes nothing from the page.
_COUNT = """
window.rung = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) { window.rung += 1; return start.apply(this, when); };
"""

_ELSEWHERE = """
window.notes = [];
window.Notification = class extends Notification {
  constructor(title, more) { super(title, more); window.notes.push(`${title}: ${more.body}`); }
};
Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
"""


def test_a_game_by_one_click(server: ServerProcess, anna: PagePerson) -> None:
    """Seated at once; title, icon, a sound and a notification tell whose turn it is; the lobby tells it after a return,
    too, and then how the game ended."""
    anna.go()
    anna.choose("#quick-level", "medium")
    anna.click('#quick-games [aria-label="Play Chicago Express against bots"]')
    anna.state()
    assert anna.texts("#seat-list b") == ["guest", "medium", "medium 2"]
    anna.wait_for("document.title === '● Your turn – Chicago Express for 3'")
    assert anna.find("#icon").get_attribute("href").endswith("/icon-turn.svg")
    anna.browser.execute_script(_COUNT)
    anna.click("#alerts")
    anna.click("#alert-sound")
    anna.wait_for("window.rung > 0")
    check_fit(anna.browser, 1366, 360)
    rung = anna.browser.execute_script("return window.rung")
    anna.take("pass")
    anna.state()
    anna.wait_for("window.rung > arguments[0]", rung)
    notified(anna)
    anna.go()
    anna.wait_for_text("#my-tables", "your turn")
    anna.wait_for("document.title.startsWith('● Your turn')")
    assert anna.find("#quick-level").get_attribute("value") == "medium"
    assert anna.find("#alert-sound").get_attribute("checked")
    table = anna.find("#my-tables a").get_attribute("href").rpartition("/")[2]
    with Client(server.url) as owner:
        owner.asked(type="admin", token=server.admin_token, command="end_table", table=table)
    anna.wait_for_text("#my-tables", "ended: ")
    anna.wait_for("!document.title.startsWith('●')")


def notified(anna: PagePerson) -> None:
    """She allows notifications, passes, and looks elsewhere."""
    permitted = {"permissions": ["notifications"], "origin": anna.url.rstrip("/")}
    anna.browser.execute_cdp_cmd("Browser.grantPermissions", permitted)
    anna.click("#alert-note")
    anna.wait_for("document.getElementById('alert-note').checked && !document.getElementById('alert-words').innerText")
    anna.browser.execute_script(_ELSEWHERE)
    anna.take("pass")
    anna.state()
    expect(anna.browser, "window.notes", ["Your turn: Chicago Express for 3"])
    anna.browser.execute_script("delete document.visibilityState; document.getElementById('alert-note').click()")


def test_one_whose_seat_is_lost_is_told(server: ServerProcess, anna: PagePerson) -> None:
    """At the table, where it was given away; in the lobby, where the table was closed, and in the list of games."""
    table = anna.create("last_spike", ["you", ""])
    lost = json.dumps({table: {"token": "of nobody", "name": "Friday", "game": "last_spike", "at": 1}})
    keep = f"localStorage.setItem('rails-cli.seats', {json.dumps(lost)})"
    # Not just before the page is left: a browser may still be busy with what the page wrote, and forget this.
    kept = run_on_new_pages(anna.browser, keep)
    anna.go()
    stop_running(anna.browser, kept)
    anna.wait_for_text("#my-tables", "This seat is not yours any more")
    anna.wait_for_count("#my-tables a", 0)
    anna.go(f"#table/{table}")
    anna.wait_for_text("#notice", "your seat here was given away")
    with Client(server.url) as owner:
        owner.asked(type="admin", token=server.admin_token, command="end_table", table=table)
    anna.wait_for_text("#notice", "The owner of the server closed this table.")
    anna.wait_for("document.querySelector('#my-tables').innerText === ''")


def test_people_talk(server: ServerProcess, anna: PagePerson) -> None:
    """What others say is counted until it is wanted, and is text; a quick phrase; somebody is muted."""
    table = anna.create("last_spike", ["you", "", "builtin:random"])
    with Client(server.url) as ben:
        ben.asked(type="sit", table=table, name="Ben <b>")
        ben.asked(type="chat")
        ben.asked(type="chat", text="<img src=x onerror='window.hacked=1'> hello")
        anna.wait_for_text("#chat-new", "1 new")
        anna.click("#chat-show")
        anna.wait_for_text("#chat-lines", "Ben <b> <img src=x onerror='window.hacked=1'> hello")
        assert not anna.browser.execute_script("return window.hacked ?? false")
        choose = "const list = arguments[0]; list.value = 'Good game!'; list.dispatchEvent(new Event('change'))"
        anna.browser.execute_script(choose, anna.find("#chat-phrases"))
        assert ben.until("said")["lines"][0]["text"] == "Good game!"
        anna.wait_for_text("#chat-lines", "Anna Good game!")
        anna.find("#chat-text").send_keys("One moment\n")
        assert ben.until("said")["lines"][0]["text"] == "One moment"
        check_fit(anna.browser, 1366, 360)
        anna.click('#chat-lines [aria-label="Mute Ben <b>"]')
        anna.wait_for("!document.querySelector('#chat-lines').innerText.includes('hello')")
        anna.reload()
        anna.wait_for_text("#chat-lines", "hello")


def test_moves_are_taken_back(server: ServerProcess, anna: PagePerson) -> None:
    """One's own, if the other agrees; another's, if one does, also after a reload. What was shown of it is gone. All
    see whom they wait for, and whose seat a bot plays."""
    table = anna.create("chicago_express", ["you", ""])
    with Client(server.url) as ben:
        ben.send(type="join", undo=True)
        token = ben.asked(type="sit", table=table, name="Ben")["token"]
        anna.state()
        story = anna.text("#log")
        anna.take("pass")
        ben.until("request")
        anna.wait_for_text("#ask-title", "Waiting for Ben")
        anna.wait_for_text("#table-buttons", "Ask to take back")
        anna.click("#table-buttons button")
        assert ben.until("undo_asked")["name"] == "Anna"
        assert ben.asked(type="undo", say="agree")["state"] == "done"
        anna.wait_for_text("#notice", "You took back a move")
        anna.wait_for("document.querySelector('#asked .choice') !== null")
        anna.wait_for("document.querySelector('#log').innerText === arguments[0]", story)
        anna.take("pass")
        ben.answer(ben.until("request"))
        anna.state()
        ben.asked(type="undo", say="ask")
        asked = "Ben asks to take back their last move:"
        anna.wait_for_text("#table-buttons", asked)
        anna.reload()
        anna.wait_for_text("#table-buttons", asked)
        check_fit(anna.browser, 1366, 360)
        anna.click("#table-buttons button.primary")
        ben.until("undo_asked", state="done")
        anna.wait_for_text("#notice", "Ben took back a move")
        ben.until("request")
    anna.wait_for_text("#ask-title", "Waiting for Ben, who is away")
    with Client(server.url) as ben:
        ben.asked(type="resume", token=token)
        anna.wait_for("document.getElementById('ask-title').innerText === 'Waiting for Ben'")
        ben.asked(type="leave")
    anna.wait_for_text("#stand-ins", "Ben's seat is played by a bot.")


def test_a_projector_follows_the_live_tables(tmp_path: Path, browser: Any) -> None:
    """Unattended: it waits for a game, shows it, and after a crash of the server shows it again."""
    with ServerProcess(tmp_path / "data") as server, anna_at(browser, server) as wall:
        port = server.port
        browser.get(f"{wall.url}projector")
        resize(browser, 1920, 1080)
        wall.wait_for_text("#pj-turn", "No game is being played right now.")
        assert violations(browser) == []
        with Client(server.url) as ada:
            table = table_of(
                create(ada, "chicago_express", 3, seats=[None, "builtin:greedy", "builtin:greedy"], name="<b>")
            )
            token = ada.asked(type="sit", table=table, name="Ada")["token"]
            wall.wait_for("document.querySelector('#pj-board svg.board')")
            wall.wait_for_text("#pj-turn", "Ada")
            wall.wait_for("document.querySelector('#pj-title').innerText === '<b>'")
            wall.wait_for_text("#pj-tables .asked", "Ada")
            assert violations(browser) == []
            wall.wait_for("document.documentElement.scrollHeight <= innerHeight")
            ada.answer(ada.until("request"))
            wall.wait_for_text("#pj-story", "greedy 2 bids $7.")
            server.kill()
        wall.wait_for_text("#pj-turn", "Connection lost")
        complaints(browser)
        with ServerProcess(tmp_path / "data", port=port) as again, Client(again.url) as ada:
            wall.wait_for_text("#pj-turn", "is to bid or pass")
            wall.wait_for_text("#pj-story", "greedy 2 bids $7.")
            ada.asked(type="resume", token=token)
            with Client(again.url) as admin:
                admin.asked(type="admin", token=again.admin_token, command="end_table", table=table)
            wall.wait_for("/win|over/.test(document.querySelector('#pj-turn').innerText)")
            complaints(browser)
            browser.get("about:blank")
            complaints(browser)
