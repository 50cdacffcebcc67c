"""Plays well, but does not end at the end of input, nor when asked to."""

import signal
import time

from honest import answer, requests

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for request in requests():
    answer(request)
while True:
    time.sleep(1)
