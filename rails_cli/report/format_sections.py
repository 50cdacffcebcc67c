"""What a format itself says of its games: rounds of a knockout, points of a Swiss, the paired difference of a duel."""

from rails_cli.report.findings import Findings
from rails_cli.report.markup import (
    NONE,
    Cell,
    Html,
    between,
    counted,
    element,
    joined,
    listed,
    paragraph,
    section,
    signed,
    table,
)
from rails_cli.tournament.knockout import Tie
from rails_cli.tournament.schedule import WHOLE_POINT

_LARGE = 100


def format_section(found: Findings) -> Html:
    """Nothing for a round robin, whose standings say it all."""
    if not found.order:
        return Html("")
    match found.plan.kind:
        case "knockout":
            return _knockout(found)
        case "swiss":
            return _swiss(found)
        case "duel":
            return _duel(found)
        case "gauntlet":
            return _gauntlet(found)
        case "league":
            return _league(found)
    return Html("")


def _knockout(found: Findings) -> Html:
    rounds = found.rounds
    pieces: list[Html] = []
    last = rounds[-1]
    if len(last) == 1 and last[0].is_decided:
        pieces.append(paragraph(f"{last[0].places[0]} has won the final."))
    columns = []
    for number, ties in enumerate(rounds, 1):
        is_final = len(ties) == 1 and len(ties[0].names) == _left(found, number)
        title = "Final" if is_final else f"Round {number}"
        columns.append(
            element("li", element("h3", title), *[_tie(tie, is_final) for tie in ties], *_byes(found, number))
        )
    bracket = element("ol", *columns, class_="bracket")
    pieces.append(element("div", bracket, class_="canvas", tabindex="0", role="group", aria_label="Rounds"))
    pieces.append(
        paragraph(
            "Points are the share of opponents beaten, summed over games; of equal points, the total score decides, "
            "then the seeding.",
            class_="quiet",
        )
    )
    return section("format", "Rounds", *pieces)


def _left(found: Findings, number: int) -> int:
    """How many are left in a round."""
    return len(_still(found, number))


def _still(found: Findings, number: int) -> list[str]:
    still = list(found.plan.names)
    for ties in found.rounds[: number - 1]:
        out = {name for tie in ties for name in tie.places[tie.advance :]}
        still = [name for name in still if name not in out]
    return still


def _byes(found: Findings, number: int) -> list[Html]:
    seated = {name for tie in found.rounds[number - 1] for name in tie.names}
    byes = [name for name in _still(found, number) if name not in seated]
    return [paragraph(f"Without a game: {listed(byes)}.", class_="quiet")] if byes else []


def _tie(tie: Tie, is_final: bool) -> Html:
    rows = []
    for place, name in enumerate(tie.places):
        points, score = tie.worth[name]
        goes_on = tie.is_decided and place < tie.advance
        mark = ("wins" if is_final else "goes on") if goes_on else ""
        told = element("span", f"{points / WHOLE_POINT:.1f} points, ${score:,}", class_="quiet")
        rows.append(
            element("li", element("b" if goes_on else "span", name), " ", told, *([f" – {mark}"] if mark else []))
        )
    state = [] if tie.is_decided else [paragraph("Not decided yet.", class_="quiet")]
    return element("div", element("ol", *rows), *state, class_="tie")


def _swiss(found: Findings) -> Html:
    names = [name for equals in found.order for name in equals]
    rows: list[list[Cell]] = []
    for place, name in enumerate(names, 1):
        gained = [points.get(name) for points in found.points]
        known = [one for one in gained if one is not None]
        mean = sum(known) / len(known) if known else None
        rows.append(
            [
                name,
                place,
                *[NONE if one is None else (f"{one:.2f}", one) for one in gained],
                NONE if mean is None else (f"{mean:.3f}", mean),
            ]
        )
    heads = ["Entrant", "Place", *[f"Round {number}" for number in range(1, len(found.points) + 1)], "Mean"]
    return section(
        "format",
        "Rounds",
        paragraph(
            "Points of a round are the share of opponents beaten, from 0 to 1. The mean over the rounds decides, then "
            "that of those met; a round without a game changes nothing."
        ),
        table("Points by round", heads, rows),
    )


def _duel(found: Findings) -> Html:
    first, second = found.plan.format["versions"]
    rows: list[list[Cell]] = []
    for one in found.paired:
        form = ".1%" if one.is_share else ",.0f" if abs(one.first) >= _LARGE else ",.2f"
        difference = one.difference
        rows.append(
            [
                one.words,
                (signed(one.first, form), one.first),
                (signed(one.second, form), one.second),
                (signed(difference.mean, "+" + form), difference.mean),
                (between(difference.low, difference.high, form), difference.mean),
            ]
        )
    heads = ["Mean", first, second, "Difference", "95 % interval"]
    return section(
        "format",
        f"{first} against {second}",
        paragraph(_duel_words(found, first, second)),
        table("The same games with one version and with the other", heads, rows),
        paragraph(
            f"{counted(found.pairs, 'pair')} of games, alike in seed, seats and opponents. The intervals are of the "
            "difference, by seed groups: what both versions owe to luck cancels out. A lower rank is better.",
            class_="quiet",
        ),
    )


def _duel_words(found: Findings, first: str, second: str) -> str:
    if not found.paired:
        return "No pair of games is complete yet."
    difference = found.paired[0].difference
    if difference.low is None or difference.high is None:
        return "One seed group says nothing of the spread yet."
    if difference.low > 0:
        return f"{first} beats more opponents than {second}, with 95 % confidence."
    if difference.high < 0:
        return f"{second} beats more opponents than {first}, with 95 % confidence."
    return f"At 95 %, no difference between {first} and {second} shows in the share of opponents beaten."


def _gauntlet(found: Findings) -> Html:
    challengers = found.plan.format["challengers"]
    order = [f"{place}. {listed(names)}" for place, names in enumerate(found.order, 1)]
    field = [name for name in found.plan.names if name not in challengers]
    return section(
        "format",
        "Challengers and field",
        paragraph(f"{listed(list(challengers))} played, with the same seeds, against the field: {listed(field)}."),
        paragraph(f"By mean points: {'; '.join(order)}."),
        paragraph(
            "Challengers do not meet each other; their ratings compare through the opponents that they have in common.",
            class_="quiet",
        ),
    )


def _league(found: Findings) -> Html:
    pieces = [paragraph(f"In the league: {listed(list(found.plan.names))}.")]
    if found.left:
        pieces.append(
            paragraph(f"Left it: {listed(found.left)}; the games count all the same, and the tables say (left).")
        )
    return section("format", "Members", joined(pieces))
