"""The suite that every game must pass, over all player counts, options, policies and many seeds."""

import copy
import pickle
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import msgspec
import pytest

from protocol.common import Bid, BidRange
from protocol.log import PlayerLine
from rails_cli.games.game import ALL_SEATS, PUBLIC, IllegalAction, bare, check, digest, play
from rails_cli.match.match import Match, header_of
from tests.support.positions import Setting, Step, all_settings, audit_of, walk

SETTINGS = all_settings()
POLICY_NAMES = ("random", "busy")
LONGEST = 5_000

every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_policy = pytest.mark.parametrize("policy", POLICY_NAMES)


@every_policy
@every_setting
def test_every_position_adds_up(setting: Setting, policy: str) -> None:
    """Money, shares, pieces and properties are conserved, incomes equal a recomputation, networks are connected."""
    audit = audit_of(setting.name).audit
    for seed in range(6):
        state = setting.start(seed)
        for count, step in enumerate(walk(setting, seed, policy, state)):
            audit(step.state, setting.board)
            assert count < LONGEST, f"seed {seed}: the game does not end"
        audit(state, setting.board)
        assert setting.game.legal_actions(state, setting.board) == []
        assert setting.game.end_reasons(state, setting.board)


@every_policy
@every_setting
def test_every_game_ends_with_a_ranking(setting: Setting, policy: str) -> None:
    game = setting.game
    for seed in range(100, 116):
        state = setting.start(seed)
        for _ in walk(setting, seed, policy, state):
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
            if scores[a] == scores[b] and setting.name != "last_spike":  # there, properties break ties (LS-31)
                assert ranks[a] == ranks[b], f"seed {seed}: {scores} are ranked {ranks}"
        for bankrupt in set(range(setting.players)).difference(solvent):
            assert all(ranks[seat] < ranks[bankrupt] for seat in solvent), f"seed {seed}: {ranks}"
        assert setting.game.figures(state, setting.board)["cash"] == scores


def _is_bankrupt(setting: Setting, state: Any, seat: int) -> bool:
    return setting.name == "last_spike" and not state.solvent >> seat & 1


@every_policy
@every_setting
def test_legal_lists_are_complete_and_playable(setting: Setting, policy: str) -> None:
    """Never empty before the end, free of duplicates, and everything in them can be played, bids at both ends."""
    game, board = setting.game, setting.board
    for step in _sampled(setting, policy, seeds=range(2), every=3):
        assert step.legal
        listed = [msgspec.json.encode(entry) for entry in step.legal]
        assert len(set(listed)) == len(listed)
        before = game.dump(step.state)
        for action in _playable(step.legal):
            after = play(game, board, step.state, step.seat, action)
            assert game.dump(after) != before, f"{action} changed nothing"
        assert game.dump(step.state) == before, "play changed its input"


def _playable(legal: list[Any]) -> Iterator[Any]:
    for entry in legal:
        if type(entry) is BidRange:
            assert entry.min <= entry.max
            yield Bid(entry.min)
            yield Bid(entry.max)
        else:
            yield entry
            if bare(entry) != entry:
                yield bare(entry)


@every_policy
@every_setting
def test_near_misses_are_refused(setting: Setting, policy: str) -> None:
    """What is almost legal is refused, and the state is untouched."""
    game, board = setting.game, setting.board
    near_misses = audit_of(setting.name).near_misses
    seen = 0
    for step in _sampled(setting, policy, seeds=range(2), every=12):
        before = game.dump(step.state)
        for seat, action in near_misses(step.state, board):
            with pytest.raises(IllegalAction) as refusal:
                check(game, board, step.state, seat, action)
            assert str(refusal.value)
            with pytest.raises(IllegalAction):
                play(game, board, step.state, seat, action)
            seen += 1
        assert game.dump(step.state) == before
    assert seen > 100


@every_setting
def test_nothing_is_possible_after_the_end(setting: Setting) -> None:
    game, board = setting.game, setting.board
    state = setting.start(1)
    actions = [step.action for step in walk(setting, 1, "busy", state)]
    before = game.dump(state)
    for action in actions[-20:]:
        for seat in range(setting.players):
            with pytest.raises(IllegalAction, match="has ended"):
                play(game, board, state, seat, action)
    assert game.dump(state) == before


