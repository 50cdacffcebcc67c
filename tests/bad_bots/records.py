"""Writes down all that it is sent, and fails now and then: its second answer is wrong, its fourth a crash.

records.py FILE [MESSAGE]    MESSAGE is what it says first, such as a join
"""

import json
import sys
from pathlib import Path

from honest import answer, say

count = 0
request: dict[str, int] = {}
with Path(sys.argv[1]).open("ab", buffering=0) as file:
    for line in sys.stdin.buffer:
        file.write(line)
        message = json.loads(line)
        if message["type"] == "hello":
            for words in sys.argv[2:]:
                say(words)
        elif message["type"] == "rejected":
            answer(request)
        elif message["type"] == "request":
            request, count = message, count + 1
            if count == 2:
                say(json.dumps({"type": "action", "number": request["number"], "choice": 1000}))
            elif count == 4 and request["number"] < 40:
                sys.stderr.write("first words\n" * 20)
                raise RuntimeError(f"no idea at {request['number']}")
            else:
                answer(request)
