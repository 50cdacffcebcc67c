"""Tests of the optimisation SPSA."""

import pytest

from rails_cli.games.shared.luck import stream
from rails_cli.tournament.plan.bot_parameters import Parameter
from rails_cli.tournament.schedule.spsa import Spsa

BEST = (0.3, 0.7, 0.5)


def optimised(seed: int, iterations: int = 200) -> list[float]:
    """Return the parameters that the optimisation finds for a noisy quadratic function. The best ones are BEST."""
    noise = stream(seed)
    spsa = Spsa(iterations, [0.01] * len(BEST), 0.15, 1.0)
    shares = [0.9, 0.1, 0.5]

    def worth(version: list[float]) -> float:
        return -sum((value - best) ** 2 for value, best in zip(version, BEST, strict=True)) + 0.4 * (noise() - 0.5)

    for number in range(1, iterations + 1):
        trial = spsa.trial(number, shares, seed)
        difference = max(-1.0, min(1.0, worth(trial.plus) - worth(trial.minus)))
        shares = spsa.moved(number, shares, trial.signs, difference)
    return shares


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_quadratic_function_is_optimised(seed: int) -> None:
    assert optimised(seed) == pytest.approx(BEST, abs=0.12)
    assert optimised(seed) == optimised(seed)


def test_perturbations_shrink_but_never_below_a_step() -> None:
    spsa = Spsa(100, [0.001, 0.1], 0.15, 1.0)
    widths = []
    for number in (1, 100):
        trial = spsa.trial(number, [0.5, 0.5], 7)
        widths.append([abs(plus - 0.5) for plus in trial.plus])
        assert [0.5 - minus for minus in trial.minus] == pytest.approx([plus - 0.5 for plus in trial.plus])
    assert widths[0] == pytest.approx([0.15, 0.1 * 100**0.101])
    assert widths[1] == pytest.approx([0.15 / 100**0.101, 0.1])


def test_the_first_move_is_r_perturbations_if_one_version_wins_all_games() -> None:
    spsa = Spsa(50, [0.01], 0.1, 2.0)
    assert spsa.moved(1, [0.5], [1], 1.0) == pytest.approx([0.7])
    assert spsa.moved(1, [0.5], [-1], 0.5) == pytest.approx([0.4])
    assert spsa.moved(1, [0.9], [1], 1.0) == [1.0], "values stay in their range"


def test_values_are_rounded_to_steps_and_keep_their_mean() -> None:
    one = Parameter("X", 1, 2, 0.1, 1.5)
    drawn = [one.value(0.25, chance / 100) for chance in range(100)]
    assert {*drawn} == {1.2, 1.3}
    assert sum(drawn) / 100 == pytest.approx(1.25)
    assert [one.value(share) for share in (-1, 0.32, 2)] == [1.0, 1.3, 2.0]
