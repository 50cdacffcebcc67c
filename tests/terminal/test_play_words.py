"""Tests that texts of `rails-cli play` are correct, such as previews, maps, hints, reasons and lessons."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.games import game_names, load_face, standard_board
from rails_cli.games.decision import Decision, LocalLookahead
from rails_cli.games.faces.canvas import plain
from rails_cli.games.faces.choices import Choice, choices_of, hint, why
from rails_cli.games.game import without_info_fields
from rails_cli.games.last_spike.face.panels import missing_for_line
from rails_cli.games.railways.places import place_name, short_place_name
from rails_cli.match.match import Match
from rails_cli.match.session import MatchPolicy
from rails_cli.players.builtin import builtin_player
from rails_cli.protocol.chicago_express import DividendPaid
from rails_cli.protocol.common import Bid, BidRange, Pass
from rails_cli.terminal.dialogue import explain_choice
from rails_cli.terminal.frame import Frame
from rails_cli.terminal.hot_seat import HotSeatGame
from rails_cli.terminal.lessons import Lessons
from rails_cli.terminal.looking import requested_page
from rails_cli.terminal.reading import Unclear, read
from rails_cli.terminal.saving import begin
from tests.support.chicago_express import pick, position
from tests.support.frames import FirstChoices, decision_of, frames
from tests.support.matches import Chance, new_match
from tests.support.person import by_lines

BUSY = ("--players", "3", "--bots", "busy", "--name", "Anna", "--seed", "5")


def random_choices(game: str, seed: int, **options: str) -> Iterator[tuple[Decision, Match, Choice]]:
    """Play a random game. Yield each decision, the match, and the choice that will be played."""
    chance = Chance(seed)
    match = new_match(game, 3 + seed % 2, seed, **options)
    while match.seat is not None:
        state = match.state.copy()
        decision = decision_of(game, state, match.seat)
        choice = chance.pick(choices_of(decision))
        yield decision, match, choice
        match.play(without_info_fields(choice.action))


def outcome(decision: Decision, *actions: Any) -> tuple[Any, list[Any]]:
    """Play `actions` in the position of `decision`. Return a view and events.

    The view is that of the deciding seat after the actions. The events are those of the last action.
    """
    assert isinstance(decision.lookahead, LocalLookahead)
    game, board = decision.game, standard_board(decision.game.name)
    state = decision.lookahead._state.copy()
    events: list[Any] = []
    for action in actions:
        events = []
        game.apply(state, board, without_info_fields(action), events)
    return game.view(state, board, decision.seat), events


def by_company(view: Any) -> dict[str, Any]:
    return {company.id: company for company in view.companies}


def dividends(events: list[Any], seat: int) -> int:
    """Return the dollars that `events` pay to `seat` as dividends."""
    return sum(event.payouts[seat] for event in events if event.__struct_config__.tag == "dividend_paid")


def number(pattern: str, words: str) -> int | None:
    """Return the number matched by the first group of `pattern` in `words`, or None if there is no match."""
    found = re.search(pattern, words)
    return None if found is None else int(found[1].replace(",", ""))


def numbers(pattern: str, words: str) -> list[int]:
    """Return the numbers matched by the groups of `pattern` in `words`."""
    return [int(found.replace(",", "")) for found in re.findall(pattern, words)]


# Previews


@pytest.mark.parametrize(
    ("game", "options", "seed"),
    [
        ("chicago_express", {}, 6),
        ("chicago_express", {"dividend_timing": "before_action"}, 6),
        ("american_rails", {}, 5),
    ],
)
def test_previews_of_chicago_express_and_american_rails_come_true(
    game: str, options: dict[str, str], seed: int
) -> None:
    seen: Counter[str] = Counter()
    for decision, _, choice in random_choices(game, seed, **options):
        if type(choice.entry) is BidRange:
            check_bid(decision, choice, seen)
        else:
            check_change(decision, choice, seen)
    assert seen["bid then dividend"] or options
    assert seen["income"] > 5
    assert seen["dividend"] > 5


def check_bid(decision: Decision, choice: Choice, seen: Counter[str]) -> None:
    """Check that the preview of a bid agrees with the result if all other players then pass.

    `seen` counts the texts that were checked, by kind.
    """
    words, seat = choice.preview.words, decision.seat
    company = decision.view.auction.company
    amount = choice.action.amount
    actions: list[Any] = [Bid(amount)]
    view, events = outcome(decision, *actions)
    while not any(event.__struct_config__.tag == "share_sold" for event in events):
        actions.append(Pass())
        view, events = outcome(decision, *actions)
    sold = next(event for event in events if event.__struct_config__.tag == "share_sold")
    assert (sold.seat, sold.price) == (seat, amount)
    paid = dividends(events, seat)
    assert number(r"if it wins, cash \$\d+ → \$(\d+)", words) == view.players[seat].cash - paid
    assert number(r"treasury \$\d+ → \$(\d+)", words) == by_company(view)[company].treasury
    at_sale = next((e for e in events if e.__struct_config__.tag == "dividend_paid" and e.company == company), None)
    each = by_company(view)[company].dividend if at_sale is None else at_sale.per_share
    assert (number(r"dividend per share (?:\$\d+ → |stays )\$(\d+)", words) or 0) == each
    assert not re.search(r"(\$\d+) → \1\b", words)
    is_paid = any(event.__struct_config__.tag == "dividend_paid" for event in events)
    assert number(r"then dividends: \$(\d+) for you", words) == (paid if is_paid else None)
    assert ("ends the game" in words) == view.has_ended
    seen["bid then dividend"] += is_paid


def check_change(decision: Decision, choice: Choice, seen: Counter[str]) -> None:
    """Check that the preview of an action other than a bid agrees with the result of the action.

    `seen` counts the texts that were checked, by kind.
    """
    words, seat = choice.preview.words, decision.seat
    before, (after, events) = decision.view, outcome(decision, choice.action)
    tags = [event.__struct_config__.tag for event in events]
    paid = dividends(events, seat)
    assert number(r"then dividends: \$(\d+) for you", words) == (paid if "dividend_paid" in tags else None)
    assert words.count("then dividends") <= 1
    seen["dividend"] += "dividend_paid" in tags
    cash = after.players[seat].cash - paid
    assert number(r"your cash \$\d+ → \$(\d+)", words) == (cash if cash != before.players[seat].cash else None)
    assert ("the others pay $2 each" in words) == ("players_paid" in tags)
    assert ("ends the game" in words) == after.has_ended
    at_payment = {event.company: event for event in events if event.__struct_config__.tag == "dividend_paid"}
    for name, company in by_company(after).items():
        own = re.search(rf"(?:^|, )(?:{name} )?income \$(\d+) → \$(\d+)", words)
        is_named = getattr(choice.entry, "company", None) in (None, name)
        income = at_payment[name].income if name in at_payment else company.income
        was = by_company(before)[name].income
        if is_named and own and "detroit_moved" not in tags and choice.entry.__struct_config__.tag == "build":
            assert (int(own[1]), int(own[2])) == (was, income)
            seen["income"] += 1
        if company.treasury != by_company(before)[name].treasury and "cost" not in words:
            assert f"treasury ${by_company(before)[name].treasury} → ${company.treasury}" in words


def test_previews_of_the_last_spike_equal_the_results() -> None:
    """Previews of The Last Spike show the amounts that players later pay and receive.

    - An action changes the cash of the player by the amounts in the preview of the action.
    - The preview of buying a property shows how much a completed route will pay the player for this town. A route
      completed later pays this amount.
    """
    announced: dict[tuple[int, str], int] = {}
    checked = sold_first = 0
    for seed in (1, 2, 3, 4, 5, 6):
        announced.clear()
        for decision, _, choice in random_choices("last_spike", seed):
            words, seat = choice.preview.words, decision.seat
            after, events = outcome(decision, choice.action)
            for event in events:
                if event.__struct_config__.tag == "route_paid":
                    for owner, amount in enumerate(event.amounts):
                        if (owner, event.city) in announced:
                            assert amount == announced[owner, event.city]
                            checked += 1
                elif event.__struct_config__.tag in ("property_taken", "property_sold"):
                    announced.pop((event.seat, event.city), None)
                elif event.__struct_config__.tag == "property_bought":
                    announced[seat, event.city] = number(r"a route pays you \$[\d,]+ → \$([\d,]+)", words) or 0
            amounts = numbers(r"(?:pays you|brings|spike:) \$([\d,]+)(?! →)\b", words)
            costs = numbers(r"(?:costs|is laid for) \$([\d,]+)\b", words)
            change = after.players[seat].cash - decision.view.players[seat].cash
            sold = re.search(r"(?:such as|then also) ((?:[A-Z]{3}\d(?:, | and )?)+)", words)
            if sold is not None:
                check_sold_first(decision, choice, re.findall(r"[A-Z]{3}\d", sold[1]))
                sold_first += 1
            elif "must sell" in words:
                assert change == 0
            elif choice.entry.__struct_config__.tag != "buy" and not after.players[seat].bankrupt:
                assert change == sum(amounts) - sum(costs), words
    assert checked > 5
    assert sold_first > 1


def check_sold_first(decision: Decision, choice: Choice, lots: list[str]) -> None:
    """Check the preview of playing a piece that costs more cash than the player has.

    The preview says that the player must sell the properties `lots` first. Sell them and play the piece. The preview
    must name the events that follow.
    """
    sales = [msgspec.convert({"type": "sell", "property": lot}, decision.game.action_type) for lot in lots]
    _, events = outcome(decision, choice.action, *sales)
    assert "piece_played" in {event.__struct_config__.tag for event in events}
    for event in events:
        match event.__struct_config__.tag:
            case "route_completed":
                assert f"completes route {event.route}" in choice.preview.words
            case "route_paid" if any(event.amounts):
                mine = event.amounts[decision.seat]
                paid = {"you": mine, "others": sum(event.amounts) - mine}
                parts = [f"{who} ${amount:,}" for who, amount in paid.items() if amount]
                assert f"pays {' and '.join(parts)}" in choice.preview.words
            case "property_taken":
                assert "free property in" in choice.preview.words


def test_title_line_and_hints_agree_on_the_dividends_to_come() -> None:
    counted = set()
    for decision, frame in frames("american_rails", players=3, every=4):
        left = number(r"Ends: dividends left (\d+)", decision.face.end(frame.wire_board, frame.view))
        hinted = number(r"With (\d+) dividends to come", " ".join(hint(decision, frame.choices)))
        assert hinted in (left, None)
        counted.add(hinted)
    assert len(counted) > 2


@pytest.mark.parametrize(
    ("near", "words"),
    [
        ({"low_supplies": 2}, "dividends left 4, shares left 1, low supplies 2/3"),
        ({"low_supplies": 3}, "dividends left 1, shares left 1, low supplies 3/3!"),
        ({"shares_left": 0, "low_supplies": 2}, "dividends left 1, shares left 0!, low supplies 2/3"),
    ],
)
def test_the_last_dividend_of_american_rails_is_announced_when_an_end_is_certain(
    near: dict[str, int], words: str
) -> None:
    _, frame = next(frames("american_rails", players=3))
    end = msgspec.structs.replace(frame.view.end, **{"years_left": 3, "shares_left": 1, **near})
    view = msgspec.structs.replace(frame.view, end=end)
    assert frame.game_face.end(frame.wire_board, view) == f"Ends: {words}"


def test_choices_are_sorted_by_gain_with_pass_last() -> None:
    compared = 0
    for game in game_names():
        for _, frame in frames(game, players=3, every=3):
            gains = [choice.preview.gain for choice in frame.choices if choice.command != "pass"]
            if frame.choices[0].entry.__struct_config__.tag in ("build", "develop", "play", "buy"):
                assert gains == sorted(gains, reverse=True)
                assert not any(choice.command == "pass" for choice in frame.choices[:-1])
                compared += len(set(gains)) > 2
    assert compared > 5


# Maps with numbers


def test_map_costs_shows_the_cost_of_building_in_each_hex() -> None:
    for game in ("chicago_express", "american_rails"):
        for decision, frame in frames(game, players=4, every=20):
            look = requested_page(frame, "map costs")
            assert look is not None
            text = "\n".join(str(line) for line in look.overlay(160, 70)[:-2])
            costs = costs_of(decision)
            entries = {e.hex: e.cost for e in decision.legal if e.__struct_config__.tag == "build"}
            assert all(costs[spot] == cost for spot, cost in entries.items())
            shown = re.findall(r"/(\d+)" if game == "chicago_express" else r"\|(\d+)", text)
            assert Counter(map(int, shown)) == Counter(cost for cost in costs.values() if cost)


def costs_of(decision: Decision) -> dict[str, int]:
    """Return the cost of the next piece of track in each hex that has room for one.

    The costs are computed from the board, without the rules.
    """
    board, view = decision.wire_board, decision.view
    costs = {}
    for spot in board["hexes"]:
        there = sum(company.track.count(spot["id"]) for company in view.companies)
        if spot["terrain"] in ("forest", "mountain") and there:
            continue
        if decision.game.name == "chicago_express":
            costs[spot["id"]] = (spot["cost"] or 0) * (there + 1)
        else:
            terrain = board["terrain"][spot["terrain"]]
            costs[spot["id"]] = terrain["base"] + terrain["per_piece"] * (there + (spot["id"] in view.developed))
    return costs


def test_map_income_counts_development_markers() -> None:
    """In American Rails a development marker raises the income of a hex, whether one or several companies are in it."""
    checked = 0
    for seed in range(6):
        for decision, match, _ in random_choices("american_rails", seed):
            builds = [entry for entry in match.legal if entry.__struct_config__.tag == "build"]
            for entry in [entry for entry in builds if entry.hex in decision.view.developed][:1]:
                after, events = outcome(decision, entry)
                if any(event.__struct_config__.tag == "link_made" for event in events):
                    continue
                gain = by_company(after)[entry.company].income - by_company(decision.view)[entry.company].income
                names = decision.names[: len(decision.view.players)]
                frame = Frame("x", names, decision.wire_board, decision.view, 0, face=decision.face)
                look = requested_page(frame, "map income")
                assert look is not None
                assert gain == income_shown(look.overlay(160, 70), entry.hex)
                shared = sum(entry.hex in company.track for company in decision.view.companies)
                answer = explain_choice(decision, choices_of(decision), [entry.hex])[0]
                assert f"{gain} {'shared' if shared else 'alone'}" in answer
                checked += 1
        if checked > 3:
            break
    assert checked > 3


def income_shown(lines: list[Any], spot: str) -> int:
    """Return the income that the map of American Rails shows in the hex `spot`.

    `lines` are the lines of the map. A column of hexes is four characters wide. Rows B, D, F and so on are shifted by
    two characters.
    """
    row = next(str(line) for line in lines if str(line).startswith(f"{spot[0]} "))
    column = 2 + 4 * int(spot[1:]) + 2 * ((ord(spot[0]) - ord("A")) % 2)
    return int(row[column : column + 2].strip() or 0)


def test_the_auction_panel_and_the_preview_agree_on_the_dividend_per_share() -> None:
    checked = 0
    for game in ("chicago_express", "american_rails"):
        for decision, frame in frames(game, players=3):
            running = decision.view.auction
            panel = [plain(line) for line in decision.face.auction(frame.view, frame.names, 200)] if running else []
            each = number(r"so \$(\d+) a share after the sale", panel[0]) if panel else None
            if each is None or type(decision.legal[0]) is not BidRange:
                continue
            assert each == number(r"dividend per share (?:\$\d+ → |stays )\$(\d+)", frame.choices[0].preview.words)
            checked += 1
    assert checked > 5


# Hints and reasons


def test_a_hint_names_the_highest_bid_that_the_greedy_bot_would_make() -> None:
    checked = 0
    for game in ("chicago_express", "american_rails"):
        player = builtin_player("greedy", game, 0, 0)
        for decision, frame in frames(game, players=3):
            if decision.view.auction is None or type(decision.legal[0]) is not BidRange:
                continue
            limit = number(r"up to \$(\d+) for a", " ".join(hint(decision, frame.choices)))
            most = decision.legal[0].max
            if limit is None or limit >= most:
                continue
            think = player._think  # type: ignore[union-attr]
            assert think(decision.view, [BidRange(limit, most), Pass()], decision.board) == Bid(limit)
            assert think(decision.view, [BidRange(limit + 1, most), Pass()], decision.board) == Pass()
            checked += 1
    assert checked > 3


def test_why_cites_the_rules_for_bids_that_are_too_low_or_too_high() -> None:
    for game, low, high in (("chicago_express", "CE-11", "CE-12"), ("american_rails", "AR-10", "AR-10")):
        decision = next(s for s, _ in frames(game, players=3) if type(s.legal[0]) is BidRange)
        assert f"({low})" in why(decision, ["bid", "1"])
        assert f"({high})" in why(decision, ["bid", "9999"])
        assert f"({high})" in why(decision, ["bid", "9" * 5000])


def test_why_does_not_advise_to_expand_when_the_dial_is_red() -> None:
    state = position(pick(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9}, dials=(0, 5, 0))
    answer = why(decision_of("chicago_express", state), ["R2"])
    assert "choose to expand first" not in answer
    assert "The expand dial is red" in answer
    free = position(pick(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9})
    assert "choose to expand first" in why(decision_of("chicago_express", free), ["R2"])


# Typed lines


@pytest.mark.parametrize("letter", ["p", "m", "l", "r", "n", "b", "P"])
def test_a_single_letter_is_refused_as_too_short(letter: str) -> None:
    state = position(pick(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9})
    decision = decision_of("chicago_express", state)
    after, _ = decision.lookahead.after(read("auction", decision, choices_of(decision))[0])
    asked = decision.at(after)
    with pytest.raises(Unclear, match="too short"):
        read(letter, asked, choices_of(asked))
    assert read("offer p", asked, choices_of(asked))[0].company == "PRR"


def test_commands_and_texts_use_the_names_of_the_board(tmp_path: Path) -> None:
    """Commands accept the name of a town, a word from a rule, or the number of a choice.

    Examples are `what Ogden`, `rule payout` and `why 1`. Texts contain the names of towns. Seats are counted from 1.
    """
    typed = "rule payout\nwhy 1\nwhy pass\nwhat Ogden\nwhy Ogden\nmap costs\n1\nquit\n"
    arguments = ("--players", "3", "--bots", "greedy", "--name", "Anna", "--seed", "3", "--fast")
    done = by_lines(tmp_path, "play", "spike", *arguments, typed=typed)
    assert done.returncode == 0, done.stderr[-2000:]
    for words in (
        "LS-14: Payments",
        "play C1 (Omaha to Laramie): costs $3,000, free property in Omaha.",
        "You cannot pass here.",
        "Ogden: no property is for sale, 3 routes to come",
        "You buy after laying a piece; now you are to play (LS-10).",
        "C Omaha to Laramie: C1 $3,000",
        "Anna is the first to reach Omaha and takes its free property.",
        "Gould buys a property in Omaha ($3,000).",
        ">1 Anna ",
        " 3 Gould ",
        "Ends when the line is joined: 16 pieces to go",
    ):
        assert words in done.stdout, words


def test_5000_typed_digits_before_a_game_are_refused(tmp_path: Path) -> None:
    done = by_lines(tmp_path, "play", typed="9" * 5000 + "\nlast_spike\n" + "9" * 5000 + "\n2\n")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "is not a number from 2 to" in done.stdout


# Highlighting


def test_hexes_changed_by_others_since_the_last_answer_are_highlighted(tmp_path: Path) -> None:
    match = new_match("chicago_express", 3, 4)
    face, checked = FirstChoices(), 0
    others = [None, *(builtin_player("greedy", "chicago_express", 4, seat) for seat in (1, 2))]
    saved = begin(match, tmp_path)
    session = HotSeatGame(match, saved, others, face, policy=MatchPolicy())
    session.play()
    for before, frame in zip(face.asked, face.asked[1:], strict=False):
        if before.view.question.asks != "choose_action" and frame.view.question.asks == "choose_action":
            since = frame.events[len(before.events) :]
            changed = {e.hex for e in since if e.__struct_config__.tag in ("built", "developed") and e.seat != 0}
            own = {e.hex for e in since if e.__struct_config__.tag in ("built", "developed") and e.seat == 0}
            assert changed <= frame.marked | own
            assert not (frame.marked - changed - {e.hex for e in since if hasattr(e, "hex")})
            checked += bool(changed)
    assert checked > 2


# Lessons


def test_the_last_spike_is_explained_when_at_most_three_pieces_are_missing() -> None:
    lessons, told_at = Lessons("last_spike"), []
    (_, nearly_done) = load_face("last_spike").tutorial.positions.values()
    for decision, frame in frames("last_spike", players=3):
        missing = missing_for_line(decision.wire_board, decision.view)
        lesson = lessons.before(decision, frame.events)
        if lesson is not None and nearly_done.text in lesson.lines:
            told_at.append(missing)
    assert len(told_at) == 1
    assert 1 <= told_at[0] <= 3


def test_lessons_cite_the_rules_about_the_end_of_the_game() -> None:
    assert "CE-80" in load_face("chicago_express").tutorial.events[DividendPaid].rules
    american_rails = load_face("american_rails").tutorial
    assert "AR-3" in american_rails.welcome.rules.split()
    assert "Six railways" not in american_rails.welcome.text
    assert "AR-51" in american_rails.questions["bid"].rules


# Examples of the game being played


@pytest.mark.parametrize("game", game_names())
def test_the_examples_in_messages_are_understood(game: str) -> None:
    examples = load_face(game).vocabulary.examples
    for decision, frame in frames(game, players=3, every=7):
        answer = why(decision, ["xyzzy"])
        assert answer.endswith(f"Try: {', '.join(f'why {thing}' for thing in examples.things)}.")
        for thing in examples.things:
            assert "I don't recognise" not in why(decision, thing.split())
        assert "I don't understand" not in explain_choice(decision, frame.choices, [examples.things[0]])[0]
        look = requested_page(frame, "help")
        assert look is not None
        assert callable(look.overlay)
        assert f"  why 1, why {examples.things[0]} " in "\n".join(look.overlay(80, 50))
        for width in (40, 80, 200):
            assert max(map(len, look.overlay(width, 50))) <= min(width, 100)


@pytest.mark.parametrize("game", game_names())
def test_why_explains_choice_numbers_and_passing(game: str) -> None:
    answers = set()
    for decision, frame in frames(game, players=3, every=2):
        if type(decision.legal[0]) is not BidRange:
            assert why(decision, ["1"]) == f"That is allowed: {frame.choices[0].command}."
            possible = f"1 to {len(frame.choices)}" if len(frame.choices) > 1 else "1, the only one"
            assert why(decision, ["999"]) == f"There is no choice 999; choose {possible}."
        answers.add(why(decision, ["pass"]))
    assert answers == {"That is allowed: pass.", "You cannot pass here."}


def test_the_command_what_shows_sales_and_payments_of_a_city_in_the_last_spike() -> None:
    seen = set()
    for decision, frame in frames("last_spike", players=3, every=2):
        about, *choices = explain_choice(decision, frame.choices, ["Ogden"])
        assert re.fullmatch(r"Ogden: .* for sale.*, \d routes? to come, a route pays \$7,000, \$14,000, .*\.", about)
        seen |= {line.split(":")[0] for line in choices}
    assert "buy a property in Ogden (buy OGD)" in seen


# Names of places


@pytest.mark.parametrize("game", ["american_rails", "chicago_express"])
def test_commands_accept_every_name_of_a_hex(game: str) -> None:
    """`build`, `what` and `why` accept the long and the short name of a hex, also with a small typing mistake."""
    tried: set[str] = set()
    for decision, frame in frames(game, players=3, every=3):
        board = decision.wire_board
        for choice in frame.choices:
            if choice.entry.__struct_config__.tag != "build":
                continue
            company, spot = choice.entry.company, choice.entry.hex
            if spot in tried:
                continue
            tried.add(spot)
            long, short = place_name(board, spot), short_place_name(board, spot)
            forms = {long, long.removeprefix("the "), short, short.lower()}
            for form in sorted(forms):
                assert read(f"build {company} {form}", decision, frame.choices) == [choice.action], form
                assert read(f"{company} to {form}", decision, frame.choices) == [choice.action], form
                assert explain_choice(decision, frame.choices, form.split())[0].startswith(spot), form
                assert why(decision, [company, *form.split()]).startswith(spot), form
            if " of " not in long and len(long) > 5:
                assert read(f"build {company} {long}h", decision, frame.choices) == [choice.action]
        if len(tried) > 10:
            break
    assert len(tried) > 10
    with pytest.raises(Unclear, match=r"^I don't recognise 'E of Nowhere'\.$"):
        read("build E of Nowhere", building(game), ())
    with pytest.raises(Unclear, match=r" Did you mean Pittsburgh?\?$"):
        read("build Pitsbrgh", building(game), ())
    with pytest.raises(Unclear, match=r"^I don't recognise 'E'\.$"):
        read("build E", building(game), ())


def building(game: str) -> Decision:
    asked = (decision for decision, _ in frames(game, players=3))
    return next(one for one in asked if one.legal[0].__struct_config__.tag == "build")
