"""Tests of `rails-cli learn`: lessons next to the map, rules, suggested moves, and the review after the game."""

import json
import re
from pathlib import Path

import pytest

from rails_cli.games import game_names, load_face, load_game, standard_board
from rails_cli.games.faces.choices import abbreviated, choices_of
from rails_cli.games.game import check_listed, without_info_fields
from rails_cli.games.rulebook import uncited
from rails_cli.logs.verify import verify_file
from rails_cli.match.match import Match, header_of
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.common import Bid
from rails_cli.protocol.log import PlayerLine
from rails_cli.study.analysis.bidding import is_auction, least_bid
from rails_cli.study.analysis.hints import hint, suggest_move
from rails_cli.terminal.bid_limits import BidLimits, limit_in
from rails_cli.terminal.layout import ScreenLayout
from rails_cli.terminal.lessons import Lessons
from rails_cli.terminal.reading import read
from tests.support.frames import decision_of, frames
from tests.support.person import Person, by_lines, games_in
from tests.support.short_boards import short_board

MAP = re.compile(r"\bWhe|\bMem|\bSAC\b|\bPit")
PROMPT = re.compile(rb"(?:Anna|press enter)>")
RULE = re.compile(r"[A-Z]{2}-\d+")


def test_a_lesson_leaves_the_map_visible_and_shows_rules_on_request(tmp_path: Path) -> None:
    words = ("learn", "chicago_express", "--name", "Anna", "--seed", "5", "--fast")
    with Person(*words, folder=tmp_path, width=100, height=35) as person:
        person.wait_for(lambda: "Welcome to Chicago Express" in person.text and person.is_over())
        assert MAP.search(person.text)
        assert not RULE.search(person.text)
        person.press("?")
        person.wait_for(lambda: "CE-81: Most cash wins" in person.text and "back to the lesson" in person.last_line)
        person.press("\r")
        person.wait_for(lambda: "Welcome" in person.text and person.is_over())
        person.press("\t")
        person.wait_for(lambda: "Welcome" not in person.text and MAP.search(person.text) is not None)
        person.press("\t")
        person.wait_for("Welcome")
        person.rows.clear()
        person.resize(80, 24)
        person.wait_for(lambda: "Welcome" in person.text and "tab: the map" in person.last_line)
        person.press("\r")
        person.wait_for(lambda: "An auction." in person.text and person.is_over())
        person.press("\r")
        person.wait_for(person.is_asked)
        shown = " ".join(person.text.split())
        assert "Type + to bid up to $" in shown
        assert "The share is worth" in shown
        assert "2 pass" in shown
        person.press("\r")
        person.say("map")
        person.press("\r")
        person.wait_for(lambda: person.is_asked() and "Type + to bid up to $" in person.text)
        person.say("quit")
        assert person.wait_for_end() == 0
        assert person.is_as_before()


@pytest.mark.parametrize("game", game_names())
def test_every_lesson_is_shown_completely_beside_the_map(game: str) -> None:
    """Windows of at least 100x35 show the map next to each lesson. A window of 80x24 shows at least the lesson."""
    _, frame = next(frames(game, players=3))
    layout = ScreenLayout()
    tutorial = load_face(game).tutorial
    lessons = (tutorial.welcome, *tutorial.questions.values(), *tutorial.events.values(), *tutorial.positions.values())
    for lesson in lessons:
        frame.lesson = [uncited(lesson.text)]
        assert not RULE.search(frame.lesson[0])
        for width, height in ((80, 24), (100, 35), (160, 50)):
            lines = [line.plain for line in layout.lines(frame, width, height - 1)]
            assert max(map(len, lines)) <= width
            text = "\n".join(lines)
            assert all(word in text for word in frame.lesson[0].split())
            assert MAP.search(text) or (width, height) == (80, 24)


@pytest.mark.parametrize("game", game_names())
def test_every_suggestion_is_legal_and_has_reasons(game: str) -> None:
    """Every suggestion of a lesson is legal and has reasons.

    The test plays a game by following all suggestions. A bid suggested because of the worth of the share is not higher.
    """
    rules, board = load_game(game), standard_board(game)
    match = Match(rules, board, header_of(rules, rules.options_type(), 1, [PlayerLine("x")] * 3))
    bots = [builtin_player("greedy", game, 1, seat) for seat in range(3)]
    bids_by_worth = auctions = 0
    reasons = ""
    was_auction = False
    limits = BidLimits()
    while match.seat is not None:
        if match.seat:
            match.submit(match.seat, bots[match.seat].choose(match))
            continue
        decision = decision_of(game, match.state)
        bid, _ = limits.continue_bidding(decision, match.history)
        if bid is not None:
            match.submit(0, bid)
            continue
        found = suggest_move(decision, looks=1)
        assert found is not None
        most = limit_in(found.command, decision)
        if most is not None:
            action = limits.begin(decision, match.history, most)
        else:
            (action, *_) = read(found.command, decision, choices_of(decision))
        check_listed(decision.legal, action)
        assert found.why
        reasons += " ".join(found.why)
        is_bid = is_auction(decision.legal)
        auctions += is_bid and not was_auction
        was_auction = is_bid
        if type(action) is Bid:
            worth = re.search(r"worth about \$([\d,]+) to you", found.why[0])
            if worth is None:  # the network prefers a bid, although the share is worth less
                assert found.why[-1].startswith("Chance of winning: ")
            else:
                assert action.amount == least_bid(decision.legal)
                assert (most or action.amount) == int(worth[1].replace(",", ""))
                bids_by_worth += 1
        match.submit(0, without_info_fields(action))
    assert min(1, auctions) <= bids_by_worth <= 2 * auctions
    assert "Chance of winning: about " in reasons
    expected = "could earn up to" if game == "last_spike" else "Each dividend then pays "
    assert expected in reasons
    for words in (" a dividend the share pays $", "If it is sold, "):
        assert (words in reasons) == (game != "last_spike")


