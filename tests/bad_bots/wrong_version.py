"""A bot that joins with a protocol version that does not exist."""

from honest import answer, requests, say

say('{"type": "join", "protocol": 99, "name": "from the future"}')
for request in requests():
    answer(request)
