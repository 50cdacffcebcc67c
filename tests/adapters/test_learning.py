"""Test of the example bot that is trained by playing: `rails-cli new-bot learning`."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.support.tools import rails
from tests.support.tournaments import ran


def test_a_trained_agent_plays_in_a_tournament(tmp_path: Path) -> None:
    rails("new-bot", "learning", str(tmp_path), check=True)
    train = [sys.executable, "train.py", "last_spike", "weights.npz", "--games", "4"]
    printed = subprocess.run(train, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "games, mean squared error" in printed
    with np.load(tmp_path / "weights.npz") as weights:
        assert np.isfinite(weights["arr_0"]).all()
        assert weights["arr_2"].any()
    file = tmp_path / "plan.toml"
    plan, _, _ = file.read_text(encoding="utf-8").replace("rounds = 20", "rounds = 1").rpartition("[[entrants]]")
    file.write_text(f"workers = 1\n{plan}", encoding="utf-8")
    ran("run", str(file))
    standings = json.loads(ran("standings", str(file), "--json").stdout)
    learned = next(row for row in standings["tables"][0]["standings"] if row["name"] == "learned")
    assert (learned["games"], learned["faults"]) == (3, 0)
