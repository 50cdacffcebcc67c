"""Display of Branch Lines for people: maps, panels, sentences, help and results."""

from branch_lines.face import help, maps, panels, results, words
from branch_lines.protocol import CharterPaid, DividendPaid, GameEnded, ShareDrawn
from rails_cli.games.faces.interface import Face

FACE = Face(
    about="Four country railways and their shares; five minutes.",
    difficulty=2,
    options=words.OPTIONS,
    # Words
    tell=words.tell,
    touched=maps.touched,
    landmarks=frozenset({ShareDrawn, GameEnded}),
    position=panels.position,
    draw=maps.draw,
    legend=maps.legend,
    asked=panels.asked,
    stage=panels.stage,
    end=panels.end,
    companies=panels.companies,
    players=panels.players,
    auction=panels.auction,
    shorter={"treasury ": "has ", "cash ": ""},
    # Decisions
    prompt=words.prompt,
    words=words.words,
    preview=help.preview,
    why=help.why,
    describe=help.describe,
    advice=help.advice,
    vocabulary=help.VOCABULARY,
    tutorial=help.TUTORIAL,
    new_turn=frozenset({"bid"}),
    places=maps.places,
    numbers=help.numbers,
    # Pages
    board_map=maps.BranchMap,
    look=maps.LOOK,
    sheets=results.sheets,
    charts=results.CHARTS,
    last_prices=results.last_prices,
    auctions=results.auctions,
    bidding=results.bidding,
    # Results
    transfers=results.TRANSFERS,
    stages=frozenset({DividendPaid}),
    stage_name="dividend",
    finale=frozenset({CharterPaid, GameEnded}),
    economy=results.economy,
    economy_words=results.WORDS,
)
