"""A simulated person who plays in a browser and clicks only on elements that the server's page offers."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from rails_cli.match.faults import STRIKES
from tests.support import browser as pages
from tests.support.browser import SLICE_MS, complaints, requests, resize
from tests.support.waiting import wait_until
from tests.support.ws_client import Client, ServerProcess, create, table_of

try:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys as Keys
except ImportError:
    pass  # without Selenium no browser can be opened either

# State of the page once it differs from `before` and either asks this person or shows the result. Null after a while.
_STATE = """
const [before, slice, done] = arguments;
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
const until = performance.now() + slice;
const look = () => {
  const isReady = document.querySelector("#asked .question, #asked .podium") !== null;
  const now = isReady ? state() : null;
  if (isReady && now.mark !== before) done(now);
  else if (performance.now() > until) done(null);
  else setTimeout(look, 20);
};
look();
"""

_SET_FRAGMENT = """
const [url, fragment] = arguments;
const isThere = location.href.startsWith(url);
if (isThere) {
  history.replaceState(null, "", `${url}${fragment}`);
  delete document.documentElement.dataset.ready;
}
return isThere;
"""

CLICKS = 100
"""Maximum number of attempts to click on an element while the page is being redrawn, before the test fails."""
# Centre of an element after scrolling it into view. Nothing if another element covers it.
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

# Fill in the fields of a form. Lists are set the same way, because an opened list is not part of the page.
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


# Whether the last line of the story is in sight.
STORY_AT_END = """
(([pane, list]) => list.bottom <= pane.bottom + 1)(
  ['story', 'log'].map((id) => document.getElementById(id).getBoundingClientRect()))
