"""The sections of a report, from the summary to the explanation of the methods."""

from collections import Counter
from collections.abc import Sequence

from rails_cli.games import load_face
from rails_cli.games.faces.economy import EconomyWords
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.tournament.plan.openings import kind_of_openings
from rails_cli.tournament.rating.copies import copies_words
from rails_cli.tournament.rating.standings import PairResult, ScopeTable, SeatRecord, Standing
from rails_cli.tournament.report.charts import MOST_BANDS, MOST_SERIES, Charts
from rails_cli.tournament.report.entrants_section import interval_words, named
from rails_cli.tournament.report.findings import Findings
from rails_cli.tournament.report.markup import (
    NONE,
    Cell,
    Html,
    details,
    element,
    figure,
    joined,
    paragraph,
    part,
    section,
    side_by_side,
    spread,
    table,
    with_code,
)
from rails_cli.tournament.report.wording import POLICIES, ended, length_words, overview, setting_words
from rails_cli.tournament.schedule.answer import per_cent
from rails_cli.tournament.schedule.format_report import Bracket, BracketTable, Figures, Words
from rails_cli.tournament.words import STOPPED_BY_RESULTS, between, listed, mark_words, signed

_LONGEST_SUMMARY = 12
"""Maximum number of entrants in the summary."""
_LARGE = 1000  # amounts from here on are shown without decimals
_FEW_GROUPS = 10
_FEW_STATIONS = 4
_MINUTE = 60
_LONG = 30  # number of pairs above which their list scrolls
_MANY = 12  # number of entrants above which the chart of pairs takes the full width


# Summary


def summary(found: Findings) -> Html:
    plan, every = found.plan, found.standings.tables[0]
    surplus = sum(game.group.surplus for game in found.games)
    games = f"{every.games:,} that count, in {count_phrase(every.groups, 'seed group')}; {_time(found.used_s)} of play"
    facts = {"Planned": length_words(plan), "Status": ended(found.ending), "Games": games}
    if surplus:
        facts["After the end"] = f"{count_phrase(surplus, 'game')} played after it was decided, not counted"
    if every.copies:
        facts["Copies"] = f"{count_phrase(every.copies, 'game')} identical to others, not counted"
    if found.evidence:
        facts["Evidence"] = "\n".join(map(str, found.evidence))
    facts |= {"Void games": _void(every), "Faults": _faults(found), "Clock": _clock(found)}
    facts |= {"Openings": kind_of_openings(plan), "Seed": str(plan.seed)}
    if found.suspended:
        facts["Suspended"] = "\n".join(
            one.summary if one.entrant in found.faults else str(one) for one in found.suspended
        )
    listing = [element("div", element("dt", name), element("dd", words)) for name, words in facts.items()]
    first = [paragraph(found.answer.text, class_="answer"), paragraph(overview(plan), class_="lead")]
    if every.copies:
        first.append(paragraph(copies_words(every.copies, every.games + every.copies), class_="note"))
    return joined([*first, element("dl", *listing, class_="facts")])


def _time(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    if seconds < _MINUTE:
        return count_phrase(round(seconds), "second")
    hours, minutes = divmod(round(seconds / _MINUTE), _MINUTE)
    return " ".join(([count_phrase(hours, "hour")] if hours else []) + [count_phrase(minutes, "minute")])


def _void(every: ScopeTable) -> str:
    if not every.void:
        return "none"
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in every.void.items())
    return f"{count_phrase(sum(every.void.values()), 'game')} ({reasons}), counted nowhere else"


def _faults(found: Findings) -> str:
    number = sum(sum(codes.values()) for codes in found.faults.values())
    if not number:
        return "none"
    tainted = found.standings.tables[0].tainted
    return f"{number:,}; {count_phrase(tainted, 'game')} tainted: a fault changed who played"


