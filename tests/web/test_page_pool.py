"""Tests of the pool on the server's page: standings, offers of games, playing, results, and the page of an entrant."""

import re
from pathlib import Path
from random import Random
from typing import Any

from tests.support.browser import CONTROLS, check_fit, expect, resize
from tests.support.page_person import PagePerson, anna_at
from tests.support.waiting import wait_until
from tests.support.ws_client import ClockedServer

POOL = (
    *("--pool", "--pool-game", "last_spike:2,3", "--pool-anchors", "greedy,random", "--pool-patience", "0"),
    *("--pool-clock", "9000/move", "--requests-per-second", "1000", "--silence", "1000000", "--idle", "1000000"),
)
RATED_S = 6.0
"""Seconds by which a test advances the clock so that the server computes ratings again."""

# Names in the standings that are cut off, or that are not beside the place.
CUT = """
return [...document.querySelectorAll('#standings .named')].filter((name) => {
  const row = name.closest('tr').getBoundingClientRect();
  return name.scrollWidth > name.clientWidth || name.getBoundingClientRect().left < row.left + 60;
}).map((name) => name.innerText);
"""

CURVE_FILLS_ITS_WIDTH = """
innerWidth === arguments[0] &&
document.querySelector('#curve .curve')?.viewBox.baseVal.width === document.getElementById('curve').clientWidth
"""

# Ratings at the lines of the curve.
CURVE_LINES = """
return [...document.querySelectorAll('#curve .rule + .end')].map((one) => Number(one.textContent.replace('−', '-')))
"""

# Ratings in the standings, in order, by group: certain ones and provisional ones.
RATINGS = """
return [...document.querySelectorAll('#standings tbody')].map((group) =>
  [...group.querySelectorAll('td.rating')].map((one) => Number(one.textContent.replace('−', '-'))))
"""

# Answer all requests with their default action, as quickly as possible.
_ANSWER_ALL = """
window.socket.addEventListener("message", ({ data }) => {
  const { type, number, default: choice } = JSON.parse(data);
  if (type === "request") window.socket.send(JSON.stringify({ type: "action", number, choice }));
});
window.socket.send(JSON.stringify({ type: "again" }));
"""


def take_offer(server: ClockedServer, anna: PagePerson) -> None:
    """Wait until Anna is in the queue, let the server pair the entrants, and accept the game that is offered to her."""
    anna.wait_for("document.querySelector('#pool-waiting').checkVisibility()")
    server.advance(1)
    anna.click("#offer-accept")
    anna.wait_for("location.hash.startsWith('#table/')")


def is_rating_shown(server: ClockedServer, anna: PagePerson, words: str) -> bool:
    """Let the server compute ratings. Return whether the page of a table shows Anna's rating with `words`."""
    server.advance(RATED_S)
    return words in anna.text("#rating-change")


# Whether the change of the rating can be seen without scrolling.
IS_RATING_SEEN = """
(({ x, y, width, height }) => document.elementFromPoint(x + width / 2, y + height / 2)?.closest("#rating-change"))(
  document.getElementById("rating-change").getBoundingClientRect())?.checkVisibility()
"""

# Ask the server for a hint about the first request, and return the refusal.
ASK_FOR_HINT = """
const done = arguments[0];
window.socket.addEventListener("message", ({ data }) => {
  const { ref, message } = JSON.parse(data);
  if (ref === "hint") done(message);
});
const send = (message) => window.socket.send(JSON.stringify(message));
window.socket.addEventListener("message", ({ data }) => {
  const { type, number } = JSON.parse(data);
  if (type === "request") send({ type: "show", hint: true, number, ref: "hint" });
});
send({ type: "again" });
"""


