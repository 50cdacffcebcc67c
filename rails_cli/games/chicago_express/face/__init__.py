"""How Chicago Express is shown to people."""

from rails_cli.games.face import Face

FACE = Face(
    about="Build railways to Chicago with other people's money; an hour at a table, 20 minutes here.",
    difficulty=3,
    # Words
    #
    # Decisions
    #
    # Pages
    #
    # Results
)
