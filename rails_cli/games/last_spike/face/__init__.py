"""How The Last Spike is shown to people."""

from rails_cli.games.face import Face
from rails_cli.games.last_spike.face.hints import advice
from rails_cli.games.last_spike.face.lessons import TUTORIAL
from rails_cli.games.last_spike.face.previews import preview
from rails_cli.games.last_spike.face.prompts import NEW_TURN, places, prompt, words
from rails_cli.games.last_spike.face.reasons import why
from rails_cli.games.last_spike.face.vocabulary import VOCABULARY, describe, network, numbers

FACE = Face(
    about="Lay the line from St. Louis to Sacramento, own the towns on the way; the easiest of the three.",
    difficulty=1,
    # Words
    #
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
    network=network,
    numbers=numbers,
    #
    # Pages
    #
    # Results
)
