"""Build the documentation site (html) and the man pages (man) in docs/_build. `make docs` runs this program.

The pages are those that docs/index.md links to, in that order. They are copied to the folder `source`, and links
between them are adapted. The reference of commands and the pictures of the rules are made from the program. Warnings of
Sphinx, broken links and files loaded from another site are errors. To save time, build only one chapter:

    python .ci/docs.py --chapter Play --output FOLDER
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click

from rails_cli.cli import main as program
from rails_cli.games import load_face
from rails_cli.games.faces.paints import declared
from rails_cli.web.guide import guide_pictures
from rails_cli.web.picture import board_style, read

ROOT = Path(__file__).resolve().parent.parent
INDEX = ROOT / "docs/index.md"
LINK = re.compile(r"\[((?:[^][]|\[[^][]*\])*)\]\(([^)\s:]+)\)")
"""A Markdown link within the project: its text and its target."""
GENERATED = {"Reference": ["Commands <commands/index>", "api"]}
"""Generated pages to add to the table of contents, by the chapter of docs/index.md to which they belong."""
PICTURES = """\
```{{raw}} html
<div class="illustrated">{shared}</div>
```

:::::{{container}} illustrated guide-pictures
{cards}
:::::

## All rules, numbered
"""
CARD = """\
::::{{container}} guide-card
```{{raw}} html
<div class="guide-picture">{drawn}</div>
```
**{title}**

{text}
::::
"""
COMMAND = """\
.. click:: {where}:{name}
   :prog: {prog}
   :nested: {nested}
"""
THEMES = """\
.illustrated{{{light}}}
body[data-theme="dark"] .illustrated{{{dark}}}
@media (prefers-color-scheme:dark){{body:not([data-theme="light"]) .illustrated{{{dark}}}}}
"""


# The pages


def page_name(file: Path) -> str:
    """Return the name of the page made from a Markdown file, such as `protocol/lobby`."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    if parts[-1] == "RULES":
        return f"rules/{parts[-2]}"
    name = parts[-2] if parts[-1] == "README" else parts[-1]
    return f"protocol/{name.lower()}" if parts[0] == "protocol" else name.lower()


def chapters() -> dict[str, dict[Path, str]]:
    """Return the files that docs/index.md links to, with the texts of the links, by chapter."""
    found = {}
    for part in INDEX.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        found[title] = {(INDEX.parent / target).resolve(): words for words, target in LINK.findall(text)}
    return found


def site_text(file: Path, pages: dict[Path, str], source: Path) -> str:
    """Return the text of the Markdown file `file` with its links adapted to the site.

    `pages` maps files to names of pages. A link to a file that is not one of `pages` offers a copy in the folder
    `source` for download. A link to a folder, or to a Markdown file that is not one of `pages`, becomes plain text.
    """
    here = Path(pages[file]).parent

    def adapted(found: re.Match[str]) -> str:
        target, _, anchor = found[2].partition("#")
        there = (file.parent / target).resolve() if target else file
        if not there.exists():
            return found[0]  # Sphinx reports it
        if there.is_dir() or (there.suffix == ".md" and there not in pages):
            return found[1]
        if there in pages:
            to = Path(os.path.relpath(f"{pages[there]}.md", here)).as_posix()
            return f"[{found[1]}]({to}{'#' if anchor else ''}{anchor})" if target else found[0]
        copy = source / "files" / there.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(there, copy)
        return f"[{found[1]}]({Path(os.path.relpath(copy, source / here)).as_posix()})"

    return LINK.sub(adapted, file.read_text(encoding="utf-8"))


def illustrated(text: str, game: str) -> str:
    """Return the rule sheet of a game with the pictures of its guide before the numbered rules."""
    guide = load_face(game).guide
    assert guide is not None
    shared, pictures = guide_pictures(game, guide)
    cards = "".join(CARD.format(drawn=drawn, title=picture.title, text=picture.text) for picture, drawn in pictures)
    title, rest = text.split("\n", 1)
    below = re.sub(r"^(?=#+ )", "#", rest, flags=re.MULTILINE)
    return f"{title}\n\n{guide.about}\n\n{PICTURES.format(shared=shared, cards=cards)}{below}"


