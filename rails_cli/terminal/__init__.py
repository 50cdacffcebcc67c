"""Playing at the terminal: questions in plain words, what the answers would do, a screen, saved games, lessons."""
