"""Tests of `rails_cli.adapters`, of its examples in the manual, and of the example bot `learning`."""

from tests.support.observations import PAGE
from tests.support.transcripts import EXAMPLE

EXAMPLES = {found[1]: found[2] for found in EXAMPLE.finditer(PAGE.read_text(encoding="utf-8"))}
"""Text of each example in docs/LEARNING.md, by name."""