def contents(titles: dict[str, dict[Path, str]], pages: dict[Path, str]) -> str:
    """Return the tables of contents that are shown at the side of every page."""
    parts = []
    for title, files in titles.items():
        names = [*(f"{words} <{pages[file]}>" for file, words in files.items()), *GENERATED.get(title, [])]
        parts.append("\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *names, "```", ""]))
    return "\n".join(parts)


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page about a command."""
    names = list(program.summaries)
    listed = "\n".join(f"   {name}" for name in names)
    about = COMMAND.format(where="rails_cli.cli", name="main", prog="rails-cli", nested="none")
    table = "".join(f":doc:`{name} <{name}>`\n   {program.summaries[name]}\n" for name in names)
    yield "commands/index", f"{about}\n.. rubric:: Commands\n\n{table}\n.. toctree::\n   :hidden:\n\n{listed}\n"
    for name in names:
        where = f"rails_cli.commands.{name.replace('-', '_')}"
        yield (
            f"commands/{name}",
            COMMAND.format(where=where, name="command", prog=f"rails-cli {name}", nested="full"),
        )


def style() -> str:
    """Return the style sheet of the site: colours of boards in both themes, and cards for pictures of rules."""
    looks = [load_face(game).look for game in ("chicago_express", "american_rails", "last_spike")]
    themes = THEMES.format(light=declared("light", looks), dark=declared("dark", looks))
    return themes + board_style(looks) + read("guide.css") + (ROOT / "docs/site.css").read_text(encoding="utf-8")


def write(file: Path, content: str) -> None:
    """Write `content` to `file`, a source file of the site.

    If the file already has this content, do not change it, so that Sphinx does not read it again.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text(encoding="utf-8") != content:
        file.write_text(content, encoding="utf-8")


def write_sources(source: Path, titles: dict[str, dict[Path, str]]) -> None:
    """Write the source files of the chapters `titles` to the folder `source`."""
    pages = {file: page_name(file) for files in titles.values() for file in files} | {INDEX: "index"}
    for file, name in pages.items():
        text = site_text(file, pages, source)
        if name.startswith("rules/"):
            text = illustrated(text, file.parent.name)
        write(source / f"{name}.md", text if file != INDEX else f"{text}\n{contents(titles, pages)}")
    if GENERATED.keys() & titles.keys():
        for name, text in command_pages():
            write(source / f"{name}.rst", text)
        write(source / "api.rst", (ROOT / "docs/api.rst").read_text(encoding="utf-8"))
    write(source / "conf.py", (ROOT / "docs/conf.py").read_text(encoding="utf-8"))
    write(source / "_static/site.css", style())
    write(source / "_static/icon.svg", read("icon.svg"))


# The built site


class Page(HTMLParser):
    """An HTML page: its ids, its links, and the addresses of the files that it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name == "href" and value and tag == "a":
                self.links.append(value)
            elif (name == "src" or (name == "href" and tag in ("link", "use"))) and value:
                self.loaded.append(value)


def broken_links(folder: Path) -> list[str]:
    """Return the faults of links in the HTML files in `folder`: links to files or anchors that are missing.

    Files loaded from another site are also faults. So are links to mail addresses, which Sphinx makes from words such
    as `search@400`.
    """
    pages = {file: Page(file) for file in sorted(folder.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        where = file.relative_to(folder)
        found += [f"{where} loads {target}" for target in page.loaded if urlsplit(target).netloc]
        for target in (*page.links, *page.loaded):
            parts = urlsplit(target)
            if parts.scheme == "mailto":
                found.append(f"{where} links to {target}, which is no address")
            if parts.scheme or parts.netloc:
                continue
            there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not there.is_file():
                found.append(f"{where} links to {target}, which is missing")
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].ids:
                found.append(f"{where} links to {target}, which has no such anchor")
    return found


def build(folder: Path, builder: str) -> None:
    """Run Sphinx on the sources in `folder`. If it fails, remove its cache, so that the next run shows all warnings."""
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", builder, "-d", str(folder / "doctrees")]
    done = subprocess.run([*words, str(folder / "source"), str(folder / builder)])
    if done.returncode:
        shutil.rmtree(folder / "doctrees", ignore_errors=True)
        sys.exit(done.returncode)


@click.command
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "docs/_build", help="Where the site goes.")
@click.option("--chapter", multiple=True, help="Build only this chapter of docs/index.md. [default: all]")
def main(output: Path, chapter: tuple[str, ...]) -> None:
    """Build the documentation site in `output`/html and the man pages in `output`/man."""
    titles = chapters()
    missing = {*(ROOT / "docs").glob("*.md")} - {INDEX, *(file for files in titles.values() for file in files)}
    if missing:
        sys.exit(f"docs/index.md has no link to {', '.join(sorted(file.name for file in missing))}")
    if unknown := {*chapter} - titles.keys():
        raise click.UsageError(f"no chapter {', '.join(unknown)}; expected one of {', '.join(titles)}")
    titles = {title: titles[title] for title in chapter or titles}
    write_sources(output / "source", titles)
    build(output, "html")
    if not chapter:
        build(output, "man")
    if found := broken_links(output / "html"):
        sys.exit("\n".join(found))
    click.echo(f"The site is {output / 'html/index.html'}.")


if __name__ == "__main__":
    main()
