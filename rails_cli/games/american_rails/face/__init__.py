"""The `Face` that shows American Rails to people."""

from functools import partial

from rails_cli.games.american_rails.face import guide, help, maps, panels, results, words
from rails_cli.games.american_rails.face.brief import brief
from rails_cli.games.faces.interface import Face
from rails_cli.games.railways import places, text_map
from rails_cli.games.railways import results as railways
from rails_cli.games.railways.map_look import LOOK
from rails_cli.games.railways.panels import HEADINGS, SHORTER
from rails_cli.protocol.american_rails import DividendPaid, GameEnded, YearAdvanced

FACE = Face(
    about="Build railways across America over seven years; whoever does least moves first. About 90 minutes.",
    difficulty=4,
    options=words.OPTIONS,
    # Words
    tell=words.event_sentence,
    touched=text_map.touched,
    landmarks=frozenset({DividendPaid, GameEnded}),
    position=panels.position,
    brief=brief,
    draw=text_map.draw,
    draw_within=text_map.draw,
    legend=partial(text_map.legend, layouts=text_map.POINTY),
    abbreviations=text_map.name_key,
    headings=f"{HEADINGS}; Expand4:3 = taken by player 3; low supplies = few cubes or markers left",
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
    auctions=railways.auctions,
    bidding=railways.bidding,
    action_track=results.action_track,
    calendar=results.calendar,
    # Results
    transfers=results.TRANSFERS,
    stages=frozenset({YearAdvanced}),
    stage_name="year",
    finale=frozenset({GameEnded}),
    economy=results.economy,
)
