"""A bot that crashes with a traceback at its third request."""

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 2:
        raise RuntimeError("this bot crashes")
    answer(request)
