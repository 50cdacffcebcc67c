"""Layout of a game in a window: the map, the panels of companies and players, and the dialogue with the user."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from rich.console import Console
from rich.text import Text

from rails_cli.games.faces.canvas import SIZES, Size
from rails_cli.games.faces.choices import Choice, abbreviated, abbreviated_sentence
from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.panels import WIDE
from rails_cli.games.faces.phrases import listed
from rails_cli.games.shared.text import wrap
from rails_cli.protocol.common import Pass
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
from rails_cli.terminal.ending import COURSE_HEAD, course_so_far
from rails_cli.terminal.frame import Frame, StoryLine, with_known_signs
from rails_cli.terminal.full_screen import BAR, LOUD, QUIET
from rails_cli.terminal.looking import choice_numbers

HELPFUL = "italic"
SCROLL_LINES = 5
"""Maximum number of lines by which page up and page down scroll."""
GAP = 1
STACKED_PANELS = 42
"""Maximum width, in columns, of panels that are shown beside the dialogue below a map."""
UNCUT_PANELS = 37
"""Minimum width, in columns, of panels above which names on the map use the free columns beside the map."""
LEAST_DIALOGUE = 9
COLUMN_GAP = 2
MOST_OF_A_PLAN = 3
MORE_BELOW = " … page down"
FEW_LETTERS = 8
"""Number of letters of a shortened name of a place in a choice."""
LAST_LETTERS = 3
"""Number of letters kept at the end of a shortened name if other names begin with the same letters."""
SHORT_SENTENCE = 24
"""Maximum length, in characters, of sentences that are joined in one line, such as the bids of an auction."""
SPARE_LINES = 3
"""Minimum number of unused lines for which an empty line is added above the question."""
SHORT_MESSAGE = 3
"""Number of lines to which a long message is reduced if space is short, before the texts of choices are shortened."""
LEAST_LESSON = 36
"""Minimum width, in columns, of a lesson that is shown beside a map."""
WIDEST_LESSON = 100
_COLUMNS = re.compile(r" *\S+(?: \S+)* {2,}(?=\S)")


class ScreenLayout:
    """The layout of frames in a window, and how far the user has scrolled.

    In its methods, `width` is a number of columns, and `room` a number of lines.
    """

    def __init__(self) -> None:
        self.scrolled = 0
        """Number of lines above the visible part of the overlay, lesson, message or choices that the user scrolls."""
        self.hides_choices = False
        """Whether some choices of the last frame did not fit, so that the user must scroll to see them."""
        self.hides_notes = False
        """Whether the last frame shows no notes, such as costs, of choices that have notes."""
        self.step = SCROLL_LINES
        """Number of lines by which page up and page down scroll: not more than are visible."""
        self._seen_overlay: object = None
        self._explained_at: int | None = None
        """Number of events in the game at the question that showed the whole legend. None before such a question."""
        self._on_map: object = None
        """The position and the labels that `_map_of` draws."""
        self._map_of: Callable[[Size, int], list[Text]]

    def lines(self, frame: Frame, width: int, height: int) -> list[Text]:
        """Return a frame as `height` lines of at most `width` columns."""
        frame = with_known_signs(frame)
        room = max(height - 1, 0)
        body = self._overlay(frame, width, room) if frame.overlay is not None else self._body(frame, width, room)
        lines = [_bar(frame, width), *body[:room]]
        lines += [Text() for _ in range(height - len(lines))]
        for line in lines:
            if line.cell_len > width:
                line.rstrip()
            line.truncate(width, overflow="ellipsis")
        return lines[:height]

    def _overlay(self, frame: Frame, width: int, room: int) -> list[Text]:
        assert frame.overlay is not None
        made = frame.overlay(width, room) if callable(frame.overlay) else frame.overlay
        lines = fitted(made, width)
        if frame.overlay_at_end and lines != self._seen_overlay:
            self.scrolled = len(lines)
        self._seen_overlay = lines
        return self._scrolled(lines, room)

    def _scrolled(self, lines: list[Text], room: int) -> list[Text]:
        if len(lines) <= room:
            self.scrolled = 0
            return lines
        self.scrolled = max(0, min(self.scrolled, len(lines) - room + 1))
        self.step = max(min(SCROLL_LINES, room - 1), 1)
        shown = lines[self.scrolled : self.scrolled + room - 1]
        left = len(lines) - self.scrolled - len(shown)
        return [*shown, Text(f"... {left} more lines (page down)" if left else "(end)", QUIET)]

    def _lesson(self, frame: Frame, width: int, room: int) -> list[Text]:
        """Return a lesson to the right of the largest map that fits, or below it.

        Without space for a map, return the lesson only.
        """
        map_of = self._maps(frame)
        for size in SIZES if frame.view is not None else ():
            drawing = map_of(size, max(width - GAP - COMFORTABLE, 0))
            column = width_of(drawing) + GAP
            beside_it = fitted(frame.lesson, width - column)
            if width - column >= LEAST_LESSON and max(len(drawing), len(beside_it)) <= room:
                return place_side_by_side(drawing, beside_it, column)
            below_it = fitted(frame.lesson, min(width, WIDEST_LESSON))
            if column - GAP <= width and len(drawing) + 1 + len(below_it) <= room:
                return [*map_of(size, width), Text(), *below_it]
        return self._scrolled(fitted(frame.lesson, width), room)

    def _body(self, frame: Frame, width: int, room: int) -> list[Text]:
        if frame.lesson:
            return self._lesson(frame, width, room)
        map_of = self._maps(frame)
        across = max(width - GAP - COMFORTABLE, 0)
        arrangements = (
            (self._columns, SIZES[:-1], max(width - GAP - max(_least_panels(frame, width), UNCUT_PANELS), 0)),
            (self._stacked, SIZES, width),
            (self._compact, SIZES[:-1], across),
            (self._squeezed, SIZES, across),
            (self._above, SIZES, width),
        )
        for arrange, sizes, most in arrangements:
            for size in sizes:
                drawing = map_of(size, 0)
                if len(drawing) > room or width_of(drawing) > width:
                    continue
                if most > width_of(drawing):
                    drawing = map_of(size, most)
                if lines := arrange(frame, drawing, width, room):
                    return lines
        players, companies = _panels(frame, width)
        stage = fit_all(_stage(frame), width)
        above = [*players, *companies, *stage]
        if room - len(above) < max(LEAST_DIALOGUE, len(frame.choices) + 1):
            above = [*players, *stage]
        if room - len(above) < LEAST_DIALOGUE:
            above = []
        return [*above, *self._dialogue(frame, width, room - len(above), has_map=False)]

    def _maps(self, frame: Frame) -> Callable[[Size, int], list[Text]]:
        """Return a function that draws the map in a size. Names may use all columns of a given width.

        The next frame reuses the drawings if its map shows the same, for example after a key was pressed.
        """
        face, board, (view, marked) = frame.game_face, frame.wire_board, _on_map(frame)
        if (face, board, view, marked) != self._on_map:
            self._on_map = face, board, view, marked
            self._map_of = cache(partial(_map, face, board, view, marked))
        return self._map_of

    def _columns(self, frame: Frame, drawing: list[Text], width: int, room: int) -> list[Text]:
        """Return a frame with map and dialogue on the left, panels and events on the right.

        `drawing` is the map. Return an empty list if the space is too small.
        """
        column = width_of(drawing) + GAP
        rest = width - column
        left = room - len(drawing)
        if column < rest or left < LEAST_DIALOGUE or _is_narrow(frame, rest):
            return []
        right = blocks(_panels(frame, rest), room, spare=8)
        right += fit_all(_stage(frame), rest)
        if len(right) > room:
            return []
        story = room - len(right) - 1
        has_story = story >= 6
        if has_story:
            right += [Text(), *_story(frame, rest, story)]
        dialogue = self._dialogue(frame, column - GAP, left, has_story=not has_story)
        return place_side_by_side([*drawing, *dialogue], right, column)

    def _stacked(self, frame: Frame, drawing: list[Text], width: int, room: int) -> list[Text]:
        """Return a frame with the map above, and with dialogue and panels side by side below.

        `drawing` is the map. Return an empty list if the space is too small.
        """
        left = room - len(drawing)
        if width_of(drawing) > width or len(drawing) > room // 2 or width < 2 * WIDE + GAP:
            return []
        across = min(width - WIDE - GAP, STACKED_PANELS)
        right = [line for panel in _panels(frame, across) for line in panel]
        right += fit_all(_stage(frame), across)
        if len(right) > left:
            return []
        rest = width - across - GAP
        return [*drawing, *place_side_by_side(self._dialogue(frame, rest, left), right, rest + GAP)]

    def _compact(self, frame: Frame, drawing: list[Text], width: int, room: int) -> list[Text]:
        """Return a frame with the map on the left, and the panels and the dialogue on the right.

        `drawing` is the map. Return an empty list if the panel of companies would be truncated, or if the dialogue does
        not fit.
        """
        is_narrow = _is_narrow(frame, width - width_of(drawing) - GAP)
        return [] if is_narrow else self._squeezed(frame, drawing, width, room)

    def _squeezed(self, frame: Frame, drawing: list[Text], width: int, room: int) -> list[Text]:
        """Return a frame with the map on the left, and the panels and the dialogue on the right.

        Panels may be truncated. `drawing` is the map. Return an empty list if the dialogue does not fit. The line about
        the stage of the game is below the map if there is space. The panel of companies is left out if this makes all
        choices, or their notes, visible.
        """
        column = width_of(drawing) + GAP
        rest = width - column
        if rest < WIDE or len(drawing) > room:
            return []
        below = fit_all(_stage(frame), column - GAP)
        right = [line for panel in _panels(frame, rest) for line in panel]
        if len(drawing) + len(below) > room:
            right += fit_all(_stage(frame)[:1], rest)
            below = []
        left = room - len(right)
        if left < LEAST_DIALOGUE - 2:
            return []
        dialogue = self._dialogue(frame, rest, left)
        if frame.choices and (self.hides_choices or self.hides_notes):
            players, hid_choices = _panels(frame, rest)[0], self.hides_choices
            larger = self._dialogue(frame, rest, room - len(players))
            if not self.hides_choices and (hid_choices or not self.hides_notes):
                right, dialogue = players, larger
        return place_side_by_side([*drawing, *below], [*right, *dialogue], column)

    def _above(self, frame: Frame, drawing: list[Text], width: int, room: int) -> list[Text]:
        """Return a frame with the map above the panels and the dialogue, for narrow windows.

        `drawing` is the map. If there is too little space, the panel of companies is left out. The panel of players is
        also left out, but only if choices or proposed steps are on the map. Return an empty list if the space is too
        small for all choices.
        """
        if width_of(drawing) > width:
            return []
        players, companies = _panels(frame, width)
        is_about_map = frame.proposal is not None or bool(choice_numbers(frame))
        attempts = [
            ([*players, *companies, *fit_all(_stage(frame), width)], LEAST_DIALOGUE),
            (players, LEAST_DIALOGUE - 2 if is_about_map else LEAST_DIALOGUE),
        ]
        if is_about_map:
            attempts.append(([], LEAST_DIALOGUE - 2))
        for panels, least in attempts:
            left = room - len(drawing) - len(panels)
            if left >= least:
                dialogue = self._dialogue(frame, width, left)
                if not (frame.question and self.hides_choices):
                    return [*drawing, *panels, *dialogue]
        return []

    # The dialogue

    def _dialogue(
        self, frame: Frame, width: int, room: int, *, has_story: bool = True, has_map: bool = True
    ) -> list[Text]:
        """Return the lines of the dialogue: auction, planned steps, question, message and choices.

        To make all choices visible, a long message is scrolled, and the choices are abbreviated. If the choices still
        do not fit, the message and the choices are scrolled together. With `has_story`, descriptions of new events are
        added if there is space. With `has_map`, the legend explains the map.
        """
        lines: list[Text] = []
        if room >= LEAST_DIALOGUE - 2:
            lines = fit_all(styled(frame.game_face.auction(frame.view, frame.names, width)), width)
        if frame.plan:
            plan = wrapped([frame.plan], width, HELPFUL)
            if len(plan) > MOST_OF_A_PLAN:
                plan = wrapped([abbreviated_sentence(frame.plan, frame.game_face.shorter)], width, HELPFUL)
            lines += plan
        if frame.question:
            lines += wrapped([frame.question], width, LOUD)
        said = frame.message
        message = wrapped(said, width, HELPFUL)
        if not frame.question:
            thinking = wrapped([f"{frame.waits_for} is thinking ..."], width, LOUD) if frame.waits_for else []
            left = room - len(lines) - len(message) - len(thinking)
            return [*lines, *message, *(_story(frame, width, left) if has_story else []), *thinking]
        below = max(room - len(lines), 1)
        choices, kept = _choices_and_message_room(frame, width, below, len(message))
        if kept < len(message):
            said = [abbreviated_sentence(line, frame.game_face.shorter) for line in said]
            message = wrapped(said, width, HELPFUL)
            choices, kept = _choices_and_message_room(frame, width, below, len(message))
        self.hides_choices = len(choices) + kept > below
        has_notes = any(choice.preview.notes for choice in frame.choices)
        self.hides_notes = has_notes and not any(": " in f"{line.plain} " for line in choices)
        after = wrapped(filter(None, [frame.other_bids]), width, QUIET)
        if len(choices) + len(message) + len(after) <= below:
            choices = [*choices, *after]
        left = below - len(choices) - len(message)
        news: list[Text] = []
        if has_story and left > 1 and frame.fresh:
            news = _story(replace(frame, story=frame.story[-frame.fresh :]), width, left)
            left -= len(news)
        gaps = [Text()] if left >= SPARE_LINES else []
        lines = [*gaps, *news, *(gaps if news else []), *lines]
        if self.hides_choices:
            shown = self._scrolled([*message, *choices], below)
        else:
            visible = max(below - len(choices), kept)
            if visible == 1 < len(message):  # no line overlaps the next part, so each needs room for the sign
                message = wrapped(said, width - len(MORE_BELOW), HELPFUL)
            shown = [*self._part(message, width, visible), *choices]
        return [*lines, *shown, *self._signs(frame, width, room - len(lines) - len(shown), has_map=has_map)]

    def _signs(self, frame: Frame, width: int, room: int, *, has_map: bool) -> list[Text]:
        """Return the legend, and a table of book values if there is space. Empty if `room` lines are too few.

        The whole legend is shown at the first question with enough space. At later questions, a legend is shown only if
        it fits into one line.
        """
        face = frame.game_face
        legend, note = face.legend(frame.view) if has_map else "", _highlights(frame)
        full = f"{legend}; {note}" if note else legend
        whole = wrapped([f"map: {full}"], width, QUIET) if legend else []
        if face.headings:
            whole += wrapped([f"{'beside it: ' if legend else ''}{face.headings}"], width, QUIET)
        is_first = self._explained_at in (None, len(frame.events)) and len(whole) + 2 <= room
        if is_first:
            self._explained_at = len(frame.events)
        forms = (f"map: {words}" for words in (full, note) if legend and words)
        brief = next((Text(form, QUIET) for form in forms if len(form) <= width), None)
        lines = whole if is_first else [brief] if brief is not None else []
        if len(frame.names) + COURSE_HEAD + len(lines) + 3 <= room:
            fared = course_so_far(face, frame.names, face.scores(frame.view), frame.events, width)
            if fared:
                lines = [*(Text(line, QUIET, no_wrap=True) for line in fared), Text(), *lines]
        gap = room - len(lines)
        return [*(Text() for _ in range(gap)), *lines] if gap >= 1 else []

    def _part(self, message: list[Text], width: int, room: int) -> list[Text]:
        """Return at most `room` lines of a scrolled message. If more follow, the last line names the key to scroll."""
        if len(message) <= room:
            self.scrolled = 0
            return message
        self.step = max(min(SCROLL_LINES, room - 1), 1)
        self.scrolled = min(self.scrolled, len(message) - room)
        shown = [line.copy() for line in message[self.scrolled : self.scrolled + room]]
        if self.scrolled < len(message) - room:
            last, most = shown[-1], max(width - len(MORE_BELOW), 0)
            if len(last) > most:
                last.truncate(max(last.plain.rfind(" ", 0, most + 1), 0))
            last.append(MORE_BELOW, QUIET)
        return shown


def _choices_and_message_room(frame: Frame, width: int, room: int, message: int) -> tuple[list[Text], int]:
    """Return lines with all choices, and the number of lines that are left for a message.

    `message` is the number of lines of the whole message. Texts are abbreviated only as far as necessary. Above texts
    without notes is a summary of the notes, unless it would hide choices. If even the shortest texts do not fit, return
    more than `room` lines, with the first note of each choice's preview, such as its cost.
    """
    digits = len(str(len(frame.choices)))
    summary = _note_summary(frame, width)
    for texts, kept, has_summary in _attempts(frame, message):
        above = summary if has_summary else []
        left = room - kept - len(above)
        if max(map(len, _columns_of(texts, width, left)), default=0) > left:
            continue
        lines = _arranged(texts, digits, width, left)
        if len(lines) <= left:
            return [*above, *lines], kept
    kept = min(message, 1)
    return _arranged(_shortened(frame, digits, 1, FEW_LETTERS), digits, width, room - kept), kept


def _note_summary(frame: Frame, width: int) -> list[Text]:
    """Return lines with the first note of each choice's preview. Before each note are the numbers of its choices."""
    numbered = [(number, choice.preview.notes[:1]) for number, choice in enumerate(frame.choices, 1)]
    parts = []
    for note, group in groupby(numbered, itemgetter(1)):
        (first, _), *more = group
        if note:
            parts.append(f"{first}{f'-{more[-1][0]}' if more else ''} {abbreviated(note[0], frame.game_face.shorter)}")
    head = "costs: " if all(note.startswith("costs ") for _, notes in numbered for note in notes) else ""
    return wrapped([head + ", ".join(parts)], width, QUIET) if parts else []


