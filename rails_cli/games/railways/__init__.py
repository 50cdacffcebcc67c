"""What games have in common in which companies build on a map of hexes and sell their shares: faces and players."""
