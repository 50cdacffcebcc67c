"""The pool on the server's page: standings, waiting for opponents, playing, and the page of an entrant."""

from pathlib import Path
from random import Random
from typing import Any

from tests.support.browser import CONTROLS, check_fit
from tests.support.page_person import anna_at
from tests.support.ws_client import ServerProcess

POOL = (
    *("--pool", "--pool-game", "last_spike:2", "--pool-anchors", "greedy", "--pool-patience", "0"),
    *("--pool-clock", "9000", "--requests-per-second", "1000"),
)


def test_a_person_enters_the_pool_plays_and_sees_the_result(browser: Any, tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", *POOL) as server, anna_at(browser, server) as anna:
        anna.go()
        anna.click("#to-pool")
        anna.wait_for_text("#standings", "greedy")
        check_fit(anna.browser, 360, 1366, theme="dark")
        anna.find("#pool-name").send_keys("greedy")
        anna.click("#pool-wait")
        anna.wait_for_text("#pool-state", "the name greedy is taken in this pool")
        anna.find("#pool-name").clear()
        anna.find("#pool-name").send_keys("Anna")
        anna.click("#pool-wait")
        anna.wait_for("location.hash.startsWith('#table/')")
        anna.one_decision(anna.state(), Random(1))
        anna.go("#pool")  # Anna keeps her seat, and the game waits for her
        anna.wait_for_text("#pool-tables", "Anna")
        anna.wait_for("document.querySelector('#pool-name').value === 'Anna'")
        anna.go()
        anna.click("#my-tables .action")
        anna.click("#more")
        anna.click("#table-rare button")  # leave the game for good
        anna.click("#confirm-yes")
        anna.wait_for("location.hash === ''")
        anna.go("#pool/Anna")
        anna.wait_for_count("#entrant-games .action", 2)
        anna.wait_for_text("#entrant-games", "lost its seat")
        anna.wait_for_text("#entrant-games", "Why did it lose?")
        why = anna.find("#entrant-games a[href*=analysis]").get_attribute("href")
        assert "/analysis?seat=" in why  # a query, because a refresh to an address with a fragment would only scroll
        anna.wait_for_text("#entrant-words", "rating")
        check_fit(anna.browser, 360, 1366, rules=CONTROLS)
        for log in (tmp_path / "data" / "pool" / "logs").iterdir():
            log.unlink()  # as `--keep-size` does
        anna.wait_for_text("#entrant-games", "The replay is no longer kept.")
        anna.wait_for_count("#entrant-games a", 0)
        anna.go("#pool/nobody")
        anna.wait_for_text("#entrant-words", "There is nothing by this name.")
        assert [line for line in anna.browser.get_log("browser") if "404" not in line["message"]] == []
