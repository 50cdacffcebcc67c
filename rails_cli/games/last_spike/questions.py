"""What a game of The Last Spike waits for."""

from typing import final

import msgspec


@final
class PlayPiece(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="play_piece"):
    """Which piece to play? The turn's first question."""

    seat: int


@final
class SellFor(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="sell_for"):
    """Which property to sell, to pay for the piece chosen? Asked until the cost can be paid."""

    cost: int
    piece: int
    seat: int


@final
class BuyOrPass(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="buy_or_pass"):
    """Which property to buy, if any? Then the seat draws."""

    seat: int


Question = PlayPiece | SellFor | BuyOrPass
