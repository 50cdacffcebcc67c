"""Tests of seasons of the pool, finals with fixed pairings, and rosters of invited entrants."""

from collections import Counter

import pytest

from rails_cli.server.pool.roster import Invited, invitations_csv, owners_of, read_roster
from rails_cli.server.pool.seasons import (
    ALLOWED,
    FINAL,
    FINAL_LIMIT_S,
    FinalRules,
    Season,
    advanced,
    closing,
    next_games,
    paused,
)
from rails_cli.tournament.model import Setting

THREE, FOUR = Setting("toy", 3), Setting("toy", 4)
BEST = [f"bot {number}" for number in range(1, 9)]
ARENA = Season("open", ends_at=7200.0, final_rules=FinalRules(entrants=6))


def best() -> list[str]:
    return BEST


def test_a_timed_season_ends_in_a_final_and_is_then_frozen() -> None:
    assert advanced(ARENA, 7199.0, best, [THREE, FOUR], 1) == ARENA
    final = advanced(ARENA, 7200.0, best, [THREE, FOUR], 1)
    assert final.state == "closing"
    assert final.final is not None
    assert final.final.entrants == tuple(BEST[:6])
    assert advanced(final, 7300.0, best, [THREE, FOUR], 1) == final
    assert advanced(final, 7300.0, best, [THREE, FOUR], 1, is_played=True).state == "frozen"
    assert advanced(final, 7200.0 + FINAL_LIMIT_S, best, [THREE, FOUR], 1).state == "frozen", (
        "the time limit of the final has passed"
    )
    stopped = paused(ARENA, 7000.0)
    assert (stopped.state, stopped.ends_at, stopped.left_s) == ("paused", None, 200.0)
    assert stopped.final_rules == ARENA.final_rules
    assert paused(stopped, 9000.0) == stopped, "pausing again changes nothing"
    assert advanced(stopped, 1e9, best, [THREE], 1) == stopped, "a paused season does not end by itself"


def test_a_season_without_a_final_is_frozen_when_it_ends() -> None:
    assert advanced(Season("open", ends_at=5.0), 5.0, best, [THREE], 1).state == "frozen"
    assert closing(ARENA, 5.0, BEST[:2], [THREE, FOUR], 1).state == "frozen", (
        "too few entrants have a place for a final"
    )
    assert advanced(Season("open"), 1e12, best, [THREE], 1).state == "open"


def test_each_state_allows_its_own_actions() -> None:
    assert [state for state, allowed in ALLOWED.items() if allowed.pairing] == ["open"]
    assert [state for state, allowed in ALLOWED.items() if allowed.registering] == ["open", "paused"]
    assert [state for state, allowed in ALLOWED.items() if not allowed.entering] == ["closed"]
    assert [state for state, allowed in ALLOWED.items() if allowed.final] == ["closing"]


def test_every_finalist_plays_each_seat_equally_often_and_all_games_can_be_played() -> None:
    final = closing(ARENA, 0.0, BEST, [THREE, FOUR], "ab" * 16).final
    assert final is not None
    games = list(final.games().values())
    assert [game.id for game in games] == list(final.games())
    assert ARENA.final_rules is not None
    assert len(games) == final.length() <= ARENA.final_rules.longest([THREE, FOUR]) <= 120
    assert all(game.stage.startswith(FINAL) for game in games)
    sat = Counter((name, game.setting.players, seat) for game in games for seat, name in enumerate(game.seatings[0]))
    for setting in (THREE, FOUR):
        times = {sat[name, setting.players, seat] for name in final.entrants for seat in range(setting.players)}
        assert len(times) == 1, times
    played: set[str] = set()
    while left := [game for game in games if game.id not in played]:
        begun = next_games(left, [*BEST, "bot 1"])
        assert begun[0] == left[0]
        busy = Counter(name for game in begun for name in game.seatings[0])
        assert all(times <= 1 + (name == "bot 1") for name, times in busy.items())
        played.update(game.id for game in begun)
    assert next_games(games, BEST[1:3]) == []


def test_a_roster_becomes_a_file_of_invitations() -> None:
    text = '\ufeffOwner, Name, Email\nAnn,alpha,ann@example.org\n\nAnn,beta\nBen Co.,"gamma"\n'
    roster = read_roster(text)
    assert roster == [Invited("Ann", "alpha"), Invited("Ann", "beta"), Invited("Ben Co.", "gamma")]
    for mark in ";\t":  # separators that spreadsheets use in other countries
        assert read_roster(f"Owner{mark}Name{mark}Course\nAnn{mark}alpha{mark}1,5\n") == [Invited("Ann", "alpha")]
    assert owners_of(roster) == ["Ann", "Ben Co."]
    assert invitations_csv(roster, ["t1", "t2"]) == "owner,names,invitation\nAnn,alpha; beta,t1\nBen Co.,gamma,t2\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the roster is empty: expected a line owner,name for each bot"),
        ("owner,name\n", "the roster is empty"),
        ("Ann,alpha\nBen\n", "line 2 of the roster: expected owner,name or owner,name,email, not 'Ben'"),
        ("Ann,\n", "line 1 of the roster: expected owner,name"),
        ("Ann,alpha\nBen,ALPHA\n", "line 2 of the roster: the name 'ALPHA' is also in line 1"),
        ("Smith, Anna;anna bot\n", "could be parted by ',' or ';': begin it with a line owner,name"),
        ("owner;name\nSmith, Anna;anna bot\n", "line 2 of the roster: 'Smith, Anna' cannot be used: a name has"),
        ("=cmd|calc,alpha\n", "line 1 of the roster: '=cmd.calc' cannot be used"),
        ("Ann,@alpha\n", "line 1 of the roster: '@alpha' cannot be used"),
        ('Ann,"alpha\n', "line 1 of the roster: unexpected end of data"),
    ],
)
def test_a_bad_roster_is_refused_with_the_line(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_roster(text)
