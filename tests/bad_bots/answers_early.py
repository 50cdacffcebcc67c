"""A bot that answers requests that have not been sent yet."""

from honest import answer, choose, requests

for number in range(1, 20):
    choose(number + 100_000, 0)
for request in requests():
    answer(request)
    choose(request["number"] + 1_000, 0)
