"""The checks of the conformance suite. The first line of each check's docstring is the description that users see."""

import copy
import pickle
import re
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any, Literal, NamedTuple

import msgspec

from rails_cli.basics.schemas import game_schema
from rails_cli.conformance.repeating import FEW_HASH_SEEDS, HASH_SEEDS, other_processes
from rails_cli.conformance.settings import MAX_ACTIONS, PlayedStep
from rails_cli.conformance.trial import Nonconformity, Trial, first_difference, playable, refuses, require
from rails_cli.games import load_face, load_numbers
from rails_cli.games.decision import LocalLookahead, decision_at
from rails_cli.games.faces.choices import choices_of
from rails_cli.games.game import (
    ALL_SEATS,
    PUBLIC,
    changed_options,
    check,
    digest,
    entry_phrase,
    play,
    without_info_fields,
)
from rails_cli.games.moves import action_of, number_of
from rails_cli.games.numbers import Rows
from rails_cli.games.plain import union_members
from rails_cli.games.shared.luck import stream
from rails_cli.match.match import Match
from rails_cli.players.chance import POLICIES
from rails_cli.protocol.common import Bid, BidRange

MAX_SEEDS = 30
"""Maximum number of seeds with which games are played until every event has occurred."""
ACTIONS_TRIED = 40
"""Maximum number of legal actions that a check tries in one position. Twice as many illegal actions may be tried."""
ENOUGH_REFUSALS = 100
"""Number of refused actions after which a second game is not needed."""
IMAGINED = 4
"""Number of positions that `imagine` builds from a view. A check compares what an action does in each of them."""
_encode_sorted = msgspec.json.Encoder(order="sorted").encode
Scope = Literal["policy", "setting", "settings", "game"]
"""What one run of a check covers: one setting with one policy, one setting, all settings, or the game with any setting.

A setting is a game, a player count and options. A policy chooses the moves of all seats.
"""


class ConformanceCheck(NamedTuple):
    """One check of the suite: its function, name, description for users, and scope (what one run of it covers)."""

    name: str
    description: str
    scope: Scope
    run: Callable[[Trial], None]


CHECKS: list[ConformanceCheck] = []


def checks(scope: Scope) -> Callable[[Callable[[Trial], None]], Callable[[Trial], None]]:
    """Return a decorator that adds a function to CHECKS. `scope` says what one run of the function covers."""

    def add(run: Callable[[Trial], None]) -> Callable[[Trial], None]:
        CHECKS.append(ConformanceCheck(run.__name__, (run.__doc__ or "").partition("\n")[0], scope, run))
        return run

    return add


# Rules


@checks("policy")
def every_game_ends(trial: Trial) -> None:
    """Every game ends, and all its positions are consistent."""
    game, board = trial.game, trial.board
    for seed in trial.seeds:
        state = trial.start(seed)
        for step in trial.walk(seed, state=state):
            trial.audit(step.state)
        trial.audit(state)
        require(game.legal_actions(state, board) == [], "the game has ended, but actions are legal")
        require(game.end_reasons(state, board), "the game has ended, but end_reasons is empty")


@checks("policy")
def ranks_agree_with_scores(trial: Trial) -> None:
    """The seat with the highest score wins, and seats of equal rank have equal scores."""
    game, players = trial.game, trial.setting.players
    for seed in range(4 if trial.policy in POLICIES else 1):  # the other policies are slow
        state = trial.start(seed)
        for _ in trial.walk(seed, state=state):
            pass
        scores, ranks = game.scores(state), game.ranks(state, trial.board)
        require(len(scores) == len(ranks) == players, f"{players} seats have the scores {scores} and ranks {ranks}")
        require({*map(type, (*scores, *ranks))} == {int}, f"scores or ranks are not whole numbers: {scores}, {ranks}")
        require(min(ranks) == 1, f"nobody has rank 1 in {ranks}")
        for a, b in permutations(range(players), 2):
            is_right = ranks[a] < ranks[b] if scores[a] > scores[b] else ranks[a] != ranks[b] or scores[a] == scores[b]
            require(is_right, f"the scores {scores} have the ranks {ranks}")
        if trial.extras.audit_ranks is not None:
            trial.extras.audit_ranks(state, scores, ranks)
        cash = game.figures(state, trial.board).get("cash")
        require(cash == scores, f'figures["cash"] is {cash}, expected the scores {scores}')


