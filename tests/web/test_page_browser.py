"""Tests of the server's page in a real browser: playing by mouse and keyboard, the lobby, and hostile text."""

import http.server
import re
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from random import Random
from typing import Any

from tests.support.browser import (
    CONTRAST,
    CONTROLS,
    check_fit,
    complaints,
    resize,
    run_on_new_pages,
    stop_running,
    violations,
)
from tests.support.fetching import replayed
from tests.support.page_person import Keys, PagePerson, anna_at
from tests.support.short_boards import short_board
from tests.support.waiting import wait_until
from tests.support.ws_client import Client, ServerProcess, create, play_to_end, table_of, verified

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror='window.hacked=1'>",
    "\" ' & javascript:alert(1) {{x}} ${y} \u202eevil",
)


def play_by_clicks(
    person: PagePerson,
    chance: Random,
    is_enough: Callable[[], bool] = lambda: False,
    wanted: Callable[[], Collection[str]] = tuple,
) -> dict[str, Any]:
    """Play by clicks until the game is over or `is_enough()` is true. Return the state of the page.

    Prefer choices whose command begins with one of `wanted()`.
    """
    state = person.state()
    while not (state["over"] or is_enough()):
        person.one_decision(state, chance, wanted())
        state = person.state()
    return state


# Games


FROM = {"chicago_express": 69, "last_spike": 64}
"""By game, the number of the first action of the logged game that is not kept. From there a test plays the game."""
KINDS = {"develop": "choose develop", "offer": "choose auction", "bid": "bid"}
"""By kind of action in Chicago Express, the command of the choice that leads to this kind."""


def test_every_kind_of_action_can_be_played_by_clicks(games_server: ServerProcess, guest: PagePerson) -> None:
    """A person can play every kind of action in `KINDS` by clicks. The test of unsent steps below builds by clicks.

    Choices that lead to kinds not yet played are preferred, so each kind is played before the game ends.
    """
    game = "chicago_express"
    table = guest.continue_logged(games_server, game, FROM[game], game, *["builtin:greedy"] * 3)

    def missing() -> set[str]:
        """Return the commands of actions whose kinds were not played yet."""
        lines = games_server.lines(table)
        new = [line for line in lines if line["type"] == "action" and line["number"] >= FROM[game]]
        played = {line["action"]["type"] for line in new if line["seat"] == 0}
        return {choice for kind, choice in KINDS.items() if kind not in played}

    guest.state()
    guest.take("choose auction")
    guest.take(guest.state()["commands"][0])
    guest.wait_for("document.querySelector('#asked .bid')")
    assert guest.count("#asked .choice[data-command=pass]") == 1, "the seat that offers a share may pass"
    guest.reload()
    assert not play_by_clicks(guest, Random(5), lambda: not missing(), missing)["over"]
    assert games_server.faults(table) == []


def test_a_game_is_finished_by_clicks_and_its_replay_opened(games_server: ServerProcess, guest: PagePerson) -> None:
    """A person can play the last part of a game by clicks, reload the page in between, and open the replay."""
    start = FROM["last_spike"]
    seats = ["builtin:greedy", "builtin:busy", "builtin:busy"]
    table = guest.continue_logged(games_server, "last_spike", start, "last_spike", *seats)
    chance = Random(5)
    play_by_clicks(guest, chance, lambda: len(games_server.lines(table)) > start + 2, lambda: ["buy"])
    guest.reload()
    assert play_by_clicks(guest, chance, wanted=lambda: ["buy"])["over"]
    assert verified(games_server.log(table))
    assert games_server.faults(table) == []
    played = [line for line in games_server.lines(table) if line["type"] == "action"]
    assert {line["action"]["type"] for line in played[start - 1 :] if line["seat"] == 0} >= {"play", "buy"}
    scores = games_server.lines(table)[-1]["scores"]
    assert f"${scores[0]:,}" in guest.text("#asked .podium")
    gap = max(scores) - scores[0]
    place = ["won", "came 2nd", "came 3rd", "came 4th"][sorted(scores, reverse=True).index(scores[0])]
    assert guest.text("#asked .place").startswith(f"You {place}, ${gap:,} behind" if gap else "You won, $")
    check_sources(guest, scores)
    assert guest.find("#table-buttons a.action").get_attribute("href") == f"{guest.url}replay/{table}"
    check_fit(guest.browser, 360, 1280, rules=CONTROLS)
    assert replayed(games_server, table)[0] == 200, "until then the status is 503, which is an error in the console"
    guest.click("#table-buttons a.action")
    guest.wait_for_count("#steps > li:not(.turn)", len(played) + 1)
    assert set(guest.texts("#steps .turn h3")) == {"Anna", "Vanderbilt", "Gould", "Hill"}
    resize(guest.browser, 360, 740)
    guest.browser.execute_script("document.querySelector('#auctions, #charts').scrollIntoView()")
    guest.click("#transport [data-go=on]")
    guest.wait_for("document.querySelector('#stage').getBoundingClientRect().top >= 0")
    assert guest.browser.current_url.endswith("#at=1")
    guest.click("header .back")
    guest.wait_for_text("#asked .place", "You ")


