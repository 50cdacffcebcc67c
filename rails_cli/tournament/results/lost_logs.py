"""Check of logs after a power cut. A stored result may lack its log, because logs are not forced to disk."""

from hashlib import sha256

from rails_cli.basics.files import read_file
from rails_cli.logs.reading import decode_result
from rails_cli.tournament.results.group_results import log_name
from rails_cli.tournament.results.store import Listed, Store, drop_groups

CHECKED_S = 60.0
"""Length in seconds of the period whose logs are checked.

It ends when the last stored seed group (games with one seed) finished. Operating systems write files to disk within
about 35 seconds, so older logs are safe from a power cut.
"""


def is_cut_off(content: bytes) -> bool:
    """Return whether a log has no result, does not end with a whole line, or has parts that were never written."""
    is_whole = content.endswith(b"\n") and b"\0" not in content  # parts that were never written are read as zeros
    return not (is_whole and any(decode_result(line) for line in reversed(content.splitlines())))


def drop_groups_without_logs(store: Store) -> set[str]:
    """Delete recent seed groups with a damaged log, so that they are played again.

    Return their ids. A log is damaged if it is missing, empty or cut off. Seed groups are recent if they finished at
    most `CHECKED_S` seconds before the last seed group. A complete log is kept, even if its hash differs from the
    stored hash. Raise StoreError if the results cannot be read.
    """
    without_logs = store.groups_without_logs()
    recent = (one for one in store.games(with_surplus=True, last_s=CHECKED_S) if one.group.id not in without_logs)
    lost = {one.group.id for one in recent if _has_lost_log(store, one)}
    drop_groups(store, lost)
    return lost


def _has_lost_log(store: Store, listed: Listed) -> bool:
    game = listed.played
    if game.log is None:
        return False
    try:
        content = read_file(store.folder / log_name(game.group, game.number))
    except FileNotFoundError:
        return True
    except OSError:
        return False  # an audit reports it
    return sha256(content).hexdigest() != game.head and is_cut_off(content)
