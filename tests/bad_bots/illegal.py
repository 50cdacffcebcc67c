"""Answers with actions that are not allowed."""

import json

from honest import questions, say

for request in questions():
    say(json.dumps({"type": "action", "number": request["number"], "choice": 10_000}))
