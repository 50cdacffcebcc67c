"""Tests of the documentation site, in a browser. Only one chapter is built, to save time. `make docs` builds all."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Thread
from typing import Any

import pytest

from rails_cli import library
from rails_cli.games import load_face
from tests.support.browser import CONTRAST, complaints, requests, resize, violations, wait_for
from tests.support.tools import NOT_INSTALLED, ROOT


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Build the first chapter of the site. Yield the address of a web server that serves it."""
    needed = {"sphinx": "Sphinx", "myst_parser": "myst-parser", "furo": "furo", "sphinx_click": "sphinx-click"}
    if missing := [name for module, name in needed.items() if find_spec(module) is None]:
        pytest.skip(f"{NOT_INSTALLED}{', '.join(missing)}")
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, ".ci/docs.py", "--chapter", "Play", "--output", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder / "html"))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_the_search_finds_the_illustrated_rules(site: str, browser: Any) -> None:
    """The search of the site finds the illustrated rules. The browser loads no files from other web sites."""
    resize(browser, 1366)
    requests(browser)
    complaints(browser)
    browser.get(site)
    search = "const box = document.querySelector('input[name=q]'); box.value = 'bankrupt'; box.form.submit();"
    browser.execute_script(search)
    link = "[...document.querySelectorAll('#search-results li a')].find((a) => a.textContent.includes('Last Spike'))"
    wait_for(browser, link)
    browser.execute_script(f"{link}.click()")
    wait_for(browser, "location.pathname === '/rules/last_spike.html' && document.querySelector('.guide-picture svg')")
    titles = "return [...document.querySelectorAll('.guide-card strong')].map((title) => title.innerText)"
    guide = load_face("last_spike").guide
    assert guide is not None
    assert browser.execute_script(titles) == [picture.title for picture in guide.pictures]
    assert [url for url in requests(browser) if not url.startswith(site)] == []
    assert complaints(browser) == []
    resize(browser, 390)
    wait_for(browser, "document.documentElement.scrollWidth <= 390")


@pytest.mark.parametrize("page", ["index.html", "start.html", "rules/last_spike.html"])
def test_pages_can_be_read_by_everyone_in_both_themes(site: str, browser: Any, page: str) -> None:
    """Axe finds nothing. The second theme is checked for contrast only."""
    resize(browser, 1366)
    browser.get(f"{site}{page}")
    assert violations(browser) == []
    resize(browser, 1366, theme="dark")
    assert violations(browser, CONTRAST) == []


def test_short_words_of_inline_code_stay_on_one_line(site: str, browser: Any) -> None:
    resize(browser, 390)
    browser.get(f"{site}start.html")
    wait_for(browser, "document.documentElement.scrollWidth <= 390")
    words = "[...document.querySelectorAll('article code .pre')]"
    assert browser.execute_script(f"return {words}.some((word) => word.innerText === '--quick')")
    broken = f"return {words}.filter((word) => word.getClientRects().length > 1).map((word) => word.innerText)"
    assert browser.execute_script(broken) == []


def test_the_reference_of_the_library_has_every_public_name() -> None:
    page = (ROOT / "docs/api.rst").read_text(encoding="utf-8")
    described = [line.split(":: ")[1] for line in page.splitlines() if line.startswith((".. auto", ".. py:data"))]
    assert sorted(described) == sorted(["rails_cli.library", *library.__all__])


def test_the_index_links_to_every_manual() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    manuals = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "index.md"]
    manuals += [f"../protocol/{page.name}" for page in (ROOT / "protocol").glob("*.md")]
    assert [name for name in manuals if f"]({name})" not in index] == []
