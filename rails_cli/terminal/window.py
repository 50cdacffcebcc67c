"""A display that uses the whole window: the game above an input line with completion and history.

The window runs in the main thread. The game runs in another thread, which calls the methods of `Display`.
"""

import os
import queue
import signal
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, FormattedTextControl, Layout
from prompt_toolkit.layout.containers import Float, FloatContainer, HSplit, VSplit, Window
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import BeforeInput
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from rich.text import Text

from rails_cli.study.playback.cursor import SPEEDS
from rails_cli.terminal.frame import Frame, Interrupted, Quit, reading_time_s
from rails_cli.terminal.layout import ScreenLayout
from rails_cli.terminal.looking import EXPLANATIONS, LOOKS, MISREAD, LookUp, command_in, requested_page
from rails_cli.terminal.reading import Unclear
from rails_cli.terminal.signs import is_unicode, legible, same_length_ascii

T = TypeVar("T")
MENU_LINES = 8
"""Maximum height of the list of completions, in lines."""
CLOCK_TICK_S = 0.5
"""Seconds between two updates of the clock on the screen."""
ESCAPE_S = 0.05
"""Seconds to wait for the rest of an escape sequence."""
SPEED_KEYS = {"+": 1, "=": 1, "-": -1, "_": -1}
"""Dictionary from a key to the number of places by which this key moves the speed in the list SPEEDS."""
NOTHING = -1
"""Number of no frame."""
HINTS = (
    "tab  ? explain  hint  why ..  map  log  undo  help ",
    "? explain  hint  why ..  map  log  help ",
    "?  hint  map  log  help ",
    "?  hint  help ",
)
BACK_HINT = "enter: back to the game "
DELETED_HINT = "deleted, because it was typed before the question "
HELD_HINT = "enter again: send this "
WATCHING_HINTS = ("+ faster  - slower  map  log  scores  help  q quit ", "+  -  help  q quit ")
WAITING_HINTS = ("map  log  scores  help  quit ", "map  log  quit ")
TEACHING_HINTS = ("tab: the map  ?: the rules  quit ", "tab: map  ?: rules ")
NOT_DRAWN = "This screen cannot be drawn"
MISREAD_HINT = f"{MISREAD} "
SHORT_MISREAD_HINT = "not now: map log scores help quit "


@dataclass
class Pace:
    """The speed of a watched game. At speed 1 a person has time to read every line. Pauses are divided by `speed`."""

    speed: float = 1.0
    is_paused: bool = False

    def change(self, steps: int) -> None:
        """Choose the speed that is `steps` places later in the list SPEEDS, or earlier if `steps` is negative."""
        self.speed = SPEEDS[max(0, min(SPEEDS.index(self.speed) + steps, len(SPEEDS) - 1))]

    @property
    def words(self) -> str:
        """Text before the input line. It shows the speed or that the game is paused, and some keys."""
        return "paused; space: continue, enter: one step" if self.is_paused else f"speed {self.speed:g}; space: pause"


