"""Introduces itself with a version of the protocol that does not exist."""

import json

from honest import answer, requests, say

say(json.dumps({"type": "join", "protocol": 99, "name": "from the future"}))
for request in requests():
    answer(request)
