"""The turn of a person at a server: steps are collected, and sent together when the turn is complete."""

from dataclasses import replace
from typing import Any

from rails_cli.games.decision import Decision
from rails_cli.games.faces.choices import preview_of
from rails_cli.terminal.dialogue import Dialogue, Send, Undo
from rails_cli.terminal.frame import Display, Frame, Quit

YES = frozenset({"", "1", "y", "yes", "ok", "send"})
NO = frozenset({"2", "n", "no", "undo", "back"})
LEAVE = frozenset({"q", "quit", "exit"})


class TurnAnswers:
    """The steps of a turn. Each step answers one of several consecutive requests of the server.

    The steps are kept until the next turn, because the server repeats a request after a lost connection. The same step
    then answers the repeated request.
    """

    def __init__(self) -> None:
        self._number = 0
        """Number of the request that the first step answers."""
        self._steps: list[Any] = []
        self._is_sent = False
        """Whether the first step was sent. If not, the person decided while the connection was lost."""

    def forget(self) -> None:
        self._number, self._steps, self._is_sent = 0, [], False

    def keep(self, number: int, steps: list[Any]) -> None:
        """Keep `steps`, which were chosen without a connection, until the server repeats request `number`."""
        self._number, self._steps, self._is_sent = number, steps, False

    def steps_for(self, number: int) -> list[Any]:
        """Return the steps that answer request `number` and later requests. Empty if the person must be asked."""
        if number == self._number:
            return self._steps
        return self._steps[1:] if self._is_sent else []

    def first_step(self, number: int, steps: list[Any]) -> Any:
        """Store `steps`, and return the first step. The caller sends it now as the answer to request `number`."""
        self._number, self._steps, self._is_sent = number, steps, True
        return steps[0]


class Planner:
    """The steps that a person has chosen for a turn, but that are not sent to the server yet."""

    def __init__(self, display: Display) -> None:
        self.display = display
        self.dialogue = Dialogue(display, is_collecting=True)
        self.number = 0
        self.steps: list[Any] = []

    def forget(self) -> None:
        self.steps = []
        self.dialogue.forget()

    def decide(self, number: int, decision: Decision, frame: Frame) -> list[Any]:
        """Ask the person for the steps of a turn, and return the steps. The turn starts with request `number`.

        If the server repeats the request, earlier steps are kept. Raise Quit if the person leaves, or Interrupted if
        the question is no longer open.
        """
        if number != self.number:
            self.steps, self.dialogue.later = [], []
        self.number = number
        while True:
            now = self._now(decision)
            if now is None:
                if self._is_confirmed(decision, frame):
                    break
                self._take_back()
                continue
            shown = replace(
                frame, view=now.view, plan=self._plan(decision), marked=frame.marked | self._places(decision)
            )
            try:
                self.steps.append(self.dialogue.decide(now, shown))
            except Undo:
                self._take_back()
            except Send:
                break
            if len(self.steps) == 1 and self._now(decision) is None:
                break
        steps, self.steps = self.steps, []
        return steps

    def _take_back(self) -> None:
        del self.steps[-1:]
        self.dialogue.forget()

    def _now(self, decision: Decision) -> Decision | None:
        """Return the next decision of the person after the collected steps.

        Return None if another player is next, or if the position after these steps depends on chance.
        """
        now: Decision | None = decision
        for step in self.steps:
            now = now and now.after(step)
        return now

    def _places(self, decision: Decision) -> frozenset[str]:
        return frozenset(place for step in self.steps for place in decision.face.places(decision.wire_board, step))

    def _steps_text(self, decision: Decision) -> str:
        preview = preview_of(decision, self.steps).words
        steps = decision.face.steps_in_words(decision.wire_board, self.steps)
        return f"{steps}{': ' if preview else ''}{preview}"

    def _plan(self, decision: Decision) -> str:
        if not self.steps:
            return ""
        return f"Not sent yet: {self._steps_text(decision)}. undo takes back the last step, send plays these steps."

    def _seen(self, decision: Decision) -> Any:
        """Return the view of the person after the collected steps.

        Steps with a random result do not change the view.
        """
        ahead, view = decision.lookahead, decision.view
        for step in self.steps:
            ahead, _ = ahead.after(step)
            view = view if ahead.is_by_chance else ahead.view
        return view

    def _is_confirmed(self, decision: Decision, frame: Frame) -> bool:
        shown = replace(
            frame,
            view=self._seen(decision),
            question=f"Send this? {self._steps_text(decision)}.",
            choices=[],
            other_bids="",
            message=["Enter or yes sends it; undo takes back the last step. Nothing has been sent yet."],
            complete=None,
            foresee=None,
            marked=frame.marked | self._places(decision),
        )
        while True:
            line = self.display.ask(shown).lower()
            if line in YES or line in NO:
                return line in YES
            if line in LEAVE:
                raise Quit("quit")
            shown.message = [f"{line!r} is neither: enter sends it, undo takes back the last step."]
