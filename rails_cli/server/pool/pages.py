"""HTTP API of the pool: the standings, and for each entrant its games, faults and rating curve."""

import asyncio
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

import msgspec
from websockets.datastructures import Headers

from rails_cli.games import load_face, load_game
from rails_cli.protocol.pool import StandingInfo
from rails_cli.protocol.pool_api import (
    EntrantPage,
    PoolFaultInfo,
    PoolGameInfo,
    PoolOverview,
    PoolSetting,
    PoolTable,
    RatingPoint,
)
from rails_cli.server.net.http import Reply, text_page
from rails_cli.server.pages.routes import BUSY, NOTHING, REPLAY, of_file
from rails_cli.server.pool.pool import Pool
from rails_cli.server.pool.rating import RATINGS_FILE, RatingHistory
from rails_cli.server.store.records import pool_table_id
from rails_cli.tournament.results.group_results import log_name
from rails_cli.tournament.results.store import GROUP_ID, Listed, Store, StoreError
from rails_cli.web.site import JSON, File, file_of

OVERVIEW = "/api/pool"
ENTRANT = re.compile(r"/api/pool/entrants/([^/]{1,400})")
"""Pattern of the path of an entrant's page."""
FRESH_S = 1.0
"""Seconds for which a page is sent again instead of being made again."""
MOST_TABLES = 30
"""Maximum number of running games on a page."""
MOST_GAMES = 50
"""Maximum number of games on the page of an entrant."""
MOST_FAULTS = 20
"""Maximum number of faults on the page of an entrant."""
GAMES_SEARCHED = 20_000
"""Number of latest games of the pool that are searched for the games of an entrant."""
PAGES_KEPT = 200
"""Maximum number of pages of entrants in the cache."""
MOST_AT_ONCE = 4
"""Maximum number of pages of entrants that are being made at the same time."""
GONE = text_page(HTTPStatus.GONE, b"the log of this game is no longer kept; its result still counts\n")
UNREADABLE = text_page(HTTPStatus.INTERNAL_SERVER_ERROR, b"the results of this pool cannot be read\n")