def _attempts(frame: Frame, message: int) -> Iterator[tuple[list[str], int, bool]]:
    """Yield texts of all choices, a number of lines for the message, and whether a summary of notes is needed.

    The texts are ordered from long to short. `message` is the number of lines of the whole message.
    """
    enough, least = min(message, SHORT_MESSAGE), min(message, 1)
    full = []
    digits = len(str(len(frame.choices)))
    for number, choice in enumerate(frame.choices, 1):
        head = f"{number:>{digits}} {choice.words}"
        full.append(f"{head}: {choice.preview.words}" if choice.preview.notes else head)
    yield full, message, False
    short = [_abbreviated(frame, choice, text) for choice, text in zip(frame.choices, full, strict=True)]
    yield short, message, False
    lengths: tuple[int | None, ...] = (None, FEW_LETTERS) if _are_all_named(frame) else (None, FEW_LETTERS, 0)
    for kept in (enough, least):  # the first lines of a message say what its key does
        yield short, kept, False
        for most in (len(full), 2, 1):
            for letters in lengths:
                yield _shortened(frame, digits, most, letters), kept, False
    for has_summary in (True, False):
        some = [enough] if has_summary else [enough, least]
        for letters in lengths:
            brief = _shortened(frame, digits, 0, letters)
            for kept in some:
                yield brief, kept, has_summary
        for most in ((1, 0) if has_summary else (0,)) if 0 in lengths else ():
            brief = _shortened(frame, digits, most, 0, has_initials=True)
            yield brief, some[-1], has_summary and not most
            if type(frame.choices[-1].entry) is Pass:
                yield [*brief[:-1], f"{len(brief)} {frame.choices[-1].command}"], some[-1], has_summary and not most


