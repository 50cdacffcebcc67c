"""How American Rails is shown to people."""

from rails_cli.games.american_rails.face.hints import advice
from rails_cli.games.american_rails.face.lessons import TUTORIAL
from rails_cli.games.american_rails.face.places import describe, numbers
from rails_cli.games.american_rails.face.previews import preview
from rails_cli.games.american_rails.face.prompts import NEW_TURN, prompt, words
from rails_cli.games.american_rails.face.reasons import why
from rails_cli.games.american_rails.face.vocabulary import VOCABULARY
from rails_cli.games.face import Face
from rails_cli.games.railways.vocabulary import network, places_of

FACE = Face(
    about="Up to six railways and seven years, and whoever does least moves first; a longer game.",
    difficulty=4,
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
