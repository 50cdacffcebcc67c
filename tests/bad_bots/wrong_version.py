"""Introduces itself with a version of the protocol that does not exist."""

from honest import answer, requests, say

say('{"type": "join", "protocol": 99, "name": "from the future"}')
for request in requests():
    answer(request)