def _are_all_named(frame: Frame) -> bool:
    """Return whether every choice is about a place that has a name."""
    name, board = frame.game_face.with_place_name, frame.wire_board
    return all(name(board, choice.entry, choice.command) != choice.command for choice in frame.choices)


def _shortened(frame: Frame, digits: int, most: int, letters: int | None, *, has_initials: bool = False) -> list[str]:
    """Return each choice as its number, its command, and the first `most` notes of its preview, all abbreviated.

    A verb that all choices share is left out. With `has_initials`, the first word after such a verb, such as a company,
    is reduced to its first letter. This is not done if two of these words have the same first letter. Numbers are
    padded to `digits` digits. Names of places are shortened to `letters` letters, or not shortened if `letters` is
    None. If `letters` is 0, ids are shown instead of names. If shortened names are equal, each shows its last letters.
    A pass is shown in words.
    """
    name, board = frame.game_face.with_place_name, frame.wire_board
    uses = Counter(name(board, choice.entry, choice.command, letters) for choice in frame.choices) if letters else {}
    verbs = {choice.command.partition(" ")[0] for choice in frame.choices if " " in choice.command}
    objects = {choice.command.split()[1] for choice in frame.choices if " " in choice.command}
    has_initials = has_initials and len(verbs) == 1 and len({word[0] for word in objects}) == len(objects)
    texts = []
    for number, choice in enumerate(frame.choices, 1):
        full = choice.command if letters == 0 else name(board, choice.entry, choice.command, letters)
        if uses.get(full, 1) > 1:
            full = f"{full[: -LAST_LETTERS - 1]}…{name(board, choice.entry, choice.command)[-LAST_LETTERS:]}"
        rest = full.partition(" ")[2]
        command = rest if len(verbs) == 1 and rest else full
        if type(choice.entry) is Pass:
            command = choice.words
        elif has_initials and " " in rest:
            command = f"{rest[0]} {rest.partition(' ')[2]}"
        notes = ", ".join(choice.preview.notes[:most])
        text = f"{number:>{digits}} {command}{': ' if notes else ''}{notes}"
        texts.append(_abbreviated(frame, choice, text))
    return texts


