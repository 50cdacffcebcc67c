"""Code shared by the faces of all games: the interface `Face`, maps, panels, tables, words and tutorial lessons."""
