"""Tests of the GitHub workflows: pinned versions of actions, existing make targets, permissions and time limits."""

import re
from typing import Any

import pytest

from tests.support.tools import ROOT

yaml: Any = pytest.importorskip("yaml")

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_jobs_are_limited_and_use_pinned_actions_and_known_targets(file: Any) -> None:
    source = file.read_text(encoding="utf-8")
    workflow = yaml.safe_load(source)
    assert workflow["permissions"] == {"contents": "read"}
    assert "cancel-in-progress" in workflow["concurrency"]
    for uses in re.findall(r"uses: (.+)", source):
        assert re.fullmatch(r"\./\S+|[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", uses), uses
    for name, job in workflow["jobs"].items():
        assert "uses" in job or job["timeout-minutes"] <= 90, name
        for step in job.get("steps", ()):
            assert "--require-hashes" in step.get("run", "") or not re.search(
                r"pipx? (install|run)", step.get("run", "")
            ), step
            commands = re.search(r"(?:make|\.ci/run)((?: [a-z-]+)+)", step.get("run", ""))
            assert commands is None or {*commands[1].split()} <= TARGETS | {"docs"}, step