def _clock(found: Findings) -> str:
    plan = found.plan
    kind = "CPU time" if plan.cpu_clock else "wall time"
    clock = "none" if plan.clock == "none" else f"{plan.clock} ({kind}, seconds)"
    own = "".join(f", {entrant.name} {entrant.clock}" for entrant in plan.entrants if entrant.clock is not None)
    policy = POLICIES[plan.on_faults].format(faults=count_phrase(plan.max_faults, "time"))
    return f"{clock}{own}; {policy}"


# Standings


def standings(found: Findings, charts: Charts | None) -> Html:
    every = found.standings.tables[0]
    if not every.standings:
        none = "No game that counts has been finished yet." if not every.unrated else "No entrant has a rating."
        return section("standings", "Standings", paragraph(none), *_notes(every))
    pieces = [
        paragraph(_leader(every)),
        side_by_side(_ratings_chart("Ratings", every, found, charts), course_chart(found, charts)),
        standings_table("Standings", every, found, with_score=not found.is_mixed),
        *_notes(every),
        *_absent(found, every),
        paragraph(_sense(found), class_="quiet"),
    ]
    if found.standings.clean:
        pieces.append(_clean(found))
    return section("standings", "Standings", *pieces, _course_table(found))


def _notes(shown: ScopeTable) -> list[Html]:
    return [paragraph(f"Note: {note}.", class_="note") for note in shown.notes]


def _leader(every: ScopeTable) -> str:
    first = every.standings[0]
    if len(every.standings) == 1:
        return f"Only {first.name} has played."
    second = every.standings[1]
    if first.rating.pool != second.rating.pool:
        return f"{first.name} leads."
    if every.groups < _FEW_GROUPS:
        return f"{first.name} leads, but on the basis of {count_phrase(every.groups, 'seed group')} only."
    if first.rating.ahead is None:
        return f"{first.name} leads, but {first.name} or {second.name} has played in only one seed group."
    return (
        f"{first.name} leads; it is ahead of {second.name} in {per_cent(first.rating.ahead)}% of the resamples. "
        f"Its place is {_places(first)} with 95% confidence."
    )


def _places(standing: Standing) -> str:
    best, worst = standing.rating.best_place, standing.rating.worst_place
    return str(best) if best == worst else f"{best} to {worst}"


def _ratings_chart(title: str, shown: ScopeTable, found: Findings, charts: Charts | None) -> Html:
    rows = shown.standings
    ratings = [f"{one.name} {signed(one.rating.rating)} ({interval_words(one, found)})" for one in rows]
    more = f" and {len(ratings) - _LONGEST_SUMMARY} more" if len(ratings) > _LONGEST_SUMMARY else ""
    words = "with 95% intervals; an arrow where the games set no limit."
    return figure(
        title,
        words,
        f"{'; '.join(ratings[:_LONGEST_SUMMARY])}{more}.",
        None if charts is None else charts.ratings(rows),
    )


def standings_table(caption: str, shown: ScopeTable, found: Findings, *, with_score: bool) -> Html:
    has_pools = any(one.rating.pool for one in shown.standings)
    heads = ["Entrant", *(["Pool"] if has_pools else []), "Place", "Rating", "95% interval", "Places, 95%", "Games"]
    heads += ["Mean rank", "Wins", "Opponents beaten", *(["Score"] if with_score else []), "Share of points", "Faults"]
    rows: list[list[Cell]] = []
    for one in shown.standings:
        rating = one.rating.rating
        row: list[Cell] = [named(one.name, found, one.lost_seats)]
        row += [*([one.rating.pool + 1] if has_pools else []), one.place, (signed(rating), rating)]
        row += [(interval_words(one, found), rating), (_places(one), one.rating.best_place)]
        row += [(f"{one.games:,} of {one.games + one.copies:,}", one.games) if one.copies else one.games]
        row += [spread(one.mean_rank, ".2f"), part(one.win_share), part(one.beaten)]
        row += [
            *([NONE if one.mean_score is None else spread(one.mean_score, ",.0f")] if with_score else []),
            part(one.score_share),
            one.faults,
        ]
        rows.append(row)
    words = mark_words({one.name: one.lost_seats for one in shown.standings})
    return joined([table(caption, heads, rows), *([paragraph(words, class_="note")] if words else [])])


