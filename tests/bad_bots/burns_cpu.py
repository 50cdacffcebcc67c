"""Thinks for ever, with full load."""

from honest import answer, requests

for count, request in enumerate(requests()):
    while count == 2:
        pass
    answer(request)
