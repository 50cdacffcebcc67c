"""A bot that plays arbitrary actions. After request 45 it exits when it has much less cash than the richest player.

With the variable HONEST in its environment it never exits.
"""

import os
import sys

from honest import choose, requests

for request in requests():
    players, own = request["view"]["players"], request["seat"]
    cash = [player["cash"] for player in players]
    if request["number"] > 45 and 3 * cash[own] < 2 * max(cash) and "HONEST" not in os.environ:
        sys.exit(1)
    entry = (31 * sum(cash) + 17 * request["number"]) % len(request["legal"])
    choose(request["number"], request["default"] if "min" in request["legal"][entry] else entry)
