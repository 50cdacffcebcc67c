"""How American Rails is shown to people."""

from rails_cli.games.american_rails.face.economy import economy
from rails_cli.games.american_rails.face.sheets import sheets
from rails_cli.games.american_rails.face.svg_map import board_map
from rails_cli.games.face import Face
from rails_cli.games.railways.auctions import auctions, bidding, last_prices
from rails_cli.games.railways.sheets import CHARTS
from rails_cli.games.railways.svg_map import places, touched

FACE = Face(
    about="Up to six railways and seven years, and whoever does least moves first; a longer game.",
    difficulty=4,
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
    auctions=auctions,
    bidding=bidding,
    # Results
    economy=economy,
)
