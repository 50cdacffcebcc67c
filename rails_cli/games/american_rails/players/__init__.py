"""The players that come with American Rails, by name."""

from rails_cli.games.american_rails.players import builder, greedy

PLAYERS = {"builder": builder.think, "greedy": greedy.think}
