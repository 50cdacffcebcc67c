"""A bot that writes a line that never ends."""

import sys

from honest import requests

for _ in requests():
    while True:
        sys.stdout.write('{"type":"action","note":"' + "x" * 65536)
        sys.stdout.flush()
