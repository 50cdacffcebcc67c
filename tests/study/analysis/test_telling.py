"""Tests of the text of an analysis: its sentences agree with each other and with the numbers of the analysis."""

import re

import pytest
from msgspec.structs import replace

from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.choices import choices_of, described_command
from rails_cli.games.faces.phrases import with_capital
from rails_cli.games.game import ALL_SEATS
from rails_cli.logs.chain import log_of
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.common import Bid, Pass
from rails_cli.study.analysis.analysis import Analysis, analysis_of
from rails_cli.study.analysis.at_step import StepJudge
from rails_cli.study.analysis.bidding import is_auction, least_bid
from rails_cli.study.analysis.hints import hint, worth
from rails_cli.study.analysis.judging import Expectation, Judgement, evaluation_of, judge, moves_of, percents
from rails_cli.study.analysis.telling import MISTAKE, MoveDescriber, about
from rails_cli.study.playback.recorded import Recorded, read_recorded
from rails_cli.terminal.verdict import verdict_from, verdict_of
from tests.support.matches import new_match

BEGINNINGS = {"chicago_express": (6, 30), "last_spike": (8, 18)}
"""By game, the random seed and the number of actions of a beginning that contains mistakes."""
LEVELS = {
    "chicago_express": ("hard", "greedy", "medium"),
    "last_spike": ("hard", "greedy", "hard"),
}
"""By game, the levels of the players in the order of the seats.

These players make few mistakes. This keeps analyses short, because judging a mistake takes longest.
"""
LOOKS = 1
Analysed = tuple[Recorded, Analysis]


@pytest.fixture(scope="module", params=BEGINNINGS)
def analysed(request: pytest.FixtureRequest) -> Analysed:
    """The recorded beginning of a game, whose players make a few mistakes, and its analysis."""
    game = request.param
    seed, actions = BEGINNINGS[game]
    match = new_match(game, 3, seed)
    players = [builtin_player(level, game, seed, seat) for seat, level in enumerate(LEVELS[game])]
    lines = [match.header, match.setup_line]
    while match.seat is not None and match.number < actions:
        lines.append(match.play(players[match.seat].choose(match)))
    recorded = read_recorded(log_of(lines))
    return recorded, analysis_of(recorded, [judge(recorded, move, LOOKS) for move in moves_of(recorded)], LOOKS)


def words_of(analysis: Analysis) -> list[str]:
    return [*(decision.words for decision in analysis.decisions), *(moment.words for moment in analysis.moments)]


def test_the_number_of_mistakes_matches_the_described_mistakes(analysed: Analysed) -> None:
    _, analysis = analysed
    assert any(player.mistakes for player in analysis.players)
    for seat, player in enumerate(analysis.players):
        own = [one for one in analysis.decisions if one.judgement.seat == seat]
        gains = [re.search(r"was better.*?, with a chance of winning (\d+) points? higher", one.words) for one in own]
        lost = [int(gain[1]) if gain else 0 for gain in gains]
        assert lost == [percents(one.judgement.chance_lost) for one in own]
        assert sum(percent >= percents(MISTAKE) for percent in lost) == player.mistakes
        assert player.chance_lost == pytest.approx(sum(percent for percent in lost if percent >= 3) / 100)


def test_a_described_change_has_two_different_numbers(analysed: Analysed) -> None:
    for words in words_of(analysed[1]):
        for one, other in re.findall(r"(\d+)% (?:instead of|to) (\d+)%", words):
            assert one != other, words


