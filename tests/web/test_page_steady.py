"""The server's page stays with its player: nothing collected, typed or in focus is lost, nothing is sent unasked."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from tests.support.browser import complaints, resize, violations
from tests.support.page_person import Keys, PagePerson
from tests.support.ws_client import Client, ServerProcess, create, table_of

BOTS = ["you", "builtin:greedy", "builtin:greedy"]


def played(server: ServerProcess, table: str) -> list[Any]:
    """What Anna has played."""
    return [line["action"] for line in server.lines(table) if line["type"] == "action" and line["seat"] == 0]


def come_to(server: ServerProcess, table: str) -> None:
    """Somebody looks in, and is shown the table."""
    with Client(server.url) as guest:
        guest.send(type="show")
        guest.asked(type="watch", table=table)
        guest.until("shown")


def focused(anna: PagePerson, what: str) -> bool:
    return bool(anna.browser.execute_script("return document.activeElement.matches(arguments[0])", what))


# Others come and go


def test_one_who_comes_disturbs_nobody(server: ServerProcess, anna: PagePerson) -> None:
    """Neither a bid that is typed nor an open explanation, nor collected steps."""
    table = anna.create("chicago_express", BOTS)
    assert anna.state()["bid"]
    catch_socket(anna)
    anna.click("#asked summary")
    field = anna.find("#asked .bid")
    field.clear()
    field.send_keys("23")
    anna.wait_for("window.socket")
    watch_changes(anna, "told", "asked", "table-buttons")
    come_to(server, table)
    come_to(server, table)
    assert anna.browser.execute_script("return window.changes.told") == 0, "a screen reader would read it again"
    show_again(anna)
    assert anna.browser.execute_script("return window.changes.asked + window.changes['table-buttons']") == 0
    assert anna.browser.execute_script("return document.querySelector('#asked details').open")
    assert anna.find("#asked .bid").get_attribute("value") == "23"
    assert focused(anna, "#asked .bid")
    field.clear()
    field.send_keys("9999", Keys.ENTER)
    anna.wait_for_text("#notice", "Bids are $")
    assert anna.text("#asked .bidding .primary") == "Bid"
    assert field.get_attribute("value") == "9999"
    anna.browser.execute_script("document.activeElement.blur()")
    field.click()
    field.send_keys("19")
    assert anna.text("#asked .bidding .primary") == "Bid $19"
    field.send_keys(Keys.ENTER)
    anna.wait_for_text("#asked .confirm", "$19")
    assert anna.text("#notice") == ""
    anna.mark = ""
    anna.to_first_turn()
    before = len(played(server, table))
    anna.collect_a_build()
    come_to(server, table)
    show_again(anna)
    anna.wait_for("document.querySelector('.target')")
    assert len(anna.all("#asked .steps li")) == 2
    assert anna.text("#asked .steps li").startswith("Expand")
    anna.take("pass")
    anna.state()
    assert [action["type"] for action in played(server, table)[before:]][:3] == ["choose", "build", "pass"]


def watch_changes(anna: PagePerson, *names: str) -> None:
    anna.browser.execute_script(
        "window.changes = {}; for (const id of arguments[0]) { window.changes[id] = 0;"
        " new MutationObserver(() => { window.changes[id] += 1; })"
        ".observe(document.getElementById(id), { childList: true }); }",
        names,
    )


def catch_socket(anna: PagePerson) -> None:
    """The page's connection, from when it is next used."""
    anna.browser.execute_script(
        "const send = WebSocket.prototype.send;"
        "WebSocket.prototype.send = function (text) { window.socket = this; send.call(this, text); };"
    )


def show_again(anna: PagePerson) -> None:
    """The table as it really is comes once more."""
    anna.browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "window.socket.addEventListener('message', function heard({ data }) {"
        "  if (JSON.parse(data).type !== 'shown') return;"
        "  window.socket.removeEventListener('message', heard); setTimeout(done, 150); });"
        "window.socket.send(JSON.stringify({ type: 'show' }));"
    )


# The connection is lost