class TerminalWindow:
    """A display that uses the whole window of the terminal while `run` plays a game."""

    has_keys = True
    is_interactive = True

    def __init__(
        self,
        *,
        is_fast: bool,
        history: Path | None,
        wait: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        """Create the display. `history` is the file of earlier typed lines, or None for no file.

        With `is_fast`, the display does not pause for new lines about events. `wait` is a function that gets an event
        and a number of seconds. It waits until the event is set, but not longer than these seconds.
        """
        self._is_fast = is_fast
        self._wait = wait
        self._screen = ScreenLayout()
        self._scene: tuple[int, Frame | None] = (0, None)
        """Number of the frame to show, and the frame. The thread of the game assigns both at once."""
        self._asked = NOTHING
        """Number of the frame that waits for a typed line, or NOTHING if no frame waits."""
        self._visible: tuple[int, Frame | None] = (0, None)
        """Number of the frame on the screen, and the frame. The input line belongs to this frame."""
        self._drawn_key: tuple[Any, ...] | None = None
        """Values from which `_drawn_text` was made, to detect changes. None before the first drawing."""
        self._drawn_text: StyleAndTextTuples = []
        self._lines: queue.SimpleQueue[str | Quit | int] = queue.SimpleQueue()
        """Queue for the game's thread: typed lines, Quit, or the number of a frame whose question is cancelled."""
        self._skip = threading.Event()
        """Event that is set to end the pause for new lines about events."""
        self._is_paced = False
        """Whether the display pauses for new lines about events. The enter key ends the pause."""
        self._look: LookUp | None = None
        """The page that the person looks at while no question is open, or during a lesson."""
        self._turn_asked = 0
        """The value of `Frame.turn` at the last question."""
        self._has_deleted = False
        """Whether typed text was deleted when the question appeared. If so, the next line needs a second enter."""
        self._held = ""
        """Typed line that is sent only after a second enter. Empty if there is none."""
        self._is_misread = False
        """Whether the last line was typed while no question was open, and was not a command."""
        self._left: Quit | None = None
        """How the person has left. None if the person is present."""
        self._is_titled = False
        self._pace = Pace()
        self._buffer = Buffer(
            completer=_FrameCompleter(self),
            history=_history(history),
            complete_while_typing=False,
            multiline=False,
            accept_handler=self._accepted,
            on_text_changed=self._on_typing,
        )
        self._line = Window(
            BufferControl(self._buffer, input_processors=[BeforeInput(self._prompt)]),
            height=1,
            wrap_lines=False,
            get_horizontal_scroll=lambda line: 0,  # a wider window or a shorter text shows the prompt again
        )
        self._app: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            full_screen=True,
            mouse_support=False,
            refresh_interval=CLOCK_TICK_S,
        )
        self._app.timeoutlen = self._app.ttimeoutlen = ESCAPE_S

    def run(self, play: Callable[["TerminalWindow"], T]) -> T:
        """Open the window and call `play` in a new thread. Return the result of `play`, or raise its exception."""
        outcome: list[T] = []
        failure: list[BaseException] = []

        def game() -> None:
            try:
                outcome.append(play(self))
            except BaseException as error:
                failure.append(error)
            finally:
                loop = self._app.loop
                if loop is not None:
                    loop.call_soon_threadsafe(self._close)

        thread = threading.Thread(target=game, name="game", daemon=True)
        before = {
            number: signal.signal(number, lambda *_: self._leave("end of input"))
            for number in (signal.SIGTERM, signal.SIGHUP)
        }
        try:
            with suppress(EOFError, KeyboardInterrupt):
                self._app.run(pre_run=thread.start)
        finally:
            self._leave("end of input")
            thread.join()
            if self._is_titled:
                self._app.output.clear_title()
                self._app.output.flush()
            for number, handler in before.items():
                signal.signal(number, handler)
        if failure:
            raise failure[0]
        return outcome[0]

    # Display interface, called by the game's thread

    def ask(self, frame: Frame) -> str:
        if frame.turn != self._turn_asked and self._app.loop is not None:
            self._app.loop.call_soon_threadsafe(self._delete_typed)
            while not self._lines.empty():  # lines about the previous question
                self._lines.get()
        self._turn_asked = frame.turn
        self._show(frame, is_asking=True)
        number = self._scene[0]
        while True:
            line = self._lines.get()
            if isinstance(line, str):
                return line
            if isinstance(line, Quit):
                raise line
            if line == number:
                raise Interrupted

    def tell(self, frame: Frame, lines: int) -> None:
        if self._left is not None:
            raise self._left
        if self._is_fast and lines:
            self._is_paced = False
            if self._look is None:
                self._show(frame, is_asking=False)
            return
        if not self._pace.is_paused:  # in a pause, a step may have been asked for while a bot was thinking
            self._skip.clear()
        self._is_paced = lines > 0
        if self._scene[1] is not frame:
            self._show(frame, is_asking=False)
        seconds = reading_time_s(frame.story[-lines:] if lines else [])
        self._wait(self._skip, seconds / self._pace.speed if frame.is_watching else seconds)
        while frame.is_watching and self._pace.is_paused and self._left is None and not self._skip.is_set():
            self._wait(self._skip, CLOCK_TICK_S)
        if self._pace.is_paused:
            self._skip.clear()
        while self._look is not None and self._left is None and not frame.goes_on:
            self._skip.clear()
            self._wait(self._skip, CLOCK_TICK_S)
        if self._left is not None:
            raise self._left

    def close(self, frame: Frame) -> str:
        with suppress(Quit):
            return self.ask(frame)
        return ""

    def call(self, title: str, *, is_loud: bool) -> None:
        def do() -> None:
            output = self._app.output
            output.set_title(legible(title))
            if is_loud:
                output.bell()
            output.flush()

        loop = self._app.loop
        if loop is not None:
            self._is_titled = True
            loop.call_soon_threadsafe(do)

    def interrupt(self) -> None:
        number, self._asked = self._asked, NOTHING
        self._has_deleted = False
        if number != NOTHING:
            self._lines.put(number)
            self._app.invalidate()

    def _show(self, frame: Frame, *, is_asking: bool) -> None:
        if self._left is not None:
            raise self._left
        if is_asking:
            self._look = None
        if self._look is None:
            self._screen.scrolled = 0
        number = self._scene[0] + 1
        self._asked = NOTHING
        self._scene = (number, frame)
        self._asked = number if is_asking else NOTHING
        self._app.invalidate()

    # Window, in the main thread

    @property
    def frame(self) -> Frame | None:
        """The visible frame if it waits for a line, otherwise None."""
        number, frame = self._visible
        return frame if number == self._asked else None

    def _layout(self) -> Layout:
        screen = Window(
            FormattedTextControl(self._drawn, show_cursor=False),
            wrap_lines=False,
            always_hide_cursor=True,
            ignore_content_width=True,
            ignore_content_height=True,
        )
        line = self._line
        said = FormattedTextControl(self._hints)
        hints = Window(said, width=lambda: len(self._hints()), height=1, style="fg:#767676")
        menu = Float(xcursor=True, ycursor=True, content=CompletionsMenu(max_height=MENU_LINES, scroll_offset=1))
        return Layout(FloatContainer(HSplit([screen, VSplit([line, hints])]), floats=[menu]), focused_element=line)

    def _drawn(self) -> StyleAndTextTuples:
        size = self._app.output.get_size()
        width, height = size.columns, size.rows - 1
        number, frame = self._visible = self._scene
        if frame is None or height < 1:
            return []
        look = self._look
        left = frame.seconds_left and frame.seconds_left()
        typed = self._buffer.text if frame.propose is not None and self.frame is frame else ""
        key = (number, width, height, self._screen.scrolled, look, left, len(frame.story), typed)
        if key != self._drawn_key:
            if typed and frame.propose is not None:
                with suppress(Exception):  # errors in a preview must not end the window
                    frame = replace(frame, proposal=frame.propose(typed) or frame.proposal)
            if look is not None:
                frame = replace(frame, overlay=look.overlay, overlay_at_end=look.is_at_end)
            try:
                lines = self._screen.lines(frame, width, height)
            except Exception as error:  # the game continues, and the input line still works
                lines = [Text(f"{NOT_DRAWN} ({type(error).__name__}). Try another size of the window.")]
            self._drawn_text = _fragments(lines)
            self._drawn_key = (*key[:3], self._screen.scrolled, *key[4:])
        return self._drawn_text

    def _prompt(self) -> str:
        frame, shown = self.frame, self._visible[1]
        if self._look is not None:
            return f"... (enter: back to the {'lesson' if shown is not None and shown.lesson else 'game'}) "
        if frame is not None:
            return legible(frame.prompt)
        if shown is not None and shown.is_watching and (self._is_paced or self._pace.is_paused):
            return f"... ({self._pace.words}) "
        if shown is not None and (shown.question or (shown.overlay is not None and not shown.goes_on)):
            return "... (thinking) "  # a typed line is being processed, or the moves of the game are judged
        whom = f" for {legible(shown.waits_for)}" if shown is not None and shown.waits_for else ""
        return "... (enter: continue) " if self._is_paced else f"... (waiting{whom}) "

    def _hints(self) -> str:
        """Return the text beside the input line: the effect of the typed line, or a list of commands."""
        frame = self.frame
        width = self._app.output.get_size().columns
        typed = self._buffer.text
        if frame is None:
            if self._is_misread:
                return MISREAD_HINT if len(MISREAD_HINT) + len(self._prompt()) < width else SHORT_MISREAD_HINT
            shown = self._visible[1]
            known = WATCHING_HINTS if shown is not None and shown.is_watching else WAITING_HINTS
            shown_hints = () if typed or self._look is not None else known
            return next((hints for hints in shown_hints if len(hints) * 2 <= width), "")
        if typed and typed == self._held:
            return HELD_HINT
        if self._has_deleted and not typed:
            return DELETED_HINT
        if self._look is not None:
            return ""
        if self._is_teaching:
            return next((hints for hints in TEACHING_HINTS if len(hints) * 2 <= width), "")
        if frame.overlay is not None and "press enter" not in frame.prompt:
            return BACK_HINT
        if not frame.choices or frame.overlay is not None:
            return ""
        if typed and frame.foresee is not None:
            room = width - len(frame.prompt) - len(typed) - 3
            words = ""
            with suppress(Exception):  # errors in a preview must not end the window
                words = legible(frame.foresee(typed))
            return f"{words[: max(room - 1, 0)]} " if words else ""
        return next((hints for hints in HINTS if len(hints) * 2 <= width), "")

    def _accepted(self, buffer: Buffer) -> bool:
        """Handle the enter key: send the typed line if a question is open.

        Return whether the text stays in the input line. If earlier text was deleted when the question appeared, the
        first press of enter does not send the line.
        """
        shown = self._visible[1]
        if self._look is None and shown is not None and shown.aside is not None:
            is_action = self.frame is not None and shown.is_action(buffer.text)
            if not is_action and shown.aside(buffer.text):
                return False
        if self.frame is None:
            return self._accepted_without_question(buffer.text)
        if self._look is not None:
            self._look = None
            return True
        if self._has_deleted:
            self._has_deleted, self._held = False, buffer.text
            return True
        self._asked = NOTHING
        self._lines.put(buffer.text.strip())
        return False

    def _accepted_without_question(self, text: str) -> bool:
        """Handle the enter key while no question is open. Return whether the typed text stays in the input line."""
        frame, command = self._visible[1], command_in(text)
        if command == "quit":
            self._leave("quit")
        elif self._look is None and frame is not None and command in LOOKS:
            try:
                self._look = requested_page(frame, text)
            except Unclear as unclear:
                self._look = LookUp([str(unclear)])
            self._screen.scrolled = 0
            return False
        elif self._look is None and frame is not None and frame.question and command in EXPLANATIONS:
            self._lines.put(text.strip())
            return False
        else:
            is_page_shown = self._look is not None
            self._is_misread = bool(text.strip()) and not is_page_shown
            self._look = None
            self._skip.set()
            return is_page_shown
        return True

    def _on_typing(self, buffer: Buffer) -> None:
        self._held, self._is_misread = "", False

    def _delete_typed(self) -> None:
        """Delete the text in the input line, so that it does not answer a question that was not visible yet."""
        self._has_deleted, self._is_misread = bool(self._buffer.text), False
        self._buffer.reset()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        meanings: dict[str, Callable[[KeyPressEvent], None]] = {
            "c-c": lambda event: self._leave("interrupt"),
            "<sigint>": lambda event: self._leave("interrupt"),
            "c-d": self._delete_or_leave,
            "pagedown": lambda event: self._scroll(self._screen.step),
            "pageup": lambda event: self._scroll(-self._screen.step),
            "tab": self._complete,
            "c-z": lambda event: event.app.suspend_to_background(),
            "c-l": lambda event: event.app.renderer.clear(),
        }
        for key, do in meanings.items():
            keys.add(key)(do)

        @keys.add("<any>", filter=Condition(lambda: bool(self._shortcuts())))
        def shortcut(event: KeyPressEvent) -> None:
            line = self._shortcuts().get(event.data)
            if line is None:
                self._buffer.insert_text(event.data)
            else:
                self._asked, self._has_deleted = NOTHING, False
                self._lines.put(line)

        @keys.add("?", filter=Condition(lambda: self._is_teaching))
        def rules(event: KeyPressEvent) -> None:
            self._turn(lambda frame: LookUp(frame.rules or ["No rule applies here."]))

        is_watching = Condition(lambda: self._is_watching)

        @keys.add(" ", filter=is_watching)
        def pause(event: KeyPressEvent) -> None:
            self._pace.is_paused = not self._pace.is_paused
            if not self._pace.is_paused:
                self._skip.set()

        keys.add("q", filter=is_watching)(lambda event: self._leave("quit"))
        for key, steps in SPEED_KEYS.items():
            keys.add(key, filter=is_watching)(lambda event, steps=steps: self._pace.change(steps))
        return keys

    @property
    def _is_watching(self) -> bool:
        """Whether a watched game is shown and the input line is empty."""
        shown = self._visible[1]
        return shown is not None and shown.is_watching and self._look is None and not self._buffer.text

    def _delete_or_leave(self, event: KeyPressEvent) -> None:
        if self._buffer.text:
            self._buffer.delete()
        else:
            self._leave("end of input")

    def _scroll(self, lines: int) -> None:
        self._screen.scrolled = max(0, self._screen.scrolled + lines)

    def _shortcuts(self) -> Mapping[str, str]:
        """Return a mapping from a key to the line that it enters immediately.

        The mapping is empty while the person types a line or a page is shown.
        """
        frame = self.frame
        return {} if frame is None or self._buffer.text or self._look is not None else frame.keys

    @property
    def _is_teaching(self) -> bool:
        """Whether a lesson is shown and the input line is empty."""
        frame = self.frame
        return frame is not None and bool(frame.lesson) and frame.overlay is None and not self._buffer.text

    def _turn(self, made: Callable[[Frame], LookUp | None]) -> None:
        """During a lesson, replace the lesson by the page that `made` returns, or replace such a page by the lesson."""
        frame = self.frame
        assert frame is not None
        self._look = made(frame) if self._look is None else None
        self._screen.scrolled = 0

    def _complete(self, event: KeyPressEvent) -> None:
        if self._is_teaching:
            self._turn(lambda frame: requested_page(frame, "map"))
        elif self._buffer.complete_state:
            self._buffer.complete_next()
        else:
            self._buffer.start_completion(insert_common_part=True)

    def _leave(self, how: str) -> None:
        """Let the thread of the game raise Quit with the reason `how`, because the person has left."""
        if self._left is None:
            self._left = Quit(how)
        self._lines.put(self._left)
        self._skip.set()

    def _close(self) -> None:
        if self._app.is_running and not self._app.is_done:
            self._app.exit()


