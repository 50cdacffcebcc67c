"""The register of the pool: owners and entrants with their hashed tokens, invitations, and the season, kept in a file.

Changes are written to the file before the request is answered, so a crash does not lose any confirmed change.
"""

import hmac
import os
import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from string import digits
from typing import Any

import msgspec

from rails_cli.basics.files import write_new
from rails_cli.basics.tokens import is_token, new_token, sealed
from rails_cli.games.shared.text import printable
from rails_cli.players.builtin import BUILTIN_PLAYERS
from rails_cli.players.levels import SEARCH
from rails_cli.pool.season import Season
from rails_cli.protocol.pool import EntrantState, PoolEntry
from rails_cli.protocol.pool_api import PoolCheck
from rails_cli.tournament.model import BUILTIN, POOL

NAME_LIMIT = 40
MARKS = " .-_+"
UNSEEN = "\u115f\u1160\u3164\uffa0"
"""Letters without a visible glyph."""
EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}
"""Scripts that may be mixed with each other and with Latin letters. Other scripts look too much alike."""
LOOK_ALIKE = str.maketrans(
    "авекмнорстухіјѕһԁαβεηικμνορτυχζ",
    "abekmhopctyxijshdabehikmnoptyxz",
)
"""Cyrillic and Greek letters (lower case) and the Latin letters they look like."""
NAME_RULE = f"a name has 1 to {NAME_LIMIT} letters, digits, spaces and .-_+, and starts with a letter or digit"


