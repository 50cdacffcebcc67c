"""Which seed group of a tournament starts from which opening of a book."""

from collections.abc import Iterable, Mapping

import msgspec

from protocol.log import Opening, Seed
from rails_cli.games import load_game, standard_board
from rails_cli.games.openings import drawn_opening
from rails_cli.match.opening_book import Book, Table, misfit, opening_from, shuffled_entries
from rails_cli.players.chance import POLICIES
from rails_cli.tournament.model import BUILTIN, Played, SeedGroup, Setting
from rails_cli.tournament.plan import TournamentPlan, in_words, make_format
from rails_cli.tournament.sequential import FixedGames
from rails_cli.tournament.words import listed


def table_of(setting: Setting, boards: Mapping[str, str]) -> Table:
    """What the games of a setting are played with."""
    game = load_game(setting.game)
    is_standard = setting.board == "standard"
    board = standard_board(setting.game) if is_standard else game.read_board(boards[setting.board].encode())
    options = msgspec.convert(setting.options, game.options_type, strict=False)
    return Table(game, board, setting.players, options, setting.board)


def setting_of(book: Book, settings: Iterable[Setting], boards: Mapping[str, str]) -> Setting | None:
    """The setting that a book is made for."""
    return next((setting for setting in settings if misfit(book, table_of(setting, boards)) is None), None)


class Dealer:
    """Deals the entries of a book to seeds in the order of the schedule, each once before any comes again."""

    def __init__(self, plan: TournamentPlan, history: Iterable[Iterable[Played]] = ()) -> None:
        """`history` has the games of groups that come before the schedule."""
        self.setting = None if plan.book is None else setting_of(plan.book, plan.settings, plan.boards)
        self.order = [] if plan.book is None else shuffled_entries(plan.book, plan.seed or 0)
        self.places: dict[Seed, int] = {}
        for games in history:
            for game in games:
                self._place(game.setting, game.seed)

    def deal(self, group: SeedGroup) -> SeedGroup:
        """The group with its entry; groups with the same seed have the same."""
        place = self._place(group.setting, group.seed)
        return group if place is None else msgspec.structs.replace(group, entry=self.order[place % len(self.order)])

    def _place(self, setting: Setting, seed: Seed) -> int | None:
        return self.places.setdefault(seed, len(self.places)) if setting == self.setting else None


def opening_of(plan: TournamentPlan, group: SeedGroup, table: Table) -> Opening | None:
    """The beginning that all games of a group share, once it has its entry."""
    if group.entry is not None:
        assert plan.book is not None
        return opening_from(plan.book, group.entry)
    if plan.openings == "none" or not table.game.is_luckless(table.board, table.players, table.options):
        return None
    return drawn_opening(table.game, table.board, table.players, table.options, group.seed)


def kind_of_openings(plan: TournamentPlan) -> str:
    """What the games of a plan start from, in words."""
    tables = [(setting, table_of(setting, plan.boards)) for setting in plan.settings]
    without_luck = [setting for setting, one in tables if one.game.is_luckless(one.board, one.players, one.options)]
    if not without_luck:
        return "none: every game has its own luck"
    if plan.book is None:
        return plan.openings
    others = any(misfit(plan.book, one) is not None for setting, one in tables if setting in without_luck)
    return f"from {plan.book.name}{', drawn for other games' if others else ''}"


def shortage(plan: TournamentPlan) -> str | None:
    """Says so if the seed groups outnumber the openings of the book, as far as can be foreseen."""
    if plan.book is None:
        return None
    dealer, games = Dealer(plan), 0
    most = min((rule.games for rule in plan.stop if isinstance(rule, FixedGames)), default=None)
    for group in make_format(plan).groups({}):
        dealer.deal(group)
        games += len(group.seatings)
        if len(dealer.places) > len(dealer.order):
            assert dealer.setting is not None
            words = f"{plan.book.name} has {len(dealer.order)} openings, fewer than the seed groups of"
            return f"{words} {in_words(dealer.setting)}; they will be used again"
        if most is not None and games >= most:
            break
    return None


def echoes(plan: TournamentPlan) -> str | None:
    """Who will play the same game with every seed, in words, as far as that is known beforehand."""
    names = [one.name for one in plan.entrants if one.spec.startswith(BUILTIN) and _plays_by_rule(one.spec)]
    if plan.openings != "none" or plan.book is not None:
        return None
    for setting in plan.settings:
        table = table_of(setting, plan.boards)
        if len(names) >= setting.players and table.game.is_luckless(table.board, table.players, table.options):
            words = f"{listed(names)} will play the same game with every seed at {in_words(setting)}"
            return f"{words}: there is no luck there, and copies count once. Use openings."
    return None


def _plays_by_rule(spec: str) -> bool:
    return spec.removeprefix(BUILTIN) not in POLICIES
