"""Makes one mistake in each request and then plays on."""

import json

from honest import answer, requests, say

for request in requests():
    say(json.dumps({"type": "action", "number": request["number"], "action": {"type": "bid", "amount": 1_000_000}}))
    answer(request)
