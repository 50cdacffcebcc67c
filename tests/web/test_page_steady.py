"""Tests that the page keeps unsent input, focus and open elements when others join or the connection is lost.

The page sends nothing twice.
"""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

from tests.support.browser import CONTROLS, check_fit, complaints, resize, run_on_new_pages, stop_running
from tests.support.page_person import Keys, PagePerson, anna_at
from tests.support.tools import GOLDEN
from tests.support.ws_client import Client, ServerProcess, create, table_of

BOTS = ["you", "builtin:greedy", "builtin:greedy"]

# Hold back all messages of the server until the page calls `release`.
HOLD_MESSAGES = """
const released = new Promise((resolve) => { window.release = resolve; });
const listen = WebSocket.prototype.addEventListener;
WebSocket.prototype.addEventListener = function (kind, heard) {
  listen.call(this, kind, kind === "message" ? (event) => released.then(() => heard(event)) : heard);
};
"""


# Type an amount that is too large at the moment when the page asks for the effect of a bid of $23.
TYPE_AT_REQUEST = """
const done = arguments[arguments.length - 1];
const field = document.querySelector('#asked .bid');
const type = (amount) => { field.value = amount; field.dispatchEvent(new Event('input')); };
const send = window.socket.send;
window.socket.send = function (text) {
  send.call(this, text);
  if (!JSON.parse(text).preview) return;
  window.socket.send = send;
  type('9999');
  done();
};
type('23');
"""


def played(server: ServerProcess, table: str) -> list[Any]:
    """Return the actions at `table` that Anna, in seat 0, has played."""
    return [line["action"] for line in server.lines(table) if line["type"] == "action" and line["seat"] == 0]


def join_and_leave_as_spectator(server: ServerProcess, table: str) -> None:
    """Connect as a spectator, wait for the display message of the table, and leave."""
    with Client(server.url) as guest:
        guest.send(type="show")
        guest.asked(type="watch", table=table)
        guest.until("shown")


def has_focus(anna: PagePerson, selector: str) -> bool:
    return bool(anna.browser.execute_script("return document.activeElement.matches(arguments[0])", selector))


# Spectators who join and leave


def test_a_new_spectator_does_not_disturb_typed_input(games_server: ServerProcess, guest: PagePerson) -> None:
    """When spectators join, the page keeps a typed bid, the focus and an open explanation.

    Then the test checks bids: an invalid bid is refused, a hint leaves the typed amount until the player takes the
    hint, and Enter sends the bid.
    """
    table = guest.create("chicago_express", BOTS)
    assert guest.state()["bid"]
    guest.click("#asked summary")
    field = guest.find("#asked .bid")
    field.clear()
    field.send_keys("23")
    watch_changes(guest, "recent", "asked", "table-buttons")
    join_and_leave_as_spectator(games_server, table)
    join_and_leave_as_spectator(games_server, table)
    guest.round_trip()
    changes = guest.browser.execute_script("return window.changes.recent")
    assert changes == 0, "a change would make a screen reader repeat the text"
    show_again(guest)
    assert guest.browser.execute_script("return window.changes.asked + window.changes['table-buttons']") == 0
    assert guest.browser.execute_script("return document.querySelector('#asked details').open")
    assert guest.find("#asked .bid").get_attribute("value") == "23"
    assert has_focus(guest, "#asked .bid")
    guest.browser.execute_async_script(TYPE_AT_REQUEST)
    guest.round_trip()
    assert guest.text("#asked .refusal").startswith("You cannot bid more than your $"), "an effect came too late"
    field.send_keys(Keys.ENTER)
    guest.wait_for_text("#notice", "Bids are $7 to $")
    assert guest.all("#asked .confirm") == []
    assert guest.text("#asked .bidding .primary") == "Bid"
    assert guest.text("#asked .refusal").startswith("You cannot bid more than your $")
    assert field.get_attribute("value") == "9999"
    guest.browser.execute_script("document.activeElement.blur()")
    field.click()
    field.send_keys("19")
    assert guest.text("#asked .bidding .primary") == "Bid $19"
    guest.press("\t")  # out of the field, in which letters are typed
    guest.click("#asked .hint")
    guest.wait_for_text("#asked .advice", "Chance of winning: about")
    assert guest.text("#asked .hint") == "Hint"
    assert guest.text("#asked .bidding .primary") == "Bid $19"
    guest.click("#asked .advice button")
    guest.wait_for("document.querySelector('#asked .bid').value !== '19'")
    assert guest.text("#asked .up-to") == f"Up to ${guest.find('#asked .bid').get_attribute('value')}"
    assert has_focus(guest, "#asked .up-to.primary:has(.star)")
    assert len(guest.all("#asked .bidding .primary")) == 1
    guest.bid(19)
    guest.mark = ""
    guest.state()
    assert played(games_server, table)[0] == {"type": "bid", "amount": 19}


