"""Random openings of American Rails with realistic prices, holdings and cities."""

from rails_cli.games.american_rails.board import Board
from rails_cli.games.american_rails.moves import legal_actions
from rails_cli.games.american_rails.players.greedy import Estimates
from rails_cli.games.american_rails.questions import (
    BidOrPass,
    ChooseSpace,
    Nominate,
    PickCity,
    PickShare,
    PickTreasury,
    PlaceFirstCube,
)
from rails_cli.games.american_rails.state import State
from rails_cli.games.american_rails.view import view
from rails_cli.games.openings import Chance, Openings, likely
from rails_cli.games.railways.openings import drawn_bid, drawn_build, prospects_of
from rails_cli.games.shared.auction import NOBODY
from rails_cli.protocol.american_rails import Action, Choose, Develop, Found, Fund, Offer, Take
from rails_cli.protocol.common import Pass

TURNS = 2
SPENT = 0.75  # maximum fraction of all cash spent in the opening auctions, divided among the remaining ones


def is_rest(state: State) -> bool:
    """Return whether a share is about to be offered or a turn to begin."""
    return state.pending is None or type(state.pending) in (Nominate, ChooseSpace)


def choose(state: State, board: Board, chance: Chance) -> Action:
    """Draw an action. Actions with better prospects are likelier."""
    question = state.pending
    assert question is not None
    legal = legal_actions(state, board)
    if type(question) is Nominate:
        return likely([(1.0, entry) for entry in legal if type(entry) is Offer], chance)
    if type(question) is PlaceFirstCube:
        return likely([(board.full[board.hex_number[f.hex]], f) for f in legal if type(f) is Found], chance)
    estimates = Estimates(view(state, board, question.seat), board)
    if type(question) is BidOrPass:
        company = estimates.companies[board.company_ids[question.company]]
        worth = estimates.worth_of_share(company, question.minimum)
        if question.opening:
            worth = min(worth, SPENT * sum(state.money[: state.seats]) / (1 + state.lots.bit_count()))
        return drawn_bid(legal, worth, question.leader == NOBODY, chance)
    if type(question) is ChooseSpace:
        worth_of_space = estimates.worth_of_spaces()
        return likely([(worth_of_space[entry.action], entry) for entry in legal if type(entry) is Choose], chance)
    if type(question) is PickShare:
        return likely([(estimates.worth_of_offer(o.company), o) for o in legal if type(o) is Offer], chance)
    if type(question) is PickTreasury:
        return likely([(estimates.edge[fund.company], fund) for fund in legal if type(fund) is Fund], chance)
    if type(question) is PickCity:
        return likely([(estimates.worth_of_marker(d.hex), d) for d in legal if type(d) is Develop], chance)
    money = [entry for entry in legal if type(entry) is Take]
    build = drawn_build(estimates, legal, chance, least=board.file.take if money else 0)
    if build is None:
        return money[0] if money else Pass()
    action: Action = build
    return action


def prospects(state: State, board: Board) -> list[float]:
    """Return the estimated final result of each seat. The weights were fitted to playouts."""
    return prospects_of(Estimates(view(state, board, 0), board), growth=0.3, share=11.0)


OPENINGS: Openings[State, Board] = Openings(
    version=1,
    units=lambda board: board.companies + TURNS,
    is_rest=is_rest,
    choose=choose,
    prospects=prospects,
    lead=lambda seats: 0.25,
)
