"""The `Face` that shows The Last Spike to people."""

from rails_cli.games.faces.interface import Face
from rails_cli.games.last_spike.face import drawing, guide, help, maps, panels, results, tiles, words
from rails_cli.games.last_spike.face.brief import brief
from rails_cli.protocol.last_spike import GameEnded, LastSpikeDriven, RouteCompleted

FACE = Face(
    about="Lay the line from St. Louis to Sacramento and own property in the cities along it. Half an hour.",
    difficulty=1,
    options=words.OPTIONS,
    # Words
    tell=words.event_sentence,
    touched=words.touched,
    landmarks=frozenset({RouteCompleted, GameEnded}),
    position=panels.position,
    brief=brief,
    draw=maps.draw,
    legend=maps.legend,
    abbreviations=maps.name_key,
    headings="owns: price of the properties; end: estimated end, cash and what properties will still pay",
    asked=panels.asked,
    stage=panels.stage,
    end=panels.end,
    players=panels.players,
    shorter={"a route pays you ": "pays ", "buy in ": "", " to come": "", ",000": "k"},
    # Decisions
    prompt=words.prompt,
    words=words.words,
    instruction=words.instruction,
    instructions=words.instructions,
    preview=help.preview,
    why=help.why,
    describe=help.describe,
    advice=help.advice,
    reasons=help.reasons,
    vocabulary=help.VOCABULARY,
    tutorial=help.TUTORIAL,
    guide=guide.GUIDE,
    pass_words=words.pass_words,
    repeated_passes=frozenset({"buy"}),
    new_turn=words.NEW_TURN,
    places=maps.places,
    numbers=help.numbers,
    # Pages
    tile=tiles.tile,
    barred=tiles.barred,
    board_map=drawing.RouteMap,
    look=drawing.LOOK,
    sheets=results.sheets,
    possessions=results.possessions,
    goal=panels.goal,
    charts=results.CHARTS,
    # Results
    money_unit=lambda board: board.unit,
    payer_name=maps.city_name,
    transfers=results.TRANSFERS,
    stages=frozenset({RouteCompleted}),
    stage_name="completed route",
    finale=frozenset({LastSpikeDriven, GameEnded}),
    economy=results.economy,
    economy_words=results.WORDS,
)
