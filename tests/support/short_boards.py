"""Small boards for whole games that contain all phases but end early."""

import json
from importlib import resources
from pathlib import Path


def short_board(game: str, folder: Path, pieces: int = 3) -> Path:
    """Write a small board of `game` to a file. `pieces` is the length of a route in The Last Spike."""
    written = json.loads(resources.files(f"rails_cli.games.{game}").joinpath("board.json").read_bytes())
    if game == "american_rails":
        written["years"] = written["years"][:2]
    elif game == "chicago_express":
        written["end"]["detroit_at"] = 2
    elif game == "last_spike":
        for route in written["routes"]:
            del route["pieces"][1 : len(route["pieces"]) - pieces + 1]
    path = folder / "short.json"
    path.write_text(json.dumps({**written, "name": "short"}))
    return path
