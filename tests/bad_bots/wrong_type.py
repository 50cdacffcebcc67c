"""Answers with a message of a type that no client may send, and with fields of the wrong type."""

from honest import questions, say

for count, request in enumerate(questions()):
    if count % 2:
        say(f'{{"type": "hello", "number": {request["number"]}}}')
    else:
        say(f'{{"type": "action", "number": "{request["number"]}", "choice": "first"}}')
