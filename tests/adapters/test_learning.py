"""The example that learns: `bots/learning` and `bots/learning.toml`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.support.tools import ROOT
from tests.support.tournaments import ran


def test_a_trained_agent_plays_in_a_tournament(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bots/learning", tmp_path / "learning")
    train = [sys.executable, "learning/train.py", "last_spike", "learning/weights.npz", "--games", "10"]
    printed = subprocess.run(train, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "games, mean squared error" in printed
    with np.load(tmp_path / "learning/weights.npz") as weights:
        assert np.isfinite(weights["arr_0"]).all()
        assert weights["arr_2"].any()
    plan = (ROOT / "bots/learning.toml").read_text(encoding="utf-8")
    plan, _, _ = plan.replace("rounds = 20", "rounds = 1").rpartition("[[entrants]]")
    (tmp_path / "plan.toml").write_text(f"workers = 1\n{plan}", encoding="utf-8")
    ran("run", str(tmp_path / "plan.toml"))
    standings = json.loads(ran("standings", str(tmp_path / "plan.toml"), "--json").stdout)
    learned = next(row for row in standings["tables"][0]["standings"] if row["name"] == "learned")
    assert (learned["games"], learned["faults"]) == (3, 0)
