"""Tests of the content of the playing screen: choices on the map, proposals, events, names, and final texts."""

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from rich.text import Text

from rails_cli.games import game_names, load_face
from rails_cli.games.decision import Decision, Preview
from rails_cli.games.faces.canvas import plain
from rails_cli.games.faces.choices import described_command
from rails_cli.games.faces.phrases import listed
from rails_cli.match.session import MatchPolicy
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.american_rails import IncomeChanged, ShareRemoved, ShareSold
from rails_cli.protocol.common import Pass
from rails_cli.terminal.dialogue import arguments_for, choice_in_words, position_after, typed_position
from rails_cli.terminal.frame import Frame, Quit, StoryLine
from rails_cli.terminal.hot_seat import HotSeatGame
from rails_cli.terminal.layout import ScreenLayout
from rails_cli.terminal.looking import choice_numbers, legend_lines
from rails_cli.terminal.saving import begin
from rails_cli.terminal.verdict import place_sentence
from tests.support.frames import FirstChoices, frames, golden_frames, standard_wire_board
from tests.support.matches import new_match
from tests.support.person import GAME_ARGUMENTS, by_lines, log_lines
from tests.support.tools import GOLDEN


def screen(frame: Frame, width: int, height: int) -> list[str]:
    return [line.plain for line in ScreenLayout().lines(frame, width, height - 1)]


def first_build() -> tuple[Decision, Frame]:
    return next(
        (one, frame) for one, frame in frames("chicago_express", 3) if frame.choices[0].command.startswith("build")
    )


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (170, 50)])
def test_the_map_shows_the_numbers_of_the_choices_and_the_typed_track(size: tuple[int, int]) -> None:
    decision, frame = first_build()
    company, hex_id = frame.choices[0].command.split()[1:]
    lines = screen(frame, *size)
    shown = "\n".join(lines)
    assert re.search(rf"1 {company} (to )?{hex_id}\b", shown)
    beside = next(line.index("player ") for line in lines if "player " in line)
    assert any(re.search(r"[ /]1[ \\]", line[4:beside]) for line in lines)
    proposal = typed_position(decision, frame.choices, "1")
    assert proposal is not None
    assert proposal.places == {hex_id}
    assert typed_position(decision, frame.choices, "1 nonsense") is None
    drawn = "\n".join(screen(replace(frame, proposal=proposal), *size))
    assert drawn != shown


def test_a_small_window_shows_what_the_key_of_a_hint_does() -> None:
    for _, frame in frames("last_spike", 5):
        move = frame.choices[0].words
        frame.message = [
            f"Type + to {move}, as a strong player suggests.",
            "Chance of winning: about 27%.",
            "Next best: passing.",
        ]
        assert "suggests." in "".join(screen(frame, 80, 24)), move


def test_a_long_message_in_a_small_window_keeps_the_verb_of_the_move() -> None:
    _, frame = first_build()
    frame.message = ["Type + to develop Fort Wayne, as a strong player suggests.", *["Just as good: passing."] * 9]
    shown = " ".join(" ".join(screen(frame, 80, 24)).split())
    assert "Type + to develop" in shown


@pytest.mark.parametrize("file", ["american_rails/american_rails-4p", "chicago_express/chicago_express-2p"])
def test_the_map_explains_a_number_that_stands_for_several_choices(file: str) -> None:
    """The explanation is on the map, because long lists of choices leave no space below it."""
    checked = 0
    for _, frame in golden_frames(GOLDEN / f"{file}.jsonl", every=7):
        shared = [label.split("/") for label in choice_numbers(frame).values() if "/" in label]
        for size in ((80, 24), (120, 40)) if shared else ():
            shown = "\n".join(screen(frame, *size))
            if any(re.search(rf"(?<!\d){numbers[0]}\+(?!\d)", shown) for numbers in shared):
                checked += 1
                assert any(f" {numbers[0]}+: {listed(numbers)}" in shown for numbers in shared), shown
    assert checked > 4


def test_the_help_explains_the_numbers_of_several_choices_in_one_hex() -> None:
    _, frame = first_build()
    first = frame.choices[0]
    shared = replace(frame, choices=[first, frame.choices[1]._replace(action=first.action), *frame.choices[2:]])
    assert "1/2 or 1+: choices 1 and 2." in " ".join(legend_lines(shared))
    assert "1+" not in " ".join(legend_lines(frame))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (170, 50)])
def test_other_bids_than_the_lowest_are_named_below_the_choices(size: tuple[int, int]) -> None:
    _, frame = next(frames("chicago_express", 3))
    shown = "\n".join(screen(frame, *size))
    for words in ("1 bid $7", "Other bids: bid 12 ", "bid up to 17"):
        assert words in shown


def test_a_cost_at_the_beginning_of_a_line_is_not_shown_twice() -> None:
    _, frame = next(frames("last_spike", 3))
    for length in range(20, 40):
        frame.choices = [frame.choices[0]._replace(words="x" * length, preview=Preview(["costs $1,000"]))]
        assert sum(line.startswith("1 ") for line in screen(frame, 80, 24)) == 1


