"""Merging of the results of several pools with the same entrants into one folder, so that they are rated together.

Games are copied unchanged with their logs, so that an audit of the folder can check them.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import msgspec

from rails_cli.games.shared.text import printable
from rails_cli.server.pool.results import link_log
from rails_cli.tournament.model import Entrant, SeedGroup
from rails_cli.tournament.plan.plan import TournamentPlan, differences
from rails_cli.tournament.results.group_results import GameFault, GroupPlayed, log_name
from rails_cli.tournament.results.store import DATABASE, Listed, Store, StoreError, locked

KIND = "pool"
BATCH = 500
"""Number of games added in one transaction."""


class Merged(msgspec.Struct, frozen=True):
    games: int
    new: int
    """Number of games that the merge added to the folder."""
    entrants: int


def merge_results(folders: Sequence[Path], into: Path) -> Merged:
    """Add the games in `folders` that are missing in the folder `into`, in the order in which the games ended.

    Return how many games and entrants `into` has then, and how many of the games are new. The pools may be running.
    Raise OSError, or StoreError if the pools have different rules or disagree about a game.
    """
    with ExitStack() as stack:
        sources = [stack.enter_context(Store(folder)) for folder in folders]
        before = [stack.enter_context(Store(into))] if (into / DATABASE).exists() else []
        plan, entrants = _merged_plan([*before, *sources])
        there = _games([*before, *sources])
        _check_logs([one for one in there.values() if one[0] not in before])
        stack.enter_context(locked(into))
        target = stack.enter_context(Store(into, create=True))
        where = {"output": into.name, "base": str(into.parent.resolve()), "seed": None}
        target.begin(msgspec.structs.replace(plan, **where))
        known = {group.id for group in target.groups()}
        found = sorted(
            (one for game, one in there.items() if game not in known),
            key=lambda one: (one[1].group.finished, one[1].id),
        )
        faults = {id(store): store.faults_by_game() for store in sources}
        waiting = iter(found)
        while batch := list(islice(waiting, BATCH)):
            _add(target, batch, faults)
        return Merged(len(known) + len(found), len(found), len(entrants))


def _merged_plan(stores: Sequence[Store]) -> tuple[TournamentPlan, list[Entrant]]:
    """Return a tournament plan with the settings and entrants of all stores, and the list of entrants.

    Raise StoreError if the pools have different rules.
    """
    entrants = _entrants(stores)
    first = stores[0].plan()
    settings = list(first.settings)
    for store in stores:
        plan = store.plan()
        if plan.kind != KIND:
            raise StoreError(f"{store.folder} holds a tournament ({plan.kind}), not the results of a pool")
        differing = differences(first, msgspec.structs.replace(plan, seed=None), {})
        if differing:
            raise StoreError(f"{store.folder} was played under different rules than {stores[0].folder}: {differing[0]}")
        settings += [setting for setting in plan.settings if setting not in settings]
    return msgspec.structs.replace(first, settings=tuple(settings), entrants=tuple(entrants)), entrants


def _entrants(stores: Sequence[Store]) -> list[Entrant]:
    """Return the entrants of all stores. Raise StoreError if a name belongs to different owners."""
    found: dict[str, tuple[Entrant, Path]] = {}
    for store in stores:
        for name, last in store.seen().items():
            other, where = found.setdefault(name, (last.entrant, store.folder))
            if other.spec != last.entrant.spec:
                specs = f"{printable(other.spec)} in {where}, and {printable(last.entrant.spec)} in {store.folder}"
                words = f"two entrants are called {printable(name)}: {specs}"
                raise StoreError(f"{words}; pools that are rated together need one register")
    return [entrant for entrant, _ in found.values()]


def _games(stores: Sequence[Store]) -> dict[str, tuple[Store, Listed]]:
    """Return a mapping from the id of each game to a store and the game in this store.

    The id is `SeedGroup.id`. If several stores have the game, a store with the log of the game is preferred. Raise
    StoreError if a game does not match its id, or differs between stores.
    """
    found: dict[str, tuple[Store, Listed]] = {}
    for store in stores:
        for listed in store.games():
            if _seed_group(listed).id != listed.group.id:
                raise StoreError(f"game {listed.id} in {store.folder} does not match its id")
            other, same = found.setdefault(listed.group.id, (store, listed))
            if same.played != listed.played:
                words = f"{other.folder} and {store.folder} disagree about game {listed.id}"
                raise StoreError(f"{words}: `tournament audit` shows which one its log supports")
            if other is not store and not _log_of(other, same).is_file() and _log_of(store, listed).is_file():
                found[listed.group.id] = store, listed
    return found


def _check_logs(games: Sequence[tuple[Store, Listed]]) -> None:
    """Raise StoreError if a log is missing, unless the pool deleted the log to save space."""
    missing = [(store, one) for store, one in games if one.played.log is not None and not _log_of(store, one).is_file()]
    deleted = {id(store): store.groups_without_logs() for store, _ in missing}
    for store, listed in missing:
        if listed.group.id not in deleted[id(store)]:
            words = f"{_log_of(store, listed)} is missing, and the pool has not deleted it"
            raise StoreError(f"{words}; if this is a copy, copy results.sqlite and logs again")


def _seed_group(listed: Listed) -> SeedGroup:
    game = listed.played
    return SeedGroup(game.setting, game.seed, [game.seating], listed.group.stage)


def _log_of(store: Store, listed: Listed) -> Path:
    return store.folder / log_name(listed.played.group, listed.played.number)


def _add(target: Store, batch: Sequence[tuple[Store, Listed]], faults: dict[int, dict[str, list[GameFault]]]) -> None:
    rows, deleted = [], []
    number = target.next_number()
    for place, (store, listed) in enumerate(batch, number):
        game, group = listed.played, listed.group
        log = _log_of(store, listed)
        if log.is_file():
            link_log(log, _log_of(target, listed))
        elif game.log is not None:
            deleted.append(log.name)
        game_faults = faults[id(store)].get(listed.id, [])
        played = GroupPlayed(group.id, [game], game_faults, group.seconds, finished=group.finished)
        rows.append((place, _seed_group(listed), played))
    target.add(rows, target.used_s() + sum(played.seconds for *_, played in rows))
    if deleted:
        target.delete_logs(deleted)
