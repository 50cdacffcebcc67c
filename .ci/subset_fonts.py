"""Write the small fonts that are embedded in pages of a single file, such as exported replays.

They contain only the characters of English texts, and fewer weights and widths than the fonts of the server's pages.
The program needs the packages fonttools and brotli: `pip install fonttools brotli`. Run it after a change to a font.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

FONTS = Path(__file__).parent.parent / "rails_cli/web/fonts"
TEXT = "".join(map(chr, range(0x20, 0x7F))) + "·×–—‘’“”…→−•é"
# Name of a font, its axes (a range, or one value), and its OpenType features.
SMALL = {
    "archivo": ({"wght": (400, 800), "wdth": (64, 100)}, ["kern", "tnum", "lnum"]),
    "besley": ({"wght": 700}, ["kern", "pnum", "lnum"]),
    "italic": ({"wght": 400}, ["kern"]),
}


def main() -> None:
    for name, (axes, features) in SMALL.items():
        options = subset.Options(flavor="woff2", layout_features=features, name_IDs=[0, 1, 2, 13, 14])
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=TEXT)
        font = TTFont(FONTS / f"{name}.woff2", recalcTimestamp=False)
        font = instancer.instantiateVariableFont(font, axes)
        subsetter.subset(font)
        font.flavor = "woff2"
        small = FONTS / f"{name}-small.woff2"
        font.save(small)
        sys.stdout.write(f"{small.name}: {small.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