def test_decisive_moments_agree_with_the_curve_of_chances(analysed: Analysed) -> None:
    recorded, analysis = analysed
    judgements = {one.judgement.first: one.judgement for one in analysis.decisions}
    at_step = StepJudge(LOOKS)
    assert analysis.moments
    for moment in analysis.moments:
        before, after = analysis.curve[moment.first - 1], analysis.curve[moment.last]
        assert moment.change == [round(then - now, 3) for then, now in zip(after, before, strict=True)]
        judged = judgements[moment.first]
        is_mistake = judged.chance_lost >= MISTAKE
        assert is_mistake == (" instead of " in moment.words), moment.words
        if is_mistake:
            assert moment.change[moment.seat] < 0
            assert at_step(recorded, moment.first, ALL_SEATS)[0] == moment.words
            continue
        chances = [(percents(now), percents(then)) for now, then in zip(before, after, strict=True)]
        change = re.search(r"from (\d+)% to (\d+)%", moment.words)
        assert change is not None
        assert (int(change[1]), int(change[2])) in chances
        assert judged.worths is None


def test_amounts_of_money_are_multiples_of_the_unit_of_the_game(analysed: Analysed) -> None:
    recorded, analysis = analysed
    unit = recorded.face.money_unit(recorded.board)
    assert unit == (1000 if analysis.game == "last_spike" else 1)
    amounts = [
        int(amount.replace(",", ""))
        for words in words_of(analysis)
        for amount in re.findall(r"about \$([\d,]+)", words)
    ]
    assert amounts
    assert all(amount > 0 and amount % unit == 0 for amount in amounts)


def test_a_mistake_is_described_with_the_better_move_and_who_gained(analysed: Analysed) -> None:
    """The description of a mistake says what it cost, which move was better, and which player gained.

    If the loss is less than the smallest unit of money in the game, only chances of winning are mentioned.
    """
    recorded, analysis = analysed
    teller = MoveDescriber(recorded)
    unit = teller.unit
    judged = next(
        one.judgement for one in analysis.decisions if one.judgement.worths is None and one.judgement.chance_lost
    )
    judged = replace(judged, seat=0, loss=8.0 * unit, chance_lost=0.1, instead=chances(0.4, 0.4, 0.2))
    better = f"{with_capital(teller.other(judged))} was better."
    seen = ", as a saw it," if recorded.game.has_secrets else ""
    lost = f" cost a about ${8 * unit:,} and left the chance of winning{seen} at 30% instead of 40%. {better}"
    assert teller.mistake(replace(judged, after=chances(0.3, 0.45, 0.25))).endswith(lost)
    gift = f" left a's chance of winning{seen} at 30% instead of 40%, and c's at 40% instead of 20%. {better}"
    assert teller.mistake(replace(judged, after=chances(0.3, 0.3, 0.4), loss=0.4 * unit)).endswith(gift)
    reader = MoveDescriber(recorded, 0)
    seen = seen.replace(" a ", " you ")
    lost = f" cost you about ${8 * unit:,} and left your chance of winning{seen} at 30% instead of 40%. {better}"
    assert reader.mistake(replace(judged, after=chances(0.3, 0.45, 0.25))).endswith(lost)
    assert f" left your chance of winning{seen} at 30% instead of 40%, and c's at " in reader.mistake(
        replace(judged, after=chances(0.3, 0.3, 0.4), loss=0.4 * unit)
    )
    gift = ", and yours at 40% instead of 20%. "
    assert gift in MoveDescriber(recorded, 2).mistake(replace(judged, after=chances(0.3, 0.3, 0.4)))
    assert ", you raised your own chance of winning from 30% to 50%" in reader.swing(judged, [0.3, 0.4], [0.5, 0.4])
    assert MoveDescriber(recorded, 1).chances([0.5, 0.3, 0.2]) == "a 50%, you 30%, c 20%"


def chances(*by_seat: float) -> Expectation:
    return Expectation([0.0] * len(by_seat), list(by_seat))


@pytest.mark.parametrize(
    ("money", "unit", "expected"),
    [
        (0.4, 1, ""),
        (0.6, 1, "$1"),
        (46.4, 1, "$46"),
        (149.0, 1, "$150"),
        (150.0, 1000, ""),
        (3075.0, 1000, "$3,000"),
        (27_431.0, 1000, "$27,000"),
        (127_431.0, 1000, "$130,000"),
        (760.0, 250, "$750"),
    ],
)
def test_amounts_are_rounded_to_about_two_digits(money: float, unit: int, expected: str) -> None:
    assert about(money, unit) == expected


