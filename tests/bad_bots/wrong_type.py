"""A bot that alternates between fields of a wrong type and a message that no client may send."""

from honest import questions, say

for count, request in enumerate(questions()):
    if count % 2:
        say(f'{{"type": "hello", "number": {request["number"]}}}')
    else:
        say(f'{{"type": "action", "number": "{request["number"]}", "choice": "first"}}')
