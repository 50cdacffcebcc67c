"""The benchmark of `rails-cli bench-agent`: a bot is rated against built-in players with fixed ratings.

`openings_1.json` has the seeds of all games, and `levels_1.json` the ratings of the built-in players. Neither file
changes. Other openings or ratings are a new version, in new files, because results of different versions cannot be
compared.
"""