def test_an_answer_that_did_not_arrive(tmp_path: Path, browser: Any) -> None:
    """The page comes back by itself to a server that was killed, to the same seat and question: a bid on its way, steps
    that were collected, steps on their way, all are there again, and played once."""
    resize(browser, 1280, 900)
    with ServerProcess(tmp_path / "data") as server:
        anna = PagePerson(browser, server.url, "Anna")
        table = anna.create("chicago_express", BOTS)
        anna.state()
        anna.click("#asked .bidding .primary")
        assert anna.state()["confirm"]
        before = played(server, table)
        os.kill(server.process.pid, signal.SIGSTOP)
        anna.click("#asked .confirm")
        anna.wait_for("document.querySelector('#asked .confirm') === null")
        server.kill()
    with ServerProcess(tmp_path / "data", port=server.port) as server:
        anna.wait_for("document.querySelector('#asked .confirm')")
        assert played(server, table) == before
        anna.click("#asked .confirm")
        anna.mark = ""
        anna.to_first_turn()
        assert len(played(server, table)) > len(before)
        anna.collect_a_build()
        before = played(server, table)
        lose(anna, server)
    with ServerProcess(tmp_path / "data", port=server.port) as server:
        anna.wait_for("document.querySelectorAll('#asked .steps li').length === 2")
        assert played(server, table) == before
        os.kill(server.process.pid, signal.SIGSTOP)
        anna.take("pass")
        anna.wait_for_text("#asked", "Sending")
        lose(anna, server)
    with ServerProcess(tmp_path / "data", port=server.port) as server:
        anna.wait_for("document.querySelectorAll('#asked .steps li').length === 3")
        assert played(server, table) == before
        anna.wait_for_text("#notice", "Confirm it again")
        anna.click("#asked .confirm")
        anna.mark = ""
        anna.state()
        assert [action["type"] for action in played(server, table)[len(before) :]][:3] == ["choose", "build", "pass"]
        assert server.faults(table) == []
        assert sum(line["type"] == "resumed" for line in server.lines(table)) == 3
    complaints(browser)


def lose(anna: PagePerson, server: ServerProcess) -> None:
    server.kill()
    anna.wait_for("document.getElementById('state').className === 'lost'")
    assert "lost" in anna.text("#state")
    assert anna.all(".unsent") == [], "what was not played stays on the board"


def test_a_notice_goes_with_its_cause(tmp_path: Path, browser: Any) -> None:
    """That the server stops is told while that is so."""
    with ServerProcess(tmp_path / "data") as server:
        anna = PagePerson(browser, server.url, "Anna")
        anna.go()
        server.process.terminate()
        anna.wait_for("document.getElementById('notice').innerText !== ''")
    with ServerProcess(tmp_path / "data", port=server.port) as server:
        anna.wait_for("document.getElementById('state').className === 'open'")
        assert anna.text("#notice") == ""
        browser.get("about:blank")
    complaints(browser)


# Keys


def hold(anna: PagePerson, key: str, code: int, text: str) -> None:
    """Holds a key down for a while."""
    what = {"key": key, "windowsVirtualKeyCode": code, "text": text}
    for number in range(8):
        anna.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "autoRepeat": number > 0, **what})
        time.sleep(0.08)
    anna.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **what})


def test_a_key_that_is_held_down_answers_once(server: ServerProcess, anna: PagePerson) -> None:
    table = anna.create("chicago_express", BOTS)
    anna.to_first_turn()
    before = len(played(server, table))
    expand = '#asked .choice[data-command="choose expand"]'
    key = str(anna.find(expand).get_attribute("data-key"))
    anna.browser.execute_script("document.activeElement.blur()")
    hold(anna, key, ord(key), key)
    assert len(anna.all("#asked .steps li")) == 1
    anna.press("u")
    anna.wait_for("document.querySelector(arguments[0])", expand)
    anna.browser.execute_script("document.querySelector(arguments[0]).focus()", expand)
    hold(anna, "Enter", 13, "\r")
    assert len(anna.all("#asked .steps li")) == 1
    anna.browser.execute_script("document.activeElement.blur()")
    anna.press("b")
    assert focused(anna, ".target")
    hold(anna, "Enter", 13, "\r")
    steps = len(anna.all("#asked .steps li"))
    assert steps == 2 or anna.all("#asked .choices")
    assert not focused(anna, "body")
    assert len(played(server, table)) == before


# The lobby and its form


def test_a_double_click_makes_one_table(server: ServerProcess, anna: PagePerson) -> None:
    anna.go("#new")
    anna.choose("#new-players", "3")
    anna.browser.execute_script(
        "const make = document.querySelector('#create .primary'); make.click(); make.click(); make.click();"
    )
    anna.wait_for("location.hash.startsWith('#table/')")
    with Client(server.url) as client:
        client.silent(0.2)
        assert len(client.asked(type="list")["tables"]) == 1


