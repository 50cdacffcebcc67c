"""What a game of American Rails waits for."""

from typing import final

import msgspec


class Asked(msgspec.Struct, frozen=True, gc=False, tag_field="ask", forbid_unknown_fields=True):
    """What the game waits for; the fields of every question are in alphabetical order, as `dump` needs them."""


@final
class Nominate(Asked, tag="nominate", frozen=True, gc=False):
    """Which company is put up next in the opening?"""

    seat: int


@final
class BidOrPass(Asked, tag="bid", frozen=True, gc=False):
    """Does the player bid `minimum` or more? `still_in` is the mask of seats that have not passed.

    The `leader` is NOBODY before the first bid.
    """

    company: int
    leader: int
    minimum: int
    opening: bool
    seat: int
    still_in: int


@final
class PlaceFirstCube(Asked, tag="found", frozen=True, gc=False):
    """In which city does the company start?"""

    company: int
    opening: bool
    seat: int


@final
class ChooseSpace(Asked, tag="choose", frozen=True, gc=False):
    """Which space of the column does the player take?"""

    seat: int


@final
class PickCity(Asked, tag="develop", frozen=True, gc=False):
    """Which city is developed?"""

    seat: int


@final
class PickTreasury(Asked, tag="fund", frozen=True, gc=False):
    """Which company is funded?"""

    seat: int


@final
class PickSource(Asked, tag="take", frozen=True, gc=False):
    """Who pays? Where `cubes` may be placed instead, the first cube is an answer too."""

    cubes: int
    seat: int


@final
class Expand(Asked, tag="expand", frozen=True, gc=False):
    """Where goes the next cube? `cubes` may still be placed."""

    cubes: int
    seat: int


@final
class PickShare(Asked, tag="auction", frozen=True, gc=False):
    """Of which company is a share auctioned?"""

    seat: int


Question = (
    Nominate | BidOrPass | PlaceFirstCube | ChooseSpace | PickCity | PickTreasury | PickSource | Expand | PickShare
)
