"""Never reads its input."""

import time

time.sleep(3600)
