"""HTML building blocks. Texts from results and plans become HTML only in this module, which escapes them."""

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

import msgspec

from rails_cli.tournament.rating.estimates import Estimate
from rails_cli.tournament.words import with_ends

NONE = "–"


class Html(msgspec.Struct, frozen=True):
    """HTML source code. Special characters of inserted text are already escaped."""

    text: str


Cell = str | int | Html | tuple[str, float]
"""Content of a table cell. A pair has a number as text, and a value by which rows are sorted."""


def html(value: "str | int | Html") -> str:
    return value.text if isinstance(value, Html) else escape(f"{value:,}" if isinstance(value, int) else value)


def element(tag: str, *inner: str | int | Html, **attributes: str) -> Html:
    """Return an HTML element. In names of `attributes`, `class_` means `class`, and underscores become hyphens."""
    return Html(f"<{tag}{attributes_of(attributes)}>{''.join(map(html, inner))}</{tag}>")


def attributes_of(attributes: dict[str, str]) -> str:
    return "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())


def joined(pieces: Iterable[Html]) -> Html:
    return Html("\n".join(piece.text for piece in pieces))


def paragraph(*words: str | Html, class_: str = "") -> Html:
    return element("p", *words, **({"class_": class_} if class_ else {}))


def with_code(words: str) -> Html:
    """Return text as HTML, with each part in backticks as a code element."""
    pieces = [
        element("code", part) if number % 2 else Html(escape(part)) for number, part in enumerate(words.split("`"))
    ]
    return Html("".join(piece.text for piece in pieces))


def link(words: str, path: str) -> Html:
    """Return a link with the text `words` to the file at `path`, which is relative to the page."""
    return element("a", words, href=quote(path))


def table(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    texts: Sequence[int] = (),
    marks: Sequence[dict[str, str]] = (),
) -> Html:
    """Return an HTML table. The cells of the first column are the headings of the rows.

    `heads` are the headings of the columns. `texts` has the indices of the columns with text, which are not aligned as
    numbers. `marks` has the HTML attributes of each row.
    """
    head = "".join(
        f'<th scope="col"{_text_class(number in (0, *texts))}>{escape(words)}</th>'
        for number, words in enumerate(heads)
    )
    body = "".join(
        f"<tr{attributes_of(marks[number]) if marks else ''}>"
        f"{''.join(_cell(n, value, texts) for n, value in enumerate(row))}</tr>\n"
        for number, row in enumerate(rows)
    )
    return Html(
        f'<div class="tabled"><p class="caption">{escape(caption)}</p>\n'
        f'<div class="table" tabindex="0" role="group" aria-label="{escape(caption)}">'
        f'<table aria-label="{escape(caption)}">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div></div>"
    )


def _cell(number: int, value: Cell, texts: Sequence[int]) -> str:
    sorted_by = ""
    if isinstance(value, tuple):
        value, key = value
        sorted_by = f' data-value="{key:.6g}"'
    elif isinstance(value, int):
        sorted_by = f' data-value="{value}"'
    if number == 0:
        return f'<th scope="row"{sorted_by}>{html(value)}</th>'
    return f"<td{_text_class(number in texts)}{sorted_by}>{html(value)}</td>"


def _text_class(is_text: bool) -> str:
    return ' class="text"' if is_text else ""


def figure(title: str, words: str, summary: str, drawn: str | None) -> Html:
    """Return a chart with a title, the caption `words`, and `summary` as its accessible label.

    `drawn` is the chart as SVG. If `drawn` is None, return empty HTML. No content is lost, because the tables of the
    report have the same numbers.
    """
    if drawn is None:
        return Html("")
    label = escape(f"{title}: {summary}")
    return Html(
        f'<figure class="chart"><figcaption><b>{escape(title)}</b> {escape(words)}</figcaption>\n'
        f'<div class="canvas" tabindex="0" role="img" aria-label="{label}">{drawn}</div></figure>'
    )


def side_by_side(*pieces: Html) -> Html:
    """Return the pieces in a container that places them next to each other if there is enough space."""
    inner = [piece for piece in pieces if piece.text]
    return Html(f'<div class="beside">{joined(inner).text}</div>') if inner else Html("")


def details(summary: str, *inner: Html) -> Html:
    return Html(f"<details><summary>{escape(summary)}</summary>\n{joined(inner).text}</details>")


def section(name: str, title: str, *inner: Html, is_inner: bool = False) -> Html:
    """Return a section with the id `name`. If `is_inner`, the table of contents does not list the section."""
    head = "h3" if is_inner else "h2"
    return Html(
        f'<section id="{name}" aria-labelledby="{name}-title"><{head} id="{name}-title">{escape(title)}</{head}>\n'
        f"{joined(inner).text}\n</section>"
    )


# Formatted numbers


def spread(estimate: Estimate, form: str) -> tuple[str, float]:
    """Return a table cell: text with a mean and its interval, and the mean as the sort key.

    `form` is the format specification of the numbers.
    """
    return with_ends(estimate, form), estimate.mean


def part(estimate: Estimate) -> tuple[str, float]:
    """Return a table cell: text with a share and its interval in per cent, and the share as the sort key."""
    return spread(estimate, ".0%")
