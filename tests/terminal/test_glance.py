"""Tests of the screen on which a player decides: choices, panels, automatic bids, reasons and proposed builds."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games import game_names, load_game, standard_board
from rails_cli.games.faces.canvas import plain
from rails_cli.games.faces.choices import abbreviated, described_command
from rails_cli.games.game import without_info_fields
from rails_cli.games.railways.places import short_place_name
from rails_cli.protocol.common import Pass
from rails_cli.protocol.last_spike import Buy, Sell
from rails_cli.study.analysis.hints import hint
from rails_cli.terminal.dialogue import Dialogue, arguments_for, proposal
from rails_cli.terminal.ending import course_so_far
from rails_cli.terminal.frame import Frame, Quit
from rails_cli.terminal.layout import MORE_BELOW, ScreenLayout
from rails_cli.terminal.looking import requested_page
from tests.support.frames import FirstChoices, frames, golden_frames
from tests.support.person import GAME_ARGUMENTS, Guest, Person, actions_in, log_lines, make_table
from tests.support.tools import GOLDEN
from tests.support.ws_client import ServerProcess

SIZES = [(80, 24), (100, 35), (160, 50), (110, 40), (90, 30), (120, 40), (130, 30), (200, 60), (80, 60), (200, 24)]
PANEL_WIDTHS = (200, *range(34, 60))
"""Window widths in columns that together produce every form of the panel of players.

