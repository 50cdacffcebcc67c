"""The replay of a logged game in the whole window of a terminal, controlled by keys."""

import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from rich.text import Text

from rails_cli.games.faces.canvas import RED, SIZES, Size
from rails_cli.games.faces.interface import Snapshot
from rails_cli.games.faces.panels import WIDE
from rails_cli.games.game import ALL_SEATS
from rails_cli.study.analysis.analysis import curve_title
from rails_cli.study.playback.cursor import Cursor
from rails_cli.study.playback.feed import Feed
from rails_cli.study.playback.narrate import ending, event_lines, headline
from rails_cli.study.playback.recorded import Moment, Recorded, read_recorded
from rails_cli.study.playback.text_blocks import (
    COMFORTABLE,
    blocks,
    drawn,
    fit_all,
    place_side_by_side,
    styled,
    width_of,
    wrapped,
)
from rails_cli.terminal.full_screen import BAR, LOUD, QUIET, FullScreen, bar, full_screen
from rails_cli.terminal.keyboard import LEAVE
from rails_cli.terminal.layout import fitted

Judge = Callable[[Recorded, int, int], list[str]]
"""Function that returns sentences that judge an action.

Its parameters are the game, the number of the action, and the observer to whom the sentences are shown.
"""
Page = Literal["board", "tables", "story", "chances", "keys"]
PAGES: tuple[Page, ...] = ("board", "tables", "story")
ASIDES = ("f", "b", "c", "u", "t", "T")
"""Keys that the caller of `watch` handles. At such a key `watch` returns, and the caller calls `watch` again later."""

STEPS = {
    **dict.fromkeys(("right", "l", "n", "enter"), 1),
    **dict.fromkeys(("left", "h", "p", "backspace"), -1),
    "page down": 10,
    "page up": -10,
}
JUDGED = "italic"
WRONG = f"bold {RED}"
GAP = 1
SHORTEST_STORY = 3
AMPLE_STORY = 12
LONGEST_STORY = 100
NARROWEST = WIDE
SCROLL_LINES = 5
LOOK_AGAIN_S = 0.1
"""Seconds between two checks of the size of the window and of the length of the log."""

KEYS_OF_THE_LIST = ("?", "escape", "tab", "back tab", "down", "j", "up", "k")
"""Keys that have an effect while the list of keys is shown, in addition to q and the keys in LEAVE."""
OPTIONAL = ("a ", *(f"{key} " for key in ASIDES))
"""First two characters of the lines in HELP about keys that only some replays have.

Other replays leave out these lines.
"""

HELP = """\
right, l, n        next action
left, h, p         previous action
page down/up       ten actions forward, back
home, g / end, G   to the start, to the end
12 enter           to action 12
d / D              next, previous dividend or completed route
space              play, pause
+ / -              faster, slower
tab                board, tables, story
down, j / up, k    scroll tables and story
s                  switch to what the next seat saw, or all seats together
a                  what the action was worth, and what a strong player would do
t / T              next, previous turning point; at first the game is analysed
f                  play on from here yourself, or let bots do so: a branch
b                  the branches of this game: open one, or resume it
c                  compare the game with its branches
u                  from a branch back up to its game
?                  this list of keys
q, escape, ctrl-C  leave; from a page, escape leads to the board"""
BRIEF_WITH_BRANCHES = (
    "left/right step  space play  12 enter jump  tab page  s seat  f play from here  b branches  ? keys  q quit",
    "left/right step  space play  12 enter jump  tab page  f play from here  b branches  ? keys  q quit",
    "left/right step  space play  tab page  f play on  b branches  ? keys  q quit",
    "left/right  space  tab  f  b  ?  q quit",
    "? keys, q quit",
)
BRIEF_HELP = (
    "left/right step  space play  +/- speed  g/G ends  12 enter jump  d/D landmarks  tab page  s seat  ? keys  q quit",
    "left/right step  space play  +/- speed  g/G ends  tab page  ? keys  q quit",
    "left/right  space  +/-  tab  ?  q quit",
    "? keys, q quit",
)