@checks("policy")
def legal_actions_can_be_played(trial: Trial) -> None:
    """Every legal action can be played, has an effect, and is listed once."""
    game, board = trial.game, trial.board
    for step in trial.sampled(trial.seeds, 5):
        listed = [msgspec.json.encode(entry) for entry in step.legal]
        require(len(set(listed)) == len(listed), f"the legal list has an entry twice: {step.legal}")
        before = game.dump(step.state)
        for entry in playable(step.legal):
            for action in (entry, *([] if without_info_fields(entry) == entry else [without_info_fields(entry)])):
                after = play(game, board, step.state, step.seat, action)
                require(game.dump(after) != before, f"{action} changes nothing in the dump of the position")
        require(game.dump(step.state) == before, "an action in a copy has changed the original; see State.copy")


@checks("policy")
def other_actions_are_refused(trial: Trial) -> None:
    """Actions that are not legal, and actions of other seats, are refused."""
    game, board = trial.game, trial.board
    near_misses = trial.extras.near_misses
    seen = 0
    for seed in range(max(2, len(trial.seeds))):
        if seen > ENOUGH_REFUSALS and seed not in trial.seeds:
            break  # a second game is needed only if the first was short
        for step in trial.sampled([seed], 20):
            before = game.dump(step.state)
            wrong = near_misses(step.state, board) if near_misses else _near_misses(trial, step.state, step.legal)
            for seat, action in wrong:
                function: Callable[..., Any] = play if seen % 4 else check
                is_refused = refuses(function, game, board, step.state, seat, action)
                require(is_refused, f"{entry_phrase(action)} by seat {seat + 1} is accepted")
                seen += 1
            require(game.dump(step.state) == before, "a refused action has changed the position")
    require(seen > (0 if near_misses is None else ENOUGH_REFUSALS), f"only {seen} wrong actions were tried")