The first width produces the full form, the others the shorter forms.
"""


def packed(text: str) -> str:
    """Return `text` without any white space."""
    return "".join(text.split())


def screen(layout: ScreenLayout, frame: Frame, width: int, height: int) -> list[str]:
    """Return the lines drawn for `frame` in a window of `width` columns and `height` rows, without the input line."""
    return [line.plain for line in layout.lines(frame, width, height - 1)]


def dialogue(lines: list[str], frame: Frame) -> list[str]:
    """Return the part of the screen `lines` from the question down, without the panels to its right."""
    first = " ".join(frame.question.split()[:4])
    top = next(row for row, line in enumerate(lines) if first in line)
    left = lines[top].index(first)
    beside = next(line.index("player ") for line in lines if "player " in line) - 3
    shown = [line[left : beside if left < beside else None] for line in lines[top:]]
    while not shown[-1].strip():
        shown.pop()
    return shown


def scrolled_through(layout: ScreenLayout, frame: Frame, width: int, height: int) -> Iterator[str]:
    """Scroll down page by page. Yield all lines between the question and the end of the choices.

    A page ends with the line "... more lines" if there is more. This line is not part of the result.
    """
    layout.scrolled = 0
    above = None
    while True:
        shown = dialogue(screen(layout, frame, width, height), frame)
        if above is None:
            above = next(row for row, line in enumerate(shown) if line.lstrip().startswith("1 "))
        has_more = shown[-1].startswith("... ")
        yield from shown[above : -1 if has_more else None]
        if not has_more:
            return
        layout.scrolled += len(shown) - 1 - above


@pytest.mark.parametrize("game", game_names())
def test_every_choice_and_every_fact_is_complete_at_any_window_size(game: str) -> None:
    sizes = cycle(SIZES)
    layout = ScreenLayout()
    checked = 0
    file = max((GOLDEN / game).glob("*.jsonl"))
    for _, frame in golden_frames(file, every=9 if game == "last_spike" else 43):
        facts = facts_of(frame)
        for size in islice(sizes, 3):
            checked += 1
            layout.scrolled = 0
            lines = screen(layout, frame, *size)
            missing = missing_facts(frame, facts, lines)
            assert not missing, (size, "\n".join(lines))
            text = packed("".join(scrolled_through(layout, frame, *size)))
            for number, choice in enumerate(frame.choices, 1):
                full = f"{number} {choice.words}{': ' if choice.preview.notes else ''}{choice.preview.words}"
                short = abbreviated(full, frame.game_face.shorter)
                command, face = choice.command, frame.game_face
                commands = (
                    command,
                    *(face.with_place_name(frame.wire_board, choice.entry, command, most) for most in (None, 8)),
                )
                brief = [f"{number} {form.partition(' ')[2]}" for form in commands]
                brief.append(re.sub(r"^(\d+ .)\S+ ", r"\1 ", brief[0]))  # the company as one letter
                assert any(packed(form) in text for form in (full, short, *brief)), (size, full, "\n".join(lines))
    assert checked > len(SIZES)


def test_scrolling_reaches_all_of_a_long_message_and_the_choices_below_it() -> None:
    decision, frame = next(frames("chicago_express", players=3))
    frame.message = hint(decision, frame.choices)
    layout, seen, words_before_more = ScreenLayout(), "", set()
    for _ in range(5):
        lines = dialogue(screen(layout, frame, 80, 24), frame)
        words_before_more |= {line.split(MORE_BELOW)[0].split()[-1] for line in lines if MORE_BELOW in line}
        seen += packed("".join(lines)) + " "
        layout.scrolled += 4
    assert words_before_more
    assert words_before_more < set(" ".join(frame.message).split()), "a line is cut between words"
    for words in (*frame.message, "2 pass", "if it wins, cash $40→$33, each share $0→$7, treasury $0→$7"):
        assert packed(words) in seen


def test_choices_in_columns_are_complete_and_a_message_above_them_is_scrolled() -> None:
    file = GOLDEN / "american_rails" / "american_rails-5p-drawn.jsonl"
    _, some, _, many = (frame for _, frame in islice(golden_frames(file, every=70), 4))
    assert not any(line.rstrip().endswith(" …") for line in screen(ScreenLayout(), some, 140, 40))
    many.message = [" ".join(f"word{number}" for number in range(30))]
    layout, seen = ScreenLayout(), ""
    for _ in range(8):
        seen += " ".join(dialogue(screen(layout, many, 80, 24), many)) + " "
        layout.scrolled += layout.step
    assert not layout.hides_choices
    assert set(many.message[0].split()) <= set(seen.split())


def test_the_map_follows_the_position_and_the_numbers_of_choices() -> None:
    """The map of a layout that has drawn other frames before equals the map of a new layout."""
    used = ScreenLayout()
    for _, frame in frames("chicago_express", players=3, every=25):
        for choices in ([], frame.choices, frame.choices[1:], []):
            frame.choices = choices
            fresh = screen(ScreenLayout(), frame, 160, 50)
            asked = next(row for row, line in enumerate(fresh) if frame.question[:40] in line)
            assert screen(used, frame, 160, 50)[:asked] == fresh[:asked]


@pytest.mark.parametrize("game", ["american_rails", "chicago_express"])
def test_the_legend_explains_the_signs_on_the_map(game: str) -> None:
    found = set()
    for _, frame in frames(game, players=3, every=8):
        face = frame.game_face
        drawn = "".join(
            plain(line)
            for size in ("small", "normal", "large")
            for line in face.draw(frame.wire_board, frame.view, size, ())
        )
        assert not re.search(r"\d@", drawn), "numbers are numbers of choices"
        for sign in ("@ city", "* developed", "+ more"):
            if sign[0] in drawn:
                found.add(sign)
                assert sign in face.legend(frame.view)
    assert found


def test_a_window_without_a_map_has_no_legend_of_the_map() -> None:
    _, frame = next(frames("chicago_express", players=3))
    assert "@ city" not in frame.game_face.legend(frame.view)
    narrow, wide = ("\n".join(screen(ScreenLayout(), frame, width, 30)) for width in (60, 170))
    assert "map: P PRR" in wide
    assert "map: " not in narrow
    assert "P PRR " in narrow, "there is space for the companies"
    assert "earn: income" in narrow


@pytest.mark.parametrize(
    ("game", "height", "place"),
    [("chicago_express", 40, "A B C D E"), ("american_rails", 35, "00  02"), ("last_spike", 24, "A STL-OMA")],
)
def test_a_narrow_window_has_the_map_above_the_question_and_all_choices(game: str, height: int, place: str) -> None:
    layout = ScreenLayout()
    for _, frame in frames(game, players=3, every=14):
        lines = screen(layout, frame, 60, height)
        rows = [row for row, line in enumerate(lines) if place in line]
        asked = next(row for row, line in enumerate(lines) if frame.question[:40] in line)
        assert rows
        assert rows[0] < asked
        assert not layout.hides_choices


def test_a_hint_names_its_move_with_the_words_of_the_choice() -> None:
    decision, frame = next(frames("last_spike", players=3))
    command = hint(decision, frame.choices)[0].rpartition(": ")[2]
    assert any(choice.words == command for choice in frame.choices)


def facts_of(frame: Frame) -> list[tuple[str, ...]]:
    """Return the facts that should be on every screen, each in all its forms.

    The facts are the lines of the panel of players and the line about the end of the game. In a small window, a shorter
    form of a player's line is enough.
    """
    face = frame.game_face
    # A line of the panel of players has the same index at each width. Narrow panels may have more lines below.
    panels = [[packed(plain(line)) for line in face.players(frame.snapshot, width)] for width in PANEL_WIDTHS]
    players = [tuple(dict.fromkeys(panel[row] for panel in panels)) for row in range(len(panels[0]))]
    return [*players, (packed(face.end(frame.wire_board, frame.view)),)]


def missing_facts(frame: Frame, facts: list[tuple[str, ...]], lines: Sequence[str]) -> list[str]:
    """Return the `facts` that are missing in the `lines` of the screen, and missing lines of the panel of companies.

    Choices may replace the whole panel of companies.
    """
    shown = [packed(line) for line in lines]
    companies = frame.game_face.companies(frame.wire_board, frame.view, PANEL_WIDTHS[0])
    panel = [(packed(plain(line)),) for line in companies]
    if panel and panel[0][0] in "".join(shown):
        facts = [*facts, *panel]
    return [fact[0] for fact in facts if not any(form in line for form in fact for line in shown)]


def _help_of(frame: Frame) -> list[str]:
    """Return the lines that the command `help` shows in the position of `frame`."""
    look = requested_page(frame, "help")
    assert look is not None
    return list(look.overlay(200, 100))


@pytest.mark.parametrize("game", game_names())
def test_a_large_window_shows_what_each_player_had_after_each_stage(game: str) -> None:
    """In a large window, a table shows the cash or book value of each player after each stage of the game.

    The last column has the current values. They equal those of the tables on the web page.
    """
    (file, *_) = (file for file in sorted((GOLDEN / game).glob("*.jsonl")) if "hidden" not in file.name)
    complete = explained = 0
    for decision, frame in golden_frames(file, every=13 if game == "last_spike" else 61):
        face = frame.game_face
        lines = course_so_far(face, frame.names, face.scores(frame.view), frame.events, 110)
        stages = sum(type(event) in face.stages for event in frame.events)
        assert bool(lines) == bool(stages)
        if not stages:
            continue
        now = [int(line.split()[-1].replace(",", "")) for line in lines[2:]]
        (players, *_) = face.sheets(decision.wire_board, frame.view, frame.names, face.last_prices(frame.events))
        columns = [column.name for column in players.columns]
        wanted = "Cash" if lines[0].startswith("Cash") else "Book value"
        unit = 1000 if "thousands" in lines[0] else 1
        assert now == [int(str(row[columns.index(wanted)])) // unit for row in players.cells]
        assert lines[1].split() == [*(str(number) for number in range(1, stages + 1)), "now"]
        shown = screen(ScreenLayout(), frame, 160, 80)
        complete += all(any(line.strip() in row for row in shown) for line in lines)
        explained += packed(f"beside it: {face.headings}") in packed(" ".join(shown))
        assert "end: estimated end, cash and what " in " ".join(_help_of(frame))
    assert complete  # in some frames only, because many choices leave no space for the table
    assert explained


# Bids up to a limit


def own_bids(actions: Sequence[dict[str, Any]], seat: int) -> list[int]:
    """Return the amounts that `seat` bid in the first auction, in order.

    `actions` are the actions of a game of three players, so the auction ends with the second pass.
    """
    bids = []
    out = 0
    for line in actions:
        action = line["action"]
        out += action["type"] == "pass"
        if line["seat"] == seat and action["type"] == "bid":
            bids.append(action["amount"])
        if out == 2:
            break
    return bids


def check_bids(person: Person, actions: Callable[[], list[dict[str, Any]]]) -> list[int]:
    """Type two wrong `bid up to` commands and a correct one. Return the bids that the program then made for the person.

    `actions` returns the logged actions. The bids rise and never exceed the limit. The screen lists them in one line.
    """
    person.wait_until_asked()
    person.say("bid up to")
    assert "Bid up to how much? $7 to $40." in " ".join(person.text.split())
    person.say("bid up to 41")
    assert "You have $40" in person.text
    assert not [line for line in actions() if line["seat"] == 0]
    person.type("bid up to 14")
    person.wait_for(lambda: "no more than $14" in person.last_line)
    person.press("\r")
    person.wait_for("You bid $")
    person.wait_until_asked()
    bids = own_bids(actions(), 0)
    shown = " ".join(person.text.split())
    assert bids[-1] <= 14
    assert bids == sorted(set(bids))
    assert len(bids) > 1
    assert f"You bid {', '.join(f'${bid}' for bid in bids[:-1])} and ${bids[-1]}." in shown
    return bids


def test_bid_up_to_bids_as_low_as_possible_until_the_limit(tmp_path: Path) -> None:
    def actions() -> list[dict[str, Any]]:
        return [line for line in log_lines(tmp_path) if line["type"] == "action"]

    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path, width=100, height=35) as person:
        bids = check_bids(person, actions)
        person.say("undo")
        assert person.is_asked()
        person.say("pass")
        assert own_bids(actions(), 0) == bids[:-1]


def test_bid_up_to_and_proposed_builds_work_at_a_table_on_a_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        table = make_table(server, "chicago_express")["table"]["table"]
        with Guest(server, "--table", table, folder=tmp_path) as person:
            check_bids(person, lambda: [line for line in server.lines(table) if line["type"] == "action"])
            person.say("bid 25")
            person.pass_until_turn()
            before = actions_in(server, table)
            person.say("build")
            assert "Within reach:" in person.words
            company, city = re.findall(r"Within reach: (\w+) to (\w+): ", person.words)[0]
            person.say(f"build {company} {city}")
            assert f"{company} to {city}: " in person.words
            assert "Type + to build the " in person.words
            person.say("yes")
            assert f"choose to expand a company; build the {company} " in person.words
            assert actions_in(server, table) == before
        assert server.faults(table) == []


# Reasons for a choice, and payments of towns


@pytest.mark.parametrize("game", game_names())
def test_why_lists_reasons_for_a_choice(game: str) -> None:
    """`why NUMBER` shows cost and gain of a choice, who else profits, and the chance of winning after this choice."""
    profits = 0
    for decision, frame in frames(game, players=3, every=28):
        first, *more = arguments_for(decision, frame.choices, ["1"])
        choice = frame.choices[0]
        assert first.startswith(f"{described_command(decision, choice.action)}: ")
        assert choice.preview.words in first
        assert re.fullmatch(r"Chance of winning: about \d+%.*", more[-1])
        profits += len(more) > 1
        assert bool(arguments_for(decision, frame.choices, ["pass"])) == (type(decision.legal[-1]) is Pass)
        assert arguments_for(decision, frame.choices, ["999"]) == []
    assert profits


def test_reasons_agree_with_the_rules_and_with_the_numbers_they_mention() -> None:
    """Reasons for a choice agree with the rules and with the numbers that they mention.

    - American Rails: reasons for the first bid say that the company earns the value of its start city at once.
    - Chicago Express: a reason compares the worth of a share with its dividends. The reason uses "and" between the two
      numbers if the worth is larger, and "but" only if the worth is smaller.
    """
    decision, frame = next(frames("american_rails", players=3))
    reasons = " ".join(arguments_for(decision, frame.choices, ["1"]))
    assert "earns the value of the city it starts in, at once." in reasons
    assert " left" not in " ".join(hint(decision, frame.choices))
    below = above = diluted = 0
    for decision, frame in frames("chicago_express", players=3, every=4):
        advice = " ".join(hint(decision, frame.choices, looks=1))
        worth = re.search(r"worth about \$(\d+) to you.* the share pays \$(\d+) in about \d+ \w+(, \w+)?", advice)
        if worth is not None:
            own, paid = int(worth[1]), int(worth[2])
            assert (worth[3] == ", and") == (own > paid), advice
            assert (worth[3] == ", but") <= (own < paid), advice
            below, above = below + (own < paid), above + (own > paid)
            _, reason, _ = arguments_for(decision, frame.choices, ["pass"])
            assert reason.startswith(("If another player gets it, you receive ", "You keep your cash"))
            diluted += " instead of " in reason
    assert below
    assert above
    assert diluted


def test_map_income_agrees_with_the_previews_of_buying_and_selling() -> None:
    """The numbers of `map income` equal those in the previews of purchases and sales.

    For each town, the map shows the present payment, the payment after one more purchase, and the price of a forced
    sale.
    """
    bought = sold = 0
    for decision, frame in golden_frames(GOLDEN / "last_spike" / "last_spike-4p-hidden-free_choice.jsonl", every=1):
        look = requested_page(frame, "map income")
        assert look is not None
        ids = {city["name"]: city["id"] for city in decision.wire_board["cities"]}
        towns = {ids[line.partition(":")[0]]: line for line in look.overlay}
        for choice in frame.choices:
            entry = choice.entry
            if isinstance(entry, Buy) and "0 routes to come" in towns[entry.city]:
                assert "pays nothing more" in choice.preview.words
            elif isinstance(entry, Buy):
                now, then = re.findall(r"pays you \$([\d,]*\d) → \$([\d,]*\d)", choice.preview.words)[0]
                expected = (
                    rf"you hold \d and get \${now}, \${then} once you buy for \${entry.cost:,}; \d routes? to come"
                )
                assert re.search(expected, towns[entry.city])
                bought += 1
            if isinstance(entry, Sell):
                assert f"{entry.gain:,}" in towns[entry.property[:3]].partition("a forced sale brings ")[2]
                sold += 1
    assert bought > 10
    assert sold


# Proposed builds: tracks to a city


@pytest.mark.parametrize("game", ["chicago_express", "american_rails"])
def test_a_proposed_track_has_the_cost_and_income_shown_for_it(game: str) -> None:
    """Build each proposed track whose steps fit into one turn. Cost and income must equal the values shown before."""
    checked = 0
    for decision, _ in frames(game, players=3, every=5):
        if decision.view.auction is not None:
            continue
        for way in decision.face.ways(decision, ["build"])[:4]:
            steps, lines = proposal(decision, way.commands[-1].split())
            company, hex_id = way.commands[-1].split()[1:]
            price, then = re.findall(r" for \$(\d+) of its \$\d+; income \d+ → (\d+)", lines[0])[0]
            if not lines[-1].startswith("Type + to ") or " Later: " in lines[-1]:
                continue
            seen, track = decision, []
            for step in steps:
                track += [
                    entry.cost
                    for entry in seen.legal
                    if hasattr(entry, "cost") and without_info_fields(entry) == without_info_fields(step)
                ]
                after, events = seen.lookahead.after(step)
                if after.asked == decision.seat:
                    seen = seen.at(after)
            built = [event for event in events if getattr(event, "hex", None) == hex_id]
            assert sum(track) == int(price)
            assert built
            has_paid = any(hasattr(event, "payouts") for event in events)  # a dividend may advance Detroit
            assert by_name(after.view, company).income == int(then) or has_paid
            checked += 1
    assert checked > 4


def by_name(view: Any, name: str) -> Any:
    return next(company for company in view.companies if company.id == name)


def test_a_proposed_track_is_built_after_yes_also_after_another_question(tmp_path: Path) -> None:
    def actions() -> list[dict[str, Any]]:
        return [line["action"] for line in log_lines(tmp_path) if line["type"] == "action" and line["seat"] == 0]

    with Person("play", "chicago_express", *GAME_ARGUMENTS, "--fast", folder=tmp_path, width=160, height=50) as person:
        person.wait_until_asked()
        person.say("bid 25")
        while "Your turn:" not in person.text:
            person.say("pass")
        before = len(actions())
        person.say("build")
        assert "Within reach:" in person.text
        assert "PRR to Harrisburg: " in person.text
        person.say("build PRR Pittsburgh")
        assert "Type + to build the PRR to " in person.text
        hexes = re.search(r"PRR to Pittsburgh: \d+ steps \(([^)]*)\)", " ".join(person.text.split()))
        assert hexes is not None
        person.say("why R2")
        assert "Type + to build the PRR to " in person.text
        person.say("no")
        assert "Type + to build" not in person.text
        assert len(actions()) == before
        person.say("build PRR Pittsburgh")
        person.say("yes")
        done = actions()[before:]
        assert done[0] == {"type": "choose", "action": "expand"}
        built = [action["hex"] for action in done[1:] if action["type"] == "build"]
        board = load_game("chicago_express").wire_board(standard_board("chicago_express"))
        assert [short_place_name(board, place) for place in built] == hexes[1].split(", ")[: len(built)]
        assert built


def test_a_hint_among_many_choices_says_what_its_key_does() -> None:
    decision, frame = next(one for one in frames("american_rails", players=3) if len(one[1].choices) > 30)
    text = "\n".join(screen(ScreenLayout(), frame, 80, 24))
    for words in ("1-6 income $5, 7-12 income $4, ", " Char…ton", " Char…own"):
        assert words in text, "short names are different, and the income is shown once for all choices that have it"
    with pytest.raises(Quit):
        Dialogue(FirstChoices(2, "hint")).decide(decision, frame)
    text = " ".join(" ".join(dialogue(screen(ScreenLayout(), frame, 80, 24), frame)).split())
    assert "Type + to place the first cube in " in text
