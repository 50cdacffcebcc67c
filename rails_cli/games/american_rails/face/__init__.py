"""How American Rails is shown to people."""

from rails_cli.games.face import Face

FACE = Face(
    about="Up to six railways and seven years, and whoever does least moves first; a longer game.",
    difficulty=4,
    # Words
    #
    # Decisions
    #
    # Pages
    #
    # Results
)
