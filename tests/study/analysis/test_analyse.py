"""Tests of `rails-cli analyse`, which judges the decisions in recorded games.

Also tests of the judgements that a replay and an exported page show.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.commands.analyse import Document
from rails_cli.games import game_names, load_evaluation, load_face, load_game
from rails_cli.games.decision import LocalLookahead, decision_at
from rails_cli.games.faces.choices import choices_of
from rails_cli.games.game import ALL_SEATS, IllegalAction, play
from rails_cli.games.moves import action_of
from rails_cli.logs.chain import log_of
from rails_cli.match.match import Match
from rails_cli.players.builtin import builtin_player
from rails_cli.players.search.one_ply import NEARLY
from rails_cli.protocol.common import Bid, BidRange, Pass
from rails_cli.study.analysis.analysis import Analysis, analysis_of
from rails_cli.study.analysis.at_step import StepJudge
from rails_cli.study.analysis.hints import hint, hint_with_steps, suggest_move, worth
from rails_cli.study.analysis.judging import FEWEST, LOOKS, Judgement, Move, judge, moves_of, searched
from rails_cli.study.analysis.running import Study, study_of
from rails_cli.study.analysis.running import analyse as run_analyses
from rails_cli.study.analysis.telling import MISTAKE
from rails_cli.study.playback.cursor import Cursor
from rails_cli.study.playback.recorded import Recorded, read_recorded
from rails_cli.terminal.screen import Screen
from tests.support.browser import complaints, expect, open_page, resize
from tests.support.fetching import story_in
from tests.support.forking import fork_with
from tests.support.matches import new_match, short_match
from tests.support.packages import announce
from tests.support.tools import ROOT, rails

PLAYERS = {"chicago_express": 4, "american_rails": 3, "last_spike": 2}
LONG = 10**6
BEGINNINGS = {"chicago_express": 18, "american_rails": 12, "last_spike": 20}
"""Number of actions after which the fixture `beginnings` cuts a game, by name of the game."""
ODD_GAME = {
    "__init__.py": """
from dataclasses import replace
from rails_cli.games import chicago_express
GAME = replace(chicago_express.GAME, name="odd_express")
""",
    "face.py": "from rails_cli.games.chicago_express.face import FACE",
    "players.py": """
from dataclasses import replace
from rails_cli.games.chicago_express.players import EVALUATION as SOUND, PLAYERS
def worth(state, board):
    raise ZeroDivisionError("nothing left")
EVALUATION = replace(SOUND, worth=worth)
""",
}
"""The files of a third-party game package whose evaluation raises an exception."""
Spoil = Callable[[Match], Any]


def keep_choice(match: Match) -> Any:
    return None


def played(
    game: str, actions: int = LONG, spoil: Spoil = keep_choice, player: str = "hard", match: Match | None = None
) -> bytes:
    """Play at most `actions` actions of a game with copies of the built-in `player`. Return the content of the log.

    `spoil` gets the match before each action. It returns an action to play instead, or None to let the player choose.
    The default player makes few mistakes. This keeps analyses short, because judging a mistake takes longest. `match`
    is the match to play, by default on the standard board.
    """
    match = match or new_match(game, PLAYERS[game], seed=3)
    players = [builtin_player(player, game, 3, seat) for seat in range(PLAYERS[game])]
    lines: list[Any] = [match.header, match.setup_line]
    while match.seat is not None and match.number < actions:
        action = spoil(match)
        lines.append(match.play(players[match.seat].choose(match) if action is None else action))
    if match.seat is None:
        lines.append(match.result_line())
    return log_of(lines)


def written(folder: Path, content: bytes, name: str = "game.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def analyse(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["analyse", *map(str, words)])


def document(*words: str | Path) -> Document:
    """Run `analyse --json` with the arguments `words` and return the decoded output.

    Check that the output has no unknown fields.
    """
    result = analyse(*words, "--json")
    assert result.exit_code == 0, result.output
    raw = json.loads(result.stdout)
    found = msgspec.convert(raw, Document)
    assert msgspec.to_builtins(found) == raw
    return found


@pytest.fixture(scope="module")
def spike(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The log of a whole game of The Last Spike on a short board."""
    return played("last_spike", match=short_match("last_spike", 2, 3, tmp_path_factory.mktemp("board")))


