"""The players that come with Chicago Express, by name."""

from rails_cli.games.chicago_express.players import builder, greedy

PLAYERS = {"builder": builder.think, "greedy": greedy.think}