def test_unsent_steps_are_marked_as_such(games_server: ServerProcess, guest: PagePerson) -> None:
    """Steps that were selected but not sent are marked as unsent.

    They stay when a spectator joins and after a reload, until they are sent. They are hidden while another client plays
    for the seat.
    """
    table = sit_in_mid_game(guest, games_server)
    guest.collect_a_build()
    before = len(games_server.lines(table))
    standing = guest.count(".layer-pieces .piece")
    assert guest.count(".layer-pieces .piece.unsent") == 1
    assert guest.is_visible("#unsent")
    join_and_leave_as_spectator(games_server, table)
    show_again(guest)
    guest.wait_for("document.querySelector('.target')")
    assert guest.count("#asked .steps li") == 2
    assert guest.text("#asked .steps li").startswith("Expand")
    guest.reload()
    guest.wait_for_count("#asked .steps li", 2)
    assert len(guest.all(".layer-pieces .piece.unsent")) == 1
    stored = "return JSON.parse(localStorage.getItem('rails-cli.seats'))[arguments[0]].token"
    token = guest.browser.execute_script(stored, table)
    with Client(games_server.url) as elsewhere:
        elsewhere.asked(type="resume", token=token)
        guest.wait_for_text("#state", "played from elsewhere")
        assert guest.count(".layer-pieces .piece") == standing - 1
        assert guest.all(".unsent") == []
        assert not guest.is_visible("#unsent")
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
    assert guest.all("#asked .steps") == [], "steps that were sent are shown as unsent"


def sit_in_mid_game(anna: PagePerson, server: ServerProcess) -> str:
    """Take a seat in the middle of a game of Chicago Express, when it is this seat's turn.

    Return the id of the table.
    """
    table = anna.continue_logged(server, "chicago_express", 69, "chicago_express", *["builtin:greedy"] * 3)
    assert "choose expand" in anna.state()["commands"]
    return table


def watch_changes(anna: PagePerson, *names: str) -> None:
    anna.browser.execute_script(
        "window.changes = {}; for (const id of arguments[0]) { window.changes[id] = 0;"
        " new MutationObserver(() => { window.changes[id] += 1; })"
        ".observe(document.getElementById(id), { childList: true }); }",
        names,
    )


def show_again(anna: PagePerson) -> None:
    """Ask the server to send the whole display of the table again. Wait until the page has processed it."""
    anna.browser.execute_script("window.socket.send(JSON.stringify({ type: 'show' }))")
    anna.round_trip()


# Lost connections


def test_answers_lost_in_a_crash_are_offered_again(tmp_path: Path, browser: Any) -> None:
    """After a crash of the server, the page shows lost answers to the person, who can send them again.

    A bid and steps of an expansion were sent before the crash, and other steps were not sent yet. At the end, each of
    these actions has been played exactly once.
    """
    resize(browser, 1280, 900)
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copyfile(GOLDEN / "chicago_express" / "chicago_express-4p.jsonl", logs / "chicago_express.jsonl")
    options = ("--logs", str(logs))
    with ServerProcess(tmp_path / "data", *options) as server:
        anna = PagePerson(browser, server.url, "Anna")
        table = anna.create("chicago_express", BOTS)
        anna.state()
        before = played(server, table)
        os.kill(server.process.pid, signal.SIGSTOP)
        anna.click("#asked .bidding .primary")
        anna.wait_for_count("#asked .bidding", 0)
        server.kill()
    with ServerProcess(tmp_path / "data", *options, port=server.port) as server:
        anna.wait_for("document.querySelector('#asked .confirm')")
        assert played(server, table) == before
        anna.click("#asked .confirm")
        anna.mark = ""
        anna.state()
        assert len(played(server, table)) == len(before) + 1
        table = sit_in_mid_game(anna, server)
        anna.collect_a_build()
        before = played(server, table)
        kill_server(anna, server)
    with ServerProcess(tmp_path / "data", *options, port=server.port) as server:
        anna.wait_for_count("#asked .steps li", 2)
        assert played(server, table) == before
        os.kill(server.process.pid, signal.SIGSTOP)
        anna.take("pass")
        anna.wait_for_text("#asked", "Sending")
        kill_server(anna, server)
    with ServerProcess(tmp_path / "data", *options, port=server.port) as server:
        anna.wait_for_count("#asked .steps li", 3)
        assert played(server, table) == before
        anna.wait_for_text("#notice", "Confirm it again")
        anna.click("#asked .confirm")
        anna.mark = ""
        anna.state()
        assert [action["type"] for action in played(server, table)[len(before) :]][:3] == ["choose", "build", "pass"]
        assert server.faults(table) == []
    complaints(browser)
    browser.get("about:blank")


