"""How The Last Spike is shown to people."""

from rails_cli.games.face import Face
from rails_cli.games.last_spike.face.economy import WORDS, economy
from rails_cli.games.last_spike.face.sheets import CHARTS, sheets
from rails_cli.games.last_spike.face.svg_map import RouteMap, places, touched

FACE = Face(
    about="Lay the line from St. Louis to Sacramento, own the towns on the way; the easiest of the three.",
    difficulty=1,
    # Words
    #
    # Decisions
    #
    # Pages
    board_map=RouteMap,
    touched=touched,
    places=places,
    sheets=sheets,
    charts=CHARTS,
    # Results
    economy=economy,
    economy_words=WORDS,
)
