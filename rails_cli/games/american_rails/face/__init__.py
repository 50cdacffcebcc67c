"""How American Rails is shown to people."""

from protocol.american_rails import DividendPaid, GameEnded, YearAdvanced
from rails_cli.games.american_rails.face import panels
from rails_cli.games.american_rails.face.economy import economy
from rails_cli.games.american_rails.face.ending import flows
from rails_cli.games.american_rails.face.hints import advice
from rails_cli.games.american_rails.face.lessons import TUTORIAL
from rails_cli.games.american_rails.face.narrate import tell
from rails_cli.games.american_rails.face.places import describe, numbers
from rails_cli.games.american_rails.face.position import position
from rails_cli.games.american_rails.face.previews import preview
from rails_cli.games.american_rails.face.prompts import NEW_TURN, prompt, words
from rails_cli.games.american_rails.face.reasons import why
from rails_cli.games.american_rails.face.sheets import sheets
from rails_cli.games.american_rails.face.svg_map import board_map
from rails_cli.games.american_rails.face.vocabulary import VOCABULARY
from rails_cli.games.face import Face
from rails_cli.games.panels import cash_of
from rails_cli.games.railways import text_map
from rails_cli.games.railways.auctions import auctions, bidding, last_prices
from rails_cli.games.railways.panels import SHORTER
from rails_cli.games.railways.sheets import CHARTS
from rails_cli.games.railways.text_map import touched
from rails_cli.games.railways.vocabulary import network, places_of

FACE = Face(
    about="Up to six railways and seven years, and whoever does least moves first; a longer game.",
    difficulty=4,
    # Words
    tell=tell,
    touched=touched,
    landmarks=frozenset({DividendPaid, GameEnded}),
    position=position,
    draw=text_map.draw,
    legend=text_map.legend,
    asked=panels.asked,
    stage=panels.stage,
    end=panels.end,
    companies=panels.companies,
    players=panels.players,
    auction=panels.auction,
    shorter=SHORTER,
    # Decisions
    prompt=prompt,
    words=words,
    preview=preview,
    why=why,
    describe=describe,
    advice=advice,
    vocabulary=VOCABULARY,
    tutorial=TUTORIAL,
    new_turn=NEW_TURN,
    places=places_of,
    network=network,
    numbers=numbers,
    # Pages
    board_map=board_map,
    sheets=sheets,
    charts=CHARTS,
    last_prices=last_prices,
    auctions=auctions,
    bidding=bidding,
    # Results
    scores=cash_of,
    flows=flows,
    stages=frozenset({YearAdvanced}),
    stage_name="year",
    finale=frozenset({GameEnded}),
    economy=economy,
)