def kill_server(anna: PagePerson, server: ServerProcess) -> None:
    server.kill()
    anna.wait_for("(({ className, innerText }) => className === 'lost' && innerText.includes('lost'))(window.state)")
    assert anna.all(".unsent") == [], "unsent pieces must be removed from the board"
    assert anna.browser.execute_script("return document.getElementById('tab-move').textContent") == "Move"


def test_a_game_continues_after_a_planned_restart_of_the_server(tmp_path: Path, browser: Any) -> None:
    """When the server is stopped and started again, the page shows a notice, reconnects and continues the game.

    The notice then disappears.
    """
    with ServerProcess(tmp_path / "data") as server:
        anna = PagePerson(browser, server.url, "Anna")
        table = anna.create("chicago_express", BOTS)
        anna.state()
        before = played(server, table)
        assert server.stop() == 0
        anna.wait_for("document.getElementById('notice').innerText")
    with ServerProcess(tmp_path / "data", port=server.port) as server:
        anna.wait_until_connected()
        assert anna.text("#notice") == ""
        anna.click("#asked .bidding .primary")
        anna.mark = ""
        anna.state()
        assert len(played(server, table)) > len(before)
        browser.get("about:blank")
    complaints(browser)


# Keys


def hold_key(anna: PagePerson, key: str, code: int, text: str) -> None:
    """Hold a key down for three repetitions. After each repetition, wait until the page has processed it.

    `key`, `code` and `text` are the values of the browser event: the name, the virtual key code and the typed text.
    """
    event = {"key": key, "windowsVirtualKeyCode": code, "text": text}
    for number in range(4):
        anna.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "autoRepeat": number > 0, **event})
        anna.round_trip()
    anna.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **event})


def test_a_key_that_is_held_down_acts_once(games_server: ServerProcess, guest: PagePerson) -> None:
    table = sit_in_mid_game(guest, games_server)
    before = len(played(games_server, table))
    expand = '#asked .choice[data-command="choose expand"]'
    key = str(guest.find(expand).get_attribute("data-key"))
    guest.browser.execute_script("document.activeElement.blur()")
    hold_key(guest, key, ord(key), key)
    assert guest.count("#asked .steps li") == 1
    guest.press("u")
    guest.wait_for("document.querySelector(arguments[0])", expand)
    guest.browser.execute_script("document.querySelector(arguments[0]).focus()", expand)
    hold_key(guest, "Enter", 13, "\r")
    assert guest.count("#asked .steps li") == 1
    guest.browser.execute_script("document.activeElement.blur()")
    guest.press("b")
    guest.wait_for("document.activeElement.matches('.target')")
    hold_key(guest, "Enter", 13, "\r")
    steps = guest.count("#asked .steps li")
    assert steps == 2 or guest.count("#asked .choices")
    assert not has_focus(guest, "body")
    assert len(played(games_server, table)) == before


# The lobby and its form


def test_a_double_click_creates_one_table(games_server: ServerProcess, guest: PagePerson) -> None:
    """Several clicks on the button that creates a table create only one table.

    The test clicks before the page is connected to the server. The table is created as soon as the page is connected.
    """
    handle = run_on_new_pages(guest.browser, HOLD_MESSAGES)
    guest.browser.get(f"{guest.url}#new")
    stop_running(guest.browser, handle)
    guest.wait_for("document.getElementById('state').className === 'connecting'")
    guest.click("#new-more summary")
    guest.fill({"#new-players": "3", "#new-name": "Only one"})
    guest.browser.execute_script(
        "const make = document.querySelector('#create .primary'); make.click(); make.click(); make.click();"
    )
    guest.browser.execute_script("window.release()")
    guest.wait_for("location.hash.startsWith('#table/')")
    guest.round_trip()
    with Client(games_server.url) as client:
        assert client.asked(type="list", search="Only one")["total"] == 1


