"""A headless Chromium for tests of web pages.

`open_page` opens a page and returns when the page is displayed. `wait_for` and `expect` wait until a JavaScript
expression is true or has the expected value. `complaints` returns the errors in the console, `requests` the addresses
fetched, and `violations` the findings of axe-core.
"""

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.tools import NOT_INSTALLED, ROOT, skip_without
from tests.support.waiting import HANG_S, wait_until

try:
    from selenium import webdriver
    from selenium.common.exceptions import JavascriptException, TimeoutException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    MISSING = "selenium is not installed (pip install 'rails-cli[test]')"
else:
    # The headless shell uses a quarter less CPU. Start the binary of Debian, not its wrapper script: killing the script
    # leaves the browser running.
    _SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
    CHROMIUM = str(_SHELL) if _SHELL.is_file() else shutil.which("chromium") or ""
    MISSING = ""
    LEFT = (JavascriptException, TimeoutException)
    """Exceptions raised if the browser leaves the page during a script. A timeout is then reported before its limit."""

AXE = Path(os.environ.get("RAILS_CLI_AXE") or ROOT / "node_modules/axe-core/axe.min.js")
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--renderer-process-limit=1", "--disable-site-isolation-trials"),  # one renderer process for all pages
    "--enable-features=NetworkServiceInProcess2",  # no process for the network
)


NOTICE_MS = 5_000
"""Milliseconds after which a page normally removes a notice. Tests disable this timer."""
# Added to every page. Tests need access to the page's connection, and notices must stay until they have been read.
# The lobby waits for its pictures unless `hasPictures` is set, because they are most of the work of a browser there.
# The result of a game waits for the chances of winning unless `hasChances` is set, because they need an analysis.
_PREPARE = f"""
window.WebSocket = class extends WebSocket {{
  constructor(...words) {{ super(...words); window.socket = this; }}
}};
const get = window.fetch;
const isHeld = (url) =>
  (url.startsWith("board/") && !window.hasPictures) || (url.startsWith("api/analysis/") && !window.hasChances);
window.fetch = (url, ...more) => (isHeld(`${{url}}`) ? new Promise(() => {{}}) : get(url, ...more));
const delay = window.setTimeout;
window.setTimeout = (todo, ms, ...more) => (ms === {NOTICE_MS} ? 0 : delay(todo, ms, ...more));
"""


def open_browser() -> Any:
    """Return a browser that logs its console and its requests. Skip the test if no browser is installed."""
    if MISSING:
        pytest.skip(MISSING)
    skip_without("chromium", "chromedriver")
    options = Options()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    connection: Any = browser.command_executor
    connection.client_config.timeout = HANG_S
    browser.set_page_load_timeout(HANG_S)
    browser.set_script_timeout(HANG_S)
    run_on_new_pages(browser, _PREPARE)
    return browser


def run_on_new_pages(browser: Any, script: str) -> Any:
    """Run `script` on each page opened from now on, before the scripts of the page.

    Return a handle for `stop_running`.
    """
    return browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})


def stop_running(browser: Any, handle: Any) -> None:
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", handle)


# Waiting

SLICE_MS = 10_000
"""Milliseconds that one script call waits in the page for a condition.

Python repeats the call for up to `HANG_S` seconds.
"""
_FOUND = """
const [slice, done] = [...arguments].slice(-2);
const given = [...arguments].slice(0, -2);
const find = function () { return (SCRIPT); };
const until = performance.now() + slice;
const look = async () => {
  let found = null;
  try { found = await find(...given); } catch { /* not yet */ }
  if (found || performance.now() > until) done(found);
  else setTimeout(look, 30);
};
look();
"""


def wait_for(browser: Any, script: str, *arguments: Any) -> Any:
    """Wait until the JavaScript expression `script` is true, and return its value. `script` may be a promise.

    `arguments` are passed to the script. If the browser leaves the page, continue on the next page.
    """

    def found() -> Any:
        with suppress(*LEFT):
            return browser.execute_async_script(_FOUND.replace("SCRIPT", script), *arguments, SLICE_MS)
        return None

    text = "return document.body?.innerText"
    return wait_until(found, script, lambda: f"the page:\n{browser.execute_script(text)}")


