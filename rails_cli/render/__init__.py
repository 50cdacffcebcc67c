"""Events and views as text, one module a game."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, cast


class Words(Protocol):
    """What the module of a game offers."""

    def tell(self, event: Any, players: Sequence[str]) -> str:
        """An event as a sentence."""

    def position(self, view: Any, players: Sequence[str]) -> str:
        """A view as tables."""


def teller_of(game: str) -> Words:
    return cast(Words, import_module(f"rails_cli.render.{game}"))