def test_held_seats_in_the_lobby_can_be_returned_to_or_removed(server: ServerProcess, anna: PagePerson) -> None:
    """The lobby lists the seats that a player holds. The player can return to a seat or remove it from this list.

    For a table at which the player holds a seat, the lobby shows the button *Continue* instead of *Watch*. After a seat
    is removed, the focus moves to the next seat. A code made before the removal restores the seats. Such codes normally
    transfer seats to another device. If the page was just at the table of a seat
    that is removed, a bot takes this seat at once.
    """
    anna.create("last_spike", ["you", "builtin:greedy"], name="First")
    anna.create("last_spike", ["you", "builtin:greedy"], name="Second")
    anna.go()
    anna.wait_for_count("#tables-list li", 2)
    assert anna.texts("#tables-list .action") == ["Continue", "Continue"]
    check_fit(anna.browser, 360, 1280, rules=CONTROLS)
    anna.click("#share")
    code = anna.wait_for("document.querySelector('#share-code b')?.innerText")
    anna.browser.execute_script("document.querySelector('#my-tables button').focus()")
    anna.press(Keys.ENTER)
    stored = "return Object.values(JSON.parse(localStorage.getItem('rails-cli.seats')))[0].token"
    with Client(server.url) as elsewhere:  # what the lobby says about the game changes while the dialog is open
        elsewhere.asked(type="resume", token=anna.browser.execute_script(stored))
        anna.wait_for("document.getElementById('tables-list').innerText.split('(away)').length === 2")
        anna.click("#confirm-no")
        assert has_focus(anna, "#my-tables button")
    assert anna.count("#my-tables li") == 2
    anna.press(Keys.ENTER)
    anna.click("#confirm-yes")
    anna.wait_for_count("#my-tables li", 1)
    anna.wait_for("document.activeElement.matches('#my-tables button')")
    anna.wait_for("[...document.querySelectorAll('#tables-list .action')].some((node) => node.innerText === 'Watch')")
    anna.press(Keys.ENTER)
    anna.click("#confirm-yes")
    anna.wait_for("document.getElementById('mine').hidden")
    anna.wait_for("document.activeElement.id === 'name'")
    anna.find("#code").send_keys(code.lower(), Keys.ENTER)
    anna.wait_for_text("#fetch-words", "2 games added.")
    anna.wait_for_count("#my-tables a", 2)
    anna.find("#code").send_keys(code, Keys.ENTER)
    anna.wait_for_text("#fetch-words", "this code is wrong, has been used, or has expired")
    anna.click("#my-tables li:first-child a")
    anna.wait_for("document.querySelector('#asked .question')")
    table = anna.browser.execute_script("return location.hash.split('/')[1]")
    anna.visit()
    anna.click(f"#my-tables li:has(a[href$='{table}']) button")
    anna.wait_for_text("#confirm-words", "A bot plays on for you, and you cannot come back to your seat.")
    anna.click("#confirm-yes")
    anna.wait_for_count("#my-tables li", 1)
    with Client(server.url) as other:
        tables = {one["table"]: one for one in other.asked(type="list")["tables"]}
    assert [seat["substitute"] for seat in tables[table]["seats"]] == [True, False]


def test_invalid_data_in_local_storage_is_ignored(guest: PagePerson) -> None:
    guest.go()
    for kept in ('{"t1":{"token":5,"name":{},"game":7,"at":"x"},"t2":null}', "[1]"):
        for key in ("seats", "name"):
            guest.browser.execute_script("localStorage.setItem(`rails-cli.${arguments[0]}`, arguments[1])", key, kept)
        guest.go()
        assert guest.browser.execute_script("return document.getElementById('mine').hidden")
        guest.go("#table/t1")
        guest.wait_for_text("#asked", "There is no table")
    guest.browser.execute_script("localStorage.clear()")


def test_an_unknown_table_is_reported_with_a_link_to_the_lobby(guest: PagePerson) -> None:
    """The address of an unknown table shows a message with a link that opens the lobby."""
    for name in ("nonsense", "__proto__"):
        guest.go(f"#table/{name}")
        guest.wait_for_text("#asked", "There is no table")
        guest.click("#asked a")
        guest.wait_for("!document.getElementById('lobby').hidden")


def test_an_invalid_invitation_is_reported(games_server: ServerProcess, guest: PagePerson) -> None:
    with Client(games_server.url) as client:
        table = table_of(create(client, "last_spike", 2, seats=["reserved", "reserved"]))
        guest.go(f"#table/{table}/invite/wrong")
        guest.browser.execute_script("localStorage.setItem('rails-cli.name', '\"Anna\"')")
        guest.click("#table-buttons .primary")
        guest.wait_for_text("#notice", "invitation is not valid")
        guest.wait_for_count("#table-buttons .primary, #seat-list .primary", 0)


# Small screens and lost seats


def test_a_player_whose_seat_was_lost_is_notified(tmp_path: Path, browser: Any) -> None:
    """A player who lost the seat through faults is informed at the end of the game that a bot finished it.

    The page then has no button to return to the seat.
    """
    with ServerProcess(tmp_path / "data", "--max-faults", "1") as server, anna_at(browser, server) as anna:
        anna.create("last_spike", ["you", "builtin:greedy"])
        anna.state()
        anna.send_bad_answers()
        anna.wait_for_text("#asked", "A bot finished this game for you")
        assert "Replay" in anna.text("#table-buttons")
        assert "Take my seat back" not in anna.text("#table-buttons")
