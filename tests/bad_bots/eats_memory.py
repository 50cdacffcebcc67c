"""Takes more and more memory."""

from honest import answer, requests

hoard = []
for request in requests():
    hoard.append(bytearray(400_000_000))
    answer(request)