def _abbreviated(frame: Frame, choice: Choice, text: str) -> str:
    """Return the text of a choice with words abbreviated. A pass keeps its words, which the question repeats."""
    return text if type(choice.entry) is Pass else abbreviated(text, frame.game_face.shorter)


def _on_map(frame: Frame) -> tuple[Any, dict[str, str]]:
    """Return the position to show on the map, with proposed steps, and the texts of the places to highlight.

    A place that a choice affects has the number of the choice as its text. Other texts are empty.
    """
    view, marked, labels = frame.view, frame.marked, choice_numbers(frame)
    if frame.proposal is not None:
        view, marked = frame.proposal.view, frame.proposal.places
        labels = {place: label for place, label in labels.items() if place not in marked}
    return view, dict.fromkeys(marked, "") | labels


def _map(face: Face, board: Any, view: Any, marked: dict[str, str], size: Size, width: int) -> list[Text]:
    """Return the map of the position `view`. The places in `marked` are highlighted and have texts.

    If the map needs less than `width` columns, names may use the other columns. A free place of the map explains an
    abbreviated text such as `17+`.
    """
    lines = drawn(face, board, view, size, marked, width)
    shared = (text.split("/") for text in marked.values() if "/" in text)
    cut = [numbers for numbers in shared if any(f"{numbers[0]}+" in line.plain for line in lines)]
    return _with_note(lines, min((f"{one[0]}+: {listed(one)}" for one in cut), key=len)) if cut else lines


