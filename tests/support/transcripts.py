"""Transcripts for the pages in protocol/: matches of a scripted bot, commands with their output, shortened lines."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from rails_cli.games import game_names, load_game, standard_board
from rails_cli.games.game import without_info_fields
from rails_cli.games.shared.luck import stream
from rails_cli.logs.chain import log_of
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import MatchPolicy
from rails_cli.players.builtin import builtin_player
from rails_cli.players.chance import choose_busy
from rails_cli.protocol import messages
from rails_cli.protocol.log import PlayerLine
from rails_cli.referee.seats import SeatLost, SeatSlow
from rails_cli.referee.single import Referee
from tests.support.positions import Setting, choice, chosen_options, policies_of
from tests.support.tools import ROOT, bot, rails, start_rails

PAGES = sorted((ROOT / "protocol").glob("*.md"))
"""The pages of the protocol manual."""
EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n+```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COLUMNS = 116
LONGEST_LIST = 4
PYTHON_FIRST = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}

Json = dict[str, Any]


def example(name: str) -> str:
    """Return the source of the program `name`, which is printed in the manual."""
    texts = (page.read_text(encoding="utf-8") for page in PAGES)
    return next(found[2] for text in texts for found in EXAMPLE.finditer(text) if found[1] == name)


# Shortened values, as explained at the top of the manual


class Cut:
    """Placeholder in a shortened value for an omitted part."""


def short(value: Any) -> Any:
    """Return `value` with the middle of long lists omitted."""
    if isinstance(value, dict):
        return {key: short(part) for key, part in value.items()}
    if isinstance(value, list):
        parts = [short(part) for part in value]
        return parts if len(parts) <= LONGEST_LIST else [*parts[:2], Cut(), parts[-1]]
    return value


def only(message: Json, *fields: str) -> dict[Any, Any]:
    """Return `message` with only `fields`. A placeholder replaces each sequence of other fields."""
    kept: dict[Any, Any] = {}
    last: Any = None
    for key, part in message.items():
        if key in fields:
            kept[key] = last = part
        elif not isinstance(last, Cut):
            last = Cut()
            kept[last] = None
    return kept


def written(value: Any) -> str:
    """Return `value` as JSON without spaces. Parts that were cut (`Cut`) become `…`."""
    if isinstance(value, Cut):
        return "…"
    if isinstance(value, dict):
        parts = ("…" if isinstance(key, Cut) else f"{json.dumps(key)}:{written(part)}" for key, part in value.items())
        return "{" + ",".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def folded(text: str, first: str = "", rest: str = "") -> list[str]:
    """Break a long line after commas outside of strings. The first line begins with `first`, the others with `rest`."""
    lines, line = [], first
    for piece in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^",])+,?|,', text):
        if len(line) + len(piece) > COLUMNS and line.strip(" <>"):
            lines.append(line)
            line = rest
        line += piece
    return [*lines, line]


def spread(value: Json) -> list[str]:
    """Return a JSON object as lines of text with one field in each line."""
    lines = ["{"]
    for key, part in value.items():
        lines += folded(f'"{key}": {written(short(part))},', "  ", "    ")
    return [*lines[:-1], lines[-1].removesuffix(","), "}"]


# A scripted bot inside the program that records all lines


class Spoken(NamedTuple):
    """A line of a conversation and its direction: `>` from the server, `<` from the bot."""

    sign: str
    line: str

    @property
    def message(self) -> Json:
        message: Json = json.loads(self.line)
        return message

    def is_a(self, kind: str) -> bool:
        return self.line.startswith(f'{{"type":"{kind}"')


Reply = str | Json | Exception
Script = Callable[[Json], Sequence[Reply]]


class ScriptedSeat:
    """A seat in this process that replies to each message with the elements of `script(message)`.

    A reply that is an exception is raised. The seat records all lines in both directions in `spoken`.
    """

    is_process = True

    def __init__(self, script: Script, think_s: float = 0.0) -> None:
        self.script = script
        self.think_s = think_s
        self.join = messages.Join()
        self.time_s = 0.0
        self.is_running = False
        self.replies: list[Reply] = []
        self.spoken: list[Spoken] = []

    def begin_match(self, until: float | None) -> None:
        pass

    def start(self) -> bool:
        if self.is_running:
            return False
        self.is_running = True
        self.join = messages.Join()
        return True

    def post(self, line: bytes) -> None:
        self.spoken.append(Spoken(">", line.decode().rstrip("\n")))
        self.replies += self.script(json.loads(line))

    def send(self, line: bytes, deadline: float | None) -> None:
        self.post(line)

    def receive(self, deadline: float | None) -> bytes:
        if not self.replies:
            raise SeatSlow
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        self.time_s += self.think_s
        line = reply if isinstance(reply, str) else written(reply)
        self.spoken.append(Spoken("<", line))
        return line.encode()

    def now(self) -> float:
        return self.time_s

    def end(self, *, is_final: bool = False) -> None:
        self.is_running = False
        self.replies = []

    def close(self) -> None:
        pass


class MatchRecord(NamedTuple):
    """A played match: the lines exchanged with the scripted seat, and the log."""

    spoken: list[Spoken]
    log: list[Json]

    def from_first(self, kind: str, count: int, skip: int = 0) -> list[Spoken]:
        """Return `count` lines from the first message of type `kind` on.

        Lines before the index `skip` are not searched.
        """
        first = next(place for place, spoken in enumerate(self.spoken) if place >= skip and spoken.is_a(kind))
        return self.spoken[first : first + count]


def play(
    game_name: str,
    script: Script,
    *,
    players: int = 2,
    seed: int = 8,
    clock: messages.Clock | None = None,
    think_s: float = 0.0,
    **options: str,
) -> MatchRecord:
    """Play a match of a scripted bot in seat 0 and the built-in player `busy` in all other seats.

    Each answer of the scripted bot takes `think_s` seconds of simulated time.
    """
    game = load_game(game_name)
    names = ["you", *(f"rival {number}" for number in range(1, players))]
    sitting = [PlayerLine(names[0], "python3 bot.py"), *(PlayerLine(name, "builtin:busy") for name in names[1:])]
    written_clock = None if clock is None else msgspec.to_builtins(clock)
    header = header_of(game, game.options_type(**options), seed, sitting, clock=written_clock)
    match = Match(game, standard_board(game_name), header)
    lines: list[Any] = [match.header, match.setup_line]
    seat = ScriptedSeat(script, think_s)
    others = [builtin_player("busy", game_name, seed, number) for number in range(1, players)]
    Referee(match, [seat, *others], MatchPolicy(clock=clock), write=lines.append).play()
    return MatchRecord(seat.spoken, [json.loads(line) for line in log_of(lines).splitlines()])


def takes_first(message: Json) -> list[Reply]:
    """Return a reply that chooses the first entry of the list of legal actions.

    Return no reply if `message` is not a request.
    """
    return [answer(message, choice=0)] if message["type"] == "request" else []


def answer(message: Json, **fields: Any) -> Json:
    return {"type": "action", "number": message["number"], **fields}


def acting(message: Json, **action: Any) -> Json:
    """Return an answer to the request `message` that names its action by the fields `action`.

    Other answers name their action by its index in the list of legal actions.
    """
    return answer(message, action=action)


def scripted(*steps: Script) -> Script:
    """Return a script in which each of `steps` answers one request or rejection.

    After the last step the script chooses the first entry of the list of legal actions.
    """
    left = list(steps)

    def script(message: Json) -> Sequence[Reply]:
        if message["type"] not in ("request", "rejected"):
            return []
        return left.pop(0)(message) if left else [answer(message, choice=0)]

    return script


# Transcripts of messages


def transcript_lines(spoken: Sequence[Spoken], *fields: str) -> list[str]:
    """Return lines as the manual shows them, without views and boards. Requests have only `fields`, if given."""
    lines = []
    for sign, line in spoken:
        try:
            message = short(json.loads(line))
        except ValueError:
            lines += folded(line, f"{sign} ", "    ")
            continue
        for part in ("view", "board"):
            if isinstance(message.get(part), dict):
                message[part] = {Cut(): None}
        if fields and message["type"] == "request":
            message = only(message, *fields)
        lines += folded(written(message), f"{sign} ", "    ")
    return lines


def match_transcript() -> list[str]:
    played = play("last_spike", takes_first)
    return [*transcript_lines(played.spoken[:8]), "…", *transcript_lines(played.spoken[-3:])]


def one_message(kind: str, game_name: str = "chicago_express", **more: Any) -> list[str]:
    """Play a match and return its first message of type `kind`, as lines of the manual.

    `more` are further arguments of `play`.
    """
    played = play(game_name, takes_first, **more)
    return transcript_lines(played.from_first(kind, 1))


CLOCK = messages.Clock(bank_s=60.0, increment_s=0.5, move_s=10.0)  # timing: no real clock


def request_transcript() -> list[str]:
    return transcript_lines(
        play("chicago_express", takes_first, players=3, clock=CLOCK).from_first("request", 1, skip=4)
    )


def joined(**join: Any) -> Script:
    """Return a script that joins with the options `join` and then always plays the first legal action."""

    def script(message: Json) -> Sequence[Reply]:
        if message["type"] == "hello":
            return [{"type": "join", "protocol": 1, **join}]
        return takes_first(message)

    return script


def join_transcript() -> list[str]:
    played = play("last_spike", joined(name="north", view="none"))
    return transcript_lines(played.spoken[2:6])


def text_transcript() -> list[str]:
    """Return a request with the view form `text`: its fields, and then the lines of its text."""
    played = play("last_spike", joined(view="text"), players=3)
    request = played.from_first("request", 1, skip=5)[0].message
    return [*folded(written({**request, "text": Cut()}), "> ", "    "), "", *request["text"].splitlines()]


def delta_transcript() -> list[str]:
    played = play("chicago_express", joined(view="delta"))
    fields = ("type", "number", "view", "delta")
    return [line for skip in (5, 6, 8) for line in transcript_lines(played.from_first("request", 1, skip), *fields)]


def update_transcript() -> list[str]:
    played = play("chicago_express", joined(view="none", push=True))
    return transcript_lines(played.from_first("join", 6))


def error_transcript() -> list[str]:
    def script(message: Json) -> Sequence[Reply]:
        return [{"type": "join", "protocol": 2}] if message["type"] == "hello" else []

    return transcript_lines(play("last_spike", script).spoken[3:5])


def answers_transcript() -> list[str]:
    played = play(
        "chicago_express",
        scripted(
            lambda request: [acting(request, type="bid", amount=12)],
            lambda request: [answer(request, choice=0)],
            lambda request: [{**acting(request, type="pass"), "info": {"note": "worth 18 to me", "nodes": 51200}}],
        ),
    )
    return transcript_lines(played.from_first("request", 6), "type", "number", "legal")


def again_transcript() -> list[str]:
    played = play("last_spike", scripted(lambda request: [{"type": "again"}, answer(request, choice=1)]))
    return transcript_lines(played.from_first("request", 4), "type", "number", "legal")


def rejected_transcript() -> list[str]:
    played = play(
        "chicago_express",
        scripted(
            lambda request: [acting(request, type="bid", min=7, max=60)],
            lambda rejected: [answer({"number": 7}, choice=0)],
            lambda rejected: [acting(rejected, type="bid", amount=10)],
            lambda request: ['{"type":"action","number":'],
            lambda rejected: [{**answer(rejected, choice=0), "info": [0] * messages.MAX_INFO}],
            lambda rejected: [acting(rejected, type="bid", amount=5)],
            lambda request: [answer(request, choice=0)],
        ),
    )
    spoken = played.from_first("request", 13)
    return transcript_lines(spoken, "type", "number", "events", "legal", "default")


def clock_transcript() -> list[str]:
    played = play("last_spike", takes_first, clock=CLOCK, think_s=0.25)  # timing: no real clock
    return transcript_lines(played.from_first("request", 6), "type", "number", "clock")


def restart_transcript() -> list[str]:
    crash = SeatLost("disconnect", "exited with code 1")
    played = play("last_spike", scripted(lambda request: [answer(request, choice=0)], lambda request: [crash]))
    return [
        *transcript_lines(played.from_first("request", 3), "type", "number", "events", "legal"),
        "(the process crashes; the default is played for it, and a new process is started)",
        *transcript_lines(played.from_first("hello", 4, skip=1), "type", "number", "events", "legal"),
    ]


def hidden_transcript() -> list[str]:
    played = play("last_spike", takes_first, cash="hidden")
    request = next(spoken.message for spoken in played.spoken if spoken.is_a("request"))
    second = [spoken.message for spoken in played.spoken if spoken.is_a("request")][1]
    dealt = next(event for event in played.log[1]["events"] if event["type"] == "dealt")
    drew = next(
        event for line in played.log[2:] for event in line["events"] if event["type"] == "drew" and event["seat"] == 1
    )
    seen_dealt = next(event for event in request["events"] if event["type"] == "dealt")
    events = [*request["events"], *second["events"]]
    seen_drew = next(event for event in events if event["type"] == "drew" and event["seat"] == 1)
    return [
        "in the log:",
        *folded(written(dealt), "  ", "    "),
        *folded(written(drew), "  ", "    "),
        "to seat 0:",
        *folded(written(seen_dealt), "  ", "    "),
        *folded(written(seen_drew), "  ", "    "),
        "in the view of seat 0, with cash=hidden:",
        *(f"  {written(only(player, 'seat', 'cash', 'pieces', 'hand'))}" for player in request["view"]["players"]),
    ]


# Logs and commands


def shown(lines: Sequence[Json]) -> list[str]:
    return [part for line in lines for part in folded(written(short(line)), "", "    ")]


def log_transcript() -> list[str]:
    played = play(
        "last_spike",
        scripted(
            lambda request: [{**answer(request, choice=0), "info": {"note": "start in the middle"}}],
            lambda request: [answer(request, choice=0)],
            lambda request: [],
        ),
        clock=messages.Clock(move_s=10.0),
        think_s=0.25,  # timing: no real clock
    )
    fault = next(place for place, line in enumerate(played.log) if line["type"] == "fault")
    return [*shown(played.log[:4]), "…", *shown(played.log[fault : fault + 2]), "…", *shown(played.log[-2:])]


def console(words: str, folder: Path) -> list[str]:
    """Run the command line `words` in `folder`. Return the command line and its output as lines."""
    done = rails(
        *shlex.split(words)[1:], cwd=folder, env=PYTHON_FIRST, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return [f"$ {words}", *(line.rstrip() for line in done.stdout.splitlines())]


def example_transcript() -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bot.py").write_text(example("bot.py"), encoding="utf-8")
        run = "rails-cli run last_spike --seat 'python3 bot.py' --seat builtin:random --seed 7 --quiet --log game.jsonl"
        return [*console(run, folder), *console("rails-cli verify game.jsonl", folder)]


def why_transcript() -> list[str]:
    """Return the lines of an example in the manual: commands that find the cause of a bot's crash, and their output.

    The commands do the following:

    - play a match in which the bot crashes.
    - send the request of the crash to the same bot again.
    - send this request to a corrected bot.
    - continue the match with the corrected bot.
    """
    good = '    action = message["legal"][0]\n'
    bad = f'{good}    if action["type"] == "sell":\n        sys.exit(f"what is {{action[\'property\']}} worth?")\n'
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in (("bot.py", example("bot.py")), ("idea.py", example("bot.py").replace(good, bad))):
            (folder / file).write_text(content, encoding="utf-8")
        run = "rails-cli run last_spike --seat 'python3 idea.py' --seat builtin:busy --seed 7 --max-faults 1 --quiet"
        lines = console(f"{run} --log game.jsonl", folder)
        ask = lines[-1].partition(": ")[2]
        for words in (ask, ask.replace("idea.py", "bot.py")):
            lines += console(words, folder)
        on = ask.partition(" -- ")[0].replace("ask game.jsonl", "run --from game.jsonl")
        lines += console(f"{on} --seat 'python3 bot.py' --seat builtin:busy --quiet --log other.jsonl", folder)
        lines += console("rails-cli verify other.jsonl", folder)[:-1]
    return [re.sub(r"after [\d.]+ ms", "after 0.4 ms", line) for line in lines]


def faults_transcript() -> list[str]:
    """Return lines of the log of one match in which real bot processes fail.

    The lines are the first fault of each kind, and the faults after which a built-in player takes over the seat.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.jsonl"
        seats = [f"--seat={bot(name)}" for name in ("crashes", "endless_line", "illegal_once", "wrong_version")]
        words = ["run", "chicago_express", "--seed", "0", *seats, "--max-faults", "2", "--log", str(file)]
        rails(*words)  # exits with 3, because seats are lost
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    seen: set[str] = set()
    chosen = []
    for line in lines:
        if line["type"] == "fault" and (line["code"] not in seen or line["message"].endswith("takes over")):
            seen.add(line["code"])
            chosen.append(line)
    return shown(chosen)


