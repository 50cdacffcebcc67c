"""The rules of the games as a service for bots in any language.

The service reads and writes lines of JSON. An input line contains one request or a list of requests. It is answered by
one line. The bot stores positions under numbers that it chooses. So a request can use the result of another request in
the same line. The message types are in `rails_cli.protocol.engine`.
"""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any, BinaryIO, get_args

import msgspec

from rails_cli.games.game import BoardError, IllegalAction
from rails_cli.games.plain import tag_of
from rails_cli.games.shared.text import printable
from rails_cli.library import Engine, Outlook, Position
from rails_cli.library.position import shared_view
from rails_cli.players.search.look_ahead import IMPOSSIBLE
from rails_cli.protocol import engine as wire
from rails_cli.protocol.lines import LONGEST_WORDS, WHOLE_WANTED, decoding_problem, with_whole_numbers
from rails_cli.protocol.messages import MAX_LINE

REPORTED_ERRORS = (IllegalAction, BoardError, msgspec.MsgspecError, RecursionError, AssertionError, *IMPOSSIBLE)
"""Exceptions that are answered with an error message. The rules may raise any of them in an impossible position."""

TYPE_ERROR_ENDINGS = ("at `$.type`", "field `type`")
"""Endings of msgspec error messages about a missing or unknown `type` field of a request."""
_TYPES = [tag_of(kind) for kind in get_args(wire.EngineRequest) if kind not in wire.PASSED_OVER]
_REQUEST = msgspec.json.Decoder(wire.EngineRequest)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_encode = msgspec.json.Encoder().encode


def serve(service: "Service", source: BinaryIO, sink: BinaryIO) -> None:
    """Read lines from `source` and write the answers to `sink` until `source` ends.

    A line longer than MAX_LINE is answered with an error.
    """
    while line := source.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            while not line.endswith(b"\n") and (line := source.readline(MAX_LINE)):
                pass
            answer = _refusal(f"the line is longer than {MAX_LINE:,} bytes")
        elif line.isspace():
            continue
        else:
            answer = service.answer_line(line)
        sink.write(answer + b"\n")
        sink.flush()


