"""rails-cli: a scriptable game server for three railway board games."""

__version__ = "1.0.0"