@pytest.fixture(scope="module")
def beginnings(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Logs of the first actions of each game."""
    folder = tmp_path_factory.mktemp("beginnings")
    return [written(folder, played(game, actions=BEGINNINGS[game]), f"{game}.jsonl") for game in game_names()]


@pytest.fixture(scope="module")
def analyses(beginnings: list[Path]) -> list[Analysis]:
    """The analyses of `beginnings` that `analyse --json` prints."""
    return [game.analysis for game in document(*beginnings, "--looks", "2", "--workers", "1").games]


# The JSON document


def test_the_numbers_of_an_analysis_are_consistent(analyses: list[Analysis]) -> None:
    assert [analysis.game for analysis in analyses] == list(game_names())
    assert any(decision.judgement.chance_lost for analysis in analyses for decision in analysis.decisions)
    for analysis in analyses:
        seats = PLAYERS[analysis.game]
        assert not analysis.is_finished
        assert len(analysis.curve) == analysis.actions + 1 == BEGINNINGS[analysis.game] + 1
        judged = [decision.judgement for decision in analysis.decisions]
        assert judged
        assert [one.first for one in judged] == sorted({one.first for one in judged})
        for one in judged:
            assert one.loss >= 0
            assert 0 <= one.chance_lost <= one.before.chances[one.seat]
            assert not (one.chance_lost and one.before == one.after)
            for chances in (one.before.chances, one.after.chances, one.instead.chances, one.outlook):
                assert len(chances) == seats
                assert sum(chances) == pytest.approx(1, abs=0.01)
        assert len(analysis.moments) <= 3
        assert {moment.first for moment in analysis.moments} <= {one.first for one in judged}
        assert all(sum(moment.change) == pytest.approx(0, abs=0.01) for moment in analysis.moments)
        assert sum(player.decisions for player in analysis.players) == len(judged)
        for seat, player in enumerate(analysis.players):
            losses = [one.chance_lost for one in player.costliest]
            assert losses == sorted(losses, reverse=True)[:3]
            own = [one.chance_lost for one in judged if one.seat == seat]
            assert max(own) < MISTAKE if not losses else losses[0] == max(own)
            assert {one.first for one in player.costliest} <= {one.first for one in judged if one.seat == seat}
        if not load_game(analysis.game).has_secrets:  # else the curve uses information hidden from the player
            assert [analysis.curve[one.last] for one in judged] == [one.after.chances for one in judged]


@pytest.mark.parametrize("game", ["chicago_express", "american_rails"])
def test_every_auction_has_the_worth_of_the_share_to_each_player(game: str, analyses: list[Analysis]) -> None:
    found = analyses[game_names().index(game)]
    assert found.auctions
    for auction in found.auctions:
        assert len(auction.worths) == PLAYERS[game]
        assert any(worth for worth in auction.worths)
        assert auction.share.startswith("the first ")
    for decision in found.decisions:
        kind = decision.judgement.played[0]["type"]
        assert (decision.judgement.worths is not None) == (kind in ("bid", "pass")), decision


def test_the_analysis_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    """Runs with one and with two workers print the same. The same file may be given twice."""
    long, short = (written(tmp_path, played("last_spike", actions=n), f"{n}.jsonl") for n in (12, 4))
    one, two = (analyse(long, short, short, "--looks", "1", "--json", "--workers", workers) for workers in ("1", "2"))
    assert one.exit_code == two.exit_code == 0
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr == ""
    games = json.loads(one.stdout)["games"]
    assert games[1] == games[2]


def test_somebody_has_won_at_the_end_of_a_finished_game(spike: bytes) -> None:
    analysis = analysis_of(read_recorded(spike), [], looks=1)
    assert analysis.is_finished
    assert max(analysis.curve[-1]) == 1.0


# Judgements


@pytest.mark.parametrize("game", ["chicago_express", "american_rails"])
def test_paying_all_cash_for_a_share_is_a_decisive_mistake(game: str, tmp_path: Path) -> None:
    asked: list[int] = []

    def all_cash(match: Match) -> Any:
        entry = match.legal[0]
        if match.seat != 1 or type(entry) is not BidRange or asked:
            return None
        asked.append(match.number + 1)
        return Bid(entry.max)

    log = written(tmp_path, played(game, actions=8, spoil=all_cash))
    analysis = document(log, "--looks", "6", "--workers", "1").games[0].analysis
    found = [moment for moment in analysis.moments if moment.first == asked[0]]
    assert found, [moment.words for moment in analysis.moments]
    assert found[0].seat == 1
    assert found[0].words.startswith("Paying $")
    assert " cost b about $" in found[0].words
    assert "The share was worth $" in found[0].words
    assert analysis.players[1].mistakes


def test_letting_a_share_go_for_the_minimum_price_is_decisive(tmp_path: Path) -> None:
    """A pass is judged as decisive if it lets another player get a share for the minimum price.

    In the game, one player bids the minimum and all others pass. The analysis lists one of these passes as decisive.
    """

    def spoil(match: Match) -> Any:
        if type(match.legal[0]) is BidRange and match.number < 4:
            return Bid(match.legal[0].min) if match.number == 0 else Pass()
        return None

    log = written(tmp_path, played("chicago_express", actions=4, spoil=spoil))
    analysis = document(log, "--looks", "6", "--workers", "1").games[0].analysis
    assert analysis.moments[0].first in (2, 3, 4)
    assert "assing at $8 for the first PRR share" in analysis.moments[0].words


@pytest.fixture(scope="module")
def express() -> Recorded:
    """The recorded first half of a game of Chicago Express with long expansions."""
    return read_recorded(played("chicago_express", actions=92))


def test_actions_that_belong_together_are_one_move(express: Recorded) -> None:
    """Choosing an action and its details is one move, and so is a whole expansion. A bid is a move of its own."""
    moves = moves_of(express)
    assert moves[0].first == 1
    for move in moves:
        moments = express.moments[move.first : move.last + 1]
        assert len({moment.by for moment in moments}) == 1
        kinds = [type(moment.action).__name__ for moment in moments]
        if len(moments) > 1:
            assert kinds[0] == "Choose"
            assert "Bid" not in kinds
            assert kinds.count("Choose") == 1
    assert any(move.last - move.first >= 3 for move in moves)


def test_the_order_of_actions_within_a_move_does_not_change_its_judgement(express: Recorded) -> None:
    """A move gets the same judgement if its actions are played in another order with the same final position."""
    compared = 0
    for move in moves_of(express)[::2]:
        moments = list(express.moments)
        for order in islice(permutations(range(move.first + 1, move.last + 1)), 1, None):
            swapped = [moments[number].action for number in (move.first, *order)]
            if not is_legal(express, move, swapped):
                continue
            for number, action in zip(range(move.first, move.last + 1), swapped, strict=True):
                moments[number] = moments[number]._replace(action=action)
            twin = Recorded(express.header, express.game, express.board, express.options, express.names, moments)
            one, other = judge(express, move, 2), judge(twin, move, 2)
            assert msgspec.structs.replace(other, played=one.played) == one
            compared += 1
            break
    assert compared


def test_the_alternative_to_a_move_is_not_the_same_move_in_another_order(express: Recorded) -> None:
    move = Move(89, 92)
    assert move in moves_of(express)
    judged = judge(express, move, 10)
    assert judged.other
    assert not is_legal(express, move, judged.other)


@pytest.mark.parametrize(("log", "number"), [("american_rails-3p-drawn", 60), ("chicago_express-4p", 79)])
def test_a_move_that_a_hint_suggests_is_not_called_worse(log: str, number: int) -> None:
    """The analysis never judges a move as a mistake if the hint for the same position suggests this move.

    The search of the analysis may have fewer iterations than the search of the hint. It may then prefer another move.
    """
    recorded = read_recorded(next(ROOT.glob(f"tests/games/golden/*/{log}.jsonl")).read_bytes())
    before = recorded.moments[number]
    seat = before.state.pending.seat
    ahead = LocalLookahead(recorded.game, recorded.board, before.state, seat)
    decision = decision_at(ahead, recorded.game, recorded.face, recorded.wire_board, recorded.board, recorded.names)
    steps = hint_with_steps(decision, []).steps
    recorded.moments[number + 1 :] = [before._replace(action=step) for step in steps]
    for looks in (10, LOOKS):
        judged = judge(recorded, Move(number + 1, number + len(steps)), looks)
        assert judged.played == steps
        assert judged.chance_lost < FEWEST


@pytest.mark.parametrize("log", ["american_rails-3p-drawn", "chicago_express-4p"])
def test_a_suggestion_in_an_auction_agrees_with_the_network(log: str) -> None:
    """If the best moves of the search are all bids, a bid is suggested, even if the worth of the share is lower.

    If they are all passes, a pass is suggested.
    """
    recorded = read_recorded(next(ROOT.glob(f"tests/games/golden/*/{log}.jsonl")).read_bytes())
    game, board, evaluation = recorded.game, recorded.board, load_evaluation(recorded.game.name)
    assert evaluation is not None
    assert evaluation.limits is not None
    above_worth = 0
    for moment in recorded.moments[::2]:
        if not any(type(entry) is BidRange for entry in moment.legal):
            continue
        seat = moment.state.pending.seat
        ahead = LocalLookahead(game, board, moment.state, seat)
        decision = decision_at(ahead, game, recorded.face, recorded.wire_board, board, recorded.names)
        suggested = suggest_move(decision, looks=1)
        assert suggested is not None
        (action,) = suggested.steps
        tried = searched(game, board, evaluation, ahead.view, 1)
        enough = (1 - NEARLY) * max(one.payoffs[seat] for one in tried)
        best = [type(action_of(game.moves, board, one.run[0])) is Bid for one in tried if one.payoffs[seat] >= enough]
        assert (type(action) is Bid) in best
        above_worth += type(action) is Bid and action.amount > evaluation.limits(moment.state, board)[seat]
    assert above_worth


def is_legal(recorded: Recorded, move: Move, actions: Sequence[Any]) -> bool:
    """Return whether `actions` are legal in the position before `move` and lead to the same position as `move`."""
    state = recorded.moments[move.first - 1].state
    try:
        for action in actions:
            state = play(recorded.game, recorded.board, state, state.pending.seat, action)
    except IllegalAction:
        return False
    return recorded.game.dump(state) == recorded.game.dump(recorded.moments[move.last].state)


def test_a_player_who_lost_its_seat_is_not_judged_by_later_actions(tmp_path: Path) -> None:
    """A player that lost its seat is not judged by the actions played after that.

    A default action is not a decision of any player. The decisions of a substitute are counted separately.
    """
    log = tmp_path / "whole.jsonl"
    run = rails("run", "last_spike", "--seat", "false", "--seat", "builtin:greedy", "--seed", "1", "--log", str(log))
    assert run.returncode == 3
    beginning = written(tmp_path, b"".join(log.read_bytes().splitlines(keepends=True)[:17]))  # 3 faults, 12 actions
    found = document(beginning, "--looks", "1", "--workers", "1").games[0].analysis
    lost, other = found.players
    assert (lost.name, lost.decisions, lost.best, lost.lost_at) == ("false", 0, None, 5)
    assert lost.substitute is not None
    assert lost.substitute.decisions + other.decisions == len(found.decisions)
    assert lost.substitute.decisions >= 2
    assert found.moments[0].words == "false lost its seat (3 faults); a substitute played on."
    judged = {one.judgement.first: one.words for one in found.decisions}
    assert not {1, 3, 5} & judged.keys()
    assert judged[7].startswith("false's substitute: playing ")
    lines = analyse(beginning, "--looks", "1", "--workers", "1").stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[3:6]] == ["false, to action 5", "its substitute", "greedy"]
    assert any(line.startswith("  1. Action 5: false lost its seat (3 faults)") for line in lines)
    step_words = StepJudge(looks=1)(read_recorded(beginning.read_bytes()), 3, ALL_SEATS)
    assert step_words == ["The default was played for the seat: nobody decided this."]


# Hidden information


def test_a_judgement_does_not_depend_on_hidden_hands(spike: bytes) -> None:
    recorded = read_recorded(spike)
    game, board = recorded.game, recorded.board
    compared = 0
    for move in moves_of(recorded)[::9]:
        moment = recorded.moments[move.first - 1]
        seat = moment.state.pending.seat
        other_deal = game.imagine(game.view(moment.state, board, seat), board, 99)
        moments = list(recorded.moments)
        moments[move.first - 1] = moment._replace(state=other_deal)
        twin = Recorded(recorded.header, game, board, recorded.options, recorded.names, moments)
        compared += game.dump(other_deal) != game.dump(moment.state)
        assert without_outlook(judge(twin, move, 1)) == without_outlook(judge(recorded, move, 1))
    assert compared >= 3


def without_outlook(judged: Judgement) -> Judgement:
    return msgspec.structs.replace(judged, outlook=[])


# Output on a terminal


def test_the_text_report_has_a_table_and_the_decisive_moments(spike: bytes, tmp_path: Path) -> None:
    shown = analyse(written(tmp_path, spike), "--looks", "1", "--workers", "1", "--all")
    assert shown.exit_code == 0
    title = "Every decision, and the chances of winning after it, as its player could see them:"
    assert title in shown.stdout
    lines = shown.stdout.partition(title)[0].splitlines()
    assert lines[0].startswith("The Last Spike: a, b; ")
    assert lines[2].split() == ["player", "money", "decisions", "mistakes", "cost", "points", "lost", "best", "move"]
    assert [line.split()[0] for line in lines[3:5]] == ["a", "b"]
    assert lines[6] == "The three moments that decided it:"
    assert max(map(len, lines[6:])) <= 100
    recorded = read_recorded(spike)
    for move in moves_of(recorded):
        assert f"\n  {move.first}. {recorded.names[recorded.moments[move.first].by or 0]}: " in shown.stdout


def test_the_replay_shows_the_judgement_of_a_step(spike: bytes) -> None:
    screen = Screen(Cursor(read_recorded(spike), speed=2, at=1), ALL_SEATS, judge=StepJudge(looks=2))
    for key in ("tab", "tab"):  # to the page with the story
        screen.press(key, 0)

    def shown() -> str:
        return " ".join("".join(line.plain for line in screen.frame(120, 60)).split())

    assert "Chances of winning" not in shown()
    screen.press("a", 0)
    assert "Chances of winning" in shown()
    screen.press("g", 0)
    assert "Nothing was decided here." in shown()
    screen.press("n", 0)
    screen.seer = 1 if screen.moment.by != 1 else 0
    assert "a hand that this seat does not see" in shown()
    screen.press("a", 0)
    assert "does not see" not in shown()


def test_steps_of_a_growing_log_can_be_judged() -> None:
    judges = StepJudge(looks=1)
    for actions in (3, 5):
        recorded = read_recorded(played("chicago_express", actions=actions))
        assert judges(recorded, actions, ALL_SEATS)[-1].startswith("Chances of winning: a ")


# The exported page


def exported(log: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["export", str(log), *words])


def test_the_exported_page_links_to_the_decisive_moments(browser: Any, tmp_path: Path) -> None:
    """The page lists the decisive moments and the mistakes of the seat in its address. One seat made no mistakes."""
    page = tmp_path / "page.html"
    log = written(tmp_path, played("last_spike", 10, player="greedy", match=new_match("last_spike", 2, seed=6)))
    words = ("--analysis", "--looks", "1", "--workers", "1")
    assert exported(log, "--html", str(page), *words).exit_code == 0
    resize(browser, 1000)
    browser.get("about:blank")
    complaints(browser)
    open_page(browser, page.as_uri())
    assert complaints(browser) == []
    links = browser.find_elements("css selector", "#moments a")
    marks = browser.find_elements("css selector", ".moment circle")
    assert len(links) == len(marks) > 0
    assert browser.find_element("css selector", "#charts figcaption").text == "Chance of winning, with all hands open"
    for number, (link, mark) in enumerate(zip(links, marks, strict=True)):
        step = int(link.text.removeprefix("Action "))
        browser.execute_script("location.hash = '#0'")
        expect(browser, SHOWN_STEP, 0)
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
        (mark if number % 2 else link).click()
        expect(browser, SHOWN_STEP, step)
        worth_it = browser.find_element("css selector", "#worth").text
        assert any(words in worth_it for words in ("was better", "nothing better was found"))
    assert not browser.find_element("css selector", "#own").is_displayed()
    told = story_in(page.read_text(encoding="utf-8"))
    clean, seat = (seat for seat, _ in sorted(enumerate(told["analysis"]["costliest"]), key=lambda one: len(one[1])))
    open_page(browser, f"{page.as_uri()}?seat={clean + 1}")
    name = told["players"][clean][0]
    expect(browser, "document.getElementById('own').innerText", f"No single mistake of {name} decided the game")
    open_page(browser, f"{page.as_uri()}?seat={seat + 1}")
    expect(browser, SHOWN_STEP, told["analysis"]["costliest"][seat][0]["step"])
    assert not browser.find_element("css selector", "#worth").is_displayed(), "the list says the same"
    own = browser.find_element("css selector", "#own")
    assert own.text.startswith(f"The costliest decisions of {told['players'][seat][0]}")
    shown = [item.text for item in own.find_elements("css selector", "li")]
    assert shown == [f"Action {one['step']}: {one['words']}" for one in told["analysis"]["costliest"][seat]]
    decisive = [item.text for item in browser.find_elements("css selector", "#moments li")]
    assert not set(decisive) & set(shown), "a text in the first list is repeated"


SHOWN_STEP = "Number(document.getElementById('slider').value)"


def test_a_page_without_analysis_may_link_to_it(beginnings: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert exported(beginnings[0], "--html", str(page), "--analysis-at", 'a"b/analysis').exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert '"analysis":null' in text
    assert '<a href="a&quot;b/analysis">What decided this game?</a>' in text


def test_a_page_shows_an_analysis_that_was_made_before(beginnings: list[Path], tmp_path: Path) -> None:
    """An exported page can show an analysis that `analyse --json` has printed before.

    A file that is not an analysis of the same game is refused.
    """
    log, other, *_ = beginnings
    page, made = tmp_path / "page.html", tmp_path / "made.json"
    made.write_text(CliRunner().invoke(main, ["analyse", str(log), "--json", "--looks", "1", "--workers", "1"]).stdout)
    words = ("--html", str(page), "--analysis-from", str(made))
    assert exported(log, *words).exit_code == 0
    assert '"analysis":{' in page.read_text(encoding="utf-8")
    refused = exported(other, *words)
    assert (refused.exit_code, "the analysis of this game only" in refused.stderr) == (2, True)
    made.write_text("{}")
    refused = exported(log, *words)
    assert (refused.exit_code, "--analysis-from" in refused.stderr) == (2, True)


def test_an_analysis_cannot_be_exported_for_one_seat_or_as_a_picture(beginnings: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    log = beginnings[game_names().index("last_spike")]
    refused = exported(log, "--html", str(page), "--analysis", "--seat", "1")
    assert refused.exit_code == 2
    assert "every hand" in refused.stderr
    assert not page.exists()
    refused = exported(log, "--svg", "0", "--analysis")
    assert refused.exit_code == 2
    assert "--html" in refused.stderr


# Invalid logs and games


def test_invalid_logs_and_arguments_are_refused(spike: bytes, tmp_path: Path) -> None:
    header, *lines = spike.splitlines(keepends=True)
    for content, why in (
        (b"", "no whole line"),
        (b"hello\n", "line 1: not the header"),
        (header.replace(b'"last_spike"', b'"first_spike"') + b"".join(lines), "unknown game 'first_spike'"),
        (header, "ends before the set-up"),
        (header + b"".join([*lines[:3], lines[4]]), "line 5: action number 4; 3 is next"),
    ):
        refused = analyse(written(tmp_path, content))
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "game.jsonl: " in refused.stderr
        assert why in refused.stderr
    for words, why in (
        ((tmp_path / "missing.jsonl",), "does not exist"),
        ((written(tmp_path, spike), "--looks", "0"), "--looks"),
        ((), "LOG..."),
    ):
        refused = analyse(*words)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert why in refused.stderr


def test_an_invalid_log_does_not_stop_the_analysis_of_others(spike: bytes, tmp_path: Path) -> None:
    lines = spike.splitlines(keepends=True)
    wrong = written(tmp_path, b"".join([*lines[:4], lines[5]]))
    files = [written(tmp_path, played(game, actions=4), game) for game in ("american_rails", "chicago_express")]
    words = (files[0], wrong, files[1], "--looks", "1", "--workers", "1")
    shown = analyse(*words)
    assert [line for line in shown.stdout.splitlines() if line.startswith("== ")] == [f"== {file}" for file in files]
    assert shown.exit_code == 1
    assert shown.stderr.startswith(f"Error: {wrong}: line ")
    titles = [line.split(":")[0] for line in shown.stdout.splitlines() if "4 actions" in line]
    assert titles == ["American Rails", "Chicago Express"]
    assert "Every decision" not in shown.stdout, "only --all lists the decisions"
    result = analyse(*words, "--json")
    assert result.exit_code == 1
    assert [game["file"] for game in json.loads(result.stdout)["games"]] == list(map(str, files))


def test_only_a_few_games_are_in_memory_at_a_time() -> None:
    """When many games are analysed, only a few of them are in memory at a time.

    The next log is read only when the analysis of the previous log is almost finished.
    """
    asked: list[int] = []
    logs = [played("last_spike", actions=actions) for actions in (8, 10)]

    def studies() -> Iterator[Study]:
        for number in range(6):
            asked.append(number)
            log = logs[number % 2]
            yield study_of(str(number), log, read_recorded(log))

    for number, (study, _) in enumerate(run_analyses(studies(), 1, 1)):
        assert study.file == str(number)
        assert asked[-1] <= number + 2
    assert len(asked) == 6


def test_a_game_whose_evaluation_raises_is_reported(beginnings: list[Path], tmp_path: Path) -> None:
    """If the evaluation of a game raises an exception, the error names this game. The other files are analysed."""
    package = tmp_path / "package"
    announce(package, "odd_express", ODD_GAME, odd_express="odd_express")
    for part in ("board.json", "RULES.md"):
        (package / "odd_express" / part).write_bytes((ROOT / "rails_cli/games/chicago_express" / part).read_bytes())
    express = beginnings[game_names().index("chicago_express")]
    odd = written(tmp_path, express.read_bytes().replace(b'"chicago_express"', b'"odd_express"', 1))
    fork_with(str(package))
    words = ("analyse", str(odd), str(express), "--looks", "1", "--workers", "1")
    done = rails(*words, env=os.environ | {"PYTHONPATH": str(package)})
    assert done.returncode == 1
    assert done.stderr == (
        f"Error: {odd}: the evaluation of Chicago Express fails at action 1 (ZeroDivisionError: nothing left)\n"
    )
    assert done.stdout.startswith(
        f"== {express}\n\nChicago Express: a, b, c, d; {BEGINNINGS['chicago_express']} actions"
    )


def test_the_page_of_an_invalid_log_has_the_analysis_up_to_the_error(beginnings: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    log = beginnings[game_names().index("last_spike")].read_bytes().splitlines(keepends=True)
    wrong = written(tmp_path, b"".join([*log[:14], log[15]]))
    result = exported(wrong, "--html", str(page), "--analysis", "--looks", "1", "--workers", "1")
    assert result.exit_code == 1
    assert "line 15: action number 14; 13 is next" in result.stderr
    assert '"analysis":{' in page.read_text(encoding="utf-8")


# Hints


@pytest.mark.parametrize("game", game_names())
def test_an_impossible_view_gets_no_hint(game: str) -> None:
    """If the view of a position is impossible, the hint is a message that says so.

    Views come from a server, which may send invalid views.
    """
    match = new_match(game, PLAYERS[game], seed=3)
    face, wire_board = load_face(game), match.game.wire_board(match.board)
    seat = match.seat
    assert seat is not None
    ahead = LocalLookahead(match.game, match.board, match.state, seat)
    decision = decision_at(ahead, match.game, face, wire_board, match.board, list("abcd"))
    choices = choices_of(decision)
    assert hint(decision, choices)[0].startswith("A strong player suggests: ")
    for players in range(2):
        view = msgspec.structs.replace(decision.view, players=decision.view.players[:players])
        assert hint(replace(decision, view=view), choices) == ["No hint: this is not a position of the game."]
        assert worth(replace(decision, view=view), [choices[0].action]) == []


def test_a_log_without_actions_is_analysed(tmp_path: Path) -> None:
    log = written(tmp_path, played("last_spike", actions=0))
    shown = analyse(log)
    assert shown.exit_code == 0
    assert "not finished" in shown.stdout
    assert "No single move decided it." in shown.stdout
    assert [sum(chances) for chances in document(log).games[0].analysis.curve] == [pytest.approx(1, abs=0.01)]