def check_sources(guest: PagePerson, scores: list[int]) -> None:
    """Check that the result says who ended the game, and lists the sources of each player's money.

    The amounts of a player must add up to the score in `scores`.
    """
    assert "drives the last spike" in guest.text("#asked .outcome")
    amounts = [re.findall(r"(−?)\$(\d+)k", line) for line in guest.texts("#asked .sources")]
    sums = [sum(int(f"{'-' if sign else ''}{thousands}") for sign, thousands in one) for one in amounts]
    assert sorted(1000 * total for total in sums) == sorted(scores)


def invite_guest(anna: PagePerson) -> str:
    """Invite a guest to the last seat. Return the invitation link."""
    anna.click("#seat-list li:last-child button")
    link = anna.wait_for("document.querySelector('#invites .link')?.value")
    assert "/invite/" in link
    return str(link)


def test_a_guest_sits_down_by_an_invitation_link(games_server: ServerProcess, guest: PagePerson) -> None:
    """A guest sits down by an invitation link and plays by clicks on a screen of the size of a phone.

    The page removes the invitation from the address bar.
    """
    resize(guest.browser, 360, 740)
    with Client(games_server.url) as owner:
        made = create(owner, "last_spike", 2, seats=["reserved", "builtin:busy"])
        table = table_of(made)
        invite = owner.asked(type="invite", table=table, owner=made["owner"], seat=0)["invite"]
    guest.go(f"#table/{table}")
    guest.wait_for_text("#table-buttons", "Seats are by invitation only. Ask the owner of the table for a link.")
    guest.wait_for_text("#table-buttons", "Copy link for spectators")
    guest.go(f"#table/{table}/invite/{invite}")
    guest.wait_for("document.querySelector('#table-buttons .primary')")
    assert "by invitation only" not in guest.text("#table-buttons")
    assert "invite" not in guest.browser.execute_script("return location.href")
    guest.reload()  # the browser keeps the invitation until it is used
    guest.wait_for_text("#table-buttons", "Take your seat")
    guest.click("#table-buttons .primary")
    guest.wait_for("document.querySelector('#naming form input')")
    guest.find("#naming form input").send_keys("Anna", Keys.ENTER)

    def has_played() -> bool:
        return any(line["type"] == "action" and line["seat"] == 0 for line in games_server.lines(table))

    play_by_clicks(guest, Random(6), has_played)
    assert has_played()
    assert (
        guest.browser.execute_script("return Object.keys(localStorage).filter((key) => key.includes('invite'))") == []
    )


def test_typing_a_name_is_not_disturbed_by_other_players(games_server: ServerProcess, browser: Any) -> None:
    with Client(games_server.url) as maker, Client(games_server.url) as guest:
        table = table_of(create(maker, players=3))
        person = PagePerson(browser, games_server.url, "Gert")
        browser.get(person.url)
        browser.execute_script("localStorage.clear()")
        person.go(f"#table/{table}")
        person.click("#seat-list button, #table-buttons .primary")
        person.wait_for("document.querySelector('#naming form input')")
        person.find("#naming form input").send_keys("Ger")
        maker.asked(type="sit", table=table, seat=2, name="Olga")
        person.wait_for_text("#seat-list", "Olga")
        guest.asked(type="watch", table=table)
        assert person.find("#naming form input").get_attribute("value") == "Ger"
        person.find("#naming form input").send_keys("t", Keys.ENTER)
        person.wait_for_text("#seat-list", "Gert")
        browser.get("about:blank")


# Steps, help and several tables


STEPS = "#asked .steps li"


