"""Estimate of the remaining length of a game of Chicago Express."""

from rails_cli.protocol.chicago_express import View


def dividends_left(view: View) -> float:
    """Return the expected number of general dividends until the end, if actions continue as fast as the dials allow."""
    red_at = {dial.action: dial.red_at for dial in view.dials}
    after_next = []
    for condition in view.end_conditions:
        steps = abs(condition.limit - condition.now)
        if condition.reason == "detroit_full":
            after_next.append(float(steps))
        elif condition.reason == "houses_out":
            after_next.append(steps / red_at["develop"])
        elif condition.reason == "shares_out":
            to_sell = sorted(company.shares_left for company in view.companies if company.minimum_bid is not None)
            if len(to_sell) >= steps:
                after_next.append(sum(to_sell[:steps]) / red_at["auction"])
    return 1 if any(condition.is_met for condition in view.end_conditions) else 1 + min(after_next)
