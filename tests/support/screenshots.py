"""Pictures of the server's page: each game at its start, in the middle and at its end, in three widths, light and dark.

`python -m tests.support.screenshots FOLDER` writes them, to be looked at.
"""

import base64
import tempfile
from pathlib import Path
from typing import Any

import click

from rails_cli.games import GAME_NAMES
from tests.support.browser import open_browser, resize
from tests.support.page_person import PagePerson
from tests.support.ws_client import ServerProcess

WIDTHS = {360: 740, 1024: 768, 1920: 1080}
THEMES = ("light", "dark")
MIDDLE = {"chicago_express": (40, 2), "american_rails": (50, 2), "last_spike": (16, 0)}
"""After so many decisions of the person who plays, and with so many steps collected."""


def picture(browser: Any, file: Path, width: int, theme: str) -> None:
    """The page as it looks in a window; a phone's is scrolled through."""
    resize(browser, width, WIDTHS[width], theme)
    browser.execute_script("scrollTo(0, 0); document.activeElement?.blur()")
    settings = {"format": "png", "captureBeyondViewport": width < 500}
    if width < 500:
        height = browser.execute_script("return document.documentElement.scrollHeight")
        settings["clip"] = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", settings)
    file.write_bytes(base64.b64decode(taken["data"]))


def pictures(browser: Any, folder: Path, name: str) -> None:
    for width in WIDTHS:
        for theme in THEMES:
            picture(browser, folder / f"{name}-{width}-{theme}.png", width, theme)


def play_and_look(person: PagePerson, folder: Path, game: str) -> None:
    """A game as the hints would have it."""
    resize(person.browser, 1280, 900)
    person.create(game, ["you", "builtin:greedy", "builtin:greedy"], name="Friday evening", clock="1800+20")
    decisions, is_taken = 0, False
    state = person.state()
    pictures(person.browser, folder, f"{game}-1-start")
    while not state["over"]:
        least, steps = MIDDLE[game]
        if decisions >= least and state["steps"] >= steps and state["targets"] and not is_taken:
            pictures(person.browser, folder, f"{game}-2-middle")
            resize(person.browser, 1280, 900)
            is_taken = True
        decisions += 1
        person.follow_hint(state)
        state = person.state()
    pictures(person.browser, folder, f"{game}-3-end")


@click.command
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--game", "games", multiple=True, type=click.Choice(GAME_NAMES), help="Only this game.")
def main(folder: Path, games: tuple[str, ...]) -> None:
    """Write pictures of the server's page into FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    browser = open_browser()
    try:
        with tempfile.TemporaryDirectory() as data, ServerProcess(Path(data) / "data") as server:
            person = PagePerson(browser, server.url, "Anna")
            person.go()
            pictures(browser, folder, "lobby-1-empty")
            person.go("#new")
            pictures(browser, folder, "lobby-2-new")
            for game in games or GAME_NAMES:
                play_and_look(person, folder, game)
            person.go()
            person.wait_for("document.querySelector('#tables-list li')")
            pictures(browser, folder, "lobby-3-tables")
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