def test_unsent_steps_of_an_expansion_can_be_undone(games_server: ServerProcess, guest: PagePerson) -> None:
    """Steps appear on the board and in the tables before the player sends them, and disappear when they are undone."""
    table = guest.continue_logged(games_server, "chicago_express", 69, "chicago_express", *["builtin:greedy"] * 3)
    assert "choose expand" in guest.state()["commands"]
    before = len(games_server.lines(table))
    guest.take("choose expand")
    state = guest.state()
    assert state["targets"]
    ask_for_help(guest)
    pieces = ".layer-pieces .piece"
    standing = guest.count(pieces)
    guest.pick(state["targets"][0])
    guest.wait_for_count(STEPS, 2)
    guest.wait_for_count(pieces, standing + 1)
    assert "costs" in guest.text("#asked .total")
    guest.press("u")
    guest.wait_for_count(STEPS, 1)
    guest.wait_for_count(pieces, standing)
    assert len(games_server.lines(table)) == before
    guest.click("#asked .back")
    guest.wait_for_count(STEPS, 0)
    guest.take("choose expand")
    guest.wait_for_count(STEPS, 1)
    guest.take(guest.find("#asked .choices .choice").get_attribute("data-command"))
    guest.wait_for_count(STEPS, 2)
    guest.take("pass")

    def sent() -> list[str]:
        return [line["action"]["type"] for line in games_server.lines(table)[before:] if line.get("seat") == 0]

    wait_until(lambda: len(sent()) >= 3, "three actions of the player in the log")
    assert sent()[:3] == ["choose", "build", "pass"]


def ask_for_help(anna: PagePerson) -> None:
    """Ask why a hex cannot be chosen, ask for a hint, and open the rules."""
    anna.click('svg.board [data-place="A3"] .hex')
    anna.wait_for_text("#hover", "A3")
    anna.press("h")
    anna.wait_for_text("#asked .advice", "Chance of winning: about")
    anna.wait_for_text("#asked .advice", "A strong player suggests")
    anna.click("#asked summary")
    anna.wait_for_text("#asked .rules", "CE-40")


def test_the_form_decides_whether_players_can_ask_for_hints(games_server: ServerProcess, guest: PagePerson) -> None:
    """Hints are offered by default. Without them there is no button, and the server refuses hints."""
    guest.create("last_spike", ["you", "builtin:greedy"], name="With hints")
    assert guest.state()["words"]
    assert guest.count("#asked .hint") == 1
    guest.visit()
    guest.go("#new")
    guest.fill({"#new-game": "last_spike", "#new-players": "2"})
    guest.choose("#new-seats label:nth-child(2) select", "builtin:greedy")
    guest.click("#new-more summary")
    guest.find("#new-name").send_keys("Without hints")
    guest.click("#new-hints")
    guest.click("#create .primary")
    guest.wait_for_text("#table-title", "Without hints")
    guest.mark = ""
    assert guest.state()["words"]
    assert guest.count("#asked .hint") == 0
    assert guest.count("#asked .choice") > 0
    with Client(games_server.url) as client:
        (table,) = client.asked(type="list", search="Without hints")["tables"]
        assert table["hints"] is False


def test_a_player_can_hold_seats_at_two_tables(games_server: ServerProcess, guest: PagePerson) -> None:
    """A player can hold seats at two tables, and the lobby lists both.

    The clock of the first table is running while the player creates the second one.
    """
    first = guest.create("last_spike", ["you", "builtin:greedy"], name="First", clock="1800+20")
    assert guest.state()["words"]
    left = guest.wait_for("document.querySelector('#seat-list .clock')?.innerText")
    assert re.fullmatch(r"1:\d\d:\d\d|[1-5]?\d:\d\d", left)
    guest.wait_for("document.querySelector('#seat-list .clock').innerText !== arguments[0]", left)
    guest.visit()
    guest.wait_for_text("#my-tables", "First")
    guest.click("a[href='#new']")
    guest.choose("#new-game", "chicago_express")
    guest.choose("#new-seats label:nth-child(2) select", "builtin:greedy")
    guest.choose("#new-seats label:nth-child(3) select", "builtin:greedy")
    guest.click("#new-more summary")
    guest.choose("#new-openings", "drawn")
    guest.find("#new-name").send_keys("Second")
    guest.click("#create .primary")
    guest.wait_for_text("#table-title", "Second")
    guest.mark = ""
    assert guest.state()["words"]
    second = guest.browser.execute_script("return location.hash.split('/')[1]")
    assert games_server.lines(second)[0]["opening"]
    guest.visit()
    guest.wait_for_count("#my-tables li", 2)
    guest.click("#my-tables li:last-child a")
    guest.wait_for_text("#table-title", "First")
    guest.mark = ""
    assert guest.state()["targets"]
    assert guest.browser.execute_script("return location.hash") == f"#table/{first}"


