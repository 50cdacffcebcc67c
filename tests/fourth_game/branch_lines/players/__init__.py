"""The players that come with Branch Lines, by name."""

from branch_lines.players import greedy

PLAYERS = {"greedy": greedy.think}
