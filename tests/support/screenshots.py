"""Screenshots of the server's page: the lobby, the start, middle and end of each game, and the analysis of the game.

The window has the size of a notebook, of the notebook with 200 % zoom, and of a phone, each with the light and the dark
theme. `python -m tests.support.screenshots FOLDER` writes all screenshots, `--readme` only those of the README.
"""

import base64
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any

import click

from rails_cli.games import GAME_NAMES
from tests.support.browser import open_browser, resize
from tests.support.fetching import replayed
from tests.support.page_person import PagePerson
from tests.support.ws_client import ServerProcess

WIDTHS = {360: 740, 683: 384, 1366: 768}
THEMES = ("light", "dark")
MIDDLE = {"chicago_express": (40, 2), "american_rails": (50, 2), "last_spike": (16, 0)}
"""By game, when the screenshot of the middle of the game is taken.

The values are the minimum number of decisions made, and the minimum number of unsent steps on the page.
"""
README = {
    "chicago_express-2-middle-1366-light": "page-chicago-express",
    "last_spike-2-middle-1366-dark": "page-last-spike",
    "american_rails-2-middle-360-light": "page-american-rails-phone",
    "last_spike-4-replay-1366-light": "page-replay",
}
"""Names of the screenshots that the README shows, each mapped to the file name used in the README."""
# Choose up to 256 frequent and distinct colours. Return them and the index of the nearest one for each pixel.
FEW_COLOURS = """
const done = arguments[arguments.length - 1];
(async () => {
  const picture = Object.assign(new Image(), { src: `data:image/png;base64,${arguments[0]}` });
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, picture.width, picture.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
  const apart = ([r, g, b], [red, green, blue]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  const kept = [];
  for (const [pixel] of [...counts].sort(([, one], [, other]) => other - one)) {
    if (kept.length < 256 && kept.every((one) => apart(one, parts(pixel)) > 150)) kept.push(parts(pixel));
  }
  const nearest = new Map([...counts.keys()].map((pixel) => {
    const far = kept.map((one) => apart(one, parts(pixel)));
    return [pixel, far.indexOf(Math.min(...far))];
  }));
  let text = "";
  for (const pixel of pixels) text += String.fromCharCode(nearest.get(pixel));
  done([picture.width, btoa(String.fromCharCode(...kept.flat())), btoa(text)]);
})();
"""


def picture(browser: Any, file: Path, width: int, theme: str, *, is_whole: bool, at: str = "body") -> None:
    """Save a screenshot of the window scrolled to the element `at`. With `is_whole`, save the whole page."""
    resize(browser, width, WIDTHS[width], theme)
    browser.execute_script("document.activeElement?.blur(); document.querySelector(arguments[0]).scrollIntoView()", at)
    settings = {"format": "png", "captureBeyondViewport": is_whole}
    if is_whole:
        height = browser.execute_script("return document.documentElement.scrollHeight")
        settings["clip"] = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", settings)
    file.write_bytes(base64.b64decode(taken["data"]))


def small(browser: Any, content: bytes) -> bytes:
    """Return a PNG with a palette of at most 256 colours, which takes a third of the bytes of `content`."""
    browser.switch_to.new_window("tab")  # a new tab is not subject to the page's security policy
    width, colours, pixels = browser.execute_async_script(FEW_COLOURS, base64.b64encode(content).decode())
    browser.close()
    browser.switch_to.window(browser.window_handles[0])
    numbers = base64.b64decode(pixels)
    lines = b"".join(b"\0" + numbers[at : at + width] for at in range(0, len(numbers), width))
    head = struct.pack(">IIBBBBB", width, len(numbers) // width, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", base64.b64decode(colours)), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def pictures(browser: Any, folder: Path, name: str, is_for_readme: bool) -> None:
    """Save screenshots of the page in all sizes and themes, or only the screenshots of the README."""
    for width in WIDTHS:
        for theme in THEMES:
            shot = f"{name}-{width}-{theme}"
            if not is_for_readme:
                picture(browser, folder / f"{shot}.png", width, theme, is_whole=width < 500)
            elif shot in README:
                at = "#charts" if "replay" in name else "body"
                file = folder / f"{README[shot]}.png"
                picture(browser, file, width, theme, is_whole=False, at=at)
                file.write_bytes(small(browser, file.read_bytes()))


def play_and_look(server: ServerProcess, person: PagePerson, folder: Path, game: str, is_for_readme: bool) -> None:
    """Play a game by following the hints. Save screenshots of the game and of its analysis."""
    resize(person.browser, 1280, 900)
    person.create(game, ["you", "builtin:greedy", "builtin:greedy"], name="Friday evening", clock="1800+20")
    decisions, is_taken = 0, False
    state = person.state()
    pictures(person.browser, folder, f"{game}-1-start", is_for_readme)
    while not state["over"]:
        least, steps = MIDDLE[game]
        if decisions >= least and state["steps"] >= steps and state["targets"] and not is_taken:
            pictures(person.browser, folder, f"{game}-2-middle", is_for_readme)
            resize(person.browser, 1280, 900)
            is_taken = True
            if is_for_readme and f"{game}-4-replay" not in {shot.rpartition("-1366")[0] for shot in README}:
                return
        decisions += 1
        person.follow_hint(state)
        state = person.state()
    pictures(person.browser, folder, f"{game}-3-end", is_for_readme)
    table = person.browser.execute_script("return location.hash.split('/')[1]")
    assert replayed(server, f"{table}/analysis")[0] == 200
    person.browser.get(f"{person.url}replay/{table}/analysis")
    person.wait_for("document.querySelectorAll('#moments li').length")
    person.browser.execute_script("location.hash = document.querySelector('#moments li:last-child a').hash")
    person.wait_for("!document.getElementById('worth').hidden")
    pictures(person.browser, folder, f"{game}-4-replay", is_for_readme)


@click.command
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--game", "games", multiple=True, type=click.Choice(GAME_NAMES), help="Only this game.")
@click.option("--readme", "is_for_readme", is_flag=True, help="Only the screenshots of the README.")
def main(folder: Path, games: tuple[str, ...], is_for_readme: bool) -> None:
    """Write screenshots of the server's page into FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    browser = open_browser()
    try:
        with tempfile.TemporaryDirectory() as data, ServerProcess(Path(data) / "data") as server:
            person = PagePerson(browser, server.url, "Anna")
            person.go()
            pictures(browser, folder, "lobby-1-empty", is_for_readme)
            person.go("#new")
            pictures(browser, folder, "lobby-2-new", is_for_readme)
            for game in games or GAME_NAMES:
                play_and_look(server, person, folder, game, is_for_readme)
            person.go()
            person.wait_for("document.querySelector('#tables-list li')")
            pictures(browser, folder, "lobby-3-tables", is_for_readme)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
