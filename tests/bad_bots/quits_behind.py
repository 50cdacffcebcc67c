"""Plays at random, and ends itself when it is behind; with `HONEST` in its environment it plays on."""

import json
import os
import random
import sys

from honest import requests, say

for request in requests():
    players, own = request["view"]["players"], request["seat"]
    cash = [player["cash"] for player in players]
    if request["number"] > 45 and 3 * cash[own] < 2 * max(cash) and "HONEST" not in os.environ:
        sys.exit(1)
    luck = random.Random(json.dumps(cash) + str(request["number"]))
    entry = luck.randrange(len(request["legal"]))
    if "min" in request["legal"][entry]:
        entry = request["default"]
    say(json.dumps({"type": "action", "number": request["number"], "choice": entry}))
