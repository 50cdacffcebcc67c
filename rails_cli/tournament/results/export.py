"""Export of the results of a tournament: one row per seat and game as CSV or Parquet, or everything as JSON."""

import codecs
import csv
from collections.abc import Iterable, Iterator
from typing import IO, Any, get_args

import msgspec

from rails_cli.tournament.results.store import Listed, Store

_ECONOMY = ("paid", "returned", "built", "income", "shares", "companies")
_BATCH = 50_000
"""Number of rows that are written at once."""


class SeatRow(msgspec.Struct):
    """A row of the export: one seat of a game.

    `place` is the position of the seed group (games with one seed) in the schedule. Most other columns are those of
    `PlayedGame`, with the values of one seat. The columns from `paid` on are economic figures, or None if they were not
    recorded.
    """

    id: str
    group: str
    number: int
    place: int
    stage: str
    game: str
    players: int
    options: str
    board: str
    seed: str
    reason: str
    is_tainted: bool
    surplus: bool
    actions: int
    log: str | None
    head: str | None
    fingerprint: str
    seat: int
    entrant: str
    score: int | None
    rank: int | None
    faults: int
    ms: int
    is_lost: bool
    is_absent: bool
    paid: int | None
    returned: int | None
    built: int | None
    income: int | None
    shares: int | None
    companies: int | None


def rows_of(games: Iterable[Listed]) -> Iterator[dict[str, Any]]:
    for listed in games:
        game, setting, group = listed.played, listed.played.setting, listed.group
        options = ",".join(f"{name}={value}" for name, value in sorted(setting.options.items()))
        where = (listed.id, game.group, game.number, group.number, group.stage)
        what = (setting.game, setting.players, options, setting.board, str(game.seed))
        how = (game.reason, game.is_tainted, group.surplus, game.actions, game.log)
        for seat, entrant in enumerate(game.seating):
            is_absent = seat in game.absent
            came = (None, None) if is_absent else (game.scores[seat], game.ranks[seat])
            marks = (game.faults[seat], game.ms[seat], seat in game.lost, is_absent)
            profile = game.economy[seat] if game.economy and not is_absent else {}
            who = (game.head, game.fingerprint, seat, entrant, *came, *marks)
            yield msgspec.structs.asdict(SeatRow(*where, *what, *how, *who, *map(profile.get, _ECONOMY)))


def write_csv(store: Store, file: IO[bytes], *, with_surplus: bool) -> None:
    writer = csv.DictWriter(codecs.getwriter("utf-8")(file), SeatRow.__struct_fields__, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows_of(store.games(with_surplus=with_surplus)))


def write_json(store: Store, file: IO[bytes], *, with_surplus: bool) -> None:
    """Write a JSON object with the plan, the ending, the games and the faults.

    Include surplus games, which do not count because the tournament had already ended, only if `with_surplus`.
    """
    encode = msgspec.json.Encoder().encode
    file.write(b'{"plan":' + encode(store.plan()) + b',"ending":' + encode(store.ending()) + b',"games":[\n')
    for number, listed in enumerate(store.games(with_surplus=with_surplus)):
        about = {"id": listed.id, "stage": listed.group.stage, "place": listed.group.number}
        game = {**about, **msgspec.to_builtins(listed.played), "surplus": listed.group.surplus}
        file.write((b",\n" if number else b"") + encode(game))
    file.write(b'\n],"faults":[\n')
    for number, (group, fault) in enumerate(store.faults()):
        row = {"game": f"{group}-{fault.number}", **msgspec.to_builtins(fault)}
        file.write((b",\n" if number else b"") + encode(row))
    file.write(b"\n]}\n")


def write_parquet(store: Store, file: IO[bytes], *, with_surplus: bool) -> None:
    """Write a row for each seat of each game as Parquet. Raise ImportError if pyarrow is missing.

    Include surplus games, which do not count because the tournament had already ended, only if `with_surplus`.
    """
    import pyarrow
    import pyarrow.parquet

    types = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    fields = msgspec.structs.fields(SeatRow)
    schema = pyarrow.schema([(field.name, types[(*get_args(field.type), field.type)[0]]) for field in fields])
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        batch: list[dict[str, Any]] = []
        for row in rows_of(store.games(with_surplus=with_surplus)):
            batch.append(row)
            if len(batch) == _BATCH:
                writer.write_table(pyarrow.Table.from_pylist(batch, schema))
                batch = []
        writer.write_table(pyarrow.Table.from_pylist(batch, schema))
