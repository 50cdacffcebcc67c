"""Answers requests that have not been put yet."""

import json

from honest import answer, requests, say

for number in range(1, 20):
    say(json.dumps({"type": "action", "number": number + 100_000, "choice": 0}))
for request in requests():
    answer(request)
    say(json.dumps({"type": "action", "number": request["number"] + 1_000, "choice": 0}))
