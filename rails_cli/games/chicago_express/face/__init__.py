"""How Chicago Express is shown to people."""

from functools import partial

from protocol.chicago_express import DialsReset, DividendPaid, GameEnded
from rails_cli.games.chicago_express.face import panels
from rails_cli.games.chicago_express.face.economy import economy
from rails_cli.games.chicago_express.face.ending import flows
from rails_cli.games.chicago_express.face.hints import advice
from rails_cli.games.chicago_express.face.lessons import TUTORIAL
from rails_cli.games.chicago_express.face.narrate import tell
from rails_cli.games.chicago_express.face.places import describe, numbers
from rails_cli.games.chicago_express.face.position import position
from rails_cli.games.chicago_express.face.previews import preview
from rails_cli.games.chicago_express.face.prompts import NEW_TURN, prompt, words
from rails_cli.games.chicago_express.face.reasons import why
from rails_cli.games.chicago_express.face.sheets import sheets
from rails_cli.games.chicago_express.face.svg_map import board_map
from rails_cli.games.chicago_express.face.vocabulary import VOCABULARY
from rails_cli.games.face import Face
from rails_cli.games.panels import cash_of
from rails_cli.games.railways import text_map
from rails_cli.games.railways.auctions import OCCASIONS, auctions, bidding, last_prices
from rails_cli.games.railways.panels import SHORTER
from rails_cli.games.railways.sheets import CHARTS
from rails_cli.games.railways.text_map import touched
from rails_cli.games.railways.vocabulary import network, places_of

_OCCASIONS = {**OCCASIONS, "wabash": "first share"}

FACE = Face(
    about="Build railways to Chicago with other people's money; an hour at a table, 20 minutes here.",
    difficulty=3,
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
    auctions=partial(auctions, occasions=_OCCASIONS),
    bidding=partial(bidding, occasions=_OCCASIONS),
    # Results
    scores=cash_of,
    flows=flows,
    stages=frozenset({DialsReset}),
    stage_name="dividend",
    finale=frozenset({GameEnded}),
    economy=economy,
)
