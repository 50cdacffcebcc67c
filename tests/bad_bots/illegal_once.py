"""A bot that answers every request with an illegal bid first, and then correctly."""

from honest import answer, requests, say

for request in requests():
    say(f'{{"type": "action", "number": {request["number"]}, "action": {{"type": "bid", "amount": 1000000}}}}')
    answer(request)
