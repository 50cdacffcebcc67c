"""What a format itself says of its games, as a section of the page."""

from rails_cli.report.findings import Findings
from rails_cli.report.markup import NONE, Html, element, paragraph, section, table
from rails_cli.tournament.format_report import Bracket, BracketTable, Figures, Words
from rails_cli.tournament.words import listed


def format_section(found: Findings) -> Html:
    """Nothing for a format whose standings say it all."""
    if found.format_report is None:
        return Html("")
    return section("format", found.format_report.title, *map(_part, found.format_report.parts))


def _part(part: Words | Figures | Bracket) -> Html:
    if isinstance(part, Words):
        return paragraph(part.text, class_="quiet" if part.is_aside else "")
    if isinstance(part, Figures):
        rows = [[NONE if cell is None else cell for cell in row] for row in part.rows]
        return table(part.caption, part.heads, rows)
    rounds = []
    for one in part.rounds:
        byes = [paragraph(f"Without a game: {listed(one.byes)}.", class_="quiet")] if one.byes else []
        rounds.append(element("li", element("h3", one.title), *map(_table, one.tables), *byes))
    bracket = element("ol", *rounds, class_="bracket")
    return element("div", bracket, class_="canvas", tabindex="0", role="group", aria_label="Rounds")


def _table(made: BracketTable) -> Html:
    rows = []
    for place in made.places:
        told = element("span", place.words, class_="quiet")
        mark = [f" – {place.mark}"] if place.mark else []
        rows.append(element("li", element("b" if place.mark else "span", place.name), " ", told, *mark))
    state = [] if made.is_decided else [paragraph("Not decided yet.", class_="quiet")]
    return element("div", element("ol", *rows), *state, class_="tie")
