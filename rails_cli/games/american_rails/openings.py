"""Random openings of American Rails with realistic prices, holdings and cities."""

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.moves import legal_actions
from rails_cli.games.american_rails.players.greedy import Estimates, valued
from rails_cli.games.american_rails.questions import BidOrPass, ChooseSpace, Expand, Nominate, PickSource
from rails_cli.games.american_rails.state import State
from rails_cli.games.american_rails.view import view
from rails_cli.games.openings import Chance, Openings, likely
from rails_cli.games.railways.openings import drawn_bid, drawn_build, prospects_of
from rails_cli.games.shared.auction import NOBODY
from rails_cli.protocol.american_rails import Action, Offer, Take
from rails_cli.protocol.common import Pass

TURNS = 2
SPENT = 0.75  # maximum fraction of all cash for the remaining opening shares together, equally divided among them


def is_rest(state: State) -> bool:
    """Return whether a random opening may stop at this position.

    True before an offer, before a turn, and at the end of the game.
    """
    return state.pending is None or type(state.pending) in (Nominate, ChooseSpace)


def choose(state: State, board: Board, chance: Chance) -> Action:
    """Return a random legal action. Actions with a higher estimated value are more likely."""
    question = state.pending
    assert question is not None
    legal = legal_actions(state, board)
    if type(question) is Nominate:
        return likely([(1.0, entry) for entry in legal if type(entry) is Offer], chance)
    estimates = Estimates(view(state, board, question.seat), board)
    if type(question) is BidOrPass:
        company = estimates.companies[board.company_ids[question.company]]
        worth = estimates.worth_of_share(company, question.minimum)
        if question.opening:
            worth = min(worth, SPENT * sum(state.money[: state.seats]) / (1 + state.lots.bit_count()))
        return drawn_bid(legal, worth, question.leader == NOBODY, chance)
    if type(question) is not Expand and type(question) is not PickSource:
        return likely(valued(estimates, legal), chance)
    money = [entry for entry in legal if type(entry) is Take]
    build = drawn_build(estimates, legal, chance, least=board.file.take if money else 0)
    if build is None:
        return money[0] if money else Pass()
    action: Action = build
    return action


def prospects(state: State, board: Board) -> list[float]:
    """Return the estimated final cash of each seat in dollars.

    The constants in the formula were fitted to simulated games.
    """
    return prospects_of(Estimates(view(state, board, 0), board), growth=0.3, share=11.0)


OPENINGS: Openings[State, Board] = Openings(
    version=1,
    units=lambda board: board.companies + TURNS,
    is_rest=is_rest,
    choose=choose,
    prospects=prospects,
    lead=lambda seats: 0.25,
)
