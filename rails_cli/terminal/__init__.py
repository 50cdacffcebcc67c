"""Games at a terminal: questions in words, previews of answers, a full-screen display, saved games, and lessons."""