"""

_BAD_ANSWER = "window.socket.send(JSON.stringify({ type: 'action', number: 1, action: { type: 'nonsense' } }))"

# Send a request to the server and wait for the answer. The page has then shown all earlier messages.
_ROUND_TRIP = """
const done = arguments[arguments.length - 1];
const ref = `test-${performance.now()}`;
window.socket.addEventListener("message", function heard({ data }) {
  if (JSON.parse(data).ref !== ref) return;
  window.socket.removeEventListener("message", heard);
  done();
});
window.socket.send(JSON.stringify({ type: "list", search: ref, ref }));
"""


_IS_VISIBLE = """
const node = document.querySelector(arguments[0]);
return node.getClientRects().length > 0 && node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
"""


class PagePerson:
    """A simulated person at the web page of a server. Parameters named `what` are CSS selectors."""

    def __init__(self, browser: Any, url: str, name: str) -> None:
        self.browser = browser
        self.url = url.replace("ws", "http", 1).rstrip("/") + "/"
        self.name = name
        self.mark = ""

    # Looking

    def find(self, what: str) -> Any:
        return self.browser.find_element(By.CSS_SELECTOR, what)

    def all(self, what: str) -> list[Any]:
        return list(self.browser.find_elements(By.CSS_SELECTOR, what))

    def is_visible(self, what: str) -> bool:
        """Return whether an element is visible, in one step, because the page may replace elements at any time."""
        return bool(self.browser.execute_script(_IS_VISIBLE, what))

    def text(self, what: str) -> str:
        """Return the visible text of an element. Return an empty text if the page has no such element."""
        return str(self.browser.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", what))

    def texts(self, what: str) -> list[str]:
        """Return the visible texts of all elements that match a selector."""
        script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.innerText)"
        return list(self.browser.execute_script(script, what))

    def count(self, what: str) -> int:
        return int(self.browser.execute_script("return document.querySelectorAll(arguments[0]).length", what))

    def wait_for(self, script: str, *arguments: Any) -> Any:
        """Wait until the JavaScript expression `script` is true, on this page or the next one, and return its value."""
        return pages.wait_for(self.browser, script, *arguments)

    def wait_for_text(self, what: str, words: str) -> None:
        pages.expect_text(self.browser, what, words)

    def wait_for_count(self, what: str, count: int) -> None:
        pages.expect_count(self.browser, what, count)

    def round_trip(self) -> None:
        """Wait until the page has shown the answers to its requests, and to the requests caused by these answers."""
        for _ in range(2):
            self.browser.execute_async_script(_ROUND_TRIP)

    def state(self) -> dict[str, Any]:
        """Wait until this person must decide or the game is over. Return the choices and other state of the page."""
        found: dict[str, Any] = wait_until(
            lambda: self.browser.execute_async_script(_STATE, self.mark, SLICE_MS),
            "a question",
            lambda: f"the page:\n{self.text('body')}",
        )
        self.mark = found["mark"]
        return found

    # Actions

    def go(self, fragment: str = "") -> None:
        """Open the page with `fragment` in the address, and wait until the page is connected."""
        # Setting the fragment does not reload the page.
        if self.browser.execute_script(_SET_FRAGMENT, self.url, fragment):
            self.browser.refresh()
        else:
            self.browser.get(f"{self.url}{fragment}")
        self.wait_until_connected()

    def go_with_pictures(self) -> None:
        """Open the lobby and wait until it shows the pictures of the games.

        The other methods do not load these pictures, because drawing them is slow.
        """
        handle = pages.run_on_new_pages(self.browser, "window.hasPictures = true")
        self.go()
        pages.stop_running(self.browser, handle)
        self.wait_for_count(".cover svg", 3)

    def visit(self, fragment: str = "") -> None:
        """Go to another part of the page by changing the fragment of the address, without a reload."""
        self.browser.execute_script("location.hash = arguments[0]", fragment)

    def wait_until_connected(self) -> None:
        """Wait until the page is displayed and connected to the server."""
        is_open = "document.getElementById('state').className === 'open'"
        self.wait_for(f"document.documentElement.dataset.ready !== undefined && {is_open}")

    def reload(self) -> None:
        """Load the page again and wait until it is connected. Some content may still be missing."""
        self.mark = ""
        self.browser.execute_script("delete document.documentElement.dataset.ready")
        self.browser.refresh()
        self.wait_until_connected()

    def create(self, game: str, seats: list[str], **more: str) -> str:
        """Create a table with the form on the page, and take the seat marked `you`. Return the id of the table.

        `more` sets further fields of the form.
        """
        self.go("#new")
        numbers = range(1, len(seats) + 1)
        wishes = {"#new-game": game, "#new-players": str(len(seats))}
        wishes |= {f"#new-seats label:nth-child({at}) select": kind for at, kind in zip(numbers, seats, strict=True)}
        wishes |= {f"#new-{field}": value for field, value in {"you": self.name, **more}.items()}
        if more.keys() - {"clock", "other", "private"}:
            self.click("#new-more summary")
        self.fill(wishes)
        self.click("#create .primary")
        self.wait_for("location.hash.startsWith('#table/') && document.querySelector('#seat-list li') !== null")
        return str(self.browser.execute_script("return location.hash.split('/')[1]"))

    def continue_logged(self, server: ServerProcess, log: str, number: int, game: str, *bots: str | None) -> str:
        """Create a table that continues the game in `log` from action `number`, with `bots` in the other seats.

        Take the first seat and return the id of the table.
        """
        with Client(server.url) as client:
            branch = {"log": log, "number": number}
            table = table_of(create(client, game, 1 + len(bots), seats=[None, *bots], branch=branch))
        self.mark = ""
        name = f'localStorage.setItem("rails-cli.name", JSON.stringify("{self.name}"))'
        handle = pages.run_on_new_pages(self.browser, name)
        self.go(f"#table/{table}")
        pages.stop_running(self.browser, handle)
        self.click("#seat-list button")
        return table

    def fill(self, wishes: dict[str, str]) -> None:
        """Fill in the fields of a form in order, after the first field has become visible.

        `wishes` maps the CSS selector of each field to its value.
        """
        self.wait_for("document.querySelector(arguments[0])?.checkVisibility()", next(iter(wishes)))
        problem = self.browser.execute_script(_FILL, list(wishes.items()))
        assert problem == "", problem

    def choose(self, what: str, value: str) -> None:
        """Set the field `what` of a form to `value`."""
        self.fill({what: value})

    def click(self, what: str) -> None:
        """Click on the centre of an element as soon as the element exists and nothing covers it."""
        for _ in range(CLICKS):
            x, y = self.wait_for(_SPOT, what)
            moves = [{"type": "pointerMove", "duration": 0, "x": x, "y": y}]
            moves += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
            mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
            self.browser.execute("actions", {"actions": [mouse]})
            if not self.browser.execute_script("return window.awaitsClick === true"):
                return  # otherwise the page was being redrawn and nothing was clicked
        raise AssertionError(f"{what} is never clicked; the page:\n{self.text('body')}")

    def pick(self, place: str) -> None:
        """Click on the hex or town `place` of the board."""
        self.click(f'.target[data-target="{place}"] .outline')

    def take(self, command: str) -> None:
        """Click on the choice that has the command `command`, among the choices of the open question."""
        self.click(f'#asked .choice[data-command="{command}"]')

    def play(self, command: str) -> None:
        """Select the choice that has the command `command`, and send it."""
        self.take(command)
        self.click("#asked .confirm")

    def bid(self, amount: int) -> None:
        """Type `amount` as a bid and press enter."""
        self.wait_for("document.querySelector('#asked .bid')")
        self.fill({"#asked .bid": str(amount)})
        self.press(Keys.ENTER)

    def press(self, keys: str) -> None:
        """Press `keys` one by one. Each key goes to the element that has the focus at that moment."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.browser.execute("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def one_decision(self, state: dict[str, Any], chance: Random, wanted: Collection[str] = ()) -> None:
        """Make one decision by a click on something that the page offers in `state`.

        Prefer a choice whose command begins with one of `wanted`.
        """
        preferred = [one for one in state["commands"] if one.startswith(tuple(wanted))] if wanted else []
        is_bid = "bid" in wanted or not state["commands"] or (not wanted and chance.random() < 0.6)
        if state["confirm"]:
            self.click("#asked .confirm")
        elif state["bid"] and is_bid:
            if chance.random() < 0.3:
                self.click("#asked .bidding button[type=button]")
            self.click("#asked .bidding .primary")
        elif state["targets"] and not state["narrowed"] and not preferred and chance.random() < 0.7:
            self.pick(chance.choice(state["targets"]))
        else:
            self.take(chance.choice(preferred or state["commands"]))

    def send_bad_answers(self) -> None:
        """Send invalid answers to the first question until the server plays the default action."""
        for _ in range(STRIKES):
            self.browser.execute_script(_BAD_ANSWER)

    def collect_a_build(self) -> None:
        """Choose two builds of an expansion in Chicago Express on the page. Do not send them to the server."""
        self.take("choose expand")
        self.pick(self.state()["targets"][0])
        state = self.state()
        if state["steps"] == 1:
            self.take(next(command for command in state["commands"] if command != "pass"))
            state = self.state()
        assert state["steps"] == 2

    def follow_hint(self, state: dict[str, Any]) -> None:
        """Ask for a hint and select the suggested answer. If an answer is already complete, send it without a hint."""
        if state["confirm"]:
            self.click("#asked .confirm")
            return
        self.click("#asked .hint")
        self.wait_for("document.querySelector('#asked .advice p')")
        is_offered = self.count("#asked .advice button")
        if is_offered:
            self.click("#asked .advice button")
        if self.count("#asked .bid"):
            self.click("#asked .bidding .primary")
        elif not is_offered:
            self.take(state["commands"][0])


@contextmanager
def anna_at(browser: Any, server: ServerProcess) -> Iterator[PagePerson]:
    """Yield a simulated person named Anna at the page of `server`, with nothing stored in her browser.

    At the end check that the console has no errors and that nothing was fetched from another server.
    """
    if browser.current_url != "about:blank":
        browser.get("about:blank")
    origin = server.url.replace("ws", "http", 1).rstrip("/")
    browser.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"})
    resize(browser, 1280, 900)
    complaints(browser)
    requests(browser)
    person = PagePerson(browser, server.url, "Anna")
    yield person
    assert complaints(browser) == []
    assert [url for url in requests(browser) if not url.startswith((person.url, "about:"))] == []
    browser.get("about:blank")  # a page left open would keep trying to reconnect
