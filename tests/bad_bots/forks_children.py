"""A bot that exits and leaves two child processes: one in its process group, one in a new session."""

import os
import subprocess
import sys

from honest import answer, requests

SLEEP = [sys.executable, "-c", "import time; time.sleep(3600)"]
subprocess.Popen(SLEEP, stdin=subprocess.DEVNULL)
subprocess.Popen(SLEEP, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
for count, request in enumerate(requests()):
    if count == 2:
        os._exit(1)
    answer(request)