# Keyboard

# Make the server send the whole position again, with its board.
# Send what the page says after a reconnection. The ratio is that of the board in a window of 1280 by 900 pixels.
SHOW_AGAIN = """
const join = { type: "join", name: null, view: "none", board: false, undo: true };
for (const message of [join, { type: "show", ratio: 1.2 }]) window.socket.send(JSON.stringify(message));
"""


def test_a_game_can_be_created_and_played_by_keyboard(games_server: ServerProcess, guest: PagePerson) -> None:
    """Create a table and play without a mouse: by arrow keys on the board and by the numbers of the choices."""
    guest.go()
    tab_to(guest, "a[href='#new']")
    guest.press(Keys.ENTER)
    guest.wait_for("document.activeElement?.id === 'new-game'")
    guest.press("The")
    tab_to(guest, "#new-players")
    guest.press("3")
    for seat in (2, 3):
        tab_to(guest, f"#new-seats label:nth-child({seat}) select")
        guest.press("built-in bot: b")
    tab_to(guest, "#create .primary")
    guest.press(Keys.ENTER)
    guest.wait_for("location.hash.startsWith('#table/')")
    table = guest.browser.execute_script("return location.hash.split('/')[1]")
    guest.wait_for("document.activeElement?.id === 'table-title'")  # the page shows the new table
    state = guest.state()
    on_board = by_number = 0
    while on_board < 2 or by_number < 2:
        assert not state["over"]
        if state["confirm"]:
            tab_to(guest, "#asked .confirm")
            guest.press(Keys.ENTER)
        elif state["targets"] and on_board <= by_number:
            on_board += 1
            guest.press("b")
            guest.wait_for("document.activeElement.closest('.target') !== null")
            guest.browser.execute_script(SHOW_AGAIN)
            guest.round_trip()  # the place keeps the focus
            guest.press(Keys.ARROW_RIGHT + Keys.ARROW_DOWN + Keys.ENTER)
        else:
            by_number += 1
            guest.press("1")
        state = guest.state()
    assert [line["seat"] for line in games_server.lines(table) if line["type"] == "action"].count(0) >= 2


def tab_to(person: PagePerson, selector: str) -> None:
    """Press Tab until the element that matches `selector` has the focus."""
    for _ in range(60):
        if person.browser.execute_script("return document.activeElement?.matches(arguments[0])", selector):
            return
        person.press(Keys.TAB)
    raise AssertionError(f"{selector} is not reached")


# Lobby and spectators


def test_the_lobby_lists_searches_and_updates_tables(server: ServerProcess, anna: PagePerson) -> None:
    with Client(server.url) as client:
        made = table_of(create(client, "chicago_express", 3, name="Needle"))
        create(client, "last_spike", 2, name="Hay")
        anna.go()
        anna.wait_for_count("#tables-list li", 2)
        check_in_both_themes(anna)
        anna.find("#words").send_keys("needle")
        anna.wait_for_count("#tables-list li", 1)
        anna.wait_for_text("#tables-list", "Needle")
        client.asked(type="sit", table=made, name="Zoe")
        anna.wait_for_text("#tables-list", "Zoe")
        anna.go("#new")
        check_in_both_themes(anna)


def check_in_both_themes(anna: PagePerson) -> None:
    check_fit(anna.browser, 1280, 360, theme="dark")
    resize(anna.browser, 1280, 900)
    assert violations(anna.browser, CONTRAST) == []


def test_a_spectator_sees_the_game_and_its_result(games_server: ServerProcess, guest: PagePerson) -> None:
    with Client(games_server.url) as client:
        table = table_of(create(client, "last_spike", 2, seats=[None, "builtin:busy"]))
        guest.go(f"#table/{table}")
        guest.wait_for_text("#asked", "when all seats are taken")
        client.asked(type="sit", table=table, name="Zoe")
        guest.wait_for("document.querySelector('svg.board') !== null")
        assert "you are watching" in guest.text("#table-words")
        play_to_end(client)
        guest.wait_for("document.querySelector('#asked .podium') !== null")
        assert guest.all(".target") == []
    guest.go(f"#table/{table}")
    guest.wait_for_text("#asked", "This game has ended")
    guest.wait_for_text("#table-buttons", "Replay")


