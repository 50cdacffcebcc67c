"""What can be typed in Chicago Express."""

from collections.abc import Mapping
from typing import Any

from rails_cli.games.chicago_express.board import ACTIONS
from rails_cli.games.railways.vocabulary import BUILD, OFFER, names_of
from rails_cli.games.vocabulary import Examples, Verb, Vocabulary

NICKNAMES = {"bando": "BO", "cando": "CO", "wabash": "WAB"}


def _names(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    names = names_of(board, view)
    ids = names["company"].values()
    names["company"] |= {name: company for name, company in NICKNAMES.items() if company in ids}
    return {**names, "action": {action: action for action in ACTIONS}}


VOCABULARY = Vocabulary(
    verbs=(
        Verb("choose", ("action",), is_menu=True, is_ranked=False),
        BUILD,
        Verb("develop", ("hex",)),
        OFFER,
    ),
    names=_names,
    examples=Examples(
        answers="""\
  bid 12             pass               choose expand (or just: expand)
  build R2 Q3        build NYC R2       develop Wheeling       offer PRR
  expand NYC R2 Q3; pass""",
        things=("R2", "NYC", "bid 12"),
        answer="build R2",
        maps="map costs, map income: with numbers; map PRR: one company",
        rules=("31", "auction"),
    ),
)
