"""What the faces of railway games with companies, shares and hexes have in common."""
