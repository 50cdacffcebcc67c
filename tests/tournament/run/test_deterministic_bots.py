"""Tests of tournaments of deterministic bots with random openings: short forms of the simulations in `make soak`."""

from typing import get_args

import msgspec
import pytest

from rails_cli.games.game import digest
from rails_cli.games.shared.luck import stream
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.tournament.model import Entrant
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.run.conditions import Conditions
from rails_cli.tournament.run.play import play_groups
from tests.support import deterministic_campaigns as campaigns

GAME = "chicago_express"


@pytest.fixture(scope="module")
def openings() -> list[campaigns.Outcomes]:
    return campaigns.some_openings(GAME, 2)


def test_simulated_games_equal_games_of_a_tournament(openings: list[campaigns.Outcomes]) -> None:
    styles = dict.fromkeys(campaigns.COPIES, campaigns.GREEDY)
    (group,) = campaigns.tournament(GAME, tuple(styles), 1, 1).groups({})
    group = msgspec.structs.replace(group, seed=campaigns.seed_of(0))
    entrants = tuple(Entrant(name, f"{BUILTIN}{style}") for name, style in styles.items())
    plan = TournamentPlan(
        name="copies", output="", base="", format={"kind": "round_robin"}, settings=(group.setting,), seed=1,
        entrants=entrants, logs=False, economy=False, openings="drawn",
    )  # fmt: skip
    (came,) = play_groups(msgspec.msgpack.encode(Conditions("", plan)), [group])
    expected = campaigns.playing(campaigns.resampled(openings[:1]), lambda group: styles)(group, stream("copies"))
    assert [game.ranks for game in came.games] == expected


def test_openings_lead_to_different_games(openings: list[campaigns.Outcomes]) -> None:
    starts = {digest(outcomes.game, outcomes.start) for outcomes in openings}
    assert len(starts) == len(openings)


def test_identical_bots_have_equal_results_if_all_seatings_are_played(openings: list[campaigns.Outcomes]) -> None:
    rows = {row.name: row for row in campaigns.truth_about_copies(openings).standings}
    for style in (campaigns.GREEDY, campaigns.BUILDER):
        one, other = rows[f"{style} 1"], rows[f"{style} 2"]
        assert one.rating.rating == pytest.approx(other.rating.rating)
        assert (one.win_share.mean, one.mean_rank.mean) == pytest.approx((other.win_share.mean, other.mean_rank.mean))


def test_intervals_cover_the_true_values(openings: list[campaigns.Outcomes]) -> None:
    campaigns.interval_campaign(GAME, openings, 4)
    campaigns.equals_interval_campaign(GAME, campaigns.resampled(openings), 4)


@pytest.mark.parametrize("kind", get_args(campaigns.Comparison))
def test_equal_entrants_that_never_meet_are_rarely_called_different(
    kind: campaigns.Comparison, openings: list[campaigns.Outcomes]
) -> None:
    campaigns.rivals_campaign(kind, GAME, campaigns.resampled(openings[:1]), 3, groups=3, longest=10)


def test_stopping_rules_are_rarely_wrong(openings: list[campaigns.Outcomes]) -> None:
    campaigns.stopping_campaign(GAME, openings, 4, longest=20)