# The parts of the result from top to bottom. None covers the one above it, at any position of scrolling.
ORDER_OF_THE_RESULT = """
const tops = ['.chances', '#table-buttons', '.podium'].map((part) => {
  const { top, bottom } = document.querySelector(`#ask ${part}`).getBoundingClientRect();
  return { part, top, bottom };
}).sort((one, other) => one.top - other.top);
return tops.filter(({ top }, at) => at === 0 || top >= tops[at - 1].bottom).map(({ part }) => part);
"""


# The server answers that the analysis is in progress until `isDone` is set.
IN_PROGRESS = """
{
  const get = window.fetch;
  const progress = { words: "12 of about 30 seconds have passed.", done: 12, usual: 30 };
  window.fetch = (url, ...more) => window.isDone || !`${url}`.startsWith("api/analysis") ? get(url, ...more)
    : Promise.resolve(new Response(JSON.stringify(progress), { status: 202, headers: { "Retry-After": "1" } }));
}
"""


def test_the_result_of_a_game_shows_the_chances_of_winning(browser: Any, tmp_path: Path) -> None:
    """After a game, the page shows a chart of the chances of winning. During the analysis it shows the progress.

    The board is small, so that the server analyses the game quickly. Another test game becomes void, because a player
    lost the seat. Its result says that the other players share the first place.
    """
    options = ("--board", f"short={short_board('last_spike', tmp_path, 2)}", "--max-faults", "1", "--on-faults", "void")
    with ServerProcess(tmp_path / "data", *options) as server, anna_at(browser, server) as anna:
        with Client(server.url) as client:
            table = table_of(create(client, "last_spike", 2, seats=[None, "builtin:busy"], board="short"))
            client.asked(type="sit", table=table, name="Zoe")
            handle = run_on_new_pages(browser, IN_PROGRESS)
            anna.go(f"#table/{table}")
            stop_running(browser, handle)
            browser.execute_script("window.hasChances = true")
            play_to_end(client)
            anna.wait_for_text("#asked .chances", "is being computed. 12 of about 30 seconds have passed.")
            assert browser.execute_script("return document.querySelector('#asked .chances progress').value") == 0.4
            browser.execute_script("window.isDone = true")
            anna.wait_for_count("#asked .chances .chart", 1)
            assert anna.text("#asked .chances figcaption") == "Chance of winning, with all hands open"
        resize(anna.browser, 390, 800)
        anna.wait_for("document.querySelector('#board-holder:not(.enlarged)') !== null")  # the whole board is visible
        assert anna.text("#tab-move") == "Result"
        assert anna.browser.execute_script(ORDER_OF_THE_RESULT) == [".podium", "#table-buttons", ".chances"]
        check_fit(anna.browser, 390, 800, 1366, theme="dark", rules=CONTROLS)
        resize(browser, 1024, 768)
        anna.create("last_spike", ["you", "builtin:busy", "builtin:busy"])
        anna.state()
        anna.send_bad_answers()
        anna.wait_for_text("#asked .place", "The game is void: a player broke the rules.")
        assert anna.text("#asked .outcome .quiet") == "First place: Vanderbilt and Gould."
        assert anna.texts("#asked .podium .nth") == ["1", "1", "3"]
        assert anna.text("#asked .podium li:last-child b") == "Anna"
        anna.wait_for("document.querySelector('#board-holder:not(.enlarged)')")  # it is drawn for the narrower frame


