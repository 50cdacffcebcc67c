"""A bot that plays the number of games in WAITS_AFTER, then answers no request until the file in WAITS_FOR exists."""

import os
import sys
import time

from honest import answer, read

games = 0
for line in sys.stdin:
    message = read(line)
    if message["type"] == "request":
        while games >= int(os.environ["WAITS_AFTER"]) and not os.path.exists(os.environ["WAITS_FOR"]):
            time.sleep(0.05)
        answer(message)
    elif message["type"] == "end":
        games += 1
