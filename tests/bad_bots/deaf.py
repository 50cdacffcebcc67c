"""A bot that never reads its input."""

import time

time.sleep(3600)
