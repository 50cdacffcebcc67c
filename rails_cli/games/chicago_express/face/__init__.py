"""The `Face` that shows Chicago Express to people."""

from functools import partial

from rails_cli.games.chicago_express.face import guide, help, maps, panels, results, words
from rails_cli.games.chicago_express.face.brief import brief
from rails_cli.games.faces.interface import Face
from rails_cli.games.railways import places, text_map
from rails_cli.games.railways import results as railways
from rails_cli.games.railways.map_look import LOOK
from rails_cli.games.railways.panels import HEADINGS, SHORTER
from rails_cli.protocol.chicago_express import DialsReset, DividendPaid, GameEnded

_OCCASIONS = {**railways.OCCASIONS, "wabash": "first share"}

FACE = Face(
    about="Build railways to Chicago with other people's money; an hour at a table, 20 minutes here.",
    difficulty=3,
    options=words.OPTIONS,
    # Words
    tell=words.event_sentence,
    touched=text_map.touched,
    landmarks=frozenset({DividendPaid, GameEnded}),
    position=panels.position,
    brief=brief,
    draw=text_map.draw,
    draw_within=text_map.draw,
    legend=text_map.legend,
    abbreviations=text_map.name_key,
    headings=f"{HEADINGS}; houses 9>3 = 9 left, the game ends at 3",
    asked=panels.asked,
    stage=panels.stage,
    end=panels.end,
    companies=panels.companies,
    players=panels.players,
    auction=panels.auction,
    shorter=SHORTER,
    # Decisions
    prompt=words.prompt,
    words=words.words,
    instruction=words.instruction,
    instructions=words.instructions,
    preview=help.preview,
    why=help.why,
    describe=maps.describe,
    advice=help.advice,
    reasons=help.reasons,
    ways=help.ways,
    vocabulary=help.VOCABULARY,
    tutorial=help.TUTORIAL,
    guide=guide.GUIDE,
    pass_words=words.pass_words,
    new_turn=words.NEW_TURN,
    places=places.places_of,
    badge=places.badge,
    network=places.network,
    numbers=maps.numbers,
    # Pages
    board_map=maps.board_map,
    look=LOOK,
    sheets=results.sheets,
    possessions=railways.possessions,
    charts=railways.CHARTS,
    last_prices=railways.last_prices,
    auctions=partial(railways.auctions, occasions=_OCCASIONS),
    bidding=partial(railways.bidding, occasions=_OCCASIONS),
    # Results
    transfers=results.TRANSFERS,
    stages=frozenset({DialsReset}),
    stage_name="dividend",
    finale=frozenset({GameEnded}),
    economy=results.economy,
)
