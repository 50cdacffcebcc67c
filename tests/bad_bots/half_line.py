"""A bot that writes half an answer and waits."""

import sys
import time

from honest import requests

for request in requests():
    sys.stdout.write('{"type":"action","number":' + str(request["number"]))
    sys.stdout.flush()
    time.sleep(3600)
