"""Texts of the report that describe a plan and its stopping rules."""

from rails_cli.games import load_game
from rails_cli.games.faces.phrases import count_phrase, with_capital
from rails_cli.tournament.model import Setting
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.results.store import Ending
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.stopping_rules import Better, FixedGames, Rule, TimeBudget, TokenBudget, TopSettled
from rails_cli.tournament.words import listed

POLICIES = {
    "void_and_replay": "a game in which a bot failed {faults} is lost by that bot and played again",
    "last_place": "a substitute takes over from a bot that failed {faults}, and the bot is ranked last",
}

MEASURES = {
    "ahead": "finishing ahead",
    "beaten": "the share of opponents beaten",
    "wins": "the share of wins",
    "score": "the share of the points",
}


def setting_words(setting: Setting) -> str:
    """Return a setting as text, such as `Chicago Express, 3 players`."""
    extras = [f"{name.replace('_', ' ')}: {value.replace('_', ' ')}" for name, value in sorted(setting.options.items())]
    if setting.board != "standard":
        extras.append(f"board {setting.board}")
    words = f"{load_game(setting.game).title}, {setting.players} players"
    return f"{words} ({', '.join(extras)})" if extras else words


def rule_words(rule: Rule) -> str:
    match rule:
        case FixedGames():
            return f"stop after {count_phrase(rule.games, 'game')}"
        case TimeBudget():
            return f"start no game after {rule.seconds / 60:g} minutes"
        case TokenBudget():
            return f"stop after {rule.tokens:,} tokens"
        case Better():
            return (
                f"stop when it is known whether {rule.entrant} is better than {rule.than or 'the field'} by "
                f"{rule.by:g} in {MEASURES[rule.measure]}; the chance of wrongly calling it better is at most "
                f"{rule.alpha:.0%}, of wrongly calling it not better at most {rule.beta:.0%}"
            )
        case TopSettled():
            return (
                f"stop when the order of the best {rule.top} is known, with a chance of error of at most "
                f"{rule.alpha:.0%}"
            )


def length_words(plan: TournamentPlan) -> str:
    if plan.stop:
        rules = "; or ".join(map(rule_words, plan.stop))
        return with_capital(rules)
    kind = FORMATS[plan.kind]
    return "Runs until stopped" if kind.is_open else "All games of the format"


def ended(ending: Ending | None) -> str:
    if ending is None:
        return "Not finished: the following is the state so far"
    words = with_capital(ending.words)
    if "mean" in ending.figures:
        words += f"; the mean difference is {ending.figures['mean']:+.3f}".replace("-", "−")
    return words


def overview(plan: TournamentPlan) -> str:
    """Return the first sentence of the report, which summarizes the plan."""
    settings = listed([setting_words(setting) for setting in plan.settings])
    return f"{FORMATS[plan.kind].title}, {count_phrase(len(plan.entrants), 'entrant')}: {settings}."
