"""Tests of signed logs of a server: signatures prove who wrote a log and who held the seats, even after crashes."""

import json
from hashlib import sha256
from pathlib import Path

from rails_cli.logs.signing import Signing
from rails_cli.logs.verify import verify_file
from tests.support.fetching import fetched
from tests.support.tools import rails
from tests.support.ws_client import Client, ClockedServer, ServerProcess, all_play, clients, duel


def signing(server: ServerProcess, table: str) -> Signing:
    """Check that the log of `table` is unchanged since it was signed. Return the signature data of the log."""
    verdict = verify_file(server.log(table))
    assert verdict.mistake is None
    assert verdict.signing is not None
    assert verdict.signing.is_checked
    return verdict.signing


def answer_some(client: Client, count: int) -> None:
    for _ in range(count):
        client.answer(client.until("request"))


def test_logs_stay_signed_after_crashes_and_restarts(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with ClockedServer(folder) as server, clients(server.url, 2) as (ann, bob):
        status, headers, body = fetched(server, "/key")
        key = body.decode().strip()
        assert (status, headers["content-type"], len(key)) == (200, "text/plain; charset=utf-8", 64)
        assert json.loads(fetched(server, "/key.json")[2]) == {"kind": "ed25519", "key": key}
        assert (folder / "signing-key").stat().st_mode & 0o777 == 0o600
        shown = rails("key", "show", f"http://127.0.0.1:{server.port}/key")
        assert shown.stdout.strip() == key
        first, token = duel(server, ann)
        second, other_token = duel(server, bob)
        answer_some(ann, 5)
        answer_some(bob, 5)
        ann.until("request")
        bob.until("request")
        players = server.lines(first)[0]["players"]
        assert players[0]["holder"] == sha256(token.encode()).hexdigest()[:32]
        assert "holder" not in players[1], "a built-in player has no token"
        assert token.encode() not in server.log(first).read_bytes()
        assert not signing(server, first).signed
        server.advance(11)
        assert signing(server, first).signed, "a long game is signed at intervals"
        server.kill()
    log = server.log(first)
    log.write_bytes(log.read_bytes() + b'{"type":"action","number":')  # as if the server had been killed while writing

    with ClockedServer(folder) as server, clients(server.url, 2) as (ann, bob):
        assert server.going_on == 2
        ann.asked(type="resume", token=token)
        bob.asked(type="resume", token=other_token)
        answer_some(ann, 2)
        answer_some(bob, 2)
        assert server.stop() == 0
    for table in (first, second):
        stopped = signing(server, table)
        assert (stopped.key, stopped.signed) == (key, stopped.lines), "all lines are signed when the server stops"
    changed = server.log(second).read_bytes().replace(b'"name":', b'"name":"x","seat":', 1)
    server.log(second).write_bytes(changed)

    with ClockedServer(folder) as server, Client(server.url) as ann:
        assert server.going_on == 1
        assert any(f"table {second} cannot be brought back: line " in line for line in server.said)
        ann.asked(type="resume", token=token)
        all_play([ann])
        ended = signing(server, first)
        assert (ended.key, ended.signed) == (key, ended.lines)
        address = f"http://127.0.0.1:{server.port}/key"
        proved = rails("verify", str(server.log(first)), "--finished", "--key", address)
        assert proved.returncode == 0, proved.stdout
        assert f"signed by {key[:16]}: 1 log, and the signature holds" in proved.stdout

    with ClockedServer(tmp_path / "other", "--sign", "never") as server, Client(server.url) as ann:
        assert fetched(server, "/key")[0] == 404
        table, _ = duel(server, ann)
        ann.until("request")
        assert "key" not in server.lines(table)[0]
        assert not (server.folder / "signing-key").exists()
    (folder / "signing-key").write_text("lost")
    refused = rails("serve", "--port", "0", "--data", str(folder))
    assert (refused.returncode, "restore signing-key from a backup" in refused.stderr) == (1, True)
