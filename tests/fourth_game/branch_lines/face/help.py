"""Help for players of Branch Lines: commands, previews, reasons for refusals, hints and lessons."""

from collections.abc import Sequence
from typing import Any

from branch_lines.players.greedy import gain_by_building, think, worth_of_share
from branch_lines.protocol import Build, Built, CharterPaid, DividendPaid, View
from rails_cli.games.decision import Advice, Decision, Lookahead, Preview, Spot, change
from rails_cli.games.faces.choices import ranked
from rails_cli.games.faces.lessons import Lesson, Tutorial
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.faces.vocabulary import Examples, Verb, Vocabulary, named_in, plain
from rails_cli.games.game import WireBoard
from rails_cli.protocol.common import Bid

FEW_SHARES = 3


def _names(board: WireBoard, view: View) -> dict[str, dict[str, str]]:
    """Return a dictionary with the only key "line". Its value maps words to ids of railway lines.

    The words with which a person can name a line are its id and the ids of its stations.
    """
    stations = {plain(station["id"]): line["id"] for line in board["lines"] for station in line["stations"]}
    return {"line": stations | {plain(line["id"]): line["id"] for line in board["lines"]}}


VOCABULARY = Vocabulary(
    verbs=(Verb("build", ("line",), also=("extend",)),),
    names=_names,
    examples=Examples(
        answers="""\
  bid 5              build Coast        build Saltby           pass""",
        things=("Coast", "Saltby"),
        answer="build Coast",
        maps="map costs, map income: what stations cost and bring",
        rules=("13", "charter"),
    ),
)


def preview(decision: Decision, lookahead: Lookahead, actions: Sequence[Any]) -> Preview:
    view: View = decision.view
    if isinstance(actions[0], Bid) and view.auction is not None:
        cash, amount = view.players[decision.seat].cash, actions[0].amount
        line = next(line for line in view.lines if line.id == view.auction.line)
        treasury = change(line.treasury, line.treasury + amount)
        return Preview([f"if it wins, cash {change(cash, cash - amount)}", f"treasury {treasury}"], 1)
    notes: list[str] = []
    gain = 0
    for action in actions:
        if lookahead.is_by_chance:
            break
        lookahead, events = lookahead.after(action)
        for event in events:
            match event:
                case Built():
                    notes += [f"costs {event.cost}", f"{event.line} income {event.income}"]
                case DividendPaid():
                    mine = event.payouts[decision.seat]
                    notes += [f"{event.line} pays you ${mine}"] if mine else []
                    gain += 2 * mine - sum(event.payouts)
    return Preview(notes, gain)


def why(decision: Decision, words: Sequence[str]) -> str | None:
    id = named_in(_names(decision.wire_board, decision.view)["line"], words)
    if id is None:
        return None
    view: View = decision.view
    line = next(line for line in view.lines if line.id == id)
    if any(isinstance(entry, Build) and entry.line == id for entry in decision.legal):
        return f"You may extend {id}."
    if view.auction is not None:
        return "You build after buying a share; now you bid (BL-10)."
    if not line.shares[decision.seat]:
        return f"You hold no share of {id} (BL-20)."
    if line.next_cost is None:
        return f"{id} is complete."
    return f"The next station of {id} costs {dollars(line.next_cost)}, and it has {dollars(line.treasury)} (BL-20)."


def describe(decision: Decision, words: Sequence[str]) -> Spot | None:
    id = named_in(_names(decision.wire_board, decision.view)["line"], words)
    if id is None:
        return None
    line = next(line for line in decision.view.lines if line.id == id)
    return Spot(
        id, f"{id}: has {dollars(line.treasury)}, earns {dollars(line.income)}, pays {dollars(line.dividend)} a share."
    )


def numbers(board: WireBoard, view: View, what: str) -> list[str] | None:
    """Return lines of text with the costs or the incomes of all stations, or None if `what` names neither."""
    field = next((field for field in ("cost", "income") if what.startswith(field[:3])), None)
    if field is None:
        return None
    return [
        f"{line['id']}: " + ", ".join(f"{station['id']} {station[field]}" for station in line["stations"])
        for line in board["lines"]
    ]


def advice(decision: Decision) -> Advice:
    view: View = decision.view
    action = think(view, decision.legal, decision.board)
    if view.auction is not None:
        worth = {f"a share of {view.auction.line}": worth_of_share(view, decision.board)}
        return Advice(action, [ranked(worth, "by the end")])
    builds = [entry for entry in decision.legal if isinstance(entry, Build)]
    gains = {entry.line: gain_by_building(view, decision.board, entry) for entry in builds}
    return Advice(action, [ranked(gains, "above what others get")])


TUTORIAL = Tutorial(
    welcome=Lesson(
        "Welcome to Branch Lines. Four small railways lead from a junction into the country. You buy their shares and "
        "extend them with the money that shares bring in. Each round every share is paid its part of what its line "
        "earns. Whoever has the most cash at the end wins.",
        "BL-10 BL-42",
    ),
    questions={
        "bid": Lesson(
            "A share is up for auction. Bid for lines that earn much, or will with your money; early shares are paid "
            "most often.",
            "BL-11 BL-13",
        ),
        "build": Lesson(
            "You have bought a share, so you may extend your lines. The lines pay, not you.", "BL-20 BL-21"
        ),
    },
    events={
        DividendPaid: Lesson("The lines have paid their shareholders. That is where the money comes from.", "BL-30"),
        CharterPaid: Lesson("The charters are shown.", "BL-41"),
    },
    positions={
        lambda decision: decision.view.pile < FEW_SHARES: Lesson(
            "Only few shares are left: a share is not paid often any more, so do not bid too much.", "BL-40"
        ),
    },
)