def _near_misses(trial: Trial, state: Any, legal: list[Any]) -> Iterator[tuple[int, Any]]:
    """Yield pairs of a seat and an action that must be refused in `state`. `legal` is the list of legal actions."""
    game, board = trial.game, trial.board
    seat = state.pending.seat
    right = Bid(legal[0].min) if type(legal[0]) is BidRange else legal[0]
    for other in range(-1, trial.setting.players + 1):
        if other != seat:
            yield other, right
    possible = {msgspec.json.encode(without_info_fields(entry)) for entry in legal}
    wrong = [action for action in game.moves.actions(board) if msgspec.json.encode(action) not in possible]
    for action in wrong[:: max(1, len(wrong) // ACTIONS_TRIED)]:
        yield seat, action
    bids = next((entry for entry in legal if type(entry) is BidRange), None)
    if bids is not None:
        yield seat, Bid(bids.min - 1)
        yield seat, Bid(bids.max + 1)
    elif Bid in union_members(game.action_type):
        yield seat, Bid(1)


@checks("settings")
def nothing_is_accepted_after_the_end(trial: Trial) -> None:
    """No action is accepted after the end."""
    game, board = trial.game, trial.board
    state = trial.start(1)
    actions = [step.action for step in trial.walk(1, "busy", state)]
    before = game.dump(state)
    for action in actions[-20:]:
        for seat in range(trial.setting.players):
            require(refuses(play, game, board, state, seat, action), f"{action} is accepted after the end")
    require(game.dump(state) == before, "a refused action has changed the position")


@checks("settings")
def the_seed_decides_the_game(trial: Trial) -> None:
    """The same seed and actions give the same game, and another seed gives another game."""
    games = [[trial.game.dump(step.state) for step in trial.walk(seed, "random")] for seed in (5, 5)]
    again = [trial.game.dump(trial.start(5))]
    state = trial.start(5)
    for action in [step.action for step in trial.walk(5, "random")]:
        trial.game.apply(state, trial.board, action, None)
        again.append(trial.game.dump(state))
    require(games[0] == games[1] == again[:-1], "two games with the same seed and actions differ")
    other = [trial.game.dump(step.state) for step in trial.walk(6, "random")]
    require(games[0] != other, "games with the seeds 5 and 6 are equal")


@checks("game")
def other_processes_play_the_same_game(trial: Trial) -> None:
    """Processes with other hash seeds play the same game. A loop over a set of texts can violate this rule."""
    played = set()
    for done in other_processes(trial.setting.name, HASH_SEEDS if len(trial.seeds) > 1 else FEW_HASH_SEEDS):
        require(done.returncode == 0, f"another process cannot play the game: {done.stderr[-300:]}")
        played.add(done.stdout)
    require(len(played) == 1, "another process plays another game with the same seed")


@checks("game")
def every_event_occurs(trial: Trial) -> None:
    """The policies together produce every type of event, so that their games test all rules."""
    expected = set(union_members(trial.game.event_type))
    seen: set[type] = set()
    for seed in range(MAX_SEEDS):
        for policy in (*POLICIES, *trial.players):
            for setting in trial.all_settings:
                trial.setting = setting
                events: list[Any] = []
                state = trial.start(seed, events)
                for step in trial.walk(seed, policy, state):
                    trial.game.apply(step.state.copy(), trial.board, step.action, events)
                seen.update(map(type, events))
                if seen == expected:
                    return
    names = ", ".join(sorted(kind.__name__ for kind in expected - seen))
    more = ", ".join(sorted(kind.__name__ for kind in seen - expected))
    require(not more, f"these events are not in event_type: {more}")
    require(not names, f"these events never occur: {names}")


@checks("setting")
def events_do_not_change_the_game(trial: Trial) -> None:
    """An action produces at least one event, and has the same effect if no events are collected."""
    game, board = trial.game, trial.board
    for step in trial.sampled(trial.seeds, 4, "busy"):
        with_events, without_events = step.state.copy(), step.state.copy()
        events: list[Any] = []
        game.apply(with_events, board, step.action, events)
        game.apply(without_events, board, step.action, None)
        _require_equal_dumps(trial, with_events, without_events, f"{step.action} with and without events")
        require(events, f"{step.action} has no event")
        decoded = msgspec.convert(msgspec.to_builtins(events), list[game.event_type])  # type: ignore[name-defined]
        require(decoded == events, f"events differ after JSON: {events} and {decoded}")


# States


@checks("policy")
def copies_and_dumps_are_complete(trial: Trial) -> None:
    """A copy and a loaded dump of a position continue like the original, and share nothing with the original."""
    game, board = trial.game, trial.board
    for step in trial.sampled(trial.seeds, 7):
        before = game.dump(step.state)
        copied, loaded = step.state.copy(), game.load(before, board)
        _require_equal_dumps(trial, step.state, copied, "the position and its copy")
        _require_equal_dumps(trial, step.state, loaded, "the position and what load makes of its dump")
        legal = game.legal_actions(loaded, board)
        require(legal == step.legal, f"the loaded position has the legal list {legal}, the original {step.legal}")
        events: list[list[Any]] = [[], []]
        game.apply(copied, board, step.action, events[0])
        game.apply(loaded, board, step.action, events[1])
        require(game.dump(step.state) == before, "a copy shares something with its original")
        _require_equal_dumps(trial, copied, loaded, f"the copied and the loaded position after {step.action}")
        require(events[0] == events[1], f"the events differ after a dump: {events[0]} and {events[1]}")
        require(digest(game, copied) != digest(game, step.state), f"{step.action} does not change the digest")


def _require_equal_dumps(trial: Trial, one: Any, other: Any, what: str) -> None:
    dumps = [trial.game.dump(state) for state in (one, other)]
    if dumps[0] != dumps[1]:
        raise Nonconformity(f"{what} differ: {first_difference('dump', *map(msgspec.json.decode, dumps))}")


@checks("settings")
def dumps_contain_the_changed_options(trial: Trial) -> None:
    """A position as JSON contains the game options that differ from their default, and no others."""
    game, options = trial.game, trial.setting.options
    changed = msgspec.to_builtins(changed_options(options))
    state = trial.start(3)
    dumped = msgspec.json.decode(game.dump(state))
    found = dumped.get("options", {})
    require(found == changed, f'dump has the "options" {found}, expected {changed}')
    require(("options" in dumped) == bool(changed), 'dump has "options" although all options have their default')
    loaded = game.load(game.dump(state), trial.board).options
    require(loaded == options, f"a loaded position has {loaded}, expected {options}")


@checks("settings")
def missing_options_have_their_default(trial: Trial) -> None:
    """A log without an option is played with the default of the option."""
    match = trial.match(5)
    short = msgspec.structs.replace(match.header, options=changed_options(trial.setting.options))
    again = Match(trial.game, trial.board, short)
    require(again.setup_line == match.setup_line, "a header without default options sets up another game")


@checks("settings")
def dumps_have_sorted_keys(trial: Trial) -> None:
    """A dump is JSON with sorted keys."""
    for step in trial.sampled(range(1), 20, "busy"):
        dumped = trial.game.dump(step.state)
        require(dumped == _encode_sorted(msgspec.json.decode(dumped)), f"the keys are not sorted: {dumped!r:.300}")


@checks("settings")
def positions_can_be_sent_to_other_processes(trial: Trial) -> None:
    """Pickled and deeply copied positions and boards continue like the original."""
    game, board = trial.game, trial.board
    others = (pickle.loads(pickle.dumps(board)), copy.deepcopy(board))
    require(all(game.wire_board(other) == game.wire_board(board) for other in others), "a copy of the board differs")
    for step in trial.sampled(range(1), 150, "busy"):
        sent, copied = pickle.loads(pickle.dumps(step.state)), copy.deepcopy(step.state)
        after = step.state.copy()
        game.apply(after, board, step.action, None)
        for state, its_board in zip((sent, copied), others, strict=True):
            require(game.legal_actions(state, its_board) == step.legal, "a pickled position has another legal list")
            game.apply(state, its_board, step.action, None)
            _require_equal_dumps(trial, state, after, f"a pickled position and its original after {step.action}")


@checks("settings")
def games_can_be_set_up_from_events(trial: Trial) -> None:
    """A game that is set up from its first events instead of a seed continues like the original."""
    game, board, options = trial.game, trial.board, trial.setting.options
    for seed in (3, 4):
        events: list[Any] = []
        state = trial.start(seed, events)
        other = game.setup_from_events(board, trial.setting.players, options, events)
        if not game.has_secrets:
            _require_equal_dumps(trial, state, other, "the position after set-up and the one from its events")
        for step in trial.walk(seed, "busy", state):
            expected: list[Any] = []
            found: list[Any] = []
            game.apply(step.state.copy(), board, step.action, expected)
            game.preload_chance(other, board, expected)
            game.apply(other, board, step.action, found)
            require(found == expected, f"without the seed, {step.action} has the events {found}, expected {expected}")


# Views


@checks("setting")
def views_are_unchanged_by_json(trial: Trial) -> None:
    """A view encoded as JSON and decoded is unchanged, and names the seat that sees it and the seat to move."""
    game, board = trial.game, trial.board
    for step in trial.sampled(trial.seeds, 10, "busy"):
        for observer in (*range(trial.setting.players), PUBLIC, ALL_SEATS):
            view = game.view(step.state, board, observer)
            decoded = msgspec.json.decode(msgspec.json.encode(view), type=game.view_type)
            require(decoded == view, f"a view differs after JSON: {view} and {decoded}")
            require(
                view.seat == (observer if observer >= 0 else None),
                f"the view of seat {observer} has the seat {view.seat}",
            )
            asked = None if view.question is None else view.question.seat
            require(asked == step.seat, f"the question of a view is for seat {asked}, expected {step.seat}")


@checks("settings")
def views_do_not_change_later(trial: Trial) -> None:
    """A view does not change when the game continues."""
    views: list[tuple[Any, bytes]] = []
    for step in trial.sampled(range(1), 9, "busy"):
        view = trial.game.view(step.state, trial.board, step.seat)
        views.append((view, msgspec.json.encode(view)))
    require(
        all(msgspec.json.encode(view) == before for view, before in views), "a view has changed after later actions"
    )


@checks("setting")
def seats_receive_redacted_events(trial: Trial) -> None:
    """A seat receives each event as `redact` returns it."""
    match = trial.match(5)
    seen = [0] * trial.setting.players
    while match.seat is not None:
        require(match.number < MAX_ACTIONS, f"the game has not ended after {MAX_ACTIONS} actions")
        action = match.chosen(match.number * 7919 % len(match.legal))
        match.submit(match.seat, action)
        trial.actions.append(action)
        for seat in range(trial.setting.players):
            if match.seat is None or match.number % (1 + 5 * seat) == 0:
                since = 0 if match.number % 97 == 0 else seen[seat]
                redacted = [trial.game.redact(event, seat, trial.setting.options) for event in match.history[since:]]
                require(match.events_for(seat, since) == redacted, "redact is not used; is has_secrets missing?")
                seen[seat] = len(match.history)


@checks("settings")
def hidden_choices_stay_hidden(trial: Trial) -> None:
    """If the events of two actions look the same to a seat, its views after the actions look the same, too."""
    game, board, options = trial.game, trial.board, trial.setting.options
    if not game.has_secrets:
        return
    for step in trial.sampled(range(1), 7, "busy"):
        observers = [observer for observer in (*range(trial.setting.players), PUBLIC) if observer != step.seat]
        outcomes: dict[tuple[int, bytes], tuple[Any, Any]] = {}
        for action in list(playable(step.legal))[:ACTIONS_TRIED]:
            after = step.state.copy()
            events: list[Any] = []
            game.apply(after, board, action, events)
            for observer in observers:
                shown_events = msgspec.json.encode([game.redact(event, observer, options) for event in events])
                view = game.view(after, board, observer)
                other, shown = outcomes.setdefault((observer, shown_events), (action, view))
                if shown != view:
                    values = (msgspec.to_builtins(shown), msgspec.to_builtins(view))
                    where = first_difference("its view", *values)
                    raise Nonconformity(
                        f"seat {observer + 1} sees the same events after {other} and {action}, but {where}"
                    )


@checks("game")
def messages_have_a_schema(trial: Trial) -> None:
    """A JSON Schema can be generated for all messages of the game."""
    game_schema(trial.game)


# Numbered moves


@checks("game")
def moves_have_numbers(trial: Trial) -> None:
    """Every action has a number of its own, called a move, and every move stands for one action."""
    moves, board = trial.game.moves, trial.board
    again = pickle.loads(pickle.dumps(board))
    listed = list(moves.actions(board))
    require(listed == list(moves.actions(again)), "a copy of the board has other actions")
    require(listed == [without_info_fields(action) for action in listed], "actions have fields with their default")
    kind = trial.game.action_type
    decoded = msgspec.convert(msgspec.to_builtins(listed), list[kind])  # type: ignore[valid-type]
    require(decoded == listed, "actions differ after JSON")
    numbered = [*listed, *map(Bid, range(50))]
    numbers = [number_of(moves, board, action) for action in numbered]
    require(numbers == list(range(len(numbered))), "an action is listed twice")
    require([action_of(moves, again, number) for number in numbers] == numbered, "a number means two actions")


@checks("setting")
def move_numbers_play_like_actions(trial: Trial) -> None:
    """Legal moves (numbers of actions) have the order of the legal actions. Each move has the effect of its action."""
    board, moves = trial.board, trial.game.moves
    in_numbers, last = trial.start(2), trial.start(2)
    for step in trial.walk(2, "random", last):
        expected = _numbers(trial, step.legal)
        require(moves.legal(in_numbers, board) == expected, "the listed moves differ from the list of legal actions")
        require(moves.legal(step.state, board) == expected, "the listed moves differ from the list of legal actions")
        _require_equal_dumps(trial, in_numbers, step.state, "games of numbers and of actions")
        moves.apply(in_numbers, board, number_of(moves, board, step.action))
    _require_equal_dumps(trial, in_numbers, last, "games of numbers and of actions")
    require(moves.legal(in_numbers, board) == [], "the game has ended, but moves are legal")


def _numbers(trial: Trial, legal: list[Any]) -> list[int]:
    """Return the numbers that stand for the actions in `legal`. A range of bids gives a number for each amount."""
    numbers: list[int] = []
    for entry in legal:
        bids = map(Bid, range(entry.min, entry.max + 1)) if type(entry) is BidRange else ()
        numbers += [number_of(trial.game.moves, trial.board, action) for action in bids or (entry,)]
    return numbers


@checks("setting")
def random_games_end(trial: Trial) -> None:
    """A game of random moves, given as numbers, ends. A move in a copy does not change the original position."""
    game, board, moves = trial.game, trial.board, trial.game.moves
    chance = stream(str(trial.setting))
    state = trial.start(4)
    for count in range(MAX_ACTIONS):
        legal = moves.legal(state, board)
        if not legal:
            break
        if count % 20 == 0:
            before = game.dump(state)
            for number in (legal[0], legal[-1]):
                after = state.copy()
                moves.apply(after, board, number)
                trial.audit(after)
            require(game.dump(state) == before, "a move in a copy has changed the original; see State.copy")
        number = legal[int(chance() * len(legal))]
        trial.actions.append(action_of(moves, board, number))
        moves.apply(state, board, number)
    require(game.end_reasons(state, board), f"the game has not ended after {MAX_ACTIONS} actions")


@checks("setting")
def cautious_games_end(trial: Trial) -> None:
    """A game ends if all players choose the last legal action, which is played for players who do not answer."""
    game, board, state = trial.game, trial.board, trial.start(4)
    while state.pending is not None:
        require(len(trial.actions) < MAX_ACTIONS, f"the game has not ended after {MAX_ACTIONS} actions")
        action = next(playable(game.legal_actions(state, board)[-1:]))
        trial.actions.append(action)
        game.apply(state, board, action, None)


# Imagined positions


@checks("setting")
def imagined_positions_have_the_same_view(trial: Trial) -> None:
    """A position that `imagine` builds from a seat's view has the same view and observation as the original."""
    game, board = trial.game, trial.board
    numbers = load_numbers(game.name)
    pack = None if numbers is None else numbers.packer(board, trial.setting.players)
    is_varied = not game.has_secrets
    for step in trial.sampled(range(1), 29, "busy"):
        for seat in range(trial.setting.players):
            view = game.view(step.state, board, seat)
            wire = msgspec.json.decode(msgspec.json.encode(view), type=game.view_type)
            imagined, other = game.imagine(view, board, 1), game.imagine(wire, board, 2)
            for position in (imagined, other):
                trial.audit(position)
                found = game.view(position, board, seat)
                if found != view:
                    values = (msgspec.to_builtins(found), msgspec.to_builtins(view))
                    raise Nonconformity(
                        f"the view of an imagined position differs: {first_difference('view', *values)}"
                    )
            if pack is not None:
                rows, expected = Rows(), Rows()
                pack(imagined, seat, rows)
                pack(step.state, seat, expected)
                require(rows == expected, "the numbers of an imagined position differ, so they show something hidden")
            if seat == step.seat:
                require(
                    game.legal_actions(imagined, board) == step.legal, "an imagined position has other legal actions"
                )
                is_same = game.moves.legal(other, board) == game.moves.legal(step.state, board)
                require(is_same, "an imagined position has other legal moves")
            if not game.has_secrets:
                _require_equal_dumps(trial, imagined, step.state, "an imagined position and the real one")
                _require_equal_dumps(trial, other, step.state, "an imagined position and the real one")
            again = game.imagine(game.view(other, board, seat), board, 1)
            _require_equal_dumps(trial, again, imagined, "two positions imagined from one view and seed")
            is_varied = is_varied or len({game.dump(game.imagine(view, board, seed)) for seed in range(IMAGINED)}) > 1
    require(is_varied, "imagine returns the same position for every seed, although the game has secrets")


@checks("setting")
def imagined_positions_can_be_played(trial: Trial) -> None:
    """A game can be played to the end from a position that `imagine` builds."""
    game, board, moves = trial.game, trial.board, trial.game.moves
    chance = stream(str(trial.setting))
    for step in trial.sampled([6], 90, "random"):
        state = game.imagine(game.view(step.state, board, step.seat), board, "played on")
        for _ in range(MAX_ACTIONS):
            legal = moves.legal(state, board)
            if not legal:
                break
            moves.apply(state, board, legal[int(chance() * len(legal))])
        require(game.end_reasons(state, board), f"an imagined game has not ended after {MAX_ACTIONS} actions")


@checks("setting")
def hidden_draws_stay_hidden(trial: Trial) -> None:
    """If two random draws of an action give events that look the same to a seat, its views look the same, too.

    After the end of the game a view may show everything.
    """
    for step in trial.sampled(range(1), 29, "busy") if trial.game.has_secrets else ():
        for observer in range(trial.setting.players):
            seen: dict[tuple[Any, bytes], Any] = {}
            for action, told, _, view in _results(trial, step, observer):
                shown = seen.setdefault((action, told), view)
                if shown != view and view.question is not None:
                    values = (msgspec.to_builtins(shown), msgspec.to_builtins(view))
                    where = first_difference("its view", *values)
                    raise Nonconformity(
                        f"seat {observer + 1} is told the same after two draws of {action}, but {where}"
                    )


@checks("setting")
def unknown_results_are_unforeseeable(trial: Trial) -> None:
    """If the events of an action depend on what its player cannot see, one event has a type in `unforeseeable`."""
    for step in trial.sampled(range(1), 29, "busy") if trial.game.has_secrets else ():
        first: dict[Any, tuple[bytes, set[type]]] = {}
        for action, told, events, _ in _results(trial, step, step.seat):
            other, kinds = first.setdefault(action, (told, set(map(type, events))))
            kinds = kinds.union(map(type, events))
            if other != told and trial.game.unforeseeable.isdisjoint(kinds):
                names = ", ".join(sorted(kind.__name__ for kind in kinds))
                raise Nonconformity(
                    f"seat {step.seat + 1} cannot know the events of {action}; unforeseeable has none of {names}"
                )


def _results(trial: Trial, step: PlayedStep, observer: int) -> Iterator[tuple[Any, bytes, list[Any], Any]]:
    """Play each legal action of `step` in the position of `step` and in imagined positions.

    The imagined positions have the same view for the seat `observer`. Yield for each action and position four values:
    the action, the encoded events as `observer` sees them, all events, and the view of `observer` afterwards. An action
    that is not legal in an imagined position is not played there.
    """
    game, board, options = trial.game, trial.board, trial.setting.options
    actions = list(playable(step.legal))[:ACTIONS_TRIED]
    view = game.view(step.state, board, observer)
    for position in (step.state, *(game.imagine(view, board, seed) for seed in range(IMAGINED))):
        legal = list(playable(game.legal_actions(position, board)))
        for action in actions:
            if action in legal:
                after = position.copy()
                events: list[Any] = []
                game.apply(after, board, action, events)
                told = msgspec.json.encode([game.redact(event, observer, options) for event in events])
                yield action, told, events, game.view(after, board, observer)


# Faces


@checks("policy")
def payments_account_for_all_money(trial: Trial) -> None:
    """If events have payments (`Face.transfers`), the payments account for every change of a score."""
    face = load_face(trial.setting.name)
    if not face.transfers:
        return
    match = trial.match()
    cash = face.scores(match.view_for(ALL_SEATS))
    for step in trial.walk(0):
        line = match.submit(step.seat, step.action)
        for flow in (flow for event in line.events for flow in face.flows(event)):
            cash[flow.seat] = (cash[flow.seat] or 0) + flow.amount
        scores = face.scores(match.view_for(ALL_SEATS))
        require(cash == scores, f"after {line.events} the payments add up to {cash}, but the scores are {scores}")
    require(match.seat is None, "the match has not ended")


@checks("policy")
def every_event_has_a_sentence(trial: Trial) -> None:
    """Every event of a game can be described to every seat and to spectators, and does not change later."""
    game, options, players = trial.game, trial.setting.options, trial.setting.players
    face, wire, names = load_face(trial.setting.name), game.wire_board(trial.board), _names(players)
    for seed in trial.seeds:
        match = trial.match(seed)
        match.has_digests = False
        encoded: list[bytes] = []
        for step in trial.walk(seed):
            match.submit(step.seat, step.action)
            for event in match.history[len(encoded) :]:
                encoded.append(msgspec.json.encode(event))
                for observer in (*range(players), PUBLIC, ALL_SEATS):
                    sentence = face.tell(wire, game.redact(event, observer, options), names)
                    is_text = isinstance(sentence, str) and sentence.isprintable()
                    require(is_text, f"Face.tell returns {sentence!r} for {event}, expected printable text")
        for event, before in zip(match.history, encoded, strict=True):
            is_same = msgspec.json.encode(event) == before
            require(is_same, f"an event changed after later actions, from {before.decode()} to {event}")


@checks("setting")
def everything_has_words(trial: Trial) -> None:
    """Questions, actions and positions can be shown to every seat and to spectators, and actions can be typed."""
    game, board, options = trial.game, trial.board, trial.setting.options
    if changed_options(options) and trial.setting.players != game.players[-1]:
        return  # options are tried with one number of players, because this check is slow
    face, wire, names = load_face(trial.setting.name), game.wire_board(board), _names(trial.setting.players)
    for kind in union_members(game.action_type):
        tag = str(kind.__struct_config__.tag)
        require(re.fullmatch("[a-z][a-z0-9_]*", tag), f"the tag {tag!r} of an action is not a lower-case word")
    for name, text in (("GAME.title", game.title), ("Face.about", face.about), ("Face.unit", face.unit)):
        require(text.isprintable(), f"{name} is {text!r}, expected printable text")
    drawing = face.board_map(wire)
    drawing.base()
    shapes: dict[int, Any] = {}

    def show(state: Any) -> None:
        for observer in (*range(trial.setting.players), PUBLIC, ALL_SEATS):
            view = game.view(state, board, observer)
            sheets = face.sheets(wire, view, names, {})
            require(sheets, "Face.sheets is empty, expected at least one table")
            shape = [(sheet.title, sheet.columns, sheet.rows) for sheet in sheets]
            require(
                shapes.setdefault(observer, shape) == shape, "the rows or columns of Face.sheets change during the game"
            )
            for sheet in sheets:
                widths = {len(cells) for cells in sheet.cells} | {len(sheet.columns)}
                is_whole = len(sheet.cells) == len(sheet.rows) and len(widths) == 1
                require(is_whole, f"the table {sheet.title!r} has cells without a row or column")
            scores = face.scores(view)
            require(len(scores) == trial.setting.players, f"Face.scores returns {scores}")
            require(face.position_text(wire, view, names), "the text of the position is empty")
        drawing.marks(game.view(state, board, 0))
        face.draw(wire, game.view(state, board, PUBLIC), "normal", ())

    for step in trial.sampled(range(1), 71, "busy"):
        show(step.state)
        lookahead = LocalLookahead(game, board, step.state, step.seat)
        choices = choices_of(decision_at(lookahead, game, face, wire, board, names))
        commands = [choice.command for choice in choices]
        require(len({*commands}) == len(commands), f"two choices have the same command: {commands}")
        words = [choice.words for choice in choices]
        require(all(words), f"a choice has no words: {commands}")
        require(all(map(str.isprintable, words)), f"the words of choices are {words}, expected printable text")
    show(step.state)  # the steps of a game share one state, so this is the final position


def _names(players: int) -> list[str]:
    return [f"Player {seat + 1}" for seat in range(players)]
