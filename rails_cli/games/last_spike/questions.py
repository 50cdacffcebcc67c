"""The questions that a game of The Last Spike can ask."""

from typing import final

import msgspec


@final
class PlayPiece(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="play_piece"):
    """First question of a turn: which piece does the player play?"""

    seat: int


@final
class SellFor(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="sell_for"):
    """Question: which property does the player sell? It is repeated until the cash covers the chosen piece.

    `piece` is the chosen piece, and `cost` is its cost in dollars.
    """

    cost: int
    piece: int
    seat: int


@final
class BuyOrPass(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="buy_or_pass"):
    """Last question of a turn: in which city does the player buy a property?

    The player may pass. After the answer, the player draws a piece.
    """

    seat: int


Question = PlayPiece | SellFor | BuyOrPass