class Panels(NamedTuple):
    """Lines about the open question, about the companies, and about the players."""

    question: list[Text]
    companies: list[Text]
    players: list[Text]


class Curve(NamedTuple):
    """Results of an analysis of the whole game.

    `chances` has one list for the start and one after each action, with each seat's chance of winning from 0 to 1.
    """

    chances: Sequence[Sequence[float]]
    moments: Sequence[tuple[int, str]]
    """Turning points, as pairs: the number of an action, and an explanation."""


class Screen:
    """The state of a replay: the action at the cursor, the seat whose view is shown, and the current page."""

    def __init__(
        self,
        cursor: Cursor,
        seer: int,
        *,
        is_following: bool = False,
        judge: Judge | None = None,
        asides: Sequence[str] = (),
    ) -> None:
        """Create a screen. `asides` are the keys at which `watch` returns, because its caller handles them.

        `seer` is the seat whose view is shown, or ALL_SEATS. `is_following` says that the log is still growing. `judge`
        returns sentences that judge an action, or is None if actions are not judged.
        """
        self.cursor = cursor
        self.asides = asides
        self.branch = ""
        """Label of the game if it is a branch (continues another game from one of its positions). Empty otherwise."""
        self.branches: Sequence[int] = ()
        """Numbers of the actions after which a branch begins. A branch is another game that continues this game."""
        self.curve: Curve | None = None
        self.said = ""
        """Message at the bottom, shown until the next key."""
        self.seer = seer
        self.may_change_seer = seer == ALL_SEATS
        self.is_following = is_following
        self.page: Page = "board"
        self.scrolled = 0
        self.typed = ""
        """Digits typed so far of the number of an action to go to."""
        self.judge = judge
        self.is_judging = False
        self._map_sizes: dict[Size, tuple[int, int]] = {}
        """Dictionary from a size to the columns and lines of the map, to find without drawing whether the map fits."""

    @property
    def recorded(self) -> Recorded:
        return self.cursor.recorded

    @property
    def moment(self) -> Moment:
        return self.recorded.moments[self.cursor.at]

    # Keys

    def press(self, key: str, now_s: float) -> bool:
        """Handle a key that was pressed at `now_s` (`time.monotonic`). Return False if `watch` must return."""
        self.said = ""
        if self.page == "keys" and key in ("q", "Q"):
            self._turn_to("board")
            return True
        is_left = key == "escape" and self.page == "board" and not self.typed
        if is_left or key in ("q", "Q", *LEAVE):
            return False
        if self.page == "keys" and key not in KEYS_OF_THE_LIST:
            return True
        if key in ("t", "T") and self.curve is not None:
            self._go(lambda: self._turning_point(1 if key == "t" else -1))
            return True
        if key in self.asides:
            self.cursor.stop()
            return False
        if key.isdecimal() and key.isascii():
            self.typed = (self.typed + key)[:6]
            return True
        typed, self.typed = self.typed, ""
        if typed and key == "backspace":
            self.typed = typed[:-1]
        elif typed and key == "enter":
            self._go(lambda: self.cursor.jump(int(typed)))
        elif key == "?":
            self.cursor.stop()
            self._turn_to("board" if self.page == "keys" else "keys")
        elif key in ("tab", "back tab"):
            pages = PAGES if self.curve is None else (*PAGES, "chances")
            at = pages.index(self.page) if self.page in pages else -1
            self._turn_to(pages[(at + (1 if key == "tab" else -1)) % len(pages)])
        elif key == "escape" and not typed:
            self._turn_to("board")
        elif key == "s" and self.may_change_seer:
            self.seer = 0 if self.seer == ALL_SEATS else self.seer + 1
            if self.seer == len(self.recorded.names):
                self.seer = ALL_SEATS
        elif key == "a" and self.judge is not None:
            self.is_judging = not self.is_judging
        elif key in ("down", "j", "up", "k"):
            self.scrolled += SCROLL_LINES if key in ("down", "j") else -SCROLL_LINES
        else:
            self._press_to_move(key, now_s)
        return True

    def _press_to_move(self, key: str, now_s: float) -> None:
        cursor = self.cursor
        if key == " ":
            cursor.play_or_stop(now_s)
        elif key in ("+", "="):
            cursor.faster(now_s)
        elif key in ("-", "_"):
            cursor.slower(now_s)
        elif key in STEPS:
            self._go(lambda: cursor.step(STEPS[key]))
        elif key in ("home", "g"):
            self._go(lambda: cursor.jump(0))
        elif key in ("end", "G"):
            self._go(lambda: cursor.jump(self.recorded.last))
        elif key in ("d", "D"):
            self._go(lambda: cursor.next_landmark(1 if key == "d" else -1))

    def _turning_point(self, direction: int) -> None:
        assert self.curve is not None
        steps = [step for step, _ in self.curve.moments]
        ahead = [step for step in steps if (step - self.cursor.at) * direction > 0]
        if ahead:
            self.cursor.jump(min(ahead) if direction > 0 else max(ahead))
        else:
            self.said = f"no turning point {'after' if direction > 0 else 'before'} this action"

    def _go(self, move: Callable[[], None]) -> None:
        self.cursor.stop()
        move()

    def _turn_to(self, page: Page) -> None:
        self.page = page
        self.scrolled = 0

    # Frames

    def frame(self, width: int, height: int) -> list[Text]:
        """Return the lines of the screen: at most `height` lines of at most `width` columns."""
        room = max(height - 2, 0)
        match self.page:
            case "board":
                body = self._board_page(width, room)
            case "tables":
                body = self._scrolled(self._tables(width), room)
            case "story":
                body = self._scrolled(self._story(width, LONGEST_STORY), room)
            case "chances":
                body = self._scrolled(self._chances(width), room)
            case "keys":
                legend = self.recorded.face.legend(self.recorded.view(self.moment, self.seer))
                known = {*self.asides, *("a" if self.judge is not None else "")}
                keys = [line for line in HELP.splitlines() if line[0] in known or line[:2] not in OPTIONAL]
                body = self._scrolled([*fitted(keys, width), Text(), *wrapped([legend], width)], room)
        lines = [self._top(width), *body[:room]]
        lines += [Text() for _ in range(height - 1 - len(lines))]
        for line in lines:
            line.truncate(width)
        return [*lines, self._bottom(width)][:height]

    def _top(self, width: int) -> Text:
        recorded = self.recorded
        cursor = self.cursor
        seen = "all seats" if self.seer == ALL_SEATS else f"seen by seat {self.seer + 1} {recorded.names[self.seer]}"
        parts = [f" {recorded.game.title}", *([self.branch] if self.branch else [])]
        parts.append(f"action {cursor.at} of {recorded.last}")
        here = self.branches.count(cursor.at)
        if here:
            parts.append(f"{here} branch{' begins' if here == 1 else 'es begin'} here")
        if cursor.is_playing:
            parts.append(f"playing {cursor.speed:g}/s")
        elif self.is_following and not recorded.is_complete:
            parts.append("following")
        else:
            parts.append(f"paused ({cursor.speed:g}/s)")
        if recorded.mistake is not None:
            parts.append("INVALID LOG")
        return bar("  |  ".join([*parts, seen]), width)

    def _bottom(self, width: int) -> Text:
        if self.typed:
            return bar(f" go to action {self.typed}_  (enter; 0 to {self.recorded.last})", width)
        if self.said:
            return bar(f" {self.said}", width)
        known = BRIEF_WITH_BRANCHES if "f" in self.asides else BRIEF_HELP
        brief = next((brief for brief in known if len(brief) + 2 <= width), known[-1])
        return bar(f" {brief if self.may_change_seer else brief.replace('  s seat', '')}", width)

    def _scrolled(self, lines: Sequence[Text], room: int) -> list[Text]:
        self.scrolled = max(0, min(self.scrolled, len(lines) - room))
        shown = list(lines[self.scrolled : self.scrolled + room])
        left = len(lines) - self.scrolled - room
        if left > 0 and shown:
            shown[-1] = Text(f"... {left + 1} more lines: down, j", QUIET)
        return shown

    def _tables(self, width: int) -> list[Text]:
        view = self.recorded.view(self.moment, self.seer)
        text = self.recorded.face.position_text(self.recorded.wire_board, view, self.recorded.names)
        return fitted(text.splitlines(), width)

    def _latest(self, width: int) -> list[Text]:
        """Return lines about the action at the cursor. At the end of the game, also return lines about the result."""
        recorded = self.recorded
        lines: list[Text] = []
        if self.cursor.is_at_end and (recorded.is_complete or not self.is_following):
            if recorded.mistake is not None:
                lines += wrapped([f"Invalid from here on: {recorded.mistake}"], width, WRONG)
            lines += wrapped(ending(recorded, self.seer), width, LOUD)
        lines += wrapped([headline(recorded, self.moment, self.seer)], width, LOUD)
        if self.curve is not None:
            decisive = [f"  Turning point: {words}" for step, words in self.curve.moments if step == self.cursor.at]
            lines += wrapped(decisive, width, JUDGED)
        if self.is_judging and self.judge is not None:
            judged = self.judge(recorded, self.cursor.at, self.seer)
            lines += wrapped((f"  {line}" for line in judged), width, JUDGED)
        return lines + wrapped((f"  {line}" for line in event_lines(recorded, self.moment, self.seer)), width)

    def _chances(self, width: int) -> list[Text]:
        """Return lines with the turning points, and with each player's chance of winning as digits from 0 to 9."""
        assert self.curve is not None
        names, last = self.recorded.names, max(self.recorded.last, 1)
        column = min(max(map(len, names)), 16) + 7
        room = max(width - column, 10)
        steps = [round(place * last / (room - 1)) for place in range(room)]
        at = min(range(room), key=lambda place: abs(steps[place] - self.cursor.at))
        title = f"{curve_title(self.recorded)}, in tenths (0 to 9), from the start to the end"
        lines = [*wrapped([title], width, LOUD), Text()]
        for seat, name in enumerate(names):
            chances = [step[seat] for step in self.curve.chances]
            tenths = "".join(str(min(int(10 * chances[min(step, len(chances) - 1)]), 9)) for step in steps)
            now = f"{chances[min(self.cursor.at, len(chances) - 1)]:.0%}"
            line = Text(f"{name[: column - 7]:<{column - 7}} {now:>4}  {tenths}", no_wrap=True)
            line.stylize(BAR, column + at, column + at + 1)
            lines.append(line)
        marks = [" "] * room
        for step, _ in self.curve.moments:
            marks[min(range(room), key=lambda place: abs(steps[place] - step))] = "^"
        lines += [Text(f"{'turning points':<{column}}{''.join(marks)}"[-width:], QUIET, no_wrap=True), Text()]
        sentences = (f"Action {step}: {words}" for step, words in self.curve.moments)
        return [*lines, *wrapped(sentences, width)]

    def _story(self, width: int, actions: int) -> list[Text]:
        """Return lines about the action at the cursor and up to `actions` earlier actions, latest first."""
        lines = self._latest(width)
        for moment in self._before(actions):
            events = (f"  {line}" for line in event_lines(self.recorded, moment, self.seer))
            lines += wrapped([headline(self.recorded, moment, self.seer), *events], width, QUIET)
        return lines

    def _short_story(self, width: int, room: int) -> list[Text]:
        """Return at most `room` lines about the action at the cursor and earlier actions, latest first."""
        lines = self._latest(width)
        if len(lines) > room:
            return [*lines[: room - 1], Text("  ... more: tab, tab", QUIET)]
        if room >= AMPLE_STORY:
            return self._story(width, room)[:room]
        before = (headline(self.recorded, moment, self.seer) for moment in self._before(room))
        return [*lines, *wrapped(before, width, QUIET)][:room]

    def _before(self, actions: int) -> list[Moment]:
        return self.recorded.moments[max(0, self.cursor.at - actions) : self.cursor.at][::-1]

    def _board_page(self, width: int, room: int) -> list[Text]:
        """Return the page with map, companies, players and latest actions, with the largest map that fits."""
        recorded, face = self.recorded, self.recorded.face
        view, board, names = recorded.view(self.moment, self.seer), recorded.wire_board, recorded.names
        moments = recorded.moments[: self.cursor.at + 1]
        events = [event for moment in moments for event in recorded.events(moment, self.seer)]
        snapshot = Snapshot(board, view, names, self.seer if self.seer >= 0 else None, events)
        panels = Panels(
            styled(face.asked(view, names)),
            styled(face.companies(board, view, NARROWEST)),
            styled(face.players(snapshot, max(NARROWEST, width // 2))),
        )
        beside_text = max(width - GAP - COMFORTABLE, 0)
        for size in SIZES:
            across, down = self._map_sizes.get(size, (0, 0))
            if across > width or down > room:
                continue
            drawing = drawn(face, board, view, size, face.touched(self.moment.events), beside_text)
            self._map_sizes[size] = (width_of(drawing), len(drawing))
            lines = self._side_by_side(drawing, panels, width, room) or self._stacked(drawing, panels, width, room)
            if lines:
                return lines
        story = self._short_story(width, SHORTEST_STORY)
        return [*fit_all(panels.question, width), *story, *panels.players, *panels.companies]

    def _side_by_side(self, drawing: Sequence[Text], panels: Panels, width: int, room: int) -> list[Text]:
        """Return the page with the map on the left and the rest on the right.

        `drawing` is the map. Return an empty list if the page is too small.
        """
        column = width_of(drawing) + GAP
        rest = width - column
        parts = [part for part in (fit_all(panels.question, rest), panels.players, panels.companies) if part]
        block = blocks(parts, room, spare=SHORTEST_STORY)
        left = room - len(block)
        if width_of(panels.companies) > rest or rest < NARROWEST or len(drawing) > room or left < SHORTEST_STORY:
            return []
        return place_side_by_side(drawing, [*block, *self._short_story(rest, left)], column)

    def _stacked(self, drawing: Sequence[Text], panels: Panels, width: int, room: int) -> list[Text]:
        """Return the page with the map above the rest.

        `drawing` is the map. Return an empty list if the page is too small.
        """
        column = width_of(panels.companies) + 2 * GAP if panels.companies else 0
        if column + width_of(panels.players) <= width:
            block = place_side_by_side(
                panels.companies, [*panels.players, *fit_all(panels.question, width - column)], column
            )
        else:
            block = [*panels.companies, *panels.players, *fit_all(panels.question, width)]
        left = room - len(drawing) - len(block)
        if width_of(drawing) > width or left < SHORTEST_STORY:
            return []
        return [*drawing, *block, *self._short_story(width, left)]


# The terminal


def watch(screen: Screen, descriptor: int, feed: Feed | None = None) -> str:
    """Show a game until the user leaves the replay, and return the key with which the user left.

    `descriptor` is the file descriptor of the keyboard. `feed` reads the lines that are added to the log.
    """
    with full_screen(descriptor) as terminal:
        while True:
            terminal.draw(screen.frame)
            left_by = _wait(screen, terminal, feed)
            if left_by is not None:
                return left_by


def _wait(screen: Screen, terminal: FullScreen, feed: Feed | None) -> str | None:
    """Wait until the screen must be drawn again. Return None, or the pressed key if the user leaves."""
    while True:
        due_s = screen.cursor.wait_s(time.monotonic())
        pressed = terminal.keys(LOOK_AGAIN_S if due_s is None else min(due_s, LOOK_AGAIN_S))
        now_s = time.monotonic()
        for key in pressed:
            if not screen.press(key, now_s):
                return key
        grown = feed.grown() if feed is not None and not screen.recorded.is_complete else None
        if grown is not None:
            screen.cursor.renew(read_recorded(grown))
        if screen.cursor.tick(now_s) or pressed or grown is not None or terminal.is_resized:
            return None
