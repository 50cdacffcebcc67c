"""Talk at a table of a server: chat, and requests to take back a move."""

from collections.abc import Callable
from typing import Any

import msgspec

from rails_cli.client.connection import convert_message
from rails_cli.games.faces.vocabulary import whole_number
from rails_cli.games.shared.text import printable
from rails_cli.protocol.lobby import QUICK_PHRASES, Chat, ChatLines, Undo, UndoAsked
from rails_cli.terminal.remote_match import RemoteMatch

ASIDE = "aside"
"""Value of `ref` in chat, undo and start messages of this client. The server repeats `ref` in an error message.

An error with this value is not about an answer to a request.
"""


class TableTalk:
    """The chat at a table, and the pending request to take back a move. Lines are added to the story of `match`."""

    def __init__(self, match: RemoteMatch) -> None:
        self._match = match
        self._last_shown = 0
        """Number that the server gave to the last line of the chat that was shown."""
        self._muted: set[str] = set()
        self._undo_by: int | None = None
        """The seat that asks to take a move back. None if no seat asks."""

    def show_again(self) -> None:
        """Treat all lines of the chat as new, because the story starts again and does not contain them."""
        self._last_shown = 0

    def receive_chat(self, message: dict[str, Any]) -> None:
        for line in convert_message(message, ChatLines, "`said`").lines:
            name = printable(line.name) + (" (watching)" if line.seat is None else "")
            if line.number > self._last_shown:
                self._last_shown = line.number
                if name not in self._muted:
                    self._match.add_notice(f"{name} says: {printable(line.text)}")

    def receive_undo(self, message: dict[str, Any], own: int | None) -> None:
        """Handle a message about a request to take back a move, or about its outcome. `own` is the person's seat."""
        undo = convert_message(message, UndoAsked, "`undo_asked`")
        add_notice, names = self._match.add_notice, self._match.names
        is_own, is_new = undo.seat == own, undo.by == undo.seat
        name = "You" if is_own else printable(undo.name)
        self._undo_by = undo.seat if undo.state == "asked" else None
        if undo.state == "done":
            self._match.taken_back = f"! {name} took back a move; the game continues from before it."
        elif undo.state == "refused":
            by = "you" if undo.by == own else names[undo.by] if 0 <= undo.by < len(names) else "somebody"
            add_notice(f"! Nothing is taken back: {by} refused.")
        elif undo.state == "over":
            add_notice("! Nothing is taken back: not everybody agreed in time.")
        elif is_own and is_new:
            add_notice("! You ask to take back your last move; the others have to agree.")
        elif is_new:
            how = "" if own is None else ": agree, or refuse?"
            add_notice(f"! {name} asks to take back their last move{how}")

    def handle(self, command: str, rest: str, own: int | None, send: Callable[[msgspec.Struct], None]) -> bool:
        """Handle a typed line about chat or undo. Return False for other lines.

        `command` is the first word of the line, and `rest` the text after it. `own` is the person's seat.
        """
        if command == "say":
            self._say(rest, send)
        elif command in ("mute", "unmute") and rest:
            (self._muted.add if command == "mute" else self._muted.discard)(printable(rest))
            self._match.add_notice(f"! {printable(rest)} is {command}d.")
        elif command in ("agree", "refuse") and not rest and self._undo_by not in (None, own):
            send(Undo(command, ref=ASIDE))  # type: ignore[arg-type]
        else:
            return False
        return True

    def _say(self, words: str, send: Callable[[msgspec.Struct], None]) -> None:
        number = whole_number(words)
        if number is not None and 1 <= number <= len(QUICK_PHRASES):
            words = QUICK_PHRASES[number - 1]
        if words:
            send(Chat(words, ref=ASIDE))
        else:
            phrases = "; ".join(f"{place} {phrase}" for place, phrase in enumerate(QUICK_PHRASES, 1))
            self._match.add_notice(f"! Type say and your words, or say and a number: {phrases}")
