"""Configuration of Sphinx for the documentation site and the man pages. `.ci/docs.py` prepares the sources."""

import inspect
import re
from pathlib import Path
from typing import Any

import click
from docutils import nodes

from rails_cli import __version__
from rails_cli.cli import main

project = "rails-cli"
author = "the authors of rails-cli"
copyright = "the authors of rails-cli, MIT licence"
version = release = __version__
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_click"]
root_doc = "index"
smartquotes = False  # they would change `--option` in texts
highlight_language = "text"
default_role = "py:obj"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # transcripts are shortened, so they are not quite JSON
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # `<built-in function monotonic>` would break the signature
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
html_theme = "furo"
html_title = f"rails-cli {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b5e4c", "color-brand-content": "#1b5e4c"},
    "dark_css_variables": {"color-brand-primary": "#7fd1b4", "color-brand-content": "#7fd1b4"},
}
man_show_urls = False
man_pages = [
    ("commands/index", "rails-cli", "a game server for railway board games", author, 1),
    *(
        (f"commands/{name}", f"rails-cli-{name}", summary.rstrip("."), author, 1)
        for name, summary in main.summaries.items()
    ),
]

CODE = re.compile(r"(`[^`]+`|[\w.]+(?:@|://)[^\s,;()'\"]*[^\s,;()'\".])")
"""Code in backticks, and words that reStructuredText would take for addresses: `search@400` and `https://...`."""
MANUAL = re.compile(r"\bdocs/([A-Z_]+)\.md|\b(protocol/[A-Z_]+)\.md")
LONGEST_WORD = 30
"""Maximum number of characters of a word in inline code that is not broken. Narrow screens have about 40."""
SPECIAL = re.compile(r"[*_|\\`<>]")


def restructured(words: str) -> str:
    """Return a text of the command line as reStructuredText: code and addresses as literals, and links to manuals."""
    parts = CODE.split(words)
    for at, part in enumerate(parts):
        if at % 2:
            parts[at] = f"``{part.strip('`')}``"
            continue
        plain, *rest = MANUAL.split(part)
        done = SPECIAL.sub(r"\\\g<0>", plain)
        for manual, protocol, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            done += f":doc:`/{(manual or protocol).lower()}`" + SPECIAL.sub(r"\\\g<0>", after)
        parts[at] = done
    return "".join(parts)


def describe(app: Any, ctx: click.Context, lines: list[str]) -> None:
    """Replace `lines`, the description of a command by sphinx-click. A block after `\\b` becomes a literal block."""
    lines.clear()
    for block in inspect.cleandoc(ctx.command.help or "").split("\n\n"):
        if block.startswith("\b\n"):
            title, *rest = block.removeprefix("\b\n").splitlines()
            lines += [
                f"**{title.rstrip(':')}**",
                "",
                "::",
                "",
                *(f"    {line.removeprefix('  ')}" for line in rest),
                "",
            ]
        else:
            lines += [restructured(" ".join(block.split())), ""]


def list_options(app: Any, ctx: click.Context, lines: list[str]) -> None:
    """Replace `lines`, the options of a command by sphinx-click, with the texts and defaults of `--help`.

    They are a plain list, because the search shows described objects, such as options, before pages.
    """
    lines.clear()
    ctx.show_default = True
    ctx.help_option_names = main.context_settings["help_option_names"]
    for option in ctx.command.get_params(ctx):
        if not isinstance(option, click.Option):
            continue
        option.show_envvar = True
        record = option.get_help_record(ctx)
        option.envvar = None  # no separate list of variables
        if record is not None:
            lines += [f"``{record[0]}``", f"    {restructured(' '.join(record[1].split()))}", ""]


def leave_out(app: Any, ctx: click.Context, lines: list[str]) -> None:
    """Leave out the list of arguments. The description explains them, and they have no texts of their own."""
    lines.clear()


def unlink(app: Any, doctree: nodes.document, name: str) -> None:
    """Replace links by their texts in man pages, which would show an empty address."""
    if app.builder.name == "man":
        for link in list(doctree.findall(nodes.reference)):
            link.replace_self(link.children)


def mark_short_code(app: Any, doctree: nodes.document, name: str) -> None:
    """Give inline code without long words the class `short`, so that the style sheet keeps its words on one line."""
    for code in doctree.findall(nodes.literal):
        if max(map(len, code.astext().split()), default=0) <= LONGEST_WORD:
            code["classes"].append("short")


ACCESSIBLE = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer"': '<aside aria-label="All pages" class="sidebar-drawer"',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',  # long lines are scrolled by keys
}
"""Replacements in the HTML of Sphinx and its theme, which screen readers and keyboards need."""


def make_accessible(app: Any, error: Exception | None) -> None:
    if app.builder.format == "html" and error is None:
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            for old, new in ACCESSIBLE.items():
                text = text.replace(old, new)
            page.write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    app.connect("sphinx-click-process-description", describe)
    app.connect("sphinx-click-process-options", list_options)
    app.connect("sphinx-click-process-arguments", leave_out)
    app.connect("doctree-resolved", unlink)
    app.connect("doctree-resolved", mark_short_code)
    app.connect("build-finished", make_accessible)
