"""Replies to plain HTTP requests: the web client and its files, replays, analyses, logs, metrics and health."""

import asyncio
import re
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from html import unescape
from http import HTTPStatus
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import msgspec
from websockets.datastructures import Headers

from rails_cli.games import load_face, whole_games
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.server.net.address import bearer
from rails_cli.server.net.http import TEXT, HttpPage, Reply, text_page
from rails_cli.server.settings import CallLater
from rails_cli.server.workers.low_priority import RAILS_CLI, low_priority_command
from rails_cli.web.guide import cover_file, guide_file
from rails_cli.web.site import FONT, HTML, JSON, POLICY, File, file_of, files, has_cover, rules_file

JSON_LINES = "application/jsonl"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
KEEP = "public, max-age=31536000, immutable"
"""Value of `Cache-Control` for files whose URL changes with their content."""
REPLAY_CPU_S = 60
"""Maximum number of CPU seconds of a process that makes a page."""
REPLAY_S = 600.0
"""Seconds after which a process that makes a page is killed."""
PATIENCE_S = 8.0
"""Seconds after which a client that waits for a page is asked to repeat its request."""
REPLAY = re.compile(r"/replay/([\w.-]{1,200})(/analysis)?")
"""Pattern of the path of a replay or of its analysis. The second group matches only the path of an analysis."""
ANALYSE = ("--looks", "10", "--workers", "1")
"""Options of `rails-cli analyse` for the analysis of a game. The analysis of a long game takes half of REPLAY_CPU_S."""
MOST_LOG_BYTES = 16 << 20
"""Maximum size in bytes of a log that a client can download.

The log of a long game has less than 1 MiB, without notes of bots.
"""
OWN_POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
PAGE_COST = 0.2
REPLAY_COST = 5.0
"""Cost of a replay, an analysis or a log, in units of the request budget (rate limit) of an address.

Probes of the server's health are free. Other pages cost PAGE_COST.
"""
More = Callable[[str, Headers, Reply], bool]
"""Function that answers a request for a path that `Pages` does not know. It returns False if there is no answer."""
NOTHING = text_page(HTTPStatus.NOT_FOUND, b"nothing here\n")
TOO_FAST = text_page(
    HTTPStatus.TOO_MANY_REQUESTS, b"your address asks for too much at once; wait a moment\n", ("Retry-After", "2")
)
BUSY = text_page(
    HTTPStatus.SERVICE_UNAVAILABLE,
    b"too many replays are asked for; this page looks again in a moment\n",
    ("Retry-After", "10"),
    ("Refresh", "10"),
)
LATER = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{what}: rails-cli</title>
<link rel="icon" href="{home}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{home}page.css">
<script src="{home}theme.js"></script>
</head>
<body>
<header><a class="back" href="{back}">← Back</a><h1><a class="mark" href="{home}">rails-cli</a></h1></header>
<main>
<section class="card">
<h2>{what} is being prepared</h2>
<p><progress value="{done}" max="{seconds}" aria-label="Estimated progress"></progress></p>
<p>{progress} This page reloads automatically.</p>
</section>
</main>
</body>
</html>
"""
"""HTML template of the page that is shown until a replay or an analysis is ready."""
TOO_LONG = b"""\
Analysing this game takes longer than this server allows. Go back to its replay; its log can be analysed elsewhere, with
`rails-cli analyse`.
"""
ANALYSIS_S = 30
"""Seconds that an analysis usually takes."""
LOG_AGAIN = text_page(HTTPStatus.ACCEPTED, b"the log is being copied; ask again\n", ("Retry-After", "2"))
TOO_LONG_FOR_API = text_page(
    HTTPStatus.UNPROCESSABLE_ENTITY,
    b"analysing this game takes longer than this server allows; `rails-cli analyse` can analyse its log elsewhere\n",
)
LOG_TOO_LONG = text_page(HTTPStatus.UNPROCESSABLE_ENTITY, b"the log of this game is too long to be copied here\n")
UNSIGNED = text_page(HTTPStatus.NOT_FOUND, b"this server does not sign its logs\n")
BROKEN = text_page(HTTPStatus.INTERNAL_SERVER_ERROR, b"this game cannot be shown\n")


def progress(waited_s: float, usual_s: int, ahead: int) -> tuple[int, str]:
    """Return the progress in making a page, as seconds from 0 to `usual_s`, and a sentence about the progress.

    Making it began `waited_s` seconds ago and usually takes `usual_s` seconds. `ahead` other pages are made first.
    """
    if ahead:
        return 0, f"{count_phrase(ahead, 'other page')} must be made before."
    if waited_s > usual_s:
        return usual_s, "It takes longer than usual, because the game is long or the server is busy."
    return round(waited_s), f"{round(waited_s)} of about {usual_s} seconds have passed."


class LaterData(NamedTuple):
    """The reply to a client that waits for data such as an analysis. The client repeats its request later.

    `seconds` is the usual time to make the data.
    """

    seconds: int

    def page(self, name: str, waited_s: float, ahead: int) -> HttpPage:
        """Return the reply as JSON, with the progress in making the data.

        `waited_s` is the number of seconds since the start of this work, and `ahead` the number of other analyses that
        are made first. `name` is not used.
        """
        done, words = progress(waited_s, self.seconds, ahead)
        content = msgspec.json.encode({"done": done, "usual": self.seconds, "words": words})
        return text_page(HTTPStatus.ACCEPTED, content, ("Retry-After", "3"))._replace(kind=JSON)


class Later(NamedTuple):
    """The page that a client sees until the requested page is made. It reloads itself.

    - `what` names the requested page.
    - `seconds` is the usual time to make it.
    - `home` and `back` are the relative URLs of the start page and of the previous page. In `back`, `{name}` stands for
      the name of the requested page.
    """

    what: str
    seconds: int
    home: str
    back: str

    def page(self, name: str, waited_s: float, ahead: int) -> HttpPage:
        """Return a page to show until the page `name` is made. The server began to make it `waited_s` seconds ago.

        `ahead` other pages are made first.
        """
        done, words = progress(waited_s, self.seconds, ahead)
        fields = {**self._asdict(), "back": self.back.format(name=name), "done": done, "progress": words}
        more = (("Retry-After", "2"), ("Refresh", "2"), ("Content-Security-Policy", POLICY))
        page = text_page(HTTPStatus.SERVICE_UNAVAILABLE, LATER.format(**fields).encode(), *more)
        return page._replace(kind=HTML)


def of_file(file: File, headers: Headers) -> HttpPage:
    """Return the response for a file, with status 304 and no content if the client has the current version."""
    version = f"W/{file.version}"  # weak, because it is the same for compressed content
    caching = KEEP if file.kind == FONT else "no-cache"
    more = (("Cache-Control", caching), ("ETag", version), ("Content-Security-Policy", policy_of(file)))
    known = ",".join(headers.get_all("If-None-Match"))
    if file.version in known or known.strip() == "*":
        return HttpPage(HTTPStatus.NOT_MODIFIED, file.kind, b"", more)
    return HttpPage(HTTPStatus.OK, file.kind, file.content, more)


def key_page(key: str, *, is_json: bool) -> HttpPage:
    """Return a response with the public key `key` that verifies signed logs, as JSON or as plain text."""
    if is_json:
        content = msgspec.json.encode({"kind": "ed25519", "key": key}) + b"\n"
        return text_page(HTTPStatus.OK, content)._replace(kind=JSON)
    return text_page(HTTPStatus.OK, key.encode() + b"\n")


def policy_of(file: File) -> str:
    """Return the content security policy of a file. A policy found in an HTML file is extended by a ban on framing."""
    own = OWN_POLICY.search(file.content) if file.kind == HTML else None
    return POLICY if own is None else f"{unescape(own[1].decode())}; frame-ancestors 'none'"


class Pages:
    """The HTTP pages of the server: files of the web client, replays, analyses, logs and metrics."""

    def __init__(
        self,
        games: Callable[[], File],
        metrics: Callable[[str | None], bytes],
        ended_log: Callable[[str], Path | None],
        not_ready: Callable[[], str | None] = lambda: None,
        may_ask: Callable[[str, float], bool] = lambda address, cost: True,
        more: More = lambda path, headers, reply: False,
        patience_s: float = PATIENCE_S,
        call_later: CallLater | None = None,
        cpu_s: int = REPLAY_CPU_S,
        key: str | None = None,
        branches: Callable[[str], list[Path]] = lambda name: [],
    ) -> None:
        """Prepare the pages.

        - `games` returns the content of `/games.json`.
        - `metrics` returns the content of `/metrics` for a client with a token.
        - `ended_log` takes the name of a table and returns the path of the log of its finished game. None if the log
          may not be shown.
        - `branches` takes the name of a game and returns the logs of games that continue from its positions.
        - `not_ready` returns the reason why no table can be created, or None.
        - `may_ask` takes the cost of a page from the request budget (rate limit) of an address. It returns False if the
          remaining budget is too small.
        - `patience_s` and `cpu_s` are limits for making pages (see `PageMaker`).
        - `more` handles other paths.
        - `key` is the public key of signed logs.
        - `call_later` schedules a call, by default on the event loop.
        """
        self._key = key
        self._metrics = metrics
        self._ended_log = ended_log
        self._not_ready = not_ready
        self._branches = branches
        self._may_ask = may_ask
        self._more = more
        maker = partial(PageMaker, patience_s=patience_s, cpu_s=cpu_s, call_later=call_later)
        replay = Later("The replay", 5, home="../", back="../")
        analysis = Later("The analysis", ANALYSIS_S, home="../../", back="../{name}")
        self._replays = maker(replay, at_once=2, waiting=20, kept=24)
        self._judgements = maker(LaterData(ANALYSIS_S), at_once=1, waiting=4, kept=12, make=analysed)
        self._analyses = maker(
            analysis, at_once=1, waiting=4, kept=12, make=self._with_analysis, first=self._judgements
        )
        """Maker of pages with analyses.

        It is separate from the maker of replays, so that replays do not wait for analyses.
        """
        self._guides = maker(Later("The guide", 5, home="../", back="../"), at_once=1, waiting=8, kept=24, make=guided)
        self._covers = maker(BUSY, at_once=1, waiting=64, kept=64, make=drawn_cover, patience_s=REPLAY_S)
        self._logs = maker(LOG_AGAIN, at_once=1, waiting=20, kept=24, make=copied_log)
        self._routes = (
            Route(re.compile("/healthz"), lambda path, headers: text_page(HTTPStatus.OK, b"ok\n"), cost=0.0),
            Route(re.compile("/readyz"), self._readiness, cost=0.0),
            Route(re.compile("/metrics"), self._metrics_page),
            Route(re.compile("/games[.]json"), lambda path, headers: games()),
            Route(re.compile("/key([.]json)?"), self._key_page),
            Route(re.compile(r"/rules/(\w+)"), self._rules),
            Route(re.compile(r"/guide/(\w+)"), self._guide),
            Route(re.compile(r"/board/(\w+)[.]svg"), self._cover),
            Route(REPLAY, self._replay, REPLAY_COST),
            Route(re.compile(r"/api/analysis/([\w.-]{1,200})"), self._judgement, REPLAY_COST),
            Route(re.compile(r"/api/log/([\w.-]{1,200})"), self._log, REPLAY_COST),
            Route(re.compile("(?s:.*)"), lambda path, headers: files().get(path[0])),
        )

    def answer(self, path: str, address: str, headers: Headers, reply: Reply) -> None:
        """Call `reply` once with the page at `path`, now or later. Charge the cost of the page to `address`."""
        found, route = next((found, route) for route in self._routes if (found := route.path.fullmatch(path)))
        if route.cost and not self._may_ask(address, route.cost):
            reply(TOO_FAST)
            return
        page = route.answer(found, headers)
        if isinstance(page, PageToMake):
            page.maker.ask(page.name, page.words, address, headers, reply)
        elif page is not None:
            reply(_shown(page, headers))
        elif not self._more(path, headers, reply):
            reply(NOTHING)

    def _readiness(self, path: re.Match[str], headers: Headers) -> HttpPage:
        reason = self._not_ready()
        status = HTTPStatus.OK if reason is None else HTTPStatus.SERVICE_UNAVAILABLE
        return text_page(status, f"{reason or 'ready'}\n".encode())

    def _metrics_page(self, path: re.Match[str], headers: Headers) -> HttpPage:
        return text_page(HTTPStatus.OK, self._metrics(bearer(headers)))._replace(kind=METRICS)

    def _key_page(self, path: re.Match[str], headers: Headers) -> HttpPage:
        return UNSIGNED if self._key is None else key_page(self._key, is_json=path[1] is not None)

    def _rules(self, path: re.Match[str], headers: Headers) -> File | None:
        return rules_file(path[1]) if path[1] in whole_games() else None

    def _guide(self, path: re.Match[str], headers: Headers) -> "PageToMake | None":
        return PageToMake(self._guides, path[1], [path[1]]) if path[1] in whole_games() else None

    def _cover(self, path: re.Match[str], headers: Headers) -> "PageToMake | None":
        exists = path[1] in whole_games() and has_cover(load_face(path[1]))
        return PageToMake(self._covers, path[1], [path[1]]) if exists else None

    def _replay(self, path: re.Match[str], headers: Headers) -> "PageToMake | None":
        """Return a description of the replay or analysis to make for a finished game.

        None if `path` names no such game.
        """
        name, has_analysis = path[1], path[2] is not None
        log = self._ended_log(name)
        if log is None:
            return None
        if has_analysis:
            ways = ("--no-branches", "--back-at", f"../{name}", "--play-at", f"../../#from/{name}/")
            return PageToMake(self._analyses, name, [name, str(log), *ways])
        branches = [str(branch) for branch in self._branches(name)]
        more = [word for branch in branches for word in ("--branch", branch)]
        more += ["--analysis-at", f"{name}/analysis", "--back-at", "../", "--play-at", f"../#from/{name}/"]
        return PageToMake(self._replays, " ".join([name, *branches]), [str(log), *more])

    async def _with_analysis(self, words: list[str], cpu_s: int) -> File | HttpPage | None:
        """Return the page with the analysis of the game `words[0]`. `words[1]` is the path of the log.

        The other words are options of `rails-cli export`. The same analysis answers requests for JSON, so that it is
        made only once.
        """
        name, log, *options = words
        analysis = await self._judgements.made(name, [log])
        if not isinstance(analysis, File):
            return analysis and file_of(TEXT, TOO_LONG)
        with NamedTemporaryFile() as file:
            file.write(msgspec.json.encode(_Analyses(1, [_Analysed(log, msgspec.Raw(analysis.content))])))
            file.flush()
            return await exported([log, "--analysis-from", file.name, *options], cpu_s)

    def _judgement(self, path: re.Match[str], headers: Headers) -> "PageToMake | None":
        log = self._ended_log(path[1])
        return None if log is None else PageToMake(self._judgements, path[1], [str(log)])

    def _log(self, path: re.Match[str], headers: Headers) -> "PageToMake | None":
        log = self._ended_log(path[1])
        return None if log is None else PageToMake(self._logs, path[1], [str(log)])


class PageMaker:
    """Maker of pages, for example from logs. Each page is made once for all clients that wait for it.

    Recent pages are cached.
    """

    def __init__(
        self,
        soon: HttpPage | Later | LaterData,
        *,
        at_once: int,
        waiting: int,
        kept: int,
        patience_s: float,
        cpu_s: int,
        call_later: CallLater | None = None,
        make: Callable[[list[str], int], Awaitable[File | HttpPage | None]] | None = None,
        first: "PageMaker | None" = None,
    ) -> None:
        """Create a maker of pages.

        - `soon` is the reply to a client that has waited for `patience_s` seconds.
        - `at_once` is the number of pages made at the same time.
        - `waiting` is the maximum number of unfinished pages.
        - `kept` is the maximum number of pages in the cache.
        - `make` makes a page from command line arguments. By default, it is `exported`.
        - `cpu_s` is the maximum CPU time of `make` in seconds.
        - `first` makes most of each page under the same name, so the progress of a page begins with it.
        """
        self._first = first
        self._make_file = make or exported
        self._soon = soon
        self._at_once = at_once
        self._turns = asyncio.Semaphore(at_once)
        self._most_waiting = waiting
        self._most_each = max(2, waiting // 4)
        self._most_kept = kept
        self._patience_s = patience_s
        self._cpu_s = cpu_s
        self._call_later = call_later
        self._kept: dict[str, File | HttpPage] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """Mapping from the names of unfinished pages to their tasks, the earliest first."""
        self._begun_at: dict[str, float] = {}
        """Mapping from the names of unfinished pages to their start times, in seconds of the event loop's clock."""
        self._waiting: dict[str, dict[Reply, Headers]] = {}
        """Mapping from page name to the clients that wait for the page: reply functions with request headers."""
        self._askers: dict[str, str] = {}
        """Mapping from page name to the address that first requested the page."""

    def ask(self, name: str, words: list[str], address: str, headers: Headers, reply: Reply) -> None:
        """Reply with the page `name` from the cache, or make the page first with the command line arguments `words`.

        Reply BUSY if too many pages are unfinished, in total or for `address`.
        """
        if name in self._kept:
            reply(_shown(self._kept[name], headers))
        elif name not in self._tasks and (
            len(self._tasks) >= self._most_waiting or list(self._askers.values()).count(address) >= self._most_each
        ):
            reply(BUSY)
        else:
            self._begin(name, words, address)
            self._waiting[name][reply] = headers
            call_later = self._call_later or asyncio.get_running_loop().call_later
            call_later(self._patience_s, partial(self._put_off, name, reply))

    async def made(self, name: str, words: list[str]) -> File | HttpPage | None:
        """Return the page `name`, however long it takes to make. Return None if it cannot be made."""
        if name not in self._kept:
            await asyncio.wait([self._begin(name, words, "")])
        return self._kept.get(name)

    def _begin(self, name: str, words: list[str], address: str) -> asyncio.Task[None]:
        """Begin to make the page `name` for `address`, unless it is being made. Return the task."""
        if name not in self._tasks:
            self._waiting[name] = {}
            self._tasks[name] = asyncio.get_running_loop().create_task(self._make(name, words))
            self._askers[name] = address
        return self._tasks[name]

    def _put_off(self, name: str, reply: Reply) -> None:
        """Ask a client that still waits for the page `name` to repeat its request later.

        `reply` sends a page to that client.
        """
        if name in self._waiting and self._waiting[name].pop(reply, None) is not None:
            soon = self._soon
            reply(soon if isinstance(soon, HttpPage) else soon.page(name, *self._progress(name)))

    def _progress(self, name: str) -> tuple[float, int]:
        """Return the number of seconds for which the page `name` has been made so far, 0 if it is not begun yet.

        Also return the number of pages that must be finished first.
        """
        if self._first is not None and name in self._first._tasks:
            return self._first._progress(name)
        now = asyncio.get_running_loop().time()
        ahead = max(0, list(self._tasks).index(name) + 1 - self._at_once)
        return now - self._begun_at.get(name, now), ahead

    async def _make(self, name: str, words: list[str]) -> None:
        """Make the page `name` when fewer than `at_once` pages are being made, and send it to all waiting clients."""
        page = None
        try:
            async with self._turns:
                self._begun_at[name] = asyncio.get_running_loop().time()
                with suppress(TimeoutError, OSError):
                    page = await asyncio.wait_for(self._make_file(words, self._cpu_s), REPLAY_S)
        finally:
            del self._tasks[name], self._askers[name]
            self._begun_at.pop(name, None)
            for reply, headers in self._waiting.pop(name).items():
                reply(BROKEN if page is None else _shown(page, headers))
        if page is not None:
            while len(self._kept) >= self._most_kept:
                del self._kept[next(iter(self._kept))]
            self._kept[name] = page