def expect(browser: Any, script: str, expected: Any, *arguments: Any) -> None:
    """Wait until the JavaScript expression `script` equals `expected`. On failure show the actual value."""
    given = f"...[...arguments].slice(0, {len(arguments)})"
    is_equal = f"JSON.stringify((function () {{ return ({script}); }})({given})) === arguments[{len(arguments)}]"
    wanted = json.dumps(expected, separators=(",", ":"), ensure_ascii=False)

    def found() -> Any:
        with suppress(*LEFT):
            return browser.execute_async_script(_FOUND.replace("SCRIPT", is_equal), *arguments, wanted, SLICE_MS)
        return None

    wait_until(found, f"{script} to be {wanted}", lambda: browser.execute_script(f"return ({script})", *arguments))


def expect_text(browser: Any, selector: str, words: str) -> None:
    """Wait until the visible text of an element contains `words`."""
    wait_for(browser, "document.querySelector(arguments[0])?.innerText.includes(arguments[1])", selector, words)


def expect_count(browser: Any, selector: str, count: int) -> None:
    """Wait until exactly `count` elements match `selector`."""
    expect(browser, "document.querySelectorAll(arguments[0]).length", count, selector)


_IS_DRAWN = """
document.documentElement.dataset.ready !== undefined &&
  location.href.split("#")[0] === new URL(arguments[0]).href.split("#")[0]
"""


def open_page(browser: Any, url: str) -> None:
    """Open a page of rails-cli and wait until it is displayed.

    Load the page again even if the browser already shows it or `url` differs only in its fragment.
    """
    if browser.current_url.partition("#")[0] == url.partition("#")[0]:
        browser.get("about:blank")
    browser.get(url)
    wait_for(browser, _IS_DRAWN, url)


def wait_for_two_frames(browser: Any) -> None:
    """Wait until the browser has displayed two frames. Then scripts that observe the sizes of elements have run."""
    wait_for(browser, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")


def resize(browser: Any, width: int, height: int = 800, theme: str = "light") -> None:
    """Set the size of the window and the preferred theme."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


LEGIBLE_PX = 10.45
"""Minimum size in pixels of letters on a board. The page itself uses 10.5 px, which rounding may reduce."""
_BOARD_TEXT = """
const board = document.querySelector('svg.board');
const frame = board.getBoundingClientRect();
const texts = [...board.querySelectorAll('text')].filter((text) => text.checkVisibility());
const scaleOf = ({ a, b }) => Math.hypot(a, b);
const size = (text) => parseFloat(getComputedStyle(text).fontSize) * scaleOf(text.getScreenCTM());
const rotated = (text, at, words) => [...text.textContent].map((_, number) => {  // the boxes of its letters
  const { x, y, width, height } = text.getExtentOfChar(number);
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]]
    .map(([x, y]) => new DOMPoint(x, y).matrixTransform(at));
  const [across, down] = [corners.map((one) => one.x), corners.map((one) => one.y)];
  const [left, right, top, bottom] = [Math.min(...across), Math.max(...across), Math.min(...down), Math.max(...down)];
  return { words, left, right, top, bottom };
});
const boxesOf = (text) => {
  const [wide, at] = [text.getBoundingClientRect(), text.getScreenCTM()];
  const words = `${text.getAttribute('class')} ${text.textContent}`;
  if (at.b) return rotated(text, at, words);
  const line = Number(text.getAttribute('y')) * at.d + at.f;  // what letters stand on
  const [left, right, top, bottom] = [wide.left + 1, wide.right - 1, line - 0.73 * size(text), line];
  return [{ words, left, right, top, bottom }];
};
const isLetter = (text) => /letter/.test(text.getAttribute('class'));
const isHidden = (text) => {  // what stands on a piece that is laid covers what is written below it
  const { left, right, top, bottom } = text.getBoundingClientRect();
  return [...board.querySelectorAll('.layer-rails .laid')].some((laid) => {
    const box = laid.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return box.left < x && x < box.right && box.top < y && y < box.bottom && !text.closest('.layer-pieces');
  });
};
const seen = texts.filter((text) => !isLetter(text) && !isHidden(text));
const pieces = [...board.querySelectorAll('.layer-pieces use, .layer-values use')].map((piece) => {
  const { left, right, top, bottom } = piece.getBoundingClientRect();
  const words = piece.getAttribute('href');
  return { words, left: left + 1, right: right - 1, top: top + 1, bottom: bottom - 1 };
});
const meet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
const boxes = seen.flatMap((text, owner) => boxesOf(text).map((box) => ({ ...box, owner })));
const found = boxes.flatMap((one) => [...boxes.filter(({ owner }) => owner > one.owner), ...pieces]
  .filter((other) => meet(one, other)).map((other) => `${one.words} and ${other.words}`));