def test_ones_own_seats_in_the_lobby(server: ServerProcess, anna: PagePerson) -> None:
    """The way back, not a place to watch from; and where the keyboard is after one is forgotten."""
    anna.create("last_spike", ["you", "builtin:greedy"], name="First")
    anna.create("last_spike", ["you", "builtin:greedy"], name="Second")
    anna.go()
    anna.wait_for("document.querySelectorAll('#tables-list li').length === 2")
    assert [node.text for node in anna.all("#tables-list .action")] == ["Return to game", "Return to game"]
    assert violations(anna.browser) == []
    anna.browser.execute_script("document.querySelector('#my-tables button').focus()")
    anna.press(Keys.ENTER)
    anna.browser.switch_to.alert.dismiss()
    assert len(anna.all("#my-tables li")) == 2
    anna.press(Keys.ENTER)
    anna.browser.switch_to.alert.accept()
    anna.wait_for("document.querySelectorAll('#my-tables li').length === 1")
    assert focused(anna, "#my-tables button")
    anna.wait_for("[...document.querySelectorAll('#tables-list .action')].some((node) => node.innerText === 'Watch')")
    anna.press(Keys.ENTER)
    anna.browser.switch_to.alert.accept()
    anna.wait_for("document.getElementById('mine').hidden")
    assert focused(anna, "#name")


def test_what_is_remembered_may_be_nonsense(anna: PagePerson) -> None:
    anna.go()
    for kept in ('{"t1":{"token":5,"name":{},"game":7,"at":"x"},"t2":null}', "[1]"):
        for key in ("seats", "name"):
            anna.browser.execute_script("localStorage.setItem(`rails-cli.${arguments[0]}`, arguments[1])", key, kept)
        anna.go()
        assert anna.browser.execute_script("return document.getElementById('mine').hidden")
        anna.go("#table/t1")
        anna.wait_for_text("#asked", "There is no table")
    anna.browser.execute_script("localStorage.clear()")


def test_tables_that_are_none(anna: PagePerson) -> None:
    """It is said as long as one is there, with a way out."""
    for name in ("nonsense", "__proto__"):
        anna.go(f"#table/{name}")
        anna.wait_for_text("#asked", "There is no table")
        anna.click("#asked a")
        anna.wait_for("!document.getElementById('lobby').hidden")


def test_an_invitation_that_is_not_good(server: ServerProcess, anna: PagePerson) -> None:
    with Client(server.url) as client:
        table = table_of(create(client, "last_spike", 2, seats=["reserved", "reserved"]))
        anna.go(f"#table/{table}/invite/wrong")
        anna.browser.execute_script("localStorage.setItem('rails-cli.name', '\"Anna\"')")
        anna.wait_for("document.querySelector('#table-buttons .primary')").click()
        anna.wait_for_text("#notice", "invitation is not valid")
        assert anna.all("#table-buttons .primary, #seat-list .primary") == []


# Small screens, and seats that are lost


def test_a_phone(anna: PagePerson) -> None:
    """What is to be touched is large enough; the hand stands beside the question."""
    resize(anna.browser, 360, 740)
    anna.create("last_spike", ["you", "builtin:greedy"])
    anna.state()
    anna.wait_for("document.querySelector('#board-holder.enlarged')")
    sizes = anna.browser.execute_script(
        "return [...document.querySelectorAll('.target .outline')].map((node) => node.getBoundingClientRect())"
        ".map(({ width, height }) => Math.min(width, height))"
    )
    assert min(sizes) >= 20
    hand = anna.find("#asked .hand")
    assert hand.text.startswith("Your hand: ")
    assert hand.rect["x"] + hand.rect["width"] <= 360
    anna.click("#zoom")
    assert anna.all("#board-holder.enlarged") == []


def test_a_seat_that_a_substitute_plays(anna: PagePerson) -> None:
    """He is told so in words for people; when the game has ended there is nothing to be taken back."""
    anna.create("last_spike", ["you", "builtin:greedy"], clock="", other="0.2/move")
    anna.wait_for_text("#notice", "A substitute plays for you now")
    anna.wait_for("document.querySelector('#asked .podium')")
    assert "Study the game" in anna.text("#table-buttons")
    assert "Take my seat back" not in anna.text("#table-buttons")
