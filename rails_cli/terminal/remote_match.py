"""The client's copy of the match at a table of a server, and the frames that show the match."""

from typing import Any

import msgspec

from rails_cli.client.connection import Denied
from rails_cli.games import load_face, load_game, problem_of, standard_board
from rails_cli.games.shared.text import printable
from rails_cli.study.playback.recorded import printable_board
from rails_cli.terminal.frame import Frame, StoryLine

LAST_LINES = 10
"""Number of lines at the end of the story that are shown before the match starts."""


class RemoteMatch:
    """A match at a table of a server. The messages `start`, `update`, `request` and `end` change this object."""

    def __init__(self) -> None:
        self.id = ""
        """Id of the match. Empty before the start."""
        self.game: Any = None
        self.face: Any = None
        self.names: list[str] = []
        self.wire_board: dict[str, Any] = {}
        self.board: Any = None
        """The standard board, as the rules represent it. None if the table uses another board."""
        self.view: Any = None
        self.events: list[Any] = []
        self.story: list[StoryLine] = []
        """Lines about events, chat and notices, oldest first."""
        self.seen_lines = 0
        """Number of lines at the start of `story` that are not new to the person."""
        self.seen_events = 0
        """Number of events, counted from the start of the match, that are not new to the person."""
        self.news: list[str] = []
        """Notices to add to `story` after the next events."""
        self.taken_back = ""
        """Notice about a move taken back, to be added to `story` after the server has sent the match again."""

    def add_notice(self, text: str) -> None:
        """Add a line of the chat, or a notice about a player or the connection, to `story`."""
        self.story.append(StoryLine(text, is_event=False))

    def start(self, message: dict[str, Any]) -> None:
        """Begin a match, or begin it again because the server sends the whole match again.

        Raise Denied if this program cannot load the game.
        """
        problem = problem_of(str(message["game"]))
        if problem is not None:
            raise Denied("game", printable(problem))
        is_new = self.id != message["match"]
        self.id = str(message["match"])
        self.game = load_game(message["game"])
        self.face = load_face(self.game.name)
        self.names = [printable(name) for name in message["players"]]
        board = standard_board(self.game.name)
        is_standard = msgspec.json.decode(msgspec.json.encode(self.game.wire_board(board))) == message["board"]
        self.wire_board = printable_board(message["board"])
        self.board = board if is_standard else None
        self.story, self.events, self.view = [], [], None
        self.seen_lines = self.seen_events = 0 if is_new else self.seen_events

    def add_events(self, message: dict[str, Any]) -> int:
        """Add the events in `message` to `events`, and their descriptions to `story`.

        Return the number of added events.
        """
        events = [msgspec.convert(event, self.game.event_type) for event in message["events"]]
        if message.get("view") is not None:
            self.view = msgspec.convert(message["view"], self.game.view_type)
        self.events += events
        sentences = [printable(self.face.tell(self.wire_board, event, self.names)) for event in events]
        self.story += [StoryLine(sentence) for sentence in sentences if sentence]
        for notice in filter(None, (*self.news, self.taken_back)):
            self.add_notice(notice)
        self.news, self.taken_back = [], ""
        return len(events)

    def mark_seen(self) -> None:
        """Treat all events and lines so far as known to the person."""
        self.seen_lines, self.seen_events = len(self.story), len(self.events)

    def frame(self, own: int | None, waiting: list[str]) -> Frame:
        """Return the frame that shows the match. Before the start, the frame shows the lines `waiting` and the story.

        `own` is the seat of the person, or None for a spectator.
        """
        if self.view is None:
            title = "rails-cli" if self.game is None else self.game.title
            lines = [*waiting, "", *(line.text for line in self.story[-LAST_LINES:])]
            return Frame(title, self.names, self.wire_board, None, None, overlay=lines, goes_on=True)
        asked = None if self.view.question is None else self.view.question.seat
        return Frame(
            title=self.game.title,
            names=self.names,
            wire_board=self.wire_board,
            view=self.view,
            seer=own,
            story=self.story,
            fresh=max(len(self.story) - self.seen_lines, 0),
            marked=frozenset(self.face.touched(self.events[self.seen_events :])),
            events=self.events[:],  # a copy, because it is drawn while more arrive
            face=self.face,
            goes_on=True,
            waits_for="" if asked in (None, own) else self.names[asked],
        )
