"""What the faces of games share: the interface `Face`, maps, panels, sheets, words and lessons."""
