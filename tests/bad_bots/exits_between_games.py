"""A bot that exits after each game."""

import sys

from honest import answer, read

for line in sys.stdin:
    message = read(line)
    if message["type"] == "request":
        answer(message)
    elif message["type"] == "end":
        sys.exit(0)