def _with_note(drawing: list[Text], note: str) -> list[Text]:
    """Return a map with `note` in its lowest free place. Return it unchanged if no place is large enough."""
    for row, line in reversed(list(enumerate(drawing))):
        line = line.copy()
        line.pad_right(width_of(drawing) - line.cell_len)
        start = line.plain.rfind(f" {' ' * len(note)} ") + 1
        if start:
            noted = Text.assemble(line[:start], (note, QUIET), line[start + len(note) :], no_wrap=True)
            return [*drawing[:row], noted, *drawing[row + 1 :]]
    return drawing


def _panels(frame: Frame, width: int) -> list[list[Text]]:
    face = frame.game_face
    return [styled(face.players(frame.snapshot, width)), styled(face.companies(frame.wire_board, frame.view, width))]


def _is_narrow(frame: Frame, width: int) -> bool:
    """Return whether `width` is too small for the panels. The result for a `width` does not change during a game."""
    return width < _least_panels(frame, width)


def _least_panels(frame: Frame, width: int) -> int:
    """Return the number of columns that the panels need. They are drawn for `width` columns."""
    return max(WIDE, width_of(_panels(frame, width)[1]))


def _stage(frame: Frame) -> list[Text]:
    return styled(frame.game_face.stage(frame.view))


def _highlights(frame: Frame) -> str:
    """Return a phrase about what is highlighted on the map. Empty if nothing is."""
    if frame.proposal is not None:
        return "highlighted: proposed, not played yet"
    return "highlighted: new since your last turn" if frame.marked else ""