@every_policy
@every_setting
def test_copy_and_json_round_trip(setting: Setting, policy: str) -> None:
    """A copy and a state read back from JSON go their own way, and the same way as the original."""
    game, board = setting.game, setting.board
    for seed in range(2):
        for count, step in enumerate(walk(setting, seed, policy)):
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


@every_setting
def test_a_position_and_its_board_go_to_other_processes(setting: Setting) -> None:
    """As a search with many processes sends them: what was pickled, or copied deeply, plays on as the original."""
    game, board = setting.game, setting.board
    for step in _sampled(setting, "busy", seeds=range(1), every=40):
        sent = pickle.loads(pickle.dumps((step.state, board)))
        copied = copy.deepcopy((step.state, board))
        after = step.state.copy()
        game.apply(after, board, step.action, None)
        for state, its_board in (sent, copied):
            assert game.legal_actions(state, its_board) == step.legal
            game.apply(state, its_board, step.action, None)
            assert game.dump(state) == game.dump(after)
            assert game.wire_board(its_board) == game.wire_board(board)


@every_setting
def test_dump_is_json_with_sorted_keys(setting: Setting) -> None:
    game = setting.game
    for step in _sampled(setting, "busy", seeds=range(1), every=20):
        dumped = game.dump(step.state)
        assert dumped == msgspec.json.Encoder(order="sorted").encode(msgspec.json.decode(dumped))


@every_setting
def test_events_make_no_difference(setting: Setting) -> None:
    """Whether somebody listens or not, the same position follows; and every action is told."""
    game, board = setting.game, setting.board
    for step in _sampled(setting, "busy", seeds=range(2), every=4):
        told, silent = step.state.copy(), step.state.copy()
        events: list[Any] = []
        game.apply(told, board, step.action, events)
        game.apply(silent, board, step.action, None)
        assert game.dump(told) == game.dump(silent)
        assert events
        assert msgspec.convert(msgspec.to_builtins(events), list[game.event_type]) == events  # type: ignore[name-defined]


@every_setting
def test_the_seed_decides(setting: Setting) -> None:
    games = [
        [setting.game.dump(step.state) for step in _sampled(setting, "random", seeds=[seed], every=1)]
        for seed in (5, 5, 6)
    ]
    assert games[0] == games[1]
    assert games[0] != games[2]


@every_setting
def test_views_can_be_read_back(setting: Setting) -> None:
    """A view survives the wire, and shows the same numbers as the state."""
    game, board = setting.game, setting.board
    for step in _sampled(setting, "busy", seeds=range(2), every=10):
        for seer in (*range(setting.players), PUBLIC, ALL_SEATS):
            view = game.view(step.state, board, seer)
            assert msgspec.json.decode(msgspec.json.encode(view), type=game.view_type) == view
            assert msgspec.json.encode(game.wire_view(step.state, board, seer)) == msgspec.json.encode(view)
            assert view.seat == (seer if seer >= 0 else None)


@every_setting
def test_events_written_once_are_what_each_seat_may_see(setting: Setting) -> None:
    """As a request tells them, and as `redact` has it; for some who are asked often, late, or from the start."""
    players = [PlayerLine(f"seat {seat}", "player") for seat in range(setting.players)]
    match = Match(setting.game, setting.board, header_of(setting.game, setting.options, 5, players))
    seen = [0] * setting.players
    while match.seat is not None:
        match.submit(match.seat, match.chosen(match.number * 7919 % len(match.legal)))
        for seat in range(setting.players):
            if match.seat is None or match.number % (1 + 5 * seat) == 0:
                since = 0 if match.number % 97 == 0 else seen[seat]
                told = msgspec.json.encode(match.wire_events_for(seat, since))
                assert told == msgspec.json.encode(match.events_for(seat, since))
                seen[seat] = len(match.history)


def _sampled(setting: Setting, policy: str, seeds: Any, every: int) -> Iterator[Step]:
    for seed in seeds:
        for count, step in enumerate(walk(setting, seed, policy)):
            if count % every == 0:
                yield step
