"""rails-cli: a scriptable game server for three railway board games."""

__version__ = "0.1.0"
