"""Tests that the page shows the moves of others one event after another.

Animations do not run on their own: the tests end each step.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import browser as pages
from tests.support.page_person import PagePerson
from tests.support.ws_client import ServerProcess

BOTS = ["you", "builtin:greedy", "builtin:greedy"]
# Pause every motion when it begins. Keep what the server has shown.
_PREPARE_MOTION = """
const animate = Element.prototype.animate;
Element.prototype.animate = function (...how) {
  const motion = animate.apply(this, how);
  motion.pause();
  return motion;
};
window.told = [];
window.boards = 0;
window.WebSocket = class extends WebSocket {
  constructor(...words) {
    super(...words);
    this.addEventListener("message", ({ data }) => {
      const shown = JSON.parse(data);
      if (shown.board) window.boards += 1;
      if (shown.type !== "shown" || shown.supposed) return;
      window.shown = shown;
      const words = shown.story.slice(shown.story.length - shown.events.length);
      shown.events.forEach(({ seat }, number) => seat !== shown.seat && window.told.push(words[number]));
    });
  }
};
"""
_ANSWER = """
const { number, choices } = window.shown.question;
const { action } = choices.at(choices[0].action.type === "play" ? 0 : -1);
window.told = [];
window.shown = null;
window.socket.send(JSON.stringify({ type: "action", number, action }));
"""
_IS_ASKED = "document.querySelectorAll('#asked .choice').length > 0"
_MARKS = """
return [...document.querySelectorAll('#board-holder [class^=layer-]:not(.layer-hot) > *')]
  .map((mark) => mark.outerHTML).sort()
"""
# Cash of the seats, values of the tables, and number of visible lines of the story.
_PANELS = """
const all = (what) => [...document.querySelectorAll(what)];
const values = all('#seat-list .cash, #glance td, #position td').map((node) => node.textContent);
return [values, all('#log li').filter((line) => !line.hidden).length];
"""


@pytest.fixture
def moved(guest: PagePerson) -> Iterator[PagePerson]:
    """A person whose browser shows animations. The browser does not prefer reduced motion."""
    handle = pages.run_on_new_pages(guest.browser, _PREPARE_MOTION)
    allow_motion(guest, "no-preference")
    yield guest
    pages.stop_running(guest.browser, handle)


def allow_motion(person: PagePerson, value: str) -> None:
    """Set whether the browser prefers reduced motion: `reduce` or `no-preference`."""
    features = [{"name": "prefers-reduced-motion", "value": value}]
    person.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def answer_until_others_move(person: PagePerson) -> list[str]:
    """Answer questions until others have moved and this person is asked again.

    Return one sentence for each of their moves, in the words of the page.
    """
    while True:
        person.wait_for("window.shown?.question")
        person.browser.execute_script(_ANSWER)
        person.wait_for("window.shown?.question")
        told: list[str] = person.browser.execute_script("return window.told")
        if told:
            return told


def end_step(person: PagePerson) -> None:
    """End the animation of the event that the page is showing.

    Wait until the page shows the next event or has shown all events.
    """
    script = """
    window.step = document.querySelector('#play-steps .now');
    for (const motion of document.getElementById('play').getAnimations()) motion.finish();
    """
    person.browser.execute_script(script)
    person.wait_for("document.getElementById('play').hidden || !window.step.isConnected")


def marks(person: PagePerson) -> Any:
    return person.browser.execute_script(_MARKS)


def panels(person: PagePerson) -> Any:
    return person.browser.execute_script(_PANELS)


def test_an_order_is_shown_until_the_moves_of_its_auction_are_shown(
    games_server: ServerProcess, moved: PagePerson
) -> None:
    """A player's order to the server for an auction is shown as long as the page shows moves of this auction.

    When the page then shows moves of the next auction, the order is no longer shown, because it does not apply there.
    """
    moved.create("chicago_express", BOTS)
    moved.wait_for("document.querySelector('#asked .up-to')")
    first = moved.text("#asked .auction h4 span")
    moved.fill({"#asked .then select": "pass"})
    moved.click("#asked .up-to")
    moved.wait_for("!document.getElementById('play').hidden")
    found = []
    while moved.is_visible("#play"):
        is_first = moved.text("#asked .auction h4 span") == first
        found.append((is_first, moved.count("#asked .order") > 0, moved.text("#notice") == ""))
        end_step(moved)
    assert set(found) == {(True, True, True), (False, False, False)}


def test_moves_of_others_are_shown_one_after_another(games_server: ServerProcess, moved: PagePerson) -> None:
    """The page shows one event after another when others move, and asks the next question after the last event.

    The board is then the same as after a reload of the page. A button shows the moves again.
    """
    moved.create("last_spike", BOTS)
    told = answer_until_others_move(moved)
    found = []
    while moved.is_visible("#play"):
        assert moved.browser.execute_script(f"return !({_IS_ASKED})")
        found.append(moved.text("#play-words"))
        end_step(moved)
    assert found == told
    assert moved.browser.execute_script("return window.boards") == 1, "the board is sent once"
    assert moved.browser.execute_script("return window.socket.extensions").startswith("permessage-deflate")
    moved.wait_for(_IS_ASKED)
    after, panels_after = marks(moved), panels(moved)
    moved.reload()
    moved.wait_for(_IS_ASKED)
    assert marks(moved) == after
    assert not moved.is_visible("#play"), "after a reload nothing is shown by itself"
    moved.click("#play-again")
    moved.wait_for_text("#play-words", told[0])
    assert marks(moved) != after
    assert all(one != other for one, other in zip(panels(moved), panels_after, strict=True))
    for words in told:
        assert moved.text("#play-words") == words
        end_step(moved)
    assert (marks(moved), panels(moved)) == (after, panels_after)


def test_space_skips_the_steps_and_a_button_shows_them_again(games_server: ServerProcess, moved: PagePerson) -> None:
    moved.create("last_spike", BOTS)
    told = answer_until_others_move(moved)
    assert moved.text("#play-words") == told[0]
    moved.press(" ")
    moved.wait_for(_IS_ASKED)
    assert not moved.is_visible("#play")
    after = marks(moved)
    moved.click("#play-again")
    assert moved.text("#play-words") == told[0]
    assert moved.browser.execute_script(f"return {_IS_ASKED}"), "the question stays open"
    assert marks(moved) != after
    moved.click("#play-skip")
    assert marks(moved) == after
    allow_motion(moved, "reduce")
    answer_until_others_move(moved)
    moved.wait_for(_IS_ASKED)
    assert not moved.is_visible("#play")
    assert moved.count(".board .ring") > 0, "without motion, what changed has a ring"
    moved.reload()
    moved.wait_for(_IS_ASKED)
    assert moved.count(".board .ring") == 0, "after a reload nothing is marked as new"
    assert 0 < moved.count("#log .fresh") < moved.count("#log li")


def test_a_running_clock_opens_the_question_before_the_steps_end(
    games_server: ServerProcess, moved: PagePerson
) -> None:
    moved.create("last_spike", BOTS, clock="900+10")
    told = answer_until_others_move(moved)
    moved.wait_for(_IS_ASKED)
    assert moved.is_visible("#play")
    assert moved.text("#play-words") in told
    before = marks(moved)
    answer_until_others_move(moved)
    moved.wait_for(_IS_ASKED)
    assert marks(moved) != before
