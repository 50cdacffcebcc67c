"""A headless Chromium for tests of pages: what it fetched, what it complained of, and axe-core to judge a page."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.tools import NOT_INSTALLED, ROOT, skip_without

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    MISSING = "selenium is not installed (pip install 'rails-cli[test]')"
else:
    # The same browser without windows takes a quarter less CPU. This is Debian's file, and not the script that starts
    # it: who ends that leaves the browser behind.
    _SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
    CHROMIUM = str(_SHELL) if _SHELL.is_file() else shutil.which("chromium") or ""
    MISSING = ""

AXE = Path(os.environ.get("RAILS_CLI_AXE") or ROOT / "node_modules/axe-core/axe.min.js")
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--renderer-process-limit=1", "--disable-site-isolation-trials"),  # not a new process for each page
)


def open_browser() -> Any:
    """A browser that keeps a log of its console and its requests; the test is skipped where there is none."""
    if MISSING:
        pytest.skip(MISSING)
    skip_without("chromium", "chromedriver")
    options = Options()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def resize(browser: Any, width: int, height: int = 800, theme: str = "light") -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


_BOARD_TEXT = """
const board = document.querySelector('svg.board');
const frame = board.getBoundingClientRect();
const texts = [...board.querySelectorAll('text')].filter((text) => text.checkVisibility());
const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
const boxOf = (text) => {
  const [wide, at] = [text.getBoundingClientRect(), text.getScreenCTM()];
  const line = Number(text.getAttribute('y')) * at.d + at.f;  // what letters stand on
  const [left, right, top, bottom] = [wide.left + 1, wide.right - 1, line - 0.73 * size(text), line];
  return { words: `${text.getAttribute('class')} ${text.textContent}`, left, right, top, bottom };
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
const boxes = seen.map(boxOf);
const found = boxes.flatMap((one, number) => [...boxes.slice(number + 1), ...pieces]
  .filter((other) => meet(one, other)).map((other) => `${one.words} and ${other.words}`));
return {
  smallest: Math.min(...seen.map(size)),
  overlaps: found,
  cut: boxes.filter(({ left, right, top, bottom }) =>
    left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom).map(({ words }) => words),
};
"""


def board_text(browser: Any) -> dict[str, Any]:
    """Of what is written on the board: how many pixels its smallest letters have, what covers what, and what is cut."""
    found: dict[str, Any] = browser.execute_script(_BOARD_TEXT)
    return found


def complaints(browser: Any) -> list[str]:
    """What the console got since it was last asked: errors, and what the content security policy kept out."""
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser: Any) -> list[str]:
    """The addresses asked for since this was last called."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    ]


# To judge contrast is two thirds of axe's work. Most texts stand on the plain colour of an element that they are in,
# and differ enough from it for letters of any size: these are spared, and axe judges the others. Of text in a drawing
# it never says whether it can be read, as something is always behind it; `board_text` looks at those of boards.
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
_JUDGE = """
const done = arguments[arguments.length - 1];
axe.configure({ rules: [{ id: "color-contrast", selector: "[data-unclear]" }] });
axe.run({ resultTypes: ["violations"], selectors: false })
  .then((result) => done(result.violations), (error) => done([{ id: String(error) }]));
"""


def violations(browser: Any, most: int = 3) -> list[str]:
    """What axe-core finds wrong with the page, each with some places."""
    if not AXE.is_file():
        pytest.skip(f"{NOT_INSTALLED}axe-core")
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(AXE.read_text(encoding="utf-8"))
    browser.set_script_timeout(120)  # it takes its time on a busy machine
    browser.execute_script(_MARK_UNCLEAR_TEXTS)
    found = browser.execute_async_script(_JUDGE)
    return [f"{one['id']}: {[node['html'][:160] for node in one.get('nodes', [])][:most]}" for one in found]
