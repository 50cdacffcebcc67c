"""Writes endless debug lines."""

import sys

from honest import requests

for _ in requests():
    while True:
        sys.stdout.write(("thinking hard " * 100 + "\n") * 100)