def test_a_small_window_shows_the_costs_of_up_to_49_builds() -> None:
    """If a list of builds has no room for costs, their costs are above the list, and no build is hidden."""
    checked = 0
    for _, frame in golden_frames(GOLDEN / "chicago_express/chicago_express-3p-before_action.jsonl", every=2):
        costs = [choice.preview.notes[:1] for choice in frame.choices]
        if not 30 <= len(costs) < 50 or costs[-1] or not all(note[0].startswith("costs ") for note in costs[:-1]):
            continue
        lines = screen(frame, 80, 24)
        beside = next(line.index("player ") for line in lines if "player " in line) - 3
        shown = " ".join(" ".join(line[beside:] for line in lines).split())
        numbers = re.findall(r"(?<![-$])\b(\d+) [A-Z]", shown)
        assert set(range(1, len(costs))) <= set(map(int, numbers))
        for number, (cost, *_) in enumerate(costs[:-1], 1):
            assert cost.removeprefix("costs ") == shown_cost(shown, number), (number, shown)
        checked += 1
    assert checked > 3


def shown_cost(shown: str, number: int) -> str:
    """Return the cost of choice `number` in the text `shown`: in its line, or in the summary after `costs:`."""
    own = re.search(rf"(?<![-$\d]){number} [A-Z]+ [^:$]*?: (\$\d+)", shown)
    if own is not None:
        return own[1]
    summary = re.search(r"costs: ((?:\d+(?:-\d+)? \$\d+,? )+)", shown)
    assert summary is not None, shown
    for first, last, cost in re.findall(r"(\d+)(?:-(\d+))? (\$\d+)", summary[1]):
        if int(first) <= number <= int(last or first):
            return str(cost)
    return ""


@pytest.mark.parametrize("game", game_names())
def test_the_list_the_hints_and_the_question_name_a_pass_in_the_same_words(game: str) -> None:
    found = set()
    for decision, frame in frames(game, 3):
        choice = frame.choices[-1]
        _, named, words = frame.question.partition(" Or ")
        if type(choice.entry) is Pass and named and words not in found:
            found.add(words)
            assert choice.words == words.removesuffix(".")
            assert described_command(decision, choice.action) == choice.words
            assert choice_in_words(decision, frame.choices, choice.words) == choice.action
            assert choice.words in " ".join(" ".join(screen(frame, 160, 50)).split()).partition(words)[2]
    assert found


def test_a_choice_can_be_typed_in_the_words_of_the_list_and_of_a_hint() -> None:
    checked = 0
    for game in game_names():
        for decision, frame in islice(frames(game, 3, every=9), 6):
            for choice in frame.choices[:4]:
                said = described_command(decision, choice.action)
                if len(said.split()) > 1:
                    checked += 1
                    assert choice_in_words(decision, frame.choices, said.upper()) == choice.action
    assert checked > 20


def test_why_gives_reasons_for_a_legal_move_that_is_named() -> None:
    decision, frame = next(frames("last_spike", 3))
    piece = frame.choices[0].action.piece
    named, numbered = (arguments_for(decision, frame.choices, [words]) for words in (piece, "1"))
    assert named == numbered
    assert "costs $" in named[0]
    decision, frame = first_build()
    company = frame.choices[0].action.company
    several = arguments_for(decision, frame.choices, [company])
    assert several[0].startswith(f"{company} is possible in ")


@pytest.mark.parametrize("game", game_names())
def test_the_layout_stays_the_same_during_a_game(game: str) -> None:
    file = sorted((GOLDEN / game).glob("*.jsonl"))[0]
    for size in ((80, 24), (120, 40)):
        columns = {
            next(line.index("player ") for line in screen(frame, *size) if "player " in line)
            for _, frame in golden_frames(file, every=17 if game == "last_spike" else 101)
        }
        assert len(columns) == 1


def test_names_at_the_east_edge_use_columns_that_the_panels_do_not_need() -> None:
    """The names of the cities in the east are longer than their hexes. All columns of the panels stay visible."""
    frames_of_game = list(golden_frames(GOLDEN / "chicago_express/chicago_express-3p-at_once.jsonl", every=41))
    for _, frame in frames_of_game:
        lines = screen(frame, 120, 40)
        assert "/Albany " in lines[2]
        assert any(re.search(r"player +cash (due|bid) +end shares$", line.rstrip()) for line in lines)
        assert any(line.rstrip().endswith("cash earn each loco sold") for line in lines)
    assert len(frames_of_game) > 5


def test_events_appear_once_while_others_play_and_the_screen_says_who_thinks() -> None:
    _, frame = next(frames("chicago_express", 3))
    waiting = replace(frame, question="", choices=[], story=[StoryLine("Ben bids $8.")], fresh=1, waits_for="Cora")
    for size in ((80, 24), (120, 40)):
        shown = "\n".join(screen(waiting, *size))
        assert shown.count("Ben bids $8.") == 1
        assert "Cora is thinking ..." in shown


