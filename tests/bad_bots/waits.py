"""A bot that plays some games normally. Then it answers no request until a certain file exists.

The environment variable WAITS_AFTER is the number of games, and WAITS_FOR the path of the file.
"""

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
