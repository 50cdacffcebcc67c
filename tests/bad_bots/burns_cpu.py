"""A bot that computes forever at its third request."""

from honest import answer, requests

for count, request in enumerate(requests()):
    while count == 2:
        pass
    answer(request)
