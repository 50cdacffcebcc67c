"""A bot that allocates 400 MB at every request."""

from honest import answer, requests

hoard = []
for request in requests():
    hoard.append(bytearray(400_000_000))
    answer(request)
