"""A logged game to look at: read, stepped through, told in words or JSON, shown on a terminal."""
