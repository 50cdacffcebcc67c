"""The questions that a game of The Last Spike can ask."""

from typing import final

import msgspec


@final
class PlayPiece(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="play_piece"):
    """First question of a turn: which piece does the player play?"""

    seat: int


@final
class SellFor(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="sell_for"):
    """Question, repeated until the cash covers the chosen piece: which property does the player sell?"""

    cost: int
    piece: int
    seat: int


@final
class BuyOrPass(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="buy_or_pass"):
    """Last question of a turn: in which city does the player buy a property, if any? The player then draws a piece."""

    seat: int


Question = PlayPiece | SellFor | BuyOrPass