return {
  smallest: Math.min(...seen.map(size)),
  letters: Math.min(...texts.filter(isLetter).map(size)),
  overlaps: found,
  cut: boxes.filter(({ left, right, top, bottom }) =>
    left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom).map(({ words }) => words),
};
"""


def board_text(browser: Any) -> dict[str, Any]:
    """Measure texts on the board. Return a dictionary with four keys.

    - `smallest`: the size of the smallest texts in pixels.
    - `letters`: the size of the smallest letters on stations and deeds in pixels.
    - `overlaps`: texts that overlap.
    - `cut`: texts that are cut off.
    """
    found: dict[str, Any] = browser.execute_script(_BOARD_TEXT)
    return found


def complaints(browser: Any) -> list[str]:
    """Return errors in the console since the last call, including violations of the content security policy."""
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser: Any) -> list[str]:
    """Return the addresses requested since the last call. Files that the page itself contains do not count."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
    return [one["request"]["url"] for one in sent if not one["request"]["url"].startswith("data:")]


# Checking contrast is two thirds of axe's work. Most texts stand on the plain colour of an enclosing element and have
# enough contrast at any size. These are skipped, and axe checks the others. It never decides about text in an SVG
# image, because something is always behind it. `board_text` covers boards.
_MARK_UNCLEAR_TEXTS = r"""
const UNCLEAR = [NaN, NaN, NaN];
const EVERYWHERE = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
const channels = (colour) => {  // from 0 to 1, and how opaque it is
  const [red, green, blue, alpha = 1] = colour.match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
  const largest = colour.startsWith("rgb") ? 255 : colour.startsWith("color(srgb ") ? 1 : NaN;
  return [red / largest, green / largest, blue / largest, alpha];
};
const over = ([red, green, blue, alpha], below) =>
  [red, green, blue].map((part, at) => (alpha === 1 ? part : part * alpha + below[at] * (1 - alpha)));
const luminance = (colour) => {
  const [red, green, blue] = colour.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
};
const isInside = (node, reach) => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return left >= reach.left && right <= reach.right && top >= reach.top && bottom <= reach.bottom;
};
const grounds = new Map();  // below what is in an element: the colour, how far it reaches, whether it shows as it is
const groundOf = (node, style) => {
  const below = grounds.get(node.parentNode) ?? { colour: UNCLEAR, reach: EVERYWHERE, isFlat: true };
  const own = channels(style.backgroundColor);
  const isLoose = !["static", "relative"].includes(style.position);  // it may stand on anything
  const isFlat = below.isFlat && style.opacity === "1" && style.filter === "none" && style.mixBlendMode === "normal";
  const isEnd = style.overflow !== "visible" || node === document.body;  // nothing of it is seen elsewhere
  const colour = style.backgroundImage === "none" ? over(own, isLoose ? UNCLEAR : below.colour) : UNCLEAR;
  if (own[3] === 0 && !isEnd) return { colour, reach: below.reach, isFlat };
  if (own[3] < 1 && !isInside(node, below.reach)) return { colour: UNCLEAR, reach: EVERYWHERE, isFlat };
  return { colour, reach: isEnd ? EVERYWHERE : node.getBoundingClientRect(), isFlat };
};
for (const node of document.querySelectorAll("*:not(svg *)")) {
  const style = getComputedStyle(node);
  const { colour, reach, isFlat } = groundOf(node, style);
  grounds.set(node, { colour, reach, isFlat });
  const text = [...node.childNodes].map((child) => (child.nodeType === Node.TEXT_NODE ? child.data : "")).join("");
  if (text.trim().length < 2 && !node.matches("input, select, textarea")) continue;  // axe judges no single letter
  const [dark, light] = [over(channels(style.color), colour), colour].map(luminance).sort((one, other) => one - other);
  const isClear = isFlat && style.textShadow === "none" && light / dark > 4.6 && isInside(node, reach);
  node.toggleAttribute("data-unclear", !isClear);
}
"""
# Most of a large page consists of similar parts: hexes, table rows, steps of a game. axe gets three of each kind and
# all with unclear contrast. The others are removed and put back afterwards, and so is the content of hidden pictures.
_THIN_OUT = """
const lookOf = (node) => [...new Set([node, ...node.querySelectorAll("*")].map((one) => [
  one.tagName, one.getAttribute("class"), one.textContent === "",
  ...one.getAttributeNames().filter((name) => /^(aria-|role$|tabindex$|href$|for$|title$|alt$|type$)/.test(name))
    .map((name) => name + (one.getAttribute(name) === "")),
].join(" ")))].join();
window.takenOut = [];
const takeOut = (node) => {
  const place = document.createComment("");
  node.replaceWith(place);
  window.takenOut.push([place, node]);
};
document.querySelectorAll("[aria-hidden=true] svg > *").forEach(takeOut);
for (const parent of document.querySelectorAll("svg g, tbody, ol, ul")) {
  if (!parent.isConnected || parent.childElementCount < 7) continue;
  const counts = new Map();
  for (const node of [...parent.children]) {
    const look = lookOf(node);
    counts.set(look, (counts.get(look) ?? 0) + 1);
    if (counts.get(look) <= 3 || node.contains(document.activeElement)) continue;
    if (!node.matches("[data-unclear]") && !node.querySelector("[data-unclear]")) takeOut(node);
  }
}
"""
_PUT_BACK = "for (const [place, node] of window.takenOut) place.replaceWith(node);"
_JUDGE = """
const [rules, done] = arguments;
axe.configure({ rules: [{ id: "color-contrast", selector: "[data-unclear]" }] });
axe.run({ resultTypes: ["violations"], selectors: false, preload: false, ...(rules.length ? { runOnly: rules } : {}) })
  .then((result) => done(result.violations), (error) => done([{ id: String(error) }]));
"""
CONTRAST = ("color-contrast",)
"""The accessibility rules whose findings depend on the theme, light or dark."""
CONTROLS = (
    *(*CONTRAST, "aria-allowed-attr", "aria-required-attr", "aria-valid-attr-value"),
    *("button-name", "label", "label-content-name-mismatch", "link-name", "select-name"),
)
"""Accessibility rules for single controls, such as buttons and fields.

They suffice for a panel if another test checks the page of this panel with all rules.
"""


def violations(browser: Any, rules: tuple[str, ...] = (), most: int = 3) -> list[str]:
    """Return the findings of axe-core, each with at most `most` elements. Check only `rules` if any are given."""
    if not AXE.is_file():
        pytest.skip(f"{NOT_INSTALLED}axe-core")
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(AXE.read_text(encoding="utf-8"))
    browser.execute_script(_MARK_UNCLEAR_TEXTS)
    browser.execute_script(_THIN_OUT)
    found = browser.execute_async_script(_JUDGE, list(rules))
    browser.execute_script(_PUT_BACK)
    return [f"{one['id']}: {[node['html'][:160] for node in one.get('nodes', [])][:most]}" for one in found]


def check_fit(browser: Any, *widths: int, height: int = 768, theme: str = "light", rules: tuple[str, ...] = ()) -> None:
    """Check that the page is not wider than the window at each width in `widths`.

    Then check that axe-core finds nothing at the last width. If `rules` are given, check only these.
    """
    for width in widths:
        resize(browser, width, height, theme)
        expect(browser, "document.documentElement.scrollWidth <= arguments[0]", True, width)
    found = violations(browser, rules)
    assert found == [], found
