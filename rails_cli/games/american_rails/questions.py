"""The questions that a game of American Rails can ask."""

from typing import final

import msgspec


class BaseQuestion(msgspec.Struct, frozen=True, gc=False, tag_field="ask", forbid_unknown_fields=True):
    """Base class of questions.

    Fields are in alphabetical order, because JSON dumps of states (`saved.py`) must have sorted keys.
    """


@final
class Nominate(BaseQuestion, tag="nominate", frozen=True, gc=False):
    """Question for the next opening share: a share of which company is auctioned?"""

    seat: int


@final
class BidOrPass(BaseQuestion, tag="bid", frozen=True, gc=False):
    """Question in an auction: does the player bid at least `minimum` dollars, or pass?

    `still_in` is the mask of seats that have not passed. `leader` is the seat with the highest bid, or NOBODY.
    `opening` is true if the auctioned share is an opening share.
    """

    company: int
    leader: int
    minimum: int
    opening: bool
    seat: int
    still_in: int


@final
class PlaceFirstCube(BaseQuestion, tag="found", frozen=True, gc=False):
    """Question for the buyer of a company's first share: in which city does the company start?

    `opening` is true if the share was bought in one of the opening auctions.
    """

    company: int
    opening: bool
    seat: int


@final
class ChooseSpace(BaseQuestion, tag="choose", frozen=True, gc=False):
    """Question at the start of a turn: which space of the column does the player take?"""

    seat: int


@final
class PickCity(BaseQuestion, tag="develop", frozen=True, gc=False):
    """Question of the action Develop: which city is developed?"""

    seat: int


@final
class PickTreasury(BaseQuestion, tag="fund", frozen=True, gc=False):
    """Question of the action Fund: which company receives money?"""

    seat: int


@final
class PickSource(BaseQuestion, tag="take", frozen=True, gc=False):
    """Question of the action Take: does the bank pay the player, or do the other players pay the bank?

    If `cubes` is not 0, the player may instead place up to `cubes` cubes. The player then answers with the first cube.
    """

    cubes: int
    seat: int


@final
class Expand(BaseQuestion, tag="expand", frozen=True, gc=False):
    """Question of the action Expand: where is the next of up to `cubes` cubes placed?"""

    cubes: int
    seat: int


@final
class PickShare(BaseQuestion, tag="auction", frozen=True, gc=False):
    """Question of the action Auction: a share of which company is auctioned?"""

    seat: int


Question = (
    Nominate | BidOrPass | PlaceFirstCube | ChooseSpace | PickCity | PickTreasury | PickSource | Expand | PickShare
)
