"""A game at this terminal with people and bots. Every action is logged, and people can take back decisions."""

from collections.abc import Sequence
from typing import Any

import msgspec

from rails_cli.basics.files import read_file
from rails_cli.games import load_face
from rails_cli.games.decision import LocalLookahead, decision_at
from rails_cli.games.game import PUBLIC
from rails_cli.games.shared.text import printable
from rails_cli.match.match import Match
from rails_cli.match.session import MatchPolicy, Player
from rails_cli.protocol.log import ActionLine, FaultLine, ResultLine
from rails_cli.protocol.messages import ClockLeft
from rails_cli.referee.seats import LineSeat
from rails_cli.referee.single import Referee
from rails_cli.study.playback.recorded import printable_board, read_recorded
from rails_cli.terminal.dialogue import Dialogue, Undo
from rails_cli.terminal.ending import final_lines
from rails_cli.terminal.frame import Display, Frame, StoryLine
from rails_cli.terminal.last_screen import LastScreen
from rails_cli.terminal.lessons import Lessons
from rails_cli.terminal.saving import SavedGame


class HotSeatGame:
    """A game of people and bots at this terminal.

    The referee, which runs the match, asks this object for the actions of all people.

    `others` has one element per seat: the bot at the seat, or None for a person.
    """

    is_timed = False

    def __init__(
        self,
        match: Match,
        saved: SavedGame,
        others: Sequence[LineSeat | Player | None],
        display: Display,
        *,
        policy: MatchPolicy,
        helper: Lessons | None = None,
        intro: str = "",
    ) -> None:
        self.match = match
        self.saved = saved
        self.others = others
        self.display = display
        self.policy = policy
        self.persons = [seat for seat, other in enumerate(others) if other is None]
        self.names = [printable(player.name) for player in match.header.players]
        self.face = load_face(match.game.name)
        self.wire_board = printable_board(match.game.wire_board(match.board))
        self.decisions = saved.decisions(self.persons)
        """Decisions of people so far, as pairs: the seat, and the size of the log in bytes before the decision."""
        self.undone = 0
        """Number of decisions taken back since the last action of a person."""
        self.dialogue = Dialogue(display, undo_refused=self._undo_refused, helper=helper)
        self.helper = helper
        self.intro = intro
        """A line that is shown with the first question. Empty for none, or if it has been shown."""
        self.at_keyboard: int | None = self.persons[0] if len(self.persons) == 1 else None
        self.since = [0] * len(self.names)
        """By seat, the number of events up to the end of the seat's previous turn. Later events are new to the seat."""
        self.sentences: dict[int, list[str]] = {}
        """Dictionary from a seat or PUBLIC to the descriptions of all events so far, as this observer may see them."""
        self.last_actor: int | None = None
        self.acted = [0] * len(self.names)
        """By seat, the number of events in the game up to and including the seat's last action."""
        self.last_screen: LastScreen | None = None
        """The screen with the result and the decisive moves. None until the game has ended."""

    def play(self) -> ResultLine:
        """Play the game to its end and return the result. Raise Quit if a person leaves earlier."""
        if self.helper is not None:
            self.dialogue.teach(self._frame(self.seer), self.helper.welcome())
        while True:
            sitting = [self if other is None else other for other in self.others]
            referee = Referee(self.match, sitting, self.policy, write=self._write)
            try:
                result = referee.play()
            except Undo:
                self._take_back()
                continue
            return self._end(result)

    def _end(self, result: ResultLine) -> ResultLine:
        """Show and return the result.

        On an interactive display, also show which moves of the people decided the game.
        """
        lines = final_lines(self.face, self.wire_board, self.names, result.scores, result.ranks, self.match.history)
        self.last_screen = LastScreen(self._frame(self.seer), lines, result.scores, result.ranks, self.persons)
        if self.display.is_interactive:
            self.last_screen.judge(self.display, read_recorded(read_file(self.saved.path)))
        self.last_screen.show(self.display)
        return result

    # Asking a person

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        """Ask the person whose turn it is for an action, and return the action. `left` is not used."""
        seat = match.seat
        assert seat is not None
        if self.last_actor != seat:
            self.since[seat] = self.acted[seat]
        if not (self.dialogue.later and self.dialogue.pending_seat == seat):
            self._hand_over(seat)
        lookahead = LocalLookahead(match.game, match.board, match.state, seat)
        decision = decision_at(lookahead, match.game, self.face, self.wire_board, match.board, self.names)
        frame = self._frame(seat)
        frame.prompt = f"{self.names[seat]}> "
        intro, self.intro = self.intro, ""
        action = self.dialogue.decide(decision, frame, intro)
        self.decisions.append((seat, self.saved.size))
        return action

    def _hand_over(self, seat: int) -> None:
        """Hide the game until the person at `seat` presses enter, so that other people do not see hidden information.

        Do nothing if the game hides nothing, or if the person is already at the keyboard.
        """
        if len(self.persons) == 1 or self.at_keyboard == seat or not self.match.game.has_secrets:
            self.at_keyboard = seat
            return
        frame = self._frame(PUBLIC)
        name = self.names[seat]
        frame.overlay = ["", f"Pass the keyboard to {name}.", "", f"Everyone else, look away. {name}: press enter."]
        frame.prompt = f"{name}, press enter> "
        frame.is_private = True
        self.display.ask(frame)
        self.at_keyboard = seat

    def _frame(self, seer: int) -> Frame:
        match = self.match
        events = match.events_for(seer, 0)
        since = self.since[seer] if seer >= 0 else len(events)
        sentences = self.sentences.setdefault(seer, [])
        sentences += [self.face.tell(self.wire_board, event, self.names) for event in events[len(sentences) :]]
        asked = match.seat
        return Frame(
            title=match.game.title,
            names=self.names,
            wire_board=self.wire_board,
            view=match.view_for(seer),
            seer=seer if seer >= 0 else None,
            story=[StoryLine(sentence) for sentence in sentences if sentence],
            fresh=sum(map(bool, sentences[since:])),
            marked=frozenset(self.face.touched(events[since:])),
            events=events,
            turn=max((at for at, other in zip(self.acted, self.others, strict=True) if other is not None), default=0),
            face=self.face,
            is_watching=not self.persons,
            waits_for="" if asked is None or self.others[asked] is None else self.names[asked],
        )

    # Moves of the others

    @property
    def seer(self) -> int:
        """The observer whose view is shown while bots play: the seat of the only person, otherwise PUBLIC."""
        return self.persons[0] if len(self.persons) == 1 else PUBLIC

    def _write(self, line: Any) -> None:
        """Write a line to the log. Show the events of an action, or the error message of a player's fault."""
        if isinstance(line, ActionLine):
            if self.undone and line.seat in self.persons:
                line = msgspec.structs.replace(line, info={"undone": self.undone})
                self.undone = 0
            self.saved.write(line)
            if line.opening:  # drawn opening: shown with the first question
                return
            self.last_actor = line.seat
            self.acted[line.seat] = len(self.match.history)
            is_own = line.seat in self.persons
            frame = self._frame(self.seer)
            if not is_own or not self.face.landmarks.isdisjoint(map(type, line.events)):
                new_lines = sum(bool(line) for line in self.sentences[self.seer][-len(line.events) :])
                frame.fresh = max(new_lines, frame.fresh if self.seer >= 0 else 0)
                self.display.tell(frame, new_lines)
            elif frame.waits_for:  # replace the question while the next player thinks
                self.display.tell(frame, 0)
        else:
            self.saved.write(line)
            if isinstance(line, FaultLine):
                frame = self._frame(self.seer)
                words = f"! {self.names[line.seat]}: {line.code}: {line.message}"
                frame.story.append(StoryLine(words, is_event=False))
                self.display.tell(frame, 1)

    # Undo

    def _undo_refused(self, seat: int) -> str | None:
        """Return why the last decision of `seat` cannot be taken back. Return None if it can be taken back."""
        if not self.decisions:
            return "You have no decision to take back."
        if self.decisions[-1][0] != seat:
            return f"{self.names[self.decisions[-1][0]]} has moved since; undo works in games against bots."
        return None

    def _take_back(self) -> None:
        seat, size = self.decisions.pop()
        self.match, earlier = self.saved.take_back(size, self.persons)
        self.sentences.clear()
        self.undone += earlier + 1
        history = len(self.match.history)
        self.acted = [min(at, history) for at in self.acted]
        self.since = [min(at, history) for at in self.since]
        self.last_actor = seat
        self.dialogue.forget()
