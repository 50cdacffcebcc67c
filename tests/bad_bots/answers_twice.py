"""Gives every answer two times."""

from honest import answer, requests

for request in requests():
    answer(request)
    answer(request)
