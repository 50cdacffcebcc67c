"""Small boards for tests, on which whole games contain all phases but end early."""

import json
from importlib import resources
from pathlib import Path


def short_board(game: str, folder: Path, pieces: int = 3) -> Path:
    """Write a small board of `game` to a file in `folder` and return its path.

    In The Last Spike each route has `pieces` pieces.
    """
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