def test_a_decision_in_an_auction_mentions_the_worth_of_the_share(analysed: Analysed) -> None:
    _, analysis = analysed
    by_first = {one.judgement.first: one for one in analysis.decisions}
    assert bool(analysis.auctions) == (analysis.game != "last_spike")
    for auction in analysis.auctions:
        words = by_first[auction.first].words
        for seat, amount in enumerate(auction.worths):
            assert not amount or (f"${amount} to" in words and analysis.players[seat].name in words)
    for one in analysis.decisions:
        if one.judgement.worths is not None and one.judgement.chance_lost >= MISTAKE:
            assert "it was worth $" in one.words


def test_the_loss_of_a_bid_is_limited_by_the_described_worth(analysed: Analysed) -> None:
    _, analysis = analysed
    judged = [one.judgement for one in analysis.decisions if one.judgement.worths is not None]
    for one in judged:
        assert one.worths is not None
        if one.chance_lost:
            worth = one.worths[one.seat] or 0
            rivals = max(limit or 0 for seat, limit in enumerate(one.worths) if seat != one.seat)
            assert one.loss <= most_lost(one, worth, rivals), one


def most_lost(judged: Judgement, worth: int, rivals: int) -> int:
    """Return the largest possible loss in dollars from playing `judged.played` instead of `judged.other`.

    Both moves are bids or passes. Return a negative number if no loss is possible. `worth` is what the share is worth
    to the bidder in dollars. `rivals` is the highest bid in dollars that another seat would make.
    """
    action, other = judged.played[0], judged.other[0]
    if type(action) is Pass:
        return max(0, worth - rivals - 1) if type(other) is Bid and other.amount <= worth else -1
    assert type(action) is Bid
    if type(other) is Bid:
        return action.amount - min(max(other.amount, rivals + 1), worth)
    return action.amount - worth if action.amount > worth else -1


def test_chances_with_hidden_information_say_whose_view_they_use(analysed: Analysed) -> None:
    recorded, analysis = analysed
    last = StepJudge(LOOKS)(recorded, analysis.decisions[0].judgement.first, ALL_SEATS)[-1]
    assert (" could see it: " in last) == recorded.game.has_secrets


def test_the_look_back_on_a_seat_names_the_move_that_the_analysis_finds_costliest(analysed: Analysed) -> None:
    """The review of a player's moves after the game names the move that the analysis judges as the costliest.

    A review made from the judgements of an analysis equals a review that judges the moves itself.
    """
    recorded, analysis = analysed
    judged: dict[int, list[Judgement]] = {}
    for decision in analysis.decisions:
        judged.setdefault(decision.judgement.seat, []).append(decision.judgement)
    worst = [max(own, key=cost_of) for own in judged.values()]
    for one in worst:
        found = verdict_from(recorded, one.seat, judged[one.seat])
        assert found.judged == judged[one.seat]
        is_mistake = one.chance_lost >= MISTAKE
        assert found.costliest == (one.first if is_mistake else None)
        assert found.lines[0].startswith("Your costliest move was action ") == is_mistake
        assert (found.lines[0] == "No single mistake of yours decided the game.") != is_mistake
        assert not any(
            re.search(rf"\b{recorded.names[one.seat]}('s)? (left|cost|would|raised)", line) for line in found.lines
        )
    most = max(worst, key=cost_of)
    assert verdict_of(recorded, most.seat, looks=LOOKS) == verdict_from(recorded, most.seat, judged[most.seat])
    (line,) = verdict_from(recorded, most.seat, judged[most.seat], is_you=False).lines
    assert line.startswith(f"{recorded.names[most.seat]}'s costliest move was action {most.first}. ")
    assert not re.search(r"\b[Yy]our?\b", line)


