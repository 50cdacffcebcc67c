"""The register of the pool: owners and entrants with their hashed tokens, invitations, and the season, kept in a file.

Changes are written to the file before the request is answered, so a crash does not lose any confirmed change.
"""

import os
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.basics.files import replace_file
from rails_cli.basics.tokens import new_token, token_hash
from rails_cli.games.shared.text import printable
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.protocol.pool import EntrantState, Register, Registered
from rails_cli.protocol.pool_api import PoolCheck
from rails_cli.server.pool.names import checked_name, is_builtin_name, look_alike_key
from rails_cli.server.pool.seasons import Season
from rails_cli.server.refused import Refused
from rails_cli.server.settings import PoolSettings
from rails_cli.tournament.model import POOL

BUILTIN_OWNER = "built-in"
LONGEST_CHECK_AGAIN_S = 3600.0
"""Maximum number of seconds between a failed check (a game that can end a quarantine) and the next check."""


class Owner(msgspec.Struct, tag="owner", tag_field="type", frozen=True):
    name: str
    token_seal: str
    made_at: float
    is_banned: bool = False
    """Whether the operator has banned the owner. A banned owner cannot register entrants."""


class PoolEntrant(msgspec.Struct, tag="entrant", tag_field="type", frozen=True):
    """A player in the pool: a version of a bot, a person, or an anchor (a built-in player)."""

    name: str
    owner: str
    token_seal: str | None
    """Hash of the secret token with which the entrant connects.

    None if the entrant is a built-in player, which needs no token, or if its token was revoked.
    """
    made_at: float = 0.0
    """Unix timestamp of the registration."""
    follows: str | None = None
    """Name of the previous version of the bot, an entrant of the same owner. None if there is none."""
    is_person: bool = False
    state: EntrantState = "active"
    faults_in_a_row: int = 0
    """Number of consecutive games in which a substitute took the seat of the entrant."""
    builtin: str | None = None
    """Name of the built-in player that plays as this entrant. None for a bot or a person."""
    revoked_by_admin: bool = False
    """Whether the operator revoked the entrant. If so, only the operator can give it a new token."""
    check: PoolCheck | None = None
    """Result of the entrant's last check, a game that can end a quarantine. None if there was no check."""
    lost_in: list[str] = []
    """Ids of running games in which the entrant lost its seat. `faults_in_a_row` already counts these games."""

    @property
    def spec(self) -> str:
        """Description of the player in logs and results: `pool:OWNER`, or `builtin:NAME` for a built-in player."""
        return f"{POOL}{self.owner}" if self.builtin is None else f"{BUILTIN}{self.builtin}"


class Invitation(msgspec.Struct, tag="invitation", tag_field="type", frozen=True):
    seal: str
    used_by: str | None = None


class SeasonNote(msgspec.Struct, tag="season", tag_field="type", frozen=True):
    """A line in the file of the register that sets the state of the current season."""

    season: Season


_LINES = msgspec.json.Decoder(Owner | PoolEntrant | Invitation | SeasonNote)


