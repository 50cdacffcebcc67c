"""Somebody who plays in a browser: clicks on what the server's page offers, and on nothing else."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

from tests.support.browser import complaints, requests, resize
from tests.support.ws_client import ServerProcess

try:
    from selenium.common.exceptions import JavascriptException
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys as Keys
except ImportError:
    pass  # there is no browser to be opened, either

PATIENCE_S = 60.0

# What stands on the page, once that is not what stood there before and nothing is on its way.
_STATE = """
const [before, patience, done] = arguments;
const all = (what) => [...document.querySelectorAll(what)];
const state = () => {
  const commands = all("#asked .choice").map((node) => node.dataset.command);
  const words = document.querySelector("#asked .question")?.textContent ?? null;
  const found = {
    words, commands,
    targets: all(".target").map((node) => node.dataset.target),
    narrowed: all("#asked button").some((node) => node.textContent === "All choices"),
    steps: all("#asked .steps li").length,
    bid: document.querySelector("#asked .bid") !== null,
    confirm: all("#asked .confirm").length > 0,
    over: all("#asked .podium").length > 0,
    told: all("#log li").length,
  };
  return { ...found, mark: JSON.stringify(found) };
};
const until = performance.now() + patience * 1000;
const look = () => {
  const now = state();
  const isReady = now.over || now.words !== null;
  const isFound = (isReady && now.mark !== before) || performance.now() > until;
  if (isFound) { observer.disconnect(); clearInterval(timer); done(now); }
};
const observer = new MutationObserver(look);
const timer = setInterval(look, 500);
observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
look();
"""

# What a script finds, once it finds something.
_FOUND = """
const [patience, done] = [...arguments].slice(-2);
const given = [...arguments].slice(0, -2);
const find = function () { return (SCRIPT); };
const until = performance.now() + patience * 1000;
const look = () => {
  let found = null;
  try { found = find(...given); } catch { /* not yet */ }
  if (found || performance.now() > until) done(found);
  else setTimeout(look, 30);
};
look();
"""

_SET_FRAGMENT = """
const [url, fragment] = arguments;
const isThere = location.href.startsWith(url);
if (isThere) history.replaceState(null, "", `${url}${fragment}`);
return isThere;
"""

# The middle of a thing, brought into view, where a click is listened for; nothing if something else is in front of it.
CLICKS = 10
_SPOT = """
((what) => {
  const node = document.querySelector(what);
  const found = () => {
    const box = node?.getClientRects()[0];
    const spot = box && [box.x + box.width / 2, box.y + box.height / 2];
    return spot && node.contains(document.elementFromPoint(...spot)) && spot;
  };
  let spot = found();
  if (!spot) {
    node?.scrollIntoView({ block: "center", inline: "center" });
    spot = found();
  }
  if (!spot) return null;
  window.clickWatch?.abort();
  window.clickWatch = new AbortController();
  window.awaitsClick = true;
  const heard = (event) => { if (event.target.closest(what)) window.awaitsClick = false; };
  addEventListener("click", heard, { capture: true, signal: window.clickWatch.signal });
  return spot;
})(arguments[0])
"""

# Fields of a form, each with its value. A driver does the same with a list: what opens is none of the page's.
_FILL = """
for (const [what, value] of arguments[0]) {
  const field = document.querySelector(what);
  if (!field.checkVisibility() || field.disabled || field.readOnly) return `${what} cannot be filled in`;
  if (field.maxLength >= 0 && value.length > field.maxLength) return `${what} has no room for ${value}`;
  field.focus();
  if (field.type === "checkbox") field.click();
  else if (field.value !== value) {
    field.value = value;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  }
  if (field.type !== "checkbox" && field.value !== value) return `${what} does not take ${value}`;
}
return "";
"""


class PagePerson:
    """A person with a browser of her own."""

    def __init__(self, browser: Any, url: str, name: str) -> None:
        self.browser = browser
        self.url = url.replace("ws", "http", 1).rstrip("/") + "/"
        self.name = name
        self.mark = ""
        browser.set_script_timeout(PATIENCE_S + 5)

    # Looking

    def find(self, what: str) -> Any:
        return self.browser.find_element(By.CSS_SELECTOR, what)

    def all(self, what: str) -> list[Any]:
        return list(self.browser.find_elements(By.CSS_SELECTOR, what))

    def text(self, what: str) -> str:
        return str(self.browser.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", what))

    def wait_for(self, script: str, *arguments: Any) -> Any:
        """Until a script returns something; on the next page, if this one is left meanwhile."""
        until = time.monotonic() + PATIENCE_S
        found = None
        while not found:
            left_s = until - time.monotonic()
            assert left_s > 0, f"{script} stays untrue; the page:\n{self.text('body')}"
            with suppress(JavascriptException):
                found = self.browser.execute_async_script(_FOUND.replace("SCRIPT", script), *arguments, left_s)
        return found

    def wait_for_text(self, what: str, words: str) -> None:
        self.wait_for("document.querySelector(arguments[0])?.innerText.includes(arguments[1])", what, words)

    def state(self) -> dict[str, Any]:
        """What can be done, when it is this person's turn or the game is over."""
        found: dict[str, Any] = self.browser.execute_async_script(_STATE, self.mark, PATIENCE_S)
        assert found["mark"] != self.mark, f"nothing happens; the page:\n{self.text('body')}"
        assert found["over"] or found["words"], f"nothing is asked; the page:\n{self.text('body')}"
        self.mark = found["mark"]
        return found

    # Doing

    def go(self, fragment: str = "") -> None:
        if self.browser.execute_script(_SET_FRAGMENT, self.url, fragment):  # that alone would be the same page
            self.browser.refresh()
        else:
            self.browser.get(f"{self.url}{fragment}")
        self.wait_for("document.getElementById('state').className === 'open'")

    def create(self, game: str, seats: list[str], **more: str) -> str:
        """Makes a table with the form, `you` being one of the seats; its id."""
        self.go("#new")
        numbers = range(1, len(seats) + 1)
        wishes = {"#new-game": game, "#new-players": str(len(seats))}
        wishes |= {f"#new-seats label:nth-child({at}) select": kind for at, kind in zip(numbers, seats, strict=True)}
        wishes |= {f"#new-{field}": value for field, value in {"you": self.name, **more}.items()}
        self.fill(wishes)
        self.click("#create .primary")
        self.wait_for("location.hash.startsWith('#table/') && document.querySelector('#seat-list li') !== null")
        return str(self.browser.execute_script("return location.hash.split('/')[1]"))

    def fill(self, wishes: dict[str, str]) -> None:
        """Fields of a form, one after the other."""
        assert self.browser.execute_script(_FILL, list(wishes.items())) == ""

    def choose(self, what: str, value: str) -> None:
        self.fill({what: value})

    def click(self, what: str) -> None:
        """With the mouse, in the middle of it, as soon as it is there and nothing covers it."""
        for _ in range(CLICKS):
            x, y = self.wait_for(_SPOT, what)
            moves = [{"type": "pointerMove", "duration": 0, "x": x, "y": y}]
            moves += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
            mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
            self.browser.execute("actions", {"actions": [mouse]})
            if not self.browser.execute_script("return window.awaitsClick === true"):
                return  # else the page drew itself anew just then, and nothing was clicked
        raise AssertionError(f"{what} is never clicked; the page:\n{self.text('body')}")

    def pick(self, place: str) -> None:
        """Clicks on a place of the board."""
        self.click(f'.target[data-target="{place}"] .outline')

    def take(self, command: str) -> None:
        self.click(f'#asked .choice[data-command="{command}"]')

    def bid(self, amount: int) -> None:
        field = self.find("#asked .bid")
        field.clear()
        field.send_keys(str(amount), Keys.ENTER)

    def press(self, keys: str) -> None:
        self.browser.switch_to.active_element.send_keys(keys)

    def one_decision(self, state: dict[str, Any], chance: Random) -> None:
        """Clicks on something that the page offers."""
        if state["confirm"]:
            self.click("#asked .confirm")
        elif state["bid"] and (chance.random() < 0.6 or not state["commands"]):
            if chance.random() < 0.3:
                self.click("#asked .bidding button[type=button]")
            self.click("#asked .bidding .primary")
        elif state["targets"] and not state["narrowed"] and chance.random() < 0.7:
            self.pick(chance.choice(state["targets"]))
        else:
            self.take(chance.choice(state["commands"]))

    def to_first_turn(self) -> dict[str, Any]:
        """Through the opening auctions of Chicago Express, by bidding the least."""
        state = self.state()
        while "choose expand" not in state["commands"]:
            self.click("#asked .primary")
            state = self.state()
        return state

    def collect_a_build(self) -> None:
        """In a turn of Chicago Express: two steps, which are not sent."""
        self.take("choose expand")
        self.pick(self.state()["targets"][0])
        state = self.state()
        if state["steps"] == 1:
            self.take(next(command for command in state["commands"] if command != "pass"))
            state = self.state()
        assert state["steps"] == 2

    def follow_hint(self, state: dict[str, Any]) -> None:
        """Does what the hint says."""
        if state["confirm"]:
            self.click("#asked .confirm")
            return
        self.click("#asked .help button")
        self.wait_for("document.querySelector('#asked .advice')?.innerText.includes(':')")
        said = self.text("#asked .advice").partition("suggests: ")[2].splitlines()
        command = re.sub(r".* \((\w+( [\w&.]+)+)\)$", r"\1", said[0]) if said else ""
        if command.startswith("bid ") and state["bid"]:
            self.bid(int(command.removeprefix("bid ")))
        else:
            self.take(command if command in state["commands"] else state["commands"][0])


@contextmanager
def anna_at(browser: Any, server: ServerProcess) -> Iterator[PagePerson]:
    """She complains of nothing, and her browser fetches nothing from elsewhere."""
    if browser.current_url != "about:blank":
        browser.get("about:blank")
    resize(browser, 1280, 900)
    complaints(browser)
    requests(browser)
    person = PagePerson(browser, server.url, "Anna")
    yield person
    assert complaints(browser) == []
    assert [url for url in requests(browser) if not url.startswith((person.url, "about:", "data:"))] == []
    browser.get("about:blank")  # so that no page goes on looking for its server
