"""A bot that closes its standard output at its second request and continues to read."""

import os
import sys

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 1:
        os.close(1)
        for _ in sys.stdin:
            pass
    answer(request)
