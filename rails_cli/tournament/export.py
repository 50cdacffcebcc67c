"""The results of a tournament for other programs: a row for each seat of each game, or everything as JSON."""

import codecs
import csv
from collections.abc import Iterable, Iterator
from typing import IO, Any

import msgspec

from rails_cli.tournament.store import Listed, Store

COLUMNS: dict[str, type] = {
    "id": str,
    "group": str,
    "number": int,
    "place": int,
    "stage": str,
    "game": str,
    "players": int,
    "options": str,
    "board": str,
    "seed": int,
    "reason": str,
    "is_tainted": bool,
    "surplus": bool,
    "actions": int,
    "log": str,
    "head": str,
    "seat": int,
    "entrant": str,
    "score": int,
    "rank": int,
    "faults": int,
    "ms": int,
    "paid": int,
    "returned": int,
    "built": int,
    "income": int,
    "shares": int,
    "companies": int,
}

_ECONOMY = ("paid", "returned", "built", "income", "shares", "companies")
_BATCH = 50_000


def rows_of(games: Iterable[Listed]) -> Iterator[dict[str, Any]]:
    """A row for each seat of each game; what the economy did not note is None."""
    for listed in games:
        game = listed.played
        common = {
            "id": listed.id,
            "group": game.group,
            "number": game.number,
            "place": listed.group.number,
            "stage": listed.group.stage,
            "game": game.setting.game,
            "players": game.setting.players,
            "options": ",".join(f"{name}={value}" for name, value in sorted(game.setting.options.items())),
            "board": game.setting.board,
            "seed": game.seed,
            "reason": game.reason,
            "is_tainted": game.is_tainted,
            "surplus": listed.group.surplus,
            "actions": game.actions,
            "log": game.log,
            "head": game.head,
        }
        for seat, entrant in enumerate(game.seating):
            profile = game.economy[seat] if game.economy else {}
            yield {
                **common,
                "seat": seat,
                "entrant": entrant,
                "score": game.scores[seat],
                "rank": game.ranks[seat],
                "faults": game.faults[seat],
                "ms": game.ms[seat],
                **{name: profile.get(name) for name in _ECONOMY},
            }


def write_csv(store: Store, file: IO[bytes], *, with_surplus: bool) -> None:
    writer = csv.DictWriter(codecs.getwriter("utf-8")(file), list(COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows_of(store.games(with_surplus=with_surplus)))


def write_json(store: Store, file: IO[bytes], *, with_surplus: bool) -> None:
    """One object: the plan, how it ended, the games, the faults."""
    encode = msgspec.json.Encoder().encode
    file.write(b'{"plan":' + encode(store.plan()) + b',"ending":' + encode(store.ending()) + b',"games":[\n')
    for number, listed in enumerate(store.games(with_surplus=with_surplus)):
        about = {"id": listed.id, "stage": listed.group.stage, "place": listed.group.number}
        game = {**about, **msgspec.to_builtins(listed.played), "surplus": listed.group.surplus}
        file.write((b",\n" if number else b"") + encode(game))
    file.write(b'\n],"faults":[\n')
    for number, (group, fault) in enumerate(store.faults()):
        told = {"game": f"{group}-{fault.number}", **msgspec.to_builtins(fault)}
        file.write((b",\n" if number else b"") + encode(told))
    file.write(b"\n]}\n")


def write_parquet(store: Store, file: IO[bytes], *, with_surplus: bool) -> None:
    """Raises ImportError without pyarrow."""
    import pyarrow
    import pyarrow.parquet

    types = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        batch: list[dict[str, Any]] = []
        for row in rows_of(store.games(with_surplus=with_surplus)):
            batch.append(row)
            if len(batch) == _BATCH:
                writer.write_table(pyarrow.Table.from_pylist(batch, schema))
                batch = []
        writer.write_table(pyarrow.Table.from_pylist(batch, schema))