def _shown(page: File | HttpPage, headers: Headers) -> HttpPage:
    return page if isinstance(page, HttpPage) else of_file(page, headers)


class PageToMake(NamedTuple):
    """A page to make. `maker` makes it with the command line arguments `words`, unless `name` is in the cache."""

    maker: PageMaker
    name: str
    words: list[str]


class Route(NamedTuple):
    """The pages whose path matches `path`. `answer` returns the page, or None if there is no such page.

    `cost` is the cost of a page in units of the request budget (rate limit) of an address.
    """

    path: re.Pattern[str]
    answer: Callable[[re.Match[str], Headers], HttpPage | File | PageToMake | None]
    cost: float = PAGE_COST


async def exported(words: list[str], cpu_s: int) -> File | None:
    """Run `rails-cli export --html` with the arguments `words` and return the page. None if the command fails.

    If the command takes more than `cpu_s` seconds of CPU time, return a page with this error.
    """
    code, written = await _run(["export", *words, "--html", "-"], cpu_s)
    if code == -signal.SIGXCPU:
        return file_of(TEXT, TOO_LONG)
    return file_of(HTML, written) if code == 0 and OWN_POLICY.search(written) else None


async def guided(words: list[str], cpu_s: int) -> File:
    """Return the page with the guide of the game `words[0]`. `cpu_s` is not used.

    The page is made in a thread, because it takes long: a game is played for its pictures.
    """
    return await asyncio.to_thread(guide_file, words[0])


