"""A bot that writes everything it receives to a file.

Its second answer is illegal, and it crashes at its fourth request. Usage: `records.py FILE [MESSAGE...]`. The bot sends
each MESSAGE after it has received `hello`. A MESSAGE is for example a `join` message.
"""

import sys

from honest import answer, choose, read, say

count = 0
request: dict[str, int] = {}
with open(sys.argv[1], "ab", buffering=0) as file:
    for line in sys.stdin.buffer:
        file.write(line)
        message = read(line.decode())
        if message["type"] == "hello":
            for words in sys.argv[2:]:
                say(words)
        elif message["type"] == "rejected":
            answer(request)
        elif message["type"] == "request":
            request, count = message, count + 1
            if count == 2:
                choose(request["number"], 1000)
            elif count == 4 and request["number"] < 40:
                sys.stderr.write("first words\n" * 20)
                raise RuntimeError(f"no idea at {request['number']}")
            else:
                answer(request)