class EntryRefused(Exception):
    """A request that the pool refuses. The text says why and how to fix it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Owner(msgspec.Struct, tag="owner", tag_field="type", frozen=True):
    """A registered owner of entrants."""

    name: str
    token_seal: str
    made_at: float
    is_banned: bool = False
    """Whether the operator has banned it. It cannot register entrants then."""


class PoolEntrant(msgspec.Struct, tag="entrant", tag_field="type", frozen=True):
    """A version of a bot, a person, or an anchor (a built-in player)."""

    name: str
    owner: str
    token_seal: str | None
    """Hash of its token. None for an anchor and for a revoked entrant."""
    made_at: float = 0.0
    follows: str | None = None
    is_person: bool = False
    state: EntrantState = "active"
    faults_in_a_row: int = 0
    """Consecutive games in which it lost its seat."""
    builtin: str | None = None
    """Name of the built-in player, for an anchor."""
    revoked_by_admin: bool = False
    """Whether the operator revoked it. Only the operator can renew it then."""
    check: PoolCheck | None = None
    """Its last check, or None."""
    lost_in: list[str] = []
    """Group ids of unfinished games in which it lost its seat and that are already counted as faults."""

    @property
    def spec(self) -> str:
        """What plays for it, as in logs and results."""
        return f"{POOL}{self.owner}" if self.builtin is None else f"{BUILTIN}{self.builtin}"


class Invitation(msgspec.Struct, tag="invitation", tag_field="type", frozen=True):
    """An invitation for one new owner."""

    seal: str
    used_by: str | None = None


class SeasonNote(msgspec.Struct, tag="season", tag_field="type", frozen=True):
    """A change of the season."""

    season: Season


class Admitted(msgspec.Struct, frozen=True):
    """A new registration with its tokens, which are shown only once."""

    entrant: PoolEntrant
    token: str
    owner_token: str | None
    """Token of a new owner, or None for an existing one."""


_LINES = msgspec.json.Decoder(Owner | PoolEntrant | Invitation | SeasonNote)


class Entrants:
    """The register of the pool."""

    def __init__(self, file: Path, anchors: Sequence[str], *, most: int, most_each: int) -> None:
        """Read the register in `file`.

        At most `most` entrants may register in total, and `most_each` per owner. Raises ValueError if an anchor has the
        name of a registered entrant or owner.
        """
        self._file = file
        self._most = most
        self._most_each = most_each
        self.owners: dict[str, Owner] = {}
        self.entrants: dict[str, PoolEntrant] = {}
        """Entrants by name, in the order of registration, anchors first."""
        self._invitations: dict[str, Invitation] = {}
        self._by_seal: dict[str, str] = {}
        self.season = Season()
        for name in anchors:
            self.entrants[name] = PoolEntrant(name, "built-in", None, builtin=name)
        self._taken = {_key(name): "built-in" for name in (*anchors, "built-in")}
        """Owner of each name of an entrant or owner, by normalized name."""
        self._named = {_key(name) for name in anchors}
        """Normalized names of entrants."""
        self.problems: list[str] = []
        """Messages about lines of the file that cannot be read."""
        unread = self._read(file) if file.exists() else []
        for name in anchors:
            if (owner := self._taken[_key(name)]) != "built-in":
                words = f"{name} cannot be an anchor: {owner} has registered under this name"
                raise ValueError(f"{words}; leave it out of --pool-anchors")
        write_new(file, b"".join([*map(_line, self._all()), *unread]))
        self._handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self._handle)

    def _read(self, file: Path) -> list[bytes]:
        """Read all valid lines. Return the others, so that they stay in the file."""
        unread = []
        *whole, _torn = file.read_bytes().split(b"\n")
        for number, line in enumerate(whole, 1):
            if not line:
                continue
            try:
                self._take(_LINES.decode(line))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                unread.append(line + b"\n")
                self.problems.append(f"line {number} cannot be read, and is skipped: {line[:60]!r}")
        return unread

    def _all(self) -> Iterable[Any]:
        entrants = [one for one in self.entrants.values() if one.builtin is None]
        return (*self.owners.values(), *entrants, *self._invitations.values(), SeasonNote(self.season))

    def _take(self, line: Any) -> None:
        if isinstance(line, Owner):
            self.owners[line.name] = line
            self._taken[_key(line.name)] = line.name
        elif isinstance(line, PoolEntrant):
            before = self.entrants.get(line.name)
            if before is not None and before.token_seal is not None:
                self._by_seal.pop(before.token_seal, None)
            self.entrants[line.name] = line
            self._taken[_key(line.name)] = line.owner
            self._named.add(_key(line.name))
            if line.token_seal is not None:
                self._by_seal[line.token_seal] = line.name
        elif isinstance(line, Invitation):
            self._invitations[line.seal] = line
        else:
            self.season = line.season

    def _keep(self, *lines: Any) -> None:
        content = b"\n" + b"".join(map(_line, lines))  # the newline completes a torn line before it
        if os.write(self._handle, content) < len(content):
            raise OSError(None, "the file could not be written completely", str(self._file))
        for line in lines:
            self._take(line)

    # Registration

    def register(
        self,
        name: str,
        *,
        entry: PoolEntry,
        now: float,
        owner: str | None = None,
        owner_token: str | None = None,
        invite: str | None = None,
        follows: str | None = None,
        is_person: bool = False,
        played: Container[str] = (),
    ) -> Admitted:
        """Register a new entrant, of a new owner or of the owner with `owner_token`.

        Revoked entrants that are not in `played` do not count towards the limit. Raises EntryRefused.
        """
        if entry == "closed":
            raise EntryRefused("closed", "this pool takes no registrations")
        name = checked_name(name)
        lines: list[Any] = []
        new_owner_token = None
        if owner_token is not None:
            known = self.owner_of(owner_token)
            if known is None:
                raise EntryRefused("forbidden", "this is not the token of an owner in this pool")
            if known.is_banned:
                raise EntryRefused("forbidden", f"the operator of this pool has banned {known.name}")
            if owner is not None and _key(owner) != _key(known.name):
                raise EntryRefused("bad_request", f"this is the token of {known.name}, not of {printable(owner[:60])}")
            whose = known.name
        else:
            whose = name if owner is None else checked_name(owner)
            self._check_free(whose)
            if entry == "invitation":
                lines.append(self._used(invite, whose))
            new_owner_token = new_token()
            lines.append(Owner(whose, sealed(new_owner_token), now))
        self._check_free(name, whose)
        if _key(name) in self._named:
            raise EntryRefused("taken", f"{whose} has registered {name} already; a new version needs another name")
        if follows is not None and (follows not in self.entrants or self.entrants[follows].owner != whose):
            raise EntryRefused("bad_request", f"{whose} has no entrant {printable(follows[:60])!r} to follow")
        if sum(one.state != "revoked" or one.name in played for one in self.entrants.values()) >= self._most:
            raise EntryRefused("too_many", f"this pool has {self._most} entrants, and takes no more")
        theirs = sum(one.owner == whose and one.state != "revoked" for one in self.entrants.values())
        if theirs >= self._most_each:
            raise EntryRefused("too_many", f"an owner may have {self._most_each} entrants; revoke one first")
        token = new_token()
        entrant = PoolEntrant(name, whose, sealed(token), now, follows, is_person)
        self._keep(*lines, entrant)
        return Admitted(entrant, token, new_owner_token)

    def _check_free(self, name: str, whose: str | None = None) -> None:
        """Raise EntryRefused if the name is taken. An owner may have the same name as one of its own entrants."""
        if self._taken.get(_key(name), whose) != whose or BUILTIN_NAMES.fullmatch(_key(name)):
            raise EntryRefused("taken", f"the name {name} is taken in this pool; choose another")

    def _used(self, invite: str | None, whose: str) -> Invitation:
        if invite is None:
            raise EntryRefused("forbidden", "this pool is by invitation: ask its operator for one (--invite CODE)")
        found = self._invitations.get(sealed(invite))
        if found is None or found.used_by is not None or not is_token(invite, found.seal):
            raise EntryRefused("forbidden", "this invitation is not valid here, or has been used")
        return msgspec.structs.replace(found, used_by=whose)

    def invite(self, count: int) -> list[str]:
        """Create `count` invitations and return their codes."""
        codes = [new_token() for _ in range(count)]
        self._keep(*(Invitation(sealed(code)) for code in codes))
        return codes

    def revoke(self, name: str, *, by_admin: bool) -> None:
        """Revoke an entrant. Its token becomes invalid."""
        entrant = self.entrants[name]
        barred = by_admin or entrant.revoked_by_admin
        self._keep(msgspec.structs.replace(entrant, token_seal=None, state="revoked", revoked_by_admin=barred))

    def ban(self, name: str, *, is_banned: bool) -> list[PoolEntrant]:
        """Ban an owner and revoke all its entrants, or lift the ban. Return the entrants.

        Raises EntryRefused if there is no such owner.
        """
        owner = self.owners.get(name)
        if owner is None:
            raise EntryRefused("bad_request", f"there is no owner {printable(name[:60])!r} in this pool")
        self._keep(msgspec.structs.replace(owner, is_banned=is_banned))
        names = [one.name for one in self.entrants.values() if one.owner == name]
        for entrant in names if is_banned else ():
            self.revoke(entrant, by_admin=True)
        return [self.entrants[entrant] for entrant in names]

    def renew(self, name: str, *, by_admin: bool, most_faults: int) -> str:
        """Return a new token for an entrant. A revoked one becomes active, or quarantined if it has too many faults.

        Raises EntryRefused if the operator revoked it and `by_admin` is false.
        """
        entrant, token = self.entrants[name], new_token()
        if entrant.revoked_by_admin and not by_admin:
            raise EntryRefused("forbidden", f"{name} was revoked by the operator of this pool, who alone can renew it")
        state = entrant.state
        if state == "revoked":
            state = "quarantined" if entrant.faults_in_a_row >= most_faults else "active"
        self._keep(msgspec.structs.replace(entrant, token_seal=sealed(token), state=state, revoked_by_admin=False))
        return token

    # Lookup

    def named(self, name: str) -> PoolEntrant:
        found = self.entrants.get(name)
        if found is None:
            raise EntryRefused("unknown_entrant", f"there is no entrant {printable(name[:60])!r} in this pool")
        return found

    def holder(self, token: str) -> PoolEntrant:
        """Return the entrant that a token belongs to. Raises EntryRefused if there is none."""
        seal = sealed(token)
        name = self._by_seal.get(seal)
        entrant = None if name is None else self.entrants[name]
        if entrant is None or entrant.token_seal is None or not hmac.compare_digest(seal, entrant.token_seal):
            raise EntryRefused("forbidden", "no entrant belongs to this token; it may have been revoked")
        return entrant

    def owner_of(self, token: str) -> Owner | None:
        """Return the owner that a token belongs to, or None."""
        seal = sealed(token)
        found = None
        for owner in self.owners.values():  # compare all of them, so that the duration reveals nothing
            if hmac.compare_digest(seal, owner.token_seal):
                found = owner
        return found

    # Games, checks and seasons

    def note_lost(self, name: str, game: str, *, most_faults: int) -> bool:
        """Record that an entrant lost its seat in a rated game, once per game. Return whether it is now quarantined."""
        entrant = self.entrants[name]
        if entrant.builtin is not None or game in entrant.lost_in:
            return False
        faults, lost_in = entrant.faults_in_a_row + 1, [*entrant.lost_in, game]
        is_out = faults >= most_faults and entrant.state == "active"
        state: EntrantState = "quarantined" if is_out else entrant.state
        self._keep(msgspec.structs.replace(entrant, faults_in_a_row=faults, state=state, lost_in=lost_in))
        return is_out

    def note_game(self, name: str, game: str, *, is_lost: bool, most_faults: int) -> bool:
        """Record the end of a rated game. Return whether the entrant is newly quarantined.

        A game without a lost seat resets the faults, but not those of a quarantined entrant with too many. It needs a
        check.
        """
        is_out = is_lost and self.note_lost(name, game, most_faults=most_faults)
        entrant = self.entrants[name]
        is_good = not is_lost and (entrant.state == "active" or entrant.faults_in_a_row < most_faults)
        faults = 0 if is_good else entrant.faults_in_a_row
        lost_in = [other for other in entrant.lost_in if other != game]
        if (faults, lost_in) != (entrant.faults_in_a_row, entrant.lost_in):
            self._keep(msgspec.structs.replace(entrant, faults_in_a_row=faults, lost_in=lost_in))
        return is_out

    def note_check(self, name: str, check: PoolCheck) -> None:
        """Record the check of a quarantined entrant. If it passed, the entrant becomes active."""
        entrant = self.entrants[name]
        if check.failed_in_a_row or entrant.state != "quarantined":
            self._keep(msgspec.structs.replace(entrant, check=check))
        else:
            self._keep(msgspec.structs.replace(entrant, check=check, faults_in_a_row=0, state="active"))

    def set_season(self, season: Season) -> None:
        self._keep(SeasonNote(season))


def _line(line: Any) -> bytes:
    return msgspec.json.encode(line) + b"\n"


def checked_name(name: str) -> str:
    """Return the normalized name of an entrant or owner. Raises EntryRefused if it is not allowed."""
    name = unicodedata.normalize("NFC", name).strip()
    is_good = 0 < len(name) <= NAME_LIMIT and name[0].isalnum() and "  " not in name
    if not is_good or not all((letter.isalnum() and letter not in UNSEEN) or letter in MARKS for letter in name):
        raise EntryRefused("bad_request", f"{printable(name[:60])!r} cannot be used: {NAME_RULE}")
    scripts = {_script(letter) for letter in name if letter not in MARKS and letter not in digits}
    if len(scripts) > 1 and not scripts <= EAST_ASIAN | {"LATIN"}:
        raise EntryRefused("bad_request", f"{name!r} cannot be used: it mixes letters of several scripts")
    return name


def _script(letter: str) -> str:
    """Return the script of a letter, such as LATIN: the first word of its Unicode name."""
    return unicodedata.name(letter, "unnamed").replace("-", " ").partition(" ")[0]


def _key(name: str) -> str:
    """Return a normalized name that is equal for names that look alike, regardless of case."""
    return unicodedata.normalize("NFKC", name).casefold().translate(LOOK_ALIKE)


BUILTIN_NAMES = re.compile(f"({'|'.join(map(re.escape, map(_key, (*BUILTIN_PLAYERS, SEARCH))))})[ .+_-]*[0-9]*")
"""Normalized names of built-in players, with or without a number. They are reserved."""
