"""The questions that a game of The Last Spike can ask."""

from typing import final

import msgspec


@final
class PlayPiece(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="play_piece"):
    """Which piece does the player play? This is the first question of a turn."""

    seat: int


@final
class SellFor(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="sell_for"):
    """Which property does the player sell to pay for the chosen piece?

    The question is repeated until the player's cash covers the cost.
    """

    cost: int
    piece: int
    seat: int


@final
class BuyOrPass(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="buy_or_pass"):
    """Which property does the player buy, if any? The player draws a piece after the answer."""

    seat: int


Question = PlayPiece | SellFor | BuyOrPass
