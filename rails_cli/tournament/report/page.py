"""A report as one self-contained HTML file, with a content security policy that blocks all other sources."""

import re
from html import escape
from importlib import resources

from rails_cli.tournament.rating.standings import ALL
from rails_cli.tournament.report import colours
from rails_cli.tournament.report.charts import EXTRA, Charts, can_draw
from rails_cli.tournament.report.entrants_section import entrants_section
from rails_cli.tournament.report.findings import Findings
from rails_cli.tournament.report.games_section import Links, games_section
from rails_cli.tournament.report.markup import Html, joined, paragraph
from rails_cli.tournament.report.sections import (
    format_section,
    method,
    pairs,
    setting_section,
    standings,
    summary,
    times,
)
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.web.modules import bundle
from rails_cli.web.page import fill, standalone_page, two_themes

_TITLE = re.compile(r'<section id="([^"]+)"[^>]*><h2[^>]*>(.*?)</h2>')


def report_page(found: Findings, links: Links) -> str:
    """Return the HTML of the report. The result depends only on `found` and `links`."""
    charts = Charts() if can_draw() else None
    by_scope = {table.scope: table for table in found.standings.tables}
    settings = [
        setting_section(number, scope, by_scope.get(scope, by_scope[ALL]), found, charts)
        for number, scope in enumerate(found.settings, 1)
    ]
    first = [standings(found, charts), format_section(found)]
    sections = [
        *(reversed(first) if FORMATS[found.plan.kind].decides else first),
        pairs(found, charts),
        *settings,
        times(found),
        entrants_section(found, links),
        games_section(found, links),
        method(),
    ]
    main = joined([summary(found), *uncharted(charts), *[piece for piece in sections if piece.text]])
    return filled_page(f"{found.plan.name}: tournament report", found.plan.name, "standings", main)


def uncharted(charts: Charts | None) -> list[Html]:
    """Return a list with a note that the page has no charts. The list is empty if there are charts."""
    words = f"This page was made without charts. They need an extra: pip install '{EXTRA}'."
    return [paragraph(words, class_="note")] if charts is None else []


def filled_page(title: str, heading: str, first: str, main: Html) -> str:
    """Return a page with the style and script of reports. `first` is the id of the most important section of `main`."""
    themes = two_themes(colours.declared("light"), colours.declared("dark"))
    on_paper = f"@media print{{:root:root:root{{{colours.declared('light')}color-scheme:light}}}}\n"
    style, script = f"{themes}{on_paper}{colours.rules()}{_read('report.css')}", bundle("tournament/report/report.js")
    contents = "".join(f'<li><a href="#{name}">{title}</a></li>\n' for name, title in _TITLE.findall(main.text))
    filled = {"first": first, "heading": escape(heading), "contents": contents, "main": main.text}
    return standalone_page(title, fill(_read("report.html"), filled), style, script)


def _read(name: str) -> str:
    return resources.files("rails_cli.tournament.report").joinpath(name).read_text(encoding="utf-8")