def test_a_rematch_opens_a_new_table(games_server: ServerProcess, guest: PagePerson) -> None:
    table = guest.create("last_spike", ["you", "builtin:busy"])
    guest.state()
    with Client(games_server.url) as owner:
        owner.asked(type="admin", token=games_server.admin_token, command="end_table", table=table)
    guest.wait_for_text("#asked", "interrupted")
    guest.click("#table-buttons .primary")
    guest.wait_for("location.hash.startsWith('#table/') && !location.hash.includes(arguments[0])", table)
    guest.mark = ""
    assert guest.state()["words"]
    rematch = guest.browser.execute_script("return location.hash")
    guest.go(f"#table/{table}")
    guest.wait_for_text("#asked", "interrupted")
    assert guest.text("#table-buttons .primary") == "To the rematch"
    guest.click("#table-buttons .primary")
    guest.wait_for("location.hash === arguments[0] && document.querySelector('#asked .question') !== null", rematch)
    guest.continue_logged(games_server, "last_spike", 40, "last_spike", "builtin:busy", "builtin:busy", "builtin:busy")
    guest.wait_for("document.querySelector('#asked .question') !== null")
    guest.go()
    guest.wait_for_count("#my-tables li", 3)
    guest.wait_for_text("#my-tables", "continues after action 39 of last_spike")
    found = [set(text.split(" · ")) for text in guest.texts("#my-tables .what .quiet")]
    marks = {"rematch", "continues after action 39 of last_spike"}
    assert [facts & marks for facts in found] == [{"continues after action 39 of last_spike"}, {"rematch"}, set()]
    assert "with Vanderbilt (busy), Gould (busy), Hill (busy)" in found[0]


def test_a_rematch_offer_is_shown_and_accepted(games_server: ServerProcess, guest: PagePerson) -> None:
    with Client(games_server.url) as client:
        table = guest.create("last_spike", ["you", ""])
        client.asked(type="sit", table=table, name="Ben")
        client.asked(type="admin", token=games_server.admin_token, command="end_table", table=table)
        guest.wait_for_text("#asked", "interrupted")
        client.asked(type="rematch")
        guest.wait_for_text("#notice", "Ben offers a rematch.")
        guest.wait_for_text("#table-buttons", "Accept rematch")
        guest.reload()
        guest.wait_for_text("#table-buttons", "Ben offers a rematch.")
        guest.click("#table-buttons .primary")
        assert table_of(client.until("seated")) != table


def test_a_private_table_is_joined_by_invitation_only(games_server: ServerProcess, guest: PagePerson) -> None:
    table = guest.create("last_spike", ["you", "reserved"], private="on")
    assert "private" in guest.text("#table-words")
    guest.wait_for_text("#table-buttons", "Seats are by invitation only. Use Invite at a free seat.")
    with Client(games_server.url) as client:
        assert table not in [listed["table"] for listed in client.asked(type="list")["tables"]]
        check_fit(guest.browser, 1280, 360, theme="dark", rules=CONTROLS)
        resize(guest.browser, 1280, 900)
        invite = invite_guest(guest).rpartition("/")[2]
        client.asked(type="sit", table=table, invite=invite, name="Zoe")
        guest.wait_for("document.querySelector('svg.board') !== null")


# Attacks


def test_hostile_text_is_displayed_and_not_executed(server: ServerProcess, anna: PagePerson) -> None:
    """Table names, player names and notes are displayed as plain text everywhere."""
    with Client(server.url) as client:
        table = table_of(create(client, "last_spike", 2, name=HOSTILE[0], seats=[None, None]))
        client.asked(type="sit", table=table, name=HOSTILE[1])
        anna.go()
        anna.wait_for_text("#tables-list", HOSTILE[0])
        anna.browser.execute_script("localStorage.setItem('rails-cli.name', JSON.stringify(arguments[0]))", HOSTILE[2])
        anna.go(f"#table/{table}")
        anna.click("#seat-list .primary")
        chance = Random(1)

        def is_asked() -> bool:
            client.asked(type="list")  # after this answer, all earlier messages have been received
            return client.open is not None or anna.count("#asked .question") > 0

        for _ in range(3):
            wait_until(is_asked, "a question")
            if client.open is not None:
                client.answer(client.open, choice=0, info={"note": HOSTILE[0]})
            else:
                anna.one_decision(anna.state(), chance)
        anna.wait_for_text("#glance", HOSTILE[1])
        assert HOSTILE[0] in anna.text("#table-title")
        assert anna.count("img, body script, iframe, i:not(.tile i)") == 0
        assert anna.browser.execute_script("return typeof window.hacked") == "undefined"


def test_a_page_from_another_site_cannot_connect(games_server: ServerProcess, browser: Any) -> None:
    """A page from another server cannot connect to this server, even if it knows the address."""
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
        stranger = PagePerson(browser, games_server.url, "")
        browser.get(f"http://127.0.0.1:{elsewhere.server_port}/#{games_server.url}")
        stranger.wait_for("document.title !== 'wait'")
        assert browser.title == "kept out"
        elsewhere.shutdown()
    browser.get("about:blank")
    complaints(browser)
