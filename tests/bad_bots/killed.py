"""A bot that kills itself with SIGKILL at its third request."""

import os
import signal

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    answer(request)