def _absent(found: Findings, every: ScopeTable) -> list[Html]:
    there = {standing.name for standing in every.standings} | {one.name for one in every.unrated}
    absent = [name for name in found.plan.names if name not in there]
    return [paragraph(f"No game that counts yet: {listed(absent)}.", class_="note")] if absent else []


def _sense(found: Findings) -> str:
    zero = f"{found.anchor} has the rating 0" if found.anchor else "the mean is 0"
    words = (
        f"400 rating points mean odds of ten to one of finishing ahead; {zero}. Intervals are for 95%. For them, seed "
        "groups were resampled instead of games, because the games of one seed depend on each other."
    )
    if found.ending is not None and found.ending.why in ("better", "top"):
        words += f" {STOPPED_BY_RESULTS}"
    return words


def _clean(found: Findings) -> Html:
    clean = found.standings.clean[0]
    tainted = found.standings.tables[0].tainted
    caption = (
        f"Without the {count_phrase(tainted, 'game')} in which a fault changed who played, and those who lost seats"
    )
    if not clean.standings:
        return paragraph("Without the tainted games and those who lost seats, none are left.", class_="note")
    return joined([standings_table(caption, clean, found, with_score=not found.is_mixed), *_notes(clean)])


# Result of the format


def format_section(found: Findings) -> Html:
    """Return the section about the results of the tournament format, or empty HTML if there is none."""
    if found.format_report is None:
        return Html("")
    return section("format", found.format_report.title, *map(_format_part, found.format_report.parts))


def _format_part(part: Words | Figures | Bracket) -> Html:
    if isinstance(part, Words):
        return paragraph(part.text, class_="quiet" if part.is_aside else "")
    if isinstance(part, Figures):
        rows = [[NONE if cell is None else cell for cell in row] for row in part.rows]
        return table(part.caption, part.heads, rows)
    rounds = []
    for one in part.rounds:
        byes = [paragraph(f"No game: {listed(one.byes)}.", class_="quiet")] if one.byes else []
        rounds.append(element("li", element("h3", one.title), *map(_bracket_table, one.tables), *byes))
    bracket = element("ol", *rounds, class_="bracket")
    return element("div", bracket, class_="canvas", tabindex="0", role="group", aria_label="Rounds")


def _bracket_table(made: BracketTable) -> Html:
    rows = []
    for place in made.places:
        note = element("span", place.words, class_="quiet")
        mark = [f" – {place.mark}"] if place.mark else []
        rows.append(element("li", element("b" if place.mark else "span", place.name), " ", note, *mark))
    state = [] if made.is_decided else [paragraph("Not decided yet.", class_="quiet")]
    return element("div", element("ol", *rows), *state, class_="tie")


# Head to head


def pairs(found: Findings, charts: Charts | None) -> Html:
    every = found.standings.tables[0]
    if not every.pairings:
        return Html("")
    names = [standing.name for standing in every.standings]
    rows = [_pair_row(pairing) for pairing in every.pairings]
    heads = ["First", "Second", "Games", "First ahead", "95% interval"]
    caption = "Pairs" if len(rows) <= _LONG else f"Pairs ({len(rows):,}; the list scrolls)"
    listing = table(caption, heads, rows, texts=(1,))
    if len(rows) > _LONG:
        listing = element("div", listing, class_="long")
    drawn = None if charts is None else charts.pairs(names, every.pairings)
    words = (
        "in per cent of their common games, ties counting half: blue where the row's entrant finishes ahead of the "
        "column's more often, orange where less often."
    )
    if len(rows) < len(names) * (len(names) - 1) // 2:
        words += " An empty cell means they never met."
    extremes = _extremes(every.pairings)
    chart = figure("Who finishes ahead of whom", words, extremes, drawn)
    inner = [chart, listing] if len(names) > _MANY else [side_by_side(chart, listing)]
    return section("pairs", "Head to head", paragraph(extremes), *inner)


