"""Answers with a message of a type that no client may send, and with fields of the wrong type."""

import json

from honest import questions, say

for count, request in enumerate(questions()):
    if count % 2:
        say(json.dumps({"type": "hello", "number": request["number"]}))
    else:
        say(json.dumps({"type": "action", "number": str(request["number"]), "choice": "first"}))