def _bar(frame: Frame, width: int) -> Text:
    """Return the bar at the top of the screen: title, time left for the answer, and how near the end of the game is."""
    end = "" if frame.view is None else frame.game_face.end(frame.wire_board, frame.view)
    left = "" if frame.seconds_left is None else f"{frame.seconds_left()} s left"
    heads = (f"{frame.title}  {left}" if left else frame.title, left)
    title = next((head for head in heads if len(head) + len(end) + 4 <= width), left) if end else heads[0]
    bar = Text(f" {title}", BAR)
    bar.append(" " * max(width - len(title) - len(end) - 2, 2 if title else 0)).append(end)
    bar.truncate(width, overflow="ellipsis", pad=True)
    return bar


def _story(frame: Frame, width: int, room: int) -> list[Text]:
    """Return descriptions of the last events as at most `room` lines. New events are highlighted."""
    lines: list[Text] = []
    old, new = frame.story[: len(frame.story) - frame.fresh], frame.story[len(frame.story) - frame.fresh :]
    paragraphs = [*((line, QUIET) for line in _joined(old)), *((line, "") for line in _joined(new))]
    for line, style in reversed(paragraphs):
        more = wrapped([line], width, style)
        if lines and len(lines) + len(more) > room:
            break
        lines = [*more, *lines]
    if len(lines) <= room:
        return lines
    shown = lines[-room:] if room > 0 else []
    return [Text(f"… {line.plain.lstrip()}", line.style) for line in shown[:1]] + shown[1:]


