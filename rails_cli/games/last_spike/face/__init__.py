"""How The Last Spike is shown to people."""

from rails_cli.games.face import Face

FACE = Face(
    about="Lay the line from St. Louis to Sacramento, own the towns on the way; the easiest of the three.",
    difficulty=1,
    # Words
    #
    # Decisions
    #
    # Pages
    #
    # Results
)
