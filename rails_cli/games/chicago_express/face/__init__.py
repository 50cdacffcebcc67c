"""How Chicago Express is shown to people."""

from rails_cli.games.chicago_express.face.hints import advice
from rails_cli.games.chicago_express.face.lessons import TUTORIAL
from rails_cli.games.chicago_express.face.places import describe, numbers
from rails_cli.games.chicago_express.face.previews import preview
from rails_cli.games.chicago_express.face.prompts import NEW_TURN, prompt, words
from rails_cli.games.chicago_express.face.reasons import why
from rails_cli.games.chicago_express.face.vocabulary import VOCABULARY
from rails_cli.games.face import Face
from rails_cli.games.railways.vocabulary import network, places_of

FACE = Face(
    about="Build railways to Chicago with other people's money; an hour at a table, 20 minutes here.",
    difficulty=3,
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
    places=places_of,
    network=network,
    numbers=numbers,
    #
    # Pages
    #
    # Results
)
