"""Hints for the player to move, from the search that also judges the moves of finished games.

A hint suggests a move and gives the value of other moves. In games without an evaluation, hints come from the greedy
bot.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from rails_cli.games import load_evaluation
from rails_cli.games.decision import Decision
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.faces import choices as greedy
from rails_cli.games.faces.choices import Choice, command_of, described_command, preview_of
from rails_cli.games.faces.phrases import dollars, with_capital
from rails_cli.games.game import pass_entry, without_info_fields
from rails_cli.games.moves import action_of, number_of
from rails_cli.players.search.imagining import IMAGINED, chance_of, imagined
from rails_cli.players.search.look_ahead import IMPOSSIBLE
from rails_cli.players.search.one_ply import NEARLY, played
from rails_cli.players.search.outcome import Candidate, Tried, best_first, network_for, outcomes
from rails_cli.protocol.common import Bid, BidRange
from rails_cli.study.analysis.bidding import is_auction, least_bid
from rails_cli.study.analysis.judging import LOOKS, percents, searched
from rails_cli.study.analysis.telling import move_in_words, percent

WHOLE_MOVE = "The whole move:"
"""Beginning of the line of a hint that describes all actions of a move."""


class Hint(NamedTuple):
    """A hint: lines of text, and the suggested actions. There are no actions if nothing is suggested."""

    lines: list[str]
    steps: list[Any]
    limit: int | None = None
    """Highest bid in dollars, if the hint is to bid up to a limit. The first action is then the first of these bids."""


def hint(decision: Decision, choices: Sequence[Choice], looks: int = LOOKS) -> list[str]:
    """Return lines of text with a suggested command and the chance of winning after it.

    `choices` are the commands that are displayed to the player, with their effects. The search makes `looks`
    evaluations.
    """
    return hint_with_steps(decision, choices, looks).lines


def hint_with_steps(decision: Decision, choices: Sequence[Choice], looks: int = LOOKS) -> Hint:
    """Return a hint with the suggested actions.

    `choices` are the commands that are displayed to the player, with their effects. The search makes `looks`
    evaluations.
    """
    evaluation = load_evaluation(decision.game.name)
    try:
        if evaluation is None or decision.board is None:
            action = greedy.suggestion(decision)
            return Hint(greedy.hint(decision, choices), [] if action is None else [action])
        return _strong_hint(decision, choices, evaluation, looks)
    except IMPOSSIBLE:  # a server may send an impossible position
        return Hint(["No hint: this is not a position of the game."], [])


def _strong_hint(decision: Decision, choices: Sequence[Choice], evaluation: Evaluation[Any, Any], looks: int) -> Hint:
    found = _judged(decision, evaluation, looks)
    seat = decision.seat
    price = _price(decision, evaluation, lambda: found)
    if price is not None:
        found = _bid_or_pass(decision, found, price)
    best = found[0]
    run = _actions(decision, best)
    chance = f"Chance of winning: about {percent(best.chances[seat])}"
    limit = price.limit if price is not None else None
    if price is not None and limit is not None:
        chance += f" with a bid of {dollars(run[0].amount)}"
        run = [price.answer]
    lines = [f"A strong player suggests: {_bid_or_command(decision, run[0], limit)}"]
    preview = next((choice.preview.effect for choice in choices if without_info_fields(choice.action) == run[0]), "")
    whole = move_in_words(decision, run)
    if whole != move_in_words(decision, run[:1]):
        lines.append(f"{WHOLE_MOVE} {whole}.")
    elif preview and price is None:
        lines.append(f"Effect: {preview}.")
    if price is not None:
        lines += [price.words, *reasons(decision, [Bid(price.worth)])[:1]]
    lines.append(f"{chance}.")
    if len(found) > 1 and percents(found[1].chances[seat]) <= percents(best.chances[seat]):
        least, most = percent(found[1].chances[seat]), percent(best.chances[seat])
        other = _doing(decision, _actions(decision, found[1]))
        lines.append(f"Just as good: {other}." if least == most else f"Next best: {other}, about {least}.")
    return Hint(lines, run, limit)


# Suggestions for learners


class SuggestedMove(NamedTuple):
    """A suggested move: its command, its displayed text, the reasons in sentences, and its actions."""

    command: str
    words: str
    why: list[str]
    steps: list[Any]
    limit: int | None = None
    """Highest bid in dollars, if the suggestion is to bid up to a limit. The only action is then the first bid."""


def suggest_move(decision: Decision, looks: int = LOOKS) -> SuggestedMove | None:
    """Return a suggested move with reasons, or None if there is no suggestion.

    The search makes `looks` iterations.
    """
    evaluation = load_evaluation(decision.game.name)
    try:
        if evaluation is None or decision.board is None:
            action = greedy.suggestion(decision)
            return (
                None
                if action is None
                else SuggestedMove(command_of(action), described_command(decision, action), [], [action])
            )
        return _suggested_bid(decision, evaluation, looks) or _suggested_move(decision, evaluation, looks)
    except IMPOSSIBLE:
        return None


def _suggested_bid(decision: Decision, evaluation: Evaluation[Any, Any], looks: int) -> SuggestedMove | None:
    """Suggest how high to bid in an auction, or to pass. Return None if there is no auction or no advice."""
    price = _price(decision, evaluation, lambda: _judged(decision, evaluation, looks))
    if price is None:
        return None
    command = command_of(price.answer) if price.limit is None else f"bid up to {price.limit}"
    words = _bid_or_command(decision, price.answer, price.limit)
    why = [price.words, *decision.face.reasons(decision, [Bid(price.worth)])[:1]]
    return SuggestedMove(command, words, why, [price.answer], price.limit)


def _suggested_move(decision: Decision, evaluation: Evaluation[Any, Any], looks: int) -> SuggestedMove:
    found = _judged(decision, evaluation, looks)
    best = found[0]
    run = _actions(decision, best)
    whole = [f"{WHOLE_MOVE} {_doing(decision, run)}."] if len(run) > 1 else []
    chance = f"Chance of winning: about {percent(best.chances[decision.seat])}"
    if len(found) > 1 and percents(found[1].chances[decision.seat]) < percents(best.chances[decision.seat]):
        chance += f"; by {_next_best(decision, found[1])}, about {percent(found[1].chances[decision.seat])}"
    preview = preview_of(decision, run).words
    reasons = decision.face.reasons(decision, run) or ([f"{with_capital(preview)}."] if preview else [])
    why = [*whole, *reasons, f"{chance}."]
    return SuggestedMove(command_of(run[0]), described_command(decision, run[0]), why, run)


def _next_best(decision: Decision, tried: Tried) -> str:
    run = _actions(decision, tried)
    return _doing(decision, run) if len(run) > 1 else move_in_words(decision, run)


# The value of a move


def worth(decision: Decision, steps: Sequence[Any], looks: int = LOOKS) -> list[str]:
    """Return a sentence with the chance of winning after the legal actions `steps`, compared with the best move.

    The list is empty if the chance is not known. The search makes `looks` iterations.
    """
    evaluation = load_evaluation(decision.game.name)
    if evaluation is None or decision.board is None:
        return []
    seat = decision.seat
    try:
        found, tried = searched_with(decision, steps, evaluation, looks)
        best = best_first(found, seat)[0]
        own = best.chances[seat] if best in tried else best_first(tried, seat)[0].chances[seat]
        best_chance = best.chances[seat]
    except IMPOSSIBLE:
        return []
    is_worse = percents(best_chance) > percents(own)
    beside = f"; with the best move, about {percent(best_chance)}" if is_worse else ""
    return [f"Chance of winning: about {percent(own)}{beside or ', as with the best move'}."]


def searched_with(
    decision: Decision, steps: Sequence[Any], evaluation: Evaluation[Any, Any], looks: int
) -> tuple[list[Tried], list[Tried]]:
    """Return all moves that a search with `looks` iterations tried, and the moves among them that begin with `steps`.

    If the search tries no move that begins with `steps`, add such a move and repeat the search. Raise one of the
    exceptions in IMPOSSIBLE if the position cannot be searched.
    """
    found = searched(decision.game, decision.board, evaluation, decision.view, looks)
    numbers = tuple(number_of(decision.game.moves, decision.board, step) for step in steps)
    tried = [one for one in found if one.run[: len(numbers)] == numbers]
    if not tried:
        run = _beginning_with(decision, steps, evaluation).run
        found = searched(decision.game, decision.board, evaluation, decision.view, looks, run)
        tried = [one for one in found if one.run == run]
    return found, tried


def reasons(decision: Decision, steps: Sequence[Any]) -> list[str]:
    """Return sentences in favour of the legal actions `steps`, such as who profits or what a share will earn."""
    if decision.board is None:
        return []
    try:
        return decision.face.reasons(decision, steps)
    except IMPOSSIBLE:
        return []


def _beginning_with(decision: Decision, steps: Sequence[Any], evaluation: Evaluation[Any, Any]) -> Tried:
    """Return a quick estimate of the best move that begins with the actions `steps`.

    Hidden information is chosen at random.
    """
    game, board = decision.game, decision.board
    numbers = tuple(number_of(game.moves, board, step) for step in steps)
    is_whole = game.has_secrets or _is_whole(decision, steps)
    found: dict[Run, Candidate] = {}
    for state in islice(imagined(game, board, decision.view, chance_of("hint", decision.view)), _looks(decision)):
        runs = [run for run in evaluation.candidates(state, board) if run[: len(numbers)] == numbers]
        if not runs and not is_whole:
            after = played(game, board, state, numbers)
            runs = [(*numbers, *run) for run in evaluation.candidates(after, board)]
        runs = runs or [numbers]
        afters = [played(game, board, state, run) for run in runs]
        for run, came in zip(runs, outcomes(game, board, evaluation, afters), strict=True):
            found.setdefault(run, Candidate(run)).add(came)
    return best_first([candidate.tried() for candidate in found.values()], decision.seat)[0]


def _is_whole(decision: Decision, steps: Sequence[Any]) -> bool:
    """Return whether the actions `steps` are a complete move."""
    after: Decision | None = decision
    for step in steps:
        after = after and after.after(step)
    return after is None or is_auction(after.legal) or after.view.question.asks in decision.face.new_turn


# Evaluation by the strong player


class Price(NamedTuple):
    """Advice in an auction: suggested action, highest and lowest sensible bid, worth of the share, and explanation."""

    answer: Any
    most: int
    least: int
    worth: int
    words: str

    @property
    def limit(self) -> int | None:
        """The highest sensible bid, if it is higher than the lowest bid."""
        return self.most if self.most > self.least else None


def _price(decision: Decision, evaluation: Evaluation[Any, Any], judged: Callable[[], Sequence[Tried]]) -> Price | None:
    """Return advice for the current auction, which follows from the worth of the share.

    `judged` returns the results of the search, best first. Return None in each of these cases:

    - There is no auction, or the game cannot evaluate auctions.
    - The share is worth less than the lowest bid, and passing is not legal.
    - The game has a value network, and the search with this network gives other advice.
    """
    price = _price_by_worth(decision, evaluation)
    if price is None or network_for(evaluation, decision.board) is None:
        return price
    bid = _bid(decision, judged()[0])
    is_same = bid <= price.most if type(price.answer) is Bid else bid == inf
    return price if is_same else None


def _price_by_worth(decision: Decision, evaluation: Evaluation[Any, Any]) -> Price | None:
    if evaluation.limits is None or not is_auction(decision.legal):
        return None
    seat, least = decision.seat, least_bid(decision.legal)
    limits = evaluation.limits(decision.game.imagine(decision.view, decision.board, 0), decision.board)
    rival = max((other for other in range(len(limits)) if other != seat), key=lambda other: limits[other])
    name, next_most = decision.names[rival], limits[rival]
    own = min(max(limits[seat], 0), max(entry.max for entry in decision.legal if type(entry) is BidRange))
    worth = f"The share is worth about {dollars(own)} to you"
    if next_most >= 0:
        worth += f" and {dollars(next_most)} to {name}"
    passes = pass_entry(decision.legal)
    if own < least:
        return (
            None
            if passes is None
            else Price(passes, 0, least, own, f"{worth}, and a bid is at least {dollars(least)}.")
        )
    if next_most < least:
        then = "nobody else should want it for that"
    elif next_most < own:
        then = f"you should get it for about {dollars(next_most + 1)}"
    else:
        then = f"bid no more than {dollars(own)}"
    return Price(Bid(least), own, least, own, f"{worth}: {then}.")


def _bid_or_pass(decision: Decision, found: Sequence[Tried], price: Price) -> list[Tried]:
    """Return the search results for the advice `price`: the best bid up to the worth of the share, and passing.

    `found` has all search results. If the advice is to pass, return only the result of passing.
    """
    passes = [tried for tried in found if _bid(decision, tried) == inf]
    if type(price.answer) is not Bid:
        return passes
    bids = [tried for tried in found if _bid(decision, tried) <= price.most]
    return [best_first(bids, decision.seat)[0], *passes]


def _judged(decision: Decision, evaluation: Evaluation[Any, Any], looks: int) -> list[Tried]:
    """Return the search results of the possible moves, best first. The search uses only what the seat may see."""
    tried = searched(decision.game, decision.board, evaluation, decision.view, looks)
    if not is_auction(decision.legal):
        return best_first(tried, decision.seat)
    found = sorted(tried, key=lambda one: -one.payoffs[decision.seat])  # all, because bids are compared with the pass
    enough = found[0].payoffs[decision.seat] * (1 - NEARLY)
    return sorted(found, key=lambda tried: (tried.payoffs[decision.seat] < enough, _bid(decision, tried)))


def _looks(decision: Decision) -> int:
    return IMAGINED if decision.game.has_secrets else 1


def _bid(decision: Decision, tried: Tried) -> float:
    """Return the amount of a bid, or infinity for a pass, so that a pass is sorted last."""
    action = action_of(decision.game.moves, decision.board, tried.run[0])
    return action.amount if type(action) is Bid else inf


def _actions(decision: Decision, tried: Tried) -> list[Any]:
    return [action_of(decision.game.moves, decision.board, number) for number in tried.run]


def _bid_or_command(decision: Decision, action: Any, limit: int | None) -> str:
    """Return `action` in words, or text such as `bid up to $20` if `limit` is not None."""
    return described_command(decision, action) if limit is None else f"bid up to {dollars(limit)}"


def _doing(decision: Decision, actions: Sequence[Any]) -> str:
    if len(actions) == 1:
        return described_command(decision, actions[0])
    return move_in_words(decision, actions)
