"""A bot that never answers its third request."""

import time

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 2:
        time.sleep(3600)
    answer(request)
