"""A bot that writes too much to its standard error, so that rails-cli stores only a part of it.

At its third request it writes a last line and crashes.
"""

import os
import sys

from honest import answer, requests

for count, request in enumerate(requests()):
    if count == 2:
        os.write(2, b"more noise\n" * 4000 + b"last words\n")
        sys.exit(7)
    sys.stderr.write("noise " * 200_000 + "\n")
    sys.stderr.flush()
    answer(request)