def _pair_row(pairing: PairResult) -> list[Cell]:
    ahead = pairing.ahead
    interval = NONE if ahead.low is None or ahead.high is None else f"{ahead.low:.0%} to {ahead.high:.0%}"
    return [pairing.first, pairing.second, pairing.games, (f"{ahead.mean:.0%}", ahead.mean), (interval, ahead.mean)]


def _extremes(pairings: Sequence[PairResult]) -> str:
    def sentence(pairing: PairResult) -> str:
        share, first, second = pairing.ahead.mean, pairing.first, pairing.second
        if share < 0.5:
            share, first, second = 1 - share, second, first
        return f"{first} ahead of {second} in {per_cent(share)}%"

    clearest = max(pairings, key=lambda pairing: abs(pairing.ahead.mean - 0.5))
    closest = min(pairings, key=lambda pairing: abs(pairing.ahead.mean - 0.5))
    if clearest is closest:
        return f"{sentence(clearest)}."
    return f"The clearest: {sentence(clearest)}; the closest: {sentence(closest)}."


# Ratings over time


def course_chart(found: Findings, charts: Charts | None) -> Html:
    every = found.standings.tables[0]
    if len(found.course) < _FEW_STATIONS:
        return Html("")
    names = [standing.name for standing in every.standings]
    shown = f"of the best {MOST_SERIES}" if len(names) > MOST_SERIES else "of all entrants"
    shaded = "; shaded: 95% intervals" if len(names) <= MOST_BANDS else ""
    first, last = found.course[0].ratings, found.course[-1].ratings
    moves = [
        f"{name} from {signed(first[name].rating)} to {signed(last[name].rating)}"
        for name in names[:MOST_SERIES]
        if name in first and name in last
    ]
    return figure(
        "Ratings over time",
        f"{shown}, fitted again to the seed groups played up to each point{shaded}.",
        f"after {found.course[0].groups} seed groups and after {found.course[-1].groups}: {'; '.join(moves)}.",
        None if charts is None else charts.course(found.course, every.standings),
    )


def _course_table(found: Findings) -> Html:
    if len(found.course) < _FEW_STATIONS:
        return Html("")
    names = [standing.name for standing in found.standings.tables[0].standings]
    rows: list[list[Cell]] = []
    for station in found.course:
        ratings = [station.ratings.get(name) for name in names]
        cells: list[Cell] = [NONE if one is None else (signed(one.rating), one.rating) for one in ratings]
        rows.append([(f"{station.groups:,}", station.groups), station.games, *cells])
    heads = ["Seed groups", "Games", *names]
    return details("Ratings over time as a table", table("Ratings over time", heads, rows))


# Settings


def setting_section(number: int, scope: str, shown: ScopeTable, found: Findings, charts: Charts | None) -> Html:
    """Return the section about one setting: seats and economy, and standings if the tournament has several settings.

    `number` is part of the id of the section. `scope` is the name of the setting, and `shown` its standings.
    """
    setting = found.settings[scope]
    seats = [record for record in shown.seats if record.setting == scope]
    if found.is_mixed:
        pieces = [
            paragraph(f"{count_phrase(shown.games, 'game')} in {count_phrase(shown.groups, 'seed group')}."),
            side_by_side(_ratings_chart("Ratings in this game", shown, found, charts), _seats_chart(seats, charts)),
            standings_table("Standings in this game", shown, found, with_score=True),
            *_notes(shown),
            _seats_table(seats),
        ]
    else:
        pieces = [element("h3", "Seats"), side_by_side(_seats_chart(seats, charts), _seats_table(seats))]
    economy = _economy(load_face(setting.game).economy_words, shown, found, charts)
    return section(f"game-{number}", setting_words(setting), *pieces, *economy)


