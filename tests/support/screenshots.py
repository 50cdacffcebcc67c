"""Screenshots of the server's page: the lobby, the start, middle and end of each game, and the analysis of the game.

The window has the size of a notebook, of the notebook with 200 % zoom, and of a phone, each with the light and the dark
theme. `python -m tests.support.screenshots FOLDER` writes all screenshots, `--readme` only those of the README.
"""

import base64
import shutil
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any

import click

from rails_cli.games import game_names
from tests.support.browser import open_browser, open_page, resize
from tests.support.page_person import PagePerson
from tests.support.tools import GOLDEN, rails
from tests.support.ws_client import ServerProcess

WIDTHS = {360: 740, 683: 384, 1366: 768}
THEMES = ("light", "dark")
MIDDLE = {"chicago_express": (146, "choose expand"), "american_rails": (196, "choose expand4"), "last_spike": (40, "")}
"""For each game, a number and a command that lead to the position for the screenshots of the middle of the game.

All actions of the recorded (golden) game before the action with this number are kept. Then the choice with this command
is made.
"""
LATE = {"chicago_express": 171, "american_rails": 332, "last_spike": 64}
"""By game, the number of the first action of the recorded (golden) game that is not kept.

From there the game is played to its end.
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


def picture(browser: Any, file: Path, width: int, theme: str, *, is_whole: bool) -> None:
    """Save a screenshot of the top of the page. With `is_whole`, save the whole page."""
    resize(browser, width, WIDTHS[width], theme)
    browser.execute_script("document.activeElement?.blur(); scrollTo(0, 0)")
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
                file = folder / f"{README[shot]}.png"
                picture(browser, file, width, theme, is_whole=False)
                file.write_bytes(small(browser, file.read_bytes()))


def show_lobby(person: PagePerson, folder: Path) -> None:
    """Save screenshots of the lobby and of the form for a new table."""
    person.go_with_pictures()
    pictures(person.browser, folder, "lobby-1-empty", is_for_readme=False)
    person.go("#new")
    pictures(person.browser, folder, "lobby-2-new", is_for_readme=False)


def show_start(person: PagePerson, folder: Path, game: str) -> None:
    """Save screenshots of the first decision of a new game."""
    resize(person.browser, 1366, 768)
    person.create(game, ["you", "builtin:greedy", "builtin:greedy"], name="Friday evening", clock="1800+20")
    person.state()
    pictures(person.browser, folder, f"{game}-1-start", is_for_readme=False)


def golden(game: str) -> Path:
    return GOLDEN / game / f"{game}-4p.jsonl"


def show_middle(server: ServerProcess, person: PagePerson, folder: Path, game: str, is_for_readme: bool) -> None:
    """Continue the recorded (golden) game, select steps without sending them, and save screenshots of the table.

    With `is_for_readme`, save only the screenshots of the README.
    """
    resize(person.browser, 1366, 768)
    number, command = MIDDLE[game]
    person.continue_logged(server, game, number, game, *["builtin:greedy"] * 3)
    person.state()
    if command:
        person.take(command)
        person.pick(person.state()["targets"][0])
        person.state()
    pictures(person.browser, folder, f"{game}-2-middle", is_for_readme)


def show_end(server: ServerProcess, person: PagePerson, folder: Path, game: str) -> None:
    """Play the last part of the recorded (golden) game by following the hints. Save screenshots of the result."""
    resize(person.browser, 1366, 768)
    person.continue_logged(server, game, LATE[game], game, *["builtin:greedy"] * 3)
    while not (state := person.state())["over"]:
        person.follow_hint(state)
    pictures(person.browser, folder, f"{game}-3-end", is_for_readme=False)


def show_replay(person: PagePerson, folder: Path, game: str, is_for_readme: bool) -> None:
    """Save screenshots of the replay of the recorded (golden) game with its analysis.

    With `is_for_readme`, save only the screenshots of the README. The replay is a page made by `rails-cli export`, not
    by a server, because a server limits the time of an analysis.
    """
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "replay.html"
        shutil.copyfile(golden(game), Path(place) / "game.jsonl")  # the page shows the path of the log
        words = ("export", "game.jsonl", "--html", str(page), "--analysis", "--looks", "10")
        rails(*words, cwd=place, timeout=3600, check=True)
        open_page(person.browser, page.as_uri())
        person.wait_for("document.querySelectorAll('#moments li').length")
        person.browser.execute_script("location.hash = document.querySelector('#moments li:last-child a').hash")
        person.wait_for("!document.getElementById('worth').hidden")
        pictures(person.browser, folder, f"{game}-4-replay", is_for_readme)


@click.command
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--game", "games", multiple=True, type=click.Choice(game_names()), help="Only this game.")
@click.option("--readme", "is_for_readme", is_flag=True, help="Only the screenshots of the README.")
def main(folder: Path, games: tuple[str, ...], is_for_readme: bool) -> None:
    """Write screenshots of the server's page into FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    browser = open_browser()
    try:
        with tempfile.TemporaryDirectory() as data:
            logs = Path(data) / "logs"
            logs.mkdir()
            for game in game_names():
                shutil.copyfile(golden(game), logs / f"{game}.jsonl")
            with ServerProcess(Path(data) / "data", "--logs", str(logs)) as server:
                person = PagePerson(browser, server.url, "Anna")
                if not is_for_readme:
                    show_lobby(person, folder)
                for game in games or game_names():
                    if not is_for_readme:
                        show_start(person, folder, game)
                        show_end(server, person, folder, game)
                    show_middle(server, person, folder, game, is_for_readme)
                    if not is_for_readme or f"{game}-4-replay" in {shot.rpartition("-1366")[0] for shot in README}:
                        show_replay(person, folder, game, is_for_readme)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
