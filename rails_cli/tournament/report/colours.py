"""The colours of a report. Charts are drawn in light colours, and the page's style sheet replaces them in dark mode."""

from rails_cli.games.faces.paints import PAGE_COLOURS, PAINTS, SPOTS, THEMES, Theme

INK, FAINT, PAPER = "ink", "faint", "paper"
GRID, HERE, ON_STRONG = "grid", "here", "on-strong"
SERIES = tuple(f"series-{number}" for number in range(SPOTS))
STEPS = tuple(f"step-{number}" for number in range(9))
"""Names of the colours for the share of games in which an entrant is ahead, from 0 to 1."""
AMOUNTS = tuple(f"amount-{number}" for number in range(6))
"""Names of the colours for amounts, from 0 to the largest amount."""

# (light, dark). Style rules match charts by their light colours, so no two may be equal.
_STEPS = (
    *(("#8f3b00", "#ff9a52"), ("#bf5a14", "#d97f3e"), ("#e3a06b", "#8f5a34"), ("#f3d6bc", "#57412f")),
    ("#f2efe8", "#2e3238"),
    *(("#c7dcee", "#2c4558"), ("#86b5da", "#34678e"), ("#2f7ab5", "#4590c8"), ("#0a4f86", "#6cbcf7")),
)
_AMOUNTS = (
    *(("#f3f1ea", "#24282e"), ("#d3e6dd", "#24423a"), ("#a3cfbd", "#2a6152")),
    *(("#66ad93", "#33856f"), ("#2a8467", "#43ac90"), ("#075641", "#62d6b4")),
)
COLOURS: dict[str, tuple[str, str]] = {
    INK: PAGE_COLOURS["ink"],
    FAINT: PAGE_COLOURS["quiet"],
    PAPER: PAGE_COLOURS["card"],
    HERE: PAGE_COLOURS["focus"],
    GRID: PAGE_COLOURS["line"],
    ON_STRONG: ("#fffffe", "#0b0c0e"),
    **{name: (PAINTS[f"spot-{n}"][0][2], PAINTS[f"spot-{n}"][1][2]) for n, name in enumerate(SERIES)},
    **dict(zip(STEPS, _STEPS, strict=True)),
    **dict(zip(AMOUNTS, _AMOUNTS, strict=True)),
}


def light(name: str) -> str:
    return COLOURS[name][0]


def declared(theme: Theme) -> str:
    """Return CSS declarations that define all colours of a theme, for pages and charts, as custom properties."""
    which = THEMES.index(theme)
    return "".join(f"--{name}:{values[which]};" for name, values in (PAGE_COLOURS | COLOURS).items())


def rules() -> str:
    """Return CSS rules that replace the light colours in charts by the colours of the page's theme."""
    return "".join(
        f'.chart [fill="{values[0]}"]{{fill:var(--{name})}}.chart [stroke="{values[0]}"]{{stroke:var(--{name})}}\n'
        for name, values in COLOURS.items()
    )