class Service:
    """The state of the rules service: the current game and the stored positions."""

    def __init__(
        self,
        engine: Engine | None = None,
        players: int | None = None,
        options: Any = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        """Start with the game of `engine`, or without a game if `engine` is None.

        `players` and `options` are the defaults of new games. `now` is the clock for time budgets.
        """
        self.now = now
        self.engine_or_none = engine
        self.players = players
        self.options = options
        self.view: Any = None
        """The view in the last `request` message that the bot forwarded. None before the first request."""
        self.kept: dict[int, Position] = {}
        self.past: dict[int, list[Position]] = {}
        """Mapping from the number of a stored position to its earlier positions, to which `undo` returns."""
        self.past_length = 0
        """Number of earlier positions in `past`, for all stored positions together."""
        self.work: dict[type, Callable[[Any], Any]] = {
            wire.ForwardedStart: self.start,
            wire.ForwardedRequest: self.request,
            wire.New: self.new,
            wire.Imagine: self.imagine,
            wire.Legal: self.legal,
            wire.Actions: self.actions,
            wire.Play: self.play,
            wire.Undo: self.undo,
            wire.Free: self.free,
            wire.Look: self.look,
            wire.Evaluate: self.evaluate,
            wire.Children: self.children,
            wire.Playouts: self.playouts,
            wire.Search: self.search,
            **dict.fromkeys(wire.PASSED_OVER, self.pass_over),
        }

    def answer_line(self, line: bytes) -> bytes:
        """Return the answer to one input line. If `line` is a list of requests, the answer is a list."""
        if not line.lstrip().startswith(b"["):
            return self.answer(line)
        try:
            requests = _LIST.decode(line)
        except REPORTED_ERRORS as error:
            return _refusal(error)
        if len(requests) > wire.MOST_REQUESTS:
            return _refusal(f"{len(requests):,} requests in a line; at most {wire.MOST_REQUESTS:,} are allowed")
        answers: list[bytes] = []
        length = 0
        for request in requests:
            too_long = f"the answers before this have {length:,} bytes: send the rest in another line"
            answers.append(self.answer(request) if length < wire.MOST_ANSWERED else _refusal(too_long))
            length += len(answers[-1])
        return b"[" + b",".join(answers) + b"]"

    def answer(self, request: bytes | msgspec.Raw) -> bytes:
        """Return the encoded answer to one request. A request that fails changes no stored position."""
        try:
            return self._answer(request)
        except REPORTED_ERRORS as error:
            if not WHOLE_WANTED.search(str(error)):
                return _refusal(error)
        try:
            return self._answer(with_whole_numbers(request))
        except REPORTED_ERRORS as error:
            return _refusal(error)

    def _answer(self, request: bytes | msgspec.Raw) -> bytes:
        message = _REQUEST.decode(request)
        return _encode(self.work[type(message)](message))

    # Game

    @property
    def engine(self) -> Engine:
        if self.engine_or_none is None:
            raise ValueError("no game yet; forward the `start` message, or name the game: rails-cli engine GAME")
        return self.engine_or_none

    def start(self, message: wire.ForwardedStart) -> wire.Ready:
        engine = Engine(message.game, message.board)
        self.engine_or_none, self.players, self.options = engine, len(message.players) or None, message.options
        self.view = None
        self.free(wire.Free())
        game = engine.game
        return wire.Ready(game.name, game.rules_version, game.has_secrets, engine.evaluation is not None)

    def request(self, message: wire.ForwardedRequest) -> wire.Where:
        view = self.engine.view_of(message.view)
        position = self.engine.position(view)
        self.view = view
        return self.put(0, position)

    def pass_over(self, message: msgspec.Struct) -> wire.PassedOver:
        return wire.PassedOver(tag_of(message))

    def new(self, wanted: wire.New) -> wire.Where:
        players = wanted.players or self.players
        if players is None:
            raise ValueError("how many players? set `players`")
        options = self.options if wanted.options is None else wanted.options
        return self.put(wanted.at, self.engine.new(players, wanted.seed, options, wanted.openings))

    def imagine(self, wanted: wire.Imagine) -> wire.Where:
        engine = self.engine
        view = self.view if wanted.view is None else engine.view_of(wanted.view)
        if view is None:
            raise ValueError("there is nothing to imagine from; forward a `request`, or give a `view`")
        if wanted.at + wanted.count > wire.MOST_POSITIONS:
            raise ValueError(f"there is room for {wire.MOST_POSITIONS:,} positions, numbered from 0")
        places = range(wanted.at, wanted.at + wanted.count)
        self.check_room(sum(place not in self.kept for place in places))
        drawn = [engine.position(view, wanted.seed + number) for number in range(wanted.count)]
        for place, position in zip(places, drawn, strict=True):
            self.put(place, position)
        return _where(drawn[0])

    # Positions

    def at(self, place: int) -> Position:
        try:
            return self.kept[place]
        except KeyError:
            raise ValueError(f"there is no position at {place}") from None

    def all_at(self, places: int | list[int]) -> list[Position]:
        return [self.at(places)] if isinstance(places, int) else list(map(self.at, places))

    def put(self, place: int, position: Position) -> wire.Where:
        """Store a position under the number `place`, replacing any position stored there.

        Return an answer with the seat to move or the result. Raise ValueError if too many positions are stored.
        """
        if place not in self.kept:
            self.check_room()
        if place in self.past:
            self.past_length -= len(self.past.pop(place))
        self.kept[place] = position
        return _where(position)

    def check_room(self, wanted: int = 1) -> None:
        if len(self.kept) + self.past_length + wanted > wire.MOST_POSITIONS:
            most = f"{wire.MOST_POSITIONS:,} positions are kept, including those to undo"
            raise ValueError(f"{most}; forget some with `free`, or reuse their places")

    def legal(self, wanted: wire.Legal) -> wire.LegalMoves:
        return wire.LegalMoves(self.at(wanted.at).moves())

    def actions(self, wanted: wire.Actions) -> wire.Meanings:
        return wire.Meanings([self.engine.action(move) for move in wanted.moves])

    def play(self, wanted: wire.Play) -> wire.Where:
        place, to = wanted.at, wanted.to
        before = self.at(place)
        if wanted.action is None:
            after = before.play(*wanted.moves)
        elif wanted.moves:
            raise ValueError("`moves` or `action`, not both")
        else:
            after = before.play_action(wanted.action)
        if to is not None and to != place:
            return self.put(to, after)
        self.check_room()
        self.past.setdefault(place, []).append(before)
        self.past_length += 1
        self.kept[place] = after
        return _where(after)

    def undo(self, wanted: wire.Undo) -> wire.Where:
        self.at(wanted.at)
        past = self.past.get(wanted.at, [])
        if wanted.count > len(past):
            some = f"only {len(past)} of {wanted.count} can be undone" if past else "there is nothing to undo"
            raise ValueError(f"{some} at {wanted.at}")
        position = past[-wanted.count]
        del past[-wanted.count :]
        self.past_length -= wanted.count
        self.kept[wanted.at] = position
        return _where(position)

    def free(self, wanted: wire.Free) -> wire.Kept:
        places = list(self.kept) if wanted.at is None else [wanted.at] if isinstance(wanted.at, int) else wanted.at
        for place in places:
            self.kept.pop(place, None)
            self.past_length -= len(self.past.pop(place, ()))
        return wire.Kept(len(self.kept) + self.past_length)

    def look(self, wanted: wire.Look) -> wire.Seen:
        position = self.at(wanted.at)
        return wire.Seen(shared_view(position, wanted.seat if wanted.seat is not None else position.seat or 0))

    # Evaluation

    def evaluate(self, wanted: wire.Evaluate) -> wire.Outlooks:
        return wire.Outlooks(*_columns([position.outlook() for position in self.all_at(wanted.at)]))

    def children(self, wanted: wire.Children) -> wire.RunOutlooks:
        found: dict[tuple[int, ...], list[Outlook]] = {}
        positions = self.all_at(wanted.at)
        for position in positions:
            for run, after in _after_runs(position, wanted):
                found.setdefault(run, []).append(after.outlook())
        often = {run: looks for run, looks in found.items() if 2 * len(looks) >= len(positions)}
        for named in wanted.runs or ():
            if tuple(named) not in often:
                raise _not_allowed(named, positions)
        means = [looks[0] if len(looks) == 1 else _mean(looks) for looks in often.values()]
        return wire.RunOutlooks(list(map(list, often)), *_columns(means))

    def playouts(self, wanted: wire.Playouts) -> wire.PlayoutSums:
        until = None if wanted.budget_ms is None else self.now() + wanted.budget_ms / 1000
        runs = [[]] if wanted.runs is None else wanted.runs
        most = wire.MOST_PLAYOUTS // max(1, len(runs))
        count = wanted.count or (1 if until is None else most)
        if count > most:
            asked = f"{count:,} playouts of {len(runs):,} runs"
            raise ValueError(f"{asked}; a request may ask for {wire.MOST_PLAYOUTS:,} in total")
        positions = self.all_at(wanted.at)
        starts = [_starts(run, positions) for run in runs]
        sums: list[Outlook] = []
        moves = done = 0
        while done < count and (not done or until is None or self.now() < until):
            for number, own in enumerate(starts):
                start = own[done % len(own)]
                end, length = start.counted_playout(wanted.policy, wanted.seed + done, wanted.most_moves)
                moves += length
                if done:
                    sums[number] = _added(sums[number], end.outlook())
                else:
                    sums.append(end.outlook())
            done += 1
        return wire.PlayoutSums(done, moves, *_columns(sums))

    def search(self, wanted: wire.Search) -> wire.SearchResults:
        seconds = None if wanted.budget_ms is None else wanted.budget_ms / 1000
        looks = wanted.looks or (wire.USUAL_LOOKS if seconds is None else wire.MOST_LOOKS)
        found = self.at(wanted.at).search(looks, seconds, wanted.seed, self.now)
        outlooks = [Outlook(tried.payoffs, tried.chances, tried.money) for tried in found]
        runs, visits = [list(tried.run) for tried in found], [tried.visits for tried in found]
        return wire.SearchResults(runs, visits, *_columns(outlooks), [tried.doubt for tried in found])


def _after_runs(position: Position, wanted: wire.Children) -> Iterator[tuple[tuple[int, ...], Position]]:
    if wanted.runs is not None:
        for run in dict.fromkeys(map(tuple, wanted.runs)):
            if (after := _after(position, run)) is not None:
                yield run, after
        return
    runs = position.runs() if wanted.of == "candidates" else [(move,) for move in position.moves()]
    if len(runs) > wire.MOST_RUNS:
        raise ValueError(f"there are {len(runs):,} runs; at most {wire.MOST_RUNS:,} are evaluated: name them in `runs`")
    for run in runs:
        yield run, position.after(run, check=False)


def _after(position: Position, run: Sequence[int]) -> Position | None:
    """Return the position after the sequence of moves `run`, or None if a move is not legal."""
    try:
        return position.play(*run)
    except IllegalAction:
        return None


def _starts(run: Sequence[int], positions: Sequence[Position]) -> list[Position]:
    """Play the moves `run` in each of `positions`, and return the positions reached.

    A position is left out if a move is not legal in it. Raise IllegalAction if more than half of the positions are left
    out.
    """
    starts = [after for position in positions if (after := _after(position, run)) is not None]
    if 2 * len(starts) < len(positions):
        raise _not_allowed(run, positions)
    return starts


def _not_allowed(run: Sequence[int], positions: Sequence[Position]) -> IllegalAction:
    """Play the moves `run` in each of `positions`. Return the first IllegalAction that is raised."""
    for position in positions:
        try:
            position.play(*run)
        except IllegalAction as error:
            return error
    raise AssertionError(run)


def _where(position: Position) -> wire.Where:
    if position.state.pending is not None:
        return wire.Where(position.seat)
    return wire.Where(None, position.scores(), position.ranks())


def _added(one: Outlook, other: Outlook) -> Outlook:
    return Outlook(
        *([a + b for a, b in zip(ours, theirs, strict=True)] for ours, theirs in zip(one, other, strict=True))
    )


def _mean(looks: Sequence[Outlook]) -> Outlook:
    return Outlook(
        *([sum(parts) / len(looks) for parts in zip(*lists, strict=True)] for lists in zip(*looks, strict=True))
    )


def _columns(outlooks: Sequence[Outlook]) -> tuple[list[list[float]], list[list[float]], list[list[float]]]:
    payoffs, chances, money = ([outlook[part] for outlook in outlooks] for part in range(3))
    return payoffs, chances, money


def _refusal(error: BaseException | str) -> bytes:
    words = error if isinstance(error, str) else decoding_problem(error)
    if words.endswith(TYPE_ERROR_ENDINGS):
        words = f"{words}; there are {', '.join(_TYPES)}"
    if isinstance(error, KeyError | IndexError | ArithmeticError | AssertionError):
        words = f"cannot make sense of this: {type(error).__name__}: {error}"
    return _encode(wire.Refusal(printable(words)[:LONGEST_WORDS]))
