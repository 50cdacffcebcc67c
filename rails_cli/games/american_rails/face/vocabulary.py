"""What can be typed in American Rails."""

from collections.abc import Mapping
from typing import Any

from rails_cli.games.american_rails.board import SPACES
from rails_cli.games.railways.vocabulary import BUILD, OFFER, names_of
from rails_cli.games.vocabulary import Examples, Verb, Vocabulary

SOURCES = {"bank": "bank", "players": "players", "others": "players"}


def _names(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    spaces = {space: space for space in (*SPACES, "expand")}
    return {**names_of(board, view), "action": spaces, "source": SOURCES}


VOCABULARY = Vocabulary(
    verbs=(
        Verb("choose", ("action",), is_menu=True, is_ranked=False),
        BUILD,
        Verb("develop", ("hex",)),
        Verb("found", ("hex",), also=("start",)),
        OFFER,
        Verb("fund", ("company",), is_ranked=False),
        Verb("take", ("source",), is_ranked=False),
    ),
    names=_names,
    examples=Examples(
        answers="""\
  bid 12             pass               choose expand 3 (or just: expand 3)
  build C03 C04      build Liberty C03  develop Chicago        offer Liberty
  expand 3 Liberty C03 C04; pass        fund Liberty           take bank""",
        things=("C03", "Liberty", "bid 12"),
        answer="build C03",
        maps="map costs, map income: with numbers; map Liberty: one company",
        rules=("36", "auction"),
    ),
)
