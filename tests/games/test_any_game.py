"""Tests that every game must pass, for all player counts, options, policies and many seeds."""

import copy
import pickle
from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any, get_args

import msgspec
import pytest

from rails_cli.games import GAME_NAMES, load_face, load_game, standard_board
from rails_cli.games.game import (
    ALL_SEATS,
    PUBLIC,
    IllegalAction,
    changed_options,
    check,
    digest,
    play,
    without_info_fields,
)
from rails_cli.games.moves import action_of, number_of
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match, header_of
from rails_cli.players.chance import POLICIES
from rails_cli.protocol.common import Bid, BidRange
from rails_cli.protocol.log import PlayerLine
from tests.support.positions import (
    Setting,
    Step,
    all_settings,
    audit_of,
    policies_of,
    selection_number,
    some_seeds,
    walk,
)

SETTINGS = all_settings()
RANDOM_POLICIES = tuple(POLICIES)


def _is_played(number: int, setting: Setting, policy: str) -> bool:
    """Return whether `policy` plays games with `setting`, which has the index `number`.

    Only random policies are fast enough for all settings.
    """
    if policy not in POLICIES:
        return number % 3 == 0
    return len(some_seeds()) > 1 or RANDOM_POLICIES.index(policy) == selection_number(setting) % len(RANDOM_POLICIES)


CASES = [
    (setting, policy)
    for number, setting in enumerate(SETTINGS)
    for policy in policies_of(setting.name)
    if _is_played(number, setting, policy)
]
"""Pairs of a setting and a policy that plays games with this setting.

A policy chooses the moves of all seats. Each setting is played by one of the random policies, or by all of them in
`make soak`. The other policies are slower and play every third setting.
"""
MAX_ACTIONS = 5_000
MAX_SEEDS = 30

every_game = pytest.mark.parametrize("name", GAME_NAMES)
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_policy = pytest.mark.parametrize(("setting", "policy"), CASES, ids=str)


RECORDED_ACTIONS: dict[tuple[str, int, str], list[Any]] = {}
"""Actions of games already played, by setting, seed and policy. Repeating them is faster than choosing them again."""


def recorded_walk(setting: Setting, seed: int, policy: str, state: Any = None) -> Iterator[Step]:
    """Yield the steps of a game as `walk` does, from `state` if given. Repeat the recorded actions if there are any."""
    game, board = setting.game, setting.board
    actions_before = RECORDED_ACTIONS.get((repr(setting), seed, policy))
    if actions_before is None:
        actions: list[Any] = []
        for step in walk(setting, seed, policy, state):
            actions.append(step.action)
            yield step
        RECORDED_ACTIONS[repr(setting), seed, policy] = actions
        return
    state = setting.start(seed) if state is None else state
    for action in actions_before:
        yield Step(state, game.legal_actions(state, board), state.pending.seat, action)
        game.apply(state, board, action, None)


def settings_of(name: str) -> list[Setting]:
    return [setting for setting in SETTINGS if setting.name == name]


@every_policy
def test_every_position_is_consistent(setting: Setting, policy: str) -> None:
    """Money, shares, pieces and properties are conserved. Incomes equal newly computed ones. Networks are connected."""
    audit = audit_of(setting.name).audit
    for seed in some_seeds():
        state = setting.start(seed)
        for count, step in enumerate(recorded_walk(setting, seed, policy, state)):
            audit(step.state, setting.board)
            assert count < MAX_ACTIONS, f"seed {seed}: the game does not end"
        audit(state, setting.board)
        assert setting.game.legal_actions(state, setting.board) == []
        assert setting.game.end_reasons(state, setting.board)


