"""Tests of the analysis and the log of an ended game over HTTP."""

import asyncio
import json
from pathlib import Path

from websockets.datastructures import Headers

from rails_cli.logs.shared_copy import shared_copy
from rails_cli.server.net.http import HttpPage
from rails_cli.server.pages.routes import MOST_LOG_BYTES, Pages
from rails_cli.web.site import files
from tests.support.tools import GOLDEN
from tests.support.waiting import HANG_S


def test_an_analysis_and_a_log_have_an_etag_and_are_not_sent_again_if_unchanged(tmp_path: Path) -> None:
    """A client that already has an analysis or a log gets status 304 instead of the content.

    The client sends the ETag, which identifies the content that it has. In this test, the log has only the first
    actions of a game, because analysing a whole game takes long.
    """
    log = tmp_path / "short.jsonl"
    lines = sorted(GOLDEN.glob("last_spike/*.jsonl"))[0].read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:4]))
    large = tmp_path / "large.jsonl"
    with large.open("wb") as file:
        file.truncate(MOST_LOG_BYTES + 1)

    async def main() -> tuple[HttpPage, ...]:
        pages = Pages(lambda: files()["/"], lambda token: b"", {"short": log, "large": large}.get, patience_s=HANG_S)

        async def asked(path: str, headers: Headers) -> HttpPage:
            answer: asyncio.Future[HttpPage] = asyncio.get_running_loop().create_future()
            pages.answer(path, "here", headers, answer.set_result)
            return await answer

        pages_of: list[HttpPage] = []
        for what in ("analysis", "log"):
            found = await asked(f"/api/{what}/short", Headers())
            again = await asked(f"/api/{what}/short", Headers({"If-None-Match": dict(found.more)["ETag"]}))
            pages_of += [found, again, await asked(f"/api/{what}/none", Headers())]
        pages_of.append(await asked("/api/log/large", Headers()))
        return tuple(pages_of)

    answers = asyncio.run(asyncio.wait_for(main(), HANG_S))
    assert [page.status for page in answers] == [*[200, 304, 404] * 2, 422]
    found, *_ = answers
    assert answers[3].body == shared_copy(log.read_bytes())
    players = {player["name"] for player in json.loads(lines[0])["players"]}
    assert {player["name"] for player in json.loads(found.body)["players"]} == players