class PoolPages:
    """HTTP pages about a pool. They show stored results, which are read in a thread."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._now = pool.registry.now
        self._overview: tuple[float, File] | None = None
        self._entrants: dict[str, tuple[float, File]] = {}
        self._waiting: dict[str, list[tuple[Headers, Reply]]] = {}
        """Mapping from the name of an entrant to the clients that wait for the page of the entrant."""
        self._tasks: set[asyncio.Task[None]] = set()

    def answer(self, path: str, headers: Headers, reply: Reply) -> bool:
        """Answer a request for `path` by calling `reply`, now or later. Return False if the pool has no such page."""
        if path == OVERVIEW:
            now = self._now()
            if self._overview is None or now - self._overview[0] > FRESH_S:
                self._overview = now, file_of(JSON, msgspec.json.encode(self._make_overview()))
            reply(of_file(self._overview[1], headers))
            return True
        game = REPLAY.fullmatch(path)
        if game is not None and game[1] in self._pool.results.stored:
            reply(GONE)
            return True
        found = ENTRANT.fullmatch(path)
        if found is None:
            return False
        self._answer_entrant(unquote(found[1]), headers, reply)
        return True

    def log_of(self, id: str) -> Path | None:
        """Return the path of the log of the pool game `id`, even if the game's table was removed.

        None if there is no log.
        """
        file = self._pool.folder / log_name(id, 0)
        return file if GROUP_ID.fullmatch(id) and file.is_file() else None

    def _make_overview(self) -> PoolOverview:
        pool = self._pool
        running = [
            (table.info(), table.spec.pool.seating)
            for table in pool.registry.tables.values()
            if table.spec.pool is not None and table.state == "playing"
        ]
        tables = [
            PoolTable(info.table, load_game(info.game).title, names, info.actions)
            for info, names in reversed(running[-MOST_TABLES:])
        ]
        season = pool.entrants.season
        return PoolOverview(
            season.state,
            season.ends_at,
            pool.allowed.words,
            pool.settings.entry,
            pool.terms.clock,
            [PoolSetting(one.game, load_game(one.game).title, one.players) for one in pool.terms.settings],
            pool.games.stored,
            round(pool.registry.wall()),
            pool.standings.rows([pool.entrants.named(row.entrant) for row in pool.standings.all()]),
            tables,
            len(running),
        )

    def _answer_entrant(self, name: str, headers: Headers, reply: Reply) -> None:
        cached = self._entrants.get(name)
        if name not in self._pool.entrants.by_name:
            reply(NOTHING)
        elif cached is not None and self._now() - cached[0] <= FRESH_S:
            reply(of_file(cached[1], headers))
        elif name in self._waiting:
            self._waiting[name].append((headers, reply))
        elif len(self._waiting) >= MOST_AT_ONCE:
            reply(BUSY)
        else:
            self._waiting[name] = [(headers, reply)]
            task = asyncio.get_running_loop().create_task(self._make(name))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _make(self, name: str) -> None:
        """Make the page of the entrant `name`, and send it to all clients that wait for it."""
        file = None
        try:
            games, faults, curve = await asyncio.to_thread(_read, self._pool.folder, name)
            file = file_of(JSON, msgspec.json.encode(self._page(name, games, faults, curve)))
            self._entrants.pop(name, None)
            while len(self._entrants) >= PAGES_KEPT:
                del self._entrants[next(iter(self._entrants))]
            self._entrants[name] = self._now(), file
        except (StoreError, OSError) as error:
            self._pool.registry.report(f"the page of an entrant cannot be made: {error}")
        finally:
            for headers, reply in self._waiting.pop(name):
                reply(UNREADABLE if file is None else of_file(file, headers))

    def _page(
        self, name: str, games: list[PoolGameInfo], faults: list[PoolFaultInfo], curve: list[RatingPoint]
    ) -> EntrantPage:
        pool = self._pool
        entrant = pool.entrants.named(name)
        [row] = pool.standings.rows([entrant])
        return EntrantPage(
            row, self._versions(name), curve, games, faults, entrant.check, pool.entrants.next_check(entrant)
        )

    def _versions(self, name: str) -> list[StandingInfo]:
        """Return the standings of all earlier and later versions of the entrant `name`, in order of registration."""
        entrants = self._pool.entrants.by_name
        line = {name}
        before = entrants[name].follows
        while before in entrants and before not in line:
            line.add(before)
            before = entrants[before].follows
        for one in entrants.values():  # successors are registered after their predecessors
            if one.follows in line:
                line.add(one.name)
        return [self._pool.standings.of(one) for one in entrants.values() if one.name in line and one.name != name]


def _read(folder: Path, name: str) -> tuple[list[PoolGameInfo], list[PoolFaultInfo], list[RatingPoint]]:
    """Return the last games, the last faults and the rating curve of the entrant `name`, read from `folder`."""
    history = RatingHistory(folder / RATINGS_FILE)
    with Store(folder) as store:
        codes = store.fault_codes_of(name)
        games = [
            _game(listed, name, folder, history, codes)
            for listed in store.last_games_of(name, MOST_GAMES, GAMES_SEARCHED)
        ]
        faults = [
            PoolFaultInfo(group, fault.action, fault.code, fault.message)
            for group, fault in store.last_faults_of(name, MOST_FAULTS)
        ]
    return games, faults, history.of(name)


def _game(
    listed: Listed, name: str, folder: Path, history: RatingHistory, codes: Mapping[str, dict[str, int]]
) -> PoolGameInfo:
    game = listed.played
    seat = game.seating.index(name)
    before, after = history.change(game.group, name)
    return PoolGameInfo(
        game.group,
        round(listed.group.finished),
        load_game(game.setting.game).title,
        game.seating,
        game.ranks,
        game.scores,
        seat,
        game.faults[seat],
        seat in game.lost,
        game.reason,
        has_replay=(folder / log_name(game.group, 0)).is_file(),
        table=pool_table_id(game.seed, game.group),
        before=before,
        after=after,
        fault_codes=codes.get(game.group, {}),
        unit=load_face(game.setting.game).unit,
    )
