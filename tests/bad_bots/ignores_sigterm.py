"""A bot that plays without faults, but ends neither at the end of its input nor on SIGTERM."""

import signal
import time

from honest import answer, requests

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for request in requests():
    answer(request)
while True:
    time.sleep(1)
