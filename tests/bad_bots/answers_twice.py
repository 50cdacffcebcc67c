"""A bot that sends every answer twice."""

from honest import answer, requests

for request in requests():
    answer(request)
    answer(request)
