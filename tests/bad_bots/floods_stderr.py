"""A bot that writes megabytes to its standard error and plays without faults."""

import sys

from honest import answer, requests

for request in requests():
    sys.stderr.write("blah " * 100_000 + "\n")
    answer(request)
