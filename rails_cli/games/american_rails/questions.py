"""The questions that a game of American Rails can ask."""

from typing import final

import msgspec


class BaseQuestion(msgspec.Struct, frozen=True, gc=False, tag_field="ask", forbid_unknown_fields=True):
    """Base class of questions. The fields of a question are in alphabetical order, as `dump` needs sorted keys."""


@final
class Nominate(BaseQuestion, tag="nominate", frozen=True, gc=False):
    """Which company's share is offered next in the opening?"""

    seat: int


@final
class BidOrPass(BaseQuestion, tag="bid", frozen=True, gc=False):
    """Does the player bid `minimum` or more, or pass?

    `still_in` is the mask of seats that have not passed. `leader` is NOBODY before the first bid.
    """

    company: int
    leader: int
    minimum: int
    opening: bool
    seat: int
    still_in: int


@final
class PlaceFirstCube(BaseQuestion, tag="found", frozen=True, gc=False):
    """In which city does the company start?"""

    company: int
    opening: bool
    seat: int


@final
class ChooseSpace(BaseQuestion, tag="choose", frozen=True, gc=False):
    """Which space of the column does the player take?"""

    seat: int


@final
class PickCity(BaseQuestion, tag="develop", frozen=True, gc=False):
    """Which city is developed?"""

    seat: int


@final
class PickTreasury(BaseQuestion, tag="fund", frozen=True, gc=False):
    """Which company is funded?"""

    seat: int


@final
class PickSource(BaseQuestion, tag="take", frozen=True, gc=False):
    """Does the bank pay the player, or do the other players pay the bank?

    If `cubes` is not 0, the player may place up to that many cubes instead. Placing the first cube is then an answer.
    """

    cubes: int
    seat: int


@final
class Expand(BaseQuestion, tag="expand", frozen=True, gc=False):
    """Where is the next cube placed? `cubes` is the number of cubes that the player may still place."""

    cubes: int
    seat: int


@final
class PickShare(BaseQuestion, tag="auction", frozen=True, gc=False):
    """Which company's share is auctioned?"""

    seat: int


Question = (
    Nominate | BidOrPass | PlaceFirstCube | ChooseSpace | PickCity | PickTreasury | PickSource | Expand | PickShare
)
