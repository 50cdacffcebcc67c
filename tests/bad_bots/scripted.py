"""Does as it is told at each request and rejection, also after it was started again; then plays on without a fault.

scripted.py FILE STEP...    FILE counts the steps that are done
"""

import json
import sys
import time
from pathlib import Path

from honest import answer, questions, say

count, steps = Path(sys.argv[1]), sys.argv[2:]
for request in questions():
    done = count.read_bytes() if count.exists() else b""
    count.write_bytes(done + b".")
    step = steps[len(done)] if len(done) < len(steps) else "good"
    if step == "late":
        time.sleep(60)
    elif step == "crash":
        sys.exit(3)
    elif step == "garbage":
        say('{"type":')
    elif step == "good":
        answer(request)
    elif step == "twice":
        answer(request)
        answer(request)
    else:
        wrong = {"illegal": (0, 10_000), "stale": (-1, 0), "early": (1000, 0)}[step]
        say(json.dumps({"type": "action", "number": request["number"] + wrong[0], "choice": wrong[1]}))
