"""A bot that writes debug lines without end instead of an answer."""

import sys

from honest import requests

for _ in requests():
    while True:
        sys.stdout.write(("thinking hard " * 100 + "\n") * 100)
