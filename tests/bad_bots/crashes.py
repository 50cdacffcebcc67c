"""Plays a while, then dies with a traceback."""

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 2:
        raise RuntimeError("this bot crashes")
    answer(request)