def test_short_bids_share_a_line_but_notices_and_chat_do_not() -> None:
    """Short descriptions of events share a line, whatever characters they contain. Chat and notices do not."""
    _, frame = next(frames("chicago_express", 3))
    events = [StoryLine(text) for text in ("Ben bids $8.", "Next: Cora.")]
    talk = [StoryLine(text, is_event=False) for text in ("Hello.", "Ben is back.")]
    story = [*events, *talk]
    shown = "\n".join(screen(replace(frame, question="", choices=[], story=story, fresh=len(story)), 80, 24))
    assert "Ben bids $8. Next: Cora.\n" in re.sub(" +\n", "\n", shown)
    assert not re.search(r"Cora\. +Hello|Hello\. +Ben", shown)


def test_the_question_is_gone_while_a_bot_thinks(tmp_path: Path) -> None:
    match = new_match("chicago_express", 3, 4)
    display = FirstChoices(2)
    others = [None, *(builtin_player("greedy", "chicago_express", 4, seat) for seat in (1, 2))]
    with pytest.raises(Quit):
        HotSeatGame(match, begin(match, tmp_path), others, display, policy=MatchPolicy()).play()
    first = display.shown[0]
    assert (first.question, first.choices, first.waits_for) == ("", [], first.names[1])


def test_plus_plays_the_hint_even_after_a_mistyped_line_and_yes_needs_a_proposal(tmp_path: Path) -> None:
    done = by_lines(tmp_path, "play", "chicago_express", *GAME_ARGUMENTS, typed="yes\nsave\n%\nmap\nhint\n%\n+\n")
    assert "Nothing is proposed." in done.stdout
    assert "Your game is saved after every move." in done.stdout
    assert done.stdout.count("I don't know '%'.") == 2, "the map does not repeat the message before it"
    suggested = re.search(r"Type \+ to bid up to (\$\d+), as a strong player suggests\.", done.stdout)
    assert suggested is not None
    assert "Other bids: bid 12 (at most 40), or in steps: bid up to 17." in done.stdout
    assert f"(your limit: {suggested[1]})" in done.stdout
    first = next(line["action"] for line in log_lines(tmp_path) if line["type"] == "action" and line["seat"] == 0)
    assert first["type"] == "bid"


def test_long_names_are_cut_with_a_sign() -> None:
    _, frame = next(golden_frames(sorted((GOLDEN / "chicago_express").glob("*.jsonl"))[0], every=200))
    face = load_face("chicago_express")
    for width in range(30, 60):
        for line, name in zip(face.players(frame.snapshot, width)[1:], frame.names, strict=True):
            assert name in plain(line) or "…" in plain(line)


def test_names_in_wide_letters_keep_the_columns_of_the_table() -> None:
    _, frame = next(golden_frames(sorted((GOLDEN / "chicago_express").glob("*.jsonl"))[0], every=200))
    face = load_face("chicago_express")
    frame.names[0] = "安娜" * 6
    for width in (40, 80):
        _, *lines = face.players(frame.snapshot, width)
        assert len({Text(plain(line)[: plain(line).index("$")]).cell_len for line in lines}) == 1


def test_an_income_that_does_not_change_is_left_out() -> None:
    face, board = load_face("american_rails"), standard_wire_board("american_rails")
    event = IncomeChanged("Liberty", "D13", "Harrisburg", 0, 5)
    assert face.tell(board, event, ["Anna"]) == ""


def test_sentences_use_the_right_number() -> None:
    face, board = load_face("american_rails"), standard_wire_board("american_rails")
    told = [
        face.tell(board, event, ["Anna"])
        for event in (
            *(ShareSold(0, "Liberty", 12, 20, left) for left in (0, 1, 2)),
            *(ShareRemoved("Liberty", shares, "no_city", 0, 0) for shares in (1, 2)),
        )
    ]
    assert [sentence.rpartition(" $20 and ")[2] for sentence in told[:3]] == [
        "no shares left.",
        "1 share left.",
        "2 shares left.",
    ]
    assert told[3].endswith("its last share, which Anna bought, leaves the game.")
    assert told[4].endswith("its last 2 shares leave the game, including the one Anna bought.")


@pytest.mark.parametrize(
    ("scores", "ranks", "words"),
    [
        ([7, 14, 3], [2, 1, 3], "You came 2nd, $7 behind Ben."),
        ([20, 14, 3], [1, 2, 3], "You won, $6 ahead of Ben."),
        ([14, 14, 3], [1, 1, 3], "You share the win with Ben."),
    ],
)
def test_the_place_of_the_person_is_stated(scores: list[int], ranks: list[int], words: str) -> None:
    assert place_sentence(["Anna", "Ben", "Cora"], scores, ranks, 0) == words


def test_a_proposal_without_places_is_not_drawn() -> None:
    decision, frame = next(frames("chicago_express", 3))
    assert position_after(decision, [frame.choices[0].action]) is None