def _seats_chart(records: Sequence[SeatRecord], charts: Charts | None) -> Html:
    if charts is None or all(record.effect is None for record in records):
        return Html("")
    effects = [f"seat {one.seat + 1} {signed(one.effect.effect, '+,.0f')}" for one in records if one.effect is not None]
    words = f"in rating points, no matter who sits there; seat 1 begins. {_seat_words(records)}"
    return figure("Advantage of each seat", words, f"{', '.join(effects)}.", charts.seats(records))


def _seats_table(records: Sequence[SeatRecord]) -> Html:
    rows: list[list[Cell]] = []
    for one in records:
        worth: list[Cell] = [NONE, NONE]
        if one.effect is not None:
            effect, low, high = one.effect.effect, one.effect.low, one.effect.high
            worth = [(signed(effect, "+,.0f"), effect), (between(low, high), effect)]
        counts = [spread(one.mean_rank, ".2f"), part(one.win_share), part(one.score_share)]
        rows.append([f"seat {one.seat + 1}", one.games, *worth, *counts])
    heads = ["Seat", "Games", "Advantage, rating points", "95% interval", "Mean rank", "Wins", "Share of points"]
    return table("Seats", heads, rows)


def _seat_words(records: Sequence[SeatRecord]) -> str:
    sure = [
        f"seat {record.seat + 1} ({signed(effect.effect, '+,.0f')})"
        for record in records
        if (effect := record.effect) is not None
        and effect.low is not None
        and effect.high is not None
        and (effect.low > 0 or effect.high < 0)
    ]
    return (
        f"Different from the mean with 95% confidence: {listed(sure)}."
        if sure
        else "No seat differs from the mean with 95% confidence."
    )


def _economy(words: EconomyWords, shown: ScopeTable, found: Findings, charts: Charts | None) -> list[Html]:
    rows = [standing for standing in shown.standings if "paid" in standing.economy]
    if not rows:
        why = (
            "This tournament recorded no economy."
            if not found.plan.economy
            else "Nothing is known about the economy of these games."
        )
        return [element("h3", "Economy"), paragraph(why)]
    companies = sorted({name[5:] for one in rows for name in one.economy if name.startswith("held.")})
    return [
        element("h3", "Economy"),
        *([] if charts is None else [_economy_charts(rows, companies, words, charts)]),
        _economy_table(rows, words),
        details(f"{words.shares.capitalize()} in hand as a table", _holdings_table(rows, companies, words)),
    ]


def _economy_charts(rows: Sequence[Standing], companies: Sequence[str], words: EconomyWords, charts: Charts) -> Html:
    best = max(rows, key=_per_dollar)
    named = f" The best {MOST_SERIES} are named." if len(rows) > MOST_SERIES else ""
    builder = max(rows, key=lambda one: one.economy["income"].mean)
    return side_by_side(
        figure(
            f"What {words.shares} cost and returned",
            f"in a game; above the dashed line more came back than was paid.{named}",
            f"{best.name} got the most per dollar, ${_per_dollar(best):.2f}.",
            charts.returns(rows),
        ),
        figure(
            "Income built",
            f"in a game: {words.income}; the line is the 95% interval.",
            f"{builder.name} built the most, ${builder.economy['income'].mean:.0f}.",
            charts.bars(rows, "income", f"{words.income} ($)"),
        ),
        figure(
            f"{words.shares.capitalize()} in hand",
            f"at the end, by {words.company}; averages over all games.",
            "the table below has the numbers.",
            charts.holdings(rows, companies),
        ),
    )


def _per_dollar(one: Standing) -> float:
    return one.economy["returned"].mean / max(1.0, one.economy["paid"].mean)