def _fragments(lines: Sequence[Text]) -> StyleAndTextTuples:
    """Return `lines`, texts of the package rich, as fragments of prompt_toolkit. Each fragment has one style."""
    console = Console(markup=False, emoji=False, highlight=False)
    has_unicode, has_colours = is_unicode(), not console.no_color
    fragments: StyleAndTextTuples = []
    for segment in Text("\n").join(lines).render(console):
        style = segment.style or Style.null()
        text = segment.text if has_unicode else same_length_ascii(segment.text)
        fragments.append((_style(style if has_colours else style.without_color), text))
    return fragments


@cache
def _style(style: Style) -> str:
    """Return a style of rich in the notation of prompt_toolkit."""
    colours = None if os.environ.get("TERM") == "dumb" else ColorSystem.EIGHT_BIT
    return to_formatted_text(ANSI(style.render("x", color_system=colours)))[0][0]


class _FrameCompleter(Completer):
    """A completer that offers the suggestions of the frame that waits for a line."""

    def __init__(self, window: TerminalWindow) -> None:
        self._window = window

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        frame = self._window.frame
        if frame is not None and frame.complete is not None:
            with suppress(Exception):
                for text, start, note in frame.complete(document.text_before_cursor):
                    yield Completion(text, start_position=start, display_meta=legible(note))


class _KeptHistory(FileHistory):
    """The history of typed lines in a file. Read and write errors are ignored."""

    def load_history_strings(self) -> Iterable[str]:
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            super().store_string(string)


def _history(path: Path | None) -> History:
    if path is None:
        return InMemoryHistory()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    return _KeptHistory(str(path))