def _joined(lines: Sequence[StoryLine]) -> list[str]:
    """Return `lines` as paragraphs. Consecutive short descriptions of events, such as bids, share a paragraph."""
    paragraphs: list[str] = []
    was_short = False
    for text, is_event in lines:
        is_short = is_event and len(text) <= SHORT_SENTENCE
        if is_short and was_short:
            paragraphs[-1] += f" {text}"
        else:
            paragraphs.append(text)
        was_short = is_short
    return paragraphs


def _arranged(texts: Sequence[str], digits: int, width: int, room: int) -> list[Text]:
    """Return the texts of choices as lines. If `room` lines are too few, arrange the texts in columns.

    Each text begins with a number of at most `digits` digits.
    """
    columns = _columns_of(texts, width, room)
    if len(texts) <= room or len(columns) == 1:  # otherwise there are more lines than room
        lines = [line for text in texts for line in _choice(text, digits, width)]
        if len(lines) <= room or len(columns) == 1:
            return lines
    rooms = [*(max(map(len, column)) + COLUMN_GAP for column in columns[:-1]), 0]
    return [
        Text("").join(
            _choice_head(f"{column[row]:<{across}}", digits)
            for column, across in zip(columns, rooms, strict=True)
            if row < len(column)
        )
        for row in range(len(columns[0]))
    ]


