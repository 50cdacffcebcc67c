"""How companies look: their letters and colours."""

from rails_cli.games.paints import distinct_paints
from rails_cli.games.svg import Board


def paints(board: Board) -> dict[str, str]:
    """The paint of each company."""
    companies = board["companies"]
    return dict(
        zip(
            [company["id"] for company in companies],
            distinct_paints(company["colour"] for company in companies),
            strict=True,
        )
    )
