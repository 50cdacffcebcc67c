"""The server's page in a real browser: whole games by clicks and by keys, with people at other tables' ends."""

import http.server
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rails_cli.games import GAME_NAMES
from tests.support.browser import complaints, open_browser, resize, violations
from tests.support.fetching import replayed, story_in
from tests.support.page_person import Keys, PagePerson, anna_at
from tests.support.person import Person
from tests.support.short_boards import short_board
from tests.support.ws_client import Client, ServerProcess, create, play_to_end, table_of, verified

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror='window.hacked=1'>",
    "\" ' & javascript:alert(1) {{x}} ${y} \u202eevil",
)


@pytest.fixture(scope="module")
def other_browser() -> Iterator[Any]:
    """Another person's, which knows nothing of the first."""
    opened = open_browser()
    yield opened
    opened.quit()


def at_terminal(server: ServerProcess, table: str, folder: Path) -> None:
    """Tom plays a whole game at a terminal: mostly the first choice."""
    words = ("play", "--at", server.url, "--table", table, "--name", "Tom", "--fast")
    with Person(*words, folder=folder) as person:
        person.wait_until_asked("Tom")
        decisions = 0
        while not person.is_over():
            assert person.process.poll() is None, person.text
            person.say("pass" if "AUCTION" in person.text and decisions % 4 else "1", "Tom")
            decisions += 1
        person.press("\r")
        assert person.wait_for_end() == 0


def by_clicks(person: PagePerson, chance: Random, rounds: int | None = None) -> dict[str, Any]:
    """Plays by clicks to the end, or so many decisions."""
    state = person.state()
    while not state["over"] and rounds != 0:
        person.one_decision(state, chance)
        state = person.state()
        rounds = None if rounds is None else rounds - 1
    return state


def look_closely(person: PagePerson) -> None:
    """No serious fault for those who cannot see, or see little; nothing sticks out of a phone."""
    for width, theme in ((360, "dark"), (1280, "light")):
        resize(person.browser, width, 900, theme)
        assert violations(person.browser) == []
        assert person.browser.execute_script("return document.documentElement.scrollWidth") <= width


