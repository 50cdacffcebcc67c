"""The results of several pools in one folder: what servers that share one register have played, rated together.

Games are taken as they are, with their logs, so that the audit of the folder holds for them as it does at their server.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import msgspec

from rails_cli.games.phrases import printable
from rails_cli.pool.results import link_log
from rails_cli.tournament.model import Entrant, SeedGroup
from rails_cli.tournament.plan import TournamentPlan, differences
from rails_cli.tournament.play import GameFault, GroupPlayed, log_name
from rails_cli.tournament.store import DATABASE, Listed, Store, StoreError, locked

KIND = "pool"
BATCH = 500
"""Games that are added at a time: all of them, or none."""


class Gathered(msgspec.Struct, frozen=True):
    """What came of it."""

    games: int
    """In the folder, in all."""
    new: int
    """That were not there before."""
    entrants: int


def gather(folders: Sequence[Path], into: Path) -> Gathered:
    """Adds the games that are not there yet, in the order in which they ended. Pools may be played in meanwhile.

    Raises StoreError if they cannot be one pool, with what differs, and OSError.
    """
    with ExitStack() as stack:
        sources = [stack.enter_context(Store(folder)) for folder in folders]
        before = [stack.enter_context(Store(into))] if (into / DATABASE).exists() else []
        plan, entrants = _together([*before, *sources])
        stack.enter_context(locked(into))
        target = stack.enter_context(Store(into, create=True))
        where = {"output": into.name, "base": str(into.parent.resolve()), "seed": None}
        target.begin(msgspec.structs.replace(plan, **where))
        known = {group.id for group in target.groups()}
        found = sorted(
            ((store, listed) for store in sources for listed in _unknown(store, known)),
            key=lambda one: (one[1].group.finished, one[1].id),
        )
        faults = {id(store): store.faults_by_game() for store in sources}
        waiting = iter(found)
        while batch := list(islice(waiting, BATCH)):
            _add(target, batch, faults)
        return Gathered(len(known), len(found), len(entrants))


def _together(stores: Sequence[Store]) -> tuple[TournamentPlan, list[Entrant]]:
    """The plan of the first with the games and the entrants of all, if they are played by the same rules."""
    entrants = _entrants(stores)
    first = stores[0].plan()
    settings = list(first.settings)
    for store in stores:
        plan = store.plan()
        if plan.kind != KIND:
            raise StoreError(f"{store.folder} holds a tournament ({plan.kind}), not the results of a pool")
        differing = differences(first, msgspec.structs.replace(plan, seed=None), {})
        if differing:
            raise StoreError(f"{store.folder} was played by other rules than {stores[0].folder}: {differing[0]}")
        settings += [setting for setting in plan.settings if setting not in settings]
    return msgspec.structs.replace(first, settings=tuple(settings), entrants=tuple(entrants)), entrants


def _entrants(stores: Sequence[Store]) -> list[Entrant]:
    """All of them; a name is of one owner."""
    found: dict[str, tuple[Entrant, Path]] = {}
    for store in stores:
        for name, last in store.seen().items():
            other, where = found.setdefault(name, (last.entrant, store.folder))
            if other.spec != last.entrant.spec:
                specs = f"{printable(other.spec)} in {where}, and {printable(last.entrant.spec)} in {store.folder}"
                words = f"two entrants are called {printable(name)}: {specs}"
                raise StoreError(f"{words}; pools that are rated together need one register")
    return [entrant for entrant, _ in found.values()]


def _unknown(store: Store, known: set[str]) -> Iterator[Listed]:
    """Each game once, wherever it comes from."""
    for listed in store.games():
        if listed.group.id not in known:
            known.add(listed.group.id)
            yield listed


def _add(target: Store, batch: Sequence[tuple[Store, Listed]], faults: dict[int, dict[str, list[GameFault]]]) -> None:
    rows, let_go = [], []
    number = target.next_number()
    for place, (store, listed) in enumerate(batch, number):
        game, group = listed.played, listed.group
        name = log_name(game.group, game.number)
        if (store.folder / name).is_file():
            link_log(store.folder / name, target.folder / name)
        else:
            let_go.append(Path(name).name)
        of_game = faults[id(store)].get(listed.id, [])
        played = GroupPlayed(group.id, [game], of_game, group.seconds, finished=group.finished)
        rows.append((place, SeedGroup(game.setting, game.seed, [game.seating], group.stage), played))
    target.add(rows, target.used_s() + sum(played.seconds for *_, played in rows))
    if let_go:
        target.let_go(let_go)