def _economy_table(rows: Sequence[Standing], words: EconomyWords) -> Html:
    heads = ["Entrant", f"Paid for {words.shares}", "Returned", "Return per $1", words.built.capitalize()]
    heads += [words.income.capitalize(), words.shares.capitalize(), words.companies.capitalize()]
    body: list[list[Cell]] = [
        [
            one.name,
            spread(one.economy["paid"], ",.0f"),
            spread(one.economy["returned"], ",.0f"),
            (f"{_per_dollar(one):,.2f}", _per_dollar(one)),
            spread(one.economy["built"], ",.0f"),
            spread(one.economy["income"], ",.1f" if one.economy["income"].mean < _LARGE else ",.0f"),
            spread(one.economy["shares"], ".1f"),
            spread(one.economy["companies"], ".1f"),
        ]
        for one in rows
    ]
    return table("Economy per game, averages in dollars", heads, body)


def _holdings_table(rows: Sequence[Standing], companies: Sequence[str], words: EconomyWords) -> Html:
    body: list[list[Cell]] = []
    for one in rows:
        means = [one.economy.get(f"held.{company}") for company in companies]
        body.append([one.name, *[NONE if mean is None else (f"{mean.mean:.2f}", mean.mean) for mean in means]])
    return table(f"{words.shares.capitalize()} in hand at the end", ["Entrant", *companies], body)


# Time and faults


def times(found: Findings) -> Html:
    every = found.standings.tables[0]
    specs = {entrant.name: entrant.spec for entrant in found.plan.entrants}
    rows: list[list[Cell]] = []
    for one in every.standings:
        codes = found.faults.get(one.name, Counter())
        is_inside = specs.get(one.name, "").startswith(BUILTIN)
        kinds = ", ".join(f"{number:,} {code}" for code, number in sorted(codes.items()))
        rows.append(
            [
                one.name,
                NONE if is_inside else spread(one.ms_per_game, ",.0f"),
                NONE if is_inside else (f"{one.ms_per_action:.2f}", one.ms_per_action),
                sum(codes.values()),
                one.faulty_games,
                kinds or NONE,
                specs.get(one.name, NONE),
            ]
        )
    if not rows:
        return Html("")
    heads = ["Entrant", "ms per game", "ms per action", "Faults", "Games with faults", "Kinds of faults", "Program"]
    return section(
        "times",
        "Time and faults",
        table("Time and faults", heads, rows, texts=(5, 6)),
        paragraph(
            "Built-in players run inside the program, and their time is not measured. The time of an action "
            "counts as if all seats of a game had acted equally often.",
            class_="quiet",
        ),
    )


# Methods

_METHOD = """\
Ratings: the Plackett-Luce model with ties, fitted to the ranks of all games at once, so that the order of the games \
does not matter. A game of three shows who came first of three, then who came first of the other two.
Intervals of ratings and of what seats are worth: bootstrap over seed groups, widened by Student's t for few groups. \
An end is left open where the games set no limit: an unbeaten entrant may be arbitrarily strong.
Shares such as wins: Wilson's interval; means such as scores: Student's t; both by the spread between groups. \
The interval of a mean score holds only for scores like those that occurred: a rare large score may be missing.
A seed group is one seed with all its seatings: each entrant sits in each seat equally often, so that neither the luck \
of the seed nor that of the seat favours anyone. Where seats have secrets each game has its own deal, so that nobody \
meets a deal twice.
Copies are seed groups whose games were all played before by the same entrants in the same seats: they come \
from bots that never vary, in games without luck. They add no information, and are not counted.
Tainted games are those in which a fault changed who played: a default was played for a bot, or a substitute took \
over. Void games are not counted.
All games are kept in results.sqlite; `rails-cli tournament export` writes them for other programs.""".splitlines()


def method() -> Html:
    return section(
        "method", "How to read this report", element("ul", *[element("li", with_code(one)) for one in _METHOD])
    )