@every_policy
def test_flows_of_events_account_for_all_cash(setting: Setting, policy: str) -> None:
    """The function `flows` lists the payments in an event. Starting cash plus all payments is the cash of each seat."""
    face, players = load_face(setting.name), [PlayerLine(f"seat {seat}", "-") for seat in range(setting.players)]
    match = Match(setting.game, setting.board, header_of(setting.game, setting.options, 0, players))
    cash = face.scores(match.view_for(ALL_SEATS))
    for step in recorded_walk(setting, 0, policy):
        line = match.submit(step.seat, step.action)
        for flow in (flow for event in line.events for flow in face.flows(event)):
            cash[flow.seat] = (cash[flow.seat] or 0) + flow.amount
        assert cash == face.scores(match.view_for(ALL_SEATS))
    assert match.seat is None


@every_policy
def test_final_ranks_agree_with_scores(setting: Setting, policy: str) -> None:
    game = setting.game
    for seed in range(4 if policy in POLICIES else 1):  # the other policies are slow
        state = setting.start(seed)
        for _ in recorded_walk(setting, seed, policy, state):
            pass
        scores, ranks = game.scores(state), game.ranks(state, setting.board)
        assert len(scores) == len(ranks) == setting.players
        assert min(ranks) == 1
        solvent = [seat for seat in range(setting.players) if not _is_bankrupt(setting, state, seat)]
        for a, b in permutations(solvent, 2):
            if scores[a] > scores[b]:
                assert ranks[a] < ranks[b], f"seed {seed}: {scores} are ranked {ranks}"
            if ranks[a] == ranks[b]:
                assert scores[a] == scores[b], f"seed {seed}: {scores} are ranked {ranks}"
            if scores[a] == scores[b] and setting.name != "last_spike":  # properties break ties (LS-31)
                assert ranks[a] == ranks[b], f"seed {seed}: {scores} are ranked {ranks}"
        for bankrupt in set(range(setting.players)).difference(solvent):
            assert all(ranks[seat] < ranks[bankrupt] for seat in solvent), f"seed {seed}: {ranks}"
        assert setting.game.figures(state, setting.board)["cash"] == scores


def _is_bankrupt(setting: Setting, state: Any, seat: int) -> bool:
    return setting.name == "last_spike" and not state.solvent >> seat & 1


@every_policy
def test_legal_lists_are_complete_and_playable(setting: Setting, policy: str) -> None:
    """Legal lists are not empty before the end of the game and have no duplicates.

    Every entry can be played. Of a range of bids, the lowest and the highest are played.
    """
    game, board = setting.game, setting.board
    for step in _sampled(setting, policy, seeds=some_seeds(), every=5):
        assert step.legal
        listed = [msgspec.json.encode(entry) for entry in step.legal]
        assert len(set(listed)) == len(listed)
        before = game.dump(step.state)
        for action in _playable(step.legal):
            after = play(game, board, step.state, step.seat, action)
            assert game.dump(after) != before, f"{action} changed nothing"
        assert game.dump(step.state) == before, "play changed its input"


def _playable(legal: list[Any]) -> Iterator[Any]:
    """Yield the actions of a legal list: each entry with and without its cost, and the limits of a range of bids."""
    for entry in legal:
        if type(entry) is BidRange:
            assert entry.min <= entry.max
            yield Bid(entry.min)
            yield Bid(entry.max)
        else:
            yield entry
            if without_info_fields(entry) != entry:
                yield without_info_fields(entry)


@every_policy
def test_almost_legal_actions_are_refused(setting: Setting, policy: str) -> None:
    game, board = setting.game, setting.board
    near_misses = audit_of(setting.name).near_misses
    seen = 0
    for seed in some_seeds(2):
        if seen > 100 and seed not in some_seeds():
            break  # a second game is needed only if the first was short
        for step in _sampled(setting, policy, seeds=[seed], every=20):
            before = game.dump(step.state)
            for seat, action in near_misses(step.state, board):
                function: Callable[..., Any] = play if seen % 4 else check
                assert _is_refused(function, game, board, step.state, seat, action), (
                    f"{action} by seat {seat} was accepted"
                )
                seen += 1
            assert game.dump(step.state) == before
    assert seen > 100


