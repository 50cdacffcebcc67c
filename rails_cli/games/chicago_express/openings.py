"""How Chicago Express is begun by chance: prices and holdings spread as they do among sensible people."""

from protocol.chicago_express import Action, Build, Choose, Develop, Entry, Offer
from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.players.greedy import RAISES, Outlook
from rails_cli.games.chicago_express.questions import (
    ANY_COMPANY,
    NOBODY,
    BidOrPass,
    DevelopHex,
    Expand,
    OfferShare,
    PickDial,
)
from rails_cli.games.chicago_express.rules import PASS, legal_actions
from rails_cli.games.chicago_express.state import State
from rails_cli.games.chicago_express.view import view
from rails_cli.games.openings import Chance, Openings, drawn_bid, likely

TURNS = 3
GROWTH = 1.4  # what counts of the present worth of shares, which grow
SHARE = 8.0  # what each share brings beyond that


def is_rest(state: State) -> bool:
    """Whether an opening auction is about to begin, or a turn."""
    question = state.pending
    if type(question) is not BidOrPass:
        return question is None or type(question) is PickDial
    return question.is_opening and question.leader == NOBODY and question.still_in == (1 << state.seats) - 1


def choose(state: State, board: Board, chance: Chance) -> Action:
    """What promises more is likelier."""
    question = state.pending
    assert question is not None
    legal = legal_actions(state, board)
    outlook = Outlook(view(state, board, question.seat), board)
    if type(question) is BidOrPass:
        company = outlook.companies[board.company_ids[question.company]]
        worth = outlook.worth_of_share(company, question.minimum)
        if question.is_opening:
            worth = max(worth, board.opening_bid[question.company] + RAISES)
        return drawn_bid(legal, worth, question.leader == NOBODY, chance)
    if type(question) is Expand:
        return _expand(outlook, legal, board, question, chance)
    if type(question) is PickDial:
        worth_of_action = outlook.worth_of_actions()
        return likely([(worth_of_action[entry.action], entry) for entry in legal if type(entry) is Choose], chance)
    if type(question) is OfferShare:
        return likely([(outlook.worth_of_offer(o.company), o) for o in legal if type(o) is Offer], chance)
    assert type(question) is DevelopHex
    return likely([(outlook.worth_of_development(d.hex), d) for d in legal if type(d) is Develop], chance)


def _expand(outlook: Outlook, legal: list[Entry], board: Board, question: Expand, chance: Chance) -> Action:
    """Towards the best that one of the companies can reach, as long as there is anything."""
    only = None if question.company == ANY_COMPANY else board.company_ids[question.company]
    worth = {(company, place): promised for promised, company, place in outlook.expansions(only)}
    builds = [entry for entry in legal if type(entry) is Build and (entry.company, entry.hex) in worth]
    return likely([(worth[entry.company, entry.hex], entry) for entry in builds], chance) if builds else PASS


def prospects(state: State, board: Board) -> list[float]:
    """By seat, cash and what the shares will earn."""
    seen = view(state, board, 0)
    outlook = Outlook(seen, board)
    return [
        player.cash + GROWTH * outlook.worth_of_shares(seat) + SHARE * sum(player.shares.values())
        for seat, player in enumerate(seen.players)
    ]


OPENINGS: Openings[State, Board] = Openings(
    version=1,
    units=lambda board: len(board.opening) + TURNS,
    is_rest=is_rest,
    choose=choose,
    prospects=prospects,
    lead=0.25,
)