def _columns_of(cells: Sequence[str], width: int, room: int) -> list[list[str]]:
    """Arrange texts in the fewest columns that fit in `width` characters and `room` lines. Return the texts by column.

    The texts are ordered from top to bottom, column by column. If no arrangement fits in `room` lines, use as many
    columns as fit in `width`, with the texts ordered row by row.
    """
    fitting = [list(cells)]
    lengths = [len(cell) for cell in cells]
    most = (width + COLUMN_GAP) // (min(lengths, default=0) + COLUMN_GAP)
    for count in range(1, max(1, min(most, len(cells))) + 1):
        rows = -(-len(cells) // count)
        is_high = rows > room
        parts = [slice(at, None, count) if is_high else slice(at * rows, (at + 1) * rows) for at in range(count)]
        longest = [max(lengths[part], default=0) for part in parts]
        if count > 1 and sum(length + COLUMN_GAP for length in longest if length) - COLUMN_GAP > width:
            continue
        fitting = [list(cells[part]) for part, length in zip(parts, longest, strict=True) if length]
        if not is_high:
            break
    return fitting


def _choice(text: str, digits: int, width: int) -> list[Text]:
    parts = wrap(text, max(width, 12), subsequent_indent=" " * (digits + 1), drop_whitespace=True)
    pad = len(text) - len(text.lstrip())
    parts[0] = " " * (pad - (len(parts[0]) - len(parts[0].lstrip()))) + parts[0]
    return [_choice_head(parts[0], digits), *(Text(part, QUIET) for part in parts[1:])]


def _choice_head(text: str, digits: int) -> Text:
    line = Text(text, no_wrap=True)
    line.stylize(LOUD, 0, digits)
    colon = text.find(": ")
    if colon > 0:
        line.stylize(QUIET, colon + 1)
    return line


def fitted(lines: Iterable[str | Text], width: int) -> list[Text]:
    """Return `lines` wrapped at `width` columns."""
    return [part for line in lines for part in _fitted_line(line, width)]


def _fitted_line(line: str | Text, width: int) -> list[Text]:
    """Return `line` wrapped at `width` columns, or unchanged if it is marked `no_wrap`.

    If `line` has two columns of text, the lines after the first are indented to the second column.
    """
    if isinstance(line, Text) and (line.cell_len <= width or line.no_wrap):
        return [line.copy()]
    if isinstance(line, Text):
        return list(line.wrap(Console(width=max(width, 10)), max(width, 10)))
    if len(line) <= width:
        return [Text(line)]
    indent = " " * (len(line) - len(line.lstrip(" ")))
    column = _COLUMNS.match(line)
    hanging = " " * column.end() if column is not None and 2 * column.end() <= width else indent
    parts = wrap(line, max(width, 10), subsequent_indent=hanging, drop_whitespace=True)
    return [Text(parts[0] if not indent else indent + parts[0].lstrip()), *map(Text, parts[1:])]