def _is_refused(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return whether `function` raises `IllegalAction` with a message. Using `pytest.raises` would be much slower."""
    try:
        function(*arguments)
    except IllegalAction as refusal:
        return bool(str(refusal))
    return False


@every_game
def test_no_action_is_accepted_after_the_end(name: str) -> None:
    for setting in settings_of(name):
        game, board = setting.game, setting.board
        state = setting.start(1)
        actions = [step.action for step in walk(setting, 1, "busy", state)]
        before = game.dump(state)
        for action in actions[-20:]:
            for seat in range(setting.players):
                with pytest.raises(IllegalAction, match="has ended"):
                    play(game, board, state, seat, action)
        assert game.dump(state) == before, setting


@every_policy
def test_copy_and_json_round_trip(setting: Setting, policy: str) -> None:
    """A copy of a state and a state loaded from JSON share no data with the original.

    An action leads to the same position in the copy and in the loaded state.
    """
    game, board = setting.game, setting.board
    for seed in some_seeds():
        for count, step in enumerate(recorded_walk(setting, seed, policy)):
            if count % 7:
                continue
            before = game.dump(step.state)
            copied, loaded = step.state.copy(), game.load(before, board)
            assert game.dump(copied) == game.dump(loaded) == before
            assert game.legal_actions(loaded, board) == step.legal
            events: list[list[Any]] = [[], []]
            game.apply(copied, board, step.action, events[0])
            game.apply(loaded, board, step.action, events[1])
            assert game.dump(step.state) == before, "a copy shares something with its original"
            assert game.dump(copied) == game.dump(loaded) != before
            assert events[0] == events[1]
            assert digest(game, copied) == digest(game, loaded) != digest(game, step.state)


@every_game
def test_a_position_and_its_board_can_be_sent_to_other_processes(name: str) -> None:
    """Pickled and deeply copied positions and boards, as parallel searches send them, continue like the original."""
    game, board = load_game(name), standard_board(name)
    others = (pickle.loads(pickle.dumps(board)), copy.deepcopy(board))
    assert [game.wire_board(other) for other in others] == [game.wire_board(board)] * 2
    for setting in settings_of(name):
        for step in _sampled(setting, "busy", seeds=range(1), every=150):
            sent, copied = pickle.loads(pickle.dumps(step.state)), copy.deepcopy(step.state)
            after = step.state.copy()
            game.apply(after, board, step.action, None)
            for state, its_board in zip((sent, copied), others, strict=True):
                assert game.legal_actions(state, its_board) == step.legal, setting
                game.apply(state, its_board, step.action, None)
                assert game.dump(state) == game.dump(after), setting


@every_game
def test_the_policies_produce_every_event_type(name: str) -> None:
    """The policies together produce every event type of a game, so that their games test all rules."""
    expected = set(get_args(load_game(name).event_type))
    seen: set[type] = set()
    for seed, policy in product(range(MAX_SEEDS), policies_of(name)):
        for setting in settings_of(name):
            seen.update(map(type, _events(setting, seed, policy)))
            if seen == expected:
                return
    assert {kind.__name__ for kind in expected - seen} == set()


def _events(setting: Setting, seed: int, policy: str) -> list[Any]:
    events: list[Any] = []
    state = setting.start(seed, events)
    for step in walk(setting, seed, policy, state):
        setting.game.apply(step.state.copy(), setting.board, step.action, events)
    return events


@every_game
def test_a_position_stores_only_options_that_are_not_default(name: str) -> None:
    """A new option must not change the digests of existing logs."""
    for setting in settings_of(name):
        changed = {
            option: value
            for option, value in msgspec.to_builtins(setting.options).items()
            if value != getattr(setting.game.options_type(), option)
        }
        state = setting.start(3)
        dumped = msgspec.json.decode(setting.game.dump(state))
        assert ("options" in dumped) == bool(changed), setting
        assert dumped.pop("options", {}) == changed, setting
        assert setting.game.load(setting.game.dump(state), setting.board).options == setting.options


@every_game
def test_a_log_without_an_option_has_its_default(name: str) -> None:
    for setting in settings_of(name):
        players = [PlayerLine(f"seat {seat}", "player") for seat in range(setting.players)]
        header = header_of(setting.game, setting.options, 5, players)
        match = Match(setting.game, setting.board, header)
        short = msgspec.structs.replace(header, options=changed_options(setting.options))
        assert Match(setting.game, setting.board, short).setup_line == match.setup_line, setting


@every_game
def test_dump_is_json_with_sorted_keys(name: str) -> None:
    for setting in settings_of(name):
        for step in _sampled(setting, "busy", seeds=range(1), every=20):
            dumped = setting.game.dump(step.state)
            assert dumped == msgspec.json.Encoder(order="sorted").encode(msgspec.json.decode(dumped)), setting


@every_setting
def test_recording_events_does_not_change_the_position(setting: Setting) -> None:
    """An action leads to the same position with and without an event list. Every action has at least one event."""
    game, board = setting.game, setting.board
    for step in _sampled(setting, "busy", seeds=some_seeds(), every=4):
        with_events, without_events = step.state.copy(), step.state.copy()
        events: list[Any] = []
        game.apply(with_events, board, step.action, events)
        game.apply(without_events, board, step.action, None)
        assert game.dump(with_events) == game.dump(without_events)
        assert events
        assert msgspec.convert(msgspec.to_builtins(events), list[game.event_type]) == events  # type: ignore[name-defined]


@every_game
def test_a_game_depends_on_its_seed(name: str) -> None:
    for setting in settings_of(name):
        games = [[setting.game.dump(step.state) for step in walk(setting, seed, "random")] for seed in (5, 5, 6)]
        assert games[0] == games[1], setting
        assert games[0] != games[2], setting


@every_setting
def test_views_are_unchanged_by_json(setting: Setting) -> None:
    game, board = setting.game, setting.board
    for step in _sampled(setting, "busy", seeds=some_seeds(), every=10):
        for seer in (*range(setting.players), PUBLIC, ALL_SEATS):
            view = game.view(step.state, board, seer)
            assert msgspec.json.decode(msgspec.json.encode(view), type=game.view_type) == view
            assert view.seat == (seer if seer >= 0 else None)


@every_setting
def test_a_seat_receives_redacted_events_from_any_event_on(setting: Setting) -> None:
    players = [PlayerLine(f"seat {seat}", "player") for seat in range(setting.players)]
    match = Match(setting.game, setting.board, header_of(setting.game, setting.options, 5, players))
    seen = [0] * setting.players
    while match.seat is not None:
        match.submit(match.seat, match.chosen(match.number * 7919 % len(match.legal)))
        for seat in range(setting.players):
            if match.seat is None or match.number % (1 + 5 * seat) == 0:
                since = 0 if match.number % 97 == 0 else seen[seat]
                redacted = [setting.game.redact(event, seat, setting.options) for event in match.history[since:]]
                assert match.events_for(seat, since) == redacted
                seen[seat] = len(match.history)


@every_game
def test_move_numbers_and_actions_correspond(name: str) -> None:
    """Every action has a move number, and every move number one action.

    Bids have the highest numbers. A copy of the board has the same numbers.
    """
    game, board = load_game(name), standard_board(name)
    moves, again = game.moves, pickle.loads(pickle.dumps(board))
    listed = list(moves.actions(board))
    assert listed == list(moves.actions(again))
    assert listed == [without_info_fields(action) for action in listed]
    assert msgspec.convert(msgspec.to_builtins(listed), list[game.action_type]) == listed  # type: ignore[name-defined]
    numbered = [*listed, *map(Bid, range(50))]
    assert [number_of(moves, board, action) for action in numbered] == list(range(len(numbered)))
    assert [action_of(moves, again, number) for number in range(len(numbered))] == numbered


@every_setting
def test_numbered_moves_are_equivalent_to_actions(setting: Setting) -> None:
    """Legal move numbers have the order of the legal list. Playing a number has the same effect as its action."""
    game, board, moves = setting.game, setting.board, setting.game.moves
    in_numbers, last = setting.start(2), setting.start(2)
    for step in walk(setting, 2, "random", last):
        assert moves.legal(in_numbers, board) == moves.legal(step.state, board) == _numbers(setting, step.legal)
        assert game.dump(in_numbers) == game.dump(step.state)
        moves.apply(in_numbers, board, number_of(moves, board, step.action))
    assert game.dump(in_numbers) == game.dump(last)
    assert moves.legal(in_numbers, board) == []


def _numbers(setting: Setting, legal: list[Any]) -> list[int]:
    """Return the numbers of all actions in a legal list. A range of bids gives a number for each amount."""
    numbers: list[int] = []
    for entry in legal:
        bids = map(Bid, range(entry.min, entry.max + 1)) if type(entry) is BidRange else ()
        numbers += [number_of(setting.game.moves, setting.board, action) for action in bids or (entry,)]
    return numbers


@every_setting
def test_playouts_with_numbered_moves_end(setting: Setting) -> None:
    """A game of random moves ends, and its positions are consistent. A move in a copy does not change the position."""
    game, board, moves = setting.game, setting.board, setting.game.moves
    audit, chance = audit_of(setting.name).audit, stream(str(setting))
    state = setting.start(4)
    for count in range(MAX_ACTIONS):
        legal = moves.legal(state, board)
        if not legal:
            break
        if count % 20 == 0:
            before = game.dump(state)
            for number in (legal[0], legal[-1]):
                after = state.copy()
                moves.apply(after, board, number)
                audit(after, board)
            assert game.dump(state) == before
        moves.apply(state, board, legal[int(chance() * len(legal))])
    assert game.end_reasons(state, board)


@every_setting
def test_an_imagined_position_looks_like_the_real_one(setting: Setting) -> None:
    """`imagine` returns a random position that agrees with a seat's view. This seat has the same view of the position.

    In a game without hidden information, the position equals the real position. It depends only on the seed and the
    view, and the view may have been decoded from JSON.
    """
    game, board = setting.game, setting.board
    audit = audit_of(setting.name).audit
    drawn: set[bytes] = set()
    taken = 0
    for step in _sampled(setting, "busy", seeds=range(1), every=29):
        for seat in range(setting.players):
            view = game.view(step.state, board, seat)
            wire = msgspec.json.decode(msgspec.json.encode(view), type=game.view_type)
            imagined, other = game.imagine(view, board, 1), game.imagine(wire, board, 2)
            for position in (imagined, other):
                audit(position, board)
                assert game.view(position, board, seat) == view
            if seat == step.seat:
                assert game.legal_actions(imagined, board) == step.legal
                assert game.moves.legal(other, board) == game.moves.legal(step.state, board)
            if not game.has_secrets:
                assert game.dump(imagined) == game.dump(other) == game.dump(step.state)
            assert game.dump(game.imagine(game.view(other, board, seat), board, 1)) == game.dump(imagined)
            drawn.update((game.dump(imagined), game.dump(other)))
        taken += 1
    assert len(drawn) > taken if game.has_secrets else drawn


@every_setting
def test_an_imagined_position_can_be_played_to_the_end(setting: Setting) -> None:
    game, board, moves = setting.game, setting.board, setting.game.moves
    chance = stream(str(setting))
    for step in _sampled(setting, "random", seeds=[6], every=90):
        state = game.imagine(game.view(step.state, board, step.seat), board, "played on")
        while legal := moves.legal(state, board):
            moves.apply(state, board, legal[int(chance() * len(legal))])
        assert game.end_reasons(state, board)


def _sampled(setting: Setting, policy: str, seeds: Any, every: int) -> Iterator[Step]:
    """Yield one of every `every` steps of games with `setting` and `policy`, one game for each of `seeds`."""
    for seed in seeds:
        for count, step in enumerate(recorded_walk(setting, seed, policy)):
            if count % every == 0:
                yield step