def test_a_lesson_cites_rules_only_if_they_are_requested() -> None:
    for game in game_names():
        plain, full = Lessons(game).welcome(), Lessons(game, has_rules=True).welcome()
        assert plain.rules == full.rules
        assert not RULE.search(" ".join(plain.lines))
        assert all(rule in full.lines for rule in full.rules)


def is_next_question(person: Person, asked: int) -> bool:
    """Return whether the program has asked a new question and waits for input.

    `asked` is the number of prompts shown before.
    """
    return person.bytes.rstrip().endswith(b">") and len(PROMPT.findall(person.bytes)) > asked


def test_after_a_lesson_game_its_review_is_shown_and_a_first_own_game_starts(tmp_path: Path) -> None:
    """After a game with lessons, a review names the rank and the costliest move of the person.

    If the person agrees, a second game without lessons starts, against the same bots. The lessons begin near the end of
    a game of many players on a short board, because each lesson and each move in the review needs a search.
    """
    board = str(short_board("chicago_express", tmp_path))
    words = ("--players", "5", "--bots", "easy", "--name", "Anna", "--seed", "4", "--board", board)
    by_lines(tmp_path, "play", "chicago_express", *words, typed="1\n" * 17 + "quit\n")
    (begun,) = games_in(tmp_path)
    lesson = begun.rename(begun.with_stem("short-lesson"))
    with Person("play", "--resume", "short-lesson", "--fast", folder=tmp_path, TERM="dumb", height=1000) as person:
        typed, asked, offer = "map", 0, b"Now a first game of your own"
        while offer not in person.bytes:
            person.wait_for(lambda asked=asked: is_next_question(person, asked))  # type: ignore[misc]
            asked = len(PROMPT.findall(person.bytes))
            person.press(f"{typed}\n")
            typed = "1"
            person.wait_for(lambda asked=asked: offer in person.bytes or is_next_question(person, asked))  # type: ignore[misc]
        person.press("yes\n")
        person.wait_for(lambda: len([path for path in games_in(tmp_path) if path.stat().st_size]) == 2)
        person.press("\x03")
        assert person.wait_for_end() == 1
        output = person.text
    assert re.search(r"^You (came \d|won|share)", output, re.MULTILINE)
    assert ", which may be a good move." in " ".join(output.split())
    assert re.search(
        r"^(Your costliest move was action \d+\. |No single mistake of yours)",
        output,
        re.MULTILINE,
    )
    (game,) = set(games_in(tmp_path)) - {lesson}
    assert verify_file(lesson).is_finished
    assert not verify_file(game).is_finished
    header = json.loads(game.read_bytes().splitlines()[0])
    assert header["players"][0]["name"] == "Anna"
    assert [player["seat"] for player in header["players"]] == ["person", *["builtin:easy"] * 4]


def test_learn_with_a_game_asks_nothing_before_the_first_lesson(tmp_path: Path) -> None:
    """The first key that the program waits for belongs to the lesson. The player has a usual name."""
    with Person("learn", "last_spike", folder=tmp_path) as person:
        person.wait_for(lambda: "Welcome to The Last Spike" in person.text and person.is_over())
        (lesson,) = games_in(tmp_path)
        assert lesson.stem.endswith("-lesson")
    done = by_lines(tmp_path, "learn", "last_spike", typed="\n")
    before, welcome, _ = done.stdout.partition("Welcome to The Last Spike")
    assert welcome
    assert "?" not in before


def test_learn_without_a_game_asks_which_one(tmp_path: Path) -> None:
    done = by_lines(tmp_path, "learn", "--fast", "--rules", typed="1\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "Which game?" in done.stdout
    assert "Welcome to The Last Spike" in done.stdout
    assert "LS-31: Most cash wins" in done.stdout
    (lesson,) = games_in(tmp_path)
    assert lesson.stem.endswith("-lesson")
    header = json.loads(lesson.read_bytes().splitlines()[0])
    assert [player["seat"] for player in header["players"]] == ["person", *["builtin:easy"] * 2]


@pytest.mark.parametrize("game", game_names())
def test_advice_does_not_push_the_first_choice_off_the_screen(game: str) -> None:
    """At 80x24 the first choice is visible below any advice. The person can scroll to the end of the advice."""
    for decision, frame in frames(game, players=3, every=29):
        suggested = suggest_move(decision, looks=1)
        assert suggested is not None
        advice = [suggested.words, *suggested.why]
        frame.message = max(advice, hint(decision, frame.choices, looks=1), key=lambda message: len(str(message)))
        screen = ScreenLayout()
        text = [line.plain for line in screen.lines(frame, 80, 23)]
        words = frame.choices[0].words
        forms = {f" 1 {form.split()[0]}" for form in (words, abbreviated(words, frame.game_face.shorter), words[0])}
        assert any(form in f" {line}" for line in text for form in forms), "\n".join(text)
        seen = ""
        for screen.scrolled in range(0, 60, 6):
            seen += " ".join(line.plain for line in screen.lines(frame, 80, 23))
        assert frame.message[-1].split()[-1] in seen
