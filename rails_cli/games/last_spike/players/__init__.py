"""The players that come with The Last Spike, by name."""

from rails_cli.games.last_spike.players import greedy

PLAYERS = {"greedy": greedy.think}
