"""Playing at the terminal: questions in words, previews of answers, a full screen, saved games, lessons."""
