"""A bot that follows a script, one step for each request and rejection. After the script it plays without faults.

Usage: `scripted.py FILE STEP...`. The size of FILE is the number of steps done. So a restarted bot continues with the
next step.
"""

import os
import sys
import time

from honest import answer, choose, questions, say

count, steps = sys.argv[1], sys.argv[2:]
asked = questions()
for request in asked:
    with open(count, "ab") as file:
        done = file.tell()
        file.write(b".")
    step = steps[done] if done < len(steps) else "good"
    if step == "late":
        time.sleep(3600)
    elif step == "crash":
        sys.exit(3)
    elif step == "hand_over":
        if os.fork():
            os._exit(5)
        os.setsid()
        time.sleep(3600)
    elif step == "last_words":
        os.write(1, b'{"type":\n{"type":\n')
        sys.exit(6)
    elif step == "cut":
        os.write(1, f'{{"type": "action", "number": {request["number"]}, "choice": 0}}'.encode())
        sys.exit(7)
    elif step == "long":
        say("{" + " " * 2**20)
    elif step == "again":
        say('{"type": "again"}')
        if next(asked)["events"] != request["events"]:
            sys.exit(8)
        answer(request)
    elif step == "prints":
        say("a thought\n" * 1500)
        answer(request)
    elif step == "garbage":
        say('{"type":')
    elif step == "good":
        answer(request)
    elif step == "twice":
        answer(request)
        answer(request)
    else:
        wrong = {"illegal": (0, 10_000), "stale": (-1, 0), "early": (1000, 0)}[step]
        choose(request["number"] + wrong[0], wrong[1])
