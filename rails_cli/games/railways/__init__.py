"""What the faces of games with companies on a map of hexes share: functions on what their views have alike."""
