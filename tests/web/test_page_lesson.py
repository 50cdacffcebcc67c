"""Tests of lessons on the server's page: one idea and one action at a time, on the real board."""

from rails_cli.games import load_face
from rails_cli.games.rulebook import uncited
from tests.support.browser import check_fit
from tests.support.page_person import PagePerson
from tests.support.ws_client import Client, ServerProcess

WANTED = "document.querySelector('.target.wanted')?.dataset.target"


def read_on(person: PagePerson) -> None:
    """Click through the texts of a lesson until it asks for an action."""
    while person.count("#asked .lesson-next"):
        text = person.text("#asked .idea")
        person.click("#asked .lesson-next")
        person.wait_for("document.querySelector('#asked .idea')?.innerText !== arguments[0]", text)


IS_END_STORED = "JSON.parse(localStorage.getItem('rails-cli.seats'))[arguments[0]].past !== undefined"
STORED_SEATS = "return Object.keys(JSON.parse(localStorage.getItem('rails-cli.seats')))"

# Read the next text or skip the next action, if there is one. Return the result of the game once it is shown.
SKIP_TO_THE_END = """
(document.querySelector("#asked :is(.lesson-next, .lesson-skip)")?.click(), document.querySelector("#asked .podium"))
"""

# Keep answers in the page until `release` is called.
HOLD = """
const { socket } = window;
const send = socket.send.bind(socket);
const held = [];
socket.send = (message) => (JSON.parse(message).type === "action" ? held.push(message) : send(message));
window.release = () => {
  socket.send = send;
  held.splice(0).forEach(send);
};
"""


def test_a_lesson_is_played_to_its_end_on_the_real_board(games_server: ServerProcess, guest: PagePerson) -> None:
    """The page refuses an answer that the lesson does not ask for, and says why. Reloading keeps the progress."""
    guest.go()
    guest.click("#learn-show")
    guest.click("#learn-games a[href='#learn/last_spike']")
    tutorial = load_face("last_spike").tutorial
    guest.wait_for_text("#asked .idea", uncited(tutorial.welcome.text)[:40])
    table = guest.browser.execute_script("return location.hash.split('/')[1]")
    assert guest.count(".target") == 0
    read_on(guest)
    guest.wait_for_text("#asked .task", "Do this: Play ")
    guest.click("#asked .lesson-back")
    guest.wait_for_text("#asked .idea", "Choose a piece to lay")
    assert "capital letters" not in guest.text("#asked .idea")
    guest.click("#asked .lesson-next")
    check_fit(guest.browser, 1366, 390)
    # Another answer is not taken, in the list or on the board.
    wanted = guest.wait_for(WANTED)
    guest.click("#asked .choice:not(:has(.star))")
    guest.wait_for_text("#asked .refusal", f"In this step: Play {wanted}")
    assert guest.count("#asked .confirm") == 0
    guest.pick(wanted)
    guest.click("#asked .confirm")
    guest.wait_for_text("#asked .idea", "Whoever is first at a city")
    # The lesson is not listed among the games. It continues where it was left, even after another game has ended.
    with Client(games_server.url) as owner:
        ended = guest.create("last_spike", ["you", "builtin:busy"])
        guest.state()
        owner.asked(type="admin", token=games_server.admin_token, command="end_table", table=ended)
    guest.wait_for_text("#asked", "interrupted")
    guest.visit()
    guest.wait_for(IS_END_STORED, ended)
    assert table not in guest.find("#lobby").get_attribute("innerHTML")
    guest.click("#lobby a[href='#learn/last_spike']")
    guest.wait_for_text("#asked .idea", "Whoever is first at a city")
    guest.reload()
    guest.wait_for_text("#asked .idea", "Whoever is first at a city")
    # Nothing can be done twice: a turn that was sent offers nothing until the server has answered.
    read_on(guest)
    guest.browser.execute_script(HOLD)
    while guest.count("#asked .lesson-skip"):
        done = guest.text("#asked .task")
        guest.click("#asked .lesson-skip")
        guest.wait_for("(document.querySelector('#asked .task')?.innerText ?? '') !== arguments[0]", done)
    guest.round_trip()
    assert guest.count("#asked button") + guest.count(".target") == 0
    guest.browser.execute_script("window.release()")
    guest.wait_for(SKIP_TO_THE_END)
    assert guest.texts("#table-buttons a")[1:] == [
        "The game in six pictures",
        "All rules",
        "Repeat the lesson",
        "Lobby",
    ]
    assert games_server.faults(table) == []
    guest.click("#table-buttons .primary")
    guest.wait_for("location.hash.startsWith('#table/') && !location.hash.includes(arguments[0])", table)
    guest.wait_for_text("#asked .question", "Which piece")
    assert guest.count("#asked .lesson") == 0
    # A lesson that was left before its first move is forgotten when its game's lesson begins again.
    before = guest.browser.execute_script(STORED_SEATS)
    for _ in range(2):
        guest.go("#learn/last_spike/again")
        guest.wait_for_count("#asked .idea", 1)
    assert len(guest.browser.execute_script(STORED_SEATS)) == len(before) + 1
