"""What the faces of games have in common in which companies build on a map of hexes and sell their shares."""