async def drawn_cover(words: list[str], cpu_s: int) -> File:
    """Return the picture of the game `words[0]` for the lobby. `cpu_s` is not used.

    The picture is made in a thread, because it takes long: a game is played for it.
    """
    return await asyncio.to_thread(cover_file, words[0])


async def analysed(words: list[str], cpu_s: int) -> File | HttpPage | None:
    """Run `rails-cli analyse --json` with the arguments `words` and return the analysis. None if the command fails.

    If the command takes more than `cpu_s` seconds of CPU time, return an error page.
    """
    code, written = await _run(["analyse", *words, "--json", *ANALYSE], cpu_s)
    if code == -signal.SIGXCPU:
        return TOO_LONG_FOR_API
    return file_of(JSON, bytes(msgspec.json.decode(written, type=_Analyses).games[0].analysis)) if code == 0 else None


async def copied_log(words: list[str], cpu_s: int) -> File | HttpPage | None:
    """Run `rails-cli export --log` for the log `words[0]` and return the copy. None if the log is invalid.

    If the log has more than MOST_LOG_BYTES bytes, or copying it takes more than `cpu_s` seconds of CPU time, return an
    error page.
    """
    if Path(words[0]).stat().st_size > MOST_LOG_BYTES:
        return LOG_TOO_LONG
    code, written = await _run(["export", words[0], "--log", "-"], cpu_s)
    if code == -signal.SIGXCPU:
        return LOG_TOO_LONG
    return file_of(JSON_LINES, written) if code == 0 else None


class _Analysed(msgspec.Struct):
    file: str
    analysis: msgspec.Raw


class _Analyses(msgspec.Struct):
    """The output of `rails-cli analyse --json`."""

    format: int
    games: list[_Analysed]


async def _run(words: list[str], cpu_s: int) -> tuple[int | None, bytes]:
    """Run `rails-cli` with the arguments `words` for at most `cpu_s` CPU seconds. Return its exit code and output."""
    process = await asyncio.create_subprocess_exec(
        *low_priority_command(RAILS_CLI, *words, cpu_s=cpu_s),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        written, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, written