def test_a_loss_that_may_be_an_error_of_the_estimate_is_not_named_as_the_costliest_move(analysed: Analysed) -> None:
    """The review of a seat and the analysis name only mistakes, and the same best move."""
    recorded, analysis = analysed
    judged = [decision.judgement for decision in analysis.decisions]
    assert any(one.chance_lost for one in judged)
    slight = [replace(one, chance_lost=min(one.chance_lost, 0.02)) for one in judged]
    assert not any(player.costliest for player in analysis_of(recorded, slight, LOOKS).players)
    for seat, player in enumerate(analysis.players):
        found = verdict_from(recorded, seat, [one for one in slight if one.seat == seat])
        assert found.costliest is None
        assert found.lines[0] == "No single mistake of yours decided the game."
        best = [] if player.best is None else [f"Your best move was action {player.best.first}: "]
        assert [line[: line.index(": ") + 2] for line in found.lines[1:]] == best


def cost_of(judged: Judgement) -> tuple[float, float]:
    return judged.chance_lost, judged.loss


def test_the_worth_of_a_move_agrees_with_the_hint(analysed: Analysed) -> None:
    recorded, _ = analysed
    compared = worse = 0
    for moment in recorded.moments[:-1:4]:
        decision = decision_after(recorded, moment.number)
        choices = choices_of(decision)
        words = hint(decision, choices, looks=2)
        best = next(line for line in words if line.startswith("Chance of winning: about ")).rstrip(".")
        for choice in choices[:5]:
            (line,) = worth(decision, [choice.action], looks=2)
            if words[0].endswith(f": {described_command(decision, choice.action)}") and not is_auction(moment.legal):
                compared += 1
                assert line == f"{best}, as with the best move."
            elif "; with the best move" in line:
                worse += 1
                own, most = map(int, re.findall(r"(\d+)%", line))
                assert own < most
    assert compared
    assert worse


def test_hints_suggest_no_bid_above_the_worth_they_mention(analysed: Analysed) -> None:
    recorded, _ = analysed
    asked = 0
    for moment in recorded.moments[:-1]:
        if not is_auction(moment.legal):
            continue
        decision = decision_after(recorded, moment.number)
        words = " ".join(hint(decision, choices_of(decision), looks=2))
        assert "at the end" not in words
        worth_match = re.search(r"is worth about \$(\d+) to you", words)
        bids = [int(amount) for amount in re.findall(r"(?:suggests|best|good): bid (?:up to )?\$(\d+)", words)]
        limits = evaluation_of(recorded.game).limits
        assert limits is not None
        limit = limits(moment.state, recorded.board)[decision.seat]
        assert worth_match is None or all(bid <= limit for bid in bids), words
        if (
            ": pass" in words.partition("Chance of winning")[2]
        ):  # a pass that does not win more often than the suggestion
            chances = [int(chance) for chance in re.findall(r"about (\d+)%", words)]
            (passing,) = worth(decision, [Pass()], looks=2)
            assert passing.startswith(f"Chance of winning: about {chances[-1]}%"), words
            assert "Just as good: pass" in words or chances[0] > chances[1]
        if stated := re.search(r"winning: about (\d+%) with a bid of \$(\d+)", words):
            (bidding,) = worth(decision, [Bid(int(stated[2]))], looks=2)
            assert bidding.startswith(f"Chance of winning: about {stated[1]}"), words
        assert bool(stated) == ("suggests: bid up to" in words)
        if worth_match is not None:
            asked += 1
            assert int(worth_match[1]) == limit
            assert bids or limit < least_bid(moment.legal)
    assert bool(asked) == (recorded.game.name != "last_spike")


def decision_after(recorded: Recorded, number: int) -> Decision:
    moment = recorded.moments[number]
    assert moment.to_move is not None
    ahead = LocalLookahead(recorded.game, recorded.board, moment.state, moment.to_move)
    return decision_at(ahead, recorded.game, recorded.face, recorded.wire_board, recorded.board, recorded.names)
