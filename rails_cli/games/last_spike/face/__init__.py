"""How The Last Spike is shown to people."""

from protocol.last_spike import GameEnded, LastSpikeDriven, RouteCompleted
from rails_cli.games.face import Face
from rails_cli.games.last_spike.face import panels, text_map
from rails_cli.games.last_spike.face.economy import WORDS, economy
from rails_cli.games.last_spike.face.ending import flows
from rails_cli.games.last_spike.face.hints import advice
from rails_cli.games.last_spike.face.lessons import TUTORIAL
from rails_cli.games.last_spike.face.narrate import tell, touched
from rails_cli.games.last_spike.face.position import position
from rails_cli.games.last_spike.face.previews import preview
from rails_cli.games.last_spike.face.prompts import NEW_TURN, places, prompt, words
from rails_cli.games.last_spike.face.reasons import why
from rails_cli.games.last_spike.face.sheets import CHARTS, sheets
from rails_cli.games.last_spike.face.svg_map import RouteMap
from rails_cli.games.last_spike.face.vocabulary import VOCABULARY, describe, numbers
from rails_cli.games.panels import cash_of

FACE = Face(
    about="Lay the line from St. Louis to Sacramento, own the towns on the way; the easiest of the three.",
    difficulty=1,
    # Words
    tell=tell,
    touched=touched,
    landmarks=frozenset({RouteCompleted, GameEnded}),
    position=position,
    draw=text_map.draw,
    legend=text_map.legend,
    asked=panels.asked,
    stage=panels.stage,
    end=panels.end,
    players=panels.players,
    shorter={"a route pays you ": "pays ", "buy in ": ""},
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
    places=places,
    numbers=numbers,
    # Pages
    board_map=RouteMap,
    sheets=sheets,
    charts=CHARTS,
    # Results
    scores=cash_of,
    flows=flows,
    stages=frozenset({RouteCompleted}),
    stage_name="completed route",
    finale=frozenset({LastSpikeDriven, GameEnded}),
    economy=economy,
    economy_words=WORDS,
)