def test_a_person_enters_the_pool_plays_and_sees_the_result(browser: Any, tmp_path: Path) -> None:
    with ClockedServer(tmp_path / "data", *POOL) as server, anna_at(browser, server) as anna:
        anna.go()
        anna.click("#standings-link")
        anna.wait_for("document.activeElement?.id === 'standings-title'")
        anna.visit()
        anna.click("#to-pool")
        anna.wait_for_text("#standings", "greedy")
        anna.wait_for_text("#standings", "No rated games yet")
        for width in (360, 1024):
            resize(anna.browser, width, theme="dark")
            expect(anna.browser, "document.documentElement.scrollWidth", width)
            assert anna.browser.execute_script(CUT) == []
        check_fit(anna.browser, 1366, theme="dark")
        anna.wait_for_text("#standings thead", "Interval")
        anna.find("#pool-name").send_keys("greedy")
        anna.click("#pool-wait")
        anna.wait_for_text("#pool-state", "the name greedy is taken in this pool")
        anna.find("#pool-name").clear()
        anna.find("#pool-name").send_keys("Anna")
        anna.click("#pool-players label:nth-child(2)")  # only games for two players
        anna.click("#pool-wait")
        anna.wait_for("document.querySelector('#pool-waiting').checkVisibility()")
        server.advance(1)
        anna.wait_for_text("#game-offer", "The Last Spike is ready")
        anna.wait_for_text("#game-offer", "2 players")
        check_fit(anna.browser, 1366, 360, rules=CONTROLS)
        anna.click("#offer-decline")
        anna.wait_for_text("#pool-state", "You declined.")
        take_offer(server, anna)
        table = anna.browser.execute_script("return location.hash.split('/')[1]")
        state = anna.state()
        assert anna.count("#asked .primary") == 1
        assert anna.count("#asked .hint") == 0
        assert anna.browser.execute_async_script(ASK_FOR_HINT) == "there are no hints in games of the rated pool"
        anna.one_decision(state, Random(1))
        anna.go("#pool")  # Anna keeps her seat, and the game waits for her
        anna.wait_for_text("#pool-tables", "Anna")
        anna.wait_for("document.querySelector('#pool-name').value === 'Anna'")
        anna.visit()
        anna.click("#my-tables .action")
        # If the decision was only the first step of a turn, it was not sent, and the same question is asked again.
        anna.wait_for("document.querySelector('#asked .question')")
        server.advance(10_000)
        anna.wait_for_text("#notice", "Your time for that move ran out. A move was played for you.")
        while anna.count("#asked .podium") == 0:  # the time is up three times, then a substitute finishes the game
            server.advance(10_000)
            anna.round_trip()
        anna.wait_for_text("#asked", "A bot finished this game for you.")
        assert "Your turn" not in anna.browser.title
        wait_until(lambda: is_rating_shown(server, anna, "Your first rating:"), "the first rating")
        resize(anna.browser, 1366, 768)
        anna.wait_for(IS_RATING_SEEN)
        anna.wait_for_text("#table-buttons", "Why?")
        anna.visit()
        anna.wait_for_text("#my-tables", "A bot finished this game for you")
        anna.visit("#pool/Anna")
        anna.wait_for_count("#entrant-games .action", 2)
        anna.wait_for_text("#entrant-games", "A bot finished this game for you")
        anna.wait_for_text("#entrant-games", "Why did I lose?")
        why = anna.find("#entrant-games a[href*=analysis]").get_attribute("href")
        assert "/analysis?seat=" in why  # a query, because a refresh to an address with a fragment would only scroll
        anna.wait_for_text("#entrant-facts", "Rating")
        check_fit(anna.browser, 360, 1366, rules=CONTROLS)
        anna.visit(f"#table/{table}")
        anna.reload()
        anna.click("#table-buttons .primary")
        take_offer(server, anna)
        anna.state()
        assert anna.count("#seat-list li") == 2, "the next game does not have the number of players that was chosen"
        anna.browser.execute_script(_ANSWER_ALL)  # no time passes between the last position and the end
        anna.wait_for_count("#asked .podium", 1)
        anna.wait_for_text("#table-buttons", "Next rated game")
        wait_until(lambda: is_rating_shown(server, anna, " → "), "the change of the rating")
        assert "Your turn" not in anna.browser.title
        for log in (tmp_path / "data" / "pool" / "logs").iterdir():
            log.unlink()  # as `--keep-size` does
        server.advance(2)
        anna.visit("#pool/Anna")
        anna.wait_for_text("#entrant-games", "The replay is no longer kept.")
        for width in (1366, 700):
            resize(anna.browser, width)
            anna.wait_for(CURVE_FILLS_ITS_WIDTH, width)
        assert all(value % 25 == 0 for value in anna.browser.execute_script(CURVE_LINES))
        anna.wait_for_count("#entrant-games a", 0)
        anna.visit("#pool")
        anna.wait_for_count("#standings td[data-unit=game]", 2)
        groups = anna.browser.execute_script(RATINGS)
        # Greedy and random, and Anna, whose rating is provisional. One whom Anna has not met has no rating yet.
        assert [len(group) for group in groups] in ([2, 1], [1, 1, 1]), groups
        assert all(group == sorted(group, reverse=True) for group in groups), groups
        anna.visit("#pool/nobody")
        anna.wait_for_text("#entrant-words", "There is nothing by this name.")
        told = [line["message"] for line in anna.browser.get_log("browser")]
        # Time that is advanced ends requests that are being answered.
        assert [line for line in told if not re.search("404|/api/|/board/", line)] == []