class Entrants:
    """The register of the pool: owners, entrants, invitations and the season."""

    def __init__(self, file: Path, anchors: Sequence[str], settings: PoolSettings) -> None:
        """Read the register from `file` and add the built-in players `anchors` as entrants.

        Raise ValueError if an anchor has the name of a registered entrant or owner.
        """
        self._file = file
        self._settings = settings
        self._owners: dict[str, Owner] = {}
        self.by_name = {name: PoolEntrant(name, BUILTIN_OWNER, None, builtin=name) for name in anchors}
        """Mapping from name to entrant: first the built-in players, then the others in the order of registration."""
        self._invitations: dict[str, Invitation] = {}
        self._by_seal: dict[str, str] = {}
        self.season = Season()
        self._owner_of_name = {look_alike_key(name): BUILTIN_OWNER for name in (*anchors, BUILTIN_OWNER)}
        """Mapping from each name in use to the name of its owner. The keys are made with `look_alike_key`."""
        self.problems: list[str] = []
        """Messages about lines of the file that cannot be read."""
        unread = self._read(file) if file.exists() else []
        for name in anchors:
            if (owner := self._owner_of_name[look_alike_key(name)]) != BUILTIN_OWNER:
                words = f"{name} cannot be an anchor: {owner} has registered under this name"
                raise ValueError(f"{words}; leave it out of --pool-anchors")
        entrants = [entrant for entrant in self.by_name.values() if entrant.builtin is None]
        lines = [*self._owners.values(), *entrants, *self._invitations.values(), SeasonNote(self.season)]
        replace_file(file, b"".join([*map(_line, lines), *unread]))
        self._handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self._handle)

    def _read(self, file: Path) -> list[bytes]:
        """Read the register from `file`. Return the lines that cannot be decoded.

        They are not removed from the file.
        """
        unread = []
        *whole, _torn = file.read_bytes().split(b"\n")
        for number, line in enumerate(whole, 1):
            if not line:
                continue
            try:
                self._apply(_LINES.decode(line))
            except UNDECODABLE:
                unread.append(line + b"\n")
                self.problems.append(f"line {number} cannot be read, and is skipped: {line[:60]!r}")
        return unread

    def _apply(self, line: Any) -> None:
        if isinstance(line, Owner):
            self._owners[line.name] = line
            self._owner_of_name[look_alike_key(line.name)] = line.name
        elif isinstance(line, PoolEntrant):
            before = self.by_name.get(line.name)
            if before is not None and before.token_seal is not None:
                self._by_seal.pop(before.token_seal, None)
            self.by_name[line.name] = line
            self._owner_of_name[look_alike_key(line.name)] = line.owner
            if line.token_seal is not None:
                self._by_seal[line.token_seal] = line.name
        elif isinstance(line, Invitation):
            self._invitations[line.seal] = line
        else:
            self.season = line.season

    def _write(self, *lines: Any) -> None:
        content = b"\n" + b"".join(map(_line, lines))  # the newline completes a torn line before it
        if os.write(self._handle, content) < len(content):
            raise OSError(None, "the file could not be written completely", str(self._file))
        for line in lines:
            self._apply(line)

    def _change(self, entrant: PoolEntrant, **changes: Any) -> None:
        self._write(msgspec.structs.replace(entrant, **changes))

    # Registration

    def register(self, request: Register, now: float, played: Container[str] = ()) -> Registered:
        """Register a new entrant, and return the new tokens.

        The entrant belongs to the owner with the token in `request`, or to a new owner. Raise Refused if the
        registration is not allowed, for example because the pool has too many entrants. Revoked entrants without a
        stored game do not count. `played` has the names of entrants with stored games.
        """
        settings = self._settings
        if settings.entry == "closed":
            raise Refused("closed", "this pool takes no registrations")
        name = checked_name(request.name)
        lines: list[Any] = []
        new_owner_token = None
        if request.owner_token is not None:
            owner = self._known_owner(request.owner_token, request.owner)
        else:
            owner = name if request.owner is None else checked_name(request.owner)
            self._check_free(owner)
            if settings.entry == "invitation":
                lines.append(self._used(request.invite, owner))
            new_owner_token = new_token()
            lines.append(Owner(owner, token_hash(new_owner_token), now))
        self._check_free(name, owner)
        if look_alike_key(name) in map(look_alike_key, self.by_name):
            raise Refused("taken", f"{owner} has registered {name} already; a new version needs another name")
        follows = request.follows
        if follows is not None and (follows not in self.by_name or self.by_name[follows].owner != owner):
            raise Refused("bad_request", f"{owner} has no entrant {printable(follows[:60])!r} to follow")
        if sum(one.state != "revoked" or one.name in played for one in self.by_name.values()) >= settings.entrants:
            raise Refused("too_many", f"this pool has {settings.entrants} entrants, and takes no more")
        theirs = sum(one.owner == owner and one.state != "revoked" for one in self.by_name.values())
        if theirs >= settings.entrants_each:
            raise Refused("too_many", f"an owner may have {settings.entrants_each} entrants; revoke one first")
        token = new_token()
        entrant = PoolEntrant(name, owner, token_hash(token), now, follows, request.person)
        self._write(*lines, entrant)
        return Registered(name, token, owner, new_owner_token, request.ref)

    def _known_owner(self, token: str, name: str | None) -> str:
        """Return the name of the owner with `token`.

        Raise Refused if no owner has this token or if the owner is banned. If `name` is given, also raise Refused if
        the owner has another name.
        """
        known = self.owner_of(token)
        if known is None:
            raise Refused("forbidden", "this is not the token of an owner in this pool")
        if known.is_banned:
            raise Refused("forbidden", f"the operator of this pool has banned {known.name}")
        if name is not None and look_alike_key(name) != look_alike_key(known.name):
            raise Refused("bad_request", f"this is the token of {known.name}, not of {printable(name[:60])}")
        return known.name

    def _check_free(self, name: str, owner: str | None = None) -> None:
        """Raise Refused if `name` is already used. Names of `owner` and of its entrants are allowed."""
        if self._owner_of_name.get(look_alike_key(name), owner) != owner or is_builtin_name(name):
            raise Refused("taken", f"the name {name} is taken in this pool; choose another")

    def _used(self, invite: str | None, owner: str) -> Invitation:
        if invite is None:
            raise Refused("forbidden", "this pool is by invitation: ask its operator for one (--invite CODE)")
        found = self._invitations.get(token_hash(invite))
        if found is None or found.used_by is not None:
            raise Refused("forbidden", "this invitation is not valid here, or has been used")
        return msgspec.structs.replace(found, used_by=owner)

    def invite(self, count: int) -> list[str]:
        codes = [new_token() for _ in range(count)]
        self._write(*(Invitation(token_hash(code)) for code in codes))
        return codes

    def revoke(self, name: str, *, by_admin: bool) -> None:
        entrant = self.by_name[name]
        by_admin = by_admin or entrant.revoked_by_admin
        self._change(entrant, token_seal=None, state="revoked", revoked_by_admin=by_admin)

    def ban(self, name: str, *, is_banned: bool) -> list[PoolEntrant]:
        """Ban the owner `name` and revoke its entrants. If `is_banned` is false, end the ban.

        Return the owner's entrants. Raise Refused if there is no such owner.
        """
        owner = self._owners.get(name)
        if owner is None:
            raise Refused("bad_request", f"there is no owner {printable(name[:60])!r} in this pool")
        self._write(msgspec.structs.replace(owner, is_banned=is_banned))
        names = [one.name for one in self.by_name.values() if one.owner == name]
        for entrant in names if is_banned else ():
            self.revoke(entrant, by_admin=True)
        return [self.by_name[entrant] for entrant in names]

    def renew(self, name: str, *, by_admin: bool) -> str:
        """Replace the token of the entrant `name` and end its revocation. Return the new token.

        Raise Refused if the operator revoked the entrant, unless `by_admin`.
        """
        entrant, token = self.by_name[name], new_token()
        if entrant.revoked_by_admin and not by_admin:
            raise Refused("forbidden", f"{name} was revoked by the operator of this pool, who alone can renew it")
        state = entrant.state
        if state == "revoked":
            state = "quarantined" if entrant.faults_in_a_row >= self._settings.faults else "active"
        self._change(entrant, token_seal=token_hash(token), state=state, revoked_by_admin=False)
        return token

    # Lookup

    def named(self, name: str) -> PoolEntrant:
        """Return the entrant called `name`. Raise Refused if there is no such entrant."""
        found = self.by_name.get(name)
        if found is None:
            raise Refused("unknown_entrant", f"there is no entrant {printable(name[:60])!r} in this pool")
        return found

    def holder(self, token: str) -> PoolEntrant:
        """Return the entrant with the token `token`. Raise Refused if no entrant has this token."""
        name = self._by_seal.get(token_hash(token))
        if name is None:
            raise Refused("forbidden", "no entrant belongs to this token; it may have been revoked")
        return self.by_name[name]

    def owner_of(self, token: str) -> Owner | None:
        """Return the owner with the token `token`. None if no owner has this token."""
        seal = token_hash(token)
        return next((owner for owner in self._owners.values() if owner.token_seal == seal), None)

    # Games, checks and seasons

    def note_lost(self, name: str, game: str) -> bool:
        """Record that the entrant `name` lost its seat in a rated game. Further calls for the same game do nothing.

        `game` is the id under which the game is stored. Return whether this call quarantines the entrant.
        """
        entrant = self.by_name[name]
        if entrant.builtin is not None or game in entrant.lost_in:
            return False
        faults = entrant.faults_in_a_row + 1
        is_out = faults >= self._settings.faults and entrant.state == "active"
        state: EntrantState = "quarantined" if is_out else entrant.state
        self._change(entrant, faults_in_a_row=faults, state=state, lost_in=[*entrant.lost_in, game])
        return is_out

    def note_game(self, name: str, game: str, *, is_lost: bool) -> bool:
        """Record the end of a rated game for the entrant `name`. Return whether this call quarantines the entrant.

        `game` is the id under which the game is stored. `is_lost` says whether the entrant lost its seat. If it kept
        its seat, its number of consecutive faults becomes 0, unless it is quarantined because of these faults.
        """
        is_out = is_lost and self.note_lost(name, game)
        entrant = self.by_name[name]
        is_reset = not is_lost and (entrant.state == "active" or entrant.faults_in_a_row < self._settings.faults)
        faults = 0 if is_reset else entrant.faults_in_a_row
        lost_in = [other for other in entrant.lost_in if other != game]
        if (faults, lost_in) != (entrant.faults_in_a_row, entrant.lost_in):
            self._change(entrant, faults_in_a_row=faults, lost_in=lost_in)
        return is_out

    def note_check(self, name: str, check: PoolCheck) -> None:
        """Record the result of a check: a game that can end the quarantine of the entrant `name`.

        An entrant that passed its check becomes active.
        """
        entrant = self.by_name[name]
        if check.failed_in_a_row or entrant.state != "quarantined":
            self._change(entrant, check=check)
        else:
            self._change(entrant, check=check, faults_in_a_row=0, state="active")

    def next_check(self, entrant: PoolEntrant) -> float | None:
        """Return the earliest Unix timestamp for the next check of a quarantined entrant. None for other entrants.

        A check is a game that can end the quarantine.
        """
        if entrant.state != "quarantined":
            return None
        check = entrant.check
        if check is None or not check.failed_in_a_row:
            return 0.0
        doubled = self._settings.check_again_s * 2.0 ** min(check.failed_in_a_row - 1, 30)
        return check.at + min(doubled, LONGEST_CHECK_AGAIN_S)

    def set_season(self, season: Season) -> None:
        self._write(SeasonNote(season))


def _line(line: Any) -> bytes:
    return msgspec.json.encode(line) + b"\n"
