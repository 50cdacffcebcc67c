"""A bot that alternately sends fields of a wrong type, and a message of a type that only servers may send."""

from honest import questions, say

for count, request in enumerate(questions()):
    if count % 2:
        say(f'{{"type": "hello", "number": {request["number"]}}}')
    else:
        say(f'{{"type": "action", "number": "{request["number"]}", "choice": "first"}}')
