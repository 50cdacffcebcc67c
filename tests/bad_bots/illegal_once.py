"""Makes one mistake in each request and then plays on."""

from honest import answer, requests, say

for request in requests():
    say(f'{{"type": "action", "number": {request["number"]}, "action": {{"type": "bid", "amount": 1000000}}}}')
    answer(request)
