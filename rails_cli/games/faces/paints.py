"""Colours of boards and pages in the light and dark themes, and the CSS rules made from the colours."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

COLOURS = ("red", "blue", "yellow", "green", "black", "white", "grey", "orange", "purple", "brown", "pink")
SPARE_COLOURS = ("orange", "purple", "brown", "pink", "red", "blue", "green")
SEATS = 6
SPOTS = 9

# For the light and the dark theme: the fill colour, the text colour on it, and the line colour on the page.
PAINTS: dict[str, tuple[tuple[str, str, str], tuple[str, str, str]]] = {
    "red": (("#c0322b", "#ffffff", "#c0322b"), ("#ec6f66", "#1a0a09", "#f0736b")),
    "blue": (("#2b5fb3", "#ffffff", "#2b5fb3"), ("#6c9cf0", "#08142b", "#6c9cf0")),
    "yellow": (("#f3c433", "#2a2000", "#b08400"), ("#f3c433", "#2a2000", "#f3c433")),
    "green": (("#0b7a5f", "#ffffff", "#0b7a5f"), ("#3fc1a0", "#00231a", "#3fc1a0")),
    "black": (("#2a2c31", "#ffffff", "#2a2c31"), ("#0c0d10", "#ffffff", "#a9adb8")),
    "white": (("#fdfcf7", "#26241f", "#a3947a"), ("#f6f3ea", "#26241f", "#f6f3ea")),
    "grey": (("#7c828d", "#ffffff", "#6a707b"), ("#9aa1ad", "#14161a", "#9aa1ad")),
    "orange": (("#d9701f", "#1f0e00", "#c65f10"), ("#f09447", "#241100", "#f09447")),
    "purple": (("#7546a8", "#ffffff", "#7546a8"), ("#b189e0", "#1c0b30", "#b189e0")),
    "brown": (("#7a5230", "#ffffff", "#7a5230"), ("#b98a60", "#1f1206", "#b98a60")),
    "pink": (("#c74f8b", "#ffffff", "#c74f8b"), ("#ee86b7", "#300a1d", "#ee86b7")),
    "seat-0": (("#0b63a5", "#ffffff", "#0b63a5"), ("#5fb0ee", "#04192b", "#5fb0ee")),
    "seat-1": (("#c14e00", "#ffffff", "#c14e00"), ("#ff9a52", "#2b1200", "#ff9a52")),
    "seat-2": (("#00785a", "#ffffff", "#00785a"), ("#3cc79f", "#00231a", "#3cc79f")),
    "seat-3": (("#a3487f", "#ffffff", "#a3487f"), ("#e896c6", "#300a22", "#e896c6")),
    "seat-4": (("#7a6200", "#ffffff", "#7a6200"), ("#d8bb3f", "#241d00", "#d8bb3f")),
    "seat-5": (("#5a45a8", "#ffffff", "#5a45a8"), ("#a896f2", "#140b35", "#a896f2")),
    "spot-0": (("#007a87", "#ffffff", "#007a87"), ("#4fc7d3", "#00262b", "#4fc7d3")),
    "spot-1": (("#7a4a1e", "#ffffff", "#7a4a1e"), ("#c99466", "#241204", "#c99466")),
    "spot-2": (("#4c7a12", "#ffffff", "#4c7a12"), ("#a4cf5e", "#182603", "#a4cf5e")),
    "spot-3": (("#a8203f", "#ffffff", "#a8203f"), ("#f2788f", "#30060f", "#f2788f")),
    "spot-4": (("#56616f", "#ffffff", "#56616f"), ("#aab4c2", "#14181d", "#aab4c2")),
    "spot-5": (("#8a2f8f", "#ffffff", "#8a2f8f"), ("#dd8ae2", "#290a2b", "#dd8ae2")),
    "spot-6": (("#27327a", "#ffffff", "#27327a"), ("#8b97ea", "#0a0f33", "#8b97ea")),
    "spot-7": (("#33312c", "#ffffff", "#33312c"), ("#e3dccb", "#23211c", "#e3dccb")),
    "spot-8": (("#96530f", "#ffffff", "#96530f"), ("#e0a468", "#2a1600", "#e0a468")),
}

# Edges of track and stations, in the light and the dark theme.
EDGES = {
    "red": ("#7c1a15", "#5e120d"),
    "blue": ("#173a77", "#14305f"),
    "yellow": ("#6d5200", "#5a4400"),
    "green": ("#044436", "#04382c"),
    "black": ("#101216", "#a9adb8"),
    "white": ("#4c4433", "#2b2820"),
    "grey": ("#3b4049", "#1d2026"),
    "orange": ("#6e3300", "#5a2a00"),
    "purple": ("#3d1f5e", "#2d1450"),
    "brown": ("#3f2814", "#33200d"),
    "pink": ("#6e1f47", "#5a1638"),
}

# Patterns of the white dashes on track. Colours not listed have the same patterns as lines.
TRACK_DASHES = {"red": "1.5 4", "blue": "8 4", "green": "12 3", "black": "1 6", "white": "0 9", "grey": "5 2 1 2"}

# Dash patterns that distinguish lines without colour. Colours not listed have solid lines.
DASHES = {
    "blue": "14 4",
    "yellow": "3 3",
    "green": "8 4",
    "black": "14 4 3 4",
    "white": "5 2.5",
    "grey": "2 4",
    "orange": "8 3 2 3",
    "purple": "10 3 2 3 2 3",
    "brown": "3 6",
    "pink": "6 6",
    "seat-1": "14 4",
    "seat-2": "3 3",
    "seat-3": "8 4",
    "seat-4": "14 4 3 4",
    "seat-5": "2 5",
    "spot-1": "14 4",
    "spot-2": "3 3",
    "spot-3": "8 4",
    "spot-4": "14 4 3 4",
    "spot-5": "2 5",
    "spot-6": "8 3 2 3",
    "spot-7": "10 3 2 3 2 3",
    "spot-8": "6 6",
}

# Colours of texts, surfaces and controls on pages, for the light and the dark theme.
PAGE_COLOURS = {
    "ink": ("#1e2a2c", "#efe8d8"),
    "quiet": ("#566164", "#a9aea6"),
    "page": ("#efe9dd", "#101617"),
    "card": ("#fffdf8", "#1a2223"),
    "sunk": ("#f5f0e5", "#141b1c"),
    "rim": ("#d9d0bf", "#3a4546"),
    "line": ("#e7dfcf", "#2a3435"),
    "livery": ("#16382f", "#0f2722"),
    "livery-2": ("#1f4a3f", "#1a3a32"),
    "livery-ink": ("#f6efdd", "#f6efdd"),
    "livery-quiet": ("#b4c7bb", "#a5baae"),
    "livery-gain": ("#a6e0b4", "#a6e0b4"),
    "brass": ("#d9a93f", "#e3b750"),
    "brass-ink": ("#231803", "#231803"),
    "brass-deep": ("#8a6210", "#eac470"),
    "brass-wash": ("#fbefcf", "#3a3118"),
    "act": ("#1b5e4c", "#7fd1b4"),
    "act-ink": ("#ffffff", "#06241b"),
    "gain": ("#1d6b34", "#86d497"),
    "gain-wash": ("#dff0dc", "#1f3a26"),
    "loss": ("#a3281c", "#f0907f"),
    "loss-ink": ("#ffffff", "#2a0905"),
    "focus": ("#b3125f", "#ff7ab8"),
}

# Colours that boards use in addition to those of their games, for the light and the dark theme.
GROUNDS = {
    **PAGE_COLOURS,
    "paper": PAGE_COLOURS["card"],
    "faint": PAGE_COLOURS["quiet"],
    "hot": PAGE_COLOURS["focus"],
    "choice": PAGE_COLOURS["brass-deep"],
    "choice-wash": ("#ffffff42", "#ffffff1a"),
    "sea": ("#e6eef2", "#171c22"),
    "edge": ("#b7ab93", "#1b1d20"),
    "halo": ("#fffdf7", "#23252a"),
    "casing": ("#3b372f", "#0b0c0e"),
}


class Look(NamedTuple):
    """Colours and CSS rules of one game's board.

    They are used in addition to those that all games share. A page may contain the rules of several games. So a colour
    name or CSS class must mean the same in all games.
    """

    colours: Mapping[str, tuple[str, str]]
    """Mapping from colour names to a pair of CSS colours: for the light theme and for the dark theme.

    The colour name is also the name of a CSS custom property.
    """
    style: str


_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)(?:,([^)]*))?\)")


def distinct_paints(colours: Iterable[str]) -> list[str]:
    """Return a key of PAINTS for each of `colours`. Replace unknown and repeated colours by spare colours."""
    given: list[str] = []
    for colour in colours:
        if colour not in COLOURS or colour in given:
            colour = next((spare for spare in SPARE_COLOURS if spare not in given), SPARE_COLOURS[len(given) % 7])
        given.append(colour)
    return given


def seat_paint(seat: int) -> str:
    return f"seat-{seat % SEATS}"


def spot_paint(number: int) -> str:
    return f"spot-{number % SPOTS}"


def variables(theme: Theme, looks: Iterable[Look]) -> dict[str, str]:
    """Return a dictionary from names of CSS custom properties to the colours of a theme and of `looks`."""
    which = THEMES.index(theme)
    grounds = [GROUNDS, *(look.colours for look in looks)]
    found = {name: values[which] for colours in grounds for name, values in colours.items()}
    for name, values in PAINTS.items():
        found[f"p-{name}"], found[f"on-{name}"], found[f"line-{name}"] = values[which]
    return found | {f"edge-{name}": values[which] for name, values in EDGES.items()}


def rules(looks: Iterable[Look]) -> str:
    """Return the CSS rules of `looks`, and the CSS rules for all colours in PAINTS (of companies, seats and cities)."""
    styles = dict.fromkeys(look.style for look in looks)
    track = "".join(
        f".edge-{name}{{stroke:var(--edge-{name})}}.track-{name}{{stroke:var(--p-{name})}}"
        f".dash-{name}{{stroke-dasharray:{TRACK_DASHES.get(name) or DASHES[name]}}}\n"
        for name in EDGES
    )
    return (
        "".join(styles)
        + track
        + "".join(
            f".paint-{name}{{fill:var(--p-{name});background-color:var(--p-{name});color:var(--on-{name})}}"
            f".on-{name}{{fill:var(--on-{name})}}.rail-{name}{{stroke:var(--p-{name})}}.line-{name}{{stroke:var(--line-{name})}}"
            f".rail-{name},.line-{name}{{stroke-dasharray:{DASHES.get(name, 'none')}}}\n"
            for name in PAINTS
        )
    )


def declared(theme: Theme, looks: Iterable[Look]) -> str:
    """Return CSS declarations of custom properties: the colours of a theme for all games, and those of `looks`."""
    return "".join(f"--{name}:{value};" for name, value in variables(theme, looks).items())


def resolved(style: str, theme: Theme, look: Look) -> str:
    """Return the CSS text `style` with custom properties replaced by their values, or by the defaults in `style`.

    Some programs that show SVG do not support custom properties.
    """
    values = variables(theme, [look])
    return _VARIABLE.sub(lambda found: values[found[1]] if found[2] is None else found[2], style)
