"""Ends itself by a signal in the middle of a request."""

import os
import signal

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    answer(request)
