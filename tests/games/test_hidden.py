"""Tests of hidden information: changing what a seat cannot see does not change its view, legal actions or events."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import msgspec
import pytest

from rails_cli.conformance import checks
from rails_cli.conformance.checks import (
    hidden_draws_stay_hidden,
    imagined_positions_have_the_same_view,
    unknown_results_are_unforeseeable,
)
from rails_cli.conformance.settings import Setting, settings_of
from rails_cli.conformance.trial import Extras, Nonconformity, Trial
from rails_cli.games import game_names, load_game, standard_board
from rails_cli.games.game import ALL_SEATS, PUBLIC, Game
from rails_cli.games.last_spike import GAME as LAST_SPIKE
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.numbers import NUMBERS
from rails_cli.games.last_spike.questions import SellFor
from rails_cli.games.last_spike.state import State, derive
from rails_cli.games.numbers import Rows
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import MatchPolicy, Session
from rails_cli.players.chance import choose_busy
from rails_cli.protocol.common import Passed
from rails_cli.protocol.last_spike import Drew, Options, Play, WentBankrupt
from rails_cli.protocol.log import PlayerLine
from tests.support.matches import Chance, action_of
from tests.support.positions import some_seeds

BOARD: Board = standard_board("last_spike")
RICH = 100_000


# All games: the seed and the random state derived from it


@pytest.mark.parametrize("name", game_names())
def test_the_random_state_is_never_shown(name: str) -> None:
    """No view, legal action or event contains the seed or the random state, or changes with the random state."""
    game, board = load_game(name), standard_board(name)
    seed = 8_765_432_109_871
    compared = 0
    for _, players, options in settings_of([name], is_short=len(some_seeds()) == 1):
        chance = Chance(players)
        events: list[Any] = []
        state = game.setup(board, players, options, seed, events)
        observers = (*range(players), PUBLIC, ALL_SEATS)
        while state.pending is not None:
            legal = game.legal_actions(state, board)
            entry = chance.pick(legal)
            action = action_of(entry)
            if compared % 3 == 0:
                secrets = {str(seed), str(getattr(state, "luck", seed))}
                sent = msgspec.json.encode([_sent(game, board, state, observer) for observer in observers]).decode()
                redacted = msgspec.json.encode(
                    [game.redact(event, observer, options) for observer in observers for event in events]
                )
                assert not [secret for secret in secrets if secret in sent or secret in redacted.decode()]
                if hasattr(state, "luck"):
                    other = state.copy()
                    other.luck = (state.luck * 6_364_136_223_846_793_005 + 1) % 2**64
                    assert game.dump(other) != game.dump(state)
                    assert (
                        sent
                        == msgspec.json.encode([_sent(game, board, other, observer) for observer in observers]).decode()
                    )
                    _compare_public_events(game, board, options, state, other, action)
            compared += 1
            events = []
            game.apply(state, board, action, events)
    assert compared > 100


def _sent(game: Game[Any, Any], board: Any, state: Any, observer: int) -> list[Any]:
    legal = game.legal_actions(state, board) if state.pending is not None and state.pending.seat == observer else []
    return [game.view(state, board, observer), legal]


def _compare_public_events(game: Game[Any, Any], board: Any, options: Any, state: Any, other: Any, action: Any) -> None:
    event_lists: list[list[Any]] = [[], []]
    game.apply(state.copy(), board, action, event_lists[0])
    game.apply(other.copy(), board, action, event_lists[1])
    redacted = [[game.redact(event, PUBLIC, options) for event in events] for events in event_lists]
    if not any(type(event).__name__ == "Mixed" for event in event_lists[0]):
        assert redacted[0] == redacted[1]


# The Last Spike: hands, the mix, the piece set aside, and hidden cash

SETTINGS = [
    (players, Options(non_adjacent, cash))
    for players in LAST_SPIKE.players
    for non_adjacent in get_args(msgspec.structs.fields(Options)[0].type)
    for cash in get_args(msgspec.structs.fields(Options)[1].type)
    if len(some_seeds()) > 1 or players % 4 == 2 * (non_adjacent == "free_choice") + (cash == "hidden")
]
"""Pairs of number of players and options. `make soak` has all four combinations of options, other runs have one."""


@pytest.mark.parametrize(
    ("players", "options"), SETTINGS, ids=[f"{n}p-{options.non_adjacent}-{options.cash}" for n, options in SETTINGS]
)
def test_hidden_pieces_and_cash_do_not_change_what_a_seat_sees(players: int, options: Options) -> None:
    compared = 0
    for seed in some_seeds():
        chance = Chance(seed)
        state = LAST_SPIKE.setup(BOARD, players, options, seed, None)
        while state.pending is not None:
            action = chance.pick(LAST_SPIKE.legal_actions(state, BOARD))
            for observer in (*range(players), PUBLIC):
                compared += _compare(state, options, action, observer, chance)
            LAST_SPIKE.apply(state, BOARD, action, None)
    assert compared > 150


def _compare(state: State, options: Options, action: Any, observer: int, chance: Chance) -> bool:
    """Check that the seat `observer` cannot tell two positions apart, before and after `action`.

    The first position is `state`, with more cash for the other seats. The second is a copy of the first with other
    hidden pieces, made by `_twin`. Return True. If another seat is selling properties, check nothing and return False.
    """
    question = state.pending
    assert question is not None
    if isinstance(question, SellFor) and question.seat != observer:
        return False
    state = state.copy()
    others = [seat for seat in range(len(state.hands)) if seat != observer and state.solvent >> seat & 1]
    for seat in others:  # with much cash nobody else sells or goes bankrupt, which would depend on hidden pieces
        _give(state, seat, RICH)
    after, events = _after(state, action)
    twin = _twin(state, action, observer, events, chance)
    if options.cash == "hidden":
        for seat in others:
            _give(twin, seat, 1_000 * chance.below(80))
    assert LAST_SPIKE.view(twin, BOARD, observer) == LAST_SPIKE.view(state, BOARD, observer)
    if question.seat == observer:
        assert LAST_SPIKE.legal_actions(twin, BOARD) == LAST_SPIKE.legal_actions(state, BOARD)
    twin_after, twin_events = _after(twin, action)
    assert [LAST_SPIKE.redact(event, observer, options) for event in twin_events] == [
        LAST_SPIKE.redact(event, observer, options) for event in events
    ]
    if after.pending is not None:
        assert LAST_SPIKE.view(twin_after, BOARD, observer) == LAST_SPIKE.view(after, BOARD, observer)
    return True


def _after(state: State, action: Any) -> tuple[State, list[Any]]:
    after = state.copy()
    events: list[Any] = []
    LAST_SPIKE.apply(after, BOARD, action, events)
    return after, events


def _give(state: State, seat: int, amount: int) -> None:
    """Move `amount` dollars from the bank to `seat`."""
    state.money[seat] += amount
    state.money[-1] -= amount


def _twin(state: State, action: Any, observer: int, events: Sequence[Any], chance: Chance) -> State:
    """Return a copy of `state` in which everything that the seat `observer` cannot see is different.

    Hidden pieces and the random state are different. `action` must be legal in `state`, and is also legal in the copy.
    `events` are the events of `action` in `state`. Pieces that `observer` draws in `events` are also drawn in the copy.
    """
    assert state.pending is not None
    twin = state.copy()
    twin.luck = chance.below(2**62)
    played = BOARD.piece_number[action.piece] if isinstance(action, Play) else None
    drawn = [event for event in events if isinstance(event, Drew)]
    own = [BOARD.piece_number[str(event.piece)] for event in drawn if event.seat == observer]
    keeps: list[list[int]] = [[] for _ in state.hands]
    if played is not None and state.pending.seat != observer:
        keeps[state.pending.seat] = [played]
    aside = [state.aside] if state.aside >= 0 else []
    hidden = [piece for seat, hand in enumerate(state.hands) if seat != observer for piece in hand] + state.mix + aside
    hidden = chance.shuffled([piece for piece in hidden if piece != played and piece not in own])
    for seat, hand in enumerate(state.hands):
        if seat != observer:
            new = keeps[seat] + [hidden.pop() for _ in range(len(hand) - len(keeps[seat]))]
            twin.hands[seat] = sorted(new)
    if aside:
        twin.aside = hidden.pop()
    twin.mix = chance.shuffled(hidden + own)
    assert len(twin.mix) == len(state.mix)
    others = iter([piece for piece in twin.mix if piece not in own])
    twin.logged_draws = [
        BOARD.piece_number[str(event.piece)] if event.seat == observer else next(others) for event in drawn
    ]
    return twin


def test_compared_positions_differ_in_hidden_information() -> None:
    state = LAST_SPIKE.setup(BOARD, 2, Options(), 3, None)
    action = LAST_SPIKE.legal_actions(state, BOARD)[0]
    _, events = _after(state, action)
    twin = _twin(state, action, 0, events, Chance(1))
    assert twin.hands[0] == state.hands[0]
    assert twin.hands[1] != state.hands[1]
    assert (twin.aside, twin.luck) != (state.aside, state.luck)
    assert sorted([*twin.mix, *twin.hands[1], twin.aside]) == sorted([*state.mix, *state.hands[1], state.aside])


def _bankruptcy(cash: int, hand: Sequence[str], option: Any) -> tuple[State, list[Any]]:
    """Let seat 0 play A4, which makes seat 1 bankrupt. Return the state after the bankruptcy, and the events.

    Before that, seat 1 has `cash` dollars and the pieces `hand`. `option` is the value of the game option `cash`.
    """
    options = Options(cash=option)
    state = LAST_SPIKE.setup(BOARD, 3, options, 1, None)
    state.hands[1] = sorted(BOARD.piece_number[piece] for piece in hand)
    state.hands[0] = [BOARD.piece_number["A4"]]
    state.hands[2] = [BOARD.piece_number["C1"]]
    state.mix = [piece for piece in range(48) if all(piece not in hand for hand in state.hands)]
    state.logged_draws = [BOARD.piece_number["F1"]]
    _give(state, 1, cash - state.money[1])
    state.pending = type(state.pending)(0)  # type: ignore[misc, call-arg]
    derive(state, BOARD)
    return _after(state, Play("A4"))


@pytest.mark.parametrize("option", ["open", "hidden"])
def test_bankruptcy_shows_neither_hand_nor_hidden_cash(option: Any) -> None:
    options = Options(cash=option)
    first, events = _bankruptcy(2_000, ["W1", "V1", "Y4"], option)
    cash = 3_000 if option == "hidden" else 2_000
    second, other_events = _bankruptcy(cash, ["V4", "W2", "U4"], option)
    assert any(isinstance(event, WentBankrupt) for event in events)
    for observer in (0, 2, PUBLIC):
        assert [LAST_SPIKE.redact(event, observer, options) for event in events] == [
            LAST_SPIKE.redact(event, observer, options) for event in other_events
        ]
        assert LAST_SPIKE.view(first, BOARD, observer) == LAST_SPIKE.view(second, BOARD, observer)
    assert [LAST_SPIKE.redact(event, 1, options) for event in events if isinstance(event, WentBankrupt)] == [
        event for event in events if isinstance(event, WentBankrupt)
    ], "the bankrupt player sees the whole event"


def test_hidden_cash_is_not_shown_while_selling() -> None:
    """Only the seller sees how much cash is missing for the chosen piece."""
    state = LAST_SPIKE.setup(BOARD, 3, Options(cash="hidden"), 1, None)
    piece = state.hands[0][0]
    state.pending = SellFor(5_000, piece, 0)
    views = []
    for cash in (0, 3_000):
        _give(state, 0, cash - state.money[0])
        views.append([LAST_SPIKE.view(state, BOARD, observer) for observer in (1, 2, PUBLIC)])
        own = LAST_SPIKE.view(state, BOARD, 0).question
        assert own is not None
        assert own.short == 5_000 - cash
    assert views[0] == views[1]


def test_hidden_cash_is_not_shown_by_a_forced_pass() -> None:
    """Other seats cannot see whether a player chose to pass, or had to pass because the player could buy nothing."""
    options = Options(cash="hidden")
    for observer in (1, 2, PUBLIC):
        assert LAST_SPIKE.redact(Passed(0, forced=True), observer, options) == LAST_SPIKE.redact(
            Passed(0), observer, options
        )
    assert LAST_SPIKE.redact(Passed(0, forced=True), 0, options) == Passed(0, forced=True)


def test_request_numbers_do_not_show_a_forced_pass() -> None:
    """If a player could buy nothing, other seats cannot see this in the number of the next request.

    The rules then add a pass for the player. This forced pass uses up a request number, as a chosen pass does.
    """
    options = msgspec.convert({"cash": "hidden"}, LAST_SPIKE.options_type)
    plays = 0
    for seed in range(60):
        match = Match(LAST_SPIKE, BOARD, header_of(LAST_SPIKE, options, seed, [PlayerLine("a")] * 3))
        session = Session(match, [], MatchPolicy())
        chance = stream(seed)
        while match.seat is not None:
            before = session.number
            line = match.play(choose_busy(match.legal, chance))
            if match.seat is None or type(line.action) is not Play:
                continue
            passed = any(type(event) is Passed and event.forced for event in line.events)
            assert session.number - before == (2 if passed else 1)
            plays += passed
    assert plays


@pytest.mark.parametrize("seat", [None, 2, 99])
def test_a_drawn_piece_is_hidden_for_any_seat_in_the_event(seat: int | None) -> None:
    """The event of a drawn piece never shows the piece to a seat, even if the seat in the event is missing or invalid.

    A log from another program may contain such an event. Only a viewer of all hands sees the piece.
    """
    game = load_game("last_spike")
    drew = Drew(seat=seat, piece="any")
    assert game.redact(drew, 0, game.options_type()) == Drew(seat=seat, piece=None)
    assert game.redact(drew, ALL_SEATS, game.options_type()) is drew


# Checks of the conformance suite


def trial_of(**changes: Any) -> Trial:
    """Return The Last Spike as an input for the checks that every game must pass.

    `changes` replaces attributes of the game, to give it a fault.
    """
    trial = Trial(Setting("last_spike", 3, Options()), "busy", {}, Extras(), range(1), ())
    trial.game = replace(LAST_SPIKE, **changes)
    return trial


def test_a_view_that_shows_the_draws_of_others_is_found() -> None:
    hidden_draws_stay_hidden(trial_of())
    everything = trial_of(view=lambda state, board, observer: LAST_SPIKE.view(state, board, ALL_SEATS))
    with pytest.raises(Nonconformity, match=r"is told the same after two draws of Play\(.*, but its view\.players"):
        hidden_draws_stay_hidden(everything)


def test_numbers_that_show_the_hands_of_others_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(board: Board, players: int) -> Any:
        pack = NUMBERS.packer(board, players)

        def with_hands(state: State, seat: int, rows: Rows) -> None:
            pack(state, seat, rows)
            rows.numbers += [piece for hand in state.hands for piece in hand]

        return with_hands

    imagined_positions_have_the_same_view(trial_of())
    monkeypatch.setattr(checks, "load_numbers", lambda name: replace(NUMBERS, packer=leaky))
    with pytest.raises(Nonconformity, match="the numbers of an imagined position differ"):
        imagined_positions_have_the_same_view(trial_of())


def test_draws_that_are_missing_in_unforeseeable_are_found() -> None:
    unknown_results_are_unforeseeable(trial_of())
    with pytest.raises(Nonconformity, match=r"cannot know the events of Play\(.*unforeseeable has none of .*Drew"):
        unknown_results_are_unforeseeable(trial_of(unforeseeable=frozenset()))
