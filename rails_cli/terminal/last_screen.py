"""The last screen of a game: the result, the decisive moves, and a key that shows a replay."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from rails_cli.study.analysis.judging import Judgement
from rails_cli.study.playback.recorded import Recorded
from rails_cli.terminal.ending import shortly, styled
from rails_cli.terminal.frame import Display, Frame, Quit, StoryLine
from rails_cli.terminal.verdict import Verdict, place_sentence, verdict_of

REPLAY = "r"


class LastScreen:
    """The last screen of a game at this terminal. It can be shown again after a replay."""

    def __init__(
        self,
        frame: Frame,
        lines: Sequence[str],
        scores: Sequence[int],
        ranks: Sequence[int],
        people: Sequence[int],
        notes: Sequence[str] = (),
    ) -> None:
        """Prepare the last screen. `frame` shows the end of the game, and `lines` are the result of `final_lines`.

        `scores` and `ranks` are by seat. `people` are the seats of the people at this terminal. `notes` are lines to
        show first.
        """
        self._frame = frame
        self._lines = list(lines)
        self._notes = list(notes)
        self._people = people
        self._is_you = len(people) == 1
        unit = frame.game_face.unit
        self._places = [
            place_sentence(frame.names, scores, ranks, seat, unit=unit, is_you=self._is_you) for seat in people
        ]
        self._verdicts: list[Verdict] = []
        self.replay_at: int | None = None
        """Number of the action before which a replay starts. None if no replay is offered."""
        self.wants_replay = False

    @property
    def judged(self) -> list[Judgement]:
        """The judgements of all moves of the people. Empty if they were not judged."""
        return [one for verdict in self._verdicts for one in verdict.judged]

    def wait(self, display: Display) -> None:
        """Show the result while the log of the game is not downloaded yet. If the person leaves (Quit), just return."""
        with suppress(Quit):
            self._tell_progress(display, self._people[0], 0.0)

    def judge(self, display: Display, recorded: Recorded) -> None:
        """Judge the moves of the people in the game `recorded`. Meanwhile, show the result and the progress.

        If the person interrupts this, no moves are judged.
        """
        self.replay_at = 1
        found: list[Verdict] = []
        try:
            for seat in self._people:
                self._tell_progress(display, seat, 0.0)
                found.append(
                    verdict_of(
                        recorded,
                        seat,
                        lambda done, seat=seat: self._tell_progress(display, seat, done),  # type: ignore[misc]
                        is_you=self._is_you,
                    )
                )
        except (Quit, KeyboardInterrupt):
            return
        self._verdicts = found
        costliest = max(found, key=lambda verdict: verdict.chance_lost, default=None)
        if costliest is not None and costliest.costliest is not None:
            self.replay_at = costliest.costliest

    def _tell_progress(self, display: Display, seat: int, done: float) -> None:
        whose = "your moves" if self._is_you else f"the moves of {self._frame.names[seat]}"
        lines = [*self._said, f"Looking back on {whose}: {done:.0%}", "", *self._lines]
        story = [*self._frame.story, StoryLine(f"Looking back on {whose} ...", is_event=False)]
        display.tell(replace(self._frame, overlay=list(styled(lines)), story=story, goes_on=False), 0)

    @property
    def _said(self) -> list[str]:
        """Lines to show first: the notes, and for each person sentences about the final place and the judged moves."""
        if not self._verdicts:
            return [*self._notes, *self._places]
        said = list(self._notes)
        for place, verdict in zip(self._places, self._verdicts, strict=True):
            said += [place, *verdict.lines] if self._is_you else [" ".join((place, *verdict.lines))]
        return said

    @property
    def final(self) -> list[str]:
        """Lines to print after the window is closed: notes, sentences about the people, winners and final table."""
        return [*self._said, *([""] if self._said else []), *shortly(self._lines)]

    def show(self, display: Display) -> None:
        """Show the last screen until the person leaves it. Then `wants_replay` says whether to show a replay."""
        said = self._said
        keys: dict[str, str] = {}
        if self.replay_at is not None and display.has_keys:
            keys = {REPLAY: REPLAY}
            has_costliest = any(verdict.costliest is not None for verdict in self._verdicts)
            which = "that costliest move" if self._is_you else "the costliest of these moves"
            said.append(f"Press {REPLAY} to replay the game{f' from {which}' if has_costliest else ''}.")
        lines = [*said, *([""] if said else []), *self._lines]
        frame = replace(self._frame, overlay=list(styled(lines)), prompt="press enter> ", keys=keys)
        self.wants_replay = display.close(frame) == REPLAY and bool(keys)
