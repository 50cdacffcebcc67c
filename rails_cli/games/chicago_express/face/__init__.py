"""How Chicago Express is shown to people."""

from functools import partial

from rails_cli.games.chicago_express.face.economy import economy
from rails_cli.games.chicago_express.face.sheets import sheets
from rails_cli.games.chicago_express.face.svg_map import board_map
from rails_cli.games.face import Face
from rails_cli.games.railways.auctions import OCCASIONS, auctions, bidding, last_prices
from rails_cli.games.railways.sheets import CHARTS
from rails_cli.games.railways.svg_map import places, touched

_OCCASIONS = {**OCCASIONS, "wabash": "first share"}

FACE = Face(
    about="Build railways to Chicago with other people's money; an hour at a table, 20 minutes here.",
    difficulty=3,
    # Words
    #
    # Decisions
    #
    # Pages
    board_map=board_map,
    touched=touched,
    places=places,
    sheets=sheets,
    charts=CHARTS,
    last_prices=last_prices,
    auctions=partial(auctions, occasions=_OCCASIONS),
    bidding=partial(bidding, occasions=_OCCASIONS),
    # Results
    economy=economy,
)
