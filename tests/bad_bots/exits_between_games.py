"""Ends after each game."""

import json
import sys

from honest import answer

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "request":
        answer(message)
    elif message["type"] == "end":
        sys.exit(0)