# Whole games


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_whole_game_by_clicks(game: str, browser: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A person with a mouse, and bots; in one game a person at a terminal, in the shortest one a guest with a link."""
    with (
        ServerProcess(tmp_path / "data", "--board", f"short={short_board(game, tmp_path)}") as server,
        anna_at(browser, server) as anna,
    ):
        guest = request.getfixturevalue("other_browser") if game == "last_spike" else None
        play_by_clicks(game, server, anna, guest, tmp_path)


def play_by_clicks(game: str, server: ServerProcess, anna: PagePerson, guest: Any, folder: Path) -> None:
    chance = Random(5)
    has_guest = guest is not None
    others_wanted = {
        "last_spike": ["builtin:busy", "reserved"],
        "chicago_express": ["", "builtin:busy", "builtin:random"],
    }
    seats = ["you", "builtin:greedy", *others_wanted.get(game, ["builtin:busy"])]
    table = anna.create(game, seats, name="Friday <i>evening</i>", board="short")
    if has_guest:
        look_closely(anna)
    with ThreadPoolExecutor(2) as pool:
        others: list[Future[Any]] = []
        if "" in seats:
            others.append(pool.submit(at_terminal, server, table, folder))
        if has_guest:
            others.append(pool.submit(guest_plays, anna_invites(anna), guest, server))
        by_clicks(anna, chance, 6)
        anna.browser.refresh()
        anna.mark = ""
        try:
            assert by_clicks(anna, chance)["over"]
        finally:  # what one of the others has met is told, too: without him the game stands still
            for other in others:
                other.result()
    if has_guest:
        look_closely(anna)
    assert verified(server.log(table))
    assert server.faults(table) == []
    played = [line for line in server.lines(table) if line["type"] == "action"]
    assert sum(line["seat"] == 0 for line in played) > 5
    scores = server.lines(table)[-1]["scores"]
    assert f"${scores[0]:,}" in anna.text("#asked .podium")
    assert anna.find("#table-buttons a.action").get_attribute("href") == f"{anna.url}replay/{table}"
    if has_guest:
        anna.click("#table-buttons a.action")
        anna.wait_for("document.getElementById('steps')?.childElementCount === arguments[0]", len(played) + 1)
    else:  # a browser takes its time for the long ones; tests of exports show that it can
        assert len(story_in(replayed(server, table)[2].decode())["board"]) == len(played) + 1


def anna_invites(anna: PagePerson) -> str:
    """The link for the last seat."""
    anna.click("#seat-list li:last-child button")
    link = anna.wait_for("document.querySelector('#invites .link')?.value")
    assert "/invite/" in link
    return str(link)


def guest_plays(link: str, browser: Any, server: ServerProcess) -> None:
    """Gert comes by the link, on a phone, and plays to the end; the link is good once, and leaves the address bar."""
    gert = PagePerson(browser, server.url, "Gert")
    resize(browser, 360, 740)
    complaints(browser)
    browser.get(link)
    gert.wait_for("document.querySelector('#table-buttons .primary')")
    assert "invite" not in browser.execute_script("return location.href")
    gert.click("#table-buttons .primary")
    gert.wait_for("document.querySelector('#naming form input')")
    gert.find("#naming form input").send_keys("Gert", Keys.ENTER)
    assert by_clicks(gert, Random(6))["over"]
    assert complaints(browser) == []


def test_others_do_not_disturb_one_who_types_a_name(server: ServerProcess, browser: Any) -> None:
    with Client(server.url) as maker, Client(server.url) as guest:
        table = table_of(create(maker, players=3))
        person = PagePerson(browser, server.url, "Gert")
        browser.get(person.url)
        browser.execute_script("localStorage.clear()")
        person.go(f"#table/{table}")
        person.wait_for("document.querySelector('#seat-list button, #table-buttons .primary')").click()
        person.wait_for("document.querySelector('#naming form input')")
        person.find("#naming form input").send_keys("Ger")
        maker.asked(type="sit", table=table, seat=2, name="Olga")
        person.wait_for_text("#seat-list", "Olga")
        guest.asked(type="watch", table=table)
        assert person.find("#naming form input").get_attribute("value") == "Ger"
        person.find("#naming form input").send_keys("t", Keys.ENTER)
        person.wait_for_text("#seat-list", "Gert")
        browser.get("about:blank")


# In the middle of a game


def test_an_expansion_is_taken_back(server: ServerProcess, anna: PagePerson) -> None:
    """Steps are shown on the board and in the tables before they are sent; undone, nothing of them is left."""
    table = anna.create("chicago_express", ["you", "builtin:greedy", "builtin:greedy"])
    anna.state()
    anna.click("#asked .bidding .primary")
    anna.state()
    anna.click("#asked .help button")
    anna.wait_for_text("#asked .advice", "You would then win about")
    anna.click("#asked .confirm")
    anna.to_first_turn()
    before = len(server.lines(table))
    anna.take("choose expand")
    state = anna.state()
    assert state["targets"]
    ask_for_help(anna)
    pieces = "document.querySelectorAll('.layer-pieces .piece').length"
    standing = anna.wait_for(pieces)
    anna.pick(state["targets"][0])
    state = anna.state()
    if state["steps"] == 1:
        anna.take(next(command for command in state["commands"] if command != "pass"))
        state = anna.state()
    assert state["steps"] == 2
    assert anna.wait_for(pieces) == standing + 1
    assert "costs" in anna.text("#asked .total")
    anna.press("u")
    assert anna.state()["steps"] == 1
    assert anna.wait_for(pieces) == standing
    assert len(server.lines(table)) == before
    anna.click("#asked .collected button:last-child")
    state = anna.state()
    assert state["steps"] == 0
    assert "choose expand" in state["commands"]
    anna.take("choose expand")
    anna.state()
    anna.take(anna.all("#asked .choices .choice")[0].get_attribute("data-command"))
    assert anna.state()["steps"] == 2
    anna.take("pass")
    anna.state()
    mine = [line["action"]["type"] for line in server.lines(table)[before:] if line.get("seat") == 0]
    assert mine[:3] == ["choose", "build", "pass"]


def ask_for_help(anna: PagePerson) -> None:
    """Why a place cannot be chosen, a hint, and the rules."""
    anna.click('svg.board [data-place="A3"] .hex')
    anna.wait_for_text("#hover", "A3")
    anna.press("h")
    anna.wait_for_text("#asked .advice", "You would then win about")
    anna.wait_for_text("#asked .advice", "A strong player suggests")
    anna.click("#asked summary")
    anna.wait_for_text("#asked .rules", "CE-40")


def test_two_tables_at_once(server: ServerProcess, anna: PagePerson) -> None:
    """Who sits at one table, with a clock that runs, may make another, and finds both again."""
    first = anna.create("last_spike", ["you", "builtin:greedy"], name="First", clock="300+5")
    assert anna.state()["words"]
    left = anna.text("#seat-list .clock")
    assert left.startswith(("5:00", "4:5"))
    anna.wait_for("document.querySelector('#seat-list .clock').innerText !== arguments[0]", left)
    anna.browser.execute_script("location.hash = ''")
    anna.wait_for_text("#my-tables", "First")
    anna.click("a[href='#new']")
    anna.choose("#new-game", "chicago_express")
    anna.choose("#new-seats label:nth-child(2) select", "builtin:greedy")
    anna.choose("#new-seats label:nth-child(3) select", "builtin:greedy")
    anna.choose("#new-openings", "drawn")
    anna.find("#new-name").send_keys("Second")
    anna.click("#create .primary")
    anna.wait_for_text("#table-title", "Second")
    anna.mark = ""
    assert anna.state()["words"]
    second = anna.browser.execute_script("return location.hash.split('/')[1]")
    assert server.lines(second)[0]["opening"]
    anna.browser.execute_script("location.hash = ''")
    anna.wait_for("document.querySelectorAll('#my-tables li').length === 2")
    anna.click("#my-tables li:last-child a")
    anna.wait_for_text("#table-title", "First")
    anna.mark = ""
    assert anna.state()["targets"]
    assert anna.browser.execute_script("return location.hash") == f"#table/{first}"


# By keyboard alone


def test_a_whole_game_by_keys(browser: Any, tmp_path: Path) -> None:
    """From the lobby to the result without a mouse: by arrows on the board, and by the numbers of the choices."""
    board = f"short={short_board('last_spike', tmp_path)}"
    with ServerProcess(tmp_path / "data", "--board", board) as server, anna_at(browser, server) as anna:
        play_by_keys(server, anna)


def play_by_keys(server: ServerProcess, anna: PagePerson) -> None:
    anna.go()
    keys = Keyboard(anna)
    keys.tab_to("a[href='#new']")
    anna.press(Keys.ENTER)
    anna.wait_for("document.activeElement?.id === 'new-game'")
    anna.press("The")
    keys.tab_to("#new-players")
    anna.press("4")  # with more players each has fewer turns
    keys.tab_to("#new-board")
    anna.press("short")
    for seat in (2, 3, 4):
        keys.tab_to(f"#new-seats label:nth-child({seat}) select")
        anna.press("built-in bot: b")
    keys.tab_to("#create .primary")
    anna.press(Keys.ENTER)
    anna.wait_for("location.hash.startsWith('#table/')")
    table = anna.browser.execute_script("return location.hash.split('/')[1]")
    state = anna.state()
    on_board = 0
    while not state["over"]:
        if state["confirm"]:
            assert anna.browser.execute_script("return document.activeElement.matches('.confirm')")
            anna.press(Keys.ENTER)
        elif state["targets"] and on_board < 4:
            on_board += 1
            keys.body("b")
            anna.wait_for("document.activeElement.closest('.target') !== null")
            anna.press(Keys.ARROW_RIGHT)
            anna.press(Keys.ARROW_DOWN)
            anna.press(Keys.ENTER)
        else:
            keys.body("1")
        state = anna.state()
    assert on_board == 4
    assert verified(server.log(table))


class Keyboard:
    """Keys, and where they go."""

    def __init__(self, person: PagePerson) -> None:
        self.person = person

    def tab_to(self, what: str) -> None:
        for _ in range(60):
            if self.person.browser.execute_script("return document.activeElement?.matches(arguments[0])", what):
                return
            self.person.press(Keys.TAB)
        raise AssertionError(f"{what} is not reached")

    def body(self, key: str) -> None:
        self.person.browser.switch_to.active_element.send_keys(key)


# Lobby and watchers


def test_the_lobby(server: ServerProcess, anna: PagePerson) -> None:
    with Client(server.url) as client:
        made = table_of(create(client, "chicago_express", 3, name="Needle"))
        create(client, "last_spike", 2, name="Hay")
        anna.go()
        anna.wait_for("document.querySelectorAll('#tables-list li').length === 2")
        look_closely(anna)
        anna.find("#words").send_keys("needle")
        anna.wait_for("document.querySelectorAll('#tables-list li').length === 1")
        anna.wait_for_text("#tables-list", "Needle")
        client.asked(type="sit", table=made, name="Zoe")
        anna.wait_for_text("#tables-list", "Zoe")
        anna.go("#new")
        look_closely(anna)


def test_watching_and_what_the_end_offers(server: ServerProcess, anna: PagePerson) -> None:
    with Client(server.url) as client:
        table = table_of(create(client, "last_spike", 2, seats=[None, "builtin:busy"]))
        anna.go(f"#table/{table}")
        anna.wait_for_text("#asked", "when all seats are taken")
        client.asked(type="sit", table=table, name="Zoe")
        anna.wait_for("document.querySelector('svg.board') !== null")
        assert "you are watching" in anna.text("#table-words")
        play_to_end(client)
        anna.wait_for("document.querySelector('#asked .podium') !== null")
        assert anna.all(".target") == []
    anna.go(f"#table/{table}")
    anna.wait_for_text("#asked", "This game has ended")
    anna.wait_for_text("#table-buttons", "Study the game")


def test_a_rematch(server: ServerProcess, anna: PagePerson) -> None:
    table = anna.create("last_spike", ["you", "builtin:busy"])
    anna.state()
    with Client(server.url) as owner:
        owner.asked(type="admin", token=server.admin_token, command="end_table", table=table)
    anna.wait_for_text("#asked", "interrupted")
    anna.click("#table-buttons .primary")
    anna.wait_for("location.hash.startsWith('#table/') && !location.hash.includes(arguments[0])", table)
    anna.mark = ""
    assert anna.state()["words"]


def test_a_private_table(server: ServerProcess, anna: PagePerson) -> None:
    table = anna.create("last_spike", ["you", "reserved"], private="on")
    assert "private" in anna.text("#table-words")
    with Client(server.url) as client:
        assert client.asked(type="list")["tables"] == []
        invite = anna_invites(anna).rpartition("/")[2]
        client.asked(type="sit", table=table, invite=invite, name="Zoe")
        anna.wait_for("document.querySelector('svg.board') !== null")


# Those who mean no good


def test_hostile_words_do_nothing(server: ServerProcess, anna: PagePerson) -> None:
    """A table's name, players' names and notes are shown as they are, wherever they come up."""
    with Client(server.url) as client:
        table = table_of(create(client, "last_spike", 2, name=HOSTILE[0], seats=[None, None]))
        client.asked(type="sit", table=table, name=HOSTILE[1])
        anna.go()
        anna.wait_for_text("#tables-list", HOSTILE[0])
        anna.browser.execute_script("localStorage.setItem('rails-cli.name', JSON.stringify(arguments[0]))", HOSTILE[2])
        anna.go(f"#table/{table}")
        anna.wait_for("document.querySelector('#seat-list .primary')")
        anna.click("#seat-list .primary")
        chance = Random(1)
        for _ in range(3):
            if client.open or [one for one in client.silent(0.2) if one["type"] == "request"]:
                assert client.open is not None
                client.answer(client.open, choice=0, info={"note": HOSTILE[0]})
            if anna.all("#asked .question"):
                anna.one_decision(anna.state(), chance)
        anna.wait_for_text("#glance", HOSTILE[1])
        assert HOSTILE[0] in anna.text("#table-title")
        assert (
            anna.browser.execute_script("return document.querySelectorAll('img, body script, iframe, i').length") == 0
        )
        assert anna.browser.execute_script("return typeof window.hacked") == "undefined"


def test_another_page_cannot_connect(server: ServerProcess, browser: Any) -> None:
    """A page from elsewhere that knows the address of the server."""
    words = (
        b"<!doctype html><title>wait</title><script>"
        b"const s = new WebSocket(decodeURIComponent(location.hash.slice(1)));"
        b"s.onopen = () => { document.title = 'open'; }; s.onerror = () => { document.title = 'kept out'; };"
        b"</script>"
    )

    class Stranger(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(words)

        def log_message(self, *words: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as elsewhere:
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        stranger = PagePerson(browser, server.url, "")
        browser.get(f"http://127.0.0.1:{elsewhere.server_port}/#{server.url}")
        stranger.wait_for("document.title !== 'wait'")
        assert browser.title == "kept out"
        elsewhere.shutdown()
    browser.get("about:blank")
    complaints(browser)