def host_transcript() -> list[str]:
    words = ["host", "last_spike", "--players", "2", "--clock", "none", "--seed", "3"]
    spoken: list[Spoken] = []
    with start_rails(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        for line in host.stdout:
            spoken.append(Spoken(">", line.rstrip("\n")))
            message = spoken[-1].message
            if message["type"] == "request":
                spoken.append(Spoken("<", written(answer(message, choice=0))))
                host.stdin.write(spoken[-1].line + "\n")
                host.stdin.flush()
    fields = ("type", "number", "seat", "events", "legal")
    return [
        f"$ rails-cli {' '.join(words)}",
        *transcript_lines(spoken[:10], *fields),
        "…",
        *transcript_lines(spoken[-1:]),
    ]


# Decisions, views, boards and events of each game


class Decision(NamedTuple):
    """A request, the name of the question in it, and the answer."""

    request: Json
    question: str
    action: Json


PLAYERS = {"chicago_express": 3, "american_rails": 4, "last_spike": 3}
DECISIONS = {
    "chicago_express": (
        ("bid_or_pass", "bid"),
        ("choose_action", "choose"),
        ("offer_share", "offer"),
        ("expand", "build"),
        ("expand", "pass"),
        ("develop", "develop"),
    ),
    "american_rails": (
        ("nominate", "offer"),
        ("bid", "bid"),
        ("found", "found"),
        ("choose", "choose"),
        ("develop", "develop"),
        ("fund", "fund"),
        ("take", "take"),
        ("auction", "offer"),
        ("expand", "build"),
        ("expand", "pass"),
    ),
    "last_spike": (("play", "play"), ("sell", "sell"), ("buy", "buy"), ("buy", "pass")),
}
"""By game, the kinds of decisions that the manual shows: names of questions, each with the type of the answer."""


def decisions(game_name: str, seed: int) -> Iterator[Decision]:
    """Play a game with the built-in player `busy` in all seats. Yield the decisions of seat 0."""
    game = load_game(game_name)
    reader = msgspec.json.Decoder(list[game.entry_type])  # type: ignore[name-defined]
    chance = stream(seed)

    def script(message: Json) -> Sequence[Reply]:
        if message["type"] != "request":
            return []
        legal = reader.decode(json.dumps(message["legal"]))
        return [answer(message, action=msgspec.to_builtins(without_info_fields(choose_busy(legal, chance))))]

    spoken = play(game_name, script, players=PLAYERS[game_name], seed=seed).spoken
    for asked, answered in pairwise(spoken):
        if asked.is_a("request"):
            request = asked.message
            yield Decision(request, request["view"]["question"]["asks"], answered.message["action"])


@cache
def all_decisions(game_name: str) -> dict[tuple[str, str], Decision]:
    found: dict[tuple[str, str], Decision] = {}
    wanted = set(DECISIONS[game_name])
    for seed in range(1, 200):
        for decision in decisions(game_name, seed):
            kind = (decision.question, decision.action["type"])
            if len(decision.request["legal"]) > 1:
                found.setdefault(kind, decision)
        if wanted <= set(found):
            return found
    raise LookupError(f"no game of {game_name} has {wanted - set(found)}")


def decision_transcript(game_name: str, question: str, action: str) -> list[str]:
    request, _, action_played = all_decisions(game_name)[question, action]
    message = only(short(request), "type", "number", "seat", "view", "legal", "default")
    message["view"] = only(message["view"], "question")
    reply = answer(request, action=action_played)
    return [*folded(written(message), "> ", "    "), *folded(written(reply), "< ", "    ")]


class GameRecord(NamedTuple):
    """The events of a game that was played without sending messages, and a view from the middle of the game."""

    events: list[Any]
    view: Any


def recorded_game(game_name: str, seed: int, policy: str, options: Any) -> GameRecord:
    """Play a game in this process and return its events, and a view from the middle of the game.

    No messages are exchanged: the policy named `policy` chooses every action. The view is None if the game is short.
    """
    setting = Setting(game_name, PLAYERS[game_name] - (policy == "random"), options)
    players = [PlayerLine(f"player {seat}") for seat in range(setting.players)]
    match = Match(setting.game, setting.board, header_of(setting.game, options, seed, players))
    chance = stream(seed)
    view = None
    while match.seat is not None:
        match.play(choice(setting, policy, match.state, match.legal, chance))
        if match.number == 60 and match.seat is not None:
            view = match.view_for(match.seat)
    return GameRecord(match.history, view)


def tag_of(kind: Any) -> str:
    return str(kind.__struct_config__.tag)


@cache
def event_examples(game_name: str) -> dict[str, Any]:
    """Return an example of each event type, by the name of the type.

    The example is the first event of this type in games with various options and policies.
    """
    found: dict[str, Any] = {}
    wanted = [tag_of(kind) for kind in get_args(load_game(game_name).event_type)]
    for seed in range(1, 100):
        for options in chosen_options(load_game(game_name).options_type):
            for policy in policies_of(game_name):
                for event in recorded_game(game_name, seed, policy, options).events:
                    found.setdefault(tag_of(type(event)), event)
                if all(tag in found for tag in wanted):
                    return {tag: found[tag] for tag in wanted}
    raise LookupError(f"no game of {game_name} has {set(wanted) - set(found)}")


def events_transcript(game_name: str) -> list[str]:
    examples = event_examples(game_name).values()
    return [line for event in examples for line in folded(written(short(msgspec.to_builtins(event))), "", "    ")]


def view_transcript(game_name: str) -> list[str]:
    return spread(msgspec.to_builtins(recorded_game(game_name, 1, "busy", load_game(game_name).options_type()).view))


def board_transcript(game_name: str) -> list[str]:
    return spread(load_game(game_name).wire_board(standard_board(game_name)))


TRANSCRIPTS: dict[str, Callable[[], list[str]]] = {
    "example": example_transcript,
    "why": why_transcript,
    "match": match_transcript,
    "hello": partial(one_message, "hello"),
    "start": partial(one_message, "start", players=3, clock=CLOCK),
    "request": request_transcript,
    "update": update_transcript,
    "rejected": rejected_transcript,
    "end": partial(one_message, "end"),
    "error": error_transcript,
    "join": join_transcript,
    "answers": answers_transcript,
    "again": again_transcript,
    "text": text_transcript,
    "delta": delta_transcript,
    "clock": clock_transcript,
    "restart": restart_transcript,
    "faults": faults_transcript,
    "hidden": hidden_transcript,
    "log": log_transcript,
    "host": host_transcript,
    **{
        f"{game}.{question}.{action}": partial(decision_transcript, game, question, action)
        for game, kinds in DECISIONS.items()
        for question, action in kinds
    },
    **{f"{game}.view": partial(view_transcript, game) for game in game_names()},
    **{f"{game}.board": partial(board_transcript, game) for game in game_names()},
    **{f"{game}.told": partial(events_transcript, game) for game in game_names()},
}
