"""Plays a while, then never answers again."""

import time

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 2:
        time.sleep(3600)
    answer(request)
